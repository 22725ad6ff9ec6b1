"""Magnitudes and two pages of one text in a real browser: by keyboard on a desktop, by touch on a phone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
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
}
POINTS = {"points": 5, "labels": [{"en": "Not at all", "ar": "أبدًا"}, {"en": "Completely", "ar": "تمامًا"}]}
LIKELY = {
    "id": "likely",
    "definition": "The forecast is one that could be true.",
    "question": {"en": "How likely is this forecast?", "ar": "ما مدى احتمال هذه النشرة؟"},
    "before": ["source"],
    "scale": POINTS,
}
STANDARD = {"text": "Wind from the south-west, some rain.", "value": 100}
PROTOCOLS: dict[str, dict[str, Any]] = {
    "magnitude": {
        "protocol": "magnitude",
        "criteria": ["fluency", FORMAL],
        "standard": STANDARD,
        "design": {"kind": "latin", "items_per_judge": 2},
    },
    "rankme": {
        "protocol": "rankme",
        "criteria": ["fluency", FORMAL],
        "standard": STANDARD,
        "design": {"kind": "bibd", "per_screen": 4, "items_per_judge": 2},
    },
    "pages": {
        "protocol": "likert",
        "criteria": [LIKELY, FORMAL | {"scale": POINTS}],
        "design": {"kind": "latin", "items_per_judge": 1},
    },
}


def described(name: str) -> dict[str, Any]:
    wind = "a south-westerly wind of {k} knots, rain over the isles by dusk and fair weather after midnight."
    return {
        "title": {"en": "How do these forecasts compare?", "ar": "كيف تقارن بين هذه النشرات؟"},
        "subjects": {
            name: {
                "texts": [
                    {"text": f"{name}: {wind.format(k=k)}", "source": f"wind(SW, {k} kn)\nrain(dusk)"} for k in range(6)
                ]
            }
            for name in ("Short", "Long", "Dry", "Lyrical")
        },
        "show": ["source"],
        "languages": ["en", "ar"],
        "panels": {"readers": {"judges": 4, "access": "links"}},
        "ethics": {"approval": "none needed", "contact": "study@example.org"},
        "seed": 20261115,
    } | PROTOCOLS[name]


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory, screenshots: Path) -> Iterator[dict[str, Served]]:
    with ExitStack() as stack:
        found = {}
        for name in PROTOCOLS:
            folder = tmp_path_factory.mktemp(name)
            text = yaml.safe_dump(described(name), sort_keys=False, allow_unicode=True)
            (folder / study.FILE).write_text(text, encoding="utf-8")
            store = Store.at(folder)
            launch(study.load(folder), folder, store)
            store.close()
            found[name] = stack.enter_context(browsing.served(folder))
        yield found


def stored(site: Served) -> list[Any]:
    with site.service() as service:
        return [one.answer for one in service.judgements()]


def submit(page: Page) -> None:
    go(page, "main .actions button[type=submit]")


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until an element has the focus, as somebody without a mouse does."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("wanted => document.activeElement?.matches(wanted)", selector):
            return
    raise AssertionError(f"{selector} is not reached by Tab")


def send_by_key(page: Page) -> None:
    tab_to(page, "main .actions button")
    with page.expect_navigation():
        page.keyboard.press("Enter")


def type_by_key(page: Page, **fields: str) -> None:
    for name, words in fields.items():
        tab_to(page, f"[name={name.replace('_', '-')}]")
        page.keyboard.press("Control+A")
        page.keyboard.type(words)


def test_one_text_by_keyboard(sites: dict[str, Served], browser: Browser, look: Callable[..., None]) -> None:
    site = sites["magnitude"]
    with visiting(browser, DESKTOP, locale="en-GB") as page:
        page.goto(site.links[0])
        submit(page)
        assert heading(page) == "Text 1 of 2"
        type_by_key(page, c0="0", c1="lots")
        send_by_key(page)
        appears(page, ".errors li", 2)
        assert page.locator("#c0").input_value() == "0"
        look(page, "magnitude-mistakes", dark=True)
        page.set_viewport_size(DESKTOP)
        type_by_key(page, c0="12,5", c1="2500000")
        send_by_key(page)
        assert heading(page) == "Text 2 of 2"
    assert stored(site) == [{"fluency": 12.5, "formality": 2500000}]


def test_several_texts_by_keyboard(sites: dict[str, Served], browser: Browser, look: Callable[..., None]) -> None:
    site = sites["rankme"]
    with visiting(browser, DESKTOP, locale="en-GB") as page:
        page.goto(site.links[0])
        submit(page)
        assert heading(page) == "Comparison 1 of 2"
        assert page.locator(".asking .question").count() == 1, "one criterion at a time"
        type_by_key(page, c0_0="100", c0_1="1.000", c0_2="50")
        send_by_key(page)
        appears(page, ".errors li")
        look(page, "rankme-mistakes", dark=True)
        page.set_viewport_size(DESKTOP)
        type_by_key(page, c0_1="0.001", c0_3="100")
        send_by_key(page)
        assert heading(page) == "Comparison 2 of 2"
    assert stored(site) == [{"fluency": [100, 0.001, 50, 100]}]


def test_two_pages_by_keyboard(sites: dict[str, Served], browser: Browser, look: Callable[..., None]) -> None:
    site = sites["pages"]
    with visiting(browser, DESKTOP, locale="en-GB") as page:
        page.goto(site.links[0])
        submit(page)
        assert heading(page) == "Page 1 of 2" and "wind(SW" not in page.content()
        look(page, "two-pages-first")
        page.set_viewport_size(DESKTOP)
        tab_to(page, "[name=c0]")
        page.keyboard.press("Space")
        send_by_key(page)
        assert heading(page) == "Page 2 of 2" and "wind(SW" in page.content()
        look(page, "two-pages-second")
        page.set_viewport_size(DESKTOP)
        page.go_back()  # the first page is not shown again, so its answer stays
        assert heading(page) == "Page 2 of 2" and page.locator("[name=c0]").count() == 0
        tab_to(page, "[name=c1]")
        page.keyboard.press("Space")
        send_by_key(page)
    assert stored(site) == [{"likely": 1}, {"formality": 1}]


@pytest.mark.parametrize(
    ("name", "locale"), [("magnitude", "en-GB"), ("rankme", "en-GB"), ("pages", "en-GB"), ("rankme", "ar")]
)
def test_on_a_phone(sites: dict[str, Served], browser: Browser, axe: str, name: str, locale: str) -> None:
    """Arabic without scripts."""
    site, arabic = sites[name], locale == "ar"
    scripts = not arabic
    before = len(stored(site))
    with visiting(browser, PHONE, locale=locale, java_script_enabled=scripts) as page:
        page.goto(site.links[1 + arabic])
        submit(page)
        for number in range(2):
            fields = page.locator("main form input.number")
            for place in range(fields.count()):
                fields.nth(place).fill(f"{place + 1},5" if arabic else f"{place + 1}.5")
            if name == "pages":
                page.locator(f"label[for=c{number}-3]").tap()
            fits(page)
            if scripts:
                assert browsing.barriers(page, axe) == []
            browsing.screenshot(page, f"{name}-{locale[:2]}-phone-{number + 1}")
            submit(page)
    found = stored(site)[before:]
    asked = "fluency" if arabic else "formality"  # the second judge of rankme has the other criterion
    expected: dict[str, list[Any]] = {
        "magnitude": [{"fluency": 1.5, "formality": 2.5}] * 2,
        "rankme": [{asked: [1.5, 2.5, 3.5, 4.5]}] * 2,
        "pages": [{"likely": 4}, {"formality": 4}],
    }
    assert found == expected[name]
