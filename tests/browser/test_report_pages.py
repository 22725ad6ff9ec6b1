"""The report's page in a real browser: tables sorted and saved, plots saved, a word where a table scrolls."""

from pathlib import Path

import pytest

from nlgauge import api
from nlgauge.report.scores import write_report

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
from playwright.sync_api import Browser

ROWS = [
    {"item": str(n), "system": system, "hypothesis": "a b c"[: 1 + n % 5], "references": ["a b c"]}
    for system in ("beta", "alpha")
    for n in range(5 + (system == "beta"))
]
SPECS = ["bleu", "chrf", "ter", "rougeL", "wer", "cer", "chrf(word=2,beta=1)"]


def test_tables_are_sorted_and_saved_plots_saved_and_wide_tables_say_so(browser: Browser, tmp_path: Path) -> None:
    target = write_report(api.score(ROWS, SPECS), None, tmp_path / "r.html")
    page = browser.new_page(viewport={"width": 390, "height": 800})
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.goto(target.as_uri())
    assert page.locator(".tools span:not([hidden])").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    names = page.locator("table.scores tbody th")
    page.locator("th.sort").first.press("Enter")
    assert names.all_inner_texts() == ["alpha", "beta"]
    page.locator("th.sort").first.click()
    assert names.all_inner_texts() == ["beta", "alpha"]
    with page.expect_download() as saved:
        page.get_by_role("button", name="CSV").first.click()
    assert Path(saved.value.path()).read_text().splitlines()[0].startswith('"system","bleu')
    with page.expect_download() as saved:
        page.get_by_role("button", name="SVG").first.click()
    assert Path(saved.value.path()).read_text().startswith("<svg") and not problems
    page.close()
