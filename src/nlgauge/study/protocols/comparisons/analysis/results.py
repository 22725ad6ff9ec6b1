"""The analysis of a comparative study as one value: for each panel and criterion strengths, biases and agreement."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nlgauge.jsonable import Jsonable
from nlgauge.study.protocols.comparisons.analysis.biases import Circles, Places
from nlgauge.study.protocols.comparisons.analysis.judges import Judging
from nlgauge.study.protocols.comparisons.analysis.planning import NextStudy
from nlgauge.study.protocols.comparisons.analysis.rows import Question
from nlgauge.study.protocols.comparisons.analysis.strengths import Models, SystemStrength
from nlgauge.study.protocols.comparisons.machines import NO_MACHINES, Machines
from nlgauge.study.protocols.outputs.analysis.agreeing import Agreeing
from nlgauge.study.protocols.outputs.analysis.results import OutputResult
from nlgauge.study.protocols.outputs.analysis.variants import Beside
from nlgauge.study.protocols.outputs.criteria import UNKNOWN


@dataclass(frozen=True)
class Comparison(Jsonable):
    """One criterion in one panel."""

    KEYS = (
        "panel, criterion = criterion.id, name = criterion.name, question = criterion.question or null, n, judges, "
        "items, per_screen, comparisons = games, ties, share_of_ties = tied, *models, places, "
        "circular_triads = circles, *agreeing, next_study = planning"
    )

    panel: str
    criterion: Question
    n: int  # answers
    judges: int
    items: int
    per_screen: int
    games: int  # comparisons of two texts that the answers tell
    ties: int
    models: Models
    places: Places
    circles: Circles
    agreeing: Agreeing
    planning: NextStudy | None
    named: bool = True  # studies of comparisons that were run elsewhere are not imported

    @property
    def best(self) -> SystemStrength:
        """The strongest system."""
        return self.models.means[0]

    @property
    def tied(self) -> float:
        """Share of comparisons that are ties."""
        return self.ties / self.games


@dataclass(frozen=True, kw_only=True)
class ComparisonResult(OutputResult):
    """Everything that `study analyse` shows of a comparative study."""

    comparisons: tuple[Comparison, ...]
    judging: tuple[Judging, ...]
    machines: Machines = NO_MACHINES
    beside: tuple[Beside[Question], ...] = ()  # strengths with and without judges who are left out
    excluded: Mapping[str, str] = field(default_factory=dict)  # judges left out, with reasons

    def _whole(self) -> dict[str, Any]:
        own = {
            "excluded": dict(self.excluded),
            "with_and_without": [beside.to_dict() for beside in self.beside],
        }
        return super()._whole() | self.machines.to_dict() | own

    @property
    def parts(self) -> Sequence[Comparison]:
        """Each criterion in each panel."""
        return self.comparisons

    @property
    def crews(self) -> Sequence[Judging]:
        """The judges of each panel."""
        return self.judging

    def comparison(self, criterion: str, panel: str | None = None) -> Comparison:
        """One criterion of one panel (the first)."""
        return next(
            comparison
            for comparison in self.comparisons
            if comparison.criterion.id == criterion and panel in (None, comparison.panel)
        )

    def _brief(self, part: Comparison) -> dict[str, Any]:
        models, alpha = part.models, part.agreeing.alpha
        return {
            "panel": part.panel,
            "criterion": part.criterion.id,
            "n": part.n,
            "systems": [
                {
                    "system": system_strength.system,
                    "strength": system_strength.mean,
                    "low": system_strength.low,
                    "high": system_strength.high,
                    "share": system_strength.share,
                }
                for system_strength in models.means
            ],
            "clusters": None if models.clusters is None else [list(g) for g in models.clusters.groups],
            "alpha": None if math.isnan(alpha) else alpha,
            "warning": None if part.criterion.known else UNKNOWN,
        }
