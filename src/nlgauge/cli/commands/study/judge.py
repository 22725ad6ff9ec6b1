"""`nlgauge study run-judge`: a machine answers a study that was made for people."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from nlgauge.cli import common
from nlgauge.cli.arguments import Arg, Group, Part, seeded
from nlgauge.cli.commands.study.shared import STUDY, open_service
from nlgauge.cli.common import number, positive
from nlgauge.errors import InputError, suggest

if TYPE_CHECKING:
    from nlgauge.study.machine_judges.base import Judge
    from nlgauge.study.machine_judges.run import Outcome
    from nlgauge.study.protocols.outputs.file import OutputStudy
    from nlgauge.study.protocols.outputs.judge import MachineJudge
    from nlgauge.study.service import Service


OF_ENDPOINTS = ("url", "model", "key_env", "temperature", "prompt", "parameter", "concurrency", "timeout", "retries")
OF_FILE = ("model", "temperature", "parameter", "metric", "command", "margin", "panel")
"""What a panel of the study file says itself."""


def _retries(text: str) -> int:
    given = int(text)
    if not 0 <= given <= 100:
        raise argparse.ArgumentTypeError(f"{given} is not between 0 and 100")
    return given


def asking(prompt: str) -> Group:
    """How a language model is reached and asked."""
    return Group(
        "language models behind an OpenAI-compatible address",
        (
            Arg("--url URL", "for example http://127.0.0.1:8080/v1"),
            Arg("--key-env VAR", "environment variable with the key (default OPENAI_API_KEY, if set)"),
            Arg("--temperature T", "a number (default 0), or none to leave it to the server"),
            Arg("--prompt FILE", f"a prompt of your own {prompt}"),
            Arg(
                "--parameter KEY=VALUE",
                "a further parameter of the request, for example max_tokens=200 (repeatable)",
                many=True,
            ),
            Arg("--concurrency N", "requests at once (default 1)", positive),
            Arg("--timeout S", "seconds for a reply (default 60)", number),
            Arg("--retries N", "further attempts (default 5)", _retries),
        ),
    )


ARGUMENTS = (
    *STUDY,
    Arg(
        "--judge NAME",
        "openai (a language model, with --url and --model); ratings and comparisons: metric (with --metric) or "
        "command (with --command); pairs: comparator (with --model); triangle tests: chars, minilm, minilm-full, "
        "a Hugging Face id or folder (the text farthest from the other two). Not needed for a panel whose machine"
        " the study file names",
    ),
    Arg("--panel NAME", "whose screens to judge (default: the one panel of people)"),
    Arg("--name NAME", "the machine's panel in the study file, or what its own panel is called"),
    Arg("--limit N", "judge at most N screens now", positive),
    Group(
        "metrics and programs",
        (
            Arg("--metric SPEC", "for example chrf or bleu(smooth=exp)"),
            Arg("--command LINE", "reads screens and writes answers as JSON lines, in the study's folder"),
            Arg("--margin X", "comparisons: scores that differ by no more are a tie", number),
        ),
    ),
    Arg("--language XX", "in which of the study's languages to ask (default: its first)"),
    seeded("encoders: seed of the draws between equals"),
    Arg(
        "--model NAME",
        "openai: the model's name there; comparator: the folder of a trained one (default: the one that ships)",
    ),
    asking("with {question} and {texts}"),
)


def _run(arguments: argparse.Namespace) -> int:
    from nlgauge.study.machine_judges.run import run

    service = open_service(arguments)
    language = _language(arguments, service)
    if service.protocol.samples:
        with shown_progress(quiet=arguments.json) as progress:
            outcome = run_outputs(arguments, service, language, progress)
        return common.tell(arguments, outcome.to_dict(), *_said(outcome, arguments.folder))
    why = "is for ratings and comparisons; a triangle test has --judge chars or openai"
    common.refuse(arguments, ("metric", "command", "margin"), why)
    if not arguments.judge:
        raise InputError("say with --judge which machine judges: chars, minilm, openai or a model's id")
    name, like = panels_of(arguments, service)
    machine = _machine(arguments, service, language)
    with shown_progress(quiet=arguments.json) as progress:
        outcome = run(
            service, machine, like=like, name=name, language=language, limit=arguments.limit, progress=progress
        )
    return common.tell(arguments, outcome.to_dict(), *_said(outcome, arguments.folder))


def _language(arguments: argparse.Namespace, service: Service) -> str:
    spoken = service.study.spoken
    language: str = arguments.language or spoken[0]
    if language not in spoken:
        raise InputError(f"the study has no wordings in {language!r}; {suggest(language, spoken)}")
    return language


def panels_of(arguments: argparse.Namespace, service: Service, called: str = "") -> tuple[str, str]:
    """The name of the machine's panel, and the panel of people whose screens it judges."""
    panels = service.study.panels
    people = [name for name, panel in panels.items() if panel.kind == "people"]
    like = arguments.panel or (people[0] if len(people) == 1 else "")
    own = arguments.name in panels and panels[arguments.name].kind == "machine"
    if own and arguments.panel:
        raise InputError(f"the panel {arguments.name!r} has screens of its own; leave --panel out")
    if own:
        return arguments.name, arguments.name
    if not like:
        raise InputError(f"say with --panel whose screens to judge; {suggest('', people)}")
    if like not in people:
        raise InputError(f"the study has no panel of people {like!r}; {suggest(like, people)}")
    called = called or (arguments.model if arguments.judge == "openai" and arguments.model else arguments.judge)
    plain = re.sub(r"[^\w.+-]+", "-", called.rstrip("/").rpartition("/")[2]).strip("-")
    return arguments.name or (plain if len(people) == 1 else f"{plain}-{like}")[:64], like


def _machine(arguments: argparse.Namespace, service: Service, language: str) -> Judge:
    from nlgauge.study.machine_judges.encoders import encoder
    from nlgauge.study.machine_judges.farthest import Farthest

    if arguments.judge == "openai":
        return _asked(arguments, service, language)
    common.refuse(arguments, OF_ENDPOINTS, "is for language models: --judge openai")
    return Farthest(encoder(arguments.judge), seed=arguments.seed)


def _asked(arguments: argparse.Namespace, service: Service, language: str) -> Judge:
    from nlgauge.study.machine_judges.endpoint import Asked, Endpoint, key_from
    from nlgauge.study.machine_judges.prompt import prompt_for

    if not arguments.url or not arguments.model:
        raise InputError("--judge openai needs --url and --model")
    reached = reached_by(arguments)
    patience = {name: reached[name] for name in ("timeout", "retries")}
    endpoint = Endpoint(arguments.url, arguments.model, key=key_from(arguments.key_env), **patience)
    prompt = prompt_for(service.study, language, arguments.prompt)
    return Asked(endpoint, prompt, parameters=parameters_of(arguments), side_by_side=reached["side_by_side"])


def reached_by(arguments: argparse.Namespace) -> dict[str, Any]:
    """Where a machine is reached, and how patiently it is asked."""
    timeout = 60.0 if arguments.timeout is None else float(arguments.timeout)
    if not 0 < timeout <= 3_600:
        raise InputError(f"--timeout must lie between 0 and 3,600 seconds, not {timeout:g}")
    retries = 5 if arguments.retries is None else arguments.retries
    found = {"url": arguments.url or "", "side_by_side": arguments.concurrency or 1, "timeout": timeout}
    return {**found, "retries": retries, **common.given(arguments, ("key_env", "prompt"))}


def parameters_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """What goes with every request."""
    import orjson

    found: dict[str, Any] = {}
    warmth = "0" if arguments.temperature is None else arguments.temperature
    if warmth != "none":
        try:
            found["temperature"] = float(warmth)
        except ValueError:
            raise InputError(f"--temperature must be a number or none, not {warmth!r}") from None
        if not 0 <= found["temperature"] <= 2:
            raise InputError(f"--temperature must lie between 0 and 2, not {warmth}")
    for given in arguments.parameter or ():
        key, sign, value = given.partition("=")
        if not sign or not key or key in ("model", "messages", "stream", "n"):
            raise InputError(f"--parameter {given!r}: expected KEY=VALUE, and none of model, messages, stream, n")
        try:
            found[key] = orjson.loads(value)
        except orjson.JSONDecodeError:
            found[key] = value
    return found


def _said(outcome: Outcome, folder: str) -> Iterator[str]:
    what = outcome.what
    if not outcome.seconds:
        yield f"{outcome.panel}: all {outcome.planned:,} {what} were judged already."
    else:
        beside = f" of the panel {outcome.like}" if outcome.like != outcome.panel else ""
        yield (
            f"{outcome.panel}: {outcome.answered:,} {what}{beside} judged, "
            f"{outcome.done:,} of {outcome.planned:,} in all."
        )
    if outcome.tied and what == "triads":
        yield f"{outcome.tied:,} times several texts were equally far from the others, and one of them was drawn."
    elif outcome.tied:
        yield f"{outcome.tied:,} times texts had equal scores where the study takes no ties, and the order was drawn."
    if outcome.refused or outcome.unreadable:
        yield (
            f"{outcome.refused:,} {what} were refused and {outcome.unreadable:,} replies could not be read, each asked "
            "twice; these stay open, and nothing was guessed. The replies are in the log."
        )
    if outcome.retries:
        yield f"{outcome.retries:,} requests had to be made again."
    if outcome.cut:
        yield f"{outcome.cut:,} texts are longer than the encoder takes and were cut."
    if outcome.pictures:
        yield f"{outcome.pictures:,} texts stand beside pictures, which people see and the machine did not."
    if outcome.left:
        yield f"{outcome.left:,} {what} are open: the same command goes on with them."
    yield f"Next: nlgauge study analyse {folder} --panel {outcome.panel}"


@contextmanager
def shown_progress(*, quiet: bool, what: str = "screens") -> Iterator[Callable[[int, int], None] | None]:
    """A bar on standard error, and nothing where nobody is looking."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    with common.bar() as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


ACTIONS = {"run-judge": Part("have a machine answer the study, in a panel of its own", ARGUMENTS, _run)}


Progress = Callable[[int, int], None] | None
KINDS = ("openai", "metric", "command", "comparator")


def run_outputs(arguments: argparse.Namespace, service: Service, language: str, progress: Progress) -> Outcome:
    """Have a machine judge outputs."""
    from nlgauge.study.machine_judges.run import run, run_panel
    from nlgauge.study.machine_judges.sheets import output_study, showing, with_references
    from nlgauge.study.protocols.outputs.judge import Measure
    from nlgauge.web.language import of_study

    study, say = output_study(service.study), of_study(service.study, language).say
    how: dict[str, Any] = {"language": language, "limit": arguments.limit, "progress": progress}
    planned = _planned(arguments, study)
    if planned:
        own = study.panels[planned].judge
        assert own is not None, "the file was checked"
        how["show"] = showing(study, planned, language, say)
        return run_panel(service, lambda number: _made(arguments, own, study, language, number), name=planned, **how)
    judge, called = _given(arguments)
    name, like = panels_of(arguments, service, called)
    show = showing(study, like, language, say)
    if isinstance(judge, Measure) and "references" in _needs(judge.metric):
        show = with_references(show, study, arguments.folder)
    machine = _made(arguments, judge, study, language, 1)
    return run(service, machine, like=like, name=name, show=show, **how)


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
    from nlgauge.learned.folder import COMPARATOR
    from nlgauge.study.protocols.outputs.judge import LanguageModel, Measure, Program, TrainedComparator, unfit_metric

    kind = arguments.judge
    if kind not in KINDS:
        raise InputError(f"{kind!r} cannot judge outputs; {suggest(kind, KINDS)}")
    for option, owners in (("metric", ("metric",)), ("command", ("command",)), ("margin", ("metric", "command"))):
        if getattr(arguments, option) is not None and kind not in owners:
            raise InputError(f"--{option} is for --judge {' or '.join(owners)}")
    if arguments.model is not None and kind not in ("openai", "comparator"):
        raise InputError("--model is for --judge openai or comparator")
    if kind != "openai":
        asked = tuple(name for name in OF_ENDPOINTS if name not in ("model", "timeout"))
        common.refuse(arguments, asked, "is for language models: --judge openai")
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

    say, reached = of_study(study, language).say, reached_by(arguments)
    found: Any = made(judge, study, arguments.folder, language=language, say=say, number=number, **reached)
    if isinstance(found, Asked) and arguments.judge == "openai":  # what the options say in place of the file
        found.parameters = parameters_of(arguments)
    machine: Judge = found
    return machine


def _needs(spec: str) -> tuple[str, ...]:
    from nlgauge.metrics.spec import parse

    return parse(spec).needs
