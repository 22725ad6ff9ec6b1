"""The search for edits that raise a metric: known best edits, guards that hold at every step, real metrics."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nlgauge as ng
from nlgauge.errors import InputError
from nlgauge.meta.adversarial import edits, search
from nlgauge.meta.adversarial.edits import KINDS, sampled, single_edits
from nlgauge.metrics.base import Array, Direction, Metric, option
from nlgauge.metrics.spec import parse

OUTPUTS = ["the dog sat on a mat", "rain is expected by noon", "he bought red apples", "a big house is here"]
REFERENCES = [
    ["the cat sat on the mat", "a cat was on the mat"],
    ["heavy rain is expected from noon"],
    ["he bought twelve red apples in Turin"],
    ["there is a large house"],
]


def a_set(outputs: list[str] = OUTPUTS, references: list[list[str]] = REFERENCES) -> ng.EvaluationSet:
    return ng.EvaluationSet.of({"s": outputs}, references)


@dataclass(frozen=True)
class Counted(Metric):
    """How often the output says a word: the best edits are known."""

    name: ClassVar[str] = "counted"
    needs: ClassVar[tuple[str, ...]] = ("outputs",)
    bounds: ClassVar[tuple[float, float]] = (-math.inf, math.inf)
    word: str = option("cat", "the word")

    @property
    def columns(self) -> tuple[str, ...]:
        return ("count", "segments")

    def rows(self, batch: Any) -> Array:
        counts = [float(text.split().count(self.word)) for text in batch.hypotheses]
        return np.stack([counts, np.ones(len(counts))], axis=1)

    def score(self, totals: Array) -> Array:
        return np.asarray(totals[..., 0] / totals[..., 1])


class Feared(Counted):
    name: ClassVar[str] = "feared"
    direction: ClassVar[Direction] = "lower"


class Words(Counted):
    """The number of words; nothing for one word."""

    name: ClassVar[str] = "words"

    def rows(self, batch: Any) -> Array:
        sizes = [float(len(text.split())) for text in batch.hypotheses]
        return np.stack([[size if size > 1 else math.nan for size in sizes], np.ones(len(sizes))], axis=1)


def texts(text: str, kind: str, *references: str) -> list[str]:
    return [edit.text for edit in single_edits(text, references, [kind])]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("delete", ["big dog.", "A dog.", "A big"]),
        ("swap", ["big A dog.", "A dog big."]),
        ("repeat", ["A A big dog.", "A big big dog.", "A big dog dog."]),
        ("synonym", ["A large dog."]),
        ("insert", ["old A big dog.", "A old big dog.", "A big old dog.", "A big dog old."]),
    ],
)
def test_single_edits_by_hand(kind: str, expected: list[str]) -> None:
    """The words inserted are those of the first reference: "the" comes before "old"."""
    assert texts("A big dog.", kind, "the old", "a big DOG")[-len(expected) :] == expected


def test_words_are_inserted_of_which_a_reference_has_more() -> None:
    found = single_edits("the cat", ["The cat and the cat"], ["insert"])
    assert {edit.after for edit in found} == {"The", "cat", "and"}
    assert [(edit.place, edit.before) for edit in found[:3]] == [(1, ""), (2, ""), (3, "")]
    assert texts("", "insert", "a b") == ["a", "b"] and texts("...", "insert", "a") == ["a ..."]
    assert texts("same words", "insert", "words same") == []
    assert texts("雨天", "insert", "晴") == ["晴雨天", "雨晴天", "雨天晴"]  # no blanks in such scripts


def test_the_last_word_is_not_left_out_and_no_edit_is_the_text_itself() -> None:
    assert texts("word", "delete") == [] and texts("same same", "swap") == []
    assert texts("a a", "delete") == ["a"]  # one text, once


def test_wordnet_gives_synonyms_of_content_words() -> None:
    try:
        edits.chosen(["wordnet"])
    except ng.MissingResource:
        pytest.skip("WordNet is not installed")
    found = {edit.after for edit in single_edits("the automobile", [], ["wordnet"])}
    assert {"car", "auto"} <= found and all(edit.place == 2 for edit in single_edits("the car", [], ["wordnet"]))


def test_kinds_share_the_number_of_edits_that_are_tried() -> None:
    found = single_edits("a b c d e f", ["u v w x y z"], ["delete", "insert"])
    assert len(found) == 6 + 6 * 7
    few = sampled(found, 20, random.Random(1))
    assert [edit.kind for edit in few].count("delete") == 6 and len(few) == 20
    assert few == [edit for edit in found if edit in few] and sampled(found, 100, random.Random(1)) == found


def test_the_best_edit_is_found_where_it_is_known() -> None:
    found = ng.attack(a_set(["a dog", "a cat"], [["a cat"], ["x"]]), Counted(), edits=2, kinds=["insert", "repeat"])
    first, second = found.paths
    assert [(step.kind, step.after, step.place, step.score) for step in first.steps] == [
        ("insert", "cat", 1, 1.0),
        ("repeat", "cat cat", 1, 2.0),
    ]
    assert [step.text for step in second.steps] == ["a cat cat", "a cat cat cat"]
    assert (first.gain, second.gain, found.gain.estimate) == (2.0, 2.0, 2.0)
    assert [reached.gain.estimate for reached in found.curve] == [0.0, 1.0, 2.0]
    by_kind = {kind.kind: kind for kind in found.kinds}
    assert (by_kind["insert"].taken, by_kind["repeat"].taken, by_kind["repeat"].share) == (1, 3, 0.75)
    assert (by_kind["insert"].first.estimate, by_kind["repeat"].first.estimate) == (0.5, 0.5)
    assert found.raised.estimate == 1.0 and found.raised.low == pytest.approx(0.025**0.5)


def test_a_metric_of_which_less_is_better_is_lowered() -> None:
    (path,) = ng.attack(a_set(["cat a cat"], [["x"]]), Feared(), kinds="delete").paths
    assert [(step.score, step.gain) for step in path.steps] == [(1.0, 1.0), (0.0, 1.0)]
    assert path.final.text == "a"


def test_guards_forbid_the_edits_that_raise_them() -> None:
    data = a_set(["a dog"], [["a cat"]])
    assert not ng.attack(data, Counted(), Words()).largest  # every way to say cat makes the text longer
    (path,) = ng.attack(data, Counted(), Words(), tolerance=1, edits=9).paths
    assert [len(step.text.split()) for step in path.steps] == [3]
    (path,) = ng.attack(data, Counted(), Words(), tolerance=2.5, edits=9).paths
    assert [step.guards["words"] for step in path.steps] == [3.0, 4.0]


def test_outputs_without_a_score_are_left_out_or_stay_as_they_are() -> None:
    data = a_set(["word", "two words"], [["a cat"], ["a cat"]])
    found = ng.attack(data, Words(), edits=1)
    assert [path.item for path in found.paths] == ["2"] and "1 output without a score of words left out" in found.notes
    guarded = ng.attack(data, Counted(), Words(), tolerance=5, edits=1)
    assert [bool(path.steps) for path in guarded.paths] == [False, True]
    assert any("1 output without a score of words could not be guarded" in note for note in guarded.notes)
    with pytest.raises(InputError, match="scores none of the outputs"):
        ng.attack(a_set(["word"], [["x"]]), Words())


@settings(max_examples=25, deadline=None)
@given(
    outputs=st.lists(st.text("abc .", max_size=14), min_size=1, max_size=3),
    reference=st.text("abcd ", max_size=14),
    tolerance=st.sampled_from([0.0, 2.0]),
    seed=st.integers(0, 3),
)
def test_every_step_gains_and_keeps_to_the_guards(
    outputs: list[str], reference: str, tolerance: float, seed: int
) -> None:
    data = a_set(outputs, [[reference]] * len(outputs))
    options: dict[str, Any] = {"candidates": 12, "edits": 3, "tolerance": tolerance, "seed": seed}
    found = ng.attack(data, "ter", ["chrf", "bleu"], **options)
    ter, chrf, bleu = map(parse, ("ter", "chrf", "bleu"))
    for path in found.paths:
        before = path.score
        for step in path.steps:
            assert step.score < before and step.gain == pytest.approx(before - step.score)
            before = step.score
            assert step.score == pytest.approx(float(ter.segments([step.text], [[reference]])[0]))
            for guard in (chrf, bleu):
                start, now = guard.segments([path.text, step.text], [[reference]] * 2)
                assert now <= start + tolerance + 1e-9
                assert step.guards[str(guard)] == pytest.approx(now)
    assert ng.attack(data, "ter", ["chrf", "bleu"], **options).to_dict() == found.to_dict()


def test_words_of_the_reference_raise_bleu() -> None:
    found = ng.attack(a_set(), "bleu", kinds="insert", edits=3)
    assert all(path.final.score > path.score for path in found.paths)
    for path, references in zip(found.paths, REFERENCES, strict=True):
        inside = {word for text in references for word in text.split()}
        assert all(step.after in inside for step in path.steps)


@pytest.mark.parametrize("spec", ["chrf", "rougeL", "ter", "cider"])
def test_real_metrics_improve_in_their_own_direction(spec: str) -> None:
    data = a_set()
    found = ng.attack(data, spec, edits=2)
    metric = parse(spec)
    assert found.raised.estimate >= 0.75  # one edit alone does not always do
    for path in found.largest:
        better = path.final.score < path.score if metric.direction == "lower" else path.final.score > path.score
        assert better and path.gain == pytest.approx(abs(path.final.score - path.score))
    whole = ng.score(data, spec)["s", str(metric)].value
    if spec == "cider":  # fitted once, on the references of the whole set
        assert found.curve[0].score == pytest.approx(whole, abs=1e-8)


def test_a_model_metric_is_raised_without_its_guard() -> None:
    pytest.importorskip("onnxruntime")
    found = ng.attack(a_set(), "bertscore(model=minilm-int8)", "chrf", edits=1, candidates=20, items=2)
    assert len(found.paths) == 2
    for path in found.paths:
        assert path.final.score >= path.score and path.final.guards["chrf"] <= path.guards["chrf"]


def test_the_same_seed_gives_the_same_search_whatever_the_other_outputs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    options: dict[str, Any] = {"guards": "chrf", "candidates": 9}
    whole = ng.attack(a_set(), "bleu", **options)
    assert ng.attack(a_set(), "bleu", **options).to_dict() == whole.to_dict()
    assert ng.attack(a_set(), "bleu", **options, seed=2).paths != whole.paths
    alone = ng.attack(a_set(OUTPUTS[:1], REFERENCES[:1]), "bleu", **options)
    assert alone.paths == whole.paths[:1]
    monkeypatch.setattr(search, "TOGETHER", 1)
    assert ng.attack(a_set(), "bleu", **options).to_dict() == whole.to_dict()


def test_systems_and_items_are_chosen_evenly() -> None:
    rows = {name: [f"{name} {number}" for number in range(10)] for name in ("a", "b")}
    data = ng.EvaluationSet.of(rows, [["a b"]] * 10)
    found = ng.attack(data, "chrf", systems="b", items=5, edits=1)
    assert [(path.system, path.item) for path in found.paths] == [("b", item) for item in "13579"]
    both = ng.attack(data, "chrf", items=2, edits=1)
    assert [(path.item, path.system) for path in both.paths] == [
        ("1", "a"),
        ("1", "b"),
        ("6", "a"),
        ("6", "b"),
    ]


def test_a_figure_that_is_the_same_for_every_output_has_no_interval() -> None:
    outputs = [f"word{number} and more" for number in range(30)]
    data = a_set(outputs, [[text] for text in outputs])
    found = ng.attack(data, "chrf", edits=1, kinds=["delete", "insert"])
    estimates = [found.gain, *(kind.first for kind in found.kinds)]
    assert all(math.isnan(estimate.low) and math.isnan(estimate.high) for estimate in estimates)
    assert "interval" not in str(found)
    assert 0 < found.raised.high < 0.2  # the share keeps its exact limits


def test_intervals_draw_items_with_all_their_outputs() -> None:
    """Two systems with the same outputs say nothing that one does not: the limits are the same."""
    draw = random.Random(4)
    outputs = [" ".join(draw.choices("abcdef", k=5)) for _ in range(24)]
    references = [[" ".join(draw.choices("abcdef", k=6))] for _ in outputs]
    one = ng.attack(ng.EvaluationSet.of({"a": outputs}, references), "chrf", kinds="swap", edits=1)
    two = ng.attack(ng.EvaluationSet.of({"a": outputs, "b": outputs}, references), "chrf", kinds="swap", edits=1)
    assert math.isfinite(one.gain.low) and one.gain.low < one.gain.estimate < one.gain.high
    assert (two.gain.low, two.gain.high) == pytest.approx((one.gain.low, one.gain.high))
    few = ng.attack(a_set(), "chrf", edits=1)
    assert math.isnan(few.gain.low)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"metric": "distinct"}, "describes a system's outputs as a set"),
        ({"metric": "chrf", "guards": ["selfbleu"]}, "describes a system's outputs as a set"),
        ({"metric": "chrf", "guards": ["bleu", "chrf"]}, "chrf cannot guard itself"),
        ({"metric": "@bleu"}, "stored in the data"),
        ({"metric": "chrf", "kinds": ["insrt"]}, "no kind of edit 'insrt'.*insert"),
        ({"metric": "chrf", "kinds": []}, "no kind of edit was given"),
        ({"metric": "chrf", "edits": 0}, "edits must be a whole number from 1 up"),
        ({"metric": "chrf", "candidates": 0}, "candidates must be"),
        ({"metric": "chrf", "items": 0}, "number of items"),
        ({"metric": "chrf", "tolerance": -1.0}, "tolerance"),
        ({"metric": "chrf", "tolerance": math.nan}, "tolerance"),
        ({"metric": "chrf", "level": 1.0}, "confidence level"),
        ({"metric": "chrf", "systems": ["nobody"]}, "no system 'nobody'"),
    ],
)
def test_refusals(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ng.attack(a_set(), **arguments)


def test_without_references() -> None:
    bare = ng.load([{"item": "1", "system": "s", "hypothesis": "a dog"}])
    with pytest.raises(InputError, match="reference"):
        ng.attack(bare, "chrf")
    with pytest.raises(InputError, match="has no references, from which"):
        ng.attack(bare, Counted(), kinds=["insert"])
    found = ng.attack(bare, Counted(word="dog"), edits=1)
    assert found.paths[0].final.text == "a dog dog"
    assert {kind.kind for kind in found.kinds} == set(KINDS) - {"insert", "wordnet"}
    assert any("no words of them were inserted" in note for note in found.notes)


def test_json_has_the_gain_of_each_output() -> None:
    told = ng.attack(a_set(), "chrf", "bleu").to_dict()
    assert told["paths"][0]["gain"] == sum(step["gain"] for step in told["paths"][0]["steps"]) > 0
    assert told["settings"]["edits"] == 5 and told["sentence"].startswith("Up to 5 edits an output improve chrf from ")


def test_outputs_are_judged_by_their_own_post_edits() -> None:
    rows = [
        {"item": "1", "system": "a", "hypothesis": "x cat", "references": ["y"], "post_edits": ["cat"]},
        {"item": "1", "system": "b", "hypothesis": "x cat", "references": ["y"], "post_edits": ["x"]},
        {"item": "1", "system": "c", "hypothesis": "x cat", "references": ["y"]},
    ]
    found = ng.attack(ng.load(rows), "hter", systems=["a", "b"], kinds="delete")
    assert [path.final.text for path in found.paths] == ["cat", "x"]
    assert len(ng.attack(ng.load(rows), "chrf", edits=1).paths) == 3


def test_progress_counts_the_texts_that_were_scored() -> None:
    told: list[int] = []
    ng.attack(a_set(["a b"], [["c"]]), Counted(word="b"), kinds="repeat", edits=1, progress=told.append)
    assert told == [1, 2]
