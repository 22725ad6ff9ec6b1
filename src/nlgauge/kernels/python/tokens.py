"""Tokenised batches as lists of strings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Tokens:
    """The tokens of n hypotheses and of each one's references; `*_sentences` only when split by line."""

    hypotheses: list[list[str]]
    references: list[list[list[str]]]
    hypothesis_sentences: list[list[list[str]]] | None = None
    reference_sentences: list[list[list[list[str]]]] | None = None

    def __len__(self) -> int:
        return len(self.hypotheses)


def tokens_from_lists(
    hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[Sequence[str]]]
) -> Tokens:
    """A batch that some other tokeniser has split already."""
    return Tokens([list(words) for words in hypotheses], [[list(words) for words in refs] for refs in references])
