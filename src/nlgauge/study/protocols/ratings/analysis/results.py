"""The analysis of a rating study as one value: for each panel and criterion its means, models and agreement.

`to_dict` is the stable JSON form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nlgauge.jsonable import Jsonable
from nlgauge.stats.mixed.results import Effect
from nlgauge.study.protocols.outputs.analysis.results import OfCriterion, OutputResult
from nlgauge.study.protocols.outputs.analysis.variants import Beside
from nlgauge.study.protocols.ratings.analysis.cautions import Caution
from nlgauge.study.protocols.ratings.analysis.judges import Judging
from nlgauge.study.protocols.ratings.analysis.machines import MachineBeside
from nlgauge.study.protocols.ratings.analysis.models import Models, SystemMean
from nlgauge.study.protocols.ratings.analysis.planning import NextStudy
from nlgauge.study.protocols.ratings.analysis.recheck import Rechecked
from nlgauge.study.protocols.ratings.analysis.rounds import Discussed
from nlgauge.study.protocols.ratings.analysis.rows import Criterion
from nlgauge.study.protocols.ratings.analysis.singles import Single
from nlgauge.study.protocols.ratings.analysis.spread import Distribution


@dataclass(frozen=True, kw_only=True)
class Rating(OfCriterion):
    """One criterion in one panel."""

    KEYS = (
        "panel, criterion = criterion.id, name = criterion.name, question = criterion.question or null, scale, "
        "reverse = criterion.reverse, rescaled = criterion.unit, measure = criterion.measure or null, "
        "lower_is_better = criterion.lower, n, judges = people, items, outputs, *models, distribution, cautions, "
        "*ratios, *agreeing, next_study = planning"
    )

    criterion: Criterion
    outputs: int
    models: Models
    planning: NextStudy | None
    distribution: Distribution | None = None
    cautions: tuple[Caution, ...] = ()  # systems whose means are in doubt
    empty: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # texts that say nothing, of how many

    @property
    def by(self) -> str:
        """Who gave the ratings."""
        if not self.named:
            return "judges who are not named"
        return f"{self.judges:,} {'judge' if self.judges == 1 else 'judges'}"

    @property
    def best(self) -> SystemMean:
        """The system with the highest mean."""
        return self.models.means[0]

    @property
    def scale(self) -> dict[str, Any]:
        """What was asked for; of magnitudes how they enter the analysis."""
        asked = self.criterion
        if not asked.ratios:
            return {"low": asked.low, "high": asked.high, "points": asked.points or None}
        entered = {"transformation": "natural logarithm", "modulus": asked.modulus, "judges_equalised": asked.by_judge}
        return {"low": 0, "high": None, "points": None, **entered}

    @property
    def people(self) -> int | None:
        """How many judged, where they are named."""
        return self.judges if self.named else None

    @property
    def ratios(self) -> dict[str, Any]:
        """What only magnitudes have: means and differences of logarithms as geometric means and ratios."""
        told, models = self.criterion.told, self.models

        def figures(of: SystemMean | Effect, estimate: float) -> dict[str, Any]:
            return {"estimate": told(estimate), "low": told(of.low), "high": told(of.high)}

        if not self.criterion.ratios:
            return {}
        return {
            "ratios": [{"system": mean.system} | figures(mean, mean.mean) for mean in models.means],
            "pair_ratios": [
                {"pair": pair.name} | figures(pair, pair.estimate) | {"p_adjusted": pair.p_adjusted}
                for pair in models.pairs
            ],
        }


@dataclass(frozen=True, kw_only=True)
class RatingResult(OutputResult):
    """Everything that `study analyse` shows of a rating study."""

    KEYS = (
        f"{OutputResult.KEYS}, single_judges = singles, machines, excluded, with_and_without = beside, discussed, "
        "rechecked, *own"
    )

    ratings: tuple[Rating, ...]
    judging: tuple[Judging, ...]
    singles: tuple[Single, ...] = ()
    beside: tuple[Beside[Criterion], ...] = ()  # means with and without judges, and with weights
    discussed: tuple[Discussed, ...] = ()
    rechecked: tuple[Rechecked, ...] = ()
    machines: tuple[MachineBeside, ...] = ()
    own: Jsonable | None = None  # what a protocol finds beyond; `report.study.own` has its words and tables

    @property
    def parts(self) -> Sequence[Rating]:
        """Each criterion in each panel."""
        return self.ratings

    def rating(self, criterion: str, panel: str | None = None) -> Rating:
        """One criterion of one panel (the first)."""
        return next(
            rating for rating in self.ratings if rating.criterion.id == criterion and panel in (None, rating.panel)
        )
