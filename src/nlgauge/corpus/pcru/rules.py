"""Rule bases: relations with atomic arguments, what each may become, and how much each choice weighs.

A rule file is read line by line; `#` begins a comment:

    input first turned              # relations of an input: the first opens it, the others follow in any number
    weights trained                 # the columns of weights, where there are any
    $dir = N NE E                   # a variable and its values; `number` stands for digits
    turned(back, $dir)              # a relation; its alternatives follow
      -> [3.5] then backing $dir    # weights, words, and relations to be expanded further: name(arguments)
      -> [0]                        # nothing is said

Two heads of one relation may not fit the same arguments, so that the alternatives of a head have one distribution, and
no relation may lead back to itself, so that every expansion ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations

from nlgauge.errors import InputError, first_of, suggest

_RELATION = re.compile(r"([a-z_]\w*)\(([^()]*)\)")
_PIECE = re.compile(r"[a-z_]\w*\([^()]*\)|\S+")
_VARIABLE = re.compile(r"\$([a-z_]+)")
_NUMBER = re.compile(r"\d+(\.\d+)?(e[+-]?\d+)?")
_LINES = (
    "expected a relation such as turned(back, $dir) at the start of the line, an alternative after ->, `input`, "
    "`weights`, or $name = values"
)
_WORD = re.compile(r"\S+")
_ATOM = re.compile(r"\$[a-z_]+|[\w-]+")
_DOMAIN = re.compile(r"\$([a-z_]+)\s*=\s*(.*)")
_CHOICE = re.compile(r"\s*->\s*(?:\[([^\]]*)\])?")


@dataclass(frozen=True)
class Relation:
    """A name with arguments: atoms, or variables (`$dir`)."""

    name: str
    arguments: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.arguments)})"

    def bound(self, values: Mapping[str, str]) -> Relation:
        """With variables replaced by their values."""
        return Relation(self.name, tuple(values.get(argument, argument) for argument in self.arguments))

    def match(self, given: Relation) -> dict[str, str] | None:
        """The values of this head's variables for a relation without any, or None where it does not fit."""
        if given.name != self.name:
            return None
        values: dict[str, str] = {}
        for pattern, atom in zip(self.arguments, given.arguments, strict=True):
            if (values.setdefault(pattern, atom) if pattern[0] == "$" else pattern) != atom:
                return None
        return values


@dataclass(frozen=True)
class Rule:
    """One alternative of a head; `number` is its place among all rules."""

    number: int
    head: Relation
    body: tuple[str | Relation, ...]
    weights: tuple[float, ...] = ()

    def spelled(self) -> str:
        """The right side, as in the file."""
        return " ".join(map(str, self.body))


@dataclass(frozen=True)
class RuleBase:
    """A checked rule file."""

    inputs: tuple[str, ...]
    rules: tuple[Rule, ...]
    domains: Mapping[str, frozenset[str]] = field(default_factory=dict)  # empty: numbers
    columns: tuple[str, ...] = ()
    origin: str = "the rules"

    @cached_property
    def heads(self) -> dict[Relation, list[Rule]]:
        """The alternatives of each head, in the order of the file."""
        found: dict[Relation, list[Rule]] = {}
        for rule in self.rules:
            found.setdefault(rule.head, []).append(rule)
        return found

    @cached_property
    def named(self) -> dict[str, list[Relation]]:
        """The heads of each relation."""
        found: dict[str, list[Relation]] = {}
        for head in self.heads:
            found.setdefault(head.name, []).append(head)
        return found

    def alternatives(self, relation: Relation) -> tuple[list[Rule], dict[str, str]]:
        """The rules for a relation of an input, and the values of their variables."""
        for head in self.named.get(relation.name, ()):
            if len(head.arguments) == len(relation.arguments):
                values = head.match(relation)
                if values is not None:
                    return self.heads[head], values
        raise InputError(f"{self.origin}: no rule expands {relation}; add one, or mend the input")

    def chances(self, column: str | None = None) -> list[float]:
        """The probability of each rule among the alternatives of its head; alike where none was ever seen."""
        if not self.columns:
            raise InputError(f"{self.origin}: the rules have no weights; train them first")
        if column is not None and column not in self.columns:
            raise InputError(f"{self.origin}: there are no weights of {column!r}: {suggest(column, self.columns)}")
        if column is None and len(self.columns) > 1:
            raise InputError(
                f"{self.origin}: the rules have weights of {first_of(self.columns)}; name one of them, or train "
                "the rules"
            )
        place = self.columns.index(column) if column else 0
        found = [0.0] * len(self.rules)
        for rules in self.heads.values():
            total = sum(rule.weights[place] for rule in rules)
            for rule in rules:
                found[rule.number] = rule.weights[place] / total if total else 1 / len(rules)
        return found

    def weighted(self, counts: Sequence[float], column: str = "trained") -> RuleBase:
        """With one column of weights in place of all others."""
        rules = tuple(replace(rule, weights=(counts[rule.number],)) for rule in self.rules)
        return replace(self, rules=rules, columns=(column,))

    def written(self) -> str:
        """The file."""
        lines = [f"input {' '.join(self.inputs)}"]
        lines += [f"weights {' '.join(self.columns)}"] if self.columns else []
        for name, values in self.domains.items():
            lines.append(f"${name} = {' '.join(sorted(values)) or 'number'}")
        for head, rules in self.heads.items():
            lines += ["", str(head)]
            for rule in rules:
                weights = f" [{' '.join(f'{weight:.6g}' for weight in rule.weights)}]" if self.columns else ""
                lines.append(f"  ->{weights} {rule.spelled()}".rstrip())
        return "\n".join(lines) + "\n"


def parse_rules(text: str, origin: str) -> RuleBase:
    """The rules of a file's text; a fault is refused with its line and column."""
    reader = _Reader(origin)
    for number, line in enumerate(text.splitlines(), start=1):
        plain = line.partition("#")[0].rstrip()
        if plain.strip():
            reader.read(plain, number)
    return reader.base()


class _Reader:
    """Reads the lines in turn and keeps where things stood, for refusals."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.inputs: list[tuple[str, int, int]] = []
        self.columns: tuple[str, ...] = ()
        self.domains: dict[str, frozenset[str]] = {}
        self.rules: list[Rule] = []
        self.places: dict[Relation, int] = {}  # heads and their lines
        self.calls: list[tuple[Relation, Relation, int, int]] = []  # from which head, to what, line, column

    def check(self, fine: bool, line: int, column: int, otherwise: str) -> None:
        if not fine:
            raise InputError(f"{self.origin}, line {line}, column {column}: {otherwise}")

    def read(self, line: str, number: int) -> None:
        start, keyword = len(line) - len(line.lstrip()) + 1, line.split(maxsplit=1)[0]
        if choice := _CHOICE.match(line):
            self.check(bool(self.places), number, start, "an alternative without a relation in a line above")
            self._choice(line, number, choice)
        elif domain := _DOMAIN.fullmatch(line):
            values = domain[2].split()
            self.check(bool(values), number, len(line), f"${domain[1]} has no values; list them, or write `number`")
            self.domains[domain[1]] = frozenset() if values == ["number"] else frozenset(values)
        elif keyword == "input":
            self.inputs = [(found[0], number, found.start() + 1) for found in _WORD.finditer(line)][1:]
        elif keyword == "weights":
            self.check(not self.rules, number, start, "the line `weights` must stand before all rules")
            self.columns = tuple(line.split()[1:])
        else:
            self.check(start == 1 and bool(_RELATION.fullmatch(line)), number, start, _LINES)
            head = self._relation(line, number, 1)
            known = self.places.get(head, 0)
            self.check(not known, number, 1, f"{head} has its alternatives in line {known} already")
            self.places[head] = number

    def _choice(self, line: str, number: int, choice: re.Match[str]) -> None:
        head = next(reversed(self.places))
        given = [] if choice[1] is None else list(_WORD.finditer(line, *choice.span(1)))
        short = f"{len(given)} weights, but the line `weights` names {len(self.columns)}; give one for each in [ ]"
        self.check(len(given) == len(self.columns), number, line.index("->") + 1, short)
        for found in given:
            is_number = _NUMBER.fullmatch(found[0]) is not None
            self.check(is_number, number, found.start() + 1, f"the weight {found[0]} is no number from 0 up")
        body: list[str | Relation] = []
        for piece in _PIECE.finditer(line, choice.end()):
            column = piece.start() + 1
            for name in _VARIABLE.findall(piece[0]):
                self.check(f"${name}" in head.arguments, number, column, f"${name} is no argument of {head}")
            if _RELATION.fullmatch(piece[0]):
                call = self._relation(piece[0], number, column)
                self.calls.append((head, call, number, column))
                body.append(call)
            else:
                odd = f"{piece[0]} is neither a word nor a relation such as time($time)"
                self.check(not set(piece[0]) & set("()[]"), number, column, odd)
                body += piece[0].replace(",", " , ").split()  # as texts are read: a comma is a word
        weights = tuple(float(found[0]) for found in given)
        self.rules.append(Rule(len(self.rules), head, tuple(body), weights))

    def _relation(self, text: str, line: int, column: int) -> Relation:
        name, _, inside = text.removesuffix(")").partition("(")
        arguments = tuple(argument.strip() for argument in inside.split(",")) if inside.strip() else ()
        for argument in arguments:
            odd = f"{argument!r} in {text} is no argument; expected a word or a $variable"
            self.check(_ATOM.fullmatch(argument) is not None, line, column, odd)
        return Relation(name, arguments)

    def base(self) -> RuleBase:
        self.check(bool(self.inputs), 1, 1, "no line `input`; name the relations of an input there")
        known: dict[str, Relation] = {}
        written = {rule.head for rule in self.rules}
        for head, line in self.places.items():
            first = known.setdefault(head.name, head)
            same = len(first.arguments) == len(head.arguments)
            self.check(same, line, 1, f"{head} and {first} differ in their number of arguments")
            self.check(head in written, line, 1, f"{head} has no alternative; add a line that begins with ->")
            for argument in head.arguments:
                open_ = argument[0] == "$" and argument[1:] not in self.domains
                self.check(not open_, line, 1, f"{argument} has no values; add a line {argument} = …")
        for name, line, column in self.inputs:
            self.check(name in known, line, column, f"the input {name} has no rules: {suggest(name, known)}")
        for _, call, line, column in self.calls:
            self.check(call.name in known, line, column, f"{call} has no rules: {suggest(call.name, known)}")
            same = len(known[call.name].arguments) == len(call.arguments)
            self.check(same, line, column, f"{call} and {known[call.name]} differ in their number of arguments")
        self._apart()
        self._ending()
        names = tuple(name for name, _, _ in self.inputs)
        return RuleBase(names, tuple(self.rules), self.domains, self.columns, self.origin)

    def _apart(self) -> None:
        """No two heads fit the same arguments."""
        for a, b in combinations(self.places, 2):
            pairs = zip(a.arguments, b.arguments, strict=a.name == b.name)
            apart = a.name != b.name or any(x != y and "$" not in (x[0], y[0]) for x, y in pairs)
            self.check(apart, self.places[b], 1, f"{b} and {a} (line {self.places[a]}) fit the same arguments")

    def _ending(self) -> None:
        """No relation leads back to itself, and all are reached from an input."""
        below: dict[str, set[str]] = {}
        for head, call, _, _ in self.calls:
            below.setdefault(head.name, set()).add(call.name)
        for head, call, line, column in self.calls:
            ends = head.name not in _reached([call.name], below)
            self.check(ends, line, column, f"{call} leads back to {head.name}, so that an expansion never ends")
        used = _reached([name for name, _, _ in self.inputs], below)
        for head, line in self.places.items():
            self.check(head.name in used, line, 1, f"{head} is never used: no relation of an input leads to it")


def _reached(names: Iterable[str], below: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += below.get(name, ())
    return found


def variables(word: str) -> Iterator[str]:
    """The variables in a word of a right side, with their sign."""
    return (f"${name}" for name in _VARIABLE.findall(word))


def filled(word: str, values: Mapping[str, str]) -> str:
    """A word with its variables' values."""
    return _VARIABLE.sub(lambda found: values[found[0]], word) if "$" in word else word


def pattern(word: str, domains: Mapping[str, frozenset[str]]) -> re.Pattern[str]:
    """What a word with variables may look like in a text; each variable is a group."""
    parts, end = [], 0
    for found in _VARIABLE.finditer(word):
        values = sorted(domains[found[1]], key=len, reverse=True)
        parts += [re.escape(word[end : found.start()]), f"({'|'.join(map(re.escape, values)) or r'[0-9]+'})"]
        end = found.end()
    return re.compile("".join(parts) + re.escape(word[end:]))
