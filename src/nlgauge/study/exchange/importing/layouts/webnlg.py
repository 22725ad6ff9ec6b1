"""WebNLG 2017's `all_data_final_scores_anonymised.csv`: one worker's three ratings of one text a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nlgauge.errors import InputError
from nlgauge.io.files import StrPath
from nlgauge.study.exchange.importing.layouts.base import REMARK, Relabelled, is_set
from nlgauge.study.exchange.importing.sets import read_sets
from nlgauge.study.exchange.importing.tables import rows_of
from nlgauge.study.exchange.importing.types import LONGEST_ITEM, Rating, Source, name_of, number_of, text_of

CRITERIA = {"fluency": "fluency", "grammaticality": "grammar", "semantic_adequacy": "semantics"}
"""The columns of the file, and what the challenge calls the criteria in its results."""
UNIT, WORKER = "X_unit_id", "X_worker_id"


def read(files: Sequence[StrPath]) -> Source:
    """The ratings of all texts; those by people stand under the system `webnlg`."""
    if is_set(files[0]):
        return read_sets(files, described="webnlg2017")
    ratings: list[Rating] = []
    workers = Relabelled()
    for path in files:
        for place, row in rows_of(path):
            ratings += _of_row(place, row, workers)
    return Source(tuple(ratings), "people", "webnlg2017", (REMARK,))


def _of_row(place: str, row: Mapping[str, Any], workers: Relabelled) -> list[Rating]:
    lacking = [name for name in (UNIT, WORKER, "mr", "team", *CRITERIA) if name not in row]
    if lacking:
        raise InputError(
            f"{place}: there is no {lacking[0]!r}; expected the columns of the challenge's "
            "all_data_final_scores_anonymised.csv"
        )
    item = name_of(row["mr"], "mr", place, longest=LONGEST_ITEM)
    system = name_of(row["team"], "team", place)
    judge = workers[name_of(row[WORKER], "worker", place)]
    text = text_of(row.get("text"), "text", place) or ""
    return [
        Rating(
            item,
            system,
            judge,
            criterion,
            number_of(row[column], f"rating of {column}", place),
            place,
            text=text.strip(),
            source=item,
            screen=str(row[UNIT]),
        )
        for column, criterion in CRITERIA.items()
    ]
