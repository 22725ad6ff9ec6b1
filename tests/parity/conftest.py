"""Counts how many of the recorded cases pass, metric by metric."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from recorded import Case, recorded


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Any:
    """Note on each report which recorded case it belongs to; only reports travel between processes."""
    outcome = yield
    case = getattr(item, "callspec", None) and item.callspec.params.get("case")
    if isinstance(case, Case):
        outcome.get_result().user_properties.append(("recorded", case.id))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """One line per metric that was tried: how many of its cases pass, and which do not."""
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
