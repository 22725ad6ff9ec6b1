"""Agreement on sets and spans: Jaccard, pooled F1, and distances between sets for Krippendorff's alpha.

Each judge gives a set for each item (labels, error types, marked spans), perhaps an empty one; None is a gap. Jaccard's
index is averaged over pairs of judges, then items. F1 is pooled over items and pairs, 2 Σ common / Σ sizes, which for
two judges is the usual F1 with either as the truth; where nobody can count true negatives, as with spans, kappa tends
to it (Hripcsak and Rothschild 2005). MASI (Passonneau 2006) is Jaccard weighted by how the sets contain each other; as
distances, both equal NLTK's.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.stats.agreement.intervals import ANALYTIC, Limits, drawn, left_out, linearised, with_limits
from nlgauge.stats.agreement.ratings import UndefinedAgreement
from nlgauge.stats.agreement.results import Coefficient

Sets = Sequence[Sequence[Collection[Hashable] | None]]


def jaccard_agreement(sets: Sets, *, limits: Limits = ANALYTIC) -> Coefficient:
    """The mean Jaccard index of two judges' sets for an item; two empty sets agree (1).

    Args:
        sets: for each item (row) and judge (column) the set of labels or places given; None where a judge gave none
        limits: how the confidence interval is found, see `Limits`

    >>> from nlgauge.stats.agreement import jaccard_agreement
    >>> sets = [[{"fluent"}, {"fluent"}], [{"short", "dull"}, {"dull"}], [set(), set()]]
    >>> round(jaccard_agreement(sets).estimate, 3)
    0.833
    """
    table, judges = _table(sets)
    per_item = np.array([_mean(jaccard(a, b) for a, b in combinations(row, 2)) for row in table])
    estimate = float(per_item.mean())
    result = Coefficient(estimate, level=limits.level, name="Jaccard index", n=len(per_item), judges=judges)
    if limits.method == "none":
        return result
    rows = np.column_stack([per_item, np.ones(len(per_item))])
    return with_limits(result, _found(estimate, per_item, rows, limits), least=0.0)


def f1_agreement(sets: Sets, *, limits: Limits = ANALYTIC) -> Coefficient:
    """F1 of two judges' sets, pooled over items and pairs of judges; items that nobody marked do not count.

    Args:
        sets: for each item (row) and judge (column) the set of labels or places given; None where a judge gave none
        limits: how the confidence interval is found, see `Limits`

    >>> from nlgauge.stats.agreement import f1_agreement
    >>> sets = [[{"fluent"}, {"fluent"}], [{"short", "dull"}, {"dull"}], [set(), set()]]
    >>> round(f1_agreement(sets).estimate, 3)
    0.8
    """
    table, judges = _table(sets)
    rows = np.array([_common(row) for row in table])
    used = rows[:, 1] > 0
    if not used.any():
        raise UndefinedAgreement("F1", "nobody marked anything in any item")
    rows = rows[used]
    common, sizes = rows.sum(axis=0)
    estimate = float(common / sizes)
    idle = int(np.count_nonzero(~used))
    result = Coefficient(
        estimate,
        level=limits.level,
        name="F1",
        n=len(rows),
        judges=judges,
        notes=(f"{idle:,} items that nobody marked do not count",) if idle else (),
    )
    if limits.method == "none":
        return result
    influence = estimate + (rows[:, 0] - estimate * rows[:, 1]) / rows[:, 1].mean()
    return with_limits(result, _found(estimate, influence, rows, limits), least=0.0)


def positions(spans: Collection[Sequence[Any]]) -> frozenset[tuple[Any, ...]]:
    """The characters (or tokens) that spans (start, end) or (start, end, label) cover, end excluded.

    Give these to `f1_agreement` or `jaccard_agreement` to credit spans that overlap without being equal.

    Args:
        spans: (start, end) or (start, end, label), end excluded

    >>> from nlgauge.stats.agreement import positions
    >>> sorted(positions([(0, 3, "minor"), (2, 4, "minor")]))
    [('minor', 0), ('minor', 1), ('minor', 2), ('minor', 3)]
    """
    covered: set[tuple[Any, ...]] = set()
    for span in spans:
        start, end, *label = span
        if not (isinstance(start, int) and isinstance(end, int) and 0 <= start <= end):
            raise InputError(f"the span {span!r} must be (start, end) with whole numbers, 0 ≤ start ≤ end")
        covered |= {(*label, place) for place in range(start, end)}
    return frozenset(covered)


def jaccard(first: Collection[Hashable], second: Collection[Hashable]) -> float:
    """Common elements over all elements; 1 for two empty sets."""
    a, b = frozenset(first), frozenset(second)
    return len(a & b) / len(a | b) if a or b else 1.0


def jaccard_distance(first: Collection[Hashable], second: Collection[Hashable]) -> float:
    """1 - Jaccard: for `krippendorff(sets, jaccard_distance)`.

    Args:
        first: one set
        second: another

    >>> from nlgauge.stats.agreement import jaccard_distance
    >>> jaccard_distance({"short", "dull"}, {"dull"})
    0.5
    """
    return 1 - jaccard(first, second)


def masi_distance(first: Collection[Hashable], second: Collection[Hashable]) -> float:
    """1 - Jaccard × m, m = 1 for equal sets, 2/3 where one holds the other, 1/3 where they overlap, else 0.

    Args:
        first: one set
        second: another

    >>> from nlgauge.stats.agreement import masi_distance
    >>> round(masi_distance({"short", "dull"}, {"dull"}), 3)
    0.667
    """
    a, b = frozenset(first), frozenset(second)
    if a == b:
        return 0.0
    monotony = 2 / 3 if a <= b or b <= a else 1 / 3 if a & b else 0.0
    return 1 - jaccard(a, b) * monotony


def _table(sets: Sets) -> tuple[list[list[frozenset[Hashable]]], int]:
    """The items with two or more sets, and the number of judges."""
    rows = [[None if marks is None else _frozen(marks) for marks in row] for row in sets]
    judges = max((len(row) for row in rows), default=0)
    if judges < 2:
        raise InputError(f"agreement needs at least two judges; got {judges}")
    table = [[marks for marks in row if marks is not None] for row in rows]
    table = [row for row in table if len(row) >= 2]
    if not table:
        raise InputError("no item was marked by two judges, so there is nothing to agree on")
    return table, judges


def _frozen(marks: Any) -> frozenset[Hashable]:
    if isinstance(marks, str) or not isinstance(marks, Collection):
        raise InputError(f"expected a set for each item and judge, None for a gap; got {marks!r}")
    return frozenset(marks)


def _mean(values: Any) -> float:
    found = list(values)
    return float(sum(found) / len(found))


def _common(row: list[frozenset[Hashable]]) -> tuple[float, float]:
    """2 Σ common and Σ sizes over the pairs, weighted so that each item counts by its marks, not by its pairs."""
    pairs = math.comb(len(row), 2)
    common = sum(len(a & b) for a, b in combinations(row, 2))
    return 2 * common / pairs, sum(len(a) + len(b) for a, b in combinations(row, 2)) / pairs


def _found(estimate: float, influence: Array, rows: Array, limits: Limits) -> dict[str, Any]:
    def score(totals: Array) -> Array:
        return np.asarray(totals[..., 0] / totals[..., 1])

    if limits.method == "bootstrap":
        return drawn(rows, score, limits)
    if limits.method == "jackknife":
        return left_out(lambda kept: float(score(rows[kept].sum(axis=0))), len(rows), limits)
    return linearised(estimate, influence, limits, unanimous=float(len(rows)))
