"""The statistics by which a metric is compared with people: one value for each, with its name, its forms and its facts.

Whatever works on any of them (levels, bootstrap, permutation tests, `nlgauge meta`) asks the value. A coefficient of
two vectors needs its name, its words and a `plain` form; the other forms make it quick. `CONTRIBUTING.md` adds one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError, suggest
from nlgauge.stats.correlation import coefficients, pairs
from nlgauge.stats.correlation.coefficients import complete

Shares = Callable[[Array, NDArray[np.bool_]], Array]  # of people's differences (groups, pairs), and which are complete


@dataclass(frozen=True)
class Joint:
    """Forms of a statistic of groups that is no mean of their values; rows are groups, columns their members."""

    value: Callable[[Array, Array], pairs.Pooled]
    draws: Callable[[Array, Array, Array, Array | None], Array]  # with how often groups and members stand in each
    by_group: Callable[[Array, Array], Array] | None = None  # what a group adds, where whole groups can be swapped


@dataclass(frozen=True)
class Statistic:
    """A statistic of scores by people and by a metric, such as Pearson's r.

    Called with two vectors it gives its value; pairs with a missing value are left out.

    >>> statistic("kendall")([1, 2, 3, 4], [1, 3, 2, 4]), statistic("rho").words
    (0.6666666666666666, "Spearman's ρ")
    """

    name: str
    words: str
    aliases: tuple[str, ...] = ()
    plain: Callable[[Array, Array], float] | None = None  # of two complete vectors; NaN where undefined
    in_draws: Callable[[Array, Array, Array], Array] | None = None  # with how often each point stands in each draw
    at_once: Callable[[Array, Array], Array] | None = None  # along the last axis of complete arrays
    joint: Joint | None = None  # None: a statistic of groups is the mean of theirs
    shares: Shares | None = None  # what a pair ordered rightly adds
    floor: Callable[[Array, Array], float] | None = None  # of a metric that knows nothing; None: 0
    z_error: Callable[[float, int], float] | None = None  # standard error of Fisher's z of r over n points
    at_margin: Callable[[float], Statistic] | None = None  # where only pairs count that differ by more
    oriented: bool = False  # counts right pairs: where less of a metric is better its scores are turned round first
    share: bool = False  # a share, from 0 to 1
    linear: bool = False  # made of sums of products: asks for a straight line
    pairwise: bool = False  # looks at all pairs of outputs
    whole: bool = False  # of all outputs of the systems, not of a mean for each
    affordable: float = 5e7  # trials x pairs of metrics x outputs that a permutation test takes in some seconds

    @property
    def averaged(self) -> bool:
        """Whether a statistic of groups is the mean of theirs."""
        return self.joint is None and not self.whole

    @property
    def coefficient(self) -> bool:
        """Whether it is a coefficient of correlation of two vectors, whose sign says the direction."""
        return self.averaged and not self.oriented

    def __call__(self, x: Any, y: Any) -> float:
        """The value of two vectors, NaN or None where missing; NaN where it is not defined."""
        first, second = complete(x, y)
        return float(self.weighted(first, second, np.ones((1, len(first))))[0]) if len(first) > 1 else math.nan

    def weighted(self, x: Array, y: Array, counts: Array) -> Array:
        """The value of each draw of the points of two complete vectors: point i stands counts[draw, i] times."""
        if self.in_draws:
            return self.in_draws(x, y, counts)
        if self.joint:
            return self.joint.draws(x[None], y[None], np.ones((len(counts), 1)), counts)
        if self.plain is None:
            raise TypeError(f"{self.words} is not defined for two vectors")
        drawn = (np.repeat(np.arange(len(x)), times) for times in counts.astype(np.int64))
        return np.array([self.plain(x[places], y[places]) for places in drawn])

    def batch(self, x: Array, y: Array) -> Array:
        """The values along the last axis of complete arrays; leading axes broadcast."""
        if self.at_once:
            return self.at_once(x, y)
        x, y = np.broadcast_arrays(x, y)
        once = np.ones((1, x.shape[-1]))
        rows = zip(x.reshape(-1, x.shape[-1]), y.reshape(-1, y.shape[-1]), strict=True)
        return np.array([self.weighted(*sides, once)[0] for sides in rows]).reshape(x.shape[:-1])


def _kendall_like(margin: float) -> Statistic:
    """WMT's tau of pairs that people tell apart by more than the margin."""
    return Statistic(
        "kendall-like",
        "the Kendall-like τ of WMT",
        aliases=("darr",),
        at_once=partial(pairs.batch_kendall_like, margin=margin),
        joint=Joint(
            value=partial(pairs.pooled_kendall_like, margin=margin),
            draws=partial(pairs.drawn_kendall_like, margin=margin),
        ),
        shares=partial(pairs.kendall_like_shares, margin=margin),
        at_margin=_kendall_like,
        oriented=True,
        pairwise=True,
        affordable=1e10,
    )


REGISTERED = (
    Statistic(
        "pearson",
        "Pearson's r",
        aliases=("r",),
        in_draws=coefficients.weighted_pearson,
        at_once=coefficients.batch_pearson,
        z_error=lambda r, n: math.sqrt(1 / (n - 3)),
        linear=True,
        affordable=1e11,
    ),
    Statistic(
        "spearman",
        "Spearman's ρ",
        aliases=("rho",),
        in_draws=coefficients.weighted_spearman,
        at_once=coefficients.batch_spearman,
        z_error=lambda r, n: math.sqrt((1 + r * r / 2) / (n - 3)),
    ),
    Statistic(
        "kendall-b",
        "Kendall's τ-b",
        aliases=("kendall", "tau"),
        in_draws=coefficients.weighted_kendall_b,
        at_once=coefficients.batch_kendall_b,
        shares=pairs.kendall_b_shares,
        z_error=lambda r, n: math.sqrt(0.437 / (n - 4)),
        pairwise=True,
        affordable=1e9,
    ),
    Statistic(
        "kendall-c",
        "Stuart's τ-c",
        in_draws=coefficients.weighted_kendall_c,
        at_once=coefficients.batch_kendall_c,
        pairwise=True,
    ),
    Statistic(
        "pearson-pdp",
        "Pearson's r of pairwise differences",
        aliases=("pdp",),
        in_draws=coefficients.weighted_pearson,  # of one group it is the same
        at_once=coefficients.batch_pearson,
        joint=Joint(pairs.pooled_differences, pairs.drawn_differences),
        linear=True,
        pairwise=True,
    ),
    _kendall_like(0.0),
    Statistic(
        "acc23",
        "pairwise accuracy",
        aliases=("accuracy", "pairwise-accuracy"),
        in_draws=pairs.weighted_accuracy,
        at_once=pairs.batch_accuracy,
        shares=pairs.accuracy_shares,
        floor=pairs.accuracy_floor,
        oriented=True,
        share=True,
        pairwise=True,
        affordable=1e10,
    ),
    Statistic(
        "tau23",
        "τ23",
        aliases=("tau-23",),
        in_draws=lambda x, y, counts: 2 * pairs.weighted_accuracy(x, y, counts) - 1,
        at_once=lambda x, y: 2 * pairs.batch_accuracy(x, y) - 1,
        shares=lambda human, complete: 2.0 * pairs.accuracy_shares(human, complete),
        floor=lambda human, metric: 2 * pairs.accuracy_floor(human, metric) - 1,
        oriented=True,
        pairwise=True,
        affordable=1e10,
    ),
    Statistic(
        "acc-eq",
        "tie-calibrated pairwise accuracy",
        aliases=("acc*eq", "acceq"),
        at_once=lambda x, y: np.array([pairs.pooled_accuracy_eq(y[None], row[None]).value for row in x]),
        joint=Joint(pairs.pooled_accuracy_eq, pairs.drawn_accuracy_eq, pairs.accuracy_eq_of_groups),
        oriented=True,
        share=True,
        pairwise=True,
        affordable=1e9,
    ),
    Statistic(
        "spa",
        "soft pairwise accuracy",
        aliases=("soft-pairwise-accuracy",),
        oriented=True,
        share=True,
        pairwise=True,
        whole=True,
    ),
)
STATISTICS: dict[str, Statistic] = {known.name: known for known in REGISTERED}
_NAMES = {alias: known for known in REGISTERED for alias in (known.name, *known.aliases)}


def statistic(name: str | Statistic, margin: float = 0.0) -> Statistic:
    """The statistic of a name or an alias; refuses an unknown one.

    Args:
        name: such as `pearson`, `kendall` or `acc-eq`; a statistic stands for itself
        margin: the difference of people's scores up to which `kendall-like` takes two outputs for equal

    >>> statistic("rho").name
    'spearman'
    """
    if isinstance(name, Statistic):
        return name
    plain = name.strip().lower().replace("_", "-").replace(" ", "-")
    if plain not in _NAMES:
        raise InputError(f"unknown statistic {name!r}: {suggest(plain, _NAMES)}")
    chosen = _NAMES[plain]
    return chosen.at_margin(margin) if chosen.at_margin else chosen
