"""Fitting a metric's fields: searches with a known optimum, planted values found again, figures beside SciPy's."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr

import nlgauge as ng
from nlgauge.engine.availability import missing
from nlgauge.errors import InputError
from nlgauge.kernels.batch import Batch
from nlgauge.meta.observations import observe
from nlgauge.meta.search import Free, averaged, coordinate, free_fields, grid, lattice, start
from nlgauge.meta.tuning import Plan, Sample, numbered
from nlgauge.metrics.answerability import Answerability
from nlgauge.metrics.base import Array
from nlgauge.metrics.registry import load, names
from nlgauge.metrics.spec import parse

Row = dict[str, Any]
WORDS = [
    "river",
    "stone",
    "cloud",
    "bridge",
    "winter",
    "harbour",
    "lantern",
    "meadow",
    "signal",
    "copper",
    "orchard",
    "valley",
]


def judged(size: int, rate: str, noise: float = 0.0, seed: int = 1) -> list[Row]:
    """Outputs that lack words, or have more, rated by a metric and some noise."""
    drawn = random.Random(seed)
    rows: list[Row] = []
    for item in range(size):
        reference = drawn.choices(WORDS, k=10)
        kept = [word for word in reference if drawn.random() < 0.7]
        text = " ".join([*kept, *drawn.choices(WORDS, k=drawn.randrange(6))]) or "stone"
        rows.append(
            {
                "item": f"i{item}",
                "system": f"s{item % 2}",
                "hypothesis": text,
                "references": [" ".join(reference)],
            }
        )
    scores = parse(rate).segments([row["hypothesis"] for row in rows], [row["references"] for row in rows])
    errors = np.random.default_rng(seed).normal(size=size)
    for row, score, error in zip(rows, scores / scores.std(), errors, strict=True):
        row["ratings"] = {"quality": float(score + noise * error)}
    return rows


def two(low: float = -1.0, high: float = 1.0) -> list[Free]:
    return [Free("a", 0.0, low, high, whole=False), Free("b", 0.5, low, high, whole=False)]


def hill(candidates: Sequence[tuple[float, ...]]) -> Array:
    """Highest at (0.3, -0.2) for the first sample and at (-0.5, 1) for the second."""
    tops = ((0.3, -0.2), (-0.5, 1.0))
    return np.array([[-((a - x) ** 2) - (b - y) ** 2 - (a - x) * (b - y) for x, y in tops] for a, b in candidates])


def test_searches_find_the_top_of_a_hill() -> None:
    assert grid(lattice(two(), 21), hill) == [(0.3, -0.2), (-0.5, 1.0)]
    found = coordinate(two(), 11, lambda candidates: hill(candidates)[:, :1])
    assert found == pytest.approx((0.3, -0.2), abs=0.02)


def test_a_search_keeps_the_default_where_nothing_is_better_or_anything_defined() -> None:
    def flat(candidates: Sequence[tuple[float, ...]]) -> Array:
        return np.ones((len(candidates), 1))

    def undefined(candidates: Sequence[tuple[float, ...]]) -> Array:
        return np.full((len(candidates), 1), np.nan)

    for judge in (flat, undefined):
        assert grid(lattice(two(), 5), judge) == [(0.0, 0.5)]
        assert coordinate(two(), 5, judge) == (0.0, 0.5)


def test_values_are_averaged_and_written_with_four_digits() -> None:
    fields = [*two(), Free("n", 4.0, 1.0, 6.0, whole=True)]
    assert averaged(fields, [(0.0, 0.1, 2.0), (0.0, 0.2, 5.0), (1.0, 0.2, 6.0)]) == (0.3333, 0.1667, 4.0)
    assert start([Free("a", 2.0, 0.0, 1.0, whole=False)]) == (1.0,)


def test_fields_with_fractions_are_free_within_their_limits() -> None:
    told = {
        spec: {field.name: (field.default, field.low, field.high) for field in free_fields(parse(spec), {})}
        for spec in ("chrf", "meteor", "eed(rho=0.5)", "iter")
    }
    assert told["chrf"] == {"beta": (2, 0, 8)}
    assert told["meteor"] == {"alpha": (0.9, 0, 1), "beta": (3, 0, 12), "gamma": (0.5, 0, 1)}
    assert told["eed(rho=0.5)"]["rho"] == (0.5, 0, 2)
    assert set(told["iter"]) == {"stem_cost", "substitution", "insertion", "deletion", "shift"}
    assert free_fields(parse("bleu"), {"order": (1, 6)}) == (Free("order", 4, 1, 6, whole=True),)
    assert {field.name for field in free_fields(parse("qmeteor"), {})} == {
        *("content", "entity", "question", "function", "delta")
    }


@pytest.mark.parametrize(
    ("spec", "fields", "sentence"),
    [
        (
            "bleu",
            {},
            "bleu has no numeric field that is fitted unless it is named; name one of order with its range",
        ),
        ("gleu-gec", {"x": None}, "gleu-gec has no numeric field 'x'; "),
        ("chrf", {"bet": None}, "chrf has no numeric field 'bet'; did you mean beta"),
        ("chrf", {"beta": 3.0}, "the range of beta is a pair of numbers, such as (0, 1); got 3.0"),
        ("chrf", {"beta": (3.0, 1.0)}, "the range of beta must go up, such as beta=0:1; got 3:1"),
        (
            "meteor",
            {"alpha": (0.0, 2.0)},
            "the range of alpha is too wide: the field alpha of meteor must be",
        ),
        ("meteor-universal", {"alpha": None}, "alpha of meteor-universal has no range of its own"),
    ],
)
def test_fields_that_cannot_be_fitted_are_refused(spec: str, fields: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=re.escape(sentence)):
        free_fields(parse(spec), fields)


def test_a_planted_value_is_found_again_and_the_gain_is_established() -> None:
    found = ng.tune("chrf", judged(120, "chrf(beta=0.4)", noise=0.3), "quality", draws=200)
    (beta,) = found.fields
    assert 0.25 < beta.value < 0.6 and found.spec == f"chrf(beta={beta.value:g})"
    assert found.established and found.low < found.gain < found.high
    assert found.sentence.startswith(f"{found.spec} follows quality better than chrf: on items held out, Pearson's r ")
    assert found.receipt.split("|")[1] == f"metric={parse(found.spec).full()}"


def test_where_the_default_is_right_no_gain_is_established() -> None:
    for seed in range(3):
        found = ng.tune("chrf", judged(100, "chrf", noise=2.0, seed=seed), "quality", draws=200, folds=4)
        assert not found.established
        assert "better than chrf: " not in found.sentence and "by default" in found.sentence


def test_of_a_metric_of_which_less_is_better_the_signs_are_turned() -> None:
    rows = judged(80, "eed(rho=1)", seed=3)
    for row in rows:
        row["ratings"]["quality"] *= -1
    found = ng.tune("eed", rows, "quality", fields={"rho": (0.0, 2.0)}, steps=5, draws=0, folds=2)
    assert found.all_tuned > 0.99 and found.fields[0].value == pytest.approx(1, abs=0.1)
    assert any("less of eed is better" in note for note in found.notes)


@pytest.mark.parametrize(("correlation", "oracle"), [("pearson", pearsonr), ("kendall", kendalltau)])
def test_held_out_figures_are_those_of_each_fold_by_itself(correlation: str, oracle: Any) -> None:
    rows = judged(60, "chrf(beta=1)", noise=1.0, seed=5)
    found = ng.tune("chrf", rows, "quality", correlation=correlation, search="grid", steps=9, folds=3, draws=0)
    outputs, references = [row["hypothesis"] for row in rows], [row["references"] for row in rows]
    people = np.array([row["ratings"]["quality"] for row in rows])
    betas = [2.0, *np.linspace(0, 8, 9)]
    scores = {beta: parse(f"chrf(beta={beta})").segments(outputs, references) for beta in betas}
    fold = Sample.of(observe(rows), "quality", _plan(folds=3)).fold
    chosen, tuned, default = [], [], []
    for number in range(3):
        held = fold == number
        strengths = {beta: oracle(scores[beta][~held], people[~held])[0] for beta in betas}
        best = max(betas, key=strengths.__getitem__)
        chosen.append(best)
        tuned.append(oracle(scores[best][held], people[held])[0])
        default.append(oracle(scores[2.0][held], people[held])[0])
    assert found.fields[0].folds == tuple(chosen)
    assert (found.tuned, found.default) == pytest.approx((np.mean(tuned), np.mean(default)))
    assert np.isnan(found.low) and "is not tested" in found.sentence


def _plan(**changed: Any) -> Plan:
    usual: dict[str, Any] = {"correlation": "pearson", "search": "grid", "steps": 5, "bags": 0, "folds": 2}
    return Plan(**{**usual, "draws": 0, "confidence": 0.95, "seed": 12345, **changed}).checked()


def test_the_interval_is_a_bootstrap_of_each_fold_widened_for_fits_that_share_items() -> None:
    rows = judged(60, "chrf(beta=1)", noise=1.0, seed=5)
    found = ng.tune("chrf", rows, "quality", search="grid", steps=9, folds=3, draws=200)
    outputs, references = [row["hypothesis"] for row in rows], [row["references"] for row in rows]
    sample = Sample.of(observe(rows), "quality", _plan(folds=3))
    default = parse("chrf").segments(outputs, references)
    gains = np.zeros(200)
    for number, beta in enumerate(found.fields[0].folds):
        tuned = parse(f"chrf(beta={beta})").segments(outputs, references)
        held = np.flatnonzero(sample.fold == number)
        drawn, numbers = sample.draws(held, 200, 12345 + 1 + number)
        for draw, counts in enumerate(drawn.of("items", 0)[:, numbers].astype(int)):
            inside = np.repeat(held, counts)
            r = [pearsonr(scores[inside], sample.people[inside])[0] for scores in (tuned, default)]
            gains[draw] += (r[0] - r[1]) / 3
    low, middle, high = np.quantile(gains, [0.025, 0.5, 0.975])
    assert found.low == pytest.approx(found.gain + np.sqrt(1 + 3 / 2) * (low - middle))
    assert found.high == pytest.approx(found.gain + np.sqrt(1 + 3 / 2) * (high - middle))


def _missed(times: int) -> tuple[float, float]:
    """How often the interval misses 0, and a gain is told, where ratings are noise."""
    made = [
        ng.tune("chrf", judged(100, "chrf", noise=1e6, seed=seed), "quality", draws=200, steps=5)
        for seed in range(1000, 1000 + times)
    ]
    return float(np.mean([one.low > 0 or one.high < 0 for one in made])), float(
        np.mean([one.established for one in made])
    )


def test_of_noise_hardly_a_gain_is_told() -> None:
    missed, told = _missed(20)
    assert missed <= 0.1 and told <= 0.05


@pytest.mark.long
def test_of_noise_the_interval_misses_0_about_as_often_as_it_says() -> None:
    missed, told = _missed(300)
    assert missed < 0.075 and told < 0.04


def test_outputs_about_one_text_stand_in_one_fold_whatever_their_items_are_called() -> None:
    rows = judged(60, "chrf")
    for number, row in enumerate(rows):
        row["references"] = [rows[number % 30]["references"][0].upper() + " " * (number // 30)]
    observed = observe(rows)
    item = numbered(observed.rows)
    assert list(item) == [*range(30)] * 2
    sample = Sample.of(observed, "quality", _plan())
    assert (sample.fold[:30] == sample.fold[30:]).all() and np.bincount(sample.fold[:30]).tolist() == [15, 15]


def test_bags_average_the_best_of_bootstrap_samples() -> None:
    rows = judged(60, "chrf(beta=1)", noise=2.0, seed=7)
    plain = ng.tune("chrf", rows, "quality", search="grid", steps=9, folds=2, draws=0)
    bagged = ng.tune("chrf", rows, "quality", search="grid", steps=9, folds=2, draws=0, bags=40)
    assert plain.fields[0].value in range(9)
    sample = Sample.of(observe(rows), "quality", _plan())
    drawn, numbers = sample.draws(np.arange(60), 40, 12345)
    outputs, references = [row["hypothesis"] for row in rows], [row["references"] for row in rows]
    scores = [parse(f"chrf(beta={beta})").segments(outputs, references) for beta in (2, *range(9))]
    best = []
    for counts in drawn.of("items", 0)[:, numbers].astype(int):
        inside = np.repeat(np.arange(60), counts)
        values = [pearsonr(score[inside], sample.people[inside])[0] for score in scores]
        best.append((2, *range(9))[int(np.argmax(np.array(values) > max(values) - 1e-9))])
    assert bagged.fields[0].value == pytest.approx(np.mean(best), rel=1e-3)
    assert bagged.search == "grid search, mean of 40 bags"


def test_fields_that_only_the_score_reads_need_the_texts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = judged(40, "answerability(content=0.2,entity=0)")
    made: list[int] = []
    counted = Answerability.rows

    def rows_of(self: Answerability, batch: Batch) -> Array:
        made.append(len(batch))
        return counted(self, batch)

    monkeypatch.setattr(Answerability, "rows", rows_of)
    found = ng.tune("answerability", rows, "quality", search="grid", steps=3, folds=2, draws=0)
    assert found.candidates == 82  # 3 to the power 4, one of which is refused, and the default
    assert sum(made) == 2 * len(rows)  # for the fit, and for the receipt


def _tunable(name: str) -> bool:
    metric = load(name)()
    if metric.needs != ("references",) or metric.models:
        return False
    return any(type(spec.default) is float and not spec.metadata["check"] for spec in fields(metric) if spec.metadata)


@pytest.mark.parametrize("name", [name for name in names() if _tunable(name)])
def test_every_metric_of_texts_alone_that_has_weights_can_be_tuned(name: str) -> None:
    metric = parse(name)
    if reason := missing(metric):
        pytest.skip(str(reason))
    found = ng.tune(metric, judged(20, "chrf", noise=0.5), "quality", folds=2, steps=2, draws=0)
    assert found.metric == str(metric) and parse(found.spec).name == name
    assert found.all_tuned >= found.all_default - 1e-9


def test_data_that_cannot_be_fitted_to_are_refused() -> None:
    rows = judged(30, "chrf")
    with pytest.raises(InputError, match="for 30 items of different texts; 5 folds need at least 50"):
        ng.tune("chrf", rows, "quality")
    for row in rows:
        row["ratings"]["same"] = 3.0
    with pytest.raises(InputError, match="all ratings of 'same' are 3"):
        ng.tune("chrf", rows, "same", folds=2)
    with pytest.raises(InputError, match="has no criterion 'qualty': did you mean quality"):
        ng.tune("chrf", rows, "qualty", folds=2)
    with pytest.raises(InputError, match="tuned for one criterion, given by its name; got 3"):
        ng.tune("chrf", rows, 3, folds=2)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="distinct@2 describes a set of outputs"):
        ng.tune("distinct@2", rows, "quality", folds=2)
    with pytest.raises(InputError, match='bags=… goes with search="grid"'):
        ng.tune("chrf", rows, "quality", bags=3)
    with pytest.raises(InputError, match=r"tuned for pearson, spearman, .* or [a-z-]+; got 'spa'"):
        ng.tune("chrf", rows, "quality", correlation="spa")
    with pytest.raises(InputError, match="a grid of 5 fields with 11 steps has 161,051 points, more than the 50,000"):
        ng.tune("iter", rows, "quality", folds=2, search="grid")


def test_one_system_and_a_value_at_the_end_of_its_range_are_told() -> None:
    rows = [{**row, "system": "only"} for row in judged(40, "chrf(beta=0.4)")]
    found = ng.tune("chrf", rows, "quality", fields={"beta": (1.0, 3.0)}, folds=2, draws=0)
    assert found.fields[0].value == 1 and found.fields[0].at_edge
    told = " ".join(found.notes)
    assert "of one system" in told and "beta is at the end of the range searched (1 to 3)" in told
