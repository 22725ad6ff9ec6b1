"""The vocabulary of an import: one rating after the other, as a file of another study holds them, and what it is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from nlgauge.errors import InputError, shortened
from nlgauge.io.rows import plain_number

Named = Literal["people", "places"]
"""Whether a file says who gave a rating, or only at which place of a list it stands."""
PANEL = "judges"
"""What a panel is called where a file names none."""
LONGEST = 64  # characters of a name that the store keeps
LONGEST_ITEM = 2_000  # of an item: some studies call it by its input
MOST_CRITERIA = 1_000  # beyond it a column of something else was taken for the criterion


@dataclass(frozen=True, slots=True)
class Rating:
    """One number: what a judge gave an output for a criterion."""

    item: str
    system: str
    judge: str
    criterion: str
    value: float
    place: str  # in the file, for messages
    panel: str = PANEL
    text: str | None = None  # None: the file does not hold it
    source: str | None = None
    seconds: float | None = None
    screen: str = ""  # which of several showings, where a judge may have seen an output twice

    def rated(self, criterion: str, value: Any, *, called: str = "", judge: str = "") -> Rating:
        """The same output with a value of the file for a criterion, which the file may have `called` otherwise."""
        number = number_of(value, f"rating of {called or criterion}", self.place)
        return replace(self, criterion=criterion, value=number, judge=judge or self.judge)


@dataclass(frozen=True)
class Source:
    """Everything that was read from the files of a study."""

    ratings: tuple[Rating, ...]
    judges: Named = "people"
    described: str = ""  # the description of the study that comes with nlgauge
    remarks: tuple[str, ...] = ()  # what a reader of results must know of the file
    unread: tuple[str, ...] = ()  # columns that were left aside
    skipped: Mapping[str, int] = field(default_factory=dict)  # answers that are no numbers, by what they were


def name_of(value: Any, what: str, place: str, *, longest: int | None = LONGEST) -> str:
    """A name in a file: a text or a whole number that can be seen."""
    if value is None or isinstance(value, bool | list | dict) or not str(value).strip():
        raise InputError(f"{place}: the {what} is missing; every row needs one")
    name = str(value).strip()
    if not name.isprintable():
        raise InputError(f"{place}: the {what} {shortened(name)} holds characters that cannot be seen; take them out")
    if longest is not None and len(name) > longest:
        raise InputError(
            f"{place}: the {what} {name[:20]!r}… has {len(name):,} characters; shorten it to {longest:,} at most, for "
            "example to a number"
        )
    return name


def number_of(value: Any, what: str, place: str, *, expected: str = "a number") -> float:
    """A number in a file, also one that a table holds as text."""
    try:
        if isinstance(value, bool):
            raise TypeError
        number = plain_number(value)
    except (TypeError, ValueError):
        shown = "nothing" if value in (None, "") else shortened(value)
        raise InputError(f"{place}: the {what} is {shown}; expected {expected}") from None
    if not math.isfinite(number):
        raise InputError(f"{place}: the {what} is {shortened(value)}; expected {expected}")
    return number


def text_of(value: Any, what: str, place: str) -> str | None:
    """A text in a file; a list is its lines."""
    if value is None:
        return None
    if isinstance(value, list):
        return "\n".join(map(str, value))
    if not isinstance(value, str | int | float):
        raise InputError(f"{place}: the {what} is no text; write it as one")
    return str(value)
