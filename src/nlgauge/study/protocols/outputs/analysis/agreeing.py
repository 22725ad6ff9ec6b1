"""Agreement on a table of units and judges: the coefficients that its design allows, and why it is low."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from nlgauge.agreement import Agreement, Scale, agree
from nlgauge.errors import InputError
from nlgauge.io.judgements import Judgements
from nlgauge.jsonable import Jsonable
from nlgauge.stats.diagnosis import FINE, Diagnosis, diagnose

Suspects = Literal["all", "judges", "none"]
Answers = Literal["measured", "ratios", "slider", "points", "labelled", "preferences", "other"]
CHANCE = ("krippendorff", "percent", "fleiss", "cohen", "scott", "conger", "brennan-prediger", "gwet")
FEW = 10  # judges up to which every pair of them is looked at


PAIRWISE = (
    "conger",
    "pearson",
    "spearman",
    "kendall",
)  # Conger's limits alone take minutes with twenty judges
UNNAMED = ("krippendorff", "percent", "fleiss", "brennan-prediger", "gwet", "icc1", "icc1k")
"""Those that do not ask who gave a rating."""


@dataclass(frozen=True)
class Agreeing(Jsonable):
    """The coefficients, or why there are none; the diagnosis where alpha is low.

    `answers` says what was answered, on which the advice depends: numbers of what was `measured`, `ratios`, places of a
    `slider`, `points` or `labelled` points, `preferences`, or other ones.
    """

    KEYS = "agreement, diagnosis, undefined = reason or null"

    agreement: Agreement | None
    diagnosis: Diagnosis | None
    why: InputError | None = None  # there are none
    answers: Answers = "other"
    failed: tuple[str, ...] = ()  # judges who failed a check of care, whether or not their answers stand out

    @property
    def alpha(self) -> float:
        """Krippendorff's, NaN where it has no value."""
        try:
            return float("nan") if self.agreement is None else self.agreement["krippendorff"].estimate
        except InputError:
            return float("nan")

    @property
    def reason(self) -> str:
        """Why there are none, and what to do."""
        return str(self.why or "")

    @property
    def cause(self) -> str:
        """Why there are none, without what to do."""
        return self.why.cause if self.why else ""

    @property
    def unsettled(self) -> bool:
        """Whether alpha lies below the usual mark and its interval reaches it."""
        with suppress(InputError):
            return self.agreement is not None and self.alpha < FINE <= self.agreement["krippendorff"].high
        return False

    def beside(self, failed: Iterable[str], left_out: Collection[str] = ()) -> Agreeing:
        """The same with the judges who failed a check, less those who are left out already."""
        return replace(self, failed=tuple(judge for judge in failed if judge not in left_out))


def agreeing_on(
    units: Sequence[str],
    judges: Sequence[str],
    table: Any,
    scale: Scale,
    keys: Sequence[str],
    *,
    name: str,
    values: Sequence[float],
    unit: str = "outputs",
    what: str = "ratings",
    answers: Answers = "other",
    suspects: Suspects = "all",
    named: bool = True,
) -> Agreeing:
    """The coefficients of a table of units × judges (NaN for gaps), as far as its design allows them.

    `suspects` says what low agreement may be put down to: judges and units, judges alone, or nothing. Where judges are
    not `named`, a column of the table is nobody, and coefficients and diagnoses that ask who it was are left out.
    """
    cells = [[None if math.isnan(value) else value for value in row] for row in table.tolist()]
    given = Judgements(
        items=tuple(units), judges=tuple(judges), values=cells, origin="the study", criterion=name, unit=unit
    )
    fitting = _fitting(keys, len(judges), table) if named else tuple(key for key in keys if key in UNNAMED)
    try:
        found = _agreed(given, scale, fitting, values or None)
    except InputError as error:
        return Agreeing(None, None, why=error)
    diagnosis, unsaid = None, suspects == "none" or not named
    with suppress(InputError):
        if not unsaid and not found["krippendorff"].estimate >= FINE:
            diagnosis = diagnose(
                table,
                judges,
                units,
                level="ordinal" if scale == "ordinal" else "interval",
                divided=suspects == "all",
                what=what,
            )
    return Agreeing(found, diagnosis, answers=answers)


def _agreed(given: Judgements, scale: Scale, keys: Sequence[str], categories: Sequence[float] | None) -> Agreement:
    """All coefficients at once; where this design does not allow one, each by itself, and that one is left out."""
    with suppress(InputError):
        return agree(given, scale=scale, coefficients=keys, categories=categories)
    found = agree(given, scale=scale, coefficients=keys[:1], categories=categories)
    rows = list(found.rows)
    for key in keys[1:]:
        with suppress(InputError):
            rows += agree(given, scale=scale, coefficients=(key,), categories=categories).rows
    return replace(found, rows=tuple(rows))


def _fitting(keys: Sequence[str], judges: int, table: Any) -> Sequence[str]:
    """Those for two judges only where there are two; one-way ICCs where judges differ from output to output."""
    if judges > FEW:
        keys = tuple(key for key in keys if key not in PAIRWISE)
    if judges != 2:
        keys = tuple(key for key in keys if key not in ("cohen", "scott"))
    crossed = int((~np.isnan(table)).all(axis=1).sum()) >= 2
    if not crossed and judges > FEW:  # these need units that all judges judged
        return tuple(key for key in keys if not key.startswith("icc") and key != "kendall-w")
    kept = ("icc2", "icc3") if crossed else ("icc1",)
    return tuple(key for key in keys if not key.startswith("icc") or key.startswith(kept))
