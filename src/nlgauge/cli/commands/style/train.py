"""Train the three classifiers by which style transfer is judged: main (which source a headline is of), hh (whether two
headlines tell of the same) and ah (whether a headline fits an article)."""

from __future__ import annotations

import argparse
import sys

from nlgauge.cli import common
from nlgauge.cli.output import FORMATS
from nlgauge.errors import InputError, MissingExtra

EXAMPLES = """\
examples:
  nlgauge style train split -o classifiers --evaluate
  nlgauge style train split -o classifiers --negatives hard
  nlgauge style train split -o bert --body bert-base-uncased --preset paper --evaluate

SPLIT is a folder that nlgauge style split wrote. The linear classifiers (the default) know any language, need no
torch and are trained in minutes; --body encoder is that which comes with nlgauge (English, blind to capitals), and
any other name is an encoder of the Hugging Face hub or a folder. FOLDER/main, hh and ah are trained metrics with their
cards, FOLDER/style.json has all figures. An interrupted training goes on when the same command is given again."""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument("split", metavar="SPLIT", help="a folder that nlgauge style split wrote")
    common.add_target(parser, "where the classifiers are written", metavar="FOLDER")
    parser.add_argument(
        "--body",
        default="linear",
        metavar="NAME",
        help="linear (default), encoder (that which comes with nlgauge), or an encoder's name on the hub or folder",
    )
    parser.add_argument(
        "--preset",
        choices=("ours", "paper"),
        default="ours",
        help="settings of encoders: ours (default), or those of De Mattei et al. (2020)",
    )
    parser.add_argument(
        "--negatives",
        choices=("random", "hard"),
        default="random",
        help="pairs that do not match: at random (default, as in the paper) or among the most similar headlines",
    )
    parser.add_argument("--evaluate", action="store_true", help="also ask about the test part of the split (gold data)")
    parser.add_argument(
        "--held",
        type=common.number,
        default=0.1,
        metavar="P",
        help="share of the training parts that is held out, by aligned pairs (default .1)",
    )
    parser.add_argument("--epochs", type=common.positive, metavar="N", help="of encoders, instead of the preset's")
    parser.add_argument(
        "--only",
        action="append",
        choices=("main", "hh", "ah"),
        help="train this one only (repeatable)",
    )
    parser.add_argument(
        "--rows",
        metavar="FOLDER",
        help="also keep rows and configurations there, from which nlgauge train makes the same",
    )
    common.add_seed(parser, "seed of what is held out, of drawn pairs and of encoders")
    parser.add_argument("--force", action="store_true", help="replace classifiers that are there")
    parser.add_argument("--format", choices=FORMATS, default="text", help="text (default), markdown, latex or csv")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(act=_train)


def _train(arguments: argparse.Namespace) -> int:
    try:
        from nlgauge.cli.commands.train import shown
        from nlgauge.style.classifiers import ABOUT, CLASSIFIERS, LINEAR, StyleSettings, train_classifiers
    except ModuleNotFoundError as error:
        raise MissingExtra("training", error.name or "yaml", "train") from None
    if not 0 <= arguments.held < 1:
        raise InputError(f"--held is a share from 0 to below 1, not {arguments.held:g}")
    for name in ("preset", "epochs"):
        if arguments.body == LINEAR and getattr(arguments, name) not in (None, "ours"):
            raise InputError(f"--{name} is of encoders; name one with --body, such as --body encoder")
    target = common.output_folder(arguments.output)
    if (target / ABOUT).is_file() and not arguments.force:
        raise InputError(f"{target} holds classifiers already; give a new folder, or replace them (--force)")
    kept = None if arguments.rows is None else common.output_folder(arguments.rows)
    settings = StyleSettings(
        body=arguments.body,
        preset=arguments.preset,
        negatives=arguments.negatives,
        held=arguments.held,
        epochs=arguments.epochs or 0,
        only=tuple(name for name in CLASSIFIERS if name in (arguments.only or CLASSIFIERS)),
        seed=arguments.seed,
    )
    try:
        with shown(quiet=arguments.quiet or arguments.json) as (progress, report):
            found = train_classifiers(
                arguments.split,
                target,
                settings,
                evaluate=arguments.evaluate,
                rows=kept,
                progress=progress,
                report=report,
            )
    except MissingExtra as error:
        print("note: --body linear trains without further packages", file=sys.stderr)
        raise error
    except KeyboardInterrupt:
        print("note: the same command goes on from what was kept", file=sys.stderr)
        raise
    if arguments.json:
        common.print_json({"folder": str(target), **found.to_dict()})
        return 0
    from nlgauge.report.style_classifiers import of_classifiers
    from nlgauge.report.text import print_lines, print_table
    from nlgauge.wording.paper import written

    paper = of_classifiers(found)
    if arguments.format != "text":
        print(written(paper, arguments.format, []))
        return 0
    for heading, headers, rows, right in paper.parts:
        print_lines([heading, ""])
        print_table(headers, rows, right=right, keys=2)
        print_lines([""])
    print_lines([*paper.notes, f"{target / ABOUT} has these figures; each classifier lies beside it with its card."])
    return 0
