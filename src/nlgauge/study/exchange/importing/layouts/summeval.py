"""SummEval's `model_annotations.aligned.jsonl`: `expert_annotations` and `turker_annotations`, lists of objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nlgauge.errors import InputError
from nlgauge.io.files import StrPath
from nlgauge.study.exchange.importing.layouts.base import is_set
from nlgauge.study.exchange.importing.sets import PLACES, read_sets
from nlgauge.study.exchange.importing.tables import rows_of
from nlgauge.study.exchange.importing.types import LONGEST_ITEM, Rating, Source, name_of, number_of, text_of

PANELS = {"expert": "experts", "turker": "turkers"}


def split(key: str) -> tuple[str, str]:
    """The panel and the criterion of `expert_coherence`."""
    who, _, criterion = key.partition("_")
    if who not in PANELS or not criterion:
        raise InputError(
            f"SummEval's ratings are called expert_… and turker_…, not {key!r}; import other sets with --format set"
        )
    return PANELS[who], criterion


def read(files: Sequence[StrPath]) -> Source:
    """The ratings of both panels."""
    if is_set(files[0]):
        return read_sets(files, split=split, described="summeval")
    ratings: list[Rating] = []
    for path in files:
        for place, row in rows_of(path):
            for who, panel in PANELS.items():
                ratings += _of_panel(place, row, row.get(f"{who}_annotations"), panel)
    return Source(tuple(ratings), "places", "summeval", (PLACES,))


def _of_panel(place: str, row: Mapping[str, Any], annotations: Any, panel: str) -> list[Rating]:
    if not isinstance(annotations, list) or not all(isinstance(one, Mapping) for one in annotations):
        raise InputError(
            f"{place}: expert_annotations and turker_annotations must be lists of objects, as in SummEval's "
            "model_annotations.aligned.jsonl"
        )
    item = name_of(row.get("id"), "id", place, longest=LONGEST_ITEM)
    system = name_of(row.get("model_id"), "model_id", place)
    text = text_of(row.get("decoded", row.get("summary")), "decoded", place)
    source = text_of(row.get("text"), "text", place)
    return [
        Rating(
            item,
            system,
            str(number),
            str(criterion),
            number_of(value, f"rating of {criterion}", place),
            place,
            panel,
            text,
            source,
        )
        for number, one in enumerate(annotations, start=1)
        for criterion, value in one.items()
        if value is not None
    ]
