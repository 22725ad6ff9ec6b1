"""Where a value of the input stands in a text: underscores, quotes, dates, numbers, initials and demonyms.

Tokens are compared by a key: without accents, case and full stops, numbers by their value.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from nlgauge.text.sentences import FUNCTION_WORDS

_TOKEN = re.compile(
    r"(?:(?<![\w-])-)?\d+(?:,\d{3})*(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\w)"  # numbers
    r"|(?:[^\W\d_]\.){2,}|(?:[^\W\d_]\.)+[^\W\d_]\b"  # initials
    r"|['’]s\b|\w+|[^\w\s]"
)
_QUOTED = re.compile(r'^"(.*)"(?:@[\w-]+|\^\^.*)?$', re.S)
_DATE = re.compile(r"(-?\d{4})-(\d\d)-(\d\d)(?:T.*)?")
_ASIDE = re.compile(r"\s*\([^()]*\)")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
# Adjectives and short names that share too few letters with the country.
_OTHER_NAMES = {
    "united states": "us usa america american",
    "united kingdom": "uk britain british",
    "france": "french",
    "spain": "spanish",
    "germany": "german",
    "greece": "greek",
    "netherlands": "dutch",
    "denmark": "danish",
    "poland": "polish",
    "wales": "welsh",
    "ireland": "irish",
    "switzerland": "swiss",
    "turkey": "turkish",
    "norway": "norwegian",
    "peru": "peruvian",
    "iraq": "iraqi",
    "japan": "japanese",
    "china": "chinese",
    "new zealand": "nz",
}
# Words that stand in no entity's name.
BREAKS = frozenset(("is", "was", "are", "were", "has", "have", "had", "which", "who", "where", "that"))
LEAST_SHARED = 0.5  # of the words of a value and of the part of a text that is taken for it

Keys = tuple[str, ...]


@dataclass(frozen=True)
class Token:
    """A token as written, and the key it is compared by; punctuation has none."""

    text: str
    key: str


@lru_cache(maxsize=100_000)
def _key(text: str) -> str:
    if text[0].isdigit() or (text[0] == "-" and text[1:2].isdigit()):
        try:
            return f"{float(text.replace(',', '')):.10g}"
        except ValueError:
            pass
    if not any(letter.isalnum() for letter in text) or text.lower() in ("'s", "’s"):
        return ""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in plain if letter.isalnum())


def tokens(text: str) -> list[Token]:
    """The tokens of a text; underscores are spaces.

    >>> [token.text for token in tokens("Aarhus_Airport's runway is 2,776.0 metres.")]
    ['Aarhus', 'Airport', "'s", 'runway', 'is', '2,776.0', 'metres', '.']
    """
    return [Token(found, _key(found)) for found in _TOKEN.findall(text.replace("_", " "))]


def plain(value: str) -> str:
    """A value without quotes, language, type and underscores.

    >>> plain('"Aarhus, Denmark"@en')
    'Aarhus, Denmark'
    """
    quoted = _QUOTED.match(value)
    return (quoted[1] if quoted else value).replace("_", " ").strip()


def keys(text: str) -> Keys:
    """The keys of a text's words."""
    return tuple(token.key for token in tokens(text) if token.key)


@lru_cache(maxsize=50_000)
def variants(value: str) -> tuple[Keys, ...]:
    """The ways in which a value may be written, as keys of words, the longest first."""
    text = plain(value)
    dated = _DATE.fullmatch(text)
    if dated:
        return _dates(int(dated[1]), int(dated[2]), int(dated[3]))
    whole = keys(text)
    found = {whole}
    found.add(keys(_ASIDE.sub("", text)))
    if text.count(",") == 1:  # Asherton, Texas; but no list
        found.add(keys(text.partition(",")[0]))
    initials = [word[0] for word in text.partition(",")[0].split() if word.lower() not in FUNCTION_WORDS]
    if len(initials) > 2 and all(letter.isupper() for letter in initials):
        found.add((_key("".join(initials)),))
    names = [word[:1].isupper() for word in text.split()]
    if len(names) > 1 and all(names[:-1]) and not names[-1]:  # English language
        found.add(whole[:-1])
    found = {variant for variant in found if any(word not in FUNCTION_WORDS for word in variant)} or {whole}
    found |= {(word,) for word in _OTHER_NAMES.get(" ".join(whole), "").split()}
    return tuple(sorted(filter(None, found), key=lambda variant: (-len(variant), variant)))


def _dates(year: int, month: int, day: int) -> tuple[Keys, ...]:
    if not 1 <= month <= 12:
        return (keys(f"{year} {month} {day}"),)
    ending = "th" if 11 <= day <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    name, days, years = _MONTHS[month - 1], (str(day), f"{day}{ending}"), str(year)
    forms = [
        form
        for called in (name, name[:3])
        for number in days
        for form in ((called, number, years), (number, called, years), (number, "of", called, years))
    ]
    return (
        *sorted(forms, key=len, reverse=True),
        (years, f"{month:02}", f"{day:02}"),
        (years, str(month), str(day)),
    )


def occurrences(words: Sequence[str], value: str) -> Iterator[tuple[int, int]]:
    """Where a value stands as it is, in one of its variants: first and last word, longest variants first."""
    for variant in variants(value):
        length = len(variant)
        for start in range(len(words) - length + 1):
            if words[start] == variant[0] and tuple(words[start : start + length]) == variant:
                yield start, start + length - 1


def _alike(word: str, other: str) -> bool:
    """The same word up to its ending: Italy, Italian; England, English."""
    if word == other:
        return True
    least = min(len(word), len(other))
    shared = next((k for k in range(least) if word[k] != other[k]), least)
    return shared >= 4 and shared >= least - 3 and not word[0].isdigit()


def nearest(words: Sequence[str], value: str, taken: Collection[int]) -> tuple[int, int] | None:
    """The part of a text that shares most words with a value, up to their endings; None where too little is shared."""
    own = [word for word in keys(plain(value)) if word not in FUNCTION_WORDS]
    if not own or _DATE.fullmatch(plain(value)):
        return None
    alike = {
        place: next((k for k, other in enumerate(own) if _alike(word, other)), -1)
        for place, word in enumerate(words)
        if place not in taken and word not in FUNCTION_WORDS
    }
    starts = [place for place, match in alike.items() if match >= 0]
    best, found = LEAST_SHARED, None
    for start in starts:
        for end in starts:
            if not start <= end < start + len(own) + 3 or any(
                place in taken or words[place] in BREAKS for place in range(start, end + 1)
            ):
                continue
            inside = [alike[place] for place in range(start, end + 1) if place in alike]
            shared = 2 * len({match for match in inside if match >= 0}) / (len(own) + len(inside))
            if shared > best or (shared == best and found is None):
                best, found = shared, (start, end)
    return found
