"""A study that was imported from a made-up table."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from nlgauge.study.exchange.importing import import_study

sys.path.insert(0, str(Path(__file__).parent))
from made_ratings import rows, written


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a study that was imported from a table; nobody knows what was asked."""
    root = tmp_path_factory.mktemp("imported")
    import_study(root / "s", [written(root / "table.csv", rows())], "table", scales=["1-5"], title="Made up")
    return root / "s"
