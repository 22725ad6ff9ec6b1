"""A classifier by logistic regression over hashed n-grams, which needs NumPy and SciPy only."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from nlgauge.arrays import Array, Ints
from nlgauge.errors import InputError
from nlgauge.learned.classifier import Classifier
from nlgauge.learned.form import Arrays

# Texts as counts of hashed n-grams of words and of characters, in NumPy, for any script.
#
# A word is a run of letters, marks and digits; where a script writes no spaces (Chinese, Japanese, Thai …) each
# character is one. Character n-grams run over the whole text, across its words, with a mark at either end. An n-gram
# is known by the bucket that its hash falls into, so that no vocabulary is kept, and rarely two share one.


Hashes = NDArray[np.uint64]
CHUNK = 2_048  # texts that are hashed at once
_BEGIN, _END = "\x02", "\x03"
_SPACE, _LETTER, _WORD, _SIGN = range(4)  # _WORD: a character that is a word by itself
_UNSPACED = (
    *((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3040, 0x30FF), (0x3400, 0x4DBF)),
    *((0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF)),
)
_BASE = np.uint64(0x9E3779B97F4A7C15)  # odd, so that it has an inverse modulo 2^64
_INVERSE = np.uint64(pow(int(_BASE), -1, 1 << 64))
_MIX, _MIX2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@dataclass(frozen=True)
class Hashing:
    """Which n-grams are counted, and in how many buckets."""

    words: tuple[int, ...] = (1, 2)
    chars: tuple[int, ...] = (2, 3, 4)
    bits: int = 18  # buckets are 2 to this
    longest: int = 4_000  # characters of a text that are read
    exact: bool = True  # capitals and punctuation count

    @property
    def buckets(self) -> int:
        """How many."""
        return 1 << self.bits

    def plain(self, text: str) -> str:
        """A text as it is read."""
        form = "NFC" if self.exact else "NFKC"
        made = " ".join(text[: self.longest].split())
        return made if made.isascii() else unicodedata.normalize(form, made)  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class Grams:
    """The n-grams of one order in some texts, text after text."""

    texts: Ints  # the number of the text that each stands in
    buckets: Ints
    digits: NDArray[np.bool_] | None = None  # of single words: whether it has a digit
    capital: NDArray[np.bool_] | None = None  # of single words: whether it begins with a capital


class _Characters:
    """What is known of characters, asked once of each."""

    def __init__(self) -> None:
        self.kinds = np.full(0x110000, 255, dtype=np.uint8)
        self.lower = np.arange(0x110000, dtype=np.uint32)
        self.digit = np.zeros(0x110000, dtype=bool)

    def learn(self, codes: NDArray[np.uint32]) -> None:
        """Look up those not seen before."""
        for code in np.unique(codes[self.kinds[codes] == 255]).tolist():
            sign = chr(code)
            category = unicodedata.category(sign)
            self.digit[code] = category[0] == "N"
            if category[0] == "L" and any(low <= code <= high for low, high in _UNSPACED):
                self.kinds[code] = _WORD
            elif category[0] in "LMN":
                self.kinds[code] = _LETTER
            else:
                self.kinds[code] = _SPACE if category[0] in "ZC" else _SIGN
            lower = sign.lower()
            self.lower[code] = ord(lower) if len(lower) == 1 else code


_CHARACTERS = _Characters()


def grams(texts: Sequence[str], how: Hashing) -> list[Grams]:
    """The n-grams of texts by order: those of words first, then those of characters."""
    marked = [f"{_BEGIN}{how.plain(text)}{_END}" for text in texts]
    codes = np.frombuffer("".join(marked).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    owner = np.repeat(np.arange(len(marked)), [len(text) for text in marked])
    _CHARACTERS.learn(codes)
    kinds, folded = _CHARACTERS.kinds[codes], _CHARACTERS.lower[codes]
    sums, scales = _sums(codes if how.exact else folded)
    found = list(
        _words(
            how,
            owner=owner,
            kinds=kinds,
            sums=sums,
            scales=scales,
            capitals=codes != folded,
            digits=_CHARACTERS.digit[codes],
        )
    )
    for n in how.chars:
        starts = np.arange(max(0, len(codes) - n + 1))
        starts = starts[owner[: len(starts)] == owner[n - 1 :]]
        hashes = _between(sums, scales, starts, starts + n)
        found.append(Grams(owner[starts], _bucket(hashes, 64 + n, how)))
    return found


def _words(
    how: Hashing,
    owner: Ints,
    kinds: NDArray[np.uint8],
    sums: Hashes,
    scales: Hashes,
    capitals: NDArray[np.bool_],
    digits: NDArray[np.bool_],
) -> Iterator[Grams]:
    letter = kinds == _LETTER
    alone = (kinds == _WORD) | ((kinds == _SIGN) if how.exact else False)
    before, after = np.zeros_like(letter), np.zeros_like(letter)
    before[1:], after[:-1] = letter[:-1], letter[1:]
    starts = np.flatnonzero(alone | (letter & ~before))
    ends = np.flatnonzero(alone | (letter & ~after)) + 1
    own, hashes = owner[starts], _between(sums, scales, starts, ends)
    numbered = np.concatenate([[0], np.cumsum(digits)])
    for n in how.words:
        if n == 1:
            some = numbered[ends] > numbered[starts]
            yield Grams(own, _bucket(hashes, 1, how), some, capitals[starts])
            continue
        many = max(0, len(starts) - n + 1)
        joined = np.zeros(many, dtype=np.uint64)
        for place in range(n):
            joined = joined * _MIX + hashes[place : place + many]
        same = own[:many] == own[n - 1 :]
        yield Grams(own[:many][same], _bucket(joined[same], n, how))


def _sums(codes: NDArray[np.uint32]) -> tuple[Hashes, Hashes]:
    """Sums of code · base^place up to each place, modulo 2^64, and base^−place."""
    size = len(codes)
    powers = np.multiply.accumulate(np.full(max(1, size), _BASE, dtype=np.uint64))[:size]
    values = (codes.astype(np.uint64) + np.uint64(1)) * _MIX
    values ^= values >> np.uint64(31)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(values * powers, dtype=np.uint64)])
    return sums, np.multiply.accumulate(np.full(size + 1, _INVERSE, dtype=np.uint64))


def _between(sums: Hashes, scales: Hashes, starts: Ints, ends: Ints) -> Hashes:
    """Of what stands between two places, wherever it stands."""
    made: Hashes = (sums[ends] - sums[starts]) * scales[starts]
    return made


def _bucket(hashes: Hashes, order: int, how: Hashing) -> Ints:
    mixed = (hashes + np.uint64(order * int(_BASE) % 2**64)) * _MIX
    mixed ^= mixed >> np.uint64(29)
    mixed *= _MIX2
    return (mixed >> np.uint64(64 - how.bits)).astype(np.int64)


def matrix(texts: Sequence[str], how: Hashing) -> Any:
    """(n, buckets): 1 + ln of how often each n-gram occurs; of a text the words, and the characters, have length 1."""
    parts = []
    for start in range(0, len(texts), CHUNK):
        some = texts[start : start + CHUNK]
        found = grams(some, how)
        cut = len(how.words)
        parts.append(sum(_counts(group, len(some), how) for group in (found[:cut], found[cut:]) if group))
    if not parts:
        return csr_matrix((0, how.buckets))
    return _stacked(parts)


def _counts(group: Sequence[Grams], size: int, how: Hashing) -> Any:
    rows = np.concatenate([part.texts for part in group])
    columns = np.concatenate([part.buckets for part in group])
    made = csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(size, how.buckets))
    made.data = 1.0 + np.log(made.data)
    return of_length_one(made)


def of_length_one(rows: Any) -> Any:
    """Sparse rows divided by their lengths; empty ones as they are."""
    squares = np.add.reduceat(np.append(rows.data**2, 0.0), rows.indptr[:-1]) if rows.shape[0] else rows.data
    sizes = np.diff(rows.indptr)
    lengths = np.sqrt(np.where(sizes > 0, squares, 1.0))
    rows.data = rows.data / np.repeat(lengths, sizes)
    return rows


def _stacked(parts: Sequence[Any]) -> Any:
    from scipy.sparse import vstack

    return vstack(parts, format="csr") if len(parts) > 1 else parts[0].tocsr()


# Pairs ----------------------------------------------------------------------------------------------------------------

PAIRS = 128  # that are compared at once
_BLOCKS = 3  # words of both texts, of the second alone, of the first alone


def rarity(texts: Sequence[str], how: Hashing) -> Array:
    """(buckets,): 1 + ln((n + 1) / (c + 1)) of n texts, c how often an n-gram occurs in them, n at most.

    Occurrences are counted, not texts, which in long texts makes frequent words a little more frequent.
    """
    counts = np.zeros(how.buckets)
    for start in range(0, len(texts), CHUNK):
        for part in grams(texts[start : start + CHUNK], how):
            counts += np.bincount(part.buckets, minlength=how.buckets)
    return 1.0 + np.log((len(texts) + 1) / (np.minimum(counts, len(texts)) + 1))


def measured(how: Hashing) -> int:
    """How many numbers stand before the words in the features of a pair."""
    return 2 * (len(how.words) + len(how.chars)) + 7


def pair_matrix(ones: Sequence[str], others: Sequence[str], how: Hashing, rare: Array) -> Any:
    """(n, measured + 3 · buckets): how far two texts overlap, and which words they share or have alone.

    Of the n-grams of each order the share of either text that the other has, weighed by rarity; the same of numbers and
    of capitalised words; the rarest word of the second that the first lacks; the ratio of lengths.
    """
    parts = []
    for start in range(0, len(ones), PAIRS):
        parts.append(_pairs(ones[start : start + PAIRS], others[start : start + PAIRS], how=how, rare=rare))
    width = measured(how) + _BLOCKS * how.buckets
    return _stacked(parts) if parts else csr_matrix((0, width))


def _pairs(ones: Sequence[str], others: Sequence[str], *, how: Hashing, rare: Array) -> Any:
    size = len(ones)
    table = np.zeros(size << how.bits, dtype=bool)
    numbers: list[Array] = []
    words: list[tuple[Grams, NDArray[np.bool_], Grams, NDArray[np.bool_]]] = []
    for first, second in zip(grams(ones, how), grams(others, how), strict=True):
        second_known = _known(table, second, first, how.bits)
        first_known = _known(table, first, second, how.bits)
        numbers += [_share(second, second_known, rare, size), _share(first, first_known, rare, size)]
        if second.digits is not None and second.capital is not None and first.digits is not None:
            words.append((first, first_known, second, second_known))
            numbers += [
                _share(second, second_known, rare, size, second.digits),
                _share(first, first_known, rare, size, first.digits),
                _share(second, second_known, rare, size, second.capital),
                np.log1p(_sum(second, ~second_known & second.digits, size)),
                np.log1p(_sum(second, ~second_known & second.capital, size)),
            ]
            most = np.zeros(size)
            np.maximum.at(most, second.texts, rare[second.buckets] * ~second_known)
            numbers.append(most)
    numbers.append(np.log((1.0 + _lengths(others)) / (1.0 + _lengths(ones))))
    while len(numbers) < measured(how):  # without single words
        numbers.append(np.zeros(size))
    return _beside(np.column_stack(numbers), words, size=size, how=how, rare=rare)


def _beside(
    numbers: Array,
    words: Sequence[tuple[Grams, NDArray[np.bool_], Grams, NDArray[np.bool_]]],
    *,
    size: int,
    how: Hashing,
    rare: Array,
) -> Any:
    """The numbers, and after them the words in three blocks, each of length 1."""
    from scipy.sparse import hstack

    blocks = [csr_matrix(numbers)]
    for first, first_known, second, second_known in words:
        for part, some in ((second, second_known), (second, ~second_known), (first, ~first_known)):
            columns = part.buckets[some]
            made = csr_matrix((np.ones(len(columns)), (part.texts[some], columns)), shape=(size, how.buckets))
            made.data = rare[made.indices]
            blocks.append(of_length_one(made))
    if not words:
        blocks.append(csr_matrix((size, _BLOCKS * how.buckets)))
    return hstack(blocks, format="csr")


def _known(table: NDArray[np.bool_], asked: Grams, known: Grams, bits: int) -> NDArray[np.bool_]:
    """Whether the other text has each n-gram."""
    there = (known.texts << bits) | known.buckets
    table[there] = True
    found: NDArray[np.bool_] = table[(asked.texts << bits) | asked.buckets]
    table[there] = False
    return found


def _share(
    part: Grams, known: NDArray[np.bool_], rare: Array, size: int, some: NDArray[np.bool_] | None = None
) -> Array:
    """Of the rarity of a text's n-grams the share that is known; 1 where it has none."""
    weights = rare[part.buckets] if some is None else rare[part.buckets] * some
    whole = np.bincount(part.texts, weights, minlength=size)
    found = np.bincount(part.texts, weights * known, minlength=size)
    return np.where(whole > 0, found / np.where(whole > 0, whole, 1.0), 1.0)


def _sum(part: Grams, some: NDArray[np.bool_], size: int) -> Array:
    return np.bincount(part.texts[some], minlength=size).astype(np.float64)


def _lengths(texts: Sequence[str]) -> Array:
    return np.array([len(text) for text in texts], dtype=np.float64)


TEXTS = 4_096  # that are classified at once
_WEIGHTS, _BIAS, _RARITY = "weights", "bias", "rarity"
Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class LinearClassifier(Classifier):
    """Logistic regression; of two classes one row of weights speaks for the second."""

    labels: tuple[str, ...]
    reads: str
    hashing: Hashing
    weights: Floats  # (k, columns), or (1, columns) of two classes
    bias: Floats
    rarity: Floats | None = None  # of n-grams, for pairs

    def logits(self, texts: Sequence[str], others: Sequence[str] | None = None) -> Array:
        parts = []
        for start in range(0, len(texts), TEXTS):
            end = start + TEXTS
            rows = self.features(texts[start:end], None if others is None else others[start:end])
            parts.append(rows @ self._columns + self.bias.astype(np.float64))
        return two_sided(np.concatenate(parts)) if parts else np.zeros((0, len(self.labels)))

    def features(self, texts: Sequence[str], others: Sequence[str] | None = None) -> Any:
        """The features as sparse rows."""
        if others is None:
            return matrix(texts, self.hashing)
        return pair_matrix(texts, others, self.hashing, self._rare)

    @cached_property
    def _columns(self) -> Array:
        return np.ascontiguousarray(self.weights.T, dtype=np.float64)

    @cached_property
    def _rare(self) -> Array:
        assert self.rarity is not None
        return self.rarity.astype(np.float64)

    def settings(self) -> dict[str, Any]:
        how = self.hashing
        return {
            "body": "linear",
            "labels": list(self.labels),
            "reads": self.reads,
            "words": list(how.words),
            "chars": list(how.chars),
            "bits": how.bits,
            "longest": how.longest,
            "exact": how.exact,
        }

    def arrays(self) -> Arrays:
        rare = {} if self.rarity is None else {_RARITY: self.rarity}
        return {_WEIGHTS: self.weights, _BIAS: self.bias, **rare}

    @classmethod
    def of(cls, settings: Mapping[str, Any], arrays: Arrays, folder: Path) -> Self:
        how = Hashing(
            words=tuple(settings["words"]),
            chars=tuple(settings["chars"]),
            bits=settings["bits"],
            longest=settings["longest"],
            exact=settings["exact"],
        )
        labels, pairs = tuple(settings["labels"]), settings["reads"] == "pair"
        columns = measured(how) + 3 * how.buckets if pairs else how.buckets
        numbers = 1 if len(labels) == 2 else len(labels)
        shapes = [arrays[_WEIGHTS].shape, arrays[_BIAS].shape]
        if shapes != [(numbers, columns), (numbers,)] or (pairs and arrays[_RARITY].shape != (how.buckets,)):
            raise InputError(f"{folder} has weights for other features than it names; is it whole?")
        single = {name: np.asarray(values, dtype=np.float32) for name, values in arrays.items()}
        return cls(
            labels,
            settings["reads"],
            how,
            single[_WEIGHTS],
            single[_BIAS],
            single[_RARITY] if pairs else None,
        )


def two_sided(margins: Array) -> Array:
    """(n, k): one margin, which speaks for the second of two classes, as numbers of both."""
    return np.concatenate([-margins / 2, margins / 2], axis=1) if margins.shape[1] == 1 else margins
