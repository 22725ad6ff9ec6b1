"""The analysis of a triangle study, from judgements to verdict, figures and sentences.

plan        what was fixed at launch; answers: which judgements count; looks: when one may look at all
verdict     the exact test, beside it the beta-binomial; clusters: for which texts it holds
biases, haste, items, panels, reasons       what else the answers say
results     everything as one value; reading: plan, judgements and texts of a study's folder

It knows no store and no web: a plan, judgements and texts come in, a `StudyResult` goes out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import orjson

from nlgauge.errors import InputError
from nlgauge.study.analysis import biases
from nlgauge.study.analysis.answers import select
from nlgauge.study.analysis.haste import haste
from nlgauge.study.analysis.items import item_effects
from nlgauge.study.analysis.looks import refuse_peeking
from nlgauge.study.analysis.panels import compare_panels
from nlgauge.study.analysis.plan import PanelPlan, Plan, Stopping
from nlgauge.study.analysis.reasons import reasons
from nlgauge.study.analysis.results import StudyResult
from nlgauge.study.analysis.verdict import judge
from nlgauge.study.types import Judgement, Text

__all__ = ["PanelPlan", "Plan", "Stopping", "StudyResult", "analyse"]


def analyse(
    plan: Plan,
    judgements: Sequence[Judgement],
    texts: Iterable[Text] = (),
    *,
    seed: int = 12345,
    draws: int = biases.DRAWS,
    remarks: Sequence[str] = (),
) -> StudyResult:
    """Analyse a study.

    Refused before the planned number of answers is there, unless the plan has looks or the study was closed. Texts are
    needed for reading times and marked words only. `seed` and `draws` serve the Monte-Carlo tests; `remarks` are what
    else the reader must know, such as that a study was closed and opened again.
    """
    answers = select(judgements, plan)
    studies = {one.study for one in judgements}
    if len(studies) > 1:
        raise InputError(
            f"the judgements belong to several studies ({', '.join(sorted(studies))}); analyse each by itself"
        )
    by_panel = {panel.name: answers.of(panel.name) for panel in plan.panels}
    if not answers.counted and plan.stopping.kind == "fixed":
        raise InputError("no judgement counts: there are no answers yet, or all are practice or surplus")
    for panel in plan.people or plan.panels:
        refuse_peeking(plan, panel, by_panel[panel.name])
    present = [panel for panel in plan.panels if by_panel[panel.name]]
    verdicts = tuple(judge(plan, panel, by_panel[panel.name]) for panel in present or plan.panels[:1])
    # What a sequential plan has not yet looked at must not be seen through the other analyses either.
    open_panels = {one.panel for one in verdicts if one.test is None}
    names = {panel.name for panel in plan.people or plan.panels} - open_panels
    people = [one for one in answers.counted if one.panel in names]
    tested = [by_panel[one.panel][: one.answers] for one in verdicts if one.test is not None]
    compared = [one for panel in tested for one in panel]  # without what came after a rule had ended
    known = {text.id: text for text in texts}
    subjects = (plan.subjects.get("A", "A"), plan.subjects.get("B", "B"))
    judges = {one.judge for one in people}
    practice = [one for one in answers.practice if one.judge in judges]
    return StudyResult(
        plan=plan,
        verdicts=verdicts,
        panels=compare_panels(plan, compared, seed=seed, draws=draws),
        checks=tuple(biases.checks(people, practice, seed=seed, draws=draws, subjects=subjects))
        if people
        else (),
        haste=haste(plan, people, known),
        items=item_effects(people, seed=seed, draws=draws) if people else None,
        reasons=reasons(people, known),
        practice=len(answers.practice),
        surplus=len(answers.surplus),
        corrected=answers.corrected,
        study=next(iter(studies), ""),
        digest=digest(judgements),
        seed=seed,
        remarks=tuple(remarks),
        course=tuple(one.correct for one in people),
    )


def digest(judgements: Sequence[Judgement]) -> str:
    """SHA-256 over the judgements in the order of their ids: the same data, however they were exported."""
    rows = [one.to_dict() for one in sorted(judgements, key=lambda one: one.id)]
    return hashlib.sha256(orjson.dumps(rows, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]
