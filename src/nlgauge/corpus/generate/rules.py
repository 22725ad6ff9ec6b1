"""The rules that make texts of triples: lexicalisations of predicates, names of entities, and how facts are arranged.

They are plain values, so that a generator writes them beside its texts and conformity reads them back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

SLOT = re.compile(r"(?:\b(an?) (?=\{\w+\}(?!'s)))?\{(subject|object)\}('s)?")
PRONOUNS = {
    "it": ("it", "it", "its"),
    "he": ("he", "him", "his"),
    "she": ("she", "her", "her"),
    "they": ("they", "them", "their"),
}
_CONSONANT = re.compile(r"(?:uni(?!n)|eu|one\b|once\b|us[aei]|ut[ie])", re.IGNORECASE)  # sounds of y and w
_VOWEL = re.compile(r"(?:[aeiou]|hono|hour|heir|honest|8|11\b|18\b)", re.IGNORECASE)

INITIAL, INNER, POSSESSIVE, ARTICLE = range(4)
Forms = tuple[str, str, str, str]
"""A referring expression at the start of a clause, elsewhere, as a possessive, and after an indefinite article."""
Kind = Literal["name", "pronoun", "description"]


def with_article(words: str) -> str:
    """The words after a or an.

    >>> with_article("American test pilot"), with_article("university")
    ('an American test pilot', 'a university')
    """
    return f"{'an' if _VOWEL.match(words) and not _CONSONANT.match(words) else 'a'} {words}"


def forms(words: str) -> Forms:
    """Those of a name or description."""
    return words, words, f"{words}'s", with_article(words)


def pronoun_forms(pronoun: str) -> Forms:
    """Those of a pronoun, named by its subject form."""
    subject, inner, possessive = PRONOUNS[pronoun]
    return subject, inner, possessive, inner


@dataclass(frozen=True)
class Lexicalisation:
    """How a predicate is said: a clause with {subject} and {object}, without a full stop.

    An article before a slot is chosen by what follows; 's after a slot belongs to it.
    """

    name: str
    words: str

    @cached_property
    def slots(self) -> tuple[tuple[int, int], ...]:
        """For each gap, whether the object stands there (1) or the subject (0), and in which form."""
        return tuple(
            (
                int(found[2] == "object"),
                POSSESSIVE if found[3] else ARTICLE if found[1] else INNER if found.start() else INITIAL,
            )
            for found in SLOT.finditer(self.words)
        )

    @cached_property
    def literals(self) -> tuple[str, ...]:
        """The words before, between and behind the gaps."""
        return tuple(SLOT.split(self.words)[::4])

    @cached_property
    def pattern(self) -> str:
        """The clause with %s at each gap."""
        return "%s".join(part.replace("%", "%%") for part in self.literals)

    def clause(self, subject: Forms, value: Forms) -> str:
        """The clause with both named."""
        pair = (subject, value)
        return self.pattern % tuple([pair[role][form] for role, form in self.slots])


@dataclass(frozen=True)
class Names:
    """How texts refer to an entity, the most frequent name first; empty where the data have no such expression."""

    names: tuple[str, ...]
    pronoun: str = ""
    description: str = ""
    adjective: str = ""

    @property
    def modifier(self) -> str:
        """What stands before a noun."""
        return self.adjective or self.names[0]

    def of(self, kind: Kind, name: int = 0) -> str:
        """The words of a kind."""
        return self.names[name] if kind == "name" else getattr(self, kind)

    def forms(self, kind: Kind, name: int = 0) -> Forms:
        """All forms of the words of a kind."""
        return pronoun_forms(self.pronoun) if kind == "pronoun" else forms(self.of(kind, name))


@dataclass(frozen=True)
class Arrangement:
    """How facts become sentences.

    `orders` ranks predicates, one ranking for each order (none: the input's order); `every` triples a sentence (0: no
    such limit), or the numbers of `sentences`; `begin` are predicates that begin a sentence; `by_entity`: another
    subject does. `insert` says which predicate becomes an adjective of which. `free`: any order and segmentation
    will do.
    """

    order: str = "input"
    orders: tuple[tuple[str, ...], ...] = ()
    segmentation: str = "every"
    every: int = 0
    sentences: tuple[int, ...] = ()
    begin: tuple[str, ...] = ()
    by_entity: bool = False
    insert: Mapping[str, str] = field(default_factory=dict)
    always: bool = True  # whether an adjective is inserted wherever it can be
    first: Kind = "name"
    again: Kind = "name"
    within: Kind = "name"
    free: bool = False

    @cached_property
    def ranks(self) -> list[dict[str, int]]:
        """Of each order, where each predicate comes."""
        return [{name: place for place, name in enumerate(order)} for order in self.orders]

    def expression(self, subject: str, before: str, *, within: bool) -> Kind:
        """How a clause refers to its subject; `before`: what the last clause was about, `within` the same sentence."""
        return self.first if subject != before else self.within if within else self.again

    def order_name(self, number: int) -> str:
        """What an order is called."""
        return f"{self.order}/{number + 1}" if len(self.orders) > 1 else self.order

    def ordered(self, triples: Sequence[tuple[str, str, str]], number: int) -> list[int]:
        """The places of triples in the order of the text; entities stay in the order of the input."""
        places = list(range(len(triples)))
        if self.orders and len(places) > 1:
            ranks = self.ranks[number]
            blocks: dict[str, int] = {}
            for subject, _, _ in triples:
                blocks.setdefault(subject, len(blocks))
            places.sort(key=lambda place: (blocks[triples[place][0]], ranks[triples[place][1]]))
        return places

    def segments(self, triples: Sequence[tuple[str, str, str]], places: Sequence[int], number: int) -> list[list[int]]:
        """The places sentence by sentence; `number` of sentences where the rule asks for one."""
        if self.segmentation == "number" and places:
            count = min(number, len(places))
            size, more = divmod(len(places), count)
            cuts = [k * size + min(k, more) for k in range(count + 1)]
            return [list(places[start:end]) for start, end in pairwise(cuts)]
        found: list[list[int]] = []
        before = ""
        for place in places:
            subject, predicate, _ = triples[place]
            if (
                not found
                or (self.every and len(found[-1]) == self.every)
                or (self.by_entity and subject != before)
                or predicate in self.begin
            ):
                found.append([])
            found[-1].append(place)
            before = subject
        return found

    def insertions(self, triples: Sequence[tuple[str, str, str]], sentence: Sequence[int]) -> dict[int, int]:
        """Which triple of a sentence can become an adjective in which other: host → inserted."""
        if not self.insert or len(sentence) < 2:
            return {}
        found: dict[int, int] = {}
        for place in sentence:
            subject, predicate, _ = triples[place]
            host = self.insert.get(predicate)
            for other in sentence:
                if host == triples[other][1] and subject == triples[other][0] and other not in found:
                    found[other] = place
        return found


@dataclass(frozen=True)
class Rules:
    """Everything a text is made by. `shares` are those of the templates of each predicate in training; `counted` says
    in how many texts they were counted, where inputs have several texts or not all texts show a template."""

    lexicalisations: Mapping[str, tuple[Lexicalisation, ...]]
    entities: Mapping[str, Names]
    arrangement: Arrangement = Arrangement()
    shares: Mapping[str, float] = field(default_factory=dict)
    frequencies: Mapping[str, int] = field(default_factory=dict)  # of predicates in training
    counted: Mapping[str, int] = field(default_factory=dict)

    def names(self, entity: str) -> Names:
        """An entity's names; an unknown one is called as it is written."""
        return self.entities.get(entity) or Names((entity.strip('"').replace("_", " "),))

    def to_dict(self) -> dict[str, Any]:
        """The form in which they stand in a manifest."""
        return {
            "lexicalisations": {
                predicate: {known.name: known.words for known in lexicalisations}
                for predicate, lexicalisations in self.lexicalisations.items()
            },
            "entities": {
                name: {key: value for key, value in asdict(names).items() if value}
                for name, names in self.entities.items()
            },
            "arrangement": asdict(self.arrangement),
            "shares": dict(self.shares),
            "frequencies": dict(self.frequencies),
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Rules:
        """Read back; KeyError, TypeError, ValueError or AttributeError where it is something else."""
        told = {
            key: _tuples(value) if isinstance(value, list) else value for key, value in given["arrangement"].items()
        }
        found = cls(
            {
                predicate: tuple(Lexicalisation(name, words) for name, words in known.items())
                for predicate, known in given["lexicalisations"].items()
            },
            {
                name: Names(tuple(more["names"]), **{k: v for k, v in more.items() if k != "names"})
                for name, more in given["entities"].items()
            },
            Arrangement(**told),
            {name: float(share) for name, share in given["shares"].items()},
            {name: int(count) for name, count in given["frequencies"].items()},
        )
        for clause in (clause for known in found.lexicalisations.values() for clause in known):
            if {role for role, _ in clause.slots} != {0, 1}:
                raise ValueError(f"{clause.name} has no gaps for subject and object")
        for name, names in found.entities.items():
            texts = (*names.names, names.pronoun, names.description, names.adjective)
            if not names.names or not all(isinstance(text, str) for text in texts):
                raise ValueError(f"{name} has no names")
        for order in found.arrangement.orders:
            if lacking := sorted(set(found.lexicalisations) - set(order)):
                raise ValueError(f"an order lacks {', '.join(lacking)}")
        return found


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def joined(clauses: Sequence[str]) -> str:
    """A sentence: clauses joined by commas and "and", its first letter a capital."""
    text = clauses[0] if len(clauses) == 1 else f"{', '.join(clauses[:-1])} and {clauses[-1]}"
    return f"{text[:1].upper()}{text[1:]}."
