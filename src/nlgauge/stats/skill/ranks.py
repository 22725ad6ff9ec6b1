"""Ranks with intervals, and who beats whom.

A rank interval counts who is certainly better and who is certainly worse: a player's rank lies between 1 + the
number of players above it for sure and n − the number below it for sure, where "for sure" is a simultaneous
interval of its n − 1 differences that excludes zero (Mogstad, Romano, Shaikh and Wilhelm 2024). With a
covariance the simultaneous limits are Bonferroni's, with bootstrap draws those of the largest studentised
difference. The interval covers the true rank of one player with at least the stated confidence; it is wide
where players are close, as it should be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nlgauge.arrays import Array, Ints
from nlgauge.jsonable import Jsonable
from nlgauge.stats.skill.games import Games

SLACK = 1e-12  # ratings closer than this are equal


def ranks(rating: Array) -> Ints:
    """1 for the highest; equals share the better rank."""
    higher = rating[None, :] > rating[:, None] + SLACK * np.maximum(1.0, np.abs(rating[:, None]))
    return np.asarray(1 + higher.sum(axis=1), dtype=np.int64)


def rank_limits(rating: Array, covariance: Array, level: float) -> tuple[Ints, Ints]:
    """Limits of each rank from a covariance of the ratings, by normal intervals with Bonferroni's correction."""
    from scipy.special import ndtri

    quantile = -float(ndtri((1 - level) / (2 * max(len(rating) - 1, 1))))
    return _limits(rating, quantile * _errors(covariance))


def _errors(covariance: Array) -> Array:
    """The standard errors of all differences."""
    variance = np.diag(covariance)
    return np.sqrt(np.maximum(variance[:, None] + variance[None, :] - 2 * covariance, 0.0))


def rank_limits_from_draws(rating: Array, draws: Array, level: float) -> tuple[Ints, Ints]:
    """Limits of each rank from bootstrap draws (draws, players), by the largest studentised difference."""
    n = len(rating)
    margin = np.zeros((n, n))
    for player in range(n):
        centred = (draws[:, [player]] - draws) - (rating[player] - rating)
        error = centred.std(axis=0, ddof=1)
        known = error > 0
        if known.any():
            largest = (np.abs(centred[:, known]) / error[known]).max(axis=1)
            margin[player] = np.quantile(largest, level, method="higher") * error
    return _limits(rating, margin)


def _limits(rating: Array, margin: Array) -> tuple[Ints, Ints]:
    difference = rating[:, None] - rating[None, :]
    np.fill_diagonal(difference, 0.0)
    above, below = difference < -margin, difference > margin
    np.fill_diagonal(above, False)
    np.fill_diagonal(below, False)
    return 1 + above.sum(axis=1), len(rating) - below.sum(axis=1)


def confidence(rating: Array, covariance: Array) -> Array:
    """How sure it is that the row's player is better than the column's: Φ of the standardised difference."""
    from scipy.special import ndtr

    error = _errors(covariance)
    difference = rating[:, None] - rating[None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(error > 0, difference / error, np.sign(difference) * np.inf)
    z[difference == 0] = 0.0
    return np.asarray(ndtr(z))


@dataclass(frozen=True)
class WhoBeatsWhom(Jsonable):
    """Matrices with a row and a column for each player: what happened, what the ratings expect, how sure they are.

    `score` is wins and half the ties over games (NaN where two never met), `expected` the same by the ratings, and
    `better` the confidence that the row's player is truly better.
    """

    KEYS = "players, wins, ties, score, expected, better"

    players: tuple[str, ...]
    wins: Ints
    ties: Ints
    games: Ints
    expected: Array
    better: Array

    @property
    def score(self) -> Array:
        """The observed share of points of the row against the column."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return (self.wins + 0.5 * self.ties) / self.games


def who_beats_whom(games: Games, order: Sequence[int], expected: Array, better: Array) -> WhoBeatsWhom:
    """The matrices with players in the order given (best first)."""
    wins, ties = (matrix.astype(np.int64) for matrix in games.wins())
    pick = np.ix_(order, order)
    expected, better = expected[pick].copy(), better[pick].copy()
    for matrix in (expected, better):
        np.fill_diagonal(matrix, math.nan)
    players, met = tuple(games.players[k] for k in order), wins + wins.T + ties
    return WhoBeatsWhom(players, wins[pick], ties[pick], met[pick], expected, better)


def expected_wins(wins: Array) -> Array:
    """The chance that a player beats another drawn at random, ties left out (WMT's ExpectedWins, Koehn 2012)."""
    total = wins + wins.T
    met = total > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        share = wins / total
        return np.asarray(np.where(met, share, 0.0).sum(axis=1) / met.sum(axis=1))
