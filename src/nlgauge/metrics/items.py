"""Overlap of what a parser finds in two texts: the counting that `syntax` and `semantics` share.

A feature names a kind of item, such as a word with its head; a text has each item some number of times. With m the
items that output and reference have in common, each as often as both have it,

    p = m / items of the output      r = m / items of the reference      f1 = 2 m / (items of both)
    overlap = m / (items of both − m)

which is the overlap of Giménez and Màrquez (2007). Items of several lengths (chains) are counted for each length, and
the score is the mean over the lengths that either text has. Where neither text has any item, nothing is missing: 1.
Of several references each feature takes the one with the best f1. The score of a set is made from the sums of all
counts.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from nlgauge import models
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, option, ratio
from nlgauge.metrics.explanation import Explanation, Figure
from nlgauge.metrics.matching import Gram, compared
from nlgauge.metrics.modelled import ModelMetric
from nlgauge.models.interface import Kind, Parse, Parser

Items = Counter[Gram]
Found = Mapping[str, Sequence[Items]]  # feature -> its items, those of each length by themselves
OUTPUTS = {"f1": "F1", "p": "precision", "r": "recall", "overlap": "overlap"}
_COUNTS = ("hypothesis", "reference", "matched")


def output_option() -> Any:
    """The field that says how counts become a score."""
    told = "F1, precision, recall, or matches by items of either text (overlap)"
    return option("f1", told, choices=tuple(OUTPUTS), scoring=True)


class ItemMetric(ModelMetric):
    """Base of the metrics of overlapping items."""

    kind: ClassVar[Kind] = "parser"
    needs: ClassVar[tuple[str, ...]] = ("references", "parser")
    lengths: ClassVar[Mapping[str, int]]  # feature -> how many lengths its items have
    plurals: ClassVar[Mapping[str, str]]  # feature -> what its items are called

    feature: str
    output: str

    @staticmethod
    @abstractmethod
    def items(parse: Parse) -> Found:
        """The items of a text, of every feature."""

    def loaded(self) -> Parser:
        """The parser, loaded once in a process."""
        return models.parser(self.model, purpose=self.name)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(
            f"{feature}{number or ''}_{count}"
            for feature, many in self.lengths.items()
            for number in (range(1, many + 1) if many > 1 else (0,))
            for count in _COUNTS
        )

    def rows(self, batch: Batch) -> Array:
        found = self._found(batch)
        rows = np.zeros((len(batch), len(self.columns)))
        for number, (text, texts) in enumerate(zip(batch.hypotheses, batch.references, strict=True)):
            rows[number] = self._row([_counts(found[text], found[other]) for other in dict.fromkeys(texts)])
        return rows

    def _found(self, batch: Batch) -> dict[str, Found]:
        """The items of each distinct text."""
        texts = list(dict.fromkeys([*batch.hypotheses, *(text for some in batch.references for text in some)]))
        parses = self.loaded().parse(texts)
        return {text: self.items(parse) for text, parse in zip(texts, parses, strict=True)}

    def _row(self, pairs: Sequence[Array]) -> Array:
        """Of the counts with each reference, those of the best for each feature."""
        if len(pairs) == 1:
            return pairs[0]
        row, start = np.zeros(len(self.columns)), 0
        for many in self.lengths.values():
            part = slice(start, start + 3 * many)
            row[part] = max((pair[part] for pair in pairs), key=lambda counts: float(_score(counts, "f1")))
            start += 3 * many
        return row

    def score(self, totals: Array) -> Array:
        return _score(np.asarray(totals, dtype=np.float64)[..., self._part(self.feature)], self.output)

    def void(self, totals: Array) -> str:
        if totals[self._part(self.feature)].any():
            return ""
        return f"neither outputs nor references have {self.plurals[self.feature]}, so there is nothing to score"

    def _part(self, feature: str) -> slice:
        """The columns of a feature."""
        names = list(self.lengths)
        start = 3 * sum(self.lengths[name] for name in names[: names.index(feature)])
        return slice(start, start + 3 * self.lengths[feature])

    def explained(self, batch: Batch) -> Explanation:
        """The items of both texts, those that count, and the other features."""
        found = self._found(batch)
        mine, texts = found[batch.hypotheses[0]], batch.references[0]
        pairs = [_counts(mine, found[text]) for text in texts]
        part = self._part(self.feature)
        best = max(range(len(pairs)), key=lambda number: float(_score(pairs[number][part], "f1")))
        row = self._row(pairs)
        title = f"{self.plurals[self.feature][0].upper()}{self.plurals[self.feature][1:]}"
        several = self.lengths[self.feature] > 1
        sides = zip(mine[self.feature], found[texts[best]][self.feature], strict=True)
        shown = [
            compared(f"{title}, length {number}" if several else title, *both)
            for number, both in enumerate(sides, start=1)
        ]
        row[part] = [count for grams in shown for count in (grams.hypothesis, grams.reference, grams.matched)]
        figures = [
            Figure(f"{OUTPUTS[self.output]} of {said}", float(_score(row[self._part(feature)], self.output)))
            for feature, said in self.plurals.items()
            if row[self._part(feature)].any()
        ]
        counted = (best + 1,) if len(texts) > 1 else ()
        return Explanation.of(self, batch, row, figures=figures, parts=shown, counted=counted)


def _counts(mine: Found, theirs: Found) -> Array:
    """Of every feature and length: items of the output, of the reference, of both."""
    return np.array(
        [
            count
            for feature, lengths in mine.items()
            for items, others in zip(lengths, theirs[feature], strict=True)
            for count in (
                items.total(),
                others.total(),
                sum(min(many, others[item]) for item, many in items.items()),
            )
        ],
        dtype=np.float64,
    )


def _score(counts: Array, output: str) -> Array:
    """From the counts (..., 3 × lengths) of one feature to its score."""
    mine, theirs, matched = counts[..., 0::3], counts[..., 1::3], counts[..., 2::3]
    parts, wholes = {
        "f1": (2 * matched, mine + theirs),
        "p": (matched, mine),
        "r": (matched, theirs),
        "overlap": (matched, mine + theirs - matched),
    }[output]
    there = mine + theirs > 0
    lengths = there.sum(axis=-1)
    mean = ratio(np.where(there, ratio(parts, wholes), 0.0).sum(axis=-1), lengths)
    return np.where(lengths > 0, mean, 1.0)
