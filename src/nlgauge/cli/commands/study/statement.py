"""`nlgauge study statement` and `compare-statements`: what a study asked, of whom and how, for its paper."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nlgauge.cli import common
from nlgauge.cli.commands.study.shared import Action, add_database, add_folder, database

if TYPE_CHECKING:
    from nlgauge.study.statement.compare import Comparison
    from nlgauge.study.statement.read import Read

FORMATS = ("md", "html", "latex", "json", "heds")
_LONGEST = 60  # characters of a value in a table


def _options(parser: argparse.ArgumentParser) -> None:
    add_folder(parser)
    add_database(parser)
    parser.add_argument("--form", choices=("long", "short"), default="long", help="short fits one page (default long)")
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="md",
        help="Markdown (default), HTML, LaTeX, JSON, or the Human Evaluation Datasheet (Markdown; JSON with --json "
        "or -o FILE.json)",
    )
    parser.add_argument("-o", "--output", type=common.Output, metavar="FILE", help="write it to a file")


def _statement(arguments: argparse.Namespace) -> int:
    from nlgauge.io.write import atomic_file
    from nlgauge.study.statement.read import read

    path = common.output(arguments.output)
    found = read(arguments.folder, database(arguments))
    text = _rendered(arguments, found, path)
    if path is None:
        print(text, end="")
        return 0
    with atomic_file(path) as out:
        out.write(text.encode("utf-8"))
    print(f"{path}: {found.statement}", file=sys.stderr)
    return 0


def _rendered(arguments: argparse.Namespace, found: Read, path: Path | None) -> str:
    import orjson

    from nlgauge.study.statement import heds, latex, markdown, short

    statement = replace(found.statement, form=arguments.form)
    data = arguments.json or (path is not None and path.suffix == ".json")
    if arguments.format == "heds":
        sheet = found.datasheet
        if not data:
            return heds.markdown(sheet)
        value = sheet.to_dict()
    elif arguments.format == "json" or data:
        value = short.to_dict(statement) if arguments.form == "short" else statement.to_dict()
    elif arguments.format == "html":
        from nlgauge.report.study.statement import statement_page

        return statement_page(statement)
    else:
        return latex.latex(statement) if arguments.format == "latex" else markdown.markdown(statement)
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def _compare_options(parser: argparse.ArgumentParser) -> None:
    what = "a study's folder, or a statement written with --format json"
    parser.add_argument("first", metavar="A", help=what)
    parser.add_argument("second", metavar="B", help=what)


def _compare(arguments: argparse.Namespace) -> int:
    from nlgauge.study.statement.compare import compare
    from nlgauge.study.statement.read import load

    compared = compare(load(arguments.first), load(arguments.second))
    if arguments.json:
        common.print_json(compared.to_dict())
    else:
        _print(compared, arguments.first, arguments.second)
    return 0


def _print(compared: Comparison, first: str, second: str) -> None:
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


ACTIONS: dict[str, Action] = {
    "statement": ("what was asked, of whom and how: the design statement of a paper", _options, _statement),
    "compare-statements": ("what differs between the statements of two studies", _compare_options, _compare),
}
