"""Flickr8k: the correlation of caption metrics with people, as published (Hessel et al. 2021, tables 1 and 2).

Expert: Kendall's tau-c over every single rating of 5,664 captions. CF (CrowdFlower): tau-b with the share of "yes"
over 47,830 captions, no judged caption among the references of its own image.
"""

from __future__ import annotations

import gzip
import json
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
}


def rows_of(shared: Path, name: str) -> list[dict[str, Any]]:
    with gzip.open(shared / "data" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def scores(items: list[str], hypotheses: list[str], references: list[list[str]]) -> dict[str, Any]:
    """Segment scores; the document frequencies count every judged caption's references, as the caption kit does."""
    metrics = {name: parse(spec) for name, spec in SPECS.items()}
    rows = system_rows([Column("captions", items, hypotheses, references)], list(metrics.values()))[
        "captions"
    ]
    return {name: metric.score(rows[metric.rows_key()]) for name, metric in metrics.items()}


def published(shared: Path, name: str) -> dict[str, float]:
    figures: dict[str, float] = json.loads((shared / "data" / "published.json").read_text())[name][
        "published"
    ]
    return {metric: figures[metric] for metric in SPECS}


@pytest.mark.slow
def test_expert_ratings(shared: Path) -> None:
    rows = [row for row in rows_of(shared, "flickr8k_expert") if not row["candidate_is_reference"]]
    found = scores(
        [str(number) for number in range(len(rows))],
        [row["hypothesis"] for row in rows],
        [row["references"] for row in rows],
    )
    ratings = np.array([row["ratings"]["expert"] for row in rows], dtype=float)
    assert ratings.size == 16_992
    for metric, figure in published(shared, "flickr8k_expert").items():
        tau = kendalltau(np.repeat(found[metric], 3), ratings.ravel(), variant="c").statistic
        assert tau == pytest.approx(figure, abs=0.001), metric


@pytest.mark.slow
def test_crowd_ratings(shared: Path) -> None:
    rows = rows_of(shared, "flickr8k_cf")
    assert len(rows) == 47_830
    judged: dict[str, set[str]] = {}
    for row in rows:
        judged.setdefault(row["item"], set()).add(row["hypothesis"])
    references = {
        row["item"]: [text for text in row["references"] if text not in judged.get(row["item"], ())]
        for row in rows_of(shared, "flickr8k_references")
    }
    found = scores(
        [str(number) for number in range(len(rows))],
        [row["hypothesis"] for row in rows],
        [references[row["item"]] for row in rows],
    )
    share = np.array([row["ratings"]["cf_yes_share"] for row in rows])
    for metric, figure in published(shared, "flickr8k_cf").items():
        assert kendalltau(found[metric], share).statistic == pytest.approx(figure, abs=0.001), metric
