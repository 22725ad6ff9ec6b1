"""The analysis of a triangle study, from judgements to verdict and figures; `report.study` puts them into words.

plan        what was fixed at launch; answers: which judgements count; looks: when one may look at all
verdict     the exact test, beside it the beta-binomial; for which texts it holds; with and without those left out
machines    machines as judges: kept apart from people, and compared with them triad by triad
biases, texts, panels   what else the answers say
results     everything as one value, and who stands behind the answers
reading     plan, judgements and texts of a study's folder; the verdict while it runs

It knows no store and no web: a plan, judgements and texts come in, a `StudyResult` goes out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import orjson

from nlgauge.errors import InputError, option
from nlgauge.study.analysis.counting import none_counts
from nlgauge.study.model import Judgement, Text
from nlgauge.study.protocols.triangle.analysis import biases
from nlgauge.study.protocols.triangle.analysis.answers import select
from nlgauge.study.protocols.triangle.analysis.looks import why_not_yet
from nlgauge.study.protocols.triangle.analysis.machines import agreements, narrowed
from nlgauge.study.protocols.triangle.analysis.panels import compare_panels
from nlgauge.study.protocols.triangle.analysis.plan import PanelPlan, Plan, Stopping
from nlgauge.study.protocols.triangle.analysis.results import Attendance, StudyResult, missing
from nlgauge.study.protocols.triangle.analysis.texts import item_effects, reasons
from nlgauge.study.protocols.triangle.analysis.verdict import exclusions, judge

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
    studies = {judgement.study for judgement in judgements}
    if len(studies) > 1:
        raise InputError(
            f"the judgements belong to several studies ({', '.join(sorted(studies))}); analyse each by itself"
        )
    by_panel = {planned.name: answers.of(planned.name) for planned in plan.panels}
    if not answers.counted and plan.stopping.kind == "fixed":
        raise none_counts("judgement", {judgement.judge for judgement in everybody.counted}, excluded or {})
    if plan.people:
        _refuse_peeking(whole, everything)
    present = [planned for planned in plan.panels if by_panel[planned.name]]
    verdicts = tuple(
        judge(plan, panel, own, left_out=len(everybody.of(panel.name)) - len(own))
        for panel in present or plan.panels[:1]
        for own in [by_panel[panel.name]]
    )
    # What a sequential plan has not yet looked at must not be seen through the other analyses either.
    open_panels = {verdict.panel for verdict in verdicts if verdict.test is None}
    names = {planned.name for planned in plan.people or plan.panels} - open_panels
    people = [judgement for judgement in answers.counted if judgement.panel in names]
    beside = agreements(plan, answers.counted, [planned.name for planned in plan.people if planned.name in names])
    # a machine that judged the same triads is compared triad by triad; another one's answers are as many units
    paired = {agreed.machine for agreed in beside}
    machines = {planned.name for planned in plan.panels if planned.machine}
    tested = [by_panel[verdict.panel][: verdict.answers] for verdict in verdicts if verdict.test is not None]
    compared = [  # without what came after a rule had ended
        replace(answer, judge=answer.id) if answer.panel in machines else answer
        for given in tested
        for answer in given
        if answer.panel not in paired
    ]
    known = {text.id: text for text in texts}
    subjects = (plan.subjects.get("A", "A"), plan.subjects.get("B", "B"))
    judges = {judgement.judge for judgement in people}
    practice = [judgement for judgement in answers.practice if judgement.judge in judges]
    checks: tuple[biases.Check, ...] = ()
    if people:
        alone = not plan.people
        checks = tuple(biases.checks(people, practice, seed=seed, draws=draws, subjects=subjects, machine=alone))
    return StudyResult(
        plan=plan,
        verdicts=verdicts,
        panels=compare_panels(plan, compared, seed=seed, draws=draws),
        checks=checks,
        haste=biases.haste(plan, people, known) if plan.people else None,
        items=item_effects(people, seed=seed, draws=draws) if people else None,
        reasons=reasons(people, known),
        practice=len(answers.practice),
        surplus=len(answers.surplus),
        corrected=answers.corrected,
        study=next(iter(studies), ""),
        digest=digest(judgements),
        seed=seed,
        remarks=tuple(remarks),
        missing=missing(plan, by_panel),
        attendance=None if attendance is None or not plan.people else attendance.of(plan),
        machines=beside,
        exclusions=exclusions(plan, everybody.counted, verdicts, excluded or {}),
        course=tuple(judgement.correct for judgement in people),
    )


def _refuse_peeking(plan: Plan, judgements: Sequence[Judgement]) -> None:
    """Every panel of people must be complete before any of them is looked at; machines wait for nobody."""
    answers = select(judgements, plan)
    machines = sorted({judgement.panel for judgement in answers.counted} - {planned.name for planned in plan.people})
    hint = f"; a machine may be looked at meanwhile: {option('panel', machines[0])}" if machines else ""
    for panel in plan.people:
        if reason := why_not_yet(plan, panel, len(answers.of(panel.name))):
            raise InputError(f"{reason}{hint}")


def digest(judgements: Sequence[Judgement]) -> str:
    """SHA-256 over the judgements in the order of their ids: the same data, however they were exported."""
    rows = [judgement.to_dict() for judgement in sorted(judgements, key=lambda judgement: judgement.id)]
    return hashlib.sha256(orjson.dumps(rows, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]
