"""Parsing: Earley's algorithm with left corners over words, all parses packed in a chart, counted without being listed.

An item is a state of the trie of right-hand sides with the place where it began; its ways are the places where its
last symbol may have begun. A symbol that can be empty is passed over when an item waits for it, so that every span in
the chart holds a word. Left recursion needs nothing special; cycles are refused when the tables are made.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from nlgauge.corpus.grammar.compiling import Plain, Tables
from nlgauge.corpus.grammar.trees import Tree

Parts = tuple[Tree | str, ...]
Ways = tuple[int, list[tuple[float, Parts]]]  # how many, and the likeliest of them with their logarithms
Node = tuple[bool, int, int, int]  # whether a symbol (or an item), which, from, to


@dataclass(frozen=True, eq=False)
class Parse:
    """What the grammar makes of one text."""

    tables: Tables
    words: tuple[str, ...]
    items: list[dict[tuple[int, int], list[int]]] = field(repr=False)
    found: list[dict[tuple[int, int], list[int]]] = field(repr=False)  # symbols, with the states that end them
    reached: int  # words that begin some text of the grammar

    @cached_property
    def roots(self) -> list[int]:
        """The symbols that the whole text is."""
        if not self.words:
            return sorted(self.tables.starts & self.tables.nullable)
        if self.reached < len(self.words):
            return []
        return sorted(symbol for symbol in self.tables.starts if (symbol, 0) in self.found[-1])

    @property
    def grammatical(self) -> bool:
        """Whether there is a parse at all."""
        return bool(self.roots)

    @cached_property
    def count(self) -> int:
        """The number of parses."""
        return self._ways(1)[0]

    @cached_property
    def best(self) -> Tree | None:
        """The likeliest parse by the weights of the rules."""
        return next(iter(self.trees(1)), None)

    def trees(self, most: int) -> list[Tree]:
        """The likeliest parses, at most so many."""
        found = [parts[0] for _, parts in self._ways(most)[1]]
        return [tree for tree in found if isinstance(tree, Tree)]

    @cached_property
    def _kept(self) -> dict[int, Ways]:
        return {}

    def _ways(self, most: int) -> Ways:
        if most not in self._kept:
            self._kept[most] = self._sum(most)
        return self._kept[most]

    def _sum(self, most: int) -> Ways:
        empty = Empty(self.tables, most)
        if not self.words:
            return _either([empty.symbol(root) for root in self.roots], most)
        values: dict[Node, Ways] = {}
        for node in self._ordered():
            values[node] = self._symbol(node, values, most) if node[0] else self._item(node, values, empty)
        return _either([values[True, root, 0, len(self.words)] for root in self.roots], most)

    def _ordered(self) -> list[Node]:
        """The nodes that the whole text is made of, each after those it is made of."""
        order: list[Node] = []
        done: set[Node] = set()
        stack: list[tuple[Node, bool]] = [((True, root, 0, len(self.words)), False) for root in self.roots]
        while stack:
            node, ready = stack.pop()
            if ready:
                order.append(node)
            elif node not in done:
                done.add(node)
                stack.append((node, True))
                stack += [(part, False) for part in self._needed(node) if part not in done]
        return order

    def _needed(self, node: Node) -> list[Node]:
        is_symbol, which, start, end = node
        tables = self.tables
        if is_symbol:
            return [(False, state, start, end) for state in self.found[end].get((which, start), ())]
        needed: list[Node] = []
        parent, last = tables.parent[which], tables.last[which]
        for middle in self.items[end][which, start]:
            if middle > start:
                needed.append((False, parent, start, middle))
            if middle < end and tables.categories[last]:
                needed.append((True, last, middle, end))
        return needed

    def _symbol(self, node: Node, values: dict[Node, Ways], most: int) -> Ways:
        _, _, start, end = node
        return _either(
            [
                finished(values[False, state, start, end], plain)
                for state in self.found[end].get((node[1], start), ())
                for plain in self.tables.finals[state]
            ],
            most,
        )

    def _item(self, node: Node, values: dict[Node, Ways], empty: Empty) -> Ways:
        _, state, start, end = node
        parent, last = self.tables.parent[state], self.tables.last[state]
        ways = []
        for middle in self.items[end][state, start]:
            before = values[False, parent, start, middle] if middle > start else empty.state(parent)
            if middle == end:
                after = empty.symbol(last)
            elif self.tables.categories[last]:
                after = values[True, last, middle, end]
            else:
                after = (1, [(0.0, (self.words[middle],))])
            ways.append(_both(before, after, empty.most))
        return _either(ways, empty.most)


class Empty:
    """The parses of no words at all."""

    def __init__(self, tables: Tables, most: int) -> None:
        self.tables, self.most = tables, most
        self._symbols: dict[int, Ways] = {}

    def symbol(self, symbol: int) -> Ways:
        """The empty trees of a symbol."""
        if symbol not in self._symbols:
            fitting = [plain for plain in self.tables.of[symbol] if self.tables.nullable.issuperset(plain.right)]
            self._symbols[symbol] = _either([finished(self._all(plain.right), plain) for plain in fitting], self.most)
        return self._symbols[symbol]

    def state(self, state: int) -> Ways:
        """Those of the symbols that lead to a state."""
        path: list[int] = []
        while (symbol := self.tables.last[state]) >= 0:
            path.append(symbol)
            state = self.tables.parent[state]
        return self._all(path[::-1])

    def _all(self, symbols: Sequence[int]) -> Ways:
        ways: Ways = (1, [(0.0, ())])
        for symbol in symbols:
            ways = _both(ways, self.symbol(symbol), self.most)
        return ways


def finished(ways: Ways, plain: Plain) -> Ways:
    """The trees of a rule whose parts have been found; parts of a rule without a name belong to what is above it."""
    count, best = ways
    rule, log = plain.rule, plain.log
    if rule.hidden:
        return count, [(chance + log, parts) for chance, parts in best]
    return count, [(chance + log, (Tree(rule.category, rule.label, parts, rule.lexical),)) for chance, parts in best]


def _either(several: Sequence[Ways], most: int) -> Ways:
    if len(several) == 1:
        return several[0]
    best = [way for _, ways in several for way in ways]
    return sum(count for count, _ in several), heapq.nsmallest(most, best, key=_less_likely)


def _both(before: Ways, after: Ways, most: int) -> Ways:
    if most == 1 and before[1] and after[1]:
        (chance, parts), (other, more) = before[1][0], after[1][0]
        return before[0] * after[0], [(chance + other, parts + more)]
    best = [(chance + other, parts + more) for chance, parts in before[1] for other, more in after[1]]
    return before[0] * after[0], heapq.nsmallest(most, best, key=_less_likely)


def _less_likely(way: tuple[float, Parts]) -> float:
    return -way[0]


def parse(tables: Tables, words: Sequence[str]) -> Parse:
    """All parses of some words, packed."""
    following, finals, skips = tables.next, tables.finals, tables.skips
    owner, corners, masks = tables.owner, tables.corners, tables.left_corners
    allowed = [0]
    for symbol in tables.starts:
        allowed[0] |= masks[symbol]
    waiting: list[dict[int, list[tuple[int, int]]]] = [{}]
    items: list[dict[tuple[int, int], list[int]]] = [{}]
    found: list[dict[tuple[int, int], list[int]]] = [{}]
    for end, word in enumerate(words, start=1):
        here: dict[tuple[int, int], list[int]] = {}
        ended: dict[tuple[int, int], list[int]] = {}
        waits: dict[int, list[tuple[int, int]]] = {}
        mask = 0
        agenda = [(symbol, end - 1) for symbol in tables.terminals(word)]
        while agenda:
            symbol, start = agenda.pop()
            new = [(following[state][symbol], origin, start) for state, origin in waiting[start].get(symbol, ())]
            may_begin = allowed[start]
            new += [(state, start, start) for left, state, _ in corners.get(symbol, ()) if may_begin & left]
            while new:
                state, origin, middle = new.pop()
                ways = here.get((state, origin))
                if ways is not None:
                    ways.append(middle)
                    continue
                here[state, origin] = [middle]
                if finals[state]:
                    whole = (owner[state], origin)
                    if whole in ended:
                        ended[whole].append(state)
                    else:
                        ended[whole] = [state]
                        agenda.append(whole)
                for wanted in following[state]:
                    waits.setdefault(wanted, []).append((state, origin))
                    mask |= masks[wanted]
                for after in skips[state]:
                    new.append((after, origin, end))
        if not here:
            return Parse(tables, tuple(words), items, found, end - 1)
        items.append(here)
        found.append(ended)
        waiting.append(waits)
        allowed.append(mask)
    return Parse(tables, tuple(words), items, found, len(words))
