"""Judges of known agreement, and how often the intervals hold it.

    python tests/stats/agreement/simulate.py [samples [names]]     prints the table of docs/agreement.md

Nominal: with chance √κ a judge gives the item's class, else one drawn from the shares of the classes, so that Fleiss',
Scott's, Cohen's and Conger's kappa and Krippendorff's alpha are all κ. Interval: item plus noise, intraclass
correlation .6. Ordinal: the same cut into five levels; its true values are those of a sample of 400,000 items. Gaps: a
fifth of the ratings is missing at random.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from nlgauge.stats import agreement
from nlgauge.stats.agreement import Coefficient, Limits, UndefinedAgreement

Model = Callable[[np.random.Generator, int], Any]
UNIFORM, SKEWED = (0.25, 0.25, 0.25, 0.25), (0.8, 0.2)
AGREED = 0.6
NONE = Limits("none")


def nominal(judges: int, shares: tuple[float, ...], agreed: float = AGREED) -> Model:
    def draw(generator: np.random.Generator, items: int) -> Any:
        size = len(shares)
        truth = generator.choice(size, size=(items, 1), p=shares)
        guess = generator.choice(size, size=(items, judges), p=shares)
        return np.where(generator.random((items, judges)) < math.sqrt(agreed), truth, guess).astype(float)

    return draw


def continuous(judges: int, severity: float = 0.0) -> Model:
    def draw(generator: np.random.Generator, items: int) -> Any:
        noise = math.sqrt(1 - AGREED) * generator.standard_normal((items, judges))
        offsets = math.sqrt(severity) * generator.standard_normal(judges)
        return math.sqrt(AGREED) * generator.standard_normal((items, 1)) + noise + offsets

    return draw


def levels(judges: int) -> Model:
    plain = continuous(judges)

    def draw(generator: np.random.Generator, items: int) -> Any:
        return np.digitize(plain(generator, items), [-1.0, -0.3, 0.3, 1.0]).astype(float)

    return draw


def gappy(model: Model) -> Model:
    def draw(generator: np.random.Generator, items: int) -> Any:
        values = model(generator, items)
        return np.where(generator.random(values.shape) < 0.2, np.nan, values)

    return draw


@cache
def truth(compute: Callable[..., Coefficient], model: Model) -> float:
    return compute(model(np.random.default_rng(99), 400_000), limits=NONE).estimate


def alpha(scale: str) -> Callable[..., Coefficient]:
    return lambda values, limits: agreement.krippendorff(values, scale, limits=limits)


def icc(form: Any) -> Callable[..., Coefficient]:
    return lambda values, limits: agreement.icc(values, form, limits=limits)


def correlation(kind: Any) -> Callable[..., Coefficient]:
    return lambda values, limits: agreement.pairwise_correlation(values, kind, limits=limits)


def weighted(values: Any, limits: Limits) -> Coefficient:
    return agreement.gwet(values, weights="ordinal", categories=[0, 1, 2, 3, 4], limits=limits)


def quadratic(values: Any, limits: Limits) -> Coefficient:
    return agreement.cohen(values, weights="quadratic", limits=limits)


def brennan(values: Any, limits: Limits) -> Coefficient:
    return agreement.brennan_prediger(values, weights="ordinal", categories=[0, 1, 2, 3, 4], limits=limits)


def gwet1(values: Any, limits: Limits) -> Coefficient:
    return agreement.gwet(values, categories=[0, 1, 2, 3], limits=limits)


def cases() -> list[tuple[str, Callable[..., Coefficient], Model, float | None]]:
    """Name, coefficient, model, true value (None: that of a huge sample)."""
    four, two, skewed = nominal(3, UNIFORM), nominal(2, UNIFORM), nominal(3, SKEWED)
    high, rated, measured = nominal(3, UNIFORM, 0.9), levels(3), continuous(3)
    return [
        ("percent agreement, 2 judges", agreement.percent_agreement, two, None),
        ("percent agreement, 3 judges", agreement.percent_agreement, four, None),
        ("Cohen's kappa, 2 judges", agreement.cohen, two, AGREED),
        ("Cohen's kappa, quadratic weights, 2 judges", quadratic, levels(2), None),
        ("Scott's pi, 2 judges", agreement.scott, two, AGREED),
        ("Fleiss' kappa, 3 judges", agreement.fleiss, four, AGREED),
        ("Fleiss' kappa .9, 3 judges", agreement.fleiss, high, 0.9),
        ("Fleiss' kappa, shares .8 and .2", agreement.fleiss, skewed, AGREED),
        ("Gwet's AC1, 3 judges", gwet1, four, None),
        ("Krippendorff's alpha, nominal", alpha("nominal"), four, AGREED),
        ("Krippendorff's alpha, ordinal", alpha("ordinal"), rated, None),
        ("Krippendorff's alpha, interval", alpha("interval"), measured, AGREED),
        ("Krippendorff's alpha, ordinal, 2 judges", alpha("ordinal"), levels(2), None),
        ("Krippendorff's alpha, interval, 2 judges", alpha("interval"), continuous(2), AGREED),
        ("Gwet's AC2, ordinal weights", weighted, rated, None),
        ("Gwet's AC2, gaps, 3 judges", weighted, gappy(rated), None),
        ("Gwet's AC2, gaps, 2 judges", weighted, gappy(levels(2)), None),
        ("Brennan–Prediger, ordinal weights", brennan, rated, None),
        ("Brennan–Prediger, gaps, 3 judges", brennan, gappy(rated), None),
        ("Brennan–Prediger, gaps, 2 judges", brennan, gappy(levels(2)), None),
        ("ICC(1,1)", icc("1,1"), measured, AGREED),
        ("ICC(2,1), severities drawn too", icc("2,1"), continuous(3, 0.2), AGREED / 1.2),
        ("ICC(2,1), the same, 10 judges", icc("2,1"), continuous(10, 0.2), AGREED / 1.2),
        ("ICC(3,k)", icc("3,k"), measured, 3 * AGREED / (1 + 2 * AGREED)),
        ("Kendall's W", agreement.kendall_w, rated, None),
        ("mean pairwise Pearson", correlation("pearson"), measured, AGREED),
        ("mean pairwise Spearman", correlation("spearman"), rated, None),
        ("mean pairwise Kendall tau-b", correlation("kendall"), rated, None),
    ]


def coverage(
    compute: Callable[..., Coefficient],
    model: Model,
    true: float | None,
    items: int,
    samples: int,
    limits: Limits,
    seed: int = 1,
) -> float:
    """The share of samples whose interval holds the true value, among those with an interval."""
    generator = np.random.default_rng(seed)
    target = truth(compute, model) if true is None else true
    held, counted = 0, 0
    for _ in range(samples):
        try:
            found = compute(model(generator, items), limits=limits)
        except UndefinedAgreement:
            continue
        if math.isnan(found.low):
            continue
        counted += 1
        held += found.low <= target <= found.high
    return held / counted


def main() -> None:
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    wanted = sys.argv[2:]  # parts of names; all cases without any
    sizes = (20, 50, 100, 300)
    print("| coefficient | " + " | ".join(f"{size} items" for size in sizes) + " | bootstrap, 100 |")
    print("|---|" + "--:|" * (len(sizes) + 1))
    for name, compute, model, true in cases():
        if wanted and not any(part in name for part in wanted):
            continue
        cells = [coverage(compute, model, true, size, samples, Limits()) for size in sizes]
        cells.append(coverage(compute, model, true, 100, samples // 4, Limits("bootstrap", trials=400)))
        shown = [f"{100 * cell:.1f}" if 0.93 <= cell <= 0.97 else f"**{100 * cell:.1f}**" for cell in cells]
        print(f"| {name} | " + " | ".join(shown) + " |", flush=True)


if __name__ == "__main__":
    main()
