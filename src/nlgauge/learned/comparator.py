"""Which of two texts is better, or that one cannot tell (Zhou and Xu 2020).

Together, as in the paper, an encoder reads both texts, each after its context, in both orders, and three numbers stand
for the outcomes; they are averaged over the orders. Apart, it reads each text by itself after its context and gives it
a strength and an inclination to tie; of two texts the difference of strengths decides, with ties as Davidson (1970)
has them. Either way what is said of A and B is what is said of B and A turned round, and a text ties with itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError, counted
from nlgauge.kernels.batch import Batch
from nlgauge.learned.form import Arrays
from nlgauge.learned.paired import Paired
from nlgauge.models.kept_pairs import Pair
from nlgauge.text.sentences import sentences

Reads = Literal["together", "apart"]
A, B, TIE = 0, 1, 2  # the outcomes, as columns of probabilities
WORDS = 250  # of a text that are read
_TURNED = [B, A, TIE]
_WIDTH = {"together": 3, "apart": 2}


@dataclass(frozen=True)
class Written:
    """A text, and what it was written for."""

    text: str
    context: str = ""


@dataclass(frozen=True, eq=False)
class Comparator(Paired):
    """An encoder that compares."""

    kind: ClassVar[str] = "comparator"
    READS: ClassVar[tuple[str, ...]] = get_args(Reads)
    CUT_FIRST: ClassVar[tuple[str, ...]] = ("apart",)
    words: int = WORDS
    _cut: set[str] = field(default_factory=set, repr=False)

    @property
    def needs(self) -> tuple[str, ...]:
        return ()

    def logits(self, ones: Sequence[Written], others: Sequence[Written]) -> Array:
        """What the outcomes are made of, (n, 3), the same for both orders but turned round."""
        if self.reads == "apart":
            # texts of one context side by side
            made = self.alone([text for pair in zip(ones, others, strict=True) for text in pair])
            return davidson(made[0::2], made[1::2])
        return (self.in_order(ones, others) + self.in_order(others, ones)[:, _TURNED]) / 2

    def in_order(self, ones: Sequence[Written], others: Sequence[Written]) -> Array:
        """The same as it is said of one order alone, in which a place may be favoured."""
        if self.reads == "apart":
            return self.logits(ones, others)
        pairs = zip(map(self._joined, ones), map(self._joined, others), strict=True)
        return self._scores.scores(list(pairs))

    def probabilities(self, ones: Sequence[Written], others: Sequence[Written]) -> Array:
        """Of each outcome, (n, 3): the first is better, the other is, neither."""
        return softmax(self.logits(ones, others))

    def alone(self, texts: Sequence[Written]) -> Array:
        """Of each text by itself, (n, 2): its strength, and its inclination to tie; for those that read apart."""
        return self._scores.scores([self._pair(text) for text in texts])

    def predict(self, batch: Batch) -> Array:
        if self.reads == "together":
            raise InputError("a comparator that reads two texts together gives none of them a score")
        contexts = batch.sources or [None] * len(batch.hypotheses)
        return self.alone(
            [Written(text, context_of(source)) for text, source in zip(batch.hypotheses, contexts, strict=True)]
        )[:, 0]

    @property
    def cut(self) -> int:
        """Texts that were cut since the last remarks."""
        return len(self._cut)

    def remarks(self) -> list[str]:
        said = super().remarks()
        if self._cut:
            texts = counted(len(self._cut), "text")
            said.append(f"{texts} longer than {self.words} words cut at the nearest sentence")
            self._cut.clear()
        return said

    def settings(self) -> dict[str, Any]:
        return {**super().settings(), "words": self.words}

    @classmethod
    def of(cls, settings: Mapping[str, Any], arrays: Arrays, folder: Path) -> Self:
        made = super().of(settings, arrays, folder)
        if made.width != _WIDTH[made.reads]:
            raise InputError(f"{folder} has a head of {made.width} numbers; is it whole?")
        return replace(made, words=int(settings["words"]), _cut=set())

    def _pair(self, written: Written) -> Pair:
        return written.context, self._shortened(written.text)

    def _joined(self, written: Written) -> str:
        return joined(written.context, self._shortened(written.text))

    def _shortened(self, text: str) -> str:
        made = shortened(text, self.words)
        if made != text:
            self._cut.add(text)
        return made


def joined(context: str, text: str) -> str:
    """A text after its context."""
    return f"{context} {text}" if context else text


def shortened(text: str, words: int) -> str:
    """A text of more words than these cut at the sentence whose end is nearest to them; at the words where none is."""
    if len(text) <= 2 * words or len(text.split()) <= words:  # n words have 2n - 1 signs at least
        return text
    kept: list[str] = []
    number = 0
    for sentence in sentences(text):
        more = len(sentence.split())
        if number + more - words > words - number:
            break
        kept.append(sentence)
        number += more
    return " ".join(kept) if kept else " ".join(text.split()[:words])


def context_of(source: Any) -> str:
    """A source as a context: a text as it is, turns or values one after the other."""
    if source is None:
        return ""
    if isinstance(source, str):
        return source
    if isinstance(source, Mapping):
        return ", ".join(f"{key}: {context_of(value)}" for key, value in source.items())
    if isinstance(source, Sequence):
        return "\n".join(map(context_of, source))
    return str(source)


def davidson(ones: Array, others: Array) -> Array:
    """The logits of the outcomes, (n, 3), of texts that were each read by itself: strength and inclination to tie."""
    half = (ones[:, 0] - others[:, 0]) / 2
    return np.stack([half, -half, ones[:, 1] + others[:, 1]], axis=1)


def softmax(logits: Array) -> Array:
    """Probabilities of each row."""
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    made: Array = raised / raised.sum(axis=1, keepdims=True)
    return made


def verdicts(probabilities: Array) -> NDArray[np.int64]:
    """The likeliest outcome of each row; a tie where both texts are as likely to be the better one."""
    found = probabilities.argmax(axis=1)
    return np.where(probabilities[:, A] == probabilities[:, B], TIE, found)
