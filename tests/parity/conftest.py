"""Notes which recorded case a test belongs to; tests/conftest.py counts them."""

from __future__ import annotations

from typing import Any

import pytest
from recorded import Case


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Any:
    """Note on each report which recorded case it belongs to; only reports travel between processes."""
    outcome = yield
    case = getattr(item, "callspec", None) and item.callspec.params.get("case")
    if isinstance(case, Case):
        outcome.get_result().user_properties.append(("recorded", case.id))
