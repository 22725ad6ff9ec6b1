"""The bootstrap where data have several levels: nested (documents, then segments) or crossed (items and judges).

* `nested_bootstrap` draws at every level: documents, within each drawn document its parts, and so on. For a mean of
  segments nested in clusters this overstates the variance: drawing the clusters alone already carries the variation
  within them (Davison and Hinkley 1997, section 3.8). Use `bootstrap(clusters=…)` for an interval; use this one where a
  study will again take a sample within each cluster and the wider interval is wanted.
* `crossed_bootstrap` draws items and judges independently of each other and weights a judgement by the product of the
  two counts: Owen's pigeonhole bootstrap (2007). It generalises to other items *and* other judges. No resampling scheme
  is exact for crossed effects (McCullagh 2000); this one is conservative where the residual noise dominates, and with
  fewer than about ten judges the judges' part is poorly known: tables in docs/resampling.md.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.options import DEFAULT_SEED
from nlgauge.stats import limits
from nlgauge.stats.draws import cluster_codes, cluster_sums
from nlgauge.stats.results import Interval
from nlgauge.stats.sampled import Score

FEW_JUDGES = 10
CHUNK = 1 << 22  # numbers in a working array


def nested_bootstrap(
    rows: Array,
    score: Score,
    levels: Sequence[Sequence[Hashable]],
    *,
    trials: int = 1000,
    seed: int = DEFAULT_SEED,
    level: float = 0.95,
    interval: limits.Kind = "percentile",
) -> Interval:
    """The score of the summed rows; draws go down the levels, from the coarsest labels to the segments.

    Each of `levels` holds one label per segment; a label of a finer level counts within its coarser one, so that
    "section 1" of two documents are two sections. The acceleration of BCa leaves out whole units of the first level.

    Args:
        rows: sufficient statistics, a row for each segment
        score: from summed rows, on any leading axes, to scores
        levels: for each level, the coarsest first, a label for each segment
        trials: random draws
        seed: of the random draws
        level: the confidence of the limits
        interval: percentile or bca

    >>> from nlgauge.stats import nested_bootstrap
    >>> import numpy as np
    >>> rows = np.array([[3, 4], [2, 4], [4, 5], [1, 3]])  # matches and words of each segment
    >>> levels = [["d1", "d1", "d2", "d2"]]
    >>> found = nested_bootstrap(rows, lambda sums: sums[..., 0] / sums[..., 1], levels)
    >>> round(found.estimate, 3)
    0.625
    """
    limits.check_level(level)
    limits.check_kind(interval)
    values = np.asarray(rows, dtype=np.float64)
    if values.ndim != 2 or not np.all(np.isfinite(values)):
        raise InputError("rows must be a finite array of two dimensions, (segments, statistics)")
    if not levels:
        raise InputError("a nested bootstrap needs at least one level of labels above the segments")
    if trials < 1:
        raise InputError(f"resampling needs at least 1 trial; got {trials}")
    codes = _nested_codes(levels, len(values))
    total = values.sum(axis=0)
    estimate = float(score(total))
    if not np.isfinite(estimate):
        raise InputError(f"the score is undefined ({estimate}), so no interval can be given")
    generator = np.random.default_rng(seed)
    step = max(1, CHUNK // len(values))
    sums = np.empty((trials, values.shape[1]))
    for start in range(0, trials, step):
        size = min(step, trials - start)
        sums[start : start + size] = nested_weights(codes, size, generator) @ values
    drawn = np.asarray(score(sums), dtype=np.float64)
    notes: tuple[str, ...] = ()
    if interval == "bca":
        left_out = np.asarray(score(total - cluster_sums(values, levels[0])), dtype=np.float64)
        low, high, notes = limits.bca_limits(drawn, estimate, left_out, level)
    else:
        low, high = limits.percentile_limits(drawn, level)
        notes = limits.one_sided(estimate, low, high)
    defined = drawn[np.isfinite(drawn)]
    return Interval(
        estimate=estimate,
        low=low,
        high=high,
        level=level,
        method=f"nested {limits.KINDS[interval]} over {len(levels) + 1} levels, "
        f"{int(codes[0].max()) + 1:,} units at the top",
        n=len(values),
        trials=trials,
        seed=seed,
        mean=float(defined.mean()),
        undefined=trials - len(defined),
        notes=notes,
    )


def nested_weights(codes: Sequence[NDArray[np.intp]], trials: int, generator: np.random.Generator) -> Array:
    """How often each segment is drawn in each trial: (trials, segments).

    A unit drawn c times, with m members, passes c·m draws on to them: the copies of a unit are drawn anew each time.
    """
    n = len(codes[0])
    top = int(codes[0].max()) + 1
    counts = generator.multinomial(top, np.full(top, 1 / top), size=trials)  # (trials, units of this level)
    finest = np.arange(n, dtype=np.intp)
    for upper, lower in zip(codes, [*codes[1:], finest], strict=True):
        members = _members(upper, lower)
        drawn = np.empty((trials, int(lower.max()) + 1), dtype=np.int64)
        for unit, parts in enumerate(members):
            m = len(parts)
            drawn[:, parts] = generator.multinomial(counts[:, unit] * m, np.full(m, 1 / m))
        counts = drawn
    return counts.astype(np.float64)


def _members(upper: NDArray[np.intp], lower: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """For each unit of the upper level the units of the lower one that it holds."""
    pairs = np.unique(np.stack([upper, lower], axis=1), axis=0)
    starts = np.flatnonzero(np.diff(pairs[:, 0], prepend=-1))
    return np.split(pairs[:, 1], starts[1:])


def _nested_codes(levels: Sequence[Sequence[Hashable]], n: int) -> list[NDArray[np.intp]]:
    codes = [cluster_codes(levels[0], n)]
    for labels in levels[1:]:
        within = list(zip(codes[-1].tolist(), labels, strict=False))
        if len(within) != n:
            raise InputError(f"one label per segment is needed at every level: got {len(labels):,} for {n:,} segments")
        codes.append(cluster_codes(within, n))
    return codes


def crossed_bootstrap(
    judgements: Array, *, trials: int = 1000, seed: int = DEFAULT_SEED, level: float = 0.95
) -> Interval:
    """The mean of the items' mean judgements, with an interval for other items and other judges.

    `judgements` is (items, judges), NaN where a judge did not see the item.

    Args:
        judgements: items × judges, NaN where a judge did not see the item
        trials: random draws
        seed: of the random draws
        level: the confidence of the limits

    >>> from nlgauge.stats import crossed_bootstrap
    >>> import numpy as np
    >>> found = crossed_bootstrap(np.array([[4, 5], [3, np.nan], [2, 3], [5, 4]]))
    >>> round(found.estimate, 3)
    3.625
    """
    limits.check_level(level)
    values = np.asarray(judgements, dtype=np.float64)
    if values.ndim != 2:
        raise InputError(f"judgements must have two dimensions, (items, judges); got {values.ndim}")
    seen = np.isfinite(values)
    values, seen = values[seen.any(axis=1)][:, seen.any(axis=0)], seen[seen.any(axis=1)][:, seen.any(axis=0)]
    items, judges = values.shape
    if items < 2 or judges < 2:
        raise InputError(
            f"drawing items and judges needs at least 2 of each; got {items} judged items and {judges} judges"
        )
    if trials < 1:
        raise InputError(f"resampling needs at least 1 trial; got {trials}")
    filled, mask = np.where(seen, values, 0.0), seen.astype(np.float64)
    generator = np.random.default_rng(seed)
    drawn = np.empty(trials)
    step = max(1, CHUNK // max(items, judges))
    for start in range(0, trials, step):
        size = min(step, trials - start)
        of_items = generator.multinomial(items, np.full(items, 1 / items), size=size)
        of_judges = generator.multinomial(judges, np.full(judges, 1 / judges), size=size)
        judged = of_judges @ mask.T  # (size, items): 0 where none of the drawn judges saw the item
        means = np.divide(of_judges @ filled.T, judged, out=np.zeros_like(judged), where=judged > 0)
        weights = of_items * (judged > 0)
        with np.errstate(invalid="ignore"):
            drawn[start : start + size] = (weights * means).sum(axis=1) / weights.sum(axis=1)
    low, high = limits.percentile_limits(drawn, level, "the judgements")
    defined = drawn[np.isfinite(drawn)]
    undefined = trials - len(defined)
    notes = [f"{undefined:,} draws hold no judgement and are left out"] if undefined else []
    if judges < FEW_JUDGES:
        notes.append(f"with {judges} judges the interval says little about other judges")
    estimate = float((filled.sum(axis=1) / mask.sum(axis=1)).mean())
    notes += limits.one_sided(estimate, low, high)
    return Interval(
        estimate=estimate,
        low=low,
        high=high,
        level=level,
        method=f"percentile bootstrap over items and {judges} judges",
        n=items,
        trials=trials,
        seed=seed,
        mean=float(defined.mean()),
        undefined=undefined,
        notes=tuple(notes),
    )
