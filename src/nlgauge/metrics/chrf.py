"""chrF, the character n-gram F-score (Popović 2015), with word n-grams as chrF+ and chrF++ (Popović 2017).

Equal to sacreBLEU 2.6 in every option. Of several references a segment counts with the one that scores best.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nlgauge.errors import SpecError
from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.python import ngram as plain
from nlgauge.metrics.base import Array, Metric, option
from nlgauge.metrics.explanation import Explanation, Figure, Ngrams, Passage
from nlgauge.metrics.matching import compared, covered, ngrams, order_title

_EPS = 1e-16  # stands for a ratio without a denominator, as in chrF++.py


@dataclass(frozen=True)
class Chrf(Metric):
    """F-score of character (and word) n-gram precision and recall, each averaged over the orders.

    >>> round(Chrf().corpus(["The cat sat."], [["The cat sat down."]]), 2)
    61.01
    """

    char: int = option(6, "largest order of character n-grams", low=0, high=255)
    word: int = option(0, "largest order of word n-grams: 1 is chrF+, 2 is chrF++", low=0, high=255)
    beta: float = option(2.0, "how many times recall counts more than precision", low=0)
    lower: bool = option(False, "lower-case both sides first")
    whitespace: bool = option(False, "let character n-grams run over white space")
    eps: bool = option(
        False, "average the F-score of each order, an empty one counting as 1e-16 (chrF++.py, Moses, NLTK)"
    )

    name = "chrf"
    bounds = (0.0, 100.0)
    cite = (
        "Popović (2015), chrF: character n-gram F-score for automatic MT evaluation. WMT; Popović (2017), chrF++: "
        "words helping character n-grams. WMT."
    )
    reference = "sacreBLEU 2.6"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.char + self.word == 0:
            raise SpecError("the fields char and word of chrf are both 0; at least one order must be counted")

    @property
    def columns(self) -> tuple[str, ...]:
        orders = [f"char{n + 1}" for n in range(self.char)] + [f"word{n + 1}" for n in range(self.word)]
        return tuple(f"{side}_{order}" for order in orders for side in ("hypothesis", "reference", "match"))

    def rows(self, batch: Batch) -> Array:
        return active().chrf_rows(
            batch.hypotheses,
            references=batch.references,
            char_order=self.char,
            word_order=self.word,
            beta=self.beta,
            lower=self.lower,
            whitespace=self.whitespace,
            eps=self.eps,
            jobs=batch.jobs,
        )

    def score(self, totals: Array) -> Array:
        mine, theirs, matched = totals[..., 0::3], totals[..., 1::3], totals[..., 2::3]
        precision = np.divide(matched, mine, out=np.full(matched.shape, _EPS), where=mine > 0)
        recall = np.divide(matched, theirs, out=np.full(matched.shape, _EPS), where=theirs > 0)
        if self.eps:
            mean: Array = self._f(precision, recall, _EPS).sum(axis=-1) / (self.char + self.word)
            return 100 * mean
        counted = (mine > 0) & (theirs > 0)
        orders = np.maximum(counted.sum(axis=-1), 1)
        mean_precision = np.where(counted, precision, 0).sum(axis=-1) / orders
        mean_recall = np.where(counted, recall, 0).sum(axis=-1) / orders
        return 100 * self._f(mean_precision, mean_recall, 0.0)

    def _f(self, precision: Array, recall: Array, otherwise: float) -> Array:
        factor = self.beta * self.beta
        denominator = factor * precision + recall
        product = (1 + factor) * precision * recall
        f: Array = np.divide(product, denominator, out=np.full(product.shape, otherwise), where=denominator > 0)
        return f

    def explained(self, batch: Batch) -> Explanation:
        """The character and word n-grams of each order, against the reference that scores best."""
        found = [self._against(batch.hypotheses[0], reference) for reference in batch.references[0]]
        rows = [self._counts(parts) for parts in found]
        scores = [plain.f_score(row, self.beta, self.eps) for row in rows]
        number = scores.index(max(scores))
        parts, row = found[number], rows[number]
        figures = [
            Figure(
                part.title,
                part.matched,
                f"of {part.hypothesis} in the output, {part.reference} in the reference",
            )
            for part in parts
        ]
        precision, recall = self._means(np.array(row, dtype=np.float64))
        figures += [
            Figure("mean precision", precision, "over the orders both texts have"),
            Figure("mean recall", recall, f"counts {self.beta:g} times as much"),
        ]
        return Explanation.of(
            self,
            batch,
            row,
            figures=figures,
            parts=[self._marked(batch.hypotheses[0], parts[: self.char]), *parts] if self.char else parts,
            counted=(number + 1,),
        )

    def _means(self, row: Array) -> tuple[float, float]:
        mine, theirs, matched = row[0::3], row[1::3], row[2::3]
        counted = (mine > 0) & (theirs > 0)
        if not counted.any():
            return 0.0, 0.0
        return float((matched / np.where(counted, mine, 1))[counted].mean()), float(
            (matched / np.where(counted, theirs, 1))[counted].mean()
        )

    def _against(self, hypothesis: str, reference: str) -> list[Ngrams]:
        mine, theirs = self._units(hypothesis), self._units(reference)
        return [
            *(
                compared(order_title(n, "characters"), ngrams(mine[0], n), ngrams(theirs[0], n), unit="characters")
                for n in range(1, self.char + 1)
            ),
            *(compared(order_title(n), ngrams(mine[1], n), ngrams(theirs[1], n)) for n in range(1, self.word + 1)),
        ]

    def _units(self, text: str) -> tuple[str, list[str]]:
        """The characters and the words that are counted."""
        text = text.lower() if self.lower else text
        return text if self.whitespace else "".join(text.split()), plain.words(text) if self.word else []

    def _counts(self, parts: list[Ngrams]) -> list[int]:
        row = []
        for part in parts:
            # as sacreBLEU: what the reference could not contain does not count against the hypothesis
            row += [part.hypothesis if part.reference else 0, part.reference, part.matched]
        return row

    def _marked(self, text: str, parts: list[Ngrams]) -> Passage:
        """The output's characters by the longest match over each, blanks in their places."""
        text = text.lower() if self.lower else text
        found = covered(list(self._units(text)[0]), parts, "characters")
        if self.whitespace:
            return found
        levels = iter(found.levels)
        return Passage(
            found.title,
            tuple(text),
            tuple(0 if character.isspace() else next(levels) for character in text),
            found.legend,
            "characters",
        )
