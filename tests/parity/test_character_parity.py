"""EED and CharacTER against recorded numbers and, live, torchmetrics and the package `cer`; kernels against twins."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded import Case, cases
from texts import awkward, seeded, segments

from nlgauge import kernels
from nlgauge.kernels import python as twin
from nlgauge.metrics.character import Character
from nlgauge.metrics.charcut import Charcut
from nlgauge.metrics.eed import Eed, english, japanese

needs_native = pytest.mark.skipif(not kernels.native_available(), reason="no compiled kernels to compare")
BOTH = pytest.mark.parametrize("backend", ["native", "python"])


@BOTH
@pytest.mark.parametrize("case", cases("EED"))
def test_recorded_eed(case: Case, backend: str) -> None:
    costs = {name: float(case.options[name]) for name in ("alpha", "rho", "deletion", "insertion")}
    with kernels.use(backend):
        case.check(Eed(lang=case.options["lang"], **costs).corpus(case.hypotheses, case.references))


@BOTH
@pytest.mark.parametrize("case", cases("CharacTER"))
def test_recorded_character(case: Case, backend: str) -> None:
    with kernels.use(backend):
        case.check(Character().corpus(case.hypotheses, case.references))


# torchmetrics, live


@pytest.fixture(scope="module")
def torchmetrics_eed() -> Any:
    return pytest.importorskip(
        "torchmetrics.functional.text.eed", reason="the live comparison runs torchmetrics beside ours"
    )


def unlike_torchmetrics(module: Any, metric: Eed, hypotheses: list[str], references: list[list[str]]) -> list[Any]:
    """Segments that differ in any bit from the double it computes before it makes a float32 tensor of it."""
    prepare = {"en": module._preprocess_en, "ja": module._preprocess_ja}[metric.lang]
    costs = (metric.alpha, metric.rho, metric.deletion, metric.insertion)
    expected = [
        min(module._eed_function(prepare(text), prepare(ref), *costs) for ref in refs)
        if all(map(prepare, refs))
        else None
        for text, refs in zip(hypotheses, references, strict=True)
    ]
    got = metric.segments(hypotheses, references)
    rows = zip(hypotheses, references, got, expected, strict=True)
    return [row for row in rows if row[3] is not None and row[2] != row[3]]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_seeded_text_equals_torchmetrics(seed: int, torchmetrics_eed: Any) -> None:
    hypotheses, references = seeded(700, seed, references=1 + seed)
    hypotheses, references = (
        [text[:100] for text in hypotheses],
        [[ref[:100] for ref in refs] for refs in references],
    )
    assert unlike_torchmetrics(torchmetrics_eed, Eed(), hypotheses, references) == []
    whole, each = torchmetrics_eed.extended_edit_distance(
        hypotheses[:100], references[:100], return_sentence_level_score=True
    )
    assert Eed().corpus(hypotheses[:100], references[:100]) == pytest.approx(float(whole), abs=1e-6)
    assert Eed().segments(hypotheses[:100], references[:100]) == pytest.approx(each.numpy(), abs=1e-6)


@settings(max_examples=150, deadline=None)
@given(
    segments(),
    st.sampled_from(["en", "ja"]),
    st.tuples(*[st.sampled_from([0.0, 0.2, 0.3, 1.0, 1.7, 2.0])] * 4),
)
def test_odd_text_equals_torchmetrics(
    torchmetrics_eed: Any, texts: list[tuple[str, list[str]]], lang: str, costs: tuple[float, ...]
) -> None:
    metric = Eed(lang, *costs)
    hypotheses, references = [text for text, _ in texts], [refs for _, refs in texts]
    assert unlike_torchmetrics(torchmetrics_eed, metric, hypotheses, references) == []


@settings(max_examples=400, deadline=None)
@given(st.one_of(awkward(), st.text(st.sampled_from("0123.,!? egiUSDrMsPof\t\u00a0"), max_size=30)))
def test_preparation_equals_torchmetrics(torchmetrics_eed: Any, text: str) -> None:
    assert english(text) == torchmetrics_eed._preprocess_en(text)
    assert japanese(text) == torchmetrics_eed._preprocess_ja(text)


# cer, live


def unlike_cer(hypotheses: list[str], references: list[list[str]]) -> list[Any]:
    """Segments whose score is another than cer's, and the corpus score where it is not their mean."""
    calculate = pytest.importorskip("cer", reason="the live comparison runs cer beside ours").calculate_cer
    expected = []
    for text, refs in zip(hypotheses, references, strict=True):
        # cer divides by the length of the reference and fails where that is 0
        scores = [calculate(text.split(), ref.split()) if ref.split() else float(bool(text.split())) for ref in refs]
        expected.append(min(scores))
    rows = zip(hypotheses, references, Character().segments(hypotheses, references), expected, strict=True)
    found: list[Any] = [row for row in rows if row[2] != row[3]]
    corpus = Character().corpus(hypotheses, references)
    return found if corpus == pytest.approx(np.mean(expected), abs=1e-12) else [*found, corpus]


@pytest.mark.parametrize("seed", range(4))
def test_seeded_text_equals_cer(seed: int) -> None:
    assert unlike_cer(*seeded(1000, seed, references=1 + seed)) == []


def shuffled(draw: random.Random, words: list[str]) -> list[str]:
    copy = list(words)
    for _ in range(draw.randint(0, 4)):
        start, length = draw.randint(0, len(copy)), draw.randint(1, 5)
        block = copy[start : start + length]
        del copy[start : start + length]
        target = draw.randint(0, len(copy))
        copy[target:target] = block
    return copy


def moved_blocks(number: int, longest: int, seed: int) -> tuple[list[str], list[list[str]]]:
    """Hypotheses with blocks moved about, from few and from many kinds of words: many shifts, many ties."""
    draw = random.Random(seed)
    hypotheses, references = [], []
    for _ in range(number):
        kinds = draw.choice((2, 4, 12, 400))
        reference = [f"{draw.randrange(kinds):x}é"[draw.randrange(2) :] for _ in range(draw.randint(1, longest))]
        hypotheses.append(" ".join(shuffled(draw, [w for w in reference if draw.random() < 0.9])))
        references.append([" ".join(reference)])
    return hypotheses, references


def test_moved_blocks_equal_cer() -> None:
    assert unlike_cer(*moved_blocks(1200, 22, 1)) == []
    assert unlike_cer(*moved_blocks(12, 90, 2)) == []  # more than one block of 64 words


@settings(max_examples=80, deadline=None)
@given(segments())
def test_odd_text_equals_cer(texts: list[tuple[str, list[str]]]) -> None:
    assert unlike_cer([text for text, _ in texts], [refs for _, refs in texts]) == []


# Compiled and plain kernels


@needs_native
@settings(max_examples=100, deadline=None)
@given(segments())
def test_native_equals_the_twin(texts: list[tuple[str, list[str]]]) -> None:
    from nlgauge import _native

    lists = [text for text, _ in texts], [refs for _, refs in texts]
    assert np.array_equal(_native.character_rows(*lists, 1), twin.character_rows(*lists, 1))
    for costs in ((2.0, 0.3, 0.2, 1.0), (0.5, 0.0, 0.7, 0.3)):
        assert np.array_equal(_native.eed_rows(*lists, *costs, 1), twin.eed_rows(*lists, *costs, 1))


@needs_native
def test_native_equals_the_twin_on_moved_blocks() -> None:
    from nlgauge import _native

    texts = moved_blocks(150, 20, 5)
    assert np.array_equal(_native.character_rows(*texts, 2), twin.character_rows(*texts, 1))
    costs = (2.0, 0.3, 0.2, 1.0)
    assert np.array_equal(_native.eed_rows(*texts, *costs, 2), twin.eed_rows(*texts, *costs, 1))


# CharCut


@pytest.mark.parametrize("case", cases("CharCut"))
def test_recorded_charcut(case: Case) -> None:
    case.check(Charcut().corpus(case.hypotheses, case.references))


def unlike_charcut(hypotheses: list[str], references: list[str], norm: str = "both") -> list[Any]:
    """Segments whose costs and length are others than charcut's."""
    package = pytest.importorskip("charcut.charcut", reason="the live comparison runs charcut beside ours")
    metric = Charcut(norm=norm)
    expected = []
    for text, ref in zip(hypotheses, references, strict=True):
        styled = package.compare_segments(text.strip(), ref.strip(), 3)
        expected.append(package.score_pair(text.strip(), ref.strip(), *styled, norm == "hypothesis"))
    got = metric.corpus_rows(hypotheses, [[ref] for ref in references])
    rows = zip(hypotheses, references, got.tolist(), expected, strict=True)
    return [row for row in rows if row[2] != list(map(float, row[3]))]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_seeded_text_equals_charcut(seed: int) -> None:
    hypotheses, references = seeded(700, seed, references=1)
    assert unlike_charcut(hypotheses, [refs[0] for refs in references], "hypothesis" if seed == 2 else "both") == []


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(awkward(), awkward()), min_size=1, max_size=4))
def test_odd_text_equals_charcut(texts: list[tuple[str, str]]) -> None:
    assert unlike_charcut([text for text, _ in texts], [ref for _, ref in texts]) == []


def test_charcut_by_hand() -> None:
    assert Charcut().corpus(["same text"], [["same text"]]) == 0
    assert Charcut().corpus(["abc"], [["xyz"]]) == 1
    assert Charcut().corpus([""], [[""]]) == 0
    assert Charcut().corpus(["", "ab"], [["ab"], ["ab"]]) == 2 / 6
    assert Charcut().corpus(["abc"], [["xyz", "abc"]]) == 0
