"""A thousand simulated studies: the linear mixed model finds what lme4 finds, or says that it did not."""

from __future__ import annotations

import pytest
from lmer_sets import LAYOUTS, figures, simulated

from nlgauge.stats.mixed import LinearMixed, linear_mixed

KNOWN = figures()
# The hardest sets: a search in the deviations themselves ended 3 to 24 units of log likelihood below the optimum.
HARD = [
    ("crossed 5 x 20 slider", 49),
    ("crossed 8 x 15 points", 38),
    ("crossed 5 x 20 slider", 90),
    ("crossed 10 x 20 points", 91),
    ("crossed 10 x 20 points", 7),
    ("crossed 8 x 15 points", 65),
    ("crossed 8 x 15 points", 81),
    ("crossed 10 x 20 points", 24),
    ("crossed 5 x 20 slider", 52),
    ("crossed 5 x 20 slider", 4),
    ("crossed 8 x 15 points", 54),
    ("crossed 8 x 15 points", 72),
    ("crowd 30 x 20 slider", 25),
    ("crossed 8 x 15 points", 36),
    ("crossed 5 x 20 slider", 15),
    ("crossed 5 x 20 slider", 13),
    ("crossed 8 x 15 points", 2),
    ("crowd 30 x 20 slider", 10),
    ("square 12 x 24 points", 26),
    ("crossed 10 x 20 points", 28),
]


def fitted(name: str, seed: int) -> LinearMixed:
    data = simulated(name, seed)
    return linear_mixed(data.y, data.system.tolist(), data.groups, slopes=LAYOUTS[name].slopes)


def gap(fit: LinearMixed, name: str, seed: int) -> float:
    """How far below lme4's the log likelihood is; negative where it is above."""
    return KNOWN[name, seed]["log_likelihood"] - fit.log_likelihood


def reached(fit: LinearMixed, name: str, seed: int) -> bool:
    return fit.converged and gap(fit, name, seed) < 1e-3


def same_test(fit: LinearMixed, name: str, seed: int) -> bool:
    """F within 1 %, or both so near 0 that nothing differs."""
    known = KNOWN[name, seed]["f"]
    return abs(fit.test().statistic - known) <= 0.01 * known + 1e-4


@pytest.mark.parametrize(("name", "seed"), HARD)
def test_the_hardest_sets_reach_the_optimum_of_lme4(name: str, seed: int) -> None:
    fit, known = fitted(name, seed), KNOWN[name, seed]
    assert reached(fit, name, seed)
    if gap(fit, name, seed) > -1e-3:  # where ours is higher theirs is no optimum, and has another test
        assert same_test(fit, name, seed)
        assert fit.test().df[1] == pytest.approx(known.get("df", fit.test().df[1]), rel=0.02)
        assert fit["residual"].deviation == pytest.approx(known["residual"], rel=2e-3)


def test_every_design_reaches_the_optimum_of_lme4() -> None:
    for name in LAYOUTS:
        for seed in range(5):
            fit = fitted(name, seed)
            assert reached(fit, name, seed), (name, seed, gap(fit, name, seed), fit.theta)
            assert same_test(fit, name, seed), (name, seed, fit.test(), KNOWN[name, seed])


@pytest.mark.long
def test_at_least_995_of_1000_reach_the_optimum_of_lme4_and_the_rest_say_so() -> None:
    missed, unsaid, apart, higher = [], [], [], 0
    for name, seed in KNOWN:
        fit = fitted(name, seed)
        higher += gap(fit, name, seed) < -1e-3
        if gap(fit, name, seed) >= 1e-3:
            missed.append((name, seed, gap(fit, name, seed)))
            unsaid += [(name, seed)] * fit.converged
        elif gap(fit, name, seed) > -1e-3 and not same_test(fit, name, seed):
            apart.append((name, seed, fit.test().statistic, KNOWN[name, seed]["f"]))
        elif not fit.converged:
            missed.append((name, seed, gap(fit, name, seed)))
    print(f"{len(KNOWN)} sets: {len(missed)} missed, {higher} above lme4's, {len(apart)} with another F")
    print(missed, apart)
    assert len(KNOWN) == 1000 and len(missed) <= 5 and not unsaid
    assert len(apart) <= 5
