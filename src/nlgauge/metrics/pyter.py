"""TER as the Python package pyter 0.3 computes it, and with it the script of the WebNLG 2020 challenge.

Snover et al.'s shifts are sought otherwise than by tercom: a run of words may move any distance, only to where the same
run stands in the reference, and of equally good shifts the one that gives the last words in the order of their code
points is made. A segment's score is the edits and shifts per word of a reference, the lowest over the references; that
of a set is the mean of its segments, not the ratio of sums. A reference without words scores 1, as in the script.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, Direction, MeanMetric, mean_rows, option
from nlgauge.text import tokenizers

Words = Sequence[str]


@dataclass(frozen=True)
class Pyter(MeanMetric):
    """Edits and shifts per reference word, the mean over segments; 0 is best, and it can pass 1.

    >>> Pyter().corpus(["on the mat sat the cat"], [["the cat sat on the mat"]])
    0.3333333333333333
    """

    tok: str = option("none", "tokeniser; the WebNLG challenge has nltk", check=tokenizers.check)
    lower: bool = option(False, "lower-case the texts first")

    name: ClassVar[str] = "pyter"
    direction: ClassVar[Direction] = "lower"
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    cite: ClassVar[str] = (
        "Snover, Dorr, Schwartz, Micciulla and Makhoul (2006), A study of translation edit rate with targeted human "
        "annotation. AMTA."
    )
    reference: ClassVar[str] = "pyter3 0.3"

    def rows(self, batch: Batch) -> Array:
        split = tokenizers.tokenizer(self.tok)

        def words(text: str) -> list[str]:
            return split(text.lower() if self.lower else text)

        return mean_rows(
            [
                min(edit_rate(words(hypothesis), words(reference)) for reference in references)
                for hypothesis, references in zip(batch.hypotheses, batch.references, strict=True)
            ]
        )


def edit_rate(words: list[str], reference: list[str]) -> float:
    """Shifts and edits per word of a reference."""
    if not reference:
        return 1.0
    distance = distance_to(reference)
    edits, shifts = distance(words), 0
    while True:
        options = [(distance(shifted), shifted) for shifted in set(_shifted(words, reference))]
        fewest = min((found for found, _ in options), default=edits)
        if fewest >= edits:
            return (shifts + edits) / len(reference)
        edits, shifts = fewest, shifts + 1
        words = list(max(shifted for found, shifted in options if found == fewest))


def _shifted(words: list[str], reference: list[str]) -> list[tuple[str, ...]]:
    """The words with each run of the reference's moved to where it stands there."""
    places: dict[str, list[int]] = {}
    for place, word in enumerate(reference):
        places.setdefault(word, []).append(place)
    found = []
    for start, word in enumerate(words):
        for target in places.get(word, ()):
            if start == target:
                continue
            length = 1
            while words[start + length : start + length + 1] == reference[target + length : target + length + 1] != []:
                length += 1
            rest = words[:start] + words[start + length :]
            found.append((*rest[:target], *words[start : start + length], *rest[target:]))
    return found


def distance_to(reference: Words) -> Callable[[Words], int]:
    """The edit distance of words to a reference, by Myers's bit vectors (1999)."""
    every = (1 << len(reference)) - 1
    last = 1 << (len(reference) - 1)
    where: dict[str, int] = {}
    for place, word in enumerate(reference):
        where[word] = where.get(word, 0) | 1 << place

    def distance(words: Words) -> int:
        more, fewer, found = every, 0, len(reference)
        for word in words:
            equal = where.get(word, 0)
            vertical = equal | fewer
            diagonal = (((equal & more) + more) ^ more) | equal
            rising = fewer | (~(diagonal | more) & every)
            falling = more & diagonal
            if rising & last:
                found += 1
            elif falling & last:
                found -= 1
            rising = (rising << 1 | 1) & every
            falling = falling << 1 & every
            more = falling | (~(vertical | rising) & every)
            fewer = rising & vertical
        return found

    return distance
