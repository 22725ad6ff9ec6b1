"""ROUGE-C (He et al. 2008): ROUGE with the source in the place of reference summaries.

A summary is compared with the document or documents it summarises and, where γ (`gamma`) is above 0, with the
query it answers as well: ROUGE-C = γ · ROUGE(summary, query) + (1 - γ) · ROUGE(summary, document). The score
is recall, as surveys quote the original, of which only the abstract was at hand: the n-grams of the summary that match
over those of the source. Since a source is much longer than its summary, values are small, and they compare summaries
of about the same length only (precision, `.p`, says what share of a summary is copied from its source).

Several documents are joined as ROUGE joins several references, by default pooled: matches and n-grams are summed
(Lin 2004, section 2). No program of the authors is at hand: the kinds of ROUGE are this project's own, which equal
rouge_score 0.1.2 (n, l, lsum) and ROUGE-1.5.5 (w, s, su).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nlgauge.errors import InputError
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, option
from nlgauge.metrics.explanation import Explanation
from nlgauge.metrics.rouge import MULTI, Rouge, RougeBase, RougeL, RougeLsum
from nlgauge.metrics.rouge155 import RougeS, RougeSU, RougeW

_KINDS: dict[str, Callable[..., RougeBase]] = {
    "n": Rouge,
    "l": RougeL,
    "lsum": RougeLsum,
    "w": RougeW,
    "s": RougeS,
    "s4": lambda **shared: RougeS(skip=4, **shared),
    "su": RougeSU,
    "su4": lambda **shared: RougeSU(skip=4, **shared),
}
_SHARED = ("tok", "stem", "multi", "jackknife", "beta")
_EXPECTED = (
    'expected the document as a text, a list of texts, or an object {"document": …, "query": …} whose document is '
    "either of these"
)


@dataclass(frozen=True)
class RougeC(RougeBase):
    """ROUGE against the source document, and the query where there is one, instead of reference summaries.

    Recall by default; a query stands beside its document: {"document": "…", "query": "…"}. The formula is the one
    surveys quote: of the paper only the abstract was at hand, and the authors' weight of the query is not known to us.

    >>> document = "the cat sat on the mat . the dog slept ."
    >>> round(RougeC().corpus(["the cat slept"], sources=[document]), 3)
    0.333
    """

    kind: str = option("n", "which ROUGE: n-grams, l, lsum, w, or skip-bigrams", choices=tuple(_KINDS))
    limit: int = option(0, "words kept of each summary, split at white space; 0 keeps all", low=0)
    order: int = option(1, "length of the n-grams of kind n", low=1, high=255)
    gamma: float = option(0.0, "γ, the weight of the query; 0 leaves it out", low=0, high=1)
    multi: str = option("pooled", "how several documents are joined", choices=MULTI)
    output: str = option("r", "which of precision, recall and F is the score", choices=("p", "r", "f1"), scoring=True)

    name = "rougeC"
    at = "order"
    needs = ("source",)
    cite = (
        "He, Chen, Ma, Gui, Li, Shao and Wang (2008), ROUGE-C: a fully automated evaluation method for "
        "multi-document summarization. IEEE GrC."
    )
    reference = "the definition as surveys quote it, no program being at hand, over rouge_score 0.1.2 and ROUGE-1.5.5"

    def rows(self, batch: Batch) -> Array:
        sources = [_read(batch, number) for number in range(len(batch))]
        rows = self._against(batch, [documents for documents, _ in sources])
        if self.gamma == 0:
            return rows
        queries = []
        for number, (_, query) in enumerate(sources):
            if query is None:
                raise InputError(
                    f"{batch.place(number)} has no query, which gamma={self.gamma:g} gives a weight; give the source "
                    'as {"document": …, "query": …}, or leave gamma at 0'
                )
            queries.append([query])
        mixed: Array = self.gamma * self._against(batch, queries) + (1 - self.gamma) * rows
        mixed[:, -1] = 1  # the number of segments, whatever the rounding
        return mixed

    def explained(self, batch: Batch) -> Explanation:
        """What the chosen ROUGE shows of the summary beside its documents, and beside its query."""
        self.rows(batch)  # refuses what cannot be scored
        documents, query = _read(batch, 0)
        told = self._kind().explained(self._beside(batch, [documents]))
        row = np.array([value for _, value in told.row])
        figures, parts = list(told.figures), list(told.parts)
        notes = ["the references shown are the documents of the source", *told.notes]
        if self.gamma and query is not None:
            asked = self._kind().explained(self._beside(batch, [[query]]))
            row = self.gamma * np.array([value for _, value in asked.row]) + (1 - self.gamma) * row
            row[-1] = 1
            figures += [replace(figure, name=f"{figure.name}, query") for figure in asked.figures]
            parts += [replace(part, title=f"{part.title} (the query)") for part in asked.parts]
            notes.append(f"the score is {self.gamma:g} · query + {1 - self.gamma:g} · documents")
        shown = Batch(batch.hypotheses, [documents], sources=batch.sources)
        return Explanation.of(self, shown, row, figures=figures, parts=parts, notes=notes, counted=told.counted)

    def _against(self, batch: Batch, texts: Sequence[Sequence[str]]) -> Array:
        return self._kind().rows(self._beside(batch, texts))

    def _kind(self) -> RougeBase:
        """The ROUGE that compares."""
        shared = {key: getattr(self, key) for key in _SHARED}
        if self.kind == "n":
            shared["order"] = self.order
        return _KINDS[self.kind](**shared)

    def _beside(self, batch: Batch, texts: Sequence[Sequence[str]]) -> Batch:
        """The summaries with other texts in the place of references."""
        # `limit` cuts the summary, never the document it is compared with
        summaries = self._limited(Batch(batch.hypotheses, [()] * len(batch))).hypotheses
        return Batch(summaries, texts, jobs=batch.jobs)


def _read(batch: Batch, number: int) -> tuple[list[str], str | None]:
    """The documents and the query of a segment."""
    source: Any = (batch.sources or [])[number]
    query: Any = None
    if isinstance(source, dict):
        unknown = sorted(set(source) - {"document", "query"}, key=str)
        if unknown or "document" not in source:
            found = f"the key {unknown[0]!r}" if unknown else "no key document"
            raise InputError(f"{batch.place(number)} has a source with {found}; {_EXPECTED}")
        source, query = source["document"], source.get("query")
    documents = [source] if isinstance(source, str) else source
    if not isinstance(documents, list | tuple) or not all(isinstance(text, str) for text in documents):
        raise InputError(f"{batch.place(number)} has a source that is no text; {_EXPECTED}")
    if not documents:
        raise InputError(f"{batch.place(number)} has a source without a document; {_EXPECTED}")
    if query is not None and not isinstance(query, str):
        raise InputError(f"{batch.place(number)} has a query that is no text; {_EXPECTED}")
    return list(documents), query
