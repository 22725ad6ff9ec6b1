"""Simulated judges through the real verbs: balance always, false positives at most α, power as planned."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import pytest
from studies import write

from nlgauge.errors import InputError
from nlgauge.stats import discrimination
from nlgauge.study.design import load
from nlgauge.study.frozen import Frozen, freeze
from nlgauge.study.simulate import Pool, rehearse
from nlgauge.study.store import Store


def made(folder: Path, judges: int, **changes: object) -> Frozen:
    write(folder, panels={"public": {"judges": judges, "access": "open"}}, **changes)
    return freeze(load(folder), folder)


def test_a_run_repeats_itself(tmp_path: Path) -> None:
    frozen = made(tmp_path, 12)
    one, two = (rehearse(frozen, Pool(0.4, 0.2, 0.2), seed=5)[0].judgements() for _ in range(2))
    assert one == two
    assert one != rehearse(frozen, Pool(0.4, 0.2, 0.2), seed=6)[0].judgements()


def test_dropouts_are_made_up_for(tmp_path: Path) -> None:
    service, outcome = rehearse(made(tmp_path, 64), Pool(0.3, dropouts=0.3, speeders=0.1), seed=1)
    found = outcome.panels["public"]
    assert found["answers"] == 64
    assert sorted(found["triads"].values()) == [10, 10, 11, 11, 11, 11]
    assert outcome.dropped > 5
    assert outcome.judges == len(service.judges())
    speeders = [one for one in service.judgements() if one.client == "simulated speeder"]
    assert speeders and max(one.seconds for one in speeders) < 3


def test_replicated_judges_that_differ(tmp_path: Path) -> None:
    write(tmp_path, panels={"experts": {"judges": 4, "evaluations": 6, "access": "open"}})
    frozen, store = freeze(load(tmp_path), tmp_path), Store.memory()
    for seed in range(12):
        _, outcome = rehearse(frozen, Pool(0.5, dropouts=0.5, spread=0.4), seed=seed, store=store)
        assert set(outcome.panels["experts"]["triads"].values()) == {4}


def test_more_judges_than_planned_are_turned_away(tmp_path: Path) -> None:
    _, outcome = rehearse(made(tmp_path, 6), Pool(), seed=1, judges=9)
    assert (outcome.finished, outcome.turned_away) == (6, 3 + 3)  # who was turned away came once more
    _, outcome = rehearse(made(tmp_path, 6, extra="continue"), Pool(), seed=1, judges=9)
    assert (outcome.finished, outcome.panels["public"]["answers"]) == (9, 9)


def test_pools_that_make_no_sense() -> None:
    for options in ({"p_d": 1.5}, {"dropouts": 1.0}, {"speeders": -0.1}, {"spread": 1.0}):
        with pytest.raises(InputError, match="must lie between"):
            Pool(**options)


@pytest.mark.slow
@pytest.mark.parametrize(("p_d", "sign"), [(0.0, 1), (0.5, -1)])
def test_false_positives_and_power_over_200_studies_in_all(tmp_path: Path, p_d: float, sign: int) -> None:
    """At the stable n of α = β = 0.05 and p_d = 50 %: 29 judges; tolerance three binomial standard errors."""
    trials, n = 100, 29
    plan = discrimination.plan(0.05, 0.05, 0.5, judges=n)
    assert plan.stable == n and plan.min_correct is not None
    frozen = made(tmp_path, n)
    concluded, store = 0, Store.memory()
    for seed in range(trials):
        _, outcome = rehearse(frozen, Pool(p_d, dropouts=0.1), seed=seed, store=store)
        found = outcome.panels["public"]
        assert found["answers"] == n
        assert max(found["triads"].values()) - min(found["triads"].values()) <= 1
        concluded += found["correct"] >= plan.min_correct
    expected = plan.actual_alpha if p_d == 0 else plan.power
    tolerance = 3 * sqrt(expected * (1 - expected) / trials)
    print(f"{concluded} of {trials} studies concluded a difference; expected {expected:.4f}")
    assert abs(concluded / trials - expected) <= tolerance
    assert sign * (concluded / trials - (0.05 if p_d == 0 else 0.95)) <= tolerance
