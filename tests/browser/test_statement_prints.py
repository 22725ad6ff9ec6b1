"""The short form of a statement of every protocol fits one sheet of paper, as Chromium prints it."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browsing import screenshot

sys.path.insert(0, str(Path(__file__).parents[1] / "study"))
sys.path.insert(0, str(Path(__file__).parents[1] / "study" / "statement"))
from stated import run
from test_every_protocol import PROTOCOLS, hard

from nlgauge.report.study.statement import statement_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow
SHEET: Any = {"width": "210mm", "height": "279mm"}  # as wide as A4, as high as Letter
MARGIN: Any = dict.fromkeys(("top", "bottom", "left", "right"), "1cm")


def sheets(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))


def test_the_short_form_is_one_sheet(browser: Browser, tmp_path: Path) -> None:
    page = browser.new_page()
    for protocol in PROTOCOLS:
        statement = run(tmp_path / protocol, protocol, **hard(protocol)).statement
        page.set_content(statement_page(replace(statement, form="short")))
        assert sheets(page.pdf(**SHEET, margin=MARGIN)) == 1, protocol
    screenshot(page, "short-statement-desktop")
    page.set_content(statement_page(replace(statement, form="long")))
    assert sheets(page.pdf(**SHEET, margin=MARGIN)) > 1  # the count is able to tell
    page.close()
