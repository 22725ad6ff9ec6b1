"""The dashboard's numbers made ready to be shown: bars, curves, times in words. Nothing here knows who was right."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from markupsafe import Markup

from nlgauge.report.scatter import curves
from nlgauge.report.svg import Marked, Panel, Row
from nlgauge.study.service.progress import Answered, Pace, pace

POINTS = 60  # of a curve; more cannot be told apart
UNITS = (("minutes", 60.0, 7_200.0), ("hours", 3_600.0, 172_800.0), ("days", 86_400.0, math.inf))


@dataclass(frozen=True)
class Bar:
    """A horizontal bar of 100 units: done, then what judges are at."""

    done: float
    open: float
    stale: float


@dataclass(frozen=True)
class PanelCard:
    """One panel on the overview."""

    name: str
    machine: bool
    numbers: Mapping[str, Any]  # planned, done, open, stale, surplus
    judges: Mapping[str, int]
    bar: Bar
    triads: tuple[tuple[str, int, float], ...]  # name, done, share of the most
    left: int


def panel_card(name: str, numbers: Mapping[str, Any], *, machine: bool) -> PanelCard:
    """The numbers of `Progress.report` for one panel, with the lengths of its bars."""
    planned = max(1, numbers["planned"])
    kinds = numbers["triads"]
    most = max(1, math.ceil(numbers["planned"] / max(1, len(kinds))), *kinds.values())
    return PanelCard(
        name=name,
        machine=machine,
        numbers=numbers,
        judges=numbers["judges"],
        bar=Bar(*(100 * numbers[key] / planned for key in ("done", "open", "stale"))),
        triads=tuple((triad, done, done / most) for triad, done in kinds.items()),
        left=numbers["planned"] - numbers["done"],
    )


def arrivals(answers: Sequence[Answered]) -> Markup:
    """Answers so far, by panel, over time; empty where there are fewer than two."""
    if len(answers) < 2:
        return Markup("")
    start = answers[0].answered_at
    end = max(answers[-1].answered_at, start + 1.0)
    unit, size, _ = next(unit for unit in UNITS if end - start < unit[2])
    lines = []
    for panel in dict.fromkeys(answered.panel for answered in answers):
        times = [answered.answered_at for answered in answers if answered.panel == panel]
        places = sorted({round(k * (len(times) - 1) / (POINTS - 1)) for k in range(POINTS)} | {len(times) - 1})
        x = [(times[place] - start) / size for place in places]
        lines.append((panel, x, [float(place + 1) for place in places]))
    first = day(start)
    return Markup(
        str(curves(lines, x_name=f"{unit} since {first}", y_name="answers", title="Answers over time, by panel"))
    )


def seconds_plot(answers: Sequence[Answered], too_fast: float) -> Markup:
    """A histogram of the seconds to an answer for each panel; the longest 5 % stand at the right end."""
    paces = {
        panel: found
        for panel in dict.fromkeys(answered.panel for answered in answers)
        if (found := pace((answered for answered in answers if answered.panel == panel), too_fast)) is not None
    }
    if not paces:
        return Markup("")
    every = sorted(value for pace in paces.values() for value in pace.seconds)
    top = every[min(len(every) - 1, int(0.95 * len(every)))]
    rows = [
        Row(
            panel,
            min(one.median, top),
            text=f"{one.median:.0f} s",
            shape="median",
            about=_about(panel, one),
            values=tuple(min(value, top) for value in one.seconds),
        )
        for panel, one in paces.items()
    ]
    desc = "; ".join(row.about for row in rows)
    title, axis = "Seconds to answer", "seconds to answer; the longest 5 % stand at the right end"
    if too_fast <= 0:
        return Markup(str(Panel(rows, title=title, desc=desc, axis=axis, tall=True).draw()))
    name = f"too fast: {too_fast:g} s"
    drawing = Marked(rows, mark=too_fast, name=name, title=title, desc=desc, axis=axis, tall=True).draw()
    return Markup(str(drawing))


def _about(panel: str, one: Pace) -> str:
    return f"{panel}: median {one.median:.0f} seconds, quartiles {one.low:.0f} and {one.high:.0f}"


def day(at: float) -> str:
    """A moment, to the minute, in the time that is the same everywhere."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")


def stamp(at: float) -> str:
    """A moment for programs."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def ago(at: float, now: float) -> str:
    """How long ago, in words."""
    seconds = max(0.0, now - at)
    for name, size in (("day", 86_400.0), ("hour", 3_600.0), ("minute", 60.0)):
        if seconds >= size:
            number = int(seconds // size)
            return f"{number:,} {name}{'' if number == 1 else 's'} ago"
    return "just now"


def duration(seconds: float) -> str:
    """Seconds as a person would say them."""
    if seconds < 120:
        return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7_200 else f"{seconds / 3600:.1f} h"
