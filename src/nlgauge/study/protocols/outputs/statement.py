"""What studies of outputs tell for their design statement, whatever is asked about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from nlgauge.study.criteria.catalogue import Construct, constructs, sources
from nlgauge.study.designs import balance
from nlgauge.study.designs.imported import Imported
from nlgauge.study.designs.table import plain
from nlgauge.study.file.study import say
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Slot, role_of
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.outputs.gold import rightable
from nlgauge.study.protocols.outputs.parts import plain_texts
from nlgauge.study.protocols.outputs.quality_statement import known_told, quality_told, screening_told
from nlgauge.study.statements.told import CriterionTold, Sheets, Told, planned_sheets, texts_of

ORDERS = {
    "listed": "in the order given here",
    "random": "in an order drawn at random for each judge, the same throughout",
    "random-per-screen": "in an order drawn at random on every screen",
}
ORIGINS = {"quoted": "quoted from {}", "ours": "nlgauge's own wording", "own": "the study's own wording"}


def told_by(
    frozen: Frozen,
    seen: Mapping[str, Sheets],
    study: OutputStudy,
    *,
    kind: str,
    criteria: tuple[CriterionTold, ...],
    screen: Callable[[str], str],
    about: str,
    practice: str,
    analysis: str = "",
    significance: str = "",
) -> Told:
    """What design and texts tell; the questions, and what a judge of a panel sees, are the protocol's."""
    people = [name for name, panel in study.panels.items() if panel.kind == "people"]
    items, systems = len({text.item for text in frozen.served}), len(study.subjects)
    orders = {
        name: study.design_for(name, study.screens(study.panels[name].evaluations)).describe(items, systems)
        for name in people
    }
    several = pages_told(study, about)
    return Told(
        kind=kind,
        criteria=tuple(
            replace(criterion_told, declinable=criterion_told.id in study.abstainable) for criterion_told in criteria
        ),
        screen=of_panels({name: screen(name) for name in people}),
        order=of_panels(orders) + (several if len(criteria) > 1 else ""),
        asked=asked_at_once(study),
        planned=tuple((name, balance_of(frozen, study, planned_sheets(frozen, name))) for name in people),
        realised=tuple((name, balance_of(frozen, study, seen[name])) for name in people if seen.get(name)),
        practice=practice,
        examples=texts_of(frozen),
        checks=quality_told(frozen),
        screening=screening_told(study),
        sample=f"{items:,} items by {systems} systems: {len(plain_texts(frozen.served)):,} texts",
        analysis=analysis,
        significance=significance,
    )


def pages_told(study: OutputStudy, about: str) -> str:
    """Which questions are asked at once."""
    if len(study.parts) == 1:
        return f" The questions about {about} stand on one page {ORDERS[study.criteria_order]}."
    if study.apart:
        return f" Each judge was asked for one of the {len(study.parts)} criteria, in turn."
    first, rest = ([study.questions_asked[number].name for number in part] for part in study.parts)
    hidden = ", the ".join(sorted({str(show.what) for show in study.every_show} & study.hidden_in(0)))
    return (
        f" Each text has two pages: {', '.join(first)} without the {hidden}, and, once that is answered and stored, "
        f"{', '.join(rest)} with it"
        + ("." if study.criteria_order == "listed" else f"; on each page {ORDERS[study.criteria_order]}.")
    )


def asked_at_once(study: OutputStudy) -> str:
    """What is asked in one evaluation, where that is not every question."""
    if len(study.parts) == 1:
        return ""
    if study.apart:
        return f"one of the {len(study.parts)} questions"
    numbers = " and ".join(str(len(part)) for part in study.parts)
    return f"{numbers} questions on its two pages, each page an evaluation"


def balance_of(frozen: Frozen, study: OutputStudy, sheets: Sheets) -> str:
    """How evenly outputs and systems were shown; where judges saw different numbers of screens, by counts alone."""
    main = [
        [slot for slot in sheet if not role_of(slot.role) and (study.apart or _last(frozen, slot))] for sheet in sheets
    ]
    lengths = Counter(map(len, main))
    if not lengths or set(lengths) == {0}:
        return "nothing"
    if len(lengths) == 1:
        systems = list(dict.fromkeys(text.subject for text in frozen.served))
        items = list(dict.fromkeys(text.item for text in frozen.served))
        row, column = {item: k for k, item in enumerate(items)}, {name: k for k, name in enumerate(systems)}
        shown = [[[frozen.text[text] for text in slot.texts] for slot in sheet] for sheet in main]
        item = np.array([[row[texts[0].item] for texts in sheet] for sheet in shown], dtype=np.int64)
        system = np.array(
            [[[column[text.subject] for text in texts] for texts in sheet] for sheet in shown], dtype=np.int64
        )
        return balance(plain(len(items), len(systems), item, system)).sentence()
    return counted(frozen, main)


def _last(frozen: Frozen, slot: Slot) -> bool:
    """Whether a page is the last one of its text."""
    return bool(plain_texts(frozen.text[text] for text in slot.texts))


def counted(frozen: Frozen, main: Sequence[Sequence[Slot]]) -> str:
    """How many judges saw how many screens, and how often each output was judged."""
    least, most = min(map(len, main)), max(map(len, main))
    screens = f"from {least:,} to {most:,} screens" if least != most else f"{least:,} screens each"
    return f"{len(main):,} judges saw {screens}; each {judged(frozen, main)}{_places(frozen, main)}."


def judged(frozen: Frozen, main: Sequence[Sequence[Slot]]) -> str:
    """How often each output was judged."""
    outputs = Counter({(text.item, text.subject): 0 for text in frozen.served})
    seen = [frozen.text[text] for sheet in main for slot in sheet for text in slot.texts]
    outputs.update((text.item, text.subject) for text in seen)
    systems: Counter[str] = Counter()
    for (_, system), number in outputs.items():
        systems[system] += number
    least, most = min(outputs.values()), max(outputs.values())
    shown = ", ".join(f"{name} {number:,}" for name, number in systems.items())
    times = f"{least:,} to {most:,} times" if least != most else f"{least:,} times"
    return f"output was judged {times}; texts judged by system: {shown}"


def _places(frozen: Frozen, main: Sequence[Sequence[Slot]]) -> str:
    """Where several texts are on a screen: how often each system stood in each place."""
    places = Counter(
        (frozen.text[text].subject, place)
        for sheet in main
        for slot in sheet
        if len(slot.texts) > 1
        for place, text in enumerate(slot.texts, start=1)
    )
    if not places:
        return ""
    by_system: dict[str, list[str]] = {}
    for (name, _), number in sorted(places.items()):
        by_system.setdefault(name, []).append(f"{number:,}")
    told = "; ".join(f"{name} {', '.join(numbers)}" for name, numbers in by_system.items())
    return f"; by place on the screen, from the first: {told}"


def imported_told(
    frozen: Frozen,
    study: OutputStudy,
    seen: Mapping[str, Sheets],
    kind: str,
    criteria: tuple[CriterionTold, ...],
) -> Told:
    """Of a study that was run elsewhere: what its answers tell, and what its file says; nothing that our pages do."""
    items, systems = len({text.item for text in frozen.served}), len(study.subjects)
    return Told(
        kind=kind,
        criteria=criteria,
        order=study.plan.describe(items, systems),
        realised=tuple((name, _found_balance(frozen, study, seen[name])) for name in study.panels if seen.get(name)),
        sample=f"{items:,} items by {systems} systems: {len(frozen.served):,} texts",
    )


def _found_balance(frozen: Frozen, study: OutputStudy, sheets: Sheets) -> str:
    """Counts alone: in which order texts were shown is not known, and perhaps not to whom."""
    if isinstance(study.plan, Imported) and study.plan.judges == "people":
        return counted(frozen, sheets)
    return f"Each {judged(frozen, sheets)}."


def origin_of(mark: str, source: str) -> str:
    """Where a wording comes from."""
    named = sources()[source]["short"] if source in sources() else source or "a paper"
    return ORIGINS.get(mark, mark).format(named)


def quality_of(measures: Sequence[str]) -> str:
    """Correctness, goodness or feature, where all constructs are of one kind."""
    return _common(construct.kind for construct in _known(measures))


def aspect_of(measures: Sequence[str]) -> str:
    """Form, content or both."""
    return _common((construct.aspect for construct in _known(measures)), "both")


def _known(measures: Sequence[str]) -> list[Construct]:
    return [constructs()[name] for name in measures if name in constructs()]


def _common(values: Iterable[str], mixed: str = "") -> str:
    """What all constructs of a criterion are; where they differ, nobody but a person can say."""
    found = set(values)
    return found.pop() if len(found) == 1 else mixed if found else ""


def of_panels(said: Mapping[str, str]) -> str:
    """What holds of all panels once; where they differ, of each."""
    if len(set(said.values())) == 1:
        return next(iter(said.values()))
    return " ".join(f"Panel {name}: {text}" for name, text in said.items())


def beside_told(study: OutputStudy, panel: str, where: str) -> str:
    """What stands with the texts, as the end of a sentence's first part."""
    beside = [show.what for show in study.shown_to(panel)]
    return f" with the {', the '.join(beside)} {where}" if beside else f", nothing {where}"


def practice_told(study: OutputStudy, what: str) -> str:
    """What comes before the first evaluation that counts."""
    number, known = study.practice.texts + len(study.examples), sum(rightable(study))
    if not number:
        return "none"
    said = f"{number} {what}{'s' * (number > 1)}"
    if not known:
        return f"{said} to warm up, without feedback; not analysed"
    listed = "; ".join(
        known_told(example.words, example.gold, "right")
        + (f", because: {say(example.why, study.spoken[0])}" if example.why else "")
        for example in study.examples
        if example.gold is not None
    )
    explained = [bool(example.why) for example in study.examples if example.gold is not None]
    why = ", with the reason" if all(explained) else ", some with the reason" if any(explained) else ""
    return f"{said}, not analysed; {known} with a known answer, which judges are told after theirs{why}: {listed}"
