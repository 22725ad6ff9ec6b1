"""Ratings as the coefficients of agreement see them: items × judges, coded, with gaps.

A row is an item and a column a judge, as in irrCAC and pingouin (`krippendorff` has it the other way round). A gap is
NaN or None, never a category of its own. Values may be numbers or labels; the labels of one table may be of any
hashable kind (texts, sets), and are ordered where they can be.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError

Codes = NDArray[np.int64]

LARGEST = 2**53  # whole numbers below this are exact
NARROW = 4096  # whole numbers within such a range are coded by counting, without sorting


class UndefinedAgreement(InputError):  # noqa: N818 - says what is the matter
    """The coefficient has no value for these ratings (0/0): its name, why, and what to report instead."""

    def __init__(self, name: str, why: str, advice: str = "") -> None:
        super().__init__(f"{name} is undefined: {why}", advice)
        self.name, self.why, self.advice = name, why, advice

    def __reduce__(self) -> tuple[type[UndefinedAgreement], tuple[str, str, str]]:
        return type(self), (self.name, self.why, self.advice)


@dataclass(frozen=True)
class Ratings:
    """Coded ratings: `codes[i, j]` is the place of judge j's rating of item i in `categories`, -1 for a gap."""

    codes: Codes
    categories: tuple[Any, ...]
    numbers: Array | None  # the categories as numbers; None where they are labels
    ordered: bool  # whether the order of the categories means something: numbers, or an order that was declared
    declared: bool = False  # whether the categories were declared, or are just those that occur

    @classmethod
    def of(cls, values: Any, categories: Sequence[Any] | None = None) -> Ratings:
        """Code a table of items × judges. `categories` declares the scale, in order: also values nobody used."""
        if isinstance(values, Ratings):
            return values if categories is None else cls.of(values.table(), categories)
        table = _table(values)
        if categories is not None and (isinstance(categories, str) or not isinstance(categories, Iterable)):
            raise InputError(f"the categories must be a list of values, not {categories!r}")
        if categories is not None:
            return _declared(table, list(categories))
        if table.dtype == np.float64:
            codes, numbers = _code_numbers(table)
            return cls(codes, tuple(numbers.tolist()), numbers, ordered=True)
        return _coded_labels(table)

    @property
    def items(self) -> int:
        """Rows, rated or not."""
        return int(self.codes.shape[0])

    @property
    def judges(self) -> int:
        """Columns."""
        return int(self.codes.shape[1])

    def counts(self) -> Array:
        """How many judges put each item into each category: items × categories."""
        items, size = self.items, len(self.categories)
        keys = (np.arange(items)[:, None] * (size + 1) + self.codes + 1).ravel()
        tally = np.bincount(keys, minlength=items * (size + 1)).reshape(items, size + 1)
        return tally[:, 1:].astype(np.float64)

    def values(self) -> Array:
        """The ratings as numbers, NaN for gaps."""
        if self.numbers is None:
            raise InputError(
                "the ratings are labels, not numbers; use a coefficient for nominal data, or code them as numbers"
            )
        return np.append(self.numbers, math.nan)[self.codes]

    def table(self) -> NDArray[Any]:
        """The ratings as they were given, None for gaps."""
        table = np.empty(self.codes.shape, dtype=object)
        for place, code in np.ndenumerate(self.codes):
            table[place] = None if code < 0 else self.categories[code]
        return table

    def take(self, *, items: Any = None, judges: Any = None) -> Ratings:
        """Some items or judges, in the same categories."""
        codes = self.codes if items is None else self.codes[items]
        codes = codes if judges is None else codes[:, judges]
        return Ratings(codes, self.categories, self.numbers, self.ordered, self.declared)

    def rated(self) -> Ratings:
        """Without the items that nobody rated."""
        kept = (self.codes >= 0).any(axis=1)
        return self if kept.all() else self.take(items=kept)

    def constant(self) -> Any | None:
        """The one value everybody gave to everything, if it is so."""
        used = np.flatnonzero(np.bincount(self.codes.ravel() + 1, minlength=1)[1:])
        return self.categories[used[0]] if len(used) == 1 else None


def require_pairs(ratings: Ratings) -> Ratings:
    """Refuse ratings on which nobody can agree: fewer than two judges, or no item rated by two of them.

    Args:
        ratings: a table of items × judges

    >>> from nlgauge.stats.agreement import Ratings, require_pairs
    >>> require_pairs(Ratings.of([[1, 1], [2, None]])).judges
    2
    """
    if ratings.judges < 2:
        raise InputError(
            "agreement needs at least two judges", f"the ratings come from {('none', 'one judge')[ratings.judges]}"
        )
    if not np.any(ratings_per_item(ratings) >= 2):
        raise InputError(
            "no item was rated by two judges, so there is nothing to agree on", "have some items rated twice"
        )
    return ratings


def ratings_per_item(ratings: Ratings) -> Array:
    """How many judges rated each item."""
    return np.asarray((ratings.codes >= 0) @ np.ones(ratings.judges))


def two_judges(ratings: Ratings, name: str) -> Ratings:
    """The items that both of two judges rated."""
    if ratings.judges != 2:
        raise InputError(
            f"{name} is for two judges; there are {ratings.judges}: choose two, or use Fleiss' or Conger's kappa"
        )
    return ratings.take(items=(ratings.codes >= 0).all(axis=1))


def refuse_constant(ratings: Ratings, name: str) -> None:
    """Refuse ratings that are all the same: chance-corrected agreement is 0/0 there."""
    value = ratings.constant()
    if value is not None:
        raise UndefinedAgreement(
            name,
            f"every rating is {shown(value)}, so agreement by chance is certain and 0/0 remains",
            "report the percentage of agreement and that only one value was used",
        )


def shown(value: Any) -> str:
    """A value as a reader would write it: 3, not 3.0."""
    if isinstance(value, frozenset):
        return "[" + ", ".join(sorted(map(shown, value))) + "]" if value else "the empty list"
    return f"{value:g}" if isinstance(value, float) else repr(value)


def _table(values: Any) -> NDArray[Any]:
    """A two-dimensional array, of float64 where all values are numbers, else of objects with None for gaps."""
    table = values if isinstance(values, np.ndarray) else _objects(values)
    if table.ndim != 2:
        raise InputError(
            f"ratings must form a table of items × judges; got {table.ndim} dimension{'s'[: table.ndim != 1]}"
        )
    if table.dtype.kind in "biuf":
        numbers = np.asarray(table, dtype=np.float64)
        if table.dtype.kind in "iu" and np.abs(numbers).max(initial=0) >= LARGEST:
            raise InputError("whole numbers from 2**53 on cannot be told apart; use labels, or smaller numbers")
        if np.isinf(numbers).any():
            raise InputError("a rating is infinite; expected finite numbers, NaN for a gap")
        return numbers
    gaps = np.frompyfunc(_is_gap, 1, 1)(table).astype(bool)
    kinds = {type(value) for value in table[~gaps]}
    if all(issubclass(kind, int | float | np.number | np.bool_) for kind in kinds):
        numbers = np.full(table.shape, math.nan)
        try:
            numbers[~gaps] = table[~gaps].astype(np.float64)
        except OverflowError:
            raise InputError("a rating is too large; expected finite numbers, NaN for a gap") from None
        whole = (value for value in table[~gaps] if isinstance(value, int | np.integer))
        if any(abs(int(value)) >= LARGEST for value in whole):
            raise InputError("whole numbers from 2**53 on cannot be told apart; use labels, or smaller numbers")
        return _table(numbers)
    odd = next((value for value in table[~gaps] if not isinstance(value, Hashable)), None)
    if odd is not None:
        raise InputError(
            f"a rating is a {type(odd).__name__} ({odd!r}); expected numbers, labels, or frozensets of marks"
        )
    cleaned = table.astype(object)
    cleaned[gaps] = None
    return cleaned


def _objects(values: Any) -> NDArray[Any]:
    """Nested lists as an array of objects: numpy would split texts or sets that happen to have equal lengths."""
    if not isinstance(values, Iterable) or isinstance(values, str):
        raise InputError(f"ratings must form a table of items × judges, not {values!r}")
    given = list(values)
    single = next((row for row in given if not isinstance(row, Iterable) or isinstance(row, str)), None)
    if single is not None:
        raise InputError(f"ratings must form a table of items × judges, but a row is {single!r}; expected a list")
    rows = [list(row) for row in given]
    widths = {len(row) for row in rows}
    if len(widths) > 1:
        raise InputError(
            f"the items have between {min(widths)} and {max(widths)} ratings; expected one place for each judge, "
            "None where a judge gave no rating"
        )
    table = np.empty((len(rows), widths.pop() if widths else 0), dtype=object)
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            table[i, j] = value
    return table


def _is_gap(value: Any) -> bool:
    return value is None or (isinstance(value, float | np.floating) and math.isnan(value))


def _code_numbers(table: Array) -> tuple[Codes, Array]:
    present = ~np.isnan(table)
    complete = bool(present.all())
    values = table.ravel() if complete else table[present]
    if not len(values):
        return np.full(table.shape, -1, dtype=np.int64), np.empty(0)
    low, high = values.min(), values.max()
    if high - low <= NARROW and abs(low) < 2**52:
        offsets = (values - low).astype(np.int64)
        if np.array_equal(offsets + low, values):
            used = np.flatnonzero(np.bincount(offsets))
            places = np.zeros(int(high - low) + 1, dtype=np.int64)
            places[used] = np.arange(len(used))
            return _placed(table.shape, present, complete, places[offsets]), used + low
    numbers, found = np.unique(values, return_inverse=True)
    return _placed(table.shape, present, complete, found.astype(np.int64)), numbers


def _placed(shape: tuple[int, ...], present: NDArray[np.bool_], complete: bool, found: Codes) -> Codes:
    if complete:
        return found.reshape(shape)
    codes = np.full(shape, -1, dtype=np.int64)
    codes[present] = found
    return codes


def _coded_labels(table: NDArray[Any]) -> Ratings:
    labels = list(dict.fromkeys(value for value in table.ravel() if value is not None))
    if {type(label) for label in labels} == {str}:
        labels.sort()
    return Ratings(_looked_up(table, labels), tuple(labels), None, ordered=False)


def _declared(table: NDArray[Any], categories: list[Any]) -> Ratings:
    if not all(isinstance(value, Hashable) for value in categories):
        raise InputError(f"the categories must be numbers or labels, not {categories}")
    if len(set(categories)) != len(categories):
        raise InputError(f"the categories {categories} name one value twice")
    if not categories:
        raise InputError("no categories were declared; name all values of the scale, or leave them out")
    if any(isinstance(value, float) and not math.isfinite(value) for value in categories):
        raise InputError("the categories declared must be finite numbers or labels; leave nan and inf out")
    numeric = all(isinstance(value, int | float) for value in categories)
    if table.dtype == np.float64 and not numeric:
        raise InputError("the ratings are numbers, but the categories declared are not")
    if numeric:
        categories = sorted(float(value) for value in categories)
    codes = _searched(table, categories) if table.dtype == np.float64 else _looked_up(table, categories)
    return Ratings(
        codes,
        tuple(categories),
        np.array(categories, dtype=np.float64) if numeric else None,
        ordered=True,
        declared=True,
    )


def _searched(table: Array, categories: list[float]) -> Codes:
    known = np.array(categories)
    present = ~np.isnan(table)
    codes = np.where(present, np.minimum(np.searchsorted(known, table), len(known) - 1), -1)
    wrong = present & (known[codes] != table)
    if wrong.any():
        raise InputError(_unknown(float(table[wrong][0]), categories))
    return codes.astype(np.int64)


def _unknown(value: Any, categories: list[Any]) -> str:
    known = ", ".join(shown(category) for category in categories)
    return f"the rating {shown(value)} is not among the categories declared: {known}"


def _looked_up(table: NDArray[Any], categories: list[Any]) -> Codes:
    places = {value: place for place, value in enumerate(categories)}
    codes = np.full(table.shape, -1, dtype=np.int64)
    for place, value in np.ndenumerate(table):
        if _is_gap(value):
            continue
        if value not in places:
            raise InputError(_unknown(value, categories))
        codes[place] = places[value]
    return codes
