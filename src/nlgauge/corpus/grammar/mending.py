"""The least edits that make a text grammatical: words inserted, deleted or replaced, each at the cost of one.

The chart of `parsing`, with the cost of each item: at a place in the text items are settled in the order of their cost
(Knuth's generalisation of Dijkstra's algorithm), so that each is settled once, at its least. A symbol may be inserted,
at the cost of the fewest words it can have; a word may be replaced by any word of its place; words before one that
fits may be deleted. Of edits that are as many, those that replace words by similar ones are taken. Costs above a bound
are dropped, and the bound is doubled until a text is found.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from nlgauge.corpus.grammar.compiling import Tables
from nlgauge.corpus.grammar.parsing import parse
from nlgauge.corpus.grammar.rules import joined
from nlgauge.corpus.grammar.trees import Tree
from nlgauge.jsonable import Jsonable

LONGEST = 80  # words of a text that is mended
_FITS, _REPLACED = -1, -2
_ODD = 0.65  # of an inserted or deleted word; a replaced one has 1 less its likeness (a and an: 0.6)
# how odd the edits are; whether it is a symbol; the symbol, or the state of an item; where it began; and how: the state
# that ended the symbol, or where the last symbol of the item began
_Entry = tuple[float, bool, int, int, int]


@dataclass(frozen=True)
class Edit:
    """One step through a text: a word that stays, or is inserted, deleted or replaced."""

    kind: Literal["keep", "insert", "delete", "replace"]
    word: str  # of the text; empty where one is inserted
    by: str  # of the mended text; empty where one is deleted

    def __str__(self) -> str:
        if self.kind == "replace":
            return f"replace {self.word} by {self.by}"
        return f"{self.kind} {self.word or self.by}"


@dataclass(frozen=True)
class Mended(Jsonable):
    """The nearest grammatical text, its likeliest tree, and how to get there."""

    KEYS = "text, edits"

    steps: tuple[Edit, ...]
    tree: Tree

    @property
    def edits(self) -> tuple[Edit, ...]:
        """What has to be changed."""
        return tuple(step for step in self.steps if step.kind != "keep")

    @property
    def text(self) -> str:
        """The mended text."""
        return joined(step.by for step in self.steps if step.by)


def credit(edits: int, words: int) -> float:
    """1 − edits / words of the output, and never below 0.

    One edit more, whatever it does to the number of words, never gives more credit: (e + 1) / (n + 1) ≥ e / n while
    e ≤ n. A text without words has 1 where the grammar allows it and 0 otherwise.
    """
    return max(0.0, 1 - edits / words) if words else float(not edits)


def mend(tables: Tables, words: Sequence[str]) -> Mended | None:
    """The least edits to a grammatical text; None where it, or the shortest text of the grammar, is very long."""
    if max(len(words), min(tables.least[symbol] for symbol in tables.starts)) > LONGEST:
        return None
    bound, step = sum(not tables.terminals(word) for word in words), 1
    while (found := _Chart(tables, words, bound).steps()) is None:
        bound, step = bound + step, 2 * step
    tree = parse(tables, [edit.by for edit in found if edit.by]).best
    assert tree is not None  # the steps are a derivation
    return Mended(tuple(found), tree)


class _Chart:
    """All items up to a cost."""

    def __init__(self, tables: Tables, words: Sequence[str], bound: int) -> None:
        self.tables, self.words, self.bound = tables, words, bound
        strange = [not tables.terminals(word) for word in words]
        self.before = [sum(strange[:place]) for place in range(len(words) + 1)]  # words that no rule knows
        self.allowed = [0]
        for symbol in tables.starts:
            self.allowed[0] |= tables.below[symbol]
        self.waiting: list[dict[int, list[tuple[int, int, int, float]]]] = [{}]
        self.items: list[dict[tuple[int, int], int]] = [{}]  # state and origin: where its last symbol began
        # symbol and origin: cost, how odd, and how
        self.symbols: list[dict[tuple[int, int], tuple[int, float, int]]] = [{}]
        for end in range(1, len(words) + 1):
            self._fill(end)

    def _fill(self, end: int) -> None:
        tables, bound, word = self.tables, self.bound, self.words[end - 1]
        following, least, corners = tables.next, tables.least, tables.insertion_corners
        room = [bound - self.before[origin] - self.before[-1] + self.before[end] for origin in range(end + 1)]
        queue: list[list[_Entry]] = [[] for _ in range(bound + 1)]  # by the number of edits
        for symbol in tables.terminals(word):
            for deleted in range(min(bound, end - 1) + 1):
                queue[deleted].append((deleted * _ODD, True, symbol, end - 1 - deleted, _FITS))
        if bound:
            for symbol, (alike, _) in tables.replacements(word).items():
                queue[1].append((1 - alike, True, symbol, end - 1, _REPLACED))
        items: dict[tuple[int, int], int] = {}
        symbols: dict[tuple[int, int], tuple[int, float, int]] = {}
        waits: dict[int, list[tuple[int, int, int, float]]] = {}
        mask = 0
        for cost, heap in enumerate(queue):
            heapq.heapify(heap)
            while heap:
                odd, is_symbol, which, origin, how = heapq.heappop(heap)
                if cost > room[origin] or (which, origin) in (symbols if is_symbol else items):
                    continue
                new: list[tuple[int, _Entry]] = []
                if is_symbol:
                    symbols[which, origin] = cost, odd, how
                    for state, start, price, odder in self.waiting[origin].get(which, ()):
                        new.append((price, (odd + odder, False, following[state][which], start, origin)))
                    for left, state, price in corners.get(which, ()):
                        if cost + price > bound:
                            break
                        if self.allowed[origin] & left:
                            new.append((price, (odd + price * _ODD, False, state, origin, origin)))
                else:
                    items[which, origin] = how
                    if tables.finals[which]:
                        new.append((0, (odd, True, tables.owner[which], origin, which)))
                    for wanted, after in following[which].items():
                        waits.setdefault(wanted, []).append((which, origin, cost, odd))
                        mask |= tables.below[wanted]
                        price = least[wanted]
                        new.append((price, (odd + price * _ODD, False, after, origin, end)))
                for price, entry in new:
                    if not price:
                        heapq.heappush(heap, entry)
                    elif cost + price <= bound:
                        queue[cost + price].append(entry)
        self.items.append(items)
        self.symbols.append(symbols)
        self.waiting.append(waits)
        self.allowed.append(mask)

    def steps(self) -> list[Edit] | None:
        """The steps of a derivation with the fewest edits, or nothing where these are more than the bound."""
        length, tables = len(self.words), self.tables
        ends = [(length + tables.least[symbol], 0.0, 0, symbol) for symbol in tables.starts]
        for end in range(1, length + 1):
            for symbol in tables.starts:
                if found := self.symbols[end].get((symbol, 0)):
                    after = length - end
                    ends.append((found[0] + after, found[1] + after * _ODD, -end, symbol))
        edits, _, end, symbol = min(ends)
        if edits > self.bound:
            return None
        if not end:
            return [*map(_deleted, self.words), *self._inserted(symbol)]
        return [*self._symbol(symbol, 0, -end), *map(_deleted, self.words[-end:])]

    def _symbol(self, symbol: int, origin: int, end: int) -> list[Edit]:
        found: list[list[Edit]] = []  # from the right
        stack = [(symbol, origin, end)]
        while stack:
            symbol, origin, end = stack.pop()
            if origin == end:
                found.append(self._inserted(symbol))
                continue
            how = self.symbols[end][symbol, origin][2]
            word = self.words[end - 1]
            if how == _FITS:
                found.append([*map(_deleted, self.words[origin : end - 1]), Edit("keep", word, word)])
            elif how == _REPLACED:
                found.append([Edit("replace", word, self.tables.replacements(word)[symbol][1])])
            else:
                state, parts = how, list[tuple[int, int, int]]()
                while self.tables.parent[state] >= 0:
                    middle = origin if origin == end else self.items[end][state, origin]
                    parts.append((self.tables.last[state], middle, end))
                    state, end = self.tables.parent[state], middle
                stack += reversed(parts)  # the last part is taken first
        return [edit for edits in reversed(found) for edit in edits]

    def _inserted(self, symbol: int) -> list[Edit]:
        return [Edit("insert", "", self.tables.written[word]) for word in self.tables.shortest(symbol)]


def _deleted(word: str) -> Edit:
    return Edit("delete", word, "")
