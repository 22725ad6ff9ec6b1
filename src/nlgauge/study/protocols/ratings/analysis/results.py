"""The analysis of a rating study as one value: for each panel and criterion its means, models and agreement.

`to_dict` is the stable JSON form.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from nlgauge.jsonable import Jsonable
from nlgauge.study.protocols.outputs.analysis.agreeing import Agreeing
from nlgauge.study.protocols.outputs.analysis.results import OutputResult
from nlgauge.study.protocols.outputs.analysis.variants import Beside
from nlgauge.study.protocols.outputs.criteria import UNKNOWN
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


@dataclass(frozen=True)
class Rating(Jsonable):
    """One criterion in one panel."""

    KEYS = (
        "panel, criterion = criterion.id, name = criterion.name, question = criterion.question or null, scale, "
        "reverse = criterion.reverse, rescaled = criterion.unit, measure = criterion.measure or null, "
        "lower_is_better = criterion.lower, n, judges = people, items, outputs, *models, distribution, cautions, "
        "*ratios, *agreeing, next_study = planning"
    )

    panel: str
    criterion: Criterion
    n: int
    judges: int
    items: int
    outputs: int
    models: Models
    agreeing: Agreeing
    planning: NextStudy | None
    named: bool = True  # whether the judges are people, or places in the lists of an imported file
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
        """What was asked for."""
        asked = self.criterion
        plain = {"low": asked.low, "high": asked.high, "points": asked.points or None}
        return _ratio_scale(asked) if asked.ratios else plain

    @property
    def people(self) -> int | None:
        """How many judged, where they are named."""
        return self.judges if self.named else None

    @property
    def ratios(self) -> dict[str, Any]:
        """What only magnitudes have."""
        return _ratios(self) if self.criterion.ratios else {}


class Own(Protocol):
    """What a protocol finds beyond means and agreement; `report.study.own` has its words and tables."""

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form, which stands among the entries of the whole."""
        ...


@dataclass(frozen=True, kw_only=True)
class RatingResult(OutputResult):
    """Everything that `study analyse` shows of a rating study."""

    ratings: tuple[Rating, ...]
    judging: tuple[Judging, ...]
    singles: tuple[Single, ...] = ()
    beside: tuple[Beside[Criterion], ...] = ()  # means with and without judges, and with weights
    discussed: tuple[Discussed, ...] = ()
    rechecked: tuple[Rechecked, ...] = ()
    excluded: Mapping[str, str] = field(default_factory=dict)  # judges left out, with reasons
    machines: tuple[MachineBeside, ...] = ()
    own: Own | None = None  # what a protocol finds beyond means and agreement

    @property
    def parts(self) -> Sequence[Rating]:
        """Each criterion in each panel."""
        return self.ratings

    @property
    def crews(self) -> Sequence[Judging]:
        """The judges of each panel."""
        return self.judging

    def rating(self, criterion: str, panel: str | None = None) -> Rating:
        """One criterion of one panel (the first)."""
        return next(
            rating for rating in self.ratings if rating.criterion.id == criterion and panel in (None, rating.panel)
        )

    def _whole(self) -> dict[str, Any]:
        own = {
            "single_judges": [row.to_dict() for row in self.singles],
            "machines": [beside.to_dict() for beside in self.machines],
            "excluded": dict(self.excluded),
            "with_and_without": [beside.to_dict() for beside in self.beside],
            "discussed": [discussed.to_dict() for discussed in self.discussed],
            "rechecked": [rechecked.to_dict() for rechecked in self.rechecked],
        }
        return super()._whole() | own | ({} if self.own is None else self.own.to_dict())

    def _brief(self, part: Rating) -> dict[str, Any]:
        models, alpha = part.models, part.agreeing.alpha
        return {
            "panel": part.panel,
            "criterion": part.criterion.id,
            "n": part.n,
            "systems": [mean.to_dict() for mean in models.means],
            "clusters": None if models.clusters is None else [list(g) for g in models.clusters.groups],
            "alpha": None if math.isnan(alpha) else alpha,
            "warning": None if part.criterion.known else UNKNOWN,
        }


def _ratio_scale(asked: Criterion) -> dict[str, Any]:
    """How magnitudes enter the analysis."""
    return {
        "low": 0,
        "high": None,
        "points": None,
        "transformation": "natural logarithm",
        "modulus": asked.modulus,
        "judges_equalised": asked.by_judge,
    }


def _ratios(rating: Rating) -> dict[str, Any]:
    """Means and differences of logarithms as geometric means and ratios, with their limits."""
    told = rating.criterion.told
    return {
        "ratios": [
            {
                "system": system_mean.system,
                "estimate": told(system_mean.mean),
                "low": told(system_mean.low),
                "high": told(system_mean.high),
            }
            for system_mean in rating.models.means
        ],
        "pair_ratios": [
            {
                "pair": pair.name,
                "estimate": told(pair.estimate),
                "low": told(pair.low),
                "high": told(pair.high),
                "p_adjusted": pair.p_adjusted,
            }
            for pair in rating.models.pairs
        ],
    }
