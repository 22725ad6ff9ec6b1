"""Where a judge stands: the one definition that `study status`, the dashboard and the analysis count by.

The stages exclude each other, so they add up to the judges who registered. What happened last and matters most wins:
whoever was forgotten is counted as that alone, also after having finished.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from nlgauge.study.store import tables

STAGES = (
    "in_progress",
    "finished",
    "failed",
    "withdrawn",
    "forgotten",
)  # a later one wins over those before it
LOGGED = {"finished": "finished", "failed": "failed", "declined": "withdrawn", "withdrew": "withdrawn"} | {
    "forgotten": "forgotten"
}
ENDS = {"done": "finished", "failed": "failed", "withdrawn": "withdrawn", "forgotten": "forgotten"}

_judges = tables.judges
stage_column: sa.ColumnElement[str] = sa.case(
    (_judges.c.forgotten_at.is_not(None), "forgotten"),
    (_judges.c.withdrawn_at.is_not(None), "withdrawn"),
    (_judges.c.failed != "", "failed"),
    (_judges.c.finished_at.is_not(None), "finished"),
    else_="in_progress",
)
"""The same rule for the database; `stage_of` is it for the step that a judge is at."""


def stage_of(step: str) -> str:
    """The stage to which a step (consent, practice, done …) belongs."""
    return ENDS.get(step, "in_progress")


def from_log(events: Iterable[Mapping[str, Any]]) -> dict[str, tuple[str, str]]:
    """Panel and stage of every judge whose coming is in the log: the same numbers where only the log was taken over."""
    found: dict[str, tuple[str, str]] = {}
    for event in events:
        judge, stage = event["judge"], LOGGED.get(event["kind"], "in_progress")
        if event["kind"] == "registered":
            found[judge] = (event["data"]["panel"], stage)
        elif judge in found:
            panel, before = found[judge]
            found[judge] = (panel, max(before, stage, key=STAGES.index))
    return found


def in_words(stage: str) -> str:
    """As it is shown to people."""
    return stage.replace("_", " ")
