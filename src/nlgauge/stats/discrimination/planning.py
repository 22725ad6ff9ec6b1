"""How many judges: first and stable numbers, power, dips, and the best risks for the judges one has.

A test of n judges keeps both risks when some count c separates guessing from perceiving: P(X ≥ c | no difference) ≤ α
and P(X < c | p_d) ≤ β. The set of such n is the same for a difference test (which fixes c by α) and a similarity test
(which fixes it by β), so one search serves both goals. It is not an interval: counts are whole, so power falls each
time c steps up. The *first* n is the smallest that works (the rule of the paper's Table 1, and of sensR's
statistic="exact"); the *stable* n is the smallest from which every larger number works too (sensR: "stable.exact").

That no later n fails is proved, not sampled: Zubkov and Serov's inequalities (2013) bound the binomial distribution by

    Φ(± √(2n KL(k/n, p))) ≤ P(X ≤ k) ≤ Φ(± √(2n KL((k+1)/n, p)))      (KL: relative entropy; sign of share − p)

from which follow an n beyond which both risks hold for certain (the condition is monotone in n), and a range in which
they cannot both hold (by concavity); only the numbers between are computed, each exactly.

The three tables of the triangle-test paper, computed: judges needed, least and most correct answers.

The paper takes them from AENOR 2010 (after Schlich 1993 and Meilgaard et al. 1991). The exact binomial gives every
cell of Tables 2 and 3 and 124 of the 125 of Table 1; the cell α = 0.05, β = 0.001, p_d = 10 % is printed as 1181, where
1178 judges suffice and 1181 is the next number that does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.errors import InputError
from nlgauge.stats.discrimination import checks
from nlgauge.stats.discrimination.binomial import (
    Counts,
    at_most,
    deciding,
    lowest_rejecting,
    reached,
    turn,
    within,
)
from nlgauge.stats.discrimination.limits import z_of
from nlgauge.stats.discrimination.protocols import Protocol, find

RISKS = (0.2, 0.1, 0.05, 0.01, 0.001)
SHARES = (0.5, 0.4, 0.3, 0.2, 0.1)
_MOST_WORK = 20_000_000  # numbers of judges looked at in one search


@dataclass(frozen=True)
class Needed:
    """How many judges a test needs: `dips` are the numbers from `first` on that fail, all below `stable`."""

    first: int
    stable: int
    dips: tuple[int, ...]

    def suffices(self, n: int) -> bool:
        """Whether n judges keep both risks."""
        return n >= self.first and n not in self.dips


@dataclass(frozen=True)
class Design:
    """What n judges achieve: the critical count and both risks as they really are."""

    n: int
    goal: str
    min_correct: int | None  # a difference is concluded from this many correct answers; None: never
    max_correct: int | None  # similarity is concluded up to this many; None: never
    alpha: float  # the chance of the wrong conclusion when there is no difference
    power: float  # the chance of the right conclusion when the goal is true

    @property
    def beta(self) -> float:
        """The chance of the wrong conclusion when p_d perceive the difference (for similarity: at most β)."""
        return 1 - self.power


def needed(
    alpha: float, beta: float, p_d: float, *, protocol: str | Protocol = "triangle", p_d_low: float = 0.0
) -> Needed:
    """First and stable number of judges that keep both risks, for either goal.

    α is the risk when the true share is `p_d_low` (0: no difference), β the risk when it is `p_d`.

    Args:
        alpha: the risk when the share is `p_d_low`
        beta: the risk when it is `p_d`
        p_d: the larger share of people who perceive the difference
        protocol: triangle, duo-trio, tetrad, 2-afc, 3-afc, hexad, two-out-of-five, or double-… of one of them
        p_d_low: the smaller share; 0 is no difference

    >>> from nlgauge.triangle import needed
    >>> needed(0.05, 0.05, p_d=0.5)
    Needed(first=23, stable=29, dips=(24, 26, 28))
    """
    asked = find(protocol)
    alpha, beta = checks.risk(alpha, "alpha"), checks.risk(beta, "beta")
    high = checks.share(p_d)
    low = checks.share(p_d_low, "the smaller p_d", zero=True)
    if low >= high:
        raise InputError(f"the smaller p_d ({low:g}) must lie below p_d ({high:g})")
    return _search(alpha, beta, asked.from_p_d(low), asked.from_p_d(high))


def answers_needed(alpha: float, beta: float, guess: float, share: float) -> Needed:
    """The same for any share of right answers above that by guessing: one-sided, of independent answers."""
    if not 0 < guess < share < 1:
        raise InputError(f"the share {share:g} must lie between guessing ({guess:g}) and 1")
    return _search(checks.risk(alpha, "alpha"), checks.risk(beta, "beta"), guess, share)


def design(
    n: int,
    *,
    goal: str = "difference",
    alpha: float = 0.05,
    beta: float = 0.05,
    p_d: float,
    protocol: str | Protocol = "triangle",
    p_d_true: float = 0.0,
) -> Design:
    """What n judges achieve.

    Difference: the critical count keeps α, `power` is the chance of finding the share p_d. Similarity: the critical
    count keeps β at p_d, `power` is the chance of passing when the true share is `p_d_true` (0: no difference).

    Args:
        n: judges
        goal: difference or similarity
        alpha: the risk of concluding a difference where there is none
        beta: the risk of missing the difference `p_d`
        p_d: the share of people who perceive the difference that is to be found, or ruled out
        protocol: triangle, duo-trio, tetrad, 2-afc, 3-afc, hexad, two-out-of-five, or double-… of one of them
        p_d_true: the share that perceives it in truth, for the power of similarity

    >>> from nlgauge.triangle import design
    >>> achieved = design(30, p_d=0.4)
    >>> achieved.min_correct, round(achieved.power, 3)
    (15, 0.903)
    """
    asked = find(protocol)
    size = checks.judges(n)
    high = asked.from_p_d(checks.share(p_d))
    low = asked.from_p_d(checks.share(p_d_true, "the true p_d", zero=True))
    different = checks.goal(goal) == "difference"
    risk = checks.risk(alpha, "alpha") if different else checks.risk(beta, "beta")
    count = deciding(goal, size, risk, asked.guess if different else high)
    if count is None:
        return Design(size, goal, None, None, 0.0 if different else 1.0, 0.0)
    if different:
        wrong, right = (reached(goal, count, size, p) for p in (asked.guess, high))
        return Design(size, goal, count, None, wrong, right)
    wrong, right = reached("difference", count + 1, size, asked.guess), reached(goal, count, size, low)
    return Design(size, goal, None, count, wrong, right)


def smallest_p_d(n: int, alpha: float, beta: float, *, protocol: str | Protocol = "triangle") -> float | None:
    """The smallest share that n judges find with both risks kept; None where even p_d = 1 is out of reach.

    Args:
        n: judges
        alpha: the risk of concluding a difference where there is none
        beta: the risk of missing the difference `p_d`
        protocol: triangle, duo-trio, tetrad, 2-afc, 3-afc, hexad, two-out-of-five, or double-… of one of them

    >>> from nlgauge.triangle import smallest_p_d
    >>> round(smallest_p_d(30, 0.05, 0.05), 3)
    0.445
    """
    from scipy.special import betainccinv

    asked = find(protocol)
    size = checks.judges(n)
    least = deciding("difference", size, checks.risk(alpha, "alpha"), asked.guess)
    if least is None:
        return None
    # P(X ≤ c − 1 | p) = β solved for p: an incomplete beta function of p.
    return asked.to_p_d(float(betainccinv(least, size - least + 1, checks.risk(beta, "beta"))))


def settings(n: int, *, goal: str = "difference", protocol: str | Protocol = "triangle") -> list[dict[str, float]]:
    """The usual (α, β, p_d) that n judges keep and that no other kept setting beats in all three.

    Sorted with the recommended one first: both risks at most 0.05 with the smallest p_d; if there is none, at most
    0.1, then 0.2. Each comes with the exact risks.

    Args:
        n: judges
        goal: difference or similarity
        protocol: triangle, duo-trio, tetrad, 2-afc, 3-afc, hexad, two-out-of-five, or double-… of one of them

    >>> from nlgauge.triangle import settings
    >>> best = settings(30)[0]
    >>> best["alpha"], best["beta"], best["p_d"]
    (0.05, 0.05, 0.5)
    """
    asked = find(protocol)
    size = checks.judges(n)
    kept = [
        (alpha, beta, p_d)
        for alpha, beta, p_d in product(RISKS, RISKS, SHARES)
        if keeps(size, alpha, beta, asked.guess, asked.from_p_d(p_d))
    ]
    best = [setting for setting in kept if not any(_beats(other, setting) for other in kept)]
    best.sort(key=lambda setting: (_ceiling(max(setting[0], setting[1])), setting[2], setting[0] + setting[1]))
    rows = []
    for alpha, beta, p_d in best:
        found = design(size, goal=goal, alpha=alpha, beta=beta, p_d=p_d, protocol=asked)
        row = {"alpha": alpha, "beta": beta, "p_d": p_d, "power": found.power}
        row["critical"] = float(found.min_correct or 0) if goal == "difference" else float(found.max_correct or 0)
        rows.append(row)
    return rows


def keeps(n: int, alpha: float, beta: float, low: float, high: float) -> bool:
    """Whether n judges keep α at p_c = `low` and β at p_c = `high`."""
    return bool(_kept(np.array([n]), alpha, beta, low, high)[0])


def _beats(other: tuple[float, ...], one: tuple[float, ...]) -> bool:
    return other != one and all(a <= b for a, b in zip(other, one, strict=True))


def _ceiling(risk: float) -> int:
    return 0 if risk <= 0.05 else 1 if risk <= 0.1 else 2


def _kept(n: Counts, alpha: float, beta: float, low: float, high: float) -> NDArray[np.bool_]:
    critical = lowest_rejecting(n, alpha, low)
    return np.asarray((critical <= n) & within(at_most(critical - 1, n, high), beta))


@lru_cache(maxsize=512)
def _search(alpha: float, beta: float, low: float, high: float) -> Needed:
    _affordable(alpha, beta, low, high)
    sure = _sure(alpha, beta, low, high)
    start, end = _hopeless(alpha, beta, low, high, sure)
    if start + sure - end > _MOST_WORK:
        raise InputError(
            "so small a p_d needs more judges than can be searched (some hundred million); use a larger p_d"
        )
    first, last_failure = sure, 0
    failures: list[Counts] = []
    for begin, stop in ((1, start), (end, sure)):
        for chunk in range(begin, stop + 1, 100_000):
            numbers = np.arange(chunk, min(chunk + 100_000, stop + 1))
            good = _kept(numbers, alpha, beta, low, high)
            if good.any():
                first = min(first, int(numbers[good][0]))
            if not good.all():
                last_failure = int(numbers[~good][-1])
                failures.append(numbers[~good])
    stable = last_failure + 1
    bad = np.concatenate(failures) if failures else np.array([], dtype=np.int64)
    return Needed(first, stable, tuple(int(k) for k in bad[bad > first]))


def _affordable(alpha: float, beta: float, low: float, high: float) -> None:
    """Refuse at once what no search could do: the normal approximation says how many judges it would come to."""
    z = max(z_of(min(alpha, 0.5)) + z_of(min(beta, 0.5)), 0.0)
    about = (z / (high - low)) ** 2 * low * (1 - low)
    if about > checks.MOST_JUDGES:
        raise InputError(
            f"so small a difference needs about {about:.1g} judges, more than can be searched; use a larger p_d (or d′)"
        )


def _sure(alpha: float, beta: float, low: float, high: float) -> int:
    """An n from which on both risks hold for certain, by the upper bounds: t₀ + 2/n ≤ t₁."""

    def holds(n: int) -> bool:
        return _edge(n, min(alpha, 0.5), low, up=True) + 2 / n <= _edge(n, min(beta, 0.5), high, up=False)

    below, above = 0, 1
    while not holds(above):
        below, above = above, 2 * above
        if above > 2**44:
            raise InputError("so small a p_d needs more judges than can be planned for; use a larger p_d")
    return turn(below, above, holds)


def _hopeless(alpha: float, beta: float, low: float, high: float, sure: int) -> tuple[int, int]:
    """A range (start, end) between whose ends no n can keep both risks; empty (start = end) where none is known.

    By the lower bounds n fails where G(n) = n (t₀ − t₁) > 1. n t₀ is concave and n t₁ convex in n (level lines of the
    jointly convex n KL(c/n, p)), so G is concave, and above 1 between any two n where it is.
    """
    if sure < 2000 or alpha >= 0.5 or beta >= 0.5:
        return 0, 1

    def fails(n: int) -> bool:
        t0, t1 = _edge(n, alpha, low, up=True), _edge(n, beta, high, up=False)
        return t1 > 0 and t0 < 1 and n * (t0 - t1) > 1

    end = sure // 4  # G looks like a√n − bn, which is largest at a quarter of its zero
    start = 64
    while start < end and not fails(start):
        start *= 2
    if start >= end or not fails(end):
        return 0, 1
    return start, turn(sure, end, fails)


def _edge(n: int, risk: float, p: float, *, up: bool) -> float:
    """The share t above (below) p with 2n KL(t, p) = z²: where the bound on the tail equals the risk."""
    from scipy.optimize import brentq

    goal = z_of(risk) ** 2 / (2 * n)
    end = 1.0 if up else 0.0
    if p in (0.0, 1.0):
        return p
    if goal >= _entropy(end, p):
        return end
    if goal <= 0:
        return p
    return float(brentq(lambda t: _entropy(t, p) - goal, min(p, end), max(p, end), xtol=1e-15, rtol=1e-14))


def _entropy(t: float, p: float) -> float:
    """KL(t, p), without loss of digits where t is close to p."""
    from scipy.special import kl_div

    return float(kl_div(t, p) + kl_div(1 - t, 1 - p)) if 0 < p < 1 else math.inf


ODD_CELL = {"alpha": 0.05, "beta": 0.001, "p_d": 0.1, "printed": 1181, "exact": 1178}
TABLE2_JUDGES = tuple(range(6, 25))
TABLE3_JUDGES = (18, 24, 30, 36)


def all_tables(protocol: str | Protocol = "triangle") -> dict[str, list[dict[str, Any]]]:
    """The three tables under the names the command line prints.

    Args:
        protocol: triangle, duo-trio, tetrad, 2-afc, 3-afc, hexad, two-out-of-five, or double-… of one of them

    >>> from nlgauge.triangle import tables
    >>> sorted(tables())
    ['table1', 'table2', 'table3']
    """
    made = (judges_table(protocol), min_correct_table(protocol), max_correct_table(protocol))
    return dict(zip(("table1", "table2", "table3"), made, strict=True))


def judges_table(protocol: str | Protocol = "triangle") -> list[dict[str, Any]]:
    """Table 1: first and stable number of judges for each α, β and p_d.

    Args:
        protocol: triangle, duo-trio, tetrad, 2-afc, 3-afc, hexad, two-out-of-five, or double-… of one of them

    >>> from nlgauge.triangle import judges_table
    >>> judges_table()[0]
    {'p_d': 0.5, 'alpha': 0.2, 'beta': 0.2, 'first': 7, 'stable': 11}
    """
    rows = []
    for p_d, alpha, beta in product(SHARES, RISKS, RISKS):
        found = needed(alpha, beta, p_d, protocol=protocol)
        rows.append({"p_d": p_d, "alpha": alpha, "beta": beta, "first": found.first, "stable": found.stable})
    return rows


def min_correct_table(
    protocol: str | Protocol = "triangle", judges: tuple[int, ...] = TABLE2_JUDGES
) -> list[dict[str, Any]]:
    """Table 2: correct answers needed to conclude a difference; None where no count suffices.

    Args:
        protocol: triangle, duo-trio, tetrad, 2-afc, 3-afc, hexad, two-out-of-five, or double-… of one of them
        judges: the numbers of judges, a row each

    >>> from nlgauge.triangle import min_correct_table
    >>> min_correct_table()[0]
    {'n': 6, 'alpha': 0.2, 'min_correct': 4}
    """
    asked = find(protocol)
    return [
        {"n": n, "alpha": alpha, "min_correct": deciding("difference", n, alpha, asked.guess)}
        for n, alpha in product(judges, RISKS)
    ]


def max_correct_table(
    protocol: str | Protocol = "triangle", judges: tuple[int, ...] = TABLE3_JUDGES
) -> list[dict[str, Any]]:
    """Table 3: correct answers allowed to conclude similarity; None where no count is low enough.

    Args:
        protocol: triangle, duo-trio, tetrad, 2-afc, 3-afc, hexad, two-out-of-five, or double-… of one of them
        judges: the numbers of judges, a row each

    >>> from nlgauge.triangle import max_correct_table
    >>> max_correct_table()[0]
    {'n': 18, 'beta': 0.001, 'p_d': 0.1, 'max_correct': 0}
    """
    asked = find(protocol)
    return [
        {"n": n, "beta": beta, "p_d": p_d, "max_correct": deciding("similarity", n, beta, asked.from_p_d(p_d))}
        for n, beta, p_d in product(judges, sorted(RISKS), sorted(SHARES))
    ]
