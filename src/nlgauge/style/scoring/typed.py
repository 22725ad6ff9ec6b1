"""A table of scores that somebody has already: read, averaged, and checked against what is said of it.

Rounded figures are compared as decimals, exactly. A printed average follows from printed rows where some values that
round to the rows have a mean that rounds to it; compliancy, which asks for three things at once, can be no higher than
the lowest of them, and no lower than the sum of the three less two.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import product
from typing import Any

from nlgauge.errors import InputError, suggest
from nlgauge.io.files import StrPath
from nlgauge.io.tables import chunks
from nlgauge.jsonable import Jsonable
from nlgauge.style.scoring.posing import GOLD
from nlgauge.style.scoring.table import AVERAGE, MEASURES, Row, Table, Value, with_averages

BATCH = 4096
AVERAGES = frozenset({"avg", "average", "mean"})
SYNONYMS = {"compl.": "compliancy", "compl": "compliancy", "compliance": "compliancy", "rouge-l": "rouge"}
LARGEST, FINEST = 1_000_000, 20  # a score, and its decimals
NAMED = ("system", "direction", "group", "n")  # keys of a row that are no scores
Key = tuple[str, str, str]  # system, direction, measure
Sizes = dict[tuple[str, str], int]  # by system and direction


@dataclass(frozen=True)
class Average(Jsonable):
    """A stated average, the mean of its rows, and how far the two may lie apart by rounding alone."""

    KEYS = "system, measure, stated, mean, follows"

    system: str
    measure: str
    stated: Decimal
    mean: Decimal
    room: Decimal

    @property
    def follows(self) -> bool:
        """Whether any values that round to the rows have such a mean."""
        return abs(self.stated - self.mean) < self.room


@dataclass(frozen=True)
class Bound(Jsonable):
    """A compliancy that the three scores it is made of cannot give."""

    system: str
    direction: str
    stated: Decimal
    least: Decimal
    most: Decimal


@dataclass(frozen=True)
class Harder(Jsonable):
    """One direction was said to be harder: by each measure, for how many systems it is, and for gold."""

    KEYS = "..., follows"

    direction: str
    other: str
    measure: str
    lower: int  # systems whose score in this direction is lower
    equal: int
    systems: int
    gold: float | None  # the direction's score of gold less the other's

    @property
    def follows(self) -> bool:
        """Whether it is for more than half of the systems."""
        return 2 * self.lower > self.systems


@dataclass(frozen=True)
class Typed(Jsonable):
    """A table with what was stated beside it and does or does not follow."""

    KEYS = "averages, bounds, harder"

    table: Table
    averages: tuple[Average, ...]
    bounds: tuple[Bound, ...]
    harder: tuple[Harder, ...]


def read_table(path: StrPath, *, harder: Sequence[str] = (), lower: Sequence[str] = ()) -> Typed:
    """The table of a file: system, direction and scores in every row, direction `average` for what was stated."""
    cells: dict[Key, Decimal] = {}
    groups: dict[str, str] = {}
    sizes: Sizes = {}
    for chunk in chunks(path, BATCH, any_header=True, allow_extra=True, each="system and direction"):
        for number, row in enumerate(chunk.rows):
            system, direction = _add(row, chunk.at(number), cells)
            if row.get("group"):
                groups[system] = str(row["group"])
            if str(row.get("n") or "").isdecimal():
                sizes[system, direction] = int(row["n"])
    directions = tuple(dict.fromkeys(key[1] for key in cells if key[1] != AVERAGE))
    named = dict.fromkeys(key[2] for key in cells)
    measures = [name for name in MEASURES if name in named] + [name for name in named if name not in MEASURES]
    if len(directions) < 2:
        told = f"one direction only, {directions[0]}" if directions else "averages only" if cells else "no scores"
        raise InputError(f"{path} has {told}; expected the rows of two directions or more")
    places = {name: max(_places(cell) for key, cell in cells.items() if key[2] == name) for name in measures}
    systems, gold = _rows(cells, measures, directions, sizes)
    for name in lower:
        if name not in measures:
            raise InputError(f"{path} has no score {name!r}; {suggest(name, measures)}")
    for direction in harder:
        if direction not in directions:
            raise InputError(f"{path} has no direction {direction!r}; it has {', '.join(directions)}")
    table = Table(
        tuple(measures),
        directions,
        tuple(with_averages(systems, measures)),
        tuple(with_averages(gold, measures)),
        groups=groups,
        places=places,
        lower=frozenset(lower),
    )
    return Typed(
        table,
        tuple(_averages(cells, directions, places)),
        tuple(_bounds(cells, places)),
        tuple(claim for direction in harder for claim in _harder(table, direction)),
    )


def _add(row: Any, place: str, cells: dict[Key, Decimal]) -> tuple[str, str]:
    """Put the scores of a row into the cells; returns whose they are."""
    if not isinstance(row, Mapping):
        raise InputError(f"{place}: expected an object with system, direction and scores")
    named = {name.strip().lower(): value for name, value in row.items() if isinstance(name, str)}
    for told in ("system", "direction"):
        if not isinstance(named.get(told), str) or not named[told].strip():
            raise InputError(f"{place}: {told} must be a text, not {named.get(told)!r}")
    system, direction = named["system"].strip(), named["direction"].strip()
    direction = AVERAGE if direction.lower() in AVERAGES else direction
    for name, given in named.items():
        if name in NAMED or given is None or given == "":
            continue
        key = (system, direction, SYNONYMS.get(name, name))
        if key in cells:
            raise InputError(f"{place}: a second {key[2]} of {system}, {direction}; keep one")
        cells[key] = _decimal(given, name, place)
    return system, direction


def _decimal(given: Any, name: str, place: str) -> Decimal:
    try:
        value = Decimal(str(given).strip().replace("\N{MINUS SIGN}", "-"))
    except InvalidOperation:
        value = Decimal("nan")
    if isinstance(given, bool) or not value.is_finite():
        raise InputError(f"{place}: {name} must be a number, not {given!r}")
    if abs(value) > LARGEST or _places(value) > FINEST:
        raise InputError(f"{place}: {name} is a number up to {LARGEST:,} of at most {FINEST} decimals, not {given}")
    if name in MEASURES and not 0 <= value <= 1:
        raise InputError(f"{place}: {name} is a share from 0 to 1, not {given}")
    return value


def _places(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _rows(
    cells: Mapping[Key, Decimal],
    measures: Sequence[str],
    directions: Sequence[str],
    sizes: Mapping[tuple[str, str], int],
) -> tuple[list[Row], list[Row]]:
    """Of the systems, and of gold."""
    rows = []
    for system, direction in product(dict.fromkeys(key[0] for key in cells), directions):
        known = {name: cells.get((system, direction, name)) for name in measures}
        if values := {name: Value(float(cell)) for name, cell in known.items() if cell is not None}:
            rows.append(Row(system, direction, values, sizes.get((system, direction))))
    for system in dict.fromkeys(row.system for row in rows):
        lacking = set(directions) - {row.direction for row in rows if row.system == system}
        if lacking:
            raise InputError(f"{system} has no row of the direction {min(lacking)}, which others have")
    systems = [row for row in rows if row.system.lower() != GOLD]
    if not systems:
        raise InputError("the table has gold only; expected the rows of a system or more")
    return systems, [Row(GOLD, row.direction, row.values, row.n) for row in rows if row.system.lower() == GOLD]


def _averages(cells: Mapping[Key, Decimal], directions: Sequence[str], places: Mapping[str, int]) -> list[Average]:
    found = []
    for (system, direction, measure), stated in cells.items():
        own = [cells.get((system, other, measure)) for other in directions]
        if direction == AVERAGE and None not in own:
            mean = sum((value for value in own if value is not None), Decimal(0)) / len(own)
            half = Decimal(1).scaleb(-places[measure]) / 2
            found.append(Average(system, measure, stated, mean, room=2 * half))
    return found


def _bounds(cells: Mapping[Key, Decimal], places: Mapping[str, int]) -> list[Bound]:
    found = []
    for (system, direction, measure), stated in cells.items():
        parts = [cells.get((system, direction, name)) for name in MEASURES[:3]]
        if measure != "compliancy" or direction == AVERAGE or None in parts:
            continue
        known = [value for value in parts if value is not None]
        half = Decimal(1).scaleb(-min(places[name] for name in MEASURES)) / 2
        least, most = max(Decimal(0), sum(known, Decimal(-2))), min(known)
        if not least - 4 * half < stated < most + 2 * half:
            found.append(Bound(system, direction, stated, least, most))
    return found


def _harder(table: Table, direction: str) -> list[Harder]:
    found = []
    for measure in table.measures:
        for other in table.directions:
            if other == direction:
                continue
            sign = -1.0 if measure in table.lower else 1.0
            leads = [
                sign * (table.value(system, direction, measure) - table.value(system, other, measure))
                for system in table.systems
            ]
            known = [lead for lead in leads if math.isfinite(lead)]
            gold = sign * (table.value(GOLD, direction, measure) - table.value(GOLD, other, measure))
            found.append(
                Harder(
                    direction=direction,
                    other=other,
                    measure=measure,
                    lower=sum(lead < 0 for lead in known),
                    equal=sum(lead == 0 for lead in known),
                    systems=len(known),
                    gold=gold if math.isfinite(gold) else None,
                )
            )
    return found
