"""How varied a set of outputs is: distinct n-grams, their entropy, type-token ratios, repeated outputs.

Definitions: distinct-n, Li et al. (2016); counts, entropy and conditional entropy as in GEM-metrics, after van
Miltenburg et al. (2018) and Dušek et al. (2020); Guiraud's and Herdan's indices for the size of the set. All of them
depend on how many words there are: compare sets of the same items, and mind lengths.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from nlgauge.arrays import Bools, Ints
from nlgauge.errors import SpecError
from nlgauge.kernels.lanes import Groups, Twice, Words, packed, totals
from nlgauge.kernels.pool import Ngrams, Pool
from nlgauge.metrics.base import Array, option
from nlgauge.metrics.sets import SetMetric, SetScorer
from nlgauge.text import tokenizers

_GEM = "GEM-metrics"
_ROUNDING = 1e-12  # bits: an entropy below is one of 0 that rounding has moved


def _order(usual: int) -> Any:
    return option(usual, "length of the n-grams", low=1, high=20)


class TypeCounter:
    """How many kinds of n-grams a choice of texts holds, and how many in all."""

    def __init__(self, ngrams: Ngrams, size: int) -> None:
        kinds, texts = _distinct_pairs(ngrams)
        sizes = np.bincount(kinds)
        alone = sizes[kinds] == 1
        # What stands in one text only adds up; the rest is shared.
        own = np.bincount(texts[alone], minlength=size)
        self._columns = np.stack([own, ngrams.counts], axis=1).astype(np.float64)
        self._shared = Groups.of(_compact(kinds[~alone]), texts[~alone])

    def __call__(self, chosen: Bools, words: Words) -> tuple[Array, Array]:
        """(kinds, n-grams) of each choice."""
        sums = chosen.astype(np.float64) @ self._columns
        shared = totals(self._shared.present(words))[: len(chosen)]
        return sums[:, 0] + shared, sums[:, 1]


class OnceCounter:
    """How many kinds of n-grams occur exactly once in a choice of texts."""

    def __init__(self, ngrams: Ngrams, size: int) -> None:
        alone = np.bincount(ngrams.kinds)[ngrams.kinds] == 1
        self._own = np.bincount(ngrams.texts[alone], minlength=size).astype(np.float64)
        self._twice = Twice(Groups.of(_compact(ngrams.kinds[~alone]), ngrams.texts[~alone]))

    def __call__(self, chosen: Bools, words: Words) -> Array:
        once, twice = self._twice(words)
        found: Array = chosen.astype(np.float64) @ self._own + totals(once & ~twice)[: len(chosen)]
        return found


def _distinct_pairs(ngrams: Ngrams) -> tuple[Ints, Ints]:
    """Each kind once for each text it stands in."""
    size = len(ngrams.counts)
    pairs = np.unique(ngrams.kinds * size + ngrams.texts) if size else ngrams.kinds
    return pairs // max(size, 1), pairs % max(size, 1)


def _compact(kinds: Ints) -> Ints:
    return np.unique(kinds, return_inverse=True)[1].astype(np.int64).reshape(-1)


def ratio(part: Array, whole: Array) -> Array:
    """part / whole, and 0 of nothing."""
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0)


class _RatioScorer(SetScorer):
    def __init__(self, ngrams: Ngrams, form: str = "ratio") -> None:
        super().__init__(len(ngrams.counts))
        self._types = TypeCounter(ngrams, self.size)
        self._form = form

    def scores(self, chosen: Bools) -> Array:
        types, tokens = self._types(chosen, packed(chosen))
        if self._form == "root":
            return ratio(types, np.sqrt(tokens))
        if self._form == "log":
            # One word is of one type: its index is 1, as that of two different words.
            logs = np.log(np.maximum(types, 1)), np.log(np.maximum(tokens, 1))
            return np.where(tokens == 1, 1.0, ratio(*logs))
        return ratio(types, tokens) if self._form == "ratio" else types


@dataclass(frozen=True)
class Distinct(SetMetric):
    """Different n-grams of all outputs together, by the number of n-grams: 1 if none occurs twice.

    Falls as a set grows, since words come again: compare systems on the same items. A segment's score is that of the
    text alone.

    >>> Distinct(order=1).corpus(["a b a", "b c"])
    0.6
    """

    order: int = _order(2)

    name = "distinct"
    cite = (
        "Li, Galley, Brockett, Gao and Dolan (2016), A diversity-promoting objective function for neural "
        "conversation models. NAACL."
    )
    reference = f"{_GEM} (distinct-n; it lower-cases)"
    at = "order"
    always_at = True
    size_matters = "falls"

    def scorer(self, texts: Pool, known: Pool | None = None) -> SetScorer:
        return _RatioScorer(texts.ngrams(self.order))


@dataclass(frozen=True)
class VocabularySize(SetMetric):
    """How many different n-grams the outputs hold (types), or how many that occur only once (once).

    >>> VocabularySize(order=1).corpus(["a b a", "b c"])
    3.0
    """

    order: int = _order(1)
    output: str = option("types", "all different n-grams, or those that occur once", choices=("types", "once"))

    name = "vocabulary"
    bounds = (0.0, math.inf)
    cite = "van Miltenburg, Elliott and Vossen (2018), Measuring the diversity of automatic image descriptions. COLING."
    reference = f"{_GEM} (vocab_size-n, unique-n; it lower-cases)"
    at = "order"
    size_matters = "rises"
    places = 0

    def scorer(self, texts: Pool, known: Pool | None = None) -> SetScorer:
        ngrams = texts.ngrams(self.order)
        return _RatioScorer(ngrams, "types") if self.output == "types" else _OnceScorer(ngrams)


class _OnceScorer(SetScorer):
    def __init__(self, ngrams: Ngrams) -> None:
        super().__init__(len(ngrams.counts))
        self._once = OnceCounter(ngrams, self.size)

    def scores(self, chosen: Bools) -> Array:
        return self._once(chosen, packed(chosen))


@dataclass(frozen=True)
class TypeTokenRatio(SetMetric):
    """Different words of all outputs together, by the number of words (ratio), its root, or as logarithms.

    `form=root` is Guiraud's index, types by the root of tokens; `form=log` Herdan's, log types by log tokens. They
    change less with the size of the set than the plain ratio, which falls.

    >>> TypeTokenRatio().corpus(["a b a", "b c"])
    0.6
    """

    form: str = option(
        "ratio",
        "types by tokens, by their square root, or both as logarithms",
        choices=("ratio", "root", "log"),
    )

    name = "ttr"
    bounds = (0.0, math.inf)
    cite = "Johnson (1944), Studies in language behavior: a program of research. Psychological Monographs."
    reference = "this definition"
    size_matters = "falls"

    def scorer(self, texts: Pool, known: Pool | None = None) -> SetScorer:
        return _RatioScorer(texts.ngrams(1), self.form)


@dataclass(frozen=True)
class Uniqueness(SetMetric):
    """Different outputs by the number of outputs: 1 if no text stands twice in the set.

    Texts are the same if their tokens are. A segment's score is 1 by the number of outputs with the same text; the
    mean of these is the score.

    >>> Uniqueness().corpus(["I see.", "I see .", "No.", "Yes."])
    0.75
    """

    tok: str = option("13a", "tokeniser; texts with the same tokens are the same", check=tokenizers.check)

    name = "uniqueness"
    cite = "No paper: counting."
    reference = "this definition"
    size_matters = "falls"
    per_segment = "1 by the number of outputs with the same text"

    def scorer(self, texts: Pool, known: Pool | None = None) -> SetScorer:
        return _WholeTexts(texts)


class _WholeTexts(_RatioScorer):
    """Each text is one n-gram: the whole of it."""

    def __init__(self, texts: Pool) -> None:
        numbers: dict[bytes, int] = {}
        ends = texts.starts[1:]
        whole = [
            numbers.setdefault(texts.words[start:end].tobytes(), len(numbers))
            for start, end in zip(texts.starts[:-1], ends, strict=True)
        ]
        n = len(texts)
        self._kinds = np.array(whole, dtype=np.int64)
        super().__init__(Ngrams(self._kinds, np.arange(n), np.ones(n, dtype=np.int64)))

    def segments(self) -> Array:
        return 1 / np.bincount(self._kinds)[self._kinds] if self.size else np.zeros(0)


class _LogSum:
    """The sum over the kinds of m log2 c: c occurrences in the choice, m of them marked (all, without marks)."""

    def __init__(self, ngrams: Ngrams, marks: Bools | None = None) -> None:
        kinds, size = ngrams.kinds, len(ngrams.counts)
        pairs, _ = _distinct_pairs(ngrams)
        shared = (np.bincount(pairs) > 1)[kinds]
        occurrences = np.bincount(kinds)[kinds]
        # A kind that stands in one text only is there with all its occurrences, or not at all: it adds up.
        weights = np.where(shared if marks is None else shared | ~marks, 0.0, np.log2(occurrences))
        self._own = np.bincount(ngrams.texts, weights=weights, minlength=size)
        order = np.argsort(kinds[shared], kind="stable")
        self._groups = Groups.of(_compact(kinds[shared]), ngrams.texts[shared])
        self._marks = None if marks is None else marks[shared][order]
        self._logs = np.log2(np.maximum(np.arange(int(self._groups.sizes.max(initial=1)) + 1), 1))

    def __call__(self, chosen: Bools, words: Words) -> Array:
        sums: Array = chosen.astype(np.float64) @ self._own
        for counts, marked in self._groups.counts(words, self._marks):
            sums += (self._logs[counts] * marked).sum(axis=0)[: len(chosen)]
        return sums


class _EntropyScorer(SetScorer):
    """log2 N - (sum of c log2 c) / N: the entropy of n-grams of which each kind occurs c times and all N times."""

    def __init__(self, texts: Pool, order: int, conditional: bool) -> None:
        super().__init__(len(texts))
        ngrams = texts.ngrams(order)
        self._sum = _LogSum(ngrams)
        self._contexts: _LogSum | None = None
        columns = [ngrams.counts]
        if conditional:
            contexts = texts.ngrams(order - 1)
            # All but the last context of a text are followed by a word.
            last = np.cumsum(contexts.counts)[contexts.counts > 0] - 1
            followed = np.ones(len(contexts.kinds), dtype=np.bool_)
            followed[last] = False
            self._contexts = _LogSum(contexts, followed)
            columns.append(contexts.counts)
        self._columns = np.stack(columns, axis=1).astype(np.float64)

    def scores(self, chosen: Bools) -> Array:
        words = packed(chosen)
        sizes = chosen.astype(np.float64) @ self._columns
        n = np.maximum(sizes[:, 0], 1)
        entropy = np.log2(n) - self._sum(chosen, words) / n
        if self._contexts is not None:
            entropy += self._contexts(chosen, words) / n - np.log2(np.maximum(sizes[:, 1], 1))
            return np.where(sizes[:, 0] > 0, entropy, 0.0)
        return np.where((sizes[:, 0] > 0) & (entropy > _ROUNDING), entropy, 0.0)


@dataclass(frozen=True)
class Entropy(SetMetric):
    """Entropy of the n-grams of all outputs together, in bits: how even and how many they are.

    `.conditional` is that of the last word given the n - 1 before it, in the form of GEM-metrics: contexts have their
    share of all (n - 1)-grams, the last of each text included, so that it may fall below 0 for short texts.

    >>> Entropy(order=1).corpus(["a b", "c d"])
    2.0
    """

    order: int = _order(2)
    output: str = option(
        "joint", "of whole n-grams, or of the last word given those before", choices=("joint", "conditional")
    )

    name = "entropy"
    bounds = (0.0, math.inf)
    cite = (
        "Dušek, Novikova and Rieser (2020), Evaluating the state-of-the-art of end-to-end natural language "
        "generation: the E2E NLG challenge. Computer Speech and Language."
    )
    reference = f"{_GEM} (entropy-n, cond_entropy-n; it lower-cases)"
    at = "order"
    always_at = True
    size_matters = "rises"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.output == "conditional" and self.order < 2:
            raise SpecError(
                "the field order of entropy must be at least 2 for .conditional: a word and what precedes it"
            )

    @property
    def span(self) -> tuple[float, float]:
        return (-math.inf, math.inf) if self.output == "conditional" else self.bounds

    def scorer(self, texts: Pool, known: Pool | None = None) -> SetScorer:
        return _EntropyScorer(texts, self.order, self.output == "conditional")
