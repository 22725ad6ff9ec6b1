"""The keys of a panel that is a machine's: which machine, and what makes it this one.

    panels:
      model: {kind: machine, judges: 3, judge: {kind: openai, url: http://127.0.0.1:8080/v1, model: tiny}}
      chrf:  {kind: machine, judges: 1, judge: {kind: metric, metric: chrf}, show: [reference]}
      own:   {kind: machine, judges: 1, judge: {kind: command, command: [python3, comparator.py]}}
      pairs: {kind: machine, judges: 1, judge: {kind: comparator, model: /path/of/a/trained/comparator}}

Where a machine is reached, and how often it is asked again, belongs to a run and stands on the command line.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import ClassVar
from urllib.parse import urlsplit

from nlgauge.errors import NlgaugeError
from nlgauge.io.fields import Kinds, key
from nlgauge.jsonable import Jsonable
from nlgauge.learned.folder import COMPARATOR

RESERVED = ("model", "messages", "stream", "n", "temperature", "seed", "max_tokens")
Problems = Iterator[tuple[str, str]]


@dataclass(frozen=True)
class MachineJudge(Jsonable, ABC):
    """What every machine has."""

    KEYS = "kind, ..."

    kind: ClassVar[str]
    both_orders: bool = key(
        "pairwise: whether every screen is judged in both orders, so that the machine's position bias shows",
        default=False,
    )

    def problems(self, path: str) -> Problems:
        """What is wrong with the keys."""
        yield from ()

    @property
    @abstractmethod
    def told(self) -> str:
        """The machine in a few words, for the statement."""


@dataclass(frozen=True)
class LanguageModel(MachineJudge):
    """A language model behind an OpenAI-compatible address."""

    kind: ClassVar[str] = "openai"
    url: str = key("the address, for example http://127.0.0.1:8080/v1; --url of run-judge takes its place", default="")
    model: str = key("the model's name there", default="")
    key_env: str = key("the environment variable with the key (default OPENAI_API_KEY, if set)", default="")
    temperature: float | None = key("of the sampling", default=0.0, least=0, most=2)
    seed: int | None = key(
        "sent with each request; each further judge of the panel has the next number",
        default=None,
        least=0,
        most=2**31,
    )
    max_tokens: int = key("of a reply; 0: as the server has it", default=0, least=0, most=1_000_000)
    parameters: Mapping[str, str] = key("further parameters of the request, as JSON values", default={})
    prompt: str = key("a prompt of your own: a file inside the study's folder", default="")

    def problems(self, path: str) -> Problems:
        """No model, an address that is none, parameters that have keys of their own."""
        if not self.model:
            yield path, f"{path} names no model; add model: …"
        if self.url:
            yield from _address_problems(self.url, f"{path}.url")
        for name in self.parameters:
            if name in RESERVED:
                hint = f"use the key {name}" if name in ("temperature", "seed", "max_tokens") else "leave it out"
                yield f"{path}.parameters.{name}", f"{path}.parameters cannot hold {name}; {hint}"
        if self.prompt and (PurePosixPath(self.prompt).is_absolute() or ".." in PurePosixPath(self.prompt).parts):
            yield (
                f"{path}.prompt",
                f"{path}.prompt must be a file inside the study's folder, not {self.prompt!r}",
            )

    @property
    def told(self) -> str:
        """Model and parameters."""
        parts = [f"temperature {self.temperature:g}" if self.temperature is not None else "the server's temperature"]
        parts += [f"seed {self.seed} and following"] * (self.seed is not None)
        parts += [f"at most {self.max_tokens} tokens"] * bool(self.max_tokens)
        parts += [f"{name} {value}" for name, value in self.parameters.items()]
        return f"language model {self.model} ({', '.join(parts)}; prompt: {self.prompt or 'standard'})"


@dataclass(frozen=True)
class Measure(MachineJudge):
    """A metric of nlgauge: its number is the rating, the higher one the better text."""

    kind: ClassVar[str] = "metric"
    metric: str = key("its name with options, for example chrf or bleu(smooth=exp)", default="")
    margin: float = key("comparisons: texts whose scores differ by no more are a tie", default=0.0, least=0)

    def problems(self, path: str) -> Problems:
        """No metric, an unknown one, one that scores no single text."""
        if not self.metric:
            yield path, f"{path} names no metric; add metric: chrf, or another of nlgauge list"
            return
        try:
            unfit = unfit_metric(self.metric)
        except NlgaugeError as error:
            yield f"{path}.metric", str(error)
            return
        if unfit:
            yield f"{path}.metric", unfit

    @property
    def told(self) -> str:
        """The metric."""
        return f"metric {self.metric}" + (f", differences up to {self.margin:g} are ties" if self.margin else "")


@dataclass(frozen=True)
class Program(MachineJudge):
    """A program that reads screens and writes answers, line by line."""

    kind: ClassVar[str] = "command"
    command: tuple[str, ...] = key("the program and its arguments; it is run in the study's folder", default=())
    margin: float = key("comparisons by scores: texts whose scores differ by no more are a tie", default=0.0, least=0)

    def problems(self, path: str) -> Problems:
        """No command."""
        if not self.command:
            yield path, f"{path} names no command; add command: [python3, comparator.py]"

    @property
    def told(self) -> str:
        """The command line."""
        return f"program {' '.join(self.command)}"


@dataclass(frozen=True)
class TrainedComparator(MachineJudge):
    """A comparator that `nlgauge train` wrote: which of two texts is better, or neither."""

    kind: ClassVar[str] = "comparator"
    model: str = key("the folder of a trained comparator, or the name of one that ships", default=COMPARATOR)

    @property
    def told(self) -> str:
        """Its folder."""
        return f"trained comparator {PurePosixPath(self.model).name}"


JUDGES = Kinds({judge.kind: judge for judge in (LanguageModel, Measure, Program, TrainedComparator)})


def unfit_metric(spec: str) -> str:
    """Why a metric cannot judge single texts, or nothing; an unknown one is refused by its own error."""
    from nlgauge.metrics.spec import parse

    metric = parse(spec)
    if not metric.additive:
        return f"{metric} describes all outputs of a system together, so it cannot judge single texts; choose another"
    if "post_edits" in metric.needs:
        return f"{metric} needs post-edits, which no study shows; choose another metric"
    return ""


def needs_of(spec: str) -> tuple[str, ...]:
    """What a metric must be shown: reference, source."""
    from nlgauge.metrics.spec import parse

    needs = parse(spec).needs
    found = ["reference"] if "references" in needs else []
    return (*found, *(["source"] if {"source", "source text"} & set(needs) else []))


def _address_problems(url: str, path: str) -> Problems:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        yield path, f"{path} must be an address such as http://127.0.0.1:8080/v1, not {url!r}"
    elif "@" in parts.netloc:
        yield path, f"{path} holds a name or password; put the key in an environment variable (key_env: …)"
