"""SPICE and SPIDEr beside the recorded numbers of the Java original, within .05: the parser is another."""

from __future__ import annotations

import dataclasses
import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from recorded import Case, cases
from scipy.stats import kendalltau

from nlgauge.metrics.spice import Spice
from nlgauge.metrics.spider import Spider

WITHIN = 0.05
# Sentences about sentences, no captions, whose figure no two F1 over counts of tuples like theirs have as their mean
# (the nearest need 101 and 109 tuples; docs/structure.md); here .40.
NO_CAPTIONS = "spice-001"


@pytest.mark.parametrize("case", cases("SPICE"))
def test_spice(case: Case, request: pytest.FixtureRequest) -> None:
    if case.id == NO_CAPTIONS:
        request.applymarker(
            pytest.mark.xfail(strict=True, reason="no captions: .400 here, .312 with the Stanford parser")
        )
    assert checked(case, Spice().corpus(case.hypotheses, case.references)) < WITHIN


@pytest.mark.parametrize("case", cases("SPIDEr"))
def test_spider(case: Case) -> None:
    assert checked(case, Spider().corpus(case.hypotheses, case.references)) < WITHIN


def checked(case: Case, got: float) -> float:
    """How far a score is from the recorded one; the case itself checks it too, and is counted."""
    dataclasses.replace(case, tolerance=WITHIN).check(got)
    return abs(got - float(case.expected))


@pytest.mark.long
@pytest.mark.slow
def test_flickr8k_experts(shared: Path) -> None:
    """Kendall's tau-c over every single rating of 5,664 captions; the original has .449 (Hessel et al. 2021)."""
    with gzip.open(shared / "data" / "flickr8k_expert.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [row for row in map(json.loads, file) if not row["candidate_is_reference"]]
    texts = [row["hypothesis"] for row in rows], [row["references"] for row in rows]
    ratings = np.array([row["ratings"]["expert"] for row in rows], dtype=float).ravel()

    def tau(metric: Spice) -> float:
        found = np.repeat(metric.segments(*texts), 3)
        return float(kendalltau(found, ratings, variant="c").statistic)

    whole, objects = tau(Spice()), tau(Spice(tuples="objects", synonyms=False))
    assert whole >= 0.44
    assert whole > objects + 0.01  # attributes, relations and synonyms add something
