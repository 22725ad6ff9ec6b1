"""What judges are asked to do: a folder for each family of protocols, and a line below.

base        the interface: what the engine asks of a protocol
slice       the types of the parts of a folder that are found by name
outputs     what every study of systems' outputs shares (no protocol of its own)
triangle    two texts by one author, one by another: which is the odd one?
ratings     one text at a time on a scale for each criterion: likert, continuous, binary
comparisons several outputs of one input beside each other: pairwise, ranking, best-worst
magnitudes  any number above 0 for one output (magnitude) or for each of several (rankme)
annotations one text at a time to be worked on, then perhaps rated: post-edit, spans
classification which of several classes one output belongs to; answered as ratings are
task        questions that a reader of an output can answer: success and time
chat        a conversation with a system, rated by the judge who had it

A protocol is found by the `protocol` of the study file, and imported when a study needs it. Its folder holds:

protocol        all of it for the engine, in `FAMILY` by name
file            the study file; `contradictions`: what its keys do not allow together
criteria        the questions as they are asked, fixed at launch
layout          what a launch fixes beyond what `outputs.practice` does
simulation      simulated judges

and as parts (`part_of`):

pages           the pages of judges, with `templates/` of their own
machine         how a machine answers
check           what `study check` says of texts and design
template        the file that `study new` writes
analysis        from answers to a result
report          how a result of a kind of its own is shown, or what ratings find of their own (`RatingResult.own`)
statement       what the design statement tells
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, overload

if TYPE_CHECKING:
    from nlgauge.study.file.study import Study
    from nlgauge.study.protocols.base import Protocol
    from nlgauge.study.protocols.slice import Analysis, Checks, Machine, PagesPart, Report, Statement, Template

_HOME = {
    "triangle": "triangle",
    "likert": "ratings",
    "continuous": "ratings",
    "binary": "ratings",
    "pairwise": "comparisons",
    "ranking": "comparisons",
    "best-worst": "comparisons",
    "magnitude": "magnitudes",
    "rankme": "magnitudes",
    "post-edit": "annotations",
    "spans": "annotations",
    "classification": "classification",
    "task": "task",
    "chat": "chat",
}
PROTOCOLS = tuple(_HOME)


def home(name: str) -> str:
    """The folder of a protocol."""
    return _HOME[name]


@cache
def protocol_of(name: str) -> Protocol:
    """The protocol that a study file names."""
    found: Protocol = import_module(f"{__name__}.{home(name)}.protocol").FAMILY[name](name)
    return found


@cache
def folders(name: str) -> tuple[str, ...]:
    """The folder of a protocol, and those of the protocols that it derives from."""
    kinds = type(protocol_of(name)).__mro__
    found = dict.fromkeys(kind.__module__.removeprefix(f"{__name__}.").partition(".")[0] for kind in kinds)
    return tuple(folder for folder in found if folder in _HOME.values())


@overload
def part_of(name: str, part: Literal["analysis"]) -> Analysis: ...
@overload
def part_of(name: str, part: Literal["check"]) -> Checks: ...
@overload
def part_of(name: str, part: Literal["machine"]) -> Machine: ...
@overload
def part_of(name: str, part: Literal["pages"]) -> PagesPart: ...
@overload
def part_of(name: str, part: Literal["report"]) -> Report: ...
@overload
def part_of(name: str, part: Literal["statement"]) -> Statement: ...
@overload
def part_of(name: str, part: Literal["template"]) -> Template: ...
@cache
def part_of(name: str, part: str) -> Any:
    """A module of a protocol's folder, imported when it is needed.

    A folder that lacks it has that of the folder whose protocol it derives from: those built on ratings are asked,
    shown and analysed as ratings are where they say nothing else.
    """
    for folder in folders(name):
        module = f"{__name__}.{folder}.{part}"
        if find_spec(module) is not None:
            return import_module(module)
    raise LookupError(f"the protocol {name} has no part {part}")


def forms() -> tuple[type[Study], ...]:
    """The dataclasses that read study files; protocols of one module may share theirs."""
    return tuple(dict.fromkeys(protocol_of(name).study for name in PROTOCOLS))
