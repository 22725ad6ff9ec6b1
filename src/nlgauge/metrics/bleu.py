"""BLEU and sentence BLEU (Papineni, Roukos, Ward and Zhu 2002), equal to sacreBLEU 2.6.

The geometric mean of clipped n-gram precisions, times a penalty for outputs shorter than their references.
Smoothing replaces the counts of orders without a match, which would make the whole mean zero:

    exp             mteval-v13a: the k-th order without a match counts 1/2^k (sacreBLEU's default)
    none            such an order makes the score 0
    floor:v         it counts v (0.1)
    add-k:v         v (1) is added to matches and totals of every order but the first
    add-all:v       v (1) is added at every order, as in Moses' sentence BLEU
    add-all-bp:v    the same, and v is added to the reference length (Moses' smoothed brevity penalty)
    nltk4:k         NLTK's SmoothingFunction.method4: as exp, times ln(hypothesis length)/k (5)
    coco            the COCO caption kit: 1e-15 is added to matches, 1e-9 to totals and reference length

The first four are sacreBLEU's, after Chen and Cherry (2014), "A Systematic Comparison of Smoothing Techniques
for Sentence-Level BLEU".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.errors import SpecError
from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.python.ngram import effective_reference_length
from nlgauge.metrics.base import Array, Metric, option, ratio
from nlgauge.metrics.explanation import Explanation, Figure
from nlgauge.metrics.matching import compared, covered, largest, ngrams, order_title, segment_words
from nlgauge.text import tokenizers

# Each smoothing with the value it takes when none is given; None where it takes no value.
SMOOTHINGS: dict[str, float | None] = {
    "exp": None,
    "none": None,
    "floor": 0.1,
    "add-k": 1.0,
    "add-all": 1.0,
    "add-all-bp": 1.0,
    "nltk4": 5.0,
    "coco": None,
}
_TINY, _SMALL = 1e-15, 1e-9  # the COCO caption kit's constants
_SMOOTH_HELP = (
    "what an order without a match counts: exp, none, floor:v, add-k:v, or add-all:v, add-all-bp:v (Moses), "
    "nltk4:k (NLTK), coco (COCO captions)"
)
_EFFECTIVE_HELP = "leave out orders for which the hypothesis has no n-grams (for short texts)"
_WEIGHTS_HELP = "weight of each order, such as 0.1:0.3:0.5:0.1; empty for equal weights"


def _check_smooth(value: str) -> str | None:
    name, colon, number = value.partition(":")
    known = ", ".join(key if default is None else f"{key}[:value]" for key, default in SMOOTHINGS.items())
    if name not in SMOOTHINGS:
        return f"one of {known}"
    if colon and SMOOTHINGS[name] is None:
        return f"{name} without a value"
    given = _number(number)
    if colon and (given is None or given < 0 or (given == 0 and name == "nltk4")):
        return f"{name}:value with a number {'above 0' if name == 'nltk4' else 'of 0 or more'}"
    return None


def _check_weights(value: str) -> str | None:
    numbers = [_number(part) for part in value.split(":")] if value else [1.0]
    fine = all(number is not None and number >= 0 for number in numbers)
    if not fine or abs(sum(number or 0.0 for number in numbers) - 1) > 1e-6:
        return "empty, or numbers of 0 or more between colons that add up to 1, one for each order"
    return None


def spelled_out(smooth: str) -> str:
    """One spelling for one meaning: floor is floor:0.1."""
    method, value = _method(smooth)
    return method if SMOOTHINGS[method] is None else f"{method}:{repr(value).removesuffix('.0')}"


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def smoothing(default: str = "exp", *, scoring: bool = False) -> Any:
    """The field `smooth` of a metric; `spelled_out` gives its values one spelling."""
    return option(default, _SMOOTH_HELP, check=_check_smooth, scoring=scoring)


def _weights(*, scoring: bool) -> Any:
    return option("", _WEIGHTS_HELP, check=_check_weights, scoring=scoring)


@dataclass(frozen=True)
class Bleu(Metric):
    """BLEU, from 0 to 100: clipped n-gram precision with a brevity penalty, over the whole corpus.

    Segment scores are the same formula on one segment's counts; for sentences prefer `sentbleu`.

    >>> bleu = Bleu()
    >>> round(bleu.corpus(["The man had just bitten him."], [["The man had bitten the dog."]]), 2)
    27.78
    """

    order: int = option(4, "longest n-grams", low=1, high=100)
    tok: str = option("13a", "tokeniser", check=tokenizers.check)
    lower: bool = option(False, "lower-case before tokenising")
    smooth: str = smoothing(scoring=True)
    effective: bool = option(False, _EFFECTIVE_HELP, scoring=True)
    weights: str = _weights(scoring=True)
    reflen: str = option(
        "closest",
        "reference length for the brevity penalty, of several references: the closest to the hypothesis "
        "(the shorter of two), the shortest, or their average",
        choices=("closest", "shortest", "average"),
    )

    name = "bleu"
    bounds = (0.0, 100.0)
    cite = "Papineni, Roukos, Ward and Zhu (2002), BLEU: a method for automatic evaluation of machine translation. ACL."
    reference = "sacreBLEU 2.6"
    at = "order"

    def __post_init__(self) -> None:
        super().__post_init__()
        # One spelling for one meaning: floor becomes floor:0.1, so that equal metrics have equal specs.
        object.__setattr__(self, "smooth", spelled_out(self.smooth))
        given = self.weights.count(":") + 1
        if self.weights and given != self.order:
            raise SpecError(
                f"the field weights of {self.name} must have one number for each of the {self.order} orders; "
                f"got {given} ({self.weights!r})"
            )

    @property
    def columns(self) -> tuple[str, ...]:
        orders = range(1, self.order + 1)
        correct, total = (f"correct_{n}" for n in orders), (f"total_{n}" for n in orders)
        return ("hypothesis_length", "reference_length", *correct, *total)

    def rows(self, batch: Batch) -> Array:
        tokens = batch.tokens(self.tok, lower=self.lower)
        return active().bleu_rows(tokens, self.order, self.reflen, batch.jobs)

    def score(self, totals: Array) -> Array:
        return bleu_score(totals, self.order, self.smooth, effective=self.effective, weights=self.weights)

    def details(self, totals: Array) -> dict[str, float]:
        """Lengths, their ratio and the brevity penalty."""
        if self.columns[:2] != ("hypothesis_length", "reference_length"):
            return {}
        length, reference = float(totals[0]), float(totals[1])
        return {
            "hypothesis_length": length,
            "reference_length": reference,
            "length_ratio": length / reference if reference else 0.0,
            "brevity_penalty": float(_brevity(*_method(self.smooth), totals[0], totals[1])),
        }

    def explained(self, batch: Batch) -> Explanation:
        """The n-grams of each order: matched, clipped, missing."""
        words, references = segment_words(batch, self.tok, lower=self.lower)
        parts = [
            compared(order_title(n), ngrams(words, n), largest(ngrams(reference, n) for reference in references))
            for n in range(1, self.order + 1)
        ]
        length = effective_reference_length(len(words), [len(reference) for reference in references], self.reflen)
        counts = [len(words), length, *(part.matched for part in parts), *(part.hypothesis for part in parts)]
        return Explanation.of(
            self,
            batch,
            self._row_of(np.array(counts, dtype=np.float64)),
            figures=self._figures(np.array(counts, dtype=np.float64)),
            parts=[covered(words, parts), *parts],
        )

    def _row_of(self, counts: Array) -> Array:
        return counts

    def _figures(self, counts: Array) -> list[Figure]:
        precision, reached = precisions(counts, self.order, self.smooth)
        figures = []
        for n in range(self.order):
            matched, total = counts[2 + n], counts[2 + self.order + n]
            how = f"{matched:g} of {total:g}"
            if not reached[n]:
                how = f"the output has no {n + 1}-grams"
                if self.effective:
                    how += ", so this order is left out"
            elif not total or precision[n] != matched / total:
                how += f", smoothed ({self.smooth})"
            figures.append(Figure(f"precision {n + 1}", float(precision[n]), how))
        method, value = _method(self.smooth)
        brevity = float(_brevity(method, value, counts[0], counts[1]))
        return [*figures, Figure("brevity penalty", brevity, f"{counts[0]:g} words against {counts[1]:g}")]


@dataclass(frozen=True)
class SentBleu(Bleu):
    """The mean of sentence BLEU, from 0 to 100: each segment scored by itself, with effective order.

    >>> sentbleu = SentBleu()
    >>> round(sentbleu.corpus(["The man had just bitten him."], [["The man bit him first."]]), 2)
    15.62
    """

    # Its rows are finished scores: these fields, which in BLEU only `score` reads, decide them.
    smooth: str = smoothing(scoring=False)
    effective: bool = option(True, _EFFECTIVE_HELP)
    weights: str = _weights(scoring=False)

    name = "sentbleu"
    reference = "sacreBLEU 2.6 (sentence_bleu)"
    columns = ("score", "count")

    def rows(self, batch: Batch) -> Array:
        scores = super().score(super().rows(batch))
        return np.stack([scores, np.ones_like(scores)], axis=-1)

    def _row_of(self, counts: Array) -> Array:
        return np.array([float(super().score(counts)), 1.0])

    def score(self, totals: Array) -> Array:
        return ratio(totals[..., 0], totals[..., 1])


def bleu_score(totals: Array, order: int, smooth: str = "exp", *, effective: bool = False, weights: str = "") -> Array:
    """BLEU (0 to 100) from counts (..., 2 + 2 * order): lengths, then matches and totals of each order."""
    totals = np.asarray(totals, dtype=np.float64)
    length, reference = totals[..., 0], totals[..., 1]
    method, value = _method(smooth)
    precision, reached = precisions(totals, order, smooth)
    scores = 100 * _brevity(method, value, length, reference) * _mean(precision, reached, effective, weights)
    if method == "coco":
        return scores
    # Nothing to score, or nothing matched: 0 whatever the smoothing. Moses' smoothing also credits no match.
    evidence = totals[..., :1] if method.startswith("add-all") else totals[..., 2 : 2 + order]
    return np.where((evidence > 0).any(axis=-1), scores, 0.0)


def precisions(totals: Array, order: int, smooth: str = "exp") -> tuple[Array, NDArray[np.bool_]]:
    """The smoothed precision (0 to 1) of each order, and which orders the hypothesis is long enough for."""
    totals = np.asarray(totals, dtype=np.float64)
    correct, total = totals[..., 2 : 2 + order], totals[..., 2 + order :]
    matches, counts = _smoothed(*_method(smooth), correct, total, totals[..., 0])
    # sacreBLEU stops at the first order without n-grams.
    reached = np.logical_and.accumulate(counts > 0, axis=-1)
    return np.divide(matches, counts, out=np.zeros(counts.shape), where=reached), reached


def _method(smooth: str) -> tuple[str, float]:
    """A smoothing's name, and its value (0 where it takes none)."""
    method, _, number = smooth.partition(":")
    return method, float(number) if number else SMOOTHINGS[method] or 0.0


def brevity_penalty(length: Array, reference: Array) -> Array:
    """1 for outputs at least as long as their references, exp(1 - reference/length) for shorter ones."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(length < reference, np.exp(1 - reference / length), 1.0)


def _brevity(method: str, value: float, length: Array, reference: Array) -> Array:
    if method == "add-all-bp":
        return brevity_penalty(length, reference + value)
    if method == "coco":
        return brevity_penalty(length + _TINY, reference + _SMALL)
    return brevity_penalty(length, reference)


def _smoothed(method: str, value: float, correct: Array, total: Array, length: Array) -> tuple[Array, Array]:
    """The matches and totals of each order after smoothing."""
    if method == "add-k":
        more = np.where(np.arange(correct.shape[-1]) > 0, value, 0.0)
        return correct + more, total + more
    if method in ("add-all", "add-all-bp"):
        return correct + value, total + value
    if method == "coco":
        return correct + _TINY, total + _SMALL
    if method == "floor":
        return np.where(correct > 0, correct, value), total
    if method == "none":
        return correct, total
    if method == "nltk4":
        total = np.maximum(total, 1)  # as NLTK's modified_precision
    missing = (correct == 0) & (total > 0)
    halved = 0.5 ** np.cumsum(missing, axis=-1)
    if method == "nltk4":
        halved = halved * np.log(np.maximum(length, 1))[..., None] / value
        # NLTK smooths nothing for a hypothesis of one word, and then leaves the orders without a match out.
        halved = np.where(length[..., None] > 1, halved, total)
    return np.where(missing, halved, correct), total


def _mean(precision: Array, reached: NDArray[np.bool_], effective: bool, weights: str) -> Array:
    """The weighted geometric mean over the orders; 0 where one of them has no match."""
    order = precision.shape[-1]
    each = np.array([float(part) for part in weights.split(":")] if weights else [1 / order] * order)
    used = np.where(reached, each, 0.0) if effective else np.broadcast_to(each, precision.shape)
    share = used.sum(axis=-1) / each.sum()
    logs = np.log(np.where(precision > 0, precision, 1.0))
    mean = np.exp((used * logs).sum(axis=-1) / np.where(share > 0, share, 1.0))
    vanished = ((precision <= 0) & (used > 0)).any(axis=-1)
    return np.where(vanished | (share <= 0), 0.0, mean)
