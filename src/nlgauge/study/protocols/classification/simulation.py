"""Simulated judges of known accuracy, who share what they see in a text.

The true class is named with the probability whose logit is that of the system's accuracy plus the judge's skill plus
the text's ease, which is the same for all judges: so they agree more than two judges who guess apart, also where they
are wrong. Any other class is as likely as the next. Of a text without a true class one is drawn that it seems to have.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from nlgauge.study.protocols.base import Rater, known_systems
from nlgauge.study.protocols.classification.file import CLASS, ClassStudy, class_study
from nlgauge.study.protocols.classification.layout import truth_of
from nlgauge.study.protocols.outputs.gold import known_of
from nlgauge.study.protocols.task.simulation import OPTIONS, Readers

if TYPE_CHECKING:
    from nlgauge.study.model import Evaluation
    from nlgauge.study.service import Service

__all__ = ["OPTIONS", "Classifiers"]
USUAL = 0.61
"""Accuracy for a text of usual ease. With the spreads below judges are right in 57 to 62 % and agree by α = .14, as the
judges of newspapers' headlines in De Mattei and others (2020) did."""


@dataclass(frozen=True)
class Classifiers(Readers):
    """What simulated judges are like; `means` are the accuracies by system."""

    judge_sd: float = 0.1  # of judges' skill, in logits
    item_sd: float = 0.75  # of texts' ease
    seconds: float = 8.0

    def of(self, systems: list[str]) -> dict[str, float]:
        """The accuracy for every system."""
        known_systems(self.means, systems)
        return {name: self.means.get(name, USUAL) for name in systems}

    def rater(self, service: Service, panel: str, random: Random) -> Rater:
        """A judge with a skill of their own."""
        study = class_study(service.study)
        return _Judge(self, self.of(list(study.subjects)), study, random.gauss(0, self.judge_sd), random)


@dataclass(frozen=True)
class _Judge(Rater):
    judges: Classifiers
    means: Mapping[str, float]
    study: ClassStudy
    skill: float
    random: Random

    def answer(self, look: Callable[[], Evaluation], *, hasty: bool) -> tuple[Any, int]:
        """A class."""
        (text,) = look().texts
        every, known = list(range(1, len(self.study.names) + 1)), known_of(self.study, text)
        if hasty:
            return {CLASS: self.random.choice(every)}, 0
        if known is not None:
            return {CLASS: int(known.answer[CLASS])}, 0
        seen = Random(f"{self.study.seed}/{text.subject}/{text.item}")
        ease, seeming = seen.gauss(0, self.judges.item_sd), seen.choice(every)
        truth = truth_of(text)
        meant = seeming if truth is None else self.study.names.index(truth) + 1
        share = self.means.get(text.subject, USUAL)
        logit = math.log(share / (1 - share)) + self.skill + ease
        if self.random.random() < 1 / (1 + math.exp(-logit)):
            return {CLASS: meant}, 0
        return {CLASS: self.random.choice([place for place in every if place != meant])}, 0
