"""A table of scores that somebody has already: averages, orders, and what was stated and does not follow from it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from nlgauge.cli import common
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.style.scoring import StyleScores

EXAMPLES = """\
examples:
  nlgauge style table scores.csv
  nlgauge style table scores.csv --harder rep2gio --html table.html
  nlgauge style table scores.csv --family translation=S2S1,S2S2 --family summarisation=SUM

The file has a row for each system and direction: system, direction, hh, ah, main, compliancy, bleu, rouge. A row of the
direction avg holds what was stated as the average, one of the system gold the upper bound."""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument("table", metavar="FILE", help="CSV, TSV or JSON lines: system, direction and scores")
    parser.add_argument(
        "--harder",
        action="append",
        default=[],
        metavar="DIRECTION",
        help="this direction was stated to be harder: say whether it follows (repeatable)",
    )
    parser.add_argument(
        "--lower",
        action="append",
        default=[],
        metavar="SCORE",
        help="of this score less is better, as of ter (repeatable)",
    )
    add_framing(parser)
    common.add_page(parser, "also write a page with tables and plots")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(act=_table)


def add_framing(parser: argparse.ArgumentParser) -> None:
    """Families of systems, and what they were trained on."""
    parser.add_argument(
        "--family",
        action="append",
        default=[],
        metavar="NAME=A,B",
        help="systems that frame the task alike, to be compared with other families (repeatable)",
    )
    parser.add_argument(
        "--data",
        action="append",
        default=[],
        metavar="NAME=A,B",
        help="with --family: systems that were trained on the same kind of data (repeatable)",
    )


def named(given: list[str], kind: str) -> dict[str, list[str]]:
    """NAME=A,B of several options."""
    found: dict[str, list[str]] = {}
    for text in given:
        name, equals, systems = text.partition("=")
        own = [system.strip() for system in systems.split(",") if system.strip()]
        if not (name and equals and own):
            raise InputError(f"--{kind} {text}: expected NAME=SYSTEM,SYSTEM, for example translation=S2S1,S2S2")
        if name in found:
            raise InputError(f"--{kind} {name} is given twice; name all its systems at once")
        found[name] = own
    return found


def show(found: StyleScores, page: Path | None, *, source: str, as_json: bool) -> None:
    """Print the scores, and write the page where one was asked for."""
    if page is not None:
        from nlgauge.report.style_pages import write_scores

        write_scores(found, page, source=source)
    if as_json:
        common.print_json(found.to_dict())
    else:
        from nlgauge.report.style_transfer import print_scores

        print_scores(found)


def _table(arguments: argparse.Namespace) -> int:
    from nlgauge.style.scoring import scores_of_table
    from nlgauge.style.scoring.typed import read_table

    if arguments.data and not arguments.family:
        raise InputError("--data needs --family")
    page = common.output_file(arguments.html)
    typed = read_table(arguments.table, harder=arguments.harder, lower=arguments.lower)
    found = scores_of_table(typed, families=named(arguments.family, "family"), data=named(arguments.data, "data"))
    show(found, page, source=arguments.table, as_json=arguments.json)
    return 0
