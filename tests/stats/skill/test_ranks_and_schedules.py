"""Ranks, matrices, bootstrap of ratings, tournaments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from games import random_games, results

from nlgauge.errors import InputError
from nlgauge.stats.skill import (
    Elo,
    Games,
    Glicko2,
    TrueSkill,
    draw_games,
    fit,
    rate_bradley_terry,
    rate_sequential,
    tournament,
    zhou,
)
from nlgauge.stats.skill.ranks import confidence, rank_limits, rank_limits_from_draws, ranks
from nlgauge.stats.skill.schedule import SCHEDULES, certainty, information, most_informative


def test_ranks_share_places() -> None:
    assert ranks(np.array([3.0, 5.0, 3.0, 1.0])).tolist() == [2, 1, 2, 4]


def test_rank_limits_by_hand() -> None:
    # Differences 10 and 0.1 with error √2: only the last is certainly below.
    low, high = rank_limits(np.array([10.1, 10.0, 0.0]), np.eye(3), 0.95)
    assert (low.tolist(), high.tolist()) == ([1, 1, 3], [2, 2, 3])
    draws = np.array([10.1, 10.0, 0.0]) + np.random.default_rng(1).normal(size=(2000, 3))
    assert [x.tolist() for x in rank_limits_from_draws(np.array([10.1, 10.0, 0.0]), draws, 0.95)] == [
        [1, 1, 3],
        [2, 2, 3],
    ]


def test_confidence_is_antisymmetric() -> None:
    better = confidence(np.array([1.0, 0.0, 0.0]), np.diag([1.0, 2.0, 3.0]))
    assert better + better.T == pytest.approx(np.ones((3, 3)))
    assert better[1, 2] == 0.5


def test_rank_intervals_cover() -> None:
    """Of 200 data sets with two equal players, the stated share or more of the intervals hold the true ranks."""
    true, miss = np.array([0.8, 0.3, 0.3, -1.0]), 0
    for seed in range(200):
        model = fit(random_games(4, 200, 500 + seed, ties=0.0, strength=true))
        low, high = rank_limits(model.strength, model.covariance, 0.9)
        miss += int(low[0] > 1) + int(low[3] > 4 or high[3] < 4)
        miss += sum(int(low[k] > 2 or high[k] < 3) for k in (1, 2))
    assert miss / 800 < 0.1 + 3 * np.sqrt(0.1 * 0.9 / 800)


def test_who_beats_whom() -> None:
    games = results(
        ("x", "y", "a", 3), ("y", "x", "a", 1), ("y", "z", "tie", 2), ("z", "x", "a", 1), ("x", "z", "a", 1)
    )
    matrix = rate_bradley_terry(games).matrix
    i, j, k = (matrix.players.index(name) for name in "xyz")
    assert matrix.wins[i, j] == 3 and matrix.wins[j, i] == 1 and matrix.ties[j, k] == matrix.ties[k, j] == 2
    assert matrix.score[i, j] == 0.75 and np.isnan(matrix.score[i, i])
    off = ~np.eye(3, dtype=bool)
    assert (matrix.expected + matrix.expected.T)[off] == pytest.approx(1)
    assert matrix.to_dict()["score"][i][i] is None


def test_elo_by_bootstrap_holds_its_estimate() -> None:
    games = random_games(5, 800, 3)
    rated = rate_sequential(games, Elo(k=16), "elo", interval="bootstrap", trials=200)
    assert all(r.low <= r.rating <= r.high for r in rated.ratings)
    assert rated.method == "elo" and rated.n == 800


def test_items_are_drawn_whole() -> None:
    base = random_games(4, 150, 8)
    thrice = base.take(np.repeat(np.arange(150), 3))
    named = Games(thrice.players, thrice.first, thrice.second, thrice.score, np.repeat(np.arange(150), 3))
    by_item = rate_bradley_terry(named, interval="bootstrap", trials=300)
    by_game = rate_bradley_terry(thrice, interval="bootstrap", trials=300)
    wide, narrow = (np.mean([r.high - r.low for r in x.ratings]) for x in (by_item, by_game))
    assert wide == pytest.approx(np.sqrt(3) * narrow, rel=0.15)
    assert "150 items" in by_item.interval and "450 games" in by_game.interval


def judge_by(skill: dict[str, float], seed: int, ties: float = 0.1):
    rng = np.random.default_rng(seed)

    def judge(a: str, b: str, item: str | None) -> str:
        if rng.random() < ties:
            return "tie"
        return "a" if rng.random() < 1 / (1 + np.exp(skill[b] - skill[a])) else "b"

    return judge


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_tournament_finds_the_order(schedule: str) -> None:
    skill = {"a": 2.0, "b": 0.7, "c": -0.7, "d": -2.0}
    found = tournament(list(skill), judge_by(skill, 1), schedule=schedule, level=0.9, max_games=3000)  # type: ignore[arg-type]
    assert found.stopped == "certainty" and found.order == ("a", "b", "c", "d")
    assert certainty(found.course) >= 0.9
    assert "the requested certainty was reached" in str(found)


def test_tournament_as_zhou_and_xu() -> None:
    skill = {"a": 3.0, "b": 0.0, "c": -3.0}
    found = tournament(
        list(skill), judge_by(skill, 2), system=zhou(), schedule="random", stop="order", items=["1", "2"]
    )
    assert found.stopped == "order" and found.order == ("a", "b", "c")
    assert (found.course.since >= 50).all() and found.games.item is not None


def test_equal_players_stop_at_the_cap() -> None:
    skill = dict.fromkeys("abcd", 0.0)
    found = tournament(list(skill), judge_by(skill, 3), level=0.999, max_games=200)
    assert found.stopped == "games" and not found.converged and len(found.games) == 200
    assert "cap" in str(found)


def test_players_meet_as_often_as_they_can_and_what_is_not_decided_is_no_game() -> None:
    skill = {"a": 0.1, "b": 0.0, "c": -0.1}
    left = {frozenset("ab"): 5, frozenset("bc"): 7}
    for schedule in SCHEDULES:
        found = tournament(list(skill), judge_by(skill, 1), schedule=schedule, left=left)
        assert (found.stopped, len(found.games)) == ("recorded", 12)
        none = tournament(list(skill), lambda a, b, item: None, schedule=schedule, left=left)
        assert (none.stopped, len(none.games)) == ("recorded", 0)
    capped = tournament(list(skill), lambda a, b, item: None, max_games=30)
    assert (capped.stopped, len(capped.games)) == ("games", 0)


def spaced(players: int, gap: float) -> dict[str, float]:
    """Players of known strengths, best first."""
    return {f"p{k:02}": gap * ((players - 1) / 2 - k) for k in range(players)}


PROCEDURES: dict[str, dict[str, Any]] = {
    "paper": {"system": zhou(), "schedule": "random", "stop": "order"},
    "random": {"schedule": "random"},
    "adaptive": {"schedule": "least-certain"},
}


def simulated(skill: dict[str, float], runs: int, *names: str) -> dict[str, tuple[float, float]]:
    """Mean games of each procedure and the share of its orders that were right."""
    found = {}
    for name in names:
        played = [
            tournament(list(skill), judge_by(skill, 1000 + run), seed=run, max_games=20_000, **PROCEDURES[name])
            for run in range(runs)
        ]
        games, right = zip(*((len(t.games), t.order == tuple(skill)) for t in played), strict=True)
        found[name] = float(np.mean(games)), float(np.mean(right))
        ties = np.mean([(t.games.score == 0.5).sum() for t in played])
        print(
            f"{len(skill)} players, {runs} runs, {name}: {found[name][0]:.0f} games, {ties:.0f} of them ties, "
            f"{found[name][1]:.0%} right"
        )
    return found


@pytest.mark.slow
@pytest.mark.parametrize("runs", [30, pytest.param(100, marks=pytest.mark.long)])
def test_the_adaptive_schedule_needs_half_the_games_of_the_paper_for_the_same_certainty(runs: int) -> None:
    found = simulated(spaced(6, 0.8), runs, "paper", "random", "adaptive")
    (paper, right), (chance, _), (adaptive, as_right) = found.values()
    assert right >= 0.95 and as_right >= 0.95 and as_right >= right - 0.03
    assert adaptive <= paper / 2 and adaptive <= chance / 2


@pytest.mark.long
def test_of_more_players_the_adaptive_schedule_needs_a_quarter_of_the_games() -> None:
    (chance, right), (adaptive, as_right) = simulated(spaced(11, 0.6), 100, "random", "adaptive").values()
    assert min(right, as_right) >= 0.93 and adaptive <= chance / 4


def test_recorded_games_are_drawn_once_and_only_between_players_who_met() -> None:
    games = random_games(5, 600, 4, strength=[2.0, 1.0, 0.0, -1.0, -2.0])
    apart = games.take(np.flatnonzero(np.abs(games.first - games.second) != 1))
    for schedule in SCHEDULES:
        few = draw_games(apart, schedule=schedule, level=0.6, seed=3)
        assert few.stopped == "certainty" and len(few.games) < len(apart)
        assert (np.abs(few.games.first - few.games.second) != 1).all()
        every = draw_games(apart, schedule=schedule, level=1 - 1e-15, seed=3)
        assert every.stopped == "recorded" and not every.converged and len(every.games) == len(apart)
        assert (every.games.wins()[0] == apart.wins()[0]).all()


def test_information_is_a_mutual_information() -> None:
    system = TrueSkill()
    known = information(system.chances, np.array([0.0]), np.array([0.0]))
    assert known == pytest.approx([0.0], abs=1e-12)
    unsure = information(system.chances, np.zeros(3), np.array([1.0, 10.0, 100.0]))
    assert (np.diff(unsure) > 0).all() and unsure.max() < np.log2(3)
    pairs = most_informative(Glicko2().chances, np.array([1500.0, 1510, 2500]), np.diag([100.0, 100, 100]) ** 2)
    assert pairs[0][:2] == (0, 1)


def test_refusals() -> None:
    with pytest.raises(InputError, match="no games"):
        Games.of([], [], [])
    with pytest.raises(InputError, match="against itself"):
        Games.of(["x", "x"], ["y", "x"], ["a", "b"])
    with pytest.raises(InputError, match="game 2: the outcome is 'A'"):
        Games.of(["x", "x"], ["y", "y"], ["a", "A"])
    with pytest.raises(InputError, match="expected one of each"):
        Games.of(["x"], ["y"], [])
    with pytest.raises(InputError, match="one player"):
        fit(Games(("x",), np.empty(0, int), np.empty(0, int), np.empty(0)))
    apart = results(("x", "y", "a", 2), ("u", "v", "b", 2))
    for system in (Glicko2(), zhou(), TrueSkill()):
        with pytest.raises(InputError, match="2 parts"):
            rate_sequential(apart, system, "m")
        assert "2 parts" in rate_sequential(apart, system, "m", allow_parts=True).notes[0]
    for options in (
        {"level": 1.0},
        {"interval": "deviation"},
        {"ties": "x"},
        {"order": "x"},
        {"ridge": -1.0},
        {"ridge": 1.0, "firth": True},
        {"order": "judge"},
        {"scale": "x"},
    ):
        with pytest.raises(InputError):
            rate_bradley_terry(random_games(3, 60, 1), **options)  # type: ignore[arg-type]
    judge = judge_by({"a": 0.0, "b": 0.0}, 1)
    for options in ({"level": 0.4}, {"max_games": 0}, {"stop": "x"}, {"schedule": "x"}, {"system": Elo()}):
        with pytest.raises(InputError):
            tournament(["a", "b"], judge, **options)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="two players"):
        tournament(["a", "a"], judge)
    with pytest.raises(InputError, match="the judge said"):
        tournament(["a", "b"], lambda a, b, item: "draw")


def test_ranks_are_called_certain_one_at_a_time() -> None:
    clear = [(a, b, who, n) for a, b in ("xy", "xz", "yz") for who, n in (("a", 90), ("b", 10))]
    assert "Each rank, taken by itself, is certain at 95%." in rate_bradley_terry(results(*clear)).sentence
    close = [*clear, *(("z", "w", who, 100) for who in "ab")]
    found = rate_bradley_terry(results(*close)).sentence
    assert "2 of 4 ranks are certain at 95%, each taken by itself." in found
    two = rate_bradley_terry(results(*clear[:2])).sentence
    assert two.count("certain") == 1 and "its first rank is certain at 95%" in two
