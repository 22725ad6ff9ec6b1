"""The judges as a table, one row each: how far they came, how fast, what they said about themselves.

Nothing here reads what was answered about the texts, so the table may be made while a study runs. It is personal data:
that it was written is an event in the log, and the platforms' ids are in it only where they are asked for.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import sqlalchemy as sa

from nlgauge.errors import counted
from nlgauge.io.files import StrPath
from nlgauge.study.exchange.export import write_table
from nlgauge.study.file.endings import judge_ending
from nlgauge.study.file.questionnaire import chosen
from nlgauge.study.file.study import Question, say
from nlgauge.study.model import BETWEEN
from nlgauge.study.service import Service
from nlgauge.study.service.arrivals import BESIDE
from nlgauge.study.service.progress import ON_THE_WAY, in_words, stage_of
from nlgauge.study.store import tables

TIMES = ("registered_at", "consented_at", "finished_at")
_WHO = ("judge", "panel", "access", "language", "stage", "reason")
COLUMNS = (*_WHO, *TIMES, "answered", "median_seconds", "too_fast")
PLATFORM = ("platform", "platform_id", *BESIDE, "completion_code", "completion_redirect")
QUESTION = "q_"  # a question's column begins so: it may be called like another column
_LARGEST = 2**53  # up to here a number without fraction is a whole number


def columns(service: Service, *, platform_ids: bool = False) -> tuple[str, ...]:
    """The columns of the table, whether anybody came or not."""
    asked = (f"{QUESTION}{question.id}" for question in _asked(service))
    dealt = ("wording",) if service.study.wordings else ()
    return (*COLUMNS, *dealt, *asked, *(PLATFORM if platform_ids else ()))


def rows(service: Service, *, platform_ids: bool = False) -> list[dict[str, Any]]:
    """A row for each person in the order in which they came; machines are none."""
    names = columns(service, platform_ids=platform_ids)
    seats = {seat.judge: seat for seat in service.progress.seats()}
    said, reasons = service.people.personal(), _reasons_for_leaving(service)
    known = _platform_ids(service) if platform_ids else {}
    table = []
    for row in service.people.judges():
        if row["access"] == "machine":
            continue
        seat = seats[row["id"]]
        on_the_way = seat.stage in ON_THE_WAY
        step = "full" if on_the_way and _nothing_left(service, row) else seat.stage
        cells: dict[str, Any] = {name: row[name] for name in ("panel", "access", "language", *TIMES, "answered")}
        cells["language"] = cells["language"] or None
        cells["wording"] = row["wording"] or None
        if service.study.imported:  # when they came is not known
            cells |= dict.fromkeys(TIMES)
        cells |= {"judge": seat.judge, "stage": in_words(stage_of(step))}
        timed = seat.median is not None or not service.study.imported
        cells |= {"median_seconds": seat.median, "too_fast": seat.fast} if timed else {}
        if step == "withdrawn":
            cells["reason"] = reasons.get(seat.judge)
        elif step != "forgotten":
            cells["reason"] = row["failed"] or (None if step == "done" else step)
        for question in _asked(service):
            answer = said.get(seat.judge, {}).get(question.id)
            cells[f"{QUESTION}{question.id}"] = None if answer is None else _answer(service, question, answer)
        if platform_ids and step != "forgotten":
            code, redirect = judge_ending(service.study, SimpleNamespace(**row), step)
            cells |= known.get(seat.judge, {})
            cells |= {"completion_code": code or None, "completion_redirect": redirect or None}
        table.append({name: cells.get(name) for name in names})
    return table


def write(service: Service, path: StrPath, *, platform_ids: bool = False) -> int:
    """Write the table as the extension says and note it in the log; returns how many judges."""
    names, table = columns(service, platform_ids=platform_ids), rows(service, platform_ids=platform_ids)
    numbers = [f"{QUESTION}{asked.id}" for asked in _asked(service) if asked.type in ("number", "scale")]

    def types(pa: Any) -> Mapping[str, Any]:
        whole = dict.fromkeys(("answered", "too_fast"), pa.int64())
        return whole | dict.fromkeys((*TIMES, "median_seconds", *numbers), pa.float64())

    written = write_table(table, names, types, path, private=True)
    with service.store.write() as connection:
        service.context.log(connection, "people exported", judges=written, platform_ids=platform_ids)
    return written


def sample(service: Service, table: Sequence[Mapping[str, Any]]) -> list[str]:
    """Who took part, in a line for each panel and question; those who declined or were forgotten are not counted."""
    came = [row for row in table if row["answered"] and row["stage"] != "forgotten"]
    lines, said = [], service.people.personal()
    for panel in dict.fromkeys(row["panel"] for row in came):
        judges = [row for row in came if row["panel"] == panel]
        finished = sum(row["stage"] == "finished" for row in judges)
        lines.append(f"{panel}: {counted(len(judges), 'judge')} answered, {finished:,} of them finished")
        for question in _asked(service):
            given = [said[row["judge"]][question.id] for row in judges if question.id in said.get(row["judge"], {})]
            lines.append(f"{panel}, {question.id}: {_described(service, question, given)}")
    return lines


def _asked(service: Service) -> tuple[Question, ...]:
    """What each judge is asked, before the first text and at the end."""
    return (*service.study.questions, *service.study.closing)


def _described(service: Service, question: Question, given: Sequence[str]) -> str:
    if not given:
        return "nobody answered"
    if question.type in ("choice", "several"):
        counts = Counter(place for answer in given for place in chosen(answer))
        named = [say(option, service.study.spoken[0]) for option in question.options]
        return ", ".join(f"{named[place]} {number:,}" for place, number in counts.most_common())
    if question.type == "text":
        return f"{counted(len(given), 'answer')} in words"
    values = [float(answer) for answer in given]
    low, middle, high = min(values), statistics.median(values), max(values)
    return f"median {middle:g}, from {low:g} to {high:g} ({counted(len(values), 'answer')})"


def _answer(service: Service, question: Question, answer: str) -> str | int | float | None:
    """An answer as a reader of the table wants it: an option in the study's first language, a number as one."""
    if question.type in ("choice", "several"):
        language = service.study.spoken[0]
        return BETWEEN.join(say(question.options[place], language) for place in chosen(answer))
    if question.type == "text":
        return answer
    value = float(answer)
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < _LARGEST else value


def _reasons_for_leaving(service: Service) -> dict[str, str]:
    """Who declined and who withdrew later; the first holds."""
    table = tables.events
    query = (
        sa.select(table.c.judge, table.c.kind)
        .where(table.c.study == service.id, table.c.kind.in_(("declined", "withdrew")))
        .order_by(table.c.seq.desc())
    )
    with service.store.read() as connection:
        return {str(judge): str(kind) for judge, kind in connection.execute(query)}


def _nothing_left(service: Service, row: Mapping[str, Any]) -> bool:
    """Whether a judge who has not answered yet would be told that all places are taken."""
    if row["answered"]:
        return False
    with service.store.read() as connection:
        return not service.context.places(connection, row["panel"], row["id"])


def _platform_ids(service: Service) -> dict[str, dict[str, str]]:
    table = tables.platform_ids
    query = sa.select(table.c.judge, table.c.platform, table.c.person, table.c.data)
    with service.store.read() as connection:
        return {
            row.judge: {"platform": row.platform, "platform_id": row.person, **row.data}
            for row in connection.execute(query.where(table.c.study == service.id))
        }
