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

from nlgauge.errors import InputError, as_called
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.pool import words_of
from nlgauge.metrics.base import Array, Metric, option, ratio
from nlgauge.metrics.explanation import Explanation, Figure, Passage
from nlgauge.text import tokenizers


@dataclass(frozen=True)
class _Alone(Metric):
    """Base: a score of each text by itself, and the mean over the texts that have one."""

    tok: str = option("13a", "tokeniser", check=tokenizers.check)
    lower: bool = option(False, "lower-case before tokenising")

    direction = "lower"
    needs: ClassVar[tuple[str, ...]] = ("outputs",)
    columns: ClassVar[tuple[str, ...]] = ("score", "texts")

    def score(self, totals: Array) -> Array:
        return ratio(totals[..., 0], totals[..., 1])

    def rows(self, batch: Batch) -> Array:
        split = words_of(self.tok, self.lower)
        found = [self.of(split(text)) for text in batch.hypotheses]
        return np.array(found, dtype=np.float64).reshape(-1, 2)

    def of(self, words: Sequence[str]) -> tuple[float, float]:
        """(score, 1) of a text; (0, 0) for one that is too short to have a score."""
        again = self.repeated(words)
        return (sum(again) / len(again), 1.0) if again else (0.0, 0.0)

    def repeated(self, words: Sequence[str]) -> list[bool]:
        """Of each unit of the text whether it has been said before."""
        raise NotImplementedError

    def explained(self, batch: Batch) -> Explanation:
        """Which words repeat what was said before."""
        words = words_of(self.tok, self.lower)(batch.hypotheses[0])
        again = self.repeated(words)
        what, length = self._unit
        covered = _covered([place for place, repeated in enumerate(again) if repeated], length, len(words))
        legend = ("new", f"repeated: {what} said before")
        figure = Figure("repeated", float(sum(again)), f"of {len(again)} {what}")
        part = Passage("The output and what it repeats", tuple(words), covered, legend)
        return Explanation.of(self, batch, self.of(words), figures=[figure], parts=[part])

    @property
    def _unit(self) -> tuple[str, int]:
        """What is repeated, in words, and how many words long it is."""
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
        ngrams = _ngrams(words, self.order)
        return (1 - len(set(ngrams)) / len(ngrams), 1.0) if ngrams else (0.0, 0.0)

    def repeated(self, words: Sequence[str]) -> list[bool]:
        seen: set[tuple[str, ...]] = set()
        again = []
        for ngram in _ngrams(words, self.order):
            again.append(ngram in seen)
            seen.add(ngram)
        return again

    @property
    def _unit(self) -> tuple[str, int]:
        return "single words" if self.order == 1 else f"{self.order}-grams", self.order


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

    def repeated(self, words: Sequence[str]) -> list[bool]:
        last: dict[str, int] = {}
        again = []
        for place, word in enumerate(words):
            again.append(place - last.get(word, -math.inf) <= self.window)
            last[word] = place
        return again

    @property
    def _unit(self) -> tuple[str, int]:
        return f"words (within {self.window} words)", 1


class _FromSource(Metric):
    """Base of what compares an output with its source."""

    def _pairs(self, batch: Batch, tok: str, lower: bool) -> Iterator[tuple[list[str], list[str]]]:
        """(words of the output, words of its source)."""
        split = words_of(tok, lower)
        if batch.sources is None:
            given = as_called("--src", "src=…")
            raise InputError(f"{self} compares outputs with their sources; the data have none (key source, or {given})")
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
    columns: ClassVar[tuple[str, ...]] = ("copied", "ngrams")

    def rows(self, batch: Batch) -> Array:
        found = []
        for words, source in self._pairs(batch, self.tok, self.lower):
            copied = self._copied(words, source)
            found.append((sum(copied), len(copied)))
        return np.array(found, dtype=np.float64).reshape(-1, 2)

    def _copied(self, words: Sequence[str], source: Sequence[str]) -> list[bool]:
        """Of each n-gram whether the source has it."""
        known = set(_ngrams(source, self.order))
        return [ngram in known for ngram in _ngrams(words, self.order)]

    def explained(self, batch: Batch) -> Explanation:
        """Which words are in n-grams that the source has."""
        ((words, source),) = self._pairs(batch, self.tok, self.lower)
        copied = self._copied(words, source)
        what = "single words" if self.order == 1 else f"{self.order}-grams"
        levels = _covered([place for place, known in enumerate(copied) if known], self.order, len(words))
        part = Passage("The output and what it copies", tuple(words), levels, ("its own", f"copied {what}"))
        figure = Figure("copied", float(sum(copied)), f"of {len(copied)} {what}, from {len(source)} words")
        row = [sum(copied), len(copied)]
        return Explanation.of(self, batch, row, figures=[figure], parts=[part])

    def score(self, totals: Array) -> Array:
        return ratio(totals[..., 0], totals[..., 1])


def _ngrams(words: Sequence[str], order: int) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + order]) for at in range(len(words) - order + 1)]


def _covered(starts: Sequence[int], length: int, size: int) -> tuple[int, ...]:
    """1 for each of `size` places within `length` places from one of the starts, 0 elsewhere."""
    steps = np.zeros(size + 1, dtype=np.int64)
    np.add.at(steps, np.array(starts, dtype=np.int64), 1)
    np.add.at(steps, np.array(starts, dtype=np.int64) + length, -1)
    return tuple((steps.cumsum()[:size] > 0).astype(int).tolist())


@dataclass(frozen=True)
class Fragments(_FromSource):
    """Extractive fragments: share of words copied from the source (coverage), or length of their runs (density).

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
    columns: ClassVar[tuple[str, ...]] = ("coverage", "density", "texts")

    def rows(self, batch: Batch) -> Array:
        found = []
        for words, source in self._pairs(batch, self.tok, self.lower):
            found.append(_statistics(words, [length for _, length in fragments(words, source)]))
        return np.array(found, dtype=np.float64).reshape(-1, 3)

    def explained(self, batch: Batch) -> Explanation:
        """Which runs of words the source has as well."""
        ((words, source),) = self._pairs(batch, self.tok, self.lower)
        runs = fragments(words, source)
        levels = [0] * len(words)
        for number, (at, length) in enumerate(runs):
            levels[at : at + length] = [1 + number % 2] * length
        legend = ("its own", "copied in one run", "copied in the next run")
        part = Passage("The output and the runs it copies", tuple(words), tuple(levels), legend)
        row = _statistics(words, [length for _, length in runs])
        sizes = ", ".join(str(length) for _, length in runs[:20]) + (", …" if len(runs) > 20 else "")
        figures = [
            Figure("runs", float(len(runs)), f"of {sizes} words" if runs else ""),
            Figure("coverage", row[0], "share of the output's words"),
            Figure("density", row[1], "mean length of the run that a word stands in"),
        ]
        return Explanation.of(self, batch, row, figures=figures, parts=[part])

    def score(self, totals: Array) -> Array:
        return ratio(totals[..., 0 if self.output == "coverage" else 1], totals[..., 2])


def _statistics(words: Sequence[str], runs: Sequence[int]) -> tuple[float, float, float]:
    """Coverage, density, and whether there is a text at all."""
    n = max(len(words), 1)
    return sum(runs) / n, sum(run * run for run in runs) / n, float(bool(words))


def fragments(words: Sequence[str], source: Sequence[str]) -> list[tuple[int, int]]:
    """(place, length) of the runs that greedy matching finds, from the left.

    The longest run from a place is as far as an automaton of all the source's runs can be followed, so that
    the time grows with the lengths and not with their product, however often words are repeated.
    """
    automaton = _runs_of(source) if words else [{}]
    found, at = [], 0
    while at < len(words):
        state, end = 0, at
        while end < len(words) and words[end] in automaton[state]:
            state = automaton[state][words[end]]
            end += 1
        if end > at:
            found.append((at, end - at))
        at = max(end, at + 1)
    return found


def _runs_of(words: Sequence[str]) -> list[dict[str, int]]:
    """The suffix automaton of a text (Blumer et al. 1985): from state 0, exactly the text's runs can be followed."""
    follow: list[dict[str, int]] = [{}]
    longest, suffix = [0], [-1]
    last = 0
    for word in words:
        new = len(follow)
        follow.append({})
        longest.append(longest[last] + 1)
        suffix.append(0)
        state = last
        while state >= 0 and word not in follow[state]:
            follow[state][word] = new
            state = suffix[state]
        if state >= 0:
            target = follow[state][word]
            if longest[target] > longest[state] + 1:  # part the state: only its shorter runs end here as well
                copy = len(follow)
                follow.append(dict(follow[target]))
                longest.append(longest[state] + 1)
                suffix.append(suffix[target])
                suffix[target] = copy
                while state >= 0 and follow[state].get(word) == target:
                    follow[state][word] = copy
                    state = suffix[state]
                target = copy
            suffix[new] = target
        last = new
    return follow
