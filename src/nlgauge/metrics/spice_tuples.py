"""How SPICE compares scene graphs: concepts that match by base form or WordNet synset, and graphs merged into one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from nlgauge.lexicons.wordnet import WordNet
from nlgauge.models.scenes import Scene, Tuple
from nlgauge.models.scenes.words import COLORS, SIZES

CATEGORIES = ("object", "attribute", "relation", "color", "count", "size")
Key = str | tuple[str, int]
Keys = frozenset[Key]


@lru_cache(maxsize=100_000)
def _keys(base: WordNet, name: str, parts: str) -> Keys:
    """The name itself and the synsets it belongs to, of these parts of speech."""
    senses = base.synsets(name.replace(" ", "_"))  # "pick up": a verb with its particle is a word of its own
    return frozenset((name, *(sense for sense in senses if sense[0] in parts)))


def keys(name: str, place: int, size: int, base: WordNet | None) -> Keys:
    """What an element of a tuple can be matched by; without a WordNet only by its name."""
    if base is None or name.isdecimal():
        return frozenset((name,))
    parts = "v" if (size, place) == (3, 1) else "nvar" if (size, place) == (2, 1) else "n"
    return _keys(base, name, parts)


@dataclass(frozen=True)
class Fact:
    """A tuple with what its elements can be matched by."""

    words: Tuple
    keys: tuple[Keys, ...]

    def matches(self, other: Fact) -> bool:
        """Whether all elements of both mean the same."""
        return len(self.keys) == len(other.keys) and all(
            not mine.isdisjoint(theirs) for mine, theirs in zip(self.keys, other.keys, strict=True)
        )

    @property
    def categories(self) -> tuple[str, ...]:
        """Object, attribute or relation; attributes also by what they tell."""
        kind = CATEGORIES[len(self.words) - 1]
        if kind != "attribute":
            return (kind,)
        value = self.words[1]
        told = "count" if value.isdecimal() else "color" if value in COLORS else "size" if value in SIZES else ""
        return (kind, told) if told else (kind,)


def merged(scenes: Iterable[Scene], base: WordNet | None) -> tuple[Fact, ...]:
    """The facts of several graphs as of one: objects that mean the same are one, and equal facts count once."""
    several = list(scenes)
    objects: dict[str, Keys] = {}  # an object under the name it had first, with the keys of all its names
    known: dict[str, str] = {}
    for one in several:
        for name in one.objects:
            if name not in known:
                mine = keys(name, 0, 1, base)
                known[name] = next((old for old, theirs in objects.items() if not mine.isdisjoint(theirs)), name)
                objects[known[name]] = objects.get(known[name], frozenset()) | mine
    facts: dict[int, list[Fact]] = {1: [], 2: [], 3: []}
    for one in several:
        for words in one.tuples:
            size = len(words)
            named = tuple(known.get(word, word) if place in (0, 2) else word for place, word in enumerate(words))
            fact = Fact(
                named,
                tuple(
                    objects[word] if place in (0, 2) else keys(word, place, size, base)
                    for place, word in enumerate(named)
                ),
            )
            if not any(fact.matches(other) for other in facts[size]):
                facts[size].append(fact)
    return tuple(fact for some in facts.values() for fact in some)


def matched(mine: Sequence[Fact], theirs: Sequence[Fact]) -> dict[int, int]:
    """The largest one-to-one matching: places in `mine` -> places in `theirs`."""
    edges = [[k for k, other in enumerate(theirs) if fact.matches(other)] for fact in mine]
    owner: dict[int, int] = {}

    def placed(place: int, tried: set[int]) -> bool:
        for target in edges[place]:
            if target not in tried:
                tried.add(target)
                if target not in owner or placed(owner[target], tried):
                    owner[target] = place
                    return True
        return False

    for place in range(len(mine)):
        placed(place, set())
    return {place: target for target, place in owner.items()}
