"""`nlgauge style score`, `table` and `study`: how well systems do, by classifiers, tables and people."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from nlgauge.cli import common
from nlgauge.cli.arguments import JSON, LEVEL, RUN, Arg, Group, Part, html, to_write
from nlgauge.cli.common import Output, positive, seed
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.style.scoring import StyleScores

_SCORE = """\
examples:
  nlgauge style score outputs.jsonl --split split --model classifiers
  nlgauge style score outputs.jsonl --articles test.jsonl --model classifiers -m bleu -m rougeL --html style.html
  nlgauge style score outputs.jsonl --split split --model classifiers --items items.jsonl --rows rows.jsonl
  nlgauge style score outputs.jsonl --split split --model classifiers --family translation=S2S1,S2S2 \\
      --family summarisation=SUM --data strong=S2S2 --data weak=S2S1,SUM

HH: the new headline matches the original one; AH: it fits the article; Main: its style was moved; compliancy: all
three. docs/style-scores.md tells more."""


FRAMING = (
    Arg(
        "--family NAME=A,B",
        "systems that frame the task alike, to be compared with other families (repeatable)",
        default=[],
        many=True,
    ),
    Arg(
        "--data NAME=A,B",
        "with --family: systems that were trained on the same kind of data (repeatable)",
        default=[],
        many=True,
    ),
)
_SCORE_OPTIONS = (
    Arg("outputs OUTPUTS", "JSON lines with id, direction (SOURCE>TARGET), system and text"),
    Group(
        "",
        (
            Arg("--articles FILE", "the articles: id, source, headline, text, pair"),
            Arg("--split FOLDER", "the test part of what nlgauge style split wrote"),
        ),
        exclusive=True,
        required=True,
    ),
    Arg("--model FOLDER", "what nlgauge style train wrote", required=True),
    Arg("-m --metric SPEC", "a metric to stand beside the classifiers (repeatable; default: bleu rougeL)", many=True),
    Arg(
        "--success",
        "when the style was moved: the decision differs from that on the original headline (default with two "
        "sources), or is the target (default with more, where a reversal is no success)",
        ("reversed", "target"),
    ),
    Arg("--direction A>B", "only this direction (repeatable; default: all that there are)", default=[], many=True),
    Arg("--no-gold", "score without aligned headlines: no upper bound, no references"),
    *FRAMING,
    LEVEL,
    Arg("--draws N", "bootstrap draws (default 1000)", positive, 1000),
    Arg("--rows FILE", "also write the rows that nlgauge score and compare read", Output),
    Arg("--items FILE", "also write what each classifier says of every output", Output),
    html("also write a page with tables and plots"),
    *RUN,
)


def _score(arguments: argparse.Namespace) -> int:
    from nlgauge.io import write_rows
    from nlgauge.stats.limits import check_draws, check_interval_draws
    from nlgauge.style.forms import PARTS, read_articles, read_part, read_transfers
    from nlgauge.style.scoring import score_transfers
    from nlgauge.style.scoring.judged import Settings

    if arguments.data and not arguments.family:
        raise InputError("--data needs --family")
    check_draws(arguments.draws, arguments.level, arguments.seed)
    check_interval_draws(arguments.draws)
    page = common.output_file(arguments.html)
    rows, items = common.output_rows(arguments.rows), common.output_rows(arguments.items)
    transfers = read_transfers(arguments.outputs)
    articles = read_articles(arguments.articles) if arguments.split is None else read_part(arguments.split, PARTS[0])
    with common.progress(len(transfers), quiet=arguments.quiet or arguments.json) as progress:
        found, posed = score_transfers(
            articles,
            transfers,
            arguments.model,
            metrics=arguments.metric,
            directions=arguments.direction,
            success=arguments.success,
            gold=not arguments.no_gold,
            families=named(arguments.family, "family"),
            data=named(arguments.data, "data"),
            settings=Settings(**common.given(arguments, ("level", "draws", "seed"))),
            jobs=arguments.jobs,
            progress=progress,
        )
    if rows is not None:
        write_rows(posed.rows, rows)
    if items is not None:
        write_rows(found.items, items)
    return show(arguments, found, page, source=arguments.outputs)


_TABLE = """\
examples:
  nlgauge style table scores.csv
  nlgauge style table scores.csv --harder rep2gio --html table.html
  nlgauge style table scores.csv --family translation=S2S1,S2S2 --family summarisation=SUM

The file has a row for each system and direction: system, direction, hh, ah, main, compliancy, bleu, rouge. A row of the
direction avg holds what was stated as the average, one of the system gold the upper bound."""


_TABLE_OPTIONS = (
    Arg("table FILE", "CSV, TSV or JSON lines: system, direction and scores"),
    Arg(
        "--harder DIRECTION",
        "this direction was stated to be harder: say whether it follows (repeatable)",
        default=[],
        many=True,
    ),
    Arg("--lower SCORE", "of this score less is better, as of ter (repeatable)", default=[], many=True),
    *FRAMING,
    html("also write a page with tables and plots"),
    JSON,
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


def show(arguments: argparse.Namespace, found: StyleScores, page: Path | None, *, source: str) -> int:
    """Print the scores, and write the page where one was asked for."""
    from nlgauge.report.style_pages import write_scores
    from nlgauge.report.style_transfer import print_scores

    if page is not None:
        write_scores(found, page, source=source)
    return common.show(arguments, found, print_scores)


def _table(arguments: argparse.Namespace) -> int:
    from nlgauge.style.scoring import scores_of_table
    from nlgauge.style.scoring.typed import read_table

    if arguments.data and not arguments.family:
        raise InputError("--data needs --family")
    page = common.output_file(arguments.html)
    typed = read_table(arguments.table, harder=arguments.harder, lower=arguments.lower)
    found = scores_of_table(typed, families=named(arguments.family, "family"), data=named(arguments.data, "data"))
    return show(arguments, found, page, source=arguments.table)


PROTOCOLS = ("classification", "triangle")
_STUDY = """\
examples:
  nlgauge style study outputs.jsonl --articles split/test.jsonl -o headlines
  nlgauge style study outputs.jsonl --articles split/test.jsonl --protocol triangle --systems gold,good -o triads

Systems are those of the outputs, original (the articles' own headlines) and gold (those of the aligned articles, where
articles name their pair). Only articles count that have a headline by each system. Then: nlgauge study check FOLDER."""


_STUDY_OPTIONS = (
    Arg("transfers TRANSFERS", "what systems wrote: id, direction, system, text"),
    Arg("--articles FILE", "the articles that were transferred", nargs="+", required=True),
    Arg("--protocol", "what judges do (default classification)", PROTOCOLS, "classification"),
    to_write("the study's folder", metavar="FOLDER"),
    Arg("--systems A,B", "only these: systems, original or gold"),
    Arg("--direction A>B", "only outputs of this direction", default=""),
    Arg("--judges N", "number of judges", positive),
    Arg("--languages XX,XX", "languages of the pages (default en)", default="en"),
    Arg("--title TEXT", "what judges see above everything", default=""),
    Arg("--seed N", "seed (default 12345)", seed, 12345),
    JSON,
)


def _study(arguments: argparse.Namespace) -> int:
    import tempfile

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
    options = {"systems": tuple(systems), "languages": tuple(arguments.languages.split(","))}
    options |= common.given(arguments, ("judges", "title", "seed"))
    with tempfile.TemporaryDirectory() as made_in:  # the study keeps a copy
        data = Path(made_in) / "headlines.jsonl"
        write_rows(rows, data)
        made = protocol_of(arguments.protocol).new(arguments.output, data, options)
    return tell_made(arguments, made, arguments.output)


PARTS = {
    "score": Part(
        "how far systems moved the style and kept the content, by classifiers and metrics",
        _SCORE_OPTIONS,
        _score,
        about=(
            "How far systems moved headlines into another style and kept their content, by classifiers and by metrics."
        ),
        examples=_SCORE,
    ),
    "table": Part(
        "a table of scores that somebody has already: averages, orders, what does not follow",
        _TABLE_OPTIONS,
        _table,
        about=(
            "A table of scores that somebody has already: averages, orders, and what was stated and does not "
            "follow from it."
        ),
        examples=_TABLE,
    ),
    "study": Part(
        "a study in which people judge headlines: which source, or a triangle test",
        _STUDY_OPTIONS,
        _study,
        about=(
            "Make a study of people's judgements from articles and transfers: which source does a headline "
            "come from, or can\n"
            "people tell the headlines of a system from others (a triangle test)."
        ),
        examples=_STUDY,
    ),
}
