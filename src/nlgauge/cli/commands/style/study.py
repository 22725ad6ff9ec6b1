"""Make a study of people's judgements from articles and transfers: which source does a headline come from, or can
people tell the headlines of a system from others (a triangle test)."""

from __future__ import annotations

import argparse

from nlgauge.cli import common

PROTOCOLS = ("classification", "triangle")
EXAMPLES = """\
examples:
  nlgauge style study outputs.jsonl --articles split/test.jsonl -o headlines
  nlgauge style study outputs.jsonl --articles split/test.jsonl --protocol triangle --systems gold,good -o triads

Systems are those of the outputs, original (the articles' own headlines) and gold (those of the aligned articles, where
articles name their pair). Only articles count that have a headline by each system. Then: nlgauge study check FOLDER."""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument("transfers", metavar="TRANSFERS", help="what systems wrote: id, direction, system, text")
    parser.add_argument(
        "--articles", nargs="+", required=True, metavar="FILE", help="the articles that were transferred"
    )
    parser.add_argument(
        "--protocol",
        default="classification",
        choices=PROTOCOLS,
        help="what judges do (default classification)",
    )
    common.add_target(parser, "the study's folder", metavar="FOLDER")
    parser.add_argument("--systems", metavar="A,B", help="only these: systems, original or gold")
    parser.add_argument("--direction", default="", metavar="A>B", help="only outputs of this direction")
    parser.add_argument("--judges", type=common.positive, metavar="N", help="number of judges")
    parser.add_argument("--languages", default="en", metavar="XX,XX", help="languages of the pages (default en)")
    parser.add_argument("--title", default="", metavar="TEXT", help="what judges see above everything")
    parser.add_argument("--seed", type=common.seed, default=12345, metavar="N", help="seed (default 12345)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(act=_study)


def _study(arguments: argparse.Namespace) -> int:
    import tempfile
    from pathlib import Path

    from nlgauge.cli.commands.study.make import tell_made
    from nlgauge.io import write_rows
    from nlgauge.study.protocols import protocol_of
    from nlgauge.style.forms import read_articles, read_transfers
    from nlgauge.style.judged import chosen, headlines

    articles = [article for file in arguments.articles for article in read_articles(file)]
    rows = headlines(read_transfers(arguments.transfers), articles, direction=arguments.direction)
    asked = tuple(name.strip() for name in (arguments.systems or "").split(",") if name.strip())
    common.output_folder(arguments.output)  # asked first
    systems, rows = chosen(rows, asked, two=arguments.protocol == "triangle")
    options = {
        "systems": tuple(systems),
        "judges": arguments.judges,
        "languages": tuple(arguments.languages.split(",")),
        "title": arguments.title,
        "seed": arguments.seed,
    }
    with tempfile.TemporaryDirectory() as made_in:  # the study keeps a copy
        data = Path(made_in) / "headlines.jsonl"
        write_rows(rows, data)
        made = protocol_of(arguments.protocol).new(arguments.output, data, options)
    return tell_made(made, arguments.output, as_json=arguments.json)
