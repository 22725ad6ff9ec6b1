"""N-gram matching for BLEU and NIST."""

from __future__ import annotations

import math
import string
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np

from nlgauge.arrays import Array
from nlgauge.kernels import interface
from nlgauge.kernels.interface import References, Texts
from nlgauge.kernels.python.tokens import plain

Ngram = tuple[str, ...]
ROUNDING = 1e-12  # sums of information that differ by less, relatively, are equal


def bleu_rows(tokens: interface.Tokens, order: int, reference_length: str, jobs: int) -> Array:
    """hypothesis length, reference length, correct 1..order, total 1..order.

    `reference_length` is `closest` (ties to the shorter), `shortest` or `average`.
    """
    batch = plain(tokens)
    rows = np.zeros((len(tokens), 2 + 2 * order))
    for row, hypothesis, references in zip(rows, batch.hypotheses, batch.references, strict=True):
        row[0] = len(hypothesis)
        row[1] = effective_reference_length(len(hypothesis), [len(words) for words in references], reference_length)
        for n in range(1, order + 1):
            counts = _ngrams(hypothesis, n)
            row[1 + n] = (counts & _largest(references, n)).total()
            row[1 + order + n] = counts.total()
    return rows


@dataclass
class NgramCounts:
    """How often each n-gram occurs in all references."""

    order: int
    words: int = 0
    counts: Counter[Ngram] = field(default_factory=Counter, repr=False)

    def __len__(self) -> int:
        return len(self.counts)

    def add(self, tokens: interface.Tokens) -> None:
        """Count the references of a batch."""
        batch = plain(tokens)
        for references in batch.references:
            for words in references:
                self.words += len(words)
                for n in range(1, self.order + 1):
                    self.counts.update(_ngrams(words, n))

    def information(self, ngram: Ngram) -> float:
        """log2 of how often the first n - 1 words occur per occurrence of the n-gram; 0 if it never does."""
        before = self.counts[ngram[:-1]] if len(ngram) > 1 else self.words
        occurrences = self.counts[ngram]
        return math.log2(before) - math.log2(occurrences) if before and occurrences else 0.0


def ngram_counts(order: int) -> NgramCounts:
    """An empty table of n-gram counts up to `order`."""
    return NgramCounts(order)


def nist_rows(tokens: interface.Tokens, counts: interface.NgramCounts, order: int, multi: str, jobs: int) -> Array:
    """hypothesis length, reference length, matched information 1..order, total 1..order.

    `pooled` clips each count by its largest in any reference and takes the references' mean length. `best`
    picks, for each order by itself, the reference with most information (the longer of equals) and takes the
    mean length of those picked.
    """
    if not isinstance(counts, NgramCounts):
        raise TypeError("the n-grams were counted by another backend")
    batch = plain(tokens)
    rows = np.zeros((len(tokens), 2 + 2 * order))
    for row, hypothesis, references in zip(rows, batch.hypotheses, batch.references, strict=True):
        row[0] = len(hypothesis)
        lengths = [len(words) for words in references]
        picked = 0
        for n in range(1, order + 1):
            own = _ngrams(hypothesis, n)
            row[1 + order + n] = own.total()
            if multi == "pooled":
                row[1 + n] = _matched_information(own, _largest(references, n), counts)
            else:
                found = [(_matched_information(own, _ngrams(words, n), counts), len(words)) for words in references]
                row[1 + n], length = _most_informative(found)
                picked += length
        row[1] = sum(lengths) / len(lengths) if multi == "pooled" else picked / order
    return rows


def _most_informative(found: Sequence[tuple[float, int]]) -> tuple[float, int]:
    """The most information, and the length of the longest reference that has it but for rounding."""
    most, _ = max(found)
    return most, max(length for information, length in found if information >= most * (1 - ROUNDING))


def _matched_information(own: Counter[Ngram], other: Counter[Ngram], counts: NgramCounts) -> float:
    total = 0.0
    for ngram, count in own.items():
        total += min(count, other[ngram]) * counts.information(ngram)
    return total


def _ngrams(words: Sequence[str], n: int) -> Counter[Ngram]:
    return Counter(tuple(words[start : start + n]) for start in range(len(words) - n + 1))


def _largest(references: Sequence[Sequence[str]], n: int) -> Counter[Ngram]:
    """Each n-gram with the largest of its counts in one reference."""
    union: Counter[Ngram] = Counter()
    for words in references:
        union |= _ngrams(words, n)
    return union


def effective_reference_length(hypothesis: int, references: Sequence[int], rule: str) -> float:
    """The length the brevity penalty compares with."""
    if rule == "closest":
        return min(references, key=lambda length: (abs(length - hypothesis), length))
    if rule == "shortest":
        return min(references)
    return sum(references) / len(references)


# N-grams counted in three texts at once, or with a weight for each reference: ΔBLEU, GLEU, SARI.
#
# Where a kernel needs the source, it is the first of each segment's references (`Batch.with_sources`).


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
        row[1] = effective_reference_length(len(hypothesis), [len(words) for words in references], reference_length)
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


# chrF statistics in plain Python, as sacreBLEU 2.6 counts them.


EPS = 1e-16  # stands for a ratio without a denominator (chrF++.py, Moses and NLTK do the same)
_PUNCTUATION = frozenset(string.punctuation)
Counts = list["Counter[Hashable]"]


def chrf_rows(
    hypotheses: Texts,
    references: References,
    char_order: int,
    word_order: int,
    beta: float,
    lower: bool,
    whitespace: bool,
    eps: bool,
    jobs: int,
) -> Array:
    """Per order (characters, then words): hypothesis total, reference total, matches; of the best reference."""

    def counts(text: str) -> Counts:
        text = text.lower() if lower else text
        characters = text if whitespace else "".join(text.split())
        units = words(text) if word_order else []
        return [_character_ngrams(characters, n + 1) for n in range(char_order)] + [
            _character_ngrams(units, n + 1) for n in range(word_order)
        ]

    rows = np.zeros((len(hypotheses), 3 * (char_order + word_order)))
    for row, hypothesis, refs in zip(rows, hypotheses, references, strict=True):
        mine = counts(hypothesis)
        best = -1.0  # below zero: a segment without any match still keeps the counts of its first reference
        for reference in refs:
            statistics = _statistics(mine, counts(reference))
            score = f_score(statistics, beta, eps)
            if score > best:
                best, row[:] = score, statistics
    return rows


def _character_ngrams(symbols: Sequence[Hashable], order: int) -> Counter[Hashable]:
    return Counter(tuple(symbols[i : i + order]) for i in range(len(symbols) - order + 1))


def words(text: str) -> list[str]:
    """Split at white space, then one mark of punctuation off each word, from its end before its front."""
    parts: list[str] = []
    for word in text.split():
        if len(word) > 1 and word[-1] in _PUNCTUATION:
            parts += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in _PUNCTUATION:
            parts += [word[0], word[1:]]
        else:
            parts.append(word)
    return parts


def _statistics(hypothesis: Counts, reference: Counts) -> list[int]:
    row: list[int] = []
    for mine, theirs in zip(hypothesis, reference, strict=True):
        # as sacreBLEU: what the reference could not contain does not count against the hypothesis
        row += [mine.total() if theirs else 0, theirs.total(), (mine & theirs).total()]
    return row


def f_score(row: list[int], beta: float, eps: bool) -> float:
    """The score by which references compete: over all orders, between 0 and 1."""
    factor = beta * beta
    smoothed = precision = recall = 0.0
    effective = 0
    for mine, theirs, matched in zip(row[::3], row[1::3], row[2::3], strict=True):
        p = matched / mine if mine else EPS
        r = matched / theirs if theirs else EPS
        denominator = factor * p + r
        smoothed += (1 + factor) * p * r / denominator if denominator > 0 else EPS
        if mine and theirs:
            precision += p
            recall += r
            effective += 1
    if eps:
        return smoothed / (len(row) // 3)
    if precision + recall <= 0:
        return 0.0
    precision /= effective
    recall /= effective
    return (1 + factor) * precision * recall / (factor * precision + recall)
