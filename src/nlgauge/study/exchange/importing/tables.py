"""A table of ratings, one number a row: item, system, judge, criterion, value; perhaps panel, text, source, seconds.
Evaluation sets: rows with `ratings`, each criterion with the list of its judges' numbers.

A table is what `nlgauge study export --long` writes, and what most studies can be brought into. Columns may be called
otherwise: `{"judge": "worker_id"}` says where the judge stands. Where a row of a set has `raters`, they name the
judges; otherwise a judge is a place in the list, and nobody knows whether the first number of two rows is one person's.
Numbers that are means of several judges are refused: they are no answers.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from nlgauge.errors import InputError, counted, option, shortened, suggest, unquoted
from nlgauge.io.columns import Columns
from nlgauge.io.exported import (
    ASIDE,
    COUNTS,
    REASONS,
    REHEARSAL,
    WARNING,
    is_mark,
    none_counts,
    set_aside,
    simulated,
)
from nlgauge.io.files import StrPath, suffix
from nlgauge.io.tables import FORMATS, chunks
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

REQUIRED = ("item", "system", "judge", "criterion", "value")
OPTIONAL = ("panel", "text", "source", "seconds", "screen")
SIZE = 8192
KINDS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".ods", ".numbers")
_STORED = ("judgement", "slot", "number", "role", "practice", "surplus", "replaces", "language")
OURS = frozenset((*_STORED, "shown_at", "answered_at", COUNTS, ASIDE, WARNING))
"""Columns of `study export --long` beside those of a table of ratings; empty ones may be absent."""


def rows_of(path: StrPath, columns: Columns | None = None) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of a file, each with its place."""
    _check_kind(path)
    for chunk in chunks(path, SIZE, any_header=True, each="judgement", columns=columns):
        for number, row in enumerate(chunk.rows):
            if not isinstance(row, dict):
                raise InputError(f"{chunk.at(number)}: expected an object with keys, not {shortened(row)}")
            yield chunk.at(number), row


def _check_kind(path: StrPath) -> None:
    """Refuse spreadsheets and other files that hold no rows, with what to do instead."""
    kind, name = suffix(path), os.fspath(path)
    if kind in SPREADSHEETS:
        raise InputError(
            f"{name} is a spreadsheet, which is not read here; save its sheet as CSV (UTF-8), and import that file"
        )
    if kind not in KINDS:
        raise InputError(
            f"{name}: the extension {kind or '(none)'} is not one of {FORMATS}; save the judgements as CSV with a line "
            "of column names, or rename the file to say what it holds"
        )


def read_table(files: Sequence[StrPath], columns: Mapping[str, str] | None = None) -> Source:
    """The ratings of some tables."""
    called = _called(columns or {})
    ratings: list[Rating] = []
    unread: dict[str, None] = {}
    skipped: Counter[str] = Counter()
    rehearsed = False
    for path in files:
        replaced = _replaced(path)
        for number, (place, row) in enumerate(rows_of(path)):
            if not number:
                _check_columns(place, row, called)
            if is_mark(row):
                skipped["spans that were marked"] += 1
                continue
            if aside := set_aside(row, place, replaced):
                skipped[REASONS.get(aside, aside)] += 1
                continue
            rehearsed = rehearsed or simulated(row)
            ratings.append(_rating(place, row, called))
            unread.update(dict.fromkeys(name for name in row if name not in (*called.values(), *OURS)))
    if skipped and not ratings:
        raise none_counts(", ".join(str(file) for file in files), skipped)
    remarks = (REHEARSAL,) if rehearsed else ()
    return Source(tuple(ratings), remarks=remarks, unread=tuple(unread), skipped=dict(skipped))


def _replaced(path: StrPath) -> frozenset[str]:
    """Judgements that their judges corrected, where the table is an export that does not mark them."""
    return frozenset(str(row["replaces"]) for _, row in rows_of(path) if "judgement" in row and row.get("replaces"))


def _called(columns: Mapping[str, str]) -> dict[str, str]:
    known = (*REQUIRED, *OPTIONAL)
    for name in columns:
        if name not in known:
            raise InputError(f"a table of ratings has no {name!r}; {suggest(name, known)}")
    return {name: columns.get(name, name) for name in known}


def _check_columns(place: str, row: Mapping[str, Any], called: Mapping[str, str]) -> None:
    lacking = [called[name] for name in REQUIRED if called[name] not in row]
    if not lacking:
        return
    wanted = next(name for name in REQUIRED if called[name] == lacking[0])
    raise InputError(
        f"{place}: there is no {lacking[0]!r} among {', '.join(map(unquoted, row))}; a table of "
        f"ratings has the columns {', '.join(REQUIRED)}: name the one that holds the {wanted} with --column "
        f"{wanted}=NAME, or another layout with {option('format')}"
    )


def _rating(place: str, row: Mapping[str, Any], called: Mapping[str, str]) -> Rating:
    def given(name: str) -> Any:
        return row.get(called[name])

    seconds = given("seconds")
    time = None if seconds in (None, "") else number_of(seconds, "time in seconds", place)
    if time is not None and time < 0:
        raise InputError(f"{place}: {time:g} seconds for an answer cannot be; mend the row or leave it empty")
    return Rating(
        item=name_of(given("item"), "item", place, longest=LONGEST_ITEM),
        system=name_of(given("system"), "system", place),
        judge=name_of(given("judge"), "judge", place),
        criterion=name_of(given("criterion"), "criterion", place),
        value=number_of(
            given("value"), "value", place, expected="a number; leave the row out where there is no answer"
        ),
        place=place,
        panel=name_of(given("panel"), "panel", place) if given("panel") not in (None, "") else PANEL,
        text=text_of(given("text"), "text", place),
        source=text_of(given("source"), "source", place),
        seconds=time,
        screen=str(given("screen") or ""),
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
    files: Sequence[StrPath], *, split: Split = alone, described: str = "", columns: Mapping[str, str] | None = None
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
                    f"name another layout with {option('format')}, such as table"
                )
            named, rehearsed = named and row.get("raters") is not None, rehearsed or simulated(row)
            ratings += _of_set_row(place, row, split, skipped)
    judges: Named = "people" if named else "places"
    remarks = (PLACES,) * (not named) + (REHEARSAL,) * rehearsed
    return Source(tuple(ratings), judges, described, remarks, skipped=dict(skipped))


def _of_set_row(place: str, row: Mapping[str, Any], split: Split, skipped: Counter[str]) -> Iterator[Rating]:
    item, raters = name_of(row.get("item"), "item", place, longest=LONGEST_ITEM), row.get("raters")
    system = UNNAMED if row.get("system") is None else name_of(row["system"], "system", place)
    text, source = text_of(row.get("hypothesis"), "hypothesis", place), text_of(row.get("source"), "source", place)
    output = Rating(item, system, "", "", 0.0, place, text=text, source=source)
    for key, values in row["ratings"].items():
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
            found = output.rated(criterion, value, called=str(key), judge=judge)
            yield replace(found, panel=panel, screen=str(again + 1) if again else "")
