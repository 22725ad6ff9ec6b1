"""From observations to arrays (systems, items): human judgements and metric scores side by side, NaN where missing.

Sets in which every text is its own "system" (a caption judged for several images) would give a huge, empty array.
Where the names of the systems do not matter, the observations of an item are therefore simply stacked: row 1 holds
each item's first observation, row 2 its second.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError, counted, suggest
from nlgauge.meta.observations import Observation, Observations
from nlgauge.stats.aggregate import judge_z

Judgements = Literal["mean", "median", "each"]
LARGEST = 1e100  # beyond this sums of squares leave the range of floats


@dataclass(frozen=True)
class Grid:
    """Where each observation stands: `place[row, item]` is its position, -1 where there is none."""

    place: NDArray[np.int64]
    systems: tuple[str, ...]  # the names of the rows; empty where rows are mere stacks
    items: tuple[str, ...]

    def spread(self, values: Array) -> Array:
        """Values of observations as an array (rows, items); a second axis of values (judges) adds rows."""
        if values.ndim == 2:
            return np.concatenate([self.spread(column) for column in values.T])
        grid = np.full(self.place.shape, np.nan)
        known = self.place >= 0
        grid[known] = values[self.place[known]]
        return grid

    def means(self, values: Array) -> Array:
        """The mean of each row's known values."""
        spread = self.spread(values)
        count = (~np.isnan(spread)).sum(axis=1)
        return np.where(count > 0, np.nansum(spread, axis=1) / np.maximum(count, 1), np.nan)

    def by_item(self, rows: Array) -> Array:
        """Statistics of observations as (rows, items, k), zero where there is none."""
        table = np.zeros((*self.place.shape, rows.shape[1]))
        known = self.place >= 0
        table[known] = rows[self.place[known]]
        return table

    def columns(self) -> list[NDArray[np.int64]]:
        """The positions of each row's observations."""
        return [row[row >= 0] for row in self.place]


def arrange(data: Observations, *, by_system: bool) -> Grid:
    """Rows are the systems, or stacks of observations where their names do not matter."""
    items = {item: number for number, item in enumerate(dict.fromkeys(row.item for row in data.rows))}
    if by_system:
        names = {name: number for number, name in enumerate(data.systems)}
        rows = [names[row.system] for row in data.rows]
    else:
        height: Counter[str] = Counter()
        rows = []
        for row in data.rows:
            rows.append(height[row.item])
            height[row.item] += 1
    place = np.full((max(rows) + 1, len(items)), -1, dtype=np.int64)
    place[rows, [items[row.item] for row in data.rows]] = np.arange(len(data))
    return Grid(place, tuple(data.systems) if by_system else (), tuple(items))


def human_scores(data: Observations, criterion: str, judgements: Judgements = "mean") -> Array:
    """What people said about each observation: the mean or median of its judgements, or (n, judges) of each.

    Judges who gave no answer are left out; where nobody answered the score is NaN.
    """
    _check_criterion(data, criterion)
    lists = [_numbers(row, criterion) for row in data.rows]
    if judgements == "each":
        widest = max(map(len, lists))
        return np.array([[*values, *[np.nan] * (widest - len(values))] for values in lists])
    middle = statistics.median if judgements == "median" else statistics.fmean  # fmean: exact, whatever the order
    known_only = [[value for value in values if not math.isnan(value)] for values in lists]
    return np.array([middle(values) if values else np.nan for values in known_only])


def _check_criterion(data: Observations, criterion: str) -> None:
    known = data.criteria
    if criterion not in known:
        hint = suggest(criterion, known) if known else "none of its rows has a rating that is not null"
        if any(criterion in row.extra for row in data.rows):
            hint = f"its column {criterion} is no rating; name that column ratings.{criterion}"
        raise InputError(f"{data.origin} has no criterion {criterion!r}: {hint}")


def _numbers(row: Observation, criterion: str) -> list[float]:
    value = row.ratings.get(criterion)
    values = value if isinstance(value, tuple) else () if value is None else (value,)
    if any(isinstance(value, str) for value in values):
        raise InputError(f"the criterion {criterion!r} holds words; a correlation needs numbers")
    numbers = [float(value) for value in values]
    if any(abs(number) > LARGEST for number in numbers):
        raise InputError(
            f"item {row.item} of {row.system}: a rating of {criterion!r} is {max(numbers, key=abs):g}, too large; "
            f"ratings must lie within ±{LARGEST:g}"
        )
    return numbers


def standardised(data: Observations, criteria: Sequence[str], learnt: NDArray[np.bool_] | None = None) -> Observations:
    """With each judge's ratings as z-scores, over all systems; judges are told apart as in `judge_scores`.

    Where `learnt` says so for each row, means and deviations of judges are those of some rows only.
    """
    if data.pairs:
        raise InputError("judgements are pairs here (better, worse), which have no z-scores")
    ratings, notes = [dict(row.ratings) for row in data.rows], list[str]()
    for criterion in criteria or data.criteria:
        _check_criterion(data, criterion)
        lists = [_numbers(row, criterion) for row in data.rows]
        if any(isinstance(row.ratings.get(criterion), float) for row in data.rows):
            raise InputError(f"{data.origin}: a rating of {criterion!r} is one number, not one for each judge")
        names = [name for row, values in zip(data.rows, lists, strict=True) for name in _judges(row, len(values))]
        given = np.array([value for values in lists for value in values])
        known = ~np.isnan(given)
        some = None if learnt is None else np.repeat(learnt, [len(values) for values in lists])[known]
        given[known], flat = judge_z(
            [name for name, there in zip(names, known, strict=True) if there], given[known], some
        )
        ends = np.cumsum([len(values) for values in lists])[:-1]
        for row, values, z in zip(ratings, lists, np.split(given, ends), strict=True):
            row.update({criterion: tuple(z.tolist())} if values else {})
        if flat:
            notes.append(f"{criterion}: {counted(len(flat), 'judge')} gave one value only and count as 0")
    if not any(_is_named(row) for row in data.rows):
        notes.append("judges are told apart by their place in each list: z-scores need a `raters` list if they differ")
    rows = tuple(replace(row, ratings=new) for row, new in zip(data.rows, ratings, strict=True))
    return replace(data, rows=rows, notes=(*data.notes, *notes))


def _is_named(row: Observation) -> bool:
    return isinstance(row.extra.get("raters"), list)


def _judges(row: Observation, size: int) -> list[str]:
    """Who gave a row's ratings: its `raters`, else their places in the list."""
    raters = row.extra.get("raters")
    named = isinstance(raters, list) and len(raters) == size
    return [str(rater) for rater in raters] if named and raters else [f"{place + 1}" for place in range(size)]


def judges_named(data: Observations, criterion: str) -> bool:
    """Whether every row that was rated names its judges."""
    for row in data.rows:
        values, raters = _numbers(row, criterion), row.extra.get("raters")
        if values and not (isinstance(raters, list) and len(raters) == len(values)):
            return False
    return True


def judge_scores(data: Observations, criterion: str) -> dict[str, Array]:
    """Each judge's scores of the observations, NaN where the judge gave none.

    Judges are told apart by the rows' `raters` where given, else by their place in the list of ratings.
    """
    found: dict[str, Array] = {}
    for place, row in enumerate(data.rows):
        values = _numbers(row, criterion)
        for judge, value in zip(_judges(row, len(values)), values, strict=True):
            if judge not in found:
                found[judge] = np.full(len(data), np.nan)
            found[judge][place] = value
    return found
