"""Shared fixtures. The reference data set beside a developer's checkout is optional: tests that need it skip."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nlgauge import kernels
from nlgauge.errors import MissingResource

SHARED = Path(__file__).resolve().parents[2] / "shared"
PARITY = Path(__file__).resolve().parent / "parity"
# Files that take longest, first: whole files go to one of several processes, and a long one begun last is waited for.
LONGEST = (
    "parity/test_bleu_parity.py",
    "docs/test_examples.py",
    "training/test_each_recipe.py",
    "parity/test_edit_parity.py",
    "study/review/test_wording.py",
    "study/importing/test_import_published_studies.py",
    "cli/test_train.py",
    "metrics/test_explanations.py",
    "browser/test_journeys.py",
    "parity/test_character_parity.py",
    "parity/test_chrf_parity.py",
    "meta/test_probes_react.py",
    "study/test_simulate.py",
    "browser/test_pages.py",
    "stats/mixed/test_ordinal_mixed.py",
    "browser/test_triangle_page.py",
    "contract/test_metrics.py",
    "parity/test_meteor_parity.py",
    "web/test_security_openapi.py",
    "meta/test_probes_challenge.py",
    "study/analysis/test_exclusions.py",
    "docs/test_contributing.py",
    "metrics/test_moverscore.py",
    "study/analysis/test_magnitude_analysis.py",
    "install/test_no_compiler.py",
    "study/analysis/test_ratings_analysis.py",
    "stats/mixed/test_linear_mixed.py",
    "stats/mixed/test_real_ratings.py",
    "web/test_workers.py",
    "stats/mixed/test_study_planning.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files and those in a browser first, the others as collected."""
    here = Path(__file__).resolve().parent

    def place(item: pytest.Item) -> int:
        name = item.path.relative_to(here).as_posix()
        if name in LONGEST:
            return LONGEST.index(name)
        return len(LONGEST) + (not name.startswith("browser/"))

    items.sort(key=place)


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
