"""A browser for the tests of each file, and studies that are served."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import browsing
from browsing import DESKTOP, NARROW, PHONE, barriers, fits, screenshot

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="session")
def screenshots() -> Path:
    """Where this run's pictures go; earlier ones are removed."""
    browsing.clean_screenshots()
    return browsing.SCREENSHOTS


# Not for the whole session: while it lives, no other test in this process could run an event loop of its own.
@pytest.fixture(scope="module")
def browser(screenshots: Path) -> Iterator[Browser]:
    """The system's Chromium, with nothing remembered."""
    reason = browsing.why_not()
    if reason:
        pytest.skip(f"no browser for this test: {reason}")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        program = browsing.system.chromium()
        found = playwright.chromium.launch(executable_path=program, args=browsing.ARGUMENTS)
        yield found
        found.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core."""
    path = browsing.system.axe()
    if not path:
        pytest.skip(f"axe-core is not installed: {browsing.system.AXE_LINE}")
    return Path(path).read_text(encoding="utf-8")


@pytest.fixture
def look(axe: str) -> Callable[..., None]:
    """Check and photograph a page in a wide and a narrow window; where asked for, also its dark colours."""

    def check(page: Page, name: str, *, dark: bool = False) -> None:
        page.set_viewport_size(DESKTOP)
        screenshot(page, f"{name}-desktop")
        assert barriers(page, axe) == [], name
        if dark:
            page.emulate_media(color_scheme="dark")
            assert barriers(page, axe, "color-contrast") == [], f"{name}, dark"
            page.emulate_media(color_scheme="light")
        for size in (PHONE, NARROW):
            page.set_viewport_size(size)
            fits(page)
        page.set_viewport_size(PHONE)
        screenshot(page, f"{name}-phone")

    return check


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say where the pictures are."""
    if browsing.SCREENSHOTS.is_dir():
        count = len(list(browsing.SCREENSHOTS.glob("*.png")))
        terminalreporter.write_line(f"{count} screenshots of the judges' pages: {browsing.SCREENSHOTS}")
