"""One suite that every registered metric must pass: spec, rows, score, empty and odd text, bad values, sharing."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge import kernels
from nlgauge.errors import InputError, SpecError
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Metric
from nlgauge.metrics.registry import ALIASES, load, names
from nlgauge.metrics.spec import parse

HYPOTHESES = [
    "the cat sat on the mat .",
    "",
    "a",
    "¿qué? — naïve café, 3.5 %…",
    "зима близко , очень близко",
    "hello hello hello hello",
    "एक दो तीन",
    "one\ttwo three\nfour",
    "👩‍👩‍👧 emoji 😀",
]
REFERENCES = [
    ["the cat is on the mat .", "there is a cat on the mat ."],
    ["something"],
    ["a"],
    ["¿qué? naïve café 3,5 %", ""],
    ["зима очень близко"],
    ["hello world"],
    ["एक दो चार"],
    ["one two\nthree four", "one two three four", "nothing at all"],
    ["emoji 😀"],
]
ALL = names()
FIELDS = [(name, spec.name) for name in ALL for spec in dataclasses.fields(load(name)) if spec.metadata]


def other_value(metric: Metric, field: dataclasses.Field[Any]) -> Any:
    """A second legal value of a field."""
    value = getattr(metric, field.name)
    if field.metadata["choices"]:
        return next(choice for choice in field.metadata["choices"] if choice != value)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        low = field.metadata["low"]
        step = value + 1
        high = field.metadata["high"]
        return step if high is None or step <= high else (low if low is not None else value - 1)
    candidates = {
        "tok": "intl",
        "stem": "porter",
        "smooth": "floor:0.5",
        "weights": "0.5:0.2:0.2:0.1",
        "paraphrases": "none",
    }
    return candidates[field.name] if value != candidates[field.name] else "none"


@pytest.mark.parametrize("name", ALL)
def test_spec_round_trips(name: str) -> None:
    metric = load(name)()
    assert parse(str(metric)) == metric
    assert parse(metric.full()) == metric
    assert metric.name == name


@pytest.mark.parametrize(("name", "field"), FIELDS)
def test_every_field_shows_in_the_full_spec(name: str, field: str) -> None:
    cls = load(name)
    metric = cls()
    spec = next(spec for spec in dataclasses.fields(cls) if spec.name == field)
    changed = dataclasses.replace(metric, **{field: other_value(metric, spec)})
    assert changed.full() != metric.full()
    assert str(changed) != str(metric)
    assert parse(str(changed)) == changed
    assert parse(changed.full()) == changed
    assert len(spec.metadata["help"]) > 5


@pytest.mark.parametrize(("name", "field"), FIELDS)
def test_bad_values_are_refused_by_field(name: str, field: str) -> None:
    cls = load(name)
    kind = type(next(spec for spec in dataclasses.fields(cls) if spec.name == field).default)
    for bad in (None, [], {bool: "maybe", int: "three", float: float("nan"), str: 7}[kind]):
        with pytest.raises(SpecError, match=field):
            cls(**{field: bad})
    if kind is str:
        with pytest.raises(SpecError, match=field):
            cls(**{field: "no-such-value"})


@pytest.mark.parametrize("name", ALL)
def test_class_facts_are_complete(name: str) -> None:
    cls = load(name)
    assert (cls.__doc__ or "").strip()
    assert cls.direction in ("higher", "lower")
    assert cls.bounds[0] < cls.bounds[1]
    assert cls.cite and cls.reference and cls.needs


@pytest.mark.parametrize("name", ALL)
def test_rows_have_the_declared_shape_and_add_up(name: str) -> None:
    metric = load(name)()
    rows = metric.corpus_rows(HYPOTHESES, REFERENCES)
    assert rows.shape == (len(HYPOTHESES), len(metric.columns))
    assert rows.dtype == np.float64
    assert np.isfinite(rows).all()
    assert np.isclose(metric.corpus(HYPOTHESES, REFERENCES), metric.score(rows.sum(axis=0)))
    assert metric.score(rows).shape == (len(HYPOTHESES),)
    assert metric.score(rows[None]).shape == (1, len(HYPOTHESES))


@pytest.mark.parametrize("name", ALL)
def test_scores_are_finite_and_in_bounds(name: str) -> None:
    metric = load(name)()
    low, high = metric.bounds
    segments = metric.segments(HYPOTHESES, REFERENCES)
    corpus = metric.corpus(HYPOTHESES, REFERENCES)
    assert np.isfinite(segments).all() and np.isfinite(corpus)
    assert (segments >= low - 1e-9).all() and (segments <= high + 1e-9).all()
    assert np.isfinite(metric.score(np.zeros(len(metric.columns))))


@pytest.mark.parametrize("name", ALL)
def test_a_copy_of_the_reference_is_at_least_as_good(name: str) -> None:
    metric = load(name)()
    copies = [refs[0] for refs in REFERENCES]
    mine, perfect = metric.corpus(HYPOTHESES, REFERENCES), metric.corpus(copies, REFERENCES)
    assert perfect > mine if metric.direction == "higher" else perfect < mine


@pytest.mark.parametrize("name", ALL)
def test_shards_and_threads_give_the_same_rows(name: str) -> None:
    metric = load(name)()
    hypotheses, references = HYPOTHESES * 40, REFERENCES * 40
    whole = Batch(hypotheses, references)
    fitted = metric.prepare([whole])
    expected = fitted.rows(whole)
    parts = [
        fitted.rows(Batch(hypotheses[i : i + 7], references[i : i + 7])) for i in range(0, len(hypotheses), 7)
    ]
    assert np.array_equal(np.concatenate(parts), expected)
    assert np.array_equal(fitted.rows(Batch(hypotheses, references, jobs=4)), expected)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.skipif(not kernels.native_available(), reason="no compiled kernels: nothing to compare with")
def test_both_backends_agree_exactly(name: str) -> None:
    metric = load(name)()
    native = metric.corpus_rows(HYPOTHESES, REFERENCES)
    with kernels.use("python"):
        plain = metric.corpus_rows(HYPOTHESES, REFERENCES)
    assert np.array_equal(native, plain)


@pytest.mark.parametrize("name", ALL)
def test_no_segments_give_no_rows(name: str) -> None:
    metric = load(name)()
    assert metric.corpus_rows([], []).shape == (0, len(metric.columns))


@pytest.mark.parametrize("name", ALL)
def test_wrong_shapes_are_refused(name: str) -> None:
    metric = load(name)()
    with pytest.raises(InputError, match="2 hypotheses but 1"):
        metric.corpus(["a", "b"], [["a", "b"]])
    with pytest.raises(InputError, match="one string"):
        metric.corpus(["a", "b"], ["a", "b"])
    with pytest.raises(InputError, match="no reference"):
        metric.corpus(["a", "b"], [["a"], []])


def test_aliases_resolve_to_one_spelling() -> None:
    for alias, (target, fields) in ALIASES.items():
        metric = load(target)(**fields)
        assert parse(alias) == metric
        assert str(metric) == alias


def test_public_names_resolve() -> None:
    for name in nlgauge.__all__:
        assert getattr(nlgauge, name) is not None


@pytest.mark.parametrize("backend", ["native", "python"])
@pytest.mark.parametrize("name", ALL)
def test_a_segment_without_references_is_refused_however_the_batch_was_made(name: str, backend: str) -> None:
    metric = parse(name)
    if "references" not in metric.needs:
        pytest.skip("needs no references")
    fitted = metric.prepare([Batch(["a"], [["a"]])])
    with (
        kernels.use(backend),
        pytest.raises(InputError, match="segment 1 has no reference; give at least one"),
    ):
        fitted.rows(Batch(["a", "b"], [["a"], []]))
