"""Did judges answer by something other than the texts: place on the screen, kind of triad, practice, haste?

All tests are permutation tests given the answers' own totals, by Monte-Carlo draws that include the observed table, so
they hold their level exactly whatever the counts: p = (as extreme + 1) / (draws + 1). Fisher's test is exact
outright. None of them changes the verdict; what they find is a warning.

Judges who answered faster than anyone can read stay in the verdict too; it is shown without them beside it. An answer
is too fast when it came before the seconds that the plan names, or when reading the three texts in that time would take
more than 600 words a minute (silent reading runs at about 240; Brysbaert 2019). A judge is too fast when half of the
answers are.
"""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.jsonable import Jsonable
from nlgauge.stats.discrimination.binomial import at_least, at_most, within
from nlgauge.stats.discrimination.limits import limits
from nlgauge.stats.discrimination.protocols import find
from nlgauge.stats.multiple import holm
from nlgauge.stats.shares import fisher, sign_test
from nlgauge.study.model import TRIADS, Judgement, Text, odd_position
from nlgauge.study.protocols.triangle.analysis.plan import Plan
from nlgauge.text.tokenizers import words

DRAWS = 9_999
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Check(Jsonable):
    """One test of a bias. `table` are the counts it looked at; `p` is None where there was nothing to test."""

    KEYS = "name, p, p_adjusted, method, table, found"

    name: str  # position, triads, odd subject, learning, practice, drift
    table: dict[str, tuple[int, int]]  # label → (chosen or correct, of)
    p: float | None = None
    p_adjusted: float | None = None
    method: str = ""
    expected: tuple[float, ...] = ()  # of places: how often each is chosen without a preference
    authors: tuple[str, ...] = ()  # of the odd texts, as the table has them: two of one name are one
    better: bool = False  # of learning and drift: the trend is upwards
    changed: tuple[int, int] = (0, 0)  # of practice: judges who were right only after it, only in it

    @property
    def limits(self) -> dict[str, tuple[float, float]]:
        """Exact 95 % limits of each share, for plots; labels without answers have none."""
        return {label: limits(x, n, tail=0.025) for label, (x, n) in self.table.items() if n}

    @property
    def found(self) -> bool:
        """Whether the bias is there after correction for the number of tests."""
        return self.p_adjusted is not None and self.p_adjusted <= 0.05


def checks(
    answers: Sequence[Judgement],
    practice: Sequence[Judgement] = (),
    *,
    seed: int = 12345,
    draws: int = DRAWS,
    subjects: Sequence[str] = ("A", "B"),
    machine: bool = False,
) -> list[Check]:
    """All tests, with Holm's correction over those that could be made. A machine neither practises nor learns."""
    rng = np.random.default_rng(seed)
    found = [position(answers, rng, draws), triads(answers, rng, draws), odd_subject(answers, rng, draws, subjects)]
    if not machine:
        found += [learning(answers, rng, draws), after_practice(answers, practice), drift(answers, rng, draws)]
    adjusted = iter(holm([check.p for check in found if check.p is not None]).tolist())
    return [check if check.p is None else replace(check, p_adjusted=next(adjusted)) for check in found]


def position(answers: Sequence[Judgement], rng: np.random.Generator, draws: int = DRAWS) -> Check:
    """Is one place on the screen chosen more often than the texts explain?

    Without a preference the chance of a correct answer does not depend on where the odd text stands, and who errs picks
    either other place alike. Given how many were correct, that fixes the distribution: correct answers are spread
    at random over the odd places (within each judge who answered several times), errors by a coin.
    """
    table = {
        f"position {place + 1}": (sum(judgement.answer == place for judgement in answers), len(answers))
        for place in range(3)
    }
    if len(answers) < 2:
        return Check("position", table)
    observed = np.array([chosen for chosen, _ in table.values()])
    expected = np.zeros(3)
    drawn = np.zeros((draws, 3), dtype=np.int64)
    for group in _strata(answers):
        places = np.array([sum(odd_position(judgement.role) == place for judgement in group) for place in range(3)])
        correct = _right(group)[0]
        drawn += _random_choices(places, correct, draws, rng)
        share = correct / places.sum()
        expected += places * share + (places.sum() - places) * (1 - share) / 2
    p = _monte_carlo(_distance(observed, expected), _distance(drawn, expected))
    return Check("position", table, p, method=_exact(draws), expected=tuple(expected.tolist()))


def triads(answers: Sequence[Judgement], rng: np.random.Generator, draws: int = DRAWS) -> Check:
    """Are some of the six triads answered correctly more often than others?"""
    table = {triad: _right(judgement for judgement in answers if judgement.role == triad) for triad in TRIADS}
    right, sizes = np.array(list(table.values())).T
    if (sizes > 0).sum() < 2 or right.sum() in (0, sizes.sum()):
        return Check("triads", table)
    expected, drawn = _spread(answers, [judgement.role for judgement in answers], TRIADS, rng, draws)
    p = _monte_carlo(_distance(right, expected), _distance(drawn, expected))
    return Check("triads", table, p, method=_exact(draws))


def odd_subject(
    answers: Sequence[Judgement],
    rng: np.random.Generator,
    draws: int = DRAWS,
    subjects: Sequence[str] = ("A", "B"),
) -> Check:
    """Is one subject's text easier to spot as the odd one? Fisher's test where all judges are one group."""
    odd = [judgement.role[odd_position(judgement.role)] for judgement in answers]
    table = {
        f"odd: {name}": _right(answer for answer, who in zip(answers, odd, strict=True) if who == letter)
        for letter, name in zip("AB", subjects, strict=True)
    }
    if any(n == 0 for _, n in table.values()):
        return Check("odd subject", table)
    if len(_strata(answers)) == 1:
        p, method = fisher(*(count for pair in table.values() for count in pair)), "Fisher's exact test"
    else:
        expected, drawn = _spread(answers, odd, ("A", "B"), rng, draws)
        observed = np.array([x for x, _ in table.values()])
        p = _monte_carlo(_distance(observed, expected), _distance(drawn, expected))
        method = _exact(draws)
    return Check("odd subject", table, p, method=method, authors=tuple(dict.fromkeys(subjects)))


def learning(answers: Sequence[Judgement], rng: np.random.Generator, draws: int = DRAWS) -> Check:
    """Do judges who answer several times get better (or tired)? Correct answers are shuffled within each judge."""
    groups = [group for group in _by_judge(answers) if len(group) > 1]
    longest = max(map(len, groups), default=0)
    table = {f"answer {k + 1}": _right(group[k] for group in groups if len(group) > k) for k in range(longest)}
    mixed = [group for group in groups if len({judgement.correct for judgement in group}) == 2]
    if not mixed:
        return Check("learning", table)
    observed, drawn = 0.0, np.zeros(draws)
    for group in mixed:
        order = np.arange(len(group)) - (len(group) - 1) / 2
        right = np.array([judgement.correct for judgement in group], dtype=np.float64)
        observed += float(order @ right)
        drawn += rng.permuted(np.tile(right, (draws, 1)), axis=1) @ order
    p = _monte_carlo(abs(observed), np.abs(drawn))
    return Check("learning", table, p, method=f"Monte-Carlo exact within judges, {draws:,} draws", better=observed > 0)


def after_practice(answers: Sequence[Judgement], practice: Sequence[Judgement]) -> Check:
    """Is a judge's first answer that counts more often correct than the last practice answer (exact McNemar test)?"""
    first = {group[0].judge: group[0].correct for group in _by_judge(answers)}
    last = {group[-1].judge: group[-1].correct for group in _by_judge(practice)}
    both = [judge for judge in first if judge in last]
    table = {
        "last practice": (sum(last[judge] for judge in both), len(both)),
        "first answer": (sum(first[judge] for judge in both), len(both)),
    }
    gained = sum(first[judge] and not last[judge] for judge in both)
    lost = sum(last[judge] and not first[judge] for judge in both)
    if gained + lost == 0:
        return Check("practice", table)
    return Check("practice", table, sign_test(gained, lost), method="exact McNemar test", changed=(gained, lost))


def drift(answers: Sequence[Judgement], rng: np.random.Generator, draws: int = DRAWS) -> Check:
    """Do late judges answer better than early ones, as when word gets round?"""
    groups = sorted(_by_judge(answers), key=lambda group: group[0].answered_at)
    half = len(groups) // 2
    table = {"first half": _right(chain(*groups[:half])), "second half": _right(chain(*groups[half:]))}
    observed, drawn, varied = 0.0, np.zeros(draws), False
    for panel in dict.fromkeys(group[0].panel for group in groups):  # panels may come at different times
        shares = np.array([np.divide(*_right(group)) for group in groups if group[0].panel == panel])
        if len(shares) < 3 or float(np.ptp(shares)) == 0:
            continue
        varied = True
        order = np.arange(len(shares)) - (len(shares) - 1) / 2
        observed += float(order @ shares)
        drawn += np.fromiter((float(order @ rng.permutation(shares)) for _ in range(draws)), float, draws)
    if not varied:
        return Check("drift", table)
    p = _monte_carlo(abs(observed), np.abs(drawn))
    return Check("drift", table, p, method=_exact(draws), better=observed > 0)


def _exact(draws: int) -> str:
    return f"Monte-Carlo exact, {draws:,} draws"


def _strata(answers: Sequence[Judgement]) -> list[list[Judgement]]:
    """Groups within which correct answers are exchangeable: a judge with several answers, else a panel's judges."""
    groups: dict[tuple[str, str], list[Judgement]] = defaultdict(list)
    times = Counter((judgement.panel, judgement.judge) for judgement in answers)
    for judgement in answers:
        several = times[judgement.panel, judgement.judge] > 1
        groups[judgement.panel, judgement.judge if several else ""].append(judgement)
    return list(groups.values())


def _spread(
    answers: Sequence[Judgement],
    labels: Sequence[str],
    known: Sequence[str],
    rng: np.random.Generator,
    draws: int,
) -> tuple[Array, Counts]:
    """Correct answers by label when they fall on any answer alike: expected, and (draws, labels) at random."""
    label = {answer.id: name for answer, name in zip(answers, labels, strict=True)}
    expected = np.zeros(len(known))
    drawn = np.zeros((draws, len(known)), dtype=np.int64)
    for group in _strata(answers):
        sizes = np.array([sum(label[judgement.id] == name for judgement in group) for name in known])
        correct = _right(group)[0]
        expected += sizes * correct / len(group)
        drawn += rng.multivariate_hypergeometric(sizes, correct, size=draws)
    return expected, drawn


def _random_choices(places: Counts, correct: int, draws: int, rng: np.random.Generator) -> Counts:
    """How often each place is chosen when nobody has a preference: (draws, 3)."""
    right = rng.multivariate_hypergeometric(places, correct, size=draws)
    wrong = places - right
    chosen = right.copy()
    for odd, others in enumerate(((1, 2), (0, 2), (0, 1))):
        lower = rng.binomial(wrong[:, odd], 0.5)
        chosen[:, others[0]] += lower
        chosen[:, others[1]] += wrong[:, odd] - lower
    return np.asarray(chosen, dtype=np.int64)


def _distance(counts: NDArray[Any], expected: Array) -> Any:
    """Pearson's χ², as a measure of distance only; cells that expect nothing count for nothing."""
    weight = np.where(expected > 0, 1 / np.where(expected > 0, expected, 1), 0.0)
    return ((counts - expected) ** 2 * weight).sum(axis=-1)


def _monte_carlo(observed: float, drawn: Array) -> float:
    extreme = int(np.count_nonzero(drawn >= observed * (1 - 1e-9) - 1e-12))
    return (extreme + 1) / (len(drawn) + 1)


def _by_judge(answers: Sequence[Judgement]) -> list[list[Judgement]]:
    groups: dict[tuple[str, str], list[Judgement]] = defaultdict(list)
    for judgement in sorted(answers, key=lambda one: (one.answered_at, one.id)):
        groups[judgement.panel, judgement.judge].append(judgement)
    return list(groups.values())


def _right(answers: Iterable[Judgement]) -> tuple[int, int]:
    """Correct answers, and all of them."""
    found = [judgement.correct for judgement in answers]
    return sum(found), len(found)


@dataclass(frozen=True)
class Haste(Jsonable):
    """Times of the answers, and the judges who were too fast; single times are left to the export."""

    KEYS = "not seconds, not judges, ..."

    seconds: tuple[float, ...]
    median: float
    fast_answers: int
    fast_judges: tuple[str, ...]
    correct_without: int
    answers_without: int
    p_without: float | None  # the exact test without those judges
    changes: bool  # whether the conclusion is another without them
    judges: int  # all of them


def haste(plan: Plan, answers: Sequence[Judgement], texts: Mapping[str, Text]) -> Haste | None:
    """None where nobody answered."""
    if not answers:
        return None
    fast: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for answer in answers:
        fast[answer.panel, answer.judge].append(_too_fast(plan, answer, texts))
    judges = {key for key, flags in fast.items() if 2 * sum(flags) >= len(flags) and any(flags)}
    x, n = _right(answer for answer in answers if (answer.panel, answer.judge) not in judges)
    p = _p(plan, x, n) if judges and n else None
    everyone = _p(plan, *_right(answers))
    changes = bool(judges) and (p is None or bool(within(p, plan.risk)) != bool(within(everyone, plan.risk)))
    seconds = tuple(answer.seconds for answer in answers)
    return Haste(
        seconds=seconds,
        median=statistics.median(seconds),
        fast_answers=sum(sum(flags) for flags in fast.values()),
        fast_judges=tuple(sorted(judge for _, judge in judges)),
        correct_without=x,
        answers_without=n,
        p_without=p,
        changes=changes,
        judges=len(fast),
    )


def _p(plan: Plan, x: int, n: int) -> float:
    asked = find(plan.protocol)
    if plan.goal == "difference":
        return float(at_least(x, n, asked.guess))
    return float(at_most(x, n, asked.from_p_d(plan.p_d)))


def _too_fast(plan: Plan, answer: Judgement, texts: Mapping[str, Text]) -> bool:
    if answer.seconds < plan.too_fast:
        return True
    if any(text not in texts for text in answer.texts):
        return False
    read = sum(len(words(texts[text].text)) for text in answer.texts)
    return answer.seconds * plan.words_per_minute / 60 < read
