"""Recorded numbers of sensR and of the triangle-test paper."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def tables(shared: Path) -> dict[str, Any]:
    """The paper's tables, cell by cell, with the exact recomputation."""
    found: dict[str, Any] = json.loads((shared / "fixtures" / "triangle_tables.json").read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="session")
def recorded(shared: Path) -> dict[str, Any]:
    """Numbers recorded from the reference implementations."""
    found: dict[str, Any] = json.loads((shared / "fixtures" / "statistics.json").read_text(encoding="utf-8"))
    return found
