"""Which metrics differ in how well they follow people: tests of all pairs, and the groups that follow from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import get_args

import numpy as np

from nlgauge import stats
from nlgauge.arrays import Array
from nlgauge.errors import InputError, option
from nlgauge.meta.results import MetaCorrelation, MetricTest
from nlgauge.meta.settings import Settings
from nlgauge.stats.correlation.significance import (
    SWAPS,
    WORDS,
    MetricComparison,
    Test,
    bootstrap_p,
    clusters,
    compare_metrics,
    letters,
)
from nlgauge.stats.correlation.statistic import STATISTICS, Statistic
from nlgauge.wording.numbers import ALPHA

Group = tuple[int, str]  # the rank of WMT's cluster, and letters
ASKED: Mapping[str, Test] = {name: name for name in get_args(Test)}
POOLED_PAIRS = 64  # outputs in a group whose pairs are listed


def cluster(
    people: Array,
    scores: Mapping[str, Array],
    drawn: Mapping[str, Array],
    cells: Sequence[MetaCorrelation],
    settings: Settings,
) -> tuple[dict[str, Group], list[MetricTest], list[str]]:
    """Groups of the metrics, the tests behind them, and what must be said.

    `scores` are turned so that more is better, and so are `drawn`, the correlations of the bootstrap draws; at system
    level scores are one column, those of the systems.
    """
    # Counts of right pairs are defined for a metric that gives every output the same score; a test of it is not.
    varying = {name for name, given in scores.items() if len(np.unique(given[np.isfinite(given)])) > 1}
    defined = [cell for cell in cells if np.isfinite(cell.value) and cell.metric in varying]
    if len(defined) < 2:
        return {}, [], []
    test, note = _test(people, len(defined), STATISTICS[cells[0].statistic], settings)
    if test is None:
        return {}, [], [note]
    comparisons = len(defined) * (len(defined) - 1) // 2
    trials = {"williams": 0, "bootstrap": settings.draws}.get(test, settings.trials_for(comparisons))
    if trials and comparisons * (2 if test == "bootstrap" else 1) / (trials + 1) > ALPHA:
        option, needed = ("draws", 80 * comparisons) if test == "bootstrap" else ("trials", 40 * comparisons)
        said = f"with {trials:,} {option} no corrected p-value of {comparisons:,} comparisons can fall to {ALPHA}"
        return {}, [], [f"differences between metrics were not tested: {said}; use --{option} {needed}"]
    units = {"perm-input": people.shape[1], "perm-sys": len(people)}.get(test, 64)
    if comparisons * 2.0 ** (1 - units) > ALPHA:
        what = "items" if test == "perm-input" else "systems"
        said = f"{units} {what} to swap are too few for any of {comparisons:,} comparisons to be significant"
        return {}, [], [f"differences between metrics were not tested: {said}"]
    if test == "bootstrap":
        found = _bootstrap(drawn, defined)
    else:
        found = compare_metrics(
            people,
            np.array([scores[cell.metric] for cell in defined]),
            [cell.metric for cell in defined],
            statistic=defined[0].statistic,
            level=settings.level,
            average=settings.average,
            test=test,
            draws=max(trials, 1),
            seed=settings.seed,
        )
    tests = [_as_test(comparison, cells[0], test, trials) for comparison in found]
    notes = ([note] if note else []) + [text for comparison in found for text in comparison.notes]
    return _groups(found), tests, list(dict.fromkeys(notes))


def _groups(found: Sequence[MetricComparison]) -> dict[str, Group]:
    shown = letters(found)
    return {entry.metric: (entry.rank, shown[entry.metric]) for entry in clusters(found)}


def _bootstrap(drawn: Mapping[str, Array], cells: Sequence[MetaCorrelation]) -> list[MetricComparison]:
    """The draws behind the intervals are the same for all metrics, so their differences are paired already."""
    pairs = list(combinations(cells, 2))
    p_values = [bootstrap_p(a.strength - b.strength, drawn[a.metric] - drawn[b.metric]) for a, b in pairs]
    return [
        _comparison(a, b, p, float(adjusted))
        for (a, b), p, adjusted in zip(pairs, p_values, stats.holm(p_values), strict=True)
    ]


def _comparison(a: MetaCorrelation, b: MetaCorrelation, p: float, adjusted: float) -> MetricComparison:
    return MetricComparison(
        metric=a.metric,
        other=b.metric,
        value=a.strength,
        other_value=b.strength,
        estimate=a.strength - b.strength,
        p=p,
        p_adjusted=adjusted,
        test="bootstrap",
        statistic=a.statistic,
        level=a.level,
        average=a.average,
        n=a.n,
    )


def _test(people: Array, metrics: int, statistic: Statistic, settings: Settings) -> tuple[Test | None, str]:
    """The test to make, or None, with the reason.

    Unasked, the metrics swap items: outputs of one item share what a metric gets wrong about it. At system level they
    swap systems; for Pearson's r of independent points Williams' test has more power.
    """
    corpus = settings.level == "system" and settings.score == "corpus"
    if settings.test == "bootstrap" and not settings.draws:
        raise InputError(f"the bootstrap test needs the draws of the intervals: leave out {option('draws', '0')}")
    if settings.judgements == "each" and settings.test in (*SWAPS, "williams"):
        raise InputError(
            "judgements taken one by one repeat every score of a metric, which this test would take for new outputs: "
            f"choose {option('test', 'bootstrap')} or {option('judgements', 'mean')}"
        )
    if corpus and settings.test in ("perm-input", "perm-both"):
        raise InputError(
            f"{WORDS[settings.test]} swaps outputs between metrics, so it compares means of segment scores: use it "
            f"with {option('score', 'mean', flag='system-score')}, or choose {option('test', 'perm-sys')}, williams or "
            "bootstrap"
        )
    if settings.test in ASKED:
        return ASKED[settings.test], ""
    straight = settings.level == "system" and statistic.linear and statistic.averaged
    if straight and (~np.isnan(people)).any(axis=1).sum() >= 4:
        return "williams", ""
    if settings.level == "system" and (statistic.averaged or statistic.shares):
        return "perm-sys", ""
    if settings.level == "segment" and _affordable(people, metrics, statistic, settings):
        return "perm-input", ""
    if settings.draws:
        return "bootstrap", ""
    lacking = f"the test that would be quick here needs draws ({option('draws')})"
    return None, f"differences between metrics were not tested: {lacking}"


def _affordable(people: Array, metrics: int, statistic: Statistic, settings: Settings) -> bool:
    pairs = metrics * (metrics - 1) / 2
    if settings.judgements == "each":
        return False
    if settings.level == "segment" and settings.average == "item" and statistic.averaged:
        return True  # an item's value does not change when the item is swapped
    members = people.shape[0] if settings.average == "item" else people.shape[1]
    pooled = settings.level == "segment" and settings.average == "none"
    if settings.level == "segment" and statistic.pairwise and (pooled or members > POOLED_PAIRS):
        return False
    work = settings.trials_for(int(pairs)) * pairs * float((~np.isnan(people)).sum())
    return work <= statistic.affordable


def _as_test(comparison: MetricComparison, cell: MetaCorrelation, test: Test, trials: int) -> MetricTest:
    pair = (comparison.metric, comparison.other)
    ahead, behind = pair if comparison.estimate >= 0 else pair[::-1]
    count = "draws" if test == "bootstrap" else "trials"
    how = f"{WORDS[test]}, {trials:,} {count}" if trials else WORDS[test]
    return MetricTest(
        criterion=cell.criterion,
        statistic=cell.statistic,
        better=ahead,
        worse=behind,
        difference=abs(comparison.estimate),
        p=comparison.p,
        p_adjusted=comparison.p_adjusted,
        method=how,
        test=test,
        trials=trials,
    )


def groups_of(cells: Sequence[MetaCorrelation], tests: Sequence[MetricTest]) -> dict[str, Group]:
    """Groups of metrics from tests made elsewhere."""
    by_name = {cell.metric: cell for cell in cells}
    compared = [_comparison(by_name[test.better], by_name[test.worse], test.p, test.p_adjusted) for test in tests]
    return _groups(compared)
