"""How well a trained metric predicts what was held out, and what its scores are measured in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.stats import mannwhitneyu

from nlgauge.arrays import Array, Ints
from nlgauge.engine.remarks import folded
from nlgauge.errors import counted
from nlgauge.learned.comparator import TIE, A, B, softmax, verdicts
from nlgauge.learned.form import Form
from nlgauge.training.config import Training
from nlgauge.training.examples import Examples, batch_of

DRAWS = 1_000
FEWEST = 10  # items below which an interval says little
LEVEL = (2.5, 97.5)


@dataclass(frozen=True)
class HeldOut:
    """Figures, and 95 % intervals of those that have one."""

    values: dict[str, float] = field(default_factory=dict)
    intervals: dict[str, tuple[float, float]] = field(default_factory=dict)
    better: bool | None = None  # whether the error is below that of the mean in nearly all draws; None: not known
    by_class: tuple[dict[str, Any], ...] = ()  # of a classifier: precision, recall and F of each class


def figures(training: Training, form: Form, examples: Examples) -> HeldOut:
    """Beside predicting the mean; or how well it orders, where people compared. Intervals: bootstrap over items."""
    predicted = training.learnt(form, batch_of(examples))
    gaps = predicted[examples.pairs[:, 0]] - predicted[examples.pairs[:, 1]]
    known = np.flatnonzero(np.isfinite(examples.targets))
    found = _figures(predicted[known], examples.targets[known], gaps, ordered=training.ordered)
    _, item = np.unique(examples.items, return_inverse=True)
    size = int(item.max()) + 1
    if size < FEWEST:
        return HeldOut(found)
    rows = [known[item[known] == place] for place in range(size)]
    pairs = [np.flatnonzero(item[examples.pairs[:, 0]] == place) for place in range(size)]
    random = np.random.default_rng(training.seed)
    drawn: dict[str, list[float]] = {}
    for _ in range(DRAWS):
        chosen = random.integers(size, size=size)
        some = np.concatenate([rows[place] for place in chosen])
        compared = np.concatenate([pairs[place] for place in chosen])
        again = _figures(predicted[some], examples.targets[some], gaps[compared], ordered=training.ordered)
        for name, value in again.items():
            drawn.setdefault(name, []).append(value)
    ends = {name: np.percentile(drawn[name], LEVEL) for name in found if name in drawn}
    better = None
    if "error" in drawn:
        gains = np.array(drawn["error_of_the_mean"]) - np.array(drawn["error"])
        better = bool(np.percentile(gains, LEVEL[0]) > 0)
    return HeldOut(found, {name: (float(low), float(high)) for name, (low, high) in ends.items()}, better)


def remarks(training: Training, found: HeldOut, learnt: Examples, held: Examples) -> list[str]:
    """What a reader of the figures must know."""
    if not len(held):
        return []
    notes = []
    if not found.values:
        notes.append("what was held out has no two outputs to order, so there are no figures; hold out more (split)")
    if "error" in found.values and not training.supervise.judged:
        notes.append(
            "outputs that count 1 and 0 weigh otherwise in learning than here: go by the AUC, not by the error"
        )
    elif found.better is False:
        notes.append("on what was held out it is not shown to be better than always saying the mean")
    known = {folded(row.text or "") for row in learnt.rows}
    again = sum(folded(row.text or "") in known for row in held.rows) if training.supervise.judged else 0
    if again:
        notes.append(
            f"{again:,} of the {counted(len(held), 'output')} held out stand word for word among those learnt from, "
            "for other inputs: figures on them flatter a little"
        )
    return notes


def _figures(said: Array, targets: Array, gaps: Array, *, ordered: bool) -> dict[str, float]:
    found = {}
    if len(targets):
        if not ordered:
            found["error"] = float(np.sqrt(np.mean((said - targets) ** 2)))
            found["error_of_the_mean"] = float(targets.std())
        if len(targets) > 2 and said.std() > 0 and targets.std() > 0:
            found["pearson"] = float(np.corrcoef(said, targets)[0, 1])
        if set(targets.tolist()) == {0.0, 1.0}:
            found["accuracy"] = float(np.mean((said >= 0.5) == (targets == 1)))
            good, bad = said[targets == 1], said[targets == 0]
            found["auc"] = float(mannwhitneyu(good, bad).statistic / (len(good) * len(bad)))
    if len(gaps):
        found["pairs_in_order"] = float(np.mean(gaps > 0) + np.mean(gaps == 0) / 2)
    return found


def scale(training: Training, examples: Examples, held: NDArray[np.bool_]) -> dict[str, Any]:
    """What scores are measured in: the words are made of this (`learned.scale`)."""
    targets = examples.targets[~held & np.isfinite(examples.targets)]
    if training.ordered or not len(targets):
        return {"unit": "order"}
    if not training.supervise.judged:
        return {}
    criteria = sorted({data.human for data in training.data if data.human})
    unit = "deviations" if training.alike or training.target == "standardised" else "ratings"
    unit = "self" if training.normalised else "range" if training.scaled else unit
    return {
        "unit": unit,
        "criteria": criteria,
        "low": float(targets.min()),
        "high": float(targets.max()),
    }


# How well a comparator foretells outcomes, and the calibration of what it says.


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
