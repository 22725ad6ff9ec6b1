"""Power of the next study: by formula, checked with closed cases and with simulated studies."""

from __future__ import annotations

import math

import numpy as np
import pytest
from rating_studies import Study, study

from nlgauge.errors import InputError
from nlgauge.stats.mixed import linear_mixed
from nlgauge.stats.mixed.planning import Pilot, Variances, detectable, items_for, plans, study_power


def test_with_noise_alone_it_is_the_power_of_the_t_test() -> None:
    power = pytest.importorskip("statsmodels.stats.power")
    plan = study_power(Variances(1.0), 0.5, judges=8, items=2, ratings_per_item=8)
    # 16 ratings a system; our degrees of freedom are those of one system's ratings, which is cautious
    ours = plan.estimate
    cautious = power.TTestPower().power(0.5 / math.sqrt(2), 16, 0.05)
    assert ours == pytest.approx(cautious, abs=1e-6)


def test_more_items_cannot_replace_judges_who_differ() -> None:
    differ = Variances(1.0, judge_system=0.5)
    with pytest.raises(InputError, match="more judges are needed"):
        items_for(differ, 0.5, judges=4)
    found = plans(differ, 0.5, [4, 20, 40, 80])
    assert [plan.judges for plan in found] == [40, 80]
    assert found[0].items >= found[1].items


def test_smallest_number_of_items() -> None:
    variances = Variances(1.0, 0.25, 0.5)
    plan = items_for(variances, 0.3, judges=3, power=0.9)
    assert plan.estimate >= 0.9
    assert study_power(variances, 0.3, judges=3, items=plan.items - 1).estimate < 0.9
    assert "find a difference of 0.3 with power 0.9" in str(plan)
    other = study_power(variances, 0.3, judges=3, items=plan.items, same_judges=False)
    assert other.estimate < plan.estimate
    assert plan.to_dict()["total"] == 2 * plan.items * 3


def rejected(seed: int, favour: float) -> bool:
    data = study(seed, 2, 8, 15, step=0.5 if favour else 0.3, favour=favour)
    slopes = ("judge",) if favour else ()
    fit = linear_mixed(data.y, data.system.tolist(), data.groups, slopes=slopes)
    return fit.pairs("none")[0].p < 0.05


@pytest.mark.long
@pytest.mark.parametrize(
    ("favour", "count"),
    [
        (0.0, 40),
        pytest.param(0.0, 200, marks=pytest.mark.slow),
        pytest.param(0.5, 200, marks=pytest.mark.slow),
    ],
)
def test_formula_is_what_simulated_studies_find(favour: float, count: int) -> None:
    effect = 0.5 if favour else 0.3
    plan = study_power(Variances(1.0, 0.25, 0.49, favour**2), effect, judges=8, items=15)
    share = np.mean([rejected(seed, favour) for seed in range(count)])
    print(f"formula {plan.estimate:.3f}, simulated {share:.3f}")
    assert share == pytest.approx(plan.estimate, abs=0.03 + 3.5 * math.sqrt(0.25 / count))


def test_degrees_of_freedom_are_those_of_the_mean_squares() -> None:
    """Of judges alone J - 1, whatever the noise; of judges and items Satterthwaite's."""
    alone = study_power(Variances(1.0, judge_system=0.25), 0.5, judges=8, items=15)
    assert alone.df == pytest.approx(7)
    assert study_power(Variances(1.0, item_system=0.25), 0.5, judges=8, items=15).df == pytest.approx(14)
    both = study_power(Variances(1.0, 0.25, 0.49, judge_system=0.16, item_system=0.36), 0.7, judges=5, items=15)
    noise, judges, items = 1 / 75, 0.16 / 5, 0.36 / 15
    squares = (judges + noise) ** 2 / 4 + (items + noise) ** 2 / 14 + noise**2 / 56
    assert both.df == pytest.approx((noise + judges + items) ** 2 / squares)
    assert both.estimate == pytest.approx(0.39, abs=0.05)  # 400 simulated studies found 0.393; by the parts' df 0.42


def test_a_difference_far_out_has_no_power_of_one_with_two_judges() -> None:
    """Where the other tail of the noncentral t is too small for a number, the power is that of the near tail."""
    pair = Variances(1.0, judge_system=0.5)
    least = detectable(pair, judges=2, items=5, power=0.8)
    plan = study_power(pair, least, judges=2, items=5)
    assert plan.df == pytest.approx(1) and plan.estimate == pytest.approx(0.8, abs=1e-6)
    assert plan.estimate == pytest.approx(power_of(plan.error, plan.df, least), abs=1e-6)
    assert math.isnan(detectable(pair, judges=2, items=5, power=0.995))


def test_from_a_fitted_study() -> None:
    data = study(3, 3, 20, 40, favour=0.4)
    fit = linear_mixed(data.y, data.system.tolist(), data.groups, slopes=("judge",))
    found = Variances.of(fit)
    assert found.judge_system == pytest.approx(0.16, abs=0.08)
    assert found.residual == pytest.approx(1.0, abs=0.1)
    with pytest.raises(InputError, match="other than 0"):
        study_power(found, 0.0, judges=5, items=5)
    with pytest.raises(InputError, match="two judges"):
        study_power(found, 0.5, judges=1, items=5)


def laid_out(data: Study, layout: str) -> Study:
    """Part of a complete study of two systems: systems share no items, a third of them, no judges, or all."""
    low = data.item < (data.item.max() + 1) / 2
    third = data.item % 3 == 0
    kept = {
        "crossed": np.ones(len(data.y), bool),
        "nested items": low == (data.system == 0),
        "some items": third | (low == (data.system == 0)),
        "nested judges": data.judge % 2 == data.system,
        "gaps": (data.item + data.judge + 2 * data.system) % 5 > 0,
    }[layout]
    return Study(*(column[kept] for column in (data.y, data.system, data.judge, data.item)))


def power_of(error: float, df: float, effect: float) -> float:
    from scipy.stats import nct, t

    critical = t.ppf(0.975, df)
    return float(nct.sf(critical, df, effect / error) + nct.cdf(-critical, df, effect / error))


@pytest.mark.parametrize("layout", ["crossed", "nested items", "some items", "nested judges", "gaps"])
def test_the_same_design_has_the_power_of_its_own_standard_error(layout: str) -> None:
    data = laid_out(study(1, 2, 12, 30, output=0.3, favour=0.3), layout)
    fit = linear_mixed(data.y, data.system.tolist(), data.groups, slopes=("judge", "item"))
    one = fit.pairs("none")[0]
    pilot = Pilot.of(fit, data.system.tolist(), data.judge.tolist(), data.item.tolist())
    for effect in (0.3, 0.6, 0.9):
        plan = pilot.power(effect)
        assert plan.error == pytest.approx(one.error, rel=1e-6)
        # degrees of freedom are those of mean squares, at times fewer than the model's
        assert -0.08 < plan.estimate - power_of(one.error, one.df, effect) < 0.03
    more = pilot.power(0.6, judges=48, items=120)
    assert more.error == pytest.approx(one.error / 2, rel=1e-6)  # four times as many of both
    if layout == "crossed":  # the formula's figures
        formula = study_power(Variances.of(fit), 0.6, judges=12, items=30)
        same = pilot.power(0.6)
        assert (same.error, same.df) == pytest.approx((formula.error, formula.df), rel=1e-5)
        assert (same.estimate, same.total) == pytest.approx((formula.estimate, formula.total), rel=1e-6)
        larger = study_power(Variances.of(fit), 0.6, judges=20, items=40, ratings_per_item=15)
        assert pilot.power(0.6, judges=20, items=40, ratings_per_item=15).error == pytest.approx(larger.error)
    elif layout == "nested items":
        assert pilot.apart == (1, 2) and plan.items_per_system == 15 and plan.total == len(data.y)


def test_what_nested_studies_find_is_what_the_plan_says() -> None:
    from scipy.stats import ttest_ind

    def found(seed: int, effect: float) -> bool:
        data = laid_out(study(seed, 2, 5, 24, item=0.9, noise=0.8, step=effect), "nested items")
        rows = [data.y[data.system == s].reshape(5, -1).mean(axis=0) for s in (0, 1)]
        # of outputs' means, judges being the same: the exact test of this balanced design
        return bool(ttest_ind(*rows).pvalue < 0.05)

    share = np.mean([found(seed, 0.9) for seed in range(400)])
    parts = 2 * 0.9**2 / 12, 2 * 0.8**2 / 60
    pilot = Pilot(parts[1], 0.0, parts[0], 5, 24, 5.0, 2, 0.5, (1, 2))
    plan = pilot.power(0.9)
    assert share == pytest.approx(plan.estimate, abs=3.5 * math.sqrt(0.25 / 400))
    assert plan.estimate < study_power(Variances(0.64, 0.0, 0.81), 0.9, judges=5, items=24).estimate - 0.3
