"""Judges one after the other: Wald's sequential test, looks in groups, and what a running test can still show.

The sequential probability ratio test (Wald 1945) adds up, judge by judge, how much likelier the answers are when the
share p_d perceives the difference than when no one does, and stops at ln((1 − β)/α) for a difference or ln(β/(1 − α))
for similarity. Wald's bounds keep the risks only approximately; the risks really run and the judges really needed are
computed here, exactly, by following every possible count until all but 1e-9 of the paths have ended. The test takes
longest for some share between 0 and p_d, which lies at the slope of the bounds only where α = β; it is searched for.

Group-sequential looks spend the risk over planned looks (Lan and DeMets 1983): by look k the chance of a false
conclusion may not exceed the spending function at that share of the judges. Critical counts and
risks are exact, from binomial paths.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.stats.discrimination import checks
from nlgauge.stats.discrimination.binomial import deciding, reached, within
from nlgauge.stats.discrimination.planning import needed
from nlgauge.stats.discrimination.protocols import Protocol, find
from nlgauge.stats.discrimination.wording import Told, people, percent

SPENDING = ("obrien-fleming", "pocock")
_LONGEST = 200_000  # judges up to which a sequential test is followed
_LEFT = 1e-9  # the share of tests still running at which it is left


@dataclass(frozen=True)
class Course:
    """How a sequential test runs for one true share: which conclusion, how often, after how many judges."""

    p_d: float
    difference: float
    similarity: float
    undecided: float
    expected_judges: float


@dataclass(frozen=True)
class Sequential(Told):
    """Wald's test as planned: stop for a difference at `slope` · n + `upper` correct, for similarity at − `lower`."""

    KEYS = (
        "protocol, alpha, beta, p_d, slope, upper, lower, most, actual_alpha = null.difference, "
        "actual_beta = alternative.similarity, courses = _courses, fixed, sentence"
    )

    protocol: str
    alpha: float
    beta: float
    p_d: float
    slope: float
    upper: float
    lower: float
    most: int | None
    null: Course
    alternative: Course
    between: Course  # the share between 0 and p_d for which the test takes longest
    fixed: int  # judges of the test with a fixed number, for comparison

    def bounds(self, n: int) -> tuple[int, int]:
        """At n judges: similarity up to the first count (−1: not yet), difference from the second (n + 1: not yet)."""
        low = math.floor(self.slope * n - self.lower + 1e-12)
        high = math.ceil(self.slope * n + self.upper - 1e-12)
        return max(low, -1), min(high, n + 1)

    def decide(self, correct: int, judges: int) -> str:
        """`difference`, `similarity`, `continue`, or `undecided` when the last judge has answered."""
        x, n = checks.answers(correct, judges)
        low, high = self.bounds(n)
        if x >= high:
            return "difference"
        if x <= low:
            return "similarity"
        return "undecided" if self.most is not None and n >= self.most else "continue"

    def follow(self, answers: Sequence[bool]) -> tuple[str, int]:
        """The conclusion at the first crossing, and after how many judges; later answers do not count."""
        correct = 0
        for n, answer in enumerate(checks.several(answers, "the answers"), start=1):
            correct += bool(answer)
            state = self.decide(correct, n)
            if state != "continue":
                return state, n
        return "continue", len(answers)

    @property
    def sentence(self) -> str:
        """The plan in words."""
        return (
            f"Ask judges one after the other; stop and conclude a difference at {self.upper:.3f} + {self.slope:.4f} n "
            f"correct answers or more, similarity (p_d below {percent(self.p_d)}) at −{self.lower:.3f} + "
            f"{self.slope:.4f} n or fewer. Risks really run: α = {self.null.difference:.4f}, "
            f"β = {self.alternative.similarity:.4f}. On average {self.null.expected_judges:.1f} judges are "
            f"needed without a difference, {self.alternative.expected_judges:.1f} when {percent(self.p_d)} "
            f"perceive one and at most {self.between.expected_judges:.1f} in between; a fixed test needs "
            f"{self.fixed:,}."
        )

    def _courses(self) -> tuple[Course, ...]:
        return self.null, self.between, self.alternative


def sequential(
    alpha: float, beta: float, p_d: float, *, protocol: str | Protocol = "triangle", most: int | None = None
) -> Sequential:
    """Wald's test between no difference and p_d; after `most` judges, if given, it ends undecided.

    Args:
        alpha: the risk of concluding a difference where there is none
        beta: the risk of missing the difference `p_d`
        p_d: the share of people who perceive the difference that is to be found, or ruled out
        protocol: triangle, duo-trio, tetrad, 2-afc, 3-afc, hexad, two-out-of-five, or double-… of one of them
        most: after how many judges it ends in any case

    >>> from nlgauge.triangle import sequential
    >>> wald = sequential(0.05, 0.05, p_d=0.4)
    >>> round(wald.null.expected_judges, 1)
    20.2
    """
    asked = find(protocol)
    alpha, beta, share = checks.risk(alpha, "alpha"), checks.risk(beta, "beta"), checks.share(p_d)
    if share == 1:
        raise InputError("a sequential test needs p_d below 1: otherwise one wrong answer would end it")
    if alpha + beta >= 1:
        raise InputError(f"alpha + beta must stay below 1, but {alpha:g} + {beta:g} does not")
    p0, p1 = asked.guess, asked.from_p_d(share)
    step = math.log(p1 / p0) + math.log((1 - p0) / (1 - p1))
    slope = math.log((1 - p0) / (1 - p1)) / step
    plan = {
        "upper": math.log((1 - beta) / alpha) / step,
        "lower": math.log((1 - alpha) / beta) / step,
        "slope": slope,
    }
    limit = None if most is None else checks.judges(most, "the largest number of judges")
    # The paths between the bounds thin out by a factor of about exp(−π² s (1 − s) / 2 (upper + lower)²) a judge.
    width = plan["upper"] + plan["lower"]
    length = math.log(1 / _LEFT) * 2 * width**2 / (math.pi**2 * slope * (1 - slope))
    if min(length, limit or math.inf) > _LONGEST:
        raise InputError(
            f"this sequential test may run over {_LONGEST:,} judges, too long to compute; use a larger p_d, larger "
            "risks, or a largest number of judges"
        )
    null, alternative = _courses(np.array([p0, p1]), asked, limit, **plan)
    between = _longest(p0, p1, asked, limit, **plan)
    return Sequential(
        protocol=asked.name,
        alpha=alpha,
        beta=beta,
        p_d=share,
        **plan,
        most=limit,
        null=null,
        alternative=alternative,
        between=between,
        fixed=needed(alpha, beta, share, protocol=asked).first,
    )


def enough(plan: Sequential, goal: str = "difference") -> int:
    """The fewest judges after which Wald's test may be cut off and still has the power that was asked.

    A test that is cut off ends undecided, which raises no risk of a wrong conclusion but costs right ones: from this
    number on a difference that p_d perceive is found with probability 1 − β (no difference: similarity with 1 − α).

    Args:
        plan: Wald's test
        goal: difference or similarity

    >>> from nlgauge.triangle import enough, sequential
    >>> enough(sequential(0.05, 0.05, p_d=0.4))
    69
    """
    asked = find(plan.protocol)
    upwards = checks.goal(goal) == "difference"
    p, wanted = (asked.from_p_d(plan.p_d), 1 - plan.beta) if upwards else (asked.guess, 1 - plan.alpha)
    alive, offset, reached, n = np.ones(1), 0, 0.0, 0
    while alive.sum() > _LEFT:
        n += 1
        alive = np.convolve(alive, [1 - p, p])
        low, high = plan.bounds(n)
        counts = offset + np.arange(len(alive))
        ended = counts >= high if upwards else counts <= low
        reached += float(alive[ended].sum())
        if reached >= wanted:
            return n
        keep = (counts > low) & (counts < high)
        alive, offset = alive[keep], int(counts[keep][0]) if keep.any() else 0
    raise InputError("this sequential test never reaches the power asked; use smaller risks for its bounds")


def _longest(p0: float, p1: float, asked: Protocol, most: int | None, **plan: float) -> Course:
    """The course with the largest expected number of judges: a grid from p0 to p1, made finer around its best point."""
    low, high = p0, p1
    for _ in range(3):
        grid = np.linspace(low, high, 17)
        courses = _courses(grid, asked, most, **plan)
        best = max(range(len(grid)), key=lambda place: courses[place].expected_judges)
        low, high = float(grid[max(best - 1, 0)]), float(grid[min(best + 1, len(grid) - 1)])
    return courses[best]


def _courses(
    shares: Array, asked: Protocol, most: int | None, *, upper: float, lower: float, slope: float
) -> list[Course]:
    """For each true p_c: follow the distribution of the count among tests that still run."""
    p = shares[:, None]
    alive, offset = np.ones((len(shares), 1)), 0  # alive[s, i]: the chance of running on with offset + i correct
    difference, similarity, expected = np.zeros((3, len(shares)))
    n = 0
    while alive.size and (mass := alive.sum(axis=1)).max() > _LEFT and n != most:
        n += 1
        expected += mass
        alive = np.pad(alive * (1 - p), ((0, 0), (0, 1))) + np.pad(alive * p, ((0, 0), (1, 0)))
        counts = offset + np.arange(alive.shape[1])
        above = counts >= slope * n + upper - 1e-12
        below = counts <= slope * n - lower + 1e-12
        difference += alive[:, above].sum(axis=1)
        similarity += alive[:, below].sum(axis=1)
        keep = ~(above | below)  # without a gap: both bounds cut from outside
        alive, offset = alive[:, keep], int(counts[keep][0]) if keep.any() else 0
    return [
        Course(asked.to_p_d(float(share)), *(float(value) for value in values))
        for share, *values in zip(shares, difference, similarity, alive.sum(axis=1), expected, strict=True)
    ]


@dataclass(frozen=True)
class Look:
    """One look: stop with the conclusion at `critical` (None: impossible yet); `futile` ends the study without it."""

    judges: int
    critical: int | None
    futile: int | None
    spent: float  # the chance of a false conclusion so far
    power: float  # of the right one so far


@dataclass(frozen=True)
class GroupSequential(Told):
    """A test with planned looks."""

    KEYS = "goal, protocol, *_risk, not risk, ..., sentence"
    ROWS = "looks"

    goal: str
    protocol: str
    risk: float
    p_d: float
    spending: str
    looks: tuple[Look, ...]
    expected_if_null: float
    expected_if_true: float

    @property
    def sentence(self) -> str:
        """The plan in words."""
        rule = "at least" if self.goal == "difference" else "at most"
        steps = "; ".join(
            f"at {people(look.judges)} {'not yet' if look.critical is None else f'{rule} {look.critical:,} correct'}"
            + ("" if look.futile is None else f" (give up at {look.futile:,})")
            for look in self.looks
        )
        risk = "α" if self.goal == "difference" else "β"
        return (
            f"Conclude {'a difference' if self.goal == 'difference' else 'similarity'} {steps}. The looks together run "
            f"{risk} = {self.looks[-1].spent:.4f} (at most {self.risk:g}), the chance of the right conclusion is "
            f"{self.looks[-1].power:.3f}, after {self.expected_if_true:.1f} judges on average."
        )

    def _risk(self) -> dict[str, float]:
        return {"alpha" if self.goal == "difference" else "beta": self.risk}


def group_sequential(
    looks: Sequence[int],
    risk: float,
    p_d: float,
    *,
    goal: str = "difference",
    spending: str = "obrien-fleming",
    futility: float | None = None,
    protocol: str | Protocol = "triangle",
) -> GroupSequential:
    """Critical counts for looks after so many judges, spending `risk` (α for a difference, β for similarity).

    With `futility` (a risk of giving up wrongly) each look also has a count at which to give up; these are not binding:
    the risk holds whether or not one follows them, the power is that of following them.

    Args:
        looks: after how many judges one looks
        risk: α for a difference, β for similarity, over all looks
        p_d: the share of people who perceive the difference that is to be found, or ruled out
        goal: difference or similarity
        spending: how the risk is spread over the looks: obrien-fleming or pocock
        futility: the risk of giving up wrongly, where one may give up
        protocol: triangle, duo-trio, tetrad, 2-afc, 3-afc, hexad, two-out-of-five, or double-… of one of them

    >>> from nlgauge.triangle import group_sequential
    >>> plan = group_sequential([20, 40], risk=0.05, p_d=0.4)
    >>> [look.critical for look in plan.looks]
    [13, 19]
    """
    asked = find(protocol)
    total_risk = checks.risk(risk, "alpha" if checks.goal(goal) == "difference" else "beta")
    checks.one_of(spending, SPENDING, "spending function")
    share = checks.share(p_d)
    times = [checks.judges(n, "the judges of a look") for n in checks.several(looks, "the looks")]
    if not times or any(b <= a for a, b in pairwise(times)):
        raise InputError("the looks must be growing numbers of judges, for example 24, 48 and 72")
    if times[-1] > 50_000:
        raise InputError(f"{times[-1]:,} judges are too many for exact looks; plan for at most 50,000")
    # Similarity is the same test upside down: wrong answers are counted, and p_d is the null hypothesis.
    low, high = asked.guess, asked.from_p_d(share)
    null, true = (low, high) if goal == "difference" else (1 - high, 1 - low)
    give_up = None if futility is None else checks.risk(futility, "the futility risk")
    free, bound, alt = np.ones((3, 1))  # under null (futility ignored, followed) and under truth
    spent = power = quit_wrongly = expected_null = expected_true = 0.0
    rows, before = [], 0
    for n in times:
        more = n - before
        expected_null += more * float(bound.sum())
        expected_true += more * float(alt.sum())
        free, bound, alt = (np.convolve(model, pmf(more, p)) for model, p in ((free, null), (bound, null), (alt, true)))
        allowed = _spend(n / times[-1], total_risk, spending)
        tails = np.append(np.cumsum(free[::-1])[::-1], 0.0)  # tails[c] = P(still running and count ≥ c)
        critical = int(np.argmax(within(spent + tails, allowed)))
        spent += float(tails[critical])
        power += float(alt[critical:].sum())
        for model in (free, bound, alt):
            model[critical:] = 0.0
        futile = -1
        if give_up is not None and n < times[-1]:
            lost = quit_wrongly + np.cumsum(alt)
            futile = int(np.searchsorted(lost, _spend(n / times[-1], give_up, spending), side="right")) - 1
            futile = min(futile, critical - 1)
            quit_wrongly += float(alt[: futile + 1].sum())
            bound[: futile + 1] = 0.0
            alt[: futile + 1] = 0.0
        rows.append(_look(n, critical, futile, spent, power, goal))
        before = n
    return GroupSequential(
        goal=goal,
        protocol=asked.name,
        risk=total_risk,
        p_d=share,
        spending=spending,
        looks=tuple(rows),
        expected_if_null=expected_null,
        expected_if_true=expected_true,
    )


def _look(n: int, critical: int, futile: int, spent: float, power: float, goal: str) -> Look:
    possible = critical <= n
    if goal == "difference":
        return Look(n, critical if possible else None, futile if futile >= 0 else None, spent, power)
    return Look(n, n - critical if possible else None, n - futile if futile >= 0 else None, spent, power)


def pmf(n: int, p: float) -> Array:
    """The chances of 0 to n correct answers."""
    from scipy.special import gammaln, xlog1py, xlogy

    k = np.arange(n + 1)
    choose = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    chances = np.exp(choose + xlogy(k, p) + xlog1py(n - k, -p))
    return np.asarray(chances / chances.sum())


def _spend(time: float, risk: float, spending: str) -> float:
    from scipy.special import ndtr, ndtri

    if time >= 1:
        return risk
    if spending == "pocock":
        return risk * math.log1p((math.e - 1) * time)
    return float(2 * ndtr(ndtri(risk / 2) / math.sqrt(time)))


@dataclass(frozen=True)
class LookAhead(Told):
    """What a running test with a fixed number of judges can still show."""

    KEYS = "..., sentence, warnings = notes"

    goal: str
    correct: int
    judges: int
    total: int
    critical: int | None
    outcome: str  # "certain", "impossible" or "open"
    if_no_difference: float  # chances of concluding in the end
    if_p_d: float
    if_as_so_far: float
    p_d: float
    notes: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The state in words."""
        aim = "a difference" if self.goal == "difference" else "similarity"
        head = f"After {self.judges:,} of {self.total:,} judges, {self.correct:,} answered correctly"
        if self.outcome == "certain":
            return f"{head}: {aim} will be concluded whatever the others answer."
        if self.outcome == "impossible":
            return f"{head}: {aim} can no longer be concluded."
        return (
            f"{head}; {aim} will be concluded with probability {self.if_no_difference:.3f} if there is no difference, "
            f"{self.if_p_d:.3f} if {percent(self.p_d)} perceive one, and {self.if_as_so_far:.3f} if the rest answer as "
            "so far."
        )


def look_ahead(
    correct: int,
    judges: int,
    total: int,
    *,
    p_d: float,
    goal: str = "difference",
    alpha: float = 0.05,
    beta: float = 0.05,
    protocol: str | Protocol = "triangle",
) -> LookAhead:
    """The chance that a running test ends with the conclusion, given the answers so far.

    Looking is free; stopping early because of what was seen is not (unless the outcome is certain or impossible): use
    planned looks for that.

    Args:
        correct: right answers so far
        judges: answers so far
        total: answers at the end
        p_d: the share of people who perceive the difference that is to be found, or ruled out
        goal: difference or similarity
        alpha: the risk of concluding a difference where there is none
        beta: the risk of missing the difference `p_d`
        protocol: triangle, duo-trio, tetrad, 2-afc, 3-afc, hexad, two-out-of-five, or double-… of one of them

    >>> from nlgauge.triangle import look_ahead
    >>> ahead = look_ahead(12, judges=20, total=40, p_d=0.4)
    >>> ahead.outcome, round(ahead.if_p_d, 3)
    ('open', 0.994)
    """
    asked = find(protocol)
    x, n = checks.answers(correct, judges)
    end = checks.judges(total, "the planned number of judges")
    if n > end:
        raise InputError(f"{n:,} judges have answered, more than the {end:,} planned")
    share = checks.share(p_d)
    rest, high = end - n, asked.from_p_d(share)
    so_far = min(1.0, max(x / n, 0.0))
    different = checks.goal(goal) == "difference"
    risk = checks.risk(alpha, "alpha") if different else checks.risk(beta, "beta")
    critical = deciding(goal, end, risk, asked.guess if different else high)
    chances, outcome = [0.0] * 3, "impossible"
    if critical is not None:
        open_to = critical - x
        chances = [reached(goal, open_to, rest, p) for p in (asked.guess, high, so_far)]
        certain, lost = (open_to <= 0, open_to > rest) if different else (open_to >= rest, open_to < 0)
        outcome = "certain" if certain else "impossible" if lost else "open"
    return LookAhead(
        goal=goal,
        correct=x,
        judges=n,
        total=end,
        critical=critical,
        outcome=outcome,
        if_no_difference=chances[0],
        if_p_d=chances[1],
        if_as_so_far=chances[2],
        p_d=share,
        notes=() if outcome != "open" else ("stopping because of this look changes the risks; plan looks instead",),
    )
