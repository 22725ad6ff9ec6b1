"""Conversations and tasks in a real browser: by keyboard on a desktop, on a phone, with scripts and without."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import browsing
import pytest
from browsing import DESKTOP, Served, appears, barriers, fits, go, heading, visiting

from nlgauge.study.file import study
from nlgauge.study.service import launch
from nlgauge.study.store import Store

sys.path.insert(0, str(Path(__file__).parents[1] / "study"))
import conversing
from endpoints import Answer, Seen, completion, endpoint, failure

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

PHONE = {"width": 390, "height": 844}
REPLIES = (
    "Good evening! For how many people, and at what time?",
    "Friday at eight is free.\nShall I write it down?",
    "Done. <b>See you</b> on Friday & bring an umbrella: it will rain.",
)
WORDS = {"en": "How friendly was the other side?", "ar": "ما مدى لطف الطرف الآخر؟"}


@contextmanager
def served(folder: Path, values: dict[str, Any]) -> Iterator[Served]:
    conversing.write(folder, values)
    store = Store.at(folder)
    launch(study.load(folder), folder, store)
    store.close()
    with browsing.served(folder) as found:
        yield found


class Talk:
    """A chat study that is served, and what its systems do."""

    down = False
    site: Served

    def behave(self, seen: Seen, number: int) -> Answer:
        if self.down:
            return failure(503)
        said = sum(one["role"] == "user" for one in seen.body["messages"])
        return completion(REPLIES[(said - 1) % len(REPLIES)])


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory, screenshots: Path) -> Iterator[Talk]:
    found = Talk()
    warm = {"id": "warmth", "definition": "The other side is friendly.", "question": WORDS}
    values = conversing.chat(
        title={"en": "Talk and tell", "ar": "تحدث وأخبرنا"},
        languages=["en", "ar"],
        criteria=["engagingness", conversing.REPEATS, warm],
        panels={"readers": {"judges": 6, "access": "links", "who": "end_user"}},
    )
    with endpoint(found.behave) as fake:
        for bot in values["bots"].values():
            bot |= {"url": fake.url, "key_env": ""}
        with served(tmp_path_factory.mktemp("chat") / "study", values) as site:
            found.site = site
            yield found


@pytest.fixture(scope="module", params=[False, True], ids=["beside", "hidden"])
def quiz(
    tmp_path_factory: pytest.TempPathFactory, screenshots: Path, request: pytest.FixtureRequest
) -> Iterator[tuple[Served, bool]]:
    panels = {"readers": {"judges": 4, "access": "links"}}
    values = conversing.task(hide_text=request.param, confidence=True, panels=panels, languages=["en", "de"])
    with served(tmp_path_factory.mktemp("task") / "study", values) as site:
        yield site, request.param


def stored(site: Served) -> list[Any]:
    with site.service() as service:
        return [one.answer for one in service.judgements()]


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until an element has the focus, as somebody without a mouse does."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("wanted => document.activeElement?.matches(wanted)", selector):
            return
    raise AssertionError(f"{selector} is not reached by Tab")


def press(page: Page, selector: str) -> None:
    tab_to(page, selector)
    with page.expect_navigation():
        page.keyboard.press("Enter")


def said(answer: dict[str, Any]) -> list[str]:
    return [one["text"] for one in answer["turns"] if one["role"] in ("judge", "system")]


def test_a_conversation_by_keyboard_alone(talk: Talk, browser: Browser, look: Callable[..., None]) -> None:
    with visiting(browser, DESKTOP, locale="en-GB") as page:
        page.goto(talk.site.links[0])
        press(page, "main .actions button")
        assert heading(page) == "Conversation 1 of 2"
        look(page, "chat-begin", dark=True)
        page.set_viewport_size(DESKTOP)
        tab_to(page, "#message")
        for number, words in enumerate(("A table for two, please.", "Friday at eight?", "Thank you!"), start=1):
            page.keyboard.type(words)
            page.keyboard.press("Enter")  # sends without leaving the page; the field has the focus again
            if number < 3:
                appears(page, ".turn.judge", number)
                page.wait_for_selector("#message:focus")
            if number == 2:
                look(page, "chat-talking", dark=True)
                page.set_viewport_size(DESKTOP)
                page.locator("#message").focus()
        page.wait_for_selector("form[action$='/answer']")  # three messages are the most
        look(page, "chat-rating", dark=True)
        page.set_viewport_size(DESKTOP)
        for name, downs in (("c0", 3), ("c1", 0), ("c2", 4)):
            tab_to(page, f"[name={name}]")
            page.keyboard.press("Space")
            for _ in range(downs):
                page.keyboard.press("ArrowDown")
        press(page, "main .actions button")
        assert heading(page) == "Conversation 2 of 2"
    answer = stored(talk.site)[-1]
    assert said(answer)[::2] == ["A table for two, please.", "Friday at eight?", "Thank you!"]
    assert said(answer)[1::2] == list(REPLIES)
    assert answer["ratings"] == {"engagingness": 4, "avoiding-repetition": 1, "warmth": 5}


@pytest.mark.parametrize(("scripts", "locale", "link"), [(True, "en-GB", 1), (False, "ar", 2)])
def test_a_conversation_on_a_phone_with_a_system_that_is_down(
    talk: Talk, browser: Browser, axe: str, scripts: bool, locale: str, link: int
) -> None:
    with visiting(browser, PHONE, locale=locale, java_script_enabled=scripts) as page:
        page.goto(talk.site.links[link])
        go(page, "main .actions button")
        talk.down = True
        page.locator("#message").fill("Hello?")
        page.locator(".say button").tap()
        page.wait_for_selector(".failure")
        assert "Hello?" in page.locator(".turns").inner_text()
        if scripts:
            fits(page)
            assert barriers(page, axe) == []
        browsing.screenshot(page, f"chat-down-{locale[:2]}")
        page.reload()  # nothing is lost
        assert "Hello?" in page.locator(".turns").inner_text()
        talk.down = False
        page.locator(".retry button").tap()
        page.wait_for_selector(".turn.system >> nth=-1")
        appears(page, ".failure", 0)
        page.locator("#message").fill("For two.")
        page.locator(".say button").tap()
        appears(page, ".turn.judge", 2)
        page.wait_for_selector(".end button")
        browsing.screenshot(page, f"chat-phone-{locale[:2]}")
        go(page, ".end button")
        for name in ("c0-1", "c1-2", "c2-3"):
            page.locator(f"label[for={name}]").tap()
        browsing.screenshot(page, f"chat-rating-phone-{locale[:2]}")
        go(page, "main form[action$='/answer'] .actions button")
    answer = stored(talk.site)[-1]
    assert said(answer)[::2] == ["Hello?", "For two."] and said(answer)[1::2] == list(REPLIES[:2])
    assert [one["role"] for one in answer["turns"]].count("failure") == 1
    assert answer["ratings"] == {"engagingness": 2, "avoiding-repetition": 3, "warmth": 4}


def test_a_task_by_keyboard_alone(quiz: tuple[Served, bool], browser: Browser, look: Callable[..., None]) -> None:
    site, hidden = quiz
    name = "task-hidden" if hidden else "task"
    with visiting(browser, DESKTOP, locale="en-GB") as page:
        page.goto(site.links[0])
        press(page, "main .actions button")
        assert heading(page) == "Text 1 of 6"
        if hidden:
            look(page, "task-read", dark=True)
            page.set_viewport_size(DESKTOP)
            press(page, "form[action$='/read'] button")
            assert "rain in the south" not in page.inner_text("main")
        press(page, "main .actions button")
        appears(page, ".errors li", 4)
        look(page, f"{name}-mistakes", dark=True)
        page.set_viewport_size(DESKTOP)
        tab_to(page, "[name=a0]")
        page.keyboard.press("Space")
        page.keyboard.press("ArrowDown")
        tab_to(page, "#a1")
        page.keyboard.type("on Tuesday")
        tab_to(page, "#a2")
        page.keyboard.type("12,5")
        tab_to(page, "[name=sure]")
        page.keyboard.press("ArrowLeft")
        press(page, "main .actions button")
        assert heading(page) == "Text 2 of 6"
    answer = stored(site)[-1]
    assert answer["answers"] == {
        "where": {"choice": 1},
        "when": {"text": "on Tuesday"},
        "wind": {"number": 12.5},
    }
    assert answer["confidence"] == 5 and ("read_at" in answer) is hidden


def test_a_task_on_a_phone(quiz: tuple[Served, bool], browser: Browser) -> None:
    site, hidden = quiz
    with visiting(browser, PHONE, locale="de") as page:
        page.goto(site.links[1])
        go(page, "main .actions button")
        if hidden:
            go(page, "form[action$='/read'] button")
            page.reload()  # the text does not come back
            assert "rain in the south" not in page.inner_text("main")
        page.locator("label[for=a0-2]").tap()
        page.locator("#a1").fill("Montag")
        page.locator("#a2").fill("9")
        page.locator("label[for=sure-1]").tap()
        fits(page)
        browsing.screenshot(page, f"task-phone-{'hidden' if hidden else 'beside'}")
        go(page, "main .actions button")
    answer = stored(site)[-1]
    assert answer["answers"] == {"where": {"choice": 2}, "when": {"text": "Montag"}, "wind": {"number": 9}}
    assert answer["confidence"] == 2
