"""Derivation trees and how a terminal draws them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from nlgauge.corpus.grammar.rules import joined


@dataclass(frozen=True, slots=True)
class Tree:
    """A category, the label of the rule that was used, and its parts: trees and words."""

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

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        parts = [part if isinstance(part, str) else part.to_dict() for part in self.parts]
        return {"category": self.category, "rule": self.label, "parts": parts}

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
