"""CIDEr and CIDEr-D (Vedantam, Zitnick and Parikh 2015). CIDEr-D equals pycocoevalcap 1.2.

A caption is a vector of n-gram counts, each weighted by how rare the n-gram is: the logarithm of the number of
documents over the number of documents that have it, a document being all references of one item. The score is the
mean cosine over the lengths of n-grams and over the references, times ten.

What COCO's caption kit and its descendants print as "CIDEr" is CIDEr-D (`ciderD`): counts are clipped by the
reference's and captions of another length lose by a Gaussian. `cider` is the measure without either.

Document frequencies come from the references of the corpus, each item counted once, or from a file (`df=PATH`).
They belong to the corpus: with one item every score is 0, and resampling draws segments but keeps the frequencies.
"""

from __future__ import annotations

import dataclasses
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, Self, TypeGuard

from nlgauge.errors import InputError
from nlgauge.io.files import StrPath, at, suffix, text_lines
from nlgauge.io.write import write_jsonl
from nlgauge.kernels import active, use
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.interface import DocumentFrequencies
from nlgauge.metrics.base import CHUNK, Array, MeanMetric, option
from nlgauge.metrics.explanation import Explanation, Figure
from nlgauge.metrics.matching import Gram, compared, covered, largest, ngrams, order_title, segment_words
from nlgauge.text import stemmers, tokenizers

_CORPUS = "corpus"
_EXPECTED = (
    "expected JSON lines: frequencies saved by nlgauge (first line with documents, order, tok, lower and stem), or "
    'rows with "references", each a list of texts'
)


def _check_df(value: str) -> str | None:
    if value == _CORPUS or suffix(value) in (".jsonl", ".ndjson"):
        return None
    return "corpus, or a file of JSON lines (.jsonl, .ndjson, each also .gz or .zst)"


@dataclass(frozen=True)
class _CiderBase(MeanMetric):
    """What both share: tokens, document frequencies, rows of score and 1, and their mean."""

    order: int = option(4, "longest n-grams", low=1, high=100)
    tok: str = option("ptb", "tokeniser; `ptb` is the caption kit's, lower-cased", check=tokenizers.check)
    lower: bool = option(False, "lower-case before tokenising")
    stem: str = option("none", "stemmer", check=stemmers.check)
    df: str = option(
        _CORPUS,
        "document frequencies: of the corpus's references, or a file of frequencies or references",
        check=_check_df,
    )
    frequencies: DocumentFrequencies | None = dataclasses.field(default=None, repr=False, compare=False)

    bounds = (0.0, 10.0)
    cite = "Vedantam, Zitnick and Parikh (2015), CIDEr: consensus-based image description evaluation. CVPR."
    at = "order"

    @property
    def reads_files(self) -> tuple[str, ...]:
        return () if self.df == _CORPUS else (self.df,)

    def prepare(self, corpus: Iterable[Batch]) -> Self:
        if self.df != _CORPUS:
            return dataclasses.replace(self, frequencies=_read(self.df, self))
        frequencies = active().document_frequencies(self.order)
        for batch in corpus:
            frequencies.add(batch.tokens(self.tok, lower=self.lower, stem=self.stem))
        frequencies.finish()
        return dataclasses.replace(self, frequencies=frequencies)

    def _told(self, batch: Batch, sigma: float, clip: bool) -> Explanation:
        """The n-grams of each order with their idf and what each adds to the score."""
        from nlgauge.kernels.python import cider as plain

        table = self.frequencies
        if not isinstance(table, plain.DocumentFrequencies):
            raise InputError(
                'CIDEr shows its n-grams when it was prepared with the plain kernels: with kernels.use("python"): …'
            )
        words, references = segment_words(batch, self.tok, lower=self.lower, stem=self.stem)
        mine = plain.vector(words, table, self.order)
        others = [plain.vector(reference, table, self.order) for reference in references]
        found = [plain.similarities(mine, theirs, sigma, clip) for theirs in others]
        shares: dict[Gram, float] = defaultdict(float)
        for theirs in others:
            for gram, part in plain.products(mine, theirs, sigma, clip).items():
                shares[gram] += 10 * part / self.order / len(references)
        parts = [
            compared(
                order_title(n),
                ngrams(words, n),
                largest(ngrams(reference, n) for reference in references),
                weights=partial(plain.idf, table),
                shares=shares.__getitem__,
            )
            for n in range(1, self.order + 1)
        ]
        totals = [_added(counts[n] for counts in found) for n in range(self.order)]
        figures = [
            Figure(f"similarity {n}", total / len(references), f"{order_title(n)}, mean over the references")
            for n, total in enumerate(totals, start=1)
        ]
        if sigma:
            penalties = [plain.length_penalty(mine, theirs, sigma) for theirs in others]
            lengths = ", ".join(str(len(reference)) for reference in references)
            how = f"{len(words)} words against {lengths}; in the similarities already"
            figures.append(Figure("length penalty", sum(penalties) / len(penalties), how))
        row = [_added(totals) / self.order / len(references) * 10, 1.0]
        notes = [f"idf from {table.documents:,} documents; the score is 10 times the mean of the similarities"]
        return Explanation.of(self, batch, row, figures=figures, parts=[covered(words, parts), *parts], notes=notes)

    def _rows(self, batch: Batch, sigma: float, clip: bool) -> Array:
        if self.frequencies is None:
            raise InputError(
                "CIDEr weighs n-grams by all references of the corpus; call prepare(corpus) and take the rows of "
                "the metric it returns"
            )
        tokens = batch.tokens(self.tok, lower=self.lower, stem=self.stem)
        return active().cider_rows(tokens, self.frequencies, self.order, sigma, clip, batch.jobs)


@dataclass(frozen=True)
class Cider(_CiderBase):
    """Consensus with the references: cosine of tf-idf vectors of n-grams, from 0 to 10.

    Document frequencies are those of the whole set; resampling draws segments and keeps them.

    >>> cider = Cider(tok="none")
    >>> round(cider.corpus(["a cat", "a dog"], [["a cat"], ["the dog"]]), 3)
    3.125
    """

    name = "cider"
    reference = "the paper's definition, times 10, without stemming"

    def rows(self, batch: Batch) -> Array:
        return self._rows(batch, 0.0, False)

    def explained(self, batch: Batch) -> Explanation:
        """The n-grams with their weights."""
        return self._told(batch, 0.0, False)


@dataclass(frozen=True)
class CiderD(_CiderBase):
    """CIDEr-D, the CIDEr of the COCO caption kit: with clipped counts and a penalty on other lengths, from 0 to 10.

    Document frequencies are those of the whole set; resampling draws segments and keeps them.

    >>> cider = CiderD(tok="none")
    >>> round(cider.corpus(["a cat", "a dog"], [["a cat"], ["the dog"]]), 3)
    3.125
    """

    sigma: float = option(6.0, "spread of the penalty on other lengths, in words", low=0.001)

    name = "ciderD"
    reference = "pycocoevalcap 1.2 (its CIDEr)"

    def rows(self, batch: Batch) -> Array:
        return self._rows(batch, self.sigma, True)

    def explained(self, batch: Batch) -> Explanation:
        """The n-grams with their weights."""
        return self._told(batch, self.sigma, True)


def _added(values: Iterable[float]) -> float:
    total = 0.0
    for value in values:  # one by one, as the kernels do
        total += value
    return total


# -- document frequencies in files -----------------------------------------------------------------------


def save_frequencies(path: StrPath, references: Sequence[Sequence[str]], metric: Cider | CiderD | None = None) -> None:
    """Write the document frequencies of these references (a list for each item) for `df=PATH`.

    `metric` says how to tokenise and up to which order to count.
    """
    metric = metric or CiderD()
    with use("python"):  # the compiled table knows n-grams by their hashes only
        from nlgauge.kernels.python.cider import document_frequencies

        table = document_frequencies(metric.order)
        for batch in _batches(references):
            table.add(batch.tokens(metric.tok, lower=metric.lower, stem=metric.stem))
    header = {"documents": table.documents, "order": metric.order} | _tokens_of(metric)
    rows = ({"ngram": list(ngram), "count": count} for ngram, count in table.counts.items())
    write_jsonl(chain([header], rows), path)


def _tokens_of(metric: _CiderBase) -> dict[str, Any]:
    return {"tok": metric.tok, "lower": metric.lower, "stem": metric.stem}


def _batches(references: Sequence[Sequence[str]]) -> Iterator[Batch]:
    for start in range(0, len(references), CHUNK):
        part = references[start : start + CHUNK]
        yield Batch([""] * len(part), part)


def _read(path: str, metric: _CiderBase) -> DocumentFrequencies:
    """The table of a file: saved frequencies, or counted from rows with references."""
    rows = _objects(path)
    line, first = next(rows, (0, None))
    if first is None:
        raise InputError(f"{path} is empty; {_EXPECTED}")
    if "documents" in first:
        _check_header(path, line, first, metric)
        return _saved(path, rows, metric, first["documents"])
    table = active().document_frequencies(metric.order)
    for batch in _batches(_documents(path, chain([(line, first)], rows))):
        table.add(batch.tokens(metric.tok, lower=metric.lower, stem=metric.stem))
    table.finish()
    return table


def _objects(path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line number and object of each line that is not empty."""
    for first, lines in text_lines(path, CHUNK):
        for number, line in enumerate(lines, start=first):
            if not line.strip():
                continue
            try:
                value = json.loads(line)
            except ValueError:
                raise InputError(f"{at(path, number)}: not JSON; {_EXPECTED}") from None
            if not isinstance(value, dict):
                raise InputError(f"{at(path, number)}: not an object; {_EXPECTED}")
            yield number, value


def _check_header(path: str, line: int, header: dict[str, Any], metric: _CiderBase) -> None:
    documents, order = header["documents"], header.get("order")
    if not _positive(documents) or not _positive(order):
        raise InputError(f"{at(path, line)}: documents and order must be whole numbers from 1 on; {_EXPECTED}")
    if order < metric.order:
        raise InputError(
            f"{path} counts n-grams up to order {order}, {metric.name} asks for {metric.order}: save the frequencies "
            f"again with that order, or use {metric.name}@{order}"
        )
    for key, wanted in _tokens_of(metric).items():
        if header.get(key) != wanted:
            raise InputError(
                f"{path} was counted with {key}={header.get(key)!r}, {metric.name} uses {key}={wanted!r}: give the "
                "metric the same options, or save the frequencies again"
            )


def _positive(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _saved(
    path: str, rows: Iterator[tuple[int, dict[str, Any]]], metric: _CiderBase, documents: int
) -> DocumentFrequencies:
    ngrams: list[list[str]] = []
    counts: list[int] = []
    for line, row in rows:
        ngram, count = row.get("ngram"), row.get("count")
        if not (isinstance(ngram, list) and ngram and all(isinstance(word, str) for word in ngram)):
            raise InputError(f"{at(path, line)}: ngram must be a list of words; {_EXPECTED}")
        if not _positive(count) or count > documents:
            raise InputError(
                f"{at(path, line)}: count must be a whole number from 1 to the number of documents, {documents}; "
                f"got {count!r}"
            )
        ngrams.append(ngram)
        counts.append(count)
    table = active().document_frequencies(metric.order)
    table.put(active().tokens_from_lists([[]] * len(ngrams), [[words] for words in ngrams]), counts, documents)
    return table


def _documents(path: str, rows: Iterable[tuple[int, dict[str, Any]]]) -> list[list[str]]:
    """The references of each item, once; rows without an item are items of their own."""
    documents: dict[Any, list[str]] = {}
    for line, row in rows:
        texts = row.get("references")
        if not (isinstance(texts, list) and texts and all(isinstance(text, str) for text in texts)):
            raise InputError(f"{at(path, line)}: references must be a list of texts, at least one; {_EXPECTED}")
        documents.setdefault(("item", str(row["item"])) if "item" in row else line, texts)
    return list(documents.values())
