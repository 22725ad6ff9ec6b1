"""The study file of single-text ratings: systems, criteria with their scales, what is shown, and the design."""

# ruff: noqa: RUF009 - `key` is `dataclasses.field` with words

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar, Literal

from nlgauge.errors import InputError
from nlgauge.io.fields import key
from nlgauge.study.criteria.entries import CriterionEntry
from nlgauge.study.criteria.types import Criterion
from nlgauge.study.designs import Design, Latin
from nlgauge.study.file.study import Study
from nlgauge.study.protocols.outputs.file import SINGLE, OutputStudy, SinglePanel, WarmUp
from nlgauge.study.protocols.outputs.parts import pages
from nlgauge.study.protocols.ratings.criteria import (
    Asked,
    RatingScale,
    asked_of,
    criterion_of,
    imported_question,
)


@dataclass(frozen=True, kw_only=True)
class RatingStudy(OutputStudy, Study):
    """Ratings on one or several criteria: of single texts, or after a judge has worked on one or talked to a system."""

    scale: RatingScale | None = key(
        "the scale of every criterion that has none of its own; else that of its wording", default=None
    )
    panels: Mapping[str, SinglePanel] = key("groups of judges by name, for example experts and public")
    design: Annotated[Design, SINGLE] = key("who sees what", default=Latin())
    practice: WarmUp = key("texts before the first that counts", default=WarmUp())
    asked: tuple[Asked, ...] = key("the questions as fixed at launch", default=(), frozen=True)

    ANSWERED_BY: ClassVar[str] = "protocol"  # the key that says how the questions are answered

    @property
    def answered(self) -> str:
        """How the questions are answered: likert, continuous or binary."""
        return "likert"

    @cached_property
    def questions_asked(self) -> tuple[Asked, ...]:
        """The questions, as fixed at launch or as the file means them."""
        read = imported_question if self.imported else asked_of
        found = self.asked or (read(self.put(entry), self.answered, self.scale) for entry in self.criteria)
        return tuple(asked for asked in found if asked is not None)

    @cached_property
    def parts(self) -> tuple[tuple[int, ...], ...]:
        """The questions by page."""
        return pages(self)

    def meant(self, entry: CriterionEntry) -> Criterion | None:
        """The criterion with a question that the protocol's scale answers; of a study run elsewhere nothing is taken
        from the catalogue."""
        return None if self.imported else criterion_of(self.put(entry), self.answered, self.scale)


@dataclass(frozen=True, kw_only=True)
class TextRatingStudy(RatingStudy):
    """Ratings of single texts, and nothing else."""

    protocol: Literal["likert", "continuous", "binary"] = key(
        "how texts are rated: on points, on a slider, or by yes and no"
    )

    @property
    def answered(self) -> str:
        """As the protocol is called."""
        return self.protocol


def rating_study(study: Study) -> RatingStudy:
    """The same study, where texts are rated in it; refused where not."""
    if isinstance(study, RatingStudy):
        return study
    raise InputError(f"this is a study of the protocol {study.protocol}; only a rating study can do this")
