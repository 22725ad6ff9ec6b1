"""An evaluation set in memory, from a file, line files, a folder, a list of dictionaries or a data frame."""

from __future__ import annotations

import math
import os
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from nlgauge.errors import InputError
from nlgauge.io.batches import ItemRow, RowBatch, duplicate, extended, picked
from nlgauge.io.columns import Columns, check_given
from nlgauge.io.files import StrPath, at
from nlgauge.io.rows import Chunk, to_batch
from nlgauge.io.streaming import BATCH, NamedSystems, batches, collector_paused, target_language
from nlgauge.types import NOTHING, EvaluationSet, Segment, SystemRows

Repeats = Literal["refuse", "number"]
PLACE = 40  # bits for the line in a packed place; the file's number stands above them


def load(
    data: Any = None,
    *,
    hyp: Mapping[str, StrPath] | None = None,
    refs: Sequence[StrPath] = (),
    src: StrPath | None = None,
    pair: str | None = None,
    allow_extra: bool = False,
    repeats: Repeats = "refuse",
    columns: Mapping[str, str] | None = None,
) -> EvaluationSet:
    """Read an evaluation set.

    `data` is a path (JSON lines, JSON, CSV, TSV, Parquet, a WMT folder), a list of paths, a list of
    dictionaries or `Segment` objects, or a data frame. Line files are given by `hyp` ({system: file}),
    `refs` and `src`; `pair` chooses a language pair in a WMT folder. `columns` says which column
    holds a key ({"hypothesis": "my_output"}); `allow_extra` keeps unknown keys instead of refusing them.
    `repeats="number"` keeps a repeated (item, system) as item "17#2" instead of refusing it: some published sets
    hold several outputs for one input without saying which system wrote which.
    """
    if repeats not in ("refuse", "number"):
        raise InputError(f"repeats must be refuse or number; got {repeats!r}")
    records = _records(data, columns)
    source: Iterable[RowBatch]
    if records is not None:
        source, origin = _record_batches(records, allow_extra), "the data"
        if hyp is not None or refs or src is not None or pair is not None:
            raise InputError("hyp, refs, src and pair belong to files; rows were given")
    else:
        source = batches(data, hyp=hyp, refs=refs, src=src, pair=pair, allow_extra=allow_extra, columns=columns)
        origin = _origin(data, hyp)
    builder = SetBuilder(repeats)
    with collector_paused():
        for batch in source:
            builder.add(batch)
    return builder.finish(origin, target_language(data, pair))


def _origin(data: Any, hyp: Mapping[str, StrPath] | None) -> str:
    paths = list((hyp or {}).values()) if data is None else data if isinstance(data, list | tuple) else [data]
    return ", ".join(os.fspath(path) for path in paths)


def _records(data: Any, columns: Mapping[str, str] | None) -> list[Any] | None:
    """The rows of a list or data frame, with their keys; None for paths."""
    if hasattr(data, "to_dict") and hasattr(data, "columns"):
        return [_frame_row(row) for row in _keyed(data.to_dict("records"), columns)]
    if data is None or isinstance(data, str | os.PathLike):
        return None
    if isinstance(data, list | tuple) and data and all(isinstance(entry, str | os.PathLike) for entry in data):
        return None
    if isinstance(data, Iterable) and not isinstance(data, Mapping | bytes):
        return _keyed([row.to_dict() if isinstance(row, Segment) else row for row in data], columns)
    raise InputError(
        f"cannot read an evaluation set from a {type(data).__name__}; expected a path, a list of "
        "dictionaries or a data frame"
    )


def _keyed(rows: list[Any], columns: Mapping[str, str] | None) -> list[Any]:
    check_given(columns or {})
    named = Columns(columns)
    found = named.rows(rows, "the data")
    named.finish("the data")
    return found


def _frame_row(row: Mapping[Any, Any]) -> dict[Any, Any]:
    """A data frame marks what is absent by NaN, and may hold arrays where lists are meant."""
    values = {key: value.tolist() if hasattr(value, "tolist") else value for key, value in row.items()}
    return {
        key: None if isinstance(value, float) and math.isnan(value) else value
        for key, value in values.items()
        if key == "hypothesis" or not (value is None or (isinstance(value, float) and math.isnan(value)))
    }


def _record_batches(records: list[Any], allow_extra: bool) -> Iterator[RowBatch]:
    if not records:
        raise InputError("the list of rows is empty; expected one row for each output")
    watch = NamedSystems()
    for start in range(0, len(records), BATCH):
        part = records[start : start + BATCH]
        batch = to_batch(
            Chunk(part, range(start + 1, start + 1 + len(part)), "the data", "row"), allow_extra=allow_extra
        )
        watch.add(batch)
        _check_encodable(batch)
        yield batch


def _check_encodable(batch: RowBatch) -> None:
    """Texts made in Python may hold lone surrogates, which no file and no tokeniser can take."""
    for row, texts in enumerate(zip(batch.items, batch.systems, batch.hypotheses, strict=True)):
        try:
            edited = () if batch.post_edits is None else batch.post_edits[row]
            "".join((*texts, *batch.references[row], *edited)).encode()
        except UnicodeEncodeError:
            raise InputError(
                f"{batch.at(row)}: a text holds a lone surrogate and is not valid Unicode; decode the "
                "original bytes as UTF-8"
            ) from None


class _Rows(SystemRows):
    """A system's rows while the set is being built: also which items it has, and where each row stands."""

    __slots__ = ("places", "seen")

    def __init__(self) -> None:
        super().__init__()
        self.seen = bytearray()
        self.places = array("q")


class SetBuilder:
    """Gathers batches into an `EvaluationSet`; references and sources are kept once per item."""

    def __init__(self, repeats: Repeats = "refuse") -> None:
        self._repeats = repeats
        self._positions: dict[str, int] = {}
        self._references: list[tuple[str, ...]] = []
        self._sources: list[Any] = []
        self._weights: list[tuple[float, ...]] = []
        self._given = array("q")  # where each item's references were given
        self._sourced = array("q")
        self._weighted = array("q")
        self._described: dict[str, list[tuple[tuple[str, ...], Any, tuple[float, ...], int]]] = {}
        self._systems: dict[str, _Rows] = {}
        self._files: dict[tuple[str, str], int] = {}
        self._missing = 0
        self._judged: list[tuple[Segment, int]] = []  # outputs without a text, and where

    def add(self, batch: RowBatch) -> None:
        """Take in a batch, in the order of its rows: items are numbered by their first segment."""
        file = self._files.setdefault((batch.path, batch.unit), len(self._files)) << PLACE
        self._missing += batch.missing
        for about in batch.item_rows:
            self._describe(about, file | about.line)
            if about.judged is not None:
                self._judged.append((about.judged, file | about.line))
        items, references, lines, sources = batch.items, batch.references, batch.lines, batch.sources
        weights = batch.reference_weights
        plain = sources is None and weights is None
        known, systems, before = self._positions, self._systems, {}
        for system in dict.fromkeys(batch.systems):
            before[system] = len(systems.setdefault(system, _Rows()).hypotheses)
        for row, system in enumerate(batch.systems):
            own, item, place = systems[system], items[row], file | lines[row]
            position = known.get(item, -1)
            if 0 <= position < len(own.seen) and own.seen[position]:
                if self._repeats == "refuse":
                    first = own.places[own.positions.index(position)]
                    raise InputError(duplicate(item, system, self._at(place), self._at(first)))
                item, position = self._numbered(own, item), -1
            # most rows repeat what is known of their item: only the others need a closer look
            if position < 0 or references[row] != self._references[position] or not plain:
                source = None if sources is None else sources[row]
                position = self._item(item, references[row], source, () if weights is None else weights[row], place)
            if position >= len(own.seen):
                own.seen.extend(bytes(max(1024, len(own.seen), position + 1 - len(own.seen))))
            own.seen[position] = 1
            own.positions.append(position)
            own.places.append(place)
        for system, rows in batch.groups():
            own = systems[system]
            own.hypotheses += picked(batch.hypotheses, rows)
            own.ratings = extended(own.ratings, batch.ratings, rows, before[system], NOTHING)
            own.extra = extended(own.extra, batch.extra, rows, before[system], NOTHING)
            own.post_edits = extended(own.post_edits, batch.post_edits, rows, before[system], ())

    def _describe(self, about: ItemRow, place: int) -> None:
        """Keep what a row says about an item until a segment of the item comes by."""
        if about.item in self._positions:
            self._item(about.item, about.references, about.source, about.weights, place)
        else:
            told = (about.references, about.source, about.weights, place)
            self._described.setdefault(about.item, []).append(told)

    def _textless(self) -> tuple[Segment, ...]:
        """What people said of outputs that are not there, each output once, beside those with a text."""
        kept: dict[tuple[str, str], tuple[Segment, int]] = {}
        for segment, place in self._judged:
            item, system, number = segment.item, segment.system, 1
            while (item, system) in kept or self._has_text(item, system):
                if self._repeats == "refuse":
                    first = kept[item, system][1] if (item, system) in kept else self._place(item, system)
                    raise InputError(duplicate(item, system, self._at(place), self._at(first)))
                number += 1
                item = f"{segment.item}#{number}"
            kept[item, system] = (replace(segment, item=item), place)
        return tuple(segment for segment, _ in kept.values())

    def _has_text(self, item: str, system: str) -> bool:
        own, position = self._systems.get(system), self._positions.get(item, -1)
        return own is not None and 0 <= position < len(own.seen) and bool(own.seen[position])

    def _place(self, item: str, system: str) -> int:
        own = self._systems[system]
        return own.places[own.positions.index(self._positions[item])]

    def _numbered(self, own: _Rows, item: str) -> str:
        number = 2
        while (position := self._positions.get(f"{item}#{number}", -1)) >= 0:
            if position >= len(own.seen) or not own.seen[position]:
                break
            number += 1
        return f"{item}#{number}"

    def _item(self, item: str, references: tuple[str, ...], source: Any, weights: tuple[float, ...], place: int) -> int:
        """The item's position in the table; refuses what differs from what is known of it."""
        position = self._positions.setdefault(item, len(self._references))
        if position == len(self._references):
            self._references.append(references)
            self._sources.append(source)
            self._weights.append(weights)
            self._given.append(place)
            self._sourced.append(place)
            self._weighted.append(place)
            for described in self._described.pop(item, ()):
                self._item(item, *described)
            return position
        known = self._references[position]
        if references and references != known:
            if known:
                raise self._differs("references", item, place, self._given[position])
            self._references[position], self._given[position] = references, place
        if source is not None and source != self._sources[position]:
            if self._sources[position] is not None:
                raise self._differs("sources", item, place, self._sourced[position])
            self._sources[position], self._sourced[position] = source, place
        if weights and weights != self._weights[position]:
            if self._weights[position]:
                raise self._differs("weights of references", item, place, self._weighted[position])
            self._weights[position], self._weighted[position] = weights, place
        return position

    def _differs(self, what: str, item: str, here: int, there: int) -> InputError:
        return InputError(
            f"{self._at(here)}: item {item!r} has other {what} than at {self._at(there)}; {what} belong to "
            "the item: give the same in every row of it, or in one row only"
        )

    def _at(self, place: int) -> str:
        path, unit = list(self._files)[place >> PLACE]
        return at(path, place & ((1 << PLACE) - 1), unit)

    def finish(self, origin: str, language: str = "", *, pairwise: bool = False) -> EvaluationSet:
        """The set; items nobody answered are left out of it."""
        if not self._systems:
            raise InputError(f"{origin} has no outputs: every row lacks a hypothesis or has null; expected some texts")
        rows = {
            system: SystemRows(own.positions, own.hypotheses, own.ratings, own.extra, own.post_edits)
            for system, own in self._systems.items()
        }
        has_source = any(source is not None for source in self._sources)
        return EvaluationSet(
            list(self._positions),
            self._references,
            self._sources if has_source else None,
            rows,
            missing=self._missing,
            origin=origin,
            reference_weights=self._weights if any(self._weights) else None,
            textless=self._textless(),
            language=language,
            pairwise=pairwise,
        )
