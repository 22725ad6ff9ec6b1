"""nlg-eval's three vector metrics against its recorded numbers, which need GloVe 6B with 300 numbers a word.

These vectors are no package and are not kept here. Where `NLGAUGE_GLOVE_300D` names the file glove.6B.300d.txt
(Stanford's glove.6B.zip) the cases run; elsewhere they are skipped, and tests/metrics/test_static_vectors.py holds
the metrics against the formulas written out.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from recorded import Case, cases

from nlgauge.metrics.spec import parse

NAMES = {"EmbeddingAverage": "average", "VectorExtrema": "extrema", "GreedyMatching": "greedy"}


@pytest.mark.parametrize("case", cases(*NAMES))
def test_recorded(case: Case) -> None:
    path = os.environ.get("NLGAUGE_GLOVE_300D", "")
    if not Path(path).is_file():
        pytest.skip("needs GloVe 6B 300d: name the file glove.6B.300d.txt in NLGAUGE_GLOVE_300D")
    metric = parse(f'{NAMES[case.metric]}(model="{path}")')
    case.check(metric.corpus(case.hypotheses, case.references))
