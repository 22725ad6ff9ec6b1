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
from nlgauge.metrics.base import Array, Metric, option
from nlgauge.metrics.cooccurrence import Cooccurrence, check_file
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
    smooth: float = option(1e-5, "what replaces a precision or recall of 0 beyond single words", low=0)
    multi: str = option(
        "best",
        "several references: best (all of the one with the highest F) or highest (of each its highest)",
        choices=("best", "highest"),
    )
    tok: str = option("none", "tokeniser of texts and values", check=tokenizers.check)
    lower: bool = option(True, "lower-case before tokenising, as the authors' program does")
    output: str = option(
        "f1", "which of precision, recall and F is the score", choices=_OUTPUTS, scoring=True
    )
    counts: Cooccurrence | None = dataclasses.field(default=None, repr=False, compare=False)

    name = "parent"
    needs = ("references", "source")
    cite = (
        "Dhingra, Faruqui, Parikh, Chang, Das and Cohen (2019), Handling divergent reference texts when evaluating "
        "table-to-text generation. ACL."
    )
    reference = "google-research/language table_text_eval (94e93d8); KaijuML/parent with multi=highest"
    at = "order"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.lam != "auto":  # one spelling for one number
            object.__setattr__(self, "lam", repr(abs(float(self.lam))).removesuffix(".0"))

    @property
    def columns(self) -> tuple[str, ...]:
        return ("precision", "recall", "f", "segments")

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
        total, segments = totals[..., _OUTPUTS.index(self.output)], totals[..., 3]
        return np.divide(total, segments, out=np.zeros(total.shape), where=segments > 0)

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
