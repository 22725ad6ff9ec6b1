"""Outputs rated alone, from 1 to 5, against a rubric: by a language model or a program, as judges of a Likert study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from nlgauge import receipt
from nlgauge.api import load
from nlgauge.errors import InputError, suggest
from nlgauge.judging.asking import Patient, Progress, Spent, answers
from nlgauge.judging.card import Limits
from nlgauge.judging.judge import Prices, called, kept
from nlgauge.judging.matches import Contest, check_human
from nlgauge.judging.rating_card import People, RatingCard, rating_card
from nlgauge.judging.settings import RUBRIC, Reached, judge_of, make_judge, rating, sampling, sheet_of
from nlgauge.stats.limits import check_level
from nlgauge.study.file.study import digest
from nlgauge.study.protocols.outputs.judge import LanguageModel, MachineJudge, Program
from nlgauge.types import EvaluationSet, Segment


@dataclass(frozen=True)
class Rated:
    """Each output with its ratings, one for each sample; none where there was no answer."""

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

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return {
            "judge": self.judge,
            "rated": len(self.outputs) - self.left,
            "open": self.left,
            "means": self.means,
            "ratings": [
                {"item": segment.item, "system": segment.system, "ratings": list(ratings)}
                for segment, ratings in self.outputs
            ],
            "card": self.card.to_dict(),
            "spent": self.spent.to_dict(),
            "cost": self.cost,
            "cost_per_1000": self.card.cost_per_1000,
            "receipt": self.receipt,
        }


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
