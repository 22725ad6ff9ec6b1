"""The researcher's pages in a real browser: the password is set, and every page is free of serious barriers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import browsing
import pytest
from browsing import Served, go, heading, visiting

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not find_spec("nlgauge.web.dashboard"), reason="this build has no dashboard"),
]


PASSWORD = "seven small stones"
PAGES = ("", "/links", "/judges", "/export", "/study", "/close", "/password", "/analysis")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, screenshots: Path) -> Iterator[Served]:
    panels = {
        "readers": {"judges": 12, "access": "links"},
        "public": {"judges": 12, "evaluations": 2, "access": "open"},
    }
    folder = browsing.launched(tmp_path_factory.mktemp("dashboard") / "study", panels=panels, practice=0)
    with browsing.served(folder) as found:
        with found.service() as service:
            for number in range(9):  # some have finished, one is in between, one has left
                judge, _ = service.arrivals.register("public", language="en")
                service.people.consent(judge, number != 8)
                if number == 8:
                    continue
                service.people.answer_questions(judge, {"reads": "0"})
                for _ in range(1 if number == 7 else 2):
                    shown = service.dealing.step(judge).evaluation
                    assert shown is not None
                    service.answers.answer(judge, shown.claim, number % 3, reason="the wording", highlights=[(0, 0, 4)])
        yield found


def test_every_page_of_the_dashboard(site: Served, browser: Browser, look: Callable[..., None]) -> None:
    with visiting(browser) as page:
        page.goto(f"{site.base}/dashboard")
        look(page, "dashboard-login")
        page.goto(site.setup)
        look(page, "dashboard-setup")
        for field in page.locator("input[type=password]").all():
            field.fill(PASSWORD)
        go(page, "main form button[type=submit]")
        for path in PAGES:
            page.goto(f"{site.base}/dashboard{path}")
            assert heading(page)
            look(page, f"dashboard{path.replace('/', '-') or '-overview'}", dark=True)


def set_password(site: Served, browser: Browser) -> None:
    """At the address printed, unless an earlier test has done so."""
    with visiting(browser) as page:
        page.goto(site.setup)
        if page.locator("input[type=password]").count():
            for field in page.locator("input[type=password]").all():
                field.fill(PASSWORD)
            go(page, "main form button[type=submit]")


def test_without_scripts_and_from_another_device(site: Served, browser: Browser) -> None:
    set_password(site, browser)
    with visiting(browser, browsing.PHONE, java_script_enabled=False) as page:
        page.goto(f"{site.base}/dashboard")
        page.locator("#password").fill("not the password")
        go(page, "main form button[type=submit]")
        assert page.locator("[role=alert]").is_visible()
        page.wait_for_timeout(1500)  # the next attempt is slowed down
        page.locator("#password").fill(PASSWORD)
        go(page, "main form button[type=submit]")
        assert page.locator("#password").count() == 0 and "12" in page.locator("main").inner_text()
