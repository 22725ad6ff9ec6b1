"""The pages of a classification in a real browser: by keys on a desktop, by touch on a phone, twelve classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import browsing
import pytest
import yaml
from browsing import DESKTOP, PHONE, Served, appears, fits, go, heading, visiting

from nlgauge.study.file import study
from nlgauge.study.service import launch
from nlgauge.study.store import Store

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

PAPERS = {
    "courier": {
        "label": {"en": "The Courier", "ar": "البريد"},
        "description": {"en": "Long sentences, few exclamation marks.", "ar": "جمل طويلة."},
    },
    "gazette": {"label": {"en": "The Gazette", "ar": "الجريدة"}},
}
TWELVE = {f"paper {number}": {"label": f"Paper number {number}"} for number in range(1, 13)}


def described(classes: dict[str, Any], **changes: Any) -> dict[str, Any]:
    first, second = list(classes)[:2]
    texts = [{"text": f"“No deal” on bridge number {k}, mayor says", "truth": (first, second)[k % 2]} for k in range(4)]
    gold = {"text": "Bridge! Closed! Again!", "gold": {"answer": {"class": 2}}}
    return {
        "protocol": "classification",
        "title": {"en": "Which newspaper?", "ar": "أي صحيفة؟"},
        "question": {
            "en": "Which newspaper does this headline come from?",
            "ar": "من أي صحيفة هذا العنوان؟",
        },
        "classes": classes,
        "subjects": {"headlines": {"texts": texts}},
        "languages": ["en", "ar"],
        "design": {"kind": "crossed"},
        "practice": {"examples": [gold | {"why": {"en": "They shout.", "ar": "يصرخون."}}]},
        "panels": {"readers": {"judges": 3, "access": "links"}},
        "corrections": "allow",
        "ethics": {"approval": "none needed", "contact": "study@example.org"},
        "seed": 20261118,
    } | changes


@contextmanager
def served(folder: Path, classes: dict[str, Any], **changes: Any) -> Iterator[Served]:
    folder.mkdir(parents=True)
    text = yaml.safe_dump(described(classes, **changes), sort_keys=False, allow_unicode=True)
    (folder / study.FILE).write_text(text, encoding="utf-8")
    store = Store.at(folder)
    launch(study.load(folder), folder, store)
    store.close()
    with browsing.served(folder) as found:
        yield found


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory, screenshots: Path) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("papers") / "study", PAPERS) as found:
        yield found


def stored(site: Served) -> list[tuple[Any, bool]]:
    with site.service() as service:
        return [(one.answer, one.practice) for one in service.judgements()]


def submit(page: Page) -> None:
    go(page, "main .actions button[type=submit]")


def test_a_class_is_chosen_by_its_key_after_training(
    papers: Served, browser: Browser, look: Callable[..., None]
) -> None:
    before = len(stored(papers))
    with visiting(browser, DESKTOP, locale="en-GB") as page:
        page.goto(papers.links[0])
        assert "choose the one answer" in page.locator("main").inner_text()
        submit(page)
        assert heading(page) == "Practice 1 of 1"
        page.keyboard.press("1")
        submit(page)
        told = page.locator("main").inner_text()
        assert "The Courier" in told and "The Gazette" in told and "They shout." in told
        look(page, "class-training")
        go(page, "main a[rel=next]")
        assert heading(page) == "Text 1 of 4"
        submit(page)  # no answer
        appears(page, ".errors li", 1)
        page.keyboard.press("2")
        assert page.locator("#c0-1").is_checked()
        look(page, "class-two", dark=True)
        submit(page)
        go(page, "footer a[href$=change]")
        assert "The Gazette" in page.locator("main").inner_text()
        go(page, ".answers a")
        assert page.locator("#c0-1").is_checked()
        page.locator("label[for=c0-0]").click()
        submit(page)
        for _ in range(3):
            page.locator("label[for=c0-1]").click()
            submit(page)
        assert heading(page) == "Thank you"
    found = [answer for answer, practice in stored(papers)[before:] if not practice]
    assert [one["class"] for one in found] == [2, 1, 2, 2, 2]  # the second takes the place of the first


def test_classes_on_a_phone_from_right_to_left(papers: Served, browser: Browser, look: Callable[..., None]) -> None:
    with visiting(browser, PHONE, locale="ar") as page:
        page.goto(papers.links[1])
        submit(page)
        page.locator("label[for=c0-1]").tap()
        submit(page)
        go(page, "main a[rel=next]")
        page.locator("label[for=c0-0]").tap()
        fits(page)
        assert "البريد" in page.locator("main").inner_text()
        look(page, "class-phone-ar")


def test_twelve_classes_fit_and_have_numbers(tmp_path: Path, browser: Browser, look: Callable[..., None]) -> None:
    with (
        served(tmp_path / "study", TWELVE, practice=0) as site,
        visiting(browser, PHONE, locale="en-GB") as page,
    ):
        page.goto(site.links[0])
        submit(page)
        appears(page, "[name=c0]", 12)
        fits(page)
        look(page, "class-twelve")
        page.set_viewport_size(DESKTOP)
        page.keyboard.press("9")
        assert page.locator("#c0-8").is_checked()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        submit(page)
        assert stored(site) == [({"class": 12}, False)]
