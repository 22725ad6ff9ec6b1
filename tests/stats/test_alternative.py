"""A machine beside people: the alternative annotator test, the ceiling by leaving one out, shares in clusters."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import beta, ttest_1samp

from nlgauge.errors import InputError
from nlgauge.stats.alternative import alternative_annotator, leave_one_out
from nlgauge.stats.multiple import benjamini_hochberg, benjamini_yekutieli
from nlgauge.stats.shares import share


def people(seed: int, units: int = 60, judges: int = 4, noise: float = 0.7) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=units)
    return truth, truth[:, None] + rng.normal(scale=noise, size=(units, judges))


def by_the_paper(table: np.ndarray, machine: np.ndarray, epsilon: float, *, equal: bool) -> tuple[float, float]:
    """Winning rate and advantage by section 3 of Calderon, Reichart and Dror (2025), unit by unit."""
    ps, advantages = [], []
    for j in range(table.shape[1]):
        f, h = [], []
        for row, own in zip(table, machine, strict=True):
            others = [x for k, x in enumerate(row) if k != j and not math.isnan(x)]
            if math.isnan(row[j]) or not others:
                continue
            if equal:
                near = [sum(x == one for x in others) / len(others) for one in (own, row[j])]
            else:
                near = [-math.sqrt(sum((one - x) ** 2 for x in others) / len(others)) for one in (own, row[j])]
            f.append(near[0] >= near[1])
            h.append(near[1] >= near[0])
        ps.append(ttest_1samp(np.array(h, float) - np.array(f, float), epsilon, alternative="less").pvalue)
        advantages.append(np.mean(f))
    m, order = len(ps), np.argsort(ps)
    bound = sum(1 / k for k in range(1, m + 1))
    passing = [k for k in range(m) if ps[order[k]] <= (k + 1) / m * 0.05 / bound]
    return (max(passing) + 1 if passing else 0) / m, float(np.mean(advantages))


@pytest.mark.parametrize("equal", [False, True])
def test_it_is_the_test_of_the_paper(equal: bool) -> None:
    rng = np.random.default_rng(3)
    rates = set()
    for seed, spread in enumerate((0.1, 0.5, 0.8, 1.2, 2.0)):
        truth, table = people(seed, units=50)
        machine = truth + rng.normal(scale=spread, size=len(truth))
        if equal:
            table, machine = np.round(table), np.round(machine)
        table[rng.random(table.shape) < 0.15] = np.nan
        found = alternative_annotator(table, machine, nearness="equal" if equal else "distance", epsilon=0.15)
        rate, advantage = by_the_paper(table, machine, 0.15, equal=equal)
        assert found.winning_rate == rate and found.advantage == pytest.approx(advantage)
        rates.add(found.winning_rate)
    assert len(rates) > 1  # some pass, some do not


def test_a_good_machine_passes_and_a_blind_one_does_not() -> None:
    truth, table = people(1, units=100)
    good, blind = alternative_annotator(table, truth), alternative_annotator(table, np.zeros(100) + 3)
    assert good.passed and good.winning_rate == 1 and "passes" in str(good)
    assert not blind.passed and blind.winning_rate == 0 and "does not pass" in str(blind)
    assert good.to_dict()["people"][0]["n"] == 100


def test_how_often_a_machine_that_is_worse_by_epsilon_passes() -> None:
    """At the border of the null hypothesis the share of false wins stays near its level."""
    rng, wins, tests = np.random.default_rng(5), 0, 0
    for _ in range(150):
        h = rng.random(60) < 0.6  # the person is at least as near in 60 %, the machine in 40 %: worse by 0.2
        table = np.stack([np.where(h, 0.0, 1.0), np.zeros(60), np.zeros(60)], axis=1)
        machine = np.where(h, 1.0, 0.0)
        found = alternative_annotator(table, machine, epsilon=0.2, least=30)
        wins += found.people[0].p <= 0.05
        tests += 1
    assert wins / tests <= 0.06


def test_what_the_test_needs() -> None:
    truth, table = people(2, units=20)
    with pytest.raises(InputError, match="30 units or more"):
        alternative_annotator(table, truth)
    with pytest.raises(InputError, match="3 people or more"):
        alternative_annotator(table[:, :2], truth)
    with pytest.raises(InputError, match="units × people"):
        leave_one_out(table, truth[:3])
    with pytest.raises(InputError, match="no person shares"):
        leave_one_out(np.ones((9, 3)), np.arange(9.0))


def test_the_ceiling_recovers_what_was_put_in() -> None:
    """r of a judge with the mean of m others is 1 / sqrt((1 + v)(1 + v / m)), of the truth 1 / sqrt(1 + v / m)."""
    truth, table = people(7, units=4000, judges=5, noise=1.0)
    found = leave_one_out(table, truth, statistic="pearson")
    assert found.people == pytest.approx(1 / math.sqrt(2 * 1.25), abs=0.02)
    assert found.machine == pytest.approx(1 / math.sqrt(1.25), abs=0.02)
    assert found.low > 0 and found.n == 5 and "−" not in str(found).split("limits")[1]
    alike = leave_one_out(table[:, :4], table[:, 4], statistic="pearson")  # a person in the machine's place
    assert alike.low < 0 < alike.high


def test_benjamini_yekutieli() -> None:
    p = [0.001, 0.02, 0.04, 0.5]
    assert benjamini_yekutieli(p) == pytest.approx(np.minimum(benjamini_hochberg(p) * (1 + 1 / 2 + 1 / 3 + 1 / 4), 1))


def test_a_share_of_independent_answers_is_clopper_and_pearson() -> None:
    found = share([1] * 70 + [0] * 30, range(100))
    assert found.estimate == 0.7
    assert found.low == pytest.approx(beta.ppf(0.025, 70, 31), abs=1e-3)
    assert found.high == pytest.approx(beta.ppf(0.975, 71, 30), abs=1e-3)
    assert share([1] * 9, range(9)).high == 1 and share([1] * 9, range(9)).low == pytest.approx(0.025 ** (1 / 9))
    assert math.isnan(share([1, 0], ["a", "a"]).low)
    with pytest.raises(InputError, match="give a cluster"):
        share([1], [])


def test_limits_of_a_share_hold_in_clusters() -> None:
    """Answers of one cluster go together: limits that take them as independent would cover far less."""
    rng, covered, trials = np.random.default_rng(11), 0, 200
    for _ in range(trials):
        chance = rng.beta(1.4, 0.6, size=25)  # mean 0.7, an intraclass correlation of 1/3
        hits = (rng.random((25, 8)) < chance[:, None]).astype(float)
        found = share(hits.ravel(), np.repeat(np.arange(25), 8).tolist())
        covered += found.low <= 0.7 <= found.high
    assert covered / trials >= 0.93
