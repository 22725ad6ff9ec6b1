"""p-values, estimates and limits against sensR; coverage computed exactly."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from nlgauge.errors import InputError
from nlgauge.stats.discrimination import estimate, test
from nlgauge.stats.discrimination.binomial import at_least, at_most, highest_accepting, lowest_rejecting
from nlgauge.stats.discrimination.limits import METHODS, limits
from nlgauge.stats.discrimination.protocols import find

NAMES = ("p_c", "p_d", "d_prime")


def of(recorded: dict[str, Any], call: str) -> dict[str, Any]:
    return next(case for case in recorded["sensR_discrim"] if case["call"] == call)


@pytest.mark.parametrize(
    ("call", "protocol", "method", "level"),
    [
        ("discrim(10,15,twoAFC,exact)", "2-afc", "exact", 0.95),
        ("discrim(10,15,threeAFC,likelihood)", "3-afc", "likelihood", 0.95),
        ("discrim(10,15,tetrad,likelihood)", "tetrad", "likelihood", 0.95),
        ("discrim(10,15,duotrio,exact,conf.level=.90)", "duo-trio", "exact", 0.90),
        ("discrim(10,15,triangle,score)", "triangle", "score", 0.95),
    ],
)
def test_discrim(recorded: dict[str, Any], call: str, protocol: str, method: str, level: float) -> None:
    case = of(recorded, call)
    ours = test(10, 15, protocol=protocol, method=method, level=level)
    assert ours.p_value == pytest.approx(case["p_value"], rel=1e-9)
    for place, (name, value) in enumerate(zip(NAMES, (case["pc"], case["pd"], case["d_prime"]), strict=True)):
        measure = getattr(ours, name)
        # d′ to 1e-4, the tolerance of sensR's root finder; its likelihood limits are read off a grid of about 1e-5.
        tolerance = 1e-4 if name == "d_prime" else 2e-5 if method == "likelihood" else 1e-9
        assert measure.estimate == pytest.approx(value, abs=tolerance)
        assert measure.standard_error == pytest.approx(case["se"][place], abs=tolerance)
        assert measure.low == pytest.approx(case["ci_lower"][place], abs=tolerance)
        assert measure.high == pytest.approx(case["ci_upper"][place], abs=tolerance)


def test_discrim_tetrad_by_score(recorded: dict[str, Any]) -> None:
    case = of(recorded, "discrim(10,15,tetrad,score)")
    ours = test(10, 15, protocol="tetrad", method="score", level=0.95)
    assert ours.p_value == pytest.approx(case["p_value"], abs=5e-7)
    for name, key in zip(NAMES, ("pc", "pd", "d_prime"), strict=True):
        m = getattr(ours, name)
        assert [m.estimate, m.standard_error, m.low, m.high] == pytest.approx(case[key], abs=1e-4)


def test_discrim_for_similarity(recorded: dict[str, Any]) -> None:
    case = of(recorded, "discrim(20,75,triangle,pd0=.2,similarity,exact)")
    ours = test(20, 75, goal="similarity", beta=0.05, p_d=0.2, level=0.95)
    assert ours.p_value == pytest.approx(case["p_value"], rel=1e-12)
    for place, name in enumerate(NAMES):
        tolerance = 1e-4 if name == "d_prime" else 1e-12
        measure = getattr(ours, name)
        assert measure.low == pytest.approx(case["ci_lower"][place], abs=tolerance)
        assert measure.high == pytest.approx(case["ci_upper"][place], abs=tolerance)
        assert math.isnan(measure.standard_error)

    def p(correct: int, share: float) -> float:
        return test(correct, 75, goal="similarity", beta=0.05, p_d=share).p_value

    at_1 = find("triangle").to_p_d(float(find("triangle").p_correct(1.0)))
    assert p(26, 0.2) == pytest.approx(
        of(recorded, "discrim(26,75,triangle,pd0=.2,similarity,exact)")["verified"], abs=1e-9
    )
    assert p(26, at_1) == pytest.approx(
        of(recorded, "discrim(26,75,triangle,d.prime0=1,similarity,exact)")["verified"], abs=1e-9
    )
    assert p(22, at_1) == pytest.approx(
        of(recorded, "discrim(22,75,triangle,d.prime0=1,similarity)")["p_value_computed_here"], abs=1e-9
    )
    three = test(4, 15, goal="similarity", beta=0.05, p_d=0.2, protocol="3-afc").p_value
    assert three == pytest.approx(
        of(recorded, "discrim(4,15,threeAFC,similarity,pd0=.2,exact)")["p_value_computed_here"], abs=1e-9
    )
    for method in (
        "exact",
        "likelihood",
        "score",
        "wald",
        "normal",
    ):  # everyone perceives it: refuted by one error
        assert test(26, 75, goal="similarity", beta=0.05, p_d=1.0, method=method).p_value == 0.0


# sensR 1.5-3, from the test data of senspy: correct of 100; exact limits of p_c; p by Wald, likelihood, score, exact.
SENSR_P = [
    ("triangle", 60, (0.49720915042, 0.6967052313), (2.6149677578e-08, 2.5632518329e-08, 7.7086289501e-09)),
    ("triangle", 40, (1 / 3, 0.50279084958), (0.086784083278, 0.081700695572, 0.078649603525)),
    ("2-afc", 75, (0.65344750424, 0.8312202619), (3.882018269e-09, 1.5693693003e-07, 2.8665157188e-07)),
    ("duo-trio", 70, (0.60018532382, 0.78759357951), (6.3748374605e-06, 2.4888612147e-05, 3.1671241833e-05)),
    ("tetrad", 65, (0.54815063818, 0.74270622147), (1.5776219474e-11, 5.2856572178e-11, 9.2425238607e-12)),
]
SENSR_EXACT = [4.3240188541e-08, 0.096623070247, 2.8181410172e-07, 3.9250698228e-05, 9.882228369e-11]
CASES = [(*case, exact) for case, exact in zip(SENSR_P, SENSR_EXACT, strict=True)]


@pytest.mark.parametrize(("protocol", "correct", "ends", "approximate", "exact"), CASES)
def test_all_statistics_of_discrim(
    protocol: str, correct: int, ends: tuple[float, float], approximate: tuple[float, ...], exact: float
) -> None:
    found = test(correct, 100, protocol=protocol, level=0.95)
    assert (found.p_c.low, found.p_c.high) == pytest.approx(ends, abs=1e-10)
    assert found.p_value == pytest.approx(exact, rel=1e-5)
    for method, p in zip(("wald", "likelihood", "score"), approximate, strict=True):
        assert test(correct, 100, protocol=protocol, method=method).p_value == pytest.approx(p, rel=1e-8)


def test_findcr(recorded: dict[str, Any]) -> None:
    quarter, difference, similarity = recorded["sensR_findcr"]
    assert int(lowest_rejecting(100, 0.05, 0.25)) == quarter["value"]
    assert int(lowest_rejecting(25, 0.05, 1 / 3)) == difference["value_computed_here"]
    assert int(highest_accepting(25, 0.05, find("triangle").from_p_d(0.2))) == similarity["value_computed_here"]


@pytest.mark.parametrize("n", [1, 2, 7, 30, 1000, 10**6])
@pytest.mark.parametrize("p", [0.1, 1 / 3, 0.5, 0.9])
def test_tails_and_critical_counts_against_scipy(n: int, p: float) -> None:
    counts = np.unique(np.linspace(0, n, 41).astype(int))
    assert at_least(counts, n, p) == pytest.approx(binom.sf(counts - 1, n, p), rel=1e-9, abs=1e-300)
    assert at_most(counts, n, p) == pytest.approx(binom.cdf(counts, n, p), rel=1e-9, abs=1e-300)
    for risk in (0.2, 0.05, 0.001, 1e-9, 0.9):
        c, x = int(lowest_rejecting(n, risk, p)), int(highest_accepting(n, risk, p))
        assert at_least(c, n, p) <= risk < at_least(c - 1, n, p)
        assert at_most(x, n, p) <= risk < at_most(x + 1, n, p)


def test_a_tail_that_equals_the_risk_counts() -> None:
    assert int(lowest_rejecting(4, 0.0625, 0.5)) == 4  # (1/2)^4
    assert int(lowest_rejecting(10, 2.0**-10, 0.5)) == 10


@pytest.mark.parametrize("protocol", ["triangle", "2-afc", "hexad"])
def test_exact_test_and_limits_agree(protocol: str) -> None:
    """A difference is concluded exactly when the lower limit lies above guessing; similarity likewise."""
    guess = find(protocol).guess
    for n in (5, 18, 41):
        for x in range(n + 1):
            low, high = limits(x, n, tail=0.05, method="exact")
            assert test(x, n, alpha=0.05, protocol=protocol).concluded == (low > guess)
            similar = test(x, n, goal="similarity", beta=0.05, p_d=0.3, protocol=protocol)
            assert similar.concluded == (high <= find(protocol).from_p_d(0.3))


def coverage(n: int, method: str, tail: float, shares: np.ndarray) -> np.ndarray:
    """The chance that a two-sided interval holds the true p_c, summed over all outcomes: no simulation."""
    ends = np.array([limits(x, n, tail=tail, method=method) for x in range(n + 1)])
    chance = binom.pmf(np.arange(n + 1)[:, None], n, shares)
    inside = (ends[:, :1] <= shares + 1e-12) & (shares - 1e-12 <= ends[:, 1:])
    return np.asarray((chance * inside).sum(0))


SHARES = np.linspace(1 / 3, 0.95, 124)
COVERAGE_JUDGES = (18, 24, 30, 50, 98, 200)


@pytest.mark.parametrize("n", COVERAGE_JUDGES)
def test_clopper_pearson_never_covers_less_than_promised(n: int) -> None:
    assert coverage(n, "exact", 0.025, SHARES).min() >= 0.95
    one_sided = np.array([limits(x, n, tail=0.05)[1] for x in range(n + 1)])
    chance = binom.pmf(np.arange(n + 1)[:, None], n, SHARES)
    assert ((one_sided[:, None] >= SHARES) * chance).sum(0).min() >= 0.95


def test_exact_tests_keep_their_risks() -> None:
    for n in range(5, 200, 7):
        for alpha in (0.2, 0.05, 0.01):
            c = int(lowest_rejecting(n, alpha, 1 / 3))
            assert binom.sf(c - 1, n, 1 / 3) <= alpha
            x = int(highest_accepting(n, alpha, find("triangle").from_p_d(0.3)))
            # The risk holds for every larger p_d too.
            for share in (0.3, 0.5, 0.9):
                assert binom.cdf(x, n, find("triangle").from_p_d(share)) <= alpha * (1 + 1e-12)


def test_coverage_is_what_the_page_says() -> None:
    from pathlib import Path

    page = (Path(__file__).resolve().parents[3] / "docs" / "discrimination.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \|(.+)\|$", page.split("## Coverage")[1], flags=re.M)
    assert [int(n) for n, _ in rows] == list(COVERAGE_JUDGES)
    for n, cells in rows:
        printed = [tuple(float(v) for v in cell.split("/")) for cell in cells.split("|")]
        for method, pair in zip(METHODS, printed, strict=True):
            covered = 100 * coverage(int(n), method, 0.025, SHARES)
            assert pair == (round(covered.min(), 1), round(covered.mean(), 1)), (n, method)


def test_limits_on_one_side_and_at_the_ends() -> None:
    low = estimate(10, 15, side="lower", level=0.95)
    assert low.p_c.high == 1.0 and low.p_c.low == pytest.approx(limits(10, 15, tail=0.05)[0])
    high = estimate(10, 15, side="upper", level=0.95)
    assert high.p_d.low == 0.0 and high.p_c.high == pytest.approx(limits(10, 15, tail=0.05)[1])
    for method in METHODS:
        for x in (0, 15):
            found = estimate(x, 15, method=method)
            assert 1 / 3 - 1e-12 <= found.p_c.low <= found.p_c.high <= 1
    everyone = estimate(15, 15)
    assert everyone.d_prime.estimate == math.inf and everyone.d_prime.high == math.inf
    assert everyone.to_dict()["d_prime"]["estimate"] is None
    assert "inf" in str(everyone.d_prime)
    assert estimate(0, 15).p_d.estimate == 0.0


def test_huge_counts() -> None:
    found = test(335_000, 10**6, alpha=0.001)
    assert found.concluded and found.p_value == pytest.approx(binom.sf(334_999, 10**6, 1 / 3), rel=1e-8)
    similar = test(335_000, 10**6, goal="similarity", beta=0.001, p_d=0.01)
    assert similar.concluded and 0.002 < similar.p_d.high < 0.005


@pytest.mark.parametrize("method", ["exact", "likelihood", "score", "wald"])
@pytest.mark.parametrize("goal", ["difference", "similarity"])
def test_critical_count_is_the_methods_own(method: str, goal: str) -> None:
    """Conclusion, p-value and critical count agree at every count, and the power is that of the critical count."""
    for n, risk in ((5, 0.05), (29, 0.05), (29, 0.001), (40, 0.2), (61, 0.6)):
        for x in range(1, n):
            found = test(x, n, goal=goal, alpha=risk, beta=risk, p_d=0.3, method=method)
            reached = found.critical is not None and (
                x >= found.critical if goal == "difference" else x <= found.critical
            )
            assert found.concluded == reached == (found.p_value <= risk)
        if found.critical is None:
            assert found.power == 0
        elif goal == "difference":
            assert found.power == pytest.approx(binom.sf(found.critical - 1, n, 1 / 3 + 0.2))
        else:
            assert found.power == pytest.approx(binom.cdf(found.critical, n, 1 / 3))


def test_critical_count_of_an_approximation() -> None:
    assert test(14, 29).critical == 15 and not test(14, 29).concluded
    approximate = test(14, 29, method="likelihood")
    assert approximate.concluded and approximate.critical == 14
    # Wald's statistic is refused at the ends, so no count is left.
    assert test(1, 2, method="wald", alpha=0.01).critical is None
    assert test(5, 6, goal="similarity", beta=0.05, p_d=1, method="score").critical == 5
    assert test(500_000_000, 10**9, method="score").critical is not None


def test_study_kind_and_notes() -> None:
    planned = test(16, 29, alpha=0.05, beta=0.05, p_d=0.5, planned=29)
    assert planned.study.name == "confirmatory" and planned.power == pytest.approx(0.96886, abs=1e-5)
    dip = test(16, 24, alpha=0.05, beta=0.05, p_d=0.5, planned=24)
    assert dip.study.name == "exploratory" and "do not keep the stated risks" in dip.study.reason
    assert test(16, 30, alpha=0.05, beta=0.05, p_d=0.5, planned=29).study.reason.startswith("30 judges answered")
    assert test(16, 29, planned=29).study.reason == "α, β and p_d were not all fixed beforehand"
    few = test(9, 10)
    assert any("at least 18 judges" in note for note in few.notes)
    few = test(3, 20, goal="similarity", beta=0.05, p_d=0.2)
    assert any("at least 30 judges" in note for note in few.notes)
    pooled = test(13, 4, per_judge=6)
    assert pooled.answers == 24 and any("beta-binomial" in note for note in pooled.notes)
    assert "of people perceive it" not in pooled.sentence
    assert any("how correct answers were counted" in note for note in test(2, 60).notes)
    assert any("too few" in note for note in test(6, 6, alpha=0.001).notes)


def test_refusals() -> None:
    with pytest.raises(InputError, match="one answer from each judge"):
        test(36, 49, goal="similarity", beta=0.01, p_d=0.3, per_judge=2)
    with pytest.raises(InputError, match="needs beta and p_d"):
        test(36, 98, goal="similarity")
    with pytest.raises(InputError, match="no goal 'sameness'"):
        test(36, 98, goal="sameness")
    with pytest.raises(InputError, match="no spread"):
        test(0, 98, goal="similarity", beta=0.01, p_d=0.3, method="normal")
    with pytest.raises(InputError, match="no spread"):
        test(98, 98, method="wald")
    with pytest.raises(InputError, match="whole number"):
        test(3.5, 98)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="whole number"):
        test(math.nan, 98)  # type: ignore[arg-type]
