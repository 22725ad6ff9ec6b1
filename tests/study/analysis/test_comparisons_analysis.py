"""Simulated judges with known strengths: the analysis of comparisons finds what was put in, and says what it cannot."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rated

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.report.pages import ELEMENT
from nlgauge.report.study.comparisons_words import plan as plan_words
from nlgauge.report.study.words import diagnoses, sentence, sentences, warnings
from nlgauge.study.file.study import load
from nlgauge.study.freeze.frozen import Frozen, freeze
from nlgauge.study.languages import LANGUAGES, content
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.comparisons.analysis import ComparisonResult, analyse
from nlgauge.study.protocols.comparisons.analysis.planning import NextStudy
from nlgauge.study.protocols.comparisons.analysis.rows import Screen, sort_out
from nlgauge.study.protocols.comparisons.analysis.strengths import CAUTIOUS, INDEPENDENT, SATURATED
from nlgauge.study.protocols.comparisons.simulation import Choosers
from nlgauge.study.simulation import rehearse
from nlgauge.web.language import load as load_phrases

TRUE = {"rules": -0.7, "neural": 0.1, "people": 0.6}
DESIGNS = {
    "pairwise": {"kind": "pairs"},
    "ranking": {"kind": "bibd", "per_screen": 3},
    "best-worst": {"kind": "bibd", "per_screen": 3},
}
Answer = Callable[[Judgement, tuple[str, ...]], dict[str, Any]]


def study(folder: Path, protocol: str = "pairwise", judges: int = 18, items: int = 20, **changes: Any) -> Frozen:
    subjects = {
        name: {"texts": [{"text": f"{name} {k}", "source": f"s{k}"} for k in range(items)]}
        for name in changes.pop("systems", TRUE)
    }
    each = 15 if protocol == "pairwise" else min(15, items)  # a judge sees no screen twice
    given = {
        "subjects": subjects,
        "criteria": ["fluency"],
        "design": DESIGNS[protocol],
        "panels": {"public": {"judges": judges, "evaluations": each, "access": "open"}},
    }
    if protocol == "pairwise":
        given["strength"] = []
    return freeze(load(rated.write(folder, **rated.comparing(protocol, **{**given, **changes}))), folder)


def answered(frozen: Frozen, answer: Answer) -> list[Judgement]:
    """One judge a block, who answers as told: the same for every criterion."""
    found = []
    for place, slot in enumerate(frozen.slots):
        systems = tuple(frozen.text[text].subject for text in slot.texts)
        items = tuple(frozen.text[text].item for text in slot.texts)
        blank = Judgement(
            str(place),
            frozen.id,
            slot.panel,
            f"{slot.panel} {slot.block}",
            slot.id,
            slot.number,
            slot.role,
            slot.texts,
            items,
            {},
            60.0 * place,
            60.0 * place + 20 + place % 7,
        )
        asked = frozen.study.questions_asked  # type: ignore[attr-defined]
        found.append(replace(blank, answer={one.id: answer(blank, systems) for one in asked}))
    return found


def noisy(judgement: Judgement, systems: tuple[str, ...]) -> dict[str, Any]:
    """The better system three times in four, whatever its place."""
    number = hash_of(judgement.id, judgement.judge, *systems)
    better = TRUE.get(systems[0], 0) > TRUE.get(systems[1], 0)
    first = better if number % 4 else not better
    return {"preference": "tie" if number % 11 == 0 else "a" if first else "b"}


def hash_of(*words: str) -> int:
    """The same for the same words in every run."""
    value = 7
    for letter in "/".join(words):
        value = (value * 131 + ord(letter)) % 1_000_003
    return value


def changed(frozen: Frozen, **changes: Any) -> Frozen:
    return replace(frozen, study=replace(frozen.study, **changes))


@pytest.mark.parametrize("protocol", rated.COMPARISONS)
def test_strengths_are_found_again(protocol: str, tmp_path: Path) -> None:
    """End to end: a launched study, simulated judges, the analysis of the service."""
    service, _ = rehearse(study(tmp_path, protocol), Choosers(TRUE), seed=11)
    result = service.protocol.analyse_service(service)
    (one,) = result.comparisons
    assert [mean.system for mean in one.models.means] == ["people", "neural", "rules"]
    for mean in one.models.means:
        assert mean.low < TRUE[mean.system] < mean.high and mean.high - mean.low < 1
    assert one.n == 270 and one.judges == 18 and "18 judges and 20 items" in one.models.method
    assert (one.ties > 0) == (protocol != "best-worst")
    first = one.models.pairs[1]
    assert first.name == "people - rules" and first.p_adjusted < 0.001 and first.low < 1.3 < first.high
    assert one.models.clusters is not None and one.models.clusters.groups[-1] == ("rules",)
    assert not any(row.failed for row in result.judging[0].judges) and one.places.p > 0.01
    found = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert found["result"][0]["clusters"][-1] == ["rules"]
    assert found["criteria"][0]["share_of_ties"] == pytest.approx(one.tied)


def test_which_model_leads(tmp_path: Path) -> None:
    def model(protocol: str, answer: dict[str, Any], **changes: Any) -> ComparisonResult:
        frozen = study(tmp_path / f"{protocol}{len(changes)}", protocol, judges=4, **changes)
        turn = {"preference": "b"} if protocol == "pairwise" else {"ranks": [3, 2, 1]}
        turned = {"best": 1, "worst": 0} if protocol == "best-worst" else turn
        return analyse(frozen, answered(frozen, lambda one, _: turned if int(one.id) % 3 == 0 else answer))

    ranks = model("ranking", {"ranks": [1, 2, 3]}).comparisons[0].models
    assert ranks.model == "Plackett and Luce's model" and "implied pairs" in ranks.beside
    shared = model("ranking", {"ranks": [1, 2, 2]}, seed=8).comparisons[0].models
    assert "pairs that rankings tell, Rao and Kupper's ties" in shared.model and shared.tie > 1
    best = model("best-worst", {"best": 0, "worst": 2}).comparisons[0]
    assert best.models.model == "Luce's model of a first and a last place" and "maxdiff" in best.models.beside
    assert best.best.counting == max(mean.counting for mean in best.models.means)
    frozen = study(tmp_path / "degrees", judges=4, strength=["slightly", "far"])
    told = analyse(frozen, answered(frozen, lambda one, s: degree(noisy(one, s), int(one.id))))
    models = told.comparisons[0].models
    assert set(models.beside) == {"Davidson's ties", "degrees of preference"} and models.deviance is not None
    assert models.beside["degrees of preference"]["people"].method.startswith("sandwich over 4 clusters")


def degree(answer: dict[str, Any], number: int) -> dict[str, Any]:
    return answer | {"strength": 0 if answer["preference"] == "tie" else 1 + number % 2}


def test_screens_say_who_was_preferred() -> None:
    three = ("a", "b", "c")
    assert Screen("j", "i", three, {"ranks": [2, 1, 2]}).groups == [[1], [0, 2]]
    assert Screen("j", "i", three, {"ranks": [1, 1, 1]}).best is None
    assert Screen("j", "i", (*three, "d"), {"best": 2, "worst": 0}).groups == [[2], [1, 3], [0]]
    assert Screen("j", "i", ("a", "b"), {"preference": "b", "strength": 2}).degree == -2
    assert Screen("j", "i", ("a", "b"), {"preference": "tie"}).groups == [[0, 1]]


def test_practice_and_surplus_are_left_out(tmp_path: Path) -> None:
    frozen = study(tmp_path, judges=6)
    given = answered(frozen, noisy)
    own = analyse(frozen, given)
    wrong = {"fluency": {"preference": "a"}}
    extra = [
        replace(given[0], id="w", role="warmup", answer=wrong),
        replace(given[1], id="s", surplus=True, answer=wrong),
    ]
    again = analyse(frozen, [*given, *extra])
    assert (again.aside["warmup"], again.aside["surplus"]) == (1, 1) and again.n == own.n == 90
    assert again.comparisons[0].models.means == own.comparisons[0].models.means
    with pytest.raises(InputError, match="89 of 90 planned answers"):
        analyse(frozen, given[:-1])
    fewer = analyse(frozen, given[:-1], closed=True)
    assert any("89 of 90 planned answers: the design is incomplete" in note for note in warnings(fewer))


def test_places_and_judges_who_do_not_look(tmp_path: Path) -> None:
    frozen = study(tmp_path, judges=8)

    def answer(one: Judgement, systems: tuple[str, ...]) -> dict[str, Any]:
        if one.judge == "public 1":
            return {"preference": "a"}
        best = max(systems, key=TRUE.__getitem__)
        worse = one.judge == "public 2" or int(one.id) % 5 == 0
        return {"preference": "ab"[systems.index(best)] if not worse else "ba"[systems.index(best)]}

    given = answered(frozen, answer)
    hasty = [replace(one, answered_at=one.shown_at + 1) if one.judge == "public 3" else one for one in given]
    (group,) = (result := analyse(frozen, hasty)).judging
    failed = {row.judge: row.failed for row in group.judges}
    assert failed["public 1"] == ("first place",) and failed["public 2"] == ("against the rest",)
    assert failed["public 3"] == ("speed",) and not any(failed[f"public {k}"] for k in (4, 5, 6, 7, 8))
    assert set(group.without) == {"fluency"}
    without = group.without["fluency"].means
    assert without[0].share > result.comparisons[0].best.share
    assert "3 of 8 judges failed a check" in dict(sentences(result))["Judges: public"]
    left = analyse(frozen, answered(frozen, lambda one, _: {"preference": "a" if int(one.id) % 4 else "b"}))
    assert left.comparisons[0].places.p < 0.001 and any("places matter" in note for note in warnings(left))


def test_circles(tmp_path: Path) -> None:
    frozen = study(tmp_path, judges=6, items=5)
    order = {("rules", "neural"): 0, ("neural", "people"): 0, ("people", "rules"): 0}
    round_ = answered(frozen, lambda _, s: {"preference": "a" if s in order else "b"})
    one = analyse(frozen, round_).comparisons[0]
    assert one.circles.judges is not None and one.circles.judges.circular == one.circles.judges.complete > 0
    assert one.circles.systems.circular == 1 and one.models.deviance is not None and one.models.deviance[2] < 0.01
    assert [mean.mean for mean in one.models.means] == pytest.approx([0, 0, 0], abs=0.2)
    straight = analyse(frozen, answered(frozen, noisy)).comparisons[0]
    assert straight.circles.systems.circular == 0


def test_agreement_is_that_of_pairs(tmp_path: Path) -> None:
    frozen = study(tmp_path, judges=6, items=5)
    best = answered(frozen, lambda _, s: {"preference": "a" if TRUE[s[0]] > TRUE[s[1]] else "b"})
    (one,) = analyse(frozen, best).comparisons
    assert one.agreeing.agreement is not None and one.agreeing.agreement["percent"].estimate == 1
    assert one.agreeing.alpha == pytest.approx(1)
    told = sort_out(frozen, best).column(sort_out(frozen, best).criteria[0], "public").table()[2]
    signs = told[~np.isnan(told)]
    assert 0.3 < (signs == 1).mean() < 0.7  # whoever is better is named first in half of the pairs
    coins = analyse(frozen, answered(frozen, lambda one, s: {"preference": "ab"[hash_of(one.id, *s) % 2]}))
    assert abs(coins.comparisons[0].agreeing.alpha) < 0.3
    assert coins.comparisons[0].agreeing.diagnosis is None  # fifteen pairs of a judge are too few
    assert any("too few judged the same to say why" in note for note in warnings(coins))
    ranking = study(tmp_path / "r", "ranking", judges=6, items=12)
    orders = ([1, 2, 3], [3, 1, 2], [2, 3, 1], [3, 2, 1], [1, 3, 2])
    rolled = analyse(ranking, answered(ranking, lambda one, _: {"ranks": orders[hash_of(one.id) % 5]}))
    assert rolled.comparisons[0].agreeing.diagnosis is not None and not rolled.comparisons[0].agreeing.diagnosis.items
    assert "What to do" not in dict(sentences(rolled))["Agreement: Fluency"]  # that is not for a paper
    assert "What to do: " in diagnoses(rolled)[0]


def test_panels_and_criteria_are_compared(tmp_path: Path) -> None:
    panels = {name: {"judges": 6, "evaluations": 15, "access": "open"} for name in ("experts", "public")}
    frozen = study(tmp_path, panels=panels, criteria=["fluency", rated.FORMAL])
    result = analyse(frozen, answered(frozen, noisy))
    assert [one.where for one in result.panels] == ["Fluency", "formality"] and len(result.criteria) == 2
    pair = result.panels[0]
    assert {pair.first, pair.second} == {"experts", "public"} and pair.systems.pearson.estimate > 0.7
    assert math.isnan(pair.difference)  # strengths have no common origin
    assert result.criteria[0].outputs.pearson.estimate == pytest.approx(1)
    assert any("may not tell them apart" in note for note in warnings(result))
    alone = analyse(frozen, answered(frozen, noisy), panel="experts")
    assert len(alone.judging) == 1 and not alone.panels


def test_nothing_to_tell_is_said(tmp_path: Path) -> None:
    frozen = study(tmp_path / "s", judges=6)
    with pytest.raises(InputError, match="no comparison counts"):
        analyse(frozen, [], closed=True)
    with pytest.raises(InputError, match="no panel 'x'"):
        analyse(frozen, answered(frozen, noisy), panel="x")
    ties = analyse(frozen, answered(frozen, lambda *_: {"preference": "tie"}))
    assert "every comparison is a tie" in sentence(ties) and ties.comparisons[0].models.clusters is None
    assert ties.comparisons[0].places.n == 0 and math.isnan(ties.comparisons[0].best.mean)
    one = [judgement for judgement in answered(frozen, noisy) if judgement.judge == "public 1"]
    alone = analyse(frozen, one, closed=True)
    assert "scores over 15 items" in alone.comparisons[0].models.method
    assert alone.comparisons[0].agreeing.agreement is None
    assert any("has 1 judge: too few" in note for note in warnings(alone))
    single = analyse(frozen, one[:1], closed=True)
    json.dumps(single.to_dict(), allow_nan=False)
    for result in (ties, alone, single):
        json.dumps(result.to_dict(), allow_nan=False)


def test_systems_that_never_met_or_always_won(tmp_path: Path) -> None:
    systems = {"a": 1.0, "b": 0.0, "c": -1.0, "d": -2.0}
    frozen = study(tmp_path, judges=8, systems=systems)

    def pick(pairs: list[set[str]]) -> list[Judgement]:
        given = answered(frozen, lambda _, s: {"preference": "a" if s[0] < s[1] else "b"})
        return [one for one in given if {frozen.text[text].subject for text in one.texts} in pairs]

    apart = analyse(frozen, pick([{"a", "b"}, {"c", "d"}]), closed=True)
    assert "2 groups that were never compared with each other (a, b; c, d)" in sentence(apart)
    assert not apart.panels and not apart.criteria and apart.comparisons[0].planning is None
    pair = analyse(frozen, pick([{"a", "b"}]), closed=True)
    assert any("nothing is known of c, d" in note for note in warnings(pair))
    assert any("always preferred to others" in note for note in warnings(pair))
    found = pair.comparisons[0].models
    assert "answers taken as independent" in found.method and CAUTIOUS not in found.notes
    assert f"{INDEPENDENT}: {SATURATED}" in found.notes
    assert not any("sandwich" in note or "group or slope" in note for note in found.notes)
    sure = analyse(frozen, pick([{x, y} for x in systems for y in systems if x < y]), closed=True)
    models = sure.comparisons[0].models
    assert [mean.system for mean in models.means] == ["a", "b", "c", "d"] and math.isfinite(models.means[0].high)
    assert all(one.p_adjusted < 0.01 for one in models.pairs)  # every comparison was won
    assert any("pairs are therefore tested by the mixed model of scores" in note for note in models.notes)
    assert models.clusters is not None and "differences of scores" in models.clusters.method
    most = max(len({one.items[0] for one in pick([{x, y}])}) for x in systems for y in systems if x < y)
    assert min(one.p for one in models.pairs) >= 2.0 ** (1 - most)  # as a sign test of the items has it


def test_a_question_that_nobody_knows(tmp_path: Path) -> None:
    frozen = study(tmp_path, judges=6)
    asked = frozen.study.asked[0]  # type: ignore[attr-defined]
    blank = changed(frozen, asked=(replace(asked, question=type(asked.question)({"": ""})),))
    result = analyse(blank, answered(blank, noisy))
    assert "question wording unknown" in sentence(result) and "question wording unknown" in warnings(result)[0]
    assert result.to_dict()["result"][0]["warning"]


def test_the_next_study(tmp_path: Path) -> None:
    frozen = study(tmp_path, judges=6)
    plan = analyse(frozen, answered(frozen, noisy)).comparisons[0].planning
    assert plan is not None and plan.answers == 90
    # errors shrink with the square root: a difference half as large needs four times as many answers
    assert plan.six_in_ten == pytest.approx(90 * (plan.least / math.log(1.5)) ** 2, abs=1)
    assert f"{plan.six_in_ten:,} answers" in plan_words(plan)


def test_the_statement_says_what_the_pages_say() -> None:
    for name in ("preference_tie", "best", "worst", "ranking_help", "ranking_help_ties"):
        for code in LANGUAGES:
            assert load_phrases(code).say(name) == content(code, "pages")[name]


def test_the_command_in_every_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(tmp_path / "s")
    study(tmp_path / "s", "best-worst", judges=4, items=6)
    assert main(["study", "launch", folder]) == 0
    assert main(["study", "analyse", folder]) == 2
    assert main(["study", "simulate", folder, "--strength", "people=1"]) == 0
    assert main(["study", "analyse", folder, "--rescale"]) == 2
    assert "--rescale is for ratings" in capsys.readouterr().err
    assert main(["study", "analyse", folder, "--json", "--html", f"{folder}/r.html"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["protocol"] == "best-worst" and found["n"] == 24
    page = Path(folder, "r.html").read_text(encoding="utf-8").replace(ELEMENT, "")
    assert "Who beats whom" in page and page.count("<svg") >= 4 and "<script" not in page and "src=" not in page
    assert main(["study", "analyse", folder, "--format", "latex"]) == 0
    assert r"\begin{tabular}" in capsys.readouterr().out
    assert main(["study", "analyse", folder, "--format", "markdown"]) == 0
    assert "| system |" in capsys.readouterr().out
    assert main(["study", "statement", folder, "--format", "heds"]) == 0
    assert "relative quality estimation" in capsys.readouterr().out


def test_a_plan_says_that_it_counts_answers() -> None:
    plan = NextStudy(answers=240, judges=12, least=0.5, six_in_ten=400, neighbours={"a - b": 3996})
    assert plan_words(plan).endswith("neighbours not told apart need: a - b 3,996 answers.")


def test_a_judge_who_missed_the_checks_is_where_to_begin_though_the_preferences_stand_out_in_nothing(
    tmp_path: Path,
) -> None:
    attention = [
        {"texts": ["Take this one.", "Not this."], "source": "none", "answer": {"fluency": 1}},
        {"texts": ["Not this.", "Take this one."], "source": "none", "answer": {"fluency": 2}},
    ]
    panels = {"public": {"judges": 6, "evaluations": 40, "access": "open"}}
    frozen = study(tmp_path, items=14, panels=panels, quality={"attention": attention})
    careless = "public 1"

    def answer(judgement: Judgement, systems: tuple[str, ...]) -> dict[str, Any]:
        if judgement.role != "check":
            return {"preference": "ab"[hash_of(judgement.id, judgement.judge) % 2]}
        best = frozen.text[judgement.texts[0]].text == "Take this one."
        return {"preference": "b" if best == (judgement.judge == careless) else "a"}

    result = analyse(frozen, answered(frozen, answer), closed=True)
    rows = {row.judge: row for row in result.judging[0].judges}
    assert rows[careless].failed == ("attention checks",) and rows[careless].missed == (2, 2)
    assert {row.missed for name, row in rows.items() if name != careless} == {(0, 2)}
    (said,) = diagnoses(result)
    assert f"What to do: {careless} failed a check of care: begin with the figures without this judge; " in said
    assert "by the preferences alone no judge stands out" in said and "ratings" not in said


def test_that_everybody_is_left_out_is_said_with_the_judges_of_each_reason(tmp_path: Path) -> None:
    frozen = study(tmp_path, judges=6)
    given = answered(frozen, noisy)
    judges = sorted({one.judge for one in given})
    excluded = {judge: "too fast" if judge == judges[0] else "failed: attention" for judge in judges}
    said = r"no comparison counts: all who answered are left out \(5 judges: failed: attention; 1 judge: too fast\)"
    with pytest.raises(InputError, match=said):
        analyse(frozen, given, closed=True, excluded=excluded)
