"""Each judge against the others: how much they rate, how high, how like the rest, and the agreement without them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.stats.agreement.concordance import ENOUGH, pearson, spearman
from nlgauge.stats.agreement.intervals import Coefficient
from nlgauge.stats.agreement.ratings import Ratings, require_pairs


@dataclass(frozen=True)
class JudgeReport(Jsonable):
    """One judge. `agreement` is the mean share of the other judges' ratings of the same items that equal this judge's;
    `correlation` (Spearman) is with the mean of the others; `without` is the coefficient when this judge is left out
    and `change` how much it moves: a positive change means that the others agree better among themselves. NaN where
    something is not defined."""

    judge: str
    ratings: int
    mean: float
    deviation: float
    agreement: float
    correlation: float
    without: float
    change: float


def leave_one_out(
    values: Any,
    coefficient: Callable[[Ratings], Coefficient],
    names: Sequence[str] | None = None,
    *,
    interchangeable: bool = False,
) -> tuple[JudgeReport, ...]:
    """A report on every judge of a table of items × judges; `coefficient` maps ratings to what is followed.

    `interchangeable` says that the coefficient does not ask who gave a rating (as Krippendorff's alpha): a table of
    many judges with few ratings an item is then worked on without its gaps.

    Args:
        values: ratings, one row an item and one column a judge; NaN or None where a judge gave none
        coefficient: what is followed when a judge is left out, a function of `Ratings`
        names: the judges' names; 1, 2, … unless given
        interchangeable: the coefficient does not ask who gave a rating

    >>> from nlgauge.stats.agreement import krippendorff, leave_one_out
    >>> ratings = [[1, 1, 1], [2, 2, 3], [3, 3, 3], [1, 2, 1], [2, 2, 2]]
    >>> reports = leave_one_out(ratings, lambda seen: krippendorff(seen, "ordinal"), ["ann", "ben", "cem"])
    >>> [(report.judge, round(report.change, 3)) for report in reports]
    [('ann', -0.092), ('ben', 0.098), ('cem', 0.003)]
    """
    ratings = require_pairs(Ratings.of(values))
    labels = [str(place + 1) for place in range(ratings.judges)] if names is None else list(names)
    if len(labels) != ratings.judges:
        raise InputError(f"there are {ratings.judges} judges, but {len(labels)} names")
    whole = _value(coefficient, ratings)
    without_judge = _packed(ratings) if interchangeable else _without(ratings)
    counts = ratings.counts()
    numbers = None if ratings.numbers is None else ratings.values()
    reports = []
    for place, label in enumerate(labels):
        without = _value(coefficient, without_judge(place)) if ratings.judges > 2 else math.nan
        own = ratings.codes[:, place]
        given = numbers[own >= 0, place] if numbers is not None else np.empty(0)
        reports.append(
            JudgeReport(
                judge=label,
                ratings=int(np.count_nonzero(own >= 0)),
                mean=float(given.mean()) if len(given) else math.nan,
                deviation=float(given.std(ddof=1)) if len(given) > 1 else math.nan,
                agreement=_share_agreeing(counts, own),
                correlation=_with_others(numbers, place),
                without=without,
                change=without - whole,
            )
        )
    return tuple(reports)


def _without(ratings: Ratings) -> Callable[[int], Ratings]:
    return lambda place: ratings.take(judges=[judge for judge in range(ratings.judges) if judge != place])


def _packed(ratings: Ratings) -> Callable[[int], Ratings]:
    """The same, with the ratings of each item side by side, whoever gave them."""
    given = ratings.codes >= 0
    most = max(2, int(given.sum(axis=1).max()))
    judge = np.argsort(~given, axis=1, kind="stable")[:, :most]
    codes = np.take_along_axis(ratings.codes, judge, axis=1)
    return lambda place: replace(ratings, codes=np.where(judge == place, -1, codes))


def with_mean_of_others(numbers: Array, place: int) -> tuple[Array, Array]:
    """One judge's ratings and the mean of the others', on the items where both exist."""
    rated = numbers[~np.isnan(numbers[:, place])]
    others = np.delete(rated, place, axis=1)
    present = ~np.isnan(others)
    sizes = present.sum(axis=1)
    both = sizes > 0
    means = np.where(present, others, 0.0).sum(axis=1)[both] / sizes[both]
    return rated[both, place], means


def _with_others(numbers: Array | None, place: int) -> float:
    if numbers is None:
        return math.nan
    own, means = with_mean_of_others(numbers, place)
    return spearman(own, means) if len(own) >= ENOUGH else math.nan


def correlation_with_others(numbers: Array, place: int) -> float:
    """Pearson's r of one judge with the mean of the others; NaN where it is not defined."""
    own, means = with_mean_of_others(numbers, place)
    return pearson(own, means) if len(own) >= ENOUGH else math.nan


def _share_agreeing(counts: Array, own: Any) -> float:
    """Over the items with another rating, the mean share of the other ratings that equal this judge's."""
    rated = own >= 0
    sizes = counts[rated].sum(axis=1) - 1
    same = counts[rated, own[rated]] - 1
    paired = sizes > 0
    return float((same[paired] / sizes[paired]).mean()) if paired.any() else math.nan


def _value(coefficient: Callable[[Ratings], Coefficient], ratings: Ratings) -> float:
    try:
        return coefficient(ratings).estimate
    except InputError:  # undefined or impossible for these judges: said by a gap in the table
        return math.nan
