"""Shared fixtures. The reference data set beside a developer's checkout is optional: tests that need it skip."""

from __future__ import annotations

import json
import sys
from collections import Counter
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


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """One line per metric with recorded cases that were tried: how many pass, and which do not.

    It stands here because the process that reports a parallel run reads no other conftest.
    """
    tried: set[str] = set()
    bad: set[str] = set()
    for category, reports in terminalreporter.stats.items():
        for report in reports:
            for key, case_id in getattr(report, "user_properties", []):
                if key == "recorded":
                    tried.add(case_id)
                    if category not in ("passed", ""):
                        bad.add(case_id)
    if not tried:
        return
    sys.path.insert(0, str(Path(__file__).parent / "parity"))
    from recorded import recorded

    terminalreporter.section("recorded cases")
    on_record = Counter(case.metric for case in recorded())
    passed = total = 0
    for metric in sorted({case.metric for case in recorded() if case.id in tried}):
        ids = {case.id for case in recorded() if case.metric == metric}
        missing = ids - (tried - bad)
        note = f" (not: {', '.join(sorted(missing))})" if missing else ""
        passed, total = passed + len(ids - missing), total + on_record[metric]
        terminalreporter.line(
            f"{metric}: {len(ids - missing)} of {on_record[metric]} recorded cases pass{note}"
        )
    terminalreporter.line(f"all metrics above: {passed} of {total} recorded cases pass")
