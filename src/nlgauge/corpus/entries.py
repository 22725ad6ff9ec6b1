"""What a corpus is made of: inputs of triples, texts, and the templates and referring expressions inside the texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Role = Literal["subject", "object"]
KINDS = (
    "name",
    "pronoun",
    "description",
    "demonstrative",
)  # of referring expressions, as enriched WebNLG has them


@dataclass(frozen=True)
class Triple:
    """One fact. The subject is empty where the input is a list of attributes, as E2E's."""

    subject: str
    predicate: str
    object: str

    def __str__(self) -> str:
        return (
            f"{self.subject} | {self.predicate} | {self.object}" if self.subject else f"{self.predicate}[{self.object}]"
        )


@dataclass(frozen=True)
class Slot:
    """A gap of a template: its name there (AGENT-1), and in which triples the entity stands, by (predicate, role)."""

    name: str
    bound: tuple[tuple[str, Role], ...] = ()

    def __str__(self) -> str:
        return self.name


Part = str | Slot


@dataclass(frozen=True)
class Template:
    """A text without its entities: sentences of words and slots.

    >>> template = Template(((Slot("AGENT-1", (("cityServed", "subject"),)), "serves", Slot("PATIENT-1"), "."),))
    >>> str(template)
    'AGENT-1 serves PATIENT-1 .'
    >>> template.fill({"AGENT-1": "Aarhus Airport", "PATIENT-1": "Aarhus"})
    'Aarhus Airport serves Aarhus .'
    """

    sentences: tuple[tuple[Part, ...], ...]

    @property
    def slots(self) -> list[Slot]:
        """The slots in the order of the text, each as often as it occurs."""
        return [part for sentence in self.sentences for part in sentence if isinstance(part, Slot)]

    def fill(self, realisations: Mapping[str, str]) -> str:
        """The text with a realisation in each slot, still tokenised."""
        return " ".join(
            part if isinstance(part, str) else realisations[part.name]
            for sentence in self.sentences
            for part in sentence
        )

    def __str__(self) -> str:
        return " ".join(str(part) for sentence in self.sentences for part in sentence)


@dataclass(frozen=True)
class Mention:
    """One referring expression in a text: the slot it fills, its kind (one of KINDS) and its words."""

    slot: str
    kind: str
    text: str


@dataclass(frozen=True)
class Entity:
    """An entity and how texts refer to it: (kind, words) and how often."""

    name: str
    realisations: Mapping[tuple[str, str], int]


@dataclass(frozen=True)
class Text:
    """A text of an entry: a person's, or a generator's with the names of the `rules` that made it.

    `order` holds the places of the entry's triples, sentence by sentence, where that is known.
    """

    text: str
    template: Template | None = None
    mentions: tuple[Mention, ...] = ()
    order: tuple[tuple[int, ...], ...] = ()
    rules: tuple[str, ...] = ()


@dataclass(frozen=True)
class Entry:
    """An input and its texts.

    `original` are the triples as the source has them, where the corpus has renamed predicates (WebNLG's `otriple`).
    `entities` names the entity of each slot. `annotated`: templates come with the data, and a missing one is a fact.
    """

    item: str
    triples: tuple[Triple, ...]
    texts: tuple[Text, ...]
    category: str = ""
    split: str = ""
    original: tuple[Triple, ...] = ()
    entities: Mapping[str, str] = field(default_factory=dict)
    annotated: bool = False

    @property
    def key(self) -> tuple[str, str]:
        """Split and item."""
        return self.split, self.item


@dataclass(frozen=True)
class Output:
    """What a system wrote for an item of a split, with people's mean ratings by criterion."""

    item: str
    system: str
    text: str
    ratings: Mapping[str, float] = field(default_factory=dict)
    split: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """Names the entry: splits may call their items alike."""
        return self.split, self.item


@dataclass(frozen=True)
class Corpus:
    """Entries, and the outputs of systems where the data hold any."""

    entries: tuple[Entry, ...]
    outputs: tuple[Output, ...] = ()

    def texts(self) -> Iterator[tuple[Entry, Text]]:
        """Every text with its entry."""
        return ((entry, text) for entry in self.entries for text in entry.texts)


def slot_names(triples: Sequence[Triple]) -> dict[str, str]:
    """A slot for each entity: AGENT (only subject), PATIENT (only object), BRIDGE (both), numbered as they come.

    Attributes without a subject give their own names.

    >>> slot_names([Triple("A", "capital", "B"), Triple("B", "leader", "C")])
    {'AGENT-1': 'A', 'BRIDGE-1': 'B', 'PATIENT-1': 'C'}
    """
    subjects = {triple.subject for triple in triples if triple.subject}
    objects = {triple.object for triple in triples if triple.subject}
    found: dict[str, str] = {}
    counts = {"AGENT": 0, "PATIENT": 0, "BRIDGE": 0}
    for triple in triples:
        if not triple.subject:
            found.setdefault(triple.predicate.replace(" ", "-"), triple.object)
            continue
        for name in (triple.subject, triple.object):
            if name in found.values():
                continue
            kind = "BRIDGE" if name in subjects and name in objects else "AGENT" if name in subjects else "PATIENT"
            counts[kind] += 1
            found[f"{kind}-{counts[kind]}"] = name
    return found


def bindings(name: str, triples: Sequence[Triple]) -> tuple[tuple[str, Role], ...]:
    """Where an entity stands in the triples."""
    found: list[tuple[str, Role]] = []
    for triple in triples:
        if triple.subject == name:
            found.append((triple.predicate, "subject"))
        if triple.object == name:
            found.append((triple.predicate, "object"))
    return tuple(dict.fromkeys(found))


def make_template(words: Sequence[str], entities: Mapping[str, str], triples: Sequence[Triple]) -> Template:
    """A template of words, those that name a slot as slots; a sentence ends with a full stop, ? or !."""
    sentences: list[tuple[Part, ...]] = []
    sentence: list[Part] = []
    for word in words:
        sentence.append(Slot(word, bindings(entities[word], triples)) if word in entities else word)
        if word in (".", "?", "!"):
            sentences.append(tuple(sentence))
            sentence = []
    if sentence:
        sentences.append(tuple(sentence))
    return Template(tuple(sentences))
