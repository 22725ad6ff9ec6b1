"""`nlgauge study run-judge`: a machine answers the study, in a panel of its own."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from nlgauge.cli import common
from nlgauge.cli.study_make import add_database, add_folder, open_service
from nlgauge.errors import InputError, suggest

if TYPE_CHECKING:
    from nlgauge.cli.study_ import Action
    from nlgauge.study.judges.base import Judge
    from nlgauge.study.judges.run import Outcome
    from nlgauge.study.service import Service

OF_ENDPOINTS = (
    "url",
    "model",
    "key_env",
    "temperature",
    "prompt",
    "parameter",
    "concurrency",
    "timeout",
    "retries",
)


def _options(parser: argparse.ArgumentParser) -> None:
    add_folder(parser)
    add_database(parser)
    parser.add_argument(
        "--judge",
        required=True,
        metavar="NAME",
        help="chars, minilm, minilm-full, a Hugging Face id or folder (the text farthest from the other two), "
        "or openai (a language model, with --url and --model)",
    )
    parser.add_argument(
        "--panel", metavar="NAME", help="whose triads to judge (default: the one panel of people)"
    )
    parser.add_argument("--name", metavar="NAME", help="what the machine's own panel is called")
    parser.add_argument("--limit", type=common.positive, metavar="N", help="judge at most N triads now")
    parser.add_argument(
        "--language", metavar="XX", help="in which of the study's languages to ask (default: its first)"
    )
    parser.add_argument(
        "--seed",
        type=common.seed,
        default=common.DEFAULT_SEED,
        metavar="N",
        help=f"encoders: seed of the draws between equals (default {common.DEFAULT_SEED})",
    )
    asked = parser.add_argument_group("language models behind an OpenAI-compatible address")
    asked.add_argument("--url", metavar="URL", help="for example http://127.0.0.1:8080/v1")
    asked.add_argument("--model", metavar="NAME", help="the model's name there")
    asked.add_argument(
        "--key-env", metavar="VAR", help="environment variable with the key (default OPENAI_API_KEY, if set)"
    )
    asked.add_argument(
        "--temperature", metavar="T", help="a number (default 0), or none to leave it to the server"
    )
    asked.add_argument("--prompt", metavar="FILE", help="a prompt of your own with {question} and {texts}")
    asked.add_argument(
        "--parameter",
        action="append",
        metavar="KEY=VALUE",
        help="a further parameter of the request, for example max_tokens=200 (repeatable)",
    )
    asked.add_argument(
        "--concurrency", type=common.positive, metavar="N", help="requests at once (default 1)"
    )
    asked.add_argument("--timeout", type=common.number, metavar="S", help="seconds for a reply (default 60)")
    asked.add_argument("--retries", type=_retries, metavar="N", help="further attempts (default 5)")


def _retries(text: str) -> int:
    number = int(text)
    if not 0 <= number <= 100:
        raise argparse.ArgumentTypeError(f"{number} is not between 0 and 100")
    return number


def _run(arguments: argparse.Namespace) -> int:
    from nlgauge.study.judges.run import run

    service = open_service(arguments)
    language = _language(arguments, service)
    name, like = _panels(arguments, service)
    machine = _machine(arguments, service, language)
    with _progress(quiet=arguments.json) as progress:
        outcome = run(
            service,
            machine,
            like=like,
            name=name,
            language=language,
            limit=arguments.limit,
            progress=progress,
        )
    if arguments.json:
        common.print_json(outcome.to_dict())
    else:
        for line in _said(outcome, arguments.folder):
            print(line)
    return 0


def _language(arguments: argparse.Namespace, service: Service) -> str:
    spoken = service.study.spoken
    language: str = arguments.language or spoken[0]
    if language not in spoken:
        raise InputError(f"the study has no wordings in {language!r}; {suggest(language, spoken)}")
    return language


def _panels(arguments: argparse.Namespace, service: Service) -> tuple[str, str]:
    """The name of the machine's panel, and the panel of people whose triads it judges."""
    panels = service.study.panels
    people = [name for name, panel in panels.items() if panel.kind == "people"]
    like = arguments.panel or (people[0] if len(people) == 1 else "")
    own = arguments.name in panels and panels[arguments.name].kind == "machine"
    if own and arguments.panel:
        raise InputError(f"the panel {arguments.name!r} has triads of its own; leave --panel out")
    if own:
        return arguments.name, arguments.name
    if not like:
        raise InputError(f"say with --panel whose triads to judge; {suggest('', people)}")
    if like not in people:
        raise InputError(f"the study has no panel of people {like!r}; {suggest(like, people)}")
    called = arguments.model if arguments.judge == "openai" and arguments.model else arguments.judge
    plain = re.sub(r"[^\w.+-]+", "-", called.rstrip("/").rpartition("/")[2]).strip("-")
    return arguments.name or (plain if len(people) == 1 else f"{plain}-{like}")[:64], like


def _machine(arguments: argparse.Namespace, service: Service, language: str) -> Judge:
    from nlgauge.study.judges.encoders import encoder
    from nlgauge.study.judges.farthest import Farthest

    if arguments.judge == "openai":
        return _asked(arguments, service, language)
    given = [name for name in OF_ENDPOINTS if getattr(arguments, name) is not None]
    if given:
        raise InputError(f"--{given[0].replace('_', '-')} is for language models: --judge openai")
    return Farthest(encoder(arguments.judge), seed=arguments.seed)


def _asked(arguments: argparse.Namespace, service: Service, language: str) -> Judge:
    from nlgauge.study.judges.endpoint import Asked, Endpoint, key_from
    from nlgauge.study.judges.prompt import prompt_for

    if not arguments.url or not arguments.model:
        raise InputError("--judge openai needs --url and --model")
    timeout = 60.0 if arguments.timeout is None else arguments.timeout
    if not 0 < timeout <= 3_600:
        raise InputError(f"--timeout must lie between 0 and 3,600 seconds, not {timeout:g}")
    endpoint = Endpoint(
        arguments.url,
        arguments.model,
        key=key_from(arguments.key_env),
        timeout=timeout,
        retries=5 if arguments.retries is None else arguments.retries,
    )
    return Asked(
        endpoint,
        prompt_for(service.study, language, arguments.prompt),
        parameters=_parameters(arguments),
        side_by_side=arguments.concurrency or 1,
    )


def _parameters(arguments: argparse.Namespace) -> dict[str, Any]:
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
            raise InputError(
                f"--parameter {given!r}: expected KEY=VALUE, and none of model, messages, stream, n"
            )
        try:
            found[key] = orjson.loads(value)
        except orjson.JSONDecodeError:
            found[key] = value
    return found


def _said(outcome: Outcome, folder: str) -> Iterator[str]:
    if not outcome.seconds:
        yield f"{outcome.panel}: all {outcome.planned:,} triads were judged already."
    else:
        yield (
            f"{outcome.panel}: {outcome.answered:,} triads of the panel {outcome.like} judged, "
            f"{outcome.done:,} of {outcome.planned:,} in all."
        )
    if outcome.tied:
        yield f"{outcome.tied:,} times several texts were equally far from the others, and one of them was drawn."
    if outcome.refused or outcome.unreadable:
        yield (
            f"{outcome.refused:,} triads were refused and {outcome.unreadable:,} replies could not be read, each asked "
            "twice; these stay open, and nothing was guessed. The replies are in the log."
        )
    if outcome.retries:
        yield f"{outcome.retries:,} requests had to be made again."
    if outcome.cut:
        yield f"{outcome.cut:,} texts are longer than the encoder takes and were cut."
    if outcome.pictures:
        yield f"{outcome.pictures:,} texts stand beside pictures, which people see and the machine did not."
    if outcome.left:
        yield f"{outcome.left:,} triads are open: the same command goes on with them."
    yield f"Next: nlgauge study analyse {folder} --panel {outcome.panel}"


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on standard error, and nothing where nobody is looking."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("triads"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("triads", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


ACTIONS: dict[str, Action] = {
    "run-judge": ("have a machine answer the study, in a panel of its own", _options, _run)
}
