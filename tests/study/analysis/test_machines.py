"""Machines in the analysis: never pooled with people, looked at without looking at people, compared triad by triad."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from studies import Clock, launched

from nlgauge.errors import InputError
from nlgauge.report.study import triangle_panels as said
from nlgauge.report.study import triangle_words as words
from nlgauge.report.study.triangle import render_study_report
from nlgauge.study.exchange import export
from nlgauge.study.machine_judges.encoders import Chars
from nlgauge.study.machine_judges.farthest import Farthest
from nlgauge.study.machine_judges.run import run
from nlgauge.study.model import TRIADS, Judgement
from nlgauge.study.protocols.triangle.analysis import PanelPlan, Plan, StudyResult, analyse
from nlgauge.study.protocols.triangle.analysis.machines import agreement
from nlgauge.study.protocols.triangle.analysis.reading import read_study
from nlgauge.study.protocols.triangle.simulation import Pool
from nlgauge.study.service import Service
from nlgauge.study.simulation import simulate
from nlgauge.study.store import Store


def judged(panel: str, answers: Sequence[int], *, judges: int | None = None) -> list[Judgement]:
    """Answers to the triads in turn, of so many judges (by default one each)."""
    found = []
    for k, answer in enumerate(answers):
        triad = TRIADS[k % 6]
        items = tuple(f"i{(k + step) % 30}" for step in (0, 7, 16))
        texts = tuple(subject + item for subject, item in zip(triad, items, strict=True))
        judge = f"{panel}{k if judges is None else k % judges}"
        found.append(
            Judgement(
                f"{panel}-{k}",
                "s",
                panel,
                judge,
                f"{panel}{k}",
                k,
                triad,
                texts,
                items,
                answer,
                60.0 * k,
                60.0 * k + 30,
            )
        )
    return found


ODD = [0, 1, 2, 0, 1, 2]


def test_agreement_by_hand() -> None:
    # 12 triads, ODD twice. The machine is right in the first 6, then takes the first place;
    # people are right in the first 3 and always take place 1 (the second) afterwards.
    machine = judged("m", ODD + [0] * 6, judges=1)
    people = judged("p", [*ODD[:3], *[1] * 9])
    found = agreement("m", "p", list(zip(machine, people, strict=True)))
    # the same: the first 3, and the fifth (1 = 1); right: machine 6 + 2 (triads 1 and 4 of the second round),
    # people 3 + 1 (fifth) + 2 (second and fifth of the second round)
    assert (found.n, found.same) == (12, 4)
    assert (found.both_right, found.machine_only, found.people_only, found.neither) == (4, 4, 2, 2)
    # places: machine 0: 2 + 6, 1: 2, 2: 2; people 0: 1, 1: 10, 2: 1
    assert found.by_places == pytest.approx((8 * 1 + 2 * 10 + 2 * 1) / 144)
    assert found.kappa == pytest.approx((4 / 12 - 30 / 144) / (1 - 30 / 144))
    assert found.by_correctness == pytest.approx(8 / 12 * 6 / 12 + 4 / 12 * 6 / 12 / 2)
    # Clopper-Pearson for 4 of 12: 0.0992 to 0.6511 (R: binom.test(4, 12)); McNemar 4 against 2: 0.6875
    assert (found.low, found.high) == (pytest.approx(0.0992, abs=5e-5), pytest.approx(0.6511, abs=5e-5))
    assert found.p == pytest.approx(0.6875)
    assert "the same text in 4 (33.3 %" in said.machine_beside(found) and "neither was shown" in said.machine_beside(
        found
    )
    assert json.dumps(found.to_dict(), allow_nan=False)


def test_agreement_at_the_edges() -> None:
    same = agreement("m", "p", list(zip(judged("m", [0] * 6), judged("p", [0] * 6), strict=True)))
    assert same.estimate == 1 == same.high and same.kappa is None and "κ" not in said.machine_beside(same)
    few = agreement("m", "p", list(zip(judged("m", ODD), judged("p", ODD, judges=2), strict=True)))
    assert said.machine_notes(few) == ["the 6 answers are of 2 people: the interval takes them for independent"]


def plan(goal: str = "difference", judges: int = 24, **changes: object) -> Plan:
    panels = (PanelPlan("public", judges), PanelPlan("m", 1, judges, machine=True))
    return replace(Plan(goal, alpha=0.05, beta=0.05, p_d=0.3, panels=panels), **changes)  # type: ignore[arg-type]


def test_the_verdict_of_a_machine_says_what_it_is() -> None:
    rows = judged("m", ODD * 4, judges=1)
    for goal, claim in (("difference", "It tells the two authors apart"), ("similarity", "was not shown")):
        found = analyse(plan(goal), rows, panel="m")
        (verdict,) = found.verdicts
        assert verdict.machine and verdict.correct == 24 and claim in said.verdict(verdict)
        for part in (
            "24 of 24 triads",
            "the unit is the triad",
            "this machine and these texts",
            "nothing of readers",
        ):
            assert part in said.verdict(verdict)
        assert "people" not in said.verdict(verdict) and "judges" not in said.verdict(verdict)
        assert verdict.scope is not None and not verdict.scope.beyond and verdict.scope.test is not None
        assert verdict.replicated is None and not verdict.by_judge
        assert found.haste is None and {one.name for one in found.checks} == {
            "position",
            "triads",
            "odd subject",
        }
        assert "The machine m" in render_study_report(found) or "the machine m" in render_study_report(found)


def test_similarity_to_a_machine() -> None:
    rows = judged("m", [(place + 1) % 3 for place in ODD] * 10, judges=1)  # always wrong
    found = analyse(plan("similarity", 60), rows, panel="m")
    assert found.concluded and "To this machine the texts are similar" in words.sentence(found)
    assert any("fewer odd texts were found than guessing gives" in note for note in words.warnings(found))


def test_a_machine_is_looked_at_without_people() -> None:
    machine, some = judged("m", ODD * 4, judges=1), judged("public", ODD * 2)
    for sequential in (False, True):
        made = plan() if not sequential else replace(plan(), stopping=replace(plan().stopping, kind="wald"))
        alone = analyse(made, [*machine, *some], panel="m")
        assert alone.digest == analyse(made, machine, panel="m").digest  # nothing of theirs comes in
        assert alone.n == 24 and alone.verdicts[0].stopped is None and not alone.machines
    for panel in (None, "public"):
        with pytest.raises(InputError, match=r"12 of 24 planned answers.*meanwhile: panel=\"m\"$"):
            analyse(plan(), [*machine, *some], panel=panel)
    with pytest.raises(InputError, match="there is no panel 'x'"):
        analyse(plan(), machine, panel="x")


def test_people_of_one_panel_wait_for_those_of_the_other() -> None:
    panels = (PanelPlan("public", 24), PanelPlan("experts", 24))
    both = replace(plan(), panels=panels)
    rows = [*judged("public", ODD * 4), *judged("experts", ODD)]
    with pytest.raises(InputError, match="'experts' has 6 of 24"):
        analyse(both, rows, panel="public")


def test_unanswered_triads_are_noted_and_not_guessed() -> None:
    found = analyse(plan(), judged("m", ODD * 3, judges=1), panel="m")
    assert found.verdicts[0].answers == 18
    assert any("left 6 of 24 triads unanswered" in note for note in words.warnings(found))


def test_machines_beside_people_change_nothing_for_people() -> None:
    people = judged("public", [*ODD * 2, *[0] * 12])
    alone = analyse(replace(plan(), panels=plan().panels[:1]), people)
    both = analyse(plan(), [*people, *judged("m", ODD * 4, judges=1)])
    assert both.verdicts[0] == alone.verdicts[0] and both.checks == alone.checks and both.items == alone.items
    assert both.n == alone.n and both.concluded == alone.concluded and both.panels is None
    (beside,) = both.machines
    assert (beside.n, beside.people, beside.machine) == (24, "public", "m")
    assert [heading for heading, _ in words.sentences(both)][:4] == [
        "Verdict of the panel public",
        "Verdict of the machine m",
        "Sensitivity of the panel public",
        "The machine m beside public",
    ]
    assert json.dumps(words.in_json(both), allow_nan=False)


def finished(folder: Path, clock: Clock) -> tuple[Service, StudyResult]:
    folder.mkdir()
    service = launched(
        folder, clock, Store.at(folder), goal="similarity", risks={"alpha": 0.05, "beta": 0.05, "p_d": 0.9}
    )
    run(service, Farthest(Chars()), like="public", name="chars")
    people = Service(service.store, service.frozen, clock=clock, simulated=True)
    simulate(people, Pool(0.0), seed=2)
    read = read_study(folder)
    return service, analyse(read.plan, read.judgements, read.texts, draws=99)


def test_from_a_folder_and_from_an_export(tmp_path: Path, clock: Clock) -> None:
    """A machine enlisted after launch is known for one, in the database and in a file, also in a similarity study."""
    service, found = finished(tmp_path / "s", clock)
    assert [(one.panel, one.machine, one.answers) for one in found.verdicts] == [
        ("public", False, 12),
        ("chars", True, 12),
    ]
    assert found.machines[0].n == 12
    file = tmp_path / "out.csv"
    export.write(service.judgements(), file)
    read = read_study(tmp_path / "s", judgements=file)
    again = analyse(read.plan, read.judgements, read.texts, draws=99)
    assert again.machines == found.machines
    assert str(words.in_json(again)["verdicts"]) == str(words.in_json(found)["verdicts"])
    stranger = [replace(one, panel="other") if one.panel == "chars" else one for one in read.judgements]
    export.write(stranger, file)
    with pytest.raises(InputError, match="the study has no panel 'other'; known: public"):
        read_study(tmp_path / "s", judgements=file)
    with pytest.raises(InputError, match="a panel 'other' that the plan does not name"):
        analyse(read.plan, stranger, read.texts, draws=99)
