"""The page of the reproduction has the figures of the run that is kept beside it."""

from __future__ import annotations

import json
from pathlib import Path

from nlgauge.report.reproduction import parts

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_every_table_of_the_page_is_that_of_the_kept_run() -> None:
    page = (DOCS / "learning-to-compare.md").read_text(encoding="utf-8")
    kept = json.loads((DOCS / "learning-to-compare.json").read_text(encoding="utf-8"))
    for heading, about, headers, rows in parts(kept):
        assert f"### {heading}\n\n{about}\n\n| {' | '.join(headers)} |" in page
        for row in rows:
            assert f"| {' | '.join(row)} |" in page
    assert kept["settings"]["groups"] == 30 and kept["settings"]["seed"] == 12345
