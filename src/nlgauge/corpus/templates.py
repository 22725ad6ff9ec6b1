"""Templates and realisations of entities, taken from annotations or induced by finding the input's values in a text."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from nlgauge.corpus.entries import KINDS, Entry, Mention, Template, Triple, make_template, slot_names
from nlgauge.jsonable import Jsonable
from nlgauge.kernels.python.rouge import lcs_table
from nlgauge.text.sentences import FUNCTION_WORDS

# Where a value of the input stands in a text: underscores, quotes, dates, numbers, initials and demonyms.
#
# Tokens are compared by a key: without accents, case and full stops, numbers by their value.


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


# A template from a text and its input, where nobody has annotated one.
#
# Values that stand in the text as they are come first, the longest before the shorter; for an entity that was not
# found the part of the text that shares most words with it is taken. An article before and a possessive 's after an
# entity belong to it, as in enriched WebNLG, and so do commas and brackets within. A personal pronoun stands for the
# first subject of the sentence so far, or of the sentence before. Descriptions ("the club") are not found.


PRONOUNS = frozenset(["it", "its", "he", "his", "him", "she", "her", "hers", "they", "their", "them", "theirs"])
ARTICLES = frozenset({"the"})
NOT_TEXT = frozenset({"yes", "no"})  # values that say something of an attribute, not words of a text


@dataclass(frozen=True)
class Delexicalised:
    """A text's template, what fills its slots, and the slots whose entity was not found in the text."""

    template: Template
    mentions: tuple[Mention, ...]
    missing: tuple[str, ...]


@dataclass
class _Gap:
    """Tokens that become a slot."""

    start: int
    end: int
    slot: str
    kind: str = "name"


def delexicalise(text: str, triples: Sequence[Triple], entities: Mapping[str, str] | None = None) -> Delexicalised:
    """The template of a text.

    >>> triples = [Triple("Aarhus_Airport", "cityServed", '"Aarhus, Denmark"')]
    >>> str(delexicalise("The Aarhus Airport serves Aarhus, Denmark.", triples).template)
    'AGENT-1 serves PATIENT-1 .'
    """
    entities = entities or slot_names(triples)
    line = tokens(text)
    gaps, missing = find_values(line, entities)
    _absorb(gaps, line)
    subjects = {triple.subject for triple in triples}
    gaps = _with_pronouns(gaps, line, {slot for slot, value in entities.items() if value in subjects})
    words: list[str] = []
    mentions: list[Mention] = []
    place = 0
    for gap in gaps:
        words += [token.text for token in line[place : gap.start]] + [gap.slot]
        said = " ".join(token.text for token in line[gap.start : gap.end])
        kind = "description" if gap.kind == "name" and line[gap.start].key in ARTICLES else gap.kind
        mentions.append(Mention(gap.slot, kind, said))
        place = gap.end
    words += [token.text for token in line[place:]]
    return Delexicalised(make_template(words, entities, triples), tuple(mentions), missing)


def find_values(line: Sequence[Token], entities: Mapping[str, str]) -> tuple[list[_Gap], tuple[str, ...]]:
    """The parts of a text that are taken for entities, in order, and the slots of entities that were not found."""
    places = [place for place, token in enumerate(line) if token.key]
    words = [line[place].key for place in places]
    taken: dict[int, str] = {}
    found: list[tuple[int, int, str]] = []
    candidates = [
        (end - start + 1, rank, start, end, slot)
        for rank, (slot, value) in enumerate(entities.items())
        if value.lower() not in NOT_TEXT
        for start, end in occurrences(words, value)
    ]
    by_length = sorted(candidates, key=lambda c: (-c[0], c[2], c[1]))
    for number, (_, _, start, end, first) in enumerate(by_length):
        if not any(place in taken for place in range(start, end + 1)):
            # Several entities may be called the same here: those that were not named yet come first.
            alike = [c[4] for c in by_length[number:] if c[2:4] == (start, end)]
            slot = next((name for name in alike if name not in taken.values()), first)
            taken.update(dict.fromkeys(range(start, end + 1), slot))
            found.append((start, end, slot))
    missing = []
    for slot, value in entities.items():
        if slot in {own for _, _, own in found} or value.lower() in NOT_TEXT:
            continue
        span = nearest(words, value, taken)
        if span is None:
            missing.append(slot)
            continue
        taken.update(dict.fromkeys(range(span[0], span[1] + 1), slot))
        found.append((*span, slot))
    gaps = [_Gap(places[start], places[end] + 1, slot) for start, end, slot in sorted(found)]
    return gaps, tuple(missing)


def _absorb(gaps: Sequence[_Gap], line: Sequence[Token]) -> None:
    """An article before and a possessive after belong to an entity; a bracket within it is closed."""
    for gap in gaps:
        after = line[gap.end].text if gap.end < len(line) else ""
        # "the Karnataka region", but not "the Karnataka borders": words in -s and -ed are taken for verbs
        modifies = after[:1].islower() and after not in FUNCTION_WORDS and not after.endswith(("s", "ed"))
        if gap.start and line[gap.start - 1].key in ARTICLES and not modifies:
            gap.start -= 1
        inside = [token.text for token in line[gap.start : gap.end]]
        for opening, closing in ("()", '""'):
            after = line[gap.end].text if gap.end < len(line) else ""
            if after == closing and inside.count(opening) > (inside.count(closing) if closing != opening else 0):
                gap.end += 1
        if gap.end < len(line) and line[gap.end].text.lower() in ("'s", "’s"):
            gap.end += 1


def _with_pronouns(gaps: Sequence[_Gap], line: Sequence[Token], subjects: Collection[str]) -> list[_Gap]:
    """Pronouns as slots of the first subject of their sentence before them, or else of the last one that has any."""
    starts = {gap.start: gap for gap in gaps}
    found: list[_Gap] = []
    topic, first, place = "", "", 0
    while place < len(line):
        if gap := starts.get(place):
            found.append(gap)
            first = first or (gap.slot if gap.slot in subjects else "")
            place = gap.end
            continue
        if line[place].key in PRONOUNS and (first or topic):
            found.append(_Gap(place, place + 1, first or topic, "pronoun"))
            first = first or topic
        elif line[place].text in (".", "?", "!"):
            topic, first = first or topic, ""
        place += 1
    return found


# How well induced templates agree with annotated ones, where a corpus has both.


_WORD = re.compile(r"\w+(?:-\d+)?")


@dataclass(frozen=True)
class Accuracy(Jsonable):
    """Slots in common, in order; `recall_by_kind` counts annotated expressions whose slot was found as often."""

    KEYS = "..., precision, recall, same"

    texts: int
    annotated: int
    induced: int
    shared: int
    identical: int
    recall_by_kind: dict[str, float]

    @property
    def precision(self) -> float:
        """Share of the induced slots that the annotation has."""
        return self.shared / self.induced if self.induced else 0.0

    @property
    def recall(self) -> float:
        """Share of the annotated slots that were induced."""
        return self.shared / self.annotated if self.annotated else 0.0

    @property
    def same(self) -> float:
        """Share of templates that are the same up to case and punctuation."""
        return self.identical / self.texts if self.texts else 0.0


def accuracy(entries: Iterable[Entry]) -> Accuracy | None:
    """Induce a template for each text that has one; None where no text has."""
    texts = annotated = induced = shared = identical = 0
    kinds: Counter[str] = Counter()
    hits: Counter[str] = Counter()
    for entry in entries:
        for text in entry.texts:
            if text.template is None:
                continue
            found = delexicalise(text.text, entry.triples, entry.entities)
            ours = [slot.name for slot in found.template.slots]
            theirs = [slot.name for slot in text.template.slots]
            texts, annotated, induced = texts + 1, annotated + len(theirs), induced + len(ours)
            shared += lcs_table(ours, theirs)[-1][-1]
            identical += comparable(found.template) == comparable(text.template)
            left = Counter(ours)
            for mention in sorted(text.mentions, key=lambda m: KINDS.index(m.kind) if m.kind in KINDS else 9):
                kinds[mention.kind] += 1
                hits[mention.kind] += left[mention.slot] > 0
                left[mention.slot] -= 1
    if not texts:
        return None
    recalls = {kind: hits[kind] / kinds[kind] for kind in KINDS if kinds[kind]}
    return Accuracy(texts, annotated, induced, shared, identical, recalls)


def comparable(template: Template) -> tuple[str, ...]:
    """A template's words without case and punctuation."""
    return tuple(_WORD.findall(str(template).lower()))
