"""Grids of similar words and what words cost, as text and as a page: same numbers, no colour needed, limits told."""

from __future__ import annotations

import re

from nlgauge.metrics.explanation import Explanation, Heat, Losses, Mark, Share
from nlgauge.report.explain_html import render_explanations
from nlgauge.report.explain_text import MOST_WORDS, explanation_lines, heat_lines, losses_lines

GRID = Heat(
    "Words",
    ("the", "<b>", "rainfall-and-snowfall"),
    ("a", "rain"),
    ((0.5, -0.25), (1.0, 0.04), (0.3, 0.925)),
    (Mark(1, 0, "+"), Mark(2, 1, "<")),
    (("<", "best for the word of the output"), ("+", "both")),
)
COSTS = Losses("Costs", "1 − recall", (Share("a", 0.5, 0.5, 0.0, "<b>"), Share("rain & wind", 0.5, 0.1, 0.4, "")))


def plain(lines: object) -> list[str]:
    return ["".join(text for text, _ in line).rstrip() for line in lines]  # type: ignore[attr-defined]


def wide(rows: int, columns: int) -> Heat:
    words = [tuple(f"w{k}" for k in range(count)) for count in (rows, columns)]
    return Heat("t", words[0], words[1], tuple((0.5,) * columns for _ in range(rows)), (), ())


def test_a_grid_as_text() -> None:
    lines = plain(heat_lines(GRID, 80))
    assert lines[:4] == [" " * 20 + "r", " " * 20 + "a", " " * 20 + "i", " " * 16 + "a   n"]
    assert lines[4].split() == ["the", "50", "-25"]
    assert lines[5].split() == ["<b>", "100+", "4"]
    assert lines[6].startswith("rainfall-and… ") and lines[6].endswith("92<")
    assert "< best for the word of the output; + both" in lines


def test_wide_grids_are_set_in_blocks_of_like_width_and_long_ones_cut_with_a_word() -> None:
    lines = plain(heat_lines(wide(2, 18), 80))
    assert max(map(len, lines)) <= 80
    assert [len(line.split()) - 1 for line in lines if line.startswith("w0 ")] == [9, 9]
    long = plain(heat_lines(wide(MOST_WORDS + 5, 3), 60))
    assert len([line for line in long if re.match(r"w\d+ ", line)]) == MOST_WORDS
    assert f"the first {MOST_WORDS} words of each text; a page and to_dict() show all {MOST_WORDS + 5}" in long
    assert plain(heat_lines(wide(0, 3), 60)) == ["(one of the texts is empty)"]


def test_costs_as_text() -> None:
    lines = plain(losses_lines(COSTS, 80))
    assert lines == ["  rain & wind  0.4000 ██████████  matched with nothing", "0.4000 in all = 1 − recall"]
    many = Losses("t", "1 − score", tuple(Share(f"w{k}", 0.05, 0.0, 0.05, "x") for k in range(20)))
    assert plain(losses_lines(many, 80))[-1] == "1.0000 in all = 1 − score; 10 more words cost the rest"


def test_both_stand_in_an_explanation_and_on_its_page() -> None:
    told = Explanation("bertr", 0.6, (), "the <b>", ("a rain",), parts=(GRID, COSTS))
    lines = plain(explanation_lines(told))
    assert "Words" in lines and "0.4000 in all = 1 − recall" in lines
    page = render_explanations([told])
    assert page.count('<td class="counts-pair"') == 2 and "−25<i></i>" in page and "100<i>+</i>" in page
    assert "<b>" not in page and "&lt;b&gt;" in page and "rain &amp; wind<small>4000</small>" in page
    assert '<caption class="hidden">Rows: the output; columns: the reference' in page
    assert 'role="region" aria-label="Words"' in page
    empty = Explanation("bertr", 0.0, (), "", ("a",), parts=(wide(0, 1), Losses("Costs", "1 − score", ())))
    assert "One of the texts is empty" in render_explanations([empty]) and "(empty)" in render_explanations([empty])
