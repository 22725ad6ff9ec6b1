"""Logistic regression over hashed n-grams, by L-BFGS, from a strong penalty to a weak one.

Each penalty begins where the last one ended, and is kept, so that an interrupted training goes on. It ends when what is
held out is foretold no better.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from nlgauge.arrays import Array, Ints
from nlgauge.errors import InputError
from nlgauge.io.fields import key
from nlgauge.learned.classifier import Classifier
from nlgauge.learned.classifier_linear import (
    Hashing,
    LinearClassifier,
    matrix,
    measured,
    pair_matrix,
    rarity,
    two_sided,
)
from nlgauge.learned.comparator import softmax
from nlgauge.learned.form import sigmoid
from nlgauge.training.classifier_examples import Labelled
from nlgauge.training.classifier_figures import log_loss
from nlgauge.training.config import Patience, Work
from nlgauge.training.featured import once

PART = 2_048  # examples whose features are made at a time
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Linear:
    """Logistic regression over hashed n-grams of words and characters: any language, NumPy and SciPy only."""

    words: tuple[int, ...] = key("orders of n-grams of words", default=(1, 2), least=1, most=5)
    chars: tuple[int, ...] = key("orders of n-grams of characters", default=(2, 3, 4), least=1, most=8)
    bits: int = key("n-grams fall into 2 to this many buckets", default=18, least=8, most=22)
    longest: int = key("characters of a text that are read", default=4_000, least=1)
    penalties: tuple[float, ...] = key(
        "weights of half the sum of squares beside the mean loss, tried from strong to weak; where nothing is held out "
        "the middle one",
        default=(1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6),
        least=1e-12,
        most=1e3,
    )
    patience: int = key("penalties without gain on what is held out, after which it ends", default=1, least=1, most=100)
    steps: int = key("of L-BFGS for each penalty, at most", default=200, least=1, most=100_000)

    def fit(self, work: Work, examples: Labelled, *, reads: str, seed: int, learnt: Ints, tuned: Ints) -> FittedLinear:
        """Learn from some examples, watching others; nothing is left to chance."""
        if not (self.words or self.chars) or not self.penalties:
            raise InputError("a linear classifier needs n-grams and penalties; give words or chars, and penalties")
        how = Hashing(self.words, self.chars, self.bits, self.longest, exact=reads == "alone")
        rare = None if reads == "alone" else _rarity(examples.only(learnt), how)
        told = sha256(repr((asdict(self), reads, examples.labels, learnt.tolist(), tuned.tolist())).encode())
        for row, number in zip(examples.rows, examples.classes.tolist(), strict=True):
            told.update(repr((row.source, row.text, number)).encode("utf-8", "surrogatepass"))
        rows, watched = (
            _features(examples.only(places), how, reads, rare, work.progress) for places in (learnt, tuned)
        )
        scaled = _Scaled.of(rows, measured(how) if reads == "pair" else 0)
        rows, watched = scaled(rows), scaled(watched)
        classes, spared, k = examples.classes[learnt], examples.classes[tuned], len(examples.labels)
        penalties = sorted(self.penalties, reverse=True)
        if not len(tuned):
            penalties = [penalties[len(penalties) // 2]]
        size = (len(scaled.columns) + 1) * (1 if k == 2 else k)
        patience, best, current = Patience(self.patience), np.zeros(size), np.zeros(size)
        for number, penalty in enumerate(penalties, start=1):
            start = current
            current = once(
                work.checkpoints / f"{told.hexdigest()[:24]}-{number}.npy",
                (size,),
                lambda start=start, penalty=penalty: regression(  # type: ignore[misc]
                    rows, classes, k, penalty=penalty, start=start, steps=self.steps
                ),
            )
            loss = log_loss(margins(watched, current, k), spared) if len(tuned) else 0.0
            work.report({"epoch": number, "penalty": penalty, "held_out_loss": loss})
            work.progress("penalties", number, len(penalties))
            if patience.better(loss):
                best = current
            elif patience.over:
                break
        return FittedLinear(
            margins(watched, best, k),
            scaled.whole(best, k),
            labels=examples.labels,
            reads=reads,
            how=how,
            rare=rare,
        )


@dataclass(frozen=True, eq=False)
class FittedLinear:
    """What was learnt."""

    logits: Array
    weights: tuple[Array, Array]  # (columns, k or 1), and the bias
    labels: tuple[str, ...]
    reads: str
    how: Hashing
    rare: Floats | None

    def form(self, temperature: float) -> Classifier:
        """With the temperature in the weights."""
        slopes, bias = (values / temperature for values in self.weights)
        return LinearClassifier(
            self.labels,
            self.reads,
            self.how,
            np.ascontiguousarray(slopes.T, dtype=np.float32),
            bias.astype(np.float32),
            self.rare,
        )


def regression(
    rows: Any,
    classes: Ints,
    k: int,
    *,
    penalty: float,
    start: Array | None = None,
    steps: int = 200,
    tolerance: float = 1e-6,
) -> Array:
    """The weights, with the bias in the last row, that minimise the mean −ln P(class) + penalty/2 · the sum of squares.

    Two classes have one column, for the second; the bias is not penalised. `rows` may be sparse.
    """
    width, n = (1 if k == 2 else k), len(classes)
    back = rows.T.tocsr() if hasattr(rows, "tocsr") else rows.T
    wanted = (classes == 1).astype(np.float64)[:, None] if width == 1 else np.eye(k)[classes]

    def loss(flat: Array) -> tuple[float, Array]:
        weights = flat.reshape(-1, width)
        made = rows @ weights[:-1] + weights[-1]
        if width == 1:
            value = float((np.logaddexp(0.0, made) - wanted * made).mean())
            miss = (sigmoid(made) - wanted) / n
        else:
            top = made.max(axis=1, keepdims=True)
            sums = np.log(np.exp(made - top).sum(axis=1)) + top[:, 0]
            value = float((sums - (wanted * made).sum(axis=1)).mean())
            miss = (softmax(made) - wanted) / n
        slope = np.concatenate([back @ miss + penalty * weights[:-1], miss.sum(axis=0, keepdims=True)])
        return value + 0.5 * penalty * float((weights[:-1] ** 2).sum()), slope.ravel()

    first = np.zeros((rows.shape[1] + 1) * width) if start is None else start
    options = {"maxiter": steps, "gtol": tolerance, "ftol": 1e-12, "maxcor": 10}
    return np.asarray(minimize(loss, first, jac=True, method="L-BFGS-B", options=options).x)


def margins(rows: Any, flat: Array, k: int) -> Array:
    """(n, k): the logits of rows."""
    weights = flat.reshape(-1, 1 if k == 2 else k)
    return two_sided(rows @ weights[:-1] + weights[-1])


@dataclass(frozen=True, eq=False)
class _Scaled:
    """The columns that are learnt, the numbers among them divided by their deviations."""

    columns: Ints
    scale: Array  # of all columns
    place: Ints  # of each column among those learnt; -1: of none

    @classmethod
    def of(cls, rows: Any, numbers: int) -> _Scaled:
        columns = np.unique(rows.indices).astype(np.int64)
        scale = np.ones(rows.shape[1])
        for column in range(numbers):
            spread = float(rows[:, [column]].toarray().std())
            scale[column] = 1.0 / spread if spread > 1e-9 else 0.0
        place = np.full(rows.shape[1], -1)
        place[columns] = np.arange(len(columns))
        return cls(columns, scale, place)

    def __call__(self, rows: Any) -> Any:
        """The rows with these columns only."""
        from scipy.sparse import csr_matrix

        where = self.place[rows.indices]
        kept = where >= 0
        starts = np.concatenate([[0], np.cumsum(kept)])[rows.indptr]
        values = (rows.data * self.scale[rows.indices])[kept]
        return csr_matrix((values, where[kept], starts), shape=(rows.shape[0], len(self.columns)))

    def whole(self, flat: Array, k: int) -> tuple[Array, Array]:
        """The weights of all columns, for features as they are, and the bias."""
        weights = flat.reshape(-1, 1 if k == 2 else k)
        found = np.zeros((len(self.place), weights.shape[1]))
        found[self.columns] = weights[:-1] * self.scale[self.columns][:, None]
        return found, weights[-1]


def _rarity(learnt: Labelled, how: Hashing) -> Floats:
    """Of the n-grams of texts that were given, not drawn, each side of a pair counting as a text."""
    given = learnt.only(np.flatnonzero(learnt.given))
    ones, others = given.texts("pair")
    assert others is not None
    return rarity([*dict.fromkeys(ones), *dict.fromkeys(others)], how).astype(np.float32)


def _features(
    examples: Labelled,
    how: Hashing,
    reads: str,
    rare: Floats | None,
    progress: Callable[[str, int, int], None],
) -> Any:
    from scipy.sparse import vstack

    ones, others = examples.texts(reads)
    parts = []
    for start in range(0, len(ones), PART):
        some = slice(start, start + PART)
        parts.append(_part(ones[some], None if others is None else others[some], how, rare))
        progress("features", min(start + PART, len(ones)), len(ones))
    return vstack(parts, format="csr") if parts else _part([], None if others is None else [], how, rare)


def _part(ones: Sequence[str], others: Sequence[str] | None, how: Hashing, rare: Floats | None) -> Any:
    if others is None or rare is None:
        return matrix(ones, how)
    return pair_matrix(ones, others, how, rare.astype(np.float64))
