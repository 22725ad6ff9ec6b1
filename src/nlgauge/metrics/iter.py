"""ITER, an edit rate after TER with stem matches and costs that can be tuned (Panja and Naskar 2018, "ITER: improving
translation edit rate through optimizable edit costs").

Three things differ from TER. Words that share their stem go together, at a cost of their own between a match and a
substitution. Insertions, deletions, substitutions, stem matches and shifts each have a cost, meant to be fitted to
human judgements of one's own language and task. And the sum is divided by more than the reference's length, so that
a long hypothesis is not punished without bound. The score of a corpus is the mean of its segments', as in the WMT
2018 metrics task; with several references the lowest counts.

The authors published no program, and the costs they fitted belong to their language pairs. The defaults here are
plain: 1 for each edit and shift, half of that for a stem match, and the longer text's length as the divisor. With
`stem=none` and `norm=reference` the numerator is TER's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nlgauge.errors import suggest
from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.python.iter import Costs, rate, trace
from nlgauge.metrics.base import Array, Direction, MeanMetric, option
from nlgauge.metrics.explanation import Edits, Explanation, Figure, Shift, Shifts, ordinal_reference
from nlgauge.metrics.matching import segment_words
from nlgauge.text import tokenizers


def _stemmer(value: str) -> str | None:
    from nlgauge.text.stemmers import STEMMERS

    return None if value in STEMMERS else f"a stemmer ({suggest(value, STEMMERS)})"


@dataclass(frozen=True)
class Iter(MeanMetric):
    """Edit rate with stem matches and costs of one's own; 0 is best, and with the default costs 1 is worst.

    >>> Iter().corpus(["he runs fast"], [["he running fast"]]) * 3
    0.5
    """

    tok: str = option("tercom", "tokeniser", check=tokenizers.check)
    lower: bool = option(True, "lower-case the texts first")
    stem: str = option("porter", "stemmer; none lets only equal words match", check=_stemmer)
    stem_cost: float = option(0.5, "cost of another word with the same stem", low=0.0)
    substitution: float = option(1.0, "cost of another word", low=0.0)
    insertion: float = option(1.0, "cost of a word that only the hypothesis has", low=0.0)
    deletion: float = option(1.0, "cost of a word that only the reference has", low=0.0)
    shift: float = option(1.0, "cost of moving a run of words", low=0.0)
    norm: str = option(
        "longest",
        "divide by the length of the longest text, of the reference, or of the alignment",
        choices=("longest", "reference", "alignment"),
    )

    name: ClassVar[str] = "iter"
    direction: ClassVar[Direction] = "lower"
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    cite: ClassVar[str] = (
        "Panja and Naskar (2018), ITER: improving translation edit rate through optimizable edit costs. WMT."
    )
    reference: ClassVar[str] = "this definition; the authors published no program"

    def rows(self, batch: Batch) -> Array:
        """The lowest rate over the references, and 1."""
        return active().iter_rows(
            batch.tokens(self.tok, lower=self.lower),
            stems=batch.tokens(self.tok, lower=self.lower, stem=self.stem),
            stem=self.stem_cost,
            substitution=self.substitution,
            insertion=self.insertion,
            deletion=self.deletion,
            shift=self.shift,
            norm=self.norm,
            jobs=batch.jobs,
        )

    def explained(self, batch: Batch) -> Explanation:
        """The shifts and the edits that are left, against the reference with the lowest rate."""
        words, references = segment_words(batch, self.tok, lower=self.lower)
        stems, others = segment_words(batch, self.tok, lower=self.lower, stem=self.stem)
        costs = Costs(self.stem_cost, self.substitution, self.insertion, self.deletion, self.shift)
        mine = list(zip(words, stems, strict=True))
        theirs = [list(zip(*pair, strict=True)) for pair in zip(references, others, strict=True)]
        rates = [rate(mine, reference, costs, self.norm) for reference in theirs]
        best = rates.index(min(rates))
        which, found = ordinal_reference(best, len(references)), trace(mine, theirs[best], costs)
        shown = [tuple(word for word, _ in text) for text in found.texts]
        moves = tuple(
            Shift(before[start : start + size], start, before, after)
            for (start, size, _), before, after in zip(found.shifts, shown[:-1], shown[1:], strict=True)
        )
        after = " after the shifts" if moves else ""
        pairs = found.alignment.pairs
        edits = Edits.of(f"Edits against {which}{after}", shown[-1], references[best], pairs)
        alike = sum(
            i is not None
            and j is not None
            and found.texts[-1][i][0] != theirs[best][j][0]
            and found.texts[-1][i][1] == theirs[best][j][1]
            for i, j in pairs
        )
        counted = (
            ("shifts", len(moves), self.shift, "runs of words moved"),
            ("same stem", alike, self.stem_cost, "another form of the word (S below)"),
            ("substitutions", edits.count("substitution") - alike, self.substitution, "replaced"),
            ("insertions", edits.count("insertion"), self.insertion, "only in the output"),
            ("deletions", edits.count("deletion"), self.deletion, "only in the reference"),
        )
        figures = [Figure(name, many, f"{how}, {cost:g} each") for name, many, cost, how in counted]
        lengths = {"reference": len(references[best]), "alignment": len(pairs)}
        length = lengths.get(self.norm, max(len(words), len(references[best])))
        cost = sum(many * cost for _, many, cost, _ in counted)
        figures.append(Figure("length", length, f"by which the cost is divided (norm={self.norm})"))
        row = [cost / max(length, 1), 1.0]
        shifts = [Shifts(f"Shifts towards {which}", moves)] if moves else []
        return Explanation.of(self, batch, row, figures=figures, parts=[*shifts, edits], counted=(best + 1,))
