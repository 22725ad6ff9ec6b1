"""What `study new` chooses for any study of outputs: systems, criteria, what is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nlgauge.errors import InputError, suggest
from nlgauge.study.criteria.catalogue import defaults_for, find, for_protocol
from nlgauge.study.criteria.showing import conflicts
from nlgauge.study.criteria.types import Criterion
from nlgauge.study.protocols.outputs.check import INPUT
from nlgauge.study.protocols.outputs.file import REFERENCES
from nlgauge.types import EvaluationSet


def systems_of(content: EvaluationSet, named: Sequence[str]) -> list[str]:
    """The systems to be judged: those named, else all."""
    known = [*content.systems, REFERENCES]
    for name in named:
        if name not in known:
            raise InputError(f"{content.origin} has no system {name!r}; {suggest(name, known)}")
    return list(named) or list(content.systems)


def chosen(
    called: str,
    answered: str,
    task: str | None,
    named: Sequence[str],
    shown: Sequence[str],
    usual: Sequence[str],
) -> tuple[list[Criterion], list[str]]:
    """The criteria asked, and those of the task that one page cannot ask.

    `called` is what the catalogue calls the protocol, `answered` how its questions are answered, `usual` the criteria
    where neither task nor criteria are named.
    """
    if named:
        found = [for_protocol(find(name, task), called) for name in named]
        lacking = [name for name, one in zip(named, found, strict=True) if one is None]
        if lacking:
            raise InputError(
                f"the catalogue has no question for {lacking[0]} that is answered on {answered}; choose "
                "another criterion, or write a question of your own into the file"
            )
        return [one for one in found if one is not None], []
    if task is None:
        fitting = (for_protocol(find(name), called) for name in usual)
        return [one for one in fitting if one is not None], []
    asked: list[Criterion] = []
    notes = []
    for one in defaults_for(task, called):
        wrong = next(conflicts([*asked, one], shown), "")
        if wrong:
            notes.append(f"{one.id} was left out: {wrong}")
        else:
            asked.append(one)
    if not asked:
        raise InputError(
            f"the catalogue has no question for {task} that is answered on {answered}; choose another "
            "protocol, or name criteria with --criteria"
        )
    return asked, notes


def showable(content: EvaluationSet) -> list[str]:
    """What the rows hold that can be shown beside a text."""
    first: Any = next(iter(content))
    found = []
    if isinstance(first.source, str) and first.source.strip():
        found.append("source")
    elif isinstance(first.source, list) and first.source:
        found.append("table" if isinstance(first.source[0], list | tuple) else "history")
    return found


def needs(asked: Sequence[Criterion], what: str) -> bool:
    """Whether some criterion is judged by something."""
    return any(what in one.shown or (what in INPUT and one.shown & INPUT) for one in asked)
