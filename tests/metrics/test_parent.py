"""PARENT by hand, its properties, and what it refuses."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge.errors import InputError, SpecError
from nlgauge.metrics.parent import Parent
from nlgauge.metrics.spec import parse

TABLE = [["name", "a b"], ["job", "c"]]
HYPOTHESIS, REFERENCE = "a b x", "a b c y"


def scores(hypothesis: str, references: list[str], table: Any, **options: Any) -> list[float]:
    """Precision, recall and F."""
    rows: list[float] = Parent(**options).corpus_rows([hypothesis], [references], sources=[table])[0].tolist()
    return rows[:3]


pytestmark = pytest.mark.usefixtures("backend")


def test_by_hand_with_a_fixed_weight() -> None:
    # words: a and b stand in the reference, x nowhere: 2 of 3; pairs: "a b" does, half of "b x" is in the table
    precision = math.sqrt(2 / 3 * (1 + 1 / 2) / 2)
    # of the reference a, b, c are entailed, y is not: 2 of 3; of the pairs 1, 1 and 1/2, the first is met
    from_reference = math.sqrt(2 / 3 * 1 / 2.5)
    from_table = (2 / 2 + 0 / 1) / 2
    recall = math.sqrt(from_reference * from_table)
    f = 2 * precision * recall / (precision + recall + 1e-8)
    got = scores(HYPOTHESIS, [REFERENCE], TABLE, order=2, lam="0.5")
    assert got == pytest.approx([precision, recall, f], rel=1e-14)


def test_by_hand_with_the_heuristic() -> None:
    # the reference mentions the whole table, so the table adds nothing to the recall: λ = 0
    assert scores(HYPOTHESIS, [REFERENCE], TABLE, order=2)[1] == pytest.approx(math.sqrt(2 / 3 * 1 / 2.5))
    # a reference with half of the first value and nothing of the second: λ = 1 - 1/4
    recalls = [1 / 1, 1.0]  # "a" is met; the pair "a y" is half entailed but not met, hence smoothed below
    recalls[1] = 1e-5
    expected = math.exp(0.25 * math.log(math.sqrt(recalls[0] * recalls[1])) + 0.75 * math.log(0.5))
    assert scores(HYPOTHESIS, ["a y"], TABLE, order=2)[1] == pytest.approx(expected)


def test_by_hand_triples_ask_for_entity_and_value() -> None:
    table = [["a", "has", "b"], ["c", "has", "d"]]
    # "a b" is mentioned, of "c d" only c; the attribute is asked of nobody
    precision, recall, _ = scores("a b c", ["a b c"], table, order=1, lam="1")
    assert (precision, recall) == (1.0, pytest.approx((1 + 1 / 2) / 2))
    assert scores("has", ["x"], table, order=1)[0] == 0  # nor does it support a word


def test_repeated_words_count_as_often_as_the_reference_has_them() -> None:
    # "x x": the reference has one of two, the other half is not in the table
    assert scores("x x", ["x"], [["n", "v"]], order=1)[0] == 0.5
    # with x in the table the other half is supported as well
    assert scores("x x", ["x"], [["n", "x"]], order=1)[0] == 1.0


def test_of_several_references_one_counts_or_the_highest_of_each() -> None:
    table = [["n", "a b"]]
    references = ["a b z z z z", "a"]
    each = [scores("a b c", [reference], table, order=1) for reference in references]
    assert scores("a b c", references, table, order=1) == max(each, key=lambda score: score[2])
    highest = scores("a b c", references, table, order=1, multi="highest")
    assert highest == [max(column) for column in zip(*each, strict=True)]


def test_co_occurrence_by_hand(tmp_path: Path) -> None:
    counts = {"a": 4, "a|||x": 3, "name": 10, "name|||x": 1, "name|||y": 5, "gone|||y": 9}
    path = tmp_path / "counts.json"
    path.write_text(json.dumps(counts), encoding="utf-8")
    table = [["name", "a"]]
    # x: max(3/4, 1/10); y: 5/10; z: 0; the attribute itself counts as a word of the table
    for word, chance in (("x", 0.75), ("y", 0.5), ("z", 0.0), ("name", 1.0), ("a", 1.0)):
        assert scores(word, ["other"], table, order=1, entailment=str(path))[0] == chance
    precision = scores("x y", ["other"], table, order=2, entailment=str(path))[0]
    assert precision == pytest.approx(math.sqrt((0.75 + 0.5) / 2 * math.sqrt(0.75 * 0.5)))


def test_co_occurrence_is_counted_from_rows(tmp_path: Path) -> None:
    rows = [
        {"source": [["job", "drummer"]], "references": ["he drums", "drums drums"]},
        {"source": {"job": "singer"}, "references": ["he sings"]},
    ]
    path = tmp_path / "train.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    # drummer → drums in 2 of 2 pairs; job → sings in 1 of 3
    for word, chance in (("drums", 1.0), ("sings", 1 / 3), ("he", 2 / 3)):
        got = scores(word, ["other"], [["job", "drummer"]], order=1, entailment=str(path))[0]
        assert got == pytest.approx(chance)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"source": "no table", "references": ["x"]}', "line 1: the source is a text that is no table"),
        ('{"source": [["a", "b"]]}', "line 1: references must be a list"),
        ("[1", "line 1: not JSON"),
    ],
)
def test_bad_training_rows_are_named(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        scores("a", ["a"], TABLE, entailment=str(path))


@pytest.mark.parametrize(
    ("content", "message"),
    [("[1]", "is not an object"), ('{"a": "b"}', "count of 'a' is 'b'"), ("{", "is not JSON")],
)
def test_bad_counts_are_named(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "counts.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        scores("a", ["a"], TABLE, entailment=str(path))


def test_a_missing_file_of_counts_is_named() -> None:
    with pytest.raises(InputError, match=r"no such file: nosuch\.json"):
        scores("a", ["a"], TABLE, entailment="nosuch.json")


def test_a_text_that_says_the_whole_table_as_the_reference_does_is_perfect() -> None:
    text = "a b is c"
    assert scores(text, [text], TABLE) == pytest.approx([1, 1, 1], abs=1e-8)


def test_edges() -> None:
    assert scores("", ["a b"], TABLE)[0] == scores("", ["a b"], TABLE)[2] == 0
    # a text shorter than the longest n-grams has none of them, which counts as smoothed precision
    assert scores("a b", ["a b"], TABLE, order=4)[0] == pytest.approx((1e-5) ** (2 / 4))
    assert scores("z", ["q"], TABLE)[2] == 0  # nothing in common with anything
    precision, recall, _ = scores("a", [""], TABLE, order=1, lam="0")  # an empty reference asks for nothing
    assert (precision, recall) == (1, 1)
    # a table of whose values the tokeniser keeps nothing asks for nothing
    assert scores("a b", ["a b"], [["n", "—"]], tok="rouge", lam="1", order=1)[1] == 1


def test_long_values_and_texts() -> None:
    """Beyond 64 words the longest common subsequence is found another way."""
    words = [f"w{number}" for number in range(200)]
    for size in (63, 64, 65, 130):
        value = " ".join(words[:size])
        recall = scores(" ".join(words[10:]), ["x"], [["n", value]], lam="1")[1]
        assert recall == pytest.approx((size - 10) / size)
        assert scores(" ".join(words[::-1]), ["x"], [["n", value]], lam="1")[1] == pytest.approx(1 / size)


def test_bounds_and_monotony_under_perturbation() -> None:
    """Words that stand nowhere, put in the place of a text's words one by one, never raise precision or recall."""
    draw = random.Random(8)
    for _ in range(60):
        words = [draw.choice("abcdefgh") for _ in range(draw.randint(1, 9))]
        table = [["n", " ".join(draw.choice("abcdef") for _ in range(draw.randint(1, 3)))] for _ in range(3)]
        reference = " ".join(draw.choice("abcdefgh") for _ in range(draw.randint(1, 9)))
        before = scores(" ".join(words), [reference], table)
        for place in draw.sample(range(len(words)), len(words)):
            words[place] = f"none{place}"
            after = scores(" ".join(words), [reference], table)
            assert all(0 <= value <= 1 for value in after)
            assert all(new <= old + 1e-12 for new, old in zip(after, before, strict=True))
            before = after


def test_tokens_and_case() -> None:
    assert scores("A B", ["a b"], TABLE, order=2)[0] == 1
    assert scores("A B", ["a b"], TABLE, order=2, lower=False)[0] == 0
    assert scores("a b.", ["a b ."], TABLE, order=3, tok="13a")[0] == 1


def test_the_score_of_a_set_is_the_mean() -> None:
    metric, texts = Parent(lam="0.5"), ["a b x", "c"]
    references, sources = [[REFERENCE], ["a b is c"]], [TABLE, {"name": "a b", "job": "c"}]
    segments = metric.segments(texts, references, sources=sources)
    assert metric.corpus(texts, references, sources=sources) == pytest.approx(np.mean(segments))


def test_spellings_of_the_weight() -> None:
    assert parse("parent(lam=0.50)") == parse("parent(lam=.5)") == Parent(lam="0.5")
    assert str(parse("parent(lam=1.0)")) == "parent(lam=1)"
    for wrong in ("2", "-0.1", "nan", "half"):
        with pytest.raises(SpecError, match="auto, or a number from 0 to 1"):
            Parent(lam=wrong)


def rows(**changes: Any) -> list[dict[str, Any]]:
    good = {"system": "s", "hypothesis": "a", "references": ["a"]}
    return [{"item": "first", "source": TABLE} | good, {"item": "second", "source": TABLE} | good | changes]


def test_scoring_names_the_item_whose_table_is_malformed() -> None:
    assert nlgauge.score(rows(), "parent")["s", "parent"].value > 0
    with pytest.raises(InputError, match="item 'second': row 1 of the table is a list of 1"):
        nlgauge.score(rows(source=[["name"]]), "parent")
    with pytest.raises(InputError, match="item 'second' of system 's' has no source"):
        nlgauge.score(rows(source=None), "parent")


@pytest.mark.parametrize(("name", "content"), [("counts.json", "{}"), ("counts.json", '{"a": 1}'), ("rows.jsonl", "")])
def test_counts_without_a_pair_of_words_are_refused(name: str, content: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match="no words that occur together"):
        parse(f"parent(entailment={path})").corpus(["a"], [["a"]], sources=[[["b", "c"]]])
