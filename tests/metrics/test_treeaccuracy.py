"""Tree accuracy by hand, over a grammar and over dependency parses."""

from __future__ import annotations

from pathlib import Path

import pytest

from nlgauge.errors import InputError, MissingResource, SpecError
from nlgauge.metrics.spec import parse
from nlgauge.metrics.treeaccuracy import TreeAccuracy, Treelet, _compared

Trees = dict[str, list[Treelet]]


def test_treelets_by_hand() -> None:
    # chased: dog chased cat; dog: the dog; cat: the big cat
    theirs: Trees = {
        "": [("chased",)],
        "chased": [("dog", "chased", "cat")],
        "dog": [("the", "dog")],
        "cat": [("the", "big", "cat")],
    }
    assert _compared(theirs, theirs) == [0, 0, 0, 0, 9]
    # big stands with the dog: deleted in one treelet and inserted in another, two errors or one move
    mine: Trees = {**theirs, "dog": [("the", "big", "dog")], "cat": [("the", "cat")]}
    assert _compared(mine, theirs) == [0, 1, 1, 1, 9]
    # within one treelet: an alignment with two substitutions is as short, but a move is one error
    mine = {**theirs, "chased": [("cat", "chased", "dog")]}
    assert _compared(mine, theirs)[3] == 2
    mine = {**theirs, "cat": [("big", "the", "cat")]}
    assert sum(_compared(mine, theirs)[:3]) == 2
    assert _compared(mine, theirs)[3] == 1
    # a head that the other tree lacks
    mine = {**theirs, "mouse": [("a", "mouse")]}
    del mine["cat"]
    assert _compared(mine, theirs) == [0, 3, 2, 5, 9]


def test_treelets_of_one_head_are_aligned_at_the_least_cost() -> None:
    theirs: Trees = {"N": [("N", "M", "N"), ("N", "M", "N"), ("N", "H")]}
    assert _compared({"N": theirs["N"][1:]}, theirs) == [0, 3, 0, 3, 8]
    assert _compared(theirs, {"N": theirs["N"][1:]}) == [0, 0, 3, 3, 5]


def test_trees_of_a_grammar(tmp_path: Path) -> None:
    rules = tmp_path / "g.grammar"
    rules.write_text('S = D N ;\nD = "a" | "the" ;\nN = "cat" | "dog" ;\n', encoding="utf-8")
    metric = parse(f"treeaccuracy(grammar={rules})")
    # S D N, D a, N cat: seven tokens
    assert metric.corpus_rows(["a cat"], [["a cat"]]).tolist() == [[0, 0, 0, 0, 7]]
    assert metric.corpus_rows(["a dog"], [["a cat"]]).tolist() == [[1, 0, 0, 1, 7]]
    # not grammatical: zebra stands where the nearest text has a noun; a second zebra stands outside of all
    assert metric.corpus_rows(["a zebra"], [["a cat"]]).tolist() == [[1, 0, 0, 1, 7]]
    assert metric.corpus_rows(["a zebra zebra"], [["a cat"]])[0, :3].sum() == 2
    # no noun at all: N, and its treelet, are missing
    assert metric.corpus_rows(["A"], [["a cat"]]).tolist() == [[0, 3, 0, 3, 7]]
    assert metric.segments(["", "the dog"], [["a cat"], ["a cat", "the dog"]]).tolist() == [0, 1]
    assert metric.corpus(["a cat", "a"], [["a cat"], ["a cat"]]) == pytest.approx(1 - 3 / 14)
    assert metric.corpus(["a a a a a a a a a a"], [["a cat"]]) < 0
    assert metric.reads_files == (str(rules),)
    assert metric.models == ()
    assert metric.needs == ("references",)


def test_moves_are_never_worse() -> None:
    outputs = ["a tall happy man", "a man happy tall", "happy a man tall zebra", ""]
    references = [["a happy tall man"]] * 4
    simple = parse("treeaccuracy(grammar=person)").segments(outputs, references)
    moved = parse("treeaccuracy(grammar=person,moves=yes)").segments(outputs, references)
    assert (moved >= simple).all()
    assert moved[1] > simple[1]


def test_texts_too_long_to_be_mended_have_no_tree() -> None:
    metric = parse("treeaccuracy(grammar=person)")
    assert metric.segments(["zebra " * 500], [["a man"]])[0] < 0


def test_unknown_grammars_are_refused() -> None:
    with pytest.raises(SpecError, match="grammar of treeaccuracy must be empty, person or wind, or a file"):
        TreeAccuracy(grammar="persn")
    with pytest.raises(InputError, match=r"there is no grammar 'none\.grammar'"):
        parse("treeaccuracy(grammar=none.grammar)").corpus(["a"], [["a"]])


def test_over_dependency_parses() -> None:
    metric = parse("treeaccuracy")
    reference = [["The dog chased the cat."]]
    try:
        rows = metric.corpus_rows(["the dog chased the cat", "the dog chased the black cat"], reference * 2)
    except MissingResource as error:
        pytest.skip(str(error))
    # chased; dog chased cat; the dog; the cat: eight tokens without punctuation and case
    assert rows.tolist() == [[0, 0, 0, 0, 8], [0, 0, 1, 1, 8]]
