"""N-grams counted in three texts at once, or with a weight for each reference: ΔBLEU, GLEU, SARI.

Where a kernel needs the source, it is the first of each segment's references (`Batch.with_sources`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from nlgauge.arrays import Array
from nlgauge.kernels import interface
from nlgauge.kernels.python.ngram import Ngram, _ngrams, _reference_length
from nlgauge.kernels.python.tokens import plain


def deltableu_rows(
    tokens: interface.Tokens,
    weights: Sequence[Sequence[float]],
    order: int,
    reference_length: str,
    form: str,
    jobs: int,
) -> Array:
    """hypothesis length, reference length, weighted matches 1..order, weighted totals 1..order.

    `weights` has a number for each reference. `form` is `code` (an n-gram's best weight times its count clipped by
    the largest in any reference) or `paper` (the best product of weight and count clipped by the same reference).
    """
    batch = plain(tokens)
    rows = np.zeros((len(tokens), 2 + 2 * order))
    for row, hypothesis, references, given in zip(rows, batch.hypotheses, batch.references, weights, strict=True):
        row[0] = len(hypothesis)
        row[1] = _reference_length(len(hypothesis), [len(words) for words in references], reference_length)
        for n in range(1, order + 1):
            own = _ngrams(hypothesis, n)
            others = [_ngrams(words, n) for words in references]
            credit = _credit_by_code if form == "code" else _credit_by_paper
            for ngram, count in own.items():
                row[1 + n] += credit(ngram, count, others, given)
            row[1 + order + n] = max(given) * own.total()
    return rows


def _credit_by_code(ngram: Ngram, count: int, references: Sequence[Counter[Ngram]], weights: Sequence[float]) -> float:
    """The best weight of a reference that has the n-gram, times the count clipped by the largest in any."""
    having = [(weight, other[ngram]) for weight, other in zip(weights, references, strict=True) if other[ngram]]
    if not having:
        return 0.0
    return max(weight for weight, _ in having) * min(count, max(number for _, number in having))


def _credit_by_paper(ngram: Ngram, count: int, references: Sequence[Counter[Ngram]], weights: Sequence[float]) -> float:
    """The best product of a reference's weight and the count clipped by its own."""
    products = (
        weight * min(count, other[ngram]) for weight, other in zip(weights, references, strict=True) if other[ngram]
    )
    return max(products, default=0.0)


def gleu_rows(tokens: interface.Tokens, shortest: int, order: int, jobs: int) -> Array:
    """Matched n-grams, and the larger of the two numbers of n-grams, of the reference with the best ratio."""
    batch = plain(tokens)
    rows = np.zeros((len(tokens), 2))
    for row, hypothesis, references in zip(rows, batch.hypotheses, batch.references, strict=True):
        own = _all_ngrams(hypothesis, shortest, order)
        pairs = []
        for words in references:
            other = _all_ngrams(words, shortest, order)
            pairs.append(((own & other).total(), max(own.total(), other.total())))
        pairs = [pair for pair in pairs if pair[1] > 0]
        if pairs:
            row[:] = max(pairs, key=lambda pair: pair[0] / pair[1])
    return rows


def _all_ngrams(words: Sequence[str], shortest: int, order: int) -> Counter[Ngram]:
    found: Counter[Ngram] = Counter()
    for n in range(shortest, order + 1):
        found.update(_ngrams(words, n))
    return found


def gleu_gec_rows(tokens: interface.Tokens, order: int, jobs: int) -> Array:
    """segment, both lengths, matches 1..order, totals 1..order: a row for each reference but the first, the source.

    Matches are those with the reference, less n-grams of the source that the reference does not have.
    """
    batch = plain(tokens)
    rows = []
    for segment, (hypothesis, (source, *references)) in enumerate(zip(batch.hypotheses, batch.references, strict=True)):
        for words in references:
            matches, totals = [], []
            for n in range(1, order + 1):
                own, other, before = _ngrams(hypothesis, n), _ngrams(words, n), _ngrams(source, n)
                # what the source has and the reference has not is an error: keeping it costs
                kept = own & Counter({ngram: count for ngram, count in before.items() if not other[ngram]})
                matches.append(max(0, (own & other).total() - kept.total()))
                totals.append(own.total())
            rows.append([segment, len(hypothesis), len(words), *matches, *totals])
    return np.array(rows, dtype=np.float64).reshape(-1, 3 + 2 * order)


def sari_rows(tokens: interface.Tokens, order: int, form: str, jobs: int) -> Array:
    """SARI of added, kept and deleted n-grams, each the mean over the orders, and 1; the first reference is the source.

    `form` is `evaluate` (undefined counts 1) or `original` (undefined counts 0, n-grams to be kept weigh alike).
    """
    batch = plain(tokens)
    rows = np.ones((len(tokens), 4))
    for row, hypothesis, texts in zip(rows, batch.hypotheses, batch.references, strict=True):
        # An empty text is one empty word, as "".split(" ") has it.
        source, *references = [list(words) or [""] for words in texts]
        row[:3] = 0
        for n in range(1, order + 1):
            row[:3] += _sari_of_order(list(hypothesis) or [""], source, references, n, form)
        row[:3] /= order
    return rows


def _sari_of_order(
    hypothesis: Sequence[str], source: Sequence[str], references: Sequence[Sequence[str]], n: int, form: str
) -> tuple[float, float, float]:
    """Add, keep and delete of the n-grams of one length."""
    own, before, after, several = (
        _ngrams(hypothesis, n),
        _ngrams(source, n),
        _summed(references, n),
        len(references),
    )
    undefined = 1.0 if form == "evaluate" else 0.0
    keep_precision = keep_recall = delete = 0.0
    kept = meant = kept_meant = deleted = added = right = wanted = 0
    for ngram in {**own, **before, **after}:
        here, there, given = several * own[ngram], several * before[ngram], after[ngram]
        both = min(here, there)
        if both:
            kept += 1
            keep_precision += min(both, given) / both
        if there and given:
            meant += 1
            kept_meant += min(there, given)
            shared = min(both, given)
            keep_recall += shared if form == "evaluate" else shared / min(there, given)
        if there > here:
            deleted += 1
            delete += max(0, there - here - given) / (there - here)
        if not there:
            added += here > 0
            wanted += given > 0
            right += here > 0 and given > 0
    recalled = kept_meant if form == "evaluate" else meant
    keep = _f1(keep_precision / kept if kept else undefined, keep_recall / recalled if recalled else undefined)
    add = _f1(right / added if added else undefined, right / wanted if wanted else undefined)
    return add, keep, delete / deleted if deleted else undefined


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision > 0 or recall > 0 else 0.0


def sari_counts(tokens: interface.Tokens, order: int, jobs: int) -> Array:
    """For adding, keeping and deleting, and for each order: n-grams right, of the output, of the references."""
    batch = plain(tokens)
    rows = np.zeros((len(tokens), 3, order, 3))
    for row, hypothesis, (source, *references) in zip(rows, batch.hypotheses, batch.references, strict=True):
        for n in range(1, order + 1):
            own, before, after = _ngrams(hypothesis, n), _ngrams(source, n), _summed(references, n)
            several = len(references)
            for ngram in {**own, **before, **after}:
                here, there, given = several * own[ngram], several * before[ngram], after[ngram]
                if not there:
                    row[0, n - 1] += (here > 0 and given > 0, here > 0, given > 0)
                row[1, n - 1] += (min(here, there, given), min(here, there), min(there, given))
                out, meant = max(0, there - here), max(0, there - given)
                row[2, n - 1] += (min(out, meant), out, meant)
    return rows.reshape(len(tokens), 9 * order)


def _summed(references: Sequence[Sequence[str]], n: int) -> Counter[Ngram]:
    """Each n-gram with the sum of its counts in all references."""
    total: Counter[Ngram] = Counter()
    for words in references:
        total.update(_ngrams(words, n))
    return total
