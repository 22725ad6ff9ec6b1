"""Power from a pilot: beside the noncentral t, with its Monte-Carlo error, and the components behind it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import nct, t

from nlgauge.errors import InputError
from nlgauge.stats.power import items_needed, pilot, power


def ratings(items: int, judges: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Differences of mean 0.2, variance 0.64 between items and 2 · 0.49 within."""
    generator = np.random.default_rng(seed)
    shared = generator.normal(0, 0.8, size=(items, 1))
    a = 0.2 + shared + generator.normal(0, 0.7, size=(items, judges))
    return a, generator.normal(0, 0.7, size=(items, judges))


def t_power(effect: float, variance: float, n: int, alpha: float = 0.05) -> float:
    bound, shift = t.ppf(1 - alpha / 2, n - 1), effect / np.sqrt(variance / n)
    return float(nct.sf(bound, n - 1, shift) + nct.cdf(-bound, n - 1, shift))


def test_components_by_hand() -> None:
    # Item means 1, 3, 5 (variance 4), within-item variances 2, 2, 2 of two judgements each: between 4 − 2/2.
    a = np.array([[0.0, 2], [2, 4], [4, 6]])
    found = pilot(a, np.zeros((3, 2)))
    assert (found.effect, found.within, found.between) == (3, 2, 3)
    assert found.item_effects.var() == pytest.approx(3) and np.mean(found.residuals**2) == pytest.approx(2)


def test_components_are_those_simulated() -> None:
    found = pilot(*ratings(4000, 3))
    assert found.between == pytest.approx(0.64, abs=0.06) and found.within == pytest.approx(0.98, abs=0.05)
    gaps = ratings(4000, 4)
    for side in gaps:
        side[np.random.default_rng(1).random(side.shape) < 0.3] = np.nan
    found = pilot(*gaps)
    assert found.between == pytest.approx(0.64, abs=0.08) and found.within == pytest.approx(0.98, abs=0.06)


def test_components_without_matched_judges() -> None:
    a, b = ratings(4000, 2)
    gap = np.full_like(a, np.nan)
    found = pilot(np.hstack([a, gap]), np.hstack([gap, b]))  # four judges, each saw one system only
    assert found.between == pytest.approx(0.64, abs=0.06) and found.within == pytest.approx(0.98, abs=0.05)
    assert found.effect == pytest.approx(float((a - b).mean())) and found.judgements == 8000
    planned = power(found, items=80, judges=2, effect=0.25)
    expected = t_power(0.25, found.between + found.within / 2, 80)
    assert planned.low - 0.012 <= expected <= planned.high + 0.012
    half = pilot(a, b[:, :1])  # one judgement on one side: its noise cannot be told from the items
    assert np.isnan(half.within) and half.between > 0.64


@pytest.mark.parametrize(("items", "judges"), [(30, 1), (80, 3), (150, 2)])
def test_power_beside_the_noncentral_t(items: int, judges: int) -> None:
    source = pilot(*ratings(300, 3))
    found = power(source, items=items, judges=judges, effect=0.25)
    expected = t_power(0.25, source.between + source.within / judges, items)
    # Randomisation and t-test agree to about a percentage point; the rest is Monte-Carlo error (limits at 95 %).
    assert found.low - 0.012 <= expected <= found.high + 0.012
    assert found.low < found.estimate < found.high


def test_no_effect_is_found_at_alpha() -> None:
    found = power(pilot(*ratings(100, 2)), items=40, judges=2, effect=0.0)
    assert found.low <= 0.05 <= found.high


@pytest.mark.slow
def test_items_needed_reach_the_target_and_fewer_do_not() -> None:
    source = pilot(*ratings(100, 3))
    found = items_needed(source, target=0.8, judges=3, effect=0.3)
    assert found.estimate >= 0.8
    assert power(source, items=found.items - 1, judges=3, effect=0.3).estimate < 0.8
    assert found.items_low is not None and found.items_high is not None
    assert found.items_low <= found.items <= found.items_high
    assert "For a power of 0.8" in str(found) and found.to_dict()["items"] == found.items
    # The formula for the t-test gives nearly the same number.
    variance = source.between + source.within / 3
    needed = next(n for n in range(5, 500) if t_power(0.3, variance, n) >= 0.8)
    assert abs(found.items - needed) <= 0.12 * needed
    assert items_needed(source, judges=6, effect=0.3).items < found.items


def test_the_observed_effect_is_flagged_and_single_judgements_too() -> None:
    found = power(pilot(*ratings(40, 1)), items=50)
    assert any("may be luck" in note for note in found.notes)
    assert any("judged twice" in note for note in found.notes)


def test_refusals() -> None:
    source = pilot(*ratings(40, 1))
    with pytest.raises(InputError, match="several judges cannot be foreseen"):
        power(source, items=50, judges=3)
    with pytest.raises(InputError, match="cannot be found by any study"):
        items_needed(source, effect=0.0)
    with pytest.raises(InputError, match="even 100,000 items"):
        items_needed(source, effect=1e-5, simulations=100, trials=99)
    with pytest.raises(InputError, match="power asked for"):
        items_needed(source, target=1.0, effect=0.3)
    with pytest.raises(InputError, match="α must lie"):
        power(source, items=50, alpha=0.0)
    with pytest.raises(InputError, match="at least 2 items"):
        power(source, items=1)
    with pytest.raises(InputError, match="at least 3 items"):
        pilot(np.ones(2), np.zeros(2))
    with pytest.raises(InputError, match="all differences of the pilot are equal"):
        pilot(np.ones(10), np.zeros(10))
