"""Over- and underscoring in bands: by hand, against scipy's ranks, and on scores whose truth is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from nlgauge.errors import InputError
from nlgauge.stats.correlation.bands import FEWEST, percentiles, score_bands


def test_percentiles_are_mid_ranks_as_shares() -> None:
    values = np.random.default_rng(3).integers(0, 6, 40).astype(float)
    ranks = scipy_stats.rankdata(values)
    assert percentiles(values) == pytest.approx(100 * (ranks - 0.5) / 40)
    weights = np.random.default_rng(4).integers(0, 3, 40)
    twice = percentiles(np.repeat(values, weights))
    assert percentiles(values, weights.astype(float))[weights > 0] == pytest.approx(
        [twice[np.repeat(values, weights) == value][0] for value in values[weights > 0]]
    )


def test_by_hand() -> None:
    """Eight outputs, two bands: people's percentiles are 6.25, 18.75, …, the metric changes one pair."""
    human = np.array([1.0, 2, 3, 4, 5, 6, 7, 8])
    metric = np.array([1.0, 2, 3, 6, 5, 4, 7, 8])  # the fourth and the sixth have changed places
    (low, high), rho = score_bands(human, metric, [str(n) for n in range(8)], bands=2, draws=0)
    assert (low.number, low.low, low.high, low.n) == (1, 1.0, 4.0, 4)
    assert (low.human, low.metric) == (25.0, 31.25)
    assert (low.difference.estimate, high.difference.estimate) == (6.25, -6.25)
    spread = [6.25 - 31.25, 18.75 - 31.25, 0.0, 68.75 - 31.25]
    assert low.spread == pytest.approx(math.sqrt(sum(gap * gap for gap in spread) / 4))
    assert (low.score, low.deviation) == (3.0, pytest.approx(math.sqrt(14 / 4)))
    assert 0.9 < rho < 1 and math.isnan(low.difference.low)
    turned, _ = score_bands(human, -metric, [str(n) for n in range(8)], sign=-1.0, bands=2, draws=0)
    assert turned[0].score == -3.0 and turned[0].difference.to_dict() == low.difference.to_dict()
    # an ordinary metric: the mean of Φ(ρ z / √(2 − ρ²)) over the lower half of people's shares, by another integration
    c = rho / math.sqrt(2 - rho**2)
    share = np.linspace(0, 0.5, 20_001)[1:]
    ordinary = 100 * np.mean(scipy_stats.norm.cdf(c * scipy_stats.norm.ppf(share - 0.0000125)))
    assert low.beyond.estimate == pytest.approx(31.25 - ordinary, abs=0.01)


def test_equal_scores_share_a_band_and_empty_bands_are_left_out() -> None:
    human = np.array([1.0, 1, 1, 1, 5, 5, np.nan])
    bands, _ = score_bands(human, np.arange(7.0), list("abcdefg"), bands=5, draws=0)
    assert [(band.number, band.n) for band in bands] == [(2, 4), (5, 2)]
    assert score_bands(np.ones(4), np.arange(4.0), list("abcd"))[0] == []


@pytest.mark.parametrize("rounded", [False, True])
def test_an_ordinary_metric_shows_nothing_beyond(rounded: bool) -> None:
    draw = np.random.default_rng(5)
    human = draw.normal(size=40_000)
    metric = np.exp(0.7 * human + math.sqrt(0.51) * draw.normal(size=40_000))  # any rising scale
    seen = np.clip(np.round(1.2 * human + 3.5), 1, 5) if rounded else human
    bands, rho = score_bands(seen, metric, [""] * 40_000, draws=0)
    assert rho == pytest.approx(0.7, abs=0.01)
    assert all(abs(band.beyond.estimate) < 0.8 for band in bands)
    assert bands[0].difference.estimate > 5 and bands[-1].difference.estimate < -5


def test_a_metric_blind_to_good_outputs_underscores_them() -> None:
    """As BLEU in the paper on NUBIA: sure of bad outputs, any score for good ones."""
    draw = np.random.default_rng(6)
    human = draw.uniform(size=1500)
    metric = np.where(human < 0.5, human, draw.uniform(size=1500))
    bands, _ = score_bands(human, metric, [str(n) for n in range(1500)], draws=200)
    assert bands[0].difference.estimate == pytest.approx(100 * 0.1 / 2, abs=4)  # a tenth of the best lie below
    assert bands[-1].beyond.high < 0 < bands[2].beyond.low
    assert bands[-1].spread > 25 > bands[0].spread


def test_limits_cover_and_draw_items_together() -> None:
    draw = np.random.default_rng(7)
    held = np.zeros(5)
    for seed in range(60):
        human = draw.normal(size=200)
        metric = 0.6 * human + 0.8 * draw.normal(size=200)
        bands, _ = score_bands(human, metric, [str(n) for n in range(200)], draws=200, seed=seed)
        held += [band.beyond.low <= 0 <= band.beyond.high for band in bands]
    assert (held >= 51).all()
    one, _ = score_bands(human, metric, [str(n) for n in range(200)], draws=200, seed=1)
    two, _ = score_bands(np.tile(human, 2), np.tile(metric, 2), [str(n) for n in range(200)] * 2, draws=200, seed=1)
    for single, double in zip(one, two, strict=True):
        assert (double.difference.low, double.difference.high) == pytest.approx(
            (single.difference.low, single.difference.high)
        )


def test_few_items_have_no_limits_and_few_bands_are_refused() -> None:
    values = np.arange(5 * FEWEST - 1.0)
    bands, _ = score_bands(values, values, [str(value) for value in values], draws=100)
    assert [math.isfinite(band.difference.low) for band in bands].count(False) == 1
    for wrong in (1, 0, True):
        with pytest.raises(InputError, match="number of bands must be a whole number from 2 up"):
            score_bands(values, values, [""] * len(values), bands=wrong)
