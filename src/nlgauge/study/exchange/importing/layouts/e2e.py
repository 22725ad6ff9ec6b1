"""The E2E challenge's `quality.csv` and `naturalness.csv`: screens of five outputs, each with a number by a judge.

RankME (Novikova, Dušek and Rieser 2018) shows several outputs at once and takes magnitude estimates: numbers without an
upper end, given against each other. Each output of a screen becomes one rating here and keeps the name of its screen,
by which `making` puts them together again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nlgauge.errors import InputError
from nlgauge.io.files import StrPath
from nlgauge.study.exchange.importing.layouts.base import REMARK, Relabelled, is_set
from nlgauge.study.exchange.importing.tables import rows_of
from nlgauge.study.exchange.importing.types import LONGEST_ITEM, Rating, Source, name_of, number_of, text_of

CRITERIA = {"quality": "quality", "natur": "naturalness"}
"""How the columns of the ratings begin, and the criterion."""
PLACES = range(1, 6)
UNIT, WORKER = "_unit_id", "_worker_id"


def read(files: Sequence[StrPath]) -> Source:
    """The ratings of both criteria, whichever files are there; test questions of the platform are left aside."""
    ratings: list[Rating] = []
    workers, tests, people = Relabelled(), 0, False
    for path in files:
        screens = is_set(path)
        people = people or not screens
        for place, row in rows_of(path):
            if str(row.get("gold", row.get("_golden", ""))).lower() == "true":
                tests += 1
                continue
            ratings += _of_screen(place, row) if screens else _of_row(place, row, workers)
    remarks = (REMARK,) if people else ()
    skipped = {"test questions of the platform": tests} if tests else {}
    return Source(tuple(ratings), "people", "e2e-rankme", remarks, skipped=skipped)


def _of_screen(place: str, row: Mapping[str, Any]) -> list[Rating]:
    """A row of the evaluation set: lists of systems, outputs and ratings."""
    systems, texts, given = row.get("systems"), row.get("hypotheses"), row.get("ratings")
    if not (isinstance(systems, list) and isinstance(texts, list) and isinstance(given, Mapping)):
        raise InputError(f"{place}: expected a screen with systems, hypotheses and ratings, each a list")
    found = []
    for criterion, values in given.items():
        if not isinstance(values, list) or not len(values) == len(systems) == len(texts):
            raise InputError(f"{place}: the ratings of {criterion} must be one for each of the systems")
        found += [
            _rating(place, row, system, text, str(criterion), value, judge=row.get("judge"), unit=row.get("unit"))
            for system, text, value in zip(systems, texts, values, strict=True)
        ]
    return found


def _of_row(place: str, row: Mapping[str, Any], workers: Relabelled) -> list[Rating]:
    start = next((one for one in CRITERIA if f"{one}1" in row), None)
    if start is None or WORKER not in row or UNIT not in row or "mr" not in row:
        raise InputError(
            f"{place}: expected the columns of the challenge's quality.csv or naturalness.csv: mr, sys1 to sys5, "
            "ref1 to ref5, quality1 or natur1 and so on"
        )
    judge = workers[name_of(row[WORKER], "worker", place)]
    made = {**row, "item": row["mr"], "source": row["mr"]}
    return [
        _rating(
            place,
            made,
            row.get(f"sys{number}"),
            row.get(f"ref{number}"),
            CRITERIA[start],
            row.get(f"{start}{number}"),
            judge=judge,
            unit=row[UNIT],
        )
        for number in PLACES
    ]


def _rating(
    place: str,
    row: Mapping[str, Any],
    system: Any,
    text: Any,
    criterion: str,
    value: Any,
    *,
    judge: Any,
    unit: Any,
) -> Rating:
    return Rating(
        name_of(row.get("item"), "item", place, longest=LONGEST_ITEM),
        name_of(system, "system", place),
        name_of(judge, "judge", place),
        criterion,
        number_of(value, f"rating of {criterion}", place),
        place,
        text=text_of(text, "output", place),
        source=text_of(row.get("source"), "source", place),
        screen=f"{criterion} {unit}",
    )
