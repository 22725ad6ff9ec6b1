"""The questions of a rating study as they are asked: wording, scale and keying, from the catalogue or the file."""

# ruff: noqa: RUF009 - `key` is `dataclasses.field` with words

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from nlgauge.io.fields import Words, key
from nlgauge.study.criteria.catalogue import for_protocol
from nlgauge.study.criteria.entries import CriterionEntry, contradictions, resolve
from nlgauge.study.criteria.scale_entries import ScaleEntry, scale_of, scale_problems
from nlgauge.study.criteria.types import Criterion, Scale
from nlgauge.study.protocols.outputs.criteria import Worded, unknown_names, worded, worded_elsewhere
from nlgauge.wording.numbers import in_full

SLIDER = Scale("0-100", 0.0, 100.0, None, ())
# what the catalogue calls these protocols
CALLED = {"likert": "likert", "continuous": "slider", "binary": "binary"}
NUMBER = int | float


@dataclass(frozen=True)
class RatingScale(ScaleEntry):
    """The scale of every criterion that has none of its own."""

    step: float | None = key("between two positions of a slider (default 1)", default=None, least=1e-6, most=1e6)


@dataclass(frozen=True)
class AskedScale:
    """A scale as it is shown."""

    low: float = key("the lowest answer")
    high: float = key("the highest answer")
    points: int = key("how many points; 0: continuous", default=0)
    step: float = key("between two positions of a slider", default=1.0)
    labels: tuple[Words, ...] = key("at both ends, or at every point; along a slider", default=())

    @cached_property
    def values(self) -> tuple[NUMBER, ...]:
        """The answers from the low end to the high one; empty for a slider."""
        if not self.points:
            return ()
        width = (self.high - self.low) / (self.points - 1)
        return tuple(plain(self.low + width * k) for k in range(self.points))

    @property
    def steps(self) -> int:
        """From one end to the other."""
        return self.points - 1 if self.points else round((self.high - self.low) / self.step)

    def place(self, value: float) -> NUMBER | None:
        """The answer that a number stands for, in its plain form; None where the scale has no such answer."""
        if not math.isfinite(value) or not self.low <= value <= self.high:
            return None
        if self.points:
            return next((known for known in self.values if math.isclose(known, value, abs_tol=1e-9)), None)
        steps = (value - self.low) / self.step
        return plain(value) if math.isclose(steps, round(steps), abs_tol=1e-6) else None

    def label(self, place: int) -> Mapping[str, str] | None:
        """What stands at the n-th point, from 0, or at the first or second end of a slider."""
        last = (self.points or 2) - 1
        if len(self.labels) == last + 1:
            return self.labels[place]
        return self.labels[0 if place == 0 else -1] if self.labels and place in (0, last) else None

    @cached_property
    def marks(self) -> tuple[tuple[NUMBER, Words], ...]:
        """The answers that have a label, with it; the labels of a slider stand equally far apart.

        >>> AskedScale(0, 100, labels=tuple(Words({"": x}) for x in "abcd")).marks[2]
        (66, {'': 'c'})
        """
        if self.points:
            labelled = ((value, self.label(place)) for place, value in enumerate(self.values))
            return tuple((value, Words(dict(words))) for value, words in labelled if words)
        apart = (self.high - self.low) / max(len(self.labels) - 1, 1) / self.step
        return tuple(
            (plain(self.low + math.floor(apart * place + 1e-9) * self.step), words)
            for place, words in enumerate(self.labels)
        )

    def __str__(self) -> str:
        kind = f"{self.points} points" if self.points else "slider"
        return f"{kind}, {in_full(self.low)} to {in_full(self.high)}"


@dataclass(frozen=True, kw_only=True)
class Asked(Worded):
    """One question of a rating study."""

    scale: AskedScale = key("the answers")
    reverse: bool = key("a high answer is a bad one", default=False)


def plain(value: float) -> NUMBER:
    """A number as it is stored: a whole one as such.

    >>> plain(3.0), plain(2.5)
    (3, 2.5)
    """
    rounded = round(value, 9)
    return int(rounded) if rounded == int(rounded) else rounded


def criterion_of(entry: CriterionEntry, protocol: str, scale: ScaleEntry | None) -> Criterion | None:
    """The criterion as the protocol asks for it; None where the catalogue has no wording of that form."""
    own = entry.question is not None
    if entry.scale is None and own and protocol == "binary" and entry.form is None:
        entry = dataclasses.replace(entry, form="closed")
    found = resolve(entry)
    chosen = own or entry.form is not None or entry.wording != "first"
    fitting = found if chosen else for_protocol(found, CALLED[protocol])
    if fitting is None or fitting.wording.form == "comparison":
        return None
    if entry.scale is None and scale is not None:
        fitting = fitting.scaled(scale_of(scale, "the study's own"))
    if protocol == "continuous" and fitting.scale is not None and fitting.scale.points is not None:
        fitting = fitting.scaled(fitting.scale.slider())
    return fitting


def asked_of(entry: CriterionEntry, protocol: str, scale: RatingScale | None) -> Asked | None:
    """The question that an entry of the file means, as it is asked."""
    found = criterion_of(entry, protocol, scale)
    if found is None:
        return None
    return Asked(**worded(found, entry), scale=asked_scale(found.scale or SLIDER, scale), reverse=found.reverse)


def asked_scale(made: Scale, scale: RatingScale | None) -> AskedScale:
    """A scale as it is shown; a slider's step stands with the scale of the study."""
    step = (scale.step if scale else None) or 1.0
    labels = tuple(Words(dict(words)) for words in made.labels)
    return AskedScale(made.low, made.high, made.points or 0, step, labels)


def imported_question(entry: CriterionEntry, protocol: str, scale: RatingScale | None) -> Asked:
    """The question of a study that was run elsewhere."""
    given = entry.scale or scale
    made = SLIDER if given is None else scale_of(given, f"{entry.id} (found)")
    return Asked(**worded_elsewhere(entry), scale=asked_scale(made, scale), reverse=bool(entry.reverse))


def imported_problems(
    entry: CriterionEntry, path: str, protocol: str, scale: RatingScale | None
) -> Iterator[tuple[str, str]]:
    """What is wrong with a criterion of a study that was run elsewhere: it needs its scale, and no question."""
    if entry.scale is None and scale is None:
        yield (
            path,
            f"the scale of {entry.id} is not given: answers do not tell which were possible; write, for example, "
            "scale: {points: 5}",
        )
        return
    wrong = [] if entry.scale is None else list(scale_problems(entry.scale, f"{path}.scale", labelled=False))
    yield from wrong
    yield from unknown_names(entry, path)
    if not wrong:
        yield from scale_misfits(imported_question(entry, protocol, scale), path, protocol)


def entry_problems(
    entry: CriterionEntry, path: str, protocol: str, scale: RatingScale | None, key: str = "protocol"
) -> Iterator[tuple[str, str]]:
    """What is wrong with an entry of the file; `key` is that which says how it is answered."""
    found = [*contradictions(entry, path), *pointed(entry.scale, f"{path}.scale", protocol, key)]
    yield from found
    if found:
        return
    asked = asked_of(entry, protocol, scale)
    if asked is None:
        yield (
            path,
            f"{entry.id} has no question that is answered on {ANSWERED[protocol]}; write one of your own (question: …)",
        )
        return
    yield from scale_misfits(asked, path, protocol, key)


def pointed(scale: ScaleEntry | None, path: str, protocol: str, key: str) -> Iterator[tuple[str, str]]:
    """Points that a file writes where a slider is shown, which has none; those of the catalogue are its ends."""
    if scale is not None and scale.points is not None and not scale.name and protocol == "continuous":
        yield (
            f"{path}.points",
            f"{path} has {scale.points} points, but {key}: continuous shows a slider, which has none; set {key}: "
            "likert, or write low and high in place of points",
        )


def scale_misfits(asked: Asked, path: str, protocol: str, key: str = "protocol") -> Iterator[tuple[str, str]]:
    """What a scale cannot be in a protocol; `key` is that of the file which says how answers are given."""
    points = asked.scale.points
    if protocol == "binary" and points != 2:
        yield (
            f"{path}.scale",
            f"a binary question has two answers, but the scale of {asked.id} has {asked.scale}; leave the scale out, "
            "or set points: 2",
        )
    if protocol == "likert" and points < 2:
        yield (
            f"{path}.scale",
            f"the scale of {asked.id} is continuous; give it points, or set {key}: continuous",
        )
    width = asked.scale.high - asked.scale.low
    if not points and (asked.scale.step > width or asked.scale.place(asked.scale.high) is None):
        yield (
            "scale.step",
            f"steps of {in_full(asked.scale.step)} from {in_full(asked.scale.low)} do not end at "
            f"{in_full(asked.scale.high)}; choose another step",
        )


ANSWERED = {"likert": "a scale of points", "continuous": "a slider", "binary": "yes or no"}
