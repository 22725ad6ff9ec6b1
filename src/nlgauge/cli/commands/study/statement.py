"""`nlgauge study statement` and `compare-statements`: what a study asked, of whom and how, for its paper."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from nlgauge.cli import common
from nlgauge.cli.commands.study.shared import Action, add_database, add_folder

if TYPE_CHECKING:
    from nlgauge.studies import StudyStatement
    from nlgauge.study.statement.compare import Comparison

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
        from nlgauge.study.statement import heds

        sheet = found.read.datasheet
        if not data:
            return heds.markdown(sheet)
        value = sheet.to_dict()
    elif arguments.format == "json" or data:
        value = found.to_dict()
    else:
        return {"html": found.to_html, "latex": found.to_latex, "md": found.to_markdown}[arguments.format]()
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
