"""A plan in words: how many judges, which count decides, where power dips, how sensitive the test is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nlgauge.errors import InputError
from nlgauge.stats.discrimination import checks, normal
from nlgauge.stats.discrimination.binomial import at_most, deciding
from nlgauge.stats.discrimination.planning import Needed, design, keeps, needed
from nlgauge.stats.discrimination.protocols import Protocol, find
from nlgauge.stats.discrimination.wording import (
    MINIMUM,
    Told,
    listed,
    people,
    percent,
    sensitivity_label,
    size_of,
)


@dataclass(frozen=True)
class Plan(Told):
    """A planned test of n judges; `power` is that of the goal (for similarity: when the truth is `p_d_true`)."""

    KEYS = "goal, protocol, alpha, beta, p_d, p_d_size, not title, not unit, ..., sentence"

    goal: str
    protocol: str
    alpha: float
    beta: float
    p_d: float
    p_d_true: float
    first: int
    stable: int
    dips: tuple[int, ...]
    n: int
    min_correct: int | None  # keeps α: from here on a difference is concluded
    max_correct: int | None  # keeps β: up to here similarity is concluded
    power: float
    actual_alpha: float
    keeps_risks: bool
    sensitivity: str
    warnings: tuple[str, ...]
    title: str = "triangle test"
    unit: str = "judge"  # what is counted: a judge, or an answer where each gives several

    @property
    def sentence(self) -> str:
        """The plan in words."""
        risks = f"α = {self.alpha:g}, β = {self.beta:g}, p_d = {percent(self.p_d)}"
        if self.keeps_risks:
            head = f"With {people(self.n, self.unit)} the {self.title} of {self.goal} keeps the risks ({risks})"
        else:
            verb = "does" if self.n == 1 else "do"
            head = f"{people(self.n, self.unit)} {verb} not keep the risks ({risks}) in the {self.title} of {self.goal}"
        if self.goal == "difference":
            if self.min_correct is None:
                rule = "no count of correct answers could show a difference"
            else:
                rule = (
                    f"{self.min_correct:,} or more correct answers show a difference, and one that "
                    f"{percent(self.p_d)} of people perceive is found with probability {self.power:.3f}"
                )
        elif self.max_correct is None:
            rule = "no count of correct answers could show similarity"
        else:
            truth = "any difference" if self.p_d_true == 0 else f"more than {percent(self.p_d_true)} perceiving it"
            rule = (
                f"{self.max_correct:,} or fewer correct answers show similarity, and texts without {truth} pass "
                f"with probability {self.power:.3f}"
            )
        return f"{head}: {rule}. {self._numbers()} The sensitivity of this plan is {self.sensitivity}."

    def _numbers(self) -> str:
        if not self.dips:
            return f"{self.first:,} {self.unit}s are the fewest that suffice, and every larger number does too."
        verb = "does" if len(self.dips) == 1 else "do"
        return (
            f"{self.first:,} {self.unit}s are the fewest that suffice; {listed(list(self.dips))} {verb} not; "
            f"from {self.stable:,} on every number does."
        )

    @property
    def p_d_size(self) -> str:
        """How large such a share is called."""
        return size_of(self.p_d)


@dataclass(frozen=True)
class Critical(Told):
    """The count that decides: least correct answers (difference) or most (similarity); None where there is none."""

    KEYS = "n, goal, method, *_risks, warnings, sentence"

    n: int
    goal: str
    count: int | None
    risk: float
    actual: float  # the risk really run at that count
    p_d: float | None
    power_if_no_difference: float | None
    method: str
    warnings: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """The rule in words."""
        if self.count is None:
            aim = "a difference" if self.goal == "difference" else self.goal
            return f"No count of correct answers from {people(self.n)} could show {aim} at this risk."
        if self.goal == "difference":
            return (
                f"{self.count:,} or more correct answers from {people(self.n)} show a difference at α = {self.risk:g} "
                f"(risk really run: {self.actual:.4f})."
            )
        return (
            f"{self.count:,} or fewer correct answers from {people(self.n)} show, at β = {self.risk:g}, that fewer "
            f"than {percent(self.p_d or 0)} of people perceive a difference (risk really run: {self.actual:.4f}); "
            f"texts without any difference pass with probability {self.power_if_no_difference:.3f}."
        )

    def _risks(self) -> dict[str, Any]:
        if self.goal == "difference":
            return {"min_correct": self.count, "alpha": self.risk, "actual_alpha": self.actual}
        return {
            "max_correct": self.count,
            "power_if_no_difference": self.power_if_no_difference,
            "beta": self.risk,
            "p_d": self.p_d,
            "actual_beta": self.actual,
        }


def plan(
    alpha: float,
    beta: float,
    p_d: float | None = None,
    *,
    d_prime: float | None = None,
    goal: str = "difference",
    judges: int | None = None,
    protocol: str | Protocol = "triangle",
    p_d_true: float = 0.0,
    unit: str = "judge",
) -> Plan:
    """How many judges keep the risks; with `judges`, what that many achieve.

    The size of the difference is given as p_d or as d′. Without `judges` the plan takes the stable number: it stays
    good when a few more people answer than were invited. `p_d_true` is the share assumed to perceive the difference
    in truth when similarity is to be shown; `unit` says what the number counts where judges give several answers.

    Args:
        alpha: the risk of concluding a difference where there is none
        beta: the risk of missing the difference `p_d`
        p_d: the share of people who perceive the difference that is to be found, or ruled out
        d_prime: the size of the difference, instead of `p_d`
        goal: difference or similarity
        judges: how many there are, where that is given
        protocol: triangle, duo-trio, tetrad, 2-afc, 3-afc, hexad, two-out-of-five, or double-… of one of them
        p_d_true: the share that perceives it in truth, for similarity
        unit: what is counted: judge, or answer where judges give several

    >>> from nlgauge.triangle import plan
    >>> planned = plan(alpha=0.05, beta=0.05, p_d=0.5)
    >>> planned.first, planned.stable
    (23, 29)
    """
    asked = find(protocol)
    checks.goal(goal)
    alpha, beta = checks.risk(alpha, "alpha"), checks.risk(beta, "beta")
    p_d_true = checks.share(p_d_true, "the true p_d", zero=True)
    share = effect(p_d, d_prime, asked)
    if goal == "difference" and p_d_true:
        raise InputError("the true p_d is assumed for a similarity test only; a difference test plans for p_d")
    found = needed(alpha, beta, share, protocol=asked, p_d_low=p_d_true)
    n = found.stable if judges is None else checks.judges(judges)
    achieved = design(n, goal=goal, alpha=alpha, beta=beta, p_d=share, protocol=asked, p_d_true=p_d_true)
    most = deciding("similarity", n, beta, asked.from_p_d(share))
    kept = keeps(n, alpha, beta, asked.from_p_d(p_d_true), asked.from_p_d(share))
    return Plan(
        goal=goal,
        protocol=asked.name,
        alpha=alpha,
        beta=beta,
        p_d=share,
        p_d_true=p_d_true,
        first=found.first,
        stable=found.stable,
        dips=found.dips,
        n=n,
        min_correct=deciding("difference", n, alpha, asked.guess),
        max_correct=most,
        power=achieved.power,
        actual_alpha=achieved.alpha,
        keeps_risks=kept,
        sensitivity=sensitivity_label(alpha, beta, share),
        warnings=_warnings(goal, n, found, achieved.power, 1 - (beta if goal == "difference" else alpha), unit=unit)
        + (_below_chance(most, n, achieved.power, asked, unit) if goal == "similarity" else ()),
        title=asked.title,
        unit=unit,
    )


def critical(
    n: int,
    *,
    alpha: float | None = None,
    beta: float | None = None,
    p_d: float | None = None,
    protocol: str | Protocol = "triangle",
    method: str = "exact",
) -> Critical:
    """The deciding count: for a difference by `alpha`, for similarity by `beta` and `p_d`.

    Args:
        n: answers
        alpha: the risk for a difference; where it is not given, the test is for similarity
        beta: the risk for similarity
        p_d: the share of perceivers to rule out, for similarity
        protocol: triangle, duo-trio, tetrad, 2-afc, 3-afc, hexad, two-out-of-five, or double-… of one of them
        method: exact or, as textbooks have it, normal

    >>> from nlgauge.triangle import critical
    >>> critical(30, alpha=0.05).count
    15
    >>> critical(30, beta=0.05, p_d=0.4).count
    13
    """
    asked, size = find(protocol), checks.judges(n)
    checks.one_of(method, ("exact", "normal"), "method")
    if (alpha is None) == (beta is None):
        raise InputError(
            "give one or the other: alpha alone (correct answers needed for a difference), or beta and p_d (correct "
            "answers allowed for similarity)"
        )
    different = alpha is not None
    if different and p_d is not None:
        raise InputError("p_d belongs to a similarity test: give it with beta, not with alpha")
    if not different and p_d is None:
        raise InputError("a similarity test needs p_d beside beta: the share of people who may perceive a difference")
    goal = "difference" if different else "similarity"
    risk = checks.risk(alpha, "alpha") if different else checks.risk(beta, "beta")
    share = None if different else checks.share(p_d)
    null = asked.from_p_d(share or 0.0)
    count = count_by(method, goal, size, risk, asked, p_d=share or 0.0)
    actual, passing = 0.0, 0.0
    if count is not None:
        actual = 1 - float(at_most(count - 1, size, null)) if different else float(at_most(count, size, null))
        passing = float(at_most(count, size, asked.guess))
    return Critical(
        n=size,
        goal=goal,
        count=count,
        risk=risk,
        actual=actual,
        p_d=share,
        power_if_no_difference=None if different else passing,
        method=method,
        warnings=_few(size, goal)
        + (() if different else _below_chance(count, size, passing, asked))
        + _lenient(actual, risk),
    )


def count_by(method: str, goal: str, n: int, risk: float, asked: Protocol, *, p_d: float) -> int | None:
    """The count at which the exact test, or the paper's formula, concludes; None where no count does."""
    if method == "exact":
        return deciding(goal, n, risk, asked.from_p_d(p_d))
    different = goal == "difference"
    found = normal.min_correct(n, risk, asked) if different else normal.max_correct(n, risk, p_d, asked)
    return found if 0 <= found <= n else None


def effect(p_d: float | None, d_prime: float | None, asked: Protocol) -> float:
    """The size of a difference as p_d, given as p_d or d′."""
    if (p_d is None) == (d_prime is None):
        raise InputError("give the size of the difference either as p_d or as d_prime")
    if p_d is not None:
        return checks.share(p_d)
    distance = checks.number(d_prime, "d_prime")
    if not 0 < distance < 40:
        raise InputError(f"d_prime must lie above 0 and below 40, not {d_prime}")
    return asked.to_p_d(float(asked.p_correct(distance)))


def _warnings(goal: str, n: int, found: Needed, power: float, asked: float, *, unit: str) -> tuple[str, ...]:
    """What is wrong with a number; `asked` is the power that the risks ask for."""
    warnings = list(_few(n, goal))
    first, stable, dips = found.first, found.stable, found.dips
    if n in dips:
        failing = set(dips)
        above = next(k for k in range(n + 1, stable + 1) if k not in failing)
        below = next(k for k in range(n - 1, first - 1, -1) if k not in failing)
        warnings.append(
            f"{n:,} {unit}s lie in a power dip ({power:.3f} where {asked:g} was asked): "
            f"{below:,} or {above:,} would do, and every number from {stable:,} on"
        )
    elif n < first:
        warnings.append(
            f"{people(n, unit)} {'is' if n == 1 else 'are'} too few for these risks: at least {first:,} are needed"
        )
    elif dips and n < stable:
        warnings.append(
            f"{n:,} {unit}s suffice, but {listed([k for k in dips if k > n])} would not: stop at exactly {n:,}, or "
            f"plan {stable:,}"
        )
    return tuple(warnings)


def _few(n: int, goal: str) -> tuple[str, ...]:
    if n >= MINIMUM[goal]:
        return ()
    return (f"at least {MINIMUM[goal]} judges are recommended for a {goal} test, whatever the risks",)


def _below_chance(most: int | None, n: int, passing: float, asked: Protocol, unit: str = "judge") -> tuple[str, ...]:
    if most is None or most >= n * asked.guess:
        return ()
    return (
        f"{unit}s must do worse than guessing ({most:,} correct where guessing gives {n * asked.guess:.1f}): "
        f"texts without any difference pass with probability {passing:.3f} only",
    )


def _lenient(actual: float, risk: float) -> tuple[str, ...]:
    if actual <= risk * (1 + 1e-9):
        return ()
    return (f"the normal formula is too lenient here: the risk really run is {actual:.4f}, not {risk:g}",)
