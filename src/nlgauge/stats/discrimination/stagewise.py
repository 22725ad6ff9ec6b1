"""p and limits of a test that could have stopped earlier: the stage-wise order of outcomes.

A test with looks has more outcomes than counts. In the stage-wise order (Tsiatis, Rosner and Mehta 1984; Jennison and
Turnbull 2000, chapter 8) a difference that is concluded at an earlier look is more extreme than one concluded later,
then come the counts of a test that ended undecided, and the earliest similarity is the other end. p is the chance of
what was found or something more extreme, limits are the shares at which that chance is the risk. They agree with the
rule of stopping: p of a difference is at most α exactly where the rule concluded one. Everything is computed from
binomial paths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nlgauge.errors import InputError
from nlgauge.results import Result
from nlgauge.stats.discrimination import checks
from nlgauge.stats.discrimination.protocols import Protocol, find
from nlgauge.stats.discrimination.sequential import GroupSequential, Sequential, pmf

Stage = tuple[int, int, int]  # after so many answers: stop at most this count (−1: not), at least that (n + 1: not)
METHOD = "stage-wise order of the outcomes, exact binomial paths"


@dataclass(frozen=True)
class Adjusted(Result):
    """p for each conclusion, and limits of p_d that hold each alone at 1 − risk, in view of the looks."""

    KEYS = "p_difference, p_similarity, p_d_low = low, p_d_high = high, method"

    p_difference: float
    p_similarity: float
    low: float
    high: float
    method: str = METHOD


def stages(rule: Sequential | GroupSequential, used: int) -> list[Stage]:
    """When the rule could have stopped up to `used` answers; where it could not stop there, the test ends there."""
    found: list[Stage] = []
    if isinstance(rule, Sequential):
        found = [(n, *rule.bounds(n)) for n in range(1, used + 1)]
    else:
        for look in rule.looks:
            if look.judges > used:
                break
            n, count = look.judges, look.critical
            upwards = rule.goal == "difference"
            low = -1 if count is None or upwards else count
            high = n + 1 if count is None or not upwards else count
            found.append((n, low, high))
    if not found or found[-1][0] < used:
        found.append((used, -1, used + 1))
    return found


def adjusted(
    rule: Sequential | GroupSequential,
    correct: int,
    used: int,
    *,
    risk: float,
    p_d: float,
    protocol: str | Protocol = "triangle",
) -> Adjusted:
    """p and limits for a test that ended after `used` answers, `correct` of them right; each limit has the `risk`.

    Args:
        rule: the plan that the test followed
        correct: right answers at its end
        used: answers at its end
        risk: of each limit
        p_d: the share of people who perceive the difference that is to be found, or ruled out
        protocol: triangle, duo-trio, tetrad, 2-afc, 3-afc, hexad, two-out-of-five, or double-… of one of them

    >>> from nlgauge.triangle import adjusted, group_sequential
    >>> plan = group_sequential([20, 40], risk=0.05, p_d=0.4)
    >>> round(adjusted(plan, correct=18, used=40, risk=0.05, p_d=0.4).p_difference, 4)
    0.0837
    """
    asked = find(protocol)
    x, n = checks.answers(correct, used)
    share = checks.share(p_d)
    reached = stages(rule, n)

    def up(p: float) -> float:
        return _tails(p, reached, x)[0]

    def down(p: float) -> float:
        return _tails(p, reached, x)[1]

    each = checks.risk(risk, "the risk of a limit")
    low, high = _solve(up, each, rising=True), _solve(down, each, rising=False)
    return Adjusted(
        up(asked.guess),
        down(asked.from_p_d(share)),
        asked.to_p_d(max(low, asked.guess)),
        asked.to_p_d(max(high, asked.guess)),
    )


def _tails(p: float, reached: Sequence[Stage], x: int) -> tuple[float, float]:
    """The chances of an outcome at least as far towards difference, and towards similarity, as x at the last stage."""
    alive, offset, before = np.ones(1), 0, 0
    ups = downs = 0.0
    for n, low, high in reached[:-1]:
        alive = np.convolve(alive, pmf(n - before, p))
        first = min(max(low + 1 - offset, 0), len(alive))
        last = min(max(high - offset, first), len(alive))
        downs += float(alive[:first].sum())
        ups += float(alive[last:].sum())
        alive, offset, before = alive[first:last], offset + first, n
    n, low, high = reached[-1]
    if not alive.size:
        raise InputError("the rule of stopping had ended before these answers; give the answers up to its end")
    alive = np.convolve(alive, pmf(n - before, p))
    counts = offset + np.arange(len(alive))
    above, below = float(alive[counts >= x].sum()), float(alive[counts <= x].sum())
    same = float(alive[counts == x].sum())
    if x <= low:  # stopped for similarity: fewer or equal counts, or an earlier stop, are further down
        down = downs + below
        return min(1.0, 1 - down + same), min(1.0, down)
    up = ups + above
    if x >= high:
        return min(1.0, up), min(1.0, 1 - up + same)
    return min(1.0, up), min(1.0, downs + below)


def _solve(chance: Any, risk: float, *, rising: bool) -> float:
    """The p at which a monotone chance equals the risk; an end of the scale where it never does."""
    from scipy.optimize import brentq

    ends = (1e-12, 1 - 1e-12)
    gaps = [chance(end) - risk for end in ends]
    if gaps[0] * gaps[1] > 0:
        return 0.0 if rising == (gaps[0] > 0) else 1.0
    return float(brentq(lambda p: chance(p) - risk, *ends, xtol=1e-10))
