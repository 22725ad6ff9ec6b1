"""The comprehension test, an attention check and a discussion in a real browser: by keyboard, and on a phone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import browsing
import pytest
import yaml
from browsing import DESKTOP, Served, appears, fits, heading, visiting

from nlgauge.study.file import study
from nlgauge.study.service import launch
from nlgauge.study.store import Store

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

HANDHELD = {"width": 390, "height": 844}
TEST = {
    "questions": [
        {"text": "What do you judge?", "options": ["The text", "Its author"], "answer": 1},
        {"text": "Are there right answers?", "options": ["Yes", "No"], "answer": 2},
    ],
    "attempts": 2,
}
CHECK = "This is a check that you read every text: please choose 2."


def description() -> dict[str, Any]:
    texts = [
        "A fresh wind from the south-west, rain by dusk.",
        "Snow on the hills, clear skies after midnight.",
    ]
    return {
        "protocol": "likert",
        "title": "How good are these forecasts?",
        "instructions": "Read each forecast, then say how fluent it is. There are no right or wrong answers.",
        "subjects": {name: {"texts": [f"{text} {name}" for text in texts]} for name in ("Short", "Long")},
        "criteria": ["fluency"],
        "scale": {"points": 5, "labels": ["Very poor", "Very good"]},
        "design": "crossed",
        "languages": ["en"],
        "quality": {"comprehension": TEST, "attention": [{"text": CHECK, "answer": {"fluency": 2}}]},
        "panels": {"readers": {"judges": 3, "access": "links"}},
        "completion": {"code": "GOOD-1", "failed_code": "ENDED-2"},
        "ethics": {"approval": "none needed", "contact": "study@example.org"},
        "seed": 20261115,
    }


@pytest.fixture(scope="module")
def cared(tmp_path_factory: pytest.TempPathFactory, screenshots: Path) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("cared") / "study"
    folder.mkdir()
    (folder / study.FILE).write_text(yaml.safe_dump(description(), sort_keys=False), encoding="utf-8")
    store = Store.at(folder)
    launch(study.load(folder), folder, store)
    store.close()
    with browsing.served(folder) as found:
        yield found


def tab_to(page: Page, selector: str) -> None:
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("wanted => document.activeElement?.matches(wanted)", selector):
            return
    raise AssertionError(f"{selector} is not reached by Tab")


def enter(page: Page) -> None:
    """Send the form by keyboard."""
    tab_to(page, "main .actions button")
    with page.expect_navigation():
        page.keyboard.press("Enter")


def choose(page: Page, name: str, place: int) -> None:
    """The n-th radio button of a group, by arrow keys."""
    tab_to(page, f"[name={name}]")
    page.keyboard.press("Space")
    for _ in range(place):
        page.keyboard.press("ArrowDown")


def rate(page: Page, number: Callable[[str], int], look: Callable[..., None] | None = None) -> int:
    """Rate texts to the end by keyboard; says how many attention checks were among them."""
    checks = 0
    while heading(page).startswith("Text "):
        words = page.locator(".words").inner_text().strip()
        checks += words == CHECK
        if look is not None and words == CHECK:
            look(page, "attention-check")
            page.set_viewport_size(DESKTOP)
        choose(page, "c0", (2 if words == CHECK else number(words)) - 1)
        enter(page)
    return checks


def test_the_way_of_three_judges(cared: Served, browser: Browser, look: Callable[..., None]) -> None:
    with visiting(browser, DESKTOP, locale="en-GB") as page:
        page.goto(cared.links[0])
        enter(page)
        assert heading(page) == "Before you begin: a few questions"
        enter(page)  # nothing chosen
        appears(page, ".errors li", 2)
        look(page, "test-mistakes", dark=True)
        page.set_viewport_size(DESKTOP)
        choose(page, "q0", 1)
        choose(page, "q1", 1)
        enter(page)
        assert "Attempt 2 of 2" in page.locator("main").inner_text()
        assert page.locator("[role=status]").is_visible() and not page.locator("input:checked").count()
        look(page, "test-again")
        page.set_viewport_size(DESKTOP)
        choose(page, "q0", 0)
        choose(page, "q1", 1)
        enter(page)
        assert heading(page) == "Text 1 of 5"
        assert rate(page, lambda words: 5 if words.endswith("Long") else 4, look) == 1
        assert heading(page) == "Thank you" and page.locator("#code").inner_text() == "GOOD-1"
    with visiting(browser, HANDHELD, locale="en-GB") as page:
        page.goto(cared.links[1])
        enter(page)
        fits(page)
        choose(page, "q0", 0)
        choose(page, "q1", 1)
        look(page, "test-phone")
        page.set_viewport_size(HANDHELD)
        enter(page)
        assert rate(page, lambda words: 1 if words.endswith("Long") else 4) == 1
    with visiting(browser, HANDHELD, locale="en-GB") as page:
        page.goto(cared.links[2])
        enter(page)
        for _ in range(2):
            choose(page, "q0", 1)
            choose(page, "q1", 0)
            enter(page)
        assert heading(page) == "Thank you for your time"
        assert "You have judged no text" in page.locator("main").inner_text()
        assert page.locator("#code").inner_text() == "ENDED-2"
        look(page, "test-failed")
        page.go_back()  # the old form again is no third attempt
        page.goto(cared.links[2])
        assert heading(page) == "Thank you for your time"
    _discuss(cared, browser, look)


def _discuss(site: Served, browser: Browser, look: Callable[..., None]) -> None:
    with site.service() as service:
        assert service.progress.report()["panels"]["readers"]["open"] == 0  # nothing is kept for who failed
        service.admin.close()
        gaps = service.protocol.disagreements(service.frozen, service.judgements())
        service.discussion.open([name for name, gap in gaps.items() if gap >= 0.5], least=0.5)
    for link, size, number in ((0, DESKTOP, 2), (1, HANDHELD, 3)):
        with visiting(browser, size, locale="en-GB") as page:
            page.goto(site.links[link])
            assert heading(page) == "Discussion: text 1 of 2"
            said = page.locator(".earlier").inner_text()
            assert ("You: 5" in said and "Others: 1" in said) == (link == 0)
            fits(page)
            look(page, f"discussion-{link}", dark=True)
            page.set_viewport_size(size)
            assert page.locator(f"#c0-{4 if link == 0 else 0}").is_checked()
            page.locator("#c0-1").focus()
            page.keyboard.press("Space")
            for _ in range(number - 2):
                page.keyboard.press("ArrowDown")
            tab_to(page, "#comment")
            page.keyboard.type("the end is clumsy")
            enter(page)
            assert heading(page) == "Discussion: text 2 of 2"
            enter(page)  # the same as before
            assert heading(page) == "Thank you"
    with site.service() as service:
        again = [one for one in service.judgements() if one.replaces]
        assert [one.answer["fluency"] for one in again] == [2, 5, 3, 1]
        assert again[0].reason == "the end is clumsy"
        assert len(service.judgements()) == 10 + 4
