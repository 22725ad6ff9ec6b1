"""Flickr8k: the correlation of caption metrics with people, as published (Hessel et al. 2021, tables 1 and 2).

Expert: Kendall's tau-c over every single rating of 5,664 captions. CF (CrowdFlower): tau-b with the share of "yes"
over 47,830 captions, no judged caption among the references of its own image. Nothing is tuned: each metric is as the
COCO caption kit computes it. The coefficients are scipy's and the rows are read here, so that `nlgauge meta`, which
gives the same figures in docs/reproductions.md, has a second witness.
"""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau

from nlgauge.engine.local import system_rows
from nlgauge.metrics.spec import parse
from nlgauge.types import Column

SPECS = {
    "BLEU-1": "sentbleu(tok=ptb,smooth=coco)@1",
    "BLEU-4": "sentbleu(tok=ptb,smooth=coco)",
    "ROUGE-L": "rougeL(tok=ptb,multi=coco,beta=1.2)",
    "CIDEr": "ciderD",
    "METEOR": "meteor-universal(tok=ptb,lower=yes)",
}
TOLERANCE = 0.001


@cache
def rows_of(shared: Path, name: str) -> list[dict[str, Any]]:
    with gzip.open(shared / "data" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def scores(spec: str, hypotheses: list[str], references: list[list[str]]) -> Any:
    """Segment scores; the document frequencies count every judged caption's references, as the caption kit does."""
    metric = parse(spec)
    items = [str(number) for number in range(len(hypotheses))]
    rows = system_rows([Column("captions", items, hypotheses, references)], [metric])["captions"]
    return metric.score(rows[metric.rows_key()])


def published(shared: Path, name: str, metric: str) -> float:
    figures = json.loads((shared / "data" / "published.json").read_text(encoding="utf-8"))
    return float(figures[name]["published"][metric])


@pytest.mark.slow
@pytest.mark.parametrize("metric", SPECS)
def test_expert_ratings(shared: Path, metric: str) -> None:
    rows = [row for row in rows_of(shared, "flickr8k_expert") if not row["candidate_is_reference"]]
    found = scores(SPECS[metric], [row["hypothesis"] for row in rows], [row["references"] for row in rows])
    ratings = np.array([row["ratings"]["expert"] for row in rows], dtype=float)
    assert ratings.size == 16_992
    tau = kendalltau(np.repeat(found, 3), ratings.ravel(), variant="c").statistic
    assert tau == pytest.approx(published(shared, "flickr8k_expert", metric), abs=TOLERANCE)


@pytest.mark.slow
@pytest.mark.parametrize("metric", SPECS)
def test_crowd_ratings(shared: Path, metric: str) -> None:
    rows = rows_of(shared, "flickr8k_cf")
    assert len(rows) == 47_830
    judged: dict[str, set[str]] = {}
    for row in rows:
        judged.setdefault(row["item"], set()).add(row["hypothesis"])
    references = {
        row["item"]: [text for text in row["references"] if text not in judged.get(row["item"], ())]
        for row in rows_of(shared, "flickr8k_references")
    }
    given = [references[row["item"]] for row in rows]
    found = scores(SPECS[metric], [row["hypothesis"] for row in rows], given)
    share = np.array([row["ratings"]["cf_yes_share"] for row in rows])
    tau = kendalltau(found, share).statistic
    assert tau == pytest.approx(published(shared, "flickr8k_cf", metric), abs=TOLERANCE)
