"""Tf-idf vectors of two collections, as scikit-learn's TfidfVectorizer defines them by default: raw counts, smooth
idf over both collections together, Euclidean length 1.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from hashlib import blake2b
from itertools import combinations, islice, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from nlgauge.text import tokenizers
from nlgauge.text.categories import class_of, word_characters

TERMS = "terms"
BATCH = 2048
Split = Callable[[str], Sequence[str]]


def splitter(tok: str) -> Split:
    """The tokeniser of that name, on lower-cased text; `terms` is the one of this module."""
    return terms if tok == TERMS else partial(_lowered, tokenizers.tokenizer(tok))


def _lowered(split: Split, text: str) -> Sequence[str]:
    return split(text.lower())


_LATIN = re.compile("[a-z0-9]+")


@cache
def _runs() -> re.Pattern[str]:
    return re.compile(f"([{class_of('HAN')}]+)|([{word_characters()}]+)")


def terms(text: str) -> list[str]:
    """Lower-cased words of any script after Unicode composition, and of ideographs each two that are neighbours.

    Single ideographs are too common to tell one event from another.
    """
    if text.isascii():
        return _LATIN.findall(text.lower())
    found: list[str] = []
    for ideographs, word in _runs().findall(unicodedata.normalize("NFC", text).lower()):
        if word:
            found.append(word)
        elif len(ideographs) == 1:
            found.append(ideographs)
        else:
            found += map("".join, pairwise(ideographs))
    return found


def tfidf(texts_a: Iterable[str], texts_b: Iterable[str], split: Split) -> tuple[Any, Any]:
    """The vectors of both collections, as sparse matrices with a row for each text and a column for each term, in
    alphabetical order, so that sums are rounded alike in whatever order the texts come."""
    vocabulary: defaultdict[str, int] = defaultdict()
    vocabulary.default_factory = vocabulary.__len__
    a, b = (_counted(texts, split, vocabulary) for texts in (texts_a, texts_b))
    ranks = np.empty(len(vocabulary), dtype=np.int32)
    ranks[[vocabulary[term] for term in sorted(vocabulary)]] = np.arange(len(vocabulary))
    for counts in (a, b):
        counts.resize(counts.shape[0], len(vocabulary))
        counts.indices = ranks[counts.indices]
        counts.has_sorted_indices = False
        counts.sort_indices()
    frequency = a.getnnz(axis=0) + b.getnnz(axis=0)
    idf = np.log((1 + a.shape[0] + b.shape[0]) / (1 + frequency)) + 1
    return _weighted(a, idf), _weighted(b, idf)


def _counted(texts: Iterable[str], split: Split, vocabulary: defaultdict[str, int]) -> Any:
    """How often each text has each term."""
    source = iter(texts)
    blocks = []
    while batch := list(islice(source, BATCH)):
        tokens = [split(text) for text in batch]
        sizes = np.array([len(words) for words in tokens])
        columns = np.fromiter((vocabulary[word] for words in tokens for word in words), np.int64, count=sizes.sum())
        keys, counts = np.unique(
            np.repeat(np.arange(len(batch)), sizes) * len(vocabulary) + columns, return_counts=True
        )
        rows, terms_of = np.divmod(keys, max(len(vocabulary), 1))
        indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(batch)))])
        blocks.append((counts.astype(np.float64), terms_of.astype(np.int32), indptr))
    return _stacked(blocks, len(vocabulary))


def _stacked(blocks: list[tuple[Any, Any, Any]], width: int) -> Any:
    """The blocks under each other."""
    if not blocks:
        return sparse.csr_matrix((0, width))
    ends = np.cumsum([0, *(indptr[-1] for _, _, indptr in blocks)])
    indptr = np.concatenate([[0], *(part[1:] + end for (_, _, part), end in zip(blocks, ends, strict=False))])
    data = np.concatenate([counts for counts, _, _ in blocks])
    indices = np.concatenate([columns for _, columns, _ in blocks])
    return sparse.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, width))


def _weighted(counts: Any, idf: npt.NDArray[np.float64]) -> Any:
    counts.data *= idf[counts.indices]
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    counts.data /= np.sqrt(np.bincount(rows, counts.data**2, minlength=counts.shape[0]))[rows]
    return counts


# Texts that are nearly the same: pairs that share at least half of their runs of five terms.
#
# Exact, up to equal hashes of 64 bits: if two sets of runs have a Jaccard index of j or more, then each of the two has
# a common run among its rarest (1 − j)·n + 1, so only articles that share one of these are compared.


RUN = 5
LEAST = 0.5  # the Jaccard index from which on two texts count as the same
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
Hashes = npt.NDArray[np.uint64]


def near_duplicates(texts: Sequence[str], split: Split) -> list[tuple[int, int]]:
    """Places of texts whose runs of terms have a Jaccard index of at least a half; equal texts are among them."""
    known: dict[str, int] = {}
    runs = [_term_runs(split(text), known) for text in texts]
    everything = np.concatenate([*runs, np.zeros(0, np.uint64)])
    values, inverse, counts = np.unique(everything, return_inverse=True, return_counts=True)
    del values, everything
    ends = np.cumsum([0, *map(len, runs)])
    ranks = np.argsort(np.argsort(counts, kind="stable"), kind="stable")[inverse]
    keys, places = [], []
    for place, (first, last) in enumerate(pairwise(ends.tolist())):
        shared = np.sort(ranks[first:last])[: (last - first) - int(np.ceil(LEAST * (last - first))) + 1]
        keys.append(shared)
        places.append(np.full(len(shared), place))
    found = {
        pair
        for pair in _meeting(
            np.concatenate([*keys, np.zeros(0, np.int64)]), np.concatenate([*places, np.zeros(0, np.int64)])
        )
        if _jaccard(runs[pair[0]], runs[pair[1]]) >= LEAST
    }
    return sorted(found)


def _term_runs(terms: Sequence[str], known: dict[str, int]) -> Hashes:
    """The distinct runs of a text as hashes, the same in every process; a shorter text is one run."""
    for term in terms:
        if term not in known:
            digest = blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            known[term] = int.from_bytes(digest)
    hashed = np.array([known[term] for term in terms], dtype=np.uint64)
    if len(hashed) == 0:
        return hashed
    length = min(RUN, len(hashed))
    count = len(hashed) - length + 1
    total = np.full(count, np.uint64(length))
    for offset in range(length):
        total = (total ^ hashed[offset : offset + count]) * _FACTOR
        total ^= total >> np.uint64(29)
    return np.unique(total)


def _meeting(keys: npt.NDArray[np.int64], places: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Each two places that have a key in common."""
    order = np.lexsort((places, keys))
    keys, places = keys[order], places[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    sizes = np.diff(starts, append=len(keys))
    for first, size in zip(starts[sizes > 1].tolist(), sizes[sizes > 1].tolist(), strict=True):
        yield from combinations(places[first : first + size].tolist(), 2)


def _jaccard(a: Hashes, b: Hashes) -> float:
    common = len(np.intersect1d(a, b, assume_unique=True))
    return common / (len(a) + len(b) - common)
