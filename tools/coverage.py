"""Simulations behind the tables of docs/resampling.md: how often intervals hold the truth, and how often tests err.

    python tools/coverage.py [NAME …]     all studies, or those named: means few clusters crossed flips control huse

Every study has its own seed and prints one table. With R runs, a true 95 % shows as 95 % ± 1.96 √(.05·.95/R).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from math import hypot
from statistics import NormalDist

import numpy as np

from nlgauge.stats import bootstrap, compare_judgements, crossed_bootstrap, nested_bootstrap, sign_flip_test
from nlgauge.stats.control_variates import control_variates
from nlgauge.stats.huse import huse
from nlgauge.stats.resample import approximate_randomisation

RUNS = 1000
Rows = Iterator[tuple[object, ...]]


def mean(totals: np.ndarray) -> np.ndarray:
    return totals[..., 0] / totals[..., 1]


def valued(values: np.ndarray) -> np.ndarray:
    return np.column_stack([values, np.ones(len(values))])


def share(hits: list[bool]) -> str:
    return f"{100 * np.mean(hits):.1f} %"


def means(runs: int = RUNS) -> Rows:
    """Ordinary bootstrap of a mean: percentile and BCa, symmetric and skewed values."""
    yield "values", "n", "percentile", "BCa"
    draws = {
        "normal": (lambda generator, n: generator.normal(size=n), 0.0),
        "exponential": (lambda generator, n: generator.exponential(size=n), 1.0),
        "rating 1 to 5": (
            lambda generator, n: generator.choice(5, size=n, p=(0.05, 0.05, 0.1, 0.3, 0.5)) + 1.0,
            4.15,
        ),
    }
    for name, (draw, truth) in draws.items():
        for n in (10, 20, 50, 100, 200):
            generator = np.random.default_rng(1)
            hits: dict[str, list[bool]] = {"percentile": [], "bca": []}
            for run in range(runs):
                rows = valued(draw(generator, n))
                if np.ptp(rows[:, 0]) == 0:
                    continue
                for kind in ("percentile", "bca"):
                    found = bootstrap(rows, mean, seed=run, interval=kind)
                    hits[kind].append(found.low <= truth <= found.high)
            yield name, n, share(hits["percentile"]), share(hits["bca"])


def few(runs: int = 2000) -> Rows:
    """Percentile intervals of few items: means of scores, and differences of the mean ratings of two systems."""
    sizes = (8, 12, 20, 30, 50)
    yield "values", *sizes

    def rated(generator: np.random.Generator, n: int) -> np.ndarray:
        """Of two systems by three judges on five points."""
        shape, item = (2, n, 3), generator.normal(size=(n, 1))
        given = 3.2 + item + 0.7 * generator.normal(size=(2, n, 1)) + 0.8 * generator.normal(size=shape)
        a, b = np.clip(np.rint(given), 1, 5).mean(axis=2)
        return np.asarray(a - b)

    draws: dict[str, tuple[Callable[[np.random.Generator, int], np.ndarray], float]] = {
        "normal": (lambda generator, n: generator.normal(size=n), 0.0),
        "beta(2, 5)": (lambda generator, n: generator.beta(2, 5, size=n), 2 / 7),
        "exponential": (lambda generator, n: generator.exponential(size=n), 1.0),
        "differences of mean ratings": (rated, 0.0),
    }
    for name, (draw, truth) in draws.items():
        cells = []
        for n in sizes:
            generator = np.random.default_rng(7)
            found = (bootstrap(valued(draw(generator, n)), mean, seed=run) for run in range(runs))
            cells.append(share([one.low <= truth <= one.high for one in found]))
        yield name, *cells


def clusters(runs: int = RUNS) -> Rows:
    """Segments in clusters, a third of the variance between clusters, true mean 0."""
    yield (
        "clusters",
        "segments in each",
        "ordinary",
        "cluster",
        "cluster, BCa",
        "nested",
        "swap segments",
        "swap clusters",
    )
    for groups, size in ((5, 10), (10, 10), (20, 10), (50, 10), (20, 2)):
        generator = np.random.default_rng(2)
        hits: list[list[bool]] = [[] for _ in range(4)]
        rejected: list[list[bool]] = [[], []]
        labels = np.repeat(np.arange(groups), size).tolist()
        for run in range(runs):
            values = np.repeat(generator.normal(size=groups), size) * np.sqrt(0.5) + generator.normal(
                size=groups * size
            )
            rows = valued(values)
            found = [
                bootstrap(rows, mean, seed=run),
                bootstrap(rows, mean, seed=run, clusters=labels),
                bootstrap(rows, mean, seed=run, clusters=labels, interval="bca"),
                nested_bootstrap(rows, mean, [labels], seed=run),
            ]
            for kept, interval in zip(hits, found, strict=True):
                kept.append(interval.low <= 0 <= interval.high)
            zero = valued(np.zeros(len(values)))
            for kept, blocks in zip(rejected, (None, labels), strict=True):
                test = approximate_randomisation(
                    rows, zero, mean, trials=999, seed=run, clusters=blocks, interval_trials=2
                )
                kept.append(test.p <= 0.05)
        yield groups, size, *map(share, hits), *map(share, rejected)


def crossed(runs: int = RUNS) -> Rows:
    """Items and judges: variance of items 1, of judges 0.25, of single judgements 0.5; 30 % missing; true mean 0."""
    yield "items", "judges", "items drawn", "items and judges drawn"
    for items, judges in ((50, 3), (50, 5), (50, 10), (50, 20), (200, 10), (200, 30)):
        generator = np.random.default_rng(3)
        hits: list[list[bool]] = [[], []]
        for run in range(runs):
            values = (
                generator.normal(size=(items, 1))
                + 0.5 * generator.normal(size=(1, judges))
                + np.sqrt(0.5) * generator.normal(size=(items, judges))
            )
            values[generator.random(values.shape) < 0.3] = np.nan
            values = values[np.isfinite(values).any(axis=1)]
            averages = np.nanmean(values, axis=1)
            found = [
                bootstrap(valued(averages), mean, trials=500, seed=run),
                crossed_bootstrap(values, trials=500, seed=run),
            ]
            for kept, interval in zip(hits, found, strict=True):
                kept.append(interval.low <= 0 <= interval.high)
        yield items, judges, *map(share, hits)


def flips(runs: int = 2000) -> Rows:
    """No difference between two systems rated 1 to 5; rejections at 5 %. By chance, an item favours one of them."""
    yield "items", "judges", "exact, items", "exact, judgements", "Monte Carlo (999)"
    for items, judges in ((6, 1), (10, 3), (30, 1), (30, 3), (100, 3)):
        generator = np.random.default_rng(4)
        rejected: list[list[bool]] = [[], [], []]
        for run in range(runs):
            a, b = (
                np.clip(
                    np.rint(3.5 + generator.normal(size=(items, 1)) + 0.7 * generator.normal(size=(items, judges))),
                    1,
                    5,
                )
                for _ in range(2)
            )
            rejected[0].append(sign_flip_test((a - b).mean(axis=1)).p <= 0.05)
            rejected[1].append(compare_judgements(a, b, unit="judgements", interval_trials=2, seed=run).p <= 0.05)
            found = sign_flip_test((a - b).mean(axis=1), method="monte-carlo", trials=999, seed=run)
            rejected[2].append(found.p <= 0.05)
        yield items, judges, *map(share, rejected)


def control(runs: int = 2000) -> Rows:
    """Items of variance 1, judgements of variance 0.5, two an item; the metric correlates ρ with true quality."""
    yield "judged", "of", "ρ", "target", "coverage", "plain mean's", "variance ratio", "estimated", "limit"
    for target in ("population", "set"):
        for n, total in ((10, 200), (20, 200), (50, 200), (50, 5000)):
            for rho in (0.0, 0.5, 0.9):
                generator = np.random.default_rng(5)
                hits: list[list[bool]] = [[], []]
                errors, efficiency, limit = [], [], []
                for _ in range(runs):
                    quality = generator.normal(size=total)
                    metric = rho * quality + np.sqrt(1 - rho**2) * generator.normal(size=total)
                    ratings = np.full((total, 2), np.nan)
                    judged = generator.choice(total, n, replace=False)
                    ratings[judged] = quality[judged, None] + np.sqrt(0.5) * generator.normal(size=(n, 2))
                    found = control_variates(ratings, metric, target=target)
                    truth = 0.0 if target == "population" else float(quality.mean())
                    hits[0].append(found.low <= truth <= found.high)
                    hits[1].append(found.plain_low <= truth <= found.plain_high)
                    errors.append((found.plain - truth, found.estimate - truth))
                    efficiency.append(found.efficiency)
                    limit.append(found.limit)
                plain, helped = np.mean(np.square(errors), axis=0)
                yield (
                    *(n, total, rho, target, *map(share, hits), f"{plain / helped:.2f}"),
                    *(f"{np.median(efficiency):.2f}", f"{np.median(limit):.2f}"),
                )


def joint(runs: int = 200) -> Rows:
    """HUSE of two normal clouds `apart` standard deviations from each other on each feature."""
    yield "texts of each kind", "apart", "best classifier's", "mean HUSE", "holds the mean", "holds the best"
    for n in (50, 100, 200):
        for apart in (0.0, 0.5, 1.0):
            generator = np.random.default_rng(6)
            truth = 2 * NormalDist().cdf(-hypot(apart, apart) / 2)
            found = []
            for run in range(runs):
                points = generator.normal(size=(2 * n, 2))
                points[n:] += apart
                result = huse(points[:, 0], points[:, 1], np.arange(2 * n) >= n, trials=50, seed=run).huse
                found.append((result.estimate, result.low, result.high))
            estimate, low, high = np.array(found).T
            holds = [share(((low <= value) & (value <= high)).tolist()) for value in (estimate.mean(), truth)]
            yield n, apart, f"{truth:.2f}", f"{estimate.mean():.2f}", *holds


STUDIES: dict[str, Callable[[], Rows]] = {
    "means": means,
    "few": few,
    "clusters": clusters,
    "crossed": crossed,
    "flips": flips,
    "control": control,
    "huse": joint,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or STUDIES:
        print(f"\n{name}: {(STUDIES[name].__doc__ or '').strip()}")
        for number, row in enumerate(STUDIES[name]()):
            print("| " + " | ".join(map(str, row)) + " |", flush=True)
            if number == 0:
                print("|" + "---|" * len(row))
