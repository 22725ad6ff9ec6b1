"""Comparisons in a real browser: by keyboard on a desktop, by touch on a phone, with scripts and without."""

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
    "question": {"en": "Which of these texts is more formal?", "ar": "أي من هذه النصوص أكثر رسمية؟"},
}
DEGREES = [
    {"en": "slightly", "ar": "قليلًا"},
    {"en": "clearly", "ar": "بوضوح"},
    {"en": "far", "ar": "كثيرًا"},
]
PROTOCOLS: dict[str, dict[str, Any]] = {
    "pairwise": {"design": {"kind": "pairs", "items_per_judge": 2}, "strength": DEGREES},
    "ranking": {"design": {"kind": "bibd", "per_screen": 4, "items_per_judge": 2}},
    "best-worst": {"design": {"kind": "bibd", "per_screen": 4, "items_per_judge": 2}},
}


def described(protocol: str) -> dict[str, Any]:
    wind = "a south-westerly wind of {k} knots, rain over the isles by dusk and fair weather after midnight."
    return {
        "protocol": protocol,
        "title": {"en": "Which forecast is better?", "ar": "أي النشرات أفضل؟"},
        "subjects": {
            name: {
                "texts": [
                    {"text": f"{name}: {wind.format(k=k)}", "source": f"wind(SW, {k} kn)\nrain(dusk)"} for k in range(6)
                ]
            }
            for name in ("Short", "Long", "Dry", "Lyrical")
        },
        "criteria": ["fluency", FORMAL],
        "show": ["source"],
        "languages": ["en", "ar"],
        "reasons": {"text": "optional", "highlight": "optional"},
        "panels": {"readers": {"judges": 6, "access": "links"}},
        "ethics": {"approval": "none needed", "contact": "study@example.org"},
        "seed": 20261115,
    } | PROTOCOLS[protocol]


@contextmanager
def served(folder: Path, protocol: str) -> Iterator[Served]:
    folder.mkdir(parents=True)
    text = yaml.safe_dump(described(protocol), sort_keys=False, allow_unicode=True)
    (folder / study.FILE).write_text(text, encoding="utf-8")
    store = Store.at(folder)
    launch(study.load(folder), folder, store)
    store.close()
    with browsing.served(folder) as found:
        yield found


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory, screenshots: Path) -> Iterator[dict[str, Served]]:
    folder = tmp_path_factory.mktemp("comparisons")
    with (
        served(folder / "pairwise", "pairwise") as pairs,
        served(folder / "ranking", "ranking") as ranks,
        served(folder / "ends", "best-worst") as ends,
    ):
        yield {"pairwise": pairs, "ranking": ranks, "best-worst": ends}


def stored(site: Served) -> list[Any]:
    with site.service() as service:
        return [(one.answer, one.reason, one.highlights) for one in service.judgements()]


def submit(page: Page) -> None:
    go(page, "main .actions button[type=submit]")


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until an element has the focus, as somebody without a mouse does."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("wanted => document.activeElement?.matches(wanted)", selector):
            return
    raise AssertionError(f"{selector} is not reached by Tab")


def press(page: Page, field: str, *keys: str) -> None:
    tab_to(page, f"[name={field}]")
    for key in keys:
        page.keyboard.press(key)


def answer_by_keys(page: Page, protocol: str) -> None:
    if protocol == "pairwise":
        press(page, "c0", "Space", "ArrowDown")
        press(page, "c1", "Space", *["ArrowDown"] * 3)
    elif protocol == "ranking":
        for place, ranks in enumerate(("21", "11", "31", "42")):  # text by text, as the page has them
            for question, rank in enumerate(ranks):
                press(page, f"c{question}-{place}", "Space", *["ArrowRight"] * (int(rank) - 1))
    else:
        press(page, "c0-best", "Space", "ArrowDown")
        press(page, "c0-worst", "Space", "ArrowUp")  # Tab stays in the row of the best text
        press(page, "c1-best", "Space")
        press(page, "c1-worst", "Space", "ArrowUp")


KEYED = {
    "pairwise": [{"preference": "a", "strength": 2}, {"preference": "tie", "strength": 0}],
    "ranking": [{"ranks": [2, 1, 3, 4]}, {"ranks": [1, 1, 1, 4]}],
    "best-worst": [{"best": 1, "worst": 0}, {"best": 0, "worst": 3}],
}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_by_keyboard_alone(
    sites: dict[str, Served], browser: Browser, look: Callable[..., None], protocol: str
) -> None:
    site = sites[protocol]
    before = len(stored(site))
    with visiting(browser, DESKTOP, locale="en-GB") as page:
        page.goto(site.links[0])
        submit(page)  # the instructions
        assert heading(page) == "Comparison 1 of 2"
        look(page, f"comparison-{protocol}", dark=True)
        page.set_viewport_size(DESKTOP)
        tab_to(page, "main .actions button")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        appears(page, ".errors li", 2)
        look(page, f"comparison-{protocol}-mistakes", dark=True)
        page.set_viewport_size(DESKTOP)
        answer_by_keys(page, protocol)
        tab_to(page, "#reason")
        page.keyboard.type("reads well")
        look(page, f"comparison-{protocol}-answered")
        page.set_viewport_size(DESKTOP)
        tab_to(page, "main .actions button")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert heading(page) == "Comparison 2 of 2"
    ((answer, reason, _),) = stored(site)[before:]
    assert list(answer.values()) == KEYED[protocol] and reason == "reads well"


def tap(page: Page, protocol: str) -> None:
    if protocol == "pairwise":
        page.locator("label[for=c0-6]").tap()
        page.locator("label[for=c1-0]").tap()
    elif protocol == "ranking":
        for question, ranks in enumerate(("4321", "1222")):
            for place, rank in enumerate(ranks):
                page.locator(f"label[for=c{question}-{place}-{rank}]").tap()
    else:
        for name in ("c0-best-3", "c0-worst-1", "c1-best-2", "c1-worst-0"):
            page.locator(f"label[for={name}]").tap()


TAPPED = {
    "pairwise": [{"preference": "b", "strength": 3}, {"preference": "a", "strength": 3}],
    "ranking": [{"ranks": [4, 3, 2, 1]}, {"ranks": [1, 2, 2, 2]}],
    "best-worst": [{"best": 3, "worst": 1}, {"best": 2, "worst": 0}],
}


@pytest.mark.parametrize(("locale", "scripts"), [("en-GB", True), ("ar", False)])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_on_a_phone(
    sites: dict[str, Served], browser: Browser, axe: str, protocol: str, locale: str, scripts: bool
) -> None:
    site = sites[protocol]
    before = len(stored(site))
    with visiting(browser, PHONE, locale=locale, java_script_enabled=scripts) as page:
        page.goto(site.links[1 + (locale == "ar")])
        submit(page)
        for number in range(2):
            tap(page, protocol)
            fits(page)
            if scripts and number:
                page.locator("#text-1 span").first.tap()
                assert browsing.barriers(page, axe) == []
            browsing.screenshot(page, f"comparison-{protocol}-{locale[:2]}-phone-{number + 1}")
            submit(page)
        assert page.locator("html").get_attribute("dir") == ("rtl" if locale == "ar" else "ltr")
    found = stored(site)[before:]
    assert [list(answer.values()) for answer, *_ in found] == [TAPPED[protocol]] * 2
    if scripts:
        assert found[1][2] and found[1][2][0][0] == 1, "a word of the second text was marked"
