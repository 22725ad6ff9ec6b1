"""The systems' figures side by side: all judges, without those left out, without those who fail, with weights.

Whether a conclusion hangs on who is left out can be seen here at once, before anybody asks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from nlgauge.jsonable import Jsonable
from nlgauge.study.protocols.outputs.analysis.rows import Worded

ALL, KEPT, CAREFUL = "all judges", "without those left out", "without judges who failed a check"


Asked_co = TypeVar("Asked_co", bound=Worded, covariant=True)


@dataclass(frozen=True)
class Mean:
    """A system's mean with its limits."""

    mean: float
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class Variant(Jsonable):
    """The same analysis of other judges, or of judges with weights."""

    KEYS = "name, judges, alpha, systems = means"

    name: str
    judges: int
    means: Mapping[str, Mean]  # by system
    alpha: float = math.nan  # Krippendorff's; not defined for weights


@dataclass(frozen=True)
class Beside(Jsonable, Generic[Asked_co]):
    """One criterion of one panel in all variants there are."""

    KEYS = "panel, criterion = criterion.id, excluded = left_out, variants"

    panel: str
    criterion: Asked_co
    variants: tuple[Variant, ...]
    left_out: Mapping[str, str]  # judges of the panel who are left out, with reasons
    what: str = "means"  # what is shown of the systems

    def variant(self, name: str) -> Variant | None:
        """One of them."""
        return next((variant for variant in self.variants if variant.name == name), None)

    def order(self, name: str) -> tuple[str, ...]:
        """The systems of a variant from best to worst."""
        found = self.variant(name)
        return () if found is None else tuple(sorted(found.means, key=lambda one: -found.means[one].mean))


def out_of(judges: Iterable[str], excluded: Mapping[str, str] | None) -> dict[str, str]:
    """Those of the judges who are left out, with reasons."""
    there = set(judges)
    return {judge: reason for judge, reason in (excluded or {}).items() if judge in there}
