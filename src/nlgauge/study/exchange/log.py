"""The log of a study, out and in: what happened when, as JSON lines, without anything personal."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from nlgauge.errors import InputError
from nlgauge.io.files import StrPath, suffix
from nlgauge.io.tables import chunks
from nlgauge.io.write import write_jsonl
from nlgauge.study.model import TURN
from nlgauge.study.service import Service
from nlgauge.study.service.turns import told
from nlgauge.study.store import tables

SIZE = 8192  # rows that are read at once
LOG = ("seq", "at", "kind", "judge", "data")  # the columns of an exported log


def write(service: Service, path: StrPath) -> int:
    """Write the study's log as JSON lines: what happened when, without anything personal; returns how many events."""
    if suffix(path) not in (".jsonl", ".ndjson"):
        raise InputError(f"cannot write the log to {os.fspath(path)}: it is written as JSON lines (.jsonl)")
    events = [{name: event[name] for name in LOG} for event in service.events()]
    for event in events:
        event["data"] = _impersonal(event)
    return write_jsonl([{"study": service.id, **event} for event in events], path)


def _event(event: Mapping[str, Any]) -> tuple[Any, ...]:
    """What makes two events the same; what a browser called itself is not exported."""
    return event["at"], event["kind"], event["judge"], _impersonal(event)


def _impersonal(event: Mapping[str, Any]) -> dict[str, Any]:
    """The data of an event without what a browser called itself and what was said in a conversation."""
    if event["kind"] == TURN:
        return told(event["data"])
    return {name: value for name, value in event["data"].items() if name != "client"}


def load_into(service: Service, path: StrPath) -> int:
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
    if own and [_event(one) for one in own] == [_event(one) for one in news]:
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
