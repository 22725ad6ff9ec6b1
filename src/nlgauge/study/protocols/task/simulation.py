"""Simulated readers: how often a system's texts are understood, seen through ability and difficulty, on logits.

A question is answered rightly with the probability whose logit is that of the system plus the reader's ability plus the
question's ease. A wrong answer is another option, another word, or a number beyond the tolerance. Who hurries guesses.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from nlgauge.errors import InputError
from nlgauge.study.protocols.base import Crowd, Rater, known_systems, spread
from nlgauge.study.protocols.outputs.gold import known_of
from nlgauge.study.protocols.task.file import TaskStudy, task_study
from nlgauge.study.protocols.task.layout import posed_about
from nlgauge.study.protocols.task.questions import Posed

if TYPE_CHECKING:
    from nlgauge.study.model import Evaluation
    from nlgauge.study.service import Service

OPTIONS = ("means", "judge_sd", "item_sd", "dropouts", "speeders", "seconds")


@dataclass(frozen=True)
class Readers(Crowd):
    """What simulated readers are like."""

    KEYS = "judge_sd, item_sd, means"

    means: Mapping[str, float] = field(default_factory=dict)  # success by system; others from 0.5 to 0.85
    judge_sd: float = 0.5  # of readers' ability, in logits
    item_sd: float = 0.5  # of questions' ease
    times: Mapping[str, float] = field(default_factory=dict)  # by system, as a factor of `seconds`
    dropouts: float = 0.0
    speeders: float = 0.0
    seconds: float = 40.0

    def __post_init__(self) -> None:
        self.check_most(judge_sd=5.0, item_sd=5.0, dropouts=0.95, speeders=1.0)
        for system, mean in self.means.items():
            if not 0 < mean < 1:
                raise InputError(f"the mean of {system} is a share of right answers, above 0 and below 1, not {mean:g}")

    def of(self, systems: list[str]) -> dict[str, float]:
        """The success of every system."""
        found = spread(self.means, systems, 0.5, 0.35)
        known_systems(self.times, systems)
        return found

    def seconds_for(self, shown: Evaluation) -> float:
        """As long as the system's texts take."""
        return self.seconds * self.times.get(shown.texts[0].subject, 1.0)

    def rater(self, service: Service, panel: str, random: Random) -> Rater:
        """A reader with an ability of their own."""
        study = task_study(service.study)
        ability = random.gauss(0, self.judge_sd)
        return _Reader(self, self.of(list(study.subjects)), service, study, ability, random)


@dataclass(frozen=True)
class _Reader(Rater):
    readers: Readers
    means: Mapping[str, float]
    service: Service
    study: TaskStudy
    ability: float
    random: Random

    def prepare(self, judge: str, shown: Evaluation) -> None:
        """Go on to the questions."""
        if self.study.hide_text:
            self.service.turns.add_record(judge, shown.claim, lambda record: None if record else {"role": "read"})

    def answer(self, look: Callable[[], Evaluation], *, hasty: bool) -> tuple[Any, int]:
        """An answer to each question."""
        (text,) = look().texts
        given = {}
        for posed in posed_about(text):
            ease = Random(f"{self.study.seed}/{text.item}/{posed.id}").gauss(0, self.readers.item_sd)
            logit = _logit(self.means.get(text.subject, 0.5)) + self.ability + ease
            right = self.random.random() < (posed.chance if hasty else 1 / (1 + math.exp(-logit)))
            right |= not hasty and known_of(self.study, text) is not None
            given[posed.id] = _right(posed) if right else _wrong(posed, self.random)
        sure = {"confidence": self.random.randint(1, 5)} if self.study.confidence else {}
        return {"answers": given, **sure}, 0


def _logit(share: float) -> float:
    return math.log(share / (1 - share))


def _right(question: Posed) -> dict[str, Any]:
    if question.type == "choice":
        return {"choice": question.place}
    return {"number": question.number} if question.type == "number" else {"text": question.accepted[0]}


def _wrong(question: Posed, random: Random) -> dict[str, Any]:
    if question.type == "choice":
        return {"choice": random.choice([k for k in range(len(question.options)) if k != question.place])}
    if question.type == "number":
        return {"number": question.number + 2 * question.tolerance + 1}
    return {"text": "something quite different"}
