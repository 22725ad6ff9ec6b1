"""Glicko-2 (Glickman 2012), by rating periods or game by game, and the variant of Zhou and Xu (2020, §3.2).

Glickman: all games of a rating period are taken at once, a draw is half a win, and who does not play becomes
less certain by his volatility. Zhou and Xu rate frozen systems: one game at a time, nobody becomes less certain
by waiting, and a draw moves the lower-rated player up by a ratio (0.1) of what a win would bring, the higher-
rated one down by that ratio of what a loss would cost. Their paper leaves open what a draw does to deviation
and volatility (here: nothing, since the rule has no likelihood to derive it from) and what happens between
equal ratings (here: nothing).

Equal to Glickman's worked example; `as_package` equals the PyPI package glicko2 2.1.0 game by game, whose
volatility step reads the rating where Glickman has the deviation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nlgauge import kernels
from nlgauge.arrays import Array, Ints
from nlgauge.errors import InputError
from nlgauge.kernels.python.skill import SCALE
from nlgauge.stats.skill.games import Games
from nlgauge.stats.skill.sequential import Course, positive, two_ways

RATIO = 0.1
GAMES_PER_PERIOD = 15  # of each player, on average: Glickman advises at least 10 to 15
HALF = -1.0  # the kernels' sign for "a draw is half a win"


@dataclass(frozen=True)
class Glicko2:
    """The constants. `period` is the number of games in a rating period; 1 updates game by game, and None makes
    periods in which each player has 15 games on average. `draw_ratio` None counts a draw as half a win.
    """

    rating: float = 1500.0
    deviation: float = 350.0
    volatility: float = 0.06
    tau: float = 0.5
    period: int | None = None
    inactivity: bool = True
    draw_ratio: float | None = None
    epsilon: float = 1e-6
    as_package: bool = False

    def __post_init__(self) -> None:
        positive(deviation=self.deviation, volatility=self.volatility, tau=self.tau, epsilon=self.epsilon)
        if self.period is not None and self.period < 1:
            raise InputError(f"a rating period needs at least one game; got {self.period}")
        if self.draw_ratio is not None and not 0 <= self.draw_ratio <= 1:
            raise InputError(f"the draw ratio must lie between 0 and 1; got {self.draw_ratio}")
        if self.draw_ratio is not None and (self.period != 1 or self.inactivity):
            raise InputError("a draw ratio needs games taken one by one (period=1) and inactivity off")
        if self.as_package and (self.period != 1 or self.inactivity):
            raise InputError("as_package needs games taken one by one (period=1) and inactivity off")

    @property
    def words(self) -> str:
        """The method, for the sentence."""
        if self.draw_ratio is not None:
            return f"Glicko-2 game by game, draw ratio {self.draw_ratio:g}"
        if self.period == 1 and not self.inactivity:
            return "Glicko-2 game by game" + (" as the package glicko2" if self.as_package else "")
        games = "about 15 games a player" if self.period is None else f"{self.period:,} games"
        return f"Glicko-2, rating periods of {games}"

    def start(self, players: int) -> Array:
        """Rating, deviation and volatility of the unrated."""
        return np.tile([self.rating, self.deviation, self.volatility], (players, 1))

    def play(self, games: Games, state: Array | None = None, since: Ints | None = None, needed: int = 0) -> Course:
        """Rate after these games; `needed` stops early and is for games taken one by one."""
        n = len(games.players)
        state = self.start(n) if state is None else state
        since = np.zeros(n, dtype=np.int64) if since is None else since
        active = kernels.active()
        if self.period == 1 and not self.inactivity:
            ratio = HALF if self.draw_ratio is None else self.draw_ratio
            after, counted, used = active.glicko2_games(
                games.first,
                games.second,
                games.score,
                state,
                since,
                tau=self.tau,
                epsilon=self.epsilon,
                draw_ratio=ratio,
                as_package=self.as_package,
                needed=needed,
            )
            return Course(after, counted, used, *([needed] if needed else []))
        size = self.period or math.ceil(GAMES_PER_PERIOD * n / 2)
        ends = np.append(np.arange(size, len(games), size, dtype=np.int64), len(games))
        after, counted = active.glicko2_periods(
            games.first,
            games.second,
            games.score,
            ends,
            state,
            since,
            tau=self.tau,
            epsilon=self.epsilon,
            inactivity=self.inactivity,
        )
        return Course(after, counted, len(games))

    def chances(self, difference: Array) -> Array:
        """Win or loss by the logistic curve of Glickman's E, between players whose ratings are known."""
        return two_ways(0.5 * (1.0 + np.tanh(0.5 * difference / SCALE)))


def zhou(ratio: float = RATIO) -> Glicko2:
    """The system of Zhou and Xu (2020): game by game, inactivity off, draws by `ratio`.

    Args:
        ratio: the draw ratio

    >>> from nlgauge.stats.skill import zhou
    >>> zhou().draw_ratio
    0.1
    """
    return Glicko2(period=1, inactivity=False, draw_ratio=ratio)


def game_by_game() -> Glicko2:
    """Glickman's update with one game as a period of its two players, draws as half a win, inactivity off.

    >>> from nlgauge.stats.skill import game_by_game
    >>> game_by_game().period
    1
    """
    return Glicko2(period=1, inactivity=False)
