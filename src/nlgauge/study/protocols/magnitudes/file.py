"""The study files of magnitude estimation: the standard and its value, what numbers are divided by, and the design."""

# ruff: noqa: RUF009 - `key` is `dataclasses.field` with words

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal

from nlgauge.errors import InputError
from nlgauge.io.fields import key
from nlgauge.study.criteria.entries import CriterionEntry
from nlgauge.study.criteria.types import Criterion
from nlgauge.study.designs import Design, Incomplete, Latin
from nlgauge.study.file.study import Study
from nlgauge.study.protocols.magnitudes.criteria import (
    Estimated,
    criterion_of,
    estimated_of,
    imported_question,
)
from nlgauge.study.protocols.outputs.file import (
    KEYS,
    SEVERAL_IMPORTED,
    SINGLE,
    STANDARD,
    OutputPanel,
    OutputStudy,
    Show,
    SinglePanel,
    WarmUp,
    WarmUpScreens,
)
from nlgauge.study.protocols.outputs.parts import pages


@dataclass(frozen=True)
class Standard:
    """The text that all others are measured by (the modulus): it is shown with its value above the others."""

    value: float = key("the number that stands for it", least=1e-6, most=1e9)
    text: str = key("the text itself, the same for every input", default="")
    column: str = key(
        "in place of text: what holds it, another for each input; for example reference, the first of them",
        default="",
    )


@dataclass(frozen=True, kw_only=True)
class EstimationStudy(OutputStudy, Study):
    """Numbers above 0 for outputs, on one or several criteria."""

    standard: Standard | None = key(
        "a text with a given value, which all numbers are relative to; without it judges choose their own unit",
        default=None,
    )
    unit: Literal["judge", "standard"] | None = key(
        "what numbers are divided by before they are analysed: the geometric mean of each judge's own (judge), or the "
        "value of the standard (standard); by default the standard where there is one",
        default=None,
    )
    asked: tuple[Estimated, ...] = key("the questions as fixed at launch", default=(), frozen=True)

    @cached_property
    def questions_asked(self) -> tuple[Estimated, ...]:
        """The questions, as fixed at launch or as the file means them."""
        read = imported_question if self.imported else estimated_of
        found = self.asked or (read(self.put(entry), self.protocol) for entry in self.criteria)
        return tuple(estimated for estimated in found if estimated is not None)

    def meant(self, entry: CriterionEntry) -> Criterion | None:
        """The criterion with a question that asks how much; of a study run elsewhere nothing of the catalogue."""
        return None if self.imported else criterion_of(self.put(entry), self.protocol)

    def standard_of(self, beside: Mapping[str, Any]) -> tuple[float, str] | None:
        """The standard's value, and its text: that of the study or of the input."""
        own = self.standard
        return None if own is None else (own.value, own.text or str(beside.get(STANDARD, "")))

    @property
    def divisor(self) -> Literal["judge", "standard"]:
        """What numbers are divided by."""
        return self.unit or ("standard" if self.standard is not None else "judge")

    @property
    def every_show(self) -> tuple[Show, ...]:
        """What stands beside a text for anybody, the standard of an input included."""
        found = super().every_show
        if self.standard is None or not self.standard.column:
            return found
        held = KEYS.get(self.standard.column, self.standard.column)
        return (*found, Show(STANDARD, held))

    @property
    def per_screen(self) -> int:
        """Texts on a screen; 0 before the systems are known where it shows them all."""
        size: int = getattr(self.plan, "per_screen", 1)
        return size or len(self.authors)


@dataclass(frozen=True, kw_only=True)
class MagnitudeStudy(EstimationStudy):
    """How much of something has this text?"""

    protocol: Literal["magnitude"] = key("one text at a time, for which judges give any number above 0")
    panels: Mapping[str, SinglePanel] = key("groups of judges by name, for example experts and public")
    design: Annotated[Design, SINGLE] = key("who sees what", default=Latin())
    practice: WarmUp = key("texts before the first that counts", default=WarmUp())

    @cached_property
    def parts(self) -> tuple[tuple[int, ...], ...]:
        """The questions by page."""
        return pages(self)


@dataclass(frozen=True, kw_only=True)
class RankmeStudy(EstimationStudy):
    """How much of something have these texts?"""

    protocol: Literal["rankme"] = key("several texts of one input, for each of which judges give any number above 0")
    together: bool = key(
        "whether each judge is asked for all criteria at once; by default each judge is asked for one, because "
        "criteria asked together colour each other (Novikova, Dušek and Rieser 2018)",
        default=False,
    )
    panels: Mapping[str, OutputPanel] = key("groups of judges by name, for example experts and public")
    design: Annotated[Design, SEVERAL_IMPORTED] = key("who sees what", default=Incomplete())
    practice: WarmUpScreens = key("screens before the first that counts", default=WarmUpScreens())

    @cached_property
    def parts(self) -> tuple[tuple[int, ...], ...]:
        """Each question by itself, or all at once; of a study run elsewhere an answer says what was asked."""
        numbers = tuple(range(len(self.questions_asked)))
        return (numbers,) if self.together or self.imported or not numbers else tuple((number,) for number in numbers)

    @property
    def apart(self) -> bool:
        """One judge answers one question."""
        return True

    def hidden_in(self, part: int) -> frozenset[str]:
        """All judges of a screen see the same."""
        return frozenset()


def estimation_study(study: Study) -> EstimationStudy:
    """The same study, where magnitudes are estimated in it; refused where not."""
    if isinstance(study, EstimationStudy):
        return study
    raise InputError(f"this is a study of the protocol {study.protocol}; only a magnitude study can do this")
