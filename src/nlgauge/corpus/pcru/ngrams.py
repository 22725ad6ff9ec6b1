"""A back-off 2-gram model with Good–Turing discounting (Katz 1987).

K = 7, as SRILM has it for 2-grams, and here for single words too. A count r up to K is multiplied by
d_r = ((r + 1) n_{r+1} / (r n_r) − c) / (1 − c) with c = (K + 1) n_{K+1} / n_1, where n_r is how many n-grams occur r
times. As in SRILM a factor outside (0, 1] is taken for 1. What discounting frees goes to 2-grams never seen, in
proportion to the probabilities of their second words, and among single words to one unknown word. Where nothing is
freed, one count is added for what was never seen.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

START, END = "<s>", "</s>"
LARGEST = 7  # counts above are trusted


def discounts(counts: Mapping[Any, int], largest: int = LARGEST) -> dict[int, float]:
    """The factor of each count from 1 to `largest`; 1 where Good–Turing gives none within (0, 1]."""
    of = Counter(counts.values())
    common = (largest + 1) * of[largest + 1] / of[1] if of[1] else 1.0
    found = {}
    for count in range(1, largest + 1):
        factor = 0.0
        if of[count] and common < 1:
            factor = ((count + 1) * of[count + 1] / (count * of[count]) - common) / (1 - common)
        found[count] = factor if 0 < factor <= 1 else 1.0
    return found


@dataclass(frozen=True)
class Bigrams:
    """Probabilities of words, of pairs, and the weight with which a context backs off to single words."""

    words: Mapping[str, float]
    unknown: float
    pairs: Mapping[tuple[str, str], float]
    backoff: Mapping[str, float]

    def chance(self, word: str, before: str) -> float:
        """The probability of a word after another."""
        seen = self.pairs.get((before, word))
        return self.backoff.get(before, 1.0) * self.words.get(word, self.unknown) if seen is None else seen

    def log_probability(self, words: Sequence[str]) -> float:
        """The natural logarithm of a whole text's probability, with its end."""
        chain = [START, *words, END]
        return sum(math.log(self.chance(word, before)) for before, word in pairwise(chain))


def learn(texts: Iterable[Sequence[str]]) -> Bigrams:
    """The model of some texts, each a list of words."""
    singles: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for words in texts:
        chain = [START, *words, END]
        singles.update(chain[1:])
        pairs.update(pairwise(chain))
    factor = discounts(singles)
    total = sum(singles.values())
    known = {word: factor.get(count, 1.0) * count / total for word, count in singles.items()}
    unknown = 1 - sum(known.values())
    if unknown < 1e-9:  # nothing was discounted: one more count, for the unknown word
        known = {word: chance * total / (total + 1) for word, chance in known.items()}
        unknown = 1 / (total + 1)
    contexts: Counter[str] = Counter()
    for (before, _), count in pairs.items():
        contexts[before] += count
    factor = discounts(pairs)
    chances = {pair: factor.get(count, 1.0) * count / contexts[pair[0]] for pair, count in pairs.items()}
    kept, covered = defaultdict[str, float](float), defaultdict[str, float](float)
    for (before, word), chance in chances.items():
        kept[before] += chance
        covered[before] += known[word]
    backoff = {}
    for before in contexts:
        free = 1 - kept[before]
        if free < 1e-9:  # all counts of this context are trusted: one more, for what never followed it
            share = contexts[before] / (contexts[before] + 1)
            chances |= {pair: chance * share for pair, chance in chances.items() if pair[0] == before}
            free = 1 - share
        backoff[before] = free / (1 - covered[before])
    return Bigrams(known, unknown, chances, backoff)
