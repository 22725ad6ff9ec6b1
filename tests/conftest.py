"""Shared fixtures. The reference data set beside a developer's checkout is optional: tests that need it skip."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from nlgauge import kernels
from nlgauge.errors import MissingExtra, MissingModel, MissingResource

TESTS = Path(__file__).resolve().parent
SHARED = TESTS.parents[1] / "shared"
PARITY = TESTS / "parity"
SECONDS: dict[str, int] = json.loads((TESTS / "seconds.json").read_text(encoding="utf-8"))
"""What the files of tests take that take more than two seconds, as tools/test_seconds.py wrote it from a run."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="only the files that take a second or two")
    parser.addoption("--plain", action="store_true", help="no extra is installed: tests that need one are skipped")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return True if config.getoption("--quick") and _name(collection_path) in SECONDS else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first: whole files go to one of several processes, and a long one begun last is waited for."""
    items.sort(key=lambda item: -SECONDS.get(_name(item.path), 0))


def _name(path: Path) -> str:
    return path.relative_to(TESTS).as_posix() if path.is_relative_to(TESTS) else ""


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """With --plain, a test file that imports a package of an extra is skipped, and says so."""
    report = yield
    if collector.config.getoption("--plain") and report.failed and isinstance(collector, pytest.Module):
        told = str(report.longrepr)
        needed = re.findall(r"ModuleNotFoundError: No module named '([\w.]+)'", told)
        if needed and not needed[-1].startswith("nlgauge"):
            report.outcome = "skipped"
            report.longrepr = (str(collector.path), 0, f"Skipped: {needed[-1]} is not installed")
    return report


ASKED: list[str] = []
"""With --plain: what the running test was told is not installed."""


def pytest_configure(config: pytest.Config) -> None:
    """With --plain, what says that a package or a table is missing also says it to `ASKED`."""
    if not config.getoption("--plain"):
        return

    def recording(told: Callable[..., None]) -> Callable[..., None]:
        def init(self: Exception, *args: Any, **named: Any) -> None:
            told(self, *args, **named)
            ASKED.append(str(self))

        return init

    for kind in (MissingExtra, MissingResource, MissingModel):
        kind.__init__ = recording(kind.__init__)


def pytest_runtest_setup() -> None:
    ASKED.clear()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With --plain, a test is skipped that itself imports a package of an extra, or fails once told which it needs.

    A package that the code of nlgauge fails to import without a word is a failure: that is what users would meet.
    """
    report = yield
    if item.config.getoption("--plain") and report.failed and call.excinfo is not None:
        last = Path(str(call.excinfo.traceback[-1].path))
        own_import = call.excinfo.errisinstance(ModuleNotFoundError) and last.is_relative_to(TESTS)
        if own_import or ASKED:
            report.outcome = "skipped"
            report.longrepr = (str(item.path), item.location[1] or 0, f"Skipped: {(ASKED or [call.excinfo.value])[0]}")
    return report


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of recorded reference numbers and data sets."""
    if not SHARED.is_dir():
        pytest.skip(f"no reference data at {SHARED}: this test compares with recorded numbers kept outside the project")
    return SHARED


@pytest.fixture(scope="session")
def parity_cases(shared: Path) -> list[dict[str, Any]]:
    """The recorded cases of the official tools."""
    cases: list[dict[str, Any]] = json.loads((shared / "fixtures" / "parity.json").read_text(encoding="utf-8"))["cases"]
    return cases


@pytest.fixture
def native() -> None:
    """For tests that compare the compiled kernels with their plain twins."""
    if not kernels.native_available():
        pytest.skip("the compiled kernels are not built")


@pytest.fixture(params=["native", "python"])
def backend(request: pytest.FixtureRequest) -> Iterator[None]:
    """Runs a test once on each of the kernels."""
    if request.param == "native":
        request.getfixturevalue("native")
    with kernels.use(request.param):
        yield


@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call(pyfuncitem: Any) -> Any:
    """A metric whose dictionary is not on this machine is skipped, with the sentence that says how to get it."""
    outcome = yield
    if outcome.excinfo is not None and isinstance(outcome.excinfo[1], MissingResource):
        outcome.force_exception(pytest.skip.Exception(str(outcome.excinfo[1])))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """One line per metric with recorded cases that were tried: how many pass, and which do not, with the reason.

    It stands here because the process that reports a parallel run reads no other conftest.
    """
    tried: set[str] = set()
    unmet: dict[str, str] = {}
    for category, reports in terminalreporter.stats.items():
        for report in reports:
            for key, case_id in getattr(report, "user_properties", []):
                if key == "recorded":
                    tried.add(case_id)
                    if category not in ("passed", ""):
                        unmet[case_id] = _reason(category, report)
    if not tried:
        return
    sys.path.insert(0, str(PARITY))
    from recorded import summary

    whole = any(_arg_path(arg) in (PARITY, *PARITY.parents) for arg in terminalreporter.config.args)
    terminalreporter.section("recorded cases")
    for line in summary(tried, unmet, whole=whole):
        terminalreporter.line(line)


def _reason(category: str, report: Any) -> str:
    """Why a case does not count: what a skipped test says, otherwise what became of it."""
    if category == "skipped" and isinstance(report.longrepr, tuple):
        return str(report.longrepr[2]).removeprefix("Skipped: ")
    return category


def _arg_path(arg: str) -> Path:
    return Path(arg.partition("::")[0]).resolve()
