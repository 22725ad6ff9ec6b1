"""Pairwise preferences with strength ("much better", "slightly better", "equal" …): an adjacent-categories model.

Agresti (1992): with K ordered answers from "second much better" to "first much better", numbered k = -(K-1)/2 to
(K-1)/2, P(k) is proportional to exp(k·η + ψ_|k|), where η is the difference of strengths (plus an advantage of the
first place, where asked for) and ψ is the same for mirrored answers. Two answers give the Bradley–Terry model; three
give Davidson's with half its strengths, since a win is then two steps from a loss. Limits are Wald's, from the
information or from the sandwich over clusters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nlgauge.arrays import Array, Ints
from nlgauge.errors import InputError
from nlgauge.results import Result
from nlgauge.stats.results import Estimate
from nlgauge.stats.skill.plackett_luce import sandwiched

STEPS, SMALL, LARGEST = 100, 1e-10, 25.0
_INFINITE = (
    "the strengths have no finite estimate: someone always wins, or some players never met; give a ridge (as 0.1), or "
    "gather more comparisons"
)


@dataclass(frozen=True)
class Strengths(Result):
    """Log strengths (sum 0) of the players, the advantage of the first place, and the answers' own parameters.

    `strength` of 1 means that each step up the scale is e times as likely as against an equal player.
    """

    KEYS = "strengths, first_place, answers, log_likelihood, n"

    players: tuple[str, ...]
    strengths: tuple[Estimate, ...]
    first_place: Estimate | None
    answers: tuple[float, ...]
    covariance: Array
    log_likelihood: float
    n: int

    @property
    def order(self) -> tuple[str, ...]:
        """Best first."""
        place = np.argsort([-strength.estimate for strength in self.strengths], kind="stable")
        return tuple(self.players[k] for k in place)

    def chances(self, first: str, second: str) -> Array:
        """The chance of each answer, from "second much better" to "first much better"."""
        at = {name: strength.estimate for name, strength in zip(self.players, self.strengths, strict=True)}
        eta = at[first] - at[second] + (self.first_place.estimate if self.first_place else 0.0)
        steps = _steps(len(self.answers))
        weight = np.exp(steps * eta + np.array(self.answers))
        return np.asarray(weight / weight.sum())

    def __str__(self) -> str:
        best = self.strengths[self.players.index(self.order[0])]
        return (
            f"{self.order[0]} is strongest ({best.estimate:.2f}, {100 * best.level:g} % interval {best.low:.2f} to "
            f"{best.high:.2f}; adjacent-categories model, {self.n:,} answers)"
        )


def fit_strengths(
    players: Sequence[str],
    first: Sequence[int] | Ints,
    second: Sequence[int] | Ints,
    answer: Sequence[int] | Ints,
    answers: int,
    *,
    place: bool = False,
    ridge: float = 0.0,
    level: float = 0.95,
    clusters: Sequence[int] | Ints | None = None,
) -> Strengths:
    """Fit; `answer` runs from 0 (second much better) to `answers` - 1 (first much better).

    `place` estimates the advantage of being shown first; `ridge` is the precision of a normal prior on strengths;
    with `clusters` (judges) the limits are the sandwich's over them, by Student's t.
    """
    from scipy.special import ndtri, stdtrit

    a, b, y = (np.asarray(column, dtype=np.int64) for column in (first, second, answer))
    n = len(players)
    _check(n, a, b, y, answers)
    steps = _steps(answers)
    given = np.isin(np.abs(steps), np.abs(steps[y]))  # an answer that nobody gave, nor its mirror, has chance 0
    place_of = np.cumsum(given) - 1
    steps, y = steps[given], place_of[y]
    kinds = np.unique(np.abs(steps))  # mirrored answers share a parameter; the last kind is the reference
    own = (np.abs(steps)[:, None] == kinds[None, :-1]).astype(np.float64)
    x = np.zeros((len(y), n + int(place)))
    x[np.arange(len(y)), a] += 1.0
    x[np.arange(len(y)), b] -= 1.0
    if place:
        x[:, n] = 1.0
    size = n + int(place)
    values = np.zeros(size + own.shape[1])
    gauge, prior = np.zeros((len(values), len(values))), np.zeros(len(values))
    gauge[:n, :n], prior[:n] = 0.0 if ridge else 1.0 / n, ridge  # a prior fixes the origin by itself
    for _ in range(STEPS):
        _, slope, information = _derivatives(values, x, y, steps, own)
        step = _solved(information + gauge + np.diag(prior), slope - prior * values)
        largest = float(np.abs(step).max())
        values = values + step * min(1.0, 1.0 / largest if largest else 1.0)
        if largest < SMALL:
            break
        if np.abs(values).max() > LARGEST:
            raise InputError(_INFINITE)
    value, _, information = _derivatives(values, x, y, steps, own)
    covariance = np.linalg.inv(information + gauge + np.diag(prior)) - gauge
    values[:n] -= values[:n].mean()
    quantile, method = float(ndtri(0.5 + level / 2)), "Wald"
    if clusters is not None:
        group = np.asarray(clusters, dtype=np.int64)
        covariance = sandwiched(_scores(values, x, y, steps, own), covariance, group)
        count = len(np.unique(group))
        quantile = float(stdtrit(count - 1, 0.5 + level / 2))
        method = f"sandwich over {count:,} clusters, Student's t"
    error = np.sqrt(np.maximum(np.diag(covariance), 0.0))

    def estimate(k: int, name: str) -> Estimate:
        low, high = values[k] - quantile * error[k], values[k] + quantile * error[k]
        return Estimate(float(values[k]), float(low), float(high), level, method, len(y), name=name)

    return Strengths(
        players=tuple(players),
        strengths=tuple(estimate(k, name) for k, name in enumerate(players)),
        first_place=estimate(n, "first place") if place else None,
        answers=tuple(
            float((own @ values[size:])[at]) if ok else -math.inf for at, ok in zip(place_of, given, strict=True)
        ),
        covariance=np.asarray(covariance[:n, :n]),
        log_likelihood=value,
        n=len(y),
    )


def _steps(answers: int) -> Array:
    return np.arange(answers, dtype=np.float64) - (answers - 1) / 2


def _derivatives(values: Array, x: Array, y: Ints, steps: Array, own: Array) -> tuple[float, Array, Array]:
    size = x.shape[1]
    eta = x @ values[:size]
    score = eta[:, None] * steps[None, :] + (own @ values[size:])[None, :]
    top = score.max(axis=1, keepdims=True)
    weight = np.exp(score - top)
    total = weight.sum(axis=1, keepdims=True)
    chance = weight / total
    value = float((score[np.arange(len(y)), y] - top[:, 0] - np.log(total[:, 0])).sum())
    mean, kinds = chance @ steps, chance @ own
    slope = np.concatenate([x.T @ (steps[y] - mean), (own[y] - kinds).sum(axis=0)])
    variance = chance @ steps**2 - mean**2
    information = np.zeros((len(values), len(values)))
    information[:size, :size] = (x * variance[:, None]).T @ x
    between = chance @ (steps[:, None] * own) - mean[:, None] * kinds
    information[:size, size:] = x.T @ between
    information[size:, :size] = information[:size, size:].T
    information[size:, size:] = np.diag(kinds.sum(axis=0)) - kinds.T @ kinds
    return value, slope, information


def _scores(values: Array, x: Array, y: Ints, steps: Array, own: Array) -> Array:
    """The slope of each answer's log-likelihood by all parameters."""
    size = x.shape[1]
    score = (x @ values[:size])[:, None] * steps[None, :] + (own @ values[size:])[None, :]
    chance = np.exp(score - score.max(axis=1, keepdims=True))
    chance /= chance.sum(axis=1, keepdims=True)
    return np.column_stack([x * (steps[y] - chance @ steps)[:, None], own[y] - chance @ own])


def _solved(matrix: Array, right: Array) -> Array:
    try:
        return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)
    except np.linalg.LinAlgError:
        raise InputError(_INFINITE) from None


def _check(n: int, a: Ints, b: Ints, y: Ints, answers: int) -> None:
    if not len(y) or not len(a) == len(b) == len(y):
        raise InputError("expected one first player, one second player and one answer a comparison, at least one")
    if answers < 2 or y.min() < 0 or y.max() >= answers:
        raise InputError(f"answers must be whole numbers from 0 to {answers - 1}, of at least two kinds")
    if min(a.min(), b.min()) < 0 or max(a.max(), b.max()) >= n or np.any(a == b):
        raise InputError(f"a comparison needs two different players numbered 0 to {n - 1}")
