"""Paraphrase tables, indexed once into files that are mapped into memory.

A table has three lines an entry: probability, phrase, phrase (the format of METEOR's `paraphrase-en.gz`). The index is
a trie over words: node w < V is the phrase of the single word w, the children of a node lie side by side ordered by
word, and each node lists the second phrases of the entries in which it stands first, in the order of the table.
"""

from __future__ import annotations

import gzip
import hashlib
import math
import os
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.errors import InputError

fcntl: Any
try:
    import fcntl
except ImportError:  # pragma: no cover - not on this system
    fcntl = None

_ARRAYS = ("child_start", "child_word", "child_node", "pair_start", "pair_node")
_FORMAT = "2"  # of the index; raised whenever its arrays change


@dataclass(frozen=True, eq=False)
class PhraseTable:
    """The arrays of an index and the numbers of its words."""

    words: dict[str, int]
    child_start: Any
    child_word: Any
    child_node: Any
    pair_start: Any
    pair_node: Any

    @property
    def arrays(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in _ARRAYS)

    def phrases(self, text: list[int]) -> Iterator[tuple[int, int, int]]:
        """(start, length, node) of every beginning of a phrase in a text of the table's word numbers (-1: none)."""
        for start, word in enumerate(text):
            node, length = word, 1
            while node >= 0:
                yield start, length, node
                if start + length == len(text):
                    break
                node = self.child(node, text[start + length])
                length += 1

    def child(self, node: int, word: int) -> int:
        """The node one word further, or -1."""
        low, high = int(self.child_start[node]), int(self.child_start[node + 1])
        place = low + int(np.searchsorted(self.child_word[low:high], word))
        return int(self.child_node[place]) if place < high and self.child_word[place] == word else -1

    def pairs(self, node: int) -> Any:
        """The phrases that stand second where this one stands first."""
        return self.pair_node[self.pair_start[node] : self.pair_start[node + 1]]


def read_table(path: Path) -> Iterator[tuple[str, str]]:
    """The pairs of a table, gzipped or plain."""
    try:
        yield from _entries(path)
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text; expected a paraphrase table") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{path} is damaged ({error}); get the paraphrase table again") from None


def _entries(path: Path) -> Iterator[tuple[str, str]]:
    with (
        gzip.open(path, "rt", encoding="utf-8")
        if path.suffix == ".gz"
        else path.open(encoding="utf-8") as file
    ):
        number = 0
        while True:
            probability = file.readline()
            if not probability.strip():
                return
            first, second = file.readline().rstrip("\n"), file.readline().rstrip("\n")
            number += 3
            if not _is_probability(probability):
                raise InputError(
                    f"{path}, line {number - 2}: expected a probability, then two lines with a phrase each; "
                    f"found {probability.strip()[:40]!r}"
                )
            if not first.strip() or not second.strip():
                raise InputError(f"{path}, line {number}: an entry of a paraphrase table lacks a phrase")
            yield first, second


def _is_probability(text: str) -> bool:
    """A number that is not negative: those of METEOR's tables sum up to a little more than 1."""
    try:
        return 0 <= float(text) < math.inf
    except ValueError:
        return False


def build(path: Path) -> PhraseTable:
    """Index a table in memory."""
    words: dict[str, int] = {}
    left: list[tuple[int, ...]] = []
    right: list[tuple[int, ...]] = []
    for first, second in read_table(path):
        left.append(tuple(words.setdefault(word, len(words)) for word in first.split()))
        right.append(tuple(words.setdefault(word, len(words)) for word in second.split()))
    size = max(len(words), 1)
    nodes: dict[int, int] = {}  # parent · V + word -> node

    def node_of(phrase: tuple[int, ...]) -> int:
        node = phrase[0]
        for word in phrase[1:]:
            node = nodes.setdefault(node * size + word, size + len(nodes))
        return node

    pairs = np.array([(node_of(a), node_of(b)) for a, b in zip(left, right, strict=True)], dtype=np.int64)
    pairs = pairs.reshape(-1, 2)
    total = size + len(nodes)
    keys = np.fromiter(nodes.keys(), dtype=np.int64, count=len(nodes))
    order = np.argsort(keys, kind="stable")
    owners, partners = pairs[:, 0], pairs[:, 1]
    by_owner = np.argsort(owners, kind="stable")
    return PhraseTable(
        words,
        _offsets(keys // size, total),
        (keys[order] % size).astype(np.int32),
        (size + order).astype(np.int32),
        _offsets(owners, total),
        partners[by_owner].astype(np.int32),
    )


def _offsets(owners: Any, total: int) -> Any:
    return np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=total))]).astype(np.int64)


def cache_folder() -> Path:
    """Where indices are kept: NLGAUGE_CACHE, or `nlgauge` in the user's cache folder."""
    if os.environ.get("NLGAUGE_CACHE"):
        return Path(os.environ["NLGAUGE_CACHE"])
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "nlgauge"


@cache
def phrase_table(path: Path) -> PhraseTable:
    """The index of a table; made on first use (a minute for METEOR's English table) and mapped from then on."""
    stat = path.stat()
    name = f"{path.resolve()}|{stat.st_size}|{stat.st_mtime_ns}|{_FORMAT}"
    folder = cache_folder() / "phrases" / hashlib.sha256(name.encode()).hexdigest()[:24]
    if not folder.is_dir():
        with _alone(folder.with_suffix(".lock")):
            if not folder.is_dir():  # another process may have made it meanwhile
                _store(build(path), folder)
    words = (folder / "words.txt").read_text(encoding="utf-8").split("\n")
    arrays = {name: np.load(folder / f"{name}.npy", mmap_mode="r") for name in _ARRAYS}
    return PhraseTable({word: number for number, word in enumerate(words)}, **arrays)


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """One process at a time: the others would only do the same work. Where there are no locks, they do."""
    with ExitStack() as held:
        with suppress(OSError):
            lock.parent.mkdir(parents=True, exist_ok=True)
            file = held.enter_context(lock.open("w"))
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX)
        yield
    with suppress(OSError):
        lock.unlink()


def _store(table: PhraseTable, folder: Path) -> None:
    """Write under another name, then rename: an index is there whole or not at all."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(dir=folder.parent))
    except OSError as error:
        raise InputError(
            f"the index of a paraphrase table cannot be kept in {folder.parent} ({error.strerror}); set NLGAUGE_CACHE "
            "to a folder that can be written"
        ) from None
    (work / "words.txt").write_text("\n".join(table.words), encoding="utf-8")
    for name, values in zip(_ARRAYS, table.arrays, strict=True):
        np.save(work / f"{name}.npy", values)
    try:
        work.rename(folder)
    except OSError:  # another process was faster
        shutil.rmtree(work)
