"""The analysis of a triangle study, from judgements to verdict, figures and sentences.

plan        what was fixed at launch; answers: which judgements count; looks: when one may look at all
verdict     the exact test, beside it the beta-binomial; clusters: for which texts it holds
machines    machines as judges: kept apart from people, and compared with them triad by triad
turnout     who stands behind the answers, and who does not
exclusions  the verdict with all judges beside the one without those left out
biases, haste, items, panels, reasons       what else the answers say
results     everything as one value; reading: plan, judgements and texts of a study's folder

It knows no store and no web: a plan, judgements and texts come in, a `StudyResult` goes out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import orjson

from nlgauge.errors import InputError
from nlgauge.study.analysis.counting import none_counts
from nlgauge.study.model import Judgement, Text
from nlgauge.study.protocols.triangle.analysis import biases
from nlgauge.study.protocols.triangle.analysis.answers import select
from nlgauge.study.protocols.triangle.analysis.exclusions import FOLLOWED, exclusions
from nlgauge.study.protocols.triangle.analysis.haste import haste
from nlgauge.study.protocols.triangle.analysis.items import item_effects
from nlgauge.study.protocols.triangle.analysis.looks import refuse_peeking
from nlgauge.study.protocols.triangle.analysis.machines import agreements, narrowed
from nlgauge.study.protocols.triangle.analysis.panels import compare_panels
from nlgauge.study.protocols.triangle.analysis.plan import PanelPlan, Plan, Stopping
from nlgauge.study.protocols.triangle.analysis.reasons import reasons
from nlgauge.study.protocols.triangle.analysis.results import StudyResult
from nlgauge.study.protocols.triangle.analysis.turnout import Attendance, missing
from nlgauge.study.protocols.triangle.analysis.verdict import judge

__all__ = ["PanelPlan", "Plan", "Stopping", "StudyResult", "analyse"]


def analyse(
    plan: Plan,
    judgements: Sequence[Judgement],
    texts: Iterable[Text] = (),
    *,
    seed: int = 12345,
    draws: int = biases.DRAWS,
    remarks: Sequence[str] = (),
    panel: str | None = None,
    attendance: Attendance | None = None,
    excluded: Mapping[str, str] | None = None,
) -> StudyResult:
    """Analyse a study.

    Refused before the planned number of answers is there, unless the plan has looks or the study was closed. Texts are
    needed for reading times and marked words only. `seed` and `draws` serve the Monte-Carlo tests; `remarks` are what
    else the reader must know, such as that a study was closed and opened again. `panel` names one panel to be analysed
    alone; a machine's may be at any time, for then nothing of the people's answers is looked at. `attendance` says what
    became of the judges who registered. Judges in `excluded` (with reasons) are left out of everything; the verdicts
    with them stand beside.
    """
    whole, everything = plan, judgements
    if panel is not None:
        plan, judgements = narrowed(plan, judgements, panel)
    everybody = select(judgements, plan)
    answers = everybody.without(excluded or {})
    studies = {one.study for one in judgements}
    if len(studies) > 1:
        raise InputError(
            f"the judgements belong to several studies ({', '.join(sorted(studies))}); analyse each by itself"
        )
    by_panel = {one.name: answers.of(one.name) for one in plan.panels}
    if not answers.counted and plan.stopping.kind == "fixed":
        raise none_counts("judgement", {one.judge for one in everybody.counted}, excluded or {})
    if plan.people:
        _refuse_peeking(whole, everything)
    present = [one for one in plan.panels if by_panel[one.name]]
    verdicts = tuple(
        judge(plan, one, by_panel[one.name], left_out=len(everybody.of(one.name)) - len(by_panel[one.name]))
        for one in present or plan.panels[:1]
    )
    beside_all = exclusions(plan, plan.panels, everybody.counted, verdicts, excluded or {})
    followed = (FOLLOWED,) if beside_all and plan.stopping.kind != "fixed" else ()
    # What a sequential plan has not yet looked at must not be seen through the other analyses either.
    open_panels = {one.panel for one in verdicts if one.test is None}
    names = {one.name for one in plan.people or plan.panels} - open_panels
    people = [one for one in answers.counted if one.panel in names]
    beside = agreements(plan, answers.counted, [one.name for one in plan.people if one.name in names])
    # a machine that judged the same triads is compared triad by triad; another one's answers are as many units
    paired = {one.machine for one in beside}
    machines = {one.name for one in plan.panels if one.machine}
    tested = [by_panel[one.panel][: one.answers] for one in verdicts if one.test is not None]
    compared = [  # without what came after a rule had ended
        replace(one, judge=one.id) if one.panel in machines else one
        for panel in tested
        for one in panel
        if one.panel not in paired
    ]
    known = {text.id: text for text in texts}
    subjects = (plan.subjects.get("A", "A"), plan.subjects.get("B", "B"))
    judges = {one.judge for one in people}
    practice = [one for one in answers.practice if one.judge in judges]
    return StudyResult(
        plan=plan,
        verdicts=verdicts,
        panels=compare_panels(plan, compared, seed=seed, draws=draws),
        checks=tuple(
            biases.checks(people, practice, seed=seed, draws=draws, subjects=subjects, machine=not plan.people)
        )
        if people
        else (),
        haste=haste(plan, people, known) if plan.people else None,
        items=item_effects(people, seed=seed, draws=draws) if people else None,
        reasons=reasons(people, known),
        practice=len(answers.practice),
        surplus=len(answers.surplus),
        corrected=answers.corrected,
        study=next(iter(studies), ""),
        digest=digest(judgements),
        seed=seed,
        remarks=(*remarks, *followed, *missing(plan, by_panel)),
        attendance=None if attendance is None or not plan.people else attendance.of(plan),
        machines=beside,
        exclusions=beside_all,
        course=tuple(one.correct for one in people),
    )


def _refuse_peeking(plan: Plan, judgements: Sequence[Judgement]) -> None:
    """Every panel of people must be complete before any of them is looked at; machines wait for nobody."""
    answers = select(judgements, plan)
    machines = sorted({one.panel for one in answers.counted} - {one.name for one in plan.people})
    for panel in plan.people:
        try:
            refuse_peeking(plan, panel, answers.of(panel.name))
        except InputError as refusal:
            hint = f"; a machine may be looked at meanwhile: --panel {machines[0]}" if machines else ""
            raise InputError(f"{refusal}{hint}") from None


def digest(judgements: Sequence[Judgement]) -> str:
    """SHA-256 over the judgements in the order of their ids: the same data, however they were exported."""
    rows = [one.to_dict() for one in sorted(judgements, key=lambda one: one.id)]
    return hashlib.sha256(orjson.dumps(rows, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]
