"""What is learnt over vectors: the heads of `nlgauge.learned.heads` as parts of the configuration, with their losses.

A loss takes the scores s of some examples, their targets y, and the pairs (better, worse) among them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from nlgauge.io.fields import Kinds, key
from nlgauge.learned import heads
from nlgauge.learned.heads import Head

MOST = 2_000  # examples that are compared with each other at once
_HIDDEN = "units of each hidden layer"
_JOIN = "how the two scores become one; none: the unreferenced score alone, which needs no reference"
_REFERENCED = "encoder whose cosine is the referenced score"


def squared(torch: Any, s: Any, y: Any, pairs: Any) -> Any:
    """Mean (s − y)²."""
    return ((s - y) ** 2).mean()


def entropy(torch: Any, s: Any, y: Any, pairs: Any) -> Any:
    """Cross-entropy of σ(s), good and bad counting alike."""
    good, bad = (y == 1).double(), (y == 0).double()
    losses = torch.nn.functional.softplus(torch.where(y == 1, -s, s))
    return sum((losses * part).sum() / part.sum().clamp(min=1.0) for part in (good, bad)) / 2


def candidates(torch: Any, s: Any, y: Any, pairs: Any) -> Any:
    """−ln of the share that a true reply has of Σ exp(s) over itself and its candidates; 0 without pairs."""
    known = s.detach()
    top = known.scatter_reduce(0, pairs[:, 0], known[pairs[:, 1]], "amax")  # else exp may be beyond numbers
    shares = torch.exp(s[pairs[:, 1]] - top[pairs[:, 0]])
    sums = torch.exp(s - top).index_add(0, pairs[:, 0], shares)
    better = torch.unique(pairs[:, 0])
    return (torch.log(sums[better]) + top[better] - s[better]).sum() / max(1, len(better))


def comparison(torch: Any, s: Any, y: Any, pairs: Any) -> Any:
    """Mean ln(1 + exp(s_worse − s_better)) over every two examples whose targets differ, of many some."""
    step = 1 + len(s) // MOST
    s, y = s[::step], y[::step]
    differ = (y[:, None] > y[None, :]).double()
    losses = torch.nn.functional.softplus(s[None, :] - s[:, None])
    return (losses * differ).sum() / differ.sum().clamp(min=1.0)


@dataclass(frozen=True)
class Plan:
    """A head and how it learns."""

    head: ClassVar[type[Head]]
    learns: ClassVar[tuple[str, ...]]  # by what kinds of supervision
    paired: ClassVar[bool] = False  # whether the loss is of pairs
    scaled: ClassVar[bool] = False  # α and β bring the first scores nearest to the targets
    hidden: tuple[int, ...] = ()

    def made(self) -> Head:
        """The formula."""
        return self.head(hidden=self.hidden)

    def miss(self, torch: Any, s: Any, y: Any, pairs: Any) -> Any:
        """The loss."""
        return squared(torch, s, y, pairs)


@dataclass(frozen=True)
class Ruse(Plan):
    """RUSE (Shimanaka, Kajiwara and Komachi 2018): output and reference, as ratings say."""

    head: ClassVar[type[Head]] = heads.Ruse
    learns: ClassVar[tuple[str, ...]] = ("ratings", "origin")
    hidden: tuple[int, ...] = key(_HIDDEN, default=(64,), least=1, most=4096)


@dataclass(frozen=True)
class Adem(Plan):
    """ADEM (Lowe et al. 2017): context, reference and response, as ratings say; the penalty is `decay`."""

    head: ClassVar[type[Head]] = heads.Adem
    learns: ClassVar[tuple[str, ...]] = ("ratings",)
    scaled: ClassVar[bool] = True


@dataclass(frozen=True)
class Joining(Plan):
    """An unreferenced score that learns which reply follows, beside a referenced one."""

    learns: ClassVar[tuple[str, ...]] = ("next",)
    paired: ClassVar[bool] = True
    join: Literal["mean", "geometric", "min", "max", "none"] = key(_JOIN, default="mean")
    referenced: str = key(_REFERENCED, default="glove:extremes")


@dataclass(frozen=True)
class Ruber(Joining):
    """RUBER (Tao et al. 2018), by the hinge; with contextual encoders and entropy that of Ghazarian et al. (2019)."""

    head: ClassVar[type[Head]] = heads.Ruber
    hidden: tuple[int, ...] = key(_HIDDEN, default=(64,), least=1, most=4096)
    loss: Literal["hinge", "entropy"] = key("hinge of a margin, or cross-entropy", default="hinge")
    margin: float = key("what a true reply must be better by", default=0.5, least=0.0, most=1.0)

    def miss(self, torch: Any, s: Any, y: Any, pairs: Any) -> Any:
        """Mean max(0, margin − σ(s_better) + σ(s_worse)), or the entropy."""
        if self.loss == "entropy":
            return entropy(torch, s, y, pairs)
        chance = torch.sigmoid(s)
        misses = torch.relu(self.margin - chance[pairs[:, 0]] + chance[pairs[:, 1]])
        return misses.sum() / max(1, len(pairs))  # a true reply may have no bad one


@dataclass(frozen=True)
class Ssrem(Joining):
    """SSREM (Bak and Oh 2020): the true reply among candidates."""

    head: ClassVar[type[Head]] = heads.Ssrem

    def miss(self, torch: Any, s: Any, y: Any, pairs: Any) -> Any:
        """The softmax over candidates."""
        return candidates(torch, s, y, pairs)


@dataclass(frozen=True)
class Maude(Plan):
    """MaUde (Sinha et al. 2020): noise-contrastive estimation over turns."""

    head: ClassVar[type[Head]] = heads.Maude
    learns: ClassVar[tuple[str, ...]] = ("next", "origin")
    hidden: tuple[int, ...] = key(_HIDDEN, default=(64,), least=1, most=4096)

    def miss(self, torch: Any, s: Any, y: Any, pairs: Any) -> Any:
        """The entropy."""
        return entropy(torch, s, y, pairs)


@dataclass(frozen=True)
class Cmade(Plan):
    """CMADE (Liang, Zou and Yu 2020): noisy ratings, smoothed and sifted, as comparisons."""

    head: ClassVar[type[Head]] = heads.Cmade
    learns: ClassVar[tuple[str, ...]] = ("ratings",)
    hidden: tuple[int, ...] = key(_HIDDEN, default=(64,), least=1, most=4096)
    pretrain: int = key("epochs in which the order of replies is learnt first", default=30, least=0, most=100_000)
    neighbours: int = key("examples whose ratings are averaged; 1: ratings as they are", default=5, least=1)
    dropped: float = key(
        "share of examples that is left out, those of the least value", default=0.1, least=0.0, most=0.9
    )

    def miss(self, torch: Any, s: Any, y: Any, pairs: Any) -> Any:
        """The comparison of every two."""
        return comparison(torch, s, y, pairs)


@dataclass(frozen=True)
class Simile(Plan):
    """SIMILE (Wieting et al. 2019): texts that say the same lie near each other, whatever their lengths."""

    head: ClassVar[type[Head]] = heads.Simile
    learns: ClassVar[tuple[str, ...]] = ("paraphrase",)
    margin: float = key("what a paraphrase must be nearer by, as a cosine (δ)", default=0.4, least=0.0, most=2.0)
    alpha: float = key("weight of the length penalty; 0: none", default=0.25, least=0.0, most=10.0)

    def nearest(self, torch: Any, weights: heads.Weights, read: heads.Read, items: Any) -> Any:
        """Mean max(0, δ − cos(s, v) + cos(s, t)) of replies s and references v, t the v of another item nearest to s.

        Without any t the loss is 0. Were all vectors one, it would be δ, which many items in a step lead to: their
        nearest t is nearer than v until M has learnt something.
        """
        s, v = heads.Simile().mapped(weights, read)
        nearest = (s @ v.T).masked_fill(items[:, None] == items, -math.inf).amax(1)
        return torch.relu(self.margin - (s * v).sum(1) + nearest).mean()


PLANS = Kinds({plan.head.kind: plan for plan in (Ruse, Adem, Ruber, Ssrem, Maude, Cmade, Simile)})
