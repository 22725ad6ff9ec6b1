"""TrueSkill (Herbrich, Minka and Graepel 2007): two players game by game, and one match of several teams.

Defaults and results are those of the package trueskill with its scipy backend (its default backend approximates
the normal distribution to seven digits). `tau` is the drift between games; frozen systems do not drift, and tau
= 0 says so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from nlgauge import kernels
from nlgauge.arrays import Array, Ints
from nlgauge.errors import InputError
from nlgauge.kernels.python.skill import cut_by_draw, cut_by_win
from nlgauge.stats.skill.games import Games
from nlgauge.stats.skill.sequential import Course, positive

ROUNDS = 100
SETTLED_MOVE = 1e-10


@dataclass(frozen=True)
class TrueSkill:
    """The constants; None stands for the usual share of `sigma` (beta: half of it, tau: a hundredth)."""

    mu: float = 25.0
    sigma: float = 25.0 / 3
    beta: float | None = None
    tau: float | None = None
    draw_probability: float = 0.1

    def __post_init__(self) -> None:
        positive(sigma=self.sigma, beta=self.spread)
        if not self.drift >= 0:
            raise InputError(f"tau must be 0 or more; got {self.drift}")
        if not 0 <= self.draw_probability < 1:
            raise InputError(f"the draw probability must lie in [0, 1); got {self.draw_probability}")

    @property
    def spread(self) -> float:
        """Beta: the standard deviation of a performance about the skill."""
        return self.sigma / 2 if self.beta is None else self.beta

    @property
    def drift(self) -> float:
        """Tau: the standard deviation by which a skill may move before each game."""
        return self.sigma / 100 if self.tau is None else self.tau

    @property
    def words(self) -> str:
        """The method, for the sentence."""
        return f"TrueSkill with draw probability {self.draw_probability:g} and tau {self.drift:.3g}"

    def margin(self, size: int = 2) -> float:
        """The difference of performances below which `size` players draw."""
        from scipy.special import ndtri

        return float(ndtri((self.draw_probability + 1) / 2)) * math.sqrt(size) * self.spread

    def start(self, players: int) -> Array:
        """mu and sigma of the unrated."""
        return np.tile([self.mu, self.sigma], (players, 1))

    def play(self, games: Games, state: Array | None = None, since: Ints | None = None, needed: int = 0) -> Course:
        """Rate after these games."""
        margin = self.margin()
        if margin == 0 and (games.score == 0.5).any():
            raise InputError("there are ties, but the draw probability is 0; give the share of ties expected")
        n = len(games.players)
        after, counted, used = kernels.active().trueskill_games(
            games.first,
            games.second,
            games.score,
            self.start(n) if state is None else state,
            np.zeros(n, dtype=np.int64) if since is None else since,
            beta=self.spread,
            tau=self.drift,
            margin=margin,
            needed=needed,
        )
        return Course(after, counted, used, *([needed] if needed else []))

    def chances(self, difference: Array) -> Array:
        """Win, tie and loss between players whose skills are known."""
        from scipy.special import ndtr

        c = math.sqrt(2.0) * self.spread
        win = ndtr((difference - self.margin()) / c)
        loss = ndtr((-difference - self.margin()) / c)
        return np.stack([win, 1.0 - win - loss, loss], axis=-1)

    def match(
        self, teams: Sequence[Sequence[tuple[float, float]]], ranks: Sequence[int]
    ) -> list[list[tuple[float, float]]]:
        """New (mu, sigma) of the members after one match of teams; lower ranks won, equal ranks drew.

        Expectation propagation over the differences of neighbouring teams, repeated until the messages stand still.
        """
        if len(teams) < 2 or len(teams) != len(ranks) or not all(teams):
            raise InputError("a match needs two or more teams with members, and one rank for each team")
        order = sorted(range(len(teams)), key=lambda team: ranks[team])
        spread2, drift2 = self.spread**2, self.drift**2
        prior = [
            (sum(mu for mu, _ in team), sum(sigma**2 + drift2 + spread2 for _, sigma in team))
            for team in (teams[place] for place in order)
        ]
        drawn = [ranks[a] == ranks[b] for a, b in pairwise(order)]
        margins = [self.margin(len(teams[a]) + len(teams[b])) for a, b in pairwise(order)]
        result = _propagate(prior, drawn, margins)
        out: list[list[tuple[float, float]]] = [[] for _ in teams]
        for place, team in enumerate(order):
            (mean, variance), (new_mean, new_variance) = prior[place], result[place]
            for mu, sigma in teams[team]:
                share = (sigma**2 + drift2) / variance
                own = (sigma**2 + drift2) * (1 - share * (1 - new_variance / variance))
                out[team].append((mu + share * (new_mean - mean), math.sqrt(own)))
        return out


Gaussian = tuple[float, float]  # precision, precision times mean


def _propagate(
    prior: Sequence[tuple[float, float]], drawn: Sequence[bool], margins: Sequence[float]
) -> list[tuple[float, float]]:
    """Means and variances of the team performances, best first, given who beat whom next in line."""
    base: list[Gaussian] = [(1 / variance, mean / variance) for mean, variance in prior]
    down: list[Gaussian] = [(0.0, 0.0)] * len(drawn)  # from each difference to the better team
    up: list[Gaussian] = [(0.0, 0.0)] * len(drawn)  # … to the worse one
    cut: list[Gaussian] = [(0.0, 0.0)] * len(drawn)  # from the result to the difference

    def without(team: int, difference: int) -> tuple[float, float]:
        """Mean and variance of a team from everything but one difference."""
        precision, weighted = base[team]
        for d, message in ((team, down), (team - 1, up)):
            if 0 <= d < len(drawn) and d != difference:
                precision, weighted = precision + message[d][0], weighted + message[d][1]
        return weighted / precision, 1 / precision

    # There and back along the chain, so that news travels the whole way in each round.
    path = [*range(len(drawn)), *range(len(drawn) - 2, -1, -1)]
    for _ in range(ROUNDS):
        moved = 0.0
        for d in path:
            (m1, v1), (m2, v2) = without(d, d), without(d + 1, d)
            mean, variance = m1 - m2, v1 + v2
            c = math.sqrt(variance)
            v, w = (cut_by_draw if drawn[d] else cut_by_win)(mean / c, margins[d] / c)
            after, shrunk = mean + c * v, variance * (1 - w)
            message = (1 / shrunk - 1 / variance, after / shrunk - mean / variance)
            moved = max(moved, abs(message[0] - cut[d][0]), abs(message[1] - cut[d][1]))
            cut[d] = message
            # The difference's likelihood, seen from either team.
            spread, centre = 1 / message[0], message[1] / message[0]
            down[d] = (1 / (spread + v2), (centre + m2) / (spread + v2))
            up[d] = (1 / (spread + v1), (m1 - centre) / (spread + v1))
        if moved < SETTLED_MOVE:
            break
    return [without(team, -2) for team in range(len(base))]
