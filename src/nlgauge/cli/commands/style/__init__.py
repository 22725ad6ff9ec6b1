"""Style transfer between sources of texts, such as two newspapers: alignment, splits, classifiers, scores."""

from __future__ import annotations

import argparse

from nlgauge.cli.commands import add_parts, run_part

EXAMPLES = """\
examples:
  nlgauge style example -o papers
  nlgauge style align papers/gazette.jsonl papers/courier.jsonl -o pairs.jsonl
  nlgauge style split papers/gazette.jsonl papers/courier.jsonl pairs.jsonl -o split
  nlgauge style train split -o classifiers --evaluate
  nlgauge style transfer split -o outputs.jsonl
  nlgauge style score outputs.jsonl --split split --model classifiers --html style.html
  nlgauge style table scores.csv --harder rep2gio

`nlgauge style WHAT --help` shows the options."""

PARTS = {
    "example": "two invented newspapers, and four systems of known behaviour",
    "align": "pairs of articles of two sources that tell of the same event",
    "split": "a test set, A1, A3 and the rest, with no text in two parts",
    "train": "the classifiers of style and of content",
    "transfer": "systems that summarise or translate, trained on a split and run over its test part",
    "score": "how far systems moved the style and kept the content, by classifiers and metrics",
    "table": "a table of scores that somebody has already: averages, orders, what does not follow",
    "study": "a study in which people judge headlines: which source, or a triangle test",
}
"""What the command has, each in a module of its name."""


def configure(parser: argparse.ArgumentParser) -> None:
    """The parts and their options."""
    add_parts(parser, "style", PARTS)


def run(arguments: argparse.Namespace) -> int:
    """Run one of them."""
    return run_part(arguments)
