"""Judges who rate apart from the others of a panel, and judges who use the scale unlike them.

Two figures of each judge are held against the rest's, each judge's level being taken away first:

distance    the mean square of the judge's ratings less the mean of the others' of the same items. The rest's squares
            say how such a mean varies: a gamma distribution with their mean and variance, which of normal errors is the
            chi-square test and of items that divide judges has the longer tail that these bring.
following   the rank correlation with the mean of the others, by Fisher's z against the rest's mean, whose spread beyond
            what chance brings counts as noise.

A judge is *apart* where the distance is larger or the correlation smaller than the rest's, one-sided, after Holm's
correction over both figures of all judges; a distance counts only with a correlation below the rest's, because who uses
the scale more widely lies far from the others and follows them well. The judge furthest apart is set aside before the
rest are looked at again, so that one does not hide another; more than a third of a panel cannot be apart from it.

Level and width are another matter: judges differ in them without any fault, so only who lies outside what the others
differ by is named.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.stats.multiple import holm
from nlgauge.stats.ranks import midranks

FEWEST = 6  # ratings of a judge beside others', below which nothing is said
EFFICIENT = 0.37  # a spread from a median deviation knows as little as a standard deviation of so many fewer values
PANEL = 3  # judges, below which nobody can be told from the rest
ROUNDS = 25  # of alternating means; levels of a connected design settle long before
SPREAD = 1.4826  # from a median absolute deviation to a standard deviation
RANKS = 1.06  # the variance of Fisher's z of a rank correlation, times n - 3 (Fieller, Hartley and Pearson 1957)
WITH = 0.25  # a distance counts with a correlation whose own p, uncorrected, is below this
NARROW, WIDE = 0.5, 2.0  # ratios of standard deviations


@dataclass(frozen=True)
class Apart:
    """What is known of one judge beside the others; NaN where there are too few ratings."""

    correlation: float  # rank correlation with the mean of the others
    distance: float  # root mean square from the mean of the others, levels taken away
    p: float  # that the judge is no further apart than the rest, corrected; 1 for those who were not tested
    level: float  # above (or below) the others
    p_level: float
    width: float  # standard deviation over the others' median one
    p_width: float
    apart: bool


def apart(numbers: Array, *, alpha: float = 0.01) -> tuple[Apart, ...]:
    """Every judge of a table of items × judges (NaN for gaps)."""
    judges = numbers.shape[1]
    levels, inside, p = _levels(numbers), np.ones(judges, dtype=bool), np.ones(judges)
    squares, correlations = _figures(numbers - levels, inside)
    distances = [math.sqrt(float(row.mean())) if len(row) else math.nan for row in squares]
    found = correlations
    while inside.sum() >= PANEL:
        corrected = _tests(squares, found, inside)
        worst = int(np.argmin(np.where(inside, corrected, math.inf)))
        p[inside] = corrected[inside]
        if corrected[worst] >= alpha or 3 * (judges - int(inside.sum()) + 1) > judges:
            break
        inside[worst] = False
        kept = np.where(inside, numbers, math.nan)
        squares, found = _figures(kept - _levels(kept), inside)
    p_level = _level_tests(numbers, levels)
    widths, p_width = _width_tests(numbers)
    figures = (correlations, np.array(distances), p, levels, p_level, widths, p_width, ~inside)
    return tuple(Apart(*row) for row in zip(*(column.tolist() for column in figures), strict=True))


def _levels(numbers: Array) -> Array:
    """Each judge's level above the others' on the items they share; 0 for who shares none."""
    given = ~np.isnan(numbers)
    given &= (given.sum(axis=1) > 1)[:, None]
    values, there = np.where(given, numbers, 0.0), given.any(axis=0)
    sizes, counts = np.maximum(given.sum(axis=1), 1), np.maximum(given.sum(axis=0), 1)
    levels = np.zeros(numbers.shape[1])
    for _ in range(ROUNDS if there.any() else 0):
        items = (values - given * levels).sum(axis=1) / sizes
        levels = (values - given * items[:, None]).sum(axis=0) / counts
        levels = np.where(there, levels - levels[there].mean(), 0.0)
    return levels


def _figures(centred: Array, inside: NDArray[np.bool_]) -> tuple[list[Array], Array]:
    """Of each judge the squared distances from the mean of the others, and the rank correlation with it.

    A mean of few others varies, which is allowed for, as is the level that each judge's own ratings gave.
    """
    given = ~np.isnan(centred)
    values = np.where(given, centred, 0.0)
    total, size = values.sum(axis=1), given.sum(axis=1)
    squares: list[Array] = []
    correlations = np.full(centred.shape[1], math.nan)
    for place in range(centred.shape[1]):
        rows = np.flatnonzero(given[:, place] & (size > 1))
        if not inside[place] or len(rows) < FEWEST:
            squares.append(np.empty(0))
            continue
        own, others = values[rows, place], size[rows] - 1
        means = (total[rows] - own) / others
        squares.append((own - means) ** 2 * others / (others + 1) * len(rows) / (len(rows) - 1))
        correlations[place] = _rank_correlation(own, means)
    return squares, correlations


def _rank_correlation(own: Array, means: Array) -> float:
    """Spearman's; 0 for who gives one value to what others tell apart, NaN where nobody tells anything apart."""
    a, b = midranks(own), midranks(means)
    if b.std() == 0:
        return math.nan
    return 0.0 if a.std() == 0 else float(np.corrcoef(a, b)[0, 1])


def _tests(squares: list[Array], correlations: Array, inside: NDArray[np.bool_]) -> Array:
    """The smaller of each judge's corrected p-values, 1 where there is none."""
    sizes = np.array([len(row) for row in squares])
    tested = np.flatnonzero(inside & (sizes >= FEWEST))
    found = np.ones(len(inside))
    if len(tested) < PANEL:
        return found
    follow = _following(correlations[tested], sizes[tested])
    far = np.array([_far(squares[k], [squares[j] for j in tested if j != k]) for k in tested])
    far = np.where(follow < WITH, far, 1.0)
    corrected = holm(np.concatenate([far, follow]))
    found[tested] = np.minimum(corrected[: len(tested)], corrected[len(tested) :])
    return found


def _far(own: Array, rest: list[Array]) -> float:
    """The chance of so large a mean square among the rest's."""
    from scipy.special import gammaincc

    pool = np.concatenate(rest)
    mean, variance = float(pool.mean()), float(pool.var())
    if mean <= 0 or variance <= 0:
        return 1.0
    # the rest's mean is an estimate as well
    shape = mean**2 / (variance * (1 / len(own) + 1 / len(pool)))
    return float(gammaincc(shape, shape * float(own.mean()) / mean))


def _following(correlations: Array, sizes: NDArray[np.int_]) -> Array:
    """The chance of so small a correlation, by Fisher's z against the mean of the rest; 1 where there is none."""
    from scipy.special import ndtr

    known = np.flatnonzero(~np.isnan(correlations))
    found = np.ones(len(correlations))
    if len(known) < PANEL:
        return found
    z, noise = np.arctanh(np.clip(correlations[known], -0.99, 0.99)), RANKS / (sizes[known] - 3.0)
    beyond = max(0.0, _spread(z) ** 2 - float(np.median(noise))) if len(known) >= FEWEST else 0.0
    variance = noise + beyond
    weights = 1 / variance
    for place, k in enumerate(known):
        rest = weights.sum() - weights[place]
        mean = (float(weights @ z) - weights[place] * z[place]) / rest
        found[k] = ndtr((z[place] - mean) / math.sqrt(variance[place] + 1 / rest))
    return found


def _spread(values: Array) -> float:
    """A standard deviation that a minority does not move."""
    return SPREAD * float(np.median(np.abs(values - np.median(values))))


def _level_tests(numbers: Array, levels: Array) -> Array:
    """Two-sided p-values, corrected, that a level lies among the others'."""
    from scipy.special import stdtr

    counts = np.count_nonzero(~np.isnan(numbers), axis=0)
    tested = np.flatnonzero(counts >= FEWEST)
    found = np.ones(len(levels))
    if len(tested) < PANEL:
        return found
    centred = (numbers - levels)[~np.isnan(numbers).all(axis=1)]
    noise = float(np.nanstd(centred - np.nanmean(centred, axis=1, keepdims=True)))
    own = levels[tested]
    width = np.maximum(_spread(own), noise / np.sqrt(counts[tested]))
    if not width.all():
        return found
    t = np.abs(own - np.median(own)) / width
    found[tested] = holm(np.minimum(1.0, 2 * stdtr(EFFICIENT * (len(tested) - 1), -t)))
    return found


def _width_tests(numbers: Array) -> tuple[Array, Array]:
    """Standard deviations over the others' median one; F tests, two-sided and corrected, of those outside 0.5 to 2."""
    from scipy.special import fdtr

    counts = np.count_nonzero(~np.isnan(numbers), axis=0)
    tested = np.flatnonzero(counts >= FEWEST)
    widths, p = np.full(len(counts), math.nan), np.ones(len(counts))
    if len(tested) < PANEL:
        return widths, p
    spreads = np.nanstd(numbers[:, tested], axis=0, ddof=1)
    for place, k in enumerate(tested):
        middle = float(np.median(np.delete(spreads, place)))
        if middle > 0:
            widths[k] = spreads[place] / middle
            tail = float(fdtr(counts[k] - 1, float(np.median(counts[tested])) - 1, widths[k] ** 2))
            p[k] = min(1.0, 2 * min(tail, 1 - tail))
    p[tested] = holm(p[tested])
    return widths, np.where((widths <= NARROW) | (widths >= WIDE), p, 1.0)
