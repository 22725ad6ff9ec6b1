"""Judgements: who rated which item how.

Two shapes of rows are read, from JSON lines, CSV, TSV, Parquet or a list of dictionaries:

* one judgement a row: `item`, `judge`, `value` (number, label, or list for sets and spans), perhaps `system` and
  `criterion`; what is judged is the item, or the item's output by that system;
* an evaluation set, whose rows hold lists of ratings by criterion; what is judged is one output of one system (in
  pairwise rows: one pair of outputs). The judges are those of the row's list `raters`, else first, second, third …

An empty cell, null and "N/A" are gaps. Other keys are not looked at, but for those by which the rows of `nlgauge study
export --long` say whether they count (`io.exported`); its preferences are read as the system preferred for each pair.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal

import numpy as np
import orjson

from nlgauge.errors import InputError, counted, option, suggest
from nlgauge.io.columns import JUDGEMENT_SYNONYMS, Columns
from nlgauge.io.exported import REHEARSAL, is_mark, none_counts, set_aside, simulated, told
from nlgauge.io.files import StrPath
from nlgauge.io.rows import MISSING_RATING, Chunk, describe, plain_number, refuse_unnamed
from nlgauge.io.tables import records

MOST_CELLS = 50_000_000  # of the table of items × judges
LARGEST = 2**53  # whole numbers below this are exact
Repeats = Literal["refuse", "number"]
AFTER_DISCUSSION = (
    "agreement after a discussion is no agreement of independent judges: report the figure from before it, which "
    "nlgauge study analyse tells"
)


@dataclass(frozen=True)
class Judgements:
    """A table of items × judges: `values[i][j]` is what judge j said of item i, None where nothing."""

    items: tuple[str, ...]
    judges: tuple[str, ...]
    values: list[list[Any]] = field(repr=False)
    origin: str = "the ratings"
    criterion: str = ""
    by_position: bool = False  # judges are told apart by their place in a list only
    notes: tuple[str, ...] = ()
    unit: str = "items"  # what is judged: items, outputs of systems, or pairs of outputs
    coded: list[list[Any]] | None = field(default=None, repr=False)  # a study's preferences: 1, 0 (tie), -1
    keys: tuple[Mapping[str, str], ...] = ()  # what each item is in the rows: its item, and its system or systems

    def in_order(self) -> Judgements:
        """With the items in the order of their names, so that draws by a seed do not follow the order of the rows."""
        order = sorted(range(len(self.items)), key=self.items.__getitem__)
        coded = None if self.coded is None else [self.coded[place] for place in order]
        return replace(
            self,
            items=tuple(self.items[place] for place in order),
            values=[self.values[place] for place in order],
            coded=coded,
            keys=tuple(self.keys[place] for place in order) if self.keys else (),
        )

    @cached_property
    def digest(self) -> str:
        """The first 12 digits of a hash of who rated what how, whatever the order of the rows."""
        lines = sorted(
            f"{item}\x1f{judge}\x1f{sorted(map(repr, value)) if isinstance(value, frozenset) else repr(value)}"
            for item, row in zip(self.items, self.values, strict=True)
            for judge, value in zip(self.judges, row, strict=True)
            if not _missing(value)
        )
        return sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def read_judgements(
    data: StrPath | Iterable[Mapping[str, Any]],
    criterion: str | None = None,
    *,
    repeats: Repeats = "refuse",
    columns: Mapping[str, str] | None = None,
) -> Judgements:
    """Judgements from a file or from rows; `criterion` chooses where there are several, and `columns` says which column
    holds a key: {"judge": "worker_id"}.
    """
    origin = os.fspath(data) if isinstance(data, str | os.PathLike) else "the rows"
    collector = _Collector(origin, criterion, repeats)
    for chunk in records(data, Columns(columns, JUDGEMENT_SYNONYMS), "judgement", origin=origin):
        collector.add(chunk)
    return collector.finish()


class _Collector:
    """Gathers (item, judge) → value and where each was found."""

    def __init__(self, origin: str, criterion: str | None, repeats: Repeats) -> None:
        self.origin, self.criterion, self.repeats = origin, criterion, repeats
        self.items: dict[str, int] = {}
        self.judges: dict[str, int] = {}
        self.cells: dict[tuple[int, int], tuple[Any, str]] = {}
        self.criteria: dict[str, None] = {}
        self.positions: bool | None = None
        self.without = 0  # rows of an evaluation set without this criterion
        self.seen: dict[str, str] = {}
        self.unit = "items"
        self.keys: dict[str, dict[str, str]] = {}  # of what is judged
        self.aside: Counter[str] = Counter()  # rows of an exported study that do not count
        self.panels: dict[str, None] = {}
        self.simulated = False
        self.marks: dict[str, None] = {}  # what spans that were marked are called in place of a criterion
        # of a study's preferences: item, both systems by name
        self.sides: dict[str, tuple[str, str, str]] = {}

    def add(self, chunk: Chunk) -> None:
        for number, row in enumerate(chunk.rows):
            place = chunk.at(number)
            if not isinstance(row, dict):
                raise InputError(f"{place}: the row is {describe(row)}; expected an object")
            if "judge" in row or "value" in row:
                self._judgement(row, place)
            elif "ratings" in row or any(str(key).startswith("ratings.") for key in row):
                self._rated(row, place)
            elif "hypothesis" in row or "hypothesis_a" in row or "references" in row:
                self.without += 1
            else:
                raise InputError(
                    f"{place}: found the keys {', '.join(map(str, row))}; expected item, judge and value, or the rows "
                    "of an evaluation set with ratings"
                )

    def _judgement(self, row: dict[str, Any], place: str) -> None:
        for key in ("item", "judge"):
            if _missing(row.get(key)):
                raise InputError(f"{place}: the key {key} is missing; expected item, judge and value")
            if isinstance(row[key], list | tuple | dict):
                raise InputError(f"{place}: {key} is {describe(row[key])}; expected a text or a whole number")
        given = row.get("criterion")
        if is_mark(row):
            self.marks[str(given)] = None
            return
        if not _missing(given):
            self.criteria[str(given)] = None
            if self.criterion is not None and str(given) != self.criterion:
                return
        if aside := set_aside(row, place):
            self.aside[aside] += 1
            return
        if not _missing(row.get("panel")):
            self.panels[str(row["panel"])] = None
        self.simulated = self.simulated or simulated(row)
        if "value" not in row and "ratings.preference" in row:
            row = _preferred(row)
        unit = self._unit(row, place)
        if "value" in row and "ratings.preference" in row:
            self.sides[unit] = (str(row["item"]), str(row["system_a"]), str(row["system_b"]))
        self._store(unit, str(row["judge"]), _cell(row.get("value")), place, str(given or ""))

    def _rated(self, row: dict[str, Any], place: str) -> None:
        ratings = dict(row.get("ratings") or {}) if isinstance(row.get("ratings") or {}, dict) else None
        if ratings is None:
            raise InputError(
                f'{place}: ratings is {describe(row["ratings"])}; expected an object, e.g. {{"fluency": [4, 5]}}'
            )
        ratings |= {
            key.removeprefix("ratings."): value for key, value in row.items() if str(key).startswith("ratings.")
        }
        self.criteria |= dict.fromkeys(map(str, ratings))
        chosen = self.criterion if self.criterion is not None else next(iter(self.criteria), None)
        if chosen is None or chosen not in ratings or _missing(ratings[chosen]):
            self.without += 1
            return
        self.simulated = self.simulated or simulated(row)
        given = _cell(ratings[chosen])
        if not isinstance(given, list | tuple):
            raise InputError(
                f"{place}: the rating {chosen!r} is a single value ({given!r}), such as a mean; agreement needs the "
                "list of the judges' ratings"
            )
        unit = self._once(self._unit(row, place), place)
        for judge, value in zip(self._names(row, given, place), given, strict=True):
            if judge:
                self._store(unit, judge, value, place, "")

    def _unit(self, row: dict[str, Any], place: str) -> str:
        """What is judged: an item, one system's output for it, or a pair of outputs."""
        found = {key: row.get(key) for key in ("item", "system", "system_a", "system_b")}
        if _missing(found["item"]):
            raise InputError(f"{place}: the key item is missing; expected a text or a whole number")
        keys = {key: str(name) for key, name in found.items() if not _missing(name)}
        if "system" in keys:
            self.unit = "outputs"
        elif len(keys) > 1:
            self.unit = "pairs"
        unit = " | ".join(keys.values())
        self.keys.setdefault(unit, keys)
        return unit

    def _once(self, unit: str, place: str) -> str:
        if unit not in self.seen:
            self.seen[unit] = place
            return unit
        if self.repeats == "refuse":
            raise InputError(
                f"{place}: {unit!r} was rated before ({self.seen[unit]}); expected one row for each item and system, "
                f"or use {option('repeats', 'number')} to keep both"
            )
        copy = 2
        while f"{unit}#{copy}" in self.seen:
            copy += 1
        self.seen[f"{unit}#{copy}"] = place
        self.keys[f"{unit}#{copy}"] = {**self.keys[unit], "item": f"{self.keys[unit]['item']}#{copy}"}
        return f"{unit}#{copy}"

    def _names(self, row: dict[str, Any], given: Sequence[Any], place: str) -> list[str]:
        raters, size = _cell(row.get("raters")), len(given)
        positions = raters is None
        if self.positions is not None and self.positions != positions:
            raise InputError(
                f"{place}: some rows name their raters and others do not, so judges cannot be told apart; name them in "
                "all rows or in none"
            )
        self.positions = positions
        if raters is None:
            return [str(place_ + 1) for place_ in range(size)]
        if not isinstance(raters, list | tuple) or len(raters) != size:
            count = len(raters) if isinstance(raters, list | tuple) else "no list of"
            raise InputError(f"{place}: {size} ratings but {count} raters; expected one rater for each rating")
        refuse_unnamed(raters, given, place)
        names = ["" if _missing(rater) else str(rater) for rater in raters]  # of a gap, which is nobody's
        twice = next((name for name in names if name and names.count(name) > 1), None)
        if twice is not None and self.repeats == "refuse":
            raise InputError(
                f"{place}: the rater {twice!r} rated one output twice; expected each once, or use "
                f"{option('repeats', 'number')} to take the second rating as that of a judge {twice}#2"
            )
        return [
            f"{name}#{nth}" if name and (nth := names[: k + 1].count(name)) > 1 else name
            for k, name in enumerate(names)
        ]

    def _store(self, unit: str, judge: str, value: Any, place: str, criterion: str) -> None:
        cell = (
            self.items.setdefault(unit, len(self.items)),
            self.judges.setdefault(judge, len(self.judges)),
        )
        if cell in self.cells:
            if criterion and self.criterion is None and len(self.criteria) > 1:
                return  # the choice among several criteria is asked for at the end
            raise InputError(
                f"{place}: judge {judge!r} rated {unit!r} before ({self.cells[cell][1]}); expected one value for each "
                "item and judge"
            )
        self.cells[cell] = (value, place)

    def finish(self) -> Judgements:
        self._check_criterion()
        if len(self.items) * len(self.judges) > MOST_CELLS:
            raise InputError(
                f"{self.origin}: {len(self.items):,} items × {len(self.judges):,} judges make a table of over "
                f"{MOST_CELLS:,} cells, too large to hold; take some of the items, or, where it does not matter who "
                "rated, give each item's ratings as one list (an evaluation set without raters)"
            )
        values: list[list[Any]] = [[None] * len(self.judges) for _ in self.items]
        for (item, judge), value in _typed(self.cells).items():
            values[item][judge] = value
        notes = [REHEARSAL] * self.simulated
        if self.without:
            notes.append(f"{counted(self.without, 'row')} without a rating left out")
        if self.aside:
            notes.append(told(self.aside))
        if self.aside["discussed"]:
            notes.append(AFTER_DISCUSSION)
        if len(self.panels) > 1:
            notes.append(f"the judges of {len(self.panels)} panels ({', '.join(self.panels)}) are taken together")
        return Judgements(
            items=tuple(self.items),
            judges=tuple(self.judges),
            values=values,
            origin=self.origin,
            criterion=self.criterion or next(iter(self.criteria), ""),
            by_position=bool(self.positions),
            notes=tuple(notes),
            unit=self.unit,
            coded=_coded(self.items, self.sides, values) if len(self.sides) == len(self.items) else None,
            keys=tuple(self.keys[unit] for unit in self.items),
        )

    def _check_criterion(self) -> None:
        if self.criterion in self.marks and self.criterion not in self.criteria:
            raise InputError(
                f"the rows {self.criterion!r} of {self.origin} are spans that judges marked, not ratings; how far they "
                "agree on them nlgauge study analyse tells"
                + (f", and of ratings there are: {', '.join(self.criteria)}" if self.criteria else "")
            )
        if self.aside and not self.cells:
            raise none_counts(self.origin, self.aside)
        if self.criterion is not None and self.criteria and self.criterion not in self.criteria:
            raise InputError(
                f"{self.origin} has no ratings of {self.criterion!r}; {suggest(self.criterion, self.criteria)}"
            )
        if self.criterion is not None and not self.criteria:
            raise InputError(f"{self.origin} names no criteria; leave {option('criterion')} out")
        if self.criterion is None and len(self.criteria) > 1:
            raise InputError(
                f"{self.origin} has ratings of several criteria; choose with {option('criterion')}: "
                f"{', '.join(self.criteria)}"
            )
        if not any(not _missing(value) for value, _ in self.cells.values()):
            raise InputError(f"{self.origin} holds no ratings; expected rows with item, judge and value")


def _preferred(row: Mapping[str, Any]) -> dict[str, Any]:
    """A preference as the name of the system preferred: for whom the text stood first or second is no matter."""
    sides = {"a": row.get("system_a"), "b": row.get("system_b"), "tie": "tie"}
    given = row["ratings.preference"]
    first, second = sorted((str(sides["a"]), str(sides["b"])))
    value = sides.get(given, given) if isinstance(given, str) else given
    return {**row, "system_a": first, "system_b": second, "value": value}


def _coded(
    units: Iterable[str], sides: Mapping[str, tuple[str, str, str]], values: Sequence[Sequence[Any]]
) -> list[list[Any]] | None:
    """Preferences in their order, 1 for the first system of the pair, 0 for a tie, -1 for the other, as `study analyse`
    has them: which system is the first alternates from pair to pair, so that agreement by chance is that of coins.
    """
    order = sorted(sides, key=lambda unit: (sides[unit][1:], sides[unit][0]))
    turned = {unit: -1 if place % 2 else 1 for place, unit in enumerate(order)}
    found: list[list[Any]] = []
    for unit, row in zip(units, values, strict=True):
        _, first, second = sides[unit]
        number = {"tie": 0, first: turned[unit], second: -turned[unit]}
        if any(value is not None and value not in number for value in row):
            return None  # not a preference
        found.append([None if value is None else number[value] for value in row])
    return found


def _cell(value: Any) -> Any:
    """A table's cell that holds a JSON list is that list; so is an array."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, str) and value.startswith("[") and value.endswith("]"):
        try:
            return orjson.loads(value)
        except orjson.JSONDecodeError:
            return value
    return value


def _missing(value: Any) -> bool:
    if value is None:  # of most cells of a large table nobody asked, so this comes first
        return True
    if isinstance(value, str):
        return MISSING_RATING.fullmatch(value) is not None
    return isinstance(value, float | np.floating) and math.isnan(value)


def _typed(cells: Mapping[tuple[int, int], tuple[Any, str]]) -> dict[tuple[int, int], Any]:
    """All values as numbers, all as labels, or all as sets; a mixture is refused."""
    present = {cell: (value, place) for cell, (value, place) in cells.items() if not _missing(value)}
    kinds: dict[str, str] = {}
    for value, place in present.values():
        kinds.setdefault(_kind(value, place), place)
    if len(kinds) > 1:
        (first, place), (second, other) = list(kinds.items())[:2]
        raise InputError(f"{other}: the value is a {second}, but that of {place} is a {first}; expected one kind")
    kind = next(iter(kinds), "number")
    if kind == "number" or (kind == "label" and _mostly_numbers(present.values())):
        return _numbers(present)
    if kind == "list":
        return {cell: _elements(value, place) for cell, (value, place) in present.items()}
    return {cell: value for cell, (value, _) in present.items()}


def _kind(value: Any, place: str) -> str:
    if isinstance(value, np.generic):  # of rows made by numpy or pandas
        value = value.item()
    if isinstance(value, int):
        return "number"
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(f"{place}: the value is {value}; expected a finite number (empty for a gap)")
        return "number"
    if isinstance(value, str):
        return "label"
    if isinstance(value, list | tuple):
        return "list"
    raise InputError(f"{place}: the value is {describe(value)}; expected a number, a label or a list")


def _mostly_numbers(values: Iterable[tuple[str, str]]) -> bool:
    """Whether a column of texts is one of numbers: then the few that are none are slips, not labels."""
    found = [_is_number(text) for text, _ in values]
    return sum(found) * 2 > len(found)


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(plain_number(text))
    except ValueError:
        return False


def _numbers(present: Mapping[tuple[int, int], tuple[Any, str]]) -> dict[tuple[int, int], float]:
    try:
        found = {cell: plain_number(value) for cell, (value, _) in present.items()}
        if all(-LARGEST < value < LARGEST for value in found.values()):
            return found
    except (ValueError, OverflowError):
        pass  # one of them is no number; which one is found below
    return {cell: _as_number(value, place) for cell, (value, place) in present.items()}


def _as_number(value: Any, place: str) -> float:
    try:
        number = plain_number(value)
    except ValueError:
        number = math.nan
    except OverflowError:
        number = math.inf
    if math.isnan(number):
        raise InputError(
            f"{place}: the value is {value!r}, but most values are numbers; expected a number (empty for a gap), or "
            "labels throughout"
        )
    if math.isinf(number):
        raise InputError(f"{place}: the value is {value}; expected a finite number (empty for a gap)")
    if abs(number) >= LARGEST and number.is_integer():
        raise InputError(
            f"{place}: the value is {value}; whole numbers from 2**53 on cannot be told apart: use labels (a word "
            "before the number), or smaller numbers"
        )
    return number


def _elements(value: Sequence[Any], place: str) -> frozenset[Any]:
    """A set of labels, or of spans as tuples (start, end) or (start, end, label)."""
    elements: set[Any] = set()
    for element in value:
        if isinstance(element, dict):
            if not {"start", "end"} <= element.keys():
                raise InputError(f"{place}: a marked span is {describe(element)}; expected the keys start and end")
            label = () if element.get("label") is None else (element["label"],)
            elements.add(_span((element["start"], element["end"], *label), place))
        elif isinstance(element, list | tuple):
            elements.add(_span(tuple(element), place))
        else:
            elements.add(element)
    return frozenset(elements)


def _span(span: tuple[Any, ...], place: str) -> tuple[Any, ...]:
    """Start, end and perhaps a label."""
    shaped = len(span) in (2, 3) and all(isinstance(end, int) and not isinstance(end, bool) for end in span[:2])
    if not shaped or isinstance(span[-1], list | tuple | dict) or not 0 <= span[0] <= span[1]:
        raise InputError(
            f"{place}: a marked span is {list(span)!r}; expected [start, end] or [start, end, label] with whole "
            "numbers, 0 ≤ start ≤ end"
        )
    return span
