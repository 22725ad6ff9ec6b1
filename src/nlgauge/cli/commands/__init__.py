"""Commands of several parts, each with its options and examples."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """A part of a command: what it is for, its options, and the function that runs it, unless parts of its own do."""

    summary: str
    options: Callable[[argparse.ArgumentParser], None]
    act: Callable[[argparse.Namespace], int] | None
    about: str = ""
    examples: str = ""


def add_parts(
    parser: argparse.ArgumentParser,
    parts: Mapping[str, Part],
    *,
    title: str = "what",
    metavar: str = "WHAT",
    dest: str = "part",
) -> list[argparse.ArgumentParser]:
    """A subcommand for each part: the parsers that were made."""
    made = []
    choices = parser.add_subparsers(title=title, metavar=metavar, dest=dest, required=True)
    for name, part in parts.items():
        subparser = choices.add_parser(
            name,
            help=part.summary,
            description=part.about or f"{part.summary[0].upper()}{part.summary[1:]}.",
            epilog=part.examples or None,
            formatter_class=argparse.RawDescriptionHelpFormatter if part.examples else argparse.HelpFormatter,
        )
        part.options(subparser)
        if part.act is not None:
            subparser.set_defaults(act=part.act)
        made.append(subparser)
    return made


def run_part(arguments: argparse.Namespace) -> int:
    """Run the one that was called."""
    act: Callable[[argparse.Namespace], int] = arguments.act
    return act(arguments)
