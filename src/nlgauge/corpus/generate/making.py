"""Texts of one set, drawn and realised one after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from nlgauge.corpus.generate.config import NOISE, Config, Insertion
from nlgauge.corpus.generate.plan import KindPlan, SplitPlan
from nlgauge.corpus.generate.rules import Arrangement, Forms, Names, forms, joined
from nlgauge.errors import InputError

# Draws whose shares come out as asked for: cards are dealt in rounds, and what a round leaves over is carried on.


T = TypeVar("T")
AHEAD = 1024  # cards that are shuffled at a time
LEAST = 16  # cards of a round, where shares differ


class Deck(Generic[T]):
    """Options by shares. After any number of whole rounds, each has been dealt within one of its share.

    >>> deck = Deck(["a", "b"], [0.75, 0.25], np.random.default_rng(1))
    >>> [deck.draw() for _ in range(16)].count("b")
    4
    """

    __slots__ = ("_carried", "_even", "_rng", "_shares", "cards", "options", "round")

    def __init__(self, options: Sequence[T], shares: Sequence[float], rng: np.random.Generator) -> None:
        self.options, self._rng = list(options), rng
        self._shares = np.array(shares, dtype=np.float64)
        self._carried = np.zeros(len(self.options))
        self._even, self.round = _alike(shares), round_of(shares)
        self.cards: list[T] = []

    def draw(self) -> T:
        """The next card."""
        if not self.cards:
            self._fill()
        return self.cards.pop()

    def draw_but(self, but: Container[T]) -> T:
        """The next card that is none of some others; those come next. With one option there is no choice."""
        card = self.draw()
        skipped = []
        while card in but and len(self.options) > 1:
            skipped.append(card)
            card = self.draw()
        self.cards += skipped
        return card

    def _fill(self) -> None:
        size = len(self.options)
        if size == 1:
            self.cards = self.options * AHEAD
            return
        rounds = max(1, AHEAD // self.round)
        if self._even:
            dealt = self._rng.permuted(np.tile(np.arange(size), (rounds, 1)), axis=1).reshape(-1)
        else:
            dealt = np.concatenate([self._dealt() for _ in range(rounds)])
        options = self.options
        self.cards = [options[place] for place in dealt.tolist()]

    def _dealt(self) -> NDArray[np.int64]:
        """A round by shares and what was carried, in whole numbers."""
        due = self._shares * self.round + self._carried
        counts = np.maximum(np.floor(due), 0).astype(np.int64)
        lacking = self.round - int(counts.sum())
        order = np.argsort(counts - due, kind="stable")  # those that are due most first
        if lacking > 0:
            counts[order[:lacking]] += 1
        elif lacking < 0:
            counts[order[counts[order] > 0][lacking:]] -= 1
        self._carried = due - counts
        found: NDArray[np.int64] = self._rng.permutation(np.repeat(np.arange(len(counts)), counts))
        return found


def round_of(shares: Sequence[float]) -> int:
    """Cards of a round: as many as options where all are alike, else a multiple of them and no fewer than LEAST."""
    size = len(shares)
    return size if _alike(shares) else size * -(-LEAST // size)


def _alike(shares: Sequence[float]) -> bool:
    return max(shares) - min(shares) < 1e-12


Fact = tuple[str, str, str]
CHUNK = 2048
WAITING = 64  # times as many predicates as a kind has that may wait for their text


@dataclass
class Found:
    """What the texts of a set show, counted as they are written."""

    texts: int = 0
    sizes: Counter[int] = field(default_factory=Counter)
    subjects: Counter[str] = field(default_factory=Counter)
    predicates: Counter[str] = field(default_factory=Counter)
    values: Counter[tuple[str, str]] = field(default_factory=Counter)
    templates: Counter[str] = field(default_factory=Counter)
    orders: Counter[str] = field(default_factory=Counter)
    noise: Counter[str] = field(default_factory=Counter)


class _Kind:
    """The decks of one kind of entity."""

    def __init__(self, kind: KindPlan, sizes: tuple[int, ...], rng: np.random.Generator) -> None:
        self.subjects = Deck(kind.subjects.options, kind.subjects.shares, rng)
        self.sizes = Deck(sizes, [1 / len(sizes)] * len(sizes), rng)
        self.names = kind.predicates.options
        self._deck = Deck(self.names, kind.predicates.shares, rng)
        self._waiting: list[str] = []

    def predicates(self, count: int) -> list[str]:
        """Different predicates; one that comes twice waits for the next text."""
        if count == 1 and not self._waiting:
            return [self._deck.draw()]
        found: list[str] = []
        for name in list(self._waiting):
            if len(found) < count and name not in found:
                found.append(name)
                self._waiting.remove(name)
        while len(found) < count:
            name = self._deck.draw()
            if name not in found:
                found.append(name)
                continue
            self._waiting.append(name)
            if len(self._waiting) > WAITING * len(self.names):
                raise InputError(
                    f"predicates.frequency cannot be had with {count} triples an entity: {self._waiting[0]} would "
                    "stand twice in a text; ask for fewer triples or for shares that are more alike"
                )
        return found


class Making:
    """The texts of a set: `rows` gives them, `found` says what they showed so far."""

    def __init__(self, config: Config, split: SplitPlan, rules: Arrangement, entities: dict[str, Names]) -> None:
        self.found = Found()
        self._split, self._rules = split, rules
        place = list(config.splits).index(split.name)
        self._rng = rng = np.random.default_rng([config.seed, place])
        kinds = [_Kind(kind, config.triples, rng) for kind in split.kinds.options]
        self._kinds = Deck(kinds, split.kinds.shares, rng)
        self._subjects = _even(config.subjects, rng)
        self._templates = {
            name: Deck([(known.name, known.pattern, known.slots) for known in options.options], options.shares, rng)
            for name, options in split.templates.items()
        }
        self._values = {name: Deck(options.options, options.shares, rng) for name, options in split.values.items()}
        self._orders = _even(range(max(1, len(rules.orders))), rng)
        self._numbers = _even(rules.sentences or (1,), rng)
        share = config.aggregation.share if isinstance(config.aggregation, Insertion) else 0.0
        self._inserted = Deck([True, False], [share, 1 - share], rng)
        rates = [getattr(config.noise, kind) for kind in NOISE]
        noisy = split.name in config.noise.splits and sum(rates) > 0
        self._noise = Deck(["", *NOISE], [1 - sum(rates), *rates], rng) if noisy else None
        self._waiting: list[str] = []  # noise for which no text could serve yet
        self._names = self._named(config, entities)
        self._entities = entities
        self._kept: dict[str, dict[str, Forms]] = {
            kind: {name: known.forms(kind) for name, known in entities.items() if known.of(kind)}
            for kind in ("pronoun", "description")
        }

    def _named(self, config: Config, entities: dict[str, Names]) -> dict[str, Deck[Forms]]:
        number = config.called.number
        chosen = {name: known.names[:number] if number else known.names for name, known in entities.items()}
        return {
            name: Deck(list(map(forms, names)), config.called.frequency.weights(len(names)), self._rng)
            for name, names in chosen.items()
        }

    def rows(self) -> Iterator[list[dict[str, Any]]]:
        """The rows of the set, in chunks."""
        for start in range(0, self._split.size, CHUNK):
            count = min(CHUNK, self._split.size - start)
            triples: list[Fact] = []
            said: list[str] = []
            rows = [self._row(start + number, triples, said) for number in range(1, count + 1)]
            found = self.found
            found.texts += count
            found.predicates.update([predicate for _, predicate, _ in triples])
            found.values.update([(predicate, value) for _, predicate, value in triples])
            found.templates.update(said)
            yield rows

    def _input(self, kind: _Kind) -> list[Fact]:
        """The triples of a text."""
        triples: list[Fact] = []
        about: list[str] = []
        for _ in range(self._subjects.draw()):
            subject = kind.subjects.draw_but(about) if about else kind.subjects.draw()
            about.append(subject)
            size = kind.sizes.draw()
            self.found.sizes[size] += 1
            self.found.subjects[subject] += 1
            if known := self._split.facts.get(subject):
                names = list(known)
                places = self._rng.choice(len(names), size, replace=False).tolist()
                for name in [names[place] for place in places]:
                    triples.append((subject, name, known[name][int(self._rng.integers(len(known[name])))]))
                continue
            for name in kind.predicates(size):
                triples.append((subject, name, self._values[name].draw_but((subject,))))
        return triples

    def _row(self, number: int, triples: list[Fact], said: list[str]) -> dict[str, Any]:
        kind = self._kinds.draw()
        given = self._input(kind)
        triples += given
        facts, places, noise = given, list(range(len(given))), None
        if self._noise is not None:
            noise = self._noisy(self._noise.draw(), given, kind)
            if noise:
                facts, places = _with_noise(given, noise)
        text, told = self._text(facts, places, noise, said)
        told["noise"] = noise
        return {
            "item": f"{self._split.name}-{number}",
            "source": given,
            "references": [text],
            "rules": told,
        }

    def _text(
        self, facts: list[Fact], places: Any, noise: dict[str, Any] | None, said: list[str]
    ) -> tuple[str, dict[str, Any]]:
        """The text, and the rules that made it."""
        rules = self._rules
        order = self._orders.draw()
        if len(facts) == 1:
            sentences = [[0]]
        else:
            sentences = rules.segments(facts, rules.ordered(facts, order), self._numbers.draw())
        swapped = noise["place"] if noise and noise["kind"] == "swapped" else -1
        names, templates, references, texts, inserted_into = self._names, [], [], [], []
        before = ""
        for sentence in sentences:
            hosts: dict[int, int] = {}
            if rules.insert and len(sentence) > 1 and swapped < 0:
                hosts = rules.insertions(facts, sentence)
                if hosts and not self._inserted.draw():
                    hosts = {}
            skipped = hosts.values()
            clauses: list[str] = []
            for place in sentence:
                if place in skipped:
                    continue
                subject, predicate, value = facts[place]
                template, pattern, slots = self._templates[predicate].draw()
                kind = rules.expression(subject, before, within=bool(clauses))
                pair = (
                    names[subject].draw() if kind == "name" else self._kept[kind][subject],
                    names[value].draw(),
                )
                if place in hosts:
                    pair = (pair[0], self._modified(facts[hosts[place]][2], pair[1][0]))
                    inserted_into.append(predicate)
                elif swapped >= 0 and places[place] == swapped:
                    pair, kind = (names[value].draw(), names[subject].draw()), "name"
                clauses.append(pattern % tuple([pair[role][form] for role, form in slots]))
                templates.append(template)
                references.append((kind, pair[0][0], pair[1][0]))
                before = subject
            texts.append(joined(clauses))
        said += templates
        found = self.found
        name = rules.order_name(order)
        found.orders[name] += 1
        return " ".join(texts), {
            "templates": templates,
            "order": name,
            "segmentation": rules.segmentation,
            "sentences": [[places[place] for place in sentence] for sentence in sentences],
            "inserted": inserted_into,
            "references": references,
        }

    def _modified(self, value: str, noun: str) -> Forms:
        """A noun after the adjective of a value."""
        return forms(f"{self._entities[value].modifier} {noun}")

    def _noisy(self, drawn: str, given: list[Fact], kind: _Kind) -> dict[str, Any] | None:
        """The noise of this text: what waits first. What no text of its form can have waits."""
        if drawn:
            self._waiting.append(drawn)
        for waiting in self._waiting:
            if made := self._made(waiting, given, kind):
                self._waiting.remove(waiting)
                self.found.noise[waiting] += 1
                return made
        return None

    def _made(self, noise: str, given: list[Fact], kind: _Kind) -> dict[str, Any] | None:
        place = int(self._rng.integers(len(given)))
        subject, predicate, value = given[place]
        if noise == "missing":
            return {"kind": noise, "place": place} if len(given) > 1 else None
        if noise == "swapped":
            return {"kind": noise, "place": place, "said": (value, predicate, subject)} if subject != value else None
        if noise == "wrong":
            return self._drawn(noise, place, (subject, predicate), {*given, (subject, predicate, subject)})
        own = {name for about, name, _ in given if about == subject}
        others = [name for name in kind.names if name not in own]
        if not others:
            return None
        added = others[int(self._rng.integers(len(others)))]
        return self._drawn(noise, place, (subject, added), {(subject, added, subject)})

    def _drawn(self, noise: str, place: int, about: tuple[str, str], but: set[Fact]) -> dict[str, Any] | None:
        """A fact with another value; none where there is none that is called otherwise."""
        subject, predicate = about
        called = {self._entities[value].names[0] for own, name, value in but if (own, name) == about}
        values = [v for v in self._values[predicate].options if self._entities[v].names[0] not in called]
        if not values:
            return None
        value = values[int(self._rng.integers(len(values)))]
        return {"kind": noise, "place": place, "said": (subject, predicate, value)}


def _even(options: Any, rng: np.random.Generator) -> Deck[int]:
    known = list(options)
    return Deck(known, [1 / len(known)] * len(known), rng)


def _with_noise(given: list[Fact], noise: dict[str, Any]) -> tuple[list[Fact], list[int]]:
    """What is said, and the place of each fact in the input; -1 for one that is not there."""
    place, kind = noise["place"], noise["kind"]
    facts, places = list(given), list(range(len(given)))
    if kind == "missing":
        del facts[place], places[place]
    elif kind == "wrong":
        facts[place] = noise["said"]
    elif kind == "added":  # behind the last fact about the same entity
        last = max(k for k, fact in enumerate(given) if fact[0] == noise["said"][0])
        facts.insert(last + 1, noise["said"])
        places.insert(last + 1, -1)
    return facts, places
