"""Perturbations that know no grammar: words, numbers, names, sentences, punctuation and case, in any language."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from unicodedata import category

from nlgauge.meta.probes import english
from nlgauge.meta.probes.units import Unit, capitalised, cased_like, join, sentences, split, starts, words

_DIGITS = re.compile(r"\d+")
_ORDINAL = re.compile(r"(\d+)(st|nd|rd|th)$")
_KEPT_MARKS = frozenset("%&#@*/\\§‰'’-–_")  # marks that carry meaning, or belong to the word
_POOL = 50  # names to choose from: enough for variety, and quick however many the data hold
_SIGNS = ("-", "−", "+", ".", "–")


@dataclass(frozen=True)
class Given:
    """A text to perturb, with its source as one text and the names that occur in the data."""

    text: str
    source: str = ""
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plan:
    """What could be edited: the number of sites, and the text with the first k of them edited."""

    sites: int
    write: Callable[[int], str]


def edits(units: Sequence[Unit], changed: Sequence[tuple[int, Sequence[Unit]]]) -> Plan:
    """A plan of independent edits: a unit's position, and what stands there instead."""

    def write(count: int) -> str:
        instead = dict(changed[:count])
        return join([new for place, unit in enumerate(units) for new in instead.get(place, (unit,))])

    return Plan(len(changed), write)


def drop(given: Given, drawn: random.Random) -> Plan | str:
    """Leave words out."""
    units = split(given.text)
    places = words(units)
    if len(places) < 2:
        return "fewer than two words"
    drawn.shuffle(places)
    return edits(units, [(place, ()) for place in places[:-1]])


def truncate(given: Given, drawn: random.Random) -> Plan | str:
    """Cut off the end."""
    units = split(given.text)
    places = words(units)
    if len(places) < 2:
        return "fewer than two words"
    return Plan(len(places) - 1, lambda count: join(units[: places[-count]]))


def swap(given: Given, drawn: random.Random) -> Plan | str:
    """Exchange neighbouring words; punctuation stays where it is."""
    units = split(given.text)
    places = words(units)
    for offset in drawn.sample((0, 1), 2):
        pairs = list(zip(places[offset::2], places[offset + 1 :: 2], strict=False))
        pairs = [(a, b) for a, b in pairs if units[a].core != units[b].core]
        if pairs:
            break
    else:
        return "fewer than two different neighbouring words"
    drawn.shuffle(pairs)

    def write(count: int) -> str:
        new = list(units)
        for a, b in pairs[:count]:
            new[a], new[b] = units[a].with_core(units[b].core), units[b].with_core(units[a].core)
        return join(new)

    return Plan(len(pairs), write)


def repeat(given: Given, drawn: random.Random) -> Plan | str:
    """Say words twice."""
    units = split(given.text)
    places = words(units)
    if not places:
        return "no word"
    drawn.shuffle(places)
    between = " " if any(unit.gap for unit in units) or len(units) == 1 else ""
    return edits(
        units,
        [(place, (units[place].with_core(units[place].core + between + units[place].core),)) for place in places],
    )


def number(given: Given, drawn: random.Random) -> Plan | str:
    """Change numbers, in digits or (in English) in words."""
    units = split(given.text)
    changed = [
        (place, (unit.with_core(new),))
        for place, unit in enumerate(units)
        if (new := _other_number(unit.core, drawn)) != unit.core
    ]
    if not changed:
        return "no number"
    drawn.shuffle(changed)
    return edits(units, changed)


def _other_number(core: str, drawn: random.Random) -> str:
    for series in english.NUMBER_WORDS:
        if core.lower() in series:
            others = [word for word in series if word != core.lower()]
            return cased_like(drawn.choice(others), core)
    ordinal = _ORDINAL.fullmatch(core)
    if ordinal:
        digits = _other_digits(ordinal[1], drawn)
        return digits + _ending(int(digits))
    return _DIGITS.sub(lambda run: _other_digits(run[0], drawn), core)


def _other_digits(run: str, drawn: random.Random) -> str:
    """Another number with as many digits; the first of three stays, and the century of what may be a year."""
    year = len(run) == 4 and run[0] in "12"
    kept = run[: 2 if year else 1] if len(run) > 2 else ""
    low = 0 if kept or len(run) == 1 else 10 ** (len(run) - 1)
    length = len(run) - len(kept)
    while True:
        new = kept + str(drawn.randrange(low, 10**length)).zfill(length)
        if int(new) != int(run):
            return new


def _ending(value: int) -> str:
    if value % 100 in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")


def entity(given: Given, drawn: random.Random) -> Plan | str:
    """Replace names by other names that occur in the data; days and months by other days and months."""
    units = split(given.text)
    spans = _names(units, frozenset(given.names))
    if not spans:
        return "no name (names are found by their capitals)"
    present = {_spelled(units[a:b]).casefold() for a, b in spans}
    some = drawn.sample(given.names, min(len(given.names), _POOL))
    pool = [name for name in some if name.casefold() not in present]
    chosen = []
    for a, b in spans:
        others = _calendar(_spelled(units[a:b])) or pool
        if others:
            chosen.append((a, b, drawn.choice(others)))
    if not chosen:
        return "no other name in the data"
    drawn.shuffle(chosen)

    def write(count: int) -> str:
        new: list[Unit | None] = list(units)
        for a, b, name in chosen[:count]:
            last = units[b - 1]
            new[a:b] = [Unit(units[a].lead, name, last.trail, last.gap), *[None] * (b - a - 1)]
        return join([unit for unit in new if unit is not None])

    return Plan(len(chosen), write)


def _calendar(name: str) -> list[str]:
    return [other for series in english.CALENDAR if name in series for other in series if other != name]


def _spelled(units: Sequence[Unit]) -> str:
    return "".join(map(str, units)).strip()[len(units[0].lead) :].removesuffix(units[-1].trail)


def _names(units: Sequence[Unit], known: frozenset[str]) -> list[tuple[int, int]]:
    """Runs of capitalised words; one that starts a sentence must be known as a name, or another must follow it."""
    first = starts(units)
    first -= {place for place in first if _opens_name(units, place)}
    spans: list[tuple[int, int]] = []
    place = 0
    while place < len(units):
        end = place
        while end < len(units) and _is_name(units[end], end in first, known):
            end += 1
            if units[end - 1].trail or (end < len(units) and units[end].lead):
                break
        start = place  # "The Mill" is replaced as "Mill": what stands for it may need no article
        while start < end and units[start].core.lower() in english.PLAIN:
            start += 1
        if end > start:
            spans.append((start, end))
        place = max(end, place + 1)
    return spans


def _opens_name(units: Sequence[Unit], place: int) -> bool:
    """Whether a sentence starts with a name of several words, and not with "The Times"."""
    if place + 1 >= len(units) or units[place].trail or units[place + 1].lead:
        return False
    plain = units[place].core.lower() in english.PLAIN
    return not plain and units[place + 1].core[:1].isupper() and units[place + 1].core != "I"


def _is_name(unit: Unit, at_start: bool, known: frozenset[str]) -> bool:
    core = unit.core
    if not core[:1].isupper() or core in ("I", "A", "An") or core.startswith(("I'", "I’")):
        return False
    shouted = len(core) > 1 and core.isupper()
    return not at_start or shouted or core in known


def find_names(texts: Iterable[str]) -> tuple[str, ...]:
    """The names in texts, as capitals inside sentences show them, each once and in a fixed order."""
    found: set[str] = set()
    for text in texts:
        units = split(text)
        found.update(_spelled(units[a:b]) for a, b in _names(units, frozenset()))
    return tuple(sorted(found))


def copy(given: Given, drawn: random.Random) -> Plan | str:
    """Go on with the source: the end of the text gives way to the end of the source."""
    if not given.source:
        return "no source"
    units, source = split(given.text), split(given.source)
    places = words(units)
    if not places:
        return "no word"

    def write(count: int) -> str:
        kept = units[: places[len(places) - count]]
        taken = source[len(source) - max(1, round(len(source) * count / len(places))) :]
        between = [Unit("", "", "", " ")] if kept and not kept[-1].gap else []
        return join([*kept, *between, *taken])

    return Plan(len(places), write)


def shuffle(given: Given, drawn: random.Random) -> Plan | str:
    """Put sentences into another order: of those chosen, each moves to the place of the next."""
    parts = sentences(given.text)
    if len(parts) < 2:
        return "one sentence only"
    order = drawn.sample(range(len(parts)), len(parts))
    between = " " if " " in given.text else ""

    def write(count: int) -> str:
        places = sorted(order[: count + 1])
        new = list(parts)
        for place, other in zip(places, places[1:] + places[:1], strict=True):
            new[place] = parts[other]
        return between.join(new)

    return Plan(len(parts) - 1, write)


def punctuation(given: Given, drawn: random.Random) -> Plan | str:
    """Take punctuation marks away; a text that has none gets a full stop."""
    units = split(given.text)
    changed: list[tuple[int, tuple[Unit, ...]]] = []
    for place, unit in enumerate(units):
        lead = unit.lead if unit.core[:1].isdigit() and unit.lead.endswith(_SIGNS) else _bare(unit.lead)
        trail = _bare(unit.trail)
        if (lead, trail) != (unit.lead, unit.trail):
            left = replace(unit, lead=lead, trail=trail)
            changed.append((place, (left,) if left.lead or left.core or left.trail else ()))
    if not changed:
        return Plan(1, lambda _: f"{join(units)}.") if words(units) else "no word"
    drawn.shuffle(changed)
    return edits(units, changed)


def _bare(marks: str) -> str:
    return "".join(mark for mark in marks if mark in _KEPT_MARKS or not _is_mark(mark))


def _is_mark(character: str) -> bool:
    return category(character).startswith("P")


def case(given: Given, drawn: random.Random) -> Plan | str:
    """Capitals become small; words without one get one."""
    units = split(given.text)
    changed = []
    for place in words(units):
        core = units[place].core
        new = core.lower() if core != core.lower() else capitalised(core)
        if new != core:
            changed.append((place, (units[place].with_core(new),)))
    if not changed:
        return "no letters that have a capital"
    drawn.shuffle(changed)
    return edits(units, changed)
