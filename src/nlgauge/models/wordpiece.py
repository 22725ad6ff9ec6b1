"""BERT's uncased tokeniser (Devlin et al. 2019) without any library: words, then the longest pieces of a vocabulary.

The units are those of `tokenizers` and of transformers' BertTokenizerFast, for every script. One thing differs on
purpose: "[SEP]" in a text is five signs and letters, never a delimiter, or a text could end where it wants to.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TypeVar

import numpy as np

from nlgauge.arrays import Ints
from nlgauge.errors import InputError
from nlgauge.text.categories import ranges, tables

# Classes of characters as Unicode 8.0 has them, which is what the library `tokenizers` goes by.
#
# Python's own tables grow with every release; with these a text has the same units under each, and those that the
# network was trained on. A character added to Unicode since 2015 is none of these: it is read as a letter.


_FILE = "unicode8.json"
"""`controls`: controls, formats, surrogates and private use (Cc but for tab and line ends, Cf, Cs, Co), and U+FFFD;
`marks`: those without a width of their own (Mn); `punctuation`: Pc, Pd, Ps, Pe, Pi, Pf, Po beyond ASCII."""


@cache
def controls() -> tuple[range, ...]:
    """What is left out of a text: ranges, as private use alone has 137,000 characters."""
    return tuple(_ranges("controls"))


@cache
def marks() -> frozenset[int]:
    """Accents, once they stand alone."""
    return frozenset(code for some in _ranges("marks") for code in some)


@cache
def punctuation() -> frozenset[int]:
    """What is a word of its own; of ASCII all signs, "$" and "`" included."""
    signs = (range(33, 48), range(58, 65), range(91, 97), range(123, 127), *_ranges("punctuation"))
    return frozenset(code for some in signs for code in some)


def _ranges(name: str) -> Iterator[range]:
    for first, last in ranges(tables("nlgauge.models", _FILE)[name]):
        yield range(first, last + 1)


LONGEST_WORD = 100  # characters; a longer word is unknown
_KEPT = 65_536  # words, with the punctuation about them, whose units are remembered
CONTEXT = "context"  # of the first of two texts that are too long, the beginning is cut
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
Made = TypeVar("Made")
# Chinese characters, which are words of their own. The library begins the block of 2B820 a hundred (hex) late.
_CHINESE = (
    range(0x4E00, 0xA000),
    range(0x3400, 0x4DC0),
    range(0x20000, 0x2A6E0),
    range(0x2A700, 0x2B740),
    range(0x2B740, 0x2B820),
    range(0x2B920, 0x2CEB0),
    range(0xF900, 0xFB00),
    range(0x2F800, 0x2FA20),
)


class _Clean(dict[int, str]):
    """Of a character as it is written: nothing for controls, a space for white space, a word for a Chinese one."""

    def __missing__(self, code: int) -> str:
        sign = chr(code)
        if any(code in some for some in controls()):
            made = ""
        elif sign.isspace():
            made = " "
        else:
            made = f" {sign} " if any(code in some for some in _CHINESE) else sign
        self[code] = made
        return made


class _Fold(dict[int, str]):
    """Of a character whose accents stand apart: nothing for an accent, a word for punctuation, else lower case.

    One by one, so that a sigma at the end of a word is like any other, as it is to the library.
    """

    def __missing__(self, code: int) -> str:
        sign = chr(code)
        made = "" if code in marks() else f" {sign} " if code in punctuation() else sign.lower()
        self[code] = made
        return made


_clean, _fold = _Clean(), _Fold()


def words(text: str) -> list[str]:
    """The words of a text: cleaned, lower case, without accents; each sign of punctuation alone."""
    cleaned = text.translate(_clean)
    if not cleaned.isascii():
        cleaned = unicodedata.normalize("NFD", cleaned)
    return cleaned.translate(_fold).split()


def read_pieces(path: Path) -> list[str]:
    """The pieces of vocab.txt, one on each line."""
    try:
        with path.open(encoding="utf-8", newline="\n") as lines:  # some pieces are line ends to Python
            return [line.removesuffix("\n").removesuffix("\r") for line in lines]
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read as a vocabulary, one piece on each line ({error})") from None


def numbered(vocabulary: Sequence[str]) -> dict[str, int]:
    """The number of each piece."""
    numbers = {piece: number for number, piece in enumerate(vocabulary)}
    lacking = [name for name in _SPECIAL if name not in numbers]
    if lacking:
        raise InputError(f"a WordPiece vocabulary has {', '.join(_SPECIAL)}; this one lacks {', '.join(lacking)}")
    return numbers


class _Kept(dict[str, Made]):
    """The units of what was met between two spaces."""

    def __init__(self, made: Callable[[str], Made]) -> None:
        super().__init__()
        self._units = made

    def __missing__(self, token: str) -> Made:
        if len(self) >= _KEPT:
            self.clear()
        found = self[token] = self._units(token)
        return found


class WordPiece:
    """A vocabulary, and the units it makes of texts."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._numbers = numbered(vocabulary)
        self.pad, self.unknown, self.first, self.separator = (self._numbers[name] for name in _SPECIAL)
        self._longest = max(len(piece.removeprefix("##")) for piece in vocabulary)
        self._kept = _Kept(self._made)
        self._packed = _Kept(lambda token: np.array(self._made(token), dtype=np.int64).tobytes())

    @classmethod
    def read(cls, path: Path) -> WordPiece:
        """From vocab.txt: one piece on each line."""
        return cls(read_pieces(path))

    def units(self, text: str) -> list[int]:
        """The units of a text, without delimiters."""
        return list(chain.from_iterable(map(self._kept.__getitem__, text.split(" "))))

    def row(self, texts: Iterable[str]) -> tuple[Ints, Ints]:
        """The units of all texts one after the other, and how many each has: for many texts the quickest way."""
        found = [b"".join(map(self._packed.__getitem__, text.split(" "))) for text in texts]
        units = np.frombuffer(bytearray().join(found), dtype=np.int64)  # PyTorch wants what may be written
        return units, np.array([len(packed) for packed in found], dtype=np.int64) // units.itemsize

    def single(self, text: str, longest: int) -> tuple[list[int], bool]:
        """The units of a text between its delimiters, at most `longest`; and whether it was cut."""
        units = self.units(text)
        room = longest - 2
        return [self.first, *units[:room], self.separator], len(units) > room

    def pair(self, one: str, other: str, longest: int, *, cut: str = "longest_first") -> tuple[list[int], int, bool]:
        """The units of two texts between delimiters; how many belong to the first; and whether any was cut.

        Too long a pair loses the end of its longer text ("longest_first"), or of its first ("only_first") as long as
        something of that is left; or the beginning of its first ("context"), so far.
        """
        first, second = self.units(one), self.units(other)
        room = longest - 3
        fits = len(first) + len(second) <= room
        if not fits:
            keep, rest = shares(len(first), len(second), room, cut=cut)
            first, second = first[-keep:] if cut == CONTEXT else first[:keep], second[:rest]
        made = [self.first, *first, self.separator, *second, self.separator]
        return made, len(first) + 2, not fits

    def _made(self, token: str) -> tuple[int, ...]:
        """The units of what stands between two spaces."""
        return tuple(chain.from_iterable(map(self._pieces, words(token))))

    def _pieces(self, word: str) -> tuple[int, ...]:
        """The longest piece from the left, again and again; one that cannot be made up of pieces is unknown."""
        if len(word) > LONGEST_WORD:
            return (self.unknown,)
        found: list[int] = []
        start = 0
        while start < len(word):
            for stop in range(min(len(word), start + self._longest), start, -1):
                number = self._numbers.get(("##" if start else "") + word[start:stop])
                if number is not None:
                    found.append(number)
                    start = stop
                    break
            else:
                return (self.unknown,)
        return tuple(found)


def shares(one: int, other: int, room: int, *, cut: str = "longest_first") -> tuple[int, int]:
    """How much of two texts is kept: the longer one is cut until they are equally long, or the first until one unit is
    left of it."""
    if cut != "longest_first" and room - other >= 1:
        return room - other, other
    short = min(one, other)
    short = min(short, room // 2)
    kept = (short, room - short)
    return (kept[1], kept[0]) if one > other else kept
