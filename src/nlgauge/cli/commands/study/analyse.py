"""Analyse a study: verdict, limits, biases, texts, reasons, and the sentences for a paper."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from nlgauge.cli import common, output
from nlgauge.cli.commands.study.shared import add_database, add_folder
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.study.protocols.base import Protocol

EXAMPLES = """\
examples:
  nlgauge study analyse forecasts
  nlgauge study analyse forecasts --html report.html
  nlgauge study analyse forecasts --judgements answers.jsonl --json
  nlgauge study analyse forecasts --panel minilm            a machine, while people are still at it
  nlgauge study analyse forecasts --judgements answers.jsonl --closed     no more answers will come"""


THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What libraries of linear algebra read when they are loaded, which is after this."""


def options(parser: argparse.ArgumentParser) -> None:
    """The options but for --json, which all actions of `nlgauge study` have."""
    add_folder(parser)
    add_database(parser)
    parser.add_argument(
        "--judgements",
        metavar="FILE",
        help="an exported file (.jsonl, .csv, .parquet) in place of the database",
    )
    parser.add_argument(
        "--closed",
        action="store_true",
        help="with --judgements: no more answers will come; analyse fewer than planned, as an exploratory study",
    )
    parser.add_argument(
        "--panel", metavar="NAME", help="one panel alone; a machine's may be looked at before people are done"
    )
    parser.add_argument("--recheck", metavar="DIR", help="ratings: the study in which experts judged a sample again")
    common.add_page(parser, "also write a page with plots and sentences")
    output.add_figures(parser)
    parser.add_argument("--rescale", action="store_true", help="ratings: every answer as a share of its scale, 0 to 1")
    parser.add_argument(
        "--format",
        choices=("text", "markdown", "latex"),
        default="text",
        help="ratings and comparisons: tables for papers (default text)",
    )
    parser.add_argument(
        "--draws",
        type=common.positive,
        default=9_999,
        metavar="N",
        help="draws of the Monte-Carlo exact tests (default 9999)",
    )
    common.add_seed(parser, "seed of these draws")


def configure(parser: argparse.ArgumentParser) -> None:
    """All options."""
    options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Analyse and print."""
    for name in THREADS:  # matrices of mixed models are small: threads that wait for each other cost tenfold
        os.environ.setdefault(name, "1")
    from nlgauge import studies
    from nlgauge.study.launch import frozen
    from nlgauge.study.protocols import protocol_of

    protocol = protocol_of(frozen.read(arguments.folder).study.protocol)
    page, figures = common.output(arguments.html), common.output(arguments.figures)
    result = studies.analyse(
        arguments.folder,
        **common.given(arguments, "judgements", "db", "closed", "seed", "panel"),
        **_options(arguments, protocol),
    ).result
    from nlgauge.report.study.renderers import renderer_of
    from nlgauge.report.study.words import in_json

    output.save_figures(figures, lambda: renderer_of(result).figures(result))
    if page is not None:
        renderer_of(result).write(result, page)
    if arguments.json:
        common.print_json(in_json(result))
    else:
        renderer_of(result).show(result, arguments.format)
    return 0


def _options(arguments: argparse.Namespace, protocol: Protocol) -> dict[str, Any]:
    """What only some protocols take."""
    if protocol.name == "triangle":
        given = {"--rescale": arguments.rescale, "--format": arguments.format != "text", "--recheck": arguments.recheck}
        for option in (option for option, there in given.items() if there):
            raise InputError(
                f"{option} is for ratings and comparisons; a triangle test has neither scales nor tables for papers"
            )
    if arguments.recheck and "recheck" not in protocol.analysed_by:
        raise InputError(f"--recheck is for ratings, not for the protocol {protocol.name}")
    if arguments.rescale and "unit" not in protocol.analysed_by:
        raise InputError(f"--rescale is for ratings; a study of the protocol {protocol.name} has no scales")
    found = {"recheck": arguments.recheck, "unit": arguments.rescale, "draws": arguments.draws}
    return {name: value for name, value in found.items() if value and name in protocol.analysed_by}


ACTIONS = {"analyse": ("verdict, limits, biases and the sentences for a paper", options, run)}
