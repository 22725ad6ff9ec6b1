"""Paraphrase tables, indexed once into files that are mapped into memory.

A table has three lines an entry: probability, phrase, phrase (the format of METEOR's `paraphrase-en.gz`). The index is
a trie over words: node w < V is the phrase of the single word w, the children of a node lie side by side ordered by
word, and each node lists the second phrases of the entries in which it stands first, in the order of the table.
"""

from __future__ import annotations

import gzip
import hashlib
import math
import re
import shutil
import tempfile
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from itertools import chain, count
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.errors import InputError
from nlgauge.lexicons.digests import State, cache_folder, file_state

fcntl: Any
try:
    import fcntl
except ImportError:  # pragma: no cover - not on this system
    fcntl = None

_ARRAYS = ("child_start", "child_word", "child_node", "pair_start", "pair_node")
_FORMAT = "2"  # of the index; raised whenever its arrays change
_BLOCK = 1 << 24  # characters of a table that are read at a time
_FAR = 1 << 31  # more than any table has words


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
    for phrases in _read(path):
        yield from zip(phrases[0::2], phrases[1::2], strict=True)


def _read(path: Path) -> Iterator[list[str]]:
    """The phrases of a table, many entries at a time: first, second, first, second …"""
    try:
        yield from _blocks(path)
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text; expected a paraphrase table") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{path} is damaged ({error}); get the paraphrase table again") from None


def _blocks(path: Path) -> Iterator[list[str]]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        number, rest = 0, ""
        while block := file.read(_BLOCK):
            lines = (rest + block).split("\n")
            whole = (len(lines) - 1) // 3 * 3  # the last line may go on in the next block
            rest = "\n".join(lines[whole:])
            del lines[whole:]
            entries = _checked(lines, path, number)
            yield entries
            if len(entries) * 3 < whole * 2:  # an empty line ends a table
                return
            number += whole
        lines = rest.removesuffix("\n").split("\n")
        yield _checked(lines + [""] * (-len(lines) % 3), path, number)


def _checked(lines: list[str], path: Path, before: int) -> list[str]:
    """The phrases of some lines, three an entry, after checking them; `before` is how many lines came before."""
    probabilities = lines[0::3]
    try:
        fine = all(0 <= value < math.inf for value in map(float, probabilities))
    except ValueError:
        fine = False
    del lines[0::3]
    if fine and all(map(str.strip, lines)):
        return lines
    for place, probability in enumerate(probabilities):
        if not probability.strip():
            return lines[: 2 * place]
        if not _is_probability(probability):
            raise InputError(
                f"{path}, line {before + 3 * place + 1}: expected a probability, then two lines with a phrase each; "
                f"found {probability.strip()[:40]!r}"
            )
        if not all(map(str.strip, lines[2 * place : 2 * place + 2])):
            raise InputError(f"{path}, line {before + 3 * place + 3}: an entry of a paraphrase table lacks a phrase")
    return lines


def _is_probability(text: str) -> bool:
    """A number that is not negative: those of METEOR's tables sum up to a little more than 1."""
    try:
        return 0 <= float(text) < math.inf
    except ValueError:
        return False


def build(path: Path) -> PhraseTable:
    """Index a table in memory. A phrase is taken apart once, however many entries it stands in."""
    numbers: defaultdict[str, int] = defaultdict(count().__next__)  # of phrases, as they first occur
    entries = np.fromiter(map(numbers.__getitem__, chain.from_iterable(_read(path))), dtype=np.int64)
    words, lengths, spelt = _spelt(list(numbers))
    size = max(len(words), 1)
    parents, last, of_phrase = _nodes(lengths, spelt, size)
    total = size + len(parents)
    order = np.lexsort((last, parents))
    owners, partners = of_phrase[entries].reshape(-1, 2).T
    by_owner = np.argsort(owners, kind="stable")
    return PhraseTable(
        words,
        _offsets(parents, total),
        last[order].astype(np.int32),
        (size + order).astype(np.int32),
        _offsets(owners, total),
        partners[by_owner].astype(np.int32),
    )


def _spelt(phrases: list[str]) -> tuple[dict[str, int], Any, Any]:
    """The words in the order in which they first occur, how many each phrase has, and the words of all in a row."""
    words: defaultdict[str, int] = defaultdict(count().__next__)
    lengths = np.fromiter(map(len, map(str.split, phrases)), dtype=np.int64, count=len(phrases))
    flat = np.fromiter(map(words.__getitem__, chain.from_iterable(map(str.split, phrases))), dtype=np.int64)
    return dict(words), lengths, flat


def _nodes(lengths: Any, spelt: Any, size: int) -> tuple[Any, Any, Any]:
    """Parent and last word of every node of several words, in the order in which phrases need them, and each phrase's.

    A word is added to all phrases at a time: those with the same node and the same next word share the new one.
    """
    starts = np.cumsum(lengths) - lengths
    node = spelt[starts]  # of each phrase, as far as it was read
    levels, made = [], 0
    for depth in range(1, int(lengths.max(initial=1))):
        longer = np.flatnonzero(lengths > depth)
        keys, first, new = np.unique(
            node[longer] * _FAR + spelt[starts[longer] + depth], return_index=True, return_inverse=True
        )
        node[longer] = size + made + new
        levels.append((keys, longer[first], np.full(len(keys), depth)))
        made += len(keys)
    if not levels:
        return *(np.empty((2, 0), dtype=np.int64)), node
    keys, first, depths = (np.concatenate(column) for column in zip(*levels, strict=True))
    order = np.lexsort((depths, first))
    number = np.arange(size + made)  # of a node, by the number it had until now
    number[size + order] = size + np.arange(made)
    return number[keys[order] // _FAR], keys[order] % _FAR, number[node]


def _offsets(owners: Any, total: int) -> Any:
    return np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=total))]).astype(np.int64)


def phrase_table(path: Path) -> PhraseTable:
    """The index of a table; made on first use (a quarter of a minute for METEOR's English one), mapped from then on."""
    return _indexed(path.resolve(), file_state(path))


@cache
def _indexed(path: Path, state: State) -> PhraseTable:
    name = f"{path}|{state}|{_FORMAT}"
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


# Syntactic paraphrases (Guo and Hu 2019): pairs of patterns with gaps.
#
# `not only [1] but also [2]` and `both [1] and [2]` are such a pair. The file has one pair a line, the patterns
# separated by a tab; a gap is `[1]`, `[2]` … or, as PPDB writes it, `[NP,1]`, whose label is ignored. Both patterns of
# a pair have the same gaps, each once, in any order. Lines that start with # and empty ones are skipped.


Pattern = tuple[str | int, ...]  # words, and the numbers of gaps
_GAP = re.compile(r"\[(?:[^\[\],]*,)?(\d+)\]")
MOST_GAPS = 4


@dataclass(frozen=True)
class Occurrence:
    """Where a pattern was found: the places of its words, in order, and of each gap the words [from, to) it holds."""

    words: tuple[int, ...]
    gaps: dict[int, tuple[int, int]]


def occurrences(pattern: Pattern, text: Sequence[str], longest: int) -> Iterator[Occurrence]:
    """Every way to find a pattern, from left to right; a gap holds 1 to `longest` words, few first."""

    def rest(item: int, place: int, words: tuple[int, ...], gaps: dict[int, tuple[int, int]]) -> Iterator[Occurrence]:
        if item == len(pattern):
            yield Occurrence(words, gaps)
            return
        wanted = pattern[item]
        if isinstance(wanted, str):
            if place < len(text) and text[place] == wanted:
                yield from rest(item + 1, place + 1, (*words, place), gaps)
            return
        for end in range(place + 1, min(place + longest, len(text)) + 1):
            yield from rest(item + 1, end, words, {**gaps, wanted: (place, end)})

    for start in range(len(text)):
        yield from rest(0, start, (), {})


def pieces(pattern: Pattern) -> list[list[int]]:
    """The runs of words before, between and after the gaps, as numbers of the pattern's words."""
    runs: list[list[int]] = [[]]
    words = 0
    for item in pattern:
        if isinstance(item, int):
            runs.append([])
        else:
            runs[-1].append(words)
            words += 1
    return runs


def gaps_of(pattern: Pattern) -> list[int]:
    """The gaps in their order."""
    return [item for item in pattern if isinstance(item, int)]


def words_of(pattern: Pattern) -> list[str]:
    """The words in their order."""
    return [item for item in pattern if isinstance(item, str)]


def _pattern(text: str) -> Pattern:
    found = [(_GAP.fullmatch(item), item) for item in text.split()]
    return tuple(int(gap.group(1)) if gap else item.lower() for gap, item in found)


class Patterns:
    """The pairs of a file, in their order, found by the first word of either pattern."""

    def __init__(self, pairs: Sequence[tuple[Pattern, Pattern]]) -> None:
        self.pairs = list(pairs)
        self._by_word: dict[str, list[tuple[int, Pattern, Pattern]]] = {}
        for number, (first, second) in enumerate(self.pairs):
            for one, other in ((first, second), (second, first)):
                self._by_word.setdefault(words_of(one)[0], []).append((number, one, other))

    def between(self, text: Sequence[str], other: Sequence[str]) -> list[tuple[Pattern, Pattern]]:
        """The pairs whose words all occur: of the first pattern in one text, of the second in the other."""
        here, there = set(text), set(other)
        found = [
            entry
            for word in dict.fromkeys(text)
            for entry in self._by_word.get(word, ())
            if here.issuperset(words_of(entry[1])) and there.issuperset(words_of(entry[2]))
        ]
        return [(one, two) for _, one, two in sorted(found, key=lambda entry: entry[0])]


def read_patterns(path: Path) -> Patterns:
    """The pairs of a file, or a refusal that names the line."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}; expected pairs of patterns") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text; expected pairs of patterns") from None
    pairs = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        sides = [_pattern(part) for part in line.split("\t")]
        wrong = _what_is_wrong(sides)
        if wrong:
            raise InputError(
                f"{path}, line {number}: {wrong}; expected two patterns separated by a tab, such as "
                "'not only [1] but also [2]' and 'both [1] and [2]'"
            )
        pairs.append((sides[0], sides[1]))
    return Patterns(pairs)


def _what_is_wrong(sides: list[Pattern]) -> str:
    if len(sides) != 2:
        return f"{len(sides)} columns"
    if not all(map(words_of, sides)):
        return "a pattern has no word"
    first, second = map(gaps_of, sides)
    if sorted(first) != sorted(set(second)) or len(set(first)) < len(first) or len(set(second)) < len(second):
        return "the patterns do not have the same gaps, each once"
    return f"more than {MOST_GAPS} gaps" if len(first) > MOST_GAPS else ""


@cache
def stored_patterns(path: Path, state: State) -> Patterns:
    """A file's pairs, read once for each state of the file."""
    return read_patterns(path)
