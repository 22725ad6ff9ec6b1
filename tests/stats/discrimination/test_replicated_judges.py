"""The chance-corrected beta-binomial model against sensR; power by simulation; degenerate panels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.stats.discrimination import beta_binomial, design, replicated_plan, replicated_power
from nlgauge.stats.discrimination.binomial import lowest_rejecting


def test_hunter_data(recorded: dict[str, Any]) -> None:
    for case in recorded["sensR_betabinomial_replicated"][:2]:
        found = beta_binomial(case["x"], case["n_each"])
        assert found.mu.estimate == pytest.approx(case["mu"], abs=6e-6)
        assert found.gamma.estimate == pytest.approx(case["gamma"], abs=6e-6)
        errors = (found.mu.standard_error, found.gamma.standard_error)
        assert errors == pytest.approx(case["se"], abs=6e-5)
        assert found.p_c.estimate == pytest.approx(case["pc"], abs=6e-6)
        assert found.d_prime.estimate == pytest.approx(case["d_prime"], abs=1e-4)
        assert found.log_likelihood == pytest.approx(case["loglik"], abs=6e-5)
        assert found.dispersion_g2 == pytest.approx(case["LR_overdispersion"]["G2"], abs=6e-4)
        assert found.dispersion_p == pytest.approx(case["LR_overdispersion"]["p"], rel=1e-3)
        assert found.difference_g2 == pytest.approx(case["LR_association"]["G2"], abs=6e-4)
        assert found.difference_p == pytest.approx(case["LR_association"]["p"], rel=1e-3)
        assert found.mu.low < found.mu.estimate < found.mu.high
        if "vcov" in case:
            assert found.covariance is not None
            assert np.array(found.covariance) == pytest.approx(np.array(case["vcov"]), rel=1e-6)
            assert found.aic == pytest.approx(case["AIC"], abs=1e-4)
        if "verified" in case:
            assert found.mu.estimate == pytest.approx(case["verified"]["mu"], abs=1e-7)
            assert found.gamma.estimate == pytest.approx(case["verified"]["gamma"], abs=1e-7)
            assert found.log_likelihood == pytest.approx(case["verified"]["loglik"], abs=1e-7)


def test_uncorrected_and_unequal_numbers(recorded: dict[str, Any]) -> None:
    _, second, third, manual = recorded["sensR_betabinomial_replicated"]
    found = beta_binomial(second["x"], 12, corrected=False)
    assert found.mu.estimate == pytest.approx(third["mu"], abs=6e-6)
    assert found.gamma.estimate == pytest.approx(third["gamma"], abs=6e-6)
    assert found.p_d.estimate == pytest.approx(third["pd"], abs=6e-6)
    assert found.d_prime.estimate == pytest.approx(third["d_prime"], abs=1e-4)
    assert found.log_likelihood == pytest.approx(third["loglik"], abs=6e-5)
    duo = beta_binomial(manual["x"], manual["n"], protocol="duo-trio")
    assert duo.mu.estimate == pytest.approx(manual["mu"], abs=1e-6)
    assert duo.gamma.estimate == pytest.approx(manual["gamma"], abs=1e-6)
    assert duo.p_c.estimate == pytest.approx(manual["pc"], abs=1e-6)
    assert duo.d_prime.estimate == pytest.approx(manual["d_prime"], abs=1e-4)
    assert (duo.mu.standard_error, duo.gamma.standard_error) == pytest.approx(manual["se"], abs=1e-6)
    assert duo.log_likelihood == pytest.approx(manual["verified"]["loglik"], abs=1e-7)
    # From the test data of senspy (sensR 1.5-3).
    assert (duo.dispersion_g2, duo.dispersion_p) == pytest.approx((9.312136015, 0.0022764093478), abs=1e-8)
    assert (duo.difference_g2, duo.difference_p) == pytest.approx((9.3362329836, 0.0093899389086), abs=1e-8)
    triangle = beta_binomial(manual["x"], manual["n"])
    assert triangle.mu.estimate == pytest.approx(manual["triangle_or_tetrad_corrected"]["mu"], abs=5e-5)
    assert triangle.log_likelihood == pytest.approx(manual["triangle_or_tetrad_corrected"]["verified_loglik"], abs=1e-7)
    plain = beta_binomial(manual["x"], manual["n"], protocol="duo-trio", corrected=False)
    assert plain.mu.estimate == pytest.approx(manual["uncorrected"]["mu"], abs=1e-6)
    assert plain.gamma.estimate == pytest.approx(manual["uncorrected"]["gamma"], abs=1e-6)
    assert plain.log_likelihood == pytest.approx(manual["uncorrected"]["loglik"], abs=6e-5)
    assert plain.dispersion_g2 == pytest.approx(manual["uncorrected"]["LR_overdispersion_G2"], abs=6e-5)


def test_everyone_alike_and_everyone_the_same() -> None:
    alike = beta_binomial([4, 4, 4, 4, 4, 4], 6)
    assert alike.gamma.estimate == 0.0 and alike.p_c.estimate == pytest.approx(2 / 3)
    assert alike.dispersion_p > 0.99
    assert alike.notes and math.isnan(alike.mu.standard_error)
    nobody = beta_binomial([0, 1, 0], 6)
    assert nobody.p_d.estimate == pytest.approx(0, abs=1e-5) and nobody.p_d.low == 0
    assert math.isnan(nobody.gamma.estimate) and "γ" not in nobody.sentence
    everyone = beta_binomial([6, 6, 6], 6)
    assert everyone.p_d.estimate == pytest.approx(1, abs=1e-5) and everyone.p_d.high == 1.0
    split = beta_binomial([6, 6, 0, 0], 6)
    assert split.gamma.estimate > 0.99 and split.dispersion_p < 0.001
    assert split.to_dict()["gamma"]["low"] is None


def test_judges_worse_than_guessing_perceive_nothing() -> None:
    """Worse than guessing is not a difference, and says little about how many perceive one."""
    free = beta_binomial([0, 0, 1, 0, 0, 1], 12, corrected=False)
    assert free.difference_p < 1e-9 and free.directed_p > 0.99
    assert "were not shown to perceive a difference (likelihood root, p = 0.99" in free.sentence
    assert any("check how correct answers were counted" in note for note in free.notes)
    corrected = beta_binomial([0, 0, 1, 0, 0, 1], 12)
    for found in (free, corrected):
        assert found.p_d.estimate == found.p_d.low == found.d_prime.estimate == found.d_prime.low == 0
        assert 0.2 < found.p_d.high < 0.3 and found.d_prime.high > 1
    # One expert among guessers is found by the corrected model, though the pool lies below guessing.
    expert = beta_binomial([0, 0, 0, 0, 12], 12)
    assert expert.directed_p == expert.difference_p < 1e-4 and "Judges perceive a difference" in expert.sentence
    better = beta_binomial([9, 8, 10, 7, 9], 12, corrected=False)
    assert better.directed_p < 0.01 and "mean probability of perceiving it" in better.sentence
    assert beta_binomial([12, 12, 12], 12).d_prime.estimate == math.inf


@pytest.mark.slow
def test_binomial_data_give_little_dispersion() -> None:
    """The over-dispersion test keeps its level where judges are alike: 40 panels, three standard errors."""
    rng = np.random.default_rng(11)
    from nlgauge.stats.discrimination.replicated import _binomial, _chi2, _Table

    false, panels = 0, 40
    for _ in range(panels):
        x, n = rng.binomial(8, 0.6, size=20), np.full(20, 8)
        top = _Table(x, n, 1 / 3).best()[1]
        false += _chi2(max(0.0, 2 * (top - _binomial(x, n, max(x.sum() / n.sum(), 1 / 3)))), 1) <= 0.05
    assert false / panels <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / panels)


def test_power_of_replicated_judges() -> None:
    assert replicated_power(24, 1, p_d=0.5, gamma=0.3) == pytest.approx(design(24, alpha=0.05, p_d=0.5).power)
    assert replicated_power(4, 6, p_d=0.5, gamma=0.0) == pytest.approx(design(24, alpha=0.05, p_d=0.5).power)
    rng, n = np.random.default_rng(5), 40_000
    gamma, mu = 0.3, 0.4
    size = 1 / gamma - 1
    p = 1 / 3 + 2 / 3 * rng.beta(mu * size, (1 - mu) * size, size=(n, 10))
    totals = rng.binomial(6, p).sum(1)
    simulated = np.mean(totals >= int(lowest_rejecting(60, 0.05, 1 / 3)))
    exact = replicated_power(10, 6, p_d=mu, gamma=gamma)
    assert simulated == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / n))
    assert exact < design(60, alpha=0.05, p_d=mu).power


def test_plan_for_replicated_judges() -> None:
    for gamma in (0.0, 0.5):
        found = replicated_plan(0.05, 0.05, 0.5, per_judge=6, gamma=gamma)
        assert found.power == pytest.approx(replicated_power(found.judges, 6, p_d=0.5, gamma=gamma), abs=1e-12)
        assert found.power >= 0.95
        assert all(replicated_power(k, 6, p_d=0.5, gamma=gamma) < 0.95 for k in range(1, found.judges))
    assert replicated_plan(0.05, 0.05, 0.5, per_judge=1, gamma=0.4).judges == 23  # one answer each: the plain plan
    with pytest.raises(InputError, match="20,000 answers"):
        replicated_plan(0.05, 0.05, 0.01, per_judge=6, gamma=0.9)


def test_refusals() -> None:
    for correct, answers, words in (
        ([3], 12, "at least two"),
        ([3, 2], [12], "one per judge"),
        ([13, 2], 12, "judge 1 has 13"),
        ([1, 0], 1, "several answers each"),
        ([-1, 0], 2, "at least 0"),
        ([1, 1], 20_000, "at most 10,000"),
    ):
        with pytest.raises(InputError, match=words):
            beta_binomial(correct, answers)
    with pytest.raises(InputError, match="gamma"):
        replicated_power(4, 6, p_d=0.5, gamma=1.0)
