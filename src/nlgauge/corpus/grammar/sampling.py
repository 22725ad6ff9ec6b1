"""Texts drawn from a grammar by the weights of its rules.

The chance of a tree is the product of its rules' chances, given that its features agree and that it is no deeper than
the bound. How likely each symbol is to end within so many levels is known beforehand, so that nothing drawn is thrown
away and every draw ends.
"""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Iterator
from itertools import accumulate

from nlgauge.corpus.grammar.compiling import Plain, Tables
from nlgauge.corpus.grammar.rules import Pattern
from nlgauge.corpus.grammar.trees import Tree
from nlgauge.errors import InputError

LONGEST = 100_000  # words of a text
DEPTH = 40  # levels of a tree; each repetition of a part with * or + is one


class Sampler:
    """Draws trees no deeper than `depth`."""

    def __init__(self, tables: Tables, depth: int = DEPTH) -> None:
        self.tables, self.depth = tables, depth
        self._examples: dict[int, Pattern] = {symbol: pattern for pattern, symbol in tables.patterns.items()}
        self._choices: dict[tuple[int, int], tuple[list[Plain], list[float]]] = {}
        ends = [1.0 if not category else 0.0 for category in tables.categories]
        self._ends = [ends]
        for _ in range(depth):
            before = self._ends[-1]
            level = [1.0 if not category else 0.0 for category in tables.categories]
            for plain in tables.rules:
                level[plain.left] += _chance(plain, before)
            self._ends.append(level)
        self._starts = [symbol for symbol in sorted(tables.starts) if self._ends[-1][symbol] > 0]
        if not self._starts:
            raise InputError(
                f"no text of {tables.grammar.name} has a tree of {depth} levels or fewer; allow more depth"
            )

    def draw(self, generator: random.Random) -> Tree:
        """One tree."""
        total = list(accumulate(self._ends[-1][symbol] for symbol in self._starts))
        start = self._starts[_drawn(total, generator)]
        made: list[Tree | str] = []
        words = 0
        # what is still to be made, from the right; a rule stands below its parts and gathers them when they are made
        stack: list[tuple[int, int] | tuple[Plain, int, None]] = [(start, self.depth)]
        while stack:
            entry = stack.pop()
            if len(entry) == 3:
                plain, begun, _ = entry
                if not plain.rule.hidden:
                    parts = tuple(made[begun:])
                    made[begun:] = [Tree(plain.rule.category, plain.rule.label, parts, plain.rule.lexical)]
                continue
            symbol, level = entry
            if not self.tables.categories[symbol]:
                words += 1
                if words > LONGEST:
                    raise InputError(
                        f"a text of {self.tables.grammar.name} grew to more than {LONGEST:,} words; allow less depth, "
                        "or give rules that call themselves less weight"
                    )
                made.append(self._word(symbol, generator))
                continue
            plain = self._choose(symbol, level, generator)
            stack.append((plain, len(made), None))
            stack += [(part, level - 1) for part in reversed(plain.right)]
        tree = made[0]
        assert isinstance(tree, Tree)  # the start is a category with a name
        return tree

    def _word(self, symbol: int, generator: random.Random) -> str:
        pattern = self._examples.get(symbol)
        return generator.choice(pattern.examples) if pattern else self.tables.written[symbol]

    def _choose(self, symbol: int, level: int, generator: random.Random) -> Plain:
        if (symbol, level) not in self._choices:
            found, ends = self.tables.of[symbol], self._ends[level - 1]
            self._choices[symbol, level] = found, list(accumulate(_chance(plain, ends) for plain in found))
        rules, shares = self._choices[symbol, level]
        return rules[_drawn(shares, generator)]


def sample(tables: Tables, number: int, *, seed: int, depth: int = DEPTH) -> Iterator[Tree]:
    """Trees drawn one by one."""
    sampler, generator = Sampler(tables, depth), random.Random(seed)
    for _ in range(number):
        yield sampler.draw(generator)


def _chance(plain: Plain, ends: list[float]) -> float:
    chance = plain.chance
    for symbol in plain.right:
        chance *= ends[symbol]
    return chance


def _drawn(shares: list[float], generator: random.Random) -> int:
    """A place, by shares that have been added up."""
    return min(bisect(shares, generator.random() * shares[-1]), len(shares) - 1)
