"""Run a paper's experiments on a corpus whose true quality is known: models are trained, evaluators learn from their
texts, and the paper's tables are printed."""

from __future__ import annotations

import argparse
from dataclasses import replace

from nlgauge.cli import common
from nlgauge.errors import InputError, needing

EXAMPLES = """\
examples:
  nlgauge reproduce learning-to-compare -o compared
  nlgauge reproduce learning-to-compare -o small --small --html small.html
  nlgauge reproduce learning-to-compare -o talk --corpus dailydialog --groups 10

learning-to-compare (Zhou and Xu 2020): LSTM, convolutional and Transformer models write stories; a comparator learns
from texts of some trainings, by strong and weak supervision only, and chooses hyperparameters and checkpoints of
others, beside ADEM, an adversarial evaluator, BLEU and perplexity. The stories are generated, and the oracle of their
rules says what is truly good; it stands for people. CORPUS is a folder as WritingPrompts or DailyDialog have it; nobody
knows what is good there, so that only the choices are told. It takes 5 minutes on one H200; --small takes 10 minutes
on two cores. What is finished is kept in the folder: the same command goes on where it was. It needs
pip install "nlgauge[train]"."""

PAPERS = ("learning-to-compare",)


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument("paper", choices=PAPERS, help="which paper")
    parser.add_argument(
        "-o",
        "--output",
        type=common.Output,
        default=PAPERS[0],
        metavar="FOLDER",
        help=f"texts, evaluators and results (default {PAPERS[0]})",
    )
    parser.add_argument("--small", action="store_true", help="fewer groups and smaller models, for two CPU cores")
    parser.add_argument(
        "--groups", type=common.positive, metavar="N", help="searches, and trainings watched (30; small: 6)"
    )
    parser.add_argument("--corpus", metavar="FOLDER", help="WritingPrompts or DailyDialog instead of generated stories")
    common.add_seed(parser)
    common.add_page(parser, "also write the tables as a page")
    common.add_json(parser)
    common.add_quiet(parser, "no progress")


def run(arguments: argparse.Namespace) -> int:
    """Reproduce and print."""
    if arguments.groups == 1:
        raise InputError("--groups 1 leaves nothing to count; expected 2 or more")
    with needing("reproduce", "train"):
        from nlgauge.reproduce.run import learning_to_compare
        from nlgauge.reproduce.settings import SMALL, Settings
    settings = replace(SMALL if arguments.small else Settings(), seed=arguments.seed)
    if arguments.groups:
        settings = replace(settings, groups=arguments.groups)
    page = common.output_file(arguments.html)
    with common.stages(quiet=arguments.quiet) as progress:
        found = learning_to_compare(arguments.output, settings, corpus=arguments.corpus, progress=progress)
    from nlgauge.report.reproduction import print_reproduction, write_page

    if page is not None:
        write_page(found, page)
    if arguments.json:
        common.print_json(found.to_dict())
    else:
        print_reproduction(found)
    return 0
