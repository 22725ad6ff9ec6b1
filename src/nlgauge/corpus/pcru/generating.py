"""Texts from relations, in the modes of Belz and Reiter (2006) and by the most likely derivation.

* random: any rule that fits; weights play no part
* ngram: of all texts that the rules allow the one that a back-off 2-gram model finds most likely; weights play no part
* greedy: at each step the rule of highest weight, the first in the file where several are alike
* roulette: rules drawn in proportion to their weights
* viterbi: the derivation whose rules' probabilities have the highest product
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from nlgauge.corpus.pcru.rules import Relation, Rule, RuleBase, filled
from nlgauge.errors import InputError

# A back-off 2-gram model with Good–Turing discounting (Katz 1987).
#
# K = 7, as SRILM has it for 2-grams, and here for single words too. A count r up to K is multiplied by
# d_r = ((r + 1) n_{r+1} / (r n_r) − c) / (1 − c) with c = (K + 1) n_{K+1} / n_1, where n_r is how many n-grams occur r
# times. As in SRILM a factor outside (0, 1] is taken for 1. What discounting frees goes to 2-grams never seen, in
# proportion to the probabilities of their second words, and among single words to one unknown word. Where nothing is
# freed, one count is added for what was never seen.


START, END = "<s>", "</s>"
LARGEST = 7  # counts above are trusted


def discounts(counts: Mapping[Any, int], largest: int = LARGEST) -> dict[int, float]:
    """The factor of each count from 1 to `largest`; 1 where Good–Turing gives none within (0, 1]."""
    of = Counter(counts.values())
    common = (largest + 1) * of[largest + 1] / of[1] if of[1] else 1.0
    found = {}
    for count in range(1, largest + 1):
        factor = 0.0
        if of[count] and common < 1:
            factor = ((count + 1) * of[count + 1] / (count * of[count]) - common) / (1 - common)
        found[count] = factor if 0 < factor <= 1 else 1.0
    return found


@dataclass(frozen=True)
class Bigrams:
    """Probabilities of words, of pairs, and the weight with which a context backs off to single words."""

    words: Mapping[str, float]
    unknown: float
    pairs: Mapping[tuple[str, str], float]
    backoff: Mapping[str, float]

    def chance(self, word: str, before: str) -> float:
        """The probability of a word after another."""
        seen = self.pairs.get((before, word))
        return self.backoff.get(before, 1.0) * self.words.get(word, self.unknown) if seen is None else seen

    def log_probability(self, words: Sequence[str]) -> float:
        """The natural logarithm of a whole text's probability, with its end."""
        chain = [START, *words, END]
        return sum(math.log(self.chance(word, before)) for before, word in pairwise(chain))


def learn(texts: Iterable[Sequence[str]]) -> Bigrams:
    """The model of some texts, each a list of words."""
    singles: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for words in texts:
        chain = [START, *words, END]
        singles.update(chain[1:])
        pairs.update(pairwise(chain))
    factor = discounts(singles)
    total = sum(singles.values())
    known = {word: factor.get(count, 1.0) * count / total for word, count in singles.items()}
    unknown = 1 - sum(known.values())
    if unknown < 1e-9:  # nothing was discounted: one more count, for the unknown word
        known = {word: chance * total / (total + 1) for word, chance in known.items()}
        unknown = 1 / (total + 1)
    contexts: Counter[str] = Counter()
    for (before, _), count in pairs.items():
        contexts[before] += count
    factor = discounts(pairs)
    chances = {pair: factor.get(count, 1.0) * count / contexts[pair[0]] for pair, count in pairs.items()}
    kept, covered = defaultdict[str, float](float), defaultdict[str, float](float)
    for (before, word), chance in chances.items():
        kept[before] += chance
        covered[before] += known[word]
    backoff = {}
    for before in contexts:
        free = 1 - kept[before]
        if free < 1e-9:  # all counts of this context are trusted: one more, for what never followed it
            share = contexts[before] / (contexts[before] + 1)
            chances |= {pair: chance * share for pair, chance in chances.items() if pair[0] == before}
            free = 1 - share
        backoff[before] = free / (1 - covered[before])
    return Bigrams(known, unknown, chances, backoff)


Mode = Literal["random", "ngram", "greedy", "roulette", "viterbi"]
Choose = Callable[[Relation, Sequence[Rule]], Rule]
Likeliest = dict[str, tuple[float, tuple[str, ...]]]  # by last word: the best logarithm, and its words


@dataclass(frozen=True)
class Tree:
    """A derivation: the rule used, and in its order words and the derivations of relations."""

    relation: Relation
    rule: Rule
    parts: tuple[str | Tree, ...]

    def words(self) -> Iterator[str]:
        """The words, left to right."""
        for part in self.parts:
            if isinstance(part, Tree):
                yield from part.words()
            else:
                yield part


def spelled(words: Sequence[str]) -> str:
    """The words as a text."""
    return " ".join(words).replace(" ,", ",")


def expand(base: RuleBase, relation: Relation, choose: Choose) -> Tree:
    """One derivation of a relation."""
    rules, values = base.alternatives(relation)
    rule = choose(relation, rules)
    parts = tuple(
        expand(base, piece.bound(values), choose) if isinstance(piece, Relation) else filled(piece, values)
        for piece in rule.body
    )
    return Tree(relation, rule, parts)


class Generator:
    """A rule base in one mode; `column` names the weights where the rules have several."""

    def __init__(
        self,
        base: RuleBase,
        mode: Mode,
        *,
        seed: int = 0,
        column: str | None = None,
        model: Bigrams | None = None,
    ) -> None:
        if mode == "ngram" and model is None:
            raise InputError("the mode ngram needs texts for its 2-gram model")
        self.base, self.mode, self.model = base, mode, model
        self.rng = random.Random(seed)
        self.chances = base.chances(column) if mode in ("greedy", "roulette", "viterbi") else []
        self.best: dict[Relation, tuple[float, Rule]] = {}
        self.ways: dict[tuple[Relation, str], Likeliest] = {}

    def generate(self, content: Sequence[Relation]) -> str:
        """The text of an input."""
        if self.model is None or self.mode != "ngram":
            return spelled([word for tree in self.derive(content) for word in tree.words()])
        states: Likeliest = {START: (0.0, ())}
        for relation in content:
            states = self._followed(states, relation, self.model)
        return spelled(self._followed(states, END, self.model)[END][1][:-1])

    def derive(self, content: Sequence[Relation]) -> list[Tree]:
        """One derivation of each relation of an input, by the mode's way of choosing."""
        choose: dict[str, Choose] = {
            "random": self._any,
            "greedy": self._heaviest,
            "roulette": self._drawn,
            "viterbi": lambda relation, _: self._best(relation)[1],
        }
        return [expand(self.base, relation, choose[self.mode]) for relation in content]

    def rewrite(self, tree: Tree, kept: float) -> Tree:
        """The same content again: each choice stays with the probability `kept`, else this mode chooses anew."""
        if self.rng.random() >= kept:
            return self.derive([tree.relation])[0]
        parts = tuple(self.rewrite(part, kept) if isinstance(part, Tree) else part for part in tree.parts)
        return Tree(tree.relation, tree.rule, parts)

    def _followed(self, states: Likeliest, piece: str | Relation, model: Bigrams) -> Likeliest:
        """The best texts by their last word, after one more word or relation.

        A 2-gram model looks back one word, so that of all texts with the same last word only the best can win.
        """
        after: Likeliest = {}
        for last, (score, words) in states.items():
            if isinstance(piece, Relation):
                ways = self._ways(piece, last, model)
            else:
                ways = {piece: (math.log(model.chance(piece, last)), (piece,))}
            for word, (more, said) in ways.items():
                if word not in after or score + more > after[word][0]:
                    after[word] = (score + more, words + said)
        return after

    def _ways(self, relation: Relation, last: str, model: Bigrams) -> Likeliest:
        """The best expansions of a relation after a word."""
        if (relation, last) not in self.ways:
            rules, values = self.base.alternatives(relation)
            best: Likeliest = {}
            for rule in rules:
                states: Likeliest = {last: (0.0, ())}
                for piece in rule.body:
                    bound = piece.bound(values) if isinstance(piece, Relation) else filled(piece, values)
                    states = self._followed(states, bound, model)
                for word, way in states.items():
                    if word not in best or way[0] > best[word][0]:
                        best[word] = way
            self.ways[relation, last] = best
        return self.ways[relation, last]

    def _any(self, _: Relation, rules: Sequence[Rule]) -> Rule:
        return self.rng.choice(rules)

    def _heaviest(self, _: Relation, rules: Sequence[Rule]) -> Rule:
        return max(rules, key=lambda rule: self.chances[rule.number])

    def _drawn(self, _: Relation, rules: Sequence[Rule]) -> Rule:
        return self.rng.choices(rules, [self.chances[rule.number] for rule in rules])[0]

    def _best(self, relation: Relation) -> tuple[float, Rule]:
        """The most likely derivation's logarithm and first rule; relations below are settled first."""
        if relation not in self.best:
            rules, values = self.base.alternatives(relation)
            scored = []
            for rule in rules:
                below = sum(self._best(piece.bound(values))[0] for piece in rule.body if isinstance(piece, Relation))
                scored.append((_log(self.chances[rule.number]) + below, rule))
            self.best[relation] = max(scored, key=lambda pair: pair[0])
        return self.best[relation]


def _log(chance: float) -> float:
    return math.log(chance) if chance else -math.inf
