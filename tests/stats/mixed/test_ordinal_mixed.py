"""Cumulative link mixed models: published fits of ordinal::clm and clmm, exact gradients, simulation."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from rating_studies import study

from nlgauge.errors import InputError
from nlgauge.stats.mixed import linear_mixed, ordinal_mixed
from nlgauge.stats.mixed.design import design
from nlgauge.stats.mixed.laplace import Laplace
from nlgauge.stats.mixed.ordinal import OrdinalMixed

# Bitterness of white wines, 1 to 5: eight bottles (rows) by nine judges. Randall (1989), as in table 1 of the tutorials
# of the R package ordinal (Christensen). Bottles 5 to 8 are warm; 3, 4, 7 and 8 had contact with the skins.
WINE = np.array(
    [
        [2, 1, 2, 3, 2, 3, 1, 2, 1],
        [3, 2, 3, 2, 3, 2, 1, 2, 2],
        [3, 1, 3, 3, 4, 3, 2, 2, 3],
        [4, 3, 2, 2, 3, 2, 2, 3, 2],
        [4, 2, 5, 3, 3, 2, 2, 3, 3],
        [4, 3, 5, 2, 3, 4, 3, 3, 2],
        [5, 5, 4, 5, 3, 5, 2, 3, 4],
        [5, 4, 4, 3, 3, 4, 3, 4, 4],
    ]
)
BOTTLE, JUDGE = (a.ravel() for a in np.indices(WINE.shape))
RATING = WINE.ravel()
TEMPERATURE = np.where(BOTTLE >= 4, "warm", "cold").tolist()
CONTACT = (BOTTLE // 2 % 2).astype(float)


def wine(groups: dict[str, np.ndarray], link: str = "logit") -> OrdinalMixed:
    return ordinal_mixed(RATING, TEMPERATURE, groups, covariates={"contact": CONTACT}, link=link)  # type: ignore[arg-type]


def thresholds_in_r(fit: OrdinalMixed) -> list[float]:
    """R's thresholds are those of cold wine without contact."""
    shift = fit.beta[-1] * CONTACT.mean() - fit.beta[0]
    return [one.estimate + shift for one in fit.thresholds]


def test_clm_as_published() -> None:
    """clm(rating ~ temp + contact): the tutorial prints these."""
    fit = wine({})
    _, warm, contact = fit.coefficients()
    assert fit.log_likelihood == pytest.approx(-86.49, abs=0.005)
    assert (warm.estimate, warm.error) == pytest.approx((2.503, 0.5287), abs=6e-4)
    assert (contact.estimate, contact.error) == pytest.approx((1.528, 0.4766), abs=6e-4)
    assert thresholds_in_r(fit) == pytest.approx([-1.3444, 1.2508, 3.4669, 5.0064], abs=1e-4)


def test_clmm_as_published() -> None:
    """clmm(rating ~ temp + contact + (1 | judge)), Laplace: the vignette's summary."""
    fit = wine({"judge": JUDGE})
    _, warm, contact = fit.coefficients()
    assert fit.log_likelihood == pytest.approx(-81.57, abs=0.005)
    assert (warm.estimate, warm.error) == pytest.approx((3.063, 0.5954), abs=6e-4)
    assert (contact.estimate, contact.error) == pytest.approx((1.835, 0.5125), abs=6e-4)
    (judge,) = fit.components
    assert (judge.estimate, judge.deviation) == pytest.approx((1.279, 1.131), abs=6e-4)
    assert thresholds_in_r(fit) == pytest.approx([-1.624, 1.513, 4.228, 6.089], abs=6e-4)
    assert fit.aic == pytest.approx(177.13, abs=0.005)


def test_probit_without_groups_is_statsmodels() -> None:
    model = pytest.importorskip("statsmodels.miscmodels.ordinal_model")
    x = np.column_stack([[float(t == "warm") for t in TEMPERATURE], CONTACT])
    for link in ("logit", "probit"):
        theirs = model.OrderedModel(RATING, x, distr=link).fit(method="bfgs", disp=False, gtol=1e-8)
        ours = wine({}, link)
        _, warm, contact = ours.coefficients()
        assert ours.log_likelihood == pytest.approx(theirs.llf, abs=1e-6)
        assert [warm.estimate, contact.estimate] == pytest.approx(theirs.params[:2].tolist(), abs=1e-4)
        assert [warm.error, contact.error] == pytest.approx(theirs.bse[:2].tolist(), rel=1e-3)


@pytest.mark.parametrize("link", ["logit", "probit"])
def test_gradient_is_exact(link: str) -> None:
    factors = design(RATING, TEMPERATURE, {"judge": JUDGE, "bottle": BOTTLE}).factors
    x = np.column_stack([[float(t == "warm") for t in TEMPERATURE], CONTACT])
    laplace = Laplace(RATING - 1, x, factors, link, 4)  # type: ignore[arg-type]
    at = np.array([-1.0, 1.0, 2.5, 3.5, 1.9, 1.0, 0.8, 0.5])
    numeric = [(laplace.value(at + 1e-5 * unit)[0] - laplace.value(at - 1e-5 * unit)[0]) / 2e-5 for unit in np.eye(8)]
    assert laplace.value(at)[1] == pytest.approx(np.array(numeric), abs=1e-6)


def test_laplace_is_near_the_integral() -> None:
    """One judge's random effect integrated by Gauss and Hermite at the fitted parameters."""
    fit = wine({"judge": JUDGE})
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    alpha = np.concatenate([[-np.inf], [one.estimate for one in fit.thresholds], [np.inf]])
    system = np.array([fit.systems.index(t) for t in TEMPERATURE])
    eta = fit.beta[system] + fit.beta[-1] * (CONTACT - CONTACT.mean())
    total = 0.0
    for judge in range(9):
        own = judge == JUDGE
        shifted = eta[own][:, None] + fit.components[0].deviation * nodes[None, :]
        upper = 1 / (1 + np.exp(shifted - alpha[RATING[own]][:, None]))
        lower = 1 / (1 + np.exp(shifted - alpha[RATING[own] - 1][:, None]))
        total += float(np.log(np.prod(upper - lower, axis=0) @ weights / np.sqrt(2 * np.pi)))
    assert fit.log_likelihood == pytest.approx(total, abs=0.1)
    assert fit.log_likelihood != pytest.approx(total, abs=1e-4)  # an approximation, not the integral


def test_a_second_factor_without_variance_changes_nothing() -> None:
    one, two = wine({"judge": JUDGE}), wine({"judge": JUDGE, "bottle": BOTTLE})
    assert two.components[1].estimate == 0
    assert two.log_likelihood == pytest.approx(one.log_likelihood, abs=1e-6)
    assert two.coefficients()[1].error == pytest.approx(one.coefficients()[1].error, rel=1e-3)
    assert any("bottle is estimated as 0" in note for note in two.notes)


@pytest.mark.parametrize("count", [12, pytest.param(80, marks=pytest.mark.slow)])
def test_recovers_known_effects_from_crossed_judges_and_items(count: int) -> None:
    """Studies of 480 ratings, five points: bias and coverage of the latent difference."""
    found, covered, judges = [], 0, []
    for seed in range(count):
        data = study(seed, 3, 8, 20, judge=0.8, item=1.0, step=0.5, logistic=True)
        rating = np.digitize(data.y, [1.5, 3.0, 4.0, 5.5])
        fit = ordinal_mixed(rating, data.system.tolist(), data.groups)
        pair = fit.pairs()[1]  # 0 against 2
        found.append(-pair.estimate)
        covered += pair.low <= -1.0 <= pair.high
        judges.append(fit.components[0].deviation)
    print(f"mean {np.mean(found):.3f}, coverage {covered / count:.3f}, judges {np.mean(judges):.3f}")
    assert np.mean(found) == pytest.approx(1.0, abs=0.05 + 0.8 / math.sqrt(count))  # standard error about 0.2 each
    assert covered / count > 0.95 - 4 * math.sqrt(0.95 * 0.05 / count)
    assert np.mean(judges) == pytest.approx(0.8, abs=0.07 + 0.8 / math.sqrt(count))


def test_agrees_with_the_linear_model_about_the_order_and_predicts_shares() -> None:
    data = study(4, 4, 10, 30, step=0.6, logistic=True)
    rating = np.digitize(data.y, [1.5, 3.0, 4.0, 5.5]) + 1
    fit = ordinal_mixed(rating, data.system.tolist(), data.groups, link="probit")
    linear = linear_mixed(rating, data.system.tolist(), data.groups)
    assert np.argsort(fit.beta).tolist() == np.argsort(linear.beta).tolist()
    assert fit.probabilities().sum(axis=1) == pytest.approx(np.ones(4))
    assert fit.expected() == pytest.approx(linear.beta, abs=0.15)
    assert fit.test().p < 1e-6
    assert "cumulative probit" in str(fit) and fit.to_dict()["model"] == "cumulative probit"


def test_bad_input() -> None:
    with pytest.raises(InputError, match="every answer is 2"):
        ordinal_mixed([2, 2, 2, 2], "aabb", {})
    with pytest.raises(InputError, match="every rating of a is the lowest"):
        ordinal_mixed([1, 1, 1, 2, 3, 1], "aaabbb", {})
    with pytest.raises(InputError, match="use the linear model"):
        ordinal_mixed(np.arange(300.0), ["a", "b"] * 150, {})
    with pytest.raises(InputError, match="logit or probit"):
        ordinal_mixed([1, 2, 2, 3], "aabb", {}, link="cauchit")  # type: ignore[arg-type]


def test_a_tiny_table_that_fits_exactly_is_fitted_without_invalid_operations() -> None:
    judges, items = [0, 0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 2, 0, 0, 1, 2]
    systems = [0, 1, 0, 1, 0, 0, 1, 1, 1]
    values = [1 + system + judge for system, judge in zip(systems, judges, strict=True)]
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        fit = ordinal_mixed(values, systems, {"judge": judges, "item": items})
    assert not fit.converged and "did not converge" in str(fit)  # there is no finite best fit, and it is said
