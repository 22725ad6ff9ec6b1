"""Repetition within a text, and copying from the source: means and sums over texts, which add up.

seq-rep-n: Welleck et al. (2020); rep-w: Fu et al. (2021); coverage and density of extractive fragments: Grusky, Naaman
and Artzi (2018).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nlgauge.errors import InputError
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.pool import words_of
from nlgauge.metrics.base import Array, Metric, option
from nlgauge.text import tokenizers


@dataclass(frozen=True)
class _Alone(Metric):
    """Base: a score of each text by itself, and the mean over the texts that have one."""

    tok: str = option("13a", "tokeniser", check=tokenizers.check)
    lower: bool = option(False, "lower-case before tokenising")

    direction = "lower"
    needs: ClassVar[tuple[str, ...]] = ("outputs",)

    @property
    def columns(self) -> tuple[str, ...]:
        return ("score", "texts")

    def score(self, totals: Array) -> Array:
        totals = np.asarray(totals, dtype=np.float64)
        return np.divide(
            totals[..., 0], totals[..., 1], out=np.zeros(totals.shape[:-1]), where=totals[..., 1] > 0
        )

    def rows(self, batch: Batch) -> Array:
        split = words_of(self.tok, self.lower)
        found = [self.of(split(text)) for text in batch.hypotheses]
        return np.array(found, dtype=np.float64).reshape(-1, 2)

    def of(self, words: Sequence[str]) -> tuple[float, float]:
        """(score, 1) of a text; (0, 0) for one that is too short to have a score."""
        raise NotImplementedError


@dataclass(frozen=True)
class Rep(_Alone):
    """seq-rep-n: the share of a text's n-grams that it has said before; the mean over texts.

    1 - distinct n-grams / n-grams. Texts shorter than n words have no n-grams and are left out of the mean (their
    segment score is 0).

    >>> Rep(order=1).corpus(["a b a b", "c"])
    0.25
    """

    order: int = option(4, "length of the n-grams", low=1, high=100)

    name: ClassVar[str] = "rep"
    cite: ClassVar[str] = (
        "Welleck, Kulikov, Roller, Dinan, Cho and Weston (2020), Neural text generation with unlikelihood training. "
        "ICLR."
    )
    reference: ClassVar[str] = "the paper's seq-rep-n"
    at: ClassVar[str | None] = "order"
    always_at: ClassVar[bool] = True

    def of(self, words: Sequence[str]) -> tuple[float, float]:
        ngrams = [tuple(words[at : at + self.order]) for at in range(len(words) - self.order + 1)]
        return (1 - len(set(ngrams)) / len(ngrams), 1.0) if ngrams else (0.0, 0.0)


@dataclass(frozen=True)
class RepW(_Alone):
    """rep-w: the share of a text's words that stand among the w words before them; the mean over texts.

    Empty texts are left out of the mean.

    >>> RepW(window=1).corpus(["a a b a"])
    0.25
    """

    window: int = option(16, "how many words back to look", low=1, high=1_000_000)

    name: ClassVar[str] = "rep-w"
    cite: ClassVar[str] = (
        "Fu, Lam, So and Shi (2021), A theoretical analysis of the repetition problem in text generation. AAAI."
    )
    reference: ClassVar[str] = "the paper's rep-w"
    at: ClassVar[str | None] = "window"

    def of(self, words: Sequence[str]) -> tuple[float, float]:
        last: dict[str, int] = {}
        again = 0
        for place, word in enumerate(words):
            again += place - last.get(word, -math.inf) <= self.window
            last[word] = place
        return (again / len(words), 1.0) if words else (0.0, 0.0)


class _FromSource(Metric):
    """Base of what compares an output with its source."""

    def _pairs(self, batch: Batch, tok: str, lower: bool) -> Iterator[tuple[list[str], list[str]]]:
        """(words of the output, words of its source)."""
        split = words_of(tok, lower)
        if batch.sources is None:
            raise InputError(
                f"{self} compares outputs with their sources; the data have none (key source, or --src)"
            )
        for number, (text, source) in enumerate(zip(batch.hypotheses, batch.sources, strict=True)):
            if source is None:
                raise InputError(f"segment {number} has no source, which {self} compares its output with")
            yield split(text), [word for line in source_texts(source) for word in split(line)]


def source_texts(source: Any) -> list[str]:
    """The texts of a source: itself, the turns of a dialogue, the cells of a table."""
    if isinstance(source, str):
        return [source]
    if isinstance(source, Sequence):
        return [text for part in source for text in source_texts(part)]
    if isinstance(source, dict):
        return [text for part in source.values() for text in source_texts(part)]
    return [] if source is None else [str(source)]


@dataclass(frozen=True)
class CopyRate(_FromSource):
    """The share of the outputs' n-grams that stand in their source: 1 if all is copied.

    Sources may be texts, dialogues or tables; of a table all cells count. Over a set: copied n-grams of all outputs, by
    their number.
    """

    order: int = option(1, "length of the n-grams", low=1, high=100)
    tok: str = option("13a", "tokeniser", check=tokenizers.check)
    lower: bool = option(False, "lower-case before tokenising")

    name: ClassVar[str] = "copyrate"
    direction = "lower"
    needs: ClassVar[tuple[str, ...]] = ("source",)
    cite: ClassVar[str] = (
        "See, Liu and Manning (2017), Get to the point: summarization with pointer-generator networks. ACL."
    )
    reference: ClassVar[str] = "this definition; 1 - the share of novel n-grams"
    at: ClassVar[str | None] = "order"

    @property
    def columns(self) -> tuple[str, ...]:
        return ("copied", "ngrams")

    def rows(self, batch: Batch) -> Array:
        found = []
        for words, source in self._pairs(batch, self.tok, self.lower):
            known = set(_ngrams(source, self.order))
            mine = _ngrams(words, self.order)
            found.append((sum(ngram in known for ngram in mine), len(mine)))
        return np.array(found, dtype=np.float64).reshape(-1, 2)

    def score(self, totals: Array) -> Array:
        totals = np.asarray(totals, dtype=np.float64)
        return np.divide(
            totals[..., 0], totals[..., 1], out=np.zeros(totals.shape[:-1]), where=totals[..., 1] > 0
        )


def _ngrams(words: Sequence[str], order: int) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + order]) for at in range(len(words) - order + 1)]


@dataclass(frozen=True)
class Fragments(_FromSource):
    """Extractive fragments: the share of an output's words copied in runs from its source (coverage), or their mean
    run length (density).

    Fragments are found greedily, the longest run from the left that the source has as well. Density is the sum of
    squared run lengths by the output's length. Over a set: the mean over outputs; empty outputs are left out.
    """

    tok: str = option("13a", "tokeniser", check=tokenizers.check)
    lower: bool = option(True, "lower-case before tokenising")
    output: str = option(
        "coverage",
        "share of words, or mean run length of a word",
        choices=("coverage", "density"),
        scoring=True,
    )

    name: ClassVar[str] = "fragments"
    direction = "lower"
    bounds: ClassVar[tuple[float, float]] = (0.0, math.inf)
    needs: ClassVar[tuple[str, ...]] = ("source",)
    cite: ClassVar[str] = (
        "Grusky, Naaman and Artzi (2018), Newsroom: a dataset of 1.3 million summaries with diverse extractive "
        "strategies. NAACL."
    )
    reference: ClassVar[str] = "the paper's algorithm"

    @property
    def columns(self) -> tuple[str, ...]:
        return ("coverage", "density", "texts")

    def rows(self, batch: Batch) -> Array:
        found = []
        for words, source in self._pairs(batch, self.tok, self.lower):
            runs = fragments(words, source)
            n = max(len(words), 1)
            found.append((sum(runs) / n, sum(run * run for run in runs) / n, float(bool(words))))
        return np.array(found, dtype=np.float64).reshape(-1, 3)

    def score(self, totals: Array) -> Array:
        totals = np.asarray(totals, dtype=np.float64)
        part, texts = totals[..., 0 if self.output == "coverage" else 1], totals[..., 2]
        return np.divide(part, texts, out=np.zeros(part.shape), where=texts > 0)


def fragments(words: Sequence[str], source: Sequence[str]) -> list[int]:
    """The lengths of the runs that greedy matching finds, from the left."""
    places: dict[str, list[int]] = {}
    for place, word in enumerate(source):
        places.setdefault(word, []).append(place)
    found, at = [], 0
    while at < len(words):
        longest = max((_run(words, at, source, place) for place in places.get(words[at], ())), default=0)
        if longest:
            found.append(longest)
        at += max(longest, 1)
    return found


def _run(words: Sequence[str], at: int, source: Sequence[str], place: int) -> int:
    length = 0
    while (
        at + length < len(words)
        and place + length < len(source)
        and words[at + length] == source[place + length]
    ):
        length += 1
    return length
