"""What a task tells for its design statement: an extrinsic, objective measure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Text
from nlgauge.study.protocols.outputs.statement import practice_told, told_by
from nlgauge.study.protocols.task.file import TaskStudy, task_study
from nlgauge.study.protocols.task.layout import posed_about
from nlgauge.study.protocols.task.questions import Posed
from nlgauge.study.statements.told import CriterionTold, Sheets, Told

KINDS = {"choice": "multiple choice", "text": "short text", "number": "number"}


def told(frozen: Frozen, seen: Mapping[str, Sheets]) -> Told:
    """Everything but what every study file holds."""
    study = task_study(frozen.study)
    items = {text.item: text for text in frozen.served}
    orders = (
        study.design_for(name, study.panels[name].evaluations).describe(len(items), len(study.subjects))
        for name in study.people
    )
    found = told_by(
        frozen,
        seen,
        study,
        kind="task: questions that readers answer about one text at a time, scored by a key",
        criteria=tuple(_criterion(name, one, study) for name, one in _asked(items).items()),
        screen=lambda panel: _screen(study),
        about="",
        practice=practice_told(study, "text"),
        analysis=_analysis(study),
        significance="Wald tests of all pairs of systems by the logistic mixed model with judges and questions as "
        "random effects, Holm's correction.",
    )
    checks = "none beyond the key" if study.quality is None else found.checks
    return replace(found, order=" ".join(dict.fromkeys(orders)), checks=checks)


def _asked(items: Mapping[str, Text]) -> dict[str, Posed]:
    """Every question once; where items have other questions under the same name, with the item."""
    first: dict[str, Posed] = {}
    found: dict[str, Posed] = {}
    for item, text in items.items():
        for posed in posed_about(text):
            known = first.setdefault(posed.id, posed)
            same = (known.text, known.type, known.options) == (posed.text, posed.type, posed.options)
            found.setdefault(posed.id if same else f"{posed.id}, item {item}", posed)
    return found


def _criterion(name: str, one: Posed, study: TaskStudy) -> CriterionTold:
    steps = ", ".join(study.normalise) or "nothing but spaces"
    scale = {
        "choice": f"one of {len(one.options)} options is right",
        "number": f"right within {one.tolerance:g}",
        "text": f"right where it equals an accepted answer; what does not count: {steps}",
    }[one.type]
    return CriterionTold(
        name,
        name,
        dict(one.text),
        definition="Whether a reader of the text answers the question rightly.",
        origin="the study's own wording",
        scale=scale,
        size=str(len(one.options)) if one.options else "open",
        instrument=KINDS[one.type],
        elicitation="task performance: question answering",
        quality="goodness",
        aspect="content",
        frame="outside",
        objective=True,
        extrinsic=True,
    )


def _screen(study: TaskStudy) -> str:
    beside = [show.what for show in study.show]
    shown = f" with the {', the '.join(beside)} beside it" if beside else ""
    where = (
        "the questions follow on a page of their own, without the text"
        if study.hide_text
        else "the questions stand beside it"
    )
    sure = " Judges say how sure they are, from 1 to 5." if study.confidence else ""
    return f"One text{shown}; {where}.{sure} Judges never see which system wrote it."


def _analysis(study: TaskStudy) -> str:
    corrected = ", also corrected for guessing by formula scoring" if study.guessing == "formula" else ""
    return (
        f"Shares of right answers with exact limits{corrected}; logistic mixed model with judges and questions; log "
        "seconds by a linear mixed model; right answers per minute."
    )
