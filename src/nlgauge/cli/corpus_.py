"""Corpora of inputs and texts: what they hold, and what systems make of them."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import import_module

EXAMPLES = """\
examples:
  nlgauge corpus profile train.xml dev.xml test.xml --html profile.html
  nlgauge corpus profile outputs.jsonl                 slot errors and diversity of systems
  nlgauge corpus profile judged.jsonl --train train.jsonl --human semantics

`nlgauge corpus ACTION --help` shows an action's options."""

MODULES = ("corpus_profile",)
"""Each holds ACTIONS: the name of an action → what it does in words, its options, and the function that runs it."""

Action = tuple[str, Callable[[argparse.ArgumentParser], None], Callable[[argparse.Namespace], int]]


def configure(parser: argparse.ArgumentParser) -> None:
    """The actions and their options."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", dest="action", required=True)
    for module in MODULES:
        found: dict[str, Action] = import_module(f"nlgauge.cli.{module}").ACTIONS
        for name, (summary, options, run_action) in found.items():
            action = actions.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.")
            options(action)
            action.add_argument("--json", action="store_true", help="print one JSON object")
            action.set_defaults(act=run_action)


def run(arguments: argparse.Namespace) -> int:
    """Run one action."""
    act: Callable[[argparse.Namespace], int] = arguments.act
    return act(arguments)
