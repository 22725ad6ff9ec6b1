"""USR's `tc_usr_data.json` and `pc_usr_data.json`: contexts, each with responses whose criteria hold three numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nlgauge.errors import InputError
from nlgauge.io.files import StrPath
from nlgauge.study.exchange.importing.layouts.base import is_set
from nlgauge.study.exchange.importing.sets import PLACES, read_sets
from nlgauge.study.exchange.importing.tables import rows_of
from nlgauge.study.exchange.importing.types import Rating, Source, name_of, number_of, text_of

CRITERIA = ("Understandable", "Natural", "Maintains Context", "Engaging", "Uses Knowledge", "Overall")
PERSONA = "your persona"  # how the facts of Persona-Chat begin


def read(files: Sequence[StrPath]) -> Source:
    """The ratings of all responses."""
    described = _described(files[0])
    if is_set(files[0]):
        return read_sets(files, described=described)
    ratings: list[Rating] = []
    number = 0
    for path in files:
        for place, row in rows_of(path):
            responses = row.get("responses")
            if not isinstance(responses, list):
                raise InputError(f"{place}: there are no responses; expected USR's list of contexts")
            for response in responses:
                ratings += _of_response(place, str(number), row, response)
            number += 1
    return Source(tuple(ratings), "places", described, (PLACES,))


def _described(path: StrPath) -> str:
    fact = next(iter(rows_of(path)))[1].get("fact")
    persona = isinstance(fact, str) and fact.lstrip().lower().startswith(PERSONA)
    return "usr-personachat" if persona else "usr-topicalchat"


def _of_response(place: str, item: str, row: Mapping[str, Any], response: Any) -> list[Rating]:
    if not isinstance(response, Mapping):
        raise InputError(f"{place}: a response must be an object with response, model and the criteria")
    system = name_of(response.get("model"), "model", place)
    text, source = (
        text_of(response.get("response"), "response", place),
        text_of(row.get("context"), "context", place),
    )
    found = []
    for criterion in CRITERIA:
        values = response.get(criterion)
        if not isinstance(values, list):
            raise InputError(f"{place}: the response of {system} has no list of numbers for {criterion!r}")
        for number, value in enumerate(values, start=1):
            rating = number_of(value, f"rating of {criterion}", place)
            found.append(Rating(item, system, str(number), criterion, rating, place, text=text, source=source))
    return found
