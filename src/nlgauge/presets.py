"""Named bundles of metrics: what the field's own scripts print, and what is reported for a task.

`choose("coco", data)` gives the metrics that can be computed on these data and this machine, and notes on the rest.
Bundles with a `script` equal it to the digit, but where `apart` says otherwise. They are for English; for outputs in
another language the parts that know only English are exchanged or left out, and a note says so.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from nlgauge.engine.availability import Missing, runnable
from nlgauge.engine.scripts import ENGLISH
from nlgauge.errors import InputError
from nlgauge.lexicons.meteor import LANGUAGES as METEOR_LANGUAGES
from nlgauge.metrics.base import Metric
from nlgauge.metrics.spec import parse
from nlgauge.metrics.survey import TASK_NAMES
from nlgauge.types import EvaluationSet
from nlgauge.wording.languages import language_code
from nlgauge.wording.numbers import listing


@dataclass(frozen=True)
class Preset:
    """Metrics that are reported together."""

    name: str
    about: str
    specs: tuple[str, ...]
    script: str = ""  # whose numbers these are; empty: the task has no common script
    apart: str = ""  # what differs from the script, or is not here
    task: str = ""  # the survey's task it stands for

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return {spec.name: getattr(self, spec.name) for spec in fields(self)} | {"specs": list(self.specs)}


def _nlg_eval(*orders: int) -> tuple[str, ...]:
    bleu = (f"bleu(tok=none,smooth=coco)@{order}" for order in orders)
    return (*bleu, "meteor-universal", "rougeL(tok=none,multi=coco,beta=1.2)")


PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            "coco",
            "image captions",
            (
                *(f"bleu(tok=ptb,smooth=coco)@{order}" for order in (1, 2, 3, 4)),
                *("meteor-universal(lower=yes,tok=ptb)", "rougeL(tok=ptb,multi=coco,beta=1.2)"),
                *("ciderD", "spice"),
            ),
            "the COCO caption kit (pycocoevalcap 1.2), whose BLEU is from 0 to 1 and whose CIDEr is CIDEr-D",
            "SPICE is our own implementation; the tokeniser imitates Stanford's and may split rare texts otherwise",
            "captioning",
        ),
        Preset(
            "webnlg20",
            "texts from data",
            (
                *("bleu(smooth=none)", "meteor-universal", "chrf++(eps=yes)", "ter"),
                *(f"bertscore(model=roberta-large).{output}" for output in ("p", "r", "f1")),
            ),
            "the WebNLG 2020 challenge (GenerationEval), whose METEOR, chrF++ and TER are from 0 to 1",
            "METEOR reads texts that NLTK has not split first; TER is sacreBLEU's, the script's is pyter's mean over "
            "segments; BLEU by NLTK and BLEURT are not here",
            "d2t",
        ),
        Preset("wmt", "translations", ("bleu", "chrf", "ter"), "sacreBLEU 2.6 with its defaults", task="mt"),
        Preset(
            "summarisation",
            "summaries",
            (
                *(f"rouge(stem=porter)@{order}" for order in (1, 2)),
                "rougeL(stem=porter)",
                "rougeLsum(stem=porter)",
            ),
            "rouge-score 0.1.2 with use_stemmer; rougeLsum wants one sentence a line",
            task="summarisation",
        ),
        Preset(
            "simplification",
            "simplified texts",
            ("sari(form=easse)", "bleu(lower=yes)", "fkgl"),
            "EASSE 0.2 with its defaults",
            "FKGL was checked against EASSE's published rules, not against the program; SAMSA is not here",
        ),
        Preset(
            "gec",
            "corrected texts",
            ("gleu-gec", "ter"),
            "gec-ranking, the program of GLEU's authors (Napoles et al. 2015)",
            "TER, the edits left to do, is of no script; M² and ERRANT are not here",
        ),
        Preset(
            "dialogue",
            "turns of a dialogue",
            (*_nlg_eval(1, 2, 3, 4), "average", "extrema", "greedy", "distinct@1", "distinct@2"),
            "nlg-eval, on texts that are split into words already",
            "the word vectors are GloVe's of 50 dimensions, nlg-eval's of 300; distinct-n is of no script",
            "dialogue",
        ),
        Preset(
            "qg",
            "questions",
            _nlg_eval(1, 2, 3, 4),
            "nlg-eval, on texts that are split into words already",
            task="qg",
        ),
        Preset(
            "qa",
            "answers to questions on a text",
            (
                "bleu(tok=ptb,smooth=coco)@1",
                "rougeL(tok=ptb,multi=coco,beta=1.2)",
                "meteor(tok=13a)",
                "bertscore",
            ),
            task="qa",
        ),
        Preset(
            "stories",
            "stories and other free texts, without references",
            ("distinct@2", "selfbleu", "rep", "msttr", "perplexity"),
        ),
        Preset(
            "answers",
            "answers of assistants beside a reference",
            ("rougeL(stem=porter)", "chrf", "bertscore", "sim"),
        ),
    )
}

_METEOR_CODES = {"cs": "cz", "sv": "se", "nb": "no", "nn": "no"}  # where METEOR's are not the usual ones
_TOKENISERS = {"zh": "zh", "ja": "ja", "ko": "ko"}  # sacreBLEU's choice for the language
_NEEDS = {
    "references": "references",
    "source": "sources",
    "source text": "sources that are texts",
    "post_edits": "post-edits",
    "reference_weights": "weights of the references",
}


def named(name: str) -> Preset:
    """The preset of a name, or of a task; an unknown one is refused with the near name."""
    known = name.strip().lower().replace(" ", "-").replace("_", "-")
    known = TASK_NAMES.get(known, known)
    tasks = {preset.task: preset for preset in PRESETS.values() if preset.task}
    found = PRESETS.get(known) or tasks.get(known)
    if found is None:
        names = [*PRESETS, *tasks, *TASK_NAMES]
        near = difflib.get_close_matches(known, names, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]}? " if near else ""
        raise InputError(f"there is no preset {name!r}; {hint}Known: {', '.join(PRESETS)}")
    return found


def choose(
    name: str, data: EvaluationSet | None = None, *, language: str = ""
) -> tuple[tuple[Metric, ...], list[str]]:
    """The metrics of a preset that can be computed, and notes on those that were exchanged or left out.

    The language is that of the data where none is given. Nothing left out is an error: nobody asked for it by name.
    """
    preset = named(name)
    spoken = _given(language) if language else data.language if data is not None else ""
    metrics, notes = in_language([parse(spec) for spec in preset.specs], spoken)
    unfed: dict[str, str] = {}
    if data is not None:
        unfed = {str(metric): need for metric in metrics if (need := _lacks(data, metric))}
        metrics = [metric for metric in metrics if str(metric) not in unfed]
    found = runnable(metrics)
    notes += found.notes()
    if unfed or found.lacking:
        notes.append(_left_out(unfed, found.lacking))
    return found.metrics, notes


def _given(language: str) -> str:
    """The code of the language that was named; its region does not matter, and a pair is not one language."""
    spoken = language_code(re.split("[-_]", language.strip())[0].lower())
    if not spoken:
        raise InputError(f"{language!r} is no code of a language; expected two or three letters, such as de")
    if (target := language_code(language.strip())) not in ("", spoken):
        raise InputError(f"{language!r} is a pair; name the language of the outputs only, such as {target}")
    return spoken


def in_language(metrics: Sequence[Metric], language: str) -> tuple[list[Metric], list[str]]:
    """The metrics as they fit a language, and what was changed for it; nothing is changed for an unknown one."""
    if language in ("", "en"):
        return list(metrics), []
    kept: list[Metric] = []
    exchanged, dropped = [], []
    for metric in metrics:
        fitting = _fitting(metric, language)
        if fitting is None:
            dropped.append(str(metric))
        elif fitting != metric:
            exchanged.append(f"{metric} → {fitting}")
        if fitting is not None:
            kept.append(fitting)
    told = []
    if exchanged:
        told.append(f"exchanged for outputs in {language!r}: {', '.join(exchanged)}")
    if dropped:
        told.append(f"left out, since not made for outputs in {language!r}: {listing(dropped)}")
    return kept, told


def _fitting(metric: Metric, language: str) -> Metric | None:
    """The metric for outputs in a language other than English; None where it knows English only."""
    changed: dict[str, str] = {}
    has = {spec.name: getattr(metric, spec.name) for spec in fields(metric)}
    if "lang" in has:
        code = _METEOR_CODES.get(language, language)
        if code not in METEOR_LANGUAGES:
            return None
        changed["lang"] = code
    elif metric.name in ENGLISH:
        return None
    if has.get("model") == "roberta-large":
        changed["model"] = "bert-base-multilingual-cased"  # bert-score's choice
    elif metric.models:
        return None
    if has.get("tok") == "rouge":
        changed |= {"tok": "words", "stem": "none"}
    if metric.name == "bleu" and has["tok"] == "13a" and language in _TOKENISERS:
        changed["tok"] = _TOKENISERS[language]
    return replace(metric, **changed) if changed else metric


def _lacks(data: EvaluationSet, metric: Metric) -> str:
    """What of a metric's needs the data lack, in a word; empty: nothing."""
    for need in metric.needs:
        try:
            data.require([need])
        except InputError:
            return _NEEDS.get(need, need)
    return ""


def _left_out(unfed: dict[str, str], lacking: dict[str, Missing]) -> str:
    """One line for all that was left out, by reason."""
    reasons: dict[str, list[str]] = {}
    for spec, need in unfed.items():
        reasons.setdefault(f"(the data have no {need})", []).append(spec)
    for spec, error in lacking.items():
        reasons.setdefault(f"({error.how})", []).append(spec)
    return f"left out: {'; '.join(f'{listing(specs)} {why}' for why, specs in reasons.items())}"
