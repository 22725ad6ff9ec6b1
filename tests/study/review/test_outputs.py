"""The paper's three examples, the last two with figures on generated outputs; and cases that must stay silent."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from nlgauge.api import load
from nlgauge.study.question_review import Piece, Remark, review
from nlgauge.study.question_review.outputs import WordPairs, _nearer, encoders, permuted
from nlgauge.types import EvaluationSet

FORMAL = "We consider sentences that end with “.” as more formal than sentences that end with “!”."
NOUNS = ["meeting", "report", "invoice", "contract", "schedule", "proposal", "budget", "delivery"]
PEOPLE = ["the director", "the office", "our partner", "the client", "the committee", "the bank"]
WHEN = ["on Monday", "in the afternoon", "before noon", "next week", "in March", "after the break"]


def style(rows: int, seed: int, *, endings: tuple[str, str] = (".", "!")) -> EvaluationSet:
    """Two systems that transfer style: A writes stiffly and ends as told first, B chats and mostly ends otherwise."""
    draw = random.Random(seed)
    made = []
    for item in range(rows):
        noun, who, when = draw.choice(NOUNS), draw.choice(PEOPLE), draw.choice(WHEN)
        stiff = f"We would like to inform you that the {noun} will be sent to {who} {when}{endings[0]}"
        sign = endings[0] if draw.random() < 0.1 else endings[1]
        chatty = f"Hey, just so you know, {who} gets the {noun} {when}{sign}"
        made += [
            {"item": str(item), "system": "A", "hypothesis": stiff},
            {"item": str(item), "system": "B", "hypothesis": chatty},
        ]
    return load(made)


def of(found: list[Remark], kind: str) -> list[Remark]:
    return [remark for remark in found if remark.kind == kind]


def test_fluency_framing() -> None:
    (found,) = review(["How much more fluent is sentence A versus sentence B?"])
    assert found.kind == "comparison" and found.bias == "framing" and found.line == 1
    assert found.rewording == "Which sentence is more fluent: sentence A, sentence B, or is there no difference?"
    assert review(["How do sentence A and sentence B compare in terms of fluency?"]) == []


def test_full_stops_called_formal() -> None:
    data = style(60, 1)
    found = review([Piece(FORMAL, "instructions")], data=data, using=())
    assert of(found, "praised trait")
    told = {remark.words: remark.figures for remark in of(found, "trait of one system")}
    assert told["full stops"]["system"] == "A" and told["full stops"]["means"]["A"] == 1.0
    written = [segment.hypothesis.endswith(".") for segment in data if segment.system == "B"]
    assert told["full stops"]["means"]["B"] == pytest.approx(np.mean(written), abs=1e-4)
    assert told["full stops"]["ratio"] == pytest.approx(1 / np.mean(written), abs=0.01)
    assert told["full stops"]["p"] < 0.001
    assert told["exclamation marks"]["system"] == "B"


def test_a_trait_both_systems_have_is_not_told_of() -> None:
    found = review([Piece(FORMAL, "instructions")], data=style(60, 1, endings=(".", ".")), using=())
    assert of(found, "praised trait") and not of(found, "trait of one system")


def test_a_trait_to_be_ignored_is_not_told_of() -> None:
    piece = Piece("Ignore full stops and exclamation marks.", "instructions")
    assert review([piece], data=style(60, 1), using=()) == []


EXAMPLES_OF_A = [
    "We would like to inform you that the parcel will be sent to the museum in May.",
    "We would like to inform you that the letter will be sent to the school on Friday.",
]


@pytest.mark.parametrize("role", ["example", "instructions"])
def test_examples_like_one_system(role: str) -> None:
    pieces = (
        [Piece(text, "example") for text in EXAMPLES_OF_A]
        if role == "example"
        else [Piece("These are formal: " + " ".join(f"“{text}”" for text in EXAMPLES_OF_A), "instructions")]
    )
    (found,) = of(review(pieces, data=style(40, 2), using=encoders("none")), "examples like one system")
    assert found.figures["system"] == "A" and found.figures["examples"] == 2
    assert "nearer to the outputs of A" in found.reason
    for measured in found.figures["by"].values():
        assert measured["means"]["A"] > 1.5 * measured["means"]["B"] and measured["p"] < 0.001
        assert measured["method"] == "permutation of labels within items"


def test_examples_of_both_kinds_are_no_anchor() -> None:
    """Examples drawn alike from both systems: a difference is told of in few of many draws."""
    told = 0
    for seed in range(20):
        draw = random.Random(seed)
        rows = [
            {
                "item": str(item),
                "system": system,
                "hypothesis": f"The {draw.choice(NOUNS)} goes to {draw.choice(PEOPLE)} {draw.choice(WHEN)}.",
            }
            for item in range(25)
            for system in "AB"
        ]
        example = Piece("The parcel goes to the museum in May.", "example")
        told += bool(review([example], data=load(rows), using=[WordPairs()]))
    assert told <= 1


def test_permutation_agrees_with_all_permutations() -> None:
    """Three items, two systems: the eight swaps by hand."""
    values = {"A": np.array([3.0, 2.0, 5.0]), "B": np.array([1.0, 1.5, 1.0])}
    result = permuted(values, paired=True, seed=3, draws=4000)
    assert result.system == "A" and result.difference == pytest.approx(2.1667, abs=1e-4)
    # the largest of both directions: all swapped or none of eight
    assert result.p == pytest.approx(2 / 8, abs=0.03)


def test_systems_without_common_items_are_permuted_over_all() -> None:
    rows = [
        {"item": f"{system}{n}", "system": system, "hypothesis": "yes!" if system == "A" else "yes."}
        for system in "AB"
        for n in range(20)
    ]
    piece = Piece("Give lower scores to texts with exclamation marks.", "instructions")
    (found,) = of(review([piece], data=load(rows), using=()), "trait of one system")
    assert found.figures["method"] == "permutation of labels over all outputs"
    assert found.figures["ratio"] is None and "against none" in found.reason


def test_likeness_is_a_cosine_whatever_the_length_of_vectors() -> None:
    class Long:
        """An encoder whose vectors are not of length 1."""

        name, cut, settings = "long", 0, {"encoder": "long"}

        def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
            angles = np.array([0.1 if "stop" in text else 0.2 * len(text) for text in texts])
            lengths = 3.0 + np.arange(len(texts))[:, None]
            return np.asarray(lengths * np.stack([np.cos(angles), np.sin(angles)], 1), dtype=np.float32)

    texts = {"a": ["It rains stop.", "Sun stop.", "Wind stop."], "b": ["Rain", "Sun", "Windy day"]}
    near = _nearer(Long(), ["Fog stop."], texts, paired=True, seed=1)
    assert near.means["a"] == pytest.approx(1.0, abs=1e-4)
    assert near.means["b"] == pytest.approx(np.mean(np.cos(0.2 * np.array([4, 3, 9]) - 0.1)), abs=1e-4)
