"""Outputs rated alone, from 1 to 5, against a rubric: by a language model or a program, as judges of a Likert study."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from scipy.stats import rankdata

from nlgauge import receipt
from nlgauge.api import load
from nlgauge.arrays import Array
from nlgauge.errors import InputError, suggest
from nlgauge.jsonable import Jsonable
from nlgauge.judging.asking import Patient, Progress, Spent, answers
from nlgauge.judging.card import Limits
from nlgauge.judging.judge import Prices, called, kept
from nlgauge.judging.matches import TIE, Contest, check_human, grid
from nlgauge.judging.settings import RUBRIC, Reached, judge_of, make_judge, rating, sampling, sheet_of
from nlgauge.meta.observations import by_judge
from nlgauge.stats.limits import check_level
from nlgauge.stats.results import Estimate
from nlgauge.study.file.study import digest
from nlgauge.study.protocols.outputs.judge import LanguageModel, MachineJudge, Program
from nlgauge.types import EvaluationSet, Segment

# The report card of a judge that rates outputs alone: consistency, ties, length, its own system, people, cost.
#
# Length and the judge's own system are coefficients of one linear regression of the ratings, beside what people said
# where they did: the points for a text twice as long, and for a text of the judge's own. Limits are over items.


LEAST = 10  # outputs that a regression needs

Rating = tuple[Segment, tuple[float, ...]]
Hit = tuple[float, Hashable]


@dataclass(frozen=True)
class RatingCard(Jsonable):
    """The facts. None where the data do not tell."""

    judge: str
    outputs: int
    rated: int
    ties: Estimate | None  # of two outputs of one item
    samples_agree: Estimate | None
    samples_apart: Estimate | None  # points between two samples of one output
    longer: Estimate | None  # points for a text twice as long
    given_people: bool  # whether length and own system are told beside what people said
    own: Estimate | None  # points for the judge's own system
    pearson: Estimate | None  # with the mean rating of people
    spearman: Estimate | None
    decided: Estimate | None  # pairs of an item that people decided: the same order, half for a tie
    cost: float | None  # of all answers, those of earlier runs included
    cost_per_1000: float | None


@dataclass(frozen=True)
class People:
    """What people said: the criterion, and the difference up to which two ratings of one judge are a tie."""

    human: str | None = None
    tie: float = 0.0
    own: str | None = None


def rating_card(
    judge: str, outputs: Sequence[Rating], people: People, limits: Limits, *, cost: float | None
) -> RatingCard:
    """Everything that the ratings tell of their judge."""
    told = [(segment, float(np.mean(ratings)), ratings) for segment, ratings in outputs if ratings]
    pairs = [
        (abs(one - other), segment.item) for segment, _, ratings in told for one, other in combinations(ratings, 2)
    ]
    means = [(segment, mean) for segment, mean, _ in told]
    rows = np.array([[apart, 1.0] for apart, _ in pairs]).reshape(-1, 2)
    longer, given_people, favoured = _biases(means, people, limits)
    pearson, spearman = _correlations(means, people, limits)
    return RatingCard(
        judge=judge,
        outputs=len(outputs),
        rated=len(told),
        ties=limits.share([(float(gap == 0), item) for gap, item, _ in _gaps(means, people)]),
        samples_agree=limits.share([(float(apart == 0), item) for apart, item in pairs]),
        samples_apart=limits.drawn(rows, lambda sums: sums[..., 0] / sums[..., 1], [item for _, item in pairs]),
        longer=longer,
        given_people=given_people,
        own=favoured,
        pearson=pearson,
        spearman=spearman,
        decided=limits.share(list(_decided(means, people))),
        cost=cost,
        cost_per_1000=1000 * cost / len(told) if cost is not None and told else None,
    )


def _gaps(means: Sequence[tuple[Segment, float]], people: People) -> Iterator[tuple[float, str, tuple[str, ...]]]:
    """Of each two outputs of an item the difference of their ratings, and what people said."""
    rated = {(segment.item, segment.system): mean for segment, mean in means}
    for match in grid([segment for segment, _ in means], people.human, people.tie):
        yield rated[match.item, match.a] - rated[match.item, match.b], match.item, match.human


def _decided(means: Sequence[tuple[Segment, float]], people: People) -> Iterator[Hit]:
    for gap, item, human in _gaps(means, people):
        for said in human:
            if said != TIE:
                yield 0.5 + 0.5 * np.sign(gap) * (1 if said == "a" else -1), item


def _given(segment: Segment, human: str | None) -> float:
    """The mean of what people said of an output; NaN where they said nothing."""
    said = by_judge(segment, human) if human else {}
    return float(np.mean(list(said.values()))) if said else math.nan


def _biases(
    means: Sequence[tuple[Segment, float]], people: People, limits: Limits
) -> tuple[Estimate | None, bool, Estimate | None]:
    """Points for a text twice as long, and for the judge's own system; beside people's ratings where there are
    enough."""
    given = np.array([_given(segment, people.human) for segment, _ in means])
    judged = np.isfinite(given)
    beside = int(judged.sum()) >= LEAST
    used = [mean for mean, known in zip(means, judged, strict=True) if known or not beside]
    if len(used) < LEAST:
        return None, False, None
    words = np.array([len(segment.hypothesis.split()) for segment, _ in used])
    columns = [np.ones(len(used)), np.log2(np.maximum(words, 1))]
    if beside:
        columns.append(given[judged])
    own = np.array([segment.system == people.own for segment, _ in used], dtype=np.float64)
    mine = 0.0 < own.mean() < 1.0
    if mine:
        columns.append(own)
    x, y = np.stack(columns, axis=1), np.array([mean for _, mean in used])
    items = [segment.item for segment, _ in used]
    varies = np.ptp(columns[1]) > 0
    return (
        _coefficient(x, y, 1, limits, items) if varies else None,
        beside,
        _coefficient(x, y, x.shape[1] - 1, limits, items) if mine else None,
    )


def _coefficient(x: Array, y: Array, place: int, limits: Limits, items: Sequence[Hashable]) -> Estimate | None:
    """One coefficient of least squares, from sums of products."""
    size = x.shape[1]
    rows = np.concatenate([(x[:, :, None] * x[:, None, :]).reshape(len(x), -1), x * y[:, None]], axis=1)

    def fitted(sums: Array) -> Array:
        squares = sums[..., : size * size].reshape(*sums.shape[:-1], size, size)
        found: Array = (np.linalg.pinv(squares, hermitian=True) @ sums[..., size * size :, None])[..., place, 0]
        return found

    return limits.drawn(rows, fitted, items)


def _correlations(
    means: Sequence[tuple[Segment, float]], people: People, limits: Limits
) -> tuple[Estimate | None, Estimate | None]:
    both = [(mean, _given(segment, people.human), segment.item) for segment, mean in means]
    both = [row for row in both if math.isfinite(row[1])]
    if len(both) < 3:
        return None, None
    items = [item for _, _, item in both]
    values = np.array([(mean, given) for mean, given, _ in both])
    ranks = np.stack([rankdata(column) for column in values.T], axis=1)
    pearson, spearman = (limits.drawn(_products(columns), _pearson, items) for columns in (values, ranks))
    return pearson, spearman


def _products(values: Array) -> Array:
    a, b = (column - column.mean() for column in values.T)
    return np.stack([np.ones(len(a)), a, b, a * a, b * b, a * b], axis=1)


def _pearson(sums: Array) -> Array:
    n, a, b, aa, bb, ab = np.moveaxis(sums, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Array = (ab - a * b / n) / np.sqrt((aa - a * a / n) * (bb - b * b / n))
    return found


@dataclass(frozen=True)
class Rated(Jsonable):
    """Each output with its ratings, one for each sample; none where there was no answer."""

    KEYS = "judge, rated, open = left, means, ratings, card, spent, cost, cost_per_1000 = card.cost_per_1000, receipt"

    judge: str
    outputs: tuple[tuple[Segment, tuple[float, ...]], ...]
    card: RatingCard
    spent: Spent
    cost: float | None  # of this run
    receipt: str

    @property
    def left(self) -> int:
        """Outputs without a rating, which the same call asks about again."""
        return sum(not ratings for _, ratings in self.outputs)

    @property
    def means(self) -> dict[str, float]:
        """By system."""
        found: dict[str, list[float]] = {}
        for segment, ratings in self.outputs:
            if ratings:
                found.setdefault(segment.system, []).append(float(np.mean(ratings)))
        return {system: float(np.mean(values)) for system, values in found.items()}

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The evaluation set with the ratings (their mean over samples) beside those of people."""
        return [
            replace(segment, ratings={**segment.ratings, RUBRIC: float(np.mean(ratings))}).to_dict()
            for segment, ratings in self.outputs
            if ratings
        ]

    @property
    def rated(self) -> int:
        """Outputs with a rating."""
        return len(self.outputs) - self.left

    @property
    def ratings(self) -> list[dict[str, Any]]:
        """Each output's."""
        return [{"item": segment.item, "system": segment.system, "ratings": own} for segment, own in self.outputs]


def rate_by_rubric(
    data: Any,
    judge: MachineJudge | Mapping[str, Any],
    rubric: str,
    *,
    budget: int | None = None,
    samples: int = 1,
    human: str | None = None,
    human_tie: float = 0.0,
    own: str | None = None,
    prices: Prices | None = None,
    cache: str | Path | None = None,
    reached: Reached | None = None,
    level: float = 0.95,
    trials: int = 1000,
    seed: int = 12345,
    columns: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Rated:
    """Have a judge rate each output alone; `rubric` is what the judge reads, in words.

    `human` is the criterion that people rated, `own` the judge's own system, for the report card. A `budget` is spent
    on outputs drawn by chance.
    """
    check_level(level)
    chosen = sampling(judge_of(judge), samples)
    if not isinstance(chosen, LanguageModel | Program):
        raise InputError(f"{chosen.told} reads no rubric; a language model (openai) or a program (command) can")
    if not rubric.strip():
        raise InputError("the rubric is empty; write what deserves 1, and what 5")
    content = data if isinstance(data, EvaluationSet) else load(data, columns=columns, allow_extra=True)
    if human is not None:
        check_human(list(content), human, human_tie)
    if own is not None and own not in content.systems:
        raise InputError(f"there is no system {own!r}; {suggest(own, list(content.systems))}")
    outputs = list(content)
    if budget is not None and budget < len(outputs):
        drawn = Random(f"{seed}/rubric").sample(range(len(outputs)), budget)
        outputs = [outputs[place] for place in sorted(drawn)]
    study, where = rating(rubric, seed=seed), reached or Reached()
    machines = [
        make_judge(chosen, study, sample=sample, reached=where, whole=lambda: content)
        for sample in range(1, samples + 1)
    ]
    given = kept(chosen, machines[0], cache)
    spent = Spent(stored=given.path is not None)
    sheets = {place: sheet_of((output,)) for place, output in enumerate(outputs)}
    found: list[list[float]] = [[] for _ in outputs]
    done = 0
    try:
        for sample, machine in enumerate(machines, start=1):
            for place, choice in answers(Patient(machine, given, sample), sheets, spent):
                if choice.answer is not None:
                    found[place].append(float(choice.answer[RUBRIC]))
                done += 1
                if progress is not None:
                    progress(done, samples * len(outputs))
    finally:
        given.close()
        for machine in machines:
            getattr(machine, "close", lambda: None)()
    told = tuple((output, tuple(ratings)) for output, ratings in zip(outputs, found, strict=True))
    name = called(chosen)
    cost = None if prices is None else prices.of(spent)
    card = rating_card(name, told, People(human, human_tie, own), Limits(level, trials, seed), cost=cost)
    facts = {
        "judge": f"{name}:{digest([dict(machine.settings) for machine in machines])[:12]}",
        "samples": samples,
        "n": len(outputs),
        "data": Contest((), tuple(content.systems), content.origin, tuple(outputs)).digest,
        **({} if human is None else {"human": human, "human_tie": f"{human_tie:g}"}),
        **({} if own is None else {"own": own}),
        **({} if prices is None else {"prices": f"{prices.prompt:g}+{prices.completion:g}"}),
        "ci": f"items:{trials}",
        "confidence": f"{level:g}",
        "seed": seed,
    }
    paid = None if prices is None else prices.of(spent, earlier=False)
    return Rated(name, told, card, spent, paid, receipt.line(facts))
