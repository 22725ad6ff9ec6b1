"""PARENT: texts from tables, judged by reference and table together (Dhingra et al. 2019).

References of tables say more than the table holds, or less. PARENT's precision therefore counts an n-gram as right
where it stands in the reference, or else as far as the table entails it; its recall weighs the reference's n-grams
by how far the table entails them, and asks beside how much of each value of the table the text mentions (the
longest common subsequence). Both recalls are joined by a weighted geometric mean whose weight λ (`lam`) is fixed
or, with `auto`, one minus the share of the table that the reference itself mentions.

Equal to the authors' table_text_eval.py (google-research/language, 94e93d8; recorded cases of 865fae6). With several
references that program takes precision, recall and F of the reference with the highest F (`multi=best`);
KaijuML/parent takes the highest of each (`multi=highest`). The score of a set is the mean of its segments' scores, as
the authors report it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np

from nlgauge.errors import InputError
from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.python import parent as plain
from nlgauge.metrics.base import Array, Metric, option, ratio
from nlgauge.metrics.cooccurrence import Cooccurrence, check_file
from nlgauge.metrics.explanation import Cell, Cells, Explanation, Figure, Part, Passage
from nlgauge.metrics.matching import common_subsequence, segment_words
from nlgauge.text import tables, tokenizers
from nlgauge.text.tables import Table, TableError

_OUTPUTS = ("p", "r", "f1")
_OVERLAP = "overlap"
_HEURISTIC = -1.0  # the kernel's sign for λ by the heuristic


def _check_lam(value: str) -> str | None:
    try:
        fits = value == "auto" or 0 <= float(value) <= 1
    except ValueError:
        fits = False
    return None if fits else "auto, or a number from 0 to 1"


def _check_entailment(value: str) -> str | None:
    return None if value == _OVERLAP else check_file(value)


@dataclass(frozen=True)
class Parent(Metric):
    """n-gram precision and recall of a text against references and the table it was written from.

    The source is a table: rows [attribute, value] or [entity, attribute, value], an object, or name[value] as text.

    >>> table = [["name", "michael dahlquist"], ["born", "december 22 , 1965"], ["occupation", "drummer"]]
    >>> text, reference = "michael dahlquist was a drummer", "michael dahlquist was a drummer from seattle"
    >>> round(Parent().corpus([text], [[reference]], sources=[table]), 3)
    0.847
    """

    order: int = option(4, "longest n-grams", low=1, high=100)
    lam: str = option(
        "auto",
        "λ, the weight of the recall of the table: a number from 0 to 1, or auto (by the reference)",
        check=_check_lam,
    )
    entailment: str = option(
        _OVERLAP,
        "how likely the table entails a word: overlap, or a file of co-occurrence counts or of tables with texts",
        check=_check_entailment,
    )
    smooth: float = option(1e-5, "what replaces a precision or recall of 0 beyond single words", low=0, high=1)
    multi: str = option(
        "best",
        "several references: best (all of the one with the highest F) or highest (of each its highest)",
        choices=("best", "highest"),
    )
    tok: str = option("none", "tokeniser of texts and values", check=tokenizers.check)
    lower: bool = option(True, "lower-case before tokenising, as the authors' program does")
    output: str = option("f1", "which of precision, recall and F is the score", choices=_OUTPUTS, scoring=True)
    counts: Cooccurrence | None = dataclasses.field(default=None, repr=False, compare=False)

    name = "parent"
    needs = ("references", "source")
    cite = (
        "Dhingra, Faruqui, Parikh, Chang, Das and Cohen (2019), Handling divergent reference texts when evaluating "
        "table-to-text generation. ACL."
    )
    reference = "google-research/language table_text_eval (94e93d8); KaijuML/parent with multi=highest"
    at = "order"
    columns = ("precision", "recall", "f", "segments")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.lam != "auto":  # one spelling for one number
            object.__setattr__(self, "lam", repr(abs(float(self.lam))).removesuffix(".0"))

    @property
    def reads_files(self) -> tuple[str, ...]:
        return () if self.entailment == _OVERLAP else (self.entailment,)

    @property
    def needs_prepare(self) -> bool:
        return self.entailment != _OVERLAP

    def prepare(self, corpus: Iterable[Batch]) -> Self:
        if not self.needs_prepare:
            return self
        return dataclasses.replace(self, counts=Cooccurrence.of(self.entailment, self.tok, self.lower))

    def rows(self, batch: Batch) -> Array:
        found = [_table(batch, number) for number in range(len(batch))]
        joined = Batch(
            batch.hypotheses,
            [[*texts, *table.values] for texts, table in zip(batch.references, found, strict=True)],
            jobs=batch.jobs,
        )
        return active().parent_rows(
            joined.tokens(self.tok, lower=self.lower),
            np.fromiter(map(len, batch.references), dtype=np.int64, count=len(batch)),
            self._chances(batch, found),
            self.order,
            _HEURISTIC if self.lam == "auto" else float(self.lam),
            self.smooth,
            self.multi,
            batch.jobs,
        )

    def score(self, totals: Array) -> Array:
        return ratio(totals[..., _OUTPUTS.index(self.output)], totals[..., 3])

    def explained(self, batch: Batch) -> Explanation:
        """Which words reference or table support, and which cells of the table the text mentions."""
        table = _table(batch, 0)
        count = len(batch.references[0])
        every = Batch(batch.hypotheses, [[*batch.references[0], *table.values]])
        words, others = segment_words(every, self.tok, lower=self.lower)
        values = others[count:]
        filled = [value for value in values if value]
        inside = {word for value in filled for word in value}
        given = self._chances(batch, [table])
        chances = iter(()) if given is None else iter(given.tolist())
        texts = [
            plain.Text(text, [float(word in inside) if given is None else next(chances) for word in text])
            for text in (words, *others[:count])
        ]
        weight = _HEURISTIC if self.lam == "auto" else float(self.lam)
        options = plain.Options(self.order, weight, self.smooth, given is None)
        found = [plain.segment_score(texts[0], reference, filled, options) for reference in texts[1:]]
        best = max(range(count), key=lambda k: found[k][2])
        cells = _cells(table, values, words)
        precision, recall, f = found[best]
        if self.multi == "highest":
            precision, recall, f = (max(column) for column in zip(*found, strict=True))
        figures = [
            *self._orders(texts[0], texts[best + 1], options),
            Figure(
                "table mentioned",
                _mean([cell.found for cell in cells.cells if cell.value]),
                "mean over the cells",
            ),
            Figure("λ", plain.table_weight(filled, texts[best + 1], options), "weight of the table in the recall"),
            Figure("precision", precision),
            Figure("recall", recall),
            Figure("F", f),
        ]
        parts: list[Part] = [_supported(words, others[best], inside), cells]
        notes = (
            ["of each figure the highest over the references counts"] if self.multi == "highest" and count > 1 else []
        )
        row = [precision, recall, f, 1.0]
        counted = () if notes else (best + 1,)
        return Explanation.of(self, batch, row, figures=figures, parts=parts, notes=notes, counted=counted)

    def _orders(self, hypothesis: plain.Text, reference: plain.Text, options: plain.Options) -> list[Figure]:
        figures = []
        for n in range(1, self.order + 1):
            precision = plain.precision_of(hypothesis, reference, n, options)
            recall = plain.recall_of(hypothesis, reference, n, options)
            figures += [
                Figure(f"precision {n}", precision, "n-grams in the reference, or entailed by the table"),
                Figure(f"recall {n}", recall, "of the reference's n-grams, as far as the table entails them"),
            ]
        return figures

    def _chances(self, batch: Batch, found: list[Table]) -> Array | None:
        """How likely each table entails each word of its texts; None where the kernel sees it by itself."""
        if self.entailment == _OVERLAP:
            return None
        counts = self.counts or Cooccurrence.of(self.entailment, self.tok, self.lower)
        chances: list[float] = []
        for hypothesis, references, table in zip(batch.hypotheses, batch.references, found, strict=True):
            chances += counts.chances((hypothesis, *references), table)
        return np.array(chances, dtype=np.float64)


def _table(batch: Batch, number: int) -> Table:
    try:
        return tables.read((batch.sources or [])[number])
    except TableError as error:
        raise InputError(f"{batch.place(number)}: {error}") from None


def _mean(shares: list[float]) -> float:
    return sum(shares) / len(shares) if shares else 0.0


def _supported(words: list[str], reference: list[str], table: set[str]) -> Passage:
    """The output's words by who has them."""
    legend = ("neither has it", "in the table", "in the reference", "in both")
    levels = tuple((word in table) + 2 * (word in reference) for word in words)
    return Passage("The output's words in table and reference", tuple(words), levels, legend)


def _cells(table: Table, values: list[list[str]], words: list[str]) -> Cells:
    cells = []
    for attribute, text, value in zip(table.attributes, table.values, values, strict=True):
        pairs = common_subsequence(words, value)
        shared = tuple(value[theirs] for mine, theirs in pairs if mine is not None and theirs is not None)
        cells.append(Cell("", attribute, text if value else "", len(shared) / max(len(value), 1), shared))
    return Cells("Cells of the table, and how far the output mentions them", tuple(cells))
