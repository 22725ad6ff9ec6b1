"""Metrics of other packages, found through the entry-point group `nlgauge.metrics`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

MODULE = '''
from dataclasses import dataclass
import numpy as np
from nlgauge import Metric, option

@dataclass(frozen=True)
class Shout(Metric):
    """The share of segments that end with an exclamation mark."""
    mark: str = option("!", "what to look for")
    name, cite, reference = "shout", "none", "this definition"
    columns = ("hits", "count")
    def rows(self, batch):
        return np.array([(text.endswith(self.mark), 1) for text in batch.hypotheses], dtype=np.float64).reshape(-1, 2)
    def score(self, totals):
        return totals[..., 0] / np.maximum(totals[..., 1], 1)
'''


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """An installed distribution with one metric, one clash of names and one broken entry."""
    (tmp_path / "shouting.py").write_text(MODULE)
    info = tmp_path / "shouting-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shouting\nVersion: 1.0\n")
    entries = ["shout = shouting:Shout", "bleu = shouting:Shout", "gone = shouting:Nothing"]
    (info / "entry_points.txt").write_text("[nlgauge.metrics]\n" + "\n".join(entries) + "\n")
    (tmp_path / "d.jsonl").write_text(
        '{"item": 1, "system": "s", "hypothesis": "hey!", "references": ["hey"]}\n'
        '{"item": 2, "system": "s", "hypothesis": "hey", "references": ["hey"]}\n'
    )
    return tmp_path


def run(package: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(package)}
    return subprocess.run(
        [sys.executable, "-m", "nlgauge", *arguments],
        cwd=package,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_third_party_metric_scores(package: Path) -> None:
    done = run(package, "score", "d.jsonl", "-m", "shout", "-m", "shout(mark=y)", "--ci", "--json")
    assert '"value": 0.5' in done.stdout and "shout(mark=y)" in done.stdout, done.stderr


def test_names_of_ours_are_not_taken_over(package: Path) -> None:
    done = run(package, "explain", "bleu")
    assert "sacreBLEU" in done.stdout


def test_a_broken_entry_is_named(package: Path) -> None:
    done = run(package, "score", "d.jsonl", "-m", "gone")
    assert done.returncode == 2 and "shouting:Nothing" in done.stderr
    listed = run(package, "list")
    assert listed.returncode == 0 and "shout" in listed.stdout and "gone" in listed.stdout
