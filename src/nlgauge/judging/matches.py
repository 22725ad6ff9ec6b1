"""Which two texts meet: all pairs of systems for every item, shuffled, or the pairs of pairwise rows."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import combinations
from random import Random
from typing import Any

from nlgauge.api import load
from nlgauge.errors import InputError, option, suggest
from nlgauge.io import is_pairwise, load_pairs, pairs_to_set
from nlgauge.meta.observations import by_judge
from nlgauge.types import EvaluationSet, Pair, Segment

TIE = "tie"
TURNED = {"a": "b", "b": "a", TIE: TIE}
SCORE = {"a": 1.0, "b": 0.0, TIE: 0.5}
PREFERENCE = "preference"


@dataclass(frozen=True)
class Other:
    """The input that the text of side b answers, where it is not that of side a."""

    item: str
    source: Any = field(default=None, hash=False)
    references: tuple[str, ...] = ()


@dataclass(frozen=True)
class Match:
    """Two outputs, of one item unless there is an `other`, and what people said of them."""

    item: str
    a: str
    b: str
    text_a: str
    text_b: str
    source: Any = field(default=None, hash=False)
    references: tuple[str, ...] = ()
    human: tuple[str, ...] = ()
    other: Other | None = field(default=None, repr=False)

    @classmethod
    def of(cls, one: Segment, other: Segment, human: tuple[str, ...] = ()) -> Match:
        """Between two outputs, which may answer different inputs."""
        theirs = None if one.item == other.item else Other(other.item, other.source, other.references)
        names, texts = (one.system, other.system), (one.hypothesis, other.hypothesis)
        return cls(one.item, *names, *texts, one.source, one.references, human, theirs)

    @property
    def same(self) -> bool:
        """Whether the two are one text for one input."""
        return self.text_a == self.text_b and self.other is None

    @property
    def sides(self) -> tuple[Segment, Segment]:
        """The two outputs, each with its input."""
        theirs = self.other or Other(self.item, self.source, self.references)
        return (
            Segment(self.item, self.a, self.text_a, self.references, self.source),
            Segment(theirs.item, self.b, self.text_b, theirs.references, theirs.source),
        )

    @property
    def turned(self) -> Match:
        """With the sides exchanged."""
        one, other = self.sides
        return Match.of(other, one, tuple(TURNED[verdict] for verdict in self.human))


@dataclass(frozen=True)
class Contest:
    """Everything that can be compared. `outputs` is empty where the data are pairwise rows."""

    matches: tuple[Match, ...]
    systems: tuple[str, ...]
    origin: str
    outputs: tuple[Segment, ...] = ()
    whole: Callable[[], EvaluationSet] | None = field(default=None, compare=False, repr=False)

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits over the texts, their inputs, and what people said."""
        told = "\n".join(map(repr, self.matches or self.outputs))
        return sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def contest(
    data: Any,
    *,
    human: str | None = None,
    tie: float = 0.0,
    seed: int = 12345,
    columns: Mapping[str, str] | None = None,
) -> Contest:
    """The matches of a file, rows, or an evaluation set, in an order by chance, with sides by chance.

    `human` is the criterion that people rated; ratings of one judge (or means, where judges are not named) that differ
    by no more than `tie` are a tie. Pairwise rows hold preferences themselves.
    """
    pairs = _pairs(data, columns)
    if pairs is None:
        content = data if isinstance(data, EvaluationSet) else load(data, columns=columns, allow_extra=True)
        outputs = tuple(content)
        if human is not None:
            check_human(outputs, human, tie)
        made = list(grid(outputs, human, tie))
        found = Contest((), tuple(content.systems), content.origin, outputs, lambda: content)
    else:
        if human not in (None, PREFERENCE):
            raise InputError(f"pairwise rows hold preferences of people, not ratings of {human!r}; leave it out")
        made = list(_merged(pairs))
        origin = os.fspath(data) if isinstance(data, str | os.PathLike) else "the pairs"
        names = dict.fromkeys(name for match in made for name in (match.a, match.b))
        found = Contest((), tuple(names), origin, whole=lambda: pairs_to_set(pairs, origin))
    if not made:
        raise InputError(f"{found.origin} holds no item with outputs of two systems; there is nothing to compare")
    random = Random(f"{seed}/matches")
    random.shuffle(made)
    return replace(found, matches=tuple(match if random.random() < 0.5 else match.turned for match in made))


def _pairs(data: Any, columns: Mapping[str, str] | None) -> list[Pair] | None:
    if isinstance(data, str | os.PathLike):
        if os.path.isfile(data) and is_pairwise(data, columns):
            return load_pairs(data, allow_extra=True, columns=columns)
        return None
    if isinstance(data, Sequence) and data and all(isinstance(row, Pair) for row in data):
        return list(data)
    if isinstance(data, Sequence) and data and isinstance(data[0], Mapping) and "hypothesis_a" in data[0]:
        return load_pairs(data, allow_extra=True)
    return None


def _merged(pairs: Iterable[Pair]) -> Iterator[Match]:
    """Rows of the same two texts are one match with the verdicts of all."""
    found: dict[tuple[str, str, str, str, str], Match] = {}
    for pair in pairs:
        one = Match(
            item=pair.item,
            a=pair.system_a,
            b=pair.system_b,
            text_a=pair.hypothesis_a,
            text_b=pair.hypothesis_b,
            source=pair.source,
            references=pair.references,
            human=tuple(verdict for verdict in pair.preferences if verdict in TURNED),
        )
        one = one if one.a <= one.b else one.turned
        key = (one.item, one.a, one.b, one.text_a, one.text_b)
        known = found.get(key)
        found[key] = one if known is None else replace(known, human=known.human + one.human)
    yield from found.values()


def check_human(outputs: Sequence[Segment], human: str, tie: float) -> None:
    """Refuse a criterion that nobody rated, and a band of ties that is none."""
    if not tie >= 0:
        raise InputError(f"human_tie ({option('human_tie')}) must be 0 or more; got {tie}")
    rated = dict.fromkeys(name for segment in outputs for name in segment.ratings)
    if human not in rated:
        raise InputError(f"nobody rated {human!r}; {suggest(human, list(rated))}")


def grid(outputs: Sequence[Segment], human: str | None, tie: float) -> Iterator[Match]:
    """Each two systems for each item."""
    items: dict[str, list[Segment]] = {}
    for segment in outputs:
        items.setdefault(segment.item, []).append(segment)
    for own in items.values():
        given = [by_judge(segment, human) if human else {} for segment in own]
        for (one, ratings), (other, others) in combinations(zip(own, given, strict=True), 2):
            gaps = [ratings[name] - others[name] for name in ratings if name in others]
            verdicts = tuple(TIE if abs(gap) <= tie else "a" if gap > 0 else "b" for gap in gaps if math.isfinite(gap))
            yield Match.of(one, other, verdicts)
