"""Intervals and paired tests for any score of statistics that add up over segments.

`rows` is an (n, k) array, one row per segment, and `score` turns summed rows (..., k) into scores (...).
Percentile bootstrap: Efron and Tibshirani 1993; paired bootstrap test: Koehn 2004, in the centred form of
Moses' and sacreBLEU's scripts; approximate randomisation: Noreen 1989, Riezler and Maxwell 2005. Draws,
interval rule and p are those of sacreBLEU 2 for the same seed, with two choices of our own:

* Sums are float64. sacreBLEU's bootstrap sums in float32, so its scores differ from ours by about 1e-6.
* A trial whose difference *equals* the observed one counts as at least as large (`ties="count"`), as it
  must for (c + 1) / (trials + 1) to be a valid p-value (Phipson and Smyth 2010). sacreBLEU leaves such
  trials out and so reports p = 0.0001 for a system against itself, or against one that differs in a single
  segment; here that is p = 1. Where no trial ties, as for BLEU and chrF on test sets of the usual size, the
  two agree exactly. Error rates over one set of references (TER, WER) do tie in about one trial in a
  hundred when systems are close; `ties="ignore"` gives sacreBLEU's p for these too.

Equality is judged up to rounding (a relative 1e-11 of the scores), never by comparing raw sums of floats.

No conclusion is possible, and InputError raised, for fewer than two segments, statistics that are not
finite, a score that is undefined for the data as they are, or one that is undefined in every draw. A score
undefined in some draws (no reference words, say) is left out of the interval and counts as at least as
large in the test; the result's `undefined` and `notes` say so.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypedDict, TypeVar, Unpack

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.options import DEFAULT_SEED
from nlgauge.stats import limits
from nlgauge.stats.draws import Kind, Resampler, cluster_sums
from nlgauge.stats.multiple import max_t, standard_error
from nlgauge.stats.results import Interval, Jackknife, PairedTest
from nlgauge.stats.sampled import Sample, Score, jackknifed, sample_of, samples_of, scored, without_each

Test = Literal["ar", "bootstrap"]
Ties = Literal["count", "ignore"]
Labels = Sequence[Hashable]
K = TypeVar("K", bound=Hashable)

ROUNDING = 1e-11  # relative: far above what float64 sums lose, far below any difference worth reporting
METHODS: dict[str, str] = {"ar": "approximate randomisation", "bootstrap": "paired bootstrap"}
TRIALS: dict[str, int] = {"ar": 10_000, "bootstrap": 1_000}


class IntervalOptions(TypedDict, total=False):
    """The options of `intervals`; its defaults hold for those not given."""

    trials: int
    seed: int
    level: float
    interval: limits.Kind
    clusters: Labels | None


class PairedOptions(IntervalOptions, total=False):
    """The options of `paired_tests`; its defaults hold for those not given."""

    interval_trials: int
    ties: Ties


def bootstrap(rows: Array, score: Score, **options: Unpack[IntervalOptions]) -> Interval:
    """The score of the summed rows with its bootstrap interval; see `intervals`.

    Args:
        rows: sufficient statistics, a row for each segment
        score: from summed rows, on any leading axes, to scores
        options: trials, seed, level, kind of interval and clusters, as `intervals` has them

    >>> from nlgauge.stats import bootstrap
    >>> import numpy as np
    >>> rows = np.array([[3, 4], [2, 4], [4, 5], [1, 3]])  # matches and words of each segment
    >>> found = bootstrap(rows, lambda sums: sums[..., 0] / sums[..., 1])
    >>> round(found.estimate, 3), round(found.low, 3), round(found.high, 3)
    (0.625, 0.429, 0.778)
    """
    name = "the system"
    return intervals({name: rows}, {name: score}, **options)[name]


def paired_bootstrap(rows: Array, baseline: Array, score: Score, **options: Unpack[PairedOptions]) -> PairedTest:
    """The paired bootstrap test of Moses and sacreBLEU; its interval comes from the same draws.

    It centres the *sizes* of the differences on their mean, which makes it liberal: with no true difference it rejects
    about 12 % of the time at a level of 5 % (tests/stats simulates it). For a claim use `approximate_randomisation`.

    Args:
        rows: sufficient statistics, a row for each segment
        baseline: those of the baseline, the same segments in the same order
        score: from summed rows, on any leading axes, to scores
        options: trials, seed, level, ties, interval and clusters, as `paired_tests` has them

    >>> from nlgauge.stats import paired_bootstrap
    >>> import numpy as np
    >>> rows = np.array([[3, 4], [2, 4], [4, 5], [1, 3]])  # matches and words of each segment
    >>> baseline = np.array([[1, 4], [2, 4], [2, 5], [0, 3]])
    >>> found = paired_bootstrap(rows, baseline, lambda sums: sums[..., 0] / sums[..., 1])
    >>> round(found.delta, 4)
    0.3125
    """
    return _one_pair(rows, baseline, score, "bootstrap", options)


def approximate_randomisation(
    rows: Array, baseline: Array, score: Score, **options: Unpack[PairedOptions]
) -> PairedTest:
    """Two-sided approximate randomisation; the interval is that of `paired_bootstrap` for the same seed.

    Args:
        rows: sufficient statistics, a row for each segment
        baseline: those of the baseline, the same segments in the same order
        score: from summed rows, on any leading axes, to scores
        options: trials, seed, level, ties, interval and clusters, as `paired_tests` has them

    >>> from nlgauge.stats import approximate_randomisation
    >>> import numpy as np
    >>> rows = np.array([[3, 4], [2, 4], [4, 5], [1, 3]])  # matches and words of each segment
    >>> baseline = np.array([[1, 4], [2, 4], [2, 5], [0, 3]])
    >>> found = approximate_randomisation(rows, baseline, lambda sums: sums[..., 0] / sums[..., 1])
    >>> round(found.delta, 4), round(found.p, 4)
    (0.3125, 0.2487)
    """
    return _one_pair(rows, baseline, score, "ar", options)


def _one_pair(rows: Array, baseline: Array, score: Score, test: Test, options: PairedOptions) -> PairedTest:
    names = ("the system", "the baseline")
    both = {names[0]: rows, names[1]: baseline}
    return paired_tests(both, dict.fromkeys(names, score), [names], test=test, **options)[names]


def intervals(
    rows: Mapping[K, Array],
    scores: Mapping[K, Score],
    *,
    trials: int = 1000,
    seed: int = DEFAULT_SEED,
    level: float = 0.95,
    interval: limits.Kind = "percentile",
    clusters: Labels | None = None,
) -> dict[K, Interval]:
    """The intervals of many systems and metrics from one set of draws, all in one matrix product.

    The keys are the caller's own, for instance (system, metric); all rows must have the same segments. With
    `clusters`, one label per segment, whole clusters are drawn. `interval` is percentile or bca.

    Args:
        rows: sufficient statistics by key, a row for each segment
        scores: by key, from summed rows to scores
        trials: random draws
        seed: of the random draws
        level: the confidence of the limits
        interval: percentile or bca
        clusters: a label for each segment, where whole clusters are drawn

    >>> from nlgauge.stats import intervals
    >>> import numpy as np
    >>> rows = np.array([[3, 4], [2, 4], [4, 5], [1, 3]])  # matches and words of each segment
    >>> found = intervals({"a": rows}, {"a": lambda sums: sums[..., 0] / sums[..., 1]})
    >>> round(found["a"].estimate, 3)
    0.625
    """
    limits.check_level(level)
    limits.check_kind(interval)
    samples = samples_of(_clustered(rows, clusters), scores)
    return {
        key: _interval(samples[key], drawn, trials=trials, seed=seed, level=level, interval=interval, clusters=clusters)
        for key, drawn in _bootstrap_scores(samples, trials, seed).items()
    }


def paired_tests(
    rows: Mapping[K, Array],
    scores: Mapping[K, Score],
    pairs: Iterable[tuple[K, K]],
    *,
    test: Test = "ar",
    trials: int | None = None,
    seed: int = DEFAULT_SEED,
    level: float = 0.95,
    interval_trials: int = 1000,
    ties: Ties = "count",
    interval: limits.Kind = "percentile",
    clusters: Labels | None = None,
    family: Callable[[tuple[K, K]], Hashable] | None = None,
) -> dict[tuple[K, K], PairedTest]:
    """Test many (system, baseline) pairs of keys with one set of draws, so that all comparisons are paired.

    Both keys of a pair must have the same score function. With `test="bootstrap"` the intervals come from the
    test's own draws and `interval_trials` is not used. With `clusters`, one label per segment, whole clusters are
    swapped and drawn. Pairs of one `family` (all, where none is told) have limits that hold for all of them at once.

    Args:
        rows: sufficient statistics by key, a row for each segment
        scores: by key, from summed rows to scores
        pairs: (system, baseline) pairs of keys
        test: ar for approximate randomisation, or bootstrap
        trials: random draws
        seed: of the random draws
        level: the confidence of the limits
        interval_trials: random draws of the interval
        ties: how differences as large as the observed one are counted
        interval: percentile or bca
        clusters: a label for each segment, where whole clusters are drawn
        family: which pairs' limits hold together

    >>> from nlgauge.stats import paired_tests
    >>> import numpy as np
    >>> rows = np.array([[3, 4], [2, 4], [4, 5], [1, 3]])  # matches and words of each segment
    >>> both = {"ours": rows, "theirs": np.array([[1, 4], [2, 4], [2, 5], [0, 3]])}
    >>> ratio = dict.fromkeys(both, lambda sums: sums[..., 0] / sums[..., 1])
    >>> found = paired_tests(both, ratio, [("ours", "theirs")])
    >>> round(found["ours", "theirs"].delta, 4)
    0.3125
    """
    limits.check_level(level)
    limits.check_kind(interval)
    if test not in METHODS:
        raise InputError(f"the test must be ar or bootstrap; got {test!r}")
    trials = TRIALS[test] if trials is None else trials
    interval_trials = trials if test == "bootstrap" else interval_trials
    chosen = list(pairs)
    used = dict.fromkeys(key for pair in chosen for key in pair)
    samples = samples_of(_clustered({key: rows[key] for key in used}, clusters), scores)
    if not samples:
        return {}
    drawn = _bootstrap_scores(samples, interval_trials, seed)
    shuffled = _chosen_differences(samples, chosen, trials, seed) if test == "ar" else {}
    results: dict[tuple[K, K], PairedTest] = {}
    together = _together(samples, drawn, chosen, level, family)
    for system, baseline in chosen:
        a, b = samples[system], samples[baseline]
        differences = drawn[system] - drawn[baseline]
        if test == "ar":
            statistics = _shuffled_differences(a, b, shuffled[system, baseline])
        else:
            sizes = np.abs(differences)
            finite = sizes[np.isfinite(sizes)]
            statistics = sizes - (finite.mean() if len(finite) else 0.0)
        found = verdict(statistics, a.value, b.value, ties, same=np.array_equal(a.rows, b.rows))
        low, high, notes = _difference_limits(a, b, differences, level, interval)
        results[system, baseline] = PairedTest(
            value=a.value,
            baseline_value=b.value,
            delta=a.value - b.value,
            low=low,
            high=high,
            level=level,
            p=found.p,
            method=METHODS[test] + _units(len(a.rows), clusters),
            n=len(a.rows) if clusters is None else len(clusters),
            trials=trials,
            interval_trials=interval_trials,
            seed=seed,
            ties=found.ties,
            undefined=found.undefined,
            notes=found.notes + notes,
            interval_method=limits.KINDS[interval],
            error=standard_error(differences, len(a.rows)),
            units=len(a.rows),
            together=together.get((system, baseline)),
        )
    return results


def _together(
    samples: Mapping[K, Sample],
    drawn: Mapping[K, Array],
    pairs: Sequence[tuple[K, K]],
    level: float,
    family: Callable[[tuple[K, K]], Hashable] | None,
) -> dict[tuple[K, K], tuple[float, float]]:
    """Limits that hold at once for all pairs of a family, where it has several."""
    families: dict[Hashable, list[tuple[K, K]]] = {}
    for pair in dict.fromkeys(pairs):
        families.setdefault(family(pair) if family else None, []).append(pair)
    found: dict[tuple[K, K], tuple[float, float]] = {}
    for own in families.values():
        units = len(samples[own[0][0]].rows)
        if len(own) > 1 and units > 1:
            deltas = [samples[a].value - samples[b].value for a, b in own]
            differences = np.column_stack([drawn[a] - drawn[b] for a, b in own])
            found |= dict(zip(own, max_t(deltas, differences, units, level), strict=True))
    return found


def all_pairs(keys: Sequence[K]) -> list[tuple[K, K]]:
    """Every two keys once, the later one as the system and the earlier one as the baseline.

    Args:
        keys: the systems, in the order of the table

    >>> from nlgauge.stats import all_pairs
    >>> all_pairs(["a", "b", "c"])
    [('b', 'a'), ('c', 'a'), ('c', 'b')]
    """
    return [(later, earlier) for earlier, later in combinations(keys, 2)]


def jackknife(rows: Array, score: Score, *, level: float = 0.95) -> Jackknife:
    """Bias and standard error of the score from leaving each segment out once, with the normal interval.

    Args:
        rows: sufficient statistics, a row for each segment
        score: from summed rows, on any leading axes, to scores
        level: the confidence of the limits

    >>> from nlgauge.stats import jackknife
    >>> import numpy as np
    >>> rows = np.array([[3, 4], [2, 4], [4, 5], [1, 3]])  # matches and words of each segment
    >>> found = jackknife(rows, lambda sums: sums[..., 0] / sums[..., 1])
    >>> round(found.standard_error, 4)
    0.1035
    """
    quantile = limits.normal_quantile(level)
    sample = sample_of("the system", rows, score)
    n = len(sample.rows)
    if n < 2:
        raise InputError(f"the jackknife needs at least 2 segments; got {n}")
    left_out = without_each(sample)
    if not np.all(np.isfinite(left_out)):
        segment = int(np.flatnonzero(~np.isfinite(left_out))[0])
        raise InputError(f"the score is undefined without segment {segment}, so the jackknife gives no standard error")
    return jackknifed(sample.value, left_out, quantile, level=level, method="jackknife", n=n)


@dataclass(frozen=True)
class Verdict:
    """What the trials of a test say."""

    p: float
    ties: int
    undefined: int
    notes: tuple[str, ...]


def _bootstrap_scores(samples: Mapping[K, Sample], trials: int, seed: int) -> dict[K, Array]:
    if not samples:
        return {}
    sums = _drawn_sums(samples, "bootstrap", trials, seed)
    return {key: scored(sample, sums[key]) for key, sample in samples.items()}


def _drawn_sums(samples: Mapping[K, Sample], kind: Kind, trials: int, seed: int) -> dict[K, Array]:
    """The sums of each sample's rows; scores that share their rows (precision, recall, F) share the sums."""
    distinct = {id(sample.rows): sample.rows for sample in samples.values()}
    n = len(next(iter(distinct.values())))
    sums = Resampler(n, trials=trials, seed=seed, kind=kind).sums(list(distinct.values()))
    by_rows = dict(zip(distinct, sums, strict=True))
    return {key: by_rows[id(sample.rows)] for key, sample in samples.items()}


def _chosen_differences(
    samples: Mapping[K, Sample], pairs: Sequence[tuple[K, K]], trials: int, seed: int
) -> dict[tuple[K, K], Array]:
    """For each pair the sums, over the segments the coin chose, of the system's rows minus the baseline's.

    Sums are linear: they are taken of the differences where there are fewer pairs than systems, else of each system.
    """
    distinct = {(id(samples[a].rows), id(samples[b].rows)): (samples[a].rows, samples[b].rows) for a, b in pairs}
    if len(distinct) < len({id(sample.rows) for sample in samples.values()}):
        rows = [first - second for first, second in distinct.values()]
        drawn = Resampler(len(rows[0]), trials=trials, seed=seed, kind="randomisation").sums(rows)
        sums = dict(zip(distinct, drawn, strict=True))
        return {(a, b): sums[id(samples[a].rows), id(samples[b].rows)] for a, b in pairs}
    chosen = _drawn_sums(samples, "randomisation", trials, seed)
    return {(a, b): chosen[a] - chosen[b] for a, b in pairs}


def _shuffled_differences(a: Sample, b: Sample, chosen: Array) -> Array:
    """Sizes of the differences between two systems that swap the segments the coin chose.

    The chosen segments of one and the others of the other; what one pseudo-system lacks, its mirror has.
    """
    first = chosen + b.total
    second = a.total + b.total - first
    return np.abs(scored(a, first) - scored(a, second))


def verdict(statistics: Array, value: float, baseline: float, ties: Ties, *, same: bool) -> Verdict:
    """p from the sizes of the differences in all trials; `same`: the two have the same statistics throughout."""
    observed = abs(value - baseline)
    rounding = ROUNDING * max(abs(value), abs(baseline))
    defined = np.isfinite(statistics)
    larger = int(np.count_nonzero(statistics[defined] > observed + rounding))
    equal = int(np.count_nonzero(np.abs(statistics[defined] - observed) <= rounding))
    undefined = len(statistics) - int(np.count_nonzero(defined))
    counted = larger + undefined + (equal if ties == "count" else 0)
    notes = []
    if same:
        notes.append("the two have the same statistics on every segment")
    elif ties == "count" and equal > 0.01 * len(statistics):
        notes.append("trials that equal the observed difference count as at least as large")
    if undefined:
        notes.append(f"{undefined:,} trials have no defined score and count as at least as large")
    return Verdict((counted + 1) / (len(statistics) + 1), equal, undefined, tuple(notes))


def _interval(
    sample: Sample,
    drawn: Array,
    trials: int,
    seed: int,
    level: float,
    interval: limits.Kind,
    clusters: Labels | None,
) -> Interval:
    notes: tuple[str, ...] = ()
    if interval == "bca":
        low, high, notes = limits.bca_limits(drawn, sample.value, without_each(sample), level, sample.name)
    else:
        low, high = limits.percentile_limits(drawn, level, sample.name)
        notes = limits.one_sided(sample.value, low, high)
    defined = drawn[np.isfinite(drawn)]
    undefined = len(drawn) - len(defined)
    if undefined:
        notes = (f"{undefined:,} draws have no defined score and are left out", *notes)
    return Interval(
        estimate=sample.value,
        low=low,
        high=high,
        level=level,
        method=limits.KINDS[interval] + _units(len(sample.rows), clusters),
        n=len(sample.rows) if clusters is None else len(clusters),
        trials=trials,
        seed=seed,
        mean=float(defined.mean()),
        undefined=undefined,
        notes=notes,
        error=standard_error(drawn, len(sample.rows)),
        units=len(sample.rows),
    )


def _difference_limits(
    a: Sample, b: Sample, differences: Array, level: float, interval: limits.Kind
) -> tuple[float, float, tuple[str, ...]]:
    if interval == "bca":
        left_out = without_each(a) - without_each(b)
        return limits.bca_limits(differences, a.value - b.value, left_out, level, f"{a.name} minus {b.name}")
    low, high = limits.percentile_limits(differences, level, a.name)
    return low, high, limits.one_sided(a.value - b.value, low, high)


def _clustered(rows: Mapping[K, Array], clusters: Labels | None) -> Mapping[K, Array]:
    """The rows summed by cluster; blocks shared between keys stay shared, so that they are drawn once."""
    if clusters is None:
        return rows
    summed: dict[int, Array] = {}
    for value in rows.values():
        if id(value) not in summed:
            summed[id(value)] = cluster_sums(value, clusters)
    return {key: summed[id(value)] for key, value in rows.items()}


def _units(number: int, clusters: Labels | None) -> str:
    return "" if clusters is None else f" over {number:,} clusters"
