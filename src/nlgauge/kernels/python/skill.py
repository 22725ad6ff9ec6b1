"""Skill ratings updated game by game; the oracle of `native/skill.cpp`, which does the same operations in the same
order.

Glicko-2 is that of Glickman (2012, "Example of the Glicko-2 system"), on his internal scale; TrueSkill that of
Herbrich, Minka and Graepel (2007) for two players; Elo that of Elo (1978) with the logistic curve.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from nlgauge.arrays import Array, Ints

Player = tuple[float, float, float]  # mu, phi, sigma

SCALE, ORIGIN = 173.7178, 1500.0  # Glickman's rounding of 400 / log(10)
MOST_STEPS = 200  # the search for the volatility needs about five


class Ladder:
    """The order of the players by rating (equal ratings: by number), and the games of each since it last changed."""

    def __init__(self, ratings: Sequence[float], played: Ints) -> None:
        self.played = [int(count) for count in played]
        self.order = self._sorted(ratings)

    def _sorted(self, ratings: Sequence[float]) -> list[int]:
        return sorted(range(len(ratings)), key=lambda player: (-ratings[player], player))

    def close(self, ratings: Sequence[float], players: Sequence[int]) -> None:
        """After a game or a period: count it, and start anew where it changed the order."""
        for player in players:
            self.played[player] += 1
        order = self._sorted(ratings)
        if order != self.order:
            self.order, self.played = order, [0] * len(order)


def _run(
    games: tuple[Ints, Ints, Array],
    ratings: Callable[[], Sequence[float]],
    played: Ints,
    needed: int,
    play: Callable[[int, int, float], None],
) -> tuple[Ints, int]:
    """Play until the order has stood for `needed` games of every player (0: to the end)."""
    ladder = Ladder(ratings(), played)
    used = 0
    for a, b, result in zip(*(column.tolist() for column in games), strict=True):
        play(a, b, result)
        ladder.close(ratings(), (a, b))
        used += 1
        if needed > 0 and min(ladder.played) >= needed:
            break
    return np.array(ladder.played, dtype=np.int64), used


def _evidence(player: Player, opponent: Player, score: float) -> tuple[float, float]:
    """What one game adds to 1/v and to the sum of g (s - E)."""
    g = 1.0 / math.sqrt(1.0 + 3.0 * opponent[1] * opponent[1] / (math.pi * math.pi))
    expected = 1.0 / (1.0 + _exp(-g * (player[0] - opponent[0])))
    return g * g * expected * (1.0 - expected), g * (score - expected)


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:  # the compiled kernel has infinity here
        return math.inf


def _rested(player: Player) -> Player:
    mu, phi, sigma = player
    return mu, math.sqrt(phi * phi + sigma * sigma), sigma


def _updated(
    player: Player, information: float, surprise: float, tau: float, epsilon: float, as_package: bool = False
) -> Player:
    """Glickman's steps 5 to 7 from the sums over the games of a period."""
    if not information > 0.0:
        return _rested(player)  # a result that was certain to the last bit says nothing
    v = 1.0 / information
    sigma = _volatility(player, v, v * surprise, tau, epsilon, as_package)
    before = player[1] * player[1] + sigma * sigma
    phi2 = 1.0 / (1.0 / before + information)
    return player[0] + phi2 * surprise, math.sqrt(phi2), sigma


def _volatility(player: Player, v: float, delta: float, tau: float, epsilon: float, as_package: bool) -> float:
    """Glickman's step 5, the Illinois variant of regula falsi."""
    mu, phi, sigma = player
    phi2, delta2 = phi * phi, delta * delta
    inside = mu * mu if as_package else phi2  # the PyPI package reads the rating where Glickman has the deviation
    start = math.log(sigma * sigma)

    def f(x: float) -> float:
        ex = math.exp(x)
        total = inside + v + ex
        return ex * (delta2 - inside - v - ex) / (2.0 * total * total) - (x - start) / (tau * tau)

    low = start
    if delta2 > phi2 + v:
        high = math.log(delta2 - phi2 - v)
    else:
        k = 1.0
        while f(start - k * tau) < 0.0 and k < MOST_STEPS:
            k += 1.0
        high = start - k * tau
    f_low, f_high = f(low), f(high)
    for _ in range(MOST_STEPS):
        if not abs(high - low) > epsilon:
            break
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = f(middle)
        if f_middle * f_high <= 0.0:
            low, f_low = high, f_high
        else:
            f_low = f_low / 2.0
        high, f_high = middle, f_middle
    return math.exp(low / 2.0)


def _inside(state: Array) -> list[Player]:
    return [((r - ORIGIN) / SCALE, d / SCALE, v) for r, d, v in state.tolist()]


def _outside(players: list[Player]) -> Array:
    return np.array([(mu * SCALE + ORIGIN, phi * SCALE, sigma) for mu, phi, sigma in players])


def glicko2_games(
    first: Ints,
    second: Ints,
    score: Array,
    state: Array,
    played: Ints,
    tau: float,
    epsilon: float,
    draw_ratio: float,
    as_package: bool,
    needed: int,
) -> tuple[Array, Ints, int]:
    """Glicko-2 game by game: new state, games of each player since the order last changed, games used.

    `first` and `second` number the players, `score` is that of the first (1, 0.5, 0); `state` has a row
    (rating, deviation, volatility) for each player. A `draw_ratio` below 0 counts a draw as half a win; from 0 up
    the lower player gains that part of what a win would bring and the higher loses that part of what a loss would
    cost. `needed` stops once the order has stood for so many games of every player (0: never). `as_package` repeats
    the volatility step of the PyPI package glicko2.
    """
    players = _inside(state)

    def one(player: Player, opponent: Player, result: float) -> Player:
        return _updated(player, *_evidence(player, opponent, result), tau, epsilon, as_package)

    def play(a: int, b: int, result: float) -> None:
        x, y = players[a], players[b]
        if result == 0.5 and draw_ratio >= 0.0:
            # The lower gains a part of what a win would bring, the higher loses a part of what a loss would cost.
            if x[0] != y[0]:
                won = 1.0 if x[0] < y[0] else 0.0
                players[a] = (x[0] + draw_ratio * (one(x, y, won)[0] - x[0]), *x[1:])
                players[b] = (y[0] + draw_ratio * (one(y, x, 1.0 - won)[0] - y[0]), *y[1:])
            return
        players[a], players[b] = one(x, y, result), one(y, x, 1.0 - result)

    since, used = _run((first, second, score), lambda: [p[0] for p in players], played, needed, play)
    return _outside(players), since, used


def glicko2_periods(
    first: Ints,
    second: Ints,
    score: Array,
    ends: Ints,
    state: Array,
    played: Ints,
    tau: float,
    epsilon: float,
    inactivity: bool,
) -> tuple[Array, Ints]:
    """Glicko-2 by rating periods, each ending after `ends` games; `inactivity`: who rests becomes less certain."""
    players = _inside(state)
    ladder = Ladder([p[0] for p in players], played)
    start = 0
    for end in ends.tolist():
        sums = [[0.0, 0.0] for _ in players]
        entered: list[int] = []
        for a, b, result in zip(
            first[start:end].tolist(), second[start:end].tolist(), score[start:end].tolist(), strict=True
        ):
            for player, opponent, s in ((a, b, result), (b, a, 1.0 - result)):
                information, surprise = _evidence(players[player], players[opponent], s)
                sums[player][0] += information
                sums[player][1] += surprise
            entered += (a, b)
        for k in range(len(players)):
            if k in entered:
                players[k] = _updated(players[k], sums[k][0], sums[k][1], tau, epsilon)
            elif inactivity:
                players[k] = _rested(players[k])
        ladder.close([p[0] for p in players], entered)
        start = end
    return _outside(players), np.array(ladder.played, dtype=np.int64)


def _density(x: float) -> float:
    return math.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)


def _below(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def cut_by_win(t: float, margin: float) -> tuple[float, float]:
    """Mean shift v and variance shrink w of a Gaussian cut by a win; `t` and `margin` in units of the spread."""
    x = t - margin
    chance = _below(x)
    v = _density(x) / chance if chance > 0.0 else -x
    return v, min(max(v * (v + x), 0.0), 1.0)


def cut_by_draw(t: float, margin: float) -> tuple[float, float]:
    """The same for a draw. Both limits are taken on the lower side, where small chances keep their digits."""
    gap = abs(t)
    upper, lower = margin - gap, -margin - gap
    chance = _below(upper) - _below(lower)
    if not chance > 0.0:
        return (-upper if t < 0.0 else upper), 1.0
    at_upper, at_lower = _density(upper), _density(lower)
    v = (at_lower - at_upper) / chance
    w = v * v + (upper * at_upper - lower * at_lower) / chance
    return (-v if t < 0.0 else v), min(max(w, 0.0), 1.0)


def trueskill_games(
    first: Ints,
    second: Ints,
    score: Array,
    state: Array,
    played: Ints,
    beta: float,
    tau: float,
    margin: float,
    needed: int,
) -> tuple[Array, Ints, int]:
    """TrueSkill game by game, as `glicko2_games`; `state` has rows (mu, sigma), `margin` is that of a draw."""
    mus, sigmas = state[:, 0].tolist(), state[:, 1].tolist()

    def play(a: int, b: int, result: float) -> None:
        x, y = (b, a) if result == 0.0 else (a, b)  # the winner comes first; a draw is symmetric
        var_x = sigmas[x] * sigmas[x] + tau * tau
        var_y = sigmas[y] * sigmas[y] + tau * tau
        c2 = var_x + var_y + 2.0 * beta * beta
        c = math.sqrt(c2)
        t = (mus[x] - mus[y]) / c
        v, w = cut_by_draw(t, margin / c) if result == 0.5 else cut_by_win(t, margin / c)
        mus[x], mus[y] = mus[x] + var_x / c * v, mus[y] - var_y / c * v
        sigmas[x] = math.sqrt(var_x * (1.0 - var_x / c2 * w))
        sigmas[y] = math.sqrt(var_y * (1.0 - var_y / c2 * w))

    since, used = _run((first, second, score), lambda: mus, played, needed, play)
    return np.column_stack([mus, sigmas]), since, used


def elo_games(
    first: Ints, second: Ints, score: Array, state: Array, played: Ints, k: float, slope: float, needed: int
) -> tuple[Array, Ints, int]:
    """Elo game by game, as `glicko2_games`; `state` has one column, `slope` is log(base) / scale."""
    ratings = state[:, 0].tolist()

    def play(a: int, b: int, result: float) -> None:
        expected = 1.0 / (1.0 + _exp(slope * (ratings[b] - ratings[a])))
        change = k * (result - expected)
        ratings[a], ratings[b] = ratings[a] + change, ratings[b] - change

    since, used = _run((first, second, score), lambda: ratings, played, needed, play)
    return np.array(ratings)[:, None], since, used
