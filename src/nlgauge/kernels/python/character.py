"""CharacTER (Wang, Peter, Rosendahl and Ney 2016), step by step as the PyPI package `cer` 1.2 computes it.

Greedy: of all shifts of a run of hypothesis words to where the reference has the same run, the one that lowers the
word edit distance most is made, until none lowers it; of equally good ones the one whose word list comes last in
the order of strings. Then the character edit distance is taken, and each run of words that stands elsewhere than
before costs its mean word length. What depends on rounding there (rates are kept and subtracted, so that a shift
that gains nothing can pass for a gain) is kept, since it decides which shifts are made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from nlgauge.arrays import Array
from nlgauge.kernels.interface import References, Texts
from nlgauge.kernels.python.edit import edit_counts

Words = Sequence[str]


def character_rows(hypotheses: Texts, references: References, jobs: int = 1) -> Array:
    """CharacTER (lowest over the references) and 1; words are what stands between white space."""
    rows = [
        (min(character(hypothesis.split(), reference.split()) for reference in texts), 1.0)
        for hypothesis, texts in zip(hypotheses, references, strict=True)
    ]
    return np.array(rows, dtype=np.float64).reshape(len(rows), 2)


def character(hypothesis: list[str], reference: list[str]) -> float:
    """min(1, (character edits + cost of the shifts) / hypothesis characters)."""
    if hypothesis == reference:
        return 0.0
    if not hypothesis or not reference:
        return 1.0
    words = shifted(hypothesis, reference)
    letters = " ".join(words)
    edits = _distance(letters, " ".join(reference)) + shift_cost(words, hypothesis)
    return min(1.0, edits / len(letters))


def shifted(hypothesis: list[str], reference: list[str]) -> list[str]:
    """The hypothesis after the shifts."""
    words, rate = hypothesis, _distance(hypothesis, reference) / len(reference)
    while True:
        tries = [(rate - _distance(moved, reference) / len(reference), moved) for moved in _shifts(words, reference)]
        gain, best = max(tries, default=(0.0, words))
        if gain <= 0:
            return words
        words, rate = best, rate - gain


def _distance(a: Words, b: Words) -> int:
    return sum(edit_counts(a, b)[1:])


def _shifts(words: list[str], reference: list[str]) -> Iterator[list[str]]:
    """Each longest run of words that the reference has at another place, moved to that place."""
    for start, word in enumerate(words):
        for place, other in enumerate(reference):
            if word != other or start == place:
                continue
            length = 1
            while (
                start + length < len(words)
                and place + length < len(reference)
                and words[start + length] == reference[place + length]
            ):
                length += 1
            rest = words[:start] + words[start + length :]
            yield rest[:place] + words[start : start + length] + rest[place:]


def shift_cost(words: Words, original: Words) -> float:
    """The mean word length of each run of `original` that is found further on in `words`, summed.

    The walk over `original` goes on behind the run it has just found.
    """
    cost, start, n = 0.0, 0, len(words)
    while start < n:
        first = start
        if original[first] != words[first]:
            place = next((k for k in range(first + 1, n) if words[k] == original[first]), None)
            if place is not None:
                length = 1
                while first + length < n and place + length < n and original[first + length] == words[place + length]:
                    length += 1
                start = min(first + length - 1, n - 1)
                cost += sum(map(len, original[first : first + length])) / length
        start += 1
    return cost
