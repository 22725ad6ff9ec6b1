"""HANNA's `hanna_stories_annotations.csv`: one worker's ratings of one story a row, with the time of the assignment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nlgauge.errors import InputError
from nlgauge.io.files import StrPath
from nlgauge.study.exchange.importing.layouts.base import REMARK, Relabelled, is_set
from nlgauge.study.exchange.importing.sets import read_sets
from nlgauge.study.exchange.importing.tables import rows_of
from nlgauge.study.exchange.importing.types import LONGEST_ITEM, Rating, Source, name_of, number_of, text_of

CRITERIA = ("Relevance", "Coherence", "Empathy", "Surprise", "Engagement", "Complexity")
STORY, PROMPT, WORKER, TIME = "Story ID", "Prompt", "Worker ID", "Work time in seconds"


def read(files: Sequence[StrPath]) -> Source:
    """The ratings of all stories."""
    if is_set(files[0]):
        return read_sets(files, described="hanna")
    ratings: list[Rating] = []
    workers, prompts = Relabelled(), dict[str, str]()
    for path in files:
        for place, row in rows_of(path):
            ratings += _of_row(place, row, workers, prompts)
    return Source(tuple(ratings), "people", "hanna", (REMARK,))


def _of_row(place: str, row: Mapping[str, Any], workers: Relabelled, prompts: dict[str, str]) -> list[Rating]:
    lacking = [name for name in (STORY, PROMPT, "Model", WORKER, *CRITERIA) if name not in row]
    if lacking:
        raise InputError(
            f"{place}: there is no {lacking[0]!r}; expected the columns of HANNA's hanna_stories_annotations.csv"
        )
    prompt = name_of(row[PROMPT], "prompt", place, longest=LONGEST_ITEM) if row[PROMPT] else ""
    item = prompts.setdefault(prompt, str(len(prompts)))
    system = name_of(row["Model"], "model", place)
    judge = workers[name_of(row[WORKER], "worker", place)]
    time = None if row.get(TIME) in (None, "") else number_of(row[TIME], "working time", place)
    text = text_of(row.get("Story"), "story", place)
    return [
        Rating(
            item,
            system,
            judge,
            criterion,
            number_of(row[criterion], f"rating of {criterion}", place),
            place,
            text=text,
            source=prompt,
            seconds=time,
        )
        for criterion in CRITERIA
    ]
