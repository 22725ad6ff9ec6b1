"""Several panels, preference with ties, A-not-A and same-different, against sensR."""

from __future__ import annotations

import math
from typing import Any

import pytest
from scipy.stats import binom, chi2, combine_pvalues, fisher_exact, norm

from nlgauge.errors import InputError
from nlgauge.stats.discrimination import Panel, a_not_a, combine, preference, same_different, test
from nlgauge.stats.discrimination.protocols import find


def test_common_d_prime_over_protocols() -> None:
    """dprime_test and dprime_compare of sensR 1.5-3, from the test data of senspy."""
    found = combine([Panel("a", 60, 100), Panel("b", 45, 100, "duo-trio"), Panel("c", 55, 100, "2-afc")])
    assert found.d_prime.estimate == pytest.approx(0.35844864684, abs=1e-6)
    assert found.d_prime.standard_error == pytest.approx(0.22234236855, abs=1e-6)
    assert found.d_prime_p == pytest.approx(0.070375074654, abs=1e-8)
    # Panel b lies below guessing: sensR lets its own p_c stay there, here its d′ ends at 0.
    assert found.homogeneity_p_unbounded == pytest.approx(3.9240201659e-07, rel=1e-6)
    own, common = (0.6, 0.5, 0.55), found.d_prime.estimate
    shares = (float(find(name).p_correct(common)) for name in ("triangle", "duo-trio", "2-afc"))
    g2 = 2 * sum(
        float(binom.logpmf(x, 100, p) - binom.logpmf(x, 100, q))
        for x, p, q in zip((60, 45, 55), own, shares, strict=True)
    )
    assert found.homogeneity_p == pytest.approx(float(chi2.sf(g2, 2)), rel=1e-9)
    assert math.isnan(found.p_pooled) and any("one by one" in note for note in found.notes)


def test_panels_of_one_protocol() -> None:
    found = combine({"experts": (13, 24), "public": (36, 98)})
    assert found.p_pooled == pytest.approx(test(49, 122).p_value)
    assert found.homogeneity_p == pytest.approx(fisher_exact([[13, 11], [36, 62]])[1])
    assert found.p_fisher == pytest.approx(combine_pvalues(found.p_values, method="fisher").pvalue)
    weights = [24**0.5, 98**0.5]
    stouffer = combine_pvalues(found.p_values, method="stouffer", weights=weights).pvalue
    assert found.p_stouffer == pytest.approx(stouffer)
    similar = combine({"experts": (13, 24), "public": (36, 98)}, goal="similarity", beta=0.01, p_d=0.3)
    assert not similar.concluded and similar.p_all == max(similar.p_values)
    assert any("nothing about each panel" in note for note in similar.notes)
    both = combine({"a": (36, 98), "b": (36, 98), "c": (35, 98)}, goal="similarity", beta=0.01, p_d=0.3)
    assert both.concluded and both.homogeneity_test == "likelihood ratio"


@pytest.mark.parametrize(("a", "b", "protocol"), [(28, 38, "duo-trio"), (1, 2, "duo-trio"), (1, 20, "triangle")])
def test_panels_worse_than_guessing_do_not_differ(a: int, b: int, protocol: str) -> None:
    found = combine([Panel("a", a, 100), Panel("b", b, 100, protocol)])
    assert found.homogeneity_p == 1 and found.homogeneity_p_unbounded < 0.01
    assert "were not shown to differ" in found.sentence
    assert all("d′ is set to 0" in note for note in found.notes) and len(found.notes) == 2
    # One panel just above guessing does not differ from one far below it, one far above does.
    near = combine([Panel("a", 36, 100), Panel("b", b, 100, protocol)])
    assert near.homogeneity_p == pytest.approx(float(chi2.sf(2 * binomial_gain(36, 100), 1)), rel=1e-5)
    assert combine([Panel("a", 80, 100), Panel("b", b, 100, protocol)]).homogeneity_p < 1e-6


def binomial_gain(x: int, n: int) -> float:
    """The log-likelihood of a panel's own share over that of guessing in the triangle test."""
    return float(binom.logpmf(x, n, x / n) - binom.logpmf(x, n, 1 / 3))


def test_panels_at_the_ends() -> None:
    everyone = combine({"a": (24, 24), "b": (9, 9)})
    assert everyone.d_prime.estimate == math.inf and everyone.d_prime.low > 2
    nobody = combine({"a": (2, 24), "b": (0, 9)})
    assert nobody.d_prime.estimate == 0.0 and nobody.d_prime_p == 0.5 and not nobody.concluded
    for panels, words in (
        ({"a": (1, 2)}, "at least two panels"),
        ({"a": (3, 2), "b": (1, 2)}, "more correct answers"),
    ):
        with pytest.raises(InputError, match=words):
            combine(panels)
    with pytest.raises(InputError, match="same name"):
        combine([Panel("a", 1, 2), Panel("a", 1, 2)])
    with pytest.raises(InputError, match="needs beta and p_d"):
        combine({"a": (1, 2), "b": (1, 2)}, goal="similarity")


def test_two_ac(recorded: dict[str, Any]) -> None:
    for case in recorded["sensR_twoAC_preference_with_ties"]["cases"]:
        found = preference(*case["data"])
        if "lr_root" in case:
            # Without ties sensR maximises over τ from about 1e-4 up: 2.287737 where 2√(…) is 2.287462 exactly.
            assert found.root == pytest.approx(case["lr_root"], abs=5e-4 if case["data"][1] == 0 else 1e-6)
            assert found.p_value == pytest.approx(case["p"], rel=1e-3)
        if case.get("d_prime") is None:
            assert math.isnan(found.d_prime.estimate)
        else:
            assert found.d_prime.estimate == pytest.approx(float(case["d_prime"]), abs=6e-5)
        if "tau" in case:
            assert (None if math.isnan(found.tau) else round(found.tau, 4)) == case["tau"]
        if "ci95" in case:
            assert (found.d_prime.low, found.d_prime.high) == pytest.approx(case["ci95"], abs=2e-6)
            assert found.tau_error == pytest.approx(case["se_tau"], abs=6e-5)
            assert found.d_prime.standard_error == pytest.approx(case["se_d"], abs=6e-5)
        if "ci95_upper" in case:
            assert found.d_prime.high == pytest.approx(case["ci95_upper"], abs=1e-4)
            assert found.d_prime.low == -math.inf and found.log_likelihood == case["loglik"]


def test_two_ac_more() -> None:
    """From sensR's own printed output and the test data of senspy."""
    found = preference(15, 15, 20)
    assert found.d_prime.estimate == pytest.approx(0.19166370397, abs=1e-10)
    assert found.d_prime.standard_error == pytest.approx(0.22653269495, abs=1e-10)
    assert found.p_value == pytest.approx(0.39721687818, abs=1e-8)
    assert (found.d_prime.low, found.d_prime.high) == pytest.approx((-0.25179387182, 0.63655774715), abs=1e-7)
    assert preference(15, 15, 20, null=0.5, alternative="less").p_value == pytest.approx(0.08702218365, abs=1e-8)
    assert preference(6, 2, 2).d_prime.estimate == pytest.approx(-0.77425953607, abs=1e-10)
    assert preference(5, 4, 0).d_prime.high == pytest.approx(-0.4294341, abs=1e-4)
    assert preference(4, 0, 4).d_prime.high == pytest.approx(1.23499, abs=2e-4)
    assert "no preference" in preference(0, 5, 0).sentence
    with pytest.raises(InputError, match="no one answered"):
        preference(0, 0, 0)


def test_a_not_a(recorded: dict[str, Any]) -> None:
    case = recorded["sensR_AnotA"]
    found = a_not_a(10, 20, 3, 20)
    assert found.d_prime.estimate == pytest.approx(case["d_prime"], abs=1e-9)
    assert found.d_prime.standard_error == pytest.approx(case["se"], abs=1e-6)  # sensR's from glm, iterated to 1e-6
    assert found.p_value == pytest.approx(case["fisher_p"], abs=1e-12)
    low, high = case["profile_ci_matrix_colmajor"][1::2]
    assert (found.d_prime.low, found.d_prime.high) == pytest.approx((low, high), abs=1e-4)  # a spline in R
    certain = a_not_a(20, 20, 3, 20)
    assert certain.d_prime.estimate == math.inf and certain.d_prime.low > 2
    backwards = a_not_a(0, 20, 3, 20)
    assert backwards.d_prime.estimate == -math.inf and "−∞ to" in backwards.sentence
    with pytest.raises(InputError, match="every answer is the same"):
        a_not_a(20, 20, 20, 20)


def test_same_different() -> None:
    """samediff of sensR 1.5-3, from the test data of senspy."""
    found = same_different(8, 5, 4, 9)
    assert found.threshold == pytest.approx(1.2295508916, abs=1e-9)
    assert found.d_prime.estimate == pytest.approx(1.8849964801, abs=1e-8)
    assert found.threshold_error == pytest.approx(0.34900448096, abs=1e-9)
    assert found.d_prime.standard_error == pytest.approx(0.70351563805, abs=1e-9)
    assert found.log_likelihood == pytest.approx(-16.6857627579, abs=1e-9)
    large = same_different(80, 50, 40, 90)
    assert large.d_prime.standard_error == pytest.approx(0.22247117858, abs=1e-9)
    never = same_different(8, 5, 0, 9)
    assert never.d_prime.estimate == math.inf
    assert never.log_likelihood == pytest.approx(-8.6616197514, abs=1e-9)
    reversed_ = same_different(5, 8, 9, 4)
    assert reversed_.d_prime.estimate == 0.0 and reversed_.p_value == pytest.approx(0.5)
    with pytest.raises(InputError, match="cannot be estimated"):
        same_different(0, 5, 4, 9)
    with pytest.raises(InputError, match="needs answers"):
        same_different(0, 0, 4, 9)


@pytest.mark.parametrize("n", [1_000, 10_000, 1_000_000, 1_000_000_000])
def test_nearly_perfect_answers_have_limits(n: int) -> None:
    """A d′ beyond 8, or none that is finite: the limits are searched from the estimate."""
    found = same_different(n - 1, 1, 1, n - 1).d_prime
    assert found.low < found.estimate < found.high
    assert found.low == pytest.approx(found.estimate - 1.96 * found.standard_error, abs=0.3)
    found = a_not_a(n - 1, n, 1, n).d_prime
    assert found.low < found.estimate < found.high
    assert found.low == pytest.approx(found.estimate - 1.96 * found.standard_error, abs=0.3)
    # Nobody errs: the likelihood is (1 − q)^2n with both errors q = Φ(−d′/2), and falls by 1.92 at the limit.
    perfect = a_not_a(n, n, 0, n).d_prime
    q = -math.expm1(-0.5 * float(chi2.isf(0.05, 1)) / (2 * n))
    assert perfect.estimate == math.inf and perfect.low == pytest.approx(2 * float(norm.isf(q)), abs=1e-6)
    assert math.isfinite(same_different(n - 1, 1, 0, n).d_prime.low)
