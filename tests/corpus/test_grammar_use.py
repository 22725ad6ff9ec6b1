"""Least edits, credit, sampling, coverage and diversity."""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
from random_grammars import WORDS, distance, drawn, language, texts, written

import nlgauge
from nlgauge.corpus.grammar import Tables, load, parsed
from nlgauge.corpus.grammar.checking import check
from nlgauge.corpus.grammar.measuring import Assessment, entropy, read_text, read_texts
from nlgauge.corpus.grammar.mending import LONGEST, Edit, credit, mend
from nlgauge.corpus.grammar.parsing import parse
from nlgauge.corpus.grammar.rules import joined, split
from nlgauge.corpus.grammar.trees import Sampler, sample
from nlgauge.errors import InputError
from nlgauge.report.grammar import TOO_LONG, notes

DEMO = Path(nlgauge.__file__).parent / "demo" / "forecasts.jsonl"


def applied(words: list[str], steps: tuple[Edit, ...]) -> list[str]:
    """The steps carried out on a text, which must be the one they are about."""
    assert [step.word for step in steps if step.word] == words
    return [step.by for step in steps if step.by]


def test_edits_are_the_fewest_of_all_texts_of_random_finite_grammars() -> None:
    generator = random.Random(5)
    edited = 0
    for _ in range(150):
        rules = drawn(generator, recursive=False)
        known = language(rules)
        try:
            tables = Tables(parsed(written(rules)))
        except InputError:
            continue
        for _ in range(12):
            words = [generator.choice(WORDS + "z") for _ in range(generator.randint(0, 7))]
            found = mend(tables, words)
            assert found is not None
            least = min(distance(tuple(words), text) for text in known)
            assert len(found.edits) == least, (written(rules), words, found)
            mended = applied(words, found.steps)
            assert tuple(mended) in known
            assert found.tree.words == mended
            edited += least > 1
    assert edited > 200


def test_edits_are_the_fewest_where_texts_have_no_end() -> None:
    generator = random.Random(6)
    tried = 0
    for _ in range(60):
        rules = drawn(generator)
        try:
            tables = Tables(parsed(written(rules)))
        except InputError:
            continue
        known = [text for text in texts(7) if parse(tables, text).grammatical]
        if not known:
            continue
        for _ in range(6):
            words = [generator.choice(WORDS + "z") for _ in range(generator.randint(0, 4))]
            found = mend(tables, words)
            assert found is not None
            least = min(distance(tuple(words), text) for text in known)
            # Longer texts than these cost more edits than 7 − 4.
            if least <= 3:
                tried += 1
                assert len(found.edits) == least, (written(rules), words)
            assert parse(tables, applied(words, found.steps)).grammatical
    assert tried > 100


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 40), st.integers(0, 40), st.sampled_from([-1, 0, 1]))
def test_one_edit_more_never_gives_more_credit(edits: int, words: int, longer: int) -> None:
    if words + longer >= 0:
        assert credit(edits + 1, words + longer) <= credit(edits, words)
    if 0 < edits < words:
        assert credit(edits + 1, words) < credit(edits, words) < 1


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_credit_falls_with_every_edit_that_leads_away(seed: int) -> None:
    generator = random.Random(seed)
    tables = load("person")
    words = split(next(sample(tables, 1, seed=seed)).text)
    before, last = 0, 1.0
    assert read_text(tables, joined(words)).credit == 1
    for _ in range(4):
        place = generator.randrange(len(words) + 1)
        kind = generator.choice(["insert", "delete", "replace"])
        if kind == "insert" or place == len(words):
            words = [*words[:place], "zebra", *words[place:]]
        else:
            words = [*words[:place], *(["zebra"] if kind == "replace" else []), *words[place + 1 :]]
        found = mend(tables, words)
        assert found is not None
        now = credit(len(found.edits), len(words))
        assert abs(len(found.edits) - before) <= 1
        if len(found.edits) > before:
            assert now <= last
        before, last = len(found.edits), now


def test_edits_are_told_and_words_chosen_by_likeness() -> None:
    tables = load("person")
    found = mend(tables, split("an tall hapy toddler"))
    assert found is not None
    assert [str(edit) for edit in found.edits] == ["replace an by a", "replace hapy by happy"]
    assert found.text == "a tall happy toddler"
    assert found.to_dict()["edits"][0] == {"kind": "replace", "word": "an", "by": "a"}
    empty = mend(tables, [])
    assert empty is not None
    assert {edit.kind for edit in empty.edits} == {"insert"}


def test_texts_that_are_very_long_are_not_mended_and_said_so() -> None:
    tables = load("person")
    found = Assessment("s", tables, read_texts(tables, ["zebra " * (LONGEST + 1), "a man"]))
    assert found.credit == 0.5
    assert notes([found]) == [f"s: 1 text not mended, with credit 0: {TOO_LONG}."]


def test_a_grammar_of_endless_texts_is_neither_mended_by_nor_drawn_from() -> None:
    doubling = " ".join(f"C{level} = C{level + 1} C{level + 1} ;" for level in range(60)) + ' C60 = "b" ;'
    tables = Tables(parsed(doubling))
    assert mend(tables, ["b"]) is None
    with pytest.raises(InputError, match="grew to more than 100,000 words"):
        list(sample(tables, 1, seed=1, depth=62))
    inside = Tables(parsed(f'S = "a" | "c" C0 ; {doubling}'))
    found = mend(inside, ["b"])
    assert found is not None and [str(edit) for edit in found.edits] == ["replace b by a"]


def test_long_chains_of_rules_are_ready_at_once() -> None:
    rules = " ".join(f'C{level} = "a" C{level + 1} ;' for level in range(3000)) + ' C3000 = "b" ;'
    began = time.perf_counter()
    assert parse(Tables(parsed(rules)), ["a"] * 3000 + ["b"]).grammatical
    assert check(parsed(rules)).findings == ()
    assert time.perf_counter() - began < 8  # 0.5 s here; 11 s where each round goes from the start downwards


def test_texts_without_end_count_as_not_grammatical() -> None:
    tables = Tables(parsed('S = "a"+ ;'))
    assert [read_text(tables, "a " * size).credit for size in (2_000, 2_001)] == [1, 0]


def test_samples_are_seeded_and_parse_again() -> None:
    for name in ("person", "wind"):
        tables = load(name)
        trees = list(sample(tables, 300, seed=3))
        assert trees == list(sample(tables, 300, seed=3))
        assert trees != list(sample(tables, 300, seed=4))
        for tree in trees:
            assert tree in parse(tables, split(tree.text)).trees(20)


def test_samples_of_random_grammars_are_among_their_parses() -> None:
    generator = random.Random(8)
    tried = 0
    for _ in range(100):
        try:
            tables = Tables(parsed(written(drawn(generator))))
            trees = list(sample(tables, 5, seed=1, depth=8))
        except InputError:
            continue
        for tree in trees:
            found = parse(tables, tree.words)
            assert found.count > 200 or tree in found.trees(200)
            tried += 1
    assert tried > 100


def test_shares_of_samples_are_the_weights_given_that_features_agree() -> None:
    rules = '%feature n = s | p\nS = D[n] N[n] ; D[n=s] = "a" @3 ; D = "the" ; N[n=s] = "cat" ; N[n=p] = "cats" @2 ;'
    # Of a cat 3 · 1, the cat 1 · 1, the cats 1 · 2; a cats does not agree: 3/6, 1/6, 2/6.
    counts = Counter(tree.text for tree in sample(Tables(parsed(rules)), 6000, seed=1))
    for text, share in {"a cat": 3 / 6, "the cat": 1 / 6, "the cats": 2 / 6}.items():
        assert counts[text] / 6000 == pytest.approx(share, abs=0.03)
    assert set(counts) == {"a cat", "the cat", "the cats"}


def depth(tree: object) -> int:
    return 1 + max((depth(part) for part in tree.parts if not isinstance(part, str)), default=0)  # type: ignore[attr-defined]


def test_no_tree_is_deeper_than_the_bound() -> None:
    tables = Tables(parsed('S = "a" S @50 | "b" ;'))
    found = [depth(tree) for tree in sample(tables, 200, seed=1, depth=7)]
    assert max(found) == 7
    with pytest.raises(InputError, match="no text of person has a tree of 3 levels"):
        Sampler(load("person"), 3)


def test_shares_coverage_and_diversity_by_hand() -> None:
    tables = Tables(parsed('S = one: A | two: A A | three: "x" ; A = a: "a" | b: "b" ;'))
    found = Assessment("s", tables, read_texts(tables, ["a", "b", "a a", "a", "z", "a z"]))
    told = found.to_dict()
    assert (told["texts"], told["grammatical"], told["types"]) == (6, 4, 3)
    assert told["share"] == pytest.approx(4 / 6)
    # R: binom.test(4, 6)$conf.int
    assert (told["low"], told["high"]) == pytest.approx((0.2227781, 0.9567281), abs=1e-6)
    assert told["credit"] == pytest.approx((4 + 0 + 1 / 2) / 6)
    assert told["rules"] == {"S.one": 3, "S.two": 1, "S.three": 0, "A.a": 4, "A.b": 1}
    assert found.unused == ["S.three"]
    assert told["categories"]["S"] == {"uses": 4, "rules": 3, "rules_used": 2, "words": 0, "words_used": 0}
    assert told["structures"] == 3  # A.a, A.b, and A.a A.a
    assert told["combinations"] == 3
    assert told["entropy_of_structures"] == pytest.approx(1.5)
    assert entropy(Counter()) == 0


def test_the_demo_s_references_are_mostly_wind_forecasts() -> None:
    rows = [json.loads(line) for line in DEMO.read_text(encoding="utf-8").splitlines()]
    references = sorted({text for row in rows for text in row["references"]})
    found = read_texts(load("wind"), references)
    assert sum(reading.grammatical for reading in found) >= 0.9 * len(references)
    assert all(reading.parses <= 1 for reading in found)


@pytest.mark.alone
def test_ten_thousand_short_outputs_are_parsed_in_ten_seconds() -> None:
    tables = load("person")
    outputs = [tree.text for tree in sample(tables, 10_000, seed=2)]
    start = time.process_time()
    found = [parse(tables, split(text)) for text in outputs]
    assert all(parsing.count >= 1 and parsing.best is not None for parsing in found)
    assert time.process_time() - start < 10
