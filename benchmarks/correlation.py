"""PERM-BOTH and coefficients side by side with scipy.

    python benchmarks/correlation.py

PERM-BOTH: 30 metrics, 20 systems, 2,000 segments, 1,000 draws, all 435 pairs of metrics. scipy's loop mixes two
metrics and calls `pearsonr` twice for each pair and draw; it is timed on a part of them and scaled, since the whole
takes many minutes. Both sides use the same coins, and the differences of correlations they find are compared before
a time counts. CPU time of all threads, best of three, the two sides alternating.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from nlgauge.stats.correlation import compare_metrics, kendall_b, pearson, spearman
from nlgauge.stats.correlation.permutation import Cells, permuted_differences, random_signs

Array = NDArray[np.float64]

METRICS, SYSTEMS, SEGMENTS, DRAWS, SEED = 30, 20, 2000, 1000, 12345
TIMED_PAIRS, TIMED_DRAWS = 5, 8  # the part of scipy's loop that is timed


def measure() -> list[dict[str, Any]]:
    """One row per case: seconds of both sides, their ratio, the ratio promised (if any) and what was done."""
    human, metrics = _scores()
    return [_perm_both(human, metrics), *_coefficients(human, metrics)]


def _perm_both(human: Array, metrics: Array) -> dict[str, Any]:
    pairs = list(combinations(range(METRICS), 2))
    names = [f"metric {number}" for number in range(METRICS)]
    standard = stats.zscore(metrics.reshape(METRICS, -1), axis=1)
    signs = next(iter(random_signs(TIMED_DRAWS, SYSTEMS * SEGMENTS, SEED, 1)))[1][:1]
    some = pairs[:TIMED_PAIRS]

    # The work is the same: the first draw's differences agree.
    cells = Cells.of(human, metrics, "segment", "none")
    ours = permuted_differences(cells, some, statistic="pearson", draws=TIMED_DRAWS, seed=SEED)
    theirs = [_scipy_difference(human.ravel(), standard[a], standard[b], signs[0] > 0) for a, b in some]
    if not np.allclose(ours[0], theirs, rtol=0, atol=1e-10):
        raise SystemExit("PERM-BOTH: ours and scipy's loop disagree")

    def loop() -> None:
        generator = np.random.default_rng(SEED)
        for a, b in some:
            for _ in range(TIMED_DRAWS):
                keep = generator.integers(2, size=SYSTEMS * SEGMENTS).astype(bool)
                _scipy_difference(human.ravel(), standard[a], standard[b], keep)

    mine, part = _alternate(
        lambda: compare_metrics(human, metrics, names, test="perm-both", draws=DRAWS, seed=SEED), loop
    )
    scaled = part * len(pairs) * DRAWS / (TIMED_PAIRS * TIMED_DRAWS)
    return _row(
        "PERM-BOTH, Pearson, 30 metrics x 20 systems x 2,000 segments, 1,000 draws",
        mine,
        scaled,
        20,
        f"scipy timed on {TIMED_PAIRS} of {len(pairs)} pairs x {TIMED_DRAWS} of {DRAWS:,} draws "
        f"({part:.2f} s) and scaled",
    )


def _scipy_difference(human: Array, first: Array, second: Array, keep: NDArray[np.bool_]) -> float:
    mixed, other = np.where(keep, first, second), np.where(keep, second, first)
    return float(stats.pearsonr(mixed, human)[0] - stats.pearsonr(other, human)[0])


def _coefficients(human: Array, metrics: Array) -> list[dict[str, Any]]:
    x, y = human.ravel(), metrics[0].ravel()
    cases: list[tuple[str, Callable[[Any, Any], float], Callable[[Any, Any], Any]]] = [
        ("Pearson, n = 40,000", pearson, stats.pearsonr),
        ("Spearman, n = 40,000", spearman, stats.spearmanr),
        ("Kendall tau-b, n = 40,000", kendall_b, stats.kendalltau),
    ]
    rows = []
    for name, ours, theirs in cases:
        if abs(ours(x, y) - theirs(x, y)[0]) > 1e-10:
            raise SystemExit(f"{name}: ours and scipy's disagree")
        mine, peer = _alternate(lambda ours=ours: ours(x, y), lambda theirs=theirs: theirs(x, y))
        rows.append(_row(name, mine, peer, None, "scipy also computes a p-value"))
    return rows


def _scores() -> tuple[Array, Array]:
    generator = np.random.default_rng(1)
    quality = generator.normal(size=(SYSTEMS, SEGMENTS)) + 0.5 * generator.normal(size=(SYSTEMS, 1))
    human = np.round(quality + generator.normal(size=quality.shape), 1)
    return human, quality + generator.normal(size=(METRICS, *quality.shape))


def _alternate(ours: Callable[[], Any], theirs: Callable[[], Any]) -> tuple[float, float]:
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(3):
        for side, work in enumerate((ours, theirs)):
            start = time.process_time()
            work()
            times[side].append(time.process_time() - start)
    return min(times[0]), min(times[1])


def _row(case: str, ours: float, theirs: float, target: float | None, note: str) -> dict[str, Any]:
    return {
        "case": case,
        "peer": "scipy",
        "ours_s": ours,
        "peer_s": theirs,
        "ratio": theirs / ours,
        "target": target,
        "note": note,
    }


def main() -> None:
    """Print the table."""
    print(f"{'case':75} {'nlgauge':>10} {'scipy':>10} {'ratio':>8}  target")
    for row in measure():
        target = f"≥ {row['target']}" if row["target"] else ""
        print(
            f"{row['case']:75} {row['ours_s']:>9.4f}s {row['peer_s']:>9.4f}s {row['ratio']:>7.1f}x  {target}  "
            f"{row['note']}"
        )


if __name__ == "__main__":
    main()
