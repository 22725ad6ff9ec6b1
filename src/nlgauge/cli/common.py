"""Options, progress and printing that the commands share."""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlgauge.errors import InputError
from nlgauge.options import DEFAULT_SEED, known

if TYPE_CHECKING:
    from nlgauge.io.loading import Repeats
    from nlgauge.types import EvaluationSet

Parser = argparse.ArgumentParser | argparse._ArgumentGroup
FOLDERS = ("data", "folder", "model", "outputs", "recheck", "source", "split")  # may name one that is read


def add_data(parser: argparse.ArgumentParser) -> None:
    """Where the texts come from."""
    parser.add_argument(
        "data",
        nargs="?",
        metavar="DATA",
        help="evaluation set: .jsonl, .csv, .tsv, .parquet (.gz, .zst), WMT folder",
    )
    parser.add_argument(
        "--hyp", action="append", metavar="NAME=FILE", help="outputs of one system, one per line (repeatable)"
    )
    parser.add_argument("--ref", action="append", metavar="FILE", help="references, one per line (repeatable)")
    parser.add_argument("--src", metavar="FILE", help="sources, one per line")
    parser.add_argument("--pair", metavar="XX-YY", help="language pair, where a WMT folder holds several")
    parser.add_argument(
        "--repeats",
        choices=("refuse", "number"),
        default="refuse",
        help="a repeated (item, system): refuse it (default), or keep it as item 17#2",
    )
    add_columns(parser)


def add_columns(parser: Parser, example: str = "hypothesis=my_output", *, extra: bool = True) -> None:
    """What the columns of the data are called."""
    parser.add_argument(
        "--column",
        action="append",
        default=[],
        metavar="KEY=NAME",
        help=f"the column that holds a key, where it has another name, e.g. {example} (repeatable)",
    )
    if extra:
        parser.add_argument(
            "--allow-extra",
            action="store_true",
            help="keep unknown columns as remarks instead of refusing them",
        )


def columns(arguments: argparse.Namespace) -> dict[str, str]:
    """The columns that --column names, by key."""
    found: dict[str, str] = {}
    for text in arguments.column or ():
        key, equals, name = text.partition("=")
        if not (equals and key and name):
            raise InputError(f"--column {text}: expected KEY=NAME, for example hypothesis=my_output")
        if key in found:
            raise InputError(f"--column {key} is given twice; several references go by reference_1=…, reference_2=…")
        found[key] = name
    return found


def add_where(parser: Parser) -> None:
    """Rows to keep."""
    parser.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="keep the rows whose key has the value, e.g. dataset=wmt17/cs-en (repeatable: all must hold)",
    )


def where(arguments: argparse.Namespace) -> list[tuple[str, str]]:
    """What --where asks for."""
    found = []
    for text in arguments.where:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise InputError(f"--where {text}: expected KEY=VALUE, for example dataset=wmt17/cs-en")
        found.append((key, value))
    return found


def add_without(parser: Parser) -> None:
    """Rows to keep, and systems to leave out."""
    add_where(parser)
    parser.add_argument(
        "--without", action="append", default=[], metavar="SYSTEM", help="leave a system out (repeatable)"
    )


def add_metrics(parser: argparse.ArgumentParser) -> None:
    """Which metrics."""
    parser.add_argument(
        "-m",
        "--metric",
        action="append",
        metavar="SPEC",
        help='metric, e.g. bleu, chrf++, "bleu(tok=intl)", rouge@2.f1 (repeatable; default: bleu chrf ter)',
    )


def add_options(parser: Parser, options: Any) -> None:
    """The options of a typed dictionary (`nlgauge.options`)."""
    for name, entry in known(options).items():
        option = entry.option
        what: dict[str, Any] = {"default": option.default, "help": option.help, "metavar": option.metavar}
        if entry.kind is bool:
            what = {"action": "store_true", "help": option.help}
        elif entry.choices:
            what |= {"choices": entry.choices}
        elif option.low is not None and option.high is not None:
            what |= {"type": partial(_between, low=option.low, high=option.high)}
        elif entry.kind is not str:
            what |= {"type": Output if entry.kind is Path else entry.kind}
        parser.add_argument(f"--{name.replace('_', '-')}", **what)


def taken(arguments: argparse.Namespace, options: Any) -> dict[str, Any]:
    """What was given of such options, as keywords of the function."""
    values = given(arguments, *known(options))
    return {name: output(value) if isinstance(value, Output) else value for name, value in values.items()}


def add_humans(parser: argparse.ArgumentParser) -> None:
    """Ratings by people, and a metric that helps them."""
    parser.add_argument(
        "--human",
        action="append",
        metavar="CRITERION[:lower]",
        help="mean ratings of this criterion (repeatable; alone, or beside metrics given with -m); :lower where less "
        "is better, as with errors",
    )
    add_standardise(parser, "with --human: ")
    parser.add_argument(
        "--control",
        action="append",
        metavar="SPEC",
        help="with --human: a metric on all items makes up for judgements on few (control variate; repeatable)",
    )
    parser.add_argument(
        "--target",
        choices=("population", "set"),
        default="population",
        help="with --control: the mean over all items there might be (default), or over those of the set",
    )
    parser.add_argument(
        "--strata", metavar="KEY", help="with --control: stratify by this key of the rows, e.g. category"
    )


def add_standardise(parser: argparse._ActionsContainer, when: str = "") -> None:
    """Ratings as they are, or as z-scores of each judge."""
    parser.add_argument(
        "--standardise",
        choices=("none", "judges"),
        default="none",
        help=f"{when}take ratings as given (default), or each judge's as z-scores, as WMT does",
    )


def human_directions(arguments: argparse.Namespace) -> None:
    """Take the directions off the criteria: `errors:lower` is the criterion errors, of which less is better."""
    given = [text.rpartition(":") for text in arguments.human or ()]
    known = {"lower", "higher"}
    pairs = [(name, word) if name and word in known else (name + sign + word, "") for name, sign, word in given]
    arguments.lower = [name for name, word in pairs if word == "lower"]
    arguments.human = [name for name, _ in pairs] or None


def check_humans(arguments: argparse.Namespace) -> None:
    """Options that mean nothing without --human are refused, not ignored."""
    human_directions(arguments)
    if arguments.lower and arguments.control:
        raise InputError("--control takes ratings of which more is better; leave :lower or --control out")
    if arguments.html and arguments.control:
        raise InputError("the page cannot show estimates with --control; leave --html or --control out")
    for option, needed in (("control", "human"), ("strata", "control")):
        if getattr(arguments, option) and not getattr(arguments, needed):
            raise InputError(f"--{option} needs --{needed}")
    if arguments.target != "population" and not arguments.control:
        raise InputError("--target needs --control")
    if arguments.standardise != "none":
        if not arguments.human:
            raise InputError("--standardise is about ratings: it needs --human")
        for option in ("control", "power", "huse"):
            if getattr(arguments, option, None):
                raise InputError(f"--standardise and --{option} do not go together; leave one of them out")
    if arguments.control and (arguments.cluster or arguments.interval != "percentile"):
        raise InputError(
            "--control gives t intervals over single items; leave --cluster and --interval out, or leave out --control"
        )


def add_run(parser: argparse.ArgumentParser) -> None:
    """How to run and what to print."""
    parser.add_argument("--jobs", type=_threads, default=1, metavar="N", help="threads for the kernels (default 1)")
    add_seed(parser)
    add_printing(parser)


def add_printing(parser: argparse.ArgumentParser) -> None:
    """What to print."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")


def add_seed(parser: Parser, what: str = "seed of all draws") -> None:
    """The seed, which has a default."""
    told = f"{what} (default {DEFAULT_SEED})"
    parser.add_argument("--seed", type=seed, default=DEFAULT_SEED, metavar="N", help=told)


def add_page(parser: Parser, what: str) -> None:
    """A page to be written beside what is printed."""
    parser.add_argument("--html", type=Output, metavar="FILE", help=what)


def add_target(parser: Parser, what: str, *, metavar: str = "FILE") -> None:
    """What the command is there to write, which must be named."""
    parser.add_argument("-o", "--output", type=Output, required=True, metavar=metavar, help=what)


def given(arguments: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Options that are handed on under their own names."""
    return {name: getattr(arguments, name) for name in names}


def positive(text: str) -> int:
    """A whole number from 1 up."""
    return _between(text, 1, 10_000_000)


def whole(text: str) -> int:
    """A whole number from 0 up."""
    return _between(text, 0, 10_000_000)


def number(text: str) -> float:
    """A number given as an option."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, not {text!r}") from None


def _threads(text: str) -> int:
    return _between(text, 1, 1024)


def seed(text: str) -> int:
    """The seed of a generator."""
    return _between(text, 0, 2**63 - 1)


def _between(text: str, low: int, high: int) -> int:
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


def source(arguments: argparse.Namespace) -> dict[str, Any]:
    """Where the data are, as keyword arguments of `nlgauge.io.stream`."""
    if arguments.data and (arguments.hyp or arguments.ref or arguments.src):
        raise InputError("give either DATA or line files (--hyp, --ref, --src), not both")
    named = {"columns": columns(arguments), "allow_extra": arguments.allow_extra}
    if arguments.data:
        return {"path": arguments.data, "pair": arguments.pair, **named}
    if any(named.values()):
        raise InputError("--column and --allow-extra are about the columns of DATA; line files have none")
    if not arguments.hyp:
        raise InputError("no data given: name an evaluation set, or line files with --hyp NAME=FILE --ref FILE")
    hyp: dict[str, str] = {}
    for pair in arguments.hyp:
        name, equals, path = pair.partition("=")
        if not equals:
            name, path = pair, pair
        if not name.isprintable() and any("\ud800" <= sign <= "\udfff" for sign in name):
            raise InputError(f"the system {name!r} has a name that is not UTF-8; name it by --hyp NAME=FILE")
        if name in hyp:
            raise InputError(f"the system {name!r} is given twice by --hyp; give each system its own name: NAME=FILE")
        hyp[name] = path
    return {"hyp": hyp, "refs": list(arguments.ref or []), "src": arguments.src}


def files(source: dict[str, Any]) -> list[str]:
    """The files a source names."""
    return [source["path"]] if "path" in source else [*source["hyp"].values(), *source["refs"]]


def load(
    source: dict[str, Any],
    repeats: Repeats,
    without: Sequence[str] = (),
    where: Sequence[tuple[str, str]] = (),
) -> EvaluationSet:
    """The evaluation set a source names: the rows that are to be kept, less the systems that are to be left out."""
    from nlgauge.api import load as load_set

    options = {name: value for name, value in source.items() if name != "path" and value}
    data = load_set(source.get("path"), **options, repeats=repeats)
    if where:
        from nlgauge.engine.grouping import where as rows_where

        data = rows_where(data, where)
    return data.without(without) if without else data


@contextmanager
def pairwise_hint(source: dict[str, Any]) -> Iterator[None]:
    """A refusal of data that hold preferences says which command ranks systems by them."""
    from nlgauge.io import is_pairwise

    try:
        yield
    except InputError as error:
        path = source.get("path")
        if path is not None and os.path.isfile(path) and is_pairwise(path, source.get("columns")):
            raise InputError(f"{error}; {ranked_by(path)}") from None
        raise


def ranked_by(path: str) -> str:
    """Where a ranking of systems from preferences is had."""
    return f"{path} holds pairwise rows; for a ranking of the systems from people's preferences: nlgauge rate {path}"


@contextmanager
def progress(total: int | None, *, quiet: bool) -> Iterator[Callable[[str, int], None] | None]:
    """A bar on standard error for long work, and nothing where nobody is looking."""
    if quiet or (total is not None and total < 20_000) or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("segments", total=total)
        yield lambda what, done: bar.update(task, description=what, advance=done)


@contextmanager
def stages(*, quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """Each stage and how far it is, on standard error: a line that is written over, or whole lines in a log."""
    ends = "\r" if sys.stderr.isatty() else "\n"

    def tell(stage: str, done: int, total: int) -> None:
        if not quiet:
            print(
                f"{stage}: {done} of {total}",
                end="\n" if done == total else ends,
                file=sys.stderr,
                flush=True,
            )

    yield tell


def print_json(value: Any) -> None:
    """One JSON object on standard output."""
    import orjson

    try:
        text = orjson.dumps(value, option=orjson.OPT_INDENT_2)
    except TypeError:  # the name of a file that is not UTF-8
        text = orjson.dumps(_encodable(value), option=orjson.OPT_INDENT_2)
    sys.stdout.write(text.decode() + "\n")


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
