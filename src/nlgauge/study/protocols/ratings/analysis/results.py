"""The analysis of a rating study as one value: for each panel and criterion its means, models and agreement.

`sentences` are for the paper, `warnings` for whoever reads the figures; `to_dict` is the stable JSON form.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nlgauge.study.protocols.ratings.analysis.agreeing import Agreeing
from nlgauge.study.protocols.ratings.analysis.between import Pair
from nlgauge.study.protocols.ratings.analysis.judges import Judging
from nlgauge.study.protocols.ratings.analysis.models import Models, SystemMean
from nlgauge.study.protocols.ratings.analysis.planning import NextStudy
from nlgauge.study.protocols.ratings.analysis.rows import Criterion
from nlgauge.study.protocols.ratings.analysis.singles import Single


@dataclass(frozen=True)
class Further:
    """A table that a protocol adds to those of ratings, with what it says in JSON."""

    heading: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[int, ...]  # columns of figures
    figures: Mapping[str, Any]


@dataclass(frozen=True)
class Rating:
    """One criterion in one panel."""

    panel: str
    criterion: Criterion
    n: int
    judges: int
    items: int
    outputs: int
    models: Models
    agreeing: Agreeing
    planning: NextStudy | None

    @property
    def best(self) -> SystemMean:
        """The system with the highest mean."""
        return self.models.means[0]

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        asked = self.criterion
        return {
            "panel": self.panel,
            "criterion": asked.id,
            "name": asked.name,
            "question": asked.question or None,
            "scale": _ratio_scale(asked)
            if asked.ratios
            else {"low": asked.low, "high": asked.high, "points": asked.points or None},
            "reverse": asked.reverse,
            "rescaled": asked.unit,
            "n": self.n,
            "judges": self.judges,
            "items": self.items,
            "outputs": self.outputs,
            **self.models.to_dict(),
            **(_ratios(self) if asked.ratios else {}),
            **self.agreeing.to_dict(),
            "next_study": None if self.planning is None else self.planning.to_dict(),
        }


@dataclass(frozen=True)
class RatingResult:
    """Everything that `study analyse` shows of a rating study."""

    protocol: str
    title: str
    study: str
    ratings: tuple[Rating, ...]
    judging: tuple[Judging, ...]
    panels: tuple[Pair, ...]
    criteria: tuple[Pair, ...]
    aside: Mapping[str, int]
    sentences: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    names: Mapping[str, str] = field(default_factory=dict)
    digest: str = ""
    seed: int = 0
    closed: bool = True
    singles: tuple[Single, ...] = ()
    further: tuple[Further, ...] = ()

    @property
    def n(self) -> int:
        """Screens that count."""
        return sum(sum(row.answers for row in one.judges) for one in self.judging)

    @property
    def several_panels(self) -> bool:
        """Whether panels must be named."""
        return len(self.judging) > 1

    @property
    def going_on(self) -> bool:
        """Ratings have no rule of stopping: what is shown is the end."""
        return False

    def where(self, rating: Rating) -> str:
        """The criterion, with its panel where there are several."""
        return f"{rating.criterion.label}, {rating.panel}" if self.several_panels else rating.criterion.label

    def rating(self, criterion: str, panel: str | None = None) -> Rating:
        """One criterion of one panel (the first)."""
        return next(
            one for one in self.ratings if one.criterion.id == criterion and panel in (None, one.panel)
        )

    @property
    def sentence(self) -> str:
        """The findings in words."""
        return " ".join(text for heading, text in self.sentences if heading.startswith("Means"))

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form of `study analyse`: what is not defined is null."""
        found: dict[str, Any] = _plain(self._whole())
        return found

    def _whole(self) -> dict[str, Any]:
        return {
            "protocol": self.protocol,
            "n": self.n,
            "result": [
                {
                    "panel": one.panel,
                    "criterion": one.criterion.id,
                    "n": one.n,
                    "systems": [mean.to_dict() for mean in one.models.means],
                    "clusters": None
                    if one.models.clusters is None
                    else [list(g) for g in one.models.clusters.groups],
                    "alpha": None if math.isnan(one.agreeing.alpha) else one.agreeing.alpha,
                    "warning": None if one.criterion.known else "question wording unknown",
                }
                for one in self.ratings
            ],
            "sentence": self.sentence,
            "warnings": list(self.warnings),
            "study": self.study,
            "title": self.title,
            "criteria": [one.to_dict() for one in self.ratings],
            "judges": [one.to_dict() for one in self.judging],
            "panels": [one.to_dict() for one in self.panels],
            "single_judges": [one.to_dict() for one in self.singles],
            "between_criteria": [one.to_dict() for one in self.criteria],
            "sentences": [{"about": heading, "text": text} for heading, text in self.sentences],
            "set_aside": dict(self.aside),
            **({"further": [dict(one.figures) for one in self.further]} if self.further else {}),
            "digest": self.digest,
            "seed": self.seed,
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
            {"system": one.system, "estimate": told(one.mean), "low": told(one.low), "high": told(one.high)}
            for one in rating.models.means
        ],
        "pair_ratios": [
            {
                "pair": one.name,
                "estimate": told(one.estimate),
                "low": told(one.low),
                "high": told(one.high),
                "p_adjusted": one.p_adjusted,
            }
            for one in rating.models.pairs
        ],
    }


def _plain(value: Any) -> Any:
    """Python's own numbers, lists and dictionaries; some coefficients bring numpy's numbers."""
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if hasattr(value, "item") and not isinstance(value, str):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
