"""Post-editing and error marking in a real browser: by keyboard, by mouse and touch, with scripts and without."""

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

# outside the BMP before every place that is marked, a combining accent, right-to-left words, a line of its own
TEXT = "🌞🌧 At the cafe\u0301 a south-westerly wind of {k} knots\nwill bring مطر غدًا and fair 👩‍🚀 weather after."
EFFORT = {
    "id": "effort",
    "definition": "How much work it takes to make the text acceptable.",
    "question": {"en": "How much work was it to make this text acceptable?", "ar": "كم من الجهد تطلّب ذلك؟"},
    "scale": {"points": 5, "labels": [{"en": "None", "ar": "لا شيء"}, {"en": "Very much", "ar": "كثير جدًا"}]},
    "reverse": True,
}
PROTOCOLS: dict[str, dict[str, Any]] = {
    "post-edit": {"criteria": [EFFORT]},
    "spans": {"omissions": "source"},
    "esa": {"protocol": "spans", "scheme": "esa", "criteria": ["overall-quality"]},
}


@contextmanager
def served(folder: Path, protocol: str) -> Iterator[Served]:
    values = {
        "protocol": protocol,
        "title": {"en": "Forecasts", "ar": "نشرات الطقس"},
        "subjects": {
            name: {"texts": [{"text": TEXT.format(k=k), "source": f"wind (SW, {k} kn)\nrain 🌧 soon"} for k in range(6)]}
            for name in ("one", "two")
        },
        "show": ["source"],
        "languages": ["en", "ar"],
        "panels": {"readers": {"judges": 6, "evaluations": 2, "access": "links"}},
        "ethics": {"approval": "none needed", "contact": "study@example.org"},
        "seed": 20261115,
    } | PROTOCOLS[protocol]
    folder.mkdir(parents=True)
    (folder / study.FILE).write_text(yaml.safe_dump(values, sort_keys=False, allow_unicode=True), encoding="utf-8")
    store = Store.at(folder)
    launch(study.load(folder), folder, store)
    store.close()
    with browsing.served(folder) as found:
        yield found


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory, screenshots: Path) -> Iterator[dict[str, Served]]:
    folder = tmp_path_factory.mktemp("annotations")
    with (
        served(folder / "edits", "post-edit") as edits,
        served(folder / "spans", "spans") as spans,
        served(folder / "esa", "esa") as esa,
    ):
        yield {"post-edit": edits, "spans": spans, "esa": esa}


def stored(site: Served) -> list[Any]:
    with site.service() as service:
        return [(one.answer, service.frozen.text[one.texts[0]]) for one in service.judgements()]


def quoted(answer: dict[str, Any], text: Any) -> list[str]:
    """The words of each error by the places that were stored."""
    sides = {"output": text.text, "source": text.beside["source"], "missing": ""}
    return [sides[one["on"]][one["start"] : one["end"]] for one in answer["spans"]]


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until an element has the focus, as somebody without a mouse does."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("wanted => document.activeElement?.matches(wanted)", selector):
            return
    raise AssertionError(f"{selector} is not reached by Tab")


def press(page: Page, selector: str, *keys: str) -> None:
    tab_to(page, selector)
    for key in keys:
        page.keyboard.press(key)


SEND = "form > .actions button"


def test_a_text_is_edited_by_keyboard_and_survives_a_reload(
    sites: dict[str, Served], browser: Browser, look: Callable[..., None]
) -> None:
    site = sites["post-edit"]
    with visiting(browser, DESKTOP, locale="en-GB") as page:
        page.goto(site.links[0])
        go(page, "main button[type=submit]")
        look(page, "annotation-post-edit", dark=True)
        page.set_viewport_size(DESKTOP)
        shown = page.locator("#text").input_value()
        press(page, "#text", "Control+End")
        page.keyboard.insert_text(" New 🌤️ e\u0301nd,\nsaid غدًا.")
        page.keyboard.type("!")
        written = page.locator("#text").input_value()
        assert written == f"{shown} New 🌤️ e\u0301nd,\nsaid غدًا.!"
        page.reload()
        assert page.locator("#text").input_value() == written, "a reload loses nothing"
        press(page, "[name=outcome]", "Space", "ArrowDown")  # “no change is needed”, which is not so
        press(page, "[name=c0]", "Space", "ArrowRight")
        with page.expect_navigation():
            press(page, SEND, "Enter")
        assert "You have changed the text" in page.locator(".errors").inner_text()
        look(page, "annotation-post-edit-mistake")
        assert page.locator("#text").input_value() == written
        press(page, "[name=outcome]", "ArrowUp")
        with page.expect_navigation():
            press(page, SEND, "Enter")
        assert heading(page) == "Text 2 of 2"
        assert page.locator("#text").input_value() != written, "the next text is not the last one's draft"
    answer, text = stored(site)[-1]
    assert text.text == shown
    assert answer["text"] == written and answer["outcome"] == "edited" and answer["ratings"] == {"effort": 2}
    assert answer["keys"] >= 1 and answer["active"] >= 0


def mark(page: Page, first: str, last: str, count: int, *, leftwards: bool = False) -> None:
    """Draw over words of the text with the mouse, as they are read."""
    words = page.locator("#text-0 span")
    begin, end = (words.filter(has_text=word).first.bounding_box() for word in (first, last))
    assert begin and end
    sides = [begin["x"] + 1, end["x"] + end["width"] - 1]
    if leftwards:
        sides = [begin["x"] + begin["width"] - 1, end["x"] + 1]
    page.mouse.move(sides[0], begin["y"] + begin["height"] / 2)
    page.mouse.down()
    page.mouse.move(sides[1], end["y"] + end["height"] / 2, steps=4)
    page.mouse.up()
    appears(page, "#text-0 span.within", count)


def test_errors_are_marked_by_mouse_and_by_keyboard(
    sites: dict[str, Served], browser: Browser, look: Callable[..., None]
) -> None:
    site = sites["spans"]
    with visiting(browser, DESKTOP, locale="en-GB") as page:
        page.goto(site.links[0])
        go(page, "main button[type=submit]")
        mark(page, "knots", "knots", 1)
        mark(page, "مطر", "غدًا", 2, leftwards=True)  # another drawing begins another error
        page.locator("#category").select_option("accuracy/addition")
        meaning = "Something is said that the input does not say."
        assert page.locator("#category-meaning").inner_text() == meaning  # at once, and tied to the choice
        page.locator(".legend summary").press("Enter")  # and that of every kind by keyboard
        assert meaning in page.locator(".kinds dd").all_inner_texts()
        page.locator("label[for=severity-2]").click()
        go(page, "button[name=add]:not(.first)")
        assert page.locator("#errors-marked li").count() == 1
        assert page.locator("#text-0 span.error").all_inner_texts() == ["مطر", "غدًا"]
        # the second by keyboard: the list of words, its arrow keys, the kind, the severity, the button
        press(page, "#marks summary", "Enter")
        press(
            page,
            ".boxes input",
            "Home",
            "ArrowRight",
            "ArrowRight",
            "ArrowRight",
            "Space",
            "ArrowRight",
            "Space",
        )
        press(page, "#category", "s")
        press(page, "[name=severity]", "Space")
        tab_to(page, "#note")
        page.keyboard.insert_text("ré\U0001f600")
        with page.expect_navigation():
            page.keyboard.press("Enter")  # in the note: adds the error, as its button does
        assert page.locator("#errors-marked li").count() == 2
        look(page, "annotation-spans", dark=True)
        page.set_viewport_size(DESKTOP)
        press(page, "[name=found]", "Space")
        with page.expect_navigation():
            press(page, SEND, "Enter")
        assert heading(page) == "Text 2 of 2"
    answer, text = stored(site)[-1]
    assert quoted(answer, text) == ["cafe\u0301 a", "مطر غدًا"] and not answer["none"]
    assert [one["severity"] for one in answer["spans"]] == ["neutral", "major"]
    assert answer["spans"][0]["category"] == "style" and answer["spans"][0]["note"] == "ré\U0001f600"


DRAW = """part => {
  const word = Array.from(document.querySelectorAll('#text-0 span')).find(span => span.textContent.includes(part));
  const start = word.textContent.indexOf(part);
  const range = document.createRange();
  range.setStart(word.firstChild, start);
  range.setEnd(word.firstChild, start + part.length);
  window.getSelection().removeAllRanges();
  window.getSelection().addRange(range);
  word.dispatchEvent(new MouseEvent('mouseup', {bubbles: true}));
}"""


def test_parts_of_words_are_marked_where_the_judge_says_so(sites: dict[str, Served], browser: Browser) -> None:
    site = sites["spans"]
    with visiting(browser, DESKTOP, locale="en-GB") as page:
        page.goto(site.links[4])
        go(page, "main button[type=submit]")
        for part, exactly in (("not", False), ("not", True)):
            if exactly:
                page.locator("label[for=exactly]").click()
            page.evaluate(DRAW, part)
            appears(page, "#text-0 span.within", 1)
            page.locator("#category").select_option("style")
            page.locator("label[for=severity-1]").click()
            go(page, "button[name=add]:not(.first)")
        assert page.locator("#exactly").is_checked()  # for the next error too
        page.locator("label[for=found-0]").click()
        go(page, SEND)
    answer, text = stored(site)[-1]
    assert sorted(quoted(answer, text)) == ["knots", "not"]


def test_errors_are_marked_without_scripts_on_a_phone(
    sites: dict[str, Served], browser: Browser, look: Callable[..., None]
) -> None:
    site = sites["spans"]
    with visiting(browser, PHONE, locale="ar", java_script_enabled=False) as page:
        page.goto(site.links[1])
        go(page, "main button[type=submit]")
        page.locator("#marks summary").nth(1).click()
        page.locator(".boxes label", has_text="rain").click()
        page.locator(".boxes label", has_text="soon").click()
        page.locator("#category").select_option("accuracy/omission")
        page.locator("label[for=severity-3]").click()
        go(page, "button[name=add]:not(.first)")
        assert page.locator("#errors-marked q").all_inner_texts() == ["rain 🌧 soon"]
        page.locator("label[for=found-0]").click()
        go(page, SEND)
        page.locator("label[for=found-1]").click()
        go(page, SEND)
        assert page.locator("textarea, #marks").count() == 0, "the judge is done"
    (first, text), (second, _) = stored(site)[-2:]
    assert quoted(first, text) == ["rain 🌧 soon"] and first["spans"][0]["on"] == "source"
    assert second == {"spans": [], "none": True, "ratings": {}}


def test_a_score_after_marking_by_touch(sites: dict[str, Served], browser: Browser, look: Callable[..., None]) -> None:
    site = sites["esa"]
    with visiting(browser, PHONE, locale="ar", has_touch=True) as page:
        page.goto(site.links[0])
        go(page, "main button[type=submit]")
        assert page.locator("#category").count() == 0
        for word in ("south", "knots"):  # the first and the last word; what lies between belongs to it
            page.locator("#text-0 span", has_text=word).first.tap()
        appears(page, "#text-0 span.within", 5)
        page.locator("label[for=severity-1]").tap()
        go(page, "button[name=add]:not(.first)")
        fits(page)
        look(page, "annotation-esa-ar")
        page.set_viewport_size(PHONE)
        page.locator("label[for=found-0]").tap()
        page.locator("#c0").fill("37")
        go(page, SEND)
    answer, text = stored(site)[-1]
    assert quoted(answer, text)[0].startswith("south-westerly wind of") and answer["ratings"] == {"overall-quality": 37}
