"""Whether a judge works with care: degraded copies, repeated items, attention, straight-lining, speed, comprehension.

Every check looks at one judge and returns a figure, a p-value where there is a null hypothesis, and whether the judge
passes. Failing a check is a reason to look, and to report the analysis with and without the judge; with many judges
some fail by chance, which `failures_expected` counts for the checks whose null is that the judge is careful.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.options import DEFAULT_SEED
from nlgauge.stats.mixed.design import factor
from nlgauge.stats.ranks import signed_rank
from nlgauge.wording.numbers import p_words

DegradedTest = Literal["signed-rank", "sign", "t"]
SAME = 8  # so many equal answers and no other fail by themselves
MAD = 1.4826  # makes the median absolute deviation of a normal distribution its standard deviation


@dataclass(frozen=True)
class Check(Jsonable):
    """One check of one judge; `passed` is None where there was too little to tell."""

    judge: str
    check: str
    estimate: float
    p: float
    n: int
    passed: bool | None
    method: str
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        verdict = {True: "passes", False: "fails", None: "cannot be judged on"}[self.passed]
        p = "" if math.isnan(self.p) else f", {p_words(self.p)}"
        sentence = f"{self.judge} {verdict} {self.check}: {self.estimate:.3g} (n = {self.n}{p}; {self.method})"
        return "; note: ".join((sentence, *self.notes))


def failures_expected(judges: int, alpha: float = 0.05) -> float:
    """How many of so many careful judges fail a test at this level."""
    return judges * alpha


def share_passing(chances: Sequence[float], needed: int, *, attempts: int = 1) -> float:
    """The share of judges with at least `needed` right answers in one of the attempts; each answer has its own chance.

    Exact: the number of right answers has a Poisson binomial distribution.

    >>> round(share_passing([1 / 3, 1 / 3], 1), 3), round(share_passing([0.5], 1, attempts=2), 3)
    (0.556, 0.75)
    """
    counts = np.ones(1)
    for chance in chances:
        counts = np.convolve(counts, (1 - chance, chance))
    once = float(counts[max(needed, 0) :].sum())
    return 1 - (1 - min(once, 1.0)) ** attempts


def degraded(
    original: Sequence[float] | Array,
    copies: Sequence[float] | Array,
    *,
    judge: str = "the judge",
    test: DegradedTest = "signed-rank",
    alpha: float = 0.05,
) -> Check:
    """Whether a judge rates outputs above their degraded copies: one-sided, matched (Graham et al. 2013).

    A judge passes where p is below alpha: the burden of proof is on the judge. With so few pairs that no result could
    pass, `passed` is None.
    """
    a, b = _matched(original, copies, "output and its degraded copy")
    difference = a - b
    if test not in ("signed-rank", "sign", "t"):
        raise InputError(f"the test must be signed-rank, sign or t; got {test!r}")
    if test == "sign":
        from scipy.special import bdtrc

        more, fewer = int(np.count_nonzero(difference > 0)), int(np.count_nonzero(difference < 0))
        p = float(bdtrc(more - 1, more + fewer, 0.5)) if more else 1.0
        method = "sign test, exact, one-sided"
    elif test == "t":
        p, method = _paired_t(difference), "Student's paired t, one-sided"
    else:
        found = signed_rank(difference, "greater")
        p, method = found.p, f"Wilcoxon's {found.method}, one-sided"
    estimate = float(difference.mean()) if len(difference) else math.nan
    if (test == "t" and len(difference) < 2) or (test != "t" and 0.5 ** len(difference) >= alpha):
        note = f"{len(difference)} pairs cannot reach p < {alpha:g}; show at least {_pairs_needed(alpha)}"
        return Check(judge, "degraded copies", estimate, p, len(difference), None, method=method, notes=(note,))
    return Check(judge, "degraded copies", estimate, p, len(difference), p < alpha, method=method)


def _paired_t(difference: Array) -> float:
    """P(T ≥ t) of matched differences; where all are the same there is nothing to compare with, and p is 0 or 1."""
    from scipy.special import stdtr

    n = len(difference)
    if n < 2 or float(difference.std(ddof=1)) == 0:
        return 0.0 if n > 1 and difference[0] > 0 else 1.0
    t = float(difference.mean()) / (float(difference.std(ddof=1)) / math.sqrt(n))
    return float(stdtr(n - 1, -t))


def attention(missed: Sequence[bool], *, judge: str = "the judge", share: float = 0.5) -> Check:
    """Attention checks: a judge fails who missed this share of them or more; `estimate` is the share missed."""
    if not 0 < share <= 1:
        raise InputError(f"the share of missed checks must lie between 0 and 1; got {share}")
    if not missed:
        return Check(judge, "attention checks", math.nan, math.nan, 0, None, method="share missed")
    part, n = sum(missed) / len(missed), len(missed)
    method, note = f"share missed, fails from {100 * share:g} % on", f"{sum(missed)} of {n} missed"
    passed = part < share - 1e-12
    return Check(judge, "attention checks", part, math.nan, n, passed, method=method, notes=(note,))


@dataclass(frozen=True)
class SelfAgreement:
    """How a judge's second ratings of the same items agree with the first; NaN where that has no value."""

    n: int
    difference: float  # mean absolute
    same: float  # share of equal ratings
    kappa: float  # Cohen's, quadratic weights
    icc: float  # ICC(2,1)


def self_agreement(first: Sequence[float] | Array, second: Sequence[float] | Array) -> SelfAgreement:
    """First and second ratings of repeated items: difference, weighted kappa and intraclass correlation."""
    from nlgauge.stats.agreement.cohen import cohen
    from nlgauge.stats.agreement.icc import icc

    a, b = _matched(first, second, "first and second rating of an item")
    if not len(a):
        return SelfAgreement(0, math.nan, math.nan, math.nan, math.nan)
    table = np.column_stack([a, b])
    kappa = intraclass = math.nan
    with suppress(InputError):  # too few items, or no variance
        kappa = float(cohen(table, weights="quadratic").estimate)
    with suppress(InputError):
        intraclass = float(icc(table, "2,1").estimate)
    return SelfAgreement(len(a), float(np.abs(a - b).mean()), float((a == b).mean()), kappa, intraclass)


def entropy(answers: Sequence[float] | Array, options: int) -> float:
    """Shannon's entropy of a judge's answers as a share of the largest there is: 0 one answer throughout, 1 all evenly.

    >>> entropy([3, 3, 3], 5), round(entropy([1, 2, 3, 4], 4), 2)
    (0.0, 1.0)
    """
    values = _numbers(answers, "answers")
    _, counts = np.unique(values, return_counts=True)
    shares = counts / len(values)
    most = math.log(min(max(options, 2), max(len(values), 2)))
    return max(0.0, -float((shares * np.log(shares)).sum()) / most)


def repeats(
    first: Sequence[float] | Array,
    second: Sequence[float] | Array,
    *,
    judge: str = "the judge",
    alpha: float = 0.05,
    trials: int = 2000,
    seed: int = DEFAULT_SEED,
) -> Check:
    """Self-consistency: whether the second ratings of repeated items are nearer to the first than by chance.

    `estimate` is the mean absolute difference; the null hands the judge's second ratings out over the items at random.
    """
    a, b = _matched(first, second, "first and second rating of an item")
    if len(a) < 4:
        mean = float(np.abs(a - b).mean()) if len(a) else math.nan
        note = "fewer than four repeated items cannot show consistency"
        method = "mean absolute difference"
        return Check(judge, "repeated items", mean, math.nan, len(a), None, method=method, notes=(note,))
    rng = np.random.default_rng(seed)
    observed = float(np.abs(a - b).mean())
    drawn = np.array([np.abs(a - rng.permutation(b)).mean() for _ in range(trials)])
    p = (1 + int(np.count_nonzero(drawn <= observed + 1e-12))) / (trials + 1)
    same = float((a == b).mean())
    notes = (f"{100 * same:.0f} % of the second ratings equal the first; chance differs by {drawn.mean():.3g}",)
    method = f"mean absolute difference, {trials:,} permutations"
    return Check(judge, "repeated items", observed, p, len(a), p < alpha, method=method, notes=notes)


def longest_run(
    answers: Sequence[float] | Array,
    *,
    judge: str = "the judge",
    alpha: float = 0.01,
    trials: int = 2000,
    seed: int = DEFAULT_SEED,
) -> Check:
    """Straight-lining in time: the longest run of one answer against the judge's own answers in random order.

    A judge with a single answer throughout fails outright: every order is the same, so that no test exists.
    """
    values = _numbers(answers, "answers in the order given")
    observed = float(_runs(values[None])[0])
    if np.all(values == values[0]):
        failed = False if len(values) >= SAME else None
        note = "one answer throughout"
        n = len(values)
        return Check(judge, "straight-lining", observed, math.nan, n, failed, method="longest run", notes=(note,))
    rng = np.random.default_rng(seed)
    drawn = _runs(rng.permuted(np.tile(values, (trials, 1)), axis=1))
    p = (1 + int(np.count_nonzero(drawn >= observed))) / (trials + 1)
    method = f"longest run, {trials:,} permutations of the order"
    note = f"{np.median(drawn):.0f} expected"
    return Check(judge, "straight-lining", observed, p, len(values), p >= alpha, method=method, notes=(note,))


def spread(
    ratings: Any,
    names: Sequence[str] | None = None,
    *,
    alpha: float = 0.01,
    trials: int = 2000,
    seed: int = DEFAULT_SEED,
) -> tuple[Check, ...]:
    """Straight-lining in value: each judge's standard deviation against ratings exchanged between judges.

    `ratings` is items × judges with NaN for gaps. The null exchanges the ratings of an item among those who rated it,
    so that a judge who saw alike items is not blamed for it. Corrected by Holm over the judges.
    """
    from nlgauge.stats.multiple import holm

    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < 2:
        raise InputError("the spread of judges needs a table of items × judges, at least two judges")
    labels = [str(k + 1) for k in range(table.shape[1])] if names is None else list(names)
    given = ~np.isnan(table)
    sizes = given.sum(axis=0)
    observed = _deviations(table, given)
    rng = np.random.default_rng(seed)
    below = np.zeros(table.shape[1])
    places = np.argsort(~given, axis=1, kind="stable")
    packed = np.take_along_axis(table, places, axis=1)
    for _ in range(trials):
        key = np.where(np.take_along_axis(given, places, axis=1), rng.random(table.shape), 2.0)
        mixed = np.take_along_axis(packed, np.argsort(key, axis=1), axis=1)
        drawn = np.full_like(table, math.nan)
        np.put_along_axis(drawn, places, mixed, axis=1)
        below += _deviations(drawn, given) <= observed + 1e-12
    p = (1 + below) / (trials + 1)
    usable = sizes >= 4
    corrected = np.full(len(p), math.nan)
    corrected[usable] = holm(p[usable])
    method = f"standard deviation, {trials:,} exchanges within items, Holm"
    figures = zip(labels, observed.tolist(), corrected.tolist(), sizes.tolist(), usable.tolist(), strict=True)
    return tuple(
        Check(label, "spread of ratings", value, own, n, own >= alpha if known else None, method=method)
        for label, value, own, n, known in figures
    )


def speed(
    seconds: Sequence[float] | Array,
    judges: Sequence[Hashable],
    *,
    deviations: float = 3.0,
    least: float = 0.0,
    share: float = 0.1,
) -> tuple[Check, ...]:
    """Too-fast answers: below the median less `deviations` robust standard deviations, in logarithms of time.

    The threshold is of all judges' answers together; `least` (seconds) sets a floor under it, as from a reading speed.
    A judge fails with more than `share` of too-fast answers; `estimate` is that share.
    """
    times = _numbers(seconds, "times")
    if times.min() < 0:
        raise InputError(f"a time of {times.min():g} seconds is below 0")
    who = factor("judge", judges, len(times))
    logs = np.log(np.maximum(times, 0.01))
    middle = float(np.median(logs))
    scale = MAD * float(np.median(np.abs(logs - middle)))
    threshold = max(math.exp(middle - deviations * scale) if scale > 0 else 0.0, least)
    fast = times < threshold
    out = []
    for k, name in enumerate(who.levels):
        own = who.codes == k
        part = float(fast[own].mean())
        method = f"answers under {threshold:.3g} s"
        note = f"median {np.median(times[own]):.3g} s, of all judges {math.exp(middle):.3g} s"
        n, passed = int(own.sum()), part <= share
        out.append(Check(name, "speed", part, math.nan, n, passed, method=method, notes=(note,)))
    return tuple(out)


def comprehension(
    right: Sequence[int],
    questions: int,
    *,
    judge: str = "the judge",
    pass_mark: float = 0.8,
    guess: float = 0.5,
) -> Check:
    """A comprehension test with one or more attempts (right answers of each): the best one counts.

    p is the chance that guessing, with `guess` for each question, does as well in so many attempts.
    """
    from scipy.special import bdtrc

    if questions < 1 or not right or any(not 0 <= answer <= questions for answer in right):
        raise InputError(f"expected right answers from 0 to {questions} for each attempt, at least one attempt")
    if not 0 < guess < 1:
        raise InputError(f"the chance of guessing right must lie between 0 and 1; got {guess}")
    best = max(right)
    once = float(bdtrc(best - 1, questions, guess)) if best else 1.0
    p = 1 - (1 - once) ** len(right)
    method = f"best of {len(right)} attempt{'s' if len(right) > 1 else ''}, pass mark {100 * pass_mark:g} %"
    share = best / questions
    return Check(judge, "comprehension", share, p, questions, share >= pass_mark - 1e-12, method=method)


def _pairs_needed(alpha: float) -> int:
    return math.floor(math.log(alpha) / math.log(0.5)) + 1


def _matched(first: Any, second: Any, what: str) -> tuple[Array, Array]:
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise InputError(f"expected one {what}, matched by place; got {a.size} and {b.size}")
    both = np.isfinite(a) & np.isfinite(b)
    return a[both], b[both]


def _numbers(values: Any, what: str) -> Array:
    out = np.asarray(values, dtype=np.float64)
    if out.ndim != 1 or not len(out) or not np.all(np.isfinite(out)):
        raise InputError(f"expected a flat list of finite {what}, at least one")
    return out


def _runs(rows: Array) -> Array:
    """The longest run of equal values in each row."""
    run = np.ones(len(rows))
    longest = run.copy()
    for before, after in pairwise(rows.T):
        run = np.where(before == after, run + 1, 1)
        np.maximum(longest, run, out=longest)
    return longest


def _deviations(table: Array, given: Any) -> Array:
    sizes = np.maximum(given.sum(axis=0), 1)
    filled = np.where(given, table, 0.0)
    means = filled.sum(axis=0) / sizes
    squares = (np.where(given, table - means, 0.0) ** 2).sum(axis=0)
    return np.asarray(np.sqrt(squares / np.maximum(sizes - 1, 1)))
