"""What every set metric must do instead of adding up: refuse rows, score any choice of texts as it scores their set."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from test_metrics import HYPOTHESES, REFERENCES

import nlgauge
from nlgauge import kernels
from nlgauge.api import score_large
from nlgauge.engine.local import system_rows
from nlgauge.engine.sets import SetTexts
from nlgauge.errors import InputError, NeedsWholeSet
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.registry import load, names
from nlgauge.metrics.sets import SetMetric
from nlgauge.metrics.spec import parse
from nlgauge.types import EvaluationSet

SETS = [name for name in names() if not load(name).additive]
SPECS = [
    "distinct@1",
    "distinct@3",
    "vocabulary@2",
    "vocabulary.once",
    "entropy@1",
    "entropy@2.conditional",
    "ttr(form=root)",
    "ttr(form=log)",
    "selfbleu",
    "selfbleu(smooth=exp,effective=yes,reflen=shortest)@2",
    "selfbleu(reflen=average,lower=yes)",
    "msttr@5",
    "novelty",
    "novelty(count=tokens)@2",
    "uniqueness",
]
TEXTS = [*HYPOTHESES, *HYPOTHESES[:4], "the cat sat", "a a a a a"]
KNOWN = [*REFERENCES, *REFERENCES[:4], ["the mat"], ["a"]]


def metric_of(spec: str) -> SetMetric:
    metric = parse(spec)
    assert isinstance(metric, SetMetric)
    return metric


def test_every_set_metric_is_covered_by_the_specs() -> None:
    assert {metric_of(spec).name for spec in SPECS} == set(SETS)


@pytest.mark.parametrize("spec", SPECS)
def test_a_choice_is_scored_as_the_set_of_its_texts(spec: str) -> None:
    metric = metric_of(spec)
    chosen = np.random.default_rng(5).random((70, len(TEXTS))) < 0.6
    chosen[0] = True
    scorer = metric.on(TEXTS, KNOWN)
    got = np.concatenate([scorer.scores(chosen[:64]), scorer.scores(chosen[64:])])
    for row, value in zip(chosen, got, strict=True):
        alone = metric.on([text for text, there in zip(TEXTS, row, strict=True) if there], KNOWN)
        expected = alone.scores(np.ones((1, alone.size), dtype=np.bool_))[0]
        assert value == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("spec", [spec for spec in SPECS if not spec.startswith("msttr")])
def test_leaving_out_is_choosing_the_others(spec: str) -> None:
    scorer = metric_of(spec).on(TEXTS, KNOWN)
    codes = np.arange(len(TEXTS)) % 4
    left = scorer.left_out(codes, 4)
    for group in range(4):
        assert left[group] == pytest.approx(scorer.scores((codes != group)[None])[0], abs=1e-12)


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.skipif(not kernels.native_available(), reason="no compiled kernels: nothing to compare with")
def test_both_backends_agree(spec: str) -> None:
    metric = metric_of(spec)
    chosen = np.random.default_rng(6).random((64, len(TEXTS))) < 0.5
    native = metric.on(TEXTS, KNOWN).scores(chosen)
    with kernels.use("python"):
        plain = metric.on(TEXTS, KNOWN).scores(chosen)
    np.testing.assert_allclose(native, plain, rtol=0, atol=1e-12)


@pytest.mark.parametrize("spec", SPECS)
def test_the_order_of_texts_does_not_matter_but_to_windows(spec: str) -> None:
    if spec.startswith("msttr"):
        pytest.skip("windows run on from text to text")
    metric = metric_of(spec)
    assert metric.corpus(TEXTS[::-1], KNOWN) == pytest.approx(metric.corpus(TEXTS, KNOWN), abs=1e-12)


@pytest.mark.parametrize("spec", SPECS)
def test_values_and_segments_are_finite_and_in_bounds(spec: str) -> None:
    metric = metric_of(spec)
    low, high = metric.span
    values = [metric.corpus(TEXTS, KNOWN)]
    if metric.per_segment:
        values += metric.segments(TEXTS, KNOWN).tolist()
        assert len(values) == 1 + len(TEXTS)
    else:
        with pytest.raises(InputError, match="has no scores of segments"):
            metric.segments(TEXTS, KNOWN)
    assert np.isfinite(values).all()
    assert min(values) >= low and max(values) <= high + 1e-12


@pytest.mark.parametrize("name", SETS)
def test_what_would_add_up_is_refused(name: str, tmp_path: Path) -> None:
    metric = load(name)()
    for attempt in (
        lambda: metric.rows(Batch(["a"], [["a"]])),
        lambda: metric.score(np.zeros(1)),
        lambda: metric.corpus_rows(["a"], [["a"]]),
        lambda: system_rows([], [metric]),
    ):
        with pytest.raises(InputError, match="as a set"):
            attempt()
    path = tmp_path / "d.jsonl"
    path.write_text('{"item": 1, "system": "s", "hypothesis": "a b", "references": ["a"]}\n')
    with pytest.raises(NeedsWholeSet, match="whole set in memory"):
        score_large({"path": str(path)}, [metric])


@pytest.mark.parametrize("spec", ["distinct@2", "selfbleu", "msttr@3"])
def test_receipt_notes_and_tests_say_what_was_done(spec: str) -> None:
    rng = np.random.default_rng(3)
    made = [[" ".join(rng.choice(list("abcdefg"), 6)) for _ in range(30)] for _ in range(2)]
    data = EvaluationSet.of({"one": made[0], "two": made[1]}, [["a"]] * 30)
    scores = nlgauge.score(data, [spec, "bleu"], ci=True, trials=100)
    assert "additive=no" in scores.receipts[spec] and "ci=jackknife:100" in scores.receipts[spec]
    assert "additive" not in scores.receipts["bleu"] and "ci=bootstrap:100" in scores.receipts["bleu"]
    assert any("not additive" in note for note in scores.notes)
    one = scores["one", spec]
    assert one.low is not None and one.high is not None and one.low < one.value < one.high
    compared = nlgauge.compare(data, [spec, "bleu"], trials=200)
    assert [row.metric for row in compared.comparisons] == [spec, "bleu"]
    assert 0 < compared.comparisons[0].p <= 1
    with pytest.raises(InputError, match='use test="ar"'):
        nlgauge.compare(data, [spec], test="bootstrap")


def test_texts_that_are_the_same_are_refused_by_compare() -> None:
    data = EvaluationSet.of({"one": ["a b", "c"], "two": ["a  b", "c"]}, [["a"]] * 2)
    with pytest.raises(InputError, match="nothing to test"):
        nlgauge.compare(data, ["distinct@1"])


def test_a_set_too_small_or_too_short_is_refused_in_a_sentence() -> None:
    data = EvaluationSet.of({"one": ["a b"]}, [["a"]])
    with pytest.raises(InputError, match="needs at least 2 outputs"):
        nlgauge.score(data, ["selfbleu"])
    with pytest.raises(InputError, match="shorter than one window"):
        nlgauge.score(data, ["msttr"])
    texts = SetTexts([data.column("one")], [metric_of("distinct@1")])
    assert texts.value(metric_of("distinct@1"), "one") == 1.0
