"""Simulated coverage of the mixed models' limits: prints the table of docs/mixed-models.md.

python tests/stats/mixed/coverage_table.py [studies]
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from rating_studies import Study, study

from nlgauge.stats.mixed import linear_mixed, ordinal_mixed

Fit = Callable[[Study], tuple[float, float, float, float]]
POINTS = {5: [1.5, 3.0, 4.0, 5.5], 3: [2.5, 4.5], 7: [0.5, 1.8, 2.8, 3.7, 4.7, 6.0]}


def linear(slopes: tuple[str, ...] = ()) -> Fit:
    """The difference of the last and the first system, its limits, and the judges' standard deviation."""

    def fit(data: Study) -> tuple[float, float, float, float]:
        found = linear_mixed(data.y, [f"s{k}" for k in data.system], data.groups, slopes=slopes)
        vector = np.array([(name == "s2") - float(name == "s0") for name in found.systems])
        pair = found.contrast(vector)
        return pair.estimate, pair.low, pair.high, found["judge"].deviation

    return fit


def ordinal(points: int, link: str = "logit") -> Fit:
    """The same on the latent scale, with ratings cut into so many points."""

    def fit(data: Study) -> tuple[float, float, float, float]:
        rating = np.digitize(data.y, POINTS[points])
        found = ordinal_mixed(rating, [f"s{k}" for k in data.system], data.groups, link=link)  # type: ignore[arg-type]
        vector = np.array([(name == "s2") - float(name == "s0") for name in found.systems])
        pair = found.contrast(vector)
        return pair.estimate, pair.low, pair.high, found.components[0].deviation

    return fit


def report(name: str, fit: Fit, studies: int, truth: float, **known: float) -> None:
    """One row of the table."""
    shape = (3, int(known.pop("judges")), int(known.pop("items")))
    rows = known.pop("rows", None)
    found = np.array(
        [
            fit(study(seed, *shape, rows=None if rows is None else int(rows), **known))  # type: ignore[arg-type]
            for seed in range(studies)
        ]
    )
    covered = np.mean((found[:, 1] <= truth) & (truth <= found[:, 2]))
    bias = found[:, 0].mean() - truth
    print(f"| {name} | {studies} | {bias:+.3f} | {covered:.3f} | {found[:, 3].mean():.2f} |", flush=True)


def main(studies: int) -> None:
    """Print all rows."""
    some = max(studies // 2, 1)
    report("linear, 8 judges × 15 items, complete", linear(), studies, 0.4, judges=8, items=15)
    report("linear, 8 × 15, 160 ratings at random", linear(), studies, 0.4, judges=8, items=15, rows=160)
    report("linear, 3 judges × 10 items, complete", linear(), studies, 0.4, judges=3, items=10)
    favour = {"judges": 8, "items": 15, "favour": 0.4}
    report("linear, judges favour systems, no slope", linear(), studies, 0.4, **favour)
    report("linear, judges favour systems, slope", linear(("judge",)), some, 0.4, **favour)
    output = {"judges": 3, "items": 20, "output": 0.7}
    report("linear, 3 × 20, outputs differ, no slope", linear(), studies, 0.4, **output)
    report("linear, 3 × 20, outputs differ, slope", linear(("item",)), some, 0.4, **output)
    logistic = {"judges": 8, "items": 20, "judge": 0.8, "item": 1.0, "step": 0.5, "logistic": True}
    for points in (5, 3):
        report(f"ordinal (logit, {points} points), 8 × 20", ordinal(points), some, 1.0, **logistic)
    few = {**logistic, "judges": 3, "items": 20}
    report("ordinal (logit, 5 points), 3 × 20", ordinal(5), some, 1.0, **few)
    normal = {"judges": 8, "items": 20, "judge": 0.5, "item": 0.7, "step": 0.3}
    report("ordinal (probit, 7 points), 8 × 20", ordinal(7, "probit"), some, 0.6, **normal)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
