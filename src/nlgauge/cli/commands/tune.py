"""Fit the numeric fields of a metric to human judgements, and say what that gains on items it was not fitted to."""

from __future__ import annotations

import argparse

from nlgauge.cli import common, inputs
from nlgauge.cli.arguments import RUN, Arg, Group, level
from nlgauge.cli.common import positive, whole
from nlgauge.errors import InputError

EXAMPLES = """\
examples:
  nlgauge tune chrf judged.jsonl --human quality
  nlgauge tune eed judged.jsonl --human errors:lower --fields alpha=0:4,rho --correlation kendall
  nlgauge tune qbleu1 questions.jsonl --human answerability --search grid --steps 6 --bags 100
  nlgauge tune meteor judged.jsonl --human quality --where dataset=wmt16 --json

Fields that take fractions are fitted, within their limits; one without an upper limit is searched up to four times its
default. Whole numbers, such as the order of n-grams, are fitted where --fields names them with a range."""


def _fields(text: str) -> dict[str, tuple[float, float] | None]:
    """`alpha=0.5:0.95,beta` as ranges by name."""
    found: dict[str, tuple[float, float] | None] = {}
    for part in text.split(","):
        name, equals, given = part.strip().partition("=")
        low, colon, high = given.partition(":")
        if not name or name in found or (equals and not colon):
            raise argparse.ArgumentTypeError(
                f"is a list of fields, each once, with or without a range: alpha=0.5:0.95,beta; not {text!r}"
            )
        found[name] = (common.number(low), common.number(high)) if equals else None
    return found


ARGUMENTS = (
    Arg("metric SPEC", 'metric, e.g. chrf, "meteor(tok=13a)", qbleu1'),
    Arg("data DATA", "judged outputs: .jsonl, .csv, .tsv, .parquet (.gz, .zst)"),
    Arg(
        "--human CRITERION[:lower]",
        "criterion of the ratings; :lower where less is better, as with errors",
        many=True,
        required=True,
    ),
    Group("which rows", (inputs.column(), *inputs.KEPT)),
    Group(
        "how to fit",
        (
            Arg(
                "--fields NAME[=LOW:HIGH],…",
                "fields to fit, with the range to search (default: all that take fractions)",
                _fields,
                {},
            ),
            Arg(
                "--correlation NAME",
                "what is made large: pearson (default) or another coefficient of meta --statistic, over outputs",
                default="pearson",
            ),
            Arg(
                "--search",
                "one field after the other, ever nearer to the best (default), or every combination",
                ("coordinate", "grid"),
                "coordinate",
            ),
            Arg("--steps N", "values of each field that are tried at a time (default 11)", positive, 11),
            Arg(
                "--bags N", "with --search grid: average the best values of N bootstrap samples of the items", whole, 0
            ),
            inputs.standardise(),
        ),
    ),
    Group(
        "what is gained",
        (
            Arg("--folds N", "parts of the items held out (default 5)", positive, 5),
            Arg("--draws N", "bootstrap draws of the gain's interval (default 1000; 0: none)", whole, 1000),
            level("--confidence"),
        ),
    ),
    *RUN,
)


def run(arguments: argparse.Namespace) -> int:
    """Fit and print."""
    if len(arguments.human) > 1:
        raise InputError("a metric is tuned for one criterion; give --human once")
    inputs.human_directions(arguments)
    from nlgauge.meta.observations import MINUS, observe
    from nlgauge.meta.tuning import tune

    data = observe(
        arguments.data,
        where=inputs.where(arguments),
        without=arguments.without,
        columns=inputs.columns(arguments),
        lower=arguments.lower,
    )
    name = arguments.human[0]
    with common.progress(None, quiet=arguments.quiet or arguments.json) as shown:
        found = tune(
            arguments.metric,
            data,
            MINUS + name if name in arguments.lower else name,
            progress=shown,
            **common.given(arguments, ("fields", "correlation", "search", "steps", "bags", "standardise")),
            **common.given(arguments, ("folds", "draws", "confidence", "seed", "jobs")),
        )
    if arguments.json:
        common.print_json(found.to_dict())
        return 0
    from nlgauge.report.text import print_lines, print_table

    headers, rows = found.table()
    print_table(headers, rows, right=range(1, len(headers)))
    print_lines(["", *found.lines()])
    return 0
