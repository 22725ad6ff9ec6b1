"""The comparator that comes with nlgauge."""

from __future__ import annotations

import json
from importlib.resources import files
from random import Random

import numpy as np
import pytest

from nlgauge.learned.comparator import TIE, A, B, Comparator, Written, verdicts
from nlgauge.learned.folder import COMPARATOR, shipped
from nlgauge.learned.trained import opened
from nlgauge.meta.probes.perturbations import Perturbed, by_name
from nlgauge.training.games import DAMAGES
from nlgauge.training.run import RECIPES, read_config

pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: the comparator's 8-bit arithmetic")


@pytest.fixture(scope="module")
def form() -> Comparator:
    found = opened(COMPARATOR).form
    assert isinstance(found, Comparator)
    return found


@pytest.fixture(scope="module")
def texts() -> list[Written]:
    """What people wrote of winds, which the comparator has not learnt from."""
    lines = (files("nlgauge") / "demo" / "forecasts.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [Written(text) for text in sorted({text for row in rows for text in row["references"]})][:120]


def test_turning_two_texts_round_turns_the_outcome_round(form: Comparator, texts: list[Written]) -> None:
    others = Random(1).sample(texts, len(texts))
    there, back = form.probabilities(texts, others), form.probabilities(others, texts)
    np.testing.assert_allclose(there, back[:, [B, A, TIE]], atol=1e-6)
    np.testing.assert_allclose(there.sum(axis=1), 1)


def test_a_text_ties_with_itself(form: Comparator, texts: list[Written]) -> None:
    assert (verdicts(form.probabilities(texts, texts)) == TIE).all()


def test_a_text_is_better_than_a_damaged_copy(form: Comparator, texts: list[Written]) -> None:
    found = [[by_name(name).apply(text.text, 0.6, seed=place) for place, text in enumerate(texts)] for name in DAMAGES]
    pairs = [
        (text, Written(made.text))
        for worse in found
        for text, made in zip(texts, worse, strict=True)
        if isinstance(made, Perturbed)
    ]
    chances = form.probabilities(*map(list, zip(*pairs, strict=True)))
    assert len(pairs) > 300
    assert np.mean(chances[:, A] > chances[:, B]) > 0.85


def test_words_without_order_or_sense_lose(form: Comparator, texts: list[Written]) -> None:
    random = Random(2)
    shuffled = [Written(" ".join(random.sample(words, len(words)))) for words in (t.text.split() for t in texts)]
    same = [Written("word " * len(text.text.split())) for text in texts]
    for worse in (shuffled, same):
        chances = form.probabilities(texts, worse)
        assert np.mean(chances[:, A] > chances[:, B]) > 0.8


def test_the_recipe_is_that_of_the_shipped_one() -> None:
    folder = shipped(COMPARATOR)
    assert folder is not None
    told = json.loads((folder / "training.json").read_text(encoding="utf-8"))["config"]
    recipe = read_config(RECIPES / f"{COMPARATOR}.yaml")
    for name in (
        "encoder",
        "layers",
        "strong",
        "contexts",
        "damaged",
        "mixed",
        "longest",
        "epochs",
        "rate",
        "seed",
    ):
        assert told[name] == getattr(recipe, name), name
