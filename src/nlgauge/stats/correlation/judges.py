"""How well a single judge, or a single run of a metric, predicts the mean of a group.

The statistic in brackets in Table 3 of Belz and Reiter (2006): the mean Pearson correlation between the scores
of single judges (or runs) of one group and the mean scores of another group, over systems. A judge who belongs to
the group is part of its mean there, which flatters small groups; `leave_out=True` takes each judge out of the mean
it is compared with.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.results import Result
from nlgauge.stats.correlation.statistic import STATISTICS, Statistic
from nlgauge.stats.correlation.statistic import statistic as statistic_called


@dataclass(frozen=True)
class SingleJudge(Result):
    """Mean correlation of single judges with a group's mean, beside the correlation of the two means."""

    estimate: float
    of_means: float
    judges: int
    undefined: int
    n: int
    statistic: str = "pearson"
    values: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.of_means:.3f} ({self.estimate:.3f})"


def single_judge(
    singles: Any, group: Any | None = None, *, statistic: str | Statistic = "pearson", leave_out: bool = False
) -> SingleJudge:
    """Mean correlation of each row of `singles` with the mean row of `group`.

    Both are (judges, systems) scores, NaN where missing; without `group` the judges are compared with their own
    mean, and `leave_out` then leaves each out of the mean it is compared with.

    Args:
        singles: scores of single judges, one row a judge and one column a system
        group: the judges whose mean they are compared with; without it their own
        statistic: a coefficient of two vectors, such as `pearson`
        leave_out: take each judge out of the mean that it is compared with

    >>> print(single_judge([[1, 2, 3, 4], [2, 1, 3, 5]]))
    1.000 (0.956)
    """
    correlation = statistic_called(statistic)
    if not correlation.coefficient:
        known = ", ".join(name for name, value in STATISTICS.items() if value.coefficient)
        raise InputError(f"single judges are compared by {known}; got {correlation.name!r}")
    rows = _judges(singles, "single judges")
    others = rows if group is None else _judges(group, "the group")
    if rows.shape[1] != others.shape[1]:
        raise InputError(f"judges and group must score the same systems; got {rows.shape[1]} and {others.shape[1]}")
    if leave_out and group is not None:
        raise InputError("leaving a judge out needs a group that the judge belongs to: give no other group")
    if leave_out and len(rows) < 2:
        raise InputError("leaving a judge out needs at least two judges")
    values = []
    for place, row in enumerate(rows):
        kept = np.delete(others, place, axis=0) if leave_out else others
        values.append(correlation(row, _mean(kept)))
    defined = [value for value in values if not math.isnan(value)]
    undefined = len(values) - len(defined)
    notes = (f"left out: {undefined} with constant or too few scores",) if undefined else ()
    return SingleJudge(
        estimate=float(np.mean(defined)) if defined else math.nan,
        of_means=correlation(_mean(rows), _mean(others)),
        judges=len(defined),
        undefined=undefined,
        n=rows.shape[1],
        statistic=correlation.name,
        values=tuple(values),
        notes=notes,
    )


def _mean(rows: Array) -> Array:
    present = ~np.isnan(rows)
    count = present.sum(axis=0)
    return np.where(count > 0, np.where(present, rows, 0.0).sum(axis=0) / np.maximum(count, 1), np.nan)


def _judges(scores: Any, whose: str) -> Array:
    try:
        array = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"scores of {whose} must be numbers, as many systems for each judge: {error}") from None
    if array.ndim == 1:
        array = array[None, :]
    if array.ndim != 2 or not array.size:
        raise InputError(f"scores of {whose} must be a (judges, systems) table; got shape {array.shape}")
    return array
