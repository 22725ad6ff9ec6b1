"""The page: complete, well formed, escaped, self-contained, whatever the size of the tables."""

from __future__ import annotations

import math
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from builders import comparison, comparisons, scores

from nlgauge.report.pages import ELEMENT, HASH, SCRIPT
from nlgauge.report.scores import render_report, write_report
from nlgauge.report.style import CSS
from nlgauge.report.text import conclusion, headline
from nlgauge.results import Comparison, Comparisons, Score, Scores
from nlgauge.wording.numbers import interval, number, p_value

VOID = {"meta", "br", "hr", "img", "link", "input"}
NASTY = "<script>alert('1')</script> & \"q\" <b>"


class Checker(HTMLParser):
    """Checks that tags balance and collects attributes."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.seen: dict[str, int] = {}
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen[tag] = self.seen.get(tag, 0) + 1
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen[tag] = self.seen.get(tag, 0) + 1
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if not {"style", "script"} & set(self.open):
            self.text.append(data)


def check(page: str) -> Checker:
    checker = Checker()
    checker.feed(page)
    checker.close()
    assert checker.open == []
    assert checker.seen["script"] == 1 and page.count(ELEMENT) == 1
    assert f"script-src '{HASH}'" in page and "</" not in SCRIPT
    assert not {"src", "href", "xlink:href", "style"} & {name for name, _ in checker.attributes}
    assert f"<style>{CSS}</style>" in page
    assert not re.search(r"https?:|url\(|@import|//", CSS)
    for name, value in checker.attributes:
        assert not name.startswith("on")
        assert "nan" not in (value or "").lower().split()
        if name in ("x", "y", "x1", "x2", "cx", "cy", "d", "width", "height"):
            assert not re.search("nan|inf", value or "")
    return checker


def example_scores(systems: int, metrics: int) -> tuple[Scores, Comparisons]:
    table = {f"metric{m}": {f"system{s}": 25.0 + 3 * s + m for s in range(systems)} for m in range(metrics)}
    rows = [
        comparison(metric, name, value - 50, 0.001 if value < 60 else 0.3)
        for metric, column in table.items()
        for name, value in column.items()
    ]
    return scores(table, spread=1.25), comparisons(*rows)


def test_every_number_receipt_and_sentence_is_there(tmp_path: Path) -> None:
    table, tests = example_scores(5, 6)
    path = write_report(table, tests, tmp_path / "r.html", title="A title", summary="60 items")
    page = path.read_text(encoding="utf-8")
    words = "".join(check(page).text)
    for score in table.scores:
        assert number(score.value, 2) in words
        assert interval(score.low, score.high, 2) in words
    for row in tests.comparisons:
        assert p_value(row.p_adjusted) in words
        assert f"{row.delta:+.2f}".replace("-", "−") in words
    for line in [*table.receipts.values(), *tests.receipts.values()]:
        assert line in words
    for sentence in (conclusion(table, tests), headline(table, tests), "60 items", "A title"):
        assert all(part in words for part in sentence.split(". "))
    assert "10,000 trials" in words


@pytest.mark.parametrize(("systems", "metrics"), [(1, 1), (2, 1), (30, 12)])
def test_any_size_is_well_formed(systems: int, metrics: int) -> None:
    table, tests = example_scores(systems, metrics)
    checker = check(render_report(table, tests))
    assert checker.seen["figure"] == 2 * metrics
    assert checker.seen["svg"] == 2 * metrics + 3 + (systems > 1)


def test_scores_alone_make_a_page_that_says_so() -> None:
    page = render_report(scores({"bleu": {"a": 40.0, "b": 41.0}}))
    words = "".join(check(page).text)
    assert "No significance test was made" in words
    assert "Differences" not in words


def test_everything_is_escaped() -> None:
    table = scores({NASTY: {NASTY: 40.0, "b": 41.0}}, spread=1)
    tests = comparisons(comparison(NASTY, NASTY, -1, 0.001))
    row = {
        "item": NASTY,
        "system": NASTY,
        "source": [[NASTY, NASTY, NASTY]],
        "references": [NASTY],
        "hypothesis": NASTY,
        "ratings": {NASTY: [1, 2]},
    }
    page = render_report(
        table, tests, title=NASTY, summary=NASTY, segments={NASTY: {NASTY: [1.0, 2.0]}}, examples=[row]
    )
    checker = check(page)
    assert "<b>" not in page
    assert "".join(checker.text).count(NASTY) > 10


def test_examples_show_source_references_and_outputs() -> None:
    rows = [
        {
            "item": "1",
            "system": name,
            "source": [["06:00", "wind", "SSW"], ["06:00", "gusts", "30"], ["12:00", "wind", "W"]],
            "references": ["first", "second"],
            "hypothesis": output,
            "ratings": {"clarity": [4, 5.0], "overall": 4.5},
        }
        for name, output in (("a", "مرحبا"), ("b", ""))
    ]
    page = render_report(scores({"bleu": {"a": 1.0, "b": 2.0}}), examples=rows)
    words = "".join(check(page).text)
    for expected in ("SSW", "gusts", "first", "second", "مرحبا", "(empty)", "clarity 4 5 · overall 4.5"):
        assert expected in words
    assert '<span class="text" dir="auto">مرحبا</span>' in page


@pytest.mark.parametrize(
    "source", ["plain", ["turn one", ["B", "turn two"]], [{"who": "A", "what": "turn"}], [], 7, None]
)
def test_sources_of_every_kind(source: object) -> None:
    row = {"item": "1", "system": "a", "source": source, "references": [], "hypothesis": "x"}
    check(render_report(scores({"bleu": {"a": 1.0}}), examples=[row]))


def test_values_that_are_not_numbers_are_not_drawn() -> None:
    nan = math.nan
    table = Scores((Score("a", "m", nan, 1, nan, nan), Score("b", "m", 1.0, 1, 0.5, math.inf)), {})
    row = Comparison("m", "a", "b", nan, 1.0, nan, nan, nan, nan, nan, "ar", 10, 1)
    page = render_report(table, Comparisons((row,), {}), segments={"m": {"a": [nan, nan], "b": [0.0, nan]}})
    words = "".join(check(page).text)
    assert "n/a" in words
    assert "nan" not in words


def test_labels_stay_inside_the_panel_and_apart() -> None:
    names = [
        "short",
        "transformer-big-finetuned-2026-03-run-7-best",
        "日本語のとても長いシステム名前です",
        "b",
    ]
    for chosen in (names, names[1:3]):
        table = scores({"bleu": {name: 10.0 * k for k, name in enumerate(chosen)}}, spread=1)
        page = render_report(table)
        check(page)
        for svg in re.findall(r"<svg viewBox.*?</svg>", page):
            seen: set[tuple[str, str]] = set()
            for look, x, y, text in re.findall(
                r'<text class="(\w+)[^"]*" x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)<', svg
            ):
                assert look == "tick" or (look, y) not in seen
                seen.add((look, y))
                assert look != "label" or float(x) + 5.5 * len(unescape(text)) < 360


def test_plots_can_be_read_without_seeing_them() -> None:
    table, tests = example_scores(3, 2)
    page = render_report(table, tests, segments={"metric0": {"system0": [1.0, 2.0, 3.0]}})
    plots = re.findall(r'<svg viewBox[^>]*role="img">(.*?)</svg>', page)
    assert len(plots) == 5
    for plot in plots:
        assert re.match(r"<title>[^<]+</title><desc>[^<]+</desc>", plot)
    assert "system0: median 2.00 of 3 segments" in page


def test_significance_is_marked_by_shape() -> None:
    tests = comparisons(
        comparison("m", "up", 5, 0.001), comparison("m", "down", -5, 0.001), comparison("m", "none", 1, 0.5)
    )
    table = scores({"m": {"base": 50.0, "up": 55.0, "down": 45.0, "none": 51.0}})
    plot = re.findall(r'<svg viewBox[^>]*role="img">(.*?)</svg>', render_report(table, tests))[-1]
    shapes = {name: re.search(rf">{name} minus.*?</g>", plot) for name in ("up", "down", "none")}
    assert all(shapes.values())
    found = {name: match.group() for name, match in shapes.items() if match}
    assert '<path class="better"' in found["up"]
    assert '<path class="worse"' in found["down"]
    assert '<circle class="open"' in found["none"]


def test_segment_scores_of_another_metric_choose_their_own_format() -> None:
    table = scores({"rougeL": {"a": 0.5, "b": 0.6}})
    page = render_report(table, segments={"sentbleu": {"a": [10.0, 50.0, 90.0], "b": [20.0, 30.0, 40.0]}})
    assert "a: median 50.00 of 3 segments" in page
    check(page)
