"""From rules with features to tables of plain symbols that parsing, mending and sampling share.

Features are compiled away, from the words upwards: a plain symbol is a category with the set of all values that the
features of some tree of it can have ("sheep" is singular and plural at once). The set of a tree follows from the sets
of its daughters, so that each tree of words and rules has exactly one derivation over plain symbols: parses that
would differ in nothing but values are one, and parses can be counted.
"""

from __future__ import annotations

import graphlib
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from nlgauge.corpus.grammar.rules import Grammar, Pattern, Rule, Use, Word, WordPattern
from nlgauge.errors import InputError

MOST = 100_000  # plain rules of a grammar
MOST_VALUES = 1_000  # of the features of a category together
Values = frozenset[tuple[str, ...]]


@dataclass(frozen=True)
class Plain:
    """A rule over plain symbols."""

    left: int
    right: tuple[int, ...]
    rule: Rule
    chance: float  # of the rule among those of its category

    @property
    def log(self) -> float:
        """Its logarithm."""
        return math.log(self.chance)


class NoTextError(InputError):
    """No text at all can be made."""


class CycleError(InputError):
    """A category derives itself and nothing else, so that texts would have infinitely many parses."""

    def __init__(self, grammar: Grammar, path: Sequence[str], rule: Rule) -> None:
        self.path, self.place = tuple(path), rule.left.place
        super().__init__(
            f"{rule.left.place}: {' → '.join(path)} derives itself without further words, so that a text of "
            f"{grammar.name} would have infinitely many parses; take one of these rules away"
        )


class Tables:
    """A grammar ready for use: the plain rules that texts of the start category can be made by, and their trie."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self.categories: list[str] = []  # of each symbol; empty for words and patterns
        self.written: list[str] = []  # the word or an example, of words and patterns
        self.terminal_words: dict[str, int] = {}
        self.patterns: dict[Pattern, int] = {}
        self._matchers: list[tuple[WordPattern, int]] = []
        self._symbols: dict[str, dict[Values, int]] = defaultdict(dict)
        self._known: dict[str, tuple[int, ...]] = {}
        self._replacements: dict[str, dict[int, tuple[float, str]]] = {}
        made = self._saturated()
        self.starts = frozenset(self._symbols[grammar.start].values())
        self.rules = _reachable(made, self.starts)
        if not self.rules:
            raise NoTextError(
                f"{grammar.name} makes no text at all: no rule of {grammar.start} ever ends in words that agree"
            )
        self.of: dict[int, list[Plain]] = defaultdict(list)
        for plain in self.rules:
            self.of[plain.left].append(plain)
        self.nullable = self._nullable()
        self._refuse_cycles()
        self._grow()

    # -- symbols ------------------------------------------------------------------------------------------------

    def _saturated(self) -> list[Plain]:
        """Every plain rule whose daughters exist, by going over the rules until nothing is new.

        Rules are mostly written from the start downwards, so that going upwards needs few rounds, here and elsewhere.
        """
        grammar, made, seen = self.grammar, list[tuple[int, Plain]](), set[tuple[int, tuple[int, ...]]]()
        values: dict[int, Values] = {}
        rights = [[self._terminal(item) for item in rule.items] for rule in grammar.rules]
        self.first = len(self.categories)  # symbols below are words and patterns, the others categories
        for category, names in grammar.categories.items():
            if (combined := math.prod(len(grammar.features[name]) for name in names)) > MOST_VALUES:
                raise InputError(
                    f"the features of {category} in {grammar.name} have {combined:,} values together, more than "
                    f"{MOST_VALUES:,}; use fewer features"
                )
        grown = True
        while grown:
            grown = False
            for number, rule in reversed(list(enumerate(grammar.rules))):
                choices = [
                    [found] if isinstance(found, int) else list(self._symbols[found.category].values())
                    for found in rights[number]
                ]
                for right in product(*choices):
                    if (number, right) in seen:
                        continue
                    seen.add((number, right))
                    left = _left(
                        grammar,
                        rule,
                        [(item, values.get(symbol)) for item, symbol in zip(rule.items, right, strict=True)],
                    )
                    if not left:
                        continue
                    known = self._symbols[rule.category]
                    if left not in known:
                        known[left] = self._symbol(rule.category, "")
                        values[known[left]] = left
                    made.append((number, Plain(known[left], right, rule, grammar.chances[number])))
                    grown = True
                    if len(made) > MOST:
                        raise InputError(
                            f"the features of {grammar.name} make more than {MOST:,} plain rules; use fewer "
                            "features, or shorter alternatives"
                        )
        return [plain for _, plain in sorted(made, key=lambda numbered: numbered[0])]

    def _symbol(self, category: str, written: str) -> int:
        self.categories.append(category)
        self.written.append(written)
        return len(self.categories) - 1

    def _terminal(self, item: Word | Pattern | Use) -> int | Use:
        """The symbol of a word or pattern; categories stay as they are."""
        if isinstance(item, Use):
            return item
        if isinstance(item, Pattern):
            if item not in self.patterns:
                self.patterns[item] = self._symbol("", item.examples[0])
                flags = 0 if self.grammar.exact else re.IGNORECASE
                self._matchers.append((WordPattern(item.form, flags), self.patterns[item]))
            return self.patterns[item]
        word = self.grammar.folded(item.text)
        if word not in self.terminal_words:
            self.terminal_words[word] = self._symbol("", item.text)
        return self.terminal_words[word]

    def terminals(self, word: str) -> tuple[int, ...]:
        """The words and patterns of the grammar that a word of a text is."""
        found = self._known.get(word)
        if found is None:
            symbol = self.terminal_words.get(self.grammar.folded(word))
            exact = [] if symbol is None else [symbol]
            forms = [symbol for matcher, symbol in self._matchers if matcher.fits(word)]
            if len(self._known) > 100_000:  # a stream of texts may hold any number of words
                self._known.clear()
            found = self._known[word] = (*exact, *forms)
        return found

    # -- empty texts and cycles -----------------------------------------------------------------------------------

    def _nullable(self) -> frozenset[int]:
        found: set[int] = set()
        grown = True
        while grown:
            new = {plain.left for plain in self.rules if found.issuperset(plain.right)} - found
            found |= new
            grown = bool(new)
        return frozenset(found)

    def _refuse_cycles(self) -> None:
        units: dict[int, list[tuple[int, Rule]]] = defaultdict(list)
        for plain in self.rules:
            for place, symbol in enumerate(plain.right):
                if self.nullable.issuperset(plain.right[:place] + plain.right[place + 1 :]):
                    units[plain.left].append((symbol, plain.rule))
        try:
            graphlib.TopologicalSorter({left: [part for part, _ in found] for left, found in units.items()}).prepare()
        except graphlib.CycleError as error:
            path = error.args[1][::-1]
            rule = next(rule for symbol, rule in units[path[0]] if symbol == path[1])
            raise CycleError(self.grammar, [self.categories[symbol] for symbol in path], rule) from None

    # -- the trie of right-hand sides -------------------------------------------------------------------------------

    def _grow(self) -> None:
        """Right-hand sides as paths from their symbol's root: rules that begin alike share states."""
        self.parent, self.last, self.owner = list[int](), list[int](), list[int]()
        self.finals: list[list[Plain]] = []
        self.next: list[dict[int, int]] = []
        self.roots: dict[int, int] = {}
        for plain in self.rules:
            state = self.roots.get(plain.left)
            if state is None:
                state = self.roots[plain.left] = self._state(-1, -1, plain.left)
            for symbol in plain.right:
                after = self.next[state].get(symbol)
                if after is None:
                    after = self.next[state][symbol] = self._state(state, symbol, plain.left)
                state = after
            self.finals[state].append(plain)
        self.skips = [[after for symbol, after in moves.items() if symbol in self.nullable] for moves in self.next]
        self.corners = self._corners(lambda symbol: 0.0 if symbol in self.nullable else math.inf)
        self.left_corners = self._closed(
            {
                left: {symbol for corner in self.openings(root) for symbol in self.next[corner]}
                for left, root in self.roots.items()
            }
        )

    def _state(self, parent: int, last: int, owner: int) -> int:
        self.parent.append(parent)
        self.last.append(last)
        self.owner.append(owner)
        self.finals.append([])
        self.next.append({})
        return len(self.parent) - 1

    def openings(self, root: int) -> list[int]:
        """The states that can be reached without a word."""
        found = [root]
        for state in found:
            found += self.skips[state]
        return found

    def _corners(self, cost: Callable[[int], float]) -> dict[int, list[tuple[int, int, int]]]:
        """For a symbol that has just been found, the rules that may begin there: bit of the owner, state after it, and
        what the symbols before it cost (those of infinite cost must not be passed over)."""
        found: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        prices = list[float]()
        for state, (parent, last) in enumerate(zip(self.parent, self.last, strict=True)):
            prices.append(0.0 if parent < 0 else prices[parent] + cost(last))
            for symbol, after in self.next[state].items():
                if prices[state] < math.inf:
                    found[symbol].append((self.bit(self.owner[state]), after, int(prices[state])))
        return {symbol: sorted(corners, key=lambda corner: corner[2]) for symbol, corners in found.items()}

    def bit(self, symbol: int) -> int:
        """The bit that stands for a category's symbol in sets; words have none."""
        return 1 << symbol - self.first if symbol >= self.first else 0

    def _closed(self, direct: dict[int, set[int]]) -> list[int]:
        """For each symbol, as bits of a number, itself and all categories that `direct` leads to from it."""
        masks = [self.bit(symbol) for symbol in range(len(self.categories))]
        grown = True
        while grown:
            grown = False
            for left, symbols in reversed(direct.items()):
                mask = masks[left]
                for symbol in symbols:
                    mask |= masks[symbol]
                if mask != masks[left]:
                    masks[left], grown = mask, True
        return masks

    # -- for mending: what the least edits cost ---------------------------------------------------------------------

    @cached_property
    def least(self) -> list[int]:
        """The fewest words that each symbol can be made of."""
        return [self._shortest[symbol][0] if symbol in self._shortest else 0 for symbol in range(len(self.categories))]

    def shortest(self, symbol: int) -> list[int]:
        """Such words, as symbols; of those equally short the likeliest."""
        found, stack = list[int](), [symbol]
        while stack:
            symbol = stack.pop()
            if self.categories[symbol]:
                stack += reversed(self._shortest[symbol][2])
            else:
                found.append(symbol)
        return found

    @cached_property
    def _shortest(self) -> dict[int, tuple[int, float, tuple[int, ...]]]:
        """Of each symbol the fewest words, what their rules cost, and the first of these rules."""
        found: dict[int, tuple[int, float, tuple[int, ...]]] = {
            symbol: (1, 0.0, ()) for symbol, category in enumerate(self.categories) if not category
        }
        grown = True
        while grown:
            grown = False
            for plain in reversed(self.rules):
                if all(symbol in found for symbol in plain.right):
                    parts = [found[symbol] for symbol in plain.right]
                    cost = (
                        sum(part[0] for part in parts),
                        round(sum(part[1] for part in parts) - plain.log, 9),
                    )
                    if plain.left not in found or cost < found[plain.left][:2]:
                        found[plain.left], grown = (*cost, plain.right), True
        return found

    @cached_property
    def insertion_corners(self) -> dict[int, list[tuple[int, int, int]]]:
        """As `corners`, where symbols before are inserted."""
        return self._corners(lambda symbol: float(self.least[symbol]))

    @cached_property
    def below(self) -> list[int]:
        """For each symbol, as bits, all symbols of its trees."""
        direct: dict[int, set[int]] = defaultdict(set)
        for plain in self.rules:
            direct[plain.left].update(plain.right)
        return self._closed(direct)

    @cached_property
    def single_words(self) -> dict[int, list[int]]:
        """Symbols with words that are a whole tree of theirs; and words that stand beside others, by themselves."""
        found: dict[int, dict[int, None]] = defaultdict(dict)
        for plain in self.rules:
            for symbol in plain.right:
                if not self.categories[symbol]:
                    found[plain.left if len(plain.right) == 1 else symbol][symbol] = None
        return {owner: list(words) for owner, words in found.items()}

    def replacements(self, word: str) -> dict[int, tuple[float, str]]:
        """Of each such symbol the word most like a given one, by pairs of letters, with its likeness from 0 to 1."""
        found = self._replacements.get(word)
        if found is None:
            if len(self._replacements) > 10_000:
                self._replacements.clear()
            letters = _pairs(word)
            alike = {
                symbol: 2 * len(letters & pairs) / (len(letters) + len(pairs))
                for symbol, pairs in self._letters.items()
            }
            best = {owner: max(words, key=alike.__getitem__) for owner, words in self.single_words.items()}
            found = {owner: (alike[symbol], self.written[symbol]) for owner, symbol in best.items()}
            self._replacements[word] = found
        return found

    @cached_property
    def _letters(self) -> dict[int, frozenset[str]]:
        return {symbol: _pairs(self.written[symbol]) for words in self.single_words.values() for symbol in words}


def _pairs(word: str) -> frozenset[str]:
    padded = f" {word.lower()} "
    return frozenset(padded[place : place + 2] for place in range(len(padded) - 1))


def _reachable(made: Sequence[Plain], starts: Iterable[int]) -> list[Plain]:
    """The rules that a text can be made by, in their order."""
    by_left: dict[int, list[Plain]] = defaultdict(list)
    for plain in made:
        by_left[plain.left].append(plain)
    agenda = list(starts)
    seen = set(agenda)
    for symbol in agenda:
        new = {part for plain in by_left[symbol] for part in plain.right} - seen
        seen |= new
        agenda += sorted(new)
    return [plain for plain in made if plain.left in seen]


def _left(grammar: Grammar, rule: Rule, daughters: Sequence[tuple[object, Values | None]]) -> Values:
    """The values that the left side can have with these daughters; none where they do not agree."""
    agreed: set[tuple[tuple[str, str], ...]] = {()}
    for item, values in daughters:
        if not isinstance(item, Use) or values is None or not (item.fixed or item.shared):
            continue
        names = grammar.categories[item.category]
        offered = set()
        for value in values:
            has = dict(zip(names, value, strict=True))
            if all(has[name] == wanted for name, wanted in item.fixed):
                offered.add(tuple((name, has[name]) for name in item.shared))
        agreed = {
            tuple(sorted({**dict(bound), **dict(more)}.items()))
            for bound in agreed
            for more in offered
            if all(dict(bound).get(name, value) == value for name, value in more)
        }
    fixed = dict(rule.left.fixed)
    found: set[tuple[str, ...]] = set()
    for bound in agreed:
        has = {**({name: value for name, value in bound if name in rule.left.shared}), **fixed}
        choices = [
            (has[name],) if name in has else grammar.features[name] for name in grammar.categories[rule.category]
        ]
        found.update(product(*choices))
    return frozenset(found)
