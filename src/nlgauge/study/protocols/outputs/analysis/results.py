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
from nlgauge.study.protocols.outputs.analysis.variants import Beside
from nlgauge.study.protocols.outputs.analysis.wordings import WordingEffect
from nlgauge.study.protocols.outputs.criteria import UNKNOWN


@dataclass(frozen=True, kw_only=True)
class OfCriterion(Jsonable):
    """What was found of one criterion in one panel."""

    panel: str
    criterion: Any
    n: int  # answers
    judges: int
    items: int
    models: Any  # of the systems, the best first
    agreeing: Agreeing
    planning: Any  # of the next study; None where there is nothing to plan from
    named: bool = True  # whether judges are people, or places in the lists of an imported file

    @property
    def systems(self) -> Sequence[Any]:
        """Each system in a few figures."""
        found: Sequence[Any] = self.models.means
        return found

    @property
    def brief(self) -> dict[str, Any]:
        """The criterion in a few figures."""
        clusters, alpha = self.models.clusters, self.agreeing.alpha
        return {
            "panel": self.panel,
            "criterion": self.criterion.id,
            "n": self.n,
            "systems": self.systems,
            "clusters": clusters and clusters.groups,
            "alpha": alpha,
            "warning": None if self.criterion.known else UNKNOWN,
        }


class Crew(Protocol):
    """The judges of a panel, as far as notes tell of them."""

    @property
    def panel(self) -> str:
        """The panel."""
        ...

    @property
    def judges(self) -> Sequence[object]:
        """Each of them."""
        ...

    @property
    def named(self) -> bool:
        """Whether they are people, or places in the lists of an imported file."""
        ...

    @property
    def answers(self) -> int:
        """How many count."""
        ...

    @property
    def failed(self) -> tuple[str, ...]:
        """Who failed a check."""
        ...


@dataclass(frozen=True, kw_only=True)
class OutputResult(Jsonable):
    """What `study analyse` shows of any study of outputs, rated or compared."""

    KEYS = (
        "protocol, n, result = briefs, study, title, criteria = parts, judges = judging, panels, "
        "between_criteria = criteria, wordings, sample = samples, set_aside = aside, cannot_judge = declined, "
        "by_position = positions, digest, seed"
    )

    protocol: str
    title: str
    study: str
    judging: Sequence[Crew]
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
    beside: tuple[Beside[Any], ...] = ()  # figures with and without judges, and with weights
    excluded: Mapping[str, str] = field(default_factory=dict)  # judges left out, with reasons

    @property
    def parts(self) -> Sequence[OfCriterion]:
        """Each criterion in each panel."""
        raise NotImplementedError

    @property
    def crews(self) -> Sequence[Crew]:
        """The judges of each panel."""
        return self.judging

    @property
    def briefs(self) -> list[dict[str, Any]]:
        """Each criterion in a few figures."""
        return [part.brief for part in self.parts]

    @property
    def n(self) -> int:
        """Screens of people that count (of machines where there are no people)."""
        return sum(group.answers for group in self.judging) or sum({part.panel: part.n for part in self.parts}.values())

    @property
    def several_panels(self) -> bool:
        """Whether panels must be named."""
        return len(self.judging) > 1

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
