"""What single-text ratings tell for their design statement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from nlgauge.study.criteria.catalogue import constructs, sources
from nlgauge.study.designs import balance
from nlgauge.study.designs.table import plain
from nlgauge.study.frozen import Frozen
from nlgauge.study.protocols.outputs.statement import quality_told, screening_told
from nlgauge.study.protocols.ratings.criteria import Asked, criterion_of
from nlgauge.study.protocols.ratings.file import RatingStudy, rating_study
from nlgauge.study.statement.told import CriterionTold, Sheets, Told, planned_sheets, texts_of
from nlgauge.study.types import Slot, role_of

KINDS = {
    "likert": "rating of one text at a time on points",
    "continuous": "rating of one text at a time on a slider",
    "binary": "yes or no about one text at a time",
}
ORIGINS = {"quoted": "quoted from {}", "ours": "nlgauge's own wording", "own": "the study's own wording"}


def told(frozen: Frozen, seen: Mapping[str, Sheets]) -> Told:
    """Everything but what every study file holds."""
    study = rating_study(frozen.study)
    people = [name for name, panel in study.panels.items() if panel.kind == "people"]
    items, systems = len({text.item for text in frozen.served}), len(study.subjects)
    orders = {
        name: study.design_for(name, study.panels[name].evaluations).describe(items, systems)
        for name in people
    }
    several = " The questions about a text stand on one page in the order given here."
    return Told(
        kind=KINDS[study.protocol],
        criteria=tuple(_criterion(study, one, number) for number, one in enumerate(study.questions_asked)),
        screen=_alike({name: _screen(study, name) for name in people}),
        order=_alike(orders) + (several if len(study.questions_asked) > 1 else ""),
        planned=tuple((name, balance_of(frozen, planned_sheets(frozen, name))) for name in people),
        realised=tuple((name, balance_of(frozen, seen[name])) for name in people if seen.get(name)),
        practice=_practice(study),
        examples=texts_of(frozen),
        checks=quality_told(frozen),
        screening=screening_told(study),
        sample=f"{items:,} items by {systems} systems: {len(frozen.served):,} texts",
    )


def balance_of(frozen: Frozen, sheets: Sheets) -> str:
    """How evenly outputs and systems were shown; where judges rated different numbers of texts, by counts alone."""
    main = [[slot for slot in sheet if not role_of(slot.triad)] for sheet in sheets]
    lengths = Counter(map(len, main))
    if not lengths or set(lengths) == {0}:
        return "nothing"
    if len(lengths) == 1:
        systems = list(dict.fromkeys(text.subject for text in frozen.served))
        items = list(dict.fromkeys(text.item for text in frozen.served))
        row, column = {item: k for k, item in enumerate(items)}, {name: k for k, name in enumerate(systems)}
        shown = [[frozen.text[slot.texts[0]] for slot in sheet] for sheet in main]
        item = np.array([[row[text.item] for text in sheet] for sheet in shown], dtype=np.int64)
        system = np.array([[[column[text.subject]] for text in sheet] for sheet in shown], dtype=np.int64)
        return balance(plain(len(items), len(systems), item, system)).sentence()
    return _counts(frozen, main)


def _counts(frozen: Frozen, main: Sequence[Sequence[Slot]]) -> str:
    outputs = Counter({text.id: 0 for text in frozen.served})
    outputs.update(text for sheet in main for slot in sheet for text in slot.texts)
    systems: Counter[str] = Counter()
    for text, number in outputs.items():
        systems[frozen.text[text].subject] += number
    least, most = min(outputs.values()), max(outputs.values())
    shown = ", ".join(f"{name} {number:,}" for name, number in systems.items())
    return (
        f"{len(main):,} judges rated from {min(map(len, main)):,} to {max(map(len, main)):,} texts; each output was "
        f"judged {least:,} to {most:,} times; texts rated by system: {shown}."
    )


def _criterion(study: RatingStudy, one: Asked, place: int) -> CriterionTold:
    known = [constructs()[name] for name in one.measures if name in constructs()]
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
        origin=ORIGINS.get(one.mark, one.mark).format(_source(one.source)),
        scale=str(scale) + ("" if scale.points else f" in steps of {scale.step:g}"),
        size=str(scale.points or steps),
        values=", ".join(values) if scale.points else f"{ends[0]} to {ends[1]}",
        labels=labels,
        instrument="multiple choice" if scale.points else "slider",
        elicitation="output classification or labelling: yes or no"
        if study.protocol == "binary"
        else "direct quality estimation",
        quality=_common(construct.kind for construct in known),
        aspect=_common((construct.aspect for construct in known), "both"),
        frame=found.frame if found is not None else "",
        reverse=one.reverse,
        measures=one.measures,
    )


def _source(name: str) -> str:
    return sources()[name]["short"] if name in sources() else name or "a paper"


def _common(values: Iterable[str], mixed: str = "") -> str:
    """What all constructs of a criterion are; where they differ, nobody but a person can say."""
    found = set(values)
    return found.pop() if len(found) == 1 else mixed if found else ""


def _alike(said: Mapping[str, str]) -> str:
    """What holds of all panels once; where they differ, of each."""
    if len(set(said.values())) == 1:
        return next(iter(said.values()))
    return " ".join(f"Panel {name}: {text}" for name, text in said.items())


def _screen(study: RatingStudy, panel: str) -> str:
    beside = [show.what for show in study.shown_to(panel)]
    shown = f" with the {', the '.join(beside)} beside it" if beside else ", nothing beside it"
    return f"One text{shown}, and all questions about it; judges never see which system wrote it."


def _practice(study: RatingStudy) -> str:
    number = study.practice.texts + len(study.practice.examples)
    if not number:
        return "none"
    return f"{number} text{'s' * (number > 1)} to warm up, without feedback; not analysed"
