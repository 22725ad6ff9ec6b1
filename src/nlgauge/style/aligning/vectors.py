"""Tf-idf vectors of two collections, as scikit-learn's TfidfVectorizer defines them by default: raw counts, smooth
idf over both collections together, Euclidean length 1."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from itertools import islice, pairwise
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
