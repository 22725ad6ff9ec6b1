"""Simulated judges of triads: they perceive the difference with probability p_d and pick the odd text, or guess.

Judges of replicated panels may differ: with `spread` γ above 0 their own p_d is drawn from a beta distribution with
mean p_d and intra-class correlation γ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from nlgauge.study.model import odd_position
from nlgauge.study.protocols.base import Crowd, Rater

if TYPE_CHECKING:
    from nlgauge.study.model import Evaluation
    from nlgauge.study.service import Service


@dataclass(frozen=True)
class Pool(Crowd):
    """What the simulated judges are like."""

    KEYS = "p_d"

    p_d: float = 0.0
    dropouts: float = 0.0  # share who leave with an evaluation on screen
    speeders: float = 0.0  # share who guess at once
    spread: float = 0.0  # γ: how much judges differ
    seconds: float = 40.0  # median time for an answer

    def __post_init__(self) -> None:
        self.check_most(p_d=1.0, dropouts=0.95, speeders=1.0, spread=0.95)

    def rater(self, service: Service, panel: str, random: Random) -> Rater:
        """A judge with a share of their own."""
        return Perceiver(own_share(self, random), random)


@dataclass(frozen=True)
class Perceiver(Rater):
    """Picks the odd text where the difference is perceived."""

    p_d: float
    random: Random

    def answer(self, look: Callable[[], Evaluation], *, hasty: bool) -> tuple[Any, int]:
        """A place on the screen, where also a word may be marked."""
        if hasty or self.random.random() >= self.p_d:
            choice = self.random.randrange(3)
        else:
            choice = odd_position("".join(text.subject for text in look().texts))
        return choice, choice


def own_share(pool: Pool, random: Random) -> float:
    """A judge's own probability of perceiving the difference."""
    if pool.spread == 0 or pool.p_d in (0, 1):
        return pool.p_d
    total = 1 / pool.spread - 1
    return random.betavariate(pool.p_d * total, (1 - pool.p_d) * total)
