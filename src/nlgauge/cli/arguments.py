"""What commands take, as values: arguments, groups of them, and those that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from nlgauge.cli.common import Output, between, positive, seed, whole
from nlgauge.options import DEFAULT_SEED, Known, known


@dataclass(frozen=True)
class Arg:
    """An argument: its flags, or the name of a positional one, and what its value is called, as in `-n --judges N`.

    A flag without a value is a switch. `kind` turns the text into a value, or holds the words that may be given.
    """

    named: str
    help: str
    kind: Callable[[str], Any] | tuple[str, ...] | None = None
    default: Any = None
    many: bool = False
    nargs: str | int | None = None
    required: bool = False
    dest: str | None = None
    action: type[argparse.Action] | None = None

    def add(self, parser: argparse._ActionsContainer) -> None:
        """Let a parser take it."""
        words = self.named.split()
        flags = [word for word in words if word.startswith("-")]
        called = words[len(flags or words[:1]) :]
        what: dict[str, Any] = {"dest": self.dest, "default": self.default, "nargs": self.nargs}
        what["action"] = "append" if self.many else self.action
        what["required"] = self.required or None
        what["choices" if isinstance(self.kind, tuple) else "type"] = self.kind
        if called:
            what["metavar"] = tuple(called) if len(called) > 1 else called[0]
        elif flags and self.kind is None:
            what |= {"action": "store_true", "default": False}
        given = {name: value for name, value in what.items() if value is not None}
        parser.add_argument(*(flags or words[:1]), help=self.help, **given)


class Group:
    """Arguments under a title of their own, or those of which one may be given."""

    def __init__(
        self, title: str, arguments: tuple[Arg, ...], *, exclusive: bool = False, required: bool = False
    ) -> None:
        self.title, self.arguments, self.exclusive, self.required = title, arguments, exclusive, required

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Let a parser take them."""
        if self.exclusive:
            add(parser.add_mutually_exclusive_group(required=self.required), self.arguments)
        else:
            add(parser.add_argument_group(self.title), self.arguments)


@dataclass(frozen=True)
class Part:
    """A part of a command: what it is for, its arguments, and the function that runs it, unless parts of its own do."""

    summary: str
    arguments: Arguments = ()
    act: Callable[[argparse.Namespace], int] | None = None
    about: str = ""
    examples: str = ""


@dataclass(frozen=True)
class Parts:
    """The parts of a command by their names, of which one is called."""

    parts: Mapping[str, Part]
    title: str = "what"
    metavar: str = "WHAT"
    dest: str = "part"
    each: Arguments = ()  # what all of them take
    described: bool = True

    def add(self, parser: argparse.ArgumentParser) -> None:
        """A subcommand for each part."""
        choices = parser.add_subparsers(title=self.title, metavar=self.metavar, dest=self.dest, required=True)
        for name, part in self.parts.items():
            subparser = choices.add_parser(
                name,
                help=part.summary,
                description=part.about or (f"{part.summary[0].upper()}{part.summary[1:]}." if self.described else None),
                epilog=part.examples or None,
                formatter_class=argparse.RawDescriptionHelpFormatter if part.examples else argparse.HelpFormatter,
            )
            add(subparser, (*part.arguments, *self.each))
            if part.act is not None:
                subparser.set_defaults(act=part.act)


Arguments = tuple[Arg | Group | Parts, ...]


def run_part(arguments: argparse.Namespace) -> int:
    """Run the part that was called."""
    act: Callable[[argparse.Namespace], int] = arguments.act
    return act(arguments)


def add(parser: Any, arguments: Arguments) -> None:
    """Let a parser, or a group of its arguments, take these."""
    for argument in arguments:
        argument.add(parser)


def options_of(options: Any) -> tuple[Arg, ...]:
    """The options of a typed dictionary (`nlgauge.options`)."""
    return tuple(_option(name, entry) for name, entry in known(options).items())


def _option(name: str, entry: Known) -> Arg:
    option = entry.option
    kind = entry.choices or {bool: None, str: None, Path: Output}.get(entry.kind, entry.kind)
    if option.low is not None and option.high is not None:
        kind = partial(between, low=option.low, high=option.high)
    return Arg(f"--{name.replace('_', '-')} {option.metavar or ''}", option.help, kind, option.default)


def quiet(what: str = "no progress bar") -> Arg:
    """Results alone."""
    return Arg("--quiet", what)


def level(name: str = "--level") -> Arg:
    """The level of intervals."""
    return Arg(f"{name} P", "confidence level (default 0.95)", float, 0.95)


def seeded(what: str = "seed of all draws") -> Arg:
    """The seed, which has a default."""
    return Arg("--seed N", f"{what} (default {DEFAULT_SEED})", seed, DEFAULT_SEED)


def html(what: str) -> Arg:
    """A page to be written beside what is printed."""
    return Arg("--html FILE", what, Output)


def to_write(what: str, metavar: str = "FILE") -> Arg:
    """What the command is there to write, which must be named."""
    return Arg(f"-o --output {metavar}", what, Output, required=True)


JSON, QUIET, LEVEL, SEED = Arg("--json", "print one JSON object"), quiet(), level(), seeded()
PRINTING = (JSON, QUIET)
JOBS = Arg("--jobs N", "threads for the kernels (default 1)", partial(between, low=1, high=1024), 1)
RUN = (JOBS, SEED, *PRINTING)
TRIALS = Arg("--trials N", "bootstrap draws (default 1000)", positive, 1000)
ROWS = Arg("--rows N", "rows of long tables, spread from first to last (default 20; 0: all)", whole, 20)
