"""Simulated judges through the real verbs: balance always, false positives at most α, power as planned."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import comb, sqrt
from pathlib import Path

import pytest
from studies import write

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.stats import discrimination
from nlgauge.study.designs.triangle import role_counts
from nlgauge.study.file.study import load
from nlgauge.study.freeze import in_use
from nlgauge.study.freeze.frozen import Frozen, freeze
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.triangle.analysis import Plan, analyse
from nlgauge.study.protocols.triangle.simulation import Pool
from nlgauge.study.service import opened
from nlgauge.study.simulation import rehearse
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
    assert outcome.judges == len(service.people.judges())
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


def test_a_launched_study_is_filled_with_a_word_of_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, panels={"public": {"judges": 6, "access": "open"}})
    folder = str(tmp_path)
    assert main(["study", "launch", folder]) == 0
    with in_use.served(tmp_path):  # to people, at this moment
        assert main(["study", "simulate", folder]) == 2
    assert "take the places of people" in capsys.readouterr().err
    for _ in range(2):
        assert main(["study", "simulate", folder, "--judges", "2"]) == 0
        assert f"nlgauge study launch {folder} --fresh" in capsys.readouterr().err
    service = opened(tmp_path, Store.at(tmp_path))
    launched = service.events("launched")[0]["at"]
    times = [one.shown_at for one in service.judgements() if not one.practice]
    assert len(times) == 4 and min(times) > launched and times == sorted(times)
    assert main(["study", "close", folder]) == 0
    capsys.readouterr()
    for more in ([], ["--http"]):
        assert main(["study", "simulate", folder, *more]) == 2
        assert "is closed and takes no judges" in capsys.readouterr().err
    assert main(["study", "simulate", folder, "--scratch"]) == 0
    assert "--fresh" not in capsys.readouterr().err


STUDIES, N, RISK, P_D = 200, 18, 0.05, 0.6  # 18 is the stable number for these risks, for either goal


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("p_d", [0.0, P_D])
def test_risks_and_power_over_200_studies(tmp_path: Path, p_d: float) -> None:
    """Whole studies through the real verbs, with drop-outs, four designs in turn; the answers judged for both goals.

    Wrong conclusions at most the risk, right ones at least 1 − risk, within three binomial standard errors (4.6
    points); in every study the triads are balanced, and so are the roles of the inputs.
    """
    goals = ("difference", "similarity")
    assert {discrimination.plan(RISK, RISK, P_D, goal=goal).stable for goal in goals} == {N}
    verdicts = {
        goal: [discrimination.test(x, N, goal=goal, alpha=RISK, beta=RISK, p_d=P_D).concluded for x in range(N + 1)]
        for goal in goals
    }
    designs = [made(tmp_path / str(seed), N, seed=seed) for seed in range(4)]
    store, concluded = Store.memory(), Counter[str]()
    for seed in range(STUDIES):
        frozen = designs[seed % 4]
        service, outcome = rehearse(frozen, Pool(p_d, dropouts=0.1), seed=seed, store=store)
        found = outcome.panels["public"]
        assert found["answers"] == found["judges"] == N
        assert set(found["triads"].values()) == {3}
        check_roles(frozen, service.judgements())
        for goal in goals:
            concluded[goal] += verdicts[goal][found["correct"]]
        if seed % 50 == 0:  # the analysis says the same as the counts
            plan = replace(Plan.of_study(frozen.study), alpha=RISK, beta=RISK, p_d=P_D)
            whole = analyse(plan, service.judgements(), frozen.texts, draws=99)
            assert whole.verdicts[0].correct == found["correct"]
            assert whole.concluded == verdicts["difference"][found["correct"]]
    rates = {goal: concluded[goal] / STUDIES for goal in goals}
    print(f"{100 * p_d:g} % perceive: {dict(concluded)} of {STUDIES} studies concluded")
    noise = 3 * sqrt(RISK * (1 - RISK) / STUDIES)
    wrong, right = ("difference", "similarity") if p_d == 0 else ("similarity", "difference")
    assert rates[wrong] <= RISK + noise
    assert rates[right] >= 1 - RISK - noise
    p_c = 1 / 3 + p_d * 2 / 3
    for goal in goals:  # and as the binomial says
        exact = sum(comb(N, x) * p_c**x * (1 - p_c) ** (N - x) for x, yes in enumerate(verdicts[goal]) if yes)
        assert abs(rates[goal] - exact) <= 3 * sqrt(exact * (1 - exact) / STUDIES)


def check_roles(frozen: Frozen, judgements: list[Judgement]) -> None:
    """Over completed evaluations each input served equally often as A and as B, odd and paired."""
    done = {one.slot for one in judgements if not one.surplus}
    roles = role_counts([slot for slot in frozen.slots if slot.id in done], frozen.texts)
    for (subject, _), found in roles.items():
        times = [found[text.item] for text in frozen.served if text.subject == subject]
        assert max(times) - min(times) <= 1
