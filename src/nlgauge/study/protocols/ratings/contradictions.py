"""What the keys of a rating study allow one by one, but not together; each with the place of the key."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from nlgauge.study.criteria.scale_entries import scale_problems
from nlgauge.study.protocols.outputs.contradictions import (
    Problems,
    criteria_problems,
    imported_elsewhere,
    machine_problems,
    practice_problems,
    showing_problems,
    single_problems,
    system_problems,
)
from nlgauge.study.protocols.outputs.gold import Form, Known, gold_problems
from nlgauge.study.protocols.outputs.quality import COPIES, quality_problems
from nlgauge.study.protocols.ratings.criteria import entry_problems, imported_problems, pointed
from nlgauge.study.protocols.ratings.file import RatingStudy
from nlgauge.study.protocols.ratings.scoring import share_near


def contradictions(study: RatingStudy, *, worked_on: bool = False) -> Problems:
    """The place of a key and what is wrong there, for everything that is; `worked_on`: ratings follow another work, so
    that a text has one page, and right answers are more than ratings."""
    if study.imported:
        yield from _imported_problems(study)
        return
    yield from system_problems(study)
    wrong = list(own_scale_problems(study, study.answered))
    scale, key = None if wrong else study.scale, study.ANSWERED_BY
    asked = criteria_problems(study, lambda entry, path: entry_problems(entry, path, study.answered, scale, key))
    found = [*wrong, *asked]
    yield from found
    if not found:
        yield from showing_problems(study, paged=not worked_on)
    if not found and not worked_on:
        form = Form(wrong=partial(off_scale, study))
        yield from quality_problems(study, form=form, copies=COPIES)
        yield from gold_problems(study, form)
    yield from single_problems(study, "ratings show")
    yield from machine_problems(study)
    yield from practice_problems(study, "text")


def _imported_problems(study: RatingStudy) -> Problems:
    """Of a study that was run elsewhere only what its answers are read by must be right."""
    yield from own_scale_problems(study, study.answered)
    yield from criteria_problems(study, lambda entry, path: imported_problems(entry, path, study.protocol, study.scale))
    yield from imported_elsewhere(study)


def off_scale(study: RatingStudy, known: Known, texts: Sequence[str]) -> Problems:
    """Answers that nobody could give."""
    asked = {criterion.id: criterion for criterion in study.questions_asked}
    for name, value in known.answer.items():
        if name in asked and asked[name].scale.place(value) is None:
            yield (
                "answer",
                f"{value:g} is not on the scale of {name} ({asked[name].scale}); choose an answer that judges can give",
            )
        elif name in asked and share_near(asked[name].scale, value, known.within) == 1:
            yield (
                "within",
                f"every answer on the scale of {name} is within {known.within:g} of {value:g}; lower it",
            )


def own_scale_problems(study: RatingStudy, answered: str) -> Problems:
    """What is wrong with the scale of all criteria; `answered`: how they are."""
    scale = study.scale
    if scale is None:
        return
    if scale.step is not None and answered != "continuous":
        yield (
            "scale.step",
            f"steps belong to a slider ({study.ANSWERED_BY}: continuous); points have steps of their own: leave step "
            "out",
        )
    only_step = not scale.name and scale.points is None and scale.low is None and scale.high is None
    if only_step and answered == "continuous" and not scale.labels:
        return
    if not study.imported:
        yield from pointed(scale, "scale", answered, study.ANSWERED_BY)
    yield from scale_problems(scale, "scale", labelled=not study.imported)
