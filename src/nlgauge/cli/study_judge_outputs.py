"""`nlgauge study run-judge` in a study of outputs: a panel of the study file, or a machine set beside people later."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nlgauge.cli.study_judge import OF_FILE, panels_of, parameters_of, reached_by
from nlgauge.errors import InputError, suggest
from nlgauge.learned.shipped import COMPARATOR

if TYPE_CHECKING:
    from nlgauge.study.machine_judges.base import Judge
    from nlgauge.study.machine_judges.run import Outcome
    from nlgauge.study.protocols.outputs.file import OutputStudy
    from nlgauge.study.protocols.outputs.judge import MachineJudge
    from nlgauge.study.service import Service

Progress = Callable[[int, int], None] | None
KINDS = ("openai", "metric", "command", "comparator")


def run_outputs(arguments: argparse.Namespace, service: Service, language: str, progress: Progress) -> Outcome:
    """Have a machine judge outputs."""
    from nlgauge.study.machine_judges.run import run, run_panel
    from nlgauge.study.machine_judges.sheets import output_study, showing, with_references
    from nlgauge.study.protocols.outputs.judge import Measure
    from nlgauge.web.language import of_study

    study, say = output_study(service.study), of_study(service.study, language).say
    planned = _planned(arguments, study)
    if planned:
        own = study.panels[planned].judge
        assert own is not None, "the file was checked"
        return run_panel(
            service,
            lambda number: _made(arguments, own, study, language, number),
            name=planned,
            language=language,
            limit=arguments.limit,
            show=showing(study, planned, language, say),
            progress=progress,
        )
    judge, called = _given(arguments)
    name, like = panels_of(arguments, service, called)
    show = showing(study, like, language, say)
    if isinstance(judge, Measure) and "references" in _needs(judge.metric):
        show = with_references(show, study, arguments.folder)
    machine = _made(arguments, judge, study, language, 1)
    return run(
        service,
        machine,
        like=like,
        name=name,
        language=language,
        limit=arguments.limit,
        show=show,
        progress=progress,
    )


def _planned(arguments: argparse.Namespace, study: OutputStudy) -> str:
    """The panel of the study file that is to be filled; empty where a machine comes later."""
    machines = [name for name, panel in study.panels.items() if panel.kind == "machine"]
    name: str = arguments.name or (machines[0] if len(machines) == 1 and not arguments.judge else "")
    if name not in machines:
        if not arguments.judge:
            hint = f"a panel of the study file with --name ({suggest('', machines)})" if machines else "--judge"
            raise InputError(f"say which machine judges: {hint}, or one of {', '.join(KINDS)} with --judge")
        return ""
    given = [option for option in ("judge", *OF_FILE) if getattr(arguments, option) is not None]
    if given:
        raise InputError(
            f"the study file says which machine fills the panel {name!r}; leave --{given[0]} out, or take another "
            "--name"
        )
    return name


def _given(arguments: argparse.Namespace) -> tuple[MachineJudge, str]:
    """The machine that the options name, and what it is called."""
    from nlgauge.study.protocols.outputs.judge import (
        LanguageModel,
        Measure,
        Program,
        TrainedComparator,
        unfit_metric,
    )

    kind = arguments.judge
    if kind not in KINDS:
        raise InputError(f"{kind!r} cannot judge outputs; {suggest(kind, KINDS)}")
    for option, owners in (
        ("metric", ("metric",)),
        ("command", ("command",)),
        ("margin", ("metric", "command")),
    ):
        if getattr(arguments, option) is not None and kind not in owners:
            raise InputError(f"--{option} is for --judge {' or '.join(owners)}")
    if arguments.model is not None and kind not in ("openai", "comparator"):
        raise InputError("--model is for --judge openai or comparator")
    for option in ("url", "key_env", "temperature", "prompt", "parameter", "concurrency", "retries"):
        if getattr(arguments, option) is not None and kind != "openai":
            raise InputError(f"--{option.replace('_', '-')} is for language models: --judge openai")
    margin = arguments.margin or 0.0
    if margin < 0:
        raise InputError(f"--margin must be 0 or more, not {margin:g}")
    if kind == "metric":
        if not arguments.metric:
            raise InputError("--judge metric needs --metric, for example --metric chrf")
        unfit = unfit_metric(arguments.metric)
        if unfit:
            raise InputError(unfit)
        return Measure(metric=arguments.metric, margin=margin), arguments.metric
    if kind == "command":
        words = words_of(arguments.command or "")
        if not words:
            raise InputError("--judge command needs --command, for example --command 'python3 comparator.py'")
        return Program(command=words, margin=margin), words[-1]
    if kind == "comparator":
        model = arguments.model or COMPARATOR
        folder = os.path.abspath(os.path.expanduser(model))
        return TrainedComparator(model=folder if os.path.isdir(folder) else model), model
    if not arguments.url or not arguments.model:
        raise InputError("--judge openai needs --url and --model")
    return LanguageModel(model=arguments.model, url=arguments.url), arguments.model


def words_of(command: str) -> tuple[str, ...]:
    """A command line as its words."""
    try:
        return tuple(shlex.split(command))
    except ValueError as error:
        raise InputError(f"--command {command!r} cannot be taken apart ({error}); close the quotation") from None


def _made(arguments: argparse.Namespace, judge: MachineJudge, study: OutputStudy, language: str, number: int) -> Judge:
    from nlgauge.study.machine_judges.endpoint import Asked
    from nlgauge.study.machine_judges.making import made
    from nlgauge.web.language import of_study

    found: Any = made(
        judge,
        study,
        arguments.folder,
        language=language,
        say=of_study(study, language).say,
        number=number,
        **reached_by(arguments),
    )
    if isinstance(found, Asked) and arguments.judge == "openai":  # what the options say in place of the file
        found.parameters = parameters_of(arguments)
    machine: Judge = found
    return machine


def _needs(spec: str) -> tuple[str, ...]:
    from nlgauge.metrics.spec import parse

    return parse(spec).needs
