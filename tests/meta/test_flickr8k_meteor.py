"""METEOR's published correlations with judgements of Flickr8k captions come out of our METEOR Universal.

As the COCO caption kit does it: PTB tokens, lower case, five references. Nothing is tuned.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau

from nlgauge.errors import NlgaugeError
from nlgauge.metrics.meteor_universal import MeteorUniversal

TOLERANCE = 0.01


def rows_of(shared: Path, name: str) -> list[dict[str, Any]]:
    with gzip.open(shared / "data" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.fixture
def meteor() -> MeteorUniversal:
    metric = MeteorUniversal(tok="ptb", lower=True)
    try:
        metric.segments(["a"], [["a"]])
    except NlgaugeError as missing:
        pytest.skip(str(missing))
    return metric


def published(shared: Path, name: str) -> float:
    figures = json.loads((shared / "data" / "published.json").read_text(encoding="utf-8"))
    return float(figures[name]["published"]["METEOR"])


@pytest.mark.slow
def test_expert_judgements(shared: Path, meteor: MeteorUniversal) -> None:
    """Kendall's tau-c over single judgements; captions that are a reference of their image are left out."""
    rows = [row for row in rows_of(shared, "flickr8k_expert") if not row["candidate_is_reference"]]
    scores = meteor.segments([row["hypothesis"] for row in rows], [row["references"] for row in rows])
    judgements = np.array([row["ratings"]["expert"] for row in rows])
    tau = kendalltau(np.repeat(scores, judgements.shape[1]), judgements.ravel(), variant="c").statistic
    assert tau == pytest.approx(published(shared, "flickr8k_expert"), abs=TOLERANCE)


@pytest.mark.slow
def test_crowd_judgements(shared: Path, meteor: MeteorUniversal) -> None:
    """Kendall's tau-b with the share of yes; captions judged for an image are taken out of its references."""
    references = {row["item"]: row["references"] for row in rows_of(shared, "flickr8k_references")}
    rows = rows_of(shared, "flickr8k_cf")
    judged = {(row["item"], row["hypothesis"]) for row in rows}
    given = [[text for text in references[row["item"]] if (row["item"], text) not in judged] for row in rows]
    scores = meteor.segments([row["hypothesis"] for row in rows], given)
    tau = kendalltau(scores, [row["ratings"]["cf_yes_share"] for row in rows], variant="b").statistic
    assert tau == pytest.approx(published(shared, "flickr8k_cf"), abs=TOLERANCE)
