"""Krippendorff's alpha side by side with fast-krippendorff: 4 judges × 100,000 items, five ordinal levels, gaps.

    python benchmarks/agreement.py

The two alternate in one process and the best of several runs counts for each; they must print the same alpha.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np

ITEMS, JUDGES, LEVELS, GAPS, REPEATS = 100_000, 4, 5, 0.2, 9


def ratings() -> Any:
    """Items × judges; judges see the true level half of the time."""
    generator = np.random.default_rng(0)
    truth = generator.integers(1, LEVELS + 1, size=(ITEMS, 1))
    guess = generator.integers(1, LEVELS + 1, size=(ITEMS, JUDGES))
    values = np.where(generator.random((ITEMS, JUDGES)) < 0.5, truth, guess).astype(float)
    values[generator.random((ITEMS, JUDGES)) < GAPS] = np.nan
    return values


def measure() -> list[dict[str, Any]]:
    """One row per scale: seconds of both, their ratio, and the alphas, which must agree."""
    import krippendorff

    from nlgauge.stats.agreement import Limits
    from nlgauge.stats.agreement import krippendorff as alpha

    values = ratings()
    transposed = np.ascontiguousarray(values.T)  # the layout the other package expects
    rows = []
    for scale in ("ordinal", "nominal", "interval"):
        runs: dict[str, Callable[[], float]] = {
            "ours": lambda scale=scale: alpha(values, scale, limits=Limits("none")).estimate,
            "peer": lambda scale=scale: float(krippendorff.alpha(transposed, level_of_measurement=scale)),
            "with interval": lambda scale=scale: alpha(values, scale).estimate,
        }
        best, found = dict.fromkeys(runs, float("inf")), dict.fromkeys(runs, 0.0)
        for _ in range(REPEATS):
            for name, run in runs.items():
                start = time.perf_counter()
                found[name] = run()
                best[name] = min(best[name], time.perf_counter() - start)
        if abs(found["ours"] - found["peer"]) > 1e-10:
            raise SystemExit(f"the two disagree on {scale} data: {found}")
        rows.append(
            {
                "case": f"Krippendorff's alpha, {scale}, {JUDGES} × {ITEMS:,}",
                "peer": f"krippendorff {version('krippendorff')}",
                "ours_s": best["ours"],
                "with_interval_s": best["with interval"],
                "peer_s": best["peer"],
                "ratio": best["peer"] / best["ours"],
                "target": 1 if scale == "ordinal" else None,
                "note": f"with interval {1000 * best['with interval']:.1f} ms",
                "value": found["ours"],
            }
        )
    return rows


if __name__ == "__main__":
    for row in measure():
        print(
            f"{row['case']}: ours {1000 * row['ours_s']:.1f} ms "
            f"(with interval {1000 * row['with_interval_s']:.1f} ms), "
            f"{row['peer']} {1000 * row['peer_s']:.1f} ms, ratio {row['ratio']:.2f}, alpha {row['value']:.6f}"
        )
