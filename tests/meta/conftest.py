"""As in the contract suite: a metric whose dictionary is missing is skipped, with the sentence that names it."""

from __future__ import annotations

from typing import Any

import pytest

from nlgauge.errors import MissingResource


@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call(pyfuncitem: Any) -> Any:
    outcome = yield
    if outcome.excinfo is not None and isinstance(outcome.excinfo[1], MissingResource):
        outcome.force_exception(pytest.skip.Exception(str(outcome.excinfo[1])))
