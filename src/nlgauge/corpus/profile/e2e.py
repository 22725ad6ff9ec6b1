"""Which of E2E's eight attributes a text states, and with which value, by patterns of our own.

`less than £20`, `cheap` and `low` are one level of the price, so are `£20-25` and `moderate`, and `more than £30` and
`high`; of the rating `1 out of 5` and `low`, `3 out of 5` and `average`, `5 out of 5` and `high`: people and systems
use them for each other. A bare "high", "low" or "average" belongs to the price or the rating by the nearest word of
either.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

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
