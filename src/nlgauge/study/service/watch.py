"""What may be watched while a study runs: progress and times, and nothing of who was right."""

from __future__ import annotations

import statistics
from typing import Any

import sqlalchemy as sa

from nlgauge.errors import counted
from nlgauge.study.service import Service
from nlgauge.study.service.progress import used_up
from nlgauge.study.store import tables


def watch(service: Service) -> dict[str, Any]:
    """The progress of every panel with the median time of an answer, and when the study was launched and last answered.

    Times of accepted answers only; answers themselves are not read.
    """
    found = service.progress()
    stored, studies = tables.judgements, tables.studies
    with service.store.read() as connection:
        launched = connection.execute(sa.select(studies.c.launched_at).where(studies.c.id == service.id)).scalar_one()
        times = connection.execute(
            sa.select(stored.c.panel, stored.c.shown_at, stored.c.answered_at).where(
                stored.c.study == service.id, stored.c.accepts.is_not(None)
            )
        ).all()
    seconds: dict[str, list[float]] = {}
    for panel, shown, answered in times:
        seconds.setdefault(panel, []).append(answered - shown)
    for name, panel in found["panels"].items():
        panel["median_seconds"] = statistics.median(seconds[name]) if seconds.get(name) else None
    last = max((answered for _, _, answered in times), default=None)
    remarks = [
        f"Panel {name}: every link is used up and {counted(missing, 'answer is', 'answers are')} missing, so that "
        f"nobody is left to wait for; make further links: nlgauge study links DIR --panel {name} --more N"
        for name, missing in used_up(service).items()
    ]
    remarks += service.protocol.watched(service)
    told = {"remarks": remarks} if remarks else {}
    return found | {"launched_at": launched, "last_answer_at": last} | told
