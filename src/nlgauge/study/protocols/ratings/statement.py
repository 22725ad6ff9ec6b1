"""What single-text ratings tell for their design statement."""

from __future__ import annotations

from collections.abc import Mapping

from nlgauge.study.frozen import Frozen
from nlgauge.study.protocols.outputs.parts import plain_texts
from nlgauge.study.protocols.outputs.statement import (
    alike,
    asked_at_once,
    balance_of,
    checks_of,
    common,
    known_constructs,
    origin_of,
    two_pages,
)
from nlgauge.study.protocols.ratings.criteria import Asked, criterion_of
from nlgauge.study.protocols.ratings.file import RatingStudy, rating_study
from nlgauge.study.statement.told import CriterionTold, Sheets, Told, planned_sheets, texts_of

KINDS = {
    "likert": "rating of one text at a time on points",
    "continuous": "rating of one text at a time on a slider",
    "binary": "yes or no about one text at a time",
}


def told(frozen: Frozen, seen: Mapping[str, Sheets]) -> Told:
    """Everything but what every study file holds."""
    study = rating_study(frozen.study)
    people = [name for name, panel in study.panels.items() if panel.kind == "people"]
    items, systems = len({text.item for text in frozen.served}), len(study.subjects)
    orders = {
        name: study.design_for(name, study.screens(study.panels[name].evaluations)).describe(items, systems)
        for name in people
    }
    several = " The questions about a text stand on one page in the order given here."
    if len(study.parts) > 1:
        several = two_pages(study)
    return Told(
        kind=KINDS[study.protocol],
        criteria=tuple(_criterion(study, one, number) for number, one in enumerate(study.questions_asked)),
        screen=alike({name: _screen(study, name) for name in people}),
        order=alike(orders) + (several if len(study.questions_asked) > 1 else ""),
        asked=asked_at_once(study),
        planned=tuple((name, balance_of(frozen, study, planned_sheets(frozen, name))) for name in people),
        realised=tuple((name, balance_of(frozen, study, seen[name])) for name in people if seen.get(name)),
        practice=_practice(study),
        examples=texts_of(frozen),
        checks=checks_of(frozen.slots),
        screening="nobody is turned away: practice has no right answers",
        sample=f"{items:,} items by {systems} systems: {len(plain_texts(frozen.served)):,} texts",
    )


def _criterion(study: RatingStudy, one: Asked, place: int) -> CriterionTold:
    known = known_constructs(one.measures)
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
        quality=common(construct.kind for construct in known),
        aspect=common((construct.aspect for construct in known), "both"),
        frame=found.frame if found is not None else "",
        reverse=one.reverse,
        measures=one.measures,
    )


def _screen(study: RatingStudy, panel: str) -> str:
    beside = [show.what for show in study.shown_to(panel)]
    shown = f" with the {', the '.join(beside)} beside it" if beside else ", nothing beside it"
    return f"One text{shown}, and all questions about it; judges never see which system wrote it."


def _practice(study: RatingStudy) -> str:
    number = study.practice.texts + len(study.practice.examples)
    if not number:
        return "none"
    return f"{number} text{'s' * (number > 1)} to warm up, without feedback; not analysed"
