"""Bootstrap of correlations: every draw equals the statistic of the data drawn; coverage by simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.stats.correlation import correlate, correlate_with_interval
from nlgauge.stats.correlation.bootstrap import Draws, bootstrap_values, with_interval

LEVELS = [("segment", "none"), ("segment", "item"), ("segment", "system"), ("system", "none")]
RESAMPLED = ["pearson", "spearman", "kendall-b", "kendall-c", "pearson-pdp", "kendall-like"]


def data(seed: int = 1) -> tuple[Any, Any]:
    generator = np.random.default_rng(seed)
    quality = generator.normal(size=(6, 11)) + generator.normal(size=(6, 1))
    human = np.round(quality + generator.normal(size=quality.shape))
    human[generator.random(human.shape) < 0.1] = np.nan
    return human, np.round(quality + generator.normal(size=quality.shape), 1)


@pytest.mark.parametrize("over", ["items", "systems", "both"])
@pytest.mark.parametrize(("level", "average"), LEVELS)
@pytest.mark.parametrize("statistic", RESAMPLED)
def test_a_draw_is_the_statistic_of_the_data_drawn(statistic: str, level: Any, average: Any, over: Any) -> None:
    human, metric = data()
    draws = Draws.make(human.shape, over, 6, seed=3)
    options = {"statistic": statistic, "level": level, "average": average}
    got = bootstrap_values(human, metric, draws, **options)
    for draw in range(6):
        rows = np.repeat(np.arange(6), draws.of("systems", 6)[draw].astype(int))
        columns = np.repeat(np.arange(11), draws.of("items", 11)[draw].astype(int))
        chosen = np.ix_(rows, columns)
        expected = correlate(human[chosen], metric[chosen], **options).estimate
        assert got[draw] == pytest.approx(expected, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("statistic", ["acc23", "tau23", "acc-eq"])
@pytest.mark.parametrize(("average", "over"), [("item", "items"), ("system", "systems")])
def test_accuracies_when_whole_groups_are_drawn(statistic: str, average: Any, over: Any) -> None:
    human, metric = data(2)
    draws = Draws.make(human.shape, over, 6, seed=3)
    got = bootstrap_values(human, metric, draws, statistic=statistic, level="segment", average=average)
    for draw in range(6):
        rows = np.repeat(np.arange(6), draws.of("systems", 6)[draw].astype(int))
        columns = np.repeat(np.arange(11), draws.of("items", 11)[draw].astype(int))
        chosen = np.ix_(rows, columns)
        expected = correlate(human[chosen], metric[chosen], statistic=statistic, average=average).estimate
        assert got[draw] == pytest.approx(expected, abs=1e-12)


def test_an_output_is_not_paired_with_its_own_copy() -> None:
    # The metric is wrong on every pair: copies, tied on both sides, would make it look better.
    human = np.arange(6.0)[:, None]
    draws = Draws.make((6, 1), "systems", 50, seed=1)
    for statistic in ("acc23", "acc-eq"):
        got = bootstrap_values(human, -human, draws, statistic=statistic, level="system", average="none")
        assert np.nanmax(got) == 0.0


def test_soft_pairwise_accuracy_has_an_interval() -> None:
    human, metric = data(3)
    for over in ("items", "systems", "both"):
        got = correlate_with_interval(human, metric, statistic="spa", level="system", over=over, draws=40, seed=1)
        assert got.low <= got.high <= 1
    assert "200 permutations" in str(got)


def test_interval_in_words() -> None:
    got = correlate_with_interval(*data(), draws=200, seed=5)
    assert got.low < got.estimate < got.high
    assert "95 % interval" in str(got)
    assert "percentile bootstrap over items, 200 draws" in str(got)
    assert got.to_dict() == correlate_with_interval(*data(), draws=200, seed=5).to_dict()


def test_few_systems_are_called_few() -> None:
    assert "over only 6 systems is somewhat too narrow" in str(
        correlate_with_interval(*data(), over="systems", draws=50)
    )


def test_constant_scores_have_no_interval() -> None:
    got = correlate_with_interval(np.ones((3, 5)), np.arange(15.0).reshape(3, 5), draws=20)
    assert np.isnan([got.estimate, got.low, got.high]).all()


def test_fisher_is_named_as_approximate() -> None:
    x = np.random.default_rng(0).normal(size=(2, 30))
    got = correlate_with_interval(x[0], x[0] + x[1], interval="fisher")
    z, error = np.arctanh(got.estimate), 1.959963984540054 / np.sqrt(27)
    assert (got.low, got.high) == (pytest.approx(np.tanh(z - error)), pytest.approx(np.tanh(z + error)))
    assert "approximate" in got.method


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"confidence": 1.0}, "between 0 and 1"),
        ({"over": "judges"}, "items, systems or both"),
        ({"draws": 0}, "at least 1 draw"),
        ({"seed": -1}, "seed"),
        ({"interval": "exact"}, "unknown interval"),
        ({"interval": "fisher", "average": "item"}, "Fisher's interval is for one"),
        ({"interval": "fisher", "statistic": "acc23"}, "Fisher's interval is for one"),
    ],
)
def test_refusals(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        correlate_with_interval(*data(), **options)


def test_one_item_or_one_system_cannot_be_resampled() -> None:
    with pytest.raises(InputError, match="at least 2 items; got 1: resample systems"):
        correlate_with_interval([1, 2, 3], [1, 3, 2], level="system")
    with pytest.raises(InputError, match="at least 2 systems"):
        correlate_with_interval([1, 2, 3], [1, 3, 2], over="systems")


@pytest.mark.slow
def test_coverage_over_items() -> None:
    # 300 sets of 8 systems on 100 items; nominal 95 %, three binomial standard errors are 3.8 points.
    hits = 0
    for run in range(300):
        generator = np.random.default_rng([run, 1])
        quality = generator.normal(size=(8, 100)) + 0.7 * generator.normal(size=(1, 100))
        human, metric = quality + generator.normal(size=(2, 8, 100))
        got = correlate_with_interval(human, metric, draws=400, seed=run)
        hits += got.low <= 1.49 / 2.49 <= got.high
    assert 0.912 <= hits / 300 <= 0.988


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("statistic", ["pearson", "spearman", "kendall-b"])
def test_a_perfect_correlation_has_no_interval(statistic: str, sign: int) -> None:
    human = np.array([1.0, 2, 3, 4, 5])
    metric = sign * (human if statistic == "pearson" else np.array([1.0, 2, 3, 4, 6]))
    for interval, over in (("fisher", "systems"), ("bootstrap", "systems")):
        found = correlate_with_interval(
            human, metric, statistic=statistic, interval=interval, level="system", over=over
        )
        assert found.estimate == pytest.approx(sign) and np.isnan(found.low) and np.isnan(found.high)
        assert found.notes[-1].startswith("no interval") and "interval 1" not in str(found)


@pytest.mark.parametrize("statistic", ["pearson", "kendall-b"])
@pytest.mark.parametrize(("systems", "items"), [(25, 40), (8, 40)])
def test_an_interval_over_systems_holds_its_estimate_and_what_other_items_would_give(
    statistic: str, systems: int, items: int
) -> None:
    """Draws of items are noisier than the data, and lower on average: with 25 systems plain percentiles held 76 %."""
    options: dict[str, Any] = {"statistic": statistic, "level": "system"}
    generator = np.random.default_rng(2)

    def scores(quality: Any, bias: Any) -> Any:
        shared = quality + 0.7 * generator.normal(size=(systems, items)) + generator.normal(size=(1, items))
        return shared + generator.normal(size=shared.shape), shared + bias + generator.normal(size=shared.shape)

    held = []
    for run in range(40):
        quality, bias = 0.4 * generator.normal(size=(systems, 1)), 0.15 * generator.normal(size=(systems, 1))
        expected = np.mean([correlate(*scores(quality, bias), **options).estimate for _ in range(20)])
        found = correlate_with_interval(*scores(quality, bias), draws=200, seed=run, **options)
        assert found.low <= found.estimate <= found.high <= 1
        assert "centred" in found.method
        held.append(found.low <= expected <= found.high)
    assert np.mean(held) > 0.85


def test_an_interval_that_leaves_its_estimate_out_says_so() -> None:
    result = correlate(np.arange(40.0), np.arange(40.0) % 7)
    values = np.linspace(result.estimate + 0.1, result.estimate + 0.2, 50)
    found = with_interval(result, values, "items", 0.95, (1, 40))
    assert any("leaves its own estimate out" in note for note in found.notes)
