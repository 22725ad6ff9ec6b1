"""Linear mixed models: against statsmodels, against the analysis of variance, and by simulation."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from rating_studies import study

from nlgauge.errors import InputError
from nlgauge.stats.mixed import LinearMixed, likelihood_ratio, linear_mixed
from nlgauge.stats.mixed.design import design
from nlgauge.stats.mixed.profile import Profile


@pytest.mark.parametrize("method", ["REML", "ML"])
@pytest.mark.parametrize("rows", [None, 150])
def test_equal_to_statsmodels(method: str, rows: int | None) -> None:
    pd = pytest.importorskip("pandas")
    sm = pytest.importorskip("statsmodels.api")
    data = study(3, 4, 8, 12, rows=rows)
    frame = pd.DataFrame({"y": data.y, "s": data.system, "j": data.judge, "i": data.item, "all": 1})
    model = sm.MixedLM.from_formula(
        "y ~ C(s)",
        frame,
        groups="all",
        re_formula="0",
        vc_formula={"judge": "0 + C(j)", "item": "0 + C(i)"},
    )
    theirs = model.fit(reml=method == "REML")
    labels = data.system.tolist()
    ours = linear_mixed(data.y, labels, data.groups, method=method)  # type: ignore[arg-type]
    assert ours.log_likelihood == pytest.approx(theirs.llf, abs=1e-5)
    assert ours.log_likelihood >= theirs.llf - 1e-8  # never a worse maximum
    coefficients = {one.name: one for one in ours.coefficients(baseline="0")}
    for place in range(1, 4):
        own = coefficients[str(place)]
        assert own.estimate == pytest.approx(theirs.params.iloc[place], abs=1e-4)
        assert own.error == pytest.approx(theirs.bse.iloc[place], rel=1e-2)  # theirs: joint information
    assert ours["item"].estimate == pytest.approx(theirs.vcomp[0], rel=5e-3)
    assert ours["judge"].estimate == pytest.approx(theirs.vcomp[1], rel=5e-3)
    assert ours["residual"].estimate == pytest.approx(theirs.scale, rel=1e-3)


def test_errors_are_those_of_generalised_least_squares() -> None:
    data = study(3, 4, 8, 12, rows=150)
    fit = linear_mixed(data.y, data.system.tolist(), data.groups)
    x = (data.system[:, None] == [int(name) for name in fit.systems]).astype(float)
    v = fit["residual"].estimate * np.eye(150)
    v += fit["judge"].estimate * (data.judge[:, None] == data.judge)
    v += fit["item"].estimate * (data.item[:, None] == data.item)
    covariance = np.linalg.inv(x.T @ np.linalg.solve(v, x))
    assert fit.covariance == pytest.approx(covariance, rel=1e-9)
    assert fit.beta == pytest.approx(covariance @ x.T @ np.linalg.solve(v, data.y), rel=1e-9)
    residual = data.y - x @ fit.beta
    likelihood = -0.5 * (
        146 * math.log(2 * math.pi)
        + np.linalg.slogdet(v)[1]
        - np.linalg.slogdet(covariance)[1]
        + residual @ np.linalg.solve(v, residual)
    )
    assert fit.log_likelihood == pytest.approx(likelihood, rel=1e-9)


def mean_squares(y: np.ndarray, shape: tuple[int, int, int]) -> tuple[float, float, float, float]:
    """Systems, judges, items and the rest of a complete three-way table without interactions."""
    table = y.reshape(shape)
    s, j, i = shape
    grand = table.mean()
    parts = [table.mean(axis=axes) - grand for axes in ((1, 2), (0, 2), (0, 1))]
    fitted = grand + parts[0][:, None, None] + parts[1][None, :, None] + parts[2][None, None, :]
    sizes = (j * i, s * i, s * j)
    between = [size * float(part @ part) / (len(part) - 1) for size, part in zip(sizes, parts, strict=True)]
    rest = float(((table - fitted) ** 2).sum()) / (s * j * i - s - j - i + 2)
    return between[0], between[1], between[2], rest


def test_balanced_design_is_the_analysis_of_variance() -> None:
    shape = (3, 6, 8)
    data = study(5, *shape)
    fit = linear_mixed(data.y, data.system.tolist(), data.groups)
    systems, judges, items, rest = mean_squares(data.y, shape)
    assert fit["residual"].estimate == pytest.approx(rest, rel=1e-6)
    assert fit["judge"].estimate == pytest.approx((judges - rest) / (3 * 8), rel=1e-5)
    assert fit["item"].estimate == pytest.approx((items - rest) / (3 * 6), rel=1e-5)
    test = fit.test()
    assert test.statistic == pytest.approx(systems / rest, rel=1e-6)
    assert test.df == pytest.approx((2, 144 - 3 - 6 - 8 + 2), rel=1e-5)
    for pair in fit.pairs():
        assert pair.error == pytest.approx(math.sqrt(2 * rest / 48), rel=1e-6)
        assert pair.df == pytest.approx(129, rel=1e-5)
    means = data.y.reshape(shape).mean(axis=(1, 2))
    assert [one.estimate for one in fit.means()] == pytest.approx(means.tolist())


def test_slopes_by_judge_test_systems_against_judges() -> None:
    """With judges who favour systems, systems are compared by (S - 1)(J - 1) degrees of freedom."""
    data = study(6, 3, 6, 8, favour=0.6)
    fit = linear_mixed(data.y, data.system.tolist(), data.groups, slopes=("judge",))
    table = data.y.reshape(3, 6, 8).mean(axis=2)
    centred = table - table.mean(axis=0) - table.mean(axis=1)[:, None] + table.mean()
    interaction = 8 * float((centred**2).sum()) / 10
    assert fit["judge:system"].estimate > 0
    for pair in fit.pairs():
        assert pair.df == pytest.approx(10, rel=1e-4)
        assert pair.error == pytest.approx(math.sqrt(2 * interaction / 48), rel=1e-4)
    plain = linear_mixed(data.y, data.system.tolist(), data.groups)
    assert plain.pairs()[0].error < fit.pairs()[0].error
    test = likelihood_ratio(plain, fit)
    assert test.df == (1.0,) and test.p < 0.05


def test_two_systems_by_judges_alone_are_the_paired_t_test() -> None:
    from scipy.stats import ttest_rel

    rng = np.random.default_rng(1)
    judge = 2 * rng.normal(size=12)
    a, b = judge + rng.normal(size=12) + 0.5, judge + rng.normal(size=12)
    fit = linear_mixed(np.concatenate([a, b]), ["A"] * 12 + ["B"] * 12, {"judge": [*range(12), *range(12)]})
    (pair,) = fit.pairs("none")
    theirs = ttest_rel(a, b)
    assert pair.statistic == pytest.approx(theirs.statistic, rel=1e-5)
    assert pair.df == pytest.approx(11, rel=1e-4)
    assert pair.p == pytest.approx(theirs.pvalue, rel=1e-4)


def test_without_groups_it_is_least_squares_and_tukey_is_scipys() -> None:
    from scipy.stats import tukey_hsd

    rng = np.random.default_rng(2)
    groups = [rng.normal(size=9) + shift for shift in (0.0, 0.4, 1.1)]
    fit = linear_mixed(np.concatenate(groups), np.repeat(["A", "B", "C"], 9).tolist(), {})
    theirs = tukey_hsd(*groups)
    limits = theirs.confidence_interval()
    for pair, (a, b) in zip(fit.pairs("tukey"), [(0, 1), (0, 2), (1, 2)], strict=True):
        assert pair.df == pytest.approx(24, rel=1e-6)
        assert pair.p_adjusted == pytest.approx(theirs.pvalue[a, b], abs=1e-6)
        assert pair.low == pytest.approx(limits.low[a, b], abs=1e-5)


def test_codings_agree() -> None:
    data = study(7, 4, 6, 9, rows=150)
    fit = linear_mixed(data.y, data.system.tolist(), data.groups)
    means = {one.name: one.estimate for one in fit.means()}
    treatment = {one.name: one.estimate for one in fit.coefficients("treatment", "2")}
    sums = {one.name: one.estimate for one in fit.coefficients("sum")}
    assert treatment["intercept"] == pytest.approx(means["2"])
    assert treatment["0"] == pytest.approx(means["0"] - means["2"])
    assert sum(sums[name] for name in means) == pytest.approx(0, abs=1e-12)
    assert sums["intercept"] + sums["3"] == pytest.approx(means["3"])


def test_a_component_of_zero_is_said() -> None:
    rng = np.random.default_rng(0)
    y = rng.normal(size=60)
    judge = np.tile(np.arange(6), 10)
    for j in range(6):  # judges' means made equal: their variance is estimated as 0
        y[judge == j] -= y[judge == j].mean()
    fit = linear_mixed(y, ["A", "B"] * 30, {"judge": judge.tolist()})
    assert fit["judge"].estimate == 0 and math.isnan(fit["judge"].low)
    assert any("judge is estimated as 0" in note for note in fit.notes)
    assert fit.pairs()[0].df == pytest.approx(58, rel=1e-6)


def test_a_search_that_touched_the_edge_comes_back() -> None:
    """A first step can land on 0, where every slope is 0 though the deviance is lower inside."""
    for seed in range(8, 14):
        data = study(seed, 3, 6, 8)
        fit = linear_mixed(data.y, data.system.tolist(), {"judge": data.judge})
        table = data.y.reshape(3, 6, 8)
        between = 24 * float(table.mean(axis=(0, 2)).var(ddof=1))
        centred = table - table.mean(axis=(1, 2), keepdims=True) - table.mean(axis=(0, 2), keepdims=True)
        rest = float(((centred + table.mean()) ** 2).sum()) / (144 - 3 - 6 + 1)
        assert fit["judge"].estimate == pytest.approx(max(0.0, (between - rest) / 24), abs=1e-5)


def test_modes_and_icc() -> None:
    data = study(8, 3, 10, 30, judge=1.0, noise=0.5)
    fit = linear_mixed(data.y, data.system.tolist(), data.groups)
    lenience = {one.name: one.value for one in fit.modes["judge"]}
    raw = {str(j): data.y[data.judge == j].mean() - data.y.mean() for j in range(10)}
    shrink = {name: lenience[name] / raw[name] for name in raw}
    assert all(0.95 < value < 1 for value in shrink.values())
    total = sum(one.estimate for one in fit.components)
    assert fit.icc("item").estimate == pytest.approx(fit["item"].estimate / total)
    expected = fit["item"].estimate / (fit["item"].estimate + fit["residual"].estimate)
    assert fit.icc("item", ("residual",)).estimate == pytest.approx(expected)


def fits(count: int, **known: float) -> list[LinearMixed]:
    out = []
    for seed in range(count):
        data = study(1000 + seed, 3, 8, 15, rows=160, **known)  # type: ignore[arg-type]
        out.append(linear_mixed(data.y, [f"s{k}" for k in data.system], data.groups))
    return out


@pytest.mark.parametrize("count", [40, pytest.param(400, marks=pytest.mark.slow)])
def test_coverage_of_limits_and_bias_of_components(count: int) -> None:
    """Studies of 160 ratings: the 95 % limits of a difference cover it, components are right on average."""
    found = fits(count)
    covered = 0
    for fit in found:
        vector = np.array([(name == "s2") - float(name == "s0") for name in fit.systems])
        pair = fit.contrast(vector)
        covered += pair.low <= 0.4 <= pair.high
    far = 4 * math.sqrt(0.95 * 0.05 / count)
    print(f"coverage {covered / count:.3f}")
    assert abs(covered / count - 0.95) < far
    assert np.mean([fit["judge"].estimate for fit in found]) == pytest.approx(0.25, abs=1.2 / math.sqrt(count))
    assert np.mean([fit["item"].estimate for fit in found]) == pytest.approx(0.49, abs=1.2 / math.sqrt(count))
    assert np.mean([fit["residual"].estimate for fit in found]) == pytest.approx(1.0, abs=0.6 / math.sqrt(count))


def test_large_study_takes_seconds() -> None:
    data = study(9, 5, 200, 1000, rows=20_000)
    start = time.process_time()
    fit = linear_mixed(data.y, data.system.tolist(), data.groups)
    assert time.process_time() - start < 30  # seconds of all cores on a busy machine; alone about 2
    assert fit["judge"].deviation == pytest.approx(0.5, abs=0.08)
    assert fit["item"].deviation == pytest.approx(0.7, abs=0.06)
    assert fit.test().p < 1e-6


def test_likelihood_ratio_refuses_what_is_not_nested() -> None:
    data = study(10, 3, 6, 8)
    both = linear_mixed(data.y, data.system.tolist(), data.groups)
    one = linear_mixed(data.y, data.system.tolist(), {"judge": data.judge})
    assert likelihood_ratio(one, both).p < 0.05
    with pytest.raises(InputError, match="more parameters"):
        likelihood_ratio(both, one)
    with pytest.raises(InputError, match="same method"):
        likelihood_ratio(linear_mixed(data.y, data.system.tolist(), {"judge": data.judge}, method="ML"), both)


def test_bad_input() -> None:
    with pytest.raises(InputError, match="rating 2 is nan"):
        linear_mixed([1, math.nan, 2], "aab", {})
    with pytest.raises(InputError, match="one judge per rating"):
        linear_mixed([1, 2, 3, 4], "aabb", {"judge": [1, 2]})
    with pytest.raises(InputError, match="only one judge"):
        linear_mixed([1, 2, 3, 4], "aabb", {"judge": [1, 1, 1, 1]})
    with pytest.raises(InputError, match="own item"):
        linear_mixed([1, 2, 3, 4], "aabb", {"item": [1, 2, 3, 4]})
    with pytest.raises(InputError, match="every rating is 3"):
        linear_mixed([3, 3, 3, 3], "aabb", {"judge": [1, 2, 1, 2]})
    with pytest.raises(InputError, match="explain every rating exactly"):
        linear_mixed([1, 1, 2, 2, 1, 1, 2, 2], "aabbaabb", {"judge": [1, 1, 1, 1, 2, 2, 2, 2]})
    with pytest.raises(InputError, match="no judge"):
        linear_mixed([1, 2, 3, 4], "aabb", {"judge": [1, 2, None, 1]})
    with pytest.raises(InputError, match="REML or ML"):
        linear_mixed([1, 2, 3, 4], "aabb", {}, method="bayes")  # type: ignore[arg-type]


def test_sentence_and_json() -> None:
    data = study(11, 3, 6, 8, step=1.0)
    fit = linear_mixed(data.y, data.system.tolist(), data.groups)
    assert "2 is rated highest" in str(fit)
    assert "p <" in str(fit.pairs()[1]) and "p =" not in str(fit.means()[0])
    assert str(fit.test()).startswith("F(2, 129) = ")
    row = fit.to_dict()
    assert [one["name"] for one in row["systems"]] == ["0", "1", "2"]
    assert row["components"][0]["name"] == "judge" and len(row["pairs"]) == 3


@pytest.mark.parametrize("reml", [True, False])
def test_gradient_is_that_of_the_deviance(reml: bool) -> None:
    data = study(12, 4, 7, 11, rows=120)
    coded = design(data.y, data.system.tolist(), data.groups, slopes=("judge",))
    profile = Profile(coded, reml=reml)
    at = np.array([0.4, 0.8, 0.3])
    numeric = [(profile.deviance(at + 1e-5 * u) - profile.deviance(at - 1e-5 * u)) / 2e-5 for u in np.eye(3)]
    assert profile.gradient(at) == pytest.approx(np.array(numeric), abs=1e-5)


def test_outputs_rated_by_several_judges_count_once() -> None:
    """With a variance for item × system, systems are compared as by a paired test over the items' mean ratings."""
    from scipy.stats import ttest_rel

    data = study(13, 2, 3, 15, output=0.8)
    fit = linear_mixed(data.y, data.system.tolist(), data.groups, slopes=("item",))
    means = data.y.reshape(2, 3, 15).mean(axis=1)
    theirs = ttest_rel(means[0], means[1])
    (pair,) = fit.pairs("none")
    assert pair.df == pytest.approx(14, rel=1e-3)
    assert (pair.statistic, pair.p) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-3)
