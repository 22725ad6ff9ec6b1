"""Power of the next study: by formula, checked with closed cases and with simulated studies."""

from __future__ import annotations

import math

import numpy as np
import pytest
from rating_studies import study

from nlgauge.errors import InputError
from nlgauge.stats.mixed import linear_mixed
from nlgauge.stats.mixed.planning import Variances, items_for, plans, study_power


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
