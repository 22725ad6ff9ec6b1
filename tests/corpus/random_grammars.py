"""Small random grammars, and oracles that know nothing of charts."""

from __future__ import annotations

import random
from functools import cache
from itertools import product

Right = tuple[str, ...]
Rules = dict[str, list[Right]]  # upper-case letters are categories, lower-case ones words
WORDS = "ab"


def drawn(generator: random.Random, *, recursive: bool = True, most: int = 3) -> Rules:
    """Some rules for S, A, B and C: left recursion, empty rules and ambiguity as they come."""
    names = "SABC"
    rules: Rules = {}
    for place, name in enumerate(names):
        below = names if recursive else names[place + 1 :]
        rules[name] = []
        for _ in range(generator.randint(1, 3)):
            size = generator.choice([0, 1, 1, 2, 2, most])
            right = tuple(generator.choice(below + WORDS * 2) for _ in range(size))
            if right not in rules[name]:
                rules[name].append(right)
    return rules


def written(rules: Rules) -> str:
    """The rules as a grammar file."""
    lines = []
    for name, rights in rules.items():
        texts = [" ".join(part if part.isupper() else f'"{part}"' for part in right) for right in rights]
        lines.append(f"{name} = {' | '.join(texts)} ;")
    return "\n".join(lines)


def texts(longest: int) -> list[Right]:
    return [text for size in range(longest + 1) for text in product(WORDS, repeat=size)]


MANY = 10**6  # more parses than any short text of such rules has, unless it has infinitely many


def counted(rules: Rules, text: Right, start: str = "S") -> int | None:
    """The number of parses: sums over rules and splits, repeated until it stands still; None where it grows on."""
    spans = [(i, j) for i in range(len(text) + 1) for j in range(i, len(text) + 1)]
    table = {(name, i, j): 0 for name in rules for i, j in spans}

    def ways(right: Right, i: int, j: int) -> int:
        if not right:
            return int(i == j)
        first, rest = right[0], right[1:]
        if first.islower():
            return ways(rest, i + 1, j) if i < j and text[i] == first else 0
        return sum(table[first, i, k] * ways(rest, k, j) for k in range(i, j + 1) if table[first, i, k])

    still = 0
    for _ in range(60):
        new = {(name, i, j): min(MANY, sum(ways(right, i, j) for right in rules[name])) for name, i, j in table}
        if new == table:
            break
        still = still + 1 if new[start, 0, len(text)] == table[start, 0, len(text)] else 0
        table = new
    else:
        if still < 20:  # rounds, more than any change of another category takes to reach it
            return None
    found = table[start, 0, len(text)]
    return None if found == MANY else found


def language(rules: Rules) -> set[Right]:
    """All texts of rules without recursion."""

    @cache
    def of(name: str) -> frozenset[Right]:
        found: set[Right] = set()
        for right in rules[name]:
            parts = [of(part) if part.isupper() else {(part,)} for part in right]
            found |= {tuple(word for some in chosen for word in some) for chosen in product(*parts)}
        return frozenset(found)

    return set(of("S"))


def distance(first: Right, second: Right) -> int:
    """Words inserted, deleted, replaced."""
    row = list(range(len(second) + 1))
    for i, word in enumerate(first, 1):
        before, row = row, [i]
        for j, other in enumerate(second, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (word != other)))
    return row[-1]
