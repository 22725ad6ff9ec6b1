"""Both metrics named GLEU: their definitions by hand, and what several references do."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

import numpy as np
import pytest

from nlgauge import kernels
from nlgauge.errors import InputError, SpecError
from nlgauge.metrics.spec import parse

BACKENDS = ["native", "python"] if kernels.native_available() else ["python"]


@pytest.fixture(params=BACKENDS, autouse=True)
def backend(request: pytest.FixtureRequest) -> Iterator[None]:
    with kernels.use(request.param):
        yield


def test_google_by_hand() -> None:
    # The output has 3 + 2 + 1 n-grams, the reference 4 + 3 + 2 + 1; in common are a, b, c, a b, b c, a b c.
    metric = parse("gleu")
    assert metric.corpus_rows(["a b c"], [["a b c d"]]).tolist() == [[6, 10]]
    assert metric.corpus(["a b c"], [["a b c d"]]) == 0.6
    assert metric.corpus(["a b c d"], [["a b c"]]) == 0.6  # the same with the texts exchanged


def test_google_takes_the_reference_with_the_best_ratio_and_of_equals_the_first() -> None:
    metric = parse("gleu@1")
    assert metric.corpus_rows(["a b"], [["a x y", "a b c", "b"]]).tolist() == [[2, 3]]
    assert metric.corpus_rows(["a b"], [["a x", "b a c d"]]).tolist() == [[1, 2]]
    assert metric.corpus_rows(["", "", "a"], [["", "a"], [""], [""]]).tolist() == [[0, 1], [0, 0], [0, 1]]


def test_google_sums_over_a_set() -> None:
    metric = parse("gleu@1")
    outputs, references = ["a b c d", "x"], [["a b c d"], ["y z"]]
    assert metric.corpus(outputs, references) == 4 / 6
    assert metric.segments(outputs, references).tolist() == [1, 0]


def test_shortest_may_not_exceed_the_order() -> None:
    with pytest.raises(SpecError, match="shortest of gleu must be at most the order, 2"):
        parse("gleu(shortest=3)@2")


def test_error_correction_by_hand() -> None:
    # Words: a, b, d are right; x is kept from the source though the reference has not kept it: 3 - 1 of 4.
    # Pairs: a b is right; b x is kept by mistake: 1 - 1 of 3.
    metric = parse("gleu-gec@2")
    rows = metric.corpus_rows(["a b x d"], [["a b c d"]], sources=["a b x e"])
    assert rows.tolist() == [[4, 4, 2, 0, 4, 3]]
    assert metric.score(rows).tolist() == [0]
    smoothed = parse("gleu-gec(level=segment)@2").corpus(["a b x d"], [["a b c d"]], sources=["a b x e"])
    assert smoothed == pytest.approx(math.sqrt(2 / 4 * 1 / 3))


def test_error_correction_takes_off_only_what_the_reference_lacks_altogether() -> None:
    # a stands twice in source and output, once in the reference: the second is no match, but no mistake either.
    rows = parse("gleu-gec@1").corpus_rows(["a a"], [["a"]], sources=["a a"])
    assert rows.tolist() == [[2, 1, 1, 2]]


def test_error_correction_with_several_references_is_what_random_choices_approach() -> None:
    rng = random.Random(3)

    def edited(words: list[str]) -> str:
        return " ".join(rng.choice("abcdef") if rng.random() < 0.15 else word for word in words)

    originals = [rng.choices("abcdef", k=12) for _ in range(200)]
    sources, outputs = [edited(words) for words in originals], [edited(words) for words in originals]
    references = [[edited(words) for _ in range(3)] for words in originals]
    metric = parse("gleu-gec")
    draws = [metric.corpus(outputs, [[rng.choice(texts)] for texts in references], sources=sources) for _ in range(100)]
    assert metric.corpus(outputs, references, sources=sources) == pytest.approx(np.mean(draws), abs=0.002)


def test_one_segment_is_the_mean_over_its_references() -> None:
    metric = parse("gleu-gec(level=segment)")
    output, source, references = "a b c d e", "a x c d e", ["a b c d", "a b d e f"]
    alone = [metric.corpus([output], [[text]], sources=[source]) for text in references]
    assert metric.corpus([output], [references], sources=[source]) == pytest.approx(sum(alone) / 2)


@pytest.mark.parametrize("name", ["gleu-gec", "sari"])
@pytest.mark.parametrize(
    ("sources", "message"),
    [
        (None, "segment 0 has no source"),
        (["a", None], "segment 1 has no source"),
        (["a", [["x", "y", "z"]]], "segment 1 has a list as its source"),
        (["a"], "1 sources for 2 hypotheses"),
    ],
)
def test_sources_are_needed(name: str, sources: list[object] | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse(name).corpus(["a", "b"], [["a"], ["b"]], sources=sources)
