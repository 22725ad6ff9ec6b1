"""Values of options, what the commands write, and how far they are."""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from nlgauge.errors import InputError

if TYPE_CHECKING:
    from rich.progress import Progress

    from nlgauge.jsonable import Jsonable

Told = TypeVar("Told", bound="Jsonable")
FOLDERS = ("data", "folder", "model", "outputs", "recheck", "source", "split")  # may name one that is read


def taken(arguments: argparse.Namespace, options: Any) -> dict[str, Any]:
    """What was given of such options, as keywords of the function."""
    from nlgauge.options import known

    values = given(arguments, known(options))
    return {name: output(value) if isinstance(value, Output) else value for name, value in values.items()}


def given(arguments: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    """Options that are handed on under their own names."""
    return {name: getattr(arguments, name) for name in names}


def positive(text: str) -> int:
    """A whole number from 1 up."""
    return between(text, 1, 10_000_000)


def whole(text: str) -> int:
    """A whole number from 0 up."""
    return between(text, 0, 10_000_000)


def number(text: str) -> float:
    """A number given as an option."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, not {text!r}") from None


def seed(text: str) -> int:
    """The seed of a generator."""
    return between(text, 0, 2**63 - 1)


def between(text: str, low: int, high: int) -> int:
    """A whole number within limits."""
    try:
        value = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a whole number, not {text!r}") from None
    if not low <= value <= high:
        raise argparse.ArgumentTypeError(f"must be at least {low} and at most {high}, not {value}")
    return value


class Output(str):
    """The name of a file or folder that a command writes: the type of every such option."""


class SchemaOutput(Output):
    """Where `study schema` writes: the one file of a study that the command is there to make."""


@contextmanager
def guarded(arguments: argparse.Namespace) -> Iterator[None]:
    """While a command runs, its outputs replace nothing that it reads, nor each other, nor a file of a study."""
    values = [
        (dest, value)
        for dest, given in vars(arguments).items()
        for value in (given if isinstance(given, list | tuple) else [given])
        if isinstance(value, str) and value
    ]
    outputs = [value for _, value in values if isinstance(value, Output)]
    read = list(_named(values))
    for path in read:
        if not os.path.isfile(path) and not os.path.isdir(path):
            from nlgauge.io.files import refuse_endless

            refuse_endless(path)
    if not outputs:
        yield
        return
    from nlgauge.io.outputs import SCHEMA, reading, refuse_harm

    with reading(read):
        for value in outputs:
            if not (isinstance(value, SchemaOutput) and Path(value).name == SCHEMA):
                refuse_harm(value)
        written = set[str]()
        for value in outputs:
            if (real := os.path.realpath(value)) in written:
                raise InputError(f"{value} is to be written twice by this command; name two files")
            written.add(real)
        yield


def _named(values: Sequence[tuple[str, str]]) -> Iterator[str]:
    """The files and folders that arguments name, by themselves or in a spec: NAME=FILE, metric(key=FILE)."""
    for dest, value in values:
        if isinstance(value, Output):
            continue
        if dest in FOLDERS and os.path.isdir(value):
            yield value
        parts = re.split(r"[=,()]", value.removeprefix("sqlite:///"))
        yield from (part for part in {value, *parts} if os.path.exists(part) and not os.path.isdir(part))


def output(path: str | None) -> Path | None:
    """A file to be written, in a folder that exists."""
    if path is None:
        return None
    if not path:
        raise InputError("the name of the file to write is empty")
    target = Path(path)
    if target.parent.is_file():
        raise InputError(f"cannot write {path}: {target.parent} is a file, not a folder")
    if not target.parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {target.parent}; make it first")
    return target


def target(arguments: argparse.Namespace, check: Callable[[str], Path | None] = output) -> Path:
    """What `add_target` asks for, as `check` has it."""
    path = check(arguments.output)
    assert path is not None  # the option is required
    return path


def output_file(path: str | None) -> Path | None:
    """The same where a folder cannot be meant; asked before work that takes long, or is paid for."""
    target = output(path)
    if target is not None and target.is_dir():
        raise InputError(f"{path} is a folder; expected a file to write to")
    return target


def output_rows(path: str | None) -> Path | None:
    """A file of rows to be written; its extension is one that rows can have."""
    from nlgauge.io.write import check_format

    target = output_file(path)
    if target is not None:
        check_format(target)
    return target


def output_folder(path: str) -> Path:
    """A folder to be written, which need not exist."""
    if not path:
        raise InputError("the name of the folder to write is empty")
    target = Path(path).expanduser()
    first = next(place for place in (target, *target.parents) if os.path.lexists(place))
    if not first.is_dir():
        raise InputError(f"cannot write {path}: {first} is a file, not a folder; name another folder")
    return target


@contextmanager
def progress(total: int | None, *, quiet: bool) -> Iterator[Callable[[str, int], None] | None]:
    """A bar on standard error for long work, and nothing where nobody is looking."""
    if quiet or (total is not None and total < 20_000) or not sys.stderr.isatty():
        yield None
        return
    with bar() as shown:
        task = shown.add_task("segments", total=total)
        yield lambda what, done: shown.update(task, description=what, advance=done)


def bar() -> Progress:
    """A bar on standard error with what is done, how far it is, and how long it will take."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


@contextmanager
def stages(*, quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """Each stage and how far it is, on standard error: a line that is written over, or whole lines in a log."""
    ends = "\r" if sys.stderr.isatty() else "\n"

    def tell(stage: str, done: int, total: int) -> None:
        if not quiet:
            print(f"{stage}: {done} of {total}", end="\n" if done == total else ends, file=sys.stderr, flush=True)

    yield tell


def print_json(value: Any) -> None:
    """One JSON object on standard output."""
    import orjson

    try:
        text = orjson.dumps(value, option=orjson.OPT_INDENT_2)
    except TypeError:  # the name of a file that is not UTF-8
        text = orjson.dumps(_encodable(value), option=orjson.OPT_INDENT_2)
    sys.stdout.write(text.decode() + "\n")


def tell(arguments: argparse.Namespace, found: Mapping[str, Any], *lines: str) -> int:
    """Print what a command found: one JSON object where that is asked for, else the lines."""
    if arguments.json:
        print_json(found)
    else:
        for line in lines:
            print(line)
    return 0


def show(arguments: argparse.Namespace, found: Told, text: Callable[[Told], object]) -> int:
    """The same of a result that `text` prints."""
    if arguments.json:
        print_json(found.to_dict())
    else:
        text(found)
    return 0


def refuse(arguments: argparse.Namespace, names: Iterable[str], why: str) -> None:
    """Refuse an option that was given and would change nothing."""
    for name in names:
        value = getattr(arguments, name)
        if value is not None and value is not False and value != []:
            raise InputError(f"--{name.replace('_', '-')} {why}")


def _encodable(value: Any) -> Any:
    """The same value, with a replacement character for each byte of a name that is not UTF-8."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if isinstance(value, dict):
        return {_encodable(key): _encodable(inner) for key, inner in value.items()}
    return [_encodable(inner) for inner in value] if isinstance(value, list | tuple) else value


def finite(bounds: tuple[float, float]) -> list[float | None]:
    """A metric's bounds as JSON has them: null where there is none."""
    return [None if math.isinf(bound) else bound for bound in bounds]


def score_range(bounds: list[float | None] | None) -> str:
    """Such bounds in words."""
    if bounds is None:
        return ""
    low, high = bounds
    return f"{'−∞' if low is None else format(low, 'g')} to {'∞' if high is None else format(high, 'g')}"
