"""ROUGE-C by hand, from the definition of He et al. (2008), and its properties. No program of theirs is at hand."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge.errors import InputError
from nlgauge.metrics.rouge import Rouge, RougeL
from nlgauge.metrics.rouge155 import RougeSU
from nlgauge.metrics.rougec import RougeC
from nlgauge.metrics.spec import parse

DOCUMENT = "The cat sat on the mat. The dog slept."
KINDS = ("n", "l", "lsum", "w", "s", "s4", "su", "su4")


pytestmark = pytest.mark.usefixtures("backend")


def value(spec: str, summary: str, source: Any) -> float:
    return parse(spec).corpus([summary], [[""]], sources=[source])


def test_by_hand() -> None:
    # nine words in the document; the, cat and slept match
    assert value("rougeC", "the cat slept", DOCUMENT) == pytest.approx(3 / 9)
    # of its eight pairs one is matched: the cat
    assert value("rougeC@2", "the cat slept", DOCUMENT) == pytest.approx(1 / 8)
    assert value("rougeC@2.p", "the cat slept", DOCUMENT) == pytest.approx(1 / 2)
    # "the" matches no more often than the document has it: three of four
    assert value("rougeC.p", "the the the the", DOCUMENT) == pytest.approx(3 / 4)
    # the longest common subsequence is: the cat slept
    assert value("rougeC(kind=l)", "the cat slept", DOCUMENT) == pytest.approx(3 / 9)
    # pairs in order: the cat, the slept, cat slept, all in the document, which has 36, "the … the" thrice
    assert value("rougeC(kind=s)", "the cat slept", DOCUMENT) == pytest.approx(3 / 36)


def test_by_hand_with_a_query() -> None:
    source = {"document": DOCUMENT, "query": "Where is the cat?"}
    # of the query's four words the summary has the and cat: 1/2
    assert value("rougeC(gamma=1)", "the cat slept", source) == pytest.approx(1 / 2)
    assert value("rougeC(gamma=0.25)", "the cat slept", source) == pytest.approx(1 / 4 * 1 / 2 + 3 / 4 * 3 / 9)
    assert value("rougeC", "the cat slept", source) == pytest.approx(3 / 9)  # left out unless weighed


def test_by_hand_with_several_documents() -> None:
    source = ["a b", "a c d"]
    # pooled: a matches in both, 2 of 5; on average (1/2 + 1/3) / 2
    assert value("rougeC", "a", source) == pytest.approx(2 / 5)
    assert value("rougeC(multi=average)", "a", source) == pytest.approx(5 / 12)
    assert value("rougeC(gamma=0.5)", "a", {"document": source, "query": "a"}) == pytest.approx(0.5 + 1 / 5)


@pytest.mark.parametrize(
    ("metric", "plain"),
    [
        (RougeC(order=2), Rouge(order=2, multi="pooled")),
        (RougeC(kind="l", stem="porter"), RougeL(multi="pooled", stem="porter")),
        (RougeC(kind="su4"), RougeSU(skip=4)),
    ],
)
def test_equals_rouge_with_the_documents_as_references(metric: RougeC, plain: Any) -> None:
    draw = random.Random(4)
    texts = [" ".join(draw.choice("abcdefgh") for _ in range(draw.randint(0, 9))) for _ in range(80)]
    documents = [[draw.choice(texts) for _ in range(draw.randint(1, 3))] for _ in texts]
    ours = metric.corpus_rows(texts, [[""]] * len(texts), sources=documents)
    assert np.array_equal(ours, plain.corpus_rows(texts, documents))


@pytest.mark.parametrize("kind", KINDS)
def test_identity_and_bounds(kind: str) -> None:
    draw = random.Random(5)
    for _ in range(40):
        text, document = (" ".join(draw.choice("abcde") for _ in range(draw.randint(3, 12))) for _ in range(2))
        source = {"document": document, "query": "a b c"}
        # ROUGE-W of 1.5.5 divides by the weighted length twice, so its recall of a copy is below 1
        copy = value(f"rougeC(kind={kind})", document, document)
        assert copy == pytest.approx(1) if kind != "w" else 0 < copy <= 1
        for output in ("p", "r", "f1"):
            assert 0 <= value(f"rougeC(kind={kind},gamma=0.3).{output}", text, source) <= 1
        assert value(f"rougeC(kind={kind})", text, document) <= copy + 1e-12


@pytest.mark.parametrize("kind", ["n", "l", "s", "su"])
def test_monotony_under_perturbation(kind: str) -> None:
    """Words that the source lacks, put in the place of a summary's words one by one, never raise the score."""
    draw = random.Random(6)
    for _ in range(40):
        document = " ".join(draw.choice("abcdefgh") for _ in range(20))
        words = [draw.choice("abcdefgh") for _ in range(8)]
        before = value(f"rougeC(kind={kind})", " ".join(words), document)
        for place in draw.sample(range(8), 8):
            words[place] = "zzz"
            after = value(f"rougeC(kind={kind})", " ".join(words), document)
            assert after <= before
            before = after
        assert before == 0


def test_the_limit_cuts_the_summary_only() -> None:
    assert value("rougeC(limit=2)", "the cat slept", DOCUMENT) == pytest.approx(2 / 9)


def test_it_runs_without_references() -> None:
    rows = [{"item": "1", "system": "s", "source": DOCUMENT, "hypothesis": "the cat slept"}]
    assert nlgauge.score(rows, "rougeC")["s", "rougeC"].value == pytest.approx(3 / 9)


@pytest.mark.parametrize(
    ("source", "spec", "message"),
    [
        ([["name", "x"]], "rougeC", "item '1' has a source that is no text"),
        ([], "rougeC", "item '1' has a source without a document"),
        ({"name": "x"}, "rougeC", "item '1' has a source with the key 'name'"),
        ({"query": "x"}, "rougeC", "item '1' has a source with no key document"),
        ({"document": "x", "query": 3}, "rougeC(gamma=0.5)", "item '1' has a query that is no text"),
        ("x", "rougeC(gamma=0.5)", "item '1' has no query, which gamma=0.5 gives a weight"),
        (None, "rougeC", "item '1' of system 's' has no source"),
    ],
)
def test_refusals_name_the_item(source: Any, spec: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        nlgauge.score([{"item": "1", "system": "s", "source": source, "hypothesis": "x"}], spec)
