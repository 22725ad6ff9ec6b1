"""Tokenised batches as lists of strings."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlgauge.kernels import interface
from nlgauge.text.stemmers import stemmer
from nlgauge.text.tokenizers import tokenizer


@dataclass(frozen=True)
class Tokens:
    """The tokens of n hypotheses and of each one's references; `*_sentences` only when split by line."""

    hypotheses: list[list[str]]
    references: list[list[list[str]]]
    hypothesis_sentences: list[list[list[str]]] | None = None
    reference_sentences: list[list[list[list[str]]]] | None = None

    def __len__(self) -> int:
        return len(self.hypotheses)


def plain(tokens: interface.Tokens) -> Tokens:
    """The batch, if these kernels made it."""
    if not isinstance(tokens, Tokens):
        raise TypeError("the batch was tokenised by another backend")
    return tokens


def splitter(tok: str, lower: bool, stem: str) -> Callable[[str], list[str]]:
    """Lower-casing (where asked for), tokeniser and stemmer as one function."""
    split, stemmed = tokenizer(tok), stemmer(stem)

    def apply(text: str) -> list[str]:
        words = split(text.lower() if lower else text)
        return words if stem == "none" else [stemmed(word) for word in words]

    return apply


def tokenize(text: str, tok: str, lower: bool, stem: str) -> list[str]:
    """The tokens of one text."""
    return splitter(tok, lower, stem)(text)


def number_words(texts: Sequence[str], tok: str, lower: bool) -> tuple[list[str], NDArray[np.int32], NDArray[np.int64]]:
    """The distinct words of all texts in order of first appearance, the number of each word of each text, and
    where each text starts (and the last ends)."""
    split = _once(splitter(tok, lower, "none"))
    numbers: dict[str, int] = {}
    words, starts = array("i"), array("q", [0])
    for text in texts:
        words.extend(numbers.setdefault(word, len(numbers)) for word in split(text))
        starts.append(len(words))
    return list(numbers), np.array(words, dtype=np.int32), np.array(starts, dtype=np.int64)


def tokens(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    tok: str,
    lower: bool,
    stem: str,
    sentences: bool,
    jobs: int,
) -> Tokens:
    """Tokenise a batch. `sentences`: remember where the lines of each text start (ROUGE-Lsum).

    Each text is then cut at line feeds, empty lines are dropped and each line is tokenised by itself.
    The compiled kernels name what they know in `TOKENIZERS` and `STEMMERS`; `Batch` splits in Python for
    the rest.
    """
    split = _once(splitter(tok, lower, stem))
    if not sentences:
        return Tokens([split(text) for text in hypotheses], [[split(text) for text in refs] for refs in references])

    def lines(text: str) -> list[list[str]]:
        return [split(line) for line in text.split("\n") if line]

    hypothesis_lines = [lines(text) for text in hypotheses]
    reference_lines = [[lines(text) for text in refs] for refs in references]
    return Tokens(
        [_joined(text) for text in hypothesis_lines],
        [[_joined(text) for text in refs] for refs in reference_lines],
        hypothesis_lines,
        reference_lines,
    )


def _once(split: Callable[[str], list[str]]) -> Callable[[str], list[str]]:
    """Each distinct text is split once: references stand in a batch as often as outputs are compared with them."""
    known: dict[str, list[str]] = {}

    def apply(text: str) -> list[str]:
        words = known.get(text)
        if words is None:
            words = known[text] = split(text)
        return words

    return apply


def _joined(lines: list[list[str]]) -> list[str]:
    return [word for line in lines for word in line]


def tokens_from_lists(
    hypotheses: Sequence[Sequence[str]],
    references: Sequence[Sequence[Sequence[str]]],
    hypothesis_lines: Sequence[Sequence[int]] | None = None,
    reference_lines: Sequence[Sequence[Sequence[int]]] | None = None,
) -> Tokens:
    """A batch that some other tokeniser has split already.

    `*_lines`, both or none, are given for `sentences`: the number of tokens in each line of each text.
    """
    words = [list(text) for text in hypotheses]
    reference_words = [[list(text) for text in refs] for refs in references]
    if hypothesis_lines is None or reference_lines is None:
        return Tokens(words, reference_words)
    return Tokens(
        words,
        reference_words,
        [_cut(text, counts) for text, counts in zip(words, hypothesis_lines, strict=True)],
        [
            [_cut(text, counts) for text, counts in zip(refs, lines, strict=True)]
            for refs, lines in zip(reference_words, reference_lines, strict=True)
        ],
    )


def _cut(words: list[str], counts: Sequence[int]) -> list[list[str]]:
    lines, start = [], 0
    for count in counts:
        lines.append(words[start : start + count])
        start += count
    return lines
