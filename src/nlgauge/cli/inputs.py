"""What a command works on: the data and their columns, rows and systems, people's ratings, and the metrics to run."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nlgauge.cli.arguments import Arg
from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable

if TYPE_CHECKING:
    from nlgauge.engine.availability import Missing
    from nlgauge.io.loading import Repeats
    from nlgauge.metrics.base import Metric
    from nlgauge.types import EvaluationSet


def column(example: str = "hypothesis=my_output") -> Arg:
    """What the columns of the data are called."""
    told = f"the column that holds a key, where it has another name, e.g. {example} (repeatable)"
    return Arg("--column KEY=NAME", told, default=[], many=True)


def standardise(when: str = "") -> Arg:
    """Ratings as they are, or as z-scores of each judge."""
    told = f"{when}take ratings as given (default), or each judge's as z-scores, as WMT does"
    return Arg("--standardise", told, ("none", "judges"), "none")


COLUMNS = (column(), Arg("--allow-extra", "keep unknown columns as remarks instead of refusing them"))
REPEATS = Arg(
    "--repeats",
    "a repeated (item, system): refuse it (default), or keep it as item 17#2",
    ("refuse", "number"),
    "refuse",
)
DATA = (
    Arg("data DATA", "evaluation set: .jsonl, .csv, .tsv, .parquet (.gz, .zst), WMT folder", nargs="?"),
    Arg("--hyp NAME=FILE", "outputs of one system, one per line (repeatable)", many=True),
    Arg("--ref FILE", "references, one per line (repeatable)", many=True),
    Arg("--src FILE", "sources, one per line"),
    Arg("--pair XX-YY", "language pair, where a WMT folder holds several"),
    REPEATS,
    *COLUMNS,
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


def where(arguments: argparse.Namespace) -> list[tuple[str, str]]:
    """What --where asks for."""
    found = []
    for text in arguments.where:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise InputError(f"--where {text}: expected KEY=VALUE, for example dataset=wmt17/cs-en")
        found.append((key, value))
    return found


KEPT = (
    Arg(
        "--where KEY=VALUE",
        "keep the rows whose key has the value, e.g. dataset=wmt17/cs-en (repeatable: all must hold)",
        default=[],
        many=True,
    ),
    Arg("--without SYSTEM", "leave a system out (repeatable)", default=[], many=True),
)


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
    source: dict[str, Any], repeats: Repeats, without: Sequence[str] = (), where: Sequence[tuple[str, str]] = ()
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


HUMANS = (
    Arg(
        "--human CRITERION[:lower]",
        "mean ratings of this criterion (repeatable; alone, or beside metrics given with -m); :lower where less "
        "is better, as with errors",
        many=True,
    ),
    standardise("with --human: "),
    Arg(
        "--control SPEC",
        "with --human: a metric on all items makes up for judgements on few (control variate; repeatable)",
        many=True,
    ),
    Arg(
        "--target",
        "with --control: the mean over all items there might be (default), or over those of the set",
        ("population", "set"),
        "population",
    ),
    Arg("--strata KEY", "with --control: stratify by this key of the rows, e.g. category"),
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


METRICS = Arg(
    "-m --metric SPEC",
    'metric, e.g. bleu, chrf++, "bleu(tok=intl)", rouge@2.f1 (repeatable; default: bleu chrf ter)',
    many=True,
)


PRESET = (
    Arg(
        "--preset --task NAME",
        "the metrics of a script or task, beside those given with -m: coco, webnlg20, wmt, summarisation, "
        "simplification, gec, … (nlgauge list --presets)",
        dest="preset",
    ),
    Arg(
        "--language XX",
        "language of the outputs, e.g. de: chooses tokenisers and METEOR's tables of a preset (default: what the "
        "data say, else English)",
    ),
)


@dataclass(frozen=True)
class Asked(Jsonable):
    """The metrics to run, what to say of the preset, and what those that cannot run lack."""

    KEYS = "left_out if any"

    metrics: tuple[Metric, ...]
    notes: tuple[str, ...] = ()
    lacking: dict[str, Missing] = field(default_factory=dict)
    preset_lacks: dict[str, str] = field(default_factory=dict)

    @property
    def left_out(self) -> list[dict[str, str]]:
        """The metrics that cannot run, with reasons."""
        reasons = {spec: str(error) for spec, error in self.lacking.items()}
        return [{"metric": spec, "reason": why} for spec, why in {**self.preset_lacks, **reasons}.items()]


def named(arguments: argparse.Namespace, default: Sequence[str]) -> tuple[Metric, ...]:
    """The metrics given by name, or the default; misspelt names, of presets too, are refused before data are read."""
    from nlgauge import api

    _check_preset(arguments)
    chosen = arguments.metric or ([] if arguments.preset else list(default))
    return api.metrics(chosen) if chosen else ()


def _check_preset(arguments: argparse.Namespace) -> None:
    if arguments.preset:
        from nlgauge import presets

        presets.named(arguments.preset)
    elif arguments.language:
        raise InputError("--language chooses parts of a preset: add --preset")


def asked(
    arguments: argparse.Namespace, metrics: Sequence[Metric], data: EvaluationSet | None = None, *, beside: bool = False
) -> Asked:
    """The metrics that can run; each of those given by name that cannot is told on standard error.

    One missing model does not stop the others; where nothing is left, and there is nothing `beside` them, its sentence
    is the refusal.
    """
    from nlgauge.engine.availability import runnable

    here = runnable(metrics)
    kept, lacking, notes = here.metrics, here.lacking, here.notes()
    preset_lacks: dict[str, str] = {}
    if arguments.preset:
        from nlgauge import presets

        found = presets.chosen(arguments.preset, data, language=arguments.language or "")
        notes += found.notes()
        preset_lacks = found.left_out
        kept = tuple(dict.fromkeys([*kept, *found.metrics]))
        if not kept and not beside:
            raise InputError(f"no metric of this preset can be computed on these data; {'; '.join(notes)}")
    elif lacking and not kept and not beside:
        raise next(iter(lacking.values()))
    for spec, error in lacking.items():
        print(f"nlgauge: {spec} was left out: {error}", file=sys.stderr)
    return Asked(kept, tuple(notes), lacking, preset_lacks)


def measures(arguments: argparse.Namespace) -> tuple[list[str | Metric], Asked]:
    """The same for `meta`, where -m also names scores that the rows carry, and which compares outputs one by one: a
    preset's metrics of whole sets stay out."""
    from nlgauge.metrics.spec import parse

    specs = {spec: None if spec.startswith(("@", "stored")) else parse(spec) for spec in arguments.metric or ()}
    computed = [metric for metric in specs.values() if metric is not None]
    _check_preset(arguments)
    found = asked(arguments, computed, beside=len(computed) < len(specs))
    given = [spec if metric is None else metric for spec, metric in specs.items()]
    kept = [metric for metric in given if isinstance(metric, str) or metric in found.metrics]
    added = [metric for metric in found.metrics if metric not in computed and (metric.additive or not arguments.preset)]
    return [*kept, *added], found
