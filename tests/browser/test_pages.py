"""Every kind of page: no barrier that axe-core calls serious, no sideways scrolling, and a picture of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import browsing
import pytest
from browsing import DESKTOP, Served, go, heading, pick, visiting

from nlgauge.web.language import load

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, screenshots: Path) -> Iterator[Served]:
    codes = {"code": "WIND-2042", "failed_code": "CALM-7"}  # the study's go to those who come by the platform
    panels = {
        "readers": {"judges": 8, "evaluations": 2, "access": "links", "completion": codes},
        "public": {"judges": 1, "evaluations": 1, "access": "open"},
        "crowd": {"judges": 2, "access": "platform"},
    }
    consent = {
        "text": {
            "en": "Taking part is voluntary and you may stop at any time.\n\nAnswers are stored without your name.",
            "ar": "المشاركة طوعية ويمكنك التوقف في أي وقت.\n\nتُحفظ إجاباتك دون اسمك.",
        },
        "agree": {"en": "I am at least 18 years old and agree.", "ar": "عمري 18 سنة على الأقل وأوافق."},
    }
    folder = browsing.launched(
        tmp_path_factory.mktemp("pages") / "study",
        panels=panels,
        consent=consent,
        corrections="allow",
        practice={"triads": 2, "required": 1},
        context={"en": "Forecasts for the same coast.", "ar": "نشرات للساحل نفسه."},
        ethics={
            "approval": "2026/17",
            "body": "University board",
            "contact": "study@example.org",
            "retention_days": 90,
        },
    )
    with browsing.served(folder) as found:
        yield found


def personal(site: Served) -> list[str]:
    return [link for link in site.links if "/j/" in link]


def submit(page: Page) -> None:
    go(page, "main .actions button[type=submit]")


def odd(site: Served, page: Page) -> int:
    """The place of the odd text of the practice page, by what the study knows."""
    shown = browsing.shown_texts(page)
    with site.service() as service:
        subjects = [next(t.subject for t in service.frozen.text.values() if t.text == text) for text in shown]
    return next(k for k in range(3) if subjects.count(subjects[k]) == 1)


@pytest.mark.parametrize("locale", ["en-GB", "ar"])
def test_from_consent_to_the_end(  # noqa: PLR0915 - one visit, page by page
    site: Served, browser: Browser, look: Callable[..., None], locale: str
) -> None:
    link = personal(site)[0 if locale == "ar" else 1]
    mark, dark = locale[:2], locale == "en-GB"
    with visiting(browser, DESKTOP, locale=locale) as page:
        page.goto(link)
        look(page, f"consent-{mark}", dark=dark)
        submit(page)
        look(page, f"consent-mistake-{mark}", dark=dark)
        pick(page, "ticked")
        submit(page)
        look(page, f"questions-{mark}", dark=dark)
        page.locator("#q1").fill("old")
        submit(page)
        assert page.locator("#q1").input_value() == "old"
        assert page.title().startswith("Error:" if mark == "en" else "خطأ:")
        look(page, f"questions-mistakes-{mark}", dark=dark)
        pick(page, "q0-0")
        page.locator("#q1").fill("70,5")
        submit(page)
        look(page, f"instructions-{mark}", dark=dark)
        submit(page)
        look(page, f"practice-{mark}", dark=dark)
        right = odd(site, page)
        pick(page, f"answer-{right}")
        submit(page)
        look(page, f"feedback-right-{mark}", dark=dark)
        go(page, "main .actions a")
        wrong = (odd(site, page) + 1) % 3
        pick(page, f"answer-{wrong}")
        submit(page)
        look(page, f"feedback-wrong-{mark}", dark=dark)
        go(page, "main .actions a")
        look(page, f"evaluation-{mark}", dark=dark)
        submit(page)
        look(page, f"evaluation-mistake-{mark}", dark=dark)
        go(page, "footer a[href$=leave]")
        look(page, f"leave-{mark}", dark=dark)
        go(page, "main a.button")
        for _ in range(2):
            pick(page, "answer-2")
            submit(page)
        look(page, f"done-{mark}", dark=dark)
        go(page, "footer a[href$=change]")
        look(page, f"changes-{mark}", dark=dark)
        go(page, "main li a")
        assert page.locator("#answer-2").is_checked()
        look(page, f"change-{mark}", dark=dark)
        pick(page, "answer-0")
        submit(page)
        page.goto(link)
        assert page.locator("code").inner_text() == "WIND-2042"
    with site.service() as service:
        judge = service.arrivals.follow(link.rpartition("/")[2])
        rows = [row for row in service.judgements() if row.judge == judge and not row.practice]
    assert [row.answer for row in rows] == [2, 2, 0] and rows[2].replaces in {row.id for row in rows[:2]}


def test_endings(site: Served, browser: Browser, look: Callable[..., None]) -> None:  # noqa: PLR0915 - one visit, page by page
    """Failed, left, taken, paused, closed; open and platform links; links that lead nowhere."""
    links = personal(site)[2:]
    opened = next(link for link in site.links if "/o/" in link)
    platform = next(link for link in site.links if "/p/" in link).partition("?")[0]
    with visiting(browser) as page:
        page.goto(site.base)
        look(page, "home")
        page.goto(f"{site.base}/j/{'0' * 44}")
        look(page, "unknown")
        page.goto(f"{site.base}/nowhere")
        look(page, "not-found")
        page.goto(platform)
        look(page, "platform-without-id")
        page.goto(f"{platform}?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE")
        look(page, "platform-preview")
        page.goto(opened)
        look(page, "welcome")
        submit(page)
        assert "/j/" in page.url and heading(page) == "Before you begin"
    with visiting(browser) as page:
        page.goto(links[0])
        go(page, "button[value=no]")
        look(page, "left")
    with visiting(browser) as page:  # twice wrong where one right answer is required
        page.goto(links[1])
        pick(page, "ticked")
        submit(page)
        pick(page, "q0-0")
        submit(page)
        submit(page)
        for _ in range(2):
            wrong = (odd(site, page) + 1) % 3
            pick(page, f"answer-{wrong}")
            submit(page)
            go(page, "main .actions a")
        assert page.locator("code").inner_text() == "CALM-7"
        look(page, "failed", dark=True)
    with visiting(browser) as page, site.service() as service:
        page.goto(links[2])
        pick(page, "ticked")
        submit(page)
        pick(page, "q0-0")
        submit(page)
        submit(page)
        for last in (False, True):
            pick(page, f"answer-{odd(site, page)}")
            submit(page)
            if last:
                service.admin.pause()
            go(page, "main .actions a")
        look(page, "paused")
        service.admin.close()
        page.goto(links[3])
        look(page, "closed")
        service.admin.reopen()


def test_a_full_study_says_so(tmp_path: Path, browser: Browser, look: Callable[..., None]) -> None:
    panels = {"public": {"judges": 1, "access": "open"}}
    changes = {"panels": panels, "consent": None, "questions": [], "instructions": None, "practice": None}
    with browsing.served(browsing.launched(tmp_path / "full", **changes)) as site, visiting(browser) as page:
        page.goto(site.links[0])
        while page.locator("#answer-0").count() == 0:
            submit(page)
        page.context.clear_cookies()
        page.goto(site.links[0])  # the next one is told before anything is asked
        assert heading(page) == load("en").say("full_title")
        look(page, "full")
