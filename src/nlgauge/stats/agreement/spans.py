"""Agreement on sets and spans: Jaccard, pooled F1, and distances between sets for Krippendorff's alpha.

Each judge gives a set for each item (labels, error types, marked spans), perhaps an empty one; None is a gap. Jaccard's
index is averaged over pairs of judges, then items. F1 is pooled over items and pairs, 2 Σ common / Σ sizes, which for
two judges is the usual F1 with either as the truth; where nobody can count true negatives, as with spans, kappa tends
to it (Hripcsak and Rothschild 2005). MASI (Passonneau 2006) is Jaccard weighted by how the sets contain each other; as
distances, both equal NLTK's.

Agreement of judges who mark spans of a text, beyond common characters: pairs of spans that mean the same, and alpha.

`matched` pairs two judges' spans of one text one to one, the greatest overlap (common over all characters) first; what
remains has no partner. `character_alpha` is Krippendorff's nominal alpha with each character as a unit, so that a
judge's leaving a character unmarked counts as a judgement too; its limits leave whole texts out in turn, because the
characters of a span are one decision. It is not the unitised alpha (Krippendorff 1995), which takes spans as units.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.stats.agreement.intervals import (
    ANALYTIC,
    LEAST,
    Coefficient,
    Limits,
    left_out,
    limited,
    linearised,
    with_limits,
)
from nlgauge.stats.agreement.ratings import UndefinedAgreement

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
    return _with_limits(result, per_item, np.column_stack([per_item, np.ones(len(per_item))]), limits)


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
    influence = estimate + (rows[:, 0] - estimate * rows[:, 1]) / rows[:, 1].mean()
    return _with_limits(result, influence, rows, limits)


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


def _with_limits(result: Coefficient, influence: Array, rows: Array, limits: Limits) -> Coefficient:
    def analytic() -> dict[str, Any]:
        return linearised(result.estimate, influence, limits, unanimous=float(len(rows)))

    return limited(result, limits, analytic, lambda: (rows, lambda sums: sums[..., 0] / sums[..., 1]), least=0.0)


Span = tuple[int, int]
JACKKNIFE = Limits("jackknife")


def matched(first: Sequence[Span], second: Sequence[Span]) -> list[tuple[int, int]]:
    """Places of spans that overlap, each in one pair at most.

    Args:
        first: spans (start, end) of one judge, end excluded
        second: those of the other

    >>> matched([(0, 4), (6, 9)], [(7, 12), (0, 5), (8, 9)])
    [(0, 1), (1, 0)]
    """
    pairs = []
    for a, (start, end) in enumerate(first):
        for b, (begin, stop) in enumerate(second):
            common = min(end, stop) - max(start, begin)
            if common > 0:
                pairs.append((-common / (max(end, stop) - min(start, begin)), a, b))
    taken: tuple[set[int], set[int]] = set(), set()
    found = []
    for _, a, b in sorted(pairs):
        if a not in taken[0] and b not in taken[1]:
            taken[0].add(a)
            taken[1].add(b)
            found.append((a, b))
    return sorted(found)


def character_alpha(texts: Sequence[Sequence[Sequence[Hashable]]], *, limits: Limits = JACKKNIFE) -> Coefficient:
    """Krippendorff's alpha over the characters of texts: for each text, each judge's label of each of its characters.

    Texts with one judge do not enter.

    Args:
        texts: for each text a list of judges, for each judge the label of each character
        limits: how the confidence interval is found, see `Limits`

    >>> from nlgauge.stats.agreement import character_alpha
    >>> first, second = "....ee....", "....eee..."
    >>> texts = [[first, second], ["..........", ".........."], ["ss........", "ss........"]]
    >>> round(character_alpha(texts).estimate, 3)
    0.877
    """
    used = [text for text in texts if len(text) > 1 and len(text[0])]
    if not used:
        raise InputError("no text was marked by two judges, so there is nothing to agree on")
    labels = {label: k for k, label in enumerate(dict.fromkeys(x for text in used for row in text for x in row))}
    sums = np.array([_sums(text, labels) for text in used])
    name = "Krippendorff's alpha (nominal, each character a unit)"
    if np.count_nonzero(sums[:, 1:].sum(axis=0)) < 2:
        raise UndefinedAgreement(name, "all characters have the same label")
    judges = max(len(text) for text in used)
    result = Coefficient(_alpha(sums.sum(axis=0)), level=limits.level, name=name, n=len(used), judges=judges)
    if limits.method == "none" or len(used) < 2:
        return result
    return with_limits(result, left_out(lambda kept: _alpha(sums[kept].sum(axis=0)), len(sums), limits), LEAST)


def _sums(text: Sequence[Sequence[Hashable]], labels: dict[Hashable, int]) -> NDArray[np.float64]:
    """The observed disagreement of a text's characters, and how often each label was given."""
    if len({len(row) for row in text}) > 1:
        raise InputError("every judge of a text has a label for each of its characters")
    counts = np.zeros((len(text[0]), len(labels)))
    for row in text:
        counts[np.arange(len(row)), [labels[label] for label in row]] += 1
    judges = len(text)
    within = (judges**2 - (counts**2).sum(axis=1)).sum() / (judges - 1)
    return np.concatenate([[within], counts.sum(axis=0)])


def _alpha(total: NDArray[np.float64]) -> float:
    counts = total[1:]
    n = counts.sum()
    between = n**2 - (counts**2).sum()
    return float(1 - (n - 1) * total[0] / between) if between > 0 else float("nan")
