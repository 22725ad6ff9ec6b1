"""The parser against oracles: sums over all splits, and trees listed one by one."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from random_grammars import Rules, counted, drawn, texts, written

from nlgauge.corpus.grammar import Tables, load, parsed
from nlgauge.corpus.grammar.compiling import CycleError
from nlgauge.corpus.grammar.parsing import parse
from nlgauge.corpus.grammar.rules import Grammar, Item, Rule, Use, Word, split
from nlgauge.corpus.grammar.trees import Tree
from nlgauge.errors import InputError

Bare = tuple[Rule, list[Any]]  # a rule with its parts, each a Use and such a tree


def test_random_grammars_have_as_many_parses_as_sums_over_all_splits_say() -> None:
    generator = random.Random(20)
    seen = {"parses": 0, "ambiguous": 0, "cycles": 0, "none": 0, "empty": 0, "left": 0}
    for _ in range(120):
        rules = drawn(generator)
        try:
            tables = Tables(parsed(written(rules)))
        except CycleError as error:
            seen["cycles"] += 1
            for above, below in pairwise(error.path):
                assert any(alone(rules, right, below) for right in rules[above]), (written(rules), error)
            continue
        except InputError as error:
            assert "makes no text" in str(error)
            assert all(counted(rules, text) == 0 for text in texts(3))
            seen["none"] += 1
            continue
        seen["left"] += any(right[:1] == (name,) for name, rights in rules.items() for right in rights)
        for text in texts(4):
            expected = counted(rules, text)
            assert expected is not None, (written(rules), text)
            found = parse(tables, text)
            assert found.count == expected, (written(rules), text)
            assert found.grammatical == (expected > 0)
            trees = found.trees(50)
            assert len(set(trees)) == min(expected, 50)
            assert all(tuple(tree.words) == text for tree in trees)
            seen["parses"] += expected > 0
            seen["ambiguous"] += expected > 1
            seen["empty"] += expected > 0 and not text
    assert min(seen.values()) > 10, seen


def alone(rules: Rules, right: tuple[str, ...], part: str) -> bool:
    """Whether a part may be all that is left of a right-hand side, the others being empty."""
    rests = [right[:k] + right[k + 1 :] for k, symbol in enumerate(right) if symbol == part]
    return any(all(other.isupper() and counted(rules, (), other) != 0 for other in rest) for rest in rests)


def test_the_classic_ambiguous_grammar_has_catalan_numbers_of_parses() -> None:
    tables = Tables(parsed('S = S S | "a" ;'))
    assert [parse(tables, ["a"] * n).count for n in range(1, 9)] == [1, 1, 2, 5, 14, 42, 132, 429]
    # Far too many to be listed, and deeper than calls may nest.
    assert parse(tables, ["a"] * 120).count > 10**60


def test_long_texts_do_not_exhaust_the_stack() -> None:
    for rules, size in (('S = "a" S | "a" ;', 600), ('S = S "a" | "a" ;', 5000), ('S = ("a" "b"?)* ;', 5000)):
        tree = parse(Tables(parsed(rules)), ["a"] * size).best
        assert tree is not None
        assert len(tree.words) == size
        assert tree.drawn()[0].startswith("S (")


FEATURES = """
%feature f = x | y
%feature g = x | y | z
S = A[f] B[f, g=x] | C[g] A[f=y] C[g] ;
A[f] = B[f] B | "a" ;
A[f=x] = "b" ;
B[f=x, g=x] = "a" ;
B[f=y] = "b" ;
B[g=z] = "b" ;
C[g=y] = "a" ;
C = "b" ;
"""


def test_features_against_all_values_tried_at_all_nodes() -> None:
    """A tree of the rules counts once if any values of the features at its nodes fit, however many do."""
    grammar = parsed(FEATURES)
    tables = Tables(grammar)
    seen = 0
    for size in range(1, 5):
        for text in product("ab", repeat=size):
            trees = [tree for tree in bare(grammar, "S", text) if values(grammar, tree)]
            assert parse(tables, text).count == len(trees), text
            seen += len(trees) > 1
    assert seen


def bare(grammar: Grammar, category: str, text: tuple[str, ...]) -> Iterator[Bare]:
    """The trees of a category over some words, features left out of account; no rule is empty or left-recursive."""
    for rule in grammar.rules:
        if rule.category == category:
            yield from ((rule, parts) for parts in covered(grammar, rule.items, text))


def covered(grammar: Grammar, items: tuple[Item, ...], text: tuple[str, ...]) -> Iterator[list[Any]]:
    if not items:
        if not text:
            yield []
        return
    first = items[0]
    if isinstance(first, Word):
        if text[:1] == (first.text,):
            yield from covered(grammar, items[1:], text[1:])
        return
    assert isinstance(first, Use)
    for size in range(1, len(text) - len(items) + 2):
        for tree in bare(grammar, first.category, text[:size]):
            yield from ([(first, tree), *rest] for rest in covered(grammar, items[1:], text[size:]))


def values(grammar: Grammar, tree: Bare) -> list[dict[str, str]]:
    """All values that the features of a tree's category can have, by trying every one at every node."""
    rule, parts = tree
    names = grammar.categories[rule.category]
    below = [[(use, found) for found in values(grammar, inner)] for use, inner in parts]
    fitting = []
    for own in product(*(grammar.features[name] for name in names)):
        mine = dict(zip(names, own, strict=True))
        for chosen in product(*below):
            sides = [(rule.left, mine), *chosen]
            fixed = all(has[name] == value for use, has in sides for name, value in use.fixed)
            shared = {(name, has[name]) for use, has in sides for name in use.shared}
            if fixed and len(shared) == len({name for name, _ in shared}) and mine not in fitting:
                fitting.append(mine)
    return fitting


@pytest.mark.parametrize(
    ("text", "parses"),
    [
        ("a tall happy toddler", 1),
        ("A tall happy toddler.", 1),
        ("an elderly man", 1),
        ("a elderly man", 0),
        ("an tall elderly man", 0),
        ("a tall elderly man", 1),
        ("two smiling women in red jackets", 0),  # the lexicon has no such garment
        ("two smiling women in red shorts", 1),
        ("two smiling woman", 0),
        ("a smiling women", 0),
        ("the women with long hair", 1),
        ("the woman in an orange hat", 1),
        ("the woman in a orange hat", 0),
        ("", 0),
    ],
)
def test_person_descriptions_agree_in_number_and_article(text: str, parses: int) -> None:
    assert parse(load("person"), split(text)).count == parses


def test_a_tree_is_drawn_with_its_rules() -> None:
    tree = parse(load("person"), split("an old man")).best
    assert isinstance(tree, Tree)
    assert tree.drawn() == [
        "Description (phrase)",
        "└ NounPhrase (determined)",
        "  ├ Determiner an",
        "  └ Nominal (modified)",
        "    ├ Modifier (age)",
        "    │ └ Age old",
        "    └ Nominal (head)",
        "      └ HeadNoun (gender)",
        "        └ GenderNoun man",
    ]
    assert tree.text == "an old man"


def test_the_likeliest_parse_comes_first() -> None:
    tables = Tables(parsed('S = rare: A | often: B @9 ; A = "a" ; B = "a" ;'))
    assert [tree.label for tree in parse(tables, ["a"]).trees(5)] == ["often", "rare"]


def test_case_is_ignored_unless_the_grammar_says_otherwise() -> None:
    assert parse(Tables(parsed('S = "Hello" ;')), ["hELLO"]).best == Tree("S", "1", ("hELLO",))
    exact = Tables(parsed('%case exact S = "Hello" /[A-Z]+/ ~ "NW" ;'))
    assert parse(exact, ["Hello", "SE"]).grammatical
    assert not parse(exact, ["hello", "SE"]).grammatical
    assert not parse(exact, ["Hello", "se"]).grammatical
