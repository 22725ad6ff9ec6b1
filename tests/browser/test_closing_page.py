"""The questions at the end in a real browser: by keyboard alone, on a phone, from right to left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import browsing
import pytest
import yaml
from browsing import PHONE, Served, go, heading, pick, visiting

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SMALL = {"width": 1366, "height": 650}
CLOSING: list[dict[str, Any]] = [
    {
        "id": "hard",
        "type": "scale",
        "points": 7,
        "low": {"en": "very easy", "ar": "سهل جدًا"},
        "high": {"en": "very hard", "ar": "صعب جدًا"},
        "text": {"en": "How hard was it to choose?", "ar": "ما مدى صعوبة الاختيار؟"},
        "required": True,
    },
    {
        "id": "signs",
        "type": "several",
        "text": {"en": "What did you look at?", "ar": "إلى ماذا نظرت؟"},
        "options": [
            {"en": "words", "ar": "الكلمات"},
            {"en": "length", "ar": "الطول"},
            {"en": "punctuation", "ar": "علامات الترقيم"},
        ],
    },
    {
        "id": "again",
        "text": {"en": "Would you take part again?", "ar": "هل تشارك مرة أخرى؟"},
        "options": [{"en": "yes", "ar": "نعم"}, {"en": "no", "ar": "لا"}],
    },
    {"id": "minutes", "type": "number", "text": {"en": "How many minutes did it take?", "ar": "كم دقيقة؟"}},
    {"id": "more", "type": "text", "text": {"en": "Anything else?", "ar": "أي شيء آخر؟"}},
]
SHORT: dict[str, Any] = {
    "consent": None,
    "questions": [],
    "practice": 0,
    "panels": {"readers": {"judges": 6, "evaluations": 1, "access": "links"}},
    "closing": CLOSING,
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, screenshots: Path) -> Iterator[Served]:
    with browsing.served(browsing.launched(tmp_path_factory.mktemp("end") / "study", **SHORT)) as found:
        yield found


def to_the_end(page: Page, address: str) -> None:
    """The instructions and the one evaluation."""
    page.goto(address)
    go(page, "main form button[type=submit]")
    pick(page, "answer-1")
    go(page, "main .actions button[type=submit]")


def said(site: Served, link: str) -> dict[str, str]:
    with site.service() as service:
        return service.people.personal().get(service.arrivals.follow(link.rpartition("/")[2]), {})


def test_the_keyboard_is_enough(site: Served, browser: Browser, look: Callable[..., None]) -> None:
    link = site.links[0]
    with visiting(browser, SMALL) as page:
        to_the_end(page, link)
        assert heading(page) == "A few last questions"
        look(page, "closing", dark=True)
        go(page, "main form button[type=submit]")  # a required question is open
        assert page.locator(".errors a").get_attribute("href") == "#q0-0" and said(site, link) == {}
        look(page, "closing-mistake")
        page.locator(".errors a").focus()
        page.keyboard.press("Enter")
        page.locator("#q0-0").focus()
        page.keyboard.press("6")  # the digit chooses the point
        for key in ("Tab", "Space", "Tab", "Tab", "Space", "Tab", "ArrowDown", "Tab"):
            page.keyboard.press(key)
        page.keyboard.type("3,5")
        page.keyboard.press("Tab")
        page.keyboard.type("two\nlines")
        page.keyboard.press("Tab")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert heading(page) == "Thank you" and page.locator("code").inner_text() == "WIND-2042"
        page.goto(link)
        assert heading(page) == "Thank you"  # asked once
    assert said(site, link) == {
        "hard": "6",
        "signs": "0,2",
        "again": "0",
        "minutes": "3.5",
        "more": "two\nlines",
    }


def test_on_a_phone_from_right_to_left_and_on_leaving(
    site: Served, browser: Browser, look: Callable[..., None]
) -> None:
    link = site.links[1]
    with visiting(browser, PHONE, locale="ar") as page:
        to_the_end(page, link)
        assert page.locator("html").get_attribute("dir") == "rtl"
        look(page, "closing-rtl")
        page.goto(f"{link}/leave")
        look(page, "leave-closing-rtl")
        pick(page, "q0-1")
        go(page, "main form button[type=submit]")
    assert said(site, link) == {"hard": "2"}


def test_a_translation_of_ones_own_turns_the_page(tmp_path: Path, browser: Browser, look: Callable[..., None]) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    phrases = {
        "closing_title": "چند پرسش پایانی",
        "continue": "ادامه",
        "required": "الزامی",
        "optional": "اختیاری",
    }
    own = yaml.safe_dump({"name": "فارسی", "phrases": phrases}, allow_unicode=True)
    (folder / "fa.yaml").write_text(own, encoding="utf-8")
    words = {"fa": "کدام متن از نویسنده‌ای دیگر است؟"}
    asked = [{"id": "hard", "type": "scale", "text": "چقدر سخت بود؟", "low": "آسان", "high": "سخت"}]
    made = SHORT | {"question": words, "instructions": words, "closing": asked}
    with browsing.served(browsing.launched(folder, **made, translations={"fa": "fa.yaml"})) as site:
        with visiting(browser, PHONE) as page:
            to_the_end(page, site.links[0])
            assert page.locator("html").get_attribute("dir") == "rtl"
            assert heading(page) == "چند پرسش پایانی" and page.get_by_text("Leave the study").count() == 1
            look(page, "closing-own-language")
            page.locator("#q0-none").focus()
            page.keyboard.press("4")
            go(page, "main form button[type=submit]")
        assert said(site, site.links[0]) == {"hard": "4"}
