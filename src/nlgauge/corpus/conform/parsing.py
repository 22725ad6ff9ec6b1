"""Which facts a text says, by which templates and referring expressions.

Clauses are found by a trie of lexicalisations whose gaps are filled from a trie of names; a text is the cheapest
sequence of clauses, connectives and words that belong to none. A reading that says facts of the input costs least, so
that templates shared by several predicates and names shared by several entities are read as the input asks.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from nlgauge.corpus.generate.rules import POSSESSIVE, PRONOUNS, SLOT, Kind, Rules

Fact = tuple[str, str, str]
Verdict = Literal["said", "wrong", "added", "swapped"]
_TOKEN = re.compile(r"\w+|[^\w\s]")
_PRONOUN = {form: name for name, cases in PRONOUNS.items() for form in cases}
_POSSESSIVE = {cases[2] for cases in PRONOUNS.values()}
# What is cheapest is believed: a word that belongs to nothing, and facts that the input does not have as they are.
UNREAD, COSTS = 1.0, {"said": 0.0, "swapped": 0.3, "wrong": 0.4, "added": 0.5}
START, INSIDE, JOINED = range(3)  # of a sentence: before it, after a clause, after a comma or "and"


def tokens(text: str) -> list[str]:
    """Words and signs, lower-cased.

    >>> tokens("Ilva's bridge.")
    ['ilva', "'", 's', 'bridge', '.']
    """
    return _TOKEN.findall(text.replace("_", " ").casefold())


class _Node:
    """A place in a trie: what follows by token or gap, and what ends here."""

    __slots__ = ("ends", "next")

    def __init__(self) -> None:
        self.next: dict[Any, _Node] = {}
        self.ends: list[Any] = []

    def add(self, path: Sequence[Any], end: Any) -> None:
        node = self
        for step in path:
            node = node.next.setdefault(step, _Node())
        node.ends.append(end)


class Mention(NamedTuple):
    """A referring expression: its kind, words, and entity (none for a pronoun or description)."""

    kind: Kind
    words: str
    entity: str


class _Match(NamedTuple):
    end: int
    predicate: str
    template: str
    subject: Mention
    value: Mention
    adjective: str  # the entity that an inserted adjective stands for


@dataclass(frozen=True)
class Clause:
    """A clause as it was read: the fact, and the one that an adjective in it says."""

    template: str
    fact: Fact
    verdict: Verdict
    subject: Mention
    value: Mention
    inserted: Fact | None = None
    inserted_verdict: Verdict = "said"


@dataclass(frozen=True)
class Reading:
    """A text as clauses, sentence by sentence, and the words that belong to none."""

    sentences: tuple[tuple[Clause, ...], ...]
    unread: tuple[str, ...] = ()

    @property
    def clauses(self) -> list[Clause]:
        """All clauses in the order of the text."""
        return [clause for sentence in self.sentences for clause in sentence]

    def facts(self) -> list[tuple[Fact, Verdict]]:
        """What is said, and how it relates to the input; of an inserted adjective its fact comes first."""
        found: list[tuple[Fact, Verdict]] = []
        for clause in self.clauses:
            if clause.inserted is not None:
                found.append((clause.inserted, clause.inserted_verdict))
            found.append((clause.fact, clause.verdict))
        return found


@dataclass
class _State:
    cost: float
    before: _State | None = None
    step: Clause | str | None = None  # a clause, a word that was not read, "." for an end


class Parser:
    """Reads texts by rules."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._clauses, self._names, self._adjectives = _Node(), _Node(), _Node()
        self._hosts: dict[str, list[str]] = defaultdict(list)
        for inserted, host in rules.arrangement.insert.items():
            self._hosts[host].append(inserted)
        for predicate, known in rules.lexicalisations.items():
            for lexicalisation in known:
                self._clauses.add(_path(lexicalisation.words), (predicate, lexicalisation.name))
        for name, names in rules.entities.items():
            for words in names.names:
                self._names.add(_alike(tokens(words)), (words, name))
            if names.description:
                self._names.add(_alike(tokens(names.description)), (names.description, ""))
            if self._hosts:
                self._adjectives.add(_alike(tokens(names.modifier)), name)

    def read(self, text: str, triples: Sequence[Fact]) -> Reading:
        """The cheapest reading of a text, given its input."""
        line = _alike(tokens(text))
        given = set(triples)
        about = {(subject, predicate) for subject, predicate, _ in triples}
        subjects = list(dict.fromkeys(subject for subject, _, _ in triples))
        # states by place, then by whom the text is about and where in a sentence it is
        table: list[dict[tuple[str, int], _State]] = [{} for _ in range(len(line) + 1)]
        table[0]["", START] = _State(0.0)

        def reach(place: int, key: tuple[str, int], state: _State) -> None:
            known = table[place].get(key)
            if known is None or state.cost < known.cost:
                table[place][key] = state

        for place, token in enumerate(line):
            matches = list(self._matches(line, place)) if table[place] else []
            named = [(end, name) for end, (_, name) in _ends(self._names, line, place) if name in subjects]
            for (topic, mode), state in list(table[place].items()):
                if mode != INSIDE:
                    for match in matches:
                        for clause, cost in self._resolved(match, topic, given, about, subjects):
                            whom = clause.fact[2 if clause.verdict == "swapped" else 0]
                            reach(match.end, (whom, INSIDE), _State(state.cost + cost, state, clause))
                elif token in (",", "and"):
                    reach(place + 1, (topic, JOINED), _State(state.cost, state))
                if token in (".", "!", "?"):
                    cost = 0.0 if mode == INSIDE else UNREAD
                    reach(place + 1, (topic, START), _State(state.cost + cost, state, "."))
                reach(place + 1, (topic, mode), _State(state.cost + UNREAD, state, token))
                for end, whom in named:  # what is not understood may still be about somebody
                    words = line[place:end]
                    reach(end, (whom, mode), _State(state.cost + UNREAD * len(words), state, " ".join(words)))
        last = min(
            (state.cost + (0.0 if mode == START else UNREAD), number, state)
            for number, ((_, mode), state) in enumerate(table[len(line)].items())
        )[2]
        return _traced(last)

    def _matches(self, line: Sequence[str], start: int) -> Iterator[_Match]:
        """Every clause that begins at a place."""
        waiting: list[tuple[_Node, int, Mention | None, Mention | None, str]] = [(self._clauses, start, None, None, "")]
        while waiting:
            node, place, subject, value, adjective = waiting.pop()
            for predicate, template in node.ends:
                if subject and value and (not adjective or predicate in self._hosts):
                    yield _Match(place, predicate, template, subject, value, adjective)
            for step, following in node.next.items():
                if isinstance(step, str):
                    if place < len(line) and line[place] == step:
                        waiting.append((following, place + 1, subject, value, adjective))
                    continue
                role, form = step
                known = value if role else subject
                for end, mention in self._mentions(line, place, possessive=form == POSSESSIVE):
                    if known is not None and (known.entity, mention.entity).count("") == 0 and known[2] != mention[2]:
                        continue
                    pair = (subject, known or mention) if role else (known or mention, value)
                    waiting.append((following, end, *pair, adjective))
                if role and self._hosts and not adjective:
                    for end, entity in _ends(self._adjectives, line, place):
                        for stop, mention in self._mentions(line, end, possessive=form == POSSESSIVE):
                            waiting.append((following, stop, subject, mention, entity))

    def _mentions(self, line: Sequence[str], place: int, *, possessive: bool) -> Iterator[tuple[int, Mention]]:
        pronoun = _PRONOUN.get(line[place]) if place < len(line) else None
        if pronoun and (not possessive or line[place] in _POSSESSIVE):
            yield place + 1, Mention("pronoun", pronoun, "")
        for end, (words, entity) in _ends(self._names, line, place):
            if possessive and line[end : end + 2] != ["'", "s"]:
                continue
            kind: Kind = "name" if entity else "description"
            yield end + 2 * possessive, Mention(kind, words, entity)

    def _resolved(
        self,
        match: _Match,
        topic: str,
        given: set[Fact],
        about: set[tuple[str, str]],
        subjects: Sequence[str],
    ) -> Iterator[tuple[Clause, float]]:
        """The clause with pronouns and descriptions resolved; none where they cannot be."""
        for subject in self._meant(match.subject, topic, subjects):
            for value in self._meant(match.value, topic, subjects):
                fact = (subject, match.predicate, value)
                verdict = _verdict(fact, given, about)
                clause = Clause(match.template, fact, verdict, match.subject, match.value)
                if not match.adjective:
                    yield clause, COSTS[verdict]
                    continue
                for inserted in self._hosts[match.predicate]:
                    other = (subject, inserted, match.adjective)
                    judged = _verdict(other, given, about)
                    yield (
                        replace(clause, inserted=other, inserted_verdict=judged),
                        COSTS[verdict] + COSTS[judged],
                    )

    def _meant(self, mention: Mention, topic: str, subjects: Sequence[str]) -> list[str]:
        """The entities that a referring expression may stand for: a pronoun for whom the text is about, a description
        for any entity of the input that has it."""
        if mention.entity:
            return [mention.entity]
        if mention.kind == "pronoun":
            return [topic] if topic and self.rules.names(topic).pronoun == mention.words else []
        named = dict.fromkeys([topic, *subjects])
        return [name for name in named if name and self.rules.names(name).description == mention.words]


def _verdict(fact: Fact, given: set[Fact], about: set[tuple[str, str]]) -> Verdict:
    subject, predicate, value = fact
    if fact in given:
        return "said"
    if (value, predicate, subject) in given:
        return "swapped"
    return "wrong" if (subject, predicate) in about else "added"


def _ends(trie: _Node, line: Sequence[str], place: int) -> Iterator[tuple[int, Any]]:
    """What ends where, of a trie that is followed from a place."""
    node: _Node | None = trie
    while node is not None:
        for end in node.ends:
            yield place, end
        node = node.next.get(line[place]) if place < len(line) else None
        place += 1


def _alike(line: list[str]) -> list[str]:
    """Both indefinite articles as one: which is right is a matter of form, not of what is said."""
    return ["a" if token == "an" else token for token in line]


def _path(words: str) -> list[Any]:
    """A lexicalisation as tokens and gaps: (0 or 1 for subject or object, POSSESSIVE or 0)."""
    found: list[Any] = []
    last = 0
    for match in SLOT.finditer(words):
        found += _alike(tokens(words[last : match.start()])) + (["a"] if match[1] else [])
        found.append((int(match[2] == "object"), POSSESSIVE if match[3] else 0))
        last = match.end()
    return found + _alike(tokens(words[last:]))


def _traced(state: _State | None) -> Reading:
    steps: list[Clause | str] = []
    while state is not None:
        if state.step is not None:
            steps.append(state.step)
        state = state.before
    sentences: list[list[Clause]] = [[]]
    unread: list[str] = []
    for step in reversed(steps):
        if isinstance(step, Clause):
            sentences[-1].append(step)
        elif step == ".":
            sentences.append([])
        else:
            unread.append(step)
    return Reading(tuple(tuple(sentence) for sentence in sentences if sentence), tuple(unread))
