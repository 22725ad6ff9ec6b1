"""Commands of several parts: each part is a module with EXAMPLES and `configure(parser)`, which sets `act`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from importlib import import_module


def add_parts(parser: argparse.ArgumentParser, command: str, parts: Mapping[str, str]) -> None:
    """A subcommand for each part, by its name and what it is for; its module is `COMMAND.NAME`."""
    found = parser.add_subparsers(title="what", metavar="WHAT", dest="part", required=True)
    for name, summary in parts.items():
        module = import_module(f"nlgauge.cli.commands.{command}.{name}")
        part = found.add_parser(
            name,
            help=summary,
            description=(module.__doc__ or "").strip(),
            epilog=module.EXAMPLES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.configure(part)


def run_part(arguments: argparse.Namespace) -> int:
    """Run the one that was called."""
    act: Callable[[argparse.Namespace], int] = arguments.act
    return act(arguments)
