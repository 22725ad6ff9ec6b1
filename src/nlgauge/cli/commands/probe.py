"""Probe metrics: perturb good texts, or ask the challenge set, and report how each metric reacts (`meta --probe`)."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nlgauge.cli import common, inputs
from nlgauge.cli.arguments import Arg, Group
from nlgauge.cli.common import positive
from nlgauge.errors import InputError, suggest

if TYPE_CHECKING:
    from nlgauge.meta.probes.results import Challenge, Probes
    from nlgauge.metrics.base import Metric

CHALLENGE = "challenge"
ELSEWHERE = (
    "where",
    "without",
    "references",
    "pairs",
    "human",
    "statistic",
    "figures",
    "bands",
)  # options of correlation only


class _Probes(argparse.Action):
    """`--probe` alone means all perturbations."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        given = list(values or []) if not isinstance(values, str) else [values]
        setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or []), *(given or ["all"])])


PROBES = Group(
    "probes",
    (
        Arg(
            "--probe NAME",
            "how metrics react to perturbed texts: all (default), names such as drop, negate, synonym, or challenge, "
            "the built-in set of good and bad outputs, which needs no DATA",
            action=_Probes,
            nargs="*",
        ),
        Arg(
            "--on SYSTEM",
            "the good texts to perturb: references, one of each item taken out (default), or a system's outputs",
        ),
        Arg(
            "--severities S",
            "shares of a text's sites that are edited, above 0 and up to 1 (default 0.1 0.25 0.5 1)",
            nargs="+",
        ),
        Arg("--texts N", "probe at most N texts, evenly spaced (default 500)", positive),
    ),
)


def run(arguments: argparse.Namespace) -> int:
    """Probe and print."""
    from nlgauge import api

    _refuse_others(arguments)
    names, path = _names(arguments)
    metrics = api.metrics([_probed(spec) for spec in arguments.metric or api.DEFAULT_METRICS])
    page = common.output(arguments.html)
    probes = _probes(arguments, metrics, [name for name in names if name != CHALLENGE], path)
    verdict = None
    if CHALLENGE in names:
        from nlgauge.meta.probes.challenge import challenge

        verdict = challenge(metrics, level=arguments.confidence, jobs=arguments.jobs)
    from nlgauge.report.probes import print_probes, write_probe_report

    if page is not None:
        write_probe_report(probes, verdict, page, source=path)
    if arguments.json:
        common.print_json(_json(probes, verdict))
    else:
        print_probes(probes, verdict)
    return 0


def _refuse_others(arguments: argparse.Namespace) -> None:
    for name in ELSEWHERE:
        if getattr(arguments, name):
            raise InputError(
                f"--{name} concerns the correlation with people and has no meaning with --probe; leave it out"
            )


def refuse_without(arguments: argparse.Namespace) -> None:
    """Options of probes mean nothing without --probe."""
    common.refuse(arguments, ("on", "severities", "texts"), "needs --probe")


def _names(arguments: argparse.Namespace) -> tuple[list[str], str | None]:
    """The probes asked for and the data; a file that follows --probe is taken for the data."""
    from nlgauge.meta.probes.perturbations import PERTURBATIONS

    known = {*PERTURBATIONS, "all", CHALLENGE}
    names = [name for name in arguments.probe if name in known]
    others = [name for name in arguments.probe if name not in known]
    path: str | None = arguments.data
    if path is None and len(others) == 1 and os.path.exists(others[0]):
        path, others = others[0], []
    elif path in known and others and os.path.exists(others[0]):
        names, path, others = [*names, str(path)], others[0], others[1:]
    if others:
        raise InputError(f"there is no probe {others[0]!r}; {suggest(others[0], known)}")
    names = names or ["all"]
    if path is not None and set(names) == {CHALLENGE}:
        raise InputError(f"the challenge set brings its own texts, so {path} would not be read; leave it out")
    if path is None and any(name != CHALLENGE for name in names):
        raise InputError(
            "no data given: name an evaluation set whose texts are to be perturbed (only the challenge set needs none: "
            "--probe challenge)"
        )
    return names, path


def _probed(spec: str) -> str:
    if spec.startswith(("@", "stored(")):
        raise InputError(
            f"{spec} is a score stored in the data, which says nothing about perturbed texts; name a metric that can "
            "be computed, such as chrf"
        )
    return spec


def _severities(given: Sequence[str] | None) -> tuple[float, ...]:
    from nlgauge.meta.probes.perturbations import check_severities
    from nlgauge.meta.probes.react import SEVERITIES

    if given is None:
        return SEVERITIES
    try:
        return check_severities([float(text) for part in given for text in part.split(",") if text])
    except ValueError:
        raise InputError(f"--severities must be numbers above 0 and up to 1; got {' '.join(given)}") from None


def _probes(
    arguments: argparse.Namespace, metrics: Sequence[Metric], names: Sequence[str], path: str | None
) -> Probes | None:
    if not names or path is None:
        return None
    from nlgauge.meta.probes.perturbations import chosen
    from nlgauge.meta.probes.react import TEXTS, probe

    perturbations, severities = chosen(names), _severities(arguments.severities)
    # Several rows for one item and system, as in lists of single judgements, do not matter here.
    data = inputs.load({"path": path, "columns": inputs.columns(arguments), "allow_extra": True}, "number")
    texts = arguments.texts or TEXTS
    total = min(texts, len(data.items)) * (1 + len(perturbations) * len(severities))
    with common.progress(total, quiet=arguments.quiet) as bar:
        return probe(
            data,
            metrics,
            perturbations,
            on=arguments.on or "references",
            severities=severities,
            texts=texts,
            level=arguments.confidence,
            trials=arguments.draws,
            **common.given(arguments, ("seed", "jobs")),
            progress=None if bar is None else lambda _, done: bar("versions", done),
        )


def _json(probes: Probes | None, verdict: Challenge | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if probes is not None:
        found |= {**probes.to_dict(), "sentence": str(probes)}
    if verdict is not None:
        found["challenge"] = {**verdict.to_dict(), "sentence": str(verdict)}
    return found
