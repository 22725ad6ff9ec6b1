"""What `study new` chooses for any study of outputs: systems, criteria, what is shown."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, get_args

from nlgauge.errors import InputError, suggest
from nlgauge.study.criteria.catalogue import defaults_for, find, for_protocol
from nlgauge.study.criteria.showing import conflicts
from nlgauge.study.criteria.showing import needs as needs_of
from nlgauge.study.criteria.types import Criterion, Thing
from nlgauge.study.protocols.outputs.check import INPUT
from nlgauge.study.protocols.outputs.file import REFERENCES, Show
from nlgauge.types import EvaluationSet, Segment

INPUTS: tuple[Thing, ...] = ("source", "table", "history", "context", "image")
OTHERS: tuple[Thing, ...] = ("question", "answer", "reference")
ORDER: tuple[Thing, ...] = get_args(Thing)


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
    shown: Collection[str],
    usual: Sequence[str],
    *,
    paged: bool = False,
) -> tuple[list[Criterion], list[str]]:
    """The criteria asked, and those of the task that one page cannot ask.

    `called` is what the catalogue calls the protocol, `answered` how its questions are answered, `usual` the criteria
    where neither task nor criteria are named, `shown` what the rows hold; `paged`: what must be asked before something
    is shown can have a page of its own.
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
    wanted = defaults_for(task, called)
    seen = [show.what for show in shown_for(wanted, shown)]
    if paged and not any(conflicts(wanted, seen, paged=True)):
        return list(wanted), []
    asked: list[Criterion] = []
    notes = []
    for one in wanted:
        wrong = next(conflicts([*asked, one], seen), "")
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
    """What every row holds that can be shown beside a text."""
    kept = [_held(segment) for segment in content]
    return [what for what in (*INPUTS, *OTHERS) if all(what in held for held in kept)]


def _held(segment: Segment) -> set[str]:
    found = {what for what in (*INPUTS, *OTHERS) if segment.extra.get(what) not in (None, "", [])}
    source: Any = segment.source
    if isinstance(source, str) and source.strip():
        found.add("source")
    elif isinstance(source, list) and source:
        found.add("table" if isinstance(source[0], list | tuple) else "history")
    return found | ({"reference"} if segment.references else set())


def needs(one: Criterion) -> frozenset[str]:
    """What a criterion is judged by, by whoever its wording is for: readers of the language, where it is for all."""
    whom = one.wording.judges or ("monolingual", *one.judges)
    return needs_of(one, next(who for who in whom if who in one.judges))


def shown_for(asked: Sequence[Criterion], held: Collection[str]) -> list[Show]:
    """What criteria are judged by, as far as rows hold it; the input may have another form than the criterion names."""
    found: dict[str, Show] = {}
    wanted = {thing for one in asked for thing in needs(one)}
    for thing in (thing for thing in ORDER if thing in wanted):
        if thing in held:
            found.setdefault(thing, Show(thing))
        elif thing in INPUT and (other := next((what for what in INPUTS if what in held), None)):
            found.setdefault(other, Show(other))
    if "question" in wanted and "question" not in found and "source" in held and "source" not in found:
        found["question"] = Show(
            "question", column="source"
        )  # of a set with contexts the source is the question
    return list(found.values())


def written(shows: Sequence[Show]) -> list[str]:
    """As the study file has them."""
    return [
        f"{{what: {show.what}, column: {show.column}}}" if show.column else str(show.what) for show in shows
    ]


def unseen(asked: Sequence[Criterion], shows: Sequence[Show], data: str) -> list[str]:
    """What criteria are judged by and rows do not hold, in sentences; where pictures must lie."""
    seen = {show.what for show in shows}
    found = []
    for one in asked:
        lacking = [
            thing for thing in needs(one) if thing not in seen and not (thing in INPUT and seen & INPUT)
        ]
        found += [
            f"{one.id} is judged by the {thing}, which the rows of {data} do not hold: add it to them under {thing!r}, "
            f"and to show, or leave {one.id} out"
            for thing in sorted(lacking)
        ]
    if "image" in seen:
        found.append("pictures are shown: put them beside study.yaml, where the rows say they are")
    return found
