"""Corpora of inputs and texts: what they hold, and what systems make of them."""

from __future__ import annotations

import argparse

from nlgauge.cli.commands import add_parts, run_part

EXAMPLES = """\
examples:
  nlgauge corpus profile train.xml dev.xml test.xml --html profile.html
  nlgauge corpus profile outputs.jsonl
  nlgauge corpus grammar check person outputs.jsonl
  nlgauge corpus grammar parse wind --text "SW 10-14, veering W by midday."
  nlgauge corpus grammar sample person -n 5
  nlgauge corpus pcru demonstrate
  nlgauge corpus generate places.yaml -o places
  nlgauge corpus conform outputs.jsonl --rules places
  nlgauge corpus experiment predictions -o predictions --small

`nlgauge corpus WHAT --help` shows the options."""

PARTS = {
    "profile": "inputs, templates, splits and noise of a corpus; slot errors of systems",
    "pcru": "generation rules trained on texts, and what metrics make of frequent choices",
    "generate": "a corpus with known properties, from templates, entities and rules",
    "conform": "which rules outputs follow, and what they leave out, get wrong or add",
    "experiment": "what makes a corpus hard to learn from: systems trained on many controlled corpora",
    "example": "a small corpus with templates, made for the examples",
    "grammar": "grammars: check one, parse texts with it, draw texts from it",
}
"""What the command has, each in a module of its name."""


def configure(parser: argparse.ArgumentParser) -> None:
    """The parts and their options."""
    add_parts(parser, "corpus", PARTS)


def run(arguments: argparse.Namespace) -> int:
    """Run one of them."""
    return run_part(arguments)
