"""A judge's report card: what may be believed of its verdicts, before and after the orders were joined.

Shares have limits over items (`stats.shares`), κ and differences those of a bootstrap over items. The length
bias is the chance that the longer of two texts wins where people see no difference between them (or, without people,
at all): P(a wins) = 1 / (1 + exp(−(β · which is longer + γ · what people said))), and σ(β) is told.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from nlgauge.arrays import Array
from nlgauge.jsonable import Jsonable
from nlgauge.judging.asking import OUTCOMES, Verdict
from nlgauge.judging.matches import SCORE, TIE
from nlgauge.stats.regression import logistic
from nlgauge.stats.resample import bootstrap
from nlgauge.stats.results import Estimate
from nlgauge.stats.shares import share, sign_test


@dataclass(frozen=True)
class Position:
    """Where the winners stood, before orders were joined."""

    first: Estimate  # share of decided answers that went to the first text
    p: float  # exact sign test over matches in which only the place decided
    both: int  # matches of which both orders were answered
    first_twice: int
    second_twice: int


@dataclass(frozen=True)
class Agreement:
    """With people: `decided` is over what they decided, a tie of the judge by its lean, else half."""

    accuracy: Estimate
    decided: Estimate | None
    kappa: Estimate | None
    between_people: Estimate | None  # two people on one match


@dataclass(frozen=True)
class Own:
    """Verdicts on the judge's own system: its win rate, that by people on the same matches, and the difference."""

    system: str
    machine: Estimate
    people: Estimate | None
    difference: Estimate | None


@dataclass(frozen=True)
class Card(Jsonable):
    """The facts. None where the data do not tell."""

    judge: str
    matches: int
    judged: int
    ties: Estimate | None
    position: Position | None
    orders_agree: Estimate | None
    samples_agree: Estimate | None
    longer_wins: Estimate | None
    given_people: bool  # whether the length bias is told given people's verdicts
    own: Own | None
    agreement: Agreement | None
    cost: float | None  # of all answers, those of earlier runs included
    cost_per_1000: float | None


@dataclass(frozen=True)
class Limits:
    """How limits over items are found."""

    level: float = 0.95
    trials: int = 1000
    seed: int = 12345

    def share(self, hits: Sequence[tuple[float, Hashable]]) -> Estimate | None:
        """Of hits, each with its item."""
        if not hits:
            return None
        return share([hit for hit, _ in hits], [item for _, item in hits], level=self.level)

    def drawn(self, rows: Array, score: Callable[[Array], Array], items: Sequence[Hashable]) -> Estimate | None:
        """Of a score of sums of rows, by a bootstrap."""
        if len(set(items)) < 2 or not math.isfinite(float(score(rows.sum(axis=0)))):
            return None
        found = bootstrap(rows, score, clusters=items, level=self.level, trials=self.trials, seed=self.seed)
        method = f"bootstrap over {len(set(items)):,} items, {self.trials:,} draws"
        return Estimate(found.estimate, found.low, found.high, self.level, method, len(rows))


def card_of(
    judge: str,
    verdicts: Sequence[Verdict],
    limits: Limits = Limits(),
    *,
    own: str | None = None,
    cost: float | None = None,
) -> Card:
    """Everything that the verdicts tell of their judge."""
    told = [verdict for verdict in verdicts if verdict.outcome is not None]
    longer_wins, given_people = _length(told, limits)
    return Card(
        judge=judge,
        matches=len(verdicts),
        judged=len(told),
        ties=limits.share([(float(v.outcome == TIE), v.match.item) for v in told]),
        position=_position(verdicts, limits),
        orders_agree=limits.share([(float(not v.disagreed), v.match.item) for v in told if len(v.orders) == 2]),
        samples_agree=limits.share(list(_samples(verdicts))),
        longer_wins=longer_wins,
        given_people=given_people,
        own=None if own is None else _own(told, own, limits),
        agreement=_agreement(told, limits),
        cost=cost,
        cost_per_1000=1000 * cost / len(told) if cost is not None and told else None,
    )


def _position(verdicts: Sequence[Verdict], limits: Limits) -> Position | None:
    decided = [(float(vote.first), v.match.item) for v in verdicts for vote in v.votes if vote.first is not None]
    # a judge whose verdict cannot depend on places is asked in one order, and has no such bias to tell
    twice = [v.orders for v in verdicts if len(v.orders) == 2 and None not in v.orders]
    first = limits.share(decided)
    if not twice or first is None:
        return None
    a, b = ("a", "b"), ("b", "a")  # first with a in front, then with b
    won, lost = twice.count(a), twice.count(b)
    return Position(first, sign_test(won, lost) if won + lost else math.nan, len(twice), won, lost)


def _samples(verdicts: Sequence[Verdict]) -> Any:
    """Each two samples of one order of a match, and whether they agree."""
    for verdict in verdicts:
        for turned in (False, True):
            said = [vote.outcome for vote in verdict.votes if vote.turned == turned and vote.outcome]
            for one, other in combinations(said, 2):
                yield float(one == other), verdict.match.item


def _length(told: Sequence[Verdict], limits: Limits) -> tuple[Estimate | None, bool]:
    """How likely the longer text wins, and whether that is given people's verdicts."""
    decided = [v for v in told if v.outcome != TIE]
    judged = [v for v in decided if v.match.human]
    given = len(judged) >= 10
    used = judged if given else decided
    if not used:
        return None, False
    longer = np.array([np.sign(len(v.match.text_a.split()) - len(v.match.text_b.split())) for v in used])
    columns = [longer]
    if given:
        columns.append(np.array([2 * np.mean([SCORE[said] for said in v.match.human]) - 1 for v in used]))
    won = np.array([float(v.outcome == "a") for v in used])
    found = logistic(
        won,
        np.stack(columns, axis=1).astype(np.float64),
        [v.match.item for v in used],
        names=("longer", "people")[: len(columns)],
        level=limits.level,
    )
    if not found:
        return None, given
    odds = found[0]
    estimate, low, high = (1 / (1 + math.exp(-value)) for value in (odds.estimate, odds.low, odds.high))
    return Estimate(estimate, low, high, odds.level, odds.method, int(np.count_nonzero(longer))), given


def _own(told: Sequence[Verdict], own: str, limits: Limits) -> Own | None:
    some = [v for v in told if own in (v.match.a, v.match.b)]
    points = [(_points(v, own, SCORE[v.outcome or TIE]), v.match.item) for v in some]
    machine = limits.share(points)
    if machine is None:
        return None
    judged = [(v, point) for v, (point, _) in zip(some, points, strict=True) if v.match.human]
    if not judged:
        return Own(own, machine, None, None)
    people = np.array([_points(v, own, float(np.mean([SCORE[x] for x in v.match.human]))) for v, _ in judged])
    items = [v.match.item for v, _ in judged]
    rows = np.stack([np.array([point for _, point in judged]) - people, np.ones(len(judged))], axis=1)
    return Own(
        own,
        machine,
        limits.share(list(zip(people.tolist(), items, strict=True))),
        limits.drawn(rows, lambda sums: sums[..., 0] / sums[..., 1], items),
    )


def _points(verdict: Verdict, system: str, score: float) -> float:
    return score if verdict.match.a == system else 1 - score


def _agreement(told: Sequence[Verdict], limits: Limits) -> Agreement | None:
    pairs = [(v, said) for v in told for said in v.match.human]
    if not pairs:
        return None
    items = [v.match.item for v, _ in pairs]
    accuracy = limits.share([(float(v.outcome == said), v.match.item) for v, said in pairs])
    assert accuracy is not None
    decided = [
        (0.5 + math.copysign(0.5, v.lean) * (1 if said == "a" else -1) if v.lean else 0.5, v.match.item)
        for v, said in pairs
        if said != TIE
    ]
    cells = np.zeros((len(pairs), 9))
    for row, (v, said) in zip(cells, pairs, strict=True):
        row[3 * OUTCOMES.index(v.outcome or TIE) + OUTCOMES.index(said)] = 1.0
    between = [(float(one == other), v.match.item) for v in told for one, other in combinations(v.match.human, 2)]
    return Agreement(accuracy, limits.share(decided), limits.drawn(cells, kappa, items), limits.share(between))


def kappa(cells: Array) -> Array:
    """Cohen's κ of tables of three outcomes by three, on any leading axes."""
    table = cells.reshape(*cells.shape[:-1], 3, 3)
    total = table.sum(axis=(-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        seen = np.trace(table, axis1=-2, axis2=-1) / total
        chance = (table.sum(axis=-1) * table.sum(axis=-2)).sum(axis=-1) / total**2
        found: Array = (seen - chance) / (1 - chance)
    return found
