"""The exceptions a user can meet.

* NlgaugeError
  + InputError     the data are wrong: file, line, what was expected, what to do
    + NoSuchRow  a result was asked for a row that it does not have
    + NeedsWholeSet  they cannot be streamed, but perhaps loaded
  + SpecError      a metric's name or one of its fields is wrong
  + MissingExtra   an optional package is needed: which, for what, and the install line
  + MissingResource  a dictionary or table is needed: which, for what, and how to get it
    + MissingModel   a model is needed: which, for what, and the install line

The command line prints the message and exits with code 2; any other exception is a bug of ours.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

MOST_NAMED = 24  # known names that a refusal lists


class NlgaugeError(Exception):
    """Base of every error that is the user's to mend."""


class InputError(NlgaugeError):
    """The data given cannot be used as they are: the cause, and what to do.

    >>> error = InputError("one judge", "ask a second one")
    >>> str(error), error.cause
    ('one judge; ask a second one', 'one judge')
    """

    def __init__(self, cause: str = "", remedy: str = "") -> None:
        super().__init__(f"{cause}; {remedy}" if remedy else cause)
        self.cause = cause


class NeedsWholeSet(InputError):  # noqa: N818 - says what is needed, as MissingExtra does
    """The data cannot be streamed: some rows rely on others; loading the whole set may work."""


class SpecError(NlgaugeError):
    """A metric specification cannot be understood."""


class ColumnsRead(UserWarning):
    """A column was read as another key than its name."""


class NoSuchRow(InputError, KeyError):  # noqa: N818 - said of a result, which is looked up as a dictionary is
    """A result has no row, or several, of the names asked for."""

    __str__ = Exception.__str__


class MissingExtra(NlgaugeError):  # noqa: N818 - the name users see in tracebacks, says what to do
    """An optional package is not installed."""

    def __init__(self, purpose: str, package: str, extra: str) -> None:
        self.how = f'pip install "nlgauge[{extra}]"'
        super().__init__(f"{purpose} needs the package {package}, which is not installed: {self.how}")


@contextmanager
def needing(purpose: str, extra: str, package: str = "") -> Iterator[None]:
    """Imports of packages that an extra brings: where one is not installed, it is told which, for what, and how to.

    >>> with needing("writing", "zstd"):
    ...     import feathers
    Traceback (most recent call last):
    nlgauge.errors.MissingExtra: writing needs the package feathers, which is not installed: pip install "nlgauge[zstd]"
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "nlgauge").startswith("nlgauge"):
            raise
        raise MissingExtra(purpose, package or str(error.name), extra) from None


class MissingResource(NlgaugeError):  # noqa: N818 - a sibling of MissingExtra
    """A dictionary or table that is not part of this package is not on the machine."""

    def __init__(self, purpose: str, resource: str, how: str) -> None:
        self.how, self.resource = how, resource
        super().__init__(f"{purpose} needs {resource}, which was not found: {how}")


class MissingModel(MissingResource):
    """A model is not on the machine, or a library it runs on is not."""

    def __init__(self, purpose: str, model: str, install: str, *, lacking: str = "which is not installed") -> None:
        self.how, self.resource = install, model
        NlgaugeError.__init__(self, f"{purpose} needs {model}, {lacking}: {install}")


_surface = {"command line": False}


@contextmanager
def at_the_command_line() -> Iterator[None]:
    """In this block options are told as a command takes them."""
    before, _surface["command line"] = _surface["command line"], True
    try:
        yield
    finally:
        _surface["command line"] = before


def as_called(command: str, python: str) -> str:
    """One of two spellings: that of a command, or that of Python."""
    return command if _surface["command line"] else python


def option(name: str, value: str = "", *, flag: str = "") -> str:
    """An option as the caller would write it: `--ties half` for a command, `ties="half"` in Python.

    Args:
        name: the argument in Python
        value: as a shell takes it, in quotes where it has blanks
        flag: what a command calls it, where that is another name
    """
    unquoted = value.strip("\"'")
    return as_called(
        f"--{flag or name.replace('_', '-')} {value}".rstrip(), f'{name}="{unquoted}"' if value else f"{name}=…"
    )


def suggest(word: str, known: Iterable[str], listing: str = "") -> str:
    """A half sentence: the nearest known names, then all of them (of many the first), or the command that does."""
    word, names = str(word), sorted(known)  # from Python anything may be given for a name
    near = difflib.get_close_matches(word, names, n=3, cutoff=0.5)
    folded = [name for name in names if name.lower() == word.lower() and name not in near]
    hint = f"did you mean {' or '.join(folded + near)}? " if folded + near else ""
    if listing:
        return f"{hint}{listing} shows all"
    return f"{hint}{'Known' if hint else 'known'}: {first_of(names)}"


def first_of(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """Names, the first of them where there are many: `a, b and 37 more`."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def counted(number: int, one: str, several: str = "") -> str:
    """A number with its noun: `1 item`, `1,200 items`; `several` where the plural takes more than an s."""
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"


LONGEST_TOLD = 60  # characters of a value that a refusal quotes


def shortened(value: object) -> str:
    """A value as a refusal quotes it: its beginning, where it is long."""
    text = str(value)
    return repr(text) if len(text) <= LONGEST_TOLD else f"{text[:LONGEST_TOLD]!r}…"


def unquoted(value: object) -> str:
    """The same without quotation marks, for a name among others."""
    text = str(value)
    return text if len(text) <= LONGEST_TOLD else f"{text[:LONGEST_TOLD]}…"
