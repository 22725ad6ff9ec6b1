"""A system's human mean from few judgements and a metric on all items: control variates.

Chaganty, Mussmann and Liang (2018) show that the mean of y − α·(g − ḡ), with g an automatic metric whose mean over
all items is known, is the best unbiased estimate from judgements y of some items, and that its variance is

    (σ_f² (1 − ρ²) + σ_a²) / n

per judged item, where σ_f² is the variance of the items' true quality f, ρ the correlation of g with f, and σ_a² the
variance of judgements of one item. So the noise of annotators bounds what any metric can save: a perfect one still
leaves σ_a². Judgements saved: with the metric n items do the work of n·(σ_f² + σ_a²) / (σ_f² (1 − ρ²) + σ_a²).

Here α is the least-squares slope on the judged items, which makes it the regression estimator of survey sampling
(Cochran 1977, chapter 7); several metrics, and indicators of strata (post-stratification), are further columns. Beside
the paper's formula the interval accounts for

* the slope's own error: t quantiles with n − 1 − k degrees of freedom and the leverage of the difference in means;
* the finite number N of items the metric was computed on, as in double sampling (Cochran, chapter 12):
  `target="population"` asks for the mean over all items there might be and adds the variance of the metric's mean;
  `target="set"` asks for the mean over these N items, had all been judged, and takes out the part of the items'
  variance that was seen, (1 − n/N). The judges' noise never gets this correction: N items judged once are not known
  exactly.

Assumed: the judged items are a random sample of all items (or of each stratum), and judgements of different items are
independent. Items judged because they looked bad give a biased slope *and* a biased mean.

A metric that does not correlate saves nothing; estimating its slope costs about 1/(n − 3) of the variance, which the
interval includes (`efficiency` then falls below 1, and the result says to use the plain mean).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.results import Result
from nlgauge.stats.judged import item_means
from nlgauge.stats.limits import check_level
from nlgauge.stats.results import of_level, rounded, with_notes

Target = Literal["population", "set"]


@dataclass(frozen=True)
class ControlVariates(Result):
    """A human mean (or a difference of two) helped by a metric.

    `plain` is the mean without the metric and its limits. `efficiency` is the ratio of the two variances: with the
    metric n judged items are worth `efficiency`·n without; `saved` is how many more would have been needed. `limit` is
    the largest efficiency any metric could reach given the judges' noise; NaN where no item was judged twice.
    `correlation` is that of the metric with the mean judgements (the multiple one, with several metrics).
    """

    estimate: float
    low: float
    high: float
    level: float
    method: str
    n: int
    total: int
    judgements: int
    standard_error: float
    plain: float
    plain_low: float
    plain_high: float
    plain_standard_error: float
    efficiency: float
    saved: float
    limit: float
    correlation: float
    judge_variance: float
    item_variance: float
    p: float
    target: str
    name: str = "the mean rating"
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        width = self.high - self.low
        estimate, low, high, plain = rounded((self.estimate, self.low, self.high, self.plain), width)
        saved = (
            f"{self.n:,} judged items do the work of {self.n * self.efficiency:.0f}"
            if self.efficiency > 1
            else "the metric saves no judgements"
        )
        return with_notes(
            f"{self.name} {estimate} ({of_level(self.level)} interval {low} to {high}; {self.method}, {self.n:,} of "
            f"{self.total:,} items judged; plain mean {plain}; {saved})",
            self.notes,
        )


def control_variates(
    judgements: Array,
    metric: Array,
    *,
    strata: Sequence[Hashable] | None = None,
    target: Target = "population",
    level: float = 0.95,
    name: str = "the mean rating",
) -> ControlVariates:
    """The mean rating over all items, from judgements of some and a metric on all.

    `judgements` is (items,) or (items, judges), NaN where there is none; `metric` is (items,) or (items, metrics),
    known for every item; `strata` holds one label per item.
    """
    check_level(level)
    if target not in ("population", "set"):
        raise InputError(f"the target must be population or set; got {target!r}")
    ratings = _as_columns(judgements, "judgements", finite=False)
    columns = _as_columns(metric, "metric scores", finite=True)
    if len(ratings) != len(columns):
        raise InputError(
            f"judgements and metric must cover the same items: got {len(ratings):,} and {len(columns):,} rows"
        )
    seen = np.isfinite(ratings)
    counts = seen.sum(axis=1)
    judged = counts > 0
    total, n = len(ratings), int(np.count_nonzero(judged))
    notes: list[str] = []
    design = np.column_stack([columns, *_indicators(strata, judged, total)])
    design = _useful(design, judged, notes, columns.shape[1])
    k = design.shape[1]
    if n < k + 3:
        raise InputError(
            f"{n} judged items are too few for control variates with {k} column{'s' if k != 1 else ''}; "
            f"at least {k + 3} are needed"
        )
    means = np.where(seen, ratings, 0.0).sum(axis=1)[judged] / counts[judged]
    judge_variance, item_variance = _components(ratings, seen, means, counts[judged])
    fit = _fit(means, design[judged], design)
    if math.isnan(judge_variance):
        # The judges' part cannot be told from the items'. It is at most what the metric leaves unexplained, and taking
        # it to be all of that makes the interval wide and the saving small.
        noise = fit.residual_variance
        if target == "set" and n < total:
            notes.append("no item was judged twice: what the metric leaves unexplained is all taken as judges' noise")
    else:
        noise = judge_variance * float(np.mean(1 / counts[judged]))
    variance = _variance(fit, n, total, noise, target)
    plain_variance = _plain_variance(float(means.var(ddof=1)), n, total, noise, target)
    error, plain_error = math.sqrt(variance), math.sqrt(plain_variance)
    efficiency = plain_variance / variance if variance > 0 else (math.inf if plain_variance > 0 else 1.0)
    if n == total:
        notes.append("all items are judged, so the metric has nothing to add")
    elif efficiency < 1:
        notes.append("the metric does not help here: use the plain mean")
    if error == 0:
        notes.append("the judged items leave no variation, so the interval has no width and no test is possible")
    reach, plain_reach = _t(level, n - 1 - k) * error, _t(level, n - 1) * plain_error
    plain = float(means.mean())
    limit = _limit(judge_variance, item_variance, noise, n, total, target)
    return ControlVariates(
        estimate=fit.estimate,
        low=fit.estimate - reach,
        high=fit.estimate + reach,
        level=level,
        method="control variates" + (", stratified" if strata is not None else ""),
        n=n,
        total=total,
        judgements=int(counts.sum()),
        standard_error=error,
        plain=plain,
        plain_low=plain - plain_reach,
        plain_high=plain + plain_reach,
        plain_standard_error=plain_error,
        efficiency=efficiency,
        saved=max(0.0, n * (efficiency - 1)) if math.isfinite(efficiency) else math.inf,
        limit=limit,
        correlation=fit.correlation,
        judge_variance=judge_variance,
        item_variance=item_variance,
        p=_p_value(fit.estimate, error, n - 1 - k),
        target=target,
        name=name,
        notes=tuple(notes),
    )


def control_variates_difference(
    system: Array,
    baseline: Array,
    system_metric: Array,
    baseline_metric: Array,
    *,
    strata: Sequence[Hashable] | None = None,
    target: Target = "population",
    level: float = 0.95,
    name: str = "the difference in mean ratings",
) -> ControlVariates:
    """System minus baseline, from items judged for both; the control is the difference of their metric scores.

    Judgements in the same column are taken as one judge's where both sides have as many columns; `p` tests zero.
    """
    a, b = (_as_columns(side, "judgements", finite=False) for side in (system, baseline))
    x, y = (_as_columns(side, "metric scores", finite=True) for side in (system_metric, baseline_metric))
    if len(a) != len(b) or x.shape != y.shape:
        raise InputError("both systems must have judgements and metric scores for the same items, in one order")
    differences = a - b if a.shape == b.shape else np.full((len(a), 1), np.nan)
    lacking = ~np.isfinite(differences).any(axis=1)
    unmatched = item_means(a) - item_means(b)
    differences[lacking, 0] = unmatched[lacking]
    return control_variates(differences, x - y, strata=strata, target=target, level=level, name=name)


@dataclass(frozen=True)
class _Fit:
    estimate: float
    residual_variance: float
    leverage: float  # of the point (mean of all items), beyond 1/n
    explained: float  # variance of the fitted values over all items
    correlation: float


def _fit(means: Array, design: Array, everything: Array) -> _Fit:
    """Least squares on the judged items, read off at the mean of all items."""
    n, k = design.shape
    centre = design.mean(axis=0)
    if k == 0:
        variance = float(means.var(ddof=1))
        return _Fit(float(means.mean()), variance, 0.0, 0.0, math.nan)
    centred = design - centre
    slopes, *_ = np.linalg.lstsq(centred, means - means.mean(), rcond=None)
    residuals = means - means.mean() - centred @ slopes
    apart = everything.mean(axis=0) - centre
    solved, *_ = np.linalg.lstsq(centred.T @ centred, apart, rcond=None)
    sums = float(((means - means.mean()) ** 2).sum())
    explained = float((everything @ slopes).var(ddof=1))
    share = 1 - float((residuals**2).sum()) / sums if sums > 0 else math.nan
    correlation = math.sqrt(max(0.0, share)) if sums > 0 else math.nan
    if k == 1 and slopes[0] < 0:
        correlation = -correlation
    return _Fit(
        float(means.mean() + apart @ slopes),
        float((residuals**2).sum()) / (n - 1 - k),
        float(apart @ solved),
        explained,
        correlation,
    )


def _variance(fit: _Fit, n: int, total: int, noise: float, target: str) -> float:
    """Of the estimate. `noise` is the judges' part of the residual variance."""
    slope_error = fit.residual_variance * fit.leverage
    if target == "population":
        return fit.residual_variance / n + slope_error + fit.explained / total
    judges = min(noise, fit.residual_variance)
    return ((fit.residual_variance - judges) * (1 - n / total) + judges) / n + slope_error


def _plain_variance(spread: float, n: int, total: int, noise: float, target: str) -> float:
    if target == "population":
        return spread / n
    judges = min(noise, spread)
    return ((spread - judges) * (1 - n / total) + judges) / n


def _limit(judges: float, items: float, noise: float, n: int, total: int, target: str) -> float:
    """The efficiency of a metric that knew every item's true quality."""
    if math.isnan(judges):
        return math.nan
    seen = 1 - n / total if target == "set" else 1.0
    best = noise / n + (items / total if target == "population" else 0.0)
    return (items * seen + noise) / n / best if best > 0 else math.inf


def _components(ratings: Array, seen: NDArray[np.bool_], means: Array, counts: NDArray[np.intp]) -> tuple[float, float]:
    """Variance of judgements of one item (pooled), and of the items' true quality; NaN where none is repeated."""
    judged = seen.any(axis=1)
    spare = int(counts.sum()) - len(means)
    if spare == 0:
        return math.nan, math.nan
    deviations = np.where(seen[judged], ratings[judged] - means[:, None], 0.0)
    within = float((deviations**2).sum()) / spare
    return within, max(0.0, float(means.var(ddof=1)) - within * float(np.mean(1 / counts)))


def _indicators(strata: Sequence[Hashable] | None, judged: NDArray[np.bool_], total: int) -> list[Array]:
    """A column for each stratum but the first."""
    if strata is None:
        return []
    if len(strata) != total:
        raise InputError(f"one stratum per item is needed: got {len(strata):,} for {total:,} items")
    known = list(dict.fromkeys(strata))
    present = {label for label, kept in zip(strata, judged.tolist(), strict=True) if kept}
    for label in known:
        if label not in present:
            raise InputError(
                f"no item of the stratum {label!r} was judged, so its mean is unknown; judge some, or merge strata"
            )
    return [np.array([float(label == stratum) for label in strata]) for stratum in known[1:]]


def _useful(design: Array, judged: NDArray[np.bool_], notes: list[str], metrics: int) -> Array:
    """Without the columns that are constant over the judged items: they can predict nothing."""
    spread = np.ptp(design[judged], axis=0) if judged.any() else np.zeros(design.shape[1])
    size = np.abs(design).max(axis=0, initial=0.0)
    useful = spread > 1e-12 * size
    if not np.all(useful[:metrics]):
        notes.append("the metric is the same on every judged item, so it predicts nothing and is left out")
    kept = design[:, useful]
    scale = kept[judged].std(axis=0) if kept.size and judged.any() else np.ones(kept.shape[1])
    return np.asarray(kept / scale)


def _as_columns(values: Array, what: str, *, finite: bool) -> Array:
    array = np.asarray(values, dtype=np.float64)
    array = array[:, None] if array.ndim == 1 else array
    if array.ndim != 2 or not len(array):
        raise InputError(f"the {what} must be an array with one row per item")
    if finite and not np.all(np.isfinite(array)):
        place = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
        raise InputError(f"the {what} are not finite at item {place}: every item needs one, judged or not")
    if np.isinf(array).any():
        raise InputError(f"the {what} hold an infinite value; give NaN where there is none")
    return array


def _t(level: float, freedom: int) -> float:
    from scipy.stats import t

    return float(t.ppf(0.5 + level / 2, freedom))


def _p_value(estimate: float, error: float, freedom: int) -> float:
    from scipy.stats import t

    if error == 0:
        return math.nan
    return float(2 * t.sf(abs(estimate) / error, freedom))
