"""What single-text ratings tell for their design statement."""

from __future__ import annotations

from collections.abc import Mapping

from nlgauge.study.frozen import Frozen
from nlgauge.study.protocols.outputs.statement import (
    aspect_of,
    beside_told,
    origin_of,
    practice_told,
    quality_of,
    told_by,
)
from nlgauge.study.protocols.ratings.criteria import Asked, criterion_of
from nlgauge.study.protocols.ratings.file import RatingStudy, rating_study
from nlgauge.study.statement.told import CriterionTold, Sheets, Told

KINDS = {
    "likert": "rating of one text at a time on points",
    "continuous": "rating of one text at a time on a slider",
    "binary": "yes or no about one text at a time",
}


def told(frozen: Frozen, seen: Mapping[str, Sheets]) -> Told:
    """Everything but what every study file holds."""
    study = rating_study(frozen.study)
    return told_by(
        frozen,
        seen,
        study,
        kind=KINDS[study.protocol],
        criteria=tuple(_criterion(study, one, number) for number, one in enumerate(study.questions_asked)),
        screen=lambda panel: _screen(study, panel),
        about="a text",
        practice=practice_told(study.practice.texts + len(study.practice.examples), "text"),
    )


def _criterion(study: RatingStudy, one: Asked, place: int) -> CriterionTold:
    found = (
        criterion_of(study.criteria[place], study.protocol, study.scale)
        if place < len(study.criteria)
        else None
    )
    scale = one.scale
    ends = (f"{scale.low:g}", f"{scale.high:g}")
    values = [f"{value:g}" for value in scale.values] or list(ends)
    steps = round((scale.high - scale.low) / scale.step) + 1
    labels = tuple(
        (value, dict(words))
        for at, value in enumerate(values)
        if (words := scale.label(at)) is not None and (scale.points or at < 2)
    )
    return CriterionTold(
        one.id,
        one.name,
        dict(one.question),
        definition=one.definition,
        origin=origin_of(one.mark, one.source),
        scale=str(scale) + ("" if scale.points else f" in steps of {scale.step:g}"),
        size=str(scale.points or steps),
        values=", ".join(values) if scale.points else f"{ends[0]} to {ends[1]}",
        labels=labels,
        instrument="multiple choice" if scale.points else "slider",
        elicitation="output classification or labelling: yes or no"
        if study.protocol == "binary"
        else "direct quality estimation",
        quality=quality_of(one.measures),
        aspect=aspect_of(one.measures),
        frame=found.frame if found is not None else "",
        reverse=one.reverse,
        measures=one.measures,
    )


def _screen(study: RatingStudy, panel: str) -> str:
    shown = beside_told(study, panel, "beside it")
    return f"One text{shown}, and all questions about it; judges never see which system wrote it."
