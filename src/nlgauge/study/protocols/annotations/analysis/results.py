"""The analysis of annotations: that of ratings over what was measured, with tables of its own and examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from nlgauge.study.protocols.ratings.analysis.results import RatingResult, Table


@dataclass(frozen=True)
class Mark:
    """One judge's error in a text that is shown as an example."""

    start: int
    end: int
    severity: str
    category: str
    judge: str
    note: str = ""


@dataclass(frozen=True)
class Example:
    """An output with what judges did to it: errors marked, or the texts they made of it."""

    item: str
    system: str
    text: str
    marks: tuple[Mark, ...] = ()
    missing: tuple[Mark, ...] = ()  # what the output lacks
    edited: tuple[tuple[str, str], ...] = ()  # judge and text

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return {
            "item": self.item,
            "system": self.system,
            "text": self.text,
            "marks": [vars(one) for one in self.marks],
            "missing": [vars(one) for one in self.missing],
            "edited": [{"judge": judge, "text": text} for judge, text in self.edited],
        }


@dataclass(frozen=True)
class AnnotationResult(RatingResult):
    """Everything that `study analyse` shows; what is asked and what is measured are both `ratings`."""

    tables_first: ClassVar[bool] = True
    examples: tuple[Example, ...] = ()

    def _whole(self) -> dict[str, Any]:
        return {**super()._whole(), "examples": [one.to_dict() for one in self.examples]}


def extended(
    result: RatingResult,
    *,
    digest: str,
    tables: Sequence[Table],
    details: Mapping[str, Any],
    examples: Sequence[Example],
    sentences: Sequence[tuple[str, str]],
    warnings: Sequence[str] = (),
) -> AnnotationResult:
    """The analysis of what was measured, with what is said of the work itself in front."""
    values = {one.name: getattr(result, one.name) for one in fields(RatingResult)}
    values |= {"digest": digest, "sentences": (*sentences, *result.sentences)}
    values["warnings"] = (*result.warnings, *warnings)
    values |= {"tables": tuple(tables), "more": {"annotations": dict(details)}}
    return AnnotationResult(**values, examples=tuple(examples))
