"""Magnitudes as flat rows from anywhere: item, system, judge, criterion, value, and, where several outputs were judged
at once, the screen.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nlgauge.errors import InputError
from nlgauge.study.analysis.notes import Note
from nlgauge.study.protocols.magnitudes.analysis import far_off, magnitude
from nlgauge.study.protocols.magnitudes.analysis.implied import Implied, Screen, implied
from nlgauge.study.protocols.ratings.analysis import rating_of
from nlgauge.study.protocols.ratings.analysis.models import fit
from nlgauge.study.protocols.ratings.analysis.results import Rating
from nlgauge.study.protocols.ratings.analysis.rows import Column, column_of

NEEDED = ("item", "system", "judge", "criterion", "value")


@dataclass(frozen=True)
class Estimates:
    """One criterion: the magnitudes as ratings have them, the ranking they imply, and notes."""

    rating: Rating
    ranking: Implied | None  # None where no row names a screen
    notes: tuple[Note, ...] = ()


def analyse_rows(
    rows: Sequence[Mapping[str, Any]],
    *,
    standard: float | None = None,
    by_judge: bool | None = None,
    reverse: Collection[str] = (),
    panel: str = "judges",
    seed: int = 12345,
) -> tuple[Estimates, ...]:
    """Each criterion of the rows, in their order.

    `standard` is the value of the standard, where there was one. With `by_judge` numbers are divided by each judge's
    geometric mean, by default where there was no standard. `reverse` names criteria on which a large number is bad.
    """
    if not rows:
        raise InputError("there are no rows; expected at least one with item, system, judge, criterion and value")
    if standard is not None and not 0 < standard < math.inf:
        raise InputError(f"the value of the standard must be a number above 0, not {standard!r}")
    own = standard is None if by_judge is None else by_judge
    if not own and standard is None:
        raise InputError("without a standard numbers can only be divided by each judge's own mean")
    modulus = 1.0 if own or standard is None else standard
    by_criterion: dict[str, list[Mapping[str, Any]]] = {}
    for number, row in enumerate(rows, start=1):
        _check(number, row)
        by_criterion.setdefault(str(row["criterion"]), []).append(row)
    found = []
    for name, chosen in by_criterion.items():
        asked = magnitude(name, name, modulus=modulus, by_judge=own, reverse=name in reverse)
        systems, items, judges = ([str(row[key]) for row in chosen] for key in ("system", "item", "judge"))
        column = column_of(asked, panel, [float(row["value"]) for row in chosen], systems, items, judges)
        found.append(_estimates(column, chosen, seed))
    return tuple(found)


def _check(number: int, row: Mapping[str, Any]) -> None:
    lacking = next((key for key in NEEDED if row.get(key) is None), None)
    if lacking is not None:
        raise InputError(f"row {number:,} has no {lacking}; expected {', '.join(NEEDED)}")
    value = row["value"]
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < math.inf:
        raise InputError(
            f"row {number:,}: the value is {value!r}; magnitudes are numbers above 0, because only ratios carry "
            "meaning: leave the row out, and say so"
        )


def _estimates(column: Column, rows: Sequence[Mapping[str, Any]], seed: int) -> Estimates:
    models = fit(column)
    rating = replace(rating_of(column, models), distribution=None)
    screens: dict[tuple[str, str], Screen] = {}
    for row in rows:
        if row.get("screen") is not None:
            place = str(row["screen"]), str(row["judge"])
            screen = screens.setdefault(place, Screen(str(row["item"]), place[1], []))
            screen.values.append((str(row["system"]), column.criterion.score(float(row["value"]))))
    ranking = None
    if screens:
        means = {system_mean.system: system_mean.mean for system_mean in models.means}
        ranking = implied(list(screens.values()), means, where=column.criterion.label, seed=seed)
    return Estimates(rating, ranking, (*models.notes, *far_off(column)))
