"""Where a metric scores too high or too low: its percentiles beside those of people, in bands of people's scores.

A percentile is a mid-rank as a share: 100 (below + equal / 2) / n, where `equal` counts the value itself; its mean is
50. Any metric that does not follow people perfectly puts bad outputs too high and good ones too low on average. How
much of that is to be expected is told by an ordinary metric of the same correlation: one that is joined to people's
scores by a normal copula, of which the mean percentile at u is Φ(ρ Φ⁻¹(u) / √(2 − ρ²)).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.options import DEFAULT_SEED
from nlgauge.stats.correlation.bootstrap import Draws
from nlgauge.stats.results import Estimate

FEWEST = 20  # items in a band below which a percentile bootstrap would be too narrow to be honest
METHOD = "percentile bootstrap over items"


@dataclass(frozen=True)
class Band:
    """Outputs that people scored between `low` and `high`; `human` and `metric` are mean percentiles.

    `difference` is metric minus human, `beyond` what of it an ordinary metric of the same correlation would not show,
    `spread` the standard deviation of the metric's percentiles (28.9 where every score is equally likely). `score` and
    `deviation` are mean and standard deviation of the metric's own scores.
    """

    number: int  # from 1, the worst outputs
    low: float
    high: float
    n: int
    human: float
    metric: float
    difference: Estimate
    beyond: Estimate
    spread: float
    score: float
    deviation: float


def percentiles(values: Array, weights: Array | None = None) -> Array:
    """The percentile of each value; a value of weight 2 counts as two.

    >>> percentiles(np.array([3.0, 1.0, 3.0, 9.0])).tolist()
    [50.0, 12.5, 50.0, 87.5]
    """
    _, place = np.unique(values, return_inverse=True)
    return _ranked(place, np.ones(len(values)) if weights is None else weights)


def _ranked(place: NDArray[np.intp], weights: Array) -> Array:
    counts = np.bincount(place, weights)
    shares: Array = (np.cumsum(counts) - counts / 2) / counts.sum()
    return 100 * shares[place]


def score_bands(
    human: Array,
    metric: Array,
    items: Sequence[str],
    *,
    sign: float = 1.0,
    bands: int = 5,
    draws: int = 1000,
    confidence: float = 0.95,
    seed: int = DEFAULT_SEED,
) -> tuple[list[Band], float]:
    """The bands that hold outputs, and ρ of the ordinary metric; `sign` is -1 where less of the metric is better.

    Of `bands` equal ranges of people's percentiles an output belongs to that of its own, so equal scores share a band
    and some may be empty. NaN is left out.
    """
    if isinstance(bands, bool) or not isinstance(bands, int) or bands < 2:
        raise InputError(f"the number of bands must be a whole number from 2 up; got {bands!r}")
    known = np.isfinite(human) & np.isfinite(metric)
    names = [item for item, there in zip(items, known, strict=True) if there]
    numbers = {item: number for number, item in enumerate(dict.fromkeys(names))}
    codes = np.array([numbers[name] for name in names], dtype=np.intp)
    people, scores = human[known], metric[known]
    if len(np.unique(people)) < 2:
        return [], math.nan
    places = tuple(np.unique(side, return_inverse=True)[1] for side in (people, sign * scores))
    where = np.floor(_ranked(places[0], np.ones(len(people))) * bands / 100).astype(np.intp)
    ordinary = _Ordinary(places[0])
    figures, rho = _figures(places, where, np.ones(len(people)), ordinary)
    drawn = np.full((draws, 2, figures.shape[1]), np.nan)
    if len(numbers) > 1 and draws:
        weights = Draws.make((1, len(numbers)), "items", draws, seed).of("items", len(numbers))
        for draw, counts in enumerate(weights):
            drawn[draw] = _figures(places, where, counts[codes], ordinary)[0][2:4]
    found = []
    for band in np.unique(where).tolist():
        mine = where == band
        ends = drawn[:, :, band] if len(set(codes[mine].tolist())) >= FEWEST else drawn[:0, :, band]
        people_mean, metric_mean, difference, beyond, spread = figures[:, band].tolist()
        found.append(
            Band(
                number=band + 1,
                low=float(people[mine].min()),
                high=float(people[mine].max()),
                n=int(mine.sum()),
                human=people_mean,
                metric=metric_mean,
                difference=_estimate(difference, ends[:, 0], confidence),
                beyond=_estimate(beyond, ends[:, 1], confidence),
                spread=spread,
                score=float(scores[mine].mean()),
                deviation=float(scores[mine].std()),
            )
        )
    return found, rho


class _Ordinary:
    """The metric that is joined to people's scores by a normal copula, as scores with so many ties show it."""

    _shares = np.linspace(0.0, 1.0, 2001)
    _rhos = np.linspace(-1.0, 1.0, 81)

    def __init__(self, place: NDArray[np.intp]) -> None:
        """`place` numbers people's scores by their order; equal ones share a number."""
        self._normal = ndtri((self._shares[1:] + self._shares[:-1]) / 2)
        edges = np.append(0.0, np.cumsum(np.bincount(place))) / len(place)
        sizes, middles = np.diff(edges), 50 * (edges[1:] + edges[:-1])
        means = np.array([self.means(rho, edges) for rho in self._rhos])
        around = sizes * (middles - 50)
        self._slopes = (means - 50) @ around / (around @ (middles - 50))

    def means(self, rho: float, edges: Array) -> Array:
        """The mean percentiles of outputs whose shares by people lie between the edges."""
        each = ndtr(rho / math.sqrt(2 - rho * rho) * self._normal)
        sums = np.append(0.0, np.cumsum(each)) / len(each)
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Array = 100 * np.diff(np.interp(edges, self._shares, sums)) / np.diff(edges)
        return found

    def rho(self, slope: float) -> float:
        """The correlation of which the percentiles have this least-squares slope on those of people."""
        return float(np.interp(slope, self._slopes, self._rhos))


def _figures(
    places: tuple[NDArray[np.intp], ...], where: NDArray[np.intp], weights: Array, ordinary: _Ordinary
) -> tuple[Array, float]:
    """(5, bands) of people's and the metric's mean percentile, difference, difference beyond, and spread; and ρ."""
    human, metric = (_ranked(place, weights) for place in places)
    around = weights * (human - 50)
    varied = float(around @ (human - 50))
    rho = ordinary.rho(float(around @ (metric - 50)) / varied) if varied else math.nan
    sizes = np.bincount(where, weights)
    edges = np.append(0.0, np.cumsum(sizes)) / sizes.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        people, mean = (np.bincount(where, weights * side) / sizes for side in (human, metric))
        spread = np.sqrt(np.bincount(where, weights * (metric - mean[where]) ** 2) / sizes)
    return np.stack([people, mean, mean - people, mean - ordinary.means(rho, edges), spread]), rho


def _estimate(value: float, drawn: Array, level: float) -> Estimate:
    drawn = drawn[np.isfinite(drawn)]
    if not len(drawn):
        return Estimate(value, level=level, method=METHOD)
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(value, float(low), float(high), level, METHOD, len(drawn))
