"""Did judges answer by something other than the texts: place on the screen, kind of triad, practice, haste?

All tests are permutation tests given the answers' own totals, by Monte-Carlo draws that include the observed table, so
they hold their level exactly whatever the counts: p = (as extreme + 1) / (draws + 1). Fisher's test is exact
outright. None of them changes the verdict; what they find is a warning.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.stats.discrimination.limits import limits
from nlgauge.stats.discrimination.wording import people
from nlgauge.stats.exact import fisher, sign_test
from nlgauge.stats.multiple import holm
from nlgauge.study.model import TRIADS, Judgement, odd_position
from nlgauge.study.protocols.triangle.analysis.wording import p_text

DRAWS = 9_999
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Check:
    """One test of a bias. `table` are the counts it looked at; `p` is None where there was nothing to test."""

    name: str
    question: str
    p: float | None
    p_adjusted: float | None
    method: str
    table: dict[str, tuple[int, int]]  # label → (chosen or correct, of)
    said: str  # the counts in words
    what: str  # what the test looks for

    @property
    def limits(self) -> dict[str, tuple[float, float]]:
        """Exact 95 % limits of each share, for plots; labels without answers have none."""
        return {label: limits(x, n, tail=0.025) for label, (x, n) in self.table.items() if n}

    @property
    def sentence(self) -> str:
        """What may be written in a paper: found only after correction for the number of tests."""
        if self.p is None:
            return "Nothing to test."
        adjusted = "" if self.p_adjusted is None else f", Holm-adjusted {p_text(self.p_adjusted)}"
        return f"{self.said}; {self.what} was {'found' if self.found else 'not shown'} ({p_text(self.p)}{adjusted})."

    @property
    def found(self) -> bool:
        """Whether the bias is there after correction for the number of tests."""
        return self.p_adjusted is not None and self.p_adjusted <= 0.05

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        kept = {key: value for key, value in vars(self).items() if key not in ("said", "what")}
        return kept | {
            "table": {key: list(value) for key, value in self.table.items()},
            "found": self.found,
            "sentence": self.sentence,
        }


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
    found = [
        position(answers, rng, draws),
        triads(answers, rng, draws),
        odd_subject(answers, rng, draws, subjects),
    ]
    if not machine:
        found += [
            learning(answers, rng, draws),
            after_practice(answers, practice),
            drift(answers, rng, draws),
        ]
    made = [place for place, one in enumerate(found) if one.p is not None]
    adjusted = holm([found[place].p or 0.0 for place in made]).tolist() if made else []
    for place, p in zip(made, adjusted, strict=True):
        found[place] = replace(found[place], p_adjusted=p)
    return found


def position(answers: Sequence[Judgement], rng: np.random.Generator, draws: int = DRAWS) -> Check:
    """Is one place on the screen chosen more often than the texts explain?

    Without a preference the chance of a correct answer does not depend on where the odd text stands, and who errs picks
    either other place alike. Given how many were correct, that fixes the distribution: correct answers are spread
    at random over the odd places (within each judge who answered several times), errors by a coin.
    """
    table = {f"position {place + 1}": (sum(one.answer == place for one in answers), len(answers)) for place in range(3)}
    question = "Is one place on the screen chosen more often?"
    if len(answers) < 2:
        return _untested("position", question, table)
    strata = _by_odd_place(answers)
    observed = np.array([table[f"position {place + 1}"][0] for place in range(3)])
    expected = np.zeros(3)
    drawn = np.zeros((draws, 3), dtype=np.int64)
    for places, correct in strata:
        drawn += _random_choices(places, correct, draws, rng)
        share = correct / places.sum()
        expected += places * share + (places.sum() - places) * (1 - share) / 2
    p = _monte_carlo(_distance(observed, expected), _distance(drawn, expected))
    method = f"Monte-Carlo exact, {draws:,} draws"
    counts = ", ".join(f"{k:,}" for k in observed)
    said = f"The three places were chosen {counts} times (expected {', '.join(f'{e:.1f}' for e in expected)})"
    return Check("position", question, p, None, method, table, said, "a preference for a place")


def triads(answers: Sequence[Judgement], rng: np.random.Generator, draws: int = DRAWS) -> Check:
    """Are some of the six triads answered correctly more often than others?"""
    table = {
        triad: (
            sum(one.correct for one in answers if one.role == triad),
            sum(one.role == triad for one in answers),
        )
        for triad in TRIADS
    }
    question = "Are some of the six orders answered correctly more often?"
    sizes = np.array([n for _, n in table.values()])
    right = np.array([x for x, _ in table.values()])
    if (sizes > 0).sum() < 2 or right.sum() in (0, sizes.sum()):
        return _untested("triads", question, table)
    expected, drawn = _spread(answers, [one.role for one in answers], TRIADS, rng, draws)
    p = _monte_carlo(_distance(right, expected), _distance(drawn, expected))
    said = "Correct answers by triad: " + ", ".join(f"{name} {x}/{n}" for name, (x, n) in table.items())
    return Check(
        "triads",
        question,
        p,
        None,
        f"Monte-Carlo exact, {draws:,} draws",
        table,
        said,
        "a difference between triads",
    )


def odd_subject(
    answers: Sequence[Judgement],
    rng: np.random.Generator,
    draws: int = DRAWS,
    subjects: Sequence[str] = ("A", "B"),
) -> Check:
    """Is one subject's text easier to spot as the odd one? Fisher's test where all judges are one group."""
    odd = [one.role[odd_position(one.role)] for one in answers]
    table = {
        f"odd: {name}": (
            sum(one.correct for one, who in zip(answers, odd, strict=True) if who == letter),
            odd.count(letter),
        )
        for letter, name in zip("AB", subjects, strict=True)
    }
    question = "Is one author's text easier to spot among two of the other?"
    if any(n == 0 for _, n in table.values()):
        return _untested("odd subject", question, table)
    if len(_strata(answers)) == 1:
        p, method = fisher(*(count for pair in table.values() for count in pair)), "Fisher's exact test"
    else:
        expected, drawn = _spread(answers, odd, ("A", "B"), rng, draws)
        observed = np.array([x for x, _ in table.values()])
        p = _monte_carlo(_distance(observed, expected), _distance(drawn, expected))
        method = f"Monte-Carlo exact, {draws:,} draws"
    said = "Correct answers by author of the odd text: " + ", ".join(
        f"{name[5:]} {x}/{n}" for name, (x, n) in table.items()
    )
    return Check("odd subject", question, p, None, method, table, said, "a difference between the two")


def learning(answers: Sequence[Judgement], rng: np.random.Generator, draws: int = DRAWS) -> Check:
    """Do judges who answer several times get better (or tired)? Correct answers are shuffled within each judge."""
    question = "Do judges get better or worse from answer to answer?"
    groups = [group for group in _by_judge(answers) if len(group) > 1]
    longest = max((len(group) for group in groups), default=0)
    table = {
        f"answer {k + 1}": (
            sum(group[k].correct for group in groups if len(group) > k),
            sum(len(group) > k for group in groups),
        )
        for k in range(longest)
    }
    mixed = [group for group in groups if len({one.correct for one in group}) == 2]
    if not mixed:
        return _untested("learning", question, table)
    observed, drawn = 0.0, np.zeros(draws)
    for group in mixed:
        order = np.arange(len(group)) - (len(group) - 1) / 2
        right = np.array([one.correct for one in group], dtype=np.float64)
        observed += float(order @ right)
        drawn += rng.permuted(np.tile(right, (draws, 1)), axis=1) @ order
    p = _monte_carlo(abs(observed), np.abs(drawn))
    said = "Correct by order of answering: " + ", ".join(f"{x}/{n}" for x, n in table.values())
    way = f"a trend for {'the better' if observed > 0 else 'the worse'} from answer to answer"
    return Check(
        "learning",
        question,
        p,
        None,
        f"Monte-Carlo exact within judges, {draws:,} draws",
        table,
        said,
        way,
    )


def after_practice(answers: Sequence[Judgement], practice: Sequence[Judgement]) -> Check:
    """Is a judge's first answer that counts more often correct than the last practice answer (exact McNemar test)?"""
    question = "Are judges better in the first triad that counts than in the last of practice?"
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
        return _untested("practice", question, table)
    p = sign_test(gained, lost)
    said = f"Of {people(len(both))} {gained:,} were right only after practice, {lost:,} only in it"
    return Check(
        "practice",
        question,
        p,
        None,
        "exact McNemar test",
        table,
        said,
        "a change after practice (practice texts may be easier or harder)",
    )


def drift(answers: Sequence[Judgement], rng: np.random.Generator, draws: int = DRAWS) -> Check:
    """Do late judges answer better than early ones, as when word gets round?"""
    question = "Do later judges answer better or worse than earlier ones?"
    groups = sorted(_by_judge(answers), key=lambda group: group[0].answered_at)
    half = len(groups) // 2
    table = {
        "first half": _sum(groups[:half]),
        "second half": _sum(groups[half:]),
    }
    observed, drawn, varied = 0.0, np.zeros(draws), False
    for panel in dict.fromkeys(group[0].panel for group in groups):  # panels may come at different times
        shares = np.array([_share(group) for group in groups if group[0].panel == panel])
        if len(shares) < 3 or float(np.ptp(shares)) == 0:
            continue
        varied = True
        order = np.arange(len(shares)) - (len(shares) - 1) / 2
        observed += float(order @ shares)
        drawn += np.fromiter((float(order @ rng.permutation(shares)) for _ in range(draws)), float, draws)
    if not varied:
        return _untested("drift", question, table)
    p = _monte_carlo(abs(observed), np.abs(drawn))
    said = "Correct answers " + ", ".join(f"{x}/{n} in the {name} of judges" for name, (x, n) in table.items())
    way = f"a trend for {'the better' if observed > 0 else 'the worse'} from judge to judge"
    return Check("drift", question, p, None, f"Monte-Carlo exact, {draws:,} draws", table, said, way)


def _untested(name: str, question: str, table: dict[str, tuple[int, int]]) -> Check:
    return Check(name, question, None, None, "", table, "", "")


def _strata(answers: Sequence[Judgement]) -> list[list[Judgement]]:
    """Groups within which correct answers are exchangeable: a judge with several answers, else a panel's judges."""
    groups: dict[tuple[str, str], list[Judgement]] = defaultdict(list)
    times: dict[tuple[str, str], int] = defaultdict(int)
    for one in answers:
        times[one.panel, one.judge] += 1
    for one in answers:
        groups[one.panel, one.judge if times[one.panel, one.judge] > 1 else ""].append(one)
    return list(groups.values())


def _by_odd_place(answers: Sequence[Judgement]) -> list[tuple[Counts, int]]:
    return [
        (
            np.array([sum(odd_position(one.role) == place for one in group) for place in range(3)]),
            sum(one.correct for one in group),
        )
        for group in _strata(answers)
    ]


def _spread(
    answers: Sequence[Judgement],
    labels: Sequence[str],
    known: Sequence[str],
    rng: np.random.Generator,
    draws: int,
) -> tuple[Array, Counts]:
    """Correct answers by label when they fall on any answer alike: expected, and (draws, labels) at random."""
    label = {one.id: name for one, name in zip(answers, labels, strict=True)}
    expected = np.zeros(len(known))
    drawn = np.zeros((draws, len(known)), dtype=np.int64)
    for group in _strata(answers):
        sizes = np.array([sum(label[one.id] == name for one in group) for name in known])
        correct = sum(one.correct for one in group)
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
    for one in sorted(answers, key=lambda one: (one.answered_at, one.id)):
        groups[one.panel, one.judge].append(one)
    return list(groups.values())


def _share(group: Sequence[Judgement]) -> float:
    return sum(one.correct for one in group) / len(group)


def _sum(groups: Sequence[Sequence[Judgement]]) -> tuple[int, int]:
    flat = [one.correct for group in groups for one in group]
    return sum(flat), len(flat)
