"""Judgements and the log out and in: CSV, JSON lines, Parquet, a row each; what is read back equals what was written.

Beside the fields of `Judgement` each row has `correct` and `seconds` for those who open the file in another program;
they are not read back, because they follow from the rest. Where judges are left out, `excluded` says why beside their
answers, so that an analysis of the file leaves them out too. An answer that is more than a number stands in a table
as JSON. `write_long` writes one row for each number or preference in an answer, for analysis elsewhere; it says of
each whether it counts (`io.exported`), and only `importing.tables` makes a study of such rows again, a new one.

The log tells what happened when, as JSON lines, without anything personal.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from math import isfinite
from pathlib import Path
from typing import Any

import orjson

from nlgauge.errors import InputError, needing, option, suggest
from nlgauge.io.exported import ASIDE, CANNOT, COUNTS, WARNING, none_counts
from nlgauge.io.exported import SIMULATED as SIMULATED_JUDGES
from nlgauge.io.files import StrPath, suffix
from nlgauge.io.tables import chunks
from nlgauge.io.write import atomic_path, sweep, write_csv, write_jsonl
from nlgauge.study.analysis import counting
from nlgauge.study.exchange.clients import browser
from nlgauge.study.model import TRIADS, TURN, Judgement
from nlgauge.study.protocols import protocol_of
from nlgauge.study.protocols.base import Protocol
from nlgauge.study.protocols.outputs.file import output_study
from nlgauge.study.service import Service
from nlgauge.study.service.turns import told
from nlgauge.study.store import tables

COLUMNS = tuple(field.name for field in fields(Judgement))
DERIVED = ("correct", "seconds")
EXCLUDED = "excluded"  # the reason, beside each answer of a judge who is left out
LONG = (
    *("shown_at", "answered_at", "seconds", "judgement", "slot", "number", "role", "practice", "surplus"),
    *("replaces", "language", COUNTS, ASIDE),
)  # after the columns of the protocol
POSITION = "criterion_position"  # of a question on its page, where the order is random
WHOLE = ("strength", "place", "per_screen", "rank", "start", "end", "keys")  # of protocols, with whole numbers
FORMATS = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
_LISTS = ("texts", "items", "highlights")
_WHOLE = ("number",)
_REAL = ("shown_at", "answered_at")
_YES_NO = ("practice", "surplus")
FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")  # how a cell begins that a spreadsheet computes, or that was guarded
SIZE = 8192  # rows that are read at once


def rows(judgements: Iterable[Judgement]) -> Iterable[dict[str, Any]]:
    """The judgements as rows of a table."""
    for judgement in judgements:
        right = judgement.correct if judgement.role in TRIADS else None
        told = {"correct": right, "seconds": judgement.seconds, "client": browser(judgement.client)}
        yield judgement.to_dict() | told


def write(judgements: Sequence[Judgement], path: StrPath, excluded: Mapping[str, str] | None = None) -> int:
    """Write judgements as the extension says; returns how many. `excluded` are the judges left out, with reasons."""
    whole = all(type(judgement.answer) is int for judgement in judgements)
    table = list(rows(judgements))
    if not whole and suffix(path) == ".parquet":  # a column has one type
        table = [row | {"answer": orjson.dumps(row["answer"]).decode()} for row in table]

    def types(pa: Any) -> Mapping[str, Any]:
        return {**_types(pa), "answer": pa.int64() if whole else pa.string()}

    worded = any(judgement.wording for judgement in judgements)
    columns = [name for name in COLUMNS if worded or name != "wording"]
    if excluded:
        columns.append(EXCLUDED)
        table = [row | {EXCLUDED: excluded.get(row["judge"], "")} for row in table]
    return write_table(table, (*columns, *DERIVED), types, path)


def write_long(service: Service, path: StrPath) -> int:
    """Write one row for each criterion of each judgement; returns how many. Refused where answers have no criteria."""
    judgements = service.judgements()
    aside = counting.of_service(service, judgements).reasons
    offered = bool(getattr(service.study, "abstainable", ()))
    ordered = getattr(service.study, "criteria_order", "listed") != "listed"
    more = ((CANNOT,) if offered else ()) + ((POSITION,) if ordered else ())
    table = []
    for judgement in judgements:
        places = output_study(service.study).positions(judgement.judge, judgement.slot) if ordered else {}
        for row in service.protocol.long(judgement, service.frozen):
            why = aside[judgement.id] or (CANNOT if row.get(CANNOT) else "")
            own = row | {COUNTS: not why, ASIDE: why}
            if offered:
                own[CANNOT] = bool(row.get(CANNOT))
            if ordered:
                own[POSITION] = places.get(row.get("criterion", ""))
            table.append(own)
    if not table and judgements:
        raise InputError(
            f"answers of the protocol {service.study.protocol} are no ratings; export them without {option('long')}"
        )

    def types(pa: Any) -> Mapping[str, Any]:
        real, whole = (*_REAL, "seconds", "value", "active", "standard"), (*WHOLE, *_WHOLE, *service.protocol.whole)
        kinds = {name: pa.float64() for name in real} | {name: pa.int64() for name in (*whole, POSITION)}
        kinds |= dict.fromkeys((*_YES_NO, COUNTS, CANNOT), pa.bool_())
        return {name: kind for name, kind in kinds.items() if name in (*service.protocol.columns, *LONG, *more)}

    if service.progress.report()["simulated"]:
        table = list(map(_simulated, table))
    seldom = [name for name in ("wording", WARNING) if any(name in row for row in table)]
    return write_table(table, (*service.protocol.columns, *LONG, *more, *seldom), types, path)


def write_set(service: Service, path: StrPath) -> int:
    """Write the outputs with the ratings that count as an evaluation set (JSON lines); returns how many outputs."""
    if suffix(path) not in (".jsonl", ".ndjson"):
        raise InputError(f"cannot write an evaluation set to {os.fspath(path)}: it is written as JSON lines (.jsonl)")
    judged = service.protocol.judged(service)
    if not judged:
        aside = Counter(filter(None, counting.of_service(service).reasons.values()))
        if aside:
            raise none_counts("the study", aside, "answer")
        raise InputError("no output of the study was rated by people yet, and an evaluation set needs some that were")
    return write_jsonl(map(_simulated, judged) if service.progress.report()["simulated"] else judged, path)


def _simulated(row: dict[str, Any]) -> dict[str, Any]:
    """With a warning that travels with the answer, so that nobody takes a rehearsal for a study."""
    return row | {WARNING: "; ".join(filter(None, (SIMULATED_JUDGES, row.get(WARNING, ""))))}


def without_text(service: Service) -> str:
    """What must be known of an evaluation set of a study that was run elsewhere and whose texts were not imported."""
    texts = service.frozen.texts if service.study.imported else ()
    blank = sum(not text.text for text in texts)
    if not blank:
        return ""
    return (
        f"{blank:,} of {len(texts):,} outputs have no text, because the study was imported without it: their "
        "hypothesis is empty, so that ratings can be compared but no metric can be held against them"
    )


def write_transcripts(service: Service, path: StrPath) -> int:
    """Write the conversations behind the answers as JSON lines, one each; returns how many."""
    if suffix(path) not in (".jsonl", ".ndjson"):
        raise InputError(f"cannot write conversations to {os.fspath(path)}: they are written as JSON lines (.jsonl)")
    if not service.protocol.records:
        raise InputError(f"studies of the protocol {service.study.protocol} have no conversations to export")
    found = (service.protocol.transcript(judgement, service.frozen) for judgement in service.judgements())
    return write_jsonl([entry for entry in found if entry is not None], path)


def write_table(
    table: Iterable[dict[str, Any]],
    columns: Sequence[str],
    types: Callable[[Any], Mapping[str, Any]],
    path: StrPath,
    *,
    private: bool = False,
) -> int:
    """Write rows as the extension says; returns how many. `types` gives Parquet's, those that are no texts.

    A `private` table is for the owner of the file only.
    """
    kind = suffix(path)
    sweep(Path(path).parent)  # an export that was killed may have left half a table
    if kind in (".jsonl", ".ndjson"):
        return write_jsonl(table, path, private=private)
    if kind in (".csv", ".tsv"):
        inert_rows = ({name: inert(cell) for name, cell in row.items()} for row in table)
        return write_csv(inert_rows, path, columns=columns, private=private)
    if kind != ".parquet":
        raise InputError(
            f"cannot write {os.fspath(path)}: the extension {kind or '(none)'} is not one of {', '.join(FORMATS)}"
        )
    with needing("writing Parquet", "parquet"):
        import pyarrow as pa
        from pyarrow import parquet
    every = dict.fromkeys(columns, pa.string()) | dict(types(pa))
    typed = pa.Table.from_pylist(list(table), schema=pa.schema(list(every.items())))
    with atomic_path(Path(path), private=private) as temporary:
        parquet.write_table(typed, temporary)
    return int(typed.num_rows)


def inert(cell: Any) -> Any:
    """A cell of a table that a spreadsheet does not compute: a judge may write a formula as the reason.

    An apostrophe is put before it, and before one that begins with an apostrophe, so that `read` can take it away.
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def _rows_of(path: StrPath) -> Iterator[tuple[str, Any]]:
    """The rows of an exported file as they were before `inert`, each with its place."""
    table = suffix(path) in (".csv", ".tsv")
    for chunk in chunks(path, SIZE, any_header=True, each="judgement"):
        for number, row in enumerate(chunk.rows):
            guarded = table and isinstance(row, dict)
            yield chunk.at(number), {name: _bare(cell) for name, cell in row.items()} if guarded else row


def _bare(cell: Any) -> Any:
    return cell[1:] if isinstance(cell, str) and cell.startswith("'") else cell


def read(
    path: StrPath, *, fault: Callable[[Judgement], str] = lambda _: "", protocol: Protocol | None = None
) -> list[Judgement]:
    """The judgements of a file, checked row by row; `fault` says what else is wrong with one, or nothing.

    `protocol` is that of the study they belong to, by default the triangle test.
    """
    protocol = protocol or protocol_of("triangle")
    found: list[Judgement] = []
    for place, row in _rows_of(path):
        judgement = _judgement(row, place, protocol)
        if wrong := protocol.fault(judgement) or fault(judgement):
            raise InputError(f"{place}: {wrong}")
        found.append(judgement)
    return found


def read_excluded(path: StrPath) -> dict[str, str]:
    """The judges whom the study had left out when its judgements were exported, with reasons."""
    return {str(row["judge"]): str(row[EXCLUDED]) for _, row in _rows_of(path) if row.get(EXCLUDED)}


def _judgement(row: Any, place: str, protocol: Protocol) -> Judgement:
    if not isinstance(row, dict):
        raise InputError(f"{place}: expected an object with the keys {', '.join(COLUMNS[:4])} …")
    unknown = [key for key in row if key not in (*COLUMNS, *DERIVED, EXCLUDED)]
    if COUNTS in row:
        raise InputError(
            f"{place}: the rows are those of an export with {option('long')}; read one without it, or make a new "
            "study of these "
            f"ratings with {option('format', 'table')}"
        )
    if unknown:
        raise InputError(f"{place}: there is no column {unknown[0]!r}; {suggest(unknown[0], COLUMNS)}")
    values = {key: row[key] for key in COLUMNS if row.get(key) is not None}
    if not protocol.kinds:
        values.setdefault("role", "")  # the role of a screen that counts, an empty cell in a table
    lacking = [field for field in COLUMNS[:12] if field not in values]
    if lacking:
        raise InputError(f"{place}: the column {lacking[0]!r} is missing; expected rows of nlgauge study export")
    try:
        for key in (*_LISTS, "answer"):
            if isinstance(values.get(key), str):
                values[key] = orjson.loads(values[key])
        for key in _WHOLE:
            values[key] = int(values[key])
        for key in _REAL:
            values[key] = float(values[key])
        for key in _YES_NO:
            values[key] = _yes(values.get(key, False))
        judgement = Judgement.from_dict(values)
    except (ValueError, TypeError) as error:
        raise InputError(f"{place}: the row cannot be read as a judgement ({error})") from None
    times = (judgement.shown_at, judgement.answered_at)
    if not 0 <= judgement.number < 2**31 or not all(map(isfinite, times)):
        raise InputError(f"{place}: number, shown_at and answered_at must be numbers that the study could hold")
    if judgement.answered_at < judgement.shown_at:
        raise InputError(f"{place}: answered_at is before shown_at; check the times of the file")
    return judgement


def _yes(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if str(value).lower() in ("true", "1", "false", "0", ""):
        return str(value).lower() in ("true", "1")
    raise ValueError(f"{value!r} is neither true nor false")


def _types(pa: Any) -> Mapping[str, Any]:
    """The columns that are no texts, as pyarrow calls their types."""
    types = dict.fromkeys(_WHOLE, pa.int64()) | dict.fromkeys((*_REAL, "seconds"), pa.float64())
    types |= dict.fromkeys((*_YES_NO, "correct"), pa.bool_())
    types |= dict.fromkeys(("texts", "items"), pa.list_(pa.string()))
    types["highlights"] = pa.list_(pa.list_(pa.int64()))
    return types


LOG = ("seq", "at", "kind", "judge", "data")  # the columns of an exported log


def write_log(service: Service, path: StrPath) -> int:
    """Write the study's log as JSON lines: what happened when, without anything personal; returns how many events."""
    if suffix(path) not in (".jsonl", ".ndjson"):
        raise InputError(f"cannot write_log the log to {os.fspath(path)}: it is written as JSON lines (.jsonl)")
    events = ({name: event[name] for name in LOG} | {"data": _impersonal(event)} for event in service.events())
    return write_jsonl([{"study": service.id, **event} for event in events], path)


def _event(event: Mapping[str, Any]) -> tuple[Any, ...]:
    """What makes two events the same; what a browser called itself is not exported."""
    return event["at"], event["kind"], event["judge"], _impersonal(event)


def _impersonal(event: Mapping[str, Any]) -> dict[str, Any]:
    """The data of an event without what a browser called itself and what was said in a conversation."""
    if event["kind"] == TURN:
        return told(event["data"])
    return {name: value for name, value in event["data"].items() if name != "client"}


def load_log(service: Service, path: StrPath) -> int:
    """Take over the log of the study that the judgements come from: its history and whether it is open or closed.

    Only into a study that has no history of its own yet. Returns how many events were added.
    """
    rows: list[dict[str, Any]] = []
    for chunk in chunks(path, SIZE, any_header=True, each="event"):
        for number, row in enumerate(chunk.rows):
            if not isinstance(row, dict) or set(row) != {"study", *LOG} or row["study"] != service.id:
                raise InputError(f"{chunk.at(number)}: expected an event of the study {service.id}")
            rows.append(row)
    own = [event for event in service.events() if event["kind"] not in ("launched", "imported")]
    news = [row for row in rows if row["kind"] not in ("launched", "imported")]
    if own and [_event(event) for event in own] == [_event(event) for event in news]:
        return 0  # taken over before: an import that was cut short may be run again
    if own:
        raise InputError(
            f"the study has a history of its own (the first event: {own[0]['kind']}); a log is taken over only by a "
            "fresh copy of the study"
        )
    rows = [row for row in rows if row["kind"] != "launched"]
    states = {"closed": "closed", "paused": "paused", "resumed": "open", "reopened": "open"}
    status = [states[row["kind"]] for row in rows if row["kind"] in states]
    with service.store.write() as connection:
        values = [{name: row[name] for name in ("study", *LOG[1:])} for row in rows]
        if values:
            connection.execute(tables.events.insert(), values)
        if status:
            table = tables.studies
            connection.execute(table.update().where(table.c.id == service.id).values(status=status[-1]))
    return len(rows)
