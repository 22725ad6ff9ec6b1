"""ΔBLEU: the definition by hand, its border cases, and weights that are refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from nlgauge import kernels
from nlgauge.errors import InputError
from nlgauge.metrics.spec import parse

BACKENDS = ["native", "python"] if kernels.native_available() else ["python"]


@pytest.fixture(params=BACKENDS, autouse=True)
def backend(request: pytest.FixtureRequest) -> Iterator[None]:
    with kernels.use(request.param):
        yield


def test_rows_by_hand() -> None:
    # it, was, a, film stand in the good reference (weight 1), bad in the other only (-0.5): 3.5 of 5.
    # it was, was a: 1 each; a bad, bad film: -0.5 each. Lengths: the output's 5, and 5 is the closest.
    metric = parse("deltableu@2")
    references, weights = [["it was a very good film", "it was a bad film"]], [[1, -0.5]]
    rows = metric.corpus_rows(["it was a bad film"], references, reference_weights=weights)
    np.testing.assert_allclose(rows, [[5, 5, 3.5, 1.0, 5, 4]])
    assert metric.score(rows)[0] == pytest.approx(100 * (0.7 * 0.25) ** 0.5)


def test_totals_count_with_the_best_weight_of_the_segment() -> None:
    metric = parse("deltableu@1")
    rows = metric.corpus_rows(["a b"], [["a c", "b"]], reference_weights=[[0.5, 0.25]])
    np.testing.assert_allclose(rows, [[2, 2, 0.75, 1.0]])  # a 0.5, b 0.25, of 2 at 0.5


def test_program_and_paper_differ_where_words_repeat() -> None:
    # a stands three times in the output, once in the reference of weight 1, three times in that of weight 0.5:
    # the program takes 1 * 3, the paper the larger of 1 * 1 and 0.5 * 3.
    given = {"reference_weights": [[1, 0.5]]}
    outputs, references = ["a a a"], [["a b c", "a a a"]]
    assert parse("deltableu@1").corpus_rows(outputs, references, **given)[0, 2] == 3
    assert parse("deltableu(form=paper)@1").corpus_rows(outputs, references, **given)[0, 2] == 1.5


def test_debts_of_a_segment_count_in_the_sum_but_an_order_never_falls_below_nothing() -> None:
    metric = parse("deltableu(smooth=none)@1")
    references, weights = [["good", "bad"], ["good", "bad"]], [[1, -1], [1, -1]]
    rows = metric.corpus_rows(["good", "bad"], references, reference_weights=weights)
    assert rows[:, 2].tolist() == [1, -1]
    assert metric.score(rows).tolist() == [100, 0]
    assert float(metric.score(rows.sum(axis=0))) == 0


def test_weights_of_one_give_bleu() -> None:
    outputs = ["the cat sat on the mat", "", "a dog barks a lot"]
    references = [["the cat is on the mat", "a cat sat"], ["x"], ["the dog barks", "a dog barks", "lots"]]
    ones = [[1] * len(texts) for texts in references]
    for spec in ("@4", "(smooth=floor:0.5,reflen=average)@3"):
        theirs = parse("bleu" + spec).segments(outputs, references)
        for form in ("deltableu" + spec, ("deltableu" + spec).replace("(", "(form=paper,")):
            mine = parse(form).segments(outputs, references, reference_weights=ones)
            assert mine.tolist() == theirs.tolist()


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (None, "segment 0 has 0 reference_weights for 2 references"),
        ([[1, 0.5, 0]], "segment 0 has 3 reference_weights for 2 references"),
        ([[1, 1.5]], "outside -1 to 1"),
        ([[1, float("nan")]], "outside -1 to 1"),
        ([[1, "good"]], "no number"),
        ([[0, -1]], "no reference with a weight above 0"),
        ([[1, 1], [1, 1]], "2 reference_weights for 1 hypotheses"),
    ],
)
def test_bad_weights_are_refused(weights: list[list[Any]] | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse("deltableu").corpus(["a"], [["a", "b"]], reference_weights=weights)
