"""Run a paper's experiments on a corpus whose true quality is known: models are trained, evaluators learn from their
texts, and the paper's tables are printed."""

from __future__ import annotations

import argparse
from dataclasses import replace

from nlgauge.cli import common
from nlgauge.cli.arguments import JSON, SEED, Arg, html, quiet
from nlgauge.cli.common import Output, positive
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


ARGUMENTS = (
    Arg("paper", "which paper", PAPERS),
    Arg("-o --output FOLDER", f"texts, evaluators and results (default {PAPERS[0]})", Output, PAPERS[0]),
    Arg("--small", "fewer groups and smaller models, for two CPU cores"),
    Arg("--groups N", "searches, and trainings watched (30; small: 6)", positive),
    Arg("--corpus FOLDER", "WritingPrompts or DailyDialog instead of generated stories"),
    SEED,
    html("also write the tables as a page"),
    JSON,
    quiet("no progress"),
)


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
    return common.show(arguments, found, print_reproduction)
