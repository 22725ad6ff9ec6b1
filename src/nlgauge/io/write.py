"""Writing rows: all of them or none. A file is written beside its place and moved there when it is
complete. `sweep` removes what writers left that were killed.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, cast

import orjson

from nlgauge.errors import InputError
from nlgauge.io.files import StrPath, check_name, suffix, zstandard
from nlgauge.io.outputs import refuse_harm
from nlgauge.types import Pair, Segment

TEMPORARY = re.compile(r"\.[0-9a-f]{16}\.tmp")
STALE = 3600.0  # seconds after which a temporary file that nobody holds is taken for left behind

fcntl: Any
try:
    import fcntl
except ImportError:  # pragma: no cover - not on this system
    fcntl = None

RowLike = Mapping[str, Any] | Segment | Pair


@contextmanager
def atomic_path(path: StrPath, *, own: bool = False, private: bool = False) -> Iterator[Path]:
    """A path to write to; on success it replaces `path`, on failure nothing remains.

    What is not a regular file (a terminal, a pipe, /dev/null) is written to directly. What the command reads, databases
    and the files of studies are not replaced, unless the caller is who makes them (`own`). A `private` file is for its
    owner only.
    """
    target = Path(os.path.realpath(check_name(path)))
    with _writable(path):
        special = target.exists() and not target.is_file()
        if not own:
            refuse_harm(path)
    if special:
        if target.is_dir():
            raise InputError(f"{os.fspath(path)} is a folder; expected a file to write to")
        with _writable(path):
            yield target
        return
    temporary = target.with_name(
        f".{secrets.token_hex(8)}.tmp"
    )  # short: the name itself may be as long as names can be
    with ExitStack() as held, _removed(temporary), _writable(path):
        # not mkstemp: its files are always private, ours get the mode the user's umask says
        mode = 0o600 if private else 0o666
        _hold(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode), held)
        yield temporary
        _sync(temporary)
        if target.exists() and not private:
            temporary.chmod(target.stat().st_mode & 0o7777)
        os.replace(temporary, target)


@contextmanager
def _removed(path: Path) -> Iterator[None]:
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _hold(descriptor: int, held: ExitStack) -> None:
    """Mark a file as being written for as long as this process lives; where the system has no such mark, close it."""
    if fcntl is None:
        os.close(descriptor)
        return
    held.callback(os.close, descriptor)
    with suppress(OSError):  # a file system without locks
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def sweep(folder: StrPath) -> int:
    """Remove temporary files that killed writers left in a folder an hour ago or earlier; returns how many."""
    if fcntl is None:
        return 0
    removed, earlier = 0, time.time() - STALE
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if TEMPORARY.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                removed += _abandoned(entry, earlier)
    return removed


def _abandoned(entry: os.DirEntry[str], earlier: float) -> bool:
    """Remove a temporary file if it is old and no process holds it."""
    with suppress(OSError):
        if entry.stat(follow_symlinks=False).st_mtime > earlier:
            return False
        with open(entry.path, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(entry.path)
            return True
    return False


def _sync(path: Path) -> None:
    with open(path, "rb") as written:
        os.fsync(written.fileno())


@contextmanager
def _writable(path: StrPath) -> Iterator[None]:
    name = os.fspath(path)
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"cannot write {name}: there is no folder {Path(name).parent}; make it first") from None
    except PermissionError:
        raise InputError(f"cannot write {name}: no permission to write in {Path(name).parent}") from None
    except OSError as error:
        raise InputError(f"cannot write {name}: {error.strerror or error}") from None


@contextmanager
def atomic_file(path: StrPath, *, own: bool = False, private: bool = False) -> Iterator[BinaryIO]:
    """A binary file to write to, compressed as the name says, that appears under `path` when complete."""
    kind = Path(path).suffix.lower()
    package = zstandard(f"writing {os.fspath(path)}") if kind == ".zst" else None
    held = atomic_path(path, own=own, private=private)
    with held as temporary, _writable(path), open(temporary, "wb") as raw:
        if kind == ".gz":
            # no name and no time in the header: equal rows give equal bytes
            with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0, compresslevel=6) as packed:
                yield cast(BinaryIO, packed)
        elif package is not None:
            with package.ZstdCompressor().stream_writer(raw, closefd=False) as packed:
                yield packed
        else:
            yield raw


def write_rows(rows: Iterable[RowLike], path: StrPath, *, private: bool = False) -> int:
    """Write rows as the extension says: JSON lines, CSV or TSV. Returns how many."""
    kind = check_format(path)
    if kind in (".jsonl", ".ndjson"):
        return write_jsonl(rows, path, private=private)
    return write_csv(rows, path, private=private)


def check_format(path: StrPath) -> str:
    """The extension of a file of rows to be written; refused where rows cannot be written so."""
    kind = suffix(path)
    if kind not in (".jsonl", ".ndjson", ".csv", ".tsv"):
        raise InputError(
            f"cannot write {os.fspath(path)}: the extension {kind or '(none)'} is not one of .jsonl, "
            ".ndjson, .csv, .tsv (each also .gz or .zst)"
        )
    return kind


def write_jsonl(rows: Iterable[RowLike], path: StrPath, *, private: bool = False) -> int:
    """Write one JSON object a line. Returns how many."""
    count, source = 0, iter(rows)
    options = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_APPEND_NEWLINE
    with atomic_file(path, private=private) as out:
        while part := list(islice(source, 4096)):
            try:
                out.write(b"".join(orjson.dumps(_plain(row), option=options) for row in part))
            except TypeError as error:
                raise InputError(f"cannot write {os.fspath(path)}: a row is no valid JSON ({error})") from None
            count += len(part)
    return count


def _plain(row: RowLike) -> Mapping[str, Any]:
    if isinstance(row, Segment | Pair):
        return row.to_dict()
    return row if isinstance(row, dict) else dict(row)


def write_csv(
    rows: Iterable[RowLike], path: StrPath, *, columns: Sequence[str] | None = None, private: bool = False
) -> int:
    """Write CSV, or TSV where the extension says so. Returns how many.

    Lists become JSON, ratings a column each (`ratings.<criterion>`), a source that is no text `source.json`.
    Without `columns` the rows are gathered first, to know them all; with them the rows are written as they
    come.
    """
    spread: Iterable[dict[str, Any]] = (_spread(_plain(row)) for row in rows)
    if columns is None:
        spread = list(spread)
        columns = list(dict.fromkeys(key for row in spread for key in row))
    count = 0
    with atomic_file(path, private=private) as out:
        text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
        mark = "\t" if suffix(path) == ".tsv" else ","
        plain = csv.writer(text, delimiter=mark, lineterminator="\n")
        quoted = csv.writer(text, delimiter=mark, lineterminator="\n", quoting=csv.QUOTE_ALL)
        plain.writerow(columns)
        for row in spread:
            # before Python 3.13 the module does not see that a lone carriage return needs quoting
            returns = any(isinstance(cell, str) and "\r" in cell for cell in row.values())
            _write_row(quoted if returns else plain, row, columns, path)
            count += 1
        text.detach()
    return count


def _write_row(writer: Any, row: dict[str, Any], columns: Sequence[str], path: StrPath) -> None:
    unknown = row.keys() - set(columns)
    if unknown:
        raise InputError(f"cannot write {os.fspath(path)}: a row has the column {min(unknown)!r}, which was not named")
    try:
        writer.writerow([row.get(column, "") for column in columns])
    except UnicodeEncodeError:
        raise InputError(f"cannot write {os.fspath(path)}: a text holds a lone surrogate") from None


def _spread(row: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in row.items():
        if value is None:
            continue
        if key == "ratings" and isinstance(value, Mapping):  # else a plain column, such as a number of ratings
            flat |= {f"ratings.{criterion}": _cell(rating) for criterion, rating in value.items()}
        elif key == "source" and not isinstance(value, str):
            flat["source.json"] = _json(value)
        else:
            flat[key] = _cell(value)
    return flat


def _cell(value: Any) -> Any:
    return _json(value) if isinstance(value, list | tuple | dict | bool) else value


def _json(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY).decode()
