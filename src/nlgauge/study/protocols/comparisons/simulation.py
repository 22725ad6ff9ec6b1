"""Simulated judges who choose between systems of known strength, as Bradley and Terry (1952) and Luce (1959) say.

Strengths are in logits. A judge sees each text's strength with noise of the Gumbel distribution added, and answers by
what was seen: the larger of two wins with the probability of Bradley and Terry's model, and the order of several is
that of Plackett (1975) and Luce. Two texts that look less than `tie_width` apart are a tie, which for two texts is
Rao and Kupper's (1967) model with θ = exp(tie_width); each further logit is one degree of preference more. Of best and
worst the texts that look largest and smallest are taken. Judges may differ in taste and texts in quality: both add
normal deviations to the strength of a system, of which those of a text are the same for every judge.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar

from nlgauge.errors import InputError
from nlgauge.study.protocols.base import Crowd, Rater, spread
from nlgauge.study.protocols.comparisons.answers import TIE, competition
from nlgauge.study.protocols.comparisons.file import ComparisonStudy, PairwiseStudy, RankingStudy, comparison_study
from nlgauge.study.protocols.outputs.abstaining import check_share, simulated
from nlgauge.study.protocols.outputs.gold import known_of

if TYPE_CHECKING:
    from nlgauge.study.model import Evaluation, Text
    from nlgauge.study.service import Service

OPTIONS = (
    *("strengths", "tie_width", "judge_sd", "item_sd", "dropouts", "speeders", "seconds", "cannot_judge"),
    "wordings",
)
LARGEST = 20.0  # logits


@dataclass(frozen=True)
class Choosers(Crowd):
    """What the simulated judges are like."""

    KEYS = "strengths, tie_width, judge_sd, item_sd, cannot_judge, wordings"

    strengths: Mapping[str, float] = field(default_factory=dict)  # of systems; others are spread from -0.5 to 0.5
    tie_width: float = 0.3
    judge_sd: float = 0.0
    item_sd: float = 0.0
    dropouts: float = 0.0
    speeders: float = 0.0
    seconds: float = 30.0
    cannot_judge: float = 0.0  # share of careful answers that decline, where that is offered
    wordings: Mapping[str, float] = field(default_factory=dict)  # effects, of NAME/SYSTEM in logits

    largest: ClassVar[float] = LARGEST

    def __post_init__(self) -> None:
        plain = next((name for name in self.wordings if "/" not in name), None)
        if plain is not None:
            raise InputError(
                f"where texts are compared, what the wording {plain!r} does to all of them alike changes nothing; name "
                f"a system, as in {plain}/SYSTEM=0.5"
            )
        self.check_most(tie_width=LARGEST, judge_sd=LARGEST, item_sd=LARGEST)
        self.check_most(dropouts=0.95, speeders=1.0, cannot_judge=1.0)
        for system, strength in self.strengths.items():
            if not -LARGEST <= strength <= LARGEST:
                raise InputError(
                    f"the strength of {system} is in logits, between {-LARGEST:g} and {LARGEST:g}, not {strength:g}"
                )

    def of(self, systems: Sequence[str]) -> dict[str, float]:
        """The strength of every system."""
        return spread(self.strengths, systems, -0.5, 1.0)

    def rater(self, service: Service, panel: str, random: Random) -> Rater:
        """A judge with a taste of their own."""
        study = comparison_study(service.study)
        check_share(self.cannot_judge, study.abstainable)
        strengths = {
            name: strength + random.gauss(0, self.judge_sd) for name, strength in self.of(list(study.subjects)).items()
        }
        return _Chooser(self, strengths, study, random)


@dataclass(frozen=True)
class _Chooser(Rater):
    choosers: Choosers
    strengths: Mapping[str, float]
    study: ComparisonStudy
    random: Random

    def answer(self, look: Callable[[], Evaluation], *, hasty: bool) -> tuple[Any, int]:
        """An answer for each criterion."""
        shown = look()
        known = None if hasty else known_of(self.study, shown.texts[0])
        wanted = {} if known is None else known.answer
        found = {
            compared.id: self._one(shown.texts, shown.wording, hasty=hasty, best=wanted.get(compared.id))
            for compared in self.study.questions_asked
        }
        share = 0.0 if hasty or known is not None else self.choosers.cannot_judge
        return simulated(found, self.study.abstainable, share, self.random), 0

    def _one(self, texts: Sequence[Text], wording: str, *, hasty: bool, best: float | None = None) -> dict[str, Any]:
        seen = [(0.0 if hasty else self._quality(text, wording)) + gumbel(self.random) for text in texts]
        if best is not None:  # nobody who reads could prefer another
            seen[int(best) - 1] = max(seen) + 2 * LARGEST
        width = self.choosers.tie_width
        if isinstance(self.study, PairwiseStudy):
            return preference(seen[0] - seen[1], width if self.study.ties else 0.0, degrees=len(self.study.strength))
        if isinstance(self.study, RankingStudy):
            return {"ranks": ranks(seen, width if self.study.ties else 0.0)}
        places = range(len(seen))
        return {"best": max(places, key=seen.__getitem__), "worst": min(places, key=seen.__getitem__)}

    def _quality(self, text: Text, wording: str) -> float:
        own = Random(f"{self.study.seed}/{text.item}/{text.subject}").gauss(0, self.choosers.item_sd)
        return self.strengths.get(text.subject, 0.0) + own + self.choosers.moved(wording, text.subject)


def gumbel(random: Random) -> float:
    """Noise whose largest value falls on a text with the probability of Luce's choice rule."""
    return -math.log(random.expovariate(1.0) or 5e-324)


def preference(difference: float, width: float, *, degrees: int) -> dict[str, Any]:
    """A preference for the first text by how much better it looked.

    >>> preference(-1.5, 0.3, degrees=3)
    {'preference': 'b', 'strength': 2}
    """
    size = abs(difference)
    side = TIE if size < width else "a" if difference > 0 else "b"
    if not degrees:
        return {"preference": side}
    return {"preference": side, "strength": 0 if side == TIE else min(degrees, 1 + int(size - width))}


def ranks(seen: Sequence[float], width: float) -> list[int]:
    """Ranks by what was seen; a text that looks less than `width` worse than the one before it shares its rank.

    >>> ranks([0.1, 2.0, 0.2], 0.3)
    [2, 1, 2]
    """
    order = sorted(range(len(seen)), key=lambda place: -seen[place])
    found = [0] * len(seen)
    for rank, place in enumerate(order):
        before = order[rank - 1]
        shared = rank > 0 and seen[before] - seen[place] < width
        found[place] = found[before] if shared else rank + 1
    return competition(found)
