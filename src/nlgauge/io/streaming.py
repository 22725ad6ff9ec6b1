"""Data of any size, batch by batch, in memory that does not grow with the file (but for 8 bytes a row)."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nlgauge.errors import InputError, NeedsWholeSet
from nlgauge.io.batches import RowBatch, merged
from nlgauge.io.columns import Columns, check_given
from nlgauge.io.duplicates import DuplicateWatch, Located
from nlgauge.io.files import StrPath
from nlgauge.io.lines import line_batches
from nlgauge.io.rows import to_batch
from nlgauge.io.tables import chunks
from nlgauge.io.wmt import wmt_files

BATCH = 8192
PARSE = 512  # rows parsed at a time: larger pieces leave the processor's cache and were slower when measured

Paths = StrPath | Sequence[StrPath]


def stream(
    path: Paths | None = None,
    *,
    hyp: Mapping[str, StrPath] | None = None,
    refs: Sequence[StrPath] = (),
    src: StrPath | None = None,
    pair: str | None = None,
    batch: int = BATCH,
    allow_extra: bool = False,
    columns: Mapping[str, str] | None = None,
) -> Iterator[RowBatch]:
    """Checked batches of at most `batch` rows from a file, several files, a WMT folder or line files.

    `columns` says which column of a table holds a key: {"hypothesis": "my_output"}.
    Every row carries its own references: what is said once per item needs the whole set in memory (`load`).
    Duplicate (item, system) keys are refused, at the latest after the last batch.
    """
    source = batches(
        path, hyp=hyp, refs=refs, src=src, pair=pair, batch=batch, allow_extra=allow_extra, columns=columns
    )
    if hyp is not None or _is_folder(path):
        yield from source  # an item is a line and a system a file: there can be no duplicates
        return

    def reread() -> Iterator[Located]:
        for again in batches(path, batch=batch, allow_extra=allow_extra, columns=columns):
            for row, key in enumerate(zip(again.items, again.systems, strict=True)):
                yield key, again.path, again.lines[row], again.unit

    watch = DuplicateWatch(reread)
    for checked in _undisturbed(merged(source, batch)):
        for row in checked.item_rows:
            if not row.has_output:
                raise NeedsWholeSet(
                    f"{checked.path}, {checked.unit} {row.line:,}: the row describes item {row.item!r} "
                    "without an "
                    "output; when data are streamed every row must carry its own references: load the "
                    "set instead"
                )
        watch.add(checked.items, checked.systems)
        if len(checked) or checked.missing:
            yield checked
    watch.check()


@contextmanager
def collector_paused() -> Iterator[None]:
    """Rows form no cycles, but millions of new containers keep the garbage collector busy for nothing."""
    was_running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_running:
            gc.enable()


def _undisturbed(source: Iterator[RowBatch]) -> Iterator[RowBatch]:
    """Each batch is made with the collector paused, and handed out with it running again."""
    while True:
        with collector_paused():
            batch = next(source, None)
        if batch is None:
            return
        yield batch


def batches(
    path: Paths | None,
    *,
    hyp: Mapping[str, StrPath] | None = None,
    refs: Sequence[StrPath] = (),
    src: StrPath | None = None,
    pair: str | None = None,
    batch: int = BATCH,
    allow_extra: bool = False,
    columns: Mapping[str, str] | None = None,
) -> Iterator[RowBatch]:
    """As `stream`, without looking for duplicates."""
    if batch < 1:
        raise InputError(f"a batch holds at least one row; got batch={batch}")
    if (path is None) == (hyp is None):
        raise InputError("give either a path or line files (hyp=…, refs=…), not both and not neither")
    if columns and (hyp is not None or _is_folder(path)):
        raise InputError("columns belong to files of rows; line files and WMT folders have none")
    if hyp is not None:
        return line_batches(hyp, refs, src, batch)
    assert path is not None
    if refs or src is not None:
        raise InputError("refs and src belong to line files: give hyp={system: file} as well, and no path")
    if isinstance(path, str | os.PathLike) and _is_folder(path):
        files = wmt_files(path, pair)
        return line_batches(files.hyp, files.refs, files.src, batch)
    if pair is not None:
        raise InputError(f"pair={pair!r} chooses a language pair in a WMT folder; {path} is not a folder")
    check_given(columns or {})
    return _rows([path] if isinstance(path, str | os.PathLike) else path, batch, allow_extra, columns)


def target_language(path: Any, pair: str | None) -> str:
    """The language of the outputs in a WMT folder; empty for other data."""
    return wmt_files(path, pair).pair.partition("-")[2] if _is_folder(path) else ""


def _is_folder(path: Paths | None) -> bool:
    return isinstance(path, str | os.PathLike) and Path(path).is_dir()


def _rows(
    paths: Iterable[StrPath], size: int, allow_extra: bool, columns: Mapping[str, str] | None
) -> Iterator[RowBatch]:
    watch = NamedSystems()
    for path in paths:
        for chunk in chunks(path, min(size, PARSE), allow_extra=allow_extra, columns=Columns(columns)):
            batch = to_batch(chunk, allow_extra=allow_extra)
            watch.add(batch)
            yield batch


class NamedSystems:
    """Either every row names its system or none does: one that does not is a slip, not a system of its
    own.
    """

    def __init__(self) -> None:
        self._named = self._unnamed = ""

    def add(self, batch: RowBatch) -> None:
        """Refuse a batch that makes the two kinds meet."""
        if batch.unnamed:
            self._unnamed = self._unnamed or batch.at(batch.unnamed[0])
        if len(batch.unnamed) < len(batch) and not self._named:
            nameless = set(batch.unnamed)
            self._named = batch.at(next(row for row in range(len(batch)) if row not in nameless))
        if self._named and self._unnamed:
            raise InputError(
                f"{self._unnamed}: the key system is missing, but {self._named} names its system; "
                "name it in every row, or in none where all rows are one system's"
            )
