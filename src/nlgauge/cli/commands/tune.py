"""Fit the numeric fields of a metric to human judgements, and say what that gains on items it was not fitted to."""

from __future__ import annotations

import argparse

from nlgauge.cli import common, inputs
from nlgauge.errors import InputError

EXAMPLES = """\
examples:
  nlgauge tune chrf judged.jsonl --human quality
  nlgauge tune eed judged.jsonl --human errors:lower --fields alpha=0:4,rho --correlation kendall
  nlgauge tune qbleu1 questions.jsonl --human answerability --search grid --steps 6 --bags 100
  nlgauge tune meteor judged.jsonl --human quality --where dataset=wmt16 --json

Fields that take fractions are fitted, within their limits; one without an upper limit is searched up to four times its
default. Whole numbers, such as the order of n-grams, are fitted where --fields names them with a range."""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument("metric", metavar="SPEC", help='metric, e.g. chrf, "meteor(tok=13a)", qbleu1')
    parser.add_argument("data", metavar="DATA", help="judged outputs: .jsonl, .csv, .tsv, .parquet (.gz, .zst)")
    parser.add_argument(
        "--human",
        action="append",
        required=True,
        metavar="CRITERION[:lower]",
        help="criterion of the ratings; :lower where less is better, as with errors",
    )
    rows = parser.add_argument_group("which rows")
    inputs.add_columns(rows, extra=False)
    inputs.add_without(rows)
    fit = parser.add_argument_group("how to fit")
    fit.add_argument(
        "--fields",
        type=_fields,
        default={},
        metavar="NAME[=LOW:HIGH],…",
        help="fields to fit, with the range to search (default: all that take fractions)",
    )
    fit.add_argument(
        "--correlation",
        default="pearson",
        metavar="NAME",
        help="what is made large: pearson (default), spearman, kendall or kendall-c, over outputs",
    )
    fit.add_argument(
        "--search",
        choices=("coordinate", "grid"),
        default="coordinate",
        help="one field after the other, ever nearer to the best (default), or every combination",
    )
    fit.add_argument(
        "--steps",
        type=common.positive,
        default=11,
        metavar="N",
        help="values of each field that are tried at a time (default 11)",
    )
    fit.add_argument(
        "--bags",
        type=common.whole,
        default=0,
        metavar="N",
        help="with --search grid: average the best values of N bootstrap samples of the items",
    )
    inputs.add_standardise(fit)
    gain = parser.add_argument_group("what is gained")
    gain.add_argument(
        "--folds", type=common.positive, default=5, metavar="N", help="parts of the items held out (default 5)"
    )
    gain.add_argument(
        "--draws",
        type=common.whole,
        default=1000,
        metavar="N",
        help="bootstrap draws of the gain's interval (default 1000; 0: none)",
    )
    common.add_level(gain, "--confidence")
    common.add_run(parser)


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
            **common.given(arguments, "fields", "correlation", "search", "steps", "bags", "standardise"),
            **common.given(arguments, "folds", "draws", "confidence", "seed", "jobs"),
        )
    if arguments.json:
        common.print_json(found.to_dict())
        return 0
    from nlgauge.report.text import print_lines, print_table

    headers, rows = found.table()
    print_table(headers, rows, right=range(1, len(headers)))
    print_lines(["", *found.lines()])
    return 0
