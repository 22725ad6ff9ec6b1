"""Plans for judges who answer several times: the power of the pooled exact test, and how many judges it needs.

Both are exact: the pooled count is a sum of (chance-corrected) beta-binomials, whose distribution is computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.stats.discrimination import checks
from nlgauge.stats.discrimination.binomial import at_least, lowest_rejecting
from nlgauge.stats.discrimination.protocols import Protocol, find
from nlgauge.stats.discrimination.replicated import Terms, log_choose
from nlgauge.stats.discrimination.wording import Told, percent

_ALIKE = 1e-9  # γ below this is 0
_MOST_ANSWERS = 20_000  # in one exact sum
_MOST_EACH = 1_000  # answers of each judge in a plan: more take gigabytes, and no one gives so many


def replicated_power(
    judges: int,
    per_judge: int,
    *,
    p_d: float,
    gamma: float,
    alpha: float = 0.05,
    protocol: str | Protocol = "triangle",
) -> float:
    """Power of the pooled exact difference test when people differ by γ: exact, from the sum of beta-binomials.

    Without a difference everyone guesses and the pooled count is binomial whatever γ, so α is kept.

    Args:
        judges: how many there are
        per_judge: answers of each judge
        p_d: the share of people who perceive the difference that is to be found, or ruled out
        gamma: how much judges differ: 0 alike, 1 each always or never perceives it
        alpha: the risk of concluding a difference where there is none
        protocol: triangle, duo-trio, tetrad, 2-afc, 3-afc, hexad, two-out-of-five, or double-… of one of them

    >>> from nlgauge.triangle import replicated_power
    >>> round(replicated_power(30, 3, p_d=0.3, gamma=0.2), 3)
    0.981
    """
    asked = find(protocol)
    people, each = checks.judges(judges), checks.judges(per_judge, "the number of answers per judge")
    share = checks.share(p_d)
    gamma = _spread(gamma)
    if people * each > _MOST_ANSWERS:
        raise InputError(f"{people * each:,} answers are too many for the exact sum; plan for at most 20,000")
    total = people * each
    least = int(lowest_rejecting(total, checks.risk(alpha, "alpha"), asked.guess))
    if gamma == 0 or each == 1 or share == 1:
        return float(at_least(least, total, asked.from_p_d(share)))
    counts = np.arange(each + 1)
    one = np.exp(Terms(counts, np.full(each + 1, each), asked.guess)(share, gamma))
    return float(_power_of(one / one.sum(), people)[least:].sum())


@dataclass(frozen=True)
class ReplicatedPlan(Told):
    """How many judges with several answers each find p_d when people differ by γ."""

    KEYS = "..., answers, sentence"

    protocol: str
    alpha: float
    beta: float
    p_d: float
    gamma: float
    per_judge: int
    judges: int  # the smallest number that suffices
    min_correct: int
    power: float
    alike: int  # judges that would suffice if all were alike

    @property
    def sentence(self) -> str:
        """The plan in words."""
        return (
            f"{self.judges:,} judges with {self.per_judge} answers each find a difference that they perceive with a "
            f"mean probability of {percent(self.p_d)}, with probability {self.power:.3f} (α = {self.alpha:g}, "
            f"β = {self.beta:g}, judges differing by γ = {self.gamma:g}): {self.min_correct:,} or more of the "
            f"{self.judges * self.per_judge:,} answers must be correct. If all judges were alike, "
            f"{self.alike:,} would do."
        )

    @property
    def answers(self) -> int:
        """Of all judges."""
        return self.judges * self.per_judge


def replicated_plan(
    alpha: float,
    beta: float,
    p_d: float,
    *,
    per_judge: int,
    gamma: float,
    protocol: str | Protocol = "triangle",
) -> ReplicatedPlan:
    """The smallest number of judges whose pooled exact difference test keeps both risks, given γ.

    For a difference only: repeated answers cannot show similarity.

    Args:
        alpha: the risk of concluding a difference where there is none
        beta: the risk of missing the difference `p_d`
        p_d: the share of people who perceive the difference that is to be found, or ruled out
        per_judge: answers of each judge
        gamma: how much judges differ: 0 alike, 1 each always or never perceives it
        protocol: triangle, duo-trio, tetrad, 2-afc, 3-afc, hexad, two-out-of-five, or double-… of one of them

    >>> from nlgauge.triangle import replicated_plan
    >>> replicated_plan(0.05, 0.1, p_d=0.4, per_judge=3, gamma=0.2).judges
    13
    """
    asked = find(protocol)
    each, share = checks.judges(per_judge, "the number of answers per judge"), checks.share(p_d)
    alpha, beta = checks.risk(alpha, "alpha"), checks.risk(beta, "beta")
    gamma = _spread(gamma)
    if each > _MOST_EACH:
        raise InputError(f"{each:,} answers of each judge are too many to plan for; at most {_MOST_EACH:,}")
    found = [_fewest(alpha, beta, share, each, spread, asked) for spread in (gamma, 0.0)]
    people, least, power = found[0]
    return ReplicatedPlan(
        protocol=asked.name,
        alpha=alpha,
        beta=beta,
        p_d=share,
        gamma=gamma,
        per_judge=each,
        judges=people,
        min_correct=least,
        power=power,
        alike=found[1][0],
    )


def _spread(gamma: Any) -> float:
    """γ; where it is so small that the beta distribution loses its digits, all judges are alike."""
    value = checks.number(gamma, "gamma")
    if not 0 <= value < 1:
        raise InputError(f"gamma must be at least 0 and below 1, not {value:g}")
    return 0.0 if value < _ALIKE else value


def _fewest(alpha: float, beta: float, p_d: float, each: int, gamma: float, asked: Protocol) -> tuple[int, int, float]:
    counts = np.arange(each + 1)
    if gamma == 0 or p_d == 1:  # all alike
        p = asked.from_p_d(p_d)
        one = np.exp(log_choose(each, counts)) * p**counts * (1 - p) ** (each - counts)
    else:
        one = np.exp(Terms(counts, np.full(each + 1, each), asked.guess)(p_d, gamma))
    total = np.ones(1)
    for people in range(1, _MOST_ANSWERS // each + 1):
        total = np.convolve(total, one / one.sum())
        least = int(lowest_rejecting(people * each, alpha, asked.guess))
        power = float(total[least:].sum())
        if power >= 1 - beta:
            return people, least, power
    raise InputError("more than 20,000 answers would be needed; use a larger p_d or more judges with fewer answers")


def _power_of(one: Array, times: int) -> Array:
    """The distribution of the sum of so many independent draws, by repeated squaring."""
    result, base = np.ones(1), one
    while times:
        if times & 1:
            result = np.convolve(result, base)
        base = np.convolve(base, base) if times > 1 else base
        times >>= 1
    return result
