"""Weights from raw texts: each is parsed with the rules, inputs unknown, and the rules of its derivations counted.

A text with several derivations gives each an equal share of its one count. Nothing is enumerated: a partial parse keeps
how many derivations it has and the sum of their rules' counts, and these multiply and add.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from nlgauge.corpus.pcru.rules import Relation, Rule, RuleBase, pattern, variables
from nlgauge.errors import InputError, counted

Arguments = tuple[str | None, ...]  # None where the text does not tell


@dataclass
class Tally:
    """How many derivations, and how often their rules are used in all of them together."""

    derivations: float = 0.0
    uses: defaultdict[int, float] = field(default_factory=lambda: defaultdict(float))

    def add(self, other: Tally) -> None:
        """Further derivations of the same words."""
        self.derivations += other.derivations
        for rule, count in other.uses.items():
            self.uses[rule] += count

    def then(self, other: Tally) -> Tally:
        """Each derivation followed by each of the other."""
        joined = Tally(self.derivations * other.derivations)
        for rule, count in self.uses.items():
            joined.uses[rule] += count * other.derivations
        for rule, count in other.uses.items():
            joined.uses[rule] += count * self.derivations
        return joined


@dataclass(frozen=True)
class Training:
    """The rules with weights, and what became of the texts."""

    base: RuleBase
    texts: int
    unparsed: tuple[str, ...]
    ambiguous: int  # texts with several derivations


def words_of(text: str) -> list[str]:
    """A text's words; commas are words, a full stop at the end is none."""
    return text.strip().removesuffix(".").replace(",", " , ").split()


def train(base: RuleBase, texts: Iterable[str]) -> Training:
    """Counts of the rules over all texts that the rules can parse."""
    counts = [0.0] * len(base.rules)
    unparsed, ambiguous, number = [], 0, 0
    parser = Parser(base)
    for text in texts:
        number += 1
        tally = parser.parse(words_of(text))
        if not tally.derivations:
            unparsed.append(text)
            continue
        ambiguous += tally.derivations > 1
        for rule, count in tally.uses.items():
            counts[rule] += count / tally.derivations
    if len(unparsed) == number:
        example = f", for example {unparsed[0]!r}" if unparsed else ""
        raise InputError(
            f"{base.origin}: the rules parse none of {counted(number, 'text')}{example}; add rules for their words"
        )
    return Training(base.weighted(counts), number, tuple(unparsed), ambiguous)


class Parser:
    """All derivations of texts by the rules of one base."""

    def __init__(self, base: RuleBase) -> None:
        self.base = base
        self.patterns = {
            piece: pattern(piece, base.domains)
            for rule in base.rules
            for piece in rule.body
            if isinstance(piece, str) and "$" in piece
        }

    def parse(self, words: Sequence[str]) -> Tally:
        """The derivations of a whole text: the first relation of an input, then any of the others."""
        self.words = words
        self.memo: dict[tuple[str, Arguments, int], dict[tuple[int, Arguments], Tally]] = {}
        first, *others = self.base.inputs
        reached = [Tally() for _ in range(len(words) + 1)]
        self._extend(first, 0, Tally(1.0), reached)
        for start in range(1, len(words)):
            if reached[start].derivations:
                for name in others:
                    self._extend(name, start, reached[start], reached)
        return reached[-1] if words else Tally()

    def _extend(self, name: str, start: int, before: Tally, reached: list[Tally]) -> None:
        size = len(self.base.named[name][0].arguments)
        for (end, _), tally in self._expansions(name, (None,) * size, start).items():
            if end > start:  # a relation that says nothing leaves no trace in a text
                reached[end].add(before.then(tally))

    def _expansions(self, name: str, given: Arguments, start: int) -> dict[tuple[int, Arguments], Tally]:
        """Where a relation's expansions from a place end, and what they say of its arguments."""
        key = (name, given, start)
        if key in self.memo:
            return self.memo[key]
        found: defaultdict[tuple[int, Arguments], Tally] = defaultdict(Tally)
        for head in self.base.named[name]:
            values = _unified(head, given)
            for rule in self.base.heads[head] if values is not None else ():
                for (end, known), tally in self._bodies(rule, values or {}, start).items():
                    settled = dict(known)
                    arguments = tuple(
                        settled.get(argument) if argument[0] == "$" else argument for argument in head.arguments
                    )
                    found[end, arguments].add(tally)
        self.memo[key] = found
        return found

    def _bodies(
        self, rule: Rule, values: Mapping[str, str], start: int
    ) -> dict[tuple[int, frozenset[tuple[str, str]]], Tally]:
        """The states after a rule's right side: where, with which variables known."""
        states = {(start, frozenset(values.items())): Tally(1.0, defaultdict(float, {rule.number: 1.0}))}
        for piece in rule.body:
            after: defaultdict[tuple[int, frozenset[tuple[str, str]]], Tally] = defaultdict(Tally)
            for (place, known), tally in states.items():
                if isinstance(piece, Relation):
                    settled = dict(known)
                    given = tuple(
                        settled.get(argument) if argument[0] == "$" else argument for argument in piece.arguments
                    )
                    for (end, told), more in self._expansions(piece.name, given, place).items():
                        joined = _joined(settled, piece.arguments, told)
                        if joined is not None:
                            after[end, joined].add(tally.then(more))
                elif place < len(self.words):
                    said = self._said(piece, self.words[place])
                    joined = None if said is None else _joined(dict(known), tuple(variables(piece)), said)
                    if joined is not None:
                        after[place + 1, joined].add(tally)
            states = after
        return states

    def _said(self, piece: str, word: str) -> Arguments | None:
        if piece not in self.patterns:
            return () if piece == word else None
        found = self.patterns[piece].fullmatch(word)
        return found.groups() if found else None


def _unified(head: Relation, given: Arguments) -> dict[str, str] | None:
    """The variables of a head that the arguments settle, or None where they do not fit."""
    values: dict[str, str] = {}
    for own, atom in zip(head.arguments, given, strict=True):
        if atom is not None and (values.setdefault(own, atom) if own[0] == "$" else own) != atom:
            return None
    return values


def _joined(settled: Mapping[str, str], names: tuple[str, ...], told: Arguments) -> frozenset[tuple[str, str]] | None:
    """What is known with what a piece tells of its arguments, or None where they contradict each other."""
    known = dict(settled)
    for name, atom in zip(names, told, strict=True):
        if name[0] == "$" and atom is not None and known.setdefault(name, atom) != atom:
            return None
    return frozenset(known.items())
