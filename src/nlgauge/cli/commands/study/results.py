"""`nlgauge study analyse`, `statement` and `compare-statements`: what a study found, and what it asked of whom."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlgauge.cli import common, output
from nlgauge.cli.arguments import Arg, Part, html, seeded
from nlgauge.cli.commands.study.shared import STUDY
from nlgauge.cli.common import Output, positive
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.studies import StudyStatement
    from nlgauge.study.protocols.base import Protocol
    from nlgauge.study.statements.compare import Comparison

THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What libraries of linear algebra read when they are loaded, which is after this."""


_ANALYSE_OPTIONS = (
    *STUDY,
    Arg("--judgements FILE", "an exported file (.jsonl, .csv, .parquet) in place of the database"),
    Arg(
        "--closed", "with --judgements: no more answers will come; analyse fewer than planned, as an exploratory study"
    ),
    Arg("--panel NAME", "one panel alone; a machine's may be looked at before people are done"),
    Arg("--recheck DIR", "ratings: the study in which experts judged a sample again"),
    html("also write a page with plots and sentences"),
    output.FIGURES,
    Arg("--rescale", "ratings: every answer as a share of its scale, 0 to 1"),
    Arg("--format", "ratings and comparisons: tables for papers (default text)", ("text", "markdown", "latex"), "text"),
    Arg("--draws N", "draws of the Monte-Carlo exact tests (default 9999)", positive, 9_999),
    seeded("seed of these draws"),
)


def _analyse(arguments: argparse.Namespace) -> int:
    """Analyse and print."""
    for name in THREADS:  # matrices of mixed models are small: threads that wait for each other cost tenfold
        os.environ.setdefault(name, "1")
    from nlgauge import studies
    from nlgauge.study.freeze import frozen
    from nlgauge.study.protocols import protocol_of

    protocol = protocol_of(frozen.read(arguments.folder).study.protocol)
    page, figures = common.output(arguments.html), common.output(arguments.figures)
    result = studies.analyse(
        arguments.folder,
        **common.given(arguments, ("judgements", "db", "closed", "seed", "panel")),
        **_of_protocol(arguments, protocol),
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


def _of_protocol(arguments: argparse.Namespace, protocol: Protocol) -> dict[str, Any]:
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


STATEMENT_FORMATS = ("md", "html", "latex", "json", "heds")
_LONGEST = 60  # characters of a value in a table


_STATEMENT_OPTIONS = (
    *STUDY,
    Arg("--form", "short fits one page (default long)", ("long", "short"), "long"),
    Arg(
        "--format",
        "Markdown (default), HTML, LaTeX, JSON, or the Human Evaluation Datasheet (Markdown; JSON with --json or "
        "-o FILE.json)",
        STATEMENT_FORMATS,
        "md",
    ),
    Arg("-o --output FILE", "write it to a file", Output),
)


def _statement(arguments: argparse.Namespace) -> int:
    from nlgauge import studies
    from nlgauge.io.write import atomic_file

    path = common.output(arguments.output)
    found = studies.statement(arguments.folder, form=arguments.form, db=arguments.db)
    text = _rendered(arguments, found, path)
    if path is None:
        print(text, end="")
        return 0
    with atomic_file(path) as out:
        out.write(text.encode("utf-8"))
    print(f"{path}: {found.statement}", file=sys.stderr)
    return 0


def _rendered(arguments: argparse.Namespace, found: StudyStatement, path: Path | None) -> str:
    import orjson

    data = arguments.json or (path is not None and path.suffix == ".json")
    if arguments.format == "heds":
        from nlgauge.study.statements import heds

        sheet = found.read.datasheet
        if not data:
            return heds.markdown(sheet)
        value = sheet.to_dict()
    elif arguments.format == "json" or data:
        value = found.to_dict()
    else:
        return {"html": found.to_html, "latex": found.to_latex, "md": found.to_markdown}[arguments.format]()
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


_COMPARE_OPTIONS = (
    Arg("first A", "a study's folder, or a statement written with --format json"),
    Arg("second B", "a study's folder, or a statement written with --format json"),
)


def _compare(arguments: argparse.Namespace) -> int:
    from nlgauge.study.statements.compare import compare
    from nlgauge.study.statements.read import load

    compared = compare(load(arguments.first), load(arguments.second))
    return common.show(arguments, compared, lambda found: _print_compared(found, arguments.first, arguments.second))


def _print_compared(compared: Comparison, first: str, second: str) -> None:
    from nlgauge.report.text import print_table

    rows = [(difference.name, _cell(difference.first), _cell(difference.second)) for difference in compared.differences]
    if rows:
        print_table(("field", first, second), rows)
        print()
    for remark in compared.criteria:
        print(f"note: {remark}")
    print(compared)


def _cell(text: str | None) -> str:
    if text is None:
        return "-"
    plain = " ".join(text.split())
    if len(plain) > _LONGEST:
        plain = plain[: _LONGEST - 1] + "…"
    return plain or "missing"


ACTIONS = {
    "analyse": Part("verdict, limits, biases and the sentences for a paper", _ANALYSE_OPTIONS, _analyse),
    "statement": Part(
        "what was asked, of whom and how: the design statement of a paper", _STATEMENT_OPTIONS, _statement
    ),
    "compare-statements": Part("what differs between the statements of two studies", _COMPARE_OPTIONS, _compare),
}
