"""Embeddings kept on disk, so that a text is encoded once for a model, a layer and a precision.

One folder holds the vectors of one such setting (its name is a digest of all they depend on), in shards that are
never changed once written: `*.vec` holds rows of float32 one after the other, `*.idx` says which text has which rows,
and ends with a checksum of itself.
A shard counts from the moment its index has been renamed into place, after the vectors are on the disk; what an
interrupted run leaves behind has a temporary name, counts for nothing, and is swept away a day later. Processes write
shards of their own under names of their own, so that none disturbs another; one that finds a shard gone (the oldest
unused ones go when the cache is over its limit) encodes the texts again. Vectors are mapped, not read as a whole; those
of a text are checked against their checksum in the index when they are first used, and a shard that fails is removed,
so that a damaged disk costs time and not a number.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import time
import zlib
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.lexicons.digests import cache_folder
from nlgauge.models import runtime
from nlgauge.models.interface import Vectors

_INDEX = np.dtype([("key", "S16"), ("start", "<i8"), ("rows", "<i8"), ("crc", "<u4")])
_FORMAT = "3"  # 1 had no checksums, 2 none of the index
_SEAL = 4  # bytes of the checksum at the end of an index
_STALE = 86_400  # seconds after which a file with a temporary name belongs to nobody
_SMALL = 4 * 2**20  # bytes under which shards are worth merging
_MANY = 64  # shards in a folder before the small ones are merged
_MEMORY = 256 * 2**20  # bytes of vectors kept in memory where nothing is kept on disk


_Entry = tuple[str, int, int, int]  # shard, first row, number of rows, checksum


class Stores:
    """The stores of one encoder, each made when first asked for: on the disk, or in memory where the cache is off."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, bool], Store | Memory] = {}

    def of(self, setting: str, dim: int) -> Store | Memory:
        """That of the vectors which depend on a setting."""
        now = runtime.current()
        key = (setting, now.embeddings == "off")
        if key not in self._made:
            self._made[key] = Memory() if now.embeddings == "off" else Store(setting, dim, limit=now.limit)
        return self._made[key]


def folder() -> Path:
    """Where all embeddings are kept."""
    return cache_folder() / "embeddings"


def text_key(text: str) -> bytes:
    """The digest by which a text is found."""
    # a trailing zero byte would be lost in NumPy's fixed-width bytes, so it is made impossible
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=15).digest() + b"\x01"


class Store:
    """The vectors of one setting on disk."""

    def __init__(self, setting: str, dim: int, root: Path | None = None, *, limit: int = 0) -> None:
        name = hashlib.sha256(f"{_FORMAT}|{dim}|{setting}".encode()).hexdigest()[:32]
        self.root = folder() if root is None else root
        self.path = self.root / name
        self.setting, self.dim, self.limit = setting, dim, limit
        self._index: dict[bytes, _Entry] = {}
        self._sound: set[bytes] = set()  # keys of vectors that were checked
        self._seen: set[str] = set()
        self._maps: dict[str, NDArray[np.float32]] = {}

    def find(self, texts: Sequence[str]) -> dict[str, Vectors]:
        """The rows of the texts that are known; used shards are marked as such."""
        self._refresh()
        found: dict[str, Vectors] = {}
        used: set[str] = set()
        for text in texts:
            key = text_key(text)
            entry = self._index.get(key)
            rows = self._read(key, entry) if entry else None
            if entry and rows is not None:
                found[text] = rows
                used.add(entry[0])
        for shard in used:
            with suppress(OSError):
                os.utime(self.path / f"{shard}.idx")
        return found

    def _read(self, key: bytes, entry: _Entry) -> Vectors | None:
        """The vectors of an entry; None where the shard is gone or, which removes it, damaged."""
        shard, start, rows, checksum = entry
        flat = self._mapped(shard)
        if flat is None:
            return None
        found = flat[start : start + rows]
        if key not in self._sound:
            if zlib.crc32(found.data) != checksum:
                _remove(self.path, shard)
                self._forget({shard})
                return None
            self._sound.add(key)
        return found

    def add(self, made: Mapping[str, Vectors]) -> None:
        """Keep the vectors of new texts; a full disk or a folder that cannot be written costs speed, not the run."""
        if not made:
            return
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            about = self.path / "about.txt"
            if not about.exists():
                about.write_text(f"{self.setting}\n", encoding="utf-8")
            self._write([(text_key(text), rows) for text, rows in made.items()])
            self._merge()
            if self.limit:
                trim(self.root, self.limit)
        except OSError:
            return

    def _write(self, entries: Sequence[tuple[bytes, Vectors]]) -> None:
        name = f"{time.time_ns():x}-{os.getpid()}-{secrets.token_hex(4)}"
        flat = [np.ascontiguousarray(rows, dtype="<f4") for _, rows in entries]
        counts = np.array([len(rows) for rows in flat], dtype=np.int64)
        index = np.zeros(len(entries), dtype=_INDEX)
        index["key"] = [key for key, _ in entries]
        index["crc"] = [zlib.crc32(rows.data) for rows in flat]
        index["rows"] = counts
        index["start"] = np.cumsum(counts) - counts
        vectors, listed = self.path / f"{name}.vec.tmp", self.path / f"{name}.idx.tmp"
        try:
            with vectors.open("wb") as file:
                for rows in flat:
                    file.write(rows.data)
                file.flush()
                os.fsync(file.fileno())
            with listed.open("wb") as file:
                file.write(index.tobytes() + zlib.crc32(index.tobytes()).to_bytes(_SEAL, "little"))
                file.flush()
                os.fsync(file.fileno())
            os.replace(vectors, self.path / f"{name}.vec")
            os.replace(listed, self.path / f"{name}.idx")
        finally:
            for left in (vectors, listed):
                left.unlink(missing_ok=True)

    def _refresh(self) -> None:
        """Take in shards that this or another process has written, and forget those that are gone."""
        try:
            there = {path.stem for path in self.path.glob("*.idx")}
        except OSError:
            there = set()
        self._forget(self._seen - there)
        for shard in sorted(there - self._seen):
            index = self._read_index(shard)
            if index is None:
                continue  # damaged
            self._seen.add(shard)
            for key, start, rows, checksum in index.tolist():
                self._index.setdefault(key, (shard, start, rows, checksum))

    def _forget(self, gone: set[str]) -> None:
        """Shards that are no longer there."""
        if not gone:
            return
        kept = {key: entry for key, entry in self._index.items() if entry[0] not in gone}
        self._sound &= kept.keys()
        self._index = kept
        for shard in gone:
            self._maps.pop(shard, None)
        self._seen -= gone

    def _read_index(self, shard: str) -> Any:
        index = _index(self.path / f"{shard}.idx")
        if index is None:
            return None
        # vectors that are gone or short must not hide those another shard may have
        held = int((index["start"] + index["rows"]).max(initial=0)) * self.dim * 4
        return index if _size(self.path / f"{shard}.vec") >= held else None

    def _mapped(self, shard: str) -> NDArray[np.float32] | None:
        if shard not in self._maps:
            try:
                flat = np.memmap(self.path / f"{shard}.vec", dtype="<f4", mode="r")
            except (OSError, ValueError):
                return None
            self._maps[shard] = flat[: len(flat) // self.dim * self.dim].reshape(-1, self.dim)
        return self._maps[shard]

    def _merge(self) -> None:
        """Many small shards become one; whoever reads an old one meanwhile keeps its mapping, or encodes again."""
        shards = [path for path in self.path.glob("*.vec") if path.stat().st_size < _SMALL]
        if len(shards) < _MANY:
            return
        names = {path.stem for path in shards}
        self._refresh()
        entries: list[tuple[bytes, Vectors]] = []
        for key, entry in list(self._index.items()):
            rows = self._read(key, entry) if entry[0] in names else None
            if rows is not None:
                entries.append((key, np.array(rows)))
        if entries:
            self._write(entries)
        for name in names:
            _remove(self.path, name)


class Memory:
    """The vectors used last, where nothing is kept on disk: systems of one set share their references."""

    def __init__(self, limit: int = _MEMORY) -> None:
        self._kept: OrderedDict[str, Vectors] = OrderedDict()
        self._bytes, self._limit = 0, limit

    def find(self, texts: Sequence[str]) -> dict[str, Vectors]:
        """The rows of the texts that are known."""
        found = {text: self._kept[text] for text in texts if text in self._kept}
        for text in found:
            self._kept.move_to_end(text)
        return found

    def add(self, made: Mapping[str, Vectors]) -> None:
        """Keep new ones, and let the oldest go."""
        for text, rows in made.items():
            if text not in self._kept:
                self._kept[text] = np.array(rows)
                self._bytes += rows.nbytes
        while self._bytes > self._limit and self._kept:
            _, rows = self._kept.popitem(last=False)
            self._bytes -= rows.nbytes


@dataclass(frozen=True)
class Shelf:
    """What the cache holds of one setting."""

    setting: str
    folder: str
    shards: int
    texts: int
    size: int


def shelves(root: Path | None = None) -> list[Shelf]:
    """What the cache holds, largest first."""
    found = []
    for path in _folders(folder() if root is None else root):
        indices = list(path.glob("*.idx"))
        texts = sum(0 if index is None else len(index) for index in map(_index, indices))
        about = path / "about.txt"
        setting = about.read_text(encoding="utf-8", errors="replace").strip() if about.exists() else ""
        found.append(Shelf(setting, str(path), len(indices), texts, sum(_size(file) for file in path.iterdir())))
    return sorted(found, key=lambda shelf: -shelf.size)


def clear(root: Path | None = None) -> int:
    """Remove every shard; the bytes that were freed."""
    freed = 0
    for path in _folders(folder() if root is None else root):
        for file in list(path.iterdir()):
            freed += _size(file)
            file.unlink(missing_ok=True)
        with suppress(OSError):
            path.rmdir()
    return freed


def trim(root: Path, limit: int) -> None:
    """Let the shards go that were unused longest, until the cache is within its limit."""
    now = time.time()
    shards: list[tuple[float, int, Path]] = []
    for path in _folders(root):
        left = [file for file in path.glob("*.vec") if not file.with_suffix(".idx").exists()]
        for file in (*path.glob("*.tmp"), *left):
            with suppress(OSError):
                if now - file.stat().st_mtime > _STALE:
                    file.unlink(missing_ok=True)
        for index in path.glob("*.idx"):
            with suppress(OSError):
                shards.append((index.stat().st_mtime, _size(index) + _size(index.with_suffix(".vec")), index))
    total = sum(size for _, size, _ in shards)
    for _, size, index in sorted(shards):
        if total <= limit:
            break
        _remove(index.parent, index.stem)
        total -= size


def _remove(path: Path, shard: str) -> None:
    """The index first: a shard without one does not count."""
    for suffix in (".idx", ".vec"):
        with suppress(OSError):
            (path / f"{shard}{suffix}").unlink(missing_ok=True)


def _folders(root: Path) -> Iterable[Path]:
    try:
        return [path for path in sorted(root.iterdir()) if path.is_dir()]
    except OSError:
        return []


def _index(path: Path) -> Any:
    """The records of an index; None where it is gone or damaged."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    records, seal = content[:-_SEAL], content[-_SEAL:]
    if len(seal) < _SEAL or len(records) % _INDEX.itemsize or zlib.crc32(records).to_bytes(_SEAL, "little") != seal:
        return None
    return np.frombuffer(records, dtype=_INDEX)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
