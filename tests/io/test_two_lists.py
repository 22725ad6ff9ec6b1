"""Hypotheses and references as two lists: what everybody has, scored in one call, with a receipt."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nlgauge as ng
from nlgauge.errors import NoSuchRow

HYPOTHESES = ["the cat sat on the mat", "a dog ran", ""]
REFERENCES = ["the cat sat on a mat", "a dog ran away", "nothing"]
LISTED = [[text] for text in REFERENCES]
texts = st.lists(st.text("ab c", max_size=8), min_size=1, max_size=5)


@given(texts)
def test_plain_references_are_one_for_each_hypothesis(some: list[str]) -> None:
    plain, listed = (ng.score(some, references, "chrf") for references in (some, [[text] for text in some]))
    assert plain == listed
    assert ng.metric("chrf").corpus(some, some) == plain.scores[0].value


def test_two_lists_equal_the_set_made_of_them() -> None:
    made = ng.EvaluationSet.of({"unnamed": HYPOTHESES}, LISTED)
    assert ng.score(HYPOTHESES, REFERENCES, ["bleu", "wer"]) == ng.score(made, ["bleu", "wer"])
    assert ng.score(HYPOTHESES, REFERENCES) == ng.score(made)


def test_systems_by_name_are_scored_and_compared() -> None:
    systems = {"a": HYPOTHESES * 4, "b": REFERENCES * 4}
    made = ng.EvaluationSet.of(systems, LISTED * 4)
    assert ng.score(systems, REFERENCES * 4, "bleu") == ng.score(made, "bleu")
    assert ng.compare(systems, REFERENCES * 4, "bleu", trials=99) == ng.compare(made, "bleu", trials=99)


def test_metrics_without_references_take_hypotheses_alone() -> None:
    assert ng.score(HYPOTHESES, "distinct@1") == ng.score(HYPOTHESES, None, "distinct@1")


@pytest.mark.parametrize("spec", ["bleu", "chrf(word=2)", "wer", "distinct@2", "selfbleu"])
def test_scores_of_a_metric_carry_the_receipt_of_score(spec: str) -> None:
    metric = ng.metric(spec)
    score = metric.corpus(HYPOTHESES, REFERENCES)
    found = ng.score(HYPOTHESES, REFERENCES, metric)
    assert score == found.scores[0].value
    assert score.receipt == found.receipts[str(metric)]
    assert score.to_dict() == {"metric": str(metric), "value": float(score), "n": 3, "receipt": score.receipt}
    again = pickle.loads(pickle.dumps(score))
    assert (again, again.receipt) == (score, score.receipt)


def test_scores_of_segments_carry_it_and_what_is_made_of_them_is_plain() -> None:
    scores = ng.metric("chrf").segments(HYPOTHESES, REFERENCES)
    assert scores.receipt == ng.score(HYPOTHESES, REFERENCES, "chrf").receipts["chrf"]
    assert scores.to_dict()["values"] == list(scores)
    for derived in (scores + 1, scores[:2], scores.round(1), np.sort(scores), scores[scores > 0]):
        assert type(derived) is np.ndarray or not hasattr(derived, "receipt")
    assert isinstance(scores.mean(), float)
    assert isinstance(scores[0], float)


def test_receipts_read_sources_where_the_metric_does() -> None:
    table = [[["name", "Blue Spice"]]] * 3
    metric = ng.metric("parent")
    score = metric.corpus(HYPOTHESES, REFERENCES, sources=table)
    assert score.receipt == ng.score(HYPOTHESES, REFERENCES, metric, sources=table).receipts[str(metric)]
    other = metric.corpus(HYPOTHESES, REFERENCES, sources=[[["name", "Aromi"]]] * 3)
    assert other.receipt != score.receipt


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a"], ["b", "c"], "bleu"), "1 hypotheses but 2"),
        ((["a", "b"], [["a", "b"]], "bleu"), "per segment"),
        ((["a", None], ["b", "c"], "bleu"), "hypothesis 1 is None"),
        (({"x": ["a", 3]}, ["b", "c"], "bleu"), "hypothesis 1 of x is 3"),
        ((["a"], 5, "bleu"), "references must be a list"),
        ((["a"], ["b"], "blue"), "did you mean bleu"),
        (([], [], "bleu"), "one segment"),
        ((["a"], None, "bleu"), "no references"),
    ],
)
def test_what_cannot_be_scored_is_refused(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(ng.NlgaugeError, match=message):
        ng.score(*arguments)


def test_references_beside_a_set_are_refused() -> None:
    made = ng.EvaluationSet.of({"a": HYPOTHESES}, LISTED)
    with pytest.raises(ng.InputError, match="bring their own"):
        ng.score(made, REFERENCES, "bleu")
    with pytest.raises(ng.InputError, match="bring their own"):
        ng.score(made, "bleu", sources=["x"] * 3)


def test_classes_can_be_had_by_name() -> None:
    assert ng.metrics.Bleu(tok="intl") == ng.metric("bleu(tok=intl)")
    assert "Chrf" in dir(ng.metrics)
    with pytest.raises(AttributeError, match="no class 'Bluu'"):
        _ = ng.metrics.Bluu


def test_rows_of_results_are_asked_for_by_place_and_by_name() -> None:
    systems = {"a": HYPOTHESES * 4, "b": REFERENCES * 4}
    scores = ng.score(systems, REFERENCES * 4, ["bleu", "chrf++"])
    assert [score.system for score in scores] == ["a", "a", "b", "b"]
    assert (len(scores), scores[-1], scores[0:2]) == (4, scores.scores[-1], scores.scores[:2])
    assert scores["b", "chrf++"] == scores["chrf++", "b"] == scores[3]
    compared = ng.compare(systems, REFERENCES * 4, "bleu", trials=99)
    assert compared["a", "b"] == compared["a"] == compared[0]
    with pytest.raises(NoSuchRow, match="2 rows are named a"):
        scores["a"]
    with pytest.raises(KeyError, match="'c'; known"):
        scores["c", "bleu"]


def test_tables_for_papers_frames_and_notebooks() -> None:
    scores = ng.score({"a_1": HYPOTHESES, "<b>": REFERENCES}, REFERENCES, ["bleu", "wer"])
    assert scores.to_pandas().shape[0] == len(scores)
    assert list(scores.to_pandas()["value"]) == [score.value for score in scores]
    assert r"a\_1 &" in scores.to_latex()
    assert "| a_1 |" in scores.to_markdown()
    assert scores.to_csv().splitlines()[0].startswith("system,metric,value")
    page = scores._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>100.00</b>" in page
    assert scores.receipts["bleu"].split("|")[0] in page
