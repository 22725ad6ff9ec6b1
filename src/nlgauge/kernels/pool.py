"""Texts as numbered words, and their n-grams as numbers: what scores of a set of texts count."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from nlgauge.arrays import Ints
from nlgauge.kernels import active, backend
from nlgauge.kernels.batch import Batch, knows
from nlgauge.kernels.lanes import spans

# Texts as numbers of one growing table of words, for metrics that look words up in dictionaries.
#
# A word is looked up once however often it occurs; the aligners then compare numbers.


class Numbering(dict[str, int]):
    """word -> number; a new word gets the next one."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


@dataclass(frozen=True)
class NumberedTexts:
    """The texts of a batch: of each segment its hypothesis, then its references."""

    words: array[int]  # int32: the words of all texts, one after another
    text_start: array[int]  # int64: texts + 1 offsets into `words`
    segment_text: array[int]  # int64: segments + 1 offsets into the texts

    def __len__(self) -> int:
        return len(self.segment_text) - 1

    def text(self, number: int) -> array[int]:
        """The words of one text."""
        return self.words[self.text_start[number] : self.text_start[number + 1]]

    def segment(self, number: int) -> tuple[array[int], list[array[int]]]:
        """The hypothesis of a segment and its references."""
        hypothesis, *references = range(self.segment_text[number], self.segment_text[number + 1])
        return self.text(hypothesis), [self.text(text) for text in references]


def number_texts(batch: Batch, numbers: Numbering, split: Callable[[str], list[str]]) -> NumberedTexts:
    """Split every text of the batch, one that repeats only once, and number its words."""
    known: dict[str, list[str]] = {}
    words: list[str] = []
    text_start, segment_text = array("q", [0]), array("q", [0])
    for hypothesis, references in zip(batch.hypotheses, batch.references, strict=True):
        for text in (hypothesis, *references):
            found = known.get(text)
            if found is None:
                found = known[text] = split(text)
            words += found
            text_start.append(len(words))
        segment_text.append(len(text_start) - 1)
    return NumberedTexts(array("i", map(numbers.__getitem__, words)), text_start, segment_text)


def words_of(tok: str, lower: bool) -> Callable[[str], list[str]]:
    """A function that splits one text, in the kernels where they know the tokeniser."""
    if backend() == "python" or not knows(tok, "none"):
        from nlgauge.kernels.python.tokens import splitter

        return splitter(tok, lower, "none")
    kernels = active()
    return lambda text: kernels.tokenize(text, tok, lower, "none")


class Vocabulary:
    """Numbers words in the order they come; texts numbered by one vocabulary can be pooled."""

    def __init__(self, tok: str, *, lower: bool = False) -> None:
        self._split = words_of(tok, lower)
        self._numbers: dict[str, int] = {}

    def pool(self, texts: Iterable[str]) -> Pool:
        """The texts as numbers."""
        numbers = self._numbers
        known: dict[str, list[int]] = {}
        words: list[int] = []
        ends: list[int] = [0]
        for text in texts:
            mine = known.get(text)
            if mine is None:
                mine = known[text] = [numbers.setdefault(word, len(numbers)) for word in self._split(text)]
            words += mine
            ends.append(len(words))
        return Pool(np.array(words, dtype=np.int64), np.array(ends, dtype=np.int64))


@dataclass(frozen=True)
class Pool:
    """Texts one after the other: all their words, and where each text starts (and the last ends)."""

    words: Ints
    starts: Ints

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> Ints:
        """Words of each text."""
        return np.diff(self.starts)

    def same(self, other: Pool) -> bool:
        """Whether both hold the same texts."""
        return np.array_equal(self.words, other.words) and np.array_equal(self.starts, other.starts)

    def ngrams(self, order: int) -> Ngrams:
        """Every n-gram of every text, text by text; n-grams do not cross from one text to the next."""
        kinds = _renumbered(self.words)
        for longer in range(2, order + 1):
            # An n-gram is a pair: the (n - 1)-gram at its start, and its last word.
            last = self.words[longer - 1 :]
            size = int(last.max(initial=0)) + 1
            kinds = _renumbered(kinds[: len(last)] * size + last) if len(last) else kinds[:0]
        counts = np.maximum(self.lengths - order + 1, 0)
        places = spans(self.starts[:-1], counts)
        texts = np.repeat(np.arange(len(self)), counts)
        return Ngrams(_renumbered(kinds[places]), texts, counts)


@dataclass(frozen=True)
class Ngrams:
    """The kind of each n-gram (numbers from 0 up), the text it stands in, and how many each text has."""

    kinds: Ints
    texts: Ints
    counts: Ints


def pooled(pools: Sequence[Pool]) -> Pool:
    """The texts of several pools, in their order."""
    shifts = np.cumsum([0, *(len(pool.words) for pool in pools)])
    starts = [pool.starts[:-1] + shift for pool, shift in zip(pools, shifts, strict=False)]
    return Pool(
        np.concatenate([pool.words for pool in pools]),
        np.concatenate([*starts, shifts[-1:]]).astype(np.int64),
    )


def _renumbered(values: Ints) -> Ints:
    """The values' ranks: equal numbers stay equal, none from 0 to the largest is left out."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64).reshape(-1)
