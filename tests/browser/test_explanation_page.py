"""Pages of `explain --html` and of `demo` on a telephone: no table widens the page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import fits

import nlgauge
from nlgauge.cli import main

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("width", [360, 390])
def test_the_demos_report_is_no_wider_than_the_window(width: int, browser: Browser, tmp_path: Path) -> None:
    assert main(["demo", "-o", str(tmp_path), "--json"]) == 0
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto((tmp_path / "report.html").as_uri())
    assert page.locator("article.item").count() == 3
    fits(page)
    page.close()


@pytest.mark.parametrize("width", [360, 1200])
def test_a_wide_table_does_not_widen_the_page(width: int, browser: Browser, tmp_path: Path) -> None:
    from nlgauge.report.explain_html import write_explanations

    table = [["06:00", f"attribute-{k}", f"value{k}kn"] for k in range(5)]
    told = nlgauge.parse("parent").explain("value1kn", ["value1kn and value2kn"], table)
    path = write_explanations([told], tmp_path / "why.html")
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto(path.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()
