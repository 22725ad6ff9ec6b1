"""What differs between two studies, field by field; criteria by their definitions and not by their names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nlgauge.jsonable import Jsonable
from nlgauge.study.criteria.comparing import compare as compare_criteria
from nlgauge.study.criteria.types import Criterion, Frame, Wording
from nlgauge.study.statements.told import CriterionTold
from nlgauge.study.statements.types import Statement

ALWAYS = ("design_hash",)
"""Fields that differ between any two studies and say nothing by that."""


@dataclass(frozen=True)
class Difference(Jsonable):
    """One field that is not stated alike; None where a study has no such field, empty where nobody told it."""

    key: str
    name: str
    section: str
    first: str | None
    second: str | None


@dataclass(frozen=True)
class Comparison(Jsonable):
    """Two statements side by side."""

    first: str  # titles
    second: str
    differences: tuple[Difference, ...]
    same: tuple[str, ...]  # names of fields stated alike
    untold: tuple[str, ...]  # fields that neither states
    criteria: tuple[str, ...]  # where names of criteria mislead

    def __str__(self) -> str:
        untold = f"; neither states {len(self.untold)}" if self.untold else ""
        return f"{len(self.differences)} fields differ, {len(self.same)} are stated alike{untold}."


def compare(first: Statement, second: Statement) -> Comparison:
    """Everything that differs, in the order of the first statement's fields."""
    ours, theirs = _texts(first), _texts(second)
    differences: list[Difference] = []
    same: list[str] = []
    untold: list[str] = []
    for key in dict.fromkeys([*ours, *theirs]):
        section, name, _ = ours.get(key) or theirs[key]
        one = ours[key][2] if key in ours else None
        other = theirs[key][2] if key in theirs else None
        if one == other:
            (same if one else untold).append(name)
        elif key not in ALWAYS:
            differences.append(Difference(key, name, section, one, other))
    return Comparison(
        first.title, second.title, tuple(differences), tuple(same), tuple(untold), tuple(_misleading(first, second))
    )


def _texts(statement: Statement) -> dict[str, tuple[str, str, str]]:
    """Section, name and text by key; a study of one criterion names its fields like one of several."""
    only = statement.criteria[0].id if len(statement.criteria) == 1 else ""
    found = {}
    for section in statement.sections:
        for field in section.fields:
            key = field.key
            if only and key in ("wording", "scale", "definition", "origin"):
                key = f"{key}.{only}"
            found[key] = (section.name, field.name, field.text)
    return found


def _misleading(first: Statement, second: Statement) -> Iterator[str]:
    for criterion_told in first.criteria:
        for other in second.criteria:
            if not criterion_told.definition or not other.definition:
                if criterion_told.id == other.id:
                    yield f"{criterion_told.name}: without both definitions nobody knows whether the same was judged"
                continue
            found = compare_criteria(_criterion(criterion_told), _criterion(other))
            if found.same_name and found.relation != "same" and criterion_told.definition != other.definition:
                yield f"{criterion_told.name} has one name and two definitions: {found.why}"
            elif not found.same_name and found.relation == "same":
                yield f"{criterion_told.name} and {other.name} are two names for one thing: {found.why}"


def _criterion(one: CriterionTold) -> Criterion:
    frame: Frame = one.frame if one.frame in ("input", "outside") else "itself"  # type: ignore[assignment]
    asked = (Wording(one.wording),)
    return Criterion(one.id, one.name, (), one.definition, one.measures, wordings=asked, judges={}, frame=frame)
