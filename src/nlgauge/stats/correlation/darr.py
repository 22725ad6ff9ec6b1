"""WMT's Kendall-like tau (DARR): (concordant - discordant) / all pairs of outputs that people told apart.

A tie of the metric is discordant, because a metric is asked for a preference. People tell two outputs of an item apart
where their ratings differ by more than a margin: 25 points of direct assessment, 0 to 100, at WMT18 and WMT19 (Ma et
al. 2019).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.stats.correlation.coefficients import complete, vector

DARR_MARGIN = 25.0


@dataclass(frozen=True)
class PairCounts:
    """Pairs told apart by people, and how many of them the metric orders alike or otherwise."""

    concordant: int
    discordant: int

    @property
    def pairs(self) -> int:
        """All pairs counted."""
        return self.concordant + self.discordant

    @property
    def tau(self) -> float:
        """(concordant - discordant) / pairs; NaN without pairs."""
        return (self.concordant - self.discordant) / self.pairs if self.pairs else math.nan


def kendall_like(better: Any, worse: Any) -> PairCounts:
    """WMT's Kendall-like tau of pairs given as the metric's scores of the better and of the worse output.

    Args:
        better: the metric's score of the better output of each pair
        worse: its score of the worse

    >>> kendall_like([0.9, 0.4, 0.5], [0.1, 0.4, 0.2]).tau
    0.3333333333333333
    """
    first, second = complete(better, worse)
    concordant = int((first > second).sum())
    return PairCounts(concordant, len(first) - concordant)


def told_apart(differences: Array, margin: float) -> NDArray[np.bool_]:
    """Which pairs people tell apart: those whose ratings differ by more than the margin, not by rounding alone."""
    return np.asarray(np.abs(differences) > margin * (1 + 1e-12))


def darr_pairs(ratings: Any, items: Sequence[Hashable], margin: float = DARR_MARGIN) -> NDArray[np.int64]:
    """(n, 2): places of the better and the worse of each two outputs of an item that people tell apart.

    Outputs of different items are never paired; an output without a rating (NaN, None) is in no pair.

    Args:
        ratings: direct assessments of outputs; None or NaN where there is none
        items: the item of each
        margin: the difference beyond which two outputs are told apart

    >>> darr_pairs([90, 60, 65, 10], ["a", "a", "a", "b"]).tolist()
    [[0, 1]]
    """
    check_threshold(margin)
    scores = vector(ratings)
    if len(scores) != len(items):
        raise InputError(f"every rating needs its item; got {len(scores):,} ratings and {len(items):,} items")
    places: dict[Hashable, list[int]] = {}
    for place, item in enumerate(items):
        if not math.isnan(scores[place]):
            places.setdefault(item, []).append(place)
    found = [np.zeros((0, 2), dtype=np.int64)]
    for own in map(np.array, places.values()):
        first, second = (own[side] for side in np.triu_indices(len(own), 1))
        gaps = scores[first] - scores[second]
        ordered = np.where((gaps > 0)[:, None], np.stack([first, second], 1), np.stack([second, first], 1))
        found.append(ordered[told_apart(gaps, margin)])
    return np.concatenate(found)


def check_threshold(threshold: float) -> None:
    if not threshold >= 0:
        raise InputError(f"a tie threshold must be 0 or more; got {threshold}")
