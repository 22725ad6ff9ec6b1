"""Review the questions and instructions of a human study: framing, demand characteristics, anchoring, and remedies.

Each finding names the place, the words, the reason, the paper and a neutral rewording. The rules follow Schoch, Yang
and Ji (2020), “Framing and Bias in Human Evaluation for Natural Language Generation”. Findings are advice: the exit
code is 0."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from nlgauge.cli import common, inputs
from nlgauge.cli.arguments import JSON, Arg
from nlgauge.cli.common import seed
from nlgauge.errors import InputError, counted
from nlgauge.options import DEFAULT_SEED

if TYPE_CHECKING:
    from nlgauge.study.question_review import Remark

EXAMPLES = """\
examples:
  nlgauge review-questions questions.txt                 one question or instruction a line
  nlgauge review-questions questions.jsonl --json        rows {"text", "role"?, "language"?, "labels"?, "examples"?}
  nlgauge review-questions my-study                      the study file of a folder
  nlgauge review-questions my-study --data outputs.jsonl also: do named traits or examples favour one system?
  nlgauge review-questions fragen.txt --language de"""


ARGUMENTS = (
    Arg("source FILE|STUDY_DIR", "questions one a line, JSON lines, or a study folder"),
    Arg("--data DATA", "evaluation set with the outputs that will be judged"),
    *inputs.COLUMNS,
    Arg(
        "--language XX",
        "language of the lines (default: German where a line is German, else English; a study names its own)",
    ),
    Arg(
        "--encoder NAME",
        "with --data: a sentence encoder beside n-grams (default: minilm where installed; none: n-grams only)",
        default="",
    ),
    Arg("--seed N", "seed of the permutation tests", seed, DEFAULT_SEED),
    JSON,
)


def run(arguments: argparse.Namespace) -> int:
    """Review and print."""
    from pathlib import Path

    from nlgauge.study.question_review import review, review_folder
    from nlgauge.study.question_review.book import book
    from nlgauge.study.question_review.sources import from_file

    if (arguments.column or arguments.allow_extra) and not arguments.data:
        raise InputError("--column and --allow-extra are about the columns of --data")
    book(arguments.language or "en")  # refused before anything is read
    options: dict[str, Any] = {"seed": arguments.seed}
    if arguments.data:
        from nlgauge.study.question_review.outputs import encoders

        source = {"path": arguments.data, "columns": inputs.columns(arguments)}
        options["data"] = inputs.load({**source, "allow_extra": arguments.allow_extra}, "number")
        options["using"] = encoders(arguments.encoder)
    if Path(arguments.source).is_dir():
        found, reviewed = review_folder(arguments.source, **options), 0
    else:
        pieces = from_file(arguments.source, arguments.language)
        found, reviewed = review(pieces, **options), len(pieces)
    if arguments.json:
        common.print_json({"findings": [remark.to_dict() for remark in found], "reviewed": reviewed or None})
        return 0
    _print(found, arguments.source)
    return 0


def _print(found: list[Remark], source: str) -> None:
    from nlgauge.wording.tables import visible

    if not found:
        print(f"Nothing in {source} was found to steer judges. The rules cannot see everything: let somebody read it.")
        return
    for remark in found:
        place = f"line {remark.line}" + (f" ({remark.key})" if remark.key else "")
        print(visible(f"{place}: {remark.kind} ({remark.bias}): “{remark.words}”"))
        print(visible(f"  {remark.reason[:1].upper()}{remark.reason[1:]} ({remark.paper})."))
        print(visible(f"  {remark.remedy}"))
    lines = len({(remark.line, remark.key) for remark in found})
    print(f"\n{counted(len(found), 'finding')} about {counted(lines, 'wording')} of {source}.")
