"""What the keys of a magnitude study allow one by one, but not together; each with the place of the key."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from nlgauge.errors import counted
from nlgauge.study.protocols.magnitudes.criteria import entry_problems, imported_problems
from nlgauge.study.protocols.magnitudes.file import EstimationStudy, MagnitudeStudy, RankmeStudy
from nlgauge.study.protocols.outputs.contradictions import (
    Problems,
    criteria_problems,
    example_problems,
    imported_elsewhere,
    machine_problems,
    practice_problems,
    screen_problems,
    showing_problems,
    single_problems,
    system_problems,
)
from nlgauge.study.protocols.outputs.file import RatedText
from nlgauge.study.protocols.outputs.gold import Form, Known, best_problems, gold_problems
from nlgauge.study.protocols.outputs.quality import quality_problems

LISTED = tuple(field.name for field in dataclasses.fields(RatedText))


def contradictions(study: EstimationStudy) -> Problems:
    """The place of a key and what is wrong there, for everything that is."""
    if study.imported:
        yield from _imported_problems(study)
        return
    yield from system_problems(study)
    found = list(criteria_problems(study, lambda entry, path: entry_problems(entry, path, study.protocol)))
    yield from found
    if not found:
        yield from showing_problems(study, paged=isinstance(study, MagnitudeStudy))
    yield from _standard_problems(study)
    form = Form(wrong=_positive) if isinstance(study, MagnitudeStudy) else Form(("answer",), best_problems)
    if not found:
        yield from quality_problems(study, texts=study.per_screen, form=form)
        yield from gold_problems(study, form)
    yield from machine_problems(study, scores=False)
    if isinstance(study, MagnitudeStudy):
        yield from single_problems(study, "magnitude shows", ", or set protocol: rankme")
        yield from practice_problems(study, "text")
    elif isinstance(study, RankmeStudy):
        yield from _several_problems(study)


def _positive(known: Known, texts: Sequence[str]) -> Problems:
    """A magnitude is above 0."""
    low = next((name for name, value in known.answer.items() if value <= 0), None)
    if low is not None:
        yield (
            "answer",
            f"it asks for {known.answer[low]:g} for {low}, but magnitudes are above 0; ask for another number",
        )


def _imported_problems(study: EstimationStudy) -> Problems:
    """Of a study that was run elsewhere only what its answers are read by must be right."""
    yield from criteria_problems(study, imported_problems)
    yield from imported_elsewhere(study)
    if study.standard is None and study.unit == "standard":
        yield from _standard_problems(study)


def _standard_problems(study: EstimationStudy) -> Problems:
    standard = study.standard
    if standard is None:
        if study.unit == "standard":
            yield (
                "unit",
                "unit: standard divides by the value of the standard, and there is none; add standard: {text: …, "
                "value: 100}, or leave unit out",
            )
        return
    if bool(standard.text) == bool(standard.column):
        yield (
            "standard",
            "the standard is either one text for all inputs (text: …) or another for each (column: reference), not "
            f"both and not neither; {'leave one of them out' if standard.text else 'add one of them'}",
        )
    listed = [name for name, subject in study.subjects.items() if subject.texts]
    if listed and standard.column and standard.column not in LISTED:  # such texts have no columns but their own keys
        yield (
            "standard.column",
            f"the texts of {listed[0]} stand in this file and have no {standard.column!r}; use one of "
            f"{', '.join(name for name in LISTED if name not in ('item', 'text', 'image'))}",
        )


def _several_problems(study: RankmeStudy) -> Problems:
    if len(study.authors) == 1:
        where = "subjects" if study.subjects else "systems"
        yield where, "there is one system, so there is nothing to rank; name at least two, or set protocol: magnitude"
        return
    size = study.per_screen
    if not size:  # all systems of a set that has not been read yet
        return
    yield from screen_problems(study, size, 2)
    questions = len(study.parts)
    for name, panel in study.panels.items():
        if questions > 1 and panel.judges < questions:
            yield (
                f"panels.{name}.judges",
                f"each judge is asked for one of the {questions} criteria, so {counted(panel.judges, 'judge')} will "
                f"not do; ask at least {questions}, or set together: true",
            )
    yield from practice_problems(study, "screen")
    yield from example_problems(study, size)
