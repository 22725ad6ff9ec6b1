"""The single edits of a text that a search tries: words replaced by synonyms, left out, put in, exchanged, repeated."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from nlgauge.errors import InputError, suggest
from nlgauge.lexicons.wordnet import wordnet
from nlgauge.meta.probes import english
from nlgauge.meta.probes.units import Unit, cased_like, join, split, words


@dataclass(frozen=True)
class Edit:
    """One edit: at which word of the text (from 1), what stood there and what stands there now, and the new text."""

    kind: str
    place: int
    before: str
    after: str
    text: str


@dataclass(frozen=True)
class _Text:
    """A text in units, where its words are, and the references of its item."""

    units: list[Unit]
    places: list[int]
    references: Sequence[str]

    @property
    def blank(self) -> str:
        """What stands between words: nothing in scripts written without blanks."""
        return " " if any(unit.gap for unit in self.units) or len(self.units) < 2 else ""

    def edited(self, kind: str, number: int, after: str, *, upto: int = 0) -> Edit:
        """With words `after` in the place of the word of this number, or of the words up to another."""
        first, last = self.places[number], self.places[max(number, upto)]
        before = " ".join(self.units[place].core for place in self.places[number : max(number, upto) + 1])
        new = [*self.units[:first], *self._instead(first, last, after), *self.units[last + 1 :]]
        return Edit(kind, number + 1, before, after, join(new))

    def _instead(self, first: int, last: int, after: str) -> list[Unit]:
        if not after:
            return []
        if first == last:
            return [self.units[first].with_core(after)]
        one, other = after.split(" ")
        return [self.units[first].with_core(one), *self.units[first + 1 : last], self.units[last].with_core(other)]


def _replaced(kind: str, text: _Text, others: Callable[[str], Iterable[str]]) -> Iterator[Edit]:
    for number, place in enumerate(text.places):
        core = text.units[place].core
        for other in others(core.lower()):
            if other.lower() != core.lower():
                yield text.edited(kind, number, cased_like(other, core))


def _synonyms(text: _Text) -> Iterator[Edit]:
    table = english.synonyms()
    return _replaced("synonym", text, lambda word: table.get(word, ()))


def _wordnet(text: _Text) -> Iterator[Edit]:
    known = wordnet()
    return _replaced("wordnet", text, lambda word: () if word in english.PLAIN else sorted(known.synonyms(word)))


def _deletions(text: _Text) -> Iterator[Edit]:
    if len(text.places) > 1:
        yield from (text.edited("delete", number, "") for number in range(len(text.places)))


def _insertions(text: _Text) -> Iterator[Edit]:
    """Words of which a reference has more than the text, before each word and after the last."""
    missing = _missing(text)
    if not text.places:
        yield from (Edit("insert", 1, "", word, join([*split(f"{word} "), *text.units])) for word in missing)
        return
    end = len(text.places) - 1
    for word in missing:
        for number, place in enumerate(text.places):
            made = text.edited("insert", number, word + text.blank + text.units[place].core)
            yield Edit("insert", number + 1, "", word, made.text)
        made = text.edited("insert", end, text.units[text.places[end]].core + text.blank + word)
        yield Edit("insert", end + 2, "", word, made.text)


def _missing(text: _Text) -> list[str]:
    """Each such word once, whatever its capitals, as the reference writes it."""
    present = Counter(text.units[place].core.lower() for place in text.places)
    found: dict[str, str] = {}
    for reference in text.references:
        cores = [unit.core for unit in split(reference) if unit.core]
        counts = Counter(core.lower() for core in cores)
        for core in cores:
            if counts[core.lower()] > present[core.lower()]:
                found.setdefault(core.lower(), core)
    return list(found.values())


def _swaps(text: _Text) -> Iterator[Edit]:
    for number in range(len(text.places) - 1):
        one, other = (text.units[place].core for place in text.places[number : number + 2])
        if one != other:
            yield text.edited("swap", number, f"{other} {one}", upto=number + 1)


def _repetitions(text: _Text) -> Iterator[Edit]:
    for number, place in enumerate(text.places):
        core = text.units[place].core
        yield text.edited("repeat", number, core + text.blank + core)


KINDS: dict[str, tuple[str, Callable[[_Text], Iterator[Edit]]]] = {
    "synonym": ("a word replaced by a synonym of the built-in English list", _synonyms),
    "wordnet": ("a word replaced by a word that shares a synset of WordNet with it", _wordnet),
    "delete": ("a word left out", _deletions),
    "insert": ("a word put in of which a reference has more than the output", _insertions),
    "swap": ("two neighbouring words exchanged", _swaps),
    "repeat": ("a word said twice", _repetitions),
}
"""What each kind of edit does, in the order in which equally good edits are taken."""
DEFAULT = tuple(kind for kind in KINDS if kind != "wordnet")  # the same on every machine


def chosen(kinds: Sequence[str]) -> tuple[str, ...]:
    """The kinds asked for, in the order of `KINDS`; `all` stands for every one."""
    for kind in kinds:
        if kind != "all" and kind not in KINDS:
            raise InputError(f"there is no kind of edit {kind!r}; {suggest(kind, [*KINDS, 'all'])}")
    if not kinds:
        raise InputError(f"no kind of edit was given; expected some of {', '.join(KINDS)}, or all")
    if "wordnet" in kinds or "all" in kinds:
        wordnet()  # refused before anything is scored
    return tuple(kind for kind in KINDS if kind in kinds or "all" in kinds)


def single_edits(text: str, references: Sequence[str], kinds: Sequence[str]) -> list[Edit]:
    """Every single edit of a text, each new text once, kind by kind.

    >>> [edit.text for edit in single_edits("a b", ["a c"], ["delete", "insert"])]
    ['b', 'a', 'c a b', 'a c b', 'a b c']
    """
    units = split(text)
    given = _Text(units, words(units), references)
    found = {text: Edit("", 0, "", "", text), join(units): Edit("", 0, "", "", text)}
    for kind in kinds:
        for edit in KINDS[kind][1](given):
            found.setdefault(edit.text, edit)
    return [edit for edit in found.values() if edit.kind]


def sampled(edits: Sequence[Edit], most: int, drawn: random.Random) -> list[Edit]:
    """At most so many edits, at random: the kinds share the number evenly, and what one leaves goes to the others."""
    sizes = Counter(edit.kind for edit in edits)
    kept: set[int] = set()
    for number, (kind, size) in enumerate(sorted(sizes.items(), key=lambda pair: pair[1])):
        mine = [place for place, edit in enumerate(edits) if edit.kind == kind]
        kept.update(drawn.sample(mine, min(size, (most - len(kept)) // (len(sizes) - number))))
    return [edits[place] for place in sorted(kept)]
