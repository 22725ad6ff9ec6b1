"""What a text says of its input: facts left out, with another value, or added.

E2E's attributes are found by patterns (`e2e`). Elsewhere values are searched in the text (`templates.matching`), and
known values of the corpus that the input does not have are taken for added ones. Both are estimates: a paraphrase that
no rule knows counts as missing, a value said in another sense as added.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from nlgauge.corpus.entries import Triple, slot_names
from nlgauge.corpus.profile.e2e import ATTRIBUTES, LEVELS, NAMED, folded, stated
from nlgauge.corpus.templates.delexicalise import NOT_TEXT, find_values
from nlgauge.corpus.templates.matching import Keys, Token, keys, nearest, occurrences, plain, tokens

PATTERNS = "patterns for the attributes of E2E"
VALUES = "search for the values of the input"


@dataclass(frozen=True)
class Checked:
    """Attributes or predicates of the input, how many, and those missing, said with a wrong value, or added."""

    slots: int
    missing: tuple[str, ...]
    wrong: tuple[str, ...]
    added: tuple[str, ...]


class Checker(Protocol):
    """Checks texts against inputs; `method` names how."""

    method: str

    def check(self, triples: Sequence[Triple], text: str) -> Checked:
        """What a text says of its input."""


def checker(inputs: Iterable[Sequence[Triple]]) -> Checker:
    """The one that fits the corpus."""
    known = list(inputs)
    predicates = {triple.predicate for triples in known for triple in triples}
    return PatternChecker(known) if predicates and predicates <= ATTRIBUTES else ValueChecker(known)


class PatternChecker:
    """E2E's eight attributes."""

    method = PATTERNS

    def __init__(self, inputs: Iterable[Sequence[Triple]]) -> None:
        self.names = sorted(
            {folded(triple.object) for triples in inputs for triple in triples if triple.predicate in NAMED}
        )

    def check(self, triples: Sequence[Triple], text: str) -> Checked:
        """One slot for each attribute of the input."""
        found = stated(text, self.names)
        asked = {triple.predicate: triple.object for triple in triples}
        places = {folded(asked[name]) for name in NAMED if name in asked}
        missing: list[str] = []
        wrong: list[str] = []
        others = found["name or near"] - places
        for attribute, value in asked.items():
            if attribute in NAMED:
                said = folded(value) in found["name or near"]
                instead = bool(others)
            else:
                said = LEVELS.get(attribute, {}).get(value, value) in found[attribute]
                instead = bool(found[attribute])
            if not said and attribute in NAMED and instead:
                others = set(sorted(others)[1:])  # one other name stands for one that is missing
            if not said:
                (wrong if instead else missing).append(attribute)
        added = [name for name, values in found.items() if name != "name or near" and name not in asked and values]
        added += ["near"] * len(others)
        return Checked(len(asked), tuple(missing), tuple(wrong), tuple(added))


class ValueChecker:
    """Values as words of the text. Known values are looked for where they have two words or a capital letter."""

    method = VALUES

    def __init__(self, inputs: Iterable[Sequence[Triple]]) -> None:
        self.known: dict[str, dict[Keys, set[str]]] = defaultdict(dict)
        for triples in inputs:
            for triple in triples:
                for value, predicate in ((triple.object, triple.predicate), (triple.subject, "")):
                    words = keys(plain(value))
                    if words and (len(words) > 1 or (plain(value)[:1].isupper() and len(words[0]) > 3)):
                        self.known[words[0]].setdefault(words, set()).add(predicate)

    def check(self, triples: Sequence[Triple], text: str) -> Checked:
        """One slot for each entity of the input whose value is words of a text."""
        entities = slot_names(triples)
        line = tokens(text)
        gaps, absent = find_values(line, entities)
        taken = {place for gap in gaps for place in range(gap.start, gap.end)}
        words = [token.key for token in line if token.key]
        missing = [
            next((triple.predicate for triple in triples if triple.object == entities[slot]), "subject")
            for slot in absent
            if nearest(words, entities[slot], ()) is None  # it may stand within the name of another
            and not any(occurrences(words, entities[slot]))
        ]
        named = [plain(value) for value in entities.values()] + [triple.predicate for triple in triples]
        own = {word for value in named for word in keys(value)}
        wrong, added = [], []
        for predicates in self._others(line, taken, own):
            replaced = next((name for name in missing if name in predicates), None)
            if replaced is None:
                added.append(min(filter(None, predicates), default="subject"))
            else:
                missing.remove(replaced)
                wrong.append(replaced)
        slots = sum(value.lower() not in NOT_TEXT for value in entities.values())
        return Checked(slots, tuple(missing), tuple(wrong), tuple(added))

    def _others(self, line: Sequence[Token], taken: set[int], own: set[str]) -> Iterable[set[str]]:
        """Known values of the corpus in the text that share no word with the input, by their predicates.

        They begin with a capital letter; in a text that has none, they have two words or more.
        """
        lowered = not any(token.text != token.text.lower() for token in line)
        places = [place for place, token in enumerate(line) if token.key]
        words = [line[place].key for place in places]
        start = 0
        while start < len(words):
            best: tuple[Keys, set[str]] = ((), set())
            if places[start] not in taken and (lowered or not line[places[start]].text[0].islower()):
                for value, predicates in self.known.get(words[start], {}).items():
                    if len(value) > max(len(best[0]), lowered) and tuple(words[start : start + len(value)]) == value:
                        best = (value, predicates)
            if best[0] and not own & set(best[0]):
                yield best[1]
            start += max(1, len(best[0]))
