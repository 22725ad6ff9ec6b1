"""Glicko-2, TrueSkill and Elo: worked examples, live parity, twins, what a draw does, convergence."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from games import random_games, recorded, results

from nlgauge import kernels
from nlgauge.errors import InputError
from nlgauge.kernels import python as plain
from nlgauge.stats.skill import Elo, Games, Glicko2, TrueSkill, game_by_game, rate_sequential, rate_zhou, zhou
from nlgauge.stats.skill.schedule import replay

native = pytest.mark.skipif(not kernels.native_available(), reason="the kernels are not compiled here")


def test_glickman_worked_example(shared: Path) -> None:
    case = recorded(shared, "glicko2")
    games = Games(("player", "one", "two", "three"), np.zeros(3, int), np.array([1, 2, 3]), np.array([1.0, 0.0, 0.0]))
    state = np.array([[1500, 200, 0.06], *([o["r"], o["RD"], 0.06] for o in case["opponents"])], dtype=float)
    for backend in ("native", "python"):
        with kernels.use(backend):
            course = Glicko2(period=3).play(games, state)
        rating, deviation, volatility = course.state[0]
        assert rating == pytest.approx(case["computed_here"]["r"], abs=1e-6)
        assert deviation == pytest.approx(case["computed_here"]["RD"], abs=1e-6)
        assert volatility == pytest.approx(case["computed_here"]["sigma"], abs=1e-9)
        assert rating == pytest.approx(case["published"]["r"], abs=0.02)


def test_who_rests_becomes_less_certain(shared: Path) -> None:
    games = Games(("a", "b", "rests"), np.array([0]), np.array([1]), np.array([1.0]))
    state = np.tile([1500, 200, 0.06], (3, 1))
    assert Glicko2(period=1).play(games, state).state[2, 1] == pytest.approx(200.2714167, abs=1e-6)
    assert Glicko2(period=1, inactivity=False).play(games, state).state[2, 1] == 200


def package_ratings(games: Games, player: Any) -> np.ndarray:
    """The package's ratings, both players of a game updated from what they were before it."""
    players = [player() for _ in games.players]
    for i, j, s in zip(games.first.tolist(), games.second.tolist(), games.score.tolist(), strict=True):
        a, b = players[i], players[j]
        before = a.rating, a.rd
        a.update_player([b.rating], [b.rd], [s])
        b.update_player([before[0]], [before[1]], [1 - s])
    return np.array([(p.rating, p.rd, p.vol) for p in players])


@pytest.mark.parametrize("seed", range(3))
def test_live_glicko2_package(seed: int) -> None:
    glicko2 = pytest.importorskip("glicko2")
    games = random_games(10, 600, seed)
    ours = Glicko2(period=1, inactivity=False, as_package=True).play(games).state
    assert ours == pytest.approx(package_ratings(games, glicko2.Player), rel=1e-8, abs=1e-8)


def test_live_glicko2_package_with_its_volatility_mended() -> None:
    """With the deviation where Glickman has it, the package is Glickman's system, and so are we."""
    glicko2 = pytest.importorskip("glicko2")

    class Mended(glicko2.Player):  # type: ignore[misc, name-defined]
        def _f(self, x: float, delta: float, v: float, a: float) -> float:
            phi2, ex = (self.rd / 173.7178) ** 2, math.exp(x)
            return ex * (delta**2 - phi2 - v - ex) / (2 * (phi2 + v + ex) ** 2) - (x - a) / self._tau**2

    games = random_games(10, 600, 4)
    assert game_by_game().play(games).state == pytest.approx(package_ratings(games, Mended), rel=1e-8, abs=1e-8)


def test_live_rating_periods_of_the_package() -> None:
    """Whole periods, against the mended package fed with all games of a period at once."""
    glicko2 = pytest.importorskip("glicko2")

    class Mended(glicko2.Player):  # type: ignore[misc, name-defined]
        def _f(self, x: float, delta: float, v: float, a: float) -> float:
            phi2, ex = (self.rd / 173.7178) ** 2, math.exp(x)
            return ex * (delta**2 - phi2 - v - ex) / (2 * (phi2 + v + ex) ** 2) - (x - a) / self._tau**2

    games = random_games(8, 400, 6)
    players = [Mended() for _ in range(8)]
    for start in range(0, 400, 10):
        before = [(p.rating, p.rd) for p in players]
        met: list[list[tuple[float, float, float]]] = [[] for _ in players]
        for k in range(start, start + 10):
            i, j, s = int(games.first[k]), int(games.second[k]), float(games.score[k])
            met[i].append((*before[j], s))
            met[j].append((*before[i], 1 - s))
        for player, rows in zip(players, met, strict=True):
            if rows:
                player.update_player(*(list(column) for column in zip(*rows, strict=True)))
            else:
                player.did_not_compete()
    expected = np.array([(p.rating, p.rd, p.vol) for p in players])
    assert Glicko2(period=10).play(games).state == pytest.approx(expected, rel=1e-8, abs=1e-8)


def test_zhou_draw_moves_a_tenth_and_nothing_else() -> None:
    games = results(("low", "high", "tie", 1))
    state = np.array([[1400.0, 120, 0.06], [1600.0, 80, 0.06]])
    drawn = zhou().play(games, state).state
    won = zhou().play(results(("low", "high", "a", 1)), state).state
    assert drawn[0, 0] - 1400 == pytest.approx(0.1 * (won[0, 0] - 1400), rel=1e-12)
    assert drawn[1, 0] - 1600 == pytest.approx(0.1 * (won[1, 0] - 1600), rel=1e-12)
    assert drawn[0, 0] > 1400 and drawn[1, 0] < 1600
    assert drawn[:, 1:] == pytest.approx(state[:, 1:], rel=1e-14)


def test_a_tie_between_equals_leaves_them_equal(shared: Path) -> None:
    assert recorded(shared, "openskill_tie_warning")["lesson"]
    games = results(("x", "y", "tie", 5))
    for system in (Glicko2(), game_by_game(), zhou(), TrueSkill(), Elo()):
        rating = system.play(games).rating
        assert rating[0] == pytest.approx(rating[1], abs=1e-12)
        assert rating[0] == pytest.approx(system.start(1)[0, 0], abs=1e-12)


def test_trueskill_recorded(shared: Path) -> None:
    case = recorded(shared, "trueskill_defaults")
    win, new = TrueSkill().play(results(("x", "y", "a", 1))).state, (25.0, 25 / 3)
    assert win.ravel() == pytest.approx(case["1v1_win_computed"], abs=1e-8)
    draw = TrueSkill().play(results(("x", "y", "tie", 1))).state
    assert draw[:, 1] == pytest.approx([case["1v1_draw_computed_sigma"]] * 2, abs=1e-8)
    half = TrueSkill(draw_probability=0.5).play(results(("x", "y", "a", 1))).state
    assert half == pytest.approx(np.array(case["draw_probability_.50_win"]), abs=5e-4)
    back = TrueSkill().play(results(("x", "y", "a", 1), ("x", "y", "b", 1))).state
    recorded_order = np.array(case["order_dependence_win_then_loss"]["alice_wins_then_bob_wins"])
    # The last winner ends above the first: whichever of the two the record calls first.
    assert np.sort(back[:, 0]) == pytest.approx(np.sort(recorded_order[:, 0]), abs=5e-4)
    assert back[:, 1] == pytest.approx(recorded_order[:, 1], abs=5e-4)
    assert back[1, 0] > back[0, 0]
    # The recorded computation is not the package's to the last digit: it gives 27.055201 and 4.200344, as we do.
    unequal = TrueSkill().play(results(("x", "y", "tie", 1)), np.array([[30.0, 5], [20.0, 5]])).state
    case_draw = case["unequal_draw_30_5_vs_20_5"]
    assert [*unequal[:, 0], unequal[0, 1]] == pytest.approx(case_draw["computed"], abs=5e-4)
    assert unequal[:, 0] == pytest.approx(case_draw["value"], abs=0.01)
    for count, key in ((3, "3_players_ffa"), (4, "4_players"), (5, "5_players")):
        after = TrueSkill().match([[new]] * count, range(count))
        assert [team[0] for team in after] == [pytest.approx(pair, abs=5e-4) for pair in case[key]]
    after = TrueSkill().match([[new, new], [new, new]], [0, 1])
    assert [team[0] for team in after] == [pytest.approx(pair, abs=5e-4) for pair in case["2v2_win"]]


@pytest.mark.parametrize("seed", range(2))
def test_live_trueskill(seed: int) -> None:
    trueskill = pytest.importorskip("trueskill")
    env = trueskill.TrueSkill(backend="scipy")
    games = random_games(8, 300, seed, ties=0.3)
    peer = [env.create_rating() for _ in games.players]
    for i, j, s in zip(games.first.tolist(), games.second.tolist(), games.score.tolist(), strict=True):
        if s == 0:
            peer[j], peer[i] = trueskill.rate_1vs1(peer[j], peer[i], env=env)
        else:
            peer[i], peer[j] = trueskill.rate_1vs1(peer[i], peer[j], drawn=s == 0.5, env=env)
    expected = np.array([(p.mu, p.sigma) for p in peer])
    assert TrueSkill().play(games).state == pytest.approx(expected, abs=1e-8)


def test_live_trueskill_teams() -> None:
    trueskill = pytest.importorskip("trueskill")
    env = trueskill.TrueSkill(backend="scipy")
    teams = [
        [(28.0, 7.0), (22.0, 4.0)],
        [(25.0, 8.0)],
        [(20.0, 3.0), (30.0, 2.0), (21.0, 6.0)],
        [(24.0, 5.0)],
    ]
    peer = env.rate([[env.create_rating(*p) for p in t] for t in teams], ranks=[1, 0, 0, 2], min_delta=1e-13)
    ours = TrueSkill().match(teams, [1, 0, 0, 2])
    for mine, theirs in zip(ours, peer, strict=True):
        assert [x for pair in mine for x in pair] == pytest.approx(
            [x for r in theirs for x in (r.mu, r.sigma)], abs=1e-8
        )


def test_live_elo(shared: Path) -> None:
    evalica = pytest.importorskip("evalica")
    constants = recorded(shared, "arena_constants")["elo"]
    assert Elo() == Elo(constants["init"], constants["k"], constants["scale"], constants["base"])
    games = random_games(8, 500, 1)
    xs, ys = ([games.players[k] for k in side.tolist()] for side in (games.first, games.second))
    winners = [{1.0: evalica.Winner.X, 0.5: evalica.Winner.Draw, 0.0: evalica.Winner.Y}[s] for s in games.score]
    peer = evalica.elo(xs, ys, winners, initial=1000.0, base=10.0, scale=400.0, k=4.0).scores
    assert Elo().play(games).rating == pytest.approx([peer[name] for name in games.players], abs=1e-8)


@native
@pytest.mark.parametrize("seed", range(3))
def test_twins_agree_to_the_last_bit(seed: int) -> None:
    from nlgauge import _native as compiled

    games = random_games(7, 500, seed, ties=0.25, spread=2.0)
    columns, since = (games.first, games.second, games.score), np.zeros(7, dtype=np.int64)
    state = Glicko2().start(7)
    calls: list[tuple[str, tuple[Any, ...]]] = [
        ("glicko2_games", (state, since, 0.5, 1e-6, ratio, package, needed))
        for ratio in (-1.0, 0.1)
        for package in (False, True)
        for needed in (0, 4)
    ]
    calls += [("trueskill_games", (TrueSkill().start(7), since, 25 / 6, 25 / 300, 0.74, needed)) for needed in (0, 4)]
    calls += [("elo_games", (Elo().start(7), since, 32.0, math.log(10) / 400, needed)) for needed in (0, 4)]
    for name, rest in calls:
        mine, twin = getattr(compiled, name)(*columns, *rest), getattr(plain, name)(*columns, *rest)
        # math.erfc of Python need not be that of the C library: TrueSkill to 1e-12, the others to the bit
        assert mine[0] == pytest.approx(twin[0], rel=1e-12 if name == "trueskill_games" else 0, abs=0)
        assert (mine[1] == twin[1]).all() and mine[2] == twin[2]
    ends = np.array([60, 60, 200, 500])
    for rest in (True, False):
        mine = compiled.glicko2_periods(*columns, ends, state, since, 0.5, 1e-6, rest)
        twin = plain.glicko2_periods(*columns, ends, state, since, 0.5, 1e-6, rest)
        assert (mine[0] == twin[0]).all() and (mine[1] == twin[1]).all()


@native
def test_compiled_kernels_refuse_what_would_read_beyond_the_arrays() -> None:
    from nlgauge import _native as compiled

    one, since = np.array([0]), np.zeros(2, dtype=np.int64)
    for first, second in ((one, np.array([2])), (np.array([-1]), one), (one, one), (one, np.array([1, 0]))):
        with pytest.raises(ValueError, match="game"):
            compiled.elo_games(first, second, np.array([1.0]), np.zeros((2, 1)), since, 4.0, 0.1, 0)
    with pytest.raises(ValueError, match="columns"):
        compiled.glicko2_games(one, one + 1, np.array([1.0]), np.zeros((2, 2)), since, 0.5, 1e-6, -1.0, False, 0)


def test_extremes_stay_finite() -> None:
    games = results(("x", "y", "a", 3), ("y", "x", "a", 1), ("x", "y", "tie", 1))
    wide = np.array([[1e5, 30, 0.06], [-1e5, 30, 0.06]])
    for backend in ("native", "python"):
        with kernels.use(backend):
            for system in (game_by_game(), zhou(), Glicko2(period=2)):
                assert np.isfinite(system.play(games, wide).state).all()
            assert np.isfinite(TrueSkill().play(games, np.array([[1e4, 1.0], [-1e4, 1.0]])).state).all()
            assert np.isfinite(Elo().play(games, np.array([[1e7], [-1e7]])).state).all()


def test_zhou_converges_and_the_cap_holds() -> None:
    clear = random_games(4, 2000, 1, strength=[3.0, 1.0, -1.0, -3.0])
    rated = rate_zhou(clear, seed=3)
    assert rated.converged and rated.order == ("p0", "p1", "p2", "p3")
    assert rated.games_used < 100_000
    equal = random_games(6, 2000, 1, strength=np.zeros(6))
    capped = rate_zhou(equal, seed=3, max_games=5000)
    assert not capped.converged and capped.games_used == 5000
    assert "cap" in capped.notes[-1] and "was still changing" in capped.sentence


def test_convergence_means_that_the_order_stood() -> None:
    """A naive count, from the order after every single game."""
    games = random_games(4, 3000, 2, strength=[1.5, 0.5, -0.5, -1.5])
    course = replay(games, zhou(), needed=20, seed=5)
    assert course.converged and (course.since >= 20).all()
    again = replay(games, zhou(), needed=20, seed=5, max_games=course.used)
    assert (again.state == course.state).all()
    assert not replay(games, zhou(), needed=20, seed=5, max_games=course.used - 1).converged
    system, since, state, order = game_by_game(), np.zeros(4, int), game_by_game().start(4), [0, 1, 2, 3]
    for k in range(300):
        state = system.play(games.take(np.array([k])), state).state
        since[[games.first[k], games.second[k]]] += 1
        new = sorted(range(4), key=lambda p: (-state[p, 0], p))
        if new != order:
            order, since = new, np.zeros(4, int)
    whole = system.play(games.take(np.arange(300)))
    assert (whole.since == since).all() and whole.state == pytest.approx(state, abs=1e-9)


def test_bad_constants() -> None:
    for make in (
        lambda: Glicko2(tau=0),
        lambda: Glicko2(period=0),
        lambda: zhou(1.5),
        lambda: Glicko2(draw_ratio=0.1),
        lambda: TrueSkill(draw_probability=1.0),
        lambda: TrueSkill(tau=-1.0),
        lambda: Elo(k=0),
        lambda: Elo(base=1),
    ):
        with pytest.raises(InputError):
            make()
    with pytest.raises(InputError, match="draw probability is 0"):
        TrueSkill(draw_probability=0.0).play(results(("x", "y", "tie", 1)))
    with pytest.raises(InputError, match="no deviations"):
        rate_sequential(results(("x", "y", "a", 2)), Elo(), "elo", interval="deviation")
