"""What kernels take and give, whichever backend runs them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

Texts = Sequence[str]
References = Sequence[Sequence[str]]
WordLists = Sequence[Sequence[str]]
Buffer = Any  # a one-dimensional array of numbers: numpy's, or array.array


class Tokens(Protocol):
    """A tokenised batch; opaque to callers but for its length."""

    def __len__(self) -> int: ...


class NgramCounts(Protocol):
    """How often each n-gram occurs in all references (for NIST); filled batch by batch."""

    def add(self, tokens: Tokens) -> None: ...


class Synonyms(Protocol):
    """A dictionary of synonyms: lexicons.wordnet's, or its compiled twin."""

    def synonyms(self, word: str) -> frozenset[str]: ...


class MeteorLexicon(Protocol):
    """What METEOR's aligner knows of each word w of a numbering."""

    stems: Buffer  # int32: equal for words of one stem
    function: Buffer  # uint8: 1 for a function word
    sizes: Buffer  # int32: what w counts: 1, or its letters
    synset_start: Buffer  # int64: the synsets of w lie in [synset_start[w], synset_start[w + 1])
    synsets: Buffer  # int32, in order within a word
    table_words: Buffer  # int32: the number of w in the paraphrase table, or -1
    table: Any  # a lexicons.phrases.PhraseTable, or None


class DocumentFrequencies(Protocol):
    """In how many documents (all references of a segment) each n-gram occurs (for CIDEr).

    Filled batch by batch with `add` and then finished, or from counts with `put`: the first reference of each segment
    is then one n-gram.
    """

    @property
    def documents(self) -> int: ...

    def add(self, tokens: Tokens) -> None: ...

    def finish(self) -> None: ...

    def put(self, tokens: Tokens, counts: Sequence[int], documents: int) -> None: ...
