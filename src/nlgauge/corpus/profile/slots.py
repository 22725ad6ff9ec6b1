"""What a text says of its input: facts left out, with another value, or added.

E2E's attributes are found by patterns (`e2e`). Elsewhere values are searched in the text (`templates.matching`), and
known values of the corpus that the input does not have are taken for added ones. Both are estimates: a paraphrase that
no rule knows counts as missing, a value said in another sense as added.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from nlgauge.corpus.entries import Triple, slot_names
from nlgauge.corpus.templates import NOT_TEXT, Keys, Token, find_values, keys, nearest, occurrences, plain, tokens

# Which of E2E's eight attributes a text states, and with which value, by patterns of our own.
#
# `less than £20`, `cheap` and `low` are one level of the price, so are `£20-25` and `moderate`, and `more than £30`
# and `high`; of the rating `1 out of 5` and `low`, `3 out of 5` and `average`, `5 out of 5` and `high`: people and
# systems use them for each other. A bare "high", "low" or "average" belongs to the price or the rating by the nearest
# word of either.


NAMED = ("name", "near")
ATTRIBUTES = frozenset(
    (*NAMED, "eatType", "food", "priceRange", "customer rating", "area", "familyFriendly"),
)
LEVELS: dict[str, dict[str, str]] = {
    "priceRange": dict.fromkeys(("cheap", "less than £20", "low"), "low")
    | dict.fromkeys(("moderate", "£20-25", "average"), "mid")
    | dict.fromkeys(("high", "more than £30"), "high"),
    "customer rating": dict.fromkeys(("low", "1 out of 5"), "low")
    | dict.fromkeys(("average", "3 out of 5"), "mid")
    | dict.fromkeys(("high", "5 out of 5"), "high"),
}
_STARS = r"(?:(?: out)? ?(?:of|/) ?(?:5|five)\b|[ -]stars?\b)"
_FRIENDS = r"(?:famil(?:y|ies)|child(?:ren)?|kids?|youngsters)"
_STOP = r"(?:(?!and\b|but\b|it\b|is\b)\w+[ -]+)"
_NOT_FOR_CHILDREN = re.compile(
    rf"(?:\b(?:not?|non|never|nor|neither|without|excludes?)|n't|\bun)[ -]+{_STOP}{{0,4}}?{_FRIENDS}\b"
    rf"|{_FRIENDS}[ -]*(?:friendly)?[ -]*(?:are|is)? ?(?:not\b|unfriendly|free\b)|\bunfamily"
    r"|\badults?[ -]+only|\bonly[ -]+(?:for )?adults|\bfor adults|\badult (?:establish|environ|orient|restaurant|pub)"
)
_FOR_CHILDREN = re.compile(rf"\b{_FRIENDS}\b|\ball ages\b")
_SAID: dict[str, dict[str, re.Pattern[str]]] = {
    attribute: {value: re.compile(pattern) for value, pattern in values.items()}
    for attribute, values in {
        "eatType": {
            "pub": r"\bpubs?\b",
            "restaurant": r"\brestaurants?\b",
            "coffee shop": r"\bcoffee[ -]?(?:shop|house)s?\b|\bcafes?\b",
        },
        "food": {
            "Italian": r"\bitalian\b|\bpasta\b|\bpizzas?\b",
            "Fast food": r"\bfast[ -]?foods?\b|\bburgers?\b",
            "French": r"\bfrench\b",
            "English": r"\benglish\b|\bbritish\b|\bfish (?:and|&) chips\b",
            "Indian": r"\bindian\b|\bcurry\b",
            "Japanese": r"\bjapanese\b|\bsushi\b",
            "Chinese": r"\bchinese\b",
        },
        "area": {
            "riverside": r"\briver|\bnorth of (?:the )?city",  # so it lay in the pictures that E2E's writers saw
            "city centre": r"\bcit(?:y|ies)\b|\bcent(?:re|er|ral)\b|\bdowntown\b|\btown\b",
        },
        "priceRange": {
            "low": r"\bcheap|\binexpensive|\bafford|\bbudget\b|\blow[ -]?(?:ly )?(?:cost|price)"
            r"|(?:less|lower|cheaper) (?:than|then) £? ?20"
            r"|(?:under|below|up to) £? ?20\b|20 (?:pounds )?(?:or|and) (?:less|under)",
            "mid": r"\bmoderate|\bmid[ -]?(?:range|price)|\bmedium|\breasonabl|20 ?(?:-|–|to|and) ?(?:£ ?)?25",
            "high": r"\bexpensive|\bpric(?:e)?y\b|\bcostly|\bhigh[ -]?(?:ly )?(?:price|cost|end)|\bupscale"
            r"|(?:more|higher|greater) (?:than|then) £? ?30"
            r"|(?:over|above) £? ?30\b|30 (?:pounds )?(?:or|and) (?:more|over|up)",
        },
        "customer rating": {
            "low": rf"\b(?:1|one){_STARS}|\bpoor|\bbadly|\blow(?:ly)?[ -]rat",
            "mid": rf"\b(?:3|three){_STARS}|\bdecent|\baverage[ -]rat",
            "high": rf"\b(?:5|five){_STARS}|\bexcellent|\btop[ -]rat|\b(?:high|well)(?:ly)?[ -](?:rat|rev|recommend)",
        },
    }.items()
}
_DEGREE = {"low": "low", "average": "mid", "moderate": "mid", "high": "high", "highly": "high"}
_CLAUSE = re.compile(r"[.,;!?]|\b(?:and|but|with|while|although)\b")
_SENTENCE = re.compile(r"[.;!?]")
_CUES = {
    "customer rating": re.compile(r"rat(?:ed|ings?|es?)$|review|customers?$|stars?$|satisf"),
    "priceRange": re.compile(r"pric|costs?$|expens|range[ds]?$"),
}
LATER = 0.5  # a word before is a little further away than one as many words behind


def folded(text: str) -> str:
    """Lower case, without accents, pounds as £."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return " ".join(plain.replace("’", "'").replace("gbp", "£").split())


def stated(text: str, names: Sequence[str]) -> dict[str, set[str]]:
    """The values that a text states for each attribute; `names` are the known names of places (folded).

    >>> found = stated("Cocum is a cheap pub near The Bakers, not child friendly.", ["cocum", "the bakers"])
    >>> {name: sorted(values) for name, values in found.items() if values}
    {'name or near': ['cocum', 'the bakers'], 'eatType': ['pub'], 'priceRange': ['low'], 'familyFriendly': ['no']}
    """
    rest, places = _without_names(folded(text), names)
    found = {"name or near": places}
    found |= {
        attribute: {value for value, pattern in values.items() if pattern.search(rest)}
        for attribute, values in _SAID.items()
    }
    for attribute, level in _degrees(rest):
        found[attribute].add(level)
    denied = _NOT_FOR_CHILDREN.search(rest)
    found["familyFriendly"] = {"no"} if denied else {"yes"} if _FOR_CHILDREN.search(rest) else set()
    return found


def _without_names(text: str, names: Sequence[str]) -> tuple[str, set[str]]:
    """The text with the names of places taken out, and which they were; the longest first."""
    found = set()
    for name in sorted(names, key=len, reverse=True):
        for form in _forms(name):
            if form not in text:
                continue
            without = re.sub(rf"(?<!\w){re.escape(form)}(?!\w)", " ", text)
            if without != text:
                found.add(name)
                text = without
    return text, found


def _forms(name: str) -> Iterator[str]:
    yield name
    bare = name.removeprefix("the ")
    if bare != name:
        yield bare
    words = name.split()
    if len(words) > 2:  # Raja Indian, Holiday Inn
        yield " ".join(words[:-1]) if words[1] != "by" else " ".join(words[2:])


def _degrees(text: str) -> Iterator[tuple[str, str]]:
    """Words of degree with the attribute they belong to: of their clause, or else of their sentence."""
    for sentence in _SENTENCE.split(text):
        everywhere = _words(sentence)
        for clause in _CLAUSE.split(sentence):
            words = _words(clause)
            for place, word in enumerate(words):
                if word in _DEGREE:
                    attribute = _nearest(words, place) or _nearest(everywhere, everywhere.index(word))
                    if attribute:
                        yield attribute, _DEGREE[word]


def _words(text: str) -> list[str]:
    return re.findall(r"[\w£']+", text)


def _nearest(words: Sequence[str], place: int) -> str | None:
    distances = [
        (other - place if other > place else place - other + LATER, attribute)
        for other, word in enumerate(words)
        for attribute, cue in _CUES.items()
        if other != place and cue.search(word)
    ]
    return min(distances)[1] if distances else None


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
