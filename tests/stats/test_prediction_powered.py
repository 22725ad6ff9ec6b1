"""Means of people helped by a machine: the formulas by hand, limits of the weight, coverage by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t

from nlgauge.errors import InputError
from nlgauge.stats.prediction_powered import prediction_powered

Y, F, G = (
    [1.0, 0.0, 1.0, 1.0, 0.0, 1.0],
    [1.0, 0.0, 1.0, 0.5, 0.5, 1.0],
    [1.0, 0.0, 0.0, 1.0, 0.5, 0.0, 0.5, 0.5],
)


def test_with_weight_one_it_is_the_papers_rectified_mean() -> None:
    """Angelopoulos et al. (2023): mean of the machine's others plus the mean of what it got wrong."""
    found = prediction_powered(Y, F, G, tuned=False)
    y, f, g = map(np.array, (Y, F, G))
    assert found.estimate == pytest.approx(g.mean() + (y - f).mean())
    variance = (y - f).var(ddof=1) / 6 + g.var(ddof=1) / 8
    assert found.standard_error == pytest.approx(np.sqrt(variance))
    assert found.high - found.estimate == pytest.approx(t.ppf(0.975, 5) * np.sqrt(variance))
    assert (found.weight, found.n, found.total) == (1.0, 6, 8)


def test_the_weight_is_that_of_ppi_plus_plus() -> None:
    """λ = cov(y, f) / ((1 + n/N) var(f)), var(f) over all that the machine judged."""
    found = prediction_powered(Y, F, G)
    y, f, g = map(np.array, (Y, F, G))
    spread = np.concatenate([f, g]).var(ddof=1)
    weight = np.cov(y, f)[0, 1] / ((1 + 6 / 8) * spread)
    assert found.weight == pytest.approx(min(1.0, weight))
    assert found.estimate == pytest.approx(y.mean() + found.weight * (g.mean() - f.mean()))


def test_a_machine_that_does_not_follow_people_gets_no_weight() -> None:
    backwards = [1 - value for value in Y]
    found = prediction_powered(Y, backwards, G)
    assert found.weight == 0.0 and found.estimate == found.plain and found.efficiency == 1.0
    assert (found.low, found.high) == (found.plain_low, found.plain_high)
    assert prediction_powered(Y, [0.5] * 6, [0.5] * 8).weight == 0.0


def test_verdicts_of_one_item_are_one_draw() -> None:
    twice = prediction_powered(
        np.repeat(Y, 2), np.repeat(F, 2), G, items=[k // 2 for k in range(12)], other_items=range(8)
    )
    assert twice == prediction_powered(Y, F, G)


@pytest.mark.parametrize("quality", [0.9, 0.5, 0.0])
def test_the_interval_covers_the_mean_and_a_good_machine_narrows_it(quality: float) -> None:
    """2,000 studies of 40 judged items and 400 others; the machine says what people say with chance `quality`."""
    draw, hits, widths, plain = np.random.default_rng(4), 0, [], []
    for _ in range(2000):
        truth = (draw.random(440) < 0.6).astype(float)
        machine = np.where(draw.random(440) < quality, truth, draw.random(440) < 0.35)
        found = prediction_powered(truth[:40], machine[:40], machine[40:])
        hits += found.low <= 0.6 <= found.high
        widths.append(found.high - found.low)
        plain.append(found.plain_high - found.plain_low)
    assert 0.925 <= hits / 2000 <= 0.975
    ratio = np.mean(widths) / np.mean(plain)
    assert ratio < 0.65 if quality == 0.9 else ratio < 1.01


def test_too_few_and_unequal_verdicts_are_refused() -> None:
    with pytest.raises(InputError, match="at least 5 items"):
        prediction_powered(Y[:4], F[:4], G)
    with pytest.raises(InputError, match="must have judged the same"):
        prediction_powered(Y, F[:5], G)
    with pytest.raises(InputError, match="finite"):
        prediction_powered([*Y[:5], float("nan")], F, G)
