"""Texts as numbers of one growing table of words, for metrics that look words up in dictionaries.

A word is looked up once however often it occurs; the aligners then compare numbers.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass

from nlgauge.kernels.batch import Batch


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
