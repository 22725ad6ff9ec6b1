"""Small English word lists behind the English-only perturbations: verbs and their forms, synonyms, function words, all
of them from `english.toml`.

The synonyms are everyday words and words of the usual test beds (restaurants, weather, news, captions), paired
only where one can stand for the other in most sentences. No list can promise that of every sentence: "the
meaning is preserved" holds for most texts, not for each.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any, NamedTuple


def words(text: str) -> frozenset[str]:
    """A set of words, written with blanks between them."""
    return frozenset(text.split())


_LISTS: dict[str, Any] = tomllib.loads(
    resources.files("nlgauge.meta.probes").joinpath("english.toml").read_text(encoding="utf-8")
)
_NOUNS = words(_LISTS["nouns"])
_DOUBLED = words(_LISTS["doubled"])
DETERMINERS = words(_LISTS["determiners"])
SUBJECTS: dict[str, str] = _LISTS["subjects"]
OBJECTS = {objective: subject for subject, objective in SUBJECTS.items()}
PLURAL_SUBJECTS = words(_LISTS["plural_subjects"])
PREPOSITIONS = words(_LISTS["prepositions"])
STOPS = PREPOSITIONS | words(_LISTS["stops"])
BE: dict[str, str] = _LISTS["be"]
AUXILIARIES = words(_LISTS["auxiliaries"])
PLAIN = DETERMINERS | STOPS | AUXILIARIES | frozenset(SUBJECTS)  # words that are no name, capital or not
OPPOSITES: dict[str, str] = _LISTS["opposites"]
SHORT_NOT: dict[str, str] = _LISTS["short_not"]
CONTRACTIONS = {tuple(pair.split()): short for pair, short in _LISTS["contractions"].items()}
NUMBER_WORDS: tuple[tuple[str, ...], ...] = tuple(tuple(text.split()) for text in _LISTS["number_words"])
CALENDAR: tuple[tuple[str, ...], ...] = tuple(tuple(text.split()) for text in _LISTS["calendar"])


class Verb(NamedTuple):
    """A verb's forms."""

    base: str
    third: str  # he ...s
    past: str
    participle: str
    gerund: str


def _regular(base: str, *, doubled: bool) -> Verb:
    stem = base + base[-1] if doubled else base
    if base.endswith("e"):
        return Verb(base, f"{base}s", f"{base}d", f"{base}d", f"{base[:-1]}ing")
    if base.endswith("y") and base[-2] not in "aeiou":
        return Verb(base, f"{base[:-1]}ies", f"{base[:-1]}ied", f"{base[:-1]}ied", f"{base}ing")
    return Verb(base, _plural(base), f"{stem}ed", f"{stem}ed", f"{stem}ing")


def _gerund(base: str) -> str:
    if base in _DOUBLED:
        return f"{base}{base[-1]}ing"
    return f"{base[:-1]}ing" if base.endswith("e") and not base.endswith("ee") else f"{base}ing"


def _plural(noun: str) -> str:
    irregular = {"child": "children", "man": "men", "woman": "women", "have": "has"}
    if noun in irregular:
        return irregular[noun]
    if noun.endswith(("s", "x", "z", "ch", "sh", "o")) and noun not in ("photo", "kangaroo"):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}s"


@cache
def verbs() -> dict[str, Verb]:
    """The verbs by their base."""
    found = {}
    for line in _LISTS["irregular"].replace("\n", " ").split(";"):
        base, past, participle = line.split()
        found[base] = Verb(base, _plural(base), past, participle, _gerund(base))
    for word in _LISTS["regular"].split():
        base = word.removesuffix("+")
        found[base] = _regular(base, doubled=word.endswith("+"))
    return found


@cache
def finite() -> dict[str, tuple[Verb, str]]:
    """Forms that can be a clause's verb: form -> (verb, "third" or "past")."""
    found: dict[str, tuple[Verb, str]] = {}
    for verb in verbs().values():
        found.setdefault(verb.third, (verb, "third"))
        if verb.past != verb.base:
            found.setdefault(verb.past, (verb, "past"))
    return found


@cache
def passive_verbs() -> frozenset[str]:
    """The bases of the verbs that have a passive."""
    return frozenset(verbs()) - words(_LISTS["not_passive"])


@cache
def participles() -> dict[str, Verb]:
    """Participle -> verb, for the verbs that have a passive."""
    found: dict[str, Verb] = {}
    for verb in verbs().values():
        if verb.base in passive_verbs():
            found.setdefault(verb.participle, verb)
    return found


@cache
def gerunds() -> frozenset[str]:
    """The -ing forms of the verbs, but for those that are mostly nouns."""
    return frozenset(verb.gerund for verb in verbs().values()) - _NOUNS


@cache
def follow_have() -> frozenset[str]:
    """Words after which "have" is an auxiliary: participles."""
    return frozenset(verb.participle for verb in verbs().values()) | {"been", "not", "n't", "never", "always"}


def _forms(kind: str, written: str) -> tuple[str, ...]:
    word = written.replace("_", " ")
    if kind == "n":
        return (word, _plural(word))
    if kind == "v":
        return tuple(verbs().get(word) or _regular(word, doubled=word in _DOUBLED))
    return (word,)


@cache
def synonyms() -> dict[str, tuple[str, ...]]:
    """Word form -> the forms that can stand for it."""
    found: dict[str, list[str]] = {}
    for entry in _LISTS["synonyms"].replace("\n", " ").split(";"):
        kind, _, listed = entry.strip().partition(": ")
        both = " = " in listed
        first, second = listed.replace(" = ", " ").split()
        for one, other in zip(_forms(kind, first), _forms(kind, second), strict=True):
            for word, stand_in in ((one, other), (other, one)) if both else ((one, other),):
                known = found.setdefault(word.lower(), [])
                if stand_in.lower() != word.lower() and stand_in not in known:
                    known.append(stand_in)
    return {word: tuple(others) for word, others in found.items() if others and word not in _NOUNS}


def article(word: str) -> str:
    """`a` or `an`, by the spelling of the word that follows."""
    return "an" if word[:1].lower() in "aeiou" and not word.lower().startswith(("one", "eu", "uni", "use")) else "a"
