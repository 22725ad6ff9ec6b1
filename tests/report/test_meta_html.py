"""The page of a meta-evaluation: everything said in words too, nothing loaded, names cannot break it."""

from __future__ import annotations

import re
import sys
from html import escape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from nlgauge.meta.observations import observe
from nlgauge.meta.report import MetaReport, make_report
from nlgauge.meta.settings import Settings
from nlgauge.report.meta_html import render_meta_report
from nlgauge.report.pages import ELEMENT
from nlgauge.report.scatter import MOST_POINTS, scatter
from nlgauge.report.svg import WIDTH, text_width
from nlgauge.wording.numbers import number

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "meta"))
from rows import judged

VOID = {"meta", "circle", "line", "path", "br"}


class Balanced(HTMLParser):
    """Refuses tags that are not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


@pytest.fixture(scope="module")
def report() -> MetaReport:
    rows = [{**row, "system": f"<{row['system']}>&"} for row in judged(4, 8)]
    return make_report(observe(rows), Settings(draws=50), metrics=["bleu", "@TER"], full=True)


def test_the_page_is_whole_and_alone(report: MetaReport) -> None:
    page = render_meta_report(report)
    checked = Balanced()
    checked.feed(page)
    assert checked.open == []
    assert "<s0>" not in page
    assert "&lt;s0&gt;&amp;" in page
    assert not re.search(r"https?://|<script|<link|<img", page.replace(ELEMENT, ""))


def test_the_heat_map_says_values_in_words(report: MetaReport) -> None:
    page = render_meta_report(report)
    cell = report.table.get("@TER", "quality")
    assert f"{cell.value:.3f}".replace("-", "−") in page
    assert "lower is better" in page
    assert "color-mix(in srgb,var(--blue)" in page  # a good metric of which less is better is blue, not orange


def test_every_plot_has_a_title_and_a_description(report: MetaReport) -> None:
    page = render_meta_report(report)
    plots = re.findall(r'<svg [^>]*role="img">(.{0,40})', page)
    assert plots
    assert all(text.startswith("<title>") for text in plots)


def test_many_points_are_thinned_out_and_missing_ones_left_out() -> None:
    n = 10 * MOST_POINTS
    values = [float(k % 97) for k in range(n)]
    drawing, left = scatter(values, values, x_name="x", y_name="y", title="t")
    assert drawing.body.count("<circle") == MOST_POINTS
    assert left == n - MOST_POINTS
    drawing, left = scatter([1.0, float("nan"), 2.0], [1.0, 2.0, 3.0], x_name="x", y_name="y", title="t")
    assert drawing.body.count("<circle") == 2
    assert left == 0


def test_the_last_tick_of_a_scatter_plot_stays_inside() -> None:
    drawing, _ = scatter([0.0, 0.3805], [1.0, 2.0], x_name="m", y_name="q", title="t")
    for at, label in re.findall(r'class="tick" x="([\d.]+)" y="[\d.]+" text-anchor="middle">([^<]+)<', drawing.body):
        assert float(at) + text_width(label) / 2 <= WIDTH


def test_a_metric_of_which_less_is_better_is_drawn_on_the_side_of_the_others(report: MetaReport) -> None:
    page = render_meta_report(report)
    cell = report.table.get("@TER", "quality")
    assert cell.direction == "lower"
    intervals = page[page.index("Intervals of") :]
    assert "@TER ↓</text>" in intervals and "sign reversed" in intervals
    assert f">{number(-cell.value, 3).replace('-', '−')}</text>" in intervals


def test_the_headline_is_short_and_the_whole_conclusion_follows(report: MetaReport) -> None:
    page = render_meta_report(report)
    head = re.search(r'<p class="head">(.*?)</p>', page)
    assert head is not None and len(head[1].split()) <= 12
    assert escape(report.table.sentence()) in page


def test_names_in_a_crowded_corner_are_led_to_their_points() -> None:
    places = [0.98 + k / 500 for k in range(8)]
    drawing, _ = scatter(
        [0.0, *places],
        [0.0, *places],
        x_name="x",
        y_name="y",
        title="t",
        labels=["far", *(f"system {k}" for k in range(8))],
    )
    assert all(f">system {k}</text>" in drawing.body for k in range(8)) and 'class="lead"' in drawing.body
