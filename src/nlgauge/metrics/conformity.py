"""conformity: whether an output follows the rules by which a controlled corpus was made, and says its input.

Van Miltenburg, van der Lee, Castro Ferreira and Krahmer (2020, section 5.4) propose to judge systems by the rules that
made their training data, and leave partial credit open. Here it is 1 less the least edits of words to a text that
conforms and says the input, divided by the words of the shortest such text, and no less than 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from nlgauge.corpus.conform import EXAMPLE, checker
from nlgauge.corpus.conform.parsing import Fact
from nlgauge.corpus.reading import parse_source
from nlgauge.errors import InputError
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, MeanMetric, mean_rows, option


def _check(value: str) -> str | None:
    fine = value == EXAMPLE or any(sign in value for sign in "./\\")
    return None if fine else f"{EXAMPLE}, a manifest.json, a configuration (.yaml), or a corpus with templates"


@dataclass(frozen=True)
class Conformity(MeanMetric):
    """How far outputs follow the rules of a controlled corpus and say their input.

    The source is a list of triples. `credit=strict` counts outputs that conform; `partial` gives those that almost do
    their share, by the least edits.
    """

    rules: str = option(
        EXAMPLE,
        "what nlgauge corpus generate wrote (manifest.json), its configuration, or a corpus with templates; example is "
        "the one that comes with nlgauge",
        check=_check,
    )
    credit: str = option("partial", "partial, or strict: conforming or not", choices=("partial", "strict"))

    name: ClassVar[str] = "conformity"
    needs: ClassVar[tuple[str, ...]] = ("source",)
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    cite: ClassVar[str] = (
        "van Miltenburg, van der Lee, Castro Ferreira and Krahmer (2020), Evaluation rules! On the use of grammars and "
        "rule-based systems for NLG evaluation. EvalNLGEval."
    )
    reference: ClassVar[str] = "this definition"

    @property
    def reads_files(self) -> tuple[str, ...]:
        return () if self.rules == EXAMPLE else (self.rules,)

    def rows(self, batch: Batch) -> Array:
        checks = checker(self.rules)
        scores = []
        for number, text in enumerate(batch.hypotheses):
            edits, credit = checks.credit(text, _triples(batch, number))
            scores.append(float(edits == 0) if self.credit == "strict" else credit)
        return mean_rows(scores)


def _triples(batch: Batch, number: int) -> list[Fact]:
    source: Any = (batch.sources or [])[number]
    triples = parse_source(source, batch.place(number))
    if not triples:
        raise InputError(
            f"{batch.place(number)}: the source is no list of triples; expected [[subject, predicate, object], …]"
        )
    return [(triple.subject, triple.predicate, triple.object) for triple in triples]
