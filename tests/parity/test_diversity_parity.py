"""Counts and entropies of n-grams beside the recorded numbers of GEM-metrics."""

from __future__ import annotations

import pytest
from recorded import Case, cases

from nlgauge.metrics.spec import parse

SPECS = {
    "distinct": "distinct@{}",
    "vocab_size": "vocabulary@{}",
    "unique": "vocabulary@{}.once",
    "entropy": "entropy@{}",
    "cond_entropy": "entropy@{}.conditional",
}


@pytest.mark.parametrize("case", cases("distinct-n/entropy"))
def test_recorded(case: Case) -> None:
    for key, expected in case.expected.items():
        name, _, order = key.rpartition("-")
        case.check(parse(SPECS[name].format(order)).corpus(case.hypotheses, []), expected)
