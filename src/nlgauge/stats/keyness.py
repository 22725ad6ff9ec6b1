"""Keyness: which words are typical of one group of short texts against another.

A word counts once in each text (a reason, a judge's marks), because words repeated within a text are not independent;
groups are compared by the number of texts that have the word. G² is Dunning's log-likelihood ratio (1993) of that 2 ×
2 table, `log_odds` the log odds ratio with the word's overall share as prior, after Monroe, Colaresi and Quinn
(2008), and `z` that over its standard error. p is Fisher's exact test, two-sided, and is adjusted by Holm's method
over the words that could be significant at all: Tarone (1990) showed that words too rare for that need no correction,
and are left out of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.stats.multiple import holm
from nlgauge.stats.shares import fisher

PRIOR = 10.0  # texts that the prior is worth
_SLACK = 1 + 1e-9  # a p that equals its bound up to rounding reaches it


@dataclass(frozen=True)
class Key(Jsonable):
    """One word: in how many texts of either group, and how typical it is of the first (`log_odds` above 0)."""

    word: str
    first: int
    second: int
    g2: float
    log_odds: float
    z: float
    p: float
    p_adjusted: float


def keyness(first: Sequence[frozenset[str]], second: Sequence[frozenset[str]], *, alpha: float = 0.05) -> list[Key]:
    """Every word that could be significant, from the most to the least (by p, then by how often it occurs)."""
    if not 0 < alpha < 1:
        raise InputError(f"alpha must lie between 0 and 1, not {alpha:g}")
    totals = len(first), len(second)
    if 0 in totals:
        return []
    counts: dict[str, tuple[int, int]] = {}
    for group, texts in enumerate((first, second)):
        for text in texts:
            for word in text:
                a, b = counts.get(word, (0, 0))
                counts[word] = (a + (group == 0), b + (group == 1))
    smallest = {word: _smallest(pair, totals) for word, pair in sorted(counts.items())}
    size = _family(sorted(smallest.values()), alpha)
    kept = [word for word, least in smallest.items() if least <= alpha / size * _SLACK]
    p_values = [fisher(counts[word][0], totals[0], counts[word][1], totals[1]) for word in kept]
    adjusted = holm(p_values) if kept else np.array([])
    keys = [
        Key(word, *counts[word], _g2(*counts[word], *totals), *_odds(*counts[word], *totals), p, float(q))
        for word, p, q in zip(kept, p_values, adjusted, strict=True)
    ]
    return sorted(keys, key=lambda key: (key.p, -(key.first + key.second), key.word))


def _smallest(pair: tuple[int, int], totals: tuple[int, int]) -> float:
    """The smallest p that a word in so many texts could have: all of them in one group."""
    have = sum(pair)
    return min(
        fisher(min(have, totals[0]), totals[0], have - min(have, totals[0]), totals[1]),
        fisher(have - min(have, totals[1]), totals[0], min(have, totals[1]), totals[1]),
    )


def _family(ordered: list[float], alpha: float) -> int:
    """Tarone's size: the smallest k such that at most k words could reach alpha / k."""
    size = 1
    while sum(p <= alpha / size * _SLACK for p in ordered) > size:
        size += 1
    return size


def _g2(a: int, b: int, n: int, m: int) -> float:
    """2 Σ observed · ln(observed / expected) over the four cells."""
    share = (a + b) / (n + m)
    cells = ((a, n * share), (b, m * share), (n - a, n * (1 - share)), (m - b, m * (1 - share)))
    return max(0.0, 2 * sum(seen * math.log(seen / expected) for seen, expected in cells if seen > 0))


def _odds(a: int, b: int, n: int, m: int) -> tuple[float, float]:
    """Log odds ratio with an informative prior, and over its standard error."""
    prior = PRIOR * (a + b) / (n + m)
    cells = (a + prior, n - a + PRIOR - prior, b + prior, m - b + PRIOR - prior)
    if min(cells) <= 0:  # every text has the word
        return 0.0, 0.0
    value = math.log(cells[0] / cells[1]) - math.log(cells[2] / cells[3])
    return value, value / math.sqrt(sum(1 / cell for cell in cells))
