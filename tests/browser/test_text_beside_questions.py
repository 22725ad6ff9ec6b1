"""What is judged is on screen together with the question about it, however long its source is."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import browsing
import pytest
import yaml
from browsing import Served, barriers, fits, screenshot, visiting

from nlgauge.study.file import study
from nlgauge.study.service import launch
from nlgauge.study.store import Store

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

LAPTOP, PHONE = {"width": 1366, "height": 650}, {"width": 390, "height": 844}
SUMMEVAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "summeval.jsonl.gz"
ARTICLE = 3_214  # characters of the longest source there
SYSTEMS = ("one", "two", "three", "four")
CRITERIA = ["fluency", "coherence", "overall-quality"]
ONE = ("likert", "continuous", "magnitude", "post-edit", "spans", "task")
EACH = ("ranking", "best-worst", "rankme")
OWN: dict[str, dict[str, Any]] = {
    "post-edit": {"criteria": ["fluency"]},
    "spans": {"scheme": "mqm", "criteria": []},
    "task": {
        "criteria": [],
        "ask": [{"text": f"What is said in sentence {k}?", "answer": "rain"} for k in range(1, 7)],
    },
    "pairwise": {"strength": ["slightly", "clearly", "much"]},
    "rankme": {"design": {"kind": "bibd", "per_screen": 4, "items_per_judge": 2}},
    "ranking": {"design": {"kind": "bibd", "per_screen": 4, "items_per_judge": 2}},
    "best-worst": {"design": {"kind": "bibd", "per_screen": 4, "items_per_judge": 2}},
}


def longest() -> tuple[str, list[str]]:
    """The longest source that people rated summaries of, with four of them; words of the same length elsewhere."""
    if SUMMEVAL.exists():
        with gzip.open(SUMMEVAL, "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        source = max((row["source"] for row in rows), key=len)
        return source, [row["hypothesis"] for row in rows if row["source"] == source][: len(SYSTEMS)]
    words = "A south-westerly wind will freshen during the afternoon and rain will reach the isles by dusk . "
    return (words * 40)[:ARTICLE], [f"System {name}: {words * 4}" for name in SYSTEMS]


def described(protocol: str, words: list[str], source: str) -> dict[str, Any]:
    subjects = {
        name: {"texts": [{"text": text, "source": source} for _ in range(6)]}
        for name, text in zip(SYSTEMS, words, strict=True)
    }
    values = {
        "protocol": protocol,
        "title": "How good are these summaries?",
        "subjects": subjects,
        "criteria": CRITERIA,
        "show": ["source"],
        "panels": {"readers": {"judges": 6, "access": "links"}},
        "ethics": {"approval": "none needed", "contact": "study@example.org"},
        "seed": 20261115,
    } | OWN.get(protocol, {})
    return {key: value for key, value in values.items() if value != []}


@contextmanager
def served(folder: Path, values: dict[str, Any]) -> Iterator[Served]:
    folder.mkdir(parents=True)
    (folder / study.FILE).write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")
    store = Store.at(folder)
    launch(study.load(folder), folder, store)
    store.close()
    with browsing.served(folder) as found:
        yield found


# Which of the controls that can be seen and clicked have lost the beginning of their text: its first letter is above or
# below the window, or something lies on it. A card's controls belong to its own text, all others to all texts.
LOST = """window.lost = () => {
  const begins = words => {
    const walker = document.createTreeWalker(words, NodeFilter.SHOW_TEXT);
    let node = walker.nextNode();
    while (node && !node.data.trim()) node = walker.nextNode();
    const range = document.createRange();
    const first = node.data.search(/\\S/);
    range.setStart(node, first); range.setEnd(node, first + 1);
    const box = range.getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    return y > 0 && y < innerHeight && words.contains(document.elementFromPoint(x, y));
  };
  const shown = Array.from(document.querySelectorAll('.words, .rated .turns'));
  const lost = [];
  for (const control of document.querySelectorAll('.judging :is(input:not([type=hidden]), textarea, select, button)')) {
    const box = control.getBoundingClientRect();
    const [x, y] = [box.x + Math.min(box.width / 2, 20), box.y + Math.min(box.height / 2, 20)];
    const hit = y > 0 && y < innerHeight ? document.elementFromPoint(x, y) : null;
    if (!hit || ![control, ...(control.labels || [])].some(part => part.contains(hit))) continue;
    const card = control.closest('.text');
    const texts = card ? [card.querySelector('.words')] : shown;
    if (!(card ? texts.every(begins) : texts.some(begins))) lost.push(control.id || control.className || control.type);
  }
  return lost;
}"""
# A control that has the focus within the window, a number with the words beside it; a field may be higher than that.
IN_FOCUS = """() => {
  const inside = part => {
    const box = part.getBoundingClientRect();
    return box.top >= -1 && box.bottom <= innerHeight + 1;
  };
  const controls = document.querySelectorAll('.judging :is(input:not([type=hidden]), textarea, select, button)');
  return Array.from(controls).filter(control => {
    if (!control.checkVisibility() || control.tabIndex < 0) return false;
    control.focus();
    const words = control.matches('input[type=text]') ? Array.from(control.labels) : [];
    const seen = control.matches('textarea') || [control, ...words].every(inside);
    return !seen || lost().includes(control.id);
  }).map(control => control.id || control.className || control.type);
}"""
ANYWHERE = """() => {
  const found = {};
  for (let top = 0; top < document.documentElement.scrollHeight + 120; top += 120) {
    window.scrollTo(0, top);
    const missing = lost();
    if (missing.length) found[top] = missing;
  }
  return found;
}"""


@pytest.fixture(scope="module", params=[*ONE, "pairwise", *EACH])
def site(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, screenshots: Path
) -> Iterator[tuple[str, Served]]:
    source, words = longest()
    folder = tmp_path_factory.mktemp(request.param) / "study"
    with served(folder, described(request.param, words, source)) as found:
        yield request.param, found


def judging(page: Page, link: str) -> None:
    """Go to the first page with something to judge."""
    page.goto(link)
    page.locator("main button[type=submit]").click()
    page.wait_for_selector(".judging")
    fits(page)


def check_together(page: Page) -> None:
    """At every place of the page, with every control in the focus, and at the end with the button that sends."""
    page.evaluate(LOST)
    assert page.evaluate(ANYWHERE) == {}
    assert page.evaluate(IN_FOCUS) == []
    page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
    assert page.locator(".judging .actions button").last.is_visible()
    assert page.evaluate("lost()") == []


SIZES = pytest.mark.parametrize("size", [LAPTOP, PHONE], ids=["laptop", "phone"])


@SIZES
def test_the_text_is_on_screen_with_each_question_about_it(
    browser: Browser, site: tuple[str, Served], size: dict[str, int], axe: str
) -> None:
    protocol, served_at = site
    with visiting(browser, size) as page:
        judging(page, served_at.links[0 if size is LAPTOP else 1])
        screenshot(page, f"long-source-{protocol}-{size['width']}")
        assert barriers(page, axe) == []
        check_together(page)
        if protocol == "spans" and size is LAPTOP:  # all that one error takes fits into a window
            assert page.locator(".work").first.bounding_box()["height"] <= size["height"]


@SIZES
@pytest.mark.parametrize("protocol", ["likert", "triangle"])
def test_a_long_text_without_a_source_is_on_screen_with_its_questions(
    browser: Browser, tmp_path: Path, screenshots: Path, size: dict[str, int], protocol: str, axe: str
) -> None:
    source, words = longest()
    if protocol == "triangle":
        texts = ([f"{k}. {source}" for k in range(12)], [f"{k}, {source}" for k in range(12)])
        values = browsing.description(texts, questions=None, consent=None, practice=None, reasons=None)
    else:
        values = described(protocol, [f"{text} {source}" for text in words], "")
        values["show"] = []
    with served(tmp_path / "study", values) as site, visiting(browser, size) as page:
        judging(page, site.links[0])
        screenshot(page, f"long-text-{protocol}-{size['width']}")
        assert barriers(page, axe) == []
        check_together(page)


def test_a_summary_is_seen_whole_beside_its_questions(browser: Browser, tmp_path: Path, screenshots: Path) -> None:
    source, words = longest()
    with (
        served(tmp_path / "study", described("likert", words, source)) as site,
        visiting(browser, LAPTOP) as page,
    ):
        judging(page, site.links[0])
        page.keyboard.press("End")
        box = page.locator(".rated > .text")
        assert box.evaluate("box => box.scrollHeight <= box.clientHeight")
        assert box.evaluate(
            "box => { const r = box.getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight }"
        )
