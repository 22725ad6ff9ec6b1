"""Judges go through a whole study in a real browser, each in their own way; what is stored is what they did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import browsing
import pytest
from browsing import (
    DESKTOP,
    PHONE,
    Served,
    appears,
    fits,
    go,
    heading,
    pick,
    screenshot,
    shown_texts,
    visiting,
)

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.slow

# What a sighted person sees of the focus: an outline or a ring that appears on the element, its label or its row.
FOCUS = """() => {
  const focused = document.activeElement;
  if (!focused || focused === document.body) return null;
  const places = [focused, ...(focused.labels || []), focused.closest('label, .choice, .option')].filter(Boolean);
  const ring = (place) => {
    const style = getComputedStyle(place);
    return [style.outlineStyle === 'none' ? 0 : parseFloat(style.outlineWidth), style.boxShadow, style.outlineColor];
  };
  const seen = places.map(ring);
  const box = focused.getBoundingClientRect();
  return {
    element: focused.outerHTML.slice(0, 120),
    visible: seen.some(([width, shadow]) => width >= 2 || (shadow !== 'none' && focused.matches(':focus-visible'))),
    onScreen: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
  };
}"""


@dataclass
class Done:
    """What a judge did with one triad: the texts seen, the place chosen, why, and the words marked, by place."""

    texts: list[str]
    choice: int
    reason: str = ""
    marked: list[tuple[int, list[str]]] = field(default_factory=list)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, screenshots: Path) -> Iterator[Served]:
    with browsing.served(browsing.launched(tmp_path_factory.mktemp("wind") / "study")) as found:
        yield found


@pytest.fixture(scope="module")
def arabic_site(tmp_path_factory: pytest.TempPathFactory, screenshots: Path) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("arabic") / "study"
    panels = {"readers": {"judges": 12, "evaluations": 1, "access": "links"}}
    changes = {"consent": None, "questions": [], "instructions": None, "practice": 0, "panels": panels}
    launched = browsing.launched(folder, texts=browsing.ARABIC, title="من كتب هذه النشرات؟", **changes)
    with browsing.served(launched) as found:
        yield found


def stored(site: Served, link: str) -> list[Any]:
    """The judgements of the judge of a link, practice apart."""
    with site.service() as service:
        judge = service.arrivals.follow(link.rpartition("/")[2])
        return [row for row in service.judgements() if row.judge == judge and not row.practice]


def check_stored(site: Served, link: str, done: Sequence[Done]) -> None:
    """The store holds what was on screen in its order, what was chosen, and where the marked words stand."""
    rows = stored(site, link)
    assert len(rows) == len(done)
    with site.service() as service:
        for row, did in zip(rows, done, strict=True):
            texts = [service.frozen.text[text].text for text in row.texts]
            assert texts == did.texts
            assert (row.answer, row.reason) == (did.choice, did.reason)
            assert row.answered_at >= row.shown_at and not row.surplus and row.client
            for place, words in did.marked:
                spans = sorted((start, end) for where, start, end in row.highlights if where == place)
                assert " ".join(texts[place][start:end] for start, end in spans).split() == words
            assert {where for where, _, _ in row.highlights} == {place for place, _ in did.marked}


def answer_questions(page: Page, age: str = "") -> None:
    pick(page, "q0-1")
    page.locator("#q1").fill(age)
    go(page, "main form button[type=submit]")


def to_first_texts(page: Page, link: str) -> None:
    """Consent, questions, instructions and practice."""
    page.goto(link)
    go(page, "button[name=agree][value=yes]")
    answer_questions(page)
    go(page, "main form button[type=submit]")  # begin
    pick(page, "answer-1")
    go(page, "main .actions button")
    go(page, "main .actions a")  # after the feedback
    page.locator("input[name=claim]").wait_for(state="attached")


def send(page: Page, choice: int, reason: str = "", *, times: int = 1) -> Done:
    """Choose, give a reason, and press the button once or more."""
    texts = shown_texts(page)
    pick(page, f"answer-{choice}")
    if reason:
        page.locator("#reason").fill(reason)
    go(page, "main .actions button[type=submit]", clicks=times)
    return Done(texts, choice, reason)


def words_of(page: Page, place: int) -> Locator:
    return page.locator(f"#text-{place} span")


def test_with_mouse_reload_second_device_double_click_and_back(site: Served, browser: Browser) -> None:
    """A desktop with scripts: everything that may happen to a form."""
    link = site.links[0]
    with visiting(browser, DESKTOP) as page:
        to_first_texts(page, link)
        before = shown_texts(page)
        page.reload()
        assert shown_texts(page) == before

        # one word by a click, three by drawing over them; a second click takes a mark away
        words = words_of(page, 2)
        words.nth(5).click()
        words.nth(7).click()
        words.nth(7).click()
        first, last = words.nth(1).bounding_box(), words.nth(3).bounding_box()
        assert first and last
        page.mouse.move(first["x"] + 2, first["y"] + first["height"] / 2)
        page.mouse.down()
        page.mouse.move(last["x"] + last["width"] - 2, last["y"] + last["height"] / 2, steps=4)
        page.mouse.up()
        appears(page, "#text-2 .on", 4)
        marked = [words.nth(k).inner_text() for k in (1, 2, 3, 5)]
        screenshot(page, "evaluation-marked-desktop")
        done = [send(page, 1, "it “sounds” different; <b>bold</b>", times=2)]
        done[0].marked = [(2, marked)]
        assert len(stored(site, link)) == 1 and heading(page) == "Comparison 2 of 3"

        # back: the same link shows what comes next, with nothing of the last answer filled in
        second = shown_texts(page)
        page.go_back()
        assert page.url == link and shown_texts(page) == second
        assert page.locator("input:checked").count() == 0 and page.locator("#reason").input_value() == ""
        page.go_back()
        assert heading(page) == "Your practice answer"
        page.goto(link)
        assert shown_texts(page) == second and len(stored(site, link)) == 1
        done.append(send(page, 0))

    with visiting(browser, PHONE) as page:  # the same link on another device
        page.goto(link)
        assert heading(page) == "Comparison 3 of 3"
        fits(page)
        done.append(send(page, 2, "shorter"))
        page.locator("code").wait_for()
        assert page.locator("code").inner_text() == "WIND-2042" and heading(page) == "Thank you"
        page.reload()
        assert page.locator("code").inner_text() == "WIND-2042"
    check_stored(site, link, done)


def test_two_windows_answer_the_same_texts_once(site: Served, browser: Browser) -> None:
    """A form that was open in another window is sent after the study went on."""
    link = site.links[1]
    with visiting(browser, DESKTOP) as page:
        to_first_texts(page, link)
        other = page.context.new_page()
        other.goto(link)
        done = [send(page, 0)]
        pick(other, "answer-2")
        go(other, "main .actions button[type=submit]")
        assert heading(other) in ("Comparison 2 of 3", "Already answered")
    check_stored(site, link, done)


def press_tab_to(page: Page, selector: str) -> None:
    """Tab until an element has the focus; at every stop it must be seen where one is."""
    for _ in range(80):
        page.keyboard.press("Tab")
        stop = page.evaluate(FOCUS)
        if stop is None:
            continue
        assert stop["visible"], f"the focus cannot be seen on {stop['element']}"
        assert stop["onScreen"], f"the focus is out of sight on {stop['element']}"
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"the Tab key does not reach {selector} on {page.url}")


def press_and_go(page: Page, key: str) -> None:
    """Press a key that leads to another page."""
    with page.expect_navigation():
        page.keyboard.press(key)


def test_by_keyboard_alone(site: Served, browser: Browser) -> None:  # noqa: PLR0915 - one visit, page by page
    """Tab, Space, arrows and Enter are enough, and one sees where one is."""
    link = site.links[2]
    done = []
    with visiting(browser, DESKTOP) as page:
        page.goto(link)
        press_tab_to(page, "button[name=agree][value=yes]")
        press_and_go(page, "Enter")
        press_tab_to(page, "main form button[type=submit]")
        press_and_go(page, "Enter")  # the first question was not answered
        assert page.locator(".errors").is_visible()
        press_tab_to(page, ".errors a")
        page.keyboard.press("Enter")
        if not page.evaluate("document.activeElement.matches('#q0-0')"):
            press_tab_to(page, "input[name=q0]")
        page.keyboard.press("Space")
        page.keyboard.press("ArrowDown")
        press_tab_to(page, "#q1")
        page.keyboard.type("41")
        press_and_go(page, "Enter")
        press_tab_to(page, "main form button")
        press_and_go(page, "Enter")
        press_tab_to(page, "input[name=answer]")
        page.keyboard.press("Space")
        page.keyboard.press("ArrowDown")
        press_tab_to(page, "main .actions button")
        press_and_go(page, "Enter")
        assert "text 2" in page.locator(".verdict").inner_text()
        press_tab_to(page, "main .actions a")
        press_and_go(page, "Enter")

        for number in range(3):
            texts = shown_texts(page)
            press_tab_to(page, "input[name=answer]")
            page.keyboard.press("Space")
            for _ in range(number):
                page.keyboard.press("ArrowRight")
            marked = []
            if number == 1:  # the second and the fourth word of the second text
                press_tab_to(page, "details:has([data-text=text-1]) summary")
                page.keyboard.press("Enter")
                press_tab_to(page, "[data-text=text-1] input")
                for _ in range(2):
                    page.keyboard.press("ArrowRight")
                    page.keyboard.press("Space")
                    page.keyboard.press("ArrowRight")
                words = texts[1].split()
                marked = [(1, [words[1], words[3]])]
            press_tab_to(page, "#reason")
            page.keyboard.type(f"reason {number}")
            press_tab_to(page, "main .actions button[type=submit]")
            press_and_go(page, "Enter")
            done.append(Done(texts, number, f"reason {number}", marked))
        assert heading(page) == "Thank you"
    check_stored(site, link, done)
    with site.service() as service:
        judge = service.arrivals.follow(link.rpartition("/")[2])
        assert service.people.personal()[judge] == {"reads": "1", "age": "41"}


def test_in_arabic_on_a_phone_without_scripts(site: Served, browser: Browser) -> None:
    """A whole study from right to left, with boxes to tick in place of words to draw over."""
    link = site.links[3]
    with visiting(browser, PHONE, java_script_enabled=False, locale="ar-EG") as page:
        page.goto(link)
        assert page.locator("html").get_attribute("dir") == "rtl" and heading(page) == "قبل البدء"
        to_first_texts(page, link)
        done = []
        for number in range(3):
            words = shown_texts(page)[number].split()
            page.locator(f"details:has([data-text=text-{number}]) summary").click()
            boxes = page.locator(f"[data-text=text-{number}] label")
            for k in (0, len(words) - 1):
                boxes.nth(k).click()
            screenshot(page, f"evaluation-boxes-arabic-phone-{number + 1}")
            done.append(send(page, number, "سبب واضح"))
            done[-1].marked = [(number, [words[0], words[-1]])]
        assert heading(page) == "شكرًا جزيلًا" and page.locator("code").inner_text() == "WIND-2042"
    check_stored(site, link, done)


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
@pytest.mark.parametrize("locale", ["en-GB", "ar"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_every_combination(
    arabic_site: Served, browser: Browser, size: dict[str, int], locale: str, scripts: bool
) -> None:
    """Window, language and scripts in every combination, with Arabic texts; nothing scrolls sideways."""
    number = (size is PHONE) * 4 + (locale == "ar") * 2 + scripts
    link = arabic_site.links[number]
    with visiting(browser, size, java_script_enabled=scripts, locale=locale) as page:
        page.goto(link)
        go(page, "main .actions button")  # begin
        fits(page)
        name = f"{'phone' if size is PHONE else 'desktop'}-{locale[:2]}-{'scripts' if scripts else 'plain'}"
        screenshot(page, f"evaluation-arabic-texts-{name}")
        done = send(page, number % 3)
        page.locator("code").wait_for()
        assert page.locator("html").get_attribute("dir") == ("rtl" if locale == "ar" else "ltr")
    check_stored(arabic_site, link, [done])


def test_the_language_is_changed_in_between(site: Served, browser: Browser) -> None:
    """From English to Arabic before the texts; the texts stay."""
    link = site.links[4]
    with visiting(browser, DESKTOP) as page:
        to_first_texts(page, link)
        before = shown_texts(page)
        page.locator("#language").select_option("ar")
        go(page, "form.languages button")
        appears(page, "html[dir=rtl]")
        assert shown_texts(page) == before and heading(page) == "المقارنة 1 من 3"
        screenshot(page, "evaluation-arabic-desktop")
