"""Agreement corrected for chance, from how many judges put each item into each category.

(observed - expected) / (1 - expected), where the observed agreement is the share of agreeing pairs of ratings of an
item, averaged over the items with two or more, and the coefficients differ in what they expect by chance:

* Fleiss' kappa (1971; Scott's pi, 1955, for two judges): two draws from the pooled shares of the categories;
* Gwet's AC1, with weights AC2 (Gwet 2008): chance counts only where a rating is uncertain;
* Brennan and Prediger's (1981; Randolph's free-marginal kappa): all categories alike;
* Conger's kappa (1980; Cohen's for two judges): draws from the shares of two different judges.

Missing ratings, weights and standard errors are those of Gwet (2014), equal to irrCAC's `raw` module. An item with a
single rating counts in the shares but not in the observed agreement.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.stats.agreement.intervals import (
    ANALYTIC,
    LEAST,
    Coefficient,
    Limits,
    drawn,
    limited,
    linearised,
    with_limits,
)
from nlgauge.stats.agreement.ratings import (
    Ratings,
    UndefinedAgreement,
    refuse_constant,
    require_pairs,
    shown,
    two_judges,
)
from nlgauge.stats.agreement.weights import Weights, weight_matrix
from nlgauge.stats.sampled import Score

Categories = Sequence[Any] | None
WIDENED = (
    "items with one rating widen the limits: those of simulated ratings with a fifth of them missing held the true "
    "value in 98 to 99 % of samples of two judges and 93 to 97 % of three (nominally 95 %)"
)


def percent_agreement(
    values: Any,
    *,
    weights: Weights = "identity",
    categories: Categories = None,
    limits: Limits = ANALYTIC,
) -> Coefficient:
    """The share of agreeing pairs of ratings, not corrected for chance; 1 where everyone always agrees.

    With one pair of ratings an item it is a share of items, and its limits are Wilson's.

    Args:
        values: ratings, one row an item and one column a judge; NaN or None where a judge gave none
        weights: how near two categories are: identity, linear, quadratic, ordinal, …, or a table of weights
        categories: all values of the scale, where the judges did not use each of them
        limits: how the confidence interval is found, see `Limits`

    >>> from nlgauge.stats.agreement import percent_agreement
    >>> ratings = [[1, 1, 1], [2, 2, 3], [3, 3, 3], [1, 2, 1], [2, 2, 2]]
    >>> round(percent_agreement(ratings).estimate, 3)
    0.733
    """
    seen = _seen(values, weights, categories)
    items = int(seen.paired.sum())
    name = "percent agreement"
    result = Coefficient(
        seen.observed, level=limits.level, name=name, n=items, judges=seen.judges, observed=seen.observed
    )
    if limits.method == "none":
        return result
    if limits.method == "bootstrap":
        rows = np.column_stack([seen.agreement, seen.paired])
        return with_limits(result, drawn(rows[seen.paired], lambda totals: totals[..., 0] / totals[..., 1], limits))
    agreement = seen.agreement[seen.paired]
    # where one value was seen the only weight is 1, yet other values were possible: no agreement lies below 0
    least = float(seen.weights.min()) if len(seen.weights) > 1 else 0.0
    if set(np.unique(agreement)) <= {0.0, 1.0} and np.all(seen.sizes <= 2):
        low, high = _wilson(float(agreement.sum()), items, limits.level)
        return with_limits(result, {"low": low, "high": high, "method": "Wilson score interval"})
    found = linearised(seen.observed, agreement, limits, unanimous=items)
    # A test that agreement is 0 before any correction for chance would say nothing.
    return with_limits(
        result, {key: value for key, value in found.items() if key not in ("statistic", "p", "df")}, least
    )


class Options(TypedDict, total=False):
    """What every coefficient corrected for chance takes."""

    weights: Weights
    categories: Categories
    limits: Limits


def fleiss(values: Any, **options: Unpack[Options]) -> Coefficient:
    """Fleiss' kappa for any number of judges; the judges need not be the same for all items.

    Args:
        values: ratings, one row an item and one column a judge; NaN or None where a judge gave none
        options: `weights`, `categories` and `limits`, as those of `percent_agreement`

    >>> from nlgauge.stats.agreement import fleiss
    >>> ratings = [[1, 1, 1], [2, 2, 3], [3, 3, 3], [1, 2, 1], [2, 2, 2]]
    >>> round(fleiss(ratings).estimate, 3)
    0.595
    """
    return _of_ratings(values, _POOLED, "Fleiss' kappa", **options)


def scott(values: Any, **options: Unpack[Options]) -> Coefficient:
    """Scott's pi: two judges, on the items both rated.

    Args:
        values: ratings, one row an item and one column a judge; NaN or None where a judge gave none
        options: `weights`, `categories` and `limits`, as those of `percent_agreement`

    >>> from nlgauge.stats.agreement import scott
    >>> ratings = [["good", "good"], ["bad", "bad"], ["good", "bad"], ["bad", "bad"]]
    >>> round(scott(ratings).estimate, 3)
    0.467
    """
    ratings = require_pairs(Ratings.of(values, options.pop("categories", None)))
    return _of_ratings(two_judges(ratings, "Scott's pi"), _POOLED, "Scott's pi", **options)


def gwet(values: Any, **options: Unpack[Options]) -> Coefficient:
    """Gwet's AC1, or AC2 with weights. Declare the `categories` where the judges did not use all of them.

    Args:
        values: ratings, one row an item and one column a judge; NaN or None where a judge gave none
        options: `weights`, `categories` and `limits`, as those of `percent_agreement`

    >>> from nlgauge.stats.agreement import gwet
    >>> ratings = [[1, 1, 1], [2, 2, 3], [3, 3, 3], [1, 2, 1], [2, 2, 2]]
    >>> round(gwet(ratings, weights="ordinal", categories=[1, 2, 3, 4, 5]).estimate, 3)
    0.935
    """
    weights = options.get("weights", "identity")
    plain = isinstance(weights, str) and weights == "identity"
    return _of_ratings(values, _GWET, "Gwet's AC1" if plain else "Gwet's AC2", **options)


def brennan_prediger(values: Any, **options: Unpack[Options]) -> Coefficient:
    """The Brennan-Prediger coefficient. Declare the `categories` where the judges did not use all of them.

    Args:
        values: ratings, one row an item and one column a judge; NaN or None where a judge gave none
        options: `weights`, `categories` and `limits`, as those of `percent_agreement`

    >>> from nlgauge.stats.agreement import brennan_prediger
    >>> ratings = [[1, 1, 1], [2, 2, 3], [3, 3, 3], [1, 2, 1], [2, 2, 2]]
    >>> round(brennan_prediger(ratings, categories=[1, 2, 3, 4, 5]).estimate, 3)
    0.667
    """
    return _of_ratings(values, _UNIFORM, "Brennan-Prediger coefficient", **options)


def conger(values: Any, **options: Unpack[Options]) -> Coefficient:
    """Conger's kappa: Cohen's for more than two judges, each with shares of their own.

    Args:
        values: ratings, one row an item and one column a judge; NaN or None where a judge gave none
        options: `weights`, `categories` and `limits`, as those of `percent_agreement`

    >>> from nlgauge.stats.agreement import conger
    >>> ratings = [[1, 1, 1], [2, 2, 3], [3, 3, 3], [1, 2, 1], [2, 2, 2]]
    >>> round(conger(ratings).estimate, 3)
    0.608
    """
    return _of_ratings(values, _OWN_SHARES, "Conger's kappa", **options)


def fleiss_table(table: Any, *, weights: Weights = "identity", limits: Limits = ANALYTIC) -> Coefficient:
    """Fleiss' kappa from counts: how many judges put each item (row) into each category (column).

    Args:
        table: how many judges put each item (row) into each category (column)
        weights: how near two categories are: identity, linear, quadratic, ordinal, …, or a table of weights
        limits: how the confidence interval is found, see `Limits`

    >>> from nlgauge.stats.agreement import fleiss_table
    >>> counts = [[3, 0, 0], [0, 2, 1], [0, 0, 3], [2, 1, 0], [0, 3, 0]]
    >>> round(fleiss_table(counts).estimate, 3)
    0.595
    """
    return _corrected(_counted(table, weights), _POOLED, "Fleiss' kappa", limits)


def brennan_prediger_table(table: Any, *, weights: Weights = "identity", limits: Limits = ANALYTIC) -> Coefficient:
    """The Brennan-Prediger coefficient (Randolph's kappa) from counts, items × categories.

    Args:
        table: how many judges put each item (row) into each category (column)
        weights: how near two categories are: identity, linear, quadratic, ordinal, …, or a table of weights
        limits: how the confidence interval is found, see `Limits`

    >>> from nlgauge.stats.agreement import brennan_prediger_table
    >>> counts = [[3, 0, 0], [0, 2, 1], [0, 0, 3], [2, 1, 0], [0, 3, 0]]
    >>> round(brennan_prediger_table(counts).estimate, 3)
    0.6
    """
    return _corrected(_counted(table, weights), _UNIFORM, "Brennan-Prediger coefficient", limits)


def fleiss_zero_test(values: Any, *, categories: Categories = None) -> tuple[float, float]:
    """z and two-sided p of the hypothesis that Fleiss' kappa is 0 (Fleiss, Nee and Landis 1979; R's `irr`).

    For items that all have the same number of ratings. The test of `fleiss` itself uses the standard error that kappa
    has where it is not 0.

    Args:
        values: ratings, one row an item and one column a judge; NaN or None where a judge gave none
        categories: all values of the scale, where the judges did not use each of them

    >>> from nlgauge.stats.agreement import fleiss_zero_test
    >>> ratings = [[1, 1, 1], [2, 2, 3], [3, 3, 3], [1, 2, 1], [2, 2, 2]]
    >>> z, p = fleiss_zero_test(ratings)
    >>> round(z, 2), round(p, 4)
    (3.23, 0.0012)
    """
    from scipy.special import ndtr

    seen = _seen(values, "identity", categories)
    if np.any(seen.sizes != seen.sizes[0]):
        raise InputError("this test needs the same number of ratings for every item; use the p of `fleiss`")
    shares, n, size = seen.shares.mean(axis=0), len(seen.counts), float(seen.sizes[0])
    spread = float(np.sum(shares * (1 - shares)))
    kappa = _corrected(seen, _POOLED, "Fleiss' kappa", Limits("none")).estimate
    uneven = float(np.sum(shares * (1 - shares) * (1 - 2 * shares)))
    error = math.sqrt(2 * (spread**2 - uneven) / (n * size * (size - 1))) / spread
    return kappa / error, float(2 * ndtr(-abs(kappa / error)))


@dataclass(frozen=True)
class _Seen:
    """What all coefficients of the family start from."""

    ratings: Ratings
    counts: Array  # items × categories
    weights: Array
    sizes: Array  # ratings of each item
    paired: Any  # items with two or more
    agreement: Array  # share of agreeing pairs of each item; 0 where there are none

    @property
    def judges(self) -> int:
        return self.ratings.judges

    @property
    def observed(self) -> float:
        return float(self.agreement.sum() / self.paired.sum())

    @property
    def shares(self) -> Array:
        """The categories' shares of each item's ratings."""
        return self.counts / self.sizes[:, None]


def _seen(values: Any, weights: Weights, categories: Categories) -> _Seen:
    ratings = require_pairs(Ratings.of(values, categories)).rated()
    return _compared(ratings, ratings.counts(), weight_matrix(weights, ratings))


def _compared(ratings: Ratings, counts: Array, matrix: Array) -> _Seen:
    sizes = counts.sum(axis=1)
    agreeing = np.sum(counts * (counts @ matrix - 1), axis=1)
    agreement = np.where(sizes >= 2, agreeing / np.maximum(sizes * (sizes - 1), 1), 0.0)
    return _Seen(ratings, counts, matrix, sizes, sizes >= 2, agreement)


def _counted(table: Any, weights: Weights) -> _Seen:
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or not counts.size:
        raise InputError("expected a table of counts, items × categories")
    if not np.all(np.isfinite(counts)) or counts.min() < 0:
        raise InputError("a table of ratings must hold counts from 0 up")
    counts = counts[counts.sum(axis=1) > 0]
    sizes = counts.sum(axis=1)
    if not np.any(sizes >= 2):
        raise InputError("no item has two ratings, so there is nothing to agree on")
    numbers = np.arange(1.0, counts.shape[1] + 1)
    gaps = np.full((len(counts), math.ceil(sizes.max())), -1, dtype=np.int64)
    ratings = Ratings(gaps, tuple(numbers.tolist()), numbers, ordered=True, declared=True)
    return _compared(ratings, counts, weight_matrix(weights, ratings))


@dataclass(frozen=True)
class _Chance:
    """One idea of chance: `columns` adds what it needs to the rows that are summed over items, `expected` turns
    summed rows into expected agreement, `influence` says what each item contributes to it."""

    columns: Callable[[_Seen], Array]
    expected: Callable[[_Seen, Array], Array]
    influence: Callable[[_Seen, float], Array]


def _of_ratings(
    values: Any,
    chance: _Chance,
    name: str,
    weights: Weights = "identity",
    categories: Categories = None,
    limits: Limits = ANALYTIC,
) -> Coefficient:
    return _corrected(_seen(values, weights, categories), chance, name, limits)


def _corrected(seen: _Seen, chance: _Chance, name: str, limits: Limits) -> Coefficient:
    columns = chance.columns(seen)
    expected = float(chance.expected(seen, columns.sum(axis=0)))
    if expected >= 1 - 1e-12:
        refuse_constant(seen.ratings, name)
        raise UndefinedAgreement(name, "agreement by chance is certain (0/0)")
    estimate = (seen.observed - expected) / (1 - expected)
    value = seen.ratings.constant()
    alike = (f"every rating is {shown(value)}: nobody could be seen to tell the items apart",)
    result = Coefficient(
        estimate,
        level=limits.level,
        name=name,
        n=int(seen.paired.sum()),
        judges=seen.judges,
        observed=seen.observed,
        expected=expected,
        notes=alike if value is not None else (),
    )
    # Uniform chance does not depend on the ratings, so the least value is known; with weights it may be far below -1.
    fixed = (float(seen.weights.min()) - expected) / (1 - expected)
    least = fixed if chance is _UNIFORM else LEAST

    def score(totals: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            chance_agreement = chance.expected(seen, totals[..., 2:])
            value = (totals[..., 0] / totals[..., 1] - chance_agreement) / (1 - chance_agreement)
        return np.where(chance_agreement >= 1 - 1e-12, math.nan, value)

    def resampling() -> tuple[Array, Score]:
        return np.column_stack([seen.agreement, seen.paired, columns]), score

    def analytic() -> dict[str, Any]:
        n, paired = len(columns), int(seen.paired.sum())
        direct = n / paired * (seen.agreement - expected * seen.paired) / (1 - expected)
        through_chance = 2 * (1 - estimate) * (chance.influence(seen, expected) - expected) / (1 - expected)
        found = linearised(estimate, direct - through_chance, limits, unanimous=float(paired), expected=expected)
        if chance in (_GWET, _UNIFORM) and not np.array_equal(seen.weights, np.eye(len(seen.weights))) and n > paired:
            found["notes"] = (*found.get("notes", ()), WIDENED)
        return found

    return limited(result, limits, analytic, resampling, least)


def _quadratic_form(weights: Array, shares: Array) -> Array:
    return np.asarray(np.sum(shares * (shares @ weights), axis=-1))


def _normalised(totals: Array) -> Array:
    """Shares from sums of shares: they add up to the number of items."""
    return np.asarray(totals / totals.sum(axis=-1, keepdims=True))


def _pooled_influence(seen: _Seen, expected: float) -> Array:
    shares = seen.shares
    return np.asarray(shares @ (seen.weights @ shares.mean(axis=0)))


def _gwet_factor(seen: _Seen) -> float:
    size = len(seen.ratings.categories)
    return math.nan if size < 2 else float(seen.weights.sum()) / (size * (size - 1))


def _gwet_expected(seen: _Seen, totals: Array) -> Array:
    shares = _normalised(totals)
    if len(seen.ratings.categories) < 2:
        return np.ones(shares.shape[:-1])
    return np.asarray(_gwet_factor(seen) * np.sum(shares * (1 - shares), axis=-1))


def _gwet_influence(seen: _Seen, expected: float) -> Array:
    shares = seen.shares
    return np.asarray(_gwet_factor(seen) * (shares @ (1 - shares.mean(axis=0))))


def _uniform_expected(seen: _Seen, totals: Array) -> Array:
    return np.full(totals.shape[:-1], seen.weights.sum() / len(seen.ratings.categories) ** 2)


def _judge_columns(seen: _Seen) -> Array:
    """One column for each judge and category: 1 where this judge put the item there."""
    size = len(seen.ratings.categories)
    hits = seen.ratings.codes[:, :, None] == np.arange(size)
    return np.asarray(hits.reshape(len(hits), -1), dtype=np.float64)


def _own_shares(seen: _Seen, totals: Array) -> Array:
    """Each judge's shares of the categories: (…, judges, categories); 0 for a judge without ratings."""
    tally = totals.reshape(*totals.shape[:-1], seen.judges, -1)
    return np.asarray(tally / np.maximum(tally.sum(axis=-1, keepdims=True), 1))


def _conger_expected(seen: _Seen, totals: Array) -> Array:
    """The mean over all pairs of different judges."""
    shares = _own_shares(seen, totals)
    active = np.count_nonzero(shares.sum(axis=-1) > 0, axis=-1)
    whole = _quadratic_form(seen.weights, shares.sum(axis=-2))
    alone = _quadratic_form(seen.weights, shares).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((whole - alone) / (active * (active - 1)))


def _conger_influence(seen: _Seen, expected: float) -> Array:
    codes, n, judges = seen.ratings.codes, len(seen.counts), seen.judges
    shares = _own_shares(seen, _judge_columns(seen).sum(axis=0))
    given = (codes >= 0).sum(axis=0)
    # What one more rating by judge g in category l adds: its agreement with the shares of all other judges.
    reward = (shares.sum(axis=0) - shares) @ seen.weights
    influence = np.zeros(n)
    for judge in range(judges):
        if not given[judge]:
            raise InputError(f"judge {judge + 1} gave no rating; leave the column out")
        rated = codes[:, judge] >= 0
        own = np.where(rated, reward[judge][codes[:, judge]], 0.0)
        mean = float(reward[judge] @ shares[judge])
        influence += n / given[judge] * (own - (rated - given[judge] / n) * mean)
    return np.asarray(influence / (judges * (judges - 1)))


_POOLED = _Chance(
    lambda seen: seen.shares,
    lambda seen, totals: _quadratic_form(seen.weights, _normalised(totals)),
    _pooled_influence,
)
_GWET = _Chance(lambda seen: seen.shares, _gwet_expected, _gwet_influence)
_UNIFORM = _Chance(
    lambda seen: seen.shares, _uniform_expected, lambda seen, expected: np.full(len(seen.counts), expected)
)
_OWN_SHARES = _Chance(_judge_columns, _conger_expected, _conger_influence)


def _wilson(hits: float, n: int, level: float) -> tuple[float, float]:
    """Wilson's (1927) limits for a share."""
    from scipy.special import ndtri

    z = float(ndtri(0.5 + level / 2))
    share = hits / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, centre - reach), min(1.0, centre + reach)
