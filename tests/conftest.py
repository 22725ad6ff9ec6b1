"""Shared fixtures. The reference data set beside a developer's checkout is optional: tests that need it skip."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nlgauge.errors import MissingResource

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of recorded reference numbers and data sets."""
    if not SHARED.is_dir():
        pytest.skip(
            f"no reference data at {SHARED}: this test compares with recorded numbers kept outside the project"
        )
    return SHARED


@pytest.fixture(scope="session")
def parity_cases(shared: Path) -> list[dict[str, Any]]:
    """The recorded cases of the official tools."""
    cases: list[dict[str, Any]] = json.loads(
        (shared / "fixtures" / "parity.json").read_text(encoding="utf-8")
    )["cases"]
    return cases


@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call(pyfuncitem: Any) -> Any:
    """A metric whose dictionary is not on this machine is skipped, with the sentence that says how to get it."""
    outcome = yield
    if outcome.excinfo is not None and isinstance(outcome.excinfo[1], MissingResource):
        outcome.force_exception(pytest.skip.Exception(str(outcome.excinfo[1])))
