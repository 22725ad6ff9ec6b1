"""Counts and the digest of an evaluation set, taken while its columns pass by, loaded or streamed.

The digest goes into every receipt, so that a reader can tell whether two numbers come from the same texts.
"""

from __future__ import annotations

import hashlib
import json
import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nlgauge.types import Column


@dataclass(frozen=True, slots=True)
class Summary:
    """What a set holds. `items` is None for streamed data, whose distinct items are not counted."""

    segments: int
    systems: int
    items: int | None
    references_min: int
    references_max: int
    empty: int
    missing: int

    def __str__(self) -> str:
        low, high = self.references_min, self.references_max
        counts = [_count(self.segments, "segment"), _count(self.systems, "system")]
        if self.items is not None:
            counts.append(_count(self.items, "item"))
        counts.append(f"{low}–{high} references an item" if low != high else f"{_count(low, 'reference')} an item")
        if self.empty:
            counts.append(f"{_count(self.empty, 'empty hypothesis', 'empty hypotheses')} (scored)")
        if self.missing:
            counts.append(f"{_count(self.missing, 'row')} without an output left out")
        return ", ".join(counts)


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


class _Texts:
    """A running hash of a list of texts: the texts and their lengths go to separate hashes, so that neither
    the borders between texts nor those between batches can be confused, and no text is copied one by one."""

    def __init__(self) -> None:
        self.texts, self.lengths = hashlib.sha256(), hashlib.sha256()

    def add(self, texts: Sequence[str]) -> None:
        self.texts.update("".join(texts).encode("utf-8", "surrogatepass"))
        self.lengths.update(_numbers(map(len, texts)))

    def digest(self) -> bytes:
        return self.texts.digest() + self.lengths.digest()


def _numbers(values: Iterable[int]) -> bytes:
    numbers = array("Q", values)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


class _SystemTally:
    def __init__(self) -> None:
        self.segments = 0
        self.items, self.hypotheses, self.references = _Texts(), _Texts(), _Texts()
        self.reference_counts = hashlib.sha256()
        self.post_edits: _Texts | None = None
        self.weights: _Texts | None = None

    def add(self, column: Column) -> None:
        self.segments += len(column)
        self.items.add(column.items)
        self.hypotheses.add(column.hypotheses)
        self.references.add(list(chain.from_iterable(column.references)))
        self.reference_counts.update(_numbers(map(len, column.references)))
        edited = zip(column.items, column.post_edits or (), strict=False)
        texts = [text for item, given in edited if given for text in (item, str(len(given)), *given)]
        if texts:  # rows without a post-edit leave no trace, nor do sets without any
            self.post_edits = self.post_edits or _Texts()
            self.post_edits.add(texts)
        weighted = zip(column.items, column.reference_weights or (), strict=False)
        numbers = [text for item, given in weighted if given for text in (item, *map(repr, given))]
        if numbers:
            self.weights = self.weights or _Texts()
            self.weights.add(numbers)

    def digest(self) -> bytes:
        parts = (self.items.digest(), self.hypotheses.digest(), self.references.digest())
        edited = b"" if self.post_edits is None else self.post_edits.digest()
        weighted = b"" if self.weights is None else b"weights" + self.weights.digest()
        return b"".join(parts) + self.reference_counts.digest() + edited + weighted


class SourceTally:
    """A running hash of each system's sources; a table or a dialogue counts by its JSON."""

    def __init__(self) -> None:
        self._systems: dict[str, _Texts] = {}

    def add(self, column: Column) -> None:
        """Count the sources of the next segments of one system."""
        if not len(column):
            return
        sources = column.sources or [None] * len(column)
        self._systems.setdefault(column.system, _Texts()).add([_written(source) for source in sources])

    def joined_to(self, digest: str) -> str:
        """A digest of the texts' digest and the sources."""
        total = hashlib.sha256(digest.encode())
        for system in sorted(self._systems):
            name = system.encode("utf-8", "surrogatepass")
            total.update(_numbers([len(name)]) + name + self._systems[system].digest())
        return total.hexdigest()[:12]


class ItemTally:
    """A running hash of the items with their references, and their sources where wanted: the test set itself.

    It depends neither on the systems nor on the order of the rows. Where systems have different items, those of
    the systems with the most count.
    """

    def __init__(self, *, sources: bool = False) -> None:
        self._sources = sources
        self._systems: dict[str, tuple[int, int]] = {}  # segments, and the sum of the hashes of their items
        self._last: tuple[object, object, int] = (None, None, 0)

    def add(self, column: Column) -> None:
        """Count the next segments of one system."""
        items, references, total = self._last
        if column.items is not items or column.references is not references:  # else: the set's own tables again
            total = sum(map(self._hash, self._parts(column)))
            self._last = (column.items, column.references, total)
        size, known = self._systems.get(column.system, (0, 0))
        self._systems[column.system] = (size + len(column), known + total)

    def _parts(self, column: Column) -> Iterator[tuple[str, ...]]:
        nothing = repeat(())
        weights = repeat(()) if column.reference_weights is None else column.reference_weights
        sources = nothing if not self._sources else ((_written(source),) for source in column.sources or repeat(None))
        for item, references, weight, source in zip(column.items, column.references, weights, sources, strict=False):
            yield (item, *references, *map(repr, weight), *source)

    @staticmethod
    def _hash(parts: tuple[str, ...]) -> int:
        lengths = ",".join(map(str, map(len, parts)))
        found = hashlib.sha256(f"{lengths} {''.join(parts)}".encode("utf-8", "surrogatepass"))
        return int.from_bytes(found.digest())

    @property
    def digest(self) -> str:
        """The first twelve hexadecimal digits of the SHA-256 of what was added."""
        most = max((size for size, _ in self._systems.values()), default=0)
        sums = sorted({total % 2**256 for size, total in self._systems.values() if size == most})
        return hashlib.sha256(b"".join(total.to_bytes(32) for total in sums)).hexdigest()[:12]


def _written(source: Any) -> str:
    """A source as one text: a text that looks like a table's JSON is still told from the table."""
    if isinstance(source, str):
        return f"text {source}"
    if source is None:
        return "none"
    try:
        return f"json {json.dumps(source, ensure_ascii=False, default=str)}{_vectors(source)}"
    except TypeError:  # keys that no file could hold
        return f"repr {source!r}"


def _vectors(source: Any) -> str:
    """The digest of the file where a source {"image": "FILE#NAME"} has its vector; empty: it has none."""
    named = source.get("image") if isinstance(source, Mapping) else None
    if not isinstance(named, str) or "#" not in named:
        return ""
    path = Path(named.rpartition("#")[0]).expanduser()
    try:
        state = path.stat()
        return f" file {_file_digest(path, state.st_mtime_ns, state.st_size)}"
    except OSError:  # a metric that reads it refuses it
        return ""


@lru_cache(maxsize=64)
def _file_digest(path: Path, changed: int, size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Tally:
    """Counts and digest of data that pass by in batches; a loaded and a streamed set give the same digest.

    The digest covers items, systems, hypotheses, references and, where there are any, post-edits and weights
    of references. It depends on the order of the segments within a system, because the draws of a seeded test
    do, but not on how the systems' rows interleave, on the file format, or on ratings and other keys. Sources
    enter only what `digests(sources=True)` gives, for metrics that read them; they must be asked for beforehand.
    """

    def __init__(self, *, sources: bool = False) -> None:
        self._sources = SourceTally() if sources else None
        self._items = [ItemTally(sources=wanted) for wanted in (False, *[True] * sources)]
        self._systems: dict[str, _SystemTally] = {}
        self._empty = 0
        self._low, self._high = sys.maxsize, 0
        self.missing = 0

    def add(self, column: Column) -> None:
        """Count the next segments of one system."""
        if not len(column):
            return
        self._systems.setdefault(column.system, _SystemTally()).add(column)
        if self._sources is not None:
            self._sources.add(column)
        for tally in self._items:
            tally.add(column)
        self._empty += column.hypotheses.count("")
        counts = set(map(len, column.references))
        self._low = min(self._low, *counts)
        self._high = max(self._high, *counts)

    @property
    def digest(self) -> str:
        """The first twelve hexadecimal digits of the SHA-256 of what was added."""
        total = hashlib.sha256()
        for system in sorted(self._systems):
            name = system.encode("utf-8", "surrogatepass")
            total.update(_numbers([len(name)]) + name + self._systems[system].digest())
        return total.hexdigest()[:12]

    def digests(self, *, sources: bool) -> dict[str, str]:
        """What a receipt says of the data: the digests of the test set and of the whole, with sources if wanted."""
        whole = self._sources.joined_to(self.digest) if sources and self._sources is not None else self.digest
        return {"testset": self._items[sources and self._sources is not None].digest, "data": whole}

    def summary(self, items: int | None = None) -> Summary:
        """The counts so far."""
        segments = sum(tally.segments for tally in self._systems.values())
        low = self._low if segments else 0
        return Summary(
            segments=segments,
            systems=len(self._systems),
            items=items,
            references_min=low,
            references_max=self._high,
            empty=self._empty,
            missing=self.missing,
        )
