"""The rating pages in a real browser: by keyboard on a desktop, by touch on a phone, with scripts and without."""

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

FORMAL = {
    "id": "formality",
    "definition": "The text keeps the tone of an official letter.",
    "question": {"en": "How formal is this text?", "ar": "ما مدى رسمية هذا النص؟"},
    "scale": {
        "points": 7,
        "labels": [{"en": "Not at all", "ar": "ليس رسميًا"}, {"en": "Completely", "ar": "رسمي تمامًا"}],
    },
}


def texts(style: str) -> list[dict[str, Any]]:
    return [
        {
            "text": f"{style}: a south-westerly wind of {k} knots, rain over the isles by dusk.",
            "source": f"wind(SW, {k} kn)\nrain(dusk)",
            "history": ["What will the weather be like?", "Where?", "On the isles."],
        }
        for k in range(6)
    ]


def described(**changes: Any) -> dict[str, Any]:
    return {
        "protocol": "likert",
        "title": {"en": "How good are these forecasts?", "ar": "ما جودة هذه النشرات؟"},
        "subjects": {name: {"texts": texts(name)} for name in ("Short", "Long")},
        "criteria": ["fluency", FORMAL],
        "show": ["source", "history"],
        "languages": ["en", "ar"],
        "design": {"kind": "latin", "items_per_judge": 2},
        "practice": {"examples": [texts("Try")[0]]},
        "reasons": {"text": "optional", "highlight": "optional"},
        "panels": {"readers": {"judges": 6, "access": "links"}},
        "corrections": "allow",
        "ethics": {"approval": "none needed", "contact": "study@example.org"},
        "seed": 20261115,
    } | changes


@contextmanager
def served(folder: Path, **changes: Any) -> Iterator[Served]:
    folder.mkdir(parents=True)
    text = yaml.safe_dump(described(**changes), sort_keys=False, allow_unicode=True)
    (folder / study.FILE).write_text(text, encoding="utf-8")
    store = Store.at(folder)
    launch(study.load(folder), folder, store)
    store.close()
    with browsing.served(folder) as found:
        yield found


@pytest.fixture(scope="module")
def likert(tmp_path_factory: pytest.TempPathFactory, screenshots: Path) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("likert") / "study") as found:
        yield found


@pytest.fixture(scope="module")
def slider(tmp_path_factory: pytest.TempPathFactory, screenshots: Path) -> Iterator[Served]:
    own = {key: value for key, value in FORMAL.items() if key != "scale"}
    folder = tmp_path_factory.mktemp("slider") / "study"
    with served(folder, protocol="continuous", criteria=["fluency", own], practice=0, reasons={}) as found:
        yield found


def stored(site: Served) -> list[Any]:
    with site.service() as service:
        return [(one.answer, one.reason, one.highlights, one.practice) for one in service.judgements()]


def submit(page: Page) -> None:
    go(page, "main .actions button[type=submit]")


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until an element has the focus, as somebody without a mouse does."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("wanted => document.activeElement?.matches(wanted)", selector):
            return
    raise AssertionError(f"{selector} is not reached by Tab")


def scrolls_by_keys(page: Page) -> None:
    """A text that is higher than the window is read in a pane of its own, which Tab reaches and keys move."""
    page.evaluate("document.querySelector('#text-0').textContent = 'A long text. '.repeat(3000)")
    tab_to(page, ".rated > .text")
    assert page.locator(".rated > .text").get_attribute("aria-labelledby") == "name-0"
    high, room = (page.evaluate(f"document.activeElement.{name}") for name in ("scrollHeight", "clientHeight"))
    assert high > room > 100  # there is something to scroll
    page.keyboard.press("End")
    page.wait_for_function("() => document.activeElement.scrollTop > 100")


def test_points_by_keyboard_alone(likert: Served, browser: Browser, look: Callable[..., None]) -> None:
    before = len(stored(likert))
    with visiting(browser, DESKTOP, locale="en-GB") as page:
        page.goto(likert.links[0])
        submit(page)  # the instructions
        assert heading(page) == "Practice 1 of 1"
        tab_to(page, "main .actions button")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        appears(page, ".errors li", 2)
        look(page, "rating-mistakes", dark=True)
        page.keyboard.press("Tab")  # the first mistake leads to its question
        page.keyboard.press("Enter")
        tab_to(page, "#c0-0")
        page.keyboard.press("Space")
        tab_to(page, "[name=c1]")
        for _ in range(3):
            page.keyboard.press("ArrowDown")
        tab_to(page, "main .actions button")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert heading(page) == "Text 1 of 2"
        look(page, "rating-likert", dark=True)
        page.set_viewport_size(DESKTOP)
        scrolls_by_keys(page)
        tab_to(page, "[name=c0]")
        for _ in range(4):
            page.keyboard.press("ArrowDown")
        tab_to(page, "[name=c1]")
        page.keyboard.press("Space")
        tab_to(page, "#reason")
        page.keyboard.type("reads well")
        tab_to(page, "main .actions button")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert heading(page) == "Text 2 of 2"
    found = stored(likert)[before:]
    assert [answer for answer, *_ in found] == [
        {"fluency": 1, "formality": 4},
        {"fluency": 5, "formality": 1},
    ]
    assert found[0][3] and not found[1][3] and found[1][1] == "reads well"


@pytest.mark.parametrize(("locale", "link"), [("en-GB", 1), ("ar", 2)])
def test_points_on_a_phone(likert: Served, browser: Browser, look: Callable[..., None], locale: str, link: int) -> None:
    before = len(stored(likert))
    with visiting(browser, PHONE, locale=locale) as page:
        page.goto(likert.links[link])
        submit(page)
        for value in (2, 6):
            page.locator(f"label[for=c0-{min(value, 4)}]").tap()
            page.locator(f"label[for=c1-{value}]").tap()
            fits(page)
            if value == 6:
                page.locator("#text-0 span").first.tap()
                look(page, f"rating-phone-{locale[:2]}")
                page.set_viewport_size(PHONE)
            submit(page)
    found = stored(likert)[before:]
    assert [answer for answer, *_ in found] == [
        {"fluency": 3, "formality": 3},
        {"fluency": 5, "formality": 7},
    ]
    assert found[1][2], "a word was marked"


def test_a_slider_has_no_position_until_it_is_touched(
    slider: Served, browser: Browser, look: Callable[..., None]
) -> None:
    before = len(stored(slider))
    with visiting(browser, DESKTOP, locale="en-GB") as page:
        page.goto(slider.links[0])
        submit(page)
        appears(page, "input.untouched[type=range]", 2)
        assert page.locator("[name=c0]").input_value() == ""
        submit(page)  # untouched: no answer
        appears(page, ".errors li", 2)
        assert len(stored(slider)) == before
        look(page, "rating-slider", dark=True)
        page.set_viewport_size(DESKTOP)
        box = page.locator("input[data-for=c0]").bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + box["height"] / 2)  # the very middle
        assert page.locator("[name=c0]").input_value() == "50"
        tab_to(page, "input[data-for=c1]")
        page.keyboard.press("End")
        page.keyboard.press("ArrowLeft")
        assert page.locator("[name=c1]").input_value() == "99"
        look(page, "rating-slider-touched")
        submit(page)
        assert heading(page) == "Text 2 of 2"
        page.locator("[name=c0]").fill("12,0")  # typed, with a decimal comma
        page.locator("[name=c1]").fill("101")
        submit(page)
        appears(page, ".errors li", 1)
        page.locator("[name=c1]").fill("0")
        submit(page)
        assert heading(page) == "Thank you"
    answers = [answer for answer, *_ in stored(slider)[before:]]
    assert answers == [{"fluency": 50, "formality": 99}, {"fluency": 12, "formality": 0}]


def test_without_scripts_numbers_are_typed(slider: Served, browser: Browser) -> None:
    before = len(stored(slider))
    with visiting(browser, PHONE, locale="ar", java_script_enabled=False) as page:
        page.goto(slider.links[1])
        submit(page)
        assert not page.locator("input[type=range]").first.is_visible()
        for name, value in (("c0", "33"), ("c1", "67")):
            page.locator(f"[name={name}]").fill(value)
        browsing.screenshot(page, "rating-slider-without-scripts-ar")
        submit(page)
    assert [answer for answer, *_ in stored(slider)[before:]] == [{"fluency": 33, "formality": 67}]


def test_an_answer_is_changed(likert: Served, browser: Browser, look: Callable[..., None]) -> None:
    with visiting(browser, DESKTOP, locale="en-GB") as page:
        page.goto(likert.links[3])
        submit(page)
        for _ in range(2):
            page.locator("label[for=c0-1]").click()
            page.locator("label[for=c1-1]").click()
            submit(page)
        go(page, "footer a[href$=change]")
        assert "2, 2" in page.locator("main").inner_text()
        go(page, ".answers a")
        assert page.locator("#c0-1").is_checked()
        page.locator("label[for=c0-3]").click()
        look(page, "rating-change")
        submit(page)
    assert stored(likert)[-1][0] == {"fluency": 4, "formality": 2}


def test_digits_choose_the_point_of_the_question_in_focus_but_not_while_typing(
    likert: Served, browser: Browser
) -> None:
    with visiting(browser, DESKTOP, locale="en-GB") as page:
        page.goto(likert.links[4])
        submit(page)
        assert page.locator(".keys").is_visible()
        page.keyboard.press("4")  # nothing has the focus: the first question without an answer
        assert page.locator("[name=c0][value='4']").is_checked()
        page.keyboard.press("2")
        assert page.locator("[name=c0][value='2']").is_checked()
        tab_to(page, "[name=c1]")
        page.keyboard.press("6")
        assert page.locator("[name=c1][value='6']").is_checked()
        page.keyboard.press("9")  # off the scale
        assert page.locator("[name=c1][value='6']").is_checked()
        submit(page)  # practice has no field to type in
        page.locator("#reason").fill("")
        page.locator("#reason").press("3")
        assert page.locator("#reason").input_value() == "3" and not page.locator("input:checked").count()
    with visiting(browser, DESKTOP, locale="en-GB", java_script_enabled=False) as page:
        page.goto(likert.links[4])
        assert not page.locator(".keys").is_visible()


def test_an_untouched_slider_says_so(slider: Served, browser: Browser) -> None:
    with visiting(browser, DESKTOP, locale="en-GB") as page:
        page.goto(slider.links[4])
        submit(page)
        said = page.locator(".slider .open")
        assert [part.is_visible() for part in said.all()] == [True, True]
        page.locator("[data-for=c0]").press("ArrowRight")
        assert [part.is_visible() for part in said.all()] == [False, True]


def test_declining_undoes_a_number_and_a_number_undoes_declining(
    browser: Browser, tmp_path: Path, look: Callable[..., None]
) -> None:
    own = {key: value for key, value in FORMAL.items() if key != "scale"}
    plain = {"protocol": "continuous", "criteria": ["fluency", own], "practice": 0, "reasons": {}}
    with served(tmp_path / "study", **plain, cannot_judge=True) as site, visiting(browser) as page:
        page.goto(site.links[0])
        go(page, "main button[type=submit]")
        look(page, "cannot-judge")
        page.fill("#c0", "41")
        tab_to(page, "#c0-cannot")
        page.keyboard.press("Space")
        assert page.input_value("#c0") == "" and page.is_checked("#c0-cannot")
        assert page.locator("input[type=range][data-for=c0].untouched").count() == 1
        page.fill("#c0", "7")
        assert not page.is_checked("#c0-cannot")
        page.check("#c1-cannot")
        page.locator("input[type=range][data-for=c1]").focus()
        page.keyboard.press("ArrowRight")
        assert not page.is_checked("#c1-cannot") and page.input_value("#c1") != ""
        page.check("#c1-cannot")
        submit(page)
        assert [one[0] for one in stored(site)] == [{"fluency": 7, "formality": "cannot_judge"}]
