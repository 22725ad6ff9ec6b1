"""How well a comparator foretells outcomes, and the calibration of what it says."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from nlgauge.arrays import Array, Ints
from nlgauge.learned.comparator import TIE, A, B, softmax, verdicts
from nlgauge.training.figures import DRAWS, FEWEST, LEVEL

BINS = 10  # of probabilities, each with as many games


def calibrated(logits: Array, outcomes: Ints) -> tuple[float, float]:
    """The temperature, and the number added to ties, under which the outcomes are likeliest."""

    def cost(free: Array) -> float:
        return -likelihood(rescaled(logits, math.exp(free[0]), free[1]), outcomes)

    found = minimize(cost, np.zeros(2), method="Nelder-Mead", options={"xatol": 1e-4, "fatol": 1e-7})
    if not found.success or not np.isfinite(found.x).all() or abs(found.x[0]) > 3:
        return 1.0, 0.0
    return math.exp(found.x[0]), float(found.x[1])


def rescaled(logits: Array, temperature: float, lift: float) -> Array:
    """The logits with a calibration."""
    made: Array = logits / temperature + np.array([0.0, 0.0, lift])
    return made


def likelihood(logits: Array, outcomes: Ints) -> float:
    """The mean log likelihood of outcomes."""
    return float(_likelihoods(logits, outcomes).mean())


def _likelihoods(logits: Array, outcomes: Ints) -> Array:
    top = logits.max(axis=1, keepdims=True)
    normal = logits - top - np.log(np.exp(logits - top).sum(axis=1, keepdims=True))
    found: Array = normal[np.arange(len(outcomes)), outcomes]
    return found


def quality(logits: Array, outcomes: Ints) -> dict[str, float]:
    """How often the likeliest outcome is the true one, also among games that were decided, and how likely those are."""
    return {name: float(values.mean()) for name, values in _of_games(logits, outcomes).items() if len(values)}


def _of_games(logits: Array, outcomes: Ints) -> dict[str, Array]:
    """What the figures are means of; `accuracy_decided` of the decided games alone."""
    said = verdicts(softmax(logits))
    decided = outcomes != TIE
    gap = logits[decided, A] - logits[decided, B]
    right = np.where(outcomes[decided] == A, gap > 0, gap < 0)
    return {
        "accuracy": (said == outcomes).astype(np.float64),
        "likelihood": _likelihoods(logits, outcomes),
        "ties_said": (said == TIE).astype(np.float64),
        "ties": (outcomes == TIE).astype(np.float64),
        "accuracy_decided": right + (gap == 0) / 2,
    }


def intervals(logits: Array, outcomes: Ints, items: Sequence[str], *, seed: int) -> dict[str, tuple[float, float]]:
    """Percentile limits of the figures by a bootstrap over items, whose games are drawn together."""
    names, item = np.unique(items, return_inverse=True)
    if len(names) < FEWEST:
        return {}
    random = np.random.default_rng(seed)
    drawn = random.multinomial(len(names), np.full(len(names), 1 / len(names)), size=DRAWS)
    found = {}
    for name, values in _of_games(logits, outcomes).items():
        of = item[outcomes != TIE] if name == "accuracy_decided" else item
        sums, numbers = (drawn @ np.bincount(of, weights, len(names)) for weights in (values, None))
        some = numbers > 0
        if some.any():
            low, high = np.percentile(sums[some] / numbers[some], LEVEL)
            found[name] = float(low), float(high)
    return found


def calibration_error(logits: Array, outcomes: Ints) -> float:
    """How far the probability of what is said lies from how often it is true: the mean over bins of as many games."""
    chances = softmax(logits)
    said = verdicts(chances)
    return apart(chances[np.arange(len(said)), said], said == outcomes)


def apart(chance: Array, true: NDArray[np.bool_]) -> float:
    """How far chances lie from how often what they are of is true: the mean over bins of as many."""
    order = np.argsort(chance, kind="stable")
    parts = [part for part in np.array_split(order, BINS) if len(part)]
    return sum(abs(float(chance[part].mean() - true[part].mean())) * len(part) for part in parts) / len(true)
