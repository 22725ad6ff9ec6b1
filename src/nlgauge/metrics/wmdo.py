"""WMD_O (Chow, Specia and Madhyastha 2019): Word Mover's Distance with a penalty for broken word order.

The distance of two words is 1 - cosine. Each word of the reference is matched with the word of the hypothesis that
most of its mass goes to (of several places the one nearest to the last match); a match that does not follow on the
last one starts a new chunk, and the penalty is chunks / matches, at most 1. As in the authors' program

    WMD_O = WMD + δ · penalty + α · (share of the hypothesis' words without a vector)

The paper writes WMD - δ · (1/2 - penalty), which is δ/2 less (`centred=yes`) and has no third term (`alpha=0`). Words
without a vector are at distance 1 from all others; words of one character or with punctuation in them carry no mass,
as there. Mass of a word that both texts have stays where it is. A text without words that carry mass is at distance
1, with a penalty of 1, unless the other has the same words. Less is better; of several references the nearest counts.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass

import numpy as np

from nlgauge.arrays import Bools
from nlgauge.metrics.base import Array, option
from nlgauge.metrics.vectors import Texts, VectorMetric, units
from nlgauge.metrics.wmd import staying

_CARRIES = re.compile(r"\w\w+")


@dataclass(frozen=True)
class Wmdo(VectorMetric):
    """Word Mover's Distance with a penalty for word order: less is better."""

    delta: float = option(0.18, "weight of the penalty for word order", low=0.0)
    alpha: float = option(0.1, "weight of the share of words without a vector", low=0.0)
    centred: bool = option(False, "subtract delta / 2, as the paper's formula does")

    name = "wmdo"
    direction = "lower"
    bounds = (-float("inf"), float("inf"))
    cite = (
        "Chow, Specia and Madhyastha (2019), WMDO: Fluency-based Word Mover's Distance for machine translation "
        "evaluation. WMT."
    )
    reference = "the authors' wmdo.py"

    def pairs(self, texts: Texts, jobs: int) -> Array:
        found, known = self.loaded().vectors(texts.words)
        unit = units(found.astype(np.float64))
        carries = np.array([bool(_CARRIES.fullmatch(word)) for word in texts.words], dtype=np.bool_)
        out = np.zeros(len(texts.pairs))
        for place, (a, b) in enumerate(texts.pairs.tolist()):
            words, reference = texts.text(a), texts.text(b)
            distance, penalty = self._distance(texts.words, unit, carries, words.tolist(), reference.tolist())
            missing = float(np.mean(~known[words])) if len(words) else 0.0
            out[place] = distance + self.delta * penalty + self.alpha * missing
        return out - self.delta / 2 if self.centred else out

    def _distance(
        self, names: list[str], unit: Array, carries: Bools, words: list[int], reference: list[int]
    ) -> tuple[float, float]:
        """The distance, and the penalty for word order."""
        mine = Counter(word for word in words if carries[word])
        theirs = Counter(word for word in reference if carries[word])
        if not mine or not theirs:
            return (0.0, 0.0) if Counter(words) == Counter(reference) else (1.0, 1.0)
        from_, to = list(theirs), list(mine)
        costs = 1.0 - np.clip(unit[from_] @ unit[to].T, -1.0, 1.0)
        costs[np.equal.outer(from_, to)] = 0.0
        # scaled to whole numbers, so that equal flows are equal
        supply = np.array(list(theirs.values()), dtype=np.float64) * mine.total()
        demand = np.array(list(mine.values()), dtype=np.float64) * theirs.total()
        flow = staying(from_, to, supply, demand, costs)
        distance = float((flow * costs).sum()) / (mine.total() * theirs.total())
        return distance, _fragmentation(names, reference, words, from_, to, flow)


def _fragmentation(
    names: list[str], reference: list[int], words: list[int], from_: list[int], to: list[int], flow: Array
) -> float:
    """Chunks by matched words, at most 1."""
    places: dict[int, list[int]] = {}
    for place, word in enumerate(words):
        places.setdefault(word, []).append(place)
    targets = {}
    for row, word in enumerate(from_):
        highest = flow[row].max()
        most = [to[k] for k in np.flatnonzero(flow[row] == highest)] if highest > 0 else []
        targets[word] = sorted(most, key=names.__getitem__)
    chunks, matched, current = 1, 0, -1
    for word in reference:
        candidates = [_closest(places[target], current) for target in targets.get(word, ())]
        if candidates:
            nearest = _closest(candidates, current)
            chunks += nearest != current + 1
            matched += 1
            current = nearest
    return min(1.0, chunks / matched) if matched else 1.0


def _closest(places: list[int], wanted: int) -> int:
    """The place nearest to the one wanted, the first of equals.

    The program bisects the list, also where words come in another order than their places; so does this.
    """
    after = bisect_left(places, wanted)
    if after == 0 or after == len(places):
        return places[min(after, len(places) - 1)]
    near, far = places[after - 1], places[after]
    return far if far - wanted < wanted - near else near
