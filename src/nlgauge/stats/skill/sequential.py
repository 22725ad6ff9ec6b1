"""What the systems share that update ratings game by game: starting state, counting, and the check of convergence.

A system holds its constants and turns games into a `Course`: where the ratings stand at the end, and whether
their order has settled. Convergence is that of Zhou and Xu (2020, §3.2): the order of the ratings has not
changed while every player was drawn at least 50 times.

Elo (1978) with the logistic curve; the defaults are those of the chat arenas (K 4, start 1000, 400 points =
odds of 10), and results equal evalica's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from nlgauge import kernels
from nlgauge.arrays import Array, Ints
from nlgauge.errors import InputError
from nlgauge.stats.skill.games import Games

SETTLED = 50  # games of every player without a change of order


@dataclass(frozen=True)
class Course:
    """The end of a course of games: ratings, their deviations (NaN where the system has none), further columns."""

    state: Array
    since: Ints  # games of each player since the order last changed
    used: int
    needed: int = SETTLED
    picked: Ints | None = field(default=None, kw_only=True)  # the games played, where they were drawn from others

    @property
    def rating(self) -> Array:
        return self.state[:, 0]

    @property
    def deviation(self) -> Array:
        return self.state[:, 1] if self.state.shape[1] > 1 else np.full(len(self.state), math.nan)

    @property
    def converged(self) -> bool:
        """Whether the order has stood while every player was drawn the needed number of times."""
        return bool((self.since >= self.needed).all())


class System(Protocol):
    """A rating system that learns from one game after another."""

    @property
    def words(self) -> str:
        """The method, for the sentence."""

    def start(self, players: int) -> Array:
        """The state of players who have not played."""

    def play(self, games: Games, state: Array | None = None, since: Ints | None = None, needed: int = 0) -> Course:
        """Rate after these games, from `state` on; with `needed`, stop once the order has settled."""

    def chances(self, difference: Array) -> Array:
        """Chances of win, tie and loss (last axis) at a true difference of ratings."""


def positive(**values: float) -> None:
    """Refuse constants that are not positive numbers."""
    for name, value in values.items():
        if not (math.isfinite(value) and value > 0):
            raise InputError(f"{name} must be a positive number; got {value}")


def two_ways(chance: Array) -> Array:
    """Win and loss, for systems without a chance of a tie."""
    return np.stack([chance, np.zeros_like(chance), 1.0 - chance], axis=-1)


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
            k=self.k,
            slope=math.log(self.base) / self.scale,
            needed=needed,
        )
        return Course(after, counted, used, *([needed] if needed else []))

    def chances(self, difference: Array) -> Array:
        """Win or loss."""
        return two_ways(0.5 * (1.0 + np.tanh(0.5 * difference * math.log(self.base) / self.scale)))
