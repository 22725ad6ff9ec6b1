"""How far systems moved headlines into another style and kept their content, by classifiers and by metrics."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from nlgauge.cli import common
from nlgauge.cli.commands.style import table
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.style.forms import Article

EXAMPLES = """\
examples:
  nlgauge style score outputs.jsonl --split split --model classifiers
  nlgauge style score outputs.jsonl --articles test.jsonl --model classifiers -m bleu -m rougeL --html style.html
  nlgauge style score outputs.jsonl --split split --model classifiers --items items.jsonl --rows rows.jsonl
  nlgauge style score outputs.jsonl --split split --model classifiers --family translation=S2S1,S2S2 \\
      --family summarisation=SUM --data strong=S2S2 --data weak=S2S1,SUM

HH: the new headline matches the original one; AH: it fits the article; Main: its style was moved; compliancy: all
three. docs/style-scores.md tells more."""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument(
        "outputs", metavar="OUTPUTS", help="JSON lines with id, direction (SOURCE>TARGET), system and text"
    )
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--articles", metavar="FILE", help="the articles: id, source, headline, text, pair")
    where.add_argument("--split", metavar="FOLDER", help="the test part of what nlgauge style split wrote")
    parser.add_argument("--model", required=True, metavar="FOLDER", help="what nlgauge style train wrote")
    parser.add_argument(
        "-m",
        "--metric",
        action="append",
        metavar="SPEC",
        help="a metric to stand beside the classifiers (repeatable; default: bleu rougeL)",
    )
    parser.add_argument(
        "--success",
        choices=("reversed", "target"),
        help="when the style was moved: the decision differs from that on the original headline (default with two "
        "sources), or is the target (default with more, where a reversal is no success)",
    )
    parser.add_argument(
        "--direction",
        action="append",
        default=[],
        metavar="A>B",
        help="only this direction (repeatable; default: all that there are)",
    )
    parser.add_argument(
        "--no-gold",
        action="store_true",
        help="score without aligned headlines: no upper bound, no references",
    )
    table.add_framing(parser)
    parser.add_argument("--level", type=float, default=0.95, metavar="P", help="confidence level (default 0.95)")
    parser.add_argument(
        "--draws", type=common.positive, default=1000, metavar="N", help="bootstrap draws (default 1000)"
    )
    parser.add_argument(
        "--rows",
        type=common.Output,
        metavar="FILE",
        help="also write the rows that nlgauge score and compare read",
    )
    parser.add_argument(
        "--items",
        type=common.Output,
        metavar="FILE",
        help="also write what each classifier says of every output",
    )
    common.add_page(parser, "also write a page with tables and plots")
    common.add_run(parser)
    parser.set_defaults(act=_score)


def _score(arguments: argparse.Namespace) -> int:
    from nlgauge.api import check_draws
    from nlgauge.io import write_rows
    from nlgauge.stats.limits import check_interval_draws
    from nlgauge.style.forms import read_transfers
    from nlgauge.style.scoring import score_transfers
    from nlgauge.style.scoring.judged import Settings

    if arguments.data and not arguments.family:
        raise InputError("--data needs --family")
    check_draws(arguments.draws, arguments.level, arguments.seed)
    check_interval_draws(arguments.draws)
    page = common.output_file(arguments.html)
    rows, items = common.output_rows(arguments.rows), common.output_rows(arguments.items)
    transfers = read_transfers(arguments.outputs)
    with common.progress(len(transfers), quiet=arguments.quiet or arguments.json) as progress:
        found, posed = score_transfers(
            _articles(arguments),
            transfers,
            arguments.model,
            metrics=arguments.metric,
            directions=arguments.direction,
            success=arguments.success,
            gold=not arguments.no_gold,
            families=table.named(arguments.family, "family"),
            data=table.named(arguments.data, "data"),
            settings=Settings(level=arguments.level, draws=arguments.draws, seed=arguments.seed),
            jobs=arguments.jobs,
            progress=progress,
        )
    if rows is not None:
        write_rows(posed.rows, rows)
    if items is not None:
        write_rows(found.items, items)
    table.show(found, page, source=arguments.outputs, as_json=arguments.json)
    return 0


def _articles(arguments: argparse.Namespace) -> list[Article]:
    from nlgauge.style.forms import PARTS, read_articles, read_part

    return read_articles(arguments.articles) if arguments.split is None else read_part(arguments.split, PARTS[0])
