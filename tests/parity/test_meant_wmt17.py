"""MEANT and MEANT 2.0 beside sentence BLEU on direct assessments of WMT17 (docs/structure.md has all seven pairs)."""

from __future__ import annotations

import gzip
import html
import json
from pathlib import Path

import numpy as np
import pytest

from nlgauge.metrics.spec import parse


@pytest.mark.long
@pytest.mark.slow
def test_meant_beats_bleu(shared: Path) -> None:
    """On German, where MEANT's lead is of middling size."""
    with gzip.open(shared / "data" / "wmt17_daseg.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [row for row in map(json.loads, file) if row["dataset"] == "wmt17-daseg/de-en"]
    assert len(rows) == 560
    texts = (  # as docs/structure.md has them: without the escapes of the tokeniser
        [html.unescape(row["hypothesis"]) for row in rows],
        [[html.unescape(text) for text in row["references"]] for row in rows],
    )
    people = [row["ratings"]["da_z"][0] for row in rows]
    r = {
        spec: np.corrcoef(parse(spec).segments(*texts), people)[0, 1]
        for spec in ("sentbleu", "sentbleu(tok=none)", "meant", "meant2")
    }
    assert r["meant2"] > r["meant"] > max(r["sentbleu"], r["sentbleu(tok=none)"])
