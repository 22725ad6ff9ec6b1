"""One output against the rules: what it says of its input, which rules it follows, how far it is from conforming."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from nlgauge.corpus.conform.parsing import Fact, Parser, Reading, tokens
from nlgauge.corpus.generate.rules import (
    Arrangement,
    Forms,
    Kind,
    Lexicalisation,
    Rules,
    forms,
    joined,
    pronoun_forms,
)

# The least edits of words that make a text one of those which the rules allow for an input.
#
# The texts that say an input form a lattice: for each order and segmentation a chain of clauses, each with a choice of
# lexicalisations, whose gaps have a choice of names. The edit distance to all of them is computed at once, a row of it
# for each word of the lattice. Where there are many chains, what a clause does to any row is computed once, as a
# matrix of the least edits between two places of the text.


Row = NDArray[np.int32]
MOST = 24  # arrangements that are tried for a text that does not say all, where any will do
FEW = 3  # chains for which rows are cheaper than matrices
FAR = 1 << 20  # edits, more than any text has words
Unit = tuple[int, int | None]  # a triple's place, and that of the one which becomes an adjective in it


class Nearest:
    """Distances of texts to what rules allow."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._lexicalisations = {known.name: known for clauses in rules.lexicalisations.values() for known in clauses}
        self.shortest = lru_cache(maxsize=100_000)(self._shortest)

    def edits(self, text: str, triples: Sequence[Fact], reading: Reading) -> int:
        """Words to insert, delete or replace, at the least, so that the text conforms and says the input."""
        line = tokens(text)
        if not all(predicate in self.rules.lexicalisations for _, predicate, _ in triples):
            return max(1, len(line))  # no text can say such an input
        chains = list(arrangements(self.rules.arrangement, triples, reading))
        if any(self._rebuilt(triples, chain, reading) == line for chain in chains):
            return 0  # most outputs of a trained system conform, and need no table
        distance = _Distance(self.rules, line, once=len(chains) > FEW)
        return min(distance.along(triples, chain) for chain in chains)

    def _rebuilt(self, triples: Sequence[Fact], chain: Sequence[Sequence[Unit]], reading: Reading) -> list[str] | None:
        """The words that a chain gives with the text's own templates and names; None where it is another chain."""
        facts = [
            [(triples[place], None if more is None else triples[more]) for place, more in units] for units in chain
        ]
        if facts != [[(clause.fact, clause.inserted) for clause in own] for own in reading.sentences]:
            return None
        rules, before, found = self.rules.arrangement, "", []
        for own in reading.sentences:
            said = []
            for number, clause in enumerate(own):
                subject = clause.fact[0]
                kind = rules.expression(subject, before, within=number > 0)
                if kind != clause.subject.kind and not rules.free:
                    return None
                before, names = subject, clause.subject
                value = clause.value.words
                if clause.inserted:
                    value = f"{self.rules.names(clause.inserted[2]).modifier} {value}"
                pair = (
                    pronoun_forms(names.words) if names.kind == "pronoun" else forms(names.words),
                    forms(value),
                )
                said.append(self._lexicalisations[clause.template].clause(*pair))
            found.append(joined(said))
        return tokens(" ".join(found))

    def _shortest(self, triples: tuple[Fact, ...]) -> int:
        """Words of the shortest text that conforms: those that an empty text lacks."""
        return max(1, self.edits("", triples, Reading(())))

    def credit(self, edits: int, triples: Sequence[Fact]) -> float:
        """1 less the edits by the words of the shortest conforming text, and no less than 0.

        What it is divided by depends on the input alone, so that of two outputs the one with more edits never has more.
        """
        return max(0.0, 1 - edits / self.shortest(tuple(triples)))


def arrangements(rules: Arrangement, triples: Sequence[Fact], reading: Reading) -> Iterator[list[list[Unit]]]:
    """The sequences of clauses that rules allow; where they are free, that of the text itself."""
    if rules.free:
        yield from _own(triples, reading)
        return
    seen = []
    for order in range(max(1, len(rules.orders))):
        places = rules.ordered(triples, order)
        for number in rules.sentences or (1,):
            sentences = rules.segments(triples, places, number)
            hosts = [rules.insertions(triples, sentence) for sentence in sentences]
            for inserting in (True, False) if any(hosts) and not rules.always else (True,):
                chain: list[list[Unit]] = []
                for sentence, found in zip(sentences, hosts, strict=True):
                    chosen = found if inserting else {}
                    chain.append([(place, chosen.get(place)) for place in sentence if place not in chosen.values()])
                if chain not in seen:
                    seen.append(chain)
                    yield chain


def _own(triples: Sequence[Fact], reading: Reading) -> list[list[list[Unit]]]:
    """As the text has its facts; those that it does not say come anywhere between, each in a sentence."""
    places = {fact: place for place, fact in enumerate(triples)}
    said: set[int] = set()
    chain: list[list[Unit]] = []
    for sentence in reading.sentences:
        own = [places[clause.fact] for clause in sentence if clause.fact in places]
        fresh = [place for place in dict.fromkeys(own) if place not in said]
        said.update(fresh)
        if fresh:
            chain.append([(place, None) for place in fresh])
    chains = [chain]
    for place in range(len(triples)):
        if place not in said:
            several = len(chains) <= MOST
            chains = [
                [*known[:cut], [(place, None)], *known[cut:]]
                for known in chains
                for cut in (range(len(known) + 1) if several else [len(known)])
            ]
    return chains


class _Distance:
    """Rows of edit distances of one text; an entry for each of its beginnings. `once`: each clause is computed once."""

    def __init__(self, rules: Rules, line: Sequence[str], *, once: bool) -> None:
        self.rules, self.arrangement, self._once = rules, rules.arrangement, once
        self._steps = np.arange(len(line) + 1, dtype=np.int32)
        self._line = np.array(line, dtype=object)
        self._differs: dict[str, Row] = {}
        self._matrices: dict[tuple[Unit, Kind | bool], Row] = {}

    def along(self, triples: Sequence[Fact], chain: Sequence[Sequence[Unit]]) -> int:
        """The distance to the nearest text of a chain of clauses."""
        row, before = self._steps, ""
        for sentence in chain:
            for number, unit in enumerate(sentence):
                if number:
                    row = self._word(row, "and" if number == len(sentence) - 1 else ",")
                row = self._clause(row, triples, unit, before=before, inside=number > 0)
                before = triples[unit[0]][0]
            row = self._word(row, ".")
        return int(row[-1])

    def _clause(self, row: Row, triples: Sequence[Fact], unit: Unit, *, before: str, inside: bool) -> Row:
        subject = triples[unit[0]][0]
        rules = self.arrangement
        called = subject == before if rules.free else rules.expression(subject, before, within=inside)
        if not self._once:
            return self._said(row, triples, unit, called)
        matrix = self._matrices.get((unit, called))
        if matrix is None:
            stay = np.full((len(row), len(row)), FAR, dtype=np.int32)
            np.fill_diagonal(stay, 0)
            matrix = self._matrices[unit, called] = self._said(stay, triples, unit, called)
        nearest: Row = (row[:, None] + matrix).min(axis=0)
        return nearest

    def _said(self, row: Row, triples: Sequence[Fact], unit: Unit, kind: Kind | bool) -> Row:
        """A row after a clause, or several rows; `kind` is that of the subject's expression, or whether it may be a
        pronoun, where rules are free."""
        subject, predicate, value = triples[unit[0]]
        names, called = self.rules.names(subject), self.rules.names(value)
        if isinstance(kind, bool):
            subjects = [names.forms("name", k) for k in range(len(names.names))]
            others: list[Kind] = ["pronoun", "description"] if kind else ["description"]
            subjects += [names.forms(other) for other in others if names.of(other)]
        elif kind == "name":
            subjects = [names.forms("name", k) for k in range(len(names.names))]
        else:
            subjects = [names.forms(kind)]
        values = [called.forms("name", k) for k in range(len(called.names))]
        if unit[1] is not None:
            modifier = self.rules.names(triples[unit[1]][2]).modifier
            values = [forms(f"{modifier} {words[0]}") for words in values]
        clauses = self.rules.lexicalisations[predicate]
        begun: dict[tuple[object, ...], Row] = {(): row}
        ends = [self._lexicalised(begun, clause, subjects, values) for clause in clauses]
        nearest: Row = np.minimum.reduce(ends)
        return nearest

    def _lexicalised(
        self,
        begun: dict[tuple[object, ...], Row],
        clause: Lexicalisation,
        subjects: Sequence[Forms],
        values: Sequence[Forms],
    ) -> Row:
        """The row after a lexicalisation; `begun` keeps those after beginnings, which several share."""
        path: tuple[object, ...] = ()
        for literal, slot in zip(clause.literals, [*clause.slots, None], strict=True):
            before, path = begun[path], (*path, literal, slot)
            if path not in begun:
                row = self._words(before, literal)
                if slot is not None:
                    role, form = slot
                    named = dict.fromkeys(names[form] for names in (values if role else subjects))
                    row = np.minimum.reduce([self._words(row, name) for name in named])
                begun[path] = row
        return begun[path]

    def _words(self, row: Row, text: str) -> Row:
        for word in tokens(text):
            row = self._word(row, word)
        return row

    def _word(self, row: Row, word: str) -> Row:
        """The row after one more word of the lattice."""
        differs = self._differs.get(word)
        if differs is None:
            differs = self._differs[word] = (self._line != word).astype(np.int32)
        found = row + np.int32(1)
        np.minimum(found[..., 1:], row[..., :-1] + differs, out=found[..., 1:])
        nearest: Row = np.minimum.accumulate(found - self._steps, axis=-1) + self._steps
        return nearest


FACTS = ("said", "otherwise", "left out", "wrong", "swapped", "added")


@dataclass(frozen=True)
class Checked:
    """An output. `facts` has those of the input by what became of them, and those that were added.

    "otherwise": its value stands in the text, in words of no template. `orders` are the names of the orders that the
    facts are in; `ordered`, `segmented`, `aggregated` and `referred` say whether those rules are followed.
    """

    reading: Reading
    facts: dict[str, tuple[Fact, ...]]
    edits: int
    credit: float
    orders: tuple[str, ...]
    ordered: bool
    segmented: bool
    aggregated: bool
    referred: bool

    @property
    def strict(self) -> bool:
        """Whether it conforms and says its input."""
        return self.edits == 0


class Checker:
    """Checks outputs by rules."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.parser, self.nearest = Parser(rules), Nearest(rules)

    def credit(self, text: str, triples: Sequence[Fact]) -> tuple[int, float]:
        """The least edits and the credit, without the rest."""
        edits = self.nearest.edits(text, triples, self.parser.read(text, triples))
        return edits, self.nearest.credit(edits, triples)

    def check(self, text: str, triples: Sequence[Fact]) -> Checked:
        """Everything about one output."""
        reading = self.parser.read(text, triples)
        edits = self.nearest.edits(text, triples, reading)
        orders, ordered, segmented = self._arranged(reading, triples)
        # Of two entities that are called alike the reading may say one fact twice; a text that conforms says all.
        said = {name: tuple(dict.fromkeys(triples)) if name == "said" else () for name in FACTS}
        return Checked(
            reading=reading,
            facts=self._facts(reading, triples) if edits else said,
            edits=edits,
            credit=self.nearest.credit(edits, triples),
            orders=orders,
            ordered=ordered,
            segmented=segmented,
            aggregated=self._aggregated(reading),
            referred=self._referred(reading),
        )

    def _facts(self, reading: Reading, triples: Sequence[Fact]) -> dict[str, tuple[Fact, ...]]:
        found: dict[str, list[Fact]] = {name: [] for name in FACTS}
        open_ = list(dict.fromkeys(triples))
        told = reading.facts()
        for fact, verdict in told:
            if verdict == "said" and fact in open_:
                open_.remove(fact)
                found["said"].append(fact)
        for fact, verdict in told:
            subject, predicate, value = fact
            meant = next(
                (
                    other
                    for other in open_
                    if (verdict == "swapped" and other == (value, predicate, subject))
                    or (verdict == "wrong" and other[:2] == (subject, predicate))
                ),
                None,
            )
            if meant is not None:
                open_.remove(meant)
                found[verdict].append(fact)
            elif verdict != "said":  # of a fact that was said already, too
                found["added"].append(fact)
        unread = f" {' '.join(reading.unread)} "
        for fact in open_:
            names = self.rules.names(fact[2]).names
            mentioned = any(f" {' '.join(tokens(words))} " in unread for words in names)
            found["otherwise" if mentioned else "left out"].append(fact)
        return {name: tuple(facts) for name, facts in found.items()}

    def _arranged(self, reading: Reading, triples: Sequence[Fact]) -> tuple[tuple[str, ...], bool, bool]:
        """The orders that the facts of the text are in, whether one of the rules is among them, and whether sentences
        begin where they should."""
        rules = self.rules.arrangement
        facts, places, inserted = _as_said(reading, triples)
        sentences = []
        taken = 0
        for sentence in reading.sentences:
            count = sum(1 + (clause.inserted is not None) for clause in sentence)
            sentences.append(places[taken : taken + count])
            taken += count
        main = [place for place in places if place not in inserted]

        def follows(order: Sequence[int]) -> bool:
            return [place for place in order if place not in inserted] == main

        names: list[str] = []
        tried = [places]
        known = all(fact[1] in rules.ranks[0] for fact in facts) if rules.orders else True
        for number in range(max(1, len(rules.orders)) if known and not rules.free else 0):
            order = rules.ordered(facts, number)
            if follows(order):
                names.append(rules.order_name(number))
                tried.append(order)
        if follows(range(len(facts))):
            names.append("input")
        if follows(sorted(range(len(facts)), key=lambda place: (_block(facts, place), facts[place][1]))):
            names.append("alphabetical")
        segmented = rules.free or any(
            list(map(set, rules.segments(facts, order, number))) == list(map(set, sentences))
            for order in tried
            for number in rules.sentences or (1,)
        )
        return tuple(dict.fromkeys(names)), rules.free or len(tried) > 1, segmented

    def _aggregated(self, reading: Reading) -> bool:
        """Whether what can be an adjective is one, where it always is."""
        rules = self.rules.arrangement
        if not rules.insert or not rules.always:
            return True
        for sentence in reading.sentences:
            facts = [clause.fact for clause in sentence]
            if rules.insertions(facts, range(len(facts))):
                return False
        return True

    def _referred(self, reading: Reading) -> bool:
        """Whether names, pronouns and descriptions stand where they should."""
        rules, before = self.rules.arrangement, ""
        for sentence in reading.sentences:
            for number, clause in enumerate(sentence):
                subject = clause.fact[2 if clause.verdict == "swapped" else 0]
                kind = rules.expression(subject, before, within=number > 0)
                if kind != clause.subject.kind and not rules.free and clause.verdict != "swapped":
                    return False
                before = subject
        return True


def _block(facts: Sequence[Fact], place: int) -> int:
    return next(number for number, fact in enumerate(facts) if fact[0] == facts[place][0])


def _as_said(reading: Reading, triples: Sequence[Fact]) -> tuple[list[Fact], list[int], set[int]]:
    """The facts of a text in the order of the input, what was added behind its entity; the places in that list in the
    order of the text, and which of them are adjectives."""
    given = list(triples)
    told: list[tuple[tuple[int, int], Fact, bool]] = []
    for clause in reading.clauses:
        pairs = [(clause.fact, clause.verdict, False)]
        if clause.inserted is not None:
            pairs.insert(0, (clause.inserted, clause.inserted_verdict, True))
        for fact, verdict, adjective in pairs:
            meant = (fact[2], fact[1], fact[0]) if verdict == "swapped" else fact
            same = [k for k, other in enumerate(given) if other == meant]
            same = same or [k for k, other in enumerate(given) if other[:2] == meant[:2]]
            last = max((k for k, other in enumerate(given) if other[0] == meant[0]), default=len(given))
            told.append(((same[0], 0) if same else (last, 1), meant, adjective))
    ranked = sorted(range(len(told)), key=lambda number: told[number][0])
    places = [ranked.index(number) for number in range(len(told))]
    inserted = {place for place, (_, _, adjective) in zip(places, told, strict=True) if adjective}
    return [told[number][1] for number in ranked], places, inserted
