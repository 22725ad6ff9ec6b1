"""The normal approximations that the triangle-test paper prints, and sensR's normal power.

They are offered by name (`method="normal"`) because papers used them; the exact binomial is the default everywhere.
Against the exact counts the paper's formulas are too lenient: of the 95 cells of its Table 2 the formula gives 40,
and is one too small elsewhere; in 58 of the 100 cells of Table 3 its limit allows one or two more correct answers.

The paper's two-decimal z values (1.64 for 0.05) are used for its five usual risks, so that its figures come out; other
risks get the exact quantile. Its factor 1.5 is 1 / (1 − guess) of the triangle test, taken from the protocol here.
"""

from __future__ import annotations

import math

from nlgauge.errors import InputError
from nlgauge.stats.discrimination.binomial import turn
from nlgauge.stats.discrimination.limits import z_of
from nlgauge.stats.discrimination.protocols import Protocol

PAPER_Z = {0.2: 0.84, 0.1: 1.28, 0.05: 1.64, 0.01: 2.33, 0.001: 3.09}


def paper_z(risk: float) -> float:
    """The quantile as the paper rounds it."""
    for usual, z in PAPER_Z.items():
        if math.isclose(risk, usual, rel_tol=1e-9):
            return z
    return z_of(risk)


def min_correct(n: int, alpha: float, asked: Protocol) -> int:
    """n/3 + z √(2n/9), and the next whole number above it; may exceed n."""
    g = asked.guess
    return math.floor(n * g + paper_z(alpha) * math.sqrt(n * g * (1 - g))) + 1


def p_d_limits(correct: int, n: int, risk: float, asked: Protocol) -> tuple[float, float]:
    """1.5 x/n − 0.5 ∓ 1.5 z √(x/n (1 − x/n)/n): one-sided limits of p_d, not cut at 0 or 1."""
    share, scale = correct / n, 1 / (1 - asked.guess)
    middle = scale * (share - asked.guess)
    spread = scale * paper_z(risk) * math.sqrt(share * (1 - share) / n)
    return middle - spread, middle + spread


def max_correct(n: int, beta: float, p_d: float, asked: Protocol) -> int:
    """The largest count whose upper limit lies below p_d; −1 where there is none."""
    peak = _steepest(n, beta, asked)
    # Near n the Wald spread shrinks to nothing and the limit turns back; the rule is only meant below that.
    return turn(n + 1, -1, lambda count: count <= peak and p_d_limits(count, n, beta, asked)[1] < p_d)


def _steepest(n: int, beta: float, asked: Protocol) -> int:
    z = paper_z(beta)
    turn = 0.5 * (1 + 1 / math.sqrt(1 + z * z / n))
    return math.floor(n * turn)


def p_value(correct: int, n: int, asked: Protocol, *, goal: str, p_d: float) -> float:
    """One-sided p: by the null spread for a difference, by the observed spread for similarity (as the limits are)."""
    from scipy.special import ndtr

    share, null = correct / n, asked.from_p_d(p_d)
    if goal == "difference":
        return float(ndtr(-(share - null) / math.sqrt(null * (1 - null) / n)))
    if correct in (0, n):
        raise InputError(f"with {correct:,} of {n:,} correct the normal formula has no spread; use the exact method")
    return float(ndtr((share - null) / math.sqrt(share * (1 - share) / n)))


def power(
    n: int, risk: float, null: float, actual: float, *, goal: str = "difference", continuity: bool = False
) -> float:
    """Power of the normal test of p_c = `null` when p_c is `actual` (sensR's "normal" and "cont.normal")."""
    from scipy.special import ndtr

    sign = 1 if goal == "difference" else -1
    edge = null + sign * z_of(risk) * math.sqrt(null * (1 - null) / n) + (sign * 0.5 / n if continuity else 0)
    spread = math.sqrt(actual * (1 - actual) / n)
    return float(ndtr(sign * (actual - edge) / spread)) if spread > 0 else float(sign * (actual - edge) >= 0)


def judges_needed(alpha: float, beta: float, null: float, actual: float, *, continuity: bool = False) -> int:
    """The smallest n whose normal power reaches 1 − β."""

    def enough(n: int) -> bool:
        return power(n, alpha, null, actual, continuity=continuity) >= 1 - beta

    low, high = 0, 1
    while not enough(high):
        low, high = high, 2 * high
    return turn(low, high, enough)
