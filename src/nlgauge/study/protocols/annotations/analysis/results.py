"""What is found of annotations beyond the ratings of what was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nlgauge.jsonable import Jsonable, rows
from nlgauge.stats.results import Estimate
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement, Text


@dataclass(frozen=True)
class Mark:
    """One judge's error in a text that is shown as an example."""

    start: int
    end: int
    severity: str
    category: str
    judge: str
    note: str = ""


@dataclass(frozen=True)
class Example(Jsonable):
    """An output with what judges did to it: errors marked, or the texts they made of it."""

    KEYS = "..., edited = texts"

    item: str
    system: str
    text: str
    marks: tuple[Mark, ...] = ()
    missing: tuple[Mark, ...] = ()  # what the output lacks
    edited: tuple[tuple[str, str], ...] = ()  # judge and text

    @property
    def texts(self) -> list[dict[str, str]]:
        """The texts made of it, with who made them."""
        return rows(self.edited, "judge text")


@dataclass(frozen=True)
class Edited(Jsonable):
    """What was edited: figures of each system, from the fewest edits, and examples."""

    KEYS = "annotations, examples"

    systems: Mapping[str, Mapping[str, Any]]
    examples: tuple[Example, ...]

    @property
    def annotations(self) -> dict[str, Any]:
        """The figures."""
        return {"systems": self.systems}


@dataclass(frozen=True)
class Marked(Jsonable):
    """What was marked: errors by system, category and severity, agreement on them, and examples.

    `names` and `severities` are what judges read of the categories and severities; `why` says what cannot be told of
    agreement.
    """

    KEYS = "annotations, examples"

    weights: Mapping[str, float]
    per: str
    names: Mapping[str, str]
    severities: Mapping[str, str]
    errors: tuple[Mapping[str, Any], ...]
    agreement: Mapping[str, Estimate]
    why: tuple[str, ...]
    examples: tuple[Example, ...]

    @property
    def annotations(self) -> dict[str, Any]:
        """The figures, and what judges read."""
        return {name: getattr(self, name) for name in ("weights", "per", "names", "severities", "errors", "agreement")}


EXAMPLES = 2  # outputs of each system


def by_output(counted: Iterable[Judgement]) -> dict[str, list[Judgement]]:
    """The answers to each output."""
    given: dict[str, list[Judgement]] = {}
    for judgement in counted:
        given.setdefault(judgement.texts[0], []).append(judgement)
    return given


def most_of(
    frozen: Frozen, counted: Iterable[Judgement], size: Callable[[Sequence[Judgement]], int]
) -> Iterator[tuple[Text, str, list[Judgement]]]:
    """The outputs of each system of which there is most to tell, with what the system is called and their answers."""
    given = by_output(counted)
    for subject, called in frozen.study.authors.items():
        own = [frozen.text[name] for name in given if frozen.text[name].subject == subject]
        for text in sorted(own, key=lambda text: (-size(given[text.id]), text.item))[:EXAMPLES]:
            yield text, called or subject, given[text.id]
