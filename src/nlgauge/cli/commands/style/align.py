"""Find the pairs of articles of two sources that tell of the same event: the cosine of their tf-idf vectors is above a
threshold, and their dates lie close together."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nlgauge.cli import common

if TYPE_CHECKING:
    from nlgauge.style.forms import Article

EXAMPLES = """\
examples:
  nlgauge style example -o papers --articles 500
  nlgauge style align papers/gazette.jsonl papers/courier.jsonl -o pairs.jsonl
  nlgauge style align gazette.jsonl courier.jsonl --days 2 --floor .1 -o pairs.jsonl

A row of a file is an article: {"id": "g17", "source": "gazette", "date": "2026-01-31", "headline": "…", "text": "…"}.
A row of what is written is a pair: {"a": "g17", "b": "c4", "score": 0.61, "band": "strong"}, the closest first."""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument("a", metavar="A", help="articles of one source")
    parser.add_argument("b", metavar="B", help="articles of the other")
    common.add_target(parser, "the file of pairs to write")
    parser.add_argument(
        "--days",
        type=common.whole,
        default=7,
        metavar="N",
        help="the most days that may lie between two articles' dates (default 7)",
    )
    parser.add_argument("--any-date", action="store_true", help="compare all articles, dated or not")
    parser.add_argument(
        "--strong", type=common.number, default=0.5, metavar="S", help="strong pairs lie above (default .5)"
    )
    parser.add_argument(
        "--weak", type=common.number, default=0.185, metavar="S", help="weak pairs lie above (default .185)"
    )
    parser.add_argument(
        "--many", action="store_true", help="all pairs above the weak threshold, not one for each article"
    )
    parser.add_argument(
        "--floor",
        type=common.number,
        metavar="S",
        help="begin the table of thresholds below the weak one, which shows what a lower one would add",
    )
    add_reading(parser)
    common.add_page(parser, "also write a page with the curve of thresholds, and a pair at each")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    parser.set_defaults(act=_align)


def add_reading(parser: argparse.ArgumentParser) -> None:
    """How the articles are read."""
    parser.add_argument(
        "--clean",
        action="store_true",
        help="leave out articles of empty text or, where it matters, without date, and texts that both sources have, "
        "instead of refusing them",
    )
    parser.add_argument(
        "--tok",
        default="terms",
        metavar="NAME",
        help="tokeniser: terms (default: words of any script, neighbouring pairs of Chinese characters), or one of "
        "nlgauge list",
    )
    common.add_columns(parser, "text=body", extra=False)


def read_sides(arguments: argparse.Namespace, files: Sequence[str], *, dated: bool) -> Sequence[list[Article]]:
    """The articles of each file."""
    from nlgauge.style.aligning.sides import cleaned, read_side

    sides = [read_side(file, common.columns(arguments)) for file in files]
    if not arguments.clean:
        return sides
    kept = cleaned(sides, dated=dated)
    print(
        f"nlgauge: note: left out are {kept.empty:,} articles of empty text, {kept.undated:,} without date and "
        f"{kept.in_several:,} whose text several sources have",
        file=sys.stderr,
    )
    return kept.sides


def _align(arguments: argparse.Namespace) -> int:
    from nlgauge.io import write_rows
    from nlgauge.report.style_pages import CURVE_HEADERS, curve_cells, summary, write_alignment
    from nlgauge.report.text import print_lines, print_table
    from nlgauge.style.aligning.align import AlignSettings, align
    from nlgauge.style.forms import STRONG, WEAK

    path = common.output_rows(arguments.output)
    assert path is not None  # the option is required
    page = common.output_file(arguments.html)
    settings = AlignSettings(
        days=None if arguments.any_date else arguments.days,
        **common.given(arguments, "strong", "weak", "many", "floor", "tok"),
    )
    sides = read_sides(arguments, [arguments.a, arguments.b], dated=settings.days is not None)
    with common.progress(len(sides[0]), quiet=arguments.quiet or arguments.json) as tell:
        found = align(
            sides[0],
            sides[1],
            settings,
            done=None if tell is None else lambda count: tell("articles compared", count),
        )
    write_rows((pair.to_row() for pair in found.pairs), path)
    if page is not None:
        write_alignment(found, {article.id: article.headline for side in sides for article in side}, page)
    if arguments.json:
        common.print_json(
            {
                "pairs": str(path),
                "sources": dict(zip(found.sources, found.articles, strict=True)),
                "strong": found.in_band(STRONG),
                "weak": found.in_band(WEAK),
                "curve": [{"threshold": point.threshold, "pairs": point.pairs} for point in found.curve],
            }
        )
        return 0
    print_lines([f"{path}: {summary(found)}", ""])
    print_table(CURVE_HEADERS, curve_cells(found), right=[0, 1])
    return 0
