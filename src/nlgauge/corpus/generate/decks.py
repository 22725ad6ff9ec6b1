"""Draws whose shares come out as asked for: cards are dealt in rounds, and what a round leaves over is carried on."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
AHEAD = 1024  # cards that are shuffled at a time
LEAST = 16  # cards of a round, where shares differ


class Deck(Generic[T]):
    """Options by shares. After any number of whole rounds, each has been dealt within one of its share.

    >>> deck = Deck(["a", "b"], [0.75, 0.25], np.random.default_rng(1))
    >>> [deck.draw() for _ in range(16)].count("b")
    4
    """

    __slots__ = ("_carried", "_even", "_rng", "_shares", "cards", "options", "round")

    def __init__(self, options: Sequence[T], shares: Sequence[float], rng: np.random.Generator) -> None:
        self.options, self._rng = list(options), rng
        self._shares = np.array(shares, dtype=np.float64)
        self._carried = np.zeros(len(self.options))
        self._even, self.round = _alike(shares), round_of(shares)
        self.cards: list[T] = []

    def draw(self) -> T:
        """The next card."""
        if not self.cards:
            self._fill()
        return self.cards.pop()

    def draw_but(self, but: Container[T]) -> T:
        """The next card that is none of some others; those come next. With one option there is no choice."""
        card = self.draw()
        skipped = []
        while card in but and len(self.options) > 1:
            skipped.append(card)
            card = self.draw()
        self.cards += skipped
        return card

    def _fill(self) -> None:
        size = len(self.options)
        if size == 1:
            self.cards = self.options * AHEAD
            return
        rounds = max(1, AHEAD // self.round)
        if self._even:
            dealt = self._rng.permuted(np.tile(np.arange(size), (rounds, 1)), axis=1).reshape(-1)
        else:
            dealt = np.concatenate([self._dealt() for _ in range(rounds)])
        options = self.options
        self.cards = [options[place] for place in dealt.tolist()]

    def _dealt(self) -> NDArray[np.int64]:
        """A round by shares and what was carried, in whole numbers."""
        due = self._shares * self.round + self._carried
        counts = np.maximum(np.floor(due), 0).astype(np.int64)
        lacking = self.round - int(counts.sum())
        order = np.argsort(counts - due, kind="stable")  # those that are due most first
        if lacking > 0:
            counts[order[:lacking]] += 1
        elif lacking < 0:
            counts[order[counts[order] > 0][lacking:]] -= 1
        self._carried = due - counts
        found: NDArray[np.int64] = self._rng.permutation(np.repeat(np.arange(len(counts)), counts))
        return found


def round_of(shares: Sequence[float]) -> int:
    """Cards of a round: as many as options where all are alike, else a multiple of them and no fewer than LEAST."""
    size = len(shares)
    return size if _alike(shares) else size * -(-LEAST // size)


def _alike(shares: Sequence[float]) -> bool:
    return max(shares) - min(shares) < 1e-12
