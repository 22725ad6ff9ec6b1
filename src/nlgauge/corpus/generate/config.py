"""What the file of `nlgauge corpus generate` may say.

source: places.jsonl
templates: {number: 2, frequency: {kind: zipf, exponent: 1}}
triples: [1, 2, 3]
order: alphabetical
segmentation: {kind: every, triples: 2}
references: {again: pronoun}
train: 10000
tests:
  seen: 1000
  unseen: {size: 1000, entities: 0}
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import yaml

from nlgauge.corpus.generate.rules import SLOT
from nlgauge.errors import InputError, suggest
from nlgauge.io.fields import Kinds, Problem, Reader, key
from nlgauge.io.trees import read_tree

NOISE = ("wrong", "missing", "added", "swapped")
CHOICES = ("predicates", "templates", "entities", "values", "names")
MOST = 1_000_000_000  # texts of a set
_STRAY = re.compile(r"[{}\x00-\x1f\x7f]")  # what a clause cannot hold besides its gaps


@dataclass(frozen=True)
class Frequency:
    """How often each of several is used: here all alike."""

    def weights(self, count: int) -> list[float]:
        """Shares of the first, the second and so on."""
        return [1 / count] * count


@dataclass(frozen=True)
class Zipf(Frequency):
    """By rank: the r-th as often as 1 / r to the exponent."""

    exponent: float = key("of the ranks", default=1.0, least=0.0, most=10.0)

    def weights(self, count: int) -> list[float]:
        found = [rank**-self.exponent for rank in range(1, count + 1)]
        return [weight / sum(found) for weight in found]


@dataclass(frozen=True)
class Weights(Frequency):
    """As given."""

    shares: tuple[float, ...] = key("of the first, the second and so on; they are divided by their sum", least=1e-9)

    def weights(self, count: int) -> list[float]:
        found = self.shares[:count]
        return [weight / sum(found) for weight in found]


FREQUENCIES = Kinds({"uniform": Frequency, "zipf": Zipf, "given": Weights})


@dataclass(frozen=True)
class Choice:
    """How many of what the data have are used, and how often each."""

    number: int = key("how many, those first that the data have most often (0: all)", default=0, least=0)
    frequency: Annotated[Frequency, FREQUENCIES] = field(
        default_factory=Frequency, metadata={"about": "uniform, zipf or given"}
    )


@dataclass(frozen=True)
class Entity:
    """How an entity is called."""

    SHORT: ClassVar[str] = "names"
    names: tuple[str, ...] = key("its names, the usual one first", alone=True)
    pronoun: Literal["", "it", "he", "she", "they"] = key("its pronoun", default="")
    description: str = key("a description, such as the bridge", default="")
    adjective: str = key("what it is as an adjective: American", default="")


@dataclass(frozen=True)
class Held:
    """A development or test set: its size, and which share of what it uses the training set uses too."""

    SHORT: ClassVar[str] = "size"
    size: int = key("texts", least=1, most=MOST)
    templates: float = key("share of its templates that training has", default=1.0, least=0.0, most=1.0)
    entities: float = key("share of the entities it is about that training has", default=1.0, least=0.0, most=1.0)
    values: float = key("share of its values that training has", default=1.0, least=0.0, most=1.0)


@dataclass(frozen=True)
class Order:
    """Of the triples of an entity: here as in the input."""

    name: ClassVar[str] = "input"


@dataclass(frozen=True)
class Alphabetical(Order):
    """By the names of the predicates."""

    name: ClassVar[str] = "alphabetical"


@dataclass(frozen=True)
class ByContent(Order):
    """As listed; other predicates follow by their names."""

    name: ClassVar[str] = "content"
    first: tuple[str, ...] = key("predicates, first to last")


@dataclass(frozen=True)
class RandomOrder(Order):
    """One of several orders that were drawn once."""

    name: ClassVar[str] = "random"
    orders: int = key("how many different orders", default=2, least=1, most=1000)


ORDERS = Kinds({"input": Order, "alphabetical": Alphabetical, "content": ByContent, "random": RandomOrder})


@dataclass(frozen=True)
class Every:
    """So many triples a sentence."""

    name: ClassVar[str] = "every"
    triples: int = key("triples a sentence; the last may have fewer", default=1, least=1)


@dataclass(frozen=True)
class ByPredicate:
    """Some predicates begin a sentence."""

    name: ClassVar[str] = "predicate"
    begin: tuple[str, ...] = key("predicates that begin a sentence")


@dataclass(frozen=True)
class ByEntity:
    """Another subject begins a sentence."""

    name: ClassVar[str] = "entity"


@dataclass(frozen=True)
class ByBoth:
    """Another subject does, and so do some predicates."""

    name: ClassVar[str] = "both"
    begin: tuple[str, ...] = key("predicates that begin a sentence")


@dataclass(frozen=True)
class Number:
    """So many sentences a text, of nearly the same number of triples."""

    name: ClassVar[str] = "number"
    sentences: tuple[int, ...] = key(
        "numbers of sentences, each as often; at most one sentence a triple", least=1, alone=True
    )


Segmentation = Every | ByPredicate | ByEntity | ByBoth | Number
SEGMENTATIONS = Kinds({"every": Every, "predicate": ByPredicate, "entity": ByEntity, "both": ByBoth, "number": Number})


@dataclass(frozen=True)
class Aggregation:
    """Facts of one sentence: here joined by commas and "and"."""


@dataclass(frozen=True)
class Insertion(Aggregation):
    """A fact may become an adjective in another, as in "an American test pilot"; what remains is joined."""

    insert: Mapping[str, str] = key("which predicate becomes an adjective of which: {nationality: occupation}")
    share: float = key("of the sentences that have both predicates of an entity", default=1.0, least=0.0, most=1.0)


AGGREGATIONS = Kinds({"conjunction": Aggregation, "adjective": Insertion})


@dataclass(frozen=True)
class References:
    """How the entity that a clause is about is referred to."""

    first: Literal["name", "description"] = key("where the text has not just been about it", default="name")
    again: Literal["name", "pronoun", "description"] = key("at the start of a further sentence", default="name")
    within: Literal["name", "pronoun", "description"] = key("in a further clause of the same sentence", default="name")


@dataclass(frozen=True)
class Noise:
    """Shares of the texts with one error of a kind."""

    wrong: float = key("a value is replaced by another of its predicate", default=0.0, least=0.0, most=1.0)
    missing: float = key("a fact is not said", default=0.0, least=0.0, most=1.0)
    added: float = key("a fact is said that the input does not have", default=0.0, least=0.0, most=1.0)
    swapped: float = key("subject and object of a fact change places", default=0.0, least=0.0, most=1.0)
    splits: tuple[str, ...] = key("the sets that have it", default=("train",), alone=True)


@dataclass(frozen=True)
class Config:
    """Everything a corpus is made by."""

    train: int = key("texts of the training set", least=1, most=MOST)
    source: tuple[str, ...] = key(
        "corpora with templates, from the folder of this file unless absolute", default=(), alone=True
    )
    lexicalisations: Mapping[str, tuple[str, ...]] = key(
        "further templates: {founder: ['{object} founded {subject}']}", default={}
    )
    names: Mapping[str, Entity] = key("further entities and their names", default={})
    known: tuple[str, ...] = key("further facts: subject | predicate | object", default=())
    fill: tuple[str, ...] = key(
        "tables of further facts (columns subject, predicate, object; or JSON lines)", default=(), alone=True
    )
    facts: Literal["recombined", "given"] = key(
        "whether an entity may have any value of its predicates, or only those of the data",
        default="recombined",
    )
    only: tuple[str, ...] = key("predicates to use, in the order of their ranks (all)", default=())
    predicates: Choice = field(default_factory=Choice, metadata={"about": "number and frequency of predicates"})
    templates: Choice = field(default_factory=Choice, metadata={"about": "of templates, for each predicate"})
    entities: Choice = field(
        default_factory=Choice,
        metadata={"about": "of entities that texts are about, each kind"},
    )
    values: Choice = field(default_factory=Choice, metadata={"about": "of values, for each predicate"})
    called: Choice = field(
        default_factory=lambda: Choice(1),
        metadata={"about": "of names, for each entity; one that has fewer uses all it has"},
    )
    triples: tuple[int, ...] = key("triples about an entity, each as often", default=(1,), least=1, alone=True)
    subjects: tuple[int, ...] = key("entities an input is about, each as often", default=(1,), least=1, alone=True)
    dev: Held | None = field(default=None, metadata={"about": "the development set"})
    tests: Mapping[str, Held] = key("test sets by name", default={})
    order: Annotated[Order, ORDERS] = field(
        default_factory=Order, metadata={"about": "input, alphabetical, content or random"}
    )
    segmentation: Annotated[Segmentation, SEGMENTATIONS] = field(
        default_factory=Every, metadata={"about": "every, predicate, entity, both or number"}
    )
    aggregation: Annotated[Aggregation, AGGREGATIONS] = field(
        default_factory=Aggregation, metadata={"about": "conjunction or adjective"}
    )
    references: References = field(
        default_factory=References, metadata={"about": "name, pronoun or description, and when"}
    )
    noise: Noise = field(default_factory=Noise, metadata={"about": "errors put in"})
    seed: int = key("of all draws", default=1, least=0, most=2**63 - 1)

    @property
    def splits(self) -> dict[str, Held]:
        """The sets by name; training comes first."""
        held = {"train": Held(self.train), **({"dev": self.dev} if self.dev else {})}
        return {**held, **self.tests}

    def problems(self) -> Iterator[tuple[str, str]]:
        """What does not fit together: the key, and why."""
        if not self.source and not (self.lexicalisations and (self.known or self.fill)):
            said = "there is no source; name a corpus with templates, or give lexicalisations, and known or fill"
            yield "source", said
        for where, values in self._lists():
            if not values:
                yield where, f"{where} is an empty list; name at least one, or leave the key out"
            for value in {value for value in values if isinstance(value, str) and values.count(value) > 1}:
                yield where, f"{where} names {value!r} twice; leave one out"
        for predicate, clauses in self.lexicalisations.items():
            for number, words in enumerate(clauses, 1):
                slots, between = {match[2] for match in SLOT.finditer(words)}, SLOT.sub("", words)
                said = ""
                if slots != {"subject", "object"} or words.rstrip().endswith("."):
                    said = "is no clause with {subject} and {object}, without a full stop"
                elif _STRAY.search(between):
                    said = "has a line break or a brace beside {subject} and {object}; take it out"
                if said:
                    yield f"lexicalisations.{predicate}.{number}", f"{words!r} {said}"
        for number, fact in enumerate(self.known, 1):
            if len(parts := fact.split(" | ")) != 3 or not all(map(str.strip, parts)):
                yield f"known.{number}", f"{fact!r} is no triple; expected subject | predicate | object"
        taken = {"train": "train", "dev": "dev"}
        for name in self.tests:
            if not name.replace("-", "").replace("_", "").isalnum():
                yield f"tests.{name}", f"{name!r} names a file; use letters, digits, - and _"
            if (other := taken.setdefault(name.casefold(), name)) != name or name in ("train", "dev"):
                yield f"tests.{name}", f"the set {other} would have the same file; give {name} another name"
        for name in self.noise.splits:
            if name not in self.splits:
                yield "noise.splits", f"there is no set {name!r}; {suggest(name, self.splits)}"
        if (total := sum(getattr(self.noise, kind) for kind in NOISE)) > 1:
            said = f"a text has one error at most, and the rates add up to {total:g}; lower them to 1"
            yield "noise", said
        if isinstance(self.aggregation, Insertion):
            for name, host in self.aggregation.insert.items():
                if host in self.aggregation.insert:
                    said = f"{name} becomes an adjective of {host}, which is one itself; take one of the two out"
                    yield f"aggregation.insert.{name}", said
        for name in CHOICES:
            where, choice = _key(name), self.choice(name)
            if isinstance(choice.frequency, Weights) and choice.number != len(choice.frequency.shares):
                given = f"{len(choice.frequency.shares)} shares are given for {where}.number {choice.number}"
                yield f"{where}.frequency", f"{given}; give one for each"
            if self.facts == "given" and name in ("predicates", "values") and choice != Choice():
                said = f"{where} cannot be chosen where facts are those given; write facts: recombined"
                yield where, said
        for split, held in self.splits.items():
            for name in ("templates", "entities", "values"):
                if getattr(held, name) < 1 and not self.choice(name).number:
                    yield (
                        f"tests.{split}" if split in self.tests else split,
                        f"{split} is to have {name} that training does not have; say how many are used "
                        f"({name}: {{number: …}})",
                    )

    def _lists(self) -> Iterator[tuple[str, tuple[Any, ...]]]:
        """Lists that must name something, each once where it is a name."""
        yield from (("triples", self.triples), ("subjects", self.subjects))
        yield from ((f"lexicalisations.{name}", clauses) for name, clauses in self.lexicalisations.items())
        yield from ((f"names.{name}.names", entity.names) for name, entity in self.names.items())
        if self.only:
            yield "only", self.only
        if isinstance(self.order, ByContent):
            yield "order.first", self.order.first
        if isinstance(self.segmentation, ByPredicate | ByBoth):
            yield "segmentation.begin", self.segmentation.begin
        if isinstance(self.segmentation, Number):
            yield "segmentation.sentences", self.segmentation.sentences
        for name in CHOICES:
            if isinstance(frequency := self.choice(name).frequency, Weights):
                yield f"{_key(name)}.frequency.shares", frequency.shares

    def choice(self, name: str) -> Choice:
        """A choice by its name among CHOICES."""
        found: Choice = getattr(self, _key(name))
        return found


def _key(name: str) -> str:
    return "called" if name == "names" else name


def read_config(path: str | Path) -> Config:
    """Read a file; every problem at once, with line and column."""
    path = Path(path)
    node = read_tree(path)
    if node is None:
        raise InputError(f"{path} is empty; nlgauge corpus generate --help shows what stands in such a file")
    found, problems = read_node(node)
    if found is None:
        ordered = sorted(problems, key=lambda problem: (problem.line, problem.column))
        raise InputError(f"{path}: {'; '.join(dict.fromkeys(problem.at_column() for problem in ordered))}")
    return found


def read_node(node: yaml.Node) -> tuple[Config | None, list[Problem]]:
    """The configuration that a tree holds, or none and every problem."""
    reader = Reader(called="the file")
    found: Config | None = reader.read(Config, node, "")
    problems = list(reader.problems)
    for where, said in found.problems() if found is not None else ():
        problems.append(Problem(reader.lines.get(where, 0), where, said, reader.columns.get(where, 0)))
    return (None if problems else found), problems


def check_predicates(config: Config, known: Sequence[str]) -> None:
    """Refuse predicates that the data do not have."""
    named = [("only", config.only), ("known", tuple(fact.split(" | ")[1].strip() for fact in config.known))]
    if isinstance(config.order, ByContent):
        named.append(("order.first", config.order.first))
    if isinstance(config.segmentation, ByPredicate | ByBoth):
        named.append(("segmentation.begin", config.segmentation.begin))
    if isinstance(config.aggregation, Insertion):
        named.append(("aggregation.insert", (*config.aggregation.insert, *config.aggregation.insert.values())))
    for where, names in named:
        for name in names:
            if name not in known:
                raise InputError(f"{where} names {name!r}, which the data do not have; {suggest(name, known)}")
