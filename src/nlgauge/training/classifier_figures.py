"""How well a classifier tells classes apart, and how far its probabilities can be believed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from nlgauge.arrays import Array, Ints
from nlgauge.learned.classifier import Classifier
from nlgauge.learned.comparator import softmax
from nlgauge.stats.results import Estimate, nulls
from nlgauge.stats.shares import share
from nlgauge.training.classifier_examples import Labelled
from nlgauge.training.figures import HeldOut, apart
from nlgauge.training.split import connected

LIMITS = (
    "exact 95 % limits at the effective number of answers (Korn and Graubard 1998), over groups of rows that share "
    "texts; those of F follow from the share of true positives among all that are, or are said to be, of the class"
)
_FURTHEST = 4.0  # of the logarithm of a temperature


def figures(form: Classifier, examples: Labelled) -> HeldOut:
    """Of a classifier on rows that it has not seen."""
    if not len(examples):
        return HeldOut()
    found = form.probabilities(*examples.texts(form.reads))
    return quality(found, examples.classes, examples.labels, connected(examples))


def quality(
    probabilities: Array, classes: Ints, labels: Sequence[str], groups: Sequence[int], *, level: float = 0.95
) -> HeldOut:
    """Of what a classifier said; rows of one group are not independent of each other."""
    said, group = probabilities.argmax(axis=1), np.asarray(groups)
    right = said == classes
    known = {"accuracy": share(right.astype(np.float64).tolist(), group.tolist(), level=level)}
    by_class = []
    for number, label in enumerate(labels):
        found = _of_class(said == number, classes == number, group, level)
        known |= {f"{name} {label}": value for name, value in found.items() if value is not None}
        told = {name: value and _told(value) for name, value in found.items()}
        by_class.append({"label": label, "n": int((classes == number).sum()), **told})
    values = {name: float(value.estimate) for name, value in known.items()}
    values |= {
        "log_loss": _loss(probabilities, classes),
        "calibration_error": apart(probabilities.max(axis=1), right),
    }
    limits = {name: (value.low, value.high) for name, value in known.items() if math.isfinite(value.low)}
    return HeldOut(values, limits, by_class=tuple(by_class))


def _of_class(
    said: NDArray[np.bool_], true: NDArray[np.bool_], groups: Ints, level: float
) -> dict[str, Estimate | None]:
    """None where it is not defined: nothing is of the class, or is said to be."""
    hits = said & true

    def part(of: NDArray[np.bool_]) -> Estimate | None:
        if not of.any():
            return None
        return share(hits[of].astype(np.float64).tolist(), groups[of].tolist(), level=level)

    either = part(said | true)
    return {"precision": part(said), "recall": part(true), "f": either and _as_f(either)}


def _as_f(either: Estimate) -> Estimate:
    """F, 2 s / (1 + s) of the share s of true positives among all that are, or are said to be, of a class."""
    value, low, high = (2 * end / (1 + end) for end in (either.estimate, either.low, either.high))
    return replace(either, estimate=value, low=low, high=high)


def _told(value: Estimate) -> dict[str, float | None]:
    return nulls({"value": float(value.estimate), "low": float(value.low), "high": float(value.high)})


def temperature(logits: Array, classes: Ints) -> float:
    """By which logits are divided so that the classes are likeliest.

    The targets are Platt's (1999), (n + 1) / (n + 2) for a class of n examples, the rest shared by the others, so that
    a classifier which makes no mistake on few examples does not become certain.
    """
    many = np.bincount(classes, minlength=logits.shape[1])[classes]
    sure = (many + 1) / (many + 2)
    wanted = np.repeat(((1 - sure) / (logits.shape[1] - 1))[:, None], logits.shape[1], axis=1)
    wanted[np.arange(len(classes)), classes] = sure

    def cost(log: float) -> float:
        scaled = logits / math.exp(log)
        top = scaled.max(axis=1, keepdims=True)
        normal = scaled - top - np.log(np.exp(scaled - top).sum(axis=1, keepdims=True))
        return -float((wanted * normal).sum(axis=1).mean())

    found = minimize_scalar(cost, bounds=(-_FURTHEST, _FURTHEST), method="bounded", options={"xatol": 1e-4})
    return math.exp(float(found.x))


def log_loss(logits: Array, classes: Ints) -> float:
    """The mean of −ln of the probability of the true class."""
    return _loss(softmax(logits), classes)


def _loss(probabilities: Array, classes: Ints) -> float:
    likely = probabilities[np.arange(len(classes)), classes]
    return float(-np.log(np.maximum(likely, 1e-300)).mean())
