"""People as judges: the folder of a pairwise study of the same texts, to be checked, launched and served."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Mapping
from math import comb
from pathlib import Path
from random import Random
from typing import Any

from nlgauge.api import load
from nlgauge.errors import InputError
from nlgauge.io import write_jsonl
from nlgauge.judging.settings import QUALITY
from nlgauge.study.file.template import Made
from nlgauge.study.protocols import protocol_of
from nlgauge.types import EvaluationSet

SET = "outputs.jsonl"


def study_of(
    data: Any,
    folder: str | Path,
    *,
    criterion: str = QUALITY,
    budget: int | None = None,
    seed: int = 12345,
    columns: Mapping[str, str] | None = None,
) -> Made:
    """Write the study: every pair of systems for every item, or for as many items, drawn by chance, as `budget` pairs
    allow (one more serves for practice)."""
    content = data if isinstance(data, EvaluationSet) else load(data, columns=columns, allow_extra=True)
    pairs = comb(len(content.systems), 2)
    items = list(content.items)
    met = Counter(segment.item for segment in content)
    if max(met.values()) < len(content.systems):
        raise InputError(
            f"{content.origin} has no item with a text by each of its {len(content.systems)} systems, and a study "
            "deals whole grids: give the systems of one grid"
        )
    if budget is not None:
        if budget < pairs:
            raise InputError(
                f"{len(content.systems)} systems have {pairs} pairs an item; give a budget of {pairs} or more, not "
                f"{budget}"
            )
        items = Random(f"{seed}/people").sample(items, min(len(items), budget // pairs + 1))
    chosen = set(items)
    with tempfile.TemporaryDirectory() as beside:
        source = Path(beside) / SET
        write_jsonl([segment for segment in content if segment.item in chosen], source)
        return protocol_of("pairwise").new(folder, source, {"criteria": (criterion,), "seed": seed})
