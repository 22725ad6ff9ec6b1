"""Which metrics a command runs: those given by name and those of a preset, as far as they can run here."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.engine.availability import Missing
    from nlgauge.metrics.base import Metric
    from nlgauge.types import EvaluationSet


def add_preset(parser: argparse.ArgumentParser) -> None:
    """A bundle of metrics, and the language that decides on its parts."""
    parser.add_argument(
        "--preset",
        "--task",
        dest="preset",
        metavar="NAME",
        help="the metrics of a script or task, beside those given with -m: coco, webnlg20, wmt, summarisation, "
        "simplification, gec, … (nlgauge list --presets)",
    )
    parser.add_argument(
        "--language",
        metavar="XX",
        help="language of the outputs, e.g. de: chooses tokenisers and METEOR's tables of a preset "
        "(default: what the data say, else English)",
    )


@dataclass(frozen=True)
class Asked:
    """The metrics to run, what to say of the preset, and what those that cannot run lack."""

    metrics: tuple[Metric, ...]
    notes: tuple[str, ...] = ()
    lacking: dict[str, Missing] = field(default_factory=dict)
    preset_lacks: dict[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """For JSON: the metrics left out, where there are some."""
        reasons = {spec: str(error) for spec, error in self.lacking.items()}
        rows = [{"metric": spec, "reason": why} for spec, why in {**self.preset_lacks, **reasons}.items()]
        return {"left_out": rows} if rows else {}


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
    arguments: argparse.Namespace,
    metrics: Sequence[Metric],
    data: EvaluationSet | None = None,
    *,
    beside: bool = False,
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
