"""What trained metrics make of the vectors of a reply, its reference and its context: one formula each.

A formula is written once for NumPy and for PyTorch, whose names it takes from `xp`: scores need NumPy only, and a
training differentiates the same lines. Vectors r (the reply), v (the reference), c (the context) are rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from nlgauge.arrays import Array

Weights = Mapping[str, Any]
TINY = 1e-24  # so that noughts have a length to be divided by


@dataclass(frozen=True, eq=False)
class Read:
    """The vectors of n texts, as NumPy's arrays or PyTorch's tensors."""

    reply: Any  # (n, d)
    reference: Any = None  # (n, d)
    context: Any = None  # (n, d): the mean of the turns
    turns: Any = None  # (n, turns, d), the last turn last
    said: Any = None  # (n, turns): 1 where there is a turn
    penalty: Any = None  # (n): for a difference in length of reply and reference; 0 where one has no words


@dataclass(frozen=True)
class Head(ABC):
    """A formula; `hidden` are the units of its hidden layers."""

    kind: ClassVar[str]
    needs: ClassVar[tuple[str, ...]]
    chance: ClassVar[bool] = False  # whether `score` is the logarithm of the odds that a reply is good
    recurrent: ClassVar[bool] = False  # whether turns are read one by one
    measured: ClassVar[bool] = False  # whether lengths count
    hidden: tuple[int, ...] = ()

    @abstractmethod
    def first(self, size: int, random: np.random.Generator) -> dict[str, Array]:
        """Weights to begin with, for vectors of that size."""

    @abstractmethod
    def score(self, xp: Any, weights: Weights, read: Read) -> Any:
        """(n)."""

    def _layers(self, size: int, random: np.random.Generator) -> dict[str, Array]:
        found = {}
        for number, (left, right) in enumerate(pairwise([size, *self.hidden, 1])):
            found[f"weight.{number}"] = random.normal(0.0, np.sqrt(1.0 / left), (left, right))
            found[f"bias.{number}"] = np.zeros(right)
        return found

    def _network(self, xp: Any, weights: Weights, parts: Sequence[Any]) -> Any:
        """Fully connected layers over the parts, the hyperbolic tangent between them."""
        made = xp.concatenate(list(parts), 1)
        for number in range(len(self.hidden) + 1):
            made = (xp.tanh(made) if number else made) @ weights[f"weight.{number}"] + weights[f"bias.{number}"]
        return made[:, 0]


@dataclass(frozen=True)
class Ruse(Head):
    """A network over [r; v; |r − v|; r ∘ v] (Shimanaka, Kajiwara and Komachi 2018)."""

    kind: ClassVar[str] = "ruse"
    needs: ClassVar[tuple[str, ...]] = ("references",)

    def first(self, size: int, random: np.random.Generator) -> dict[str, Array]:
        return self._layers(4 * size, random)

    def score(self, xp: Any, weights: Weights, read: Read) -> Any:
        r, v = read.reply, read.reference
        return self._network(xp, weights, (r, v, abs(r - v), r * v))


@dataclass(frozen=True)
class Adem(Head):
    """(cᵀ M r + vᵀ N r − α) / β (Lowe et al. 2017)."""

    kind: ClassVar[str] = "adem"
    needs: ClassVar[tuple[str, ...]] = ("references", "source")

    def first(self, size: int, random: np.random.Generator) -> dict[str, Array]:
        return {"M": np.eye(size), "N": np.eye(size)}

    def score(self, xp: Any, weights: Weights, read: Read) -> Any:
        raw = ((read.context @ weights["M"] + read.reference @ weights["N"]) * read.reply).sum(1)
        return (raw - weights["alpha"]) / weights["beta"] if "beta" in weights else raw


@dataclass(frozen=True)
class Ruber(Head):
    """The unreferenced scorer: a network over [c; cᵀ M r; r], as a chance (Tao et al. 2018)."""

    kind: ClassVar[str] = "ruber"
    needs: ClassVar[tuple[str, ...]] = ("source",)
    chance: ClassVar[bool] = True

    def first(self, size: int, random: np.random.Generator) -> dict[str, Array]:
        return {"M": np.eye(size) / np.sqrt(size), **self._layers(2 * size + 1, random)}

    def score(self, xp: Any, weights: Weights, read: Read) -> Any:
        quadratic = ((read.context @ weights["M"]) * read.reply).sum(1)
        return self._network(xp, weights, (read.context, quadratic[:, None], read.reply))


@dataclass(frozen=True)
class Ssrem(Head):
    """cᵀ M r, by which the true reply is told from candidates, those of the same speaker among them (Bak and Oh
    2020)."""

    kind: ClassVar[str] = "ssrem"
    needs: ClassVar[tuple[str, ...]] = ("source",)
    chance: ClassVar[bool] = True

    def first(self, size: int, random: np.random.Generator) -> dict[str, Array]:
        return {"M": np.eye(size) / np.sqrt(size)}

    def score(self, xp: Any, weights: Weights, read: Read) -> Any:
        return ((read.context @ weights["M"]) * read.reply).sum(1)


@dataclass(frozen=True)
class Maude(Head):
    """A network over [h; r; h ∘ r; h − r], h what a recurrent network remembers of the turns (Sinha et al. 2020).

    The recurrent network is a gated unit (Cho et al. 2014) that reads the turns in order: z, g = σ(t W + h U + b),
    n = tanh(t Wₙ + (g ∘ h) Uₙ + bₙ), h ← z ∘ h + (1 − z) ∘ n. It begins as a mean of the turns in which the last
    counts most.
    """

    kind: ClassVar[str] = "maude"
    needs: ClassVar[tuple[str, ...]] = ("source",)
    chance: ClassVar[bool] = True
    recurrent: ClassVar[bool] = True

    def first(self, size: int, random: np.random.Generator) -> dict[str, Array]:
        gates = {f"{name}.{gate}": np.zeros((size, size)) for gate in "zgn" for name in "WU"}
        biases = {f"b.{gate}": np.zeros(size) for gate in "zgn"}
        return {**gates, **biases, "W.n": np.eye(size), **self._layers(4 * size, random)}

    def score(self, xp: Any, weights: Weights, read: Read) -> Any:
        h, r = self.remembered(xp, weights, read), read.reply
        return self._network(xp, weights, (h, r, h * r, h - r))

    def remembered(self, xp: Any, weights: Weights, read: Read) -> Any:
        """(n, d): h after the last turn."""
        h = 0.0 * read.reply
        for place in range(read.turns.shape[1]):
            t, there = read.turns[:, place], read.said[:, place, None]
            z, g = (1.0 / (1.0 + xp.exp(-self._gate(weights, gate, t, h))) for gate in "zg")
            n = xp.tanh(t @ weights["W.n"] + (g * h) @ weights["U.n"] + weights["b.n"])
            h = there * (z * h + (1.0 - z) * n) + (1.0 - there) * h
        return h

    def _gate(self, weights: Weights, gate: str, turn: Any, h: Any) -> Any:
        return turn @ weights[f"W.{gate}"] + h @ weights[f"U.{gate}"] + weights[f"b.{gate}"]


@dataclass(frozen=True)
class Cmade(Head):
    """A network over [c; r; c ∘ r; |c − r|], learnt from comparisons (Liang, Zou and Yu 2020)."""

    kind: ClassVar[str] = "cmade"
    needs: ClassVar[tuple[str, ...]] = ("source",)

    def first(self, size: int, random: np.random.Generator) -> dict[str, Array]:
        return self._layers(4 * size, random)

    def score(self, xp: Any, weights: Weights, read: Read) -> Any:
        c, r = read.context, read.reply
        made = self._network(xp, weights, (c, r, c * r, abs(c - r)))
        return (made - weights["alpha"]) / weights["beta"] if "beta" in weights else made


@dataclass(frozen=True)
class Simile(Head):
    """LP^α · cos(r M, v M), LP the penalty for a difference in length (Wieting et al. 2019).

    The paper learns the vectors of units of words and takes their mean. Here M is learnt over vectors that others
    learnt; over a mean of word vectors that is as if every word had its own vector mapped.
    """

    kind: ClassVar[str] = "simile"
    needs: ClassVar[tuple[str, ...]] = ("references",)
    measured: ClassVar[bool] = True

    def first(self, size: int, random: np.random.Generator) -> dict[str, Array]:
        return {"M": np.eye(size)}

    def score(self, xp: Any, weights: Weights, read: Read) -> Any:
        r, v = self.mapped(weights, read)
        alpha = weights.get("alpha", 0.25)
        return xp.where(read.penalty > 0, read.penalty**alpha, 0.0) * (r * v).sum(1)

    def mapped(self, weights: Weights, read: Read) -> tuple[Any, Any]:
        """(n, d) twice: the unit vectors of r M and v M, noughts where there is no word."""
        r, v = (vectors @ weights["M"] for vectors in (read.reply, read.reference))
        return r / ((r * r).sum(1)[:, None] + TINY) ** 0.5, v / ((v * v).sum(1)[:, None] + TINY) ** 0.5


HEADS: dict[str, type[Head]] = {head.kind: head for head in (Ruse, Adem, Ruber, Ssrem, Maude, Cmade, Simile)}
