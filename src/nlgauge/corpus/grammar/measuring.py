"""What a set of texts makes of a grammar: how many are grammatical, what of it they use, how diverse they are."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from nlgauge.corpus.grammar.compiling import Tables
from nlgauge.corpus.grammar.mending import Mended, credit, mend
from nlgauge.corpus.grammar.parsing import parse
from nlgauge.corpus.grammar.rules import split
from nlgauge.corpus.grammar.trees import Tree
from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.stats.discrimination.limits import limits
from nlgauge.stats.limits import check_level

LONGEST = 2_000  # words of a text that is parsed: charts of right-recursive rules grow with the square


@dataclass(frozen=True)
class Reading(Jsonable):
    """One text under a grammar."""

    KEYS = "text, grammatical, parses, trees, credit, mended"

    text: str
    words: tuple[str, ...]
    parses: int
    trees: tuple[Tree, ...]  # the likeliest parses
    mended: Mended | None  # where the text is not grammatical and can be mended

    @property
    def grammatical(self) -> bool:
        """Whether it has a parse."""
        return self.parses > 0

    @property
    def tree(self) -> Tree | None:
        """The likeliest tree of the text, or of the mended one."""
        return self.trees[0] if self.trees else self.mended.tree if self.mended else None

    @property
    def credit(self) -> float:
        """1 for a grammatical text, less for each edit it needs; 0 where it is too long to be mended."""
        if self.grammatical:
            return 1.0
        return credit(len(self.mended.edits), len(self.words)) if self.mended else 0.0


def read_text(tables: Tables, text: str, most: int = 1) -> Reading:
    """Parse a text, keeping at most so many trees; where that fails, find the nearest grammatical one.

    A very long text counts as not grammatical.
    """
    words = tuple(split(text))
    if len(words) > LONGEST:
        return Reading(text, words, 0, (), None)
    found = parse(tables, words)
    mended = None if found.grammatical else mend(tables, words)
    return Reading(text, words, found.count, tuple(found.trees(most)), mended)


def read_texts(tables: Tables, texts: Iterable[str], most: int = 1) -> list[Reading]:
    """The same for several; equal ones are read once."""
    kept: dict[str, Reading] = {}
    return [kept[text] if text in kept else kept.setdefault(text, read_text(tables, text, most)) for text in texts]


@dataclass(frozen=True, eq=False)
class Assessment(Jsonable):
    """One system's texts under a grammar. Coverage and diversity are those of its grammatical texts."""

    KEYS = (
        "system, texts = len(readings), grammatical, share, low, high, level, credit, ambiguous, too_long, types, "
        "structures = len(structures), combinations = len(combinations), entropy_of_rules, entropy_of_structures, "
        "rules = uses, categories = coverage"
    )

    system: str
    tables: Tables
    readings: Sequence[Reading]
    level: float = 0.95

    def __post_init__(self) -> None:
        if not self.readings:
            raise InputError(f"{self.system} has no text; a share needs at least one")
        check_level(self.level)

    @cached_property
    def trees(self) -> list[Tree]:
        """The trees of the grammatical texts."""
        return [reading.tree for reading in self.readings if reading.grammatical and reading.tree]

    @property
    def grammatical(self) -> int:
        """How many texts have a parse."""
        return len(self.trees)

    @property
    def share(self) -> float:
        """Their share."""
        return self.grammatical / len(self.readings)

    @cached_property
    def interval(self) -> tuple[float, float]:
        """Its exact limits (Clopper and Pearson)."""
        return limits(self.grammatical, len(self.readings), tail=(1 - self.level) / 2)

    @property
    def credit(self) -> float:
        """The mean credit of all texts."""
        return math.fsum(reading.credit for reading in self.readings) / len(self.readings)

    @property
    def ambiguous(self) -> int:
        """Texts with more than one parse."""
        return sum(reading.parses > 1 for reading in self.readings)

    @property
    def too_long(self) -> int:
        """Texts that were not mended because of their length; their credit is 0."""
        return sum(not reading.grammatical and not reading.mended for reading in self.readings)

    @cached_property
    def rules(self) -> Counter[str]:
        """How often each rule is used, those of lexicons left out."""
        return Counter(tree.rule for whole in self.trees for tree in whole.walk() if not tree.lexical)

    @cached_property
    def words(self) -> Counter[tuple[str, str]]:
        """How often each entry of the lexicons is used: category and entry."""
        return Counter((tree.category, tree.label) for whole in self.trees for tree in whole.walk() if tree.lexical)

    @cached_property
    def structures(self) -> Counter[tuple[str, ...]]:
        """Trees without their words of lexicons."""
        return Counter(tree.rules for tree in self.trees)

    @cached_property
    def combinations(self) -> Counter[frozenset[str]]:
        """The sets of rules that texts use together."""
        return Counter(frozenset(tree.rule for tree in whole.walk() if not tree.lexical) for whole in self.trees)

    @property
    def types(self) -> int:
        """Distinct grammatical texts."""
        return len({tuple(map(str.lower, tree.words)) for tree in self.trees})

    def coverage(self) -> dict[str, dict[str, int]]:
        """Of each category: how often it is used, its rules and words, and how many of them are used."""
        told: dict[str, dict[str, int]] = {}
        rules = [rule for rule in self.tables.grammar.rules if not rule.hidden]
        for category, label, lexical in dict.fromkeys((rule.category, rule.label, rule.lexical) for rule in rules):
            row = told.setdefault(category, dict.fromkeys(("uses", "rules", "rules_used", "words", "words_used"), 0))
            used = self.words[category, label] if lexical else self.rules[f"{category}.{label}"]
            kind = "words" if lexical else "rules"
            row["uses"] += used
            row[kind] += 1
            row[f"{kind}_used"] += used > 0
        return told

    @property
    def unused(self) -> list[str]:
        """The rules that no text uses."""
        return [rule.name for rule in self.tables.grammar.visible if not self.rules[rule.name]]

    @property
    def low(self) -> float:
        """The lower limit of the share."""
        return self.interval[0]

    @property
    def high(self) -> float:
        """The upper limit."""
        return self.interval[1]

    @property
    def entropy_of_rules(self) -> float:
        """In bits."""
        return entropy(self.rules)

    @property
    def entropy_of_structures(self) -> float:
        """In bits."""
        return entropy(self.structures)

    @property
    def uses(self) -> dict[str, int]:
        """How often each rule that its files have is used."""
        return {rule.name: self.rules[rule.name] for rule in self.tables.grammar.visible}


def entropy(counts: Counter[Any]) -> float:
    """In bits; 0 where there is nothing."""
    total = counts.total()
    found = -math.fsum(count / total * math.log2(count / total) for count in counts.values() if count)
    return max(found, 0.0)  # never −0
