"""A table of ratings, one number a row: item, system, judge, criterion, value; perhaps panel, text, source, seconds.

It is what `nlgauge study export --long` writes, and what most studies can be brought into. Columns may be called
otherwise: `{"judge": "worker_id"}` says where the judge stands.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nlgauge.errors import InputError, shortened, suggest, unquoted
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
from nlgauge.study.exchange.importing.types import LONGEST_ITEM, PANEL, Rating, Source, name_of, number_of, text_of

REQUIRED = ("item", "system", "judge", "criterion", "value")
OPTIONAL = ("panel", "text", "source", "seconds", "screen")
SIZE = 8192
KINDS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".ods", ".numbers")
OURS = frozenset(
    (
        "judgement",
        "slot",
        "number",
        "role",
        "practice",
        "surplus",
        "replaces",
        "language",
        "shown_at",
        "answered_at",
        COUNTS,
        ASIDE,
        WARNING,
    )
)
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
        first, replaced = True, _replaced(path)
        for place, row in rows_of(path):
            if first:
                _check_columns(place, row, called)
                first = False
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
        f"{wanted}=NAME, or another layout with --format"
    )


def _rating(place: str, row: Mapping[str, Any], called: Mapping[str, str]) -> Rating:
    def given(name: str) -> Any:
        return row.get(called[name])

    seconds = given("seconds")
    time = None if seconds in (None, "") else number_of(seconds, "time in seconds", place)
    if time is not None and time < 0:
        raise InputError(f"{place}: {time:g} seconds for an answer cannot be; mend the row or leave it empty")
    return Rating(
        name_of(given("item"), "item", place, longest=LONGEST_ITEM),
        name_of(given("system"), "system", place),
        name_of(given("judge"), "judge", place),
        name_of(given("criterion"), "criterion", place),
        number_of(given("value"), "value", place, expected="a number; leave the row out where there is no answer"),
        place,
        name_of(given("panel"), "panel", place) if given("panel") not in (None, "") else PANEL,
        text_of(given("text"), "text", place),
        text_of(given("source"), "source", place),
        time,
        str(given("screen") or ""),
    )
