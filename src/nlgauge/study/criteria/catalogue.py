"""The catalogue: criteria by id, by name within a task, and those a new study of a task begins with.

The data are one file for each task and one for criteria of any task (`data/*.json`), with the scales, the constructs
that definitions are made of and the sources beside them; definitions, questions and labels stand in the folders of the
languages. After Sai, Mohankumar and Khapra (2022), section 3.2.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

from nlgauge.errors import InputError, suggest
from nlgauge.metrics.survey import TASKS, task_named
from nlgauge.study.criteria.types import Criterion, Scale, Wording
from nlgauge.study.languages import DEFAULT, LANGUAGES, content

ANY = "any"
FILES = (ANY, *TASKS)

# What each protocol asks of a wording: its form, and whether judges answer on the scale of the wording, on a continuous
# one, or on none of the catalogue's (a number of their own choice, an order).
PROTOCOLS: Mapping[str, tuple[str, str]] = {
    "likert": ("rating", "points"),
    "slider": ("rating", "slider"),
    "binary": ("closed", "yes-no"),
    "magnitude": ("rating", ""),
    "rankme": ("rating", ""),
    "pairwise": ("comparison", ""),
    "ranking": ("comparison", ""),
    "best-worst": ("comparison", ""),
}


@dataclass(frozen=True)
class Construct:
    """One thing that can be measured; definitions are compared by the constructs they are made of."""

    id: str
    about: str
    kind: str  # correctness, goodness or feature
    aspect: str  # form, content or both
    cues: tuple[str, ...]  # beginnings of words by which a definition shows that it speaks of this
    akin: frozenset[str]  # constructs so near that answers to one colour answers to the other


@cache
def constructs() -> Mapping[str, Construct]:
    """All constructs by id."""
    return {
        name: Construct(name, row["about"], row["kind"], row["aspect"], tuple(row["cues"]), frozenset(row["akin"]))
        for name, row in _data("constructs").items()
    }


@cache
def scales() -> Mapping[str, Scale]:
    """All scales by id."""
    return {
        name: Scale(
            id=name,
            low=float(row["low"]),
            high=float(row["high"]),
            points=row["points"],
            labels=_labels(name),
            mark=row["mark"],
            source=row.get("source", ""),
        )
        for name, row in _data("scales").items()
    }


@cache
def sources() -> Mapping[str, Mapping[str, str]]:
    """What the short names of sources stand for: `short` for tables, `long` for statements."""
    found: Mapping[str, Mapping[str, str]] = _data("sources")
    return found


@cache
def catalogue() -> Mapping[str, Criterion]:
    """All criteria by id, those of any task first."""
    found = [_criterion(row) for name in FILES for row in rows(name)]
    return {criterion.id: criterion for criterion in found}


def scale(name: str) -> Scale:
    """A scale of the catalogue."""
    if name not in scales():
        raise InputError(f"there is no scale {name!r}; {suggest(name, scales())}")
    return scales()[name]


def criteria(task: str | None = None) -> tuple[Criterion, ...]:
    """The criteria of a task, its own before those of any task; or all of them."""
    everything = tuple(catalogue().values())
    if task is None:
        return everything
    known = task_named(task)
    fitting = [criterion for criterion in everything if known in criterion.tasks]
    return tuple(sorted(fitting, key=lambda criterion: len(criterion.tasks)))


def find(name: str, task: str | None = None) -> Criterion:
    """A criterion by its id, or by its name where only one of the task (or of all) bears it."""
    if name in catalogue():
        return catalogue()[name]
    wanted = name.strip().casefold()
    named = [criterion for criterion in criteria(task) if criterion.name.casefold() == wanted]
    if len(named) == 1:
        return named[0]
    if named:
        tell = " or ".join(f"{criterion.id} ({', '.join(criterion.tasks)})" for criterion in named)
        raise InputError(f"several criteria are called {name!r}; write {tell}")
    known = [criterion.id for criterion in criteria(task)]
    raise InputError(f"there is no criterion {name!r}{f' for {task}' if task else ''}; {suggest(name, known)}")


def defaults_for(task: str, protocol: str = "likert", who: str | None = None) -> tuple[Criterion, ...]:
    """The criteria a new study of a task begins with, each with the wording and the scale that the protocol asks for.

    They stand in the order to be asked: no two neighbours alike, and what must be asked before the context is shown
    comes first. A criterion without a wording of the protocol's form is left out. Where it is known who judges, so is
    a wording that cannot be put to them.
    """
    if protocol not in PROTOCOLS:
        raise InputError(f"no criteria are asked by the protocol {protocol!r}; {suggest(protocol, PROTOCOLS)}")
    wanted = _data("tasks")[task_named(task)]["defaults"]
    found = (for_protocol(catalogue()[name], protocol, who) for name in wanted)
    return tuple(criterion for criterion in found if criterion is not None)


def for_protocol(criterion: Criterion, protocol: str, who: str | None = None) -> Criterion | None:
    """A criterion as a protocol asks for it of a kind of judge; None where it has no such wording.

    A quoted question that is answered by yes or no goes on a rating scale too where its own scale has degrees.
    """
    form, answers = PROTOCOLS[protocol]
    if answers == "points":
        first = criterion.worded(who=who)
        return first if first and _degrees(first.scale) else criterion.worded(form, who=who)
    fitting = criterion.worded(form, who=who)
    if fitting is None:
        return None
    if answers == "slider" and fitting.scale is not None:
        return fitting.scaled(fitting.scale.slider())
    if answers == "yes-no":
        two = fitting.scale is not None and fitting.scale.points == 2
        return fitting if two else fitting.scaled(scale("yes-no"))
    # without a scale nothing can be turned round: a reverse-keyed question keeps "lower is better"
    asked = replace(fitting.wording, scale=None, reverse=False)
    return replace(fitting, wordings=(asked, *fitting.wordings[1:]))


def _degrees(found: Scale | None) -> bool:
    return found is not None and (found.points is None or found.points > 2)


def _criterion(row: Mapping[str, Any]) -> Criterion:
    told: dict[str, Any] = {name: row[name] for name in ("id", "name", "definition", "frame", "unit")}
    told |= {name: tuple(row.get(name, ())) for name in ("tasks", "measures", "withheld", "before", "synonyms")}
    return Criterion(
        **told,
        wordings=tuple(_wording(wording) for wording in row["wordings"]),
        judges={who: tuple(things) for who, things in row["judges"].items()},
        source=row.get("source", ""),
        note=row.get("note", ""),
        explained=_in_each("definitions", row["id"]),
    )


def _wording(row: Mapping[str, Any]) -> Wording:
    reverse = row.get("reverse", False)
    return Wording(
        text=row["text"],
        form=row["form"],
        scale=scales()[row["scale"]] if "scale" in row else None,
        mark=row["mark"],
        source=row.get("source", ""),
        direction="lower" if reverse else "higher",
        reverse=reverse,
        judges=tuple(row.get("judges", ())),
    )


def rows(name: str) -> list[dict[str, Any]]:
    """The criteria of a task, or of any, as the data have them, with what the languages say."""
    return [
        row
        | {
            "definition": content(DEFAULT, "criteria")["definitions"][row["id"]],
            "wordings": [
                wording | {"text": {code: asked[place] for code, asked in _in_each("questions", row["id"]).items()}}
                for place, wording in enumerate(row["wordings"])
            ],
        }
        for row in _data(name)
    ]


def _labels(name: str) -> tuple[Mapping[str, str], ...]:
    said = _in_each("scales", name)
    return tuple(dict(zip(said, labels, strict=True)) for labels in zip(*said.values(), strict=True))


def _in_each(kind: str, name: str) -> dict[str, Any]:
    """What the languages say of it, where they do."""
    said = {code: content(code, "criteria").get(kind, {}) for code in LANGUAGES}
    return {code: known[name] for code, known in said.items() if name in known}


@cache
def _data(name: str) -> Any:
    path = resources.files("nlgauge.study.criteria").joinpath("data", f"{name}.json")
    return json.loads(path.read_text(encoding="utf-8"))
