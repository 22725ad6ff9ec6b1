"""What is wrong with a grammar, or worth knowing, before any text is parsed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from nlgauge.corpus.grammar.compiling import CycleError, NoTextError, Tables
from nlgauge.corpus.grammar.rules import Grammar, Place, Rule, Use
from nlgauge.jsonable import Jsonable

Kind = Literal["unreachable", "unproductive", "dead", "cycle", "duplicate", "lone feature", "no text"]
MEANINGS: dict[Kind, str] = {
    "unreachable": "no text of the start category can hold it",
    "unproductive": "it never ends in words",
    "dead": "no text uses it: its features never agree",
    "cycle": "it derives itself without further words; parsing is refused",
    "duplicate": "another rule of the category has the same parts: each text of it has two parses",
    "lone feature": "the feature stands once in the alternative, so that it agrees with nothing",
    "no text": "no text at all can be made",
}


@dataclass(frozen=True)
class Finding(Jsonable):
    """Something wrong: its kind, the category or rule, and where it stands."""

    KEYS = "kind, what, file = place.file, line = place.line, column = place.column"

    kind: Kind
    what: str
    place: Place


@dataclass(frozen=True, eq=False)
class Checked(Jsonable):
    """A grammar's size and findings."""

    KEYS = (
        "grammar = grammar.name, start = grammar.start, categories = len(categories), "
        "rules = len(grammar.visible), words, features = grammar.features, plain_rules, usable, left_recursive, "
        "findings"
    )

    grammar: Grammar
    findings: tuple[Finding, ...]
    tables: Tables | None  # None where it cannot be used
    left_recursive: tuple[str, ...]

    @property
    def categories(self) -> list[str]:
        """The categories that the files name."""
        return list(dict.fromkeys(rule.category for rule in self.grammar.rules if not rule.hidden))

    @property
    def words(self) -> int:
        """The number of entries in lexicons."""
        return sum(rule.lexical for rule in self.grammar.rules)

    @property
    def usable(self) -> bool:
        """Whether texts can be parsed."""
        return self.tables is not None

    @property
    def plain_rules(self) -> int | None:
        """The rules it has without features."""
        return len(self.tables.rules) if self.tables else None


def check(grammar: Grammar) -> Checked:
    """Look a grammar through."""
    findings = list(_lone_features(grammar)) + list(_duplicates(grammar))
    barren = {*grammar.categories} - _productive(grammar)
    reached = _reached(grammar)
    places = {rule.category: rule.left.place for rule in reversed(grammar.rules)}
    for category in grammar.categories:
        if "(" not in category:
            if category in barren:
                findings.append(Finding("unproductive", category, places[category]))
            if category not in reached:
                findings.append(Finding("unreachable", category, places[category]))
    tables = None
    try:
        tables = Tables(grammar)
    except CycleError as error:
        findings.append(Finding("cycle", " → ".join(error.path), error.place))
    except NoTextError:
        if grammar.start not in barren:
            findings.append(Finding("no text", grammar.start, places[grammar.start]))
    if tables is not None:
        alive = {plain.rule for plain in tables.rules}
        findings += [
            Finding("dead", rule.name, rule.left.place)
            for rule in grammar.rules
            if rule not in alive and not rule.hidden and rule.category in reached and not barren & _named(rule)
        ]
    findings.sort(key=lambda finding: (finding.place.file, finding.place.line, finding.place.column))
    return Checked(grammar, tuple(findings), tables, _left_recursive(tables))


def _named(rule: Rule) -> set[str]:
    return {item.category for item in (rule.left, *rule.items) if isinstance(item, Use)}


def _productive(grammar: Grammar) -> set[str]:
    """The categories that end in words, whatever their features."""
    found: set[str] = set()
    known = -1
    while known < len(found):
        known = len(found)
        for rule in reversed(grammar.rules):
            if all(item.category in found for item in rule.items if isinstance(item, Use)):
                found.add(rule.category)
    return found


def _reached(grammar: Grammar) -> set[str]:
    uses: dict[str, set[str]] = defaultdict(set)
    for rule in grammar.rules:
        uses[rule.category] |= _named(rule)
    found, agenda = {grammar.start}, [grammar.start]
    for category in agenda:
        agenda += sorted(uses[category] - found)
        found |= uses[category]
    return found


def _lone_features(grammar: Grammar) -> Iterator[Finding]:
    for rule in grammar.rules:
        parts = [item for item in rule.items if isinstance(item, Use)]
        if rule.hidden or not parts:  # the feature of a word may have any value
            continue
        mentions = Counter(name for use in (rule.left, *parts) for name in use.shared)
        for name, number in mentions.items():
            if number == 1:
                place = next(use.place for use in (rule.left, *parts) if name in use.shared)
                yield Finding("lone feature", f"{rule.name}, {name}", place)


def _duplicates(grammar: Grammar) -> Iterator[Finding]:
    def key(rule: Rule) -> tuple[object, ...]:
        parts = (rule.left, *rule.items)
        return tuple((part.category, part.fixed, part.shared) if isinstance(part, Use) else part for part in parts)

    seen: set[tuple[object, ...]] = set()
    for rule in grammar.rules:
        if not rule.hidden and key(rule) in seen:
            yield Finding("duplicate", rule.name, rule.left.place)
        seen.add(key(rule))


def _left_recursive(tables: Tables | None) -> tuple[str, ...]:
    """Categories that can begin with themselves: handled, and worth knowing."""
    if tables is None:
        return ()
    found = []
    for symbol, root in tables.roots.items():
        after = {wanted for state in tables.openings(root) for wanted in tables.next[state]}
        if any(tables.left_corners[wanted] & tables.bit(symbol) for wanted in after):
            found.append(tables.categories[symbol])
    return tuple(sorted(name for name in set(found) if "(" not in name))
