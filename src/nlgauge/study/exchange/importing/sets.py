"""The ratings of an evaluation set: rows with `ratings`, each criterion with the list of its judges' numbers.

Where a row has `raters`, they name the judges; otherwise a judge is a place in the list, and nobody knows whether the
first number of two rows is one person's. Numbers that are means of several judges are refused: they are no answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nlgauge.errors import InputError, counted, shortened, unquoted
from nlgauge.io.columns import Columns
from nlgauge.io.exported import REHEARSAL, simulated
from nlgauge.io.files import StrPath
from nlgauge.study.exchange.importing.tables import rows_of
from nlgauge.study.exchange.importing.types import (
    LONGEST_ITEM,
    PANEL,
    Named,
    Rating,
    Source,
    name_of,
    number_of,
    text_of,
)

PLACES = (
    "the file does not say who gave which rating: judges are numbered by their place in each list and may be other "
    "people from text to text, so that nothing is known of single judges"
)
UNNAMED = "(not named)"
Split = Callable[[str], tuple[str, str]]
"""The panel and the criterion of a key of `ratings`."""


def alone(name: str) -> tuple[str, str]:
    """A file of one panel."""
    return PANEL, name


def read_sets(
    files: Sequence[StrPath],
    *,
    split: Split = alone,
    described: str = "",
    columns: Mapping[str, str] | None = None,
) -> Source:
    """The ratings of some evaluation sets; `columns` says which column holds a key."""
    ratings: list[Rating] = []
    skipped: Counter[str] = Counter()
    named, rehearsed = True, False
    for path in files:
        for place, row in rows_of(path, Columns(columns)):
            given = row.get("ratings")
            if not isinstance(given, Mapping) or not given:
                raise InputError(
                    f"{place}: there are no ratings; expected ratings: {{criterion: [a number of each judge]}}, or "
                    "name "
                    "another layout with --format, such as table"
                )
            raters = row.get("raters")
            named, rehearsed = named and raters is not None, rehearsed or simulated(row)
            ratings += _of_row(place, row, given, raters, split, skipped)
    judges: Named = "people" if named else "places"
    remarks = (PLACES,) * (not named) + (REHEARSAL,) * rehearsed
    return Source(tuple(ratings), judges, described, remarks, skipped=dict(skipped))


def _of_row(
    place: str,
    row: Mapping[str, Any],
    given: Mapping[str, Any],
    raters: Any,
    split: Split,
    skipped: Counter[str],
) -> list[Rating]:
    item = name_of(row.get("item"), "item", place, longest=LONGEST_ITEM)
    system = UNNAMED if row.get("system") is None else name_of(row["system"], "system", place)
    text, source = (
        text_of(row.get("hypothesis"), "hypothesis", place),
        text_of(row.get("source"), "source", place),
    )
    found = []
    for key, values in given.items():
        if values is None:
            continue
        if not isinstance(values, list):
            raise InputError(
                f"{place}: {unquoted(key)} is {'one number' if isinstance(values, int | float) else 'no list'}, not a "
                "list of each judge's: a mean or a median is no answer of anybody; write [3, 4, 5]"
            )
        if raters is not None and (not isinstance(raters, list) or len(raters) != len(values)):
            raise InputError(
                f"{place}: raters must name each of the {counted(len(values), 'judge')} of {shortened(key)}; write as "
                "many names, or leave raters out"
            )
        panel, criterion = split(str(key))
        criterion = name_of(criterion, "criterion", place)
        before: Counter[str] = Counter()  # who judged a text twice
        for number, value in enumerate(values):
            again = 0
            if raters is not None:
                again = before[str(raters[number])]
                before[str(raters[number])] += 1
            if value is None:
                continue
            if isinstance(value, str):
                skipped["N/A" if value.startswith("N/A") else value] += 1
                continue
            judge = str(number + 1) if raters is None else name_of(raters[number], "judge", place)
            found.append(
                Rating(
                    item,
                    system,
                    judge,
                    criterion,
                    number_of(value, f"rating of {key}", place),
                    place,
                    panel,
                    text,
                    source,
                    screen=str(again + 1) if again else "",
                )
            )
    return found
