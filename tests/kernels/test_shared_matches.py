"""Metrics on one batch share its tokens and n-gram matches: in whatever order they come, their rows are the same."""

from __future__ import annotations

import itertools
from random import Random

import numpy as np
import pytest

from nlgauge import kernels
from nlgauge.engine.local import Plan
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.spec import parse

SPECS = (
    "bleu",
    "rouge(tok=13a)@1",
    "rouge(tok=13a,multi=average)@3",
    "rouge(tok=13a,multi=recall,jackknife=yes)@2",
    "nist",
    "bleu@2",
)


def _texts(seed: int) -> tuple[list[str], list[list[str]]]:
    random = Random(seed)

    def text() -> str:
        return " ".join(random.choices(list("abcd"), k=random.choice((0, 1, 2, 5, 12))))

    return [text() for _ in range(40)], [[text() for _ in range(random.randint(1, 3))] for _ in range(40)]


@pytest.mark.skipif(kernels.backend() != "native", reason="only the compiled kernels keep matches")
@pytest.mark.parametrize("order", list(itertools.permutations(range(len(SPECS))))[::41])
def test_rows_do_not_depend_on_what_was_counted_before(order: tuple[int, ...]) -> None:
    hypotheses, references = _texts(sum(place * number for place, number in enumerate(order)))
    shared = Batch(hypotheses, references)
    for number in order:
        metric = parse(SPECS[number])
        if metric.needs_prepare:
            metric = metric.prepare([shared])
        np.testing.assert_array_equal(metric.rows(shared), metric.rows(Batch(hypotheses, references)))


def test_longer_ngrams_are_counted_first() -> None:
    plan = Plan.of([parse("rouge@1"), parse("bleu"), parse("rouge@2")])
    assert [metric.name for metric in plan.sources.values()] == ["bleu", "rouge", "rouge"]
