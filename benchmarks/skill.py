"""Skill ratings side by side with the packages that compute the same.

    python benchmarks/skill.py

Both sides start from lists of names and outcomes and end with a rating for each name. Glicko-2 and TrueSkill take one
million games one after another; the packages are timed on the first part of the same games (`peer_games`), and their
time is scaled linearly, which is fair because each game costs the same. Ours is run on that part too, and the two must
agree. Bradley–Terry is 5,000 games of 50 players with ties as half wins, as evalica counts them; ours includes the
check of the comparison graph and the covariance. CPU seconds, the best of several alternating runs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

Names = list[str]
Column = tuple[Names, Names, Names]  # a, b, outcome
GAMES, PLAYERS = 1_000_000, 50
SCORE = {"a": 1.0, "tie": 0.5, "b": 0.0}


def made(games: int, seed: int = 1) -> Column:
    """Games between random pairs of 50 players, one in ten a tie."""
    rng = np.random.default_rng(seed)
    skill = rng.normal(size=PLAYERS)
    a = rng.integers(PLAYERS, size=games)
    b = (a + rng.integers(1, PLAYERS, size=games)) % PLAYERS
    chance, luck = 1 / (1 + np.exp(skill[b] - skill[a])), rng.random(games)
    outcome = np.where(luck < 0.9 * chance, "a", np.where(luck < 0.9 * chance + 0.1, "tie", "b"))
    names = np.array([f"system {k}" for k in range(PLAYERS)])
    return names[a].tolist(), names[b].tolist(), outcome.tolist()


def our_glicko2(games: Column) -> dict[str, float]:
    from nlgauge.stats.skill import Games, Glicko2

    played = Games.of(*games)
    rating = Glicko2(period=1, inactivity=False, as_package=True).play(played).rating
    return dict(zip(played.players, rating.tolist(), strict=True))


def package_glicko2(games: Column) -> dict[str, float]:
    import glicko2

    players: dict[str, Any] = {}
    for a, b, outcome in zip(*games, strict=True):
        x, y = players.setdefault(a, glicko2.Player()), players.setdefault(b, glicko2.Player())
        rating, deviation, score = x.rating, x.rd, SCORE[outcome]
        x.update_player([y.rating], [y.rd], [score])
        y.update_player([rating], [deviation], [1 - score])
    return {name: player.rating for name, player in players.items()}


def our_trueskill(games: Column) -> dict[str, float]:
    from nlgauge.stats.skill import Games, TrueSkill

    played = Games.of(*games)
    return dict(zip(played.players, TrueSkill().play(played).rating.tolist(), strict=True))


def package_trueskill(games: Column) -> dict[str, float]:
    import trueskill

    players: dict[str, Any] = {}
    new = trueskill.Rating()
    for a, b, outcome in zip(*games, strict=True):
        if outcome == "b":
            a, b = b, a  # noqa: PLW2901 - the package takes the winner first
        x, y = players.get(a, new), players.get(b, new)
        players[a], players[b] = trueskill.rate_1vs1(x, y, drawn=outcome == "tie")
    return {name: player.mu for name, player in players.items()}


def our_bradley_terry(games: Column) -> dict[str, float]:
    from nlgauge.stats.skill import Games, fit

    model = fit(Games.of(*games), ties="half")
    return dict(zip(model.players, model.strength.tolist(), strict=True))


def package_bradley_terry(games: Column) -> dict[str, float]:
    import evalica

    winner = {"a": evalica.Winner.X, "b": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    found = evalica.bradley_terry(games[0], games[1], [winner[outcome] for outcome in games[2]])
    scores = np.log(found.scores)
    return dict((scores - scores.mean()).items())


def _timed(rate: Callable[[Column], dict[str, float]], games: Column) -> tuple[float, dict[str, float]]:
    start = time.process_time()
    found = rate(games)
    return time.process_time() - start, found


def _case(
    name: str,
    peer: str,
    ours: Callable[[Column], dict[str, float]],
    theirs: Callable[[Column], dict[str, float]],
    games: int,
    part: int,
    target: float,
    tolerance: float,
    repeats: int,
) -> dict[str, Any]:
    columns = made(games)
    first: Column = (columns[0][:part], columns[1][:part], columns[2][:part])
    expected, found = theirs(first), ours(first)  # also warms both up
    largest = max(abs(found[player] - value) for player, value in expected.items())
    if largest > tolerance:
        sys.exit(f"{name}: ratings differ by {largest} from those of {peer}")
    mine, other = [], []
    for _ in range(repeats):
        mine.append(_timed(ours, columns)[0])
        other.append(_timed(theirs, first)[0] * games / part)
    return {
        "case": name,
        "peer": peer,
        "games": games,
        "peer_games": part,
        "ours_s": min(mine),
        "peer_s": min(other),
        "ratio": min(other) / min(mine),
        "target": target,
        "note": f"{games:,} games" + ("" if part == games else f"; the peer timed on {part:,} of them"),
        "largest_difference": largest,
    }


def measure() -> list[dict[str, Any]]:
    """The three cases."""
    return [
        _case("Glicko-2", "glicko2", our_glicko2, package_glicko2, GAMES, 20_000, 20, 1e-6, 3),
        _case("TrueSkill", "trueskill", our_trueskill, package_trueskill, GAMES, 4_000, 20, 1e-5, 3),
        # evalica stops at a change of 1e-6 of the scores, hence the tolerance
        _case("Bradley–Terry", "evalica", our_bradley_terry, package_bradley_terry, 5_000, 5_000, 1, 1e-5, 15),
    ]


if __name__ == "__main__":
    for row in measure():
        print(
            f"{row['case']:14} {row['games']:>9,} games: {row['ours_s']:.4f} s, {row['peer']} {row['peer_s']:.4f} s "
            f"({row['peer_games']:,} games timed), {row['ratio']:.1f} ×; "
            f"largest difference {row['largest_difference']:.1e}"
        )
