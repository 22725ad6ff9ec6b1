"""A small challenge set: the situations in which metrics fail by the survey of Sai et al. (2020, Table 1).

Each item has a source, references, a good and a bad output, and belongs to one situation. The texts were written
for this package. A metric is asked one question of each item: does the good output score better?
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np

from nlgauge import receipt
from nlgauge.arrays import Array
from nlgauge.engine.local import system_rows
from nlgauge.kernels import backend
from nlgauge.meta.probes import figures
from nlgauge.meta.probes.react import DECIMALS
from nlgauge.meta.probes.results import Challenge, Preference
from nlgauge.metrics.base import Metric
from nlgauge.stats.limits import check_level
from nlgauge.types import Column, EvaluationSet

NAME = "challenge"
SITUATIONS = {
    "one word": "one word changed and the meaning lost, against one word changed for a synonym",
    "paraphrase": "the reference's words in a wrong order of roles, against the same meaning in other words",
    "missing fact": "part of the reference, against all of it in other words",
    "wrong fact": "the reference with a wrong fact, against the right facts in other words",
    "unanswerable question": "a question (or answer) the source gives no ground for, against one it does",
    "generic reply": "a reply that fits everything, against one that fits the dialogue",
}


@dataclass(frozen=True)
class Item:
    """One item of the challenge set."""

    item: str
    situation: str
    task: str
    source: Any
    references: tuple[str, ...]
    good: str
    bad: str


def items() -> list[Item]:
    """The challenge set."""
    import orjson

    text = files("nlgauge").joinpath("meta/challenge.jsonl").read_bytes()
    rows = [orjson.loads(line) for line in text.splitlines() if line.strip()]
    return [Item(**{**row, "references": tuple(row["references"])}) for row in rows]


def challenge(
    metrics: Sequence[Metric],
    *,
    level: float = 0.95,
    jobs: int = 1,
    progress: Callable[[str, int], None] | None = None,
    chosen: Sequence[Item] | None = None,
) -> Challenge:
    """How often each metric scores the good output above the bad one."""
    check_level(level, "confidence level")
    listed = items() if chosen is None else list(chosen)
    names = [item.item for item in listed]
    references = [item.references for item in listed]
    sources = [item.source for item in listed]
    systems = {"good": [item.good for item in listed], "bad": [item.bad for item in listed]}
    data = EvaluationSet.of(systems, references, sources)
    data.origin = "the challenge set"
    data.require(dict.fromkeys(need for metric in metrics for need in metric.needs))
    columns = [Column(name, names, texts, references, sources) for name, texts in systems.items()]
    rows = system_rows(columns, metrics, jobs=jobs, progress=progress)
    found = []
    for metric in metrics:
        good, bad = (np.round(metric.score(rows[name][metric.rows_key()]), DECIMALS) for name in systems)
        lead = (good - bad) * (1 if metric.direction == "higher" else -1)
        groups = {"all": list(range(len(listed)))}
        for place, item in enumerate(listed):
            groups.setdefault(item.situation, []).append(place)
        for situation, places in groups.items():
            found.append(_preference(str(metric), situation, lead[places], level))
    known = {"n": len(listed), "probes": NAME, **data.digests(sources=False), "backend": backend(), "level": level}
    return Challenge(
        tuple(found),
        {str(metric): metric.direction for metric in metrics},
        {name: about for name, about in SITUATIONS.items() if any(item.situation == name for item in listed)},
        len(listed),
        level,
        {str(metric): receipt.write(metric, known | data.digests(sources=metric.reads_sources)) for metric in metrics},
    )


def _preference(metric: str, situation: str, lead: Array, level: float) -> Preference:
    """Wins, losses and ties; an item without a score is a tie, because the metric prefers neither."""
    right, wrong = int((lead > 0).sum()), int((lead < 0).sum())
    return Preference(
        metric=metric,
        situation=situation,
        n=len(lead),
        right=right,
        wrong=wrong,
        ties=len(lead) - right - wrong,
        share=figures.share(right, len(lead), level=level),
        p=figures.sign_test(right, wrong),
    )
