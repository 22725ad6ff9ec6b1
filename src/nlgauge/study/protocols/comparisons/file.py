"""The study files of comparisons: what is compared for which criteria, whether ties are allowed, and the design."""

# ruff: noqa: RUF009 - `key` is `dataclasses.field` with words

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal

from nlgauge.errors import InputError
from nlgauge.io.fields import Kinds, Words, key
from nlgauge.study.criteria.entries import CriterionEntry
from nlgauge.study.criteria.types import Criterion
from nlgauge.study.designs import DESIGNS, Design, Incomplete, Pairs
from nlgauge.study.file.study import Study
from nlgauge.study.protocols.comparisons.criteria import Compared, compared_of, criterion_of
from nlgauge.study.protocols.outputs.file import SEVERAL, OutputPanel, OutputStudy, WarmUpScreens

TWO = Kinds({name: DESIGNS[name] for name in ("pairs", "crossed", "overlap", "bibd")})


@dataclass(frozen=True)
class ComparingPanel(OutputPanel):
    """A group of judges who compare."""

    evaluations: int = key(
        "comparisons for each judge, in place of the design's items_per_judge; 0: as the design has it",
        default=0,
        least=0,
        most=100_000,
    )


@dataclass(frozen=True, kw_only=True)
class ComparisonStudy(OutputStudy, Study):
    """Several outputs of one input at a time."""

    panels: Mapping[str, ComparingPanel] = key("groups of judges by name, for example experts and public")
    practice: WarmUpScreens = key("comparisons before the first that counts", default=WarmUpScreens())
    asked: tuple[Compared, ...] = key("the questions as fixed at launch", default=(), frozen=True)

    @cached_property
    def questions_asked(self) -> tuple[Compared, ...]:
        """The questions, as fixed at launch or as the file means them."""
        found = self.asked or (compared_of(self.put(entry), self.protocol) for entry in self.criteria)
        return tuple(compared for compared in found if compared is not None)

    def meant(self, entry: CriterionEntry) -> Criterion | None:
        """The criterion with a question that compares."""
        return criterion_of(self.put(entry), self.protocol)

    @property
    def per_screen(self) -> int:
        """Texts on a screen; 0 before the systems are known where it shows them all."""
        size: int = getattr(self.plan, "per_screen", 2)
        return size or len(self.authors)


@dataclass(frozen=True, kw_only=True)
class PairwiseStudy(ComparisonStudy):
    """Which of two?"""

    protocol: Literal["pairwise"] = key("two texts beside each other: which is better?")
    ties: bool = key("whether judges may see no difference", default=True)
    strength: tuple[Words, ...] = key(
        "degrees of preference from the slightest to the strongest, for example [slightly, clearly, by far]: "
        "each is offered for each text; without it there is only the choice",
        default=(),
    )
    design: Annotated[Design, TWO] = key("who sees what", default=Pairs())


@dataclass(frozen=True, kw_only=True)
class RankingStudy(ComparisonStudy):
    """In which order?"""

    protocol: Literal["ranking"] = key("several texts, to be ranked from the best to the worst")
    ties: bool = key("whether texts may share a rank", default=True)
    design: Annotated[Design, SEVERAL] = key("who sees what", default=Incomplete())


@dataclass(frozen=True, kw_only=True)
class BestWorstStudy(ComparisonStudy):
    """Which is the best, and which the worst?"""

    protocol: Literal["best-worst"] = key("several texts, of which the best and the worst are chosen")
    design: Annotated[Design, SEVERAL] = key("who sees what", default=Incomplete())


def comparison_study(study: Study) -> ComparisonStudy:
    """The same study, where texts are compared in it; refused where not."""
    if isinstance(study, ComparisonStudy):
        return study
    raise InputError(f"this is a study of the protocol {study.protocol}; only a comparative study can do this")
