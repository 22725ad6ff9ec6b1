"""The evaluation set: which system wrote what for which item, with the item's references, source and ratings.

A set is held in columns, one list of hypotheses per system and one table of items, so that a million segments
cost little more than their text; `Segment` objects are made on demand. The module needs only the standard
library; reading and writing live in `nlgauge.io`.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from nlgauge.digest import Summary, Tally
from nlgauge.errors import InputError, suggest
from nlgauge.wording.languages import language_code
from nlgauge.wording.needs import lacks

Rating = float | tuple[float, ...] | str | tuple[str, ...]
"""A mean, or one score per rater (NaN where that rater gave none); for preferences "a", "b" or "tie"."""

References = Sequence[Sequence[str]] | Sequence[str]
"""The references of segments: a list of texts for each, or one text each."""

UNNAMED = "unnamed"
"""The system of rows that name none."""

NOTHING: Mapping[str, Any] = {}  # a dict, because a mapping proxy cannot be pickled for worker processes


@dataclass(frozen=True, slots=True)
class Segment:
    """One output of one system for one item."""

    item: str
    system: str
    hypothesis: str
    references: tuple[str, ...] = ()
    source: Any = None
    ratings: Mapping[str, Rating] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    post_edits: tuple[str, ...] = ()  # the output as people corrected it
    reference_weights: tuple[float, ...] = ()  # how good each reference is, -1 to 1

    def to_dict(self) -> dict[str, Any]:
        """The row as it stands in a file; what is absent is left out."""
        row: dict[str, Any] = {"item": self.item, "system": self.system}
        row = _with_shared(row, self) | {"hypothesis": self.hypothesis}
        if self.reference_weights:
            row["reference_weights"] = list(self.reference_weights)
        if self.post_edits:
            row["post_edits"] = list(self.post_edits)
        return row | _judged(self)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two outputs for one item, judged against each other; `ratings["preference"]` holds "a", "b" or
    "tie".
    """

    item: str
    system_a: str
    system_b: str
    hypothesis_a: str
    hypothesis_b: str
    references: tuple[str, ...] = ()
    source: Any = None
    ratings: Mapping[str, Rating] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def preferences(self) -> tuple[str, ...]:
        """One of "a", "b", "tie" per annotator."""
        given = self.ratings.get("preference", ())
        return (given,) if isinstance(given, str) else tuple(str(choice) for choice in _many(given))

    def to_dict(self) -> dict[str, Any]:
        """The row as it stands in a file; what is absent is left out."""
        row: dict[str, Any] = {"item": self.item, "system_a": self.system_a, "system_b": self.system_b}
        texts = {"hypothesis_a": self.hypothesis_a, "hypothesis_b": self.hypothesis_b}
        return _with_shared(row, self) | texts | _judged(self)


def per_segment(references: References) -> Sequence[Sequence[str]]:
    """A list of references for each segment.

    >>> per_segment(["x y", "z"])
    [['x y'], ['z']]
    """
    if isinstance(references, str) or not hasattr(references, "__len__"):
        return references  # which is refused where it is read
    texts = [given for given in references if isinstance(given, str)]
    return [[text] for text in texts] if len(texts) == len(references) else references


def _with_shared(row: dict[str, Any], record: Segment | Pair) -> dict[str, Any]:
    if record.source is not None:
        row["source"] = record.source
    if record.references:
        row["references"] = list(record.references)
    return row


def _judged(record: Segment | Pair) -> dict[str, Any]:
    row: dict[str, Any] = {}
    if record.ratings:
        row["ratings"] = {
            name: list(value) if isinstance(value, tuple) else value for name, value in record.ratings.items()
        }
    return row | dict(record.extra)


def _many(value: Rating) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


@dataclass(slots=True)
class Column:
    """One system's outputs, aligned: the n-th hypothesis answers the n-th item."""

    system: str
    items: list[str]
    hypotheses: list[str]
    references: Sequence[Sequence[str]]
    sources: list[Any] | None = None
    post_edits: list[tuple[str, ...]] | None = None
    reference_weights: list[tuple[float, ...]] | None = None

    def __len__(self) -> int:
        return len(self.hypotheses)

    def only(self, place: int) -> Column:
        """The column with one row, whatever lists it carries."""
        return replace(self, **self.part(slice(place, place + 1)))

    def part(self, rows: slice) -> dict[str, Any]:
        """Some of the rows: each list that the column carries, by its name."""
        lists = {spec.name: getattr(self, spec.name) for spec in fields(self) if spec.name != "system"}
        return {name: values[rows] for name, values in lists.items() if values is not None}


@dataclass(slots=True)
class SystemRows:
    """What one system wrote: positions in the set's table of items, and a hypothesis for each."""

    positions: array[int] = field(default_factory=lambda: array("i"))
    hypotheses: list[str] = field(default_factory=list)
    ratings: list[Mapping[str, Rating]] | None = None
    extra: list[Mapping[str, Any]] | None = None
    post_edits: list[tuple[str, ...]] | None = None

    def only(self, places: Sequence[int]) -> SystemRows:
        """Some of the rows."""
        lists = (self.hypotheses, self.ratings, self.extra, self.post_edits)
        picked: list[Any] = [None if values is None else [values[place] for place in places] for values in lists]
        return SystemRows(array("i", [self.positions[place] for place in places]), *picked)


class EvaluationSet:
    """Segments of one or more systems over a table of items. Made by `nlgauge.io.load`."""

    def __init__(
        self,
        items: list[str],
        references: list[tuple[str, ...]],
        sources: list[Any] | None,
        rows: dict[str, SystemRows],
        *,
        missing: int = 0,
        origin: str = "the data",
        reference_weights: list[tuple[float, ...]] | None = None,
        textless: tuple[Segment, ...] = (),
        language: str = "",
        pairwise: bool = False,
    ) -> None:
        self.items = items
        self.textless = textless  # rated outputs whose text is not there: no metric sees them, the ratings count
        self._language = language
        self.origin = origin
        self.pairwise = pairwise  # rows told which of two outputs is better, and each side became a segment
        self._references = references
        self._sources = sources
        self._weights = reference_weights
        self._rows = rows
        self._missing = missing

    @classmethod
    def of(
        cls,
        systems: Mapping[str, Sequence[str]],
        references: References,
        sources: Sequence[Any] | None = None,
        reference_weights: Sequence[Sequence[float]] | None = None,
    ) -> EvaluationSet:
        """A set from lists held in memory: each system's outputs and, per segment, a list of references or one text.

        `reference_weights` has, per segment, a number from -1 to 1 for each reference.

        >>> EvaluationSet.of({"a": ["x y", "z"], "b": ["x", "z"]}, [["x y"], ["z", "z w"]]).systems
        ['a', 'b']
        """
        listed = per_segment(references)
        n = len(listed)
        if not systems or not n:
            raise InputError("a set needs at least one system and one segment")
        for number, texts in enumerate(listed):
            if isinstance(texts, str):
                raise InputError(
                    f"the references of segment {number} are one string; expected a list: [[ref1, ref2], [ref1], …]"
                )
        for name, outputs in systems.items():
            if isinstance(outputs, str) or len(outputs) != n:
                given = "one string" if isinstance(outputs, str) else f"{len(outputs):,} outputs"
                raise InputError(
                    f"system {name!r} has {given} for {n:,} segments; give one output and one list of references each"
                )
        if reference_weights is not None and len(reference_weights) != n:
            raise InputError(f"{len(reference_weights):,} reference_weights for {n:,} segments; give one list for each")
        rows = {name: SystemRows(array("i", range(n)), list(outputs)) for name, outputs in systems.items()}
        items = [str(number) for number in range(1, n + 1)]
        weights = None if reference_weights is None else [tuple(map(float, row)) for row in reference_weights]
        return cls(
            items,
            [tuple(texts) for texts in listed],
            list(sources) if sources else None,
            rows,
            reference_weights=weights,
        )

    @property
    def systems(self) -> list[str]:
        """The systems, in the order of their first appearance."""
        return list(self._rows)

    def __len__(self) -> int:
        return sum(len(rows.hypotheses) for rows in self._rows.values())

    def __repr__(self) -> str:
        return f"<EvaluationSet {self.origin}: {self.summary}>"

    def __iter__(self) -> Iterator[Segment]:
        return self.segments()

    def column(self, system: str) -> Column:
        """One system's outputs in the order of its rows."""
        rows = self._of(system)
        return self._column(system, rows.positions, rows.hypotheses, rows.post_edits)

    def _of(self, system: str) -> SystemRows:
        if system not in self._rows:
            raise InputError(f"{self.origin} has no system {system!r}: {suggest(system, self._rows)}")
        return self._rows[system]

    def _column(
        self,
        system: str,
        positions: Sequence[int],
        hypotheses: list[str],
        post_edits: list[tuple[str, ...]] | None,
    ) -> Column:
        items, references, sources, weights = self.items, self._references, self._sources, self._weights
        if len(positions) == len(items) and positions == self._every:
            # The system has every item in the table's order, as is usual: the table's own lists serve.
            return Column(
                system, items, hypotheses, references, sources=sources, post_edits=post_edits, reference_weights=weights
            )
        where = list(positions)
        return Column(
            system,
            [items[position] for position in where],
            hypotheses,
            [references[position] for position in where],
            sources=None if sources is None else [sources[position] for position in where],
            post_edits=post_edits,
            reference_weights=None if weights is None else [weights[position] for position in where],
        )

    @cached_property
    def _every(self) -> array[int]:
        return array("i", range(len(self.items)))

    def size(self, system: str) -> int:
        """How many segments a system has."""
        return len(self._of(system).hypotheses)

    def segments(self, system: str | None = None) -> Iterator[Segment]:
        """The segments one by one, system after system."""
        for name in self.systems if system is None else [system]:
            rows = self._of(name)
            for row, (position, hypothesis) in enumerate(zip(rows.positions, rows.hypotheses, strict=True)):
                yield Segment(
                    self.items[position],
                    name,
                    hypothesis,
                    references=self._references[position],
                    source=None if self._sources is None else self._sources[position],
                    ratings=NOTHING if rows.ratings is None else rows.ratings[row],
                    extra=NOTHING if rows.extra is None else rows.extra[row],
                    post_edits=() if rows.post_edits is None else rows.post_edits[row],
                    reference_weights=() if self._weights is None else self._weights[position],
                )

    def without(self, systems: Iterable[str]) -> EvaluationSet:
        """The set without some systems, and without the items that only they have."""
        dropped = set(systems)
        for name in dropped - {segment.system for segment in self.textless}:
            self._of(name)
        kept = {name: rows for name, rows in self._rows.items() if name not in dropped}
        if not kept:
            raise InputError(f"no system of {self.origin} is left without {', '.join(sorted(dropped))}")
        return self._with(kept, [segment for segment in self.textless if segment.system not in dropped])

    def where(self, keep: Callable[[Segment], bool]) -> EvaluationSet:
        """The rows that are to be kept, and the items they are about."""
        kept = {}
        for name, rows in self._rows.items():
            places = [place for place, segment in enumerate(self.segments(name)) if keep(segment)]
            if places:
                kept[name] = rows.only(places)
        if not kept:
            raise InputError(f"no output of {self.origin} is left")
        return self._with(kept, [segment for segment in self.textless if keep(segment)])

    def _with(self, kept: Mapping[str, SystemRows], textless: Sequence[Segment]) -> EvaluationSet:
        """The set with these rows only, and without items that none of them is about."""
        used = sorted({position for rows in kept.values() for position in rows.positions})
        new = {old: place for place, old in enumerate(used)}
        rows = {
            name: replace(rows, positions=array("i", [new[position] for position in rows.positions]))
            for name, rows in kept.items()
        }
        return EvaluationSet(
            [self.items[place] for place in used],
            [self._references[place] for place in used],
            None if self._sources is None else [self._sources[place] for place in used],
            rows,
            missing=self._missing,
            origin=self.origin,
            reference_weights=None if self._weights is None else [self._weights[place] for place in used],
            textless=tuple(textless),
            language=self._language,
            pairwise=self.pairwise,
        )

    def judged(self) -> Iterator[Segment]:
        """All segments and the rated outputs without a text."""
        yield from self.segments()
        yield from self.textless

    @cached_property
    def language(self) -> str:
        """The code of the outputs' language, such as de: the target of a WMT folder's pair, or what all rows give as
        their `language`; empty where it is not known."""
        if self._language:
            return self._language
        given = {str(extra.get("language", "")) for rows in self._rows.values() for extra in (rows.extra or (NOTHING,))}
        return language_code(given.pop()) if len(given) == 1 else ""

    def ratings(self, system: str) -> list[Mapping[str, Rating]]:
        """Criterion → rating(s) for each segment of a system, aligned with its column."""
        rows = self._of(system)
        return [NOTHING] * len(rows.hypotheses) if rows.ratings is None else list(rows.ratings)

    @cached_property
    def criteria(self) -> list[str]:
        """The criteria rated anywhere in the set, in the order of their first appearance."""
        rated = (rows.ratings for rows in self._rows.values() if rows.ratings is not None)
        names = [name for ratings in rated for row in ratings for name in row]
        return list(dict.fromkeys([*names, *(name for segment in self.textless for name in segment.ratings)]))

    def aligned(self, systems: Sequence[str] | None = None) -> list[Column]:
        """The systems' columns over the items all of them have.

        Where their orders differ, that of the system whose name sorts first holds: like the digest, it then does not
        depend on which system comes first in the file.
        """
        names = self.systems if systems is None else list(systems)
        if not names:
            return []
        first = self._of(names[0]).positions
        if all(self._of(name).positions == first for name in names):
            return [self.column(name) for name in names]
        common = self._common(names)
        kept = [position for position in self._of(min(names)).positions if common[position]]
        return [self._column(name, kept, *self._picked(name, kept)) for name in names]

    def missing(self, systems: Sequence[str] | None = None) -> dict[str, int]:
        """How many segments of each system `aligned` leaves out, because another system lacks the item."""
        names = self.systems if systems is None else list(systems)
        common = self._common(names)
        return {name: sum(not common[position] for position in self._of(name).positions) for name in names}

    def _common(self, names: Sequence[str]) -> bytearray:
        """For each item, whether all the systems have it."""
        common = bytearray(b"\x01") * len(self.items)
        for name in names:
            own = bytearray(len(self.items))
            for position in self._of(name).positions:
                own[position] = 1
            common = bytearray(map(int.__and__, common, own))
        return common

    def _picked(self, name: str, kept: Sequence[int]) -> tuple[list[str], list[tuple[str, ...]] | None]:
        """A system's hypotheses and post-edits for some items."""
        rows = self._of(name)
        where = array("i", bytes(4 * len(self.items)))
        for row, position in enumerate(rows.positions):
            where[position] = row
        edited = rows.post_edits
        return (
            [rows.hypotheses[where[position]] for position in kept],
            None if edited is None else [edited[where[position]] for position in kept],
        )

    def require(self, needs: Iterable[str], systems: Sequence[str] | None = None) -> None:
        """Refuse segments that lack what a metric needs.

        The needs are "references", "source", "source text" (a source that is a text), "reference_weights"
        and "post_edits".
        """
        nothing: list[Any] = [None] * len(self.items)
        tables: dict[str, Sequence[Any]] = {
            "references": self._references,
            "source": self._sources or nothing,
            "source text": self._sources or nothing,
            "reference_weights": self._weights or nothing,
        }
        for need in needs:
            if need == "post_edits":
                self._require_post_edits(self.systems if systems is None else systems)
            if need not in tables:
                continue
            table = tables[need]
            for name in self.systems if systems is None else systems:
                own = self._of(name).positions
                lacking = [p for p in own if table[p] is None or table[p] == ()]
                if lacking:
                    raise InputError(lacks(self.origin, name, self.items[lacking[0]], need, len(lacking)))
                if need == "source text":
                    for position in own:
                        check_source(table[position], f"{self.origin}: item {self.items[position]!r}")

    def _require_post_edits(self, systems: Sequence[str]) -> None:
        for name in systems:
            rows = self._of(name)
            edited = rows.post_edits or [()] * len(rows.hypotheses)
            lacking = [row for row, texts in enumerate(edited) if not texts]
            if lacking:
                item = self.items[rows.positions[lacking[0]]]
                raise InputError(lacks(self.origin, name, item, "post_edits", len(lacking)))

    @cached_property
    def _facts(self) -> tuple[dict[str, str], Summary]:
        tally = self._tally(sources=False)
        tally.missing = self._missing
        return tally.digests(sources=False), tally.summary(len(self.items))

    def _tally(self, *, sources: bool) -> Tally:
        tally = Tally(sources=sources)
        for system in self._rows:
            tally.add(self.column(system))
        return tally

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits that identify the texts; see `Tally`."""
        return self._facts[0]["data"]

    def digests(self, *, sources: bool) -> dict[str, str]:
        """What a receipt says of the data: the digests of the test set (items and references) and of the whole.

        Both include the sources where a metric reads these.
        """
        return self._digests_with_sources if sources else self._facts[0]

    @cached_property
    def _digests_with_sources(self) -> dict[str, str]:
        return self._tally(sources=True).digests(sources=True)

    @property
    def summary(self) -> Summary:
        """How many segments, systems, items, references, empty and missing outputs."""
        return self._facts[1]


def check_source(source: Any, place: str) -> None:
    """Refuse a table or a dialogue where a metric compares with the text of the source."""
    if not isinstance(source, str):
        kind = "an object" if isinstance(source, Mapping) else f"a {type(source).__name__}"
        raise InputError(
            f"{place} has {kind} as its source, where a metric asked for needs a text; give the source as a text, or "
            "choose metrics that do not read it"
        )
