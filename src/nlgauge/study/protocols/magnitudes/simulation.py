"""Simulated judges who give numbers in proportion to what they see, each with a unit of their own.

Everything is in natural logarithms: a number is log(unit) + log(ratio of the system) + a judge's bias + the item's ease
+ noise, turned round for a reverse-keyed question, and put to three significant digits as people do. With a standard
the unit is its value; without, each judge has one of their own. A judge who hurries gives anything.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar

from nlgauge.errors import InputError
from nlgauge.study.protocols.base import Crowd, Rater, known_systems
from nlgauge.study.protocols.magnitudes.answers import NUMBER, number
from nlgauge.study.protocols.magnitudes.file import EstimationStudy, RankmeStudy, estimation_study
from nlgauge.study.protocols.outputs.abstaining import check_share, simulated
from nlgauge.study.protocols.outputs.gold import known_of
from nlgauge.study.protocols.outputs.parts import asked_about

if TYPE_CHECKING:
    from nlgauge.study.model import Evaluation, Text
    from nlgauge.study.service import Service

OPTIONS = (
    *("means", "judge_sd", "item_sd", "noise", "dropouts", "speeders", "seconds", "cannot_judge"),
    "wordings",
)
LARGEST = 5.0  # standard deviations, and effects of wordings, in logarithms
FARTHEST = 1e6  # ratio to the standard
FREE = 50.0, 1.0  # the middle of units that judges choose, and how much they differ (logarithms)
ENDS = 0.7, 1.4  # ratios of the worst and the best system where none is given


@dataclass(frozen=True)
class Estimators(Crowd):
    """What the simulated judges are like; deviations are of natural logarithms."""

    KEYS = "judge_sd, item_sd, noise, cannot_judge, means, wordings"

    means: Mapping[str, float] = field(default_factory=dict)  # ratios; others are spread from 0.7 to 1.4
    judge_sd: float = 0.2
    item_sd: float = 0.1
    noise: float = 0.25
    dropouts: float = 0.0
    speeders: float = 0.0
    seconds: float = 25.0
    cannot_judge: float = 0.0  # share of careful answers that decline, where that is offered
    wordings: Mapping[str, float] = field(default_factory=dict)  # effects, in natural logarithms

    largest: ClassVar[float] = LARGEST

    def __post_init__(self) -> None:
        self.check_most(judge_sd=LARGEST, item_sd=LARGEST, noise=LARGEST)
        self.check_most(dropouts=0.95, speeders=1.0, cannot_judge=1.0)
        for system, mean in self.means.items():
            if not 1 / FARTHEST <= mean <= FARTHEST:
                raise InputError(
                    f"the mean of {system} is a ratio to the standard, between {1 / FARTHEST:g} and {FARTHEST:g}, not "
                    f"{mean:g}"
                )

    def of(self, systems: list[str]) -> dict[str, float]:
        """The ratio of every system."""
        known_systems(self.means, systems)
        low, high = ENDS
        step = (high / low) ** (1 / max(1, len(systems) - 1))
        return {name: self.means.get(name, low * step**place) for place, name in enumerate(systems)}

    def rater(self, service: Service, panel: str, random: Random) -> Rater:
        """A judge with a unit and a bias of their own."""
        study = estimation_study(service.study)
        check_share(self.cannot_judge, study.abstainable)
        unit = random.lognormvariate(math.log(FREE[0]), FREE[1])
        if study.standard is not None:
            unit = study.standard.value
        bias = random.gauss(0, self.judge_sd)
        return _Estimator(self, self.of(list(study.subjects)), study, math.log(unit), bias, random)


@dataclass(frozen=True)
class _Estimator(Rater):
    estimators: Estimators
    means: Mapping[str, float]
    study: EstimationStudy
    unit: float
    bias: float
    random: Random

    def answer(self, look: Callable[[], Evaluation], *, hasty: bool) -> tuple[Any, int]:
        """A number for each criterion, or one for each text."""
        shown = look()
        texts = shown.texts
        found: dict[str, Any] = {}
        known = None if hasty else known_of(self.study, texts[0])
        wanted = {} if known is None else known.answer
        for place, _ in asked_about(texts[0], self.study):
            asked = self.study.questions_asked[place]
            given = [self._number(text, shown.wording, reverse=asked.reverse, hasty=hasty) for text in texts]
            if not isinstance(self.study, RankmeStudy):
                found[asked.id] = rounded(wanted[asked.id]) if asked.id in wanted else given[0]
                continue
            if asked.id in wanted:  # nobody who reads could prefer another
                best = min(given) / 2 if asked.reverse else max(given) * 2
                given[int(wanted[asked.id]) - 1] = rounded(best)
            found[asked.id] = given
        share = 0.0 if hasty or known is not None else self.estimators.cannot_judge
        return simulated(found, self.study.abstainable, share, self.random), 0

    def _number(self, text: Text, wording: str, *, reverse: bool, hasty: bool) -> NUMBER:
        told = self.estimators
        ease = Random(f"{self.study.seed}/{text.item}").gauss(0, told.item_sd)
        seen = math.log(self.means.get(text.subject, 1.0)) + self.bias + ease
        seen += told.moved(wording, text.subject)
        value = self.random.gauss(0, 1) if hasty else self.random.gauss(seen, told.noise)
        return rounded(math.exp(self.unit + (-value if reverse else value)))


def rounded(value: float) -> NUMBER:
    """Three significant digits.

    >>> rounded(123.456), rounded(0.0123456)
    (123, 0.0123)
    """
    found = number(float(f"{value:.3g}"))
    assert found is not None, f"{value} is above 0"
    return found
