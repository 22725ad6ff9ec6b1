"""The analysis of a study of outputs as one value, whatever was asked about them.

`notes` are for whoever reads the figures; sentences for the paper are made of all this in `report.study.words`, which
also adds them to the JSON form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from nlgauge.jsonable import Jsonable
from nlgauge.study.analysis.notes import Note
from nlgauge.study.analysis.sample import Sample
from nlgauge.study.protocols.outputs.analysis.abstaining import Declined
from nlgauge.study.protocols.outputs.analysis.agreeing import Agreeing
from nlgauge.study.protocols.outputs.analysis.between import Pair
from nlgauge.study.protocols.outputs.analysis.positions import Position
from nlgauge.study.protocols.outputs.analysis.rows import Worded
from nlgauge.study.protocols.outputs.analysis.wordings import WordingEffect


class OfCriterion(Protocol):
    """What was found of one criterion in one panel."""

    @property
    def panel(self) -> str:
        """The panel."""
        ...

    @property
    def criterion(self) -> Worded:
        """What was asked."""
        ...

    @property
    def n(self) -> int:
        """Answers."""
        ...

    @property
    def agreeing(self) -> Agreeing:
        """How far its judges agree."""
        ...

    @property
    def named(self) -> bool:
        """Whether judges are people, or places in the lists of an imported file."""
        ...


class PanelJudges(Protocol):
    """The judges of one panel."""

    @property
    def answers(self) -> int:
        """Screens that count."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        ...


@dataclass(frozen=True, kw_only=True)
class OutputResult(Jsonable):
    """What `study analyse` shows of any study of outputs, rated or compared."""

    KEYS = "*_whole"

    protocol: str
    title: str
    study: str
    panels: tuple[Pair, ...]
    criteria: tuple[Pair, ...]
    aside: Mapping[str, int]
    notes: tuple[Note, ...]  # what must be known before the figures are believed
    names: Mapping[str, str] = field(default_factory=dict)
    digest: str = ""
    seed: int = 0
    closed: bool = True
    samples: tuple[Sample, ...] = ()  # what the judges of each panel said when they were asked
    declined: tuple[Declined, ...] = ()  # “I cannot judge this”, for each criterion that offers it
    positions: tuple[Position, ...] = ()  # answers by the place of their question, where the order is random
    wordings: tuple[WordingEffect, ...] = ()  # of questions that judges read in one of several wordings

    @property
    def parts(self) -> Sequence[OfCriterion]:
        """Each criterion in each panel."""
        raise NotImplementedError

    @property
    def crews(self) -> Sequence[PanelJudges]:
        """The judges of each panel."""
        raise NotImplementedError

    @property
    def n(self) -> int:
        """Screens of people that count (of machines where there are no people)."""
        return sum(group.answers for group in self.crews) or sum({part.panel: part.n for part in self.parts}.values())

    @property
    def several_panels(self) -> bool:
        """Whether panels must be named."""
        return len(self.crews) > 1

    @property
    def going_on(self) -> bool:
        """There is no rule of stopping: what is shown is the end."""
        return False

    def where(self, part: OfCriterion | Declined | Position) -> str:
        """The criterion, with its panel where there are several."""
        return f"{part.criterion.label}, {part.panel}" if self.several_panels else part.criterion.label

    @property
    def keyed(self) -> bool:
        """Whether answers are right or wrong by a key, of which low agreement is no fault of judges."""
        return self.protocol == "task"

    def _whole(self) -> dict[str, Any]:
        return {
            "protocol": self.protocol,
            "n": self.n,
            "result": [self._brief(part) for part in self.parts],
            "study": self.study,
            "title": self.title,
            "criteria": [self._full(part) for part in self.parts],
            "judges": [group.to_dict() for group in self.crews],
            "panels": [pair.to_dict() for pair in self.panels],
            "between_criteria": [pair.to_dict() for pair in self.criteria],
            "wordings": [effect.to_dict() for effect in self.wordings],
            "sample": [sample.to_dict() for sample in self.samples],
            "set_aside": dict(self.aside),
            "cannot_judge": [declined.to_dict() for declined in self.declined],
            "by_position": [position.to_dict() for position in self.positions],
            "digest": self.digest,
            "seed": self.seed,
        }

    def _brief(self, part: Any) -> dict[str, Any]:
        """One criterion of one panel in a few figures."""
        raise NotImplementedError

    def _full(self, part: Any) -> dict[str, Any]:
        """And in all of them."""
        found: dict[str, Any] = part.to_dict()
        return found
