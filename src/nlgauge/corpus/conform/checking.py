"""One output against the rules: what it says of its input, which rules it follows, how far it is from conforming."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nlgauge.corpus.conform.nearest import Nearest
from nlgauge.corpus.conform.parsing import Fact, Parser, Reading, tokens
from nlgauge.corpus.generate.rules import Rules

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
            reading,
            self._facts(reading, triples) if edits else said,
            edits,
            self.nearest.credit(edits, triples),
            orders,
            ordered,
            segmented,
            self._aggregated(reading),
            self._referred(reading),
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
