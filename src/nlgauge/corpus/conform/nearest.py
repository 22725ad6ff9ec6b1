"""The least edits of words that make a text one of those which the rules allow for an input.

The texts that say an input form a lattice: for each order and segmentation a chain of clauses, each with a choice of
lexicalisations, whose gaps have a choice of names. The edit distance to all of them is computed at once, a row of it
for each word of the lattice. Where there are many chains, what a clause does to any row is computed once, as a matrix
of the least edits between two places of the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from nlgauge.corpus.conform.parsing import Fact, Reading, tokens
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
