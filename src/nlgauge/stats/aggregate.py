"""One value for each item from several judges: means of standardised or weighted ratings, majorities, Dawid and Skene.

All functions take a table of items × judges with NaN or None for gaps; Dawid and Skene's (1979) model also takes single
judgements, which may repeat a judge on an item.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nlgauge.arrays import Array, Bools, Ints
from nlgauge.errors import InputError
from nlgauge.results import Result
from nlgauge.stats.agreement.judges import correlation_with_others
from nlgauge.stats.agreement.ratings import Ratings

TINY = 1e-300  # stands for 0 under a logarithm


@dataclass(frozen=True)
class Standardised:
    """z scores, items × judges; `flat` lists the judges (by place) who gave one value only and got 0 throughout."""

    values: Array
    means: Array
    deviations: Array
    flat: tuple[int, ...]


@dataclass(frozen=True)
class Means:
    """One mean per item (NaN where no rating counts), the judges' weights, and what the reader must know."""

    values: Array
    weights: Array
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Majority:
    """The most frequent value of each item, its share of the ratings, and the items where several are most frequent."""

    values: tuple[Any, ...]  # None for ties and for items without a rating
    shares: Array
    ties: tuple[int, ...]


def standardise(values: Any) -> Standardised:
    """Each judge's ratings less the judge's mean, over the judge's standard deviation (n - 1).

    A judge who always gives the same value says nothing about the items: 0 throughout, and listed in `flat`.
    Judges' means are comparable only where the items were given out at random.
    """
    numbers = Ratings.of(values).values()
    present = ~np.isnan(numbers)
    sizes = present.sum(axis=0)
    filled = np.where(present, numbers, 0.0)
    with np.errstate(invalid="ignore"):
        means = filled.sum(axis=0) / sizes
        deviations = np.sqrt(np.where(present, (numbers - means) ** 2, 0.0).sum(axis=0) / (sizes - 1))
    # By the values themselves: the mean of equal values may differ from them in the last digit.
    lowest = np.where(present, numbers, np.inf).min(axis=0, initial=np.inf)
    constant = (sizes > 0) & ~np.any(present & (numbers != lowest), axis=0)
    means = np.where(constant, lowest, means)
    deviations = np.where(constant & (sizes > 1), 0.0, deviations)
    flat = np.flatnonzero(constant).tolist()
    z = (numbers - means) / np.where(deviations > 0, deviations, 1.0)
    return Standardised(z, means, deviations, tuple(flat))


def judge_z(
    judges: Sequence[str], values: Sequence[float] | Array, learnt: Bools | None = None
) -> tuple[Array, list[str]]:
    """Ratings one by one, each less its judge's mean, over the judge's standard deviation (n - 1).

    Those of judges who gave one value only are 0, as in `standardise`; the second result names them. Where `learnt` is
    given, mean and deviation are those of these ratings, as far as a judge has any.
    """
    if not len(judges):
        return np.empty(0), []
    names, owner = np.unique(np.asarray(judges, dtype=object).astype(str), return_inverse=True)
    given = np.asarray(values, dtype=np.float64)
    order = np.argsort(owner, kind="stable")
    z, flat = np.zeros(len(given)), []
    for name, places in zip(names, np.split(order, np.cumsum(np.bincount(owner))[:-1]), strict=True):
        own = given[places]
        some = own if learnt is None or not learnt[places].any() else own[learnt[places]]
        if (some == some[0]).all():
            flat.append(str(name))
        else:
            z[places] = (own - some.mean()) / some.std(ddof=1)
    return z, flat


def agreement_weights(values: Any) -> Means:
    """Weights of the judges by how they agree: Pearson's r with the mean of the others, 0 where negative or undefined.

    The weights add up to 1. `values` of the result are the means with these weights.
    """
    numbers = Ratings.of(values).values()
    judges = numbers.shape[1]
    if judges < 3:
        raise InputError(
            f"weights by agreement need at least three judges; there are {judges}: two agree with each other equally"
        )
    found = np.array([correlation_with_others(numbers, judge) for judge in range(judges)])
    weights = np.where(found > 0, found, 0.0)
    silent = int(np.count_nonzero(weights == 0))
    if silent == judges:
        raise InputError(
            "no judge agrees with the others, so the judges cannot be weighted by agreement; use plain means"
        )
    notes = (f"{silent} of {judges} judges do not agree with the others and have weight 0",) if silent else ()
    return weighted_means(numbers, weights / weights.sum(), notes)


def weighted_means(values: Any, weights: Sequence[float] | Array, notes: tuple[str, ...] = ()) -> Means:
    """The mean of each item's ratings with these weights of the judges, over the judges who rated it."""
    numbers = Ratings.of(values).values()
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != (numbers.shape[1],):
        raise InputError(f"expected one weight for each of the {numbers.shape[1]} judges; got {given.size}")
    if not np.all(np.isfinite(given)) or given.min(initial=0) < 0 or not given.any():
        raise InputError("weights must be finite and from 0 up, and not all of them 0")
    present = ~np.isnan(numbers)
    total = present @ given
    sums = np.where(present, numbers, 0.0) @ given
    lost = int(np.count_nonzero((total == 0) & present.any(axis=1)))
    means = np.where(total > 0, sums / np.where(total > 0, total, 1), math.nan)
    if lost:
        notes = (*notes, f"{lost:,} items were rated only by judges of weight 0 and have no mean")
    return Means(means, given, notes)


def majority(values: Any) -> Majority:
    """The most frequent value of each item; a tie is no majority."""
    ratings = Ratings.of(values)
    counts = ratings.counts()
    if not len(ratings.categories):
        raise InputError("there is no rating at all, so there is no majority")
    top = counts.max(axis=1)
    leaders = (counts == top[:, None]).sum(axis=1)
    best = counts.argmax(axis=1)
    clear = (top > 0) & (leaders == 1)
    chosen = tuple(ratings.categories[code] if known else None for code, known in zip(best, clear, strict=True))
    sizes = counts.sum(axis=1)
    shares = np.where(sizes > 0, top / np.maximum(sizes, 1), math.nan)
    return Majority(chosen, shares, tuple(np.flatnonzero((top > 0) & (leaders > 1)).tolist()))


@dataclass(frozen=True)
class DawidSkene(Result):
    """The fit: `posteriors` items × classes, `priors` of the classes, `confusion` judges × true × given class."""

    classes: tuple[Any, ...]
    labels: tuple[Any, ...]
    posteriors: Array
    priors: Array
    confusion: Array
    iterations: int
    converged: bool
    log_likelihood: float
    change: float  # of the log-likelihood in the last round

    @property
    def accuracies(self) -> Array:
        """Each judge's chance of giving the true class, over the estimated shares of the classes."""
        return np.asarray(np.einsum("k,jkk->j", self.priors, self.confusion))

    def __str__(self) -> str:
        state = "converged" if self.converged else "did NOT converge"
        low, high = float(self.accuracies.min()), float(self.accuracies.max())
        return (
            f"Dawid–Skene over {len(self.labels):,} items and {len(self.confusion)} judges {state} after "
            f"{self.iterations:,} rounds (log-likelihood {self.log_likelihood:.4f}, last change {self.change:.2g}); "
            f"estimated accuracy of the judges {low:.2f} to {high:.2f}"
        )


def dawid_skene(values: Any, *, tolerance: float = 1e-8, rounds: int = 1000, smoothing: float = 0.0) -> DawidSkene:
    """Dawid and Skene's maximum-likelihood estimate of the true classes and the judges' errors, by EM.

    Starts from the shares of each item's ratings (their equation 3.1) and stops when the log-likelihood changes by less
    than `tolerance` of itself. `smoothing` is added to every count of a judge's answers: with few ratings a judge a
    little (0.01) keeps errors that happen not to occur from being impossible. EM finds a local maximum.
    """
    ratings = Ratings.of(values)
    items, judges = np.nonzero(ratings.codes >= 0)
    answers = _Answers(items, judges, ratings.codes[items, judges], ratings.codes.shape, ratings)
    return _fit(answers, tolerance, rounds, smoothing)


def dawid_skene_judgements(
    items: Sequence[int],
    judges: Sequence[int],
    labels: Sequence[Any],
    *,
    tolerance: float = 1e-8,
    rounds: int = 1000,
    smoothing: float = 0.0,
) -> DawidSkene:
    """As `dawid_skene`, from single judgements (items and judges numbered from 0); a judge may repeat an item."""
    if not len(items) == len(judges) == len(labels):
        raise InputError(
            f"items, judges and labels must have one length; got {len(items)}, {len(judges)} and {len(labels)}"
        )
    column = Ratings.of([[label] for label in labels])
    given = np.asarray(items, dtype=np.int64), np.asarray(judges, dtype=np.int64)
    shape = int(given[0].max(initial=-1)) + 1, int(given[1].max(initial=-1)) + 1
    return _fit(_Answers(*given, column.codes[:, 0], shape, column), tolerance, rounds, smoothing)


@dataclass(frozen=True)
class _Answers:
    """Who answered what about which item; `shape` is how many items and judges there are."""

    items: Ints
    judges: Ints
    codes: Ints
    shape: tuple[int, ...]
    ratings: Ratings


def _fit(given: _Answers, tolerance: float, rounds: int, smoothing: float) -> DawidSkene:
    items, codes, ratings = given.items, given.codes, given.ratings
    if not len(codes):
        raise InputError("there is no rating at all, so no class can be estimated")
    if rounds < 1 or tolerance <= 0 or smoothing < 0:
        raise InputError("rounds must be at least 1, the tolerance above 0 and the smoothing from 0 up")
    size, (n, crowd) = len(ratings.categories), given.shape
    posteriors = np.bincount(items * size + codes, minlength=n * size).reshape(n, size).astype(np.float64)
    unrated = posteriors.sum(axis=1) == 0
    posteriors /= np.maximum(posteriors.sum(axis=1, keepdims=True), 1)
    answers = given.judges * size + codes
    before, change, converged = -math.inf, math.inf, False
    done = 0
    while done < rounds and not converged:
        done += 1
        priors = posteriors[~unrated].mean(axis=0)
        confusion = _confusion(posteriors, items, answers, crowd, size, smoothing)
        posteriors, likelihood = _posteriors(priors, confusion, items, answers, n, unrated)
        change, before = abs(likelihood - before), likelihood
        converged = change <= tolerance * (1 + abs(likelihood))
    best = posteriors.argmax(axis=1)
    labels = tuple(None if gap else ratings.categories[code] for code, gap in zip(best, unrated, strict=True))
    return DawidSkene(
        classes=ratings.categories,
        labels=labels,
        posteriors=posteriors,
        priors=priors,
        confusion=confusion,
        iterations=done,
        converged=converged,
        log_likelihood=before,
        change=change,
    )


def _confusion(posteriors: Array, items: Ints, answers: Ints, crowd: int, size: int, smoothing: float) -> Array:
    """How often each judge gives each answer to items of each class, as shares of the class."""
    counts = np.stack([np.bincount(answers, weights=posteriors[items, k], minlength=crowd * size) for k in range(size)])
    table = counts.reshape(size, crowd, size).transpose(1, 0, 2) + smoothing
    totals = table.sum(axis=2, keepdims=True)
    # A judge who saw nothing of a class says nothing about it: all answers alike.
    return np.where(totals > 0, table / np.where(totals > 0, totals, 1), 1 / size)


def _posteriors(
    priors: Array, confusion: Array, items: Ints, answers: Ints, n: int, unrated: Bools
) -> tuple[Array, float]:
    size = len(priors)
    by_answer = np.log(np.maximum(confusion.transpose(1, 0, 2).reshape(size, -1), TINY))
    scores = np.stack([np.bincount(items, weights=by_answer[k][answers], minlength=n) for k in range(size)], axis=1)
    scores += np.log(np.maximum(priors, TINY))
    top = scores.max(axis=1, keepdims=True)
    weights = np.exp(scores - top)
    totals = weights.sum(axis=1, keepdims=True)
    likelihood = float((top + np.log(totals))[~unrated].sum())
    posteriors = weights / totals
    posteriors[unrated] = 0.0
    return posteriors, likelihood
