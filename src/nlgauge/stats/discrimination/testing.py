"""The test itself: p-value, conclusion, p_d and d′ with limits, and the sentence for the paper.

`exact` is the binomial test of the paper and of sensR's discrim; `likelihood`, `score` and `wald` are sensR's other
statistics; `normal` are the paper's printed formulas. The critical count, and with it the power, is that of the method.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from nlgauge.errors import InputError
from nlgauge.stats.discrimination import checks, normal
from nlgauge.stats.discrimination.binomial import at_most, log_likelihood, reached, turn, within
from nlgauge.stats.discrimination.estimates import Measure, Sensitivity, estimate, scales
from nlgauge.stats.discrimination.planning import keeps
from nlgauge.stats.discrimination.plans import count_by
from nlgauge.stats.discrimination.protocols import Protocol, find
from nlgauge.stats.discrimination.wording import (
    MINIMUM,
    Kind,
    Told,
    chance,
    evidence,
    percent,
    study_kind,
)
from nlgauge.stats.discrimination.wording import people as counted

METHODS = ("exact", "normal", "likelihood", "score", "wald")
_METHOD_TITLES = {
    "exact": "exact binomial",
    "normal": "normal approximation of the paper",
    "likelihood": "likelihood root",
    "score": "score",
    "wald": "Wald",
}


FAR_FEWER = "far fewer correct answers than guessing gives: check how correct answers were counted"


@dataclass(frozen=True)
class DiscriminationTest(Told):
    """One discrimination test. `risk` is α for a difference, β for similarity; `p_d_limit` the p_d it tests."""

    KEYS = (
        "goal, protocol, correct, judges, per_judge, answers, p_value, concluded, *_decision, p_d_limit, p_d, p_c, "
        "d_prime, method, evidence, *_power, study = study.name, study_reason = study.reason, sentence, "
        "warnings = notes"
    )

    goal: str
    protocol: str
    correct: int
    judges: int
    per_judge: int
    p_value: float
    concluded: bool
    critical: int | None  # correct answers needed at least (difference) or at most (similarity); None: impossible
    risk: float
    p_d_limit: float
    p_c: Measure
    p_d: Measure
    d_prime: Measure
    method: str
    evidence: str
    power: float | None  # to find p_d (difference), or to pass without any difference (similarity)
    study: Kind
    notes: tuple[str, ...] = ()
    title: str = "triangle test"
    authors: tuple[str, ...] = ()  # whose texts were compared, where that is known

    @property
    def answers(self) -> int:
        """All answers given."""
        return self.judges * self.per_judge

    @property
    def estimate(self) -> float:
        """The share that perceives the difference, under the name all results share."""
        return self.p_d.estimate

    @property
    def sentence(self) -> str:
        """What may be written in a paper."""
        return f"{_counts(self)} {_claim(self)}"

    def _decision(self) -> dict[str, float | None]:
        if self.goal == "difference":
            return {"min_correct": self.critical, "alpha": self.risk}
        return {"max_correct": self.critical, "beta": self.risk}

    def _power(self) -> dict[str, float | None]:
        return {"power" if self.goal == "difference" else "power_if_no_difference": self.power}


def test(
    correct: int,
    judges: int,
    *,
    goal: str = "difference",
    alpha: float | None = None,
    beta: float | None = None,
    p_d: float | None = None,
    protocol: str | Protocol = "triangle",
    method: str = "exact",
    level: float | None = None,
    per_judge: int = 1,
    planned: int | None = None,
) -> DiscriminationTest:
    """Test for a difference (is p_d above 0?) or for similarity (is p_d below the stated limit?).

    Difference: `alpha` (0.05 if not given); `beta` and `p_d`, where given, add the power of n judges. Similarity:
    `beta` and `p_d` are needed. `per_judge` answers of each judge may be pooled for a difference only. Limits: each
    holds alone with confidence 1 − risk; with `level` they form a two-sided interval. `planned` is the number of judges
    fixed beforehand, which with all risks makes the study confirmatory.

    Args:
        correct: right answers
        judges: those who answered
        goal: difference or similarity
        alpha: the risk of concluding a difference where there is none
        beta: the risk of missing the difference `p_d`
        p_d: the share of people who perceive the difference that is to be found, or ruled out
        protocol: triangle, duo-trio, tetrad, 2-afc, 3-afc, hexad, two-out-of-five, or double-… of one of them
        method: exact, normal, likelihood, score or wald
        level: the confidence of two-sided limits
        per_judge: answers of each judge
        planned: judges fixed beforehand

    >>> from nlgauge.triangle import test
    >>> found = test(20, 40)
    >>> found.concluded, round(found.p_value, 4)
    (True, 0.0214)
    """
    asked = find(protocol)
    checks.goal(goal)
    checks.one_of(method, METHODS, "method")
    people, each = checks.judges(judges), checks.judges(per_judge, "the number of answers per judge")
    x, n = checks.answers(correct, people * each)
    if goal == "similarity" and each > 1:
        raise InputError(
            "a similarity test needs one answer from each judge: repeated answers of the same judges are not "
            "independent and could hide a difference; ask more judges, or estimate p_d with the beta-binomial model "
            "(nlgauge triangle replicated)"
        )
    first, second = _risks(goal, alpha, beta, p_d)
    null = 0.0 if goal == "difference" else checks.share(p_d)
    p_value = _p_value(x, n, asked, goal=goal, null=asked.from_p_d(null), p_d=null, method=method)
    critical = _critical(n, first, null, asked, goal=goal, method=method)
    concluded = critical is not None and (x >= critical if goal == "difference" else x <= critical)
    found = _limits(x, n, asked, method=method, risk=first, level=level)
    power = _power(n, critical, asked, goal=goal, p_d=p_d)
    kept = None
    if alpha is not None and second is not None and p_d is not None:
        a, b = checks.risk(alpha, "alpha"), checks.risk(beta, "beta")
        kept = keeps(n, a, b, asked.guess, asked.from_p_d(p_d))
    kind = study_kind(
        goal=goal,
        judges=people,
        planned=None if planned is None else checks.judges(planned, "the planned number of judges"),
        risks_met=kept,
    )
    return DiscriminationTest(
        goal=goal,
        protocol=asked.name,
        correct=x,
        judges=people,
        per_judge=each,
        p_value=p_value,
        concluded=concluded,
        critical=critical,
        risk=first,
        p_d_limit=null,
        p_c=found.p_c,
        p_d=found.p_d,
        d_prime=found.d_prime,
        method=_METHOD_TITLES[method],
        evidence=evidence(p_value),
        power=power,
        study=kind,
        notes=_notes(x, n, people, each, asked, goal=goal, method=method, critical=critical, power=power),
        title=asked.title,
    )


vars(test)["__test__"] = False  # pytest must not take it for one of ours


def _risks(goal: str, alpha: float | None, beta: float | None, p_d: float | None) -> tuple[float, float | None]:
    if goal == "difference":
        return checks.risk(0.05 if alpha is None else alpha, "alpha"), beta
    if beta is None or p_d is None:
        raise InputError(
            "a similarity test needs beta and p_d: the risk to be taken, and the share of people who may "
            "perceive the difference (for example beta 0.01 and p_d 0.3)"
        )
    return checks.risk(beta, "beta"), beta


def _p_value(x: int, n: int, asked: Protocol, *, goal: str, null: float, p_d: float, method: str) -> float:
    from scipy.special import ndtr

    if null >= 1:  # everyone perceives the difference: one wrong answer refutes it, whatever the statistic
        return float(goal == "difference" or x == n)
    if method == "exact":
        return reached(goal, x, n, null)
    if method == "normal":
        return normal.p_value(x, n, asked, goal=goal, p_d=p_d)
    share = x / n
    if method == "likelihood":
        root = math.sqrt(max(0.0, 2 * (log_likelihood(x, n, share) - log_likelihood(x, n, null))))
        z = math.copysign(root, share - null)
    else:
        spread = share if method == "wald" else null
        if spread in (0.0, 1.0):
            raise InputError(f"with {x:,} of {n:,} correct the Wald statistic has no spread; use the exact method")
        z = (share - null) / math.sqrt(spread * (1 - spread) / n)
    return float(ndtr(-z if goal == "difference" else z))


def _critical(n: int, risk: float, p_d: float, asked: Protocol, *, goal: str, method: str) -> int | None:
    """The count at which the method asked for concludes; None where no count does."""
    if method not in ("exact", "normal"):
        return _turn(n, risk, p_d, asked, goal=goal, method=method)
    return count_by(method, goal, n, risk, asked, p_d=p_d)


def _turn(n: int, risk: float, p_d: float, asked: Protocol, *, goal: str, method: str) -> int | None:
    """By bisection: each of these statistics rises with the count, so its p turns from above the risk to within it."""
    null = asked.from_p_d(p_d)
    # Wald's statistic has no spread, and is refused, where all answers are correct or none is.
    ends = (1, n - 1) if method == "wald" and null < 1 else (0, n)
    outside, inside = (ends[0] - 1, ends[1] + 1) if goal == "difference" else (ends[1] + 1, ends[0] - 1)

    def concludes(count: int) -> bool:
        return bool(within(_p_value(count, n, asked, goal=goal, null=null, p_d=p_d, method=method), risk))

    found = turn(outside, inside, concludes)
    return None if found == inside else found


def _limits(x: int, n: int, asked: Protocol, *, method: str, risk: float, level: float | None) -> Sensitivity:
    """One-sided limits at 1 − risk each (together an interval at 1 − 2 · risk), or a two-sided interval at `level`."""
    both = max(1e-12, 1 - 2 * risk) if level is None else checks.level(level)
    if method != "normal":
        return estimate(x, n, protocol=asked, level=both, method=method)
    if x in (0, n):
        raise InputError(f"with {x:,} of {n:,} correct the normal formula has no spread; use the exact method")
    ends = normal.p_d_limits(x, n, risk if level is None else (1 - both) / 2, asked)
    return scales(x, n, (asked.from_p_d(ends[0]), asked.from_p_d(ends[1])), asked, level=both, method="normal")


def _power(n: int, critical: int | None, asked: Protocol, *, goal: str, p_d: float | None) -> float | None:
    """The exact chance of reaching the critical count if p_d perceive the difference, or (similarity) no one does."""
    if p_d is None:
        return None
    actual = asked.from_p_d(checks.share(p_d))
    if critical is None:
        return 0.0
    return reached(goal, critical, n, actual if goal == "difference" else asked.guess)


def _notes(
    x: int,
    n: int,
    people: int,
    each: int,
    asked: Protocol,
    *,
    goal: str,
    method: str,
    critical: int | None,
    power: float | None,
) -> tuple[str, ...]:
    notes = []
    if people < MINIMUM[goal]:
        notes.append(f"at least {MINIMUM[goal]} judges are recommended for a {goal} test, whatever the risks")
    if each > 1:
        notes.append(
            f"{counted(people)} gave {each} answers each: pooling them is a valid test of no difference, but the "
            "limits and the power treat the answers as independent, which answers of one person are not; see the "
            "beta-binomial model (nlgauge triangle replicated)"
        )
    if critical is None:
        notes.append(f"too few answers ({n:,}): no count of correct answers could lead to a conclusion")
    if goal == "similarity" and critical is not None and critical < n * asked.guess:
        notes.append(
            f"at most {critical:,} correct answers are allowed, fewer than guessing gives ({n * asked.guess:.1f}): "
            f"texts without any difference pass with probability {power or 0:.2f} only"
        )
    if method != "exact":
        notes.append("an approximation was asked for; the exact method is the default")
    if x < n * asked.guess and float(at_most(x, n, asked.guess)) < 0.01:
        notes.append(FAR_FEWER)
    return tuple(notes)


def _counts(result: DiscriminationTest) -> str:
    guess = find(result.protocol).guess
    who = counted(result.judges)
    if result.per_judge > 1:
        who = f"{result.answers:,} answers ({counted(result.judges)}, {result.per_judge} answers each)"
    verb = "were correct" if result.per_judge > 1 else "answered correctly"
    return (
        f"In the {result.title}{compared(result.authors)}, {result.correct:,} of {who} {verb} "
        f"({percent(result.correct / result.answers)}; guessing gives {percent(guess)})."
    )


def compared(authors: tuple[str, ...]) -> str:
    """` that compared the texts of mygen with those of references`; nothing where the authors are not known."""
    return f" that compared the texts of {authors[0]} with those of {authors[1]}" if len(authors) == 2 else ""


def _claim(result: DiscriminationTest) -> str:
    how = f"{result.method}, {chance(result.p_value)}"
    sure = percent((1 + result.p_d.level) / 2, 2)
    if result.goal == "difference":
        if not result.concluded:
            return (
                f"No perceptible difference was shown ({how}, α = {result.risk:g}), "
                "which is not evidence that there is none."
            )
        strength = _strength(result, "difference")
        claim = f"There is a perceptible difference ({how}, α = {result.risk:g}: {strength})"
        if result.per_judge > 1:  # a share of people cannot be read off pooled answers
            return f"{claim}."
        return (
            f"{claim}; with {sure} confidence at least {percent(result.p_d.low)} of people perceive it "
            f"(estimate {percent(result.p_d.estimate)})."
        )
    bound = f"with {sure} confidence at most {percent(result.p_d.high)} of people perceive a difference"
    if not result.concluded:
        return (
            f"Similarity was not shown ({how}, β = {result.risk:g}): {bound}, where the limit was "
            f"{percent(result.p_d_limit)}; this is not evidence of a difference."
        )
    return (
        f"The texts can be called similar: {bound}, below the limit of {percent(result.p_d_limit)} "
        f"({how}, β = {result.risk:g}: {_strength(result, 'similarity')})."
    )


def _strength(result: DiscriminationTest, of: str) -> str:
    """`strong evidence of difference`; a risk above 0.2 lets weaker evidence pass, which has no name in the paper."""
    words = f"{result.evidence} evidence" if result.evidence != "no" else "less than slight evidence"
    return f"{words} of {of}"
