"""Simulated raters: true system means, seen through a judge's own bias, the item's difficulty, and noise.

Everything is in shares of the scale, 0 the worst and 1 the best answer, so that it serves every criterion: an answer is
mean(system) + bias(judge) + ease(item) + noise, turned round for a reverse-keyed question, and put on the nearest
answer that the scale has. A rater who hurries answers anything. A careful one rates a damaged copy lower by `damage`
and passes attention checks; a spammer does neither: half of them answer anything, half one number throughout.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from nlgauge.errors import InputError
from nlgauge.study.protocols.base import Crowd, Rater, spread
from nlgauge.study.protocols.outputs.abstaining import check_share, simulated
from nlgauge.study.protocols.outputs.gold import known_of
from nlgauge.study.protocols.outputs.parts import PART
from nlgauge.study.protocols.ratings.criteria import NUMBER, Asked, plain
from nlgauge.study.protocols.ratings.file import RatingStudy, rating_study

if TYPE_CHECKING:
    from nlgauge.study.model import Evaluation
    from nlgauge.study.service import Service

OPTIONS = (
    *("means", "judge_sd", "item_sd", "noise", "dropouts", "speeders", "spammers", "damage", "seconds"),
    *("cannot_judge", "wordings"),
)


@dataclass(frozen=True)
class Raters(Crowd):
    """What the simulated raters are like."""

    KEYS = "judge_sd, item_sd, noise, damage, spammers, cannot_judge, means, wordings"

    means: Mapping[str, float] = field(default_factory=dict)  # of systems; others are spread from 0.35 to 0.75
    judge_sd: float = 0.1  # how much judges differ in severity
    item_sd: float = 0.05  # how much items differ
    noise: float = 0.15
    damage: float = 0.3  # how much lower a damaged copy is seen
    spammers: float = 0.0  # share who answer without reading
    cannot_judge: float = 0.0  # share of careful answers that decline, where that is offered
    dropouts: float = 0.0
    speeders: float = 0.0
    seconds: float = 25.0
    wordings: Mapping[str, float] = field(default_factory=dict)  # effects, in shares of the scale

    def __post_init__(self) -> None:
        shares = dict.fromkeys(("judge_sd", "item_sd", "noise", "damage", "spammers", "cannot_judge"), 1.0)
        self.check_most(**shares, dropouts=0.95, speeders=1.0)
        for system, mean in self.means.items():
            if not 0 <= mean <= 1:
                raise InputError(f"the mean of {system} is a share of the scale, between 0 and 1, not {mean:g}")

    def of(self, systems: list[str]) -> dict[str, float]:
        """The mean of every system."""
        return spread(self.means, systems, 0.35, 0.4)

    def rater(self, service: Service, panel: str, random: Random) -> Rater:
        """A rater with a bias of their own."""
        study = rating_study(service.study)
        check_share(self.cannot_judge, study.abstainable)
        careless = random.random() < self.spammers if self.spammers else False
        straight = random.random() if careless and random.random() < 0.5 else None
        bias = random.gauss(0, self.judge_sd)
        return _Rater(self, self.of(list(study.subjects)), study, bias, random, careless=careless, straight=straight)


@dataclass(frozen=True)
class _Rater(Rater):
    raters: Raters
    means: Mapping[str, float]
    study: RatingStudy
    bias: float
    random: Random
    careless: bool = False
    straight: float | None = None  # the one place on every scale of a careless rater who has one

    def answer(self, look: Callable[[], Evaluation], *, hasty: bool) -> tuple[Any, int]:
        """A number for each criterion."""
        shown = look()
        (text,) = shown.texts
        middle = self.means.get(text.subject, 0.5) + self.bias
        middle += Random(f"{self.study.seed}/{text.item}").gauss(0, self.raters.item_sd)
        middle += self.raters.moved(shown.wording, text.subject)
        middle -= self.raters.damage if text.role == "degraded" else 0.0
        careless = hasty or self.careless
        known = None if careless else known_of(self.study, text)
        wanted = {} if known is None else known.answer
        found: dict[str, NUMBER] = {}
        for number in self.study.parts[text.beside.get(PART, len(self.study.parts) - 1)]:
            one = self.study.questions_asked[number]
            if self.straight is not None:
                found[one.id] = on_scale(one, self.straight)
                continue
            share = self.random.random() if careless else self.random.gauss(middle, self.raters.noise)
            found[one.id] = plain(wanted[one.id]) if one.id in wanted else on_scale(one, share)
        share = self.raters.cannot_judge if not careless and known is None else 0.0
        return simulated(found, self.study.abstainable, share, self.random), 0


def on_scale(asked: Asked, share: float) -> NUMBER:
    """The answer nearest to a share of the scale, where 1 is the best.

    >>> from nlgauge.study.protocols.ratings.criteria import AskedScale
    >>> five = Asked(id="x", name="x", scale=AskedScale(1, 5, 5))
    >>> [on_scale(five, share) for share in (-0.2, 0.5, 0.9)]
    [1, 3, 5]
    """
    share = min(max(1 - share if asked.reverse else share, 0.0), 1.0)
    scale = asked.scale
    value = scale.low + (scale.high - scale.low) * round(share * scale.steps) / scale.steps
    found = scale.place(value)
    assert found is not None, f"{value} is on the scale {scale}"
    return found
