"""What a trained metric makes of its features: a linear function, a small network, or support vectors, in NumPy.

Features are standardised by the means and deviations of the training texts first, so that weights can be compared and
a learner starts from numbers of one size. A feature that never varied in training has weight 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.learned.form import sigmoid


class Learner(Protocol):
    """From standardised features (n, k) to predictions (n)."""

    @property
    def kind(self) -> str:
        """What a folder calls it."""

    def predict(self, features: Array) -> Array:
        """One number for each row."""

    def arrays(self) -> dict[str, Array]:
        """What is kept of it, by name."""


@dataclass(frozen=True, eq=False)
class Linear:
    """weights · features + bias."""

    kind: ClassVar[str] = "linear"
    weights: Array
    bias: float

    def predict(self, features: Array) -> Array:
        return _product(features, self.weights[:, None])[:, 0] + self.bias

    def arrays(self) -> dict[str, Array]:
        return {"weights": self.weights, "bias": np.array([self.bias])}

    @classmethod
    def of(cls, arrays: Mapping[str, Array]) -> Linear:
        """From what was kept."""
        return cls(arrays["weights"], float(arrays["bias"][0]))


@dataclass(frozen=True, eq=False)
class Network:
    """Fully connected layers with the hyperbolic tangent between them; the last is linear."""

    kind: ClassVar[str] = "network"
    layers: Sequence[tuple[Array, Array]]  # weights (in, out) and biases

    def predict(self, features: Array) -> Array:
        made = features
        for number, (weight, bias) in enumerate(self.layers):
            made = _product(np.tanh(made) if number else made, weight) + bias
        return made[:, 0]

    def arrays(self) -> dict[str, Array]:
        return {
            f"{part}.{number}": value
            for number, layer in enumerate(self.layers)
            for part, value in zip(("weight", "bias"), layer, strict=True)
        }

    @classmethod
    def of(cls, arrays: Mapping[str, Array]) -> Network:
        """From what was kept."""
        depth = max(1, sum(name.startswith("bias.") for name in arrays))
        return cls([(arrays[f"weight.{number}"], arrays[f"bias.{number}"]) for number in range(depth)])


@dataclass(frozen=True, eq=False)
class Support:
    """Support vectors with a Gaussian kernel: Σ cᵢ exp(−γ |x − vᵢ|²) + bias."""

    kind: ClassVar[str] = "support"
    vectors: Array
    coefficients: Array
    bias: float
    gamma: float

    def predict(self, features: Array) -> Array:
        found = np.empty(len(features))
        own = (self.vectors**2).sum(axis=1)
        for start in range(0, len(features), 1_024):  # thousands of vectors: not all texts at once
            rows = features[start : start + 1_024]
            apart = (rows**2).sum(axis=1)[:, None] + own - 2.0 * _product(rows, self.vectors.T)
            near = np.exp(-self.gamma * np.maximum(apart, 0.0))
            found[start : start + 1_024] = (near * self.coefficients).sum(axis=1)
        return found + self.bias

    def arrays(self) -> dict[str, Array]:
        return {
            "vectors": self.vectors,
            "coefficients": self.coefficients,
            "bias": np.array([self.bias]),
            "gamma": np.array([self.gamma]),
        }

    @classmethod
    def of(cls, arrays: Mapping[str, Array]) -> Support:
        """From what was kept."""
        return cls(arrays["vectors"], arrays["coefficients"], float(arrays["bias"][0]), float(arrays["gamma"][0]))


@dataclass(frozen=True, eq=False)
class Logistic:
    """The probability of 1: the logistic function of what another learner says."""

    of: Learner

    @property
    def kind(self) -> str:
        """With that of the other."""
        return _LOGISTIC + self.of.kind

    def predict(self, features: Array) -> Array:
        return sigmoid(self.of.predict(features))

    def arrays(self) -> dict[str, Array]:
        return self.of.arrays()


_LOGISTIC = "logistic "
LEARNERS: dict[str, type[Linear] | type[Network] | type[Support]] = {
    learner.kind: learner for learner in (Linear, Network, Support)
}


@dataclass(frozen=True, eq=False)
class Scale:
    """How features are standardised."""

    mean: Array
    deviation: Array  # 0 where the feature never varied

    @classmethod
    def of(cls, features: Array) -> Scale:
        """By these texts."""
        mean, deviation = features.mean(axis=0), features.std(axis=0)
        return cls(mean, np.where(deviation > 1e-12 * (1 + np.abs(mean)), deviation, 0.0))

    def __call__(self, features: Array) -> Array:
        made: Array = np.divide(
            features - self.mean, self.deviation, out=np.zeros(features.shape), where=self.deviation > 0
        )
        return made


def _product(rows: Array, weights: Array) -> Array:
    """rows · weights, each row by itself: BLAS rounds a row by how many there are."""
    found = np.zeros((len(rows), weights.shape[1]))
    for place in range(weights.shape[0]):
        found += rows[:, place, None] * weights[place]
    return found


def learner_of(kind: str, arrays: Mapping[str, Array], where: str) -> Learner:
    """A learner from what a folder keeps of it."""
    if kind.startswith(_LOGISTIC):
        return Logistic(learner_of(kind.removeprefix(_LOGISTIC), arrays, where))
    if kind not in LEARNERS:
        raise InputError(f"{where}: no learner is called {kind!r}; expected one of {', '.join(LEARNERS)}")
    try:
        return LEARNERS[kind].of(arrays)
    except (KeyError, IndexError) as error:
        raise InputError(f"{where} lacks {error} of a {kind} learner; is it whole?") from None
