"""Scene graphs: the captions annotated by hand, single rules, and texts that are no captions."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

import pytest

from nlgauge import models
from nlgauge.lexicons.wordnet import wordnet
from nlgauge.models.scenes import Scene, scene

sys.path.insert(0, str(Path(__file__).resolve().parent))
from reading import Tuples, annotated, precision_and_recall


@cache
def scenes(texts: tuple[str, ...]) -> list[Scene]:
    base = wordnet()
    return [scene(parse, base) for parse in models.parser("spacy-en").parse(texts)]


def found(text: str) -> Tuples:
    return frozenset(scenes((text,))[0].tuples)


@pytest.mark.parametrize(("name", "captions"), [("captions.txt", 60), ("held_out.txt", 20)])
@pytest.mark.parametrize("size", [0, 1, 2, 3], ids=["all", "objects", "attributes", "relations"])
def test_annotated_captions(name: str, captions: int, size: int) -> None:
    entries = annotated(name)
    assert len(entries) == captions
    got = [frozenset(one.tuples) for one in scenes(tuple(text for text, _ in entries))]
    precision, recall = precision_and_recall(got, [gold for _, gold in entries], size)
    assert precision >= 0.85 and recall >= 0.85


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A group of people.", {("people",)}),
        ("A couple of dogs.", {("dog",), ("dog", "2")}),
        ("A pair of scissors.", {("scissors",)}),
        ("Two of the cats are asleep.", {("cat",), ("cat", "2"), ("cat", "asleep")}),
        ("The ball was thrown by a boy.", {("ball",), ("boy",), ("boy", "throw", "ball")}),
        ("A girl's bike.", {("girl",), ("bike",), ("girl", "have", "bike")}),
        ("The sky is blue.", {("sky",), ("sky", "blue")}),
        ("The man is a doctor.", {("man",), ("doctor",), ("man", "be", "doctor")}),
        ("There is a cat on the roof.", {("cat",), ("roof",), ("cat", "on", "roof")}),
        ("A boy holds his dog.", {("boy",), ("dog",), ("boy", "hold", "dog"), ("boy", "have", "dog")}),
        ("A tennis court.", {("court",), ("court", "tennis")}),
        (
            "A cat sits on top of a car.",
            {("cat",), ("car",), ("cat", "sit"), ("cat", "on top of", "car")},
        ),
        (
            "A black dog bites a white dog.",
            {("dog",), ("dog", "black"), ("dog", "white"), ("dog", "bite", "dog")},
        ),
        (
            "A dog wearing a red harness runs across a field",
            {
                ("dog",),
                ("harness",),
                ("field",),
                ("harness", "red"),
                ("dog", "run"),
                ("dog", "wear", "harness"),
                ("dog", "across", "field"),
            },
        ),
    ],
)
def test_rules(text: str, expected: set[tuple[str, ...]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    ["", "   ", "...", "42", "He runs.", "🙂", "was was were the the of of of", "dog " * 300, "a\nb\tc"],
)
def test_any_text_gives_a_graph(text: str) -> None:
    got = scenes((text,))[0]
    for one in got.tuples:
        assert 1 <= len(one) <= 3 and all(one)
    for subject, *rest in got.tuples:
        assert subject in got.objects
        assert len(rest) != 2 or rest[1] in got.objects


def test_objects_come_once_and_first() -> None:
    got = scenes(("A dog chases a dog and a small dog.",))[0]
    assert got.objects == ("dog",)
    assert got.tuples[0] == ("dog",) and len(set(got.tuples)) == len(got.tuples)
