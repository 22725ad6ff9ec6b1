"""The likelihoods of win, tie and loss: plain Bradley–Terry, Davidson (1970), Rao and Kupper (1967).

Each is a function of the predictor η of a cell of games and of the log tie parameter.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from nlgauge.arrays import Array

Ties = Literal["davidson", "rao-kupper", "half", "drop"]


def sigmoid(x: Array) -> Array:
    return 0.5 * (1.0 + np.tanh(0.5 * x))


def _log_sigmoid(x: Array) -> Array:
    return -np.logaddexp(0.0, -x)


def probabilities(eta: Array, rule: Ties, tie: float) -> Array:
    """Chances of a win of the first, a tie and a win of the second, in columns."""
    if rule == "davidson":
        weights = np.column_stack([eta / 2, np.full(len(eta), tie), -eta / 2])
        weights = np.exp(weights - weights.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))
    if rule == "rao-kupper":
        a, b = sigmoid(eta - tie), sigmoid(-eta - tie)
        return np.column_stack([a, 1.0 - a - b, b])
    return np.column_stack([sigmoid(eta), np.zeros(len(eta)), sigmoid(-eta)])


def game_scores(eta: Array, rule: Ties, tie: float) -> Array:
    """Derivatives of the log-likelihood of one game by η and the log tie parameter: (cells, outcomes, 2)."""
    one = np.eye(3)[None, :, :].repeat(len(eta), axis=0).reshape(-1, 3)
    _, gradient, _ = derivatives(np.repeat(eta, 3), one, rule, tie)
    return gradient.reshape(-1, 3, 2)


def derivatives(eta: Array, counts: Array, rule: Ties, tie: float) -> tuple[float, Array, Array]:
    """Log-likelihood, gradient (cells, 2) by (η, log tie) and information (cells, 3): ηη, ητ, ττ."""
    a, t, b = counts.T
    total = a + t + b
    if rule == "davidson":
        p = probabilities(eta, rule, tie)
        difference = p[:, 0] - p[:, 2]
        norm = np.logaddexp(np.logaddexp(eta / 2, -eta / 2), tie)
        value = float(((a - b) * eta / 2 + t * tie - total * norm).sum())
        gradient = np.column_stack([0.5 * (a - b - total * difference), t - total * p[:, 1]])
        own = 0.25 * total * (p[:, 0] + p[:, 2] - difference**2)
        cross, tied = -0.5 * total * difference * p[:, 1], total * p[:, 1] * (1.0 - p[:, 1])
        return value, gradient, np.column_stack([own, cross, tied])
    if rule == "rao-kupper":
        pa, pb = sigmoid(eta - tie), sigmoid(-eta - tie)
        wa, wb = a + t, b + t
        qa, qb = wa * pa * (1 - pa), wb * pb * (1 - pb)
        grown = math.expm1(2 * tie)  # θ² − 1
        value = float((wa * _log_sigmoid(eta - tie) + wb * _log_sigmoid(-eta - tie) + t * math.log(grown)).sum())
        left, right = wa * (1 - pa), wb * (1 - pb)
        gradient = np.column_stack([left - right, -left - right + t * 2 * (grown + 1) / grown])
        information = np.column_stack([qa + qb, qb - qa, qa + qb + t * 4 * (grown + 1) / grown**2])
        return value, gradient, information
    won, small = a + 0.5 * t, np.exp(-np.abs(eta))
    value = float(won @ eta - total @ (np.maximum(eta, 0.0) + np.log1p(small)))
    tail = 1.0 / (1.0 + small)
    gradient, information = np.zeros((len(eta), 2)), np.zeros((len(eta), 3))
    gradient[:, 0] = won - total * np.where(eta >= 0, tail, small * tail)
    information[:, 0] = total * small * tail * tail
    return value, gradient, information


def saturated(counts: Array, rule: Ties) -> float:
    """The log-likelihood of a model that gives each cell its own proportions."""
    if rule == "half":
        counts = np.column_stack([counts[:, 0] + 0.5 * counts[:, 1], counts[:, 2] + 0.5 * counts[:, 1]])
    share = counts / counts.sum(axis=1, keepdims=True)
    return float((counts * np.log(np.where(counts > 0, share, 1.0))).sum())
