"""Few judgements and a metric on all items: by hand, simulated coverage, savings measured, and a real set."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.stats.control_variates import control_variates, control_variates_difference


def study(
    generator: np.random.Generator, n: int, total: int, rho: float, judges: int = 2
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ratings of n items (variance of items 1, of judgements 0.5), a metric on all, and the true qualities."""
    quality = generator.normal(size=total)
    metric = rho * quality + np.sqrt(1 - rho**2) * generator.normal(size=total)
    ratings = np.full((total, judges), np.nan)
    judged = generator.choice(total, n, replace=False)
    ratings[judged] = quality[judged, None] + np.sqrt(0.5) * generator.normal(size=(n, judges))
    return ratings, metric, quality


def test_the_estimate_by_hand() -> None:
    # Judged: (g, y) = (1, 2), (2, 3), (3, 4), (4, 5.4). Slope 1.12, mean g 2.5 here and 4 over all eight items.
    metric = np.array([1.0, 2, 3, 4, 5, 5, 6, 6])
    ratings = np.array([2.0, 3, 4, 5.4, np.nan, np.nan, np.nan, np.nan])
    found = control_variates(ratings, metric)
    assert found.plain == pytest.approx(3.6)
    assert found.estimate == pytest.approx(3.6 + 1.12 * 1.5)
    assert (found.n, found.total, found.judgements) == (4, 8, 4)
    residual = np.polyval(np.polyfit(metric[:4], ratings[:4], 1), metric[:4]) - ratings[:4]
    per_item = (residual**2).sum() / 2
    expected = per_item * (1 / 4 + 1.5**2 / 5) + 1.12**2 * metric.var(ddof=1) / 8
    assert found.standard_error == pytest.approx(math.sqrt(expected))
    assert found.correlation == pytest.approx(np.corrcoef(metric[:4], ratings[:4])[0, 1])


def test_slope_and_scale_of_the_metric_do_not_matter() -> None:
    ratings, metric, _ = study(np.random.default_rng(1), 40, 300, 0.7)
    first = control_variates(ratings, metric)
    for other in (-3 * metric + 1000, 1e-6 * metric, 1e6 * metric):
        again = control_variates(ratings, other)
        assert (again.estimate, again.low) == pytest.approx((first.estimate, first.low), rel=1e-6)
    assert first.efficiency > 1.3 and first.saved == pytest.approx(40 * (first.efficiency - 1))
    assert 1 < first.efficiency < first.limit


def test_components_of_variance() -> None:
    found = control_variates(*study(np.random.default_rng(2), 4000, 5000, 0.8)[:2])
    assert found.judge_variance == pytest.approx(0.5, rel=0.06)
    assert found.item_variance == pytest.approx(1, rel=0.06)


def test_the_paper_s_saving() -> None:
    # (1 + γ) / (1 − ρ² + γ) with γ = 0.25 (two judgements of variance 0.5) and ρ = 0.9: 2.84; N is large.
    found = control_variates(*study(np.random.default_rng(3), 2000, 200_000, 0.9)[:2])
    assert found.efficiency == pytest.approx(1.25 / (1 - 0.81 + 0.25), rel=0.06)
    assert found.limit == pytest.approx(1.25 / 0.25, rel=0.12)


def test_strata_and_several_metrics() -> None:
    generator = np.random.default_rng(4)
    strata = generator.choice(3, size=400)
    ratings, metric, quality = study(generator, 80, 400, 0.5)
    ratings = ratings + 2.0 * strata[:, None]
    plain = control_variates(ratings, metric)
    stratified = control_variates(ratings, metric, strata=strata.tolist())
    assert stratified.standard_error < plain.standard_error and "stratified" in stratified.method
    both = control_variates(ratings, np.column_stack([metric, strata]))
    assert both.efficiency > plain.efficiency
    with pytest.raises(InputError, match="no item of the stratum 9"):
        control_variates(np.where(np.arange(400)[:, None] == 0, np.nan, ratings), metric, strata=[9, *strata[1:]])
    assert quality.shape == (400,)


def test_differences_of_two_systems() -> None:
    generator = np.random.default_rng(5)
    a, g, _ = study(generator, 300, 300, 0.8)
    b, h, _ = study(generator, 300, 300, 0.8)
    judged = np.arange(300) < 60
    a[~judged], b[~judged] = np.nan, np.nan
    found = control_variates_difference(a + 0.5, b, g, h)
    assert found.n == 60 and found.efficiency > 1.3 and found.p < 0.05
    assert found.plain == pytest.approx(float((a - b)[judged].mean()) + 0.5)
    # Different numbers of judges: differences of item means.
    fewer = control_variates_difference(a[:, :1] + 0.5, b, g, h)
    assert fewer.n == 60 and math.isnan(fewer.judge_variance)


def test_edges() -> None:
    ratings, metric, _ = study(np.random.default_rng(6), 20, 100, 0.5)
    useless = control_variates(ratings, np.ones(100))
    assert useless.estimate == pytest.approx(useless.plain) and useless.efficiency == pytest.approx(1)
    assert any("predicts nothing" in note for note in useless.notes)
    everyone = study(np.random.default_rng(7), 100, 100, 0.5)
    whole = control_variates(*everyone[:2])
    assert whole.estimate == pytest.approx(whole.plain) and any("all items are judged" in n for n in whole.notes)
    same = control_variates(np.where(np.isfinite(ratings), 3.0, np.nan), metric)
    assert (same.low, same.high) == pytest.approx((3, 3)) and math.isnan(same.p)
    with pytest.raises(InputError, match="too few"):
        control_variates(study(np.random.default_rng(8), 3, 50, 0.5)[0], metric[:50])
    with pytest.raises(InputError, match="not finite at item 0"):
        control_variates(ratings, np.where(np.arange(100) == 0, np.nan, metric))
    with pytest.raises(InputError, match="same items"):
        control_variates(ratings, metric[:50])
    with pytest.raises(InputError, match="population or set"):
        control_variates(ratings, metric, target="all")  # type: ignore[arg-type]
    assert "judged items do the work of" in str(control_variates(*study(np.random.default_rng(9), 50, 500, 0.9)[:2]))


@pytest.mark.slow
@pytest.mark.parametrize("target", ["population", "set"])
@pytest.mark.parametrize("rho", [0.0, 0.8])
def test_coverage_and_measured_savings(rho: float, target: str) -> None:
    # 600 studies of 30 of 200 items: 95 % ± 1.8 % (two standard errors); the variance ratio ± 15 % or so.
    generator = np.random.default_rng(10)
    held, errors, claimed = 0, [], []
    for _ in range(600):
        ratings, metric, quality = study(generator, 30, 200, rho)
        found = control_variates(ratings, metric, target=target)  # type: ignore[arg-type]
        truth = 0.0 if target == "population" else float(quality.mean())
        held += found.low <= truth <= found.high
        errors.append((found.plain - truth, found.estimate - truth))
        claimed.append(found.efficiency)
    plain, helped = np.mean(np.square(errors), axis=0)
    assert 0.93 <= held / 600 <= 0.97
    assert np.median(claimed) == pytest.approx(plain / helped, rel=0.2)
    if rho == 0:  # a useless metric costs the error of its slope, about 1/(n − 3), and no more
        assert plain / helped > 0.9
    else:
        assert plain / helped > 1.5


@pytest.mark.slow
def test_on_webnlg_ratings(shared: Path) -> None:
    """One judgement of each of 50 of 223 items, with the sentence METEOR that the organisers stored."""
    path = shared / "data" / "webnlg17_human.jsonl.gz"
    if not path.exists():
        pytest.skip(f"no {path}")
    values, metric = [], []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if row["system"] == "adapt":
                values.append([float(value) for value in row["ratings"]["semantics"] if value is not None])
                metric.append(float(row["metrics"]["meteor"]))
    total, generator = len(values), np.random.default_rng(11)
    truth = np.mean([np.mean(given) for given in values])
    held, errors, claimed = 0, [], []
    table = np.array([[*given, *[np.nan] * (9 - len(given))] for given in values])
    counts = np.isfinite(table).sum(axis=1)
    for _ in range(1000):
        ratings = np.full(total, np.nan)
        items = generator.choice(total, 50, replace=False)
        ratings[items] = table[items, (generator.random(50) * counts[items]).astype(int)]
        found = control_variates(ratings, np.array(metric), target="set")
        held += found.low <= truth <= found.high
        errors.append((found.plain - truth, found.estimate - truth))
        claimed.append(found.efficiency)
    plain, helped = np.mean(np.square(errors), axis=0)
    print(f"coverage {held / 1000:.3f}, variance ratio {plain / helped:.2f}, claimed {np.median(claimed):.2f}")
    # Conservative: with one judgement an item, what METEOR leaves unexplained is all taken as the judges' noise.
    assert 0.935 <= held / 1000 <= 0.99
    assert plain / helped > 1.2 and np.median(claimed) == pytest.approx(plain / helped, rel=0.2)
