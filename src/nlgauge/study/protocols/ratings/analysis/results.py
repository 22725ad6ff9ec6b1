"""The analysis of a rating study as one value: for each panel and criterion its means, models and agreement.

`sentences` are for the paper, `warnings` for whoever reads the figures; `to_dict` is the stable JSON form.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from nlgauge.study.protocols.ratings.analysis.agreeing import Agreeing
from nlgauge.study.protocols.ratings.analysis.between import Pair
from nlgauge.study.protocols.ratings.analysis.judges import Judging
from nlgauge.study.protocols.ratings.analysis.models import Models, SystemMean
from nlgauge.study.protocols.ratings.analysis.planning import NextStudy
from nlgauge.study.protocols.ratings.analysis.rows import UNKNOWN, Criterion, Worded


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
            "scale": {"low": asked.low, "high": asked.high, "points": asked.points or None},
            "reverse": asked.reverse,
            "rescaled": asked.unit,
            "n": self.n,
            "judges": self.judges,
            "items": self.items,
            "outputs": self.outputs,
            **self.models.to_dict(),
            **self.agreeing.to_dict(),
            "next_study": None if self.planning is None else self.planning.to_dict(),
        }


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
    def agreeing(self) -> Agreeing:
        """How far its judges agree."""
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
class OutputResult:
    """What `study analyse` shows of any study of outputs, rated or compared."""

    HEAD: ClassVar[str]  # how the headings of the sentences begin that tell the findings
    protocol: str
    title: str
    study: str
    panels: tuple[Pair, ...]
    criteria: tuple[Pair, ...]
    aside: Mapping[str, int]
    sentences: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    names: Mapping[str, str] = field(default_factory=dict)
    digest: str = ""
    seed: int = 0
    closed: bool = True

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
        """Screens that count."""
        return sum(one.answers for one in self.crews)

    @property
    def several_panels(self) -> bool:
        """Whether panels must be named."""
        return len(self.crews) > 1

    @property
    def going_on(self) -> bool:
        """There is no rule of stopping: what is shown is the end."""
        return False

    def where(self, part: OfCriterion) -> str:
        """The criterion, with its panel where there are several."""
        return f"{part.criterion.label}, {part.panel}" if self.several_panels else part.criterion.label

    @property
    def sentence(self) -> str:
        """The findings in words."""
        return " ".join(text for heading, text in self.sentences if heading.startswith(self.HEAD))

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
            "result": [self._brief(one) for one in self.parts],
            "sentence": self.sentence,
            "warnings": list(self.warnings),
            "study": self.study,
            "title": self.title,
            "criteria": [self._full(one) for one in self.parts],
            "judges": [one.to_dict() for one in self.crews],
            "panels": [one.to_dict() for one in self.panels],
            "between_criteria": [one.to_dict() for one in self.criteria],
            "sentences": [{"about": heading, "text": text} for heading, text in self.sentences],
            "set_aside": dict(self.aside),
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


@dataclass(frozen=True, kw_only=True)
class RatingResult(OutputResult):
    """Everything that `study analyse` shows of a rating study."""

    HEAD: ClassVar[str] = "Means"
    ratings: tuple[Rating, ...]
    judging: tuple[Judging, ...]

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
            one for one in self.ratings if one.criterion.id == criterion and panel in (None, one.panel)
        )

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


def _plain(value: Any) -> Any:
    """Python's own numbers, lists and dictionaries; some coefficients bring numpy's numbers."""
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if hasattr(value, "item") and not isinstance(value, str):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
