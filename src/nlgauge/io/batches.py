"""Checked rows in columns: what readers hand on, and how small batches become larger ones."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from nlgauge.errors import InputError, NeedsWholeSet, option
from nlgauge.io.files import at
from nlgauge.types import NOTHING, Column, Rating, Segment, check_source


class ItemRow(NamedTuple):
    """What a row without an output says about its item."""

    item: str
    references: tuple[str, ...]
    source: Any
    line: int
    has_output: bool  # the row is there for its output, which is null
    weights: tuple[float, ...] = ()  # of the references
    judged: Segment | None = None  # what people said of the output that is not there


@dataclass(slots=True)
class RowBatch:
    """Checked rows in columns: the n-th entries of all lists belong together."""

    items: list[str]
    systems: list[str]
    hypotheses: list[str]
    references: list[tuple[str, ...]]
    sources: list[Any] | None
    ratings: list[Mapping[str, Rating]] | None
    extra: list[Mapping[str, Any]] | None
    lines: Sequence[int]
    path: str
    unit: str = "line"
    missing: int = 0
    unnamed: Sequence[int] = ()  # positions of the rows that name no system
    item_rows: Sequence[ItemRow] = ()
    post_edits: list[tuple[str, ...]] | None = None
    reference_weights: list[tuple[float, ...]] | None = None

    def __len__(self) -> int:
        return len(self.hypotheses)

    def at(self, row: int) -> str:
        """The place of a row, for a message."""
        return at(self.path, self.lines[row], self.unit)

    def groups(self) -> Iterator[tuple[str, Sequence[int]]]:
        """Each system with the positions of its rows."""
        if not self.systems:
            return
        if self.systems.count(self.systems[0]) == len(self.systems):
            yield self.systems[0], range(len(self.systems))
            return
        positions: dict[str, list[int]] = {}
        for row, system in enumerate(self.systems):
            positions.setdefault(system, []).append(row)
        yield from positions.items()

    def columns(self) -> Iterator[Column]:
        """The batch as one aligned column per system."""
        for system, rows in self.groups():
            yield Column(
                system=system,
                items=picked(self.items, rows),
                hypotheses=picked(self.hypotheses, rows),
                references=picked(self.references, rows),
                sources=None if self.sources is None else picked(self.sources, rows),
                post_edits=None if self.post_edits is None else picked(self.post_edits, rows),
                reference_weights=None if self.reference_weights is None else picked(self.reference_weights, rows),
            )

    def require(self, needs: Iterable[str]) -> None:
        """Refuse rows that lack what a metric needs; see `EvaluationSet.require`."""
        nothing: list[Any] = [None] * len(self)
        columns: dict[str, Sequence[Any]] = {
            "references": self.references,
            "source": self.sources or nothing,
            "source text": self.sources or nothing,
            "reference_weights": self.reference_weights or nothing,
            "post_edits": self.post_edits or nothing,
        }
        for need in needs:
            for row, value in enumerate(columns.get(need, ())):
                if value is None or value == ():
                    if need == "post_edits":  # belongs to the row: loading the whole set would not help
                        raise InputError(
                            f"{self.at(row)}: item {self.items[row]!r} of system {self.systems[row]!r} has no "
                            "post-edit, which a metric asked for needs; give the key post_edit (a text) or post_edits "
                            "(a list) in every row"
                        )
                    raise NeedsWholeSet(
                        f"{self.at(row)}: item {self.items[row]!r} of system {self.systems[row]!r} has no "
                        f"{need}, which a metric asked for needs; when data are streamed every row must "
                        f"carry its own {need}"
                    )
                if need == "source text":
                    check_source(value, f"{self.at(row)}: item {self.items[row]!r}")


def merged(batches: Iterable[RowBatch], size: int) -> Iterator[RowBatch]:
    """Small batches of one file put together into batches of `size` rows (the last may be smaller)."""
    whole: RowBatch | None = None
    for batch in batches:
        if whole is None:
            whole = batch
        elif whole.path != batch.path or len(whole) + len(batch) > size:
            yield whole
            whole = batch
        else:
            whole = _joined(whole, batch)
        if len(whole) >= size:
            yield whole
            whole = None
    if whole is not None:
        yield whole


def _joined(first: RowBatch, second: RowBatch) -> RowBatch:
    before, more = len(first), range(len(second))
    for column in ("items", "systems", "hypotheses", "references"):
        getattr(first, column).extend(getattr(second, column))
    first.sources = extended(first.sources, second.sources, more, before, None)
    first.ratings = extended(first.ratings, second.ratings, more, before, NOTHING)
    first.extra = extended(first.extra, second.extra, more, before, NOTHING)
    first.post_edits = extended(first.post_edits, second.post_edits, more, before, ())
    first.reference_weights = extended(first.reference_weights, second.reference_weights, more, before, ())
    first.lines = _lines(first.lines, second.lines)
    first.missing += second.missing
    first.unnamed = [*first.unnamed, *(before + row for row in second.unnamed)]
    first.item_rows = [*first.item_rows, *second.item_rows]
    return first


def _lines(first: Sequence[int], second: Sequence[int]) -> Sequence[int]:
    if isinstance(first, range) and isinstance(second, range) and first.stop == second.start:
        return range(first.start, second.stop)
    return [*first, *second]


def extended(
    known: list[Any] | None, given: list[Any] | None, rows: Sequence[int], before: int, absent: Any
) -> list[Any] | None:
    """A column that may be absent, with some of another batch's rows appended; None as long as both are."""
    if known is None and given is None:
        return None
    known = [absent] * before if known is None else known
    known += [absent] * len(rows) if given is None else picked(given, rows)
    return known


def picked(values: list[Any], rows: Sequence[int]) -> list[Any]:
    """The values at some positions; the list itself when all are wanted."""
    return values if len(rows) == len(values) else [values[row] for row in rows]


# Duplicate (item, system) keys in data that do not fit into memory.
#
# Eight bytes a row are kept: the 64-bit hash of the key. Equal hashes are looked for whenever the number of
# rows has doubled and at the end, so that the cost stays that of one sort; where two hashes agree, the rows
# are read once more to tell a duplicate from a chance clash and to name both lines.


FIRST_CHECK = 1 << 16

Key = tuple[str, str]
Located = tuple[Key, str, int, str]  # key, path, line, unit
Hash = Callable[[Key], int]


class DuplicateWatch:
    """Remembers the keys that went by; `reread` yields all rows' keys again with their places."""

    def __init__(self, reread: Callable[[], Iterable[Located]], digest: Hash = hash) -> None:
        self._reread = reread
        self._digest = digest
        self._digests = array("q")
        self._next_check = FIRST_CHECK
        self._cleared: Counter[int] = Counter()

    def add(self, items: Sequence[str], systems: Sequence[str]) -> None:
        """Remember some keys; refuse a duplicate if the time has come to look."""
        self._digests.extend(map(self._digest, zip(items, systems, strict=True)))
        if len(self._digests) >= self._next_check:
            self.check()
            self._next_check = 2 * len(self._digests)

    def check(self) -> None:
        """Refuse a duplicate among the keys so far."""
        import numpy as np  # only streams need it

        digests = np.sort(np.frombuffer(self._digests, dtype=np.int64))
        repeated = digests[1:][digests[1:] == digests[:-1]]
        counts = Counter(repeated.tolist())
        # a hash known to clash by chance is looked at again only when it has occurred once more
        suspects = {digest for digest, count in counts.items() if self._cleared[digest] != count}
        if suspects:
            self._verify(suspects, len(self._digests))
            self._cleared = counts

    def _verify(self, suspects: set[int], rows: int) -> None:
        seen: dict[Key, str] = {}
        for number, (key, path, line, unit) in enumerate(self._reread()):
            if number >= rows:
                return
            if self._digest(key) in suspects:
                place = at(path, line, unit)
                if key in seen:
                    raise InputError(duplicate(key[0], key[1], place, seen[key]))
                seen[key] = place


def duplicate(item: str, system: str, here: str, there: str) -> str:
    """The sentence for two rows with the same key."""
    return (
        f"{here}: item {item!r} of system {system!r} was already given at {there}; each item may occur once "
        "for a system: remove one row, name the repeated items apart, or keep both with "
        f"{option('repeats', 'number')}"
    )
