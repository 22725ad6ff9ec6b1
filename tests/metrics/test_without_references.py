"""Metrics that need no references take none, in Python too; the others say what they need."""

from __future__ import annotations

from typing import Any

import pytest

from nlgauge.errors import InputError
from nlgauge.metrics.registry import METRICS
from nlgauge.metrics.spec import parse

OUTPUTS = ["the cat sat on the mat", "the cat ran and the dog ran"]
SOURCES: list[Any] = ["the cat sat there", "the cat ran"]
TRIPLES: list[Any] = [[["cat", "place", "mat"]], [["cat", "action", "ran"]]]


@pytest.mark.parametrize(
    "spec", [name for name in METRICS if not {"references", "post_edits"} & set(parse(name).needs)]
)
def test_none_are_asked_for(spec: str) -> None:
    metric = parse(spec)
    sources = TRIPLES if spec == "conformity" else SOURCES
    given = {"sources": sources} if metric.reads_sources else {}
    dummies = [["-"], ["-"]]
    assert metric.corpus(OUTPUTS, **given) == pytest.approx(metric.corpus(OUTPUTS, dummies, **given), nan_ok=True)
    if metric.additive or getattr(metric, "per_segment", ""):
        assert len(metric.segments(OUTPUTS, **given)) == 2
        assert len(metric.segments(OUTPUTS, [[], []], **given)) == 2


def test_lists_of_other_lengths_are_refused() -> None:
    with pytest.raises(InputError, match="2 hypotheses but 1 lists"):
        parse("rep@1").corpus(OUTPUTS, [["-"]])
    with pytest.raises(InputError, match="single string"):
        parse("rep@1").corpus("the cat")


@pytest.mark.parametrize(("spec", "what"), [("bleu", "references"), ("hter", "post-edits"), ("novelty", "references")])
def test_needed_ones_are_asked_for(spec: str, what: str) -> None:
    with pytest.raises(InputError, match=f"needs {what}"):
        parse(spec).corpus(OUTPUTS)
