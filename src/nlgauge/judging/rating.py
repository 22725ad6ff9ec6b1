"""Outputs rated alone, from 1 to 5, against a rubric: by a language model or a program, as judges of a Likert study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.api import load
from nlgauge.errors import InputError
from nlgauge.judging.asking import Patient, Progress, Spent
from nlgauge.judging.cache import key_of
from nlgauge.judging.judge import Prices, called, kept
from nlgauge.judging.settings import RUBRIC, Reached, judge_of, make_judge, rating, sampling, sheet_of
from nlgauge.study.judges.base import Choice
from nlgauge.study.judges.run import decided
from nlgauge.study.protocols.outputs.judge import LanguageModel, MachineJudge, Program
from nlgauge.types import EvaluationSet, Segment


@dataclass(frozen=True)
class Rated:
    """Each output with its ratings, one for each sample; none where there was no answer."""

    judge: str
    outputs: tuple[tuple[Segment, tuple[float, ...]], ...]
    spent: Spent
    cost: float | None
    cost_per_1000: float | None

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
            "spent": self.spent.to_dict(),
            "cost": self.cost,
            "cost_per_1000": self.cost_per_1000,
        }


def rate_outputs(
    data: Any,
    judge: MachineJudge | Mapping[str, Any],
    rubric: str,
    *,
    budget: int | None = None,
    samples: int = 1,
    prices: Prices | None = None,
    cache: str | Path | None = None,
    reached: Reached | None = None,
    seed: int = 12345,
    columns: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Rated:
    """Have a judge rate each output alone; `rubric` is what the judge reads, in words."""
    chosen = sampling(judge_of(judge), samples)
    if not isinstance(chosen, LanguageModel | Program):
        raise InputError(
            f"{chosen.told} reads no rubric; a language model (openai) or a program (command) can"
        )
    if not rubric.strip():
        raise InputError("the rubric is empty; write what deserves 1, and what 5")
    content = data if isinstance(data, EvaluationSet) else load(data, columns=columns, allow_extra=True)
    outputs = list(content)[:budget]
    study, where = rating(rubric, seed=seed), reached or Reached()
    sheets = [sheet_of((output,)) for output in outputs]
    found: list[list[float]] = [[] for _ in outputs]
    spent = Spent(stored=True)
    for sample in range(1, samples + 1):
        machine = make_judge(chosen, study, sample=sample, reached=where, whole=lambda: content)
        answers = kept(chosen, machine, cache)
        keys = [key_of(machine, sheet, sample) for sheet in sheets]
        before = {
            place: choice for place, key in enumerate(keys) if (choice := answers.find(key)) is not None
        }
        spent.cached += len(before)
        for key in dict.fromkeys(keys):
            spent.earlier(answers.replies(key))
        for place, choice in before.items():
            found[place].append(_value(choice))
        work = [(place, sheet) for place, sheet in enumerate(sheets) if place not in before]
        if not work:
            continue
        patient = Patient(machine)
        patient.prepare([sheet for _, sheet in work])
        try:
            for place, choice in decided(patient, iter(work)):
                answers.add(keys[place], choice)
                spent.add(choice)
                if choice.answer is not None:
                    found[place].append(_value(choice))
                if progress is not None:
                    progress(spent.requests + spent.cached, samples * len(outputs))
        finally:
            getattr(machine, "close", lambda: None)()
    told = tuple((one, tuple(ratings)) for one, ratings in zip(outputs, found, strict=True))
    whole = None if prices is None else prices.of(spent)
    rated = sum(bool(ratings) for ratings in found)
    return Rated(
        called(chosen),
        told,
        spent,
        None if prices is None else prices.of(spent, earlier=False),
        1000 * whole / rated if whole is not None and rated else None,
    )


def _value(choice: Choice) -> float:
    return float(choice.answer[RUBRIC])
