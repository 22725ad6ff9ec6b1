"""Novelty: how much of what a system says is not in the references, or not in a training text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from nlgauge.arrays import Bools
from nlgauge.errors import InputError
from nlgauge.io.files import text_lines
from nlgauge.kernels.lanes import packed
from nlgauge.kernels.pool import Ngrams, Pool, pooled
from nlgauge.metrics.base import Array, option
from nlgauge.metrics.diversity import TypeCounter, ratio
from nlgauge.metrics.sets import SetMetric, SetScorer

LINES = 8192


def _check_file(value: str) -> str | None:
    fine = not value or any(sign in value for sign in "./\\")
    if fine and {".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet"} & set(Path(value).suffixes):
        # its keys and quotation marks would be taken for words
        return "a plain text file, one text a line, not a data file"
    return None if fine else "empty, or the name of a text file with its ending, such as train.txt"


@dataclass(frozen=True)
class Novelty(SetMetric):
    """The share of the outputs' different n-grams (or of all their n-grams) that no reference of the set has.

    `train` names a text file to look in instead of the references: how much of the output was not in the training
    data. What is looked in stays as it is in resampling: only outputs are left out or swapped.

    >>> round(Novelty(order=1).corpus(["a b c", "c c"], [["a b"], ["d"]]), 4)
    0.3333
    """

    order: int = option(1, "length of the n-grams", low=1, high=20)
    count: str = option("types", "different n-grams (types), or every occurrence (tokens)", choices=("types", "tokens"))
    train: str = option(
        "", "a text file to look in, one text a line; empty: all references of the set", check=_check_file
    )

    name: ClassVar[str] = "novelty"
    needs: ClassVar[tuple[str, ...]] = ("references",)
    cite: ClassVar[str] = (
        "See, Liu and Manning (2017), Get to the point: summarization with pointer-generator networks. ACL (novel "
        "n-grams)."
    )
    reference: ClassVar[str] = "this definition"
    at: ClassVar[str | None] = "order"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.train:
            object.__setattr__(self, "needs", ("outputs",))

    @property
    def reads_files(self) -> tuple[str, ...]:
        return (self.train,) if self.train else ()

    def known(self, references: Iterable[Sequence[str]]) -> Iterable[str]:
        return _lines(self.train) if self.train else (text for texts in references for text in texts)

    def scorer(self, texts: Pool, known: Pool | None = None) -> SetScorer:
        if known is None:
            known = Pool(np.zeros(0, dtype=np.int64), np.zeros(1, dtype=np.int64))
        return _NoveltyScorer(texts, known, self.order, self.count == "types")


def _lines(path: str) -> Iterator[str]:
    empty = True
    for _, lines in text_lines(path, LINES):
        empty = empty and not any(map(str.strip, lines))
        yield from lines
    if empty:
        raise InputError(f"{path} has no text, so all would be new; expected the training texts, one a line")


class _NoveltyScorer(SetScorer):
    def __init__(self, texts: Pool, known: Pool, order: int, types: bool) -> None:
        super().__init__(len(texts))
        ngrams = pooled([texts, known]).ngrams(order)
        mine = ngrams.texts < self.size
        new = ~np.isin(ngrams.kinds, ngrams.kinds[~mine]) & mine
        self._all, self._new = (_part(ngrams, which, self.size) for which in (mine, new))
        self._types = (TypeCounter(self._all, self.size), TypeCounter(self._new, self.size)) if types else None

    def scores(self, chosen: Bools) -> Array:
        if self._types is None:
            numbers = np.stack([self._all.counts, self._new.counts], axis=1).astype(np.float64)
            sums = chosen.astype(np.float64) @ numbers
            return ratio(sums[:, 1], sums[:, 0])
        words = packed(chosen)
        every, new = (counter(chosen, words)[0] for counter in self._types)
        return ratio(new, every)


def _part(ngrams: Ngrams, which: Bools, size: int) -> Ngrams:
    kinds = np.unique(ngrams.kinds[which], return_inverse=True)[1].astype(np.int64).reshape(-1)
    texts = ngrams.texts[which]
    return Ngrams(kinds, texts, np.bincount(texts, minlength=size).astype(np.int64))
