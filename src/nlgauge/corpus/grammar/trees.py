"""Derivation trees and how a terminal draws them."""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from nlgauge.corpus.grammar.compiling import Plain, Tables
from nlgauge.corpus.grammar.rules import Pattern, joined
from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable


@dataclass(frozen=True, slots=True)
class Tree(Jsonable):
    """A category, the label of the rule that was used, and its parts: trees and words."""

    KEYS = "category, rule = label, parts"

    category: str
    label: str
    parts: tuple[Tree | str, ...]
    lexical: bool = False

    @property
    def rule(self) -> str:
        """The rule as reports call it."""
        return f"{self.category}.{self.label}"

    def walk(self) -> Iterator[Tree]:
        """This tree and all below it, from the left."""
        stack = [self]
        while stack:
            tree = stack.pop()
            yield tree
            stack += [part for part in reversed(tree.parts) if isinstance(part, Tree)]

    @property
    def words(self) -> list[str]:
        """Its words."""
        found, stack = list[str](), list[Tree | str]([self])
        while stack:
            part = stack.pop()
            if isinstance(part, str):
                found.append(part)
            else:
                stack += reversed(part.parts)
        return found

    @property
    def text(self) -> str:
        """Its words as a text."""
        return joined(self.words)

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules in it, words of lexicons by their category only: what two texts of one structure share."""
        return tuple(tree.category if tree.lexical else tree.rule for tree in self.walk())

    def drawn(self) -> list[str]:
        """Lines that draw the tree: a category and its rule, or the words where these are all it has."""
        lines: list[str] = []
        stack: list[tuple[Tree | str, str, str]] = [(self, "", "")]
        while stack:
            part, lead, below = stack.pop()
            if isinstance(part, str):
                lines.append(f"{lead}{part}")
                continue
            flat = [word for word in part.parts if isinstance(word, str)]
            if len(flat) == len(part.parts):
                label = "" if part.lexical else f" ({part.label})"
                lines.append(f"{lead}{part.category}{label} {' '.join(flat) or '∅'}")
                continue
            lines.append(f"{lead}{part.category} ({part.label})")
            last = len(part.parts) - 1
            for place in range(last, -1, -1):
                corner, rest = ("└ ", "  ") if place == last else ("├ ", "│ ")
                stack.append((part.parts[place], below + corner, below + rest))
        return lines


# Texts drawn from a grammar by the weights of its rules.
#
# The chance of a tree is the product of its rules' chances, given that its features agree and that it is no deeper
# than the bound. How likely each symbol is to end within so many levels is known beforehand, so that nothing drawn is
# thrown away and every draw ends.


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
