"""The analysis of a comparative study as one value: for each panel and criterion strengths, biases and agreement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nlgauge.study.protocols.comparisons.analysis.biases import Circles, Places
from nlgauge.study.protocols.comparisons.analysis.judges import Judging
from nlgauge.study.protocols.comparisons.analysis.planning import NextStudy
from nlgauge.study.protocols.comparisons.analysis.rows import Question
from nlgauge.study.protocols.comparisons.analysis.strengths import Models, SystemStrength
from nlgauge.study.protocols.comparisons.machines import NO_MACHINES, Machines
from nlgauge.study.protocols.outputs.analysis.results import OfCriterion, OutputResult
from nlgauge.study.protocols.outputs.analysis.variants import Beside


@dataclass(frozen=True, kw_only=True)
class Comparison(OfCriterion):
    """One criterion in one panel."""

    KEYS = (
        "panel, criterion = criterion.id, name = criterion.name, question = criterion.question or null, n, judges, "
        "items, per_screen, comparisons = games, ties, share_of_ties = tied, *models, places, "
        "circular_triads = circles, *agreeing, next_study = planning"
    )

    criterion: Question
    per_screen: int
    games: int  # comparisons of two texts that the answers tell
    ties: int
    models: Models
    places: Places
    circles: Circles
    planning: NextStudy | None

    @property
    def best(self) -> SystemStrength:
        """The strongest system."""
        return self.models.means[0]

    @property
    def tied(self) -> float:
        """Share of comparisons that are ties."""
        return self.ties / self.games

    @property
    def systems(self) -> list[dict[str, Any]]:
        """Each system's strength and share of wins."""
        return [
            {"system": own.system, "strength": own.mean, "low": own.low, "high": own.high, "share": own.share}
            for own in self.models.means
        ]


@dataclass(frozen=True, kw_only=True)
class ComparisonResult(OutputResult):
    """Everything that `study analyse` shows of a comparative study."""

    KEYS = f"{OutputResult.KEYS}, *machines, excluded, with_and_without = beside"

    comparisons: tuple[Comparison, ...]
    judging: tuple[Judging, ...]
    machines: Machines = NO_MACHINES
    beside: tuple[Beside[Question], ...] = ()  # strengths with and without judges who are left out

    @property
    def parts(self) -> Sequence[Comparison]:
        """Each criterion in each panel."""
        return self.comparisons

    def comparison(self, criterion: str, panel: str | None = None) -> Comparison:
        """One criterion of one panel (the first)."""
        return next(
            comparison
            for comparison in self.comparisons
            if comparison.criterion.id == criterion and panel in (None, comparison.panel)
        )
