"""Elo (1978) with the logistic curve; the defaults are those of the chat arenas (K 4, start 1000, 400 points =
odds of 10), and results equal evalica's."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nlgauge import kernels
from nlgauge.arrays import Array, Ints
from nlgauge.errors import InputError
from nlgauge.stats.skill.games import Games
from nlgauge.stats.skill.sequential import Course, positive, two_ways


@dataclass(frozen=True)
class Elo:
    """The constants: a rating moves by K times (score − expected score); a tie scores one half."""

    rating: float = 1000.0
    k: float = 4.0
    scale: float = 400.0
    base: float = 10.0

    def __post_init__(self) -> None:
        positive(k=self.k, scale=self.scale)
        if not self.base > 1:
            raise InputError(f"base must be more than 1; got {self.base}")

    @property
    def words(self) -> str:
        """The method, for the sentence."""
        return f"Elo with K = {self.k:g}"

    def start(self, players: int) -> Array:
        """One column: the rating."""
        return np.full((players, 1), self.rating)

    def play(self, games: Games, state: Array | None = None, since: Ints | None = None, needed: int = 0) -> Course:
        """Rate after these games."""
        n = len(games.players)
        after, counted, used = kernels.active().elo_games(
            games.first,
            games.second,
            games.score,
            self.start(n) if state is None else state,
            np.zeros(n, dtype=np.int64) if since is None else since,
            self.k,
            math.log(self.base) / self.scale,
            needed,
        )
        return Course(after, counted, used, *([needed] if needed else []))

    def chances(self, difference: Array) -> Array:
        """Win or loss."""
        return two_ways(0.5 * (1.0 + np.tanh(0.5 * difference * math.log(self.base) / self.scale)))
