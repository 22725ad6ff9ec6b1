"""Intervals and paired tests: small cases worked out in full, degenerate ones, and what the sentences say."""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.stats import (
    all_pairs,
    approximate_randomisation,
    bootstrap,
    intervals,
    jackknife,
    paired_bootstrap,
    paired_tests,
)
from nlgauge.stats.results import PairedTest
from nlgauge.wording.numbers import exact_p


def mean(totals: np.ndarray) -> np.ndarray:
    """The mean of rows (value, 1)."""
    return totals[..., 0] / totals[..., 1]


def rate(totals: np.ndarray) -> np.ndarray:
    """100 × errors / words, undefined without words."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return 100 * totals[..., 0] / totals[..., 1]


def valued(values) -> np.ndarray:
    values = np.asarray(values, dtype=np.float64)
    return np.stack([values, np.ones_like(values)], axis=1)


def normal(n: int, seed: int, shift: float = 0.0) -> np.ndarray:
    return valued(np.random.default_rng(seed).normal(shift, 1, size=n))


# Intervals


@pytest.mark.parametrize(("level", "outside"), [(0.95, 25), (0.9, 50), (0.99, 5), (0.8, 100), (0.5, 250)])
def test_interval_bounds_are_order_statistics_of_the_draws(level: float, outside: int) -> None:
    rows = normal(40, 1)
    drawn = np.random.default_rng(7).choice(40, size=(1000, 40), replace=True)
    ordered = np.sort(rows[:, 0][drawn].mean(axis=1))
    result = bootstrap(rows, mean, seed=7, level=level)
    assert result.low == pytest.approx(ordered[outside], abs=1e-12)
    assert result.high == pytest.approx(ordered[999 - outside], abs=1e-12)
    assert result.mean == pytest.approx(ordered.mean(), abs=1e-12)
    assert result.estimate == pytest.approx(rows[:, 0].mean(), abs=1e-12)
    assert result.half_width == pytest.approx((ordered[999 - outside] - ordered[outside]) / 2, abs=1e-12)
    assert (result.n, result.trials, result.seed, result.level) == (40, 1000, 7, level)


@pytest.mark.parametrize("trials", [1, 2, 39, 40, 41, 79, 80, 999])
def test_the_95_percent_bounds_lie_at_trials_over_40(trials: int) -> None:
    rows = normal(11, 2)
    drawn = np.random.default_rng(5).choice(11, size=(trials, 11), replace=True)
    ordered = np.sort(rows[:, 0][drawn].mean(axis=1))
    result = bootstrap(rows, mean, seed=5, trials=trials)
    assert result.low == pytest.approx(ordered[trials // 40], abs=1e-12)
    assert result.high == pytest.approx(ordered[trials - trials // 40 - 1], abs=1e-12)


def test_many_intervals_are_those_of_each_alone() -> None:
    rows = {(system, metric): normal(60, seed=system * 10 + metric) for system in range(3) for metric in range(2)}
    together = intervals(rows, dict.fromkeys(rows, mean), trials=200, seed=3)
    for key, result in together.items():
        alone = bootstrap(rows[key], mean, trials=200, seed=3)
        assert result.low == pytest.approx(alone.low, rel=1e-12)
        assert result.high == pytest.approx(alone.high, rel=1e-12)


def test_constant_rows_have_an_interval_without_width() -> None:
    result = bootstrap(valued([0.5] * 8), mean, trials=50)
    assert (result.low, result.estimate, result.high) == (0.5, 0.5, 0.5)
    assert str(result) == "0.5 (95 % interval 0.5 to 0.5; percentile bootstrap, 50 draws)"


def test_draws_without_a_score_are_left_out_and_counted() -> None:
    rows = np.array([[1.0, 4.0], [2.0, 5.0], [0.0, 0.0], [0.0, 0.0]])
    drawn = np.random.default_rng(1).choice(4, size=(400, 4), replace=True)
    scores = rate(rows[drawn].sum(axis=1))
    defined = np.sort(scores[np.isfinite(scores)])
    result = bootstrap(rows, rate, trials=400, seed=1)
    assert 0 < result.undefined == 400 - len(defined)
    assert result.low == pytest.approx(defined[int(len(defined) / 40)])
    assert result.mean == pytest.approx(defined.mean())
    assert "have no defined score and are left out" in str(result)


# Paired tests


def exhaustive_p(a: np.ndarray, b: np.ndarray, score) -> float:
    """The share of all 2**n swaps whose difference is at least the observed one."""
    observed = abs(score(a.sum(0)) - score(b.sum(0)))
    sizes = []
    for swap in itertools.product([False, True], repeat=len(a)):
        mask = np.array(swap)[:, None]
        first, second = np.where(mask, b, a).sum(0), np.where(mask, a, b).sum(0)
        sizes.append(abs(score(first) - score(second)))
    return float(np.mean(np.array(sizes) >= observed - 1e-12))


@pytest.mark.parametrize("seed", range(4))
def test_randomisation_approximates_the_exact_permutation_test(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = (np.stack([rng.integers(0, 9, 10), rng.integers(5, 20, 10)], axis=1).astype(float) for _ in range(2))
    exact = exhaustive_p(a, b, rate)
    p = approximate_randomisation(a, b, rate, trials=20_000, seed=seed).p
    assert abs(p - exact) < 5 * math.sqrt(exact * (1 - exact) / 20_000) + 1e-4


@pytest.mark.parametrize("test", [paired_bootstrap, approximate_randomisation])
def test_a_system_against_itself_is_no_evidence(test) -> None:
    for rows in (normal(30, 1), valued([0.1] * 30), valued([0.0] * 30)):
        result = test(rows, rows.copy(), mean, trials=200)
        assert result.p == 1.0
        assert (result.delta, result.low, result.high, result.ties) == (0, 0, 0, 200)
        assert "the two have the same statistics on every segment" in result.notes
        assert str(result).startswith("A and B score the same (95 % interval 0 to 0; ")


def test_one_differing_segment_is_no_evidence() -> None:
    # Every swap gives the observed difference again: none is strictly larger, and p must not be 1/501.
    a = normal(30, 1)
    b = a.copy()
    b[4, 0] += 3
    result = approximate_randomisation(a, b, mean, trials=500)
    assert (result.p, result.ties) == (1.0, 500)
    assert approximate_randomisation(a, b, mean, trials=500, ties="ignore").p == 1 / 501


def test_ties_are_recognised_despite_rounding() -> None:
    # Tenths have no exact binary form, and the swapped sums are rounded differently from the observed ones.
    a, b = valued(np.full(12, 0.7)), valued(np.r_[np.full(10, 0.7), 0.6, 0.5])
    result = approximate_randomisation(a, b, mean, trials=4000)
    # The differences 0.1 and 0.2 swap independently: half of all swaps give 0.3 again, none more.
    assert abs(result.ties / 4000 - 0.5) < 0.04
    assert result.p == (result.ties + 1) / 4001
    assert approximate_randomisation(a, b, mean, trials=4000, ties="ignore").p == 1 / 4001


def test_a_constant_difference_is_as_significant_as_the_trials_allow() -> None:
    a, b = valued(np.full(50, 0.6)), valued(np.full(50, 0.4))
    for test in (paired_bootstrap, approximate_randomisation):
        result = test(a, b, mean, trials=999)
        assert result.p == 1 / 1000
        assert result.low == pytest.approx(0.2) and result.high == pytest.approx(0.2)


def test_paired_bootstrap_by_its_definition() -> None:
    a, b = normal(50, 1, 0.2), normal(50, 2)
    drawn = np.random.default_rng(12345).choice(50, size=(1000, 50), replace=True)
    differences = a[:, 0][drawn].mean(axis=1) - b[:, 0][drawn].mean(axis=1)
    sizes = np.abs(differences)
    observed = abs(a[:, 0].mean() - b[:, 0].mean())
    result = paired_bootstrap(a, b, mean)
    assert result.p == (np.count_nonzero(sizes - sizes.mean() > observed) + 1) / 1001
    ordered = np.sort(differences)
    assert (result.low, result.high) == pytest.approx((ordered[25], ordered[974]), abs=1e-12)
    assert result.delta == pytest.approx(a[:, 0].mean() - b[:, 0].mean(), abs=1e-12)


def test_randomisation_takes_its_interval_from_the_bootstrap_of_the_same_seed() -> None:
    a, b = normal(50, 1, 0.2), normal(50, 2)
    by_chance = approximate_randomisation(a, b, mean, trials=500, interval_trials=700, seed=4)
    drawn = paired_bootstrap(a, b, mean, trials=700, seed=4)
    assert (by_chance.low, by_chance.high) == (drawn.low, drawn.high)
    assert (by_chance.trials, by_chance.interval_trials, drawn.interval_trials) == (500, 700, 700)


@pytest.mark.parametrize("test", [paired_bootstrap, approximate_randomisation])
def test_swapping_the_two_turns_the_sign_and_keeps_p(test) -> None:
    a, b = normal(50, 1, 0.2), normal(50, 2)
    one, other = test(a, b, mean, trials=400), test(b, a, mean, trials=400)
    assert one.p == other.p
    assert (one.delta, one.low, one.high) == pytest.approx((-other.delta, -other.high, -other.low), abs=1e-12)


@pytest.mark.parametrize("test", ["ar", "bootstrap"])
def test_many_pairs_are_those_of_each_alone(test) -> None:
    systems = {name: normal(80, seed, 0.1 * seed) for seed, name in enumerate("abcd")}
    pairs = all_pairs(list(systems))
    assert pairs == [("b", "a"), ("c", "a"), ("d", "a"), ("c", "b"), ("d", "b"), ("d", "c")]
    together = paired_tests(systems, dict.fromkeys(systems, mean), pairs, test=test, trials=300, seed=8)
    single = {"ar": approximate_randomisation, "bootstrap": paired_bootstrap}[test]
    assert list(together) == pairs
    for (system, baseline), result in together.items():
        alone = single(systems[system], systems[baseline], mean, trials=300, seed=8)
        assert result.p == alone.p
        assert (result.low, result.high) == pytest.approx((alone.low, alone.high), abs=1e-12)


def test_scores_that_share_rows_are_told_apart() -> None:
    rows = {name: np.abs(np.random.default_rng(seed).normal(5, 1, (40, 3))) for seed, name in enumerate("ab")}
    scores = {"p": lambda t: t[..., 0] / t[..., 2], "r": lambda t: t[..., 1] / t[..., 2]}
    keys = {(name, which): rows[name] for name in rows for which in scores}
    results = paired_tests(
        keys, {key: scores[key[1]] for key in keys}, [(("a", w), ("b", w)) for w in scores], trials=100
    )
    for which, score in scores.items():
        assert results[("a", which), ("b", which)].value == pytest.approx(float(score(rows["a"].sum(0))))


def test_trials_without_a_score_count_against_significance() -> None:
    a = np.array([[1.0, 4.0], [2.0, 5.0], [0.0, 0.0], [0.0, 0.0]])
    b = np.array([[3.0, 4.0], [2.0, 5.0], [0.0, 0.0], [0.0, 0.0]])
    result = paired_bootstrap(a, b, rate, trials=400, seed=1)
    assert result.undefined > 0
    assert result.p >= (result.undefined + 1) / 401
    assert any("no defined score" in note for note in result.notes)


def test_defaults_are_those_of_the_field() -> None:
    a, b = {"x": normal(5, 1), "y": normal(5, 2)}, [("x", "y")]
    scores = dict.fromkeys(a, mean)
    assert paired_tests(a, scores, b)["x", "y"].trials == 10_000
    assert paired_tests(a, scores, b, test="bootstrap")["x", "y"].trials == 1_000
    assert paired_tests(a, scores, []) == {}
    assert intervals({}, {}) == {}


# Refusals


def test_one_segment_allows_no_conclusion() -> None:
    one = normal(1, 1)
    for call in (
        lambda: bootstrap(one, mean),
        lambda: paired_bootstrap(one, one, mean),
        lambda: approximate_randomisation(one, one, mean),
        lambda: jackknife(one, mean),
    ):
        with pytest.raises(InputError, match="at least 2 segments; got 1"):
            call()


def test_an_undefined_score_allows_no_conclusion() -> None:
    with pytest.raises(InputError, match="the score of the system is undefined"):
        bootstrap(np.zeros((4, 2)), rate)


def test_rows_that_are_not_numbers_name_the_segment() -> None:
    rows = normal(5, 1)
    rows[3, 0] = np.nan
    with pytest.raises(InputError, match="the statistics of the baseline are not finite at segment 3"):
        paired_bootstrap(normal(5, 2), rows, mean)


def test_unequal_lengths_name_both() -> None:
    with pytest.raises(InputError, match="the system has 5 segments but the baseline has 6"):
        approximate_randomisation(normal(5, 1), normal(6, 1), mean)


@pytest.mark.parametrize("level", [0, 1, 95, -0.1, float("nan")])
def test_levels_outside_0_and_1(level: float) -> None:
    for call in (bootstrap, jackknife):
        with pytest.raises(InputError, match="level must lie between 0 and 1"):
            call(normal(5, 1), mean, level=level)


def test_unknown_test_and_misshapen_input() -> None:
    rows = {"x": normal(5, 1), "y": normal(5, 2)}
    with pytest.raises(InputError, match="ar or bootstrap; got 'anova'"):
        paired_tests(rows, dict.fromkeys(rows, mean), [("x", "y")], test="anova")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="two dimensions"):
        bootstrap(np.ones(5), mean)
    with pytest.raises(InputError, match="one number per row of totals"):
        bootstrap(normal(5, 1), lambda totals: np.float64(1.0))


# Jackknife


def test_jackknife_of_a_mean_is_the_textbook_standard_error() -> None:
    rows = normal(50, 3)
    result = jackknife(rows, mean)
    assert result.standard_error == pytest.approx(rows[:, 0].std(ddof=1) / math.sqrt(50), rel=1e-12)
    assert result.bias == pytest.approx(0, abs=1e-12)
    assert result.high - result.estimate == pytest.approx(1.959963984540054 * result.standard_error, rel=1e-9)


def test_jackknife_bias_of_a_squared_mean() -> None:
    # For the square of a mean the jackknife's bias is exactly the squared standard error of that mean.
    rows = normal(30, 4)
    result = jackknife(rows, lambda totals: mean(totals) ** 2)
    assert result.bias == pytest.approx(rows[:, 0].var(ddof=1) / 30, rel=1e-9)


def test_jackknife_names_the_segment_it_cannot_do_without() -> None:
    with pytest.raises(InputError, match="undefined without segment 1"):
        jackknife(np.array([[1.0, 0.0], [2.0, 5.0], [0.0, 0.0]]), rate)


# Sentences


def test_sentences() -> None:
    result = PairedTest(
        value=36.21,
        baseline_value=35.0,
        delta=1.21,
        low=0.824,
        high=1.613,
        level=0.95,
        p=1 / 10001,
        method="approximate randomisation",
        n=2500,
        trials=10_000,
        interval_trials=1000,
        seed=1,
    )
    assert str(result.named("tgen", "rnn", "BLEU")) == (
        "tgen scores 1.21 BLEU more than rnn (95 % interval 0.82 to 1.61; approximate randomisation, "
        "10,000 trials, p = 0.0001)"
    )
    fewer = dataclasses.replace(result, delta=-1.21, low=-1.613, high=-0.824, level=0.9, notes=("a remark",))
    assert str(fewer) == (
        "A scores 1.21 points less than B (90 % interval -1.61 to -0.82; approximate randomisation, "
        "10,000 trials, p = 0.0001); note: a remark"
    )
    assert result.estimate == result.delta == result.to_dict()["delta"]


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (1.0, "1"),
        (0.5, "0.5000"),
        (0.04996, "0.0500"),
        (1 / 10001, "0.0001"),
        (1 / 100001, "0.00001"),
        (3e-7, "0.0000003"),
        (5e-7, "0.0000005"),
    ],
)
def test_p_is_never_shown_as_zero(p: float, text: str) -> None:
    assert exact_p(p) == text


# Simulations


@pytest.mark.slow
def test_false_positives_under_the_null_are_as_rare_as_promised() -> None:
    # 600 pairs without a true difference at alpha = 0.05: 30 expected, standard deviation 5.3.
    rng = np.random.default_rng(2024)
    found = 0
    for seed in range(600):
        easy = rng.normal(size=60)
        a, b = (valued(easy + rng.normal(size=60)) for _ in range(2))
        found += approximate_randomisation(a, b, mean, trials=400, seed=seed, interval_trials=1).p <= 0.05
    assert abs(found - 30) <= 3.3 * math.sqrt(600 * 0.05 * 0.95)


@pytest.mark.slow
def test_tied_data_do_not_raise_false_positives() -> None:
    # Error counts on few differing segments tie often: counting ties keeps the promise, ignoring breaks it.
    rng = np.random.default_rng(7)
    found = {"count": 0, "ignore": 0}
    for seed in range(500):
        a = np.stack([rng.integers(0, 3, 40), np.full(40, 10)], axis=1).astype(float)
        b = a.copy()
        where = rng.choice(40, size=4, replace=False)
        b[where, 0] += rng.choice([-1, 1], size=4)
        for ties in found:
            p = approximate_randomisation(a, b, rate, trials=200, seed=seed, interval_trials=1, ties=ties).p
            found[ties] += p <= 0.05
    assert found["count"] <= 500 * 0.05 + 3.3 * math.sqrt(500 * 0.05 * 0.95)
    assert found["ignore"] > 500 * 0.1


@pytest.mark.slow
def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(99)
    covered = 0
    for seed in range(1000):
        result = bootstrap(valued(rng.exponential(2.0, size=200)), mean, trials=400, seed=seed)
        covered += result.low <= 2.0 <= result.high
    assert 930 <= covered <= 970


@pytest.mark.slow
def test_false_positives_without_a_true_difference() -> None:
    """1,000 runs at 5 %: randomisation stays near it (binomial noise: ±1.4 %), the paired bootstrap does not."""
    rng = np.random.default_rng(1)
    found = {"ar": 0, "bootstrap": 0}
    for _ in range(1000):
        shared = rng.normal(size=100)
        a, b = (np.stack([shared + rng.normal(size=100), np.ones(100)], axis=1) for _ in range(2))
        for test in found:
            run = approximate_randomisation if test == "ar" else paired_bootstrap
            found[test] += run(a, b, lambda totals: totals[..., 0] / totals[..., 1], trials=500, seed=3).p <= 0.05
    assert 36 <= found["ar"] <= 64
    assert 90 <= found["bootstrap"] <= 150  # liberal, and documented as such
