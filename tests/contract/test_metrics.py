"""One suite that every registered metric must pass: spec, rows, score, empty and odd text, bad values, sharing."""

from __future__ import annotations

import dataclasses
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge import kernels
from nlgauge.errors import InputError, SpecError
from nlgauge.kernels.batch import Batch
from nlgauge.learned import folder
from nlgauge.learned.compliancy import CLASSIFIERS, StyleMetric
from nlgauge.learned.folder import shipped
from nlgauge.learned.trained import Trained
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
# Texts, and tables for the metrics of tables: attribute[value] is one way to write them.
SOURCES = [
    "who[the cat] , where[on the mat .]",
    "what[nothing]",
    "what[a]",
    "said[¿qué? naïf café 3.5]",
    "when[зима , очень близко]",
    "said[hello there world]",
    "said[एक दो चार]",
    "said[one two\nthree four five]",
    "said[emoji 😀]",
]
WEIGHTS = [[1.0, 0.5, -0.25][: len(texts)] for texts in REFERENCES]
ALL = names()
# Set metrics have no rows: what is said of rows, shards, threads and references given per segment cannot hold for
# them. tests/contract/test_set_metrics.py says what holds instead.
SUMMED = [name for name in ALL if load(name).additive]
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
        "function": "none",
        "copy": "none",
        "patterns": "none",
        "df": "frequencies.jsonl",
        "lam": "0.5",
        "entailment": "counts.json",
        "train": "train.txt",
        "model": "owner/model",
        "vectors": "owner/vectors",
        "encoder": "minilm",
        "source": "spacy-en",
        "layer": "3",
        "baseline": "baselines.csv",
        "unigrams": "news.txt",
        "stopwords": "words.txt",
        "source_model": "glove",
        "parser": "some/parser",
        "ner": "some/parser",
        "base": "rougeL",
        "grammar": "person",
        "rules": "manifest.json",
    }
    models = {
        "static": "some/vectors.txt",
        "language": "smollm2",
        "parser": "some/parser",
        "contextual": "minilm-int8",
    }
    if isinstance(metric, Trained):
        return str(shipped("nubia"))
    if isinstance(metric, StyleMetric):
        return style_classifiers().name
    kind = next((kind for kind, name in metric.models if name == value), "")
    if field.name == "model" and kind in models:
        return models[kind]
    return candidates[field.name] if value != candidates[field.name] else "none"


@cache
def style_classifiers() -> TemporaryDirectory[str]:
    """A folder with the files of style classifiers, which only metrics that are run would read."""
    home = TemporaryDirectory()
    for name in CLASSIFIERS:
        (Path(home.name) / name).mkdir()
        for file in (folder.ABOUT, folder.WEIGHTS):
            (Path(home.name) / name / file).touch()
    return home


def given(metric: Metric | type[Metric]) -> dict[str, Any]:
    """What a metric needs beside hypotheses and references."""
    beside = {"source": ("sources", SOURCES), "source text": ("sources", SOURCES)}
    beside["reference_weights"] = ("reference_weights", WEIGHTS)
    return dict(beside[need] for need in metric.needs if need in beside)


def made(times: int, part: slice = slice(None), jobs: int = 1) -> Batch:
    """A batch that has all that any metric may need."""
    references = (REFERENCES * times)[part]
    return Batch(
        (HYPOTHESES * times)[part],
        references,
        sources=(SOURCES * times)[part],
        jobs=jobs,
        post_edits=references,
        reference_weights=(WEIGHTS * times)[part],
    )


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
    # vectors of two languages come together
    beside = {"model": "glove"} if field == "source_model" else {}
    changed = dataclasses.replace(metric, **{field: other_value(metric, spec)}, **beside)
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


NUMBERS = [
    (name, spec.name)
    for name in ALL
    for spec in dataclasses.fields(load(name))
    if spec.metadata and type(spec.default) in (int, float)
]


@pytest.mark.parametrize(("name", "field"), NUMBERS)
def test_numbers_beyond_all_use_are_refused_and_the_largest_allowed_give_a_score(name: str, field: str) -> None:
    cls = load(name)
    spec = next(spec for spec in dataclasses.fields(cls) if spec.name == field)
    kind = type(spec.default)
    for beyond in (10**25, 2**63, 2**31) if kind is int else (1e308, 1e200):
        with pytest.raises(SpecError, match=field):
            cls(**{field: beyond})
    largest = spec.metadata["high"]
    if largest is None and not spec.metadata["check"]:
        largest = {int: 2**31 - 1, float: 1e12}[kind]
    # a beam of 100,000 takes its time, the shortest n-grams may not be longer than the longest, γ wants queries, a
    # model has as many layers as it has
    if (
        largest is None
        or not cls.additive
        or field in ("beam", "shortest")
        or (name, field) in (("rougeC", "gamma"), ("moverscore", "layers"))
    ):
        return
    metric = cls(**{field: kind(largest)})
    low, high = metric.bounds
    with np.errstate(all="raise", under="ignore"):
        segments = metric.segments(HYPOTHESES, REFERENCES, **given(metric))
    assert (segments >= low - 1e-9).all() and (segments <= high + 1e-9).all()


@pytest.mark.parametrize("name", ALL)
def test_class_facts_are_complete(name: str) -> None:
    cls = load(name)
    assert (cls.__doc__ or "").strip()
    assert cls.direction in ("higher", "lower")
    assert cls.bounds[0] < cls.bounds[1]
    assert cls.cite and cls.reference and cls.needs


@pytest.mark.parametrize("name", SUMMED)
def test_rows_have_the_declared_shape_and_add_up(name: str) -> None:
    metric = load(name)()
    rows = metric.corpus_rows(HYPOTHESES, REFERENCES, **given(metric))
    assert rows.shape == (len(HYPOTHESES), len(metric.columns))
    assert rows.dtype == np.float64
    assert np.isfinite(rows).all()
    assert np.isclose(metric.corpus(HYPOTHESES, REFERENCES, **given(metric)), metric.score(rows.sum(axis=0)))
    assert metric.score(rows).shape == (len(HYPOTHESES),)
    assert metric.score(rows[None]).shape == (1, len(HYPOTHESES))


@pytest.mark.parametrize("name", SUMMED)
def test_scores_are_finite_and_in_bounds(name: str) -> None:
    metric = load(name)()
    low, high = metric.bounds
    segments = metric.segments(HYPOTHESES, REFERENCES, **given(metric))
    corpus = metric.corpus(HYPOTHESES, REFERENCES, **given(metric))
    assert np.isfinite(segments).all() and np.isfinite(corpus)
    assert (segments >= low - 1e-9).all() and (segments <= high + 1e-9).all()
    assert np.isfinite(metric.score(np.zeros(len(metric.columns))))


@pytest.mark.parametrize("backend", ["native", "python"])
@pytest.mark.parametrize("name", SUMMED)
def test_half_surrogate_pairs_nul_and_control_characters_are_text(name: str, backend: str) -> None:
    metric = load(name)()
    texts = ["a \ud800 b", "a\0b c", "\x01 \x7f\u2028", "\ufeff \u202e x\u0301"]
    beside = {key: values[:4] for key, values in given(metric).items()}
    if "reference_weights" in beside:
        beside["reference_weights"] = [[1.0]] * 4
    with kernels.use(backend):
        scores = metric.segments(texts, [[text.replace("a", "A")] for text in texts], **beside)
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("name", [name for name in SUMMED if {"references", "post_edits"} & set(load(name).needs)])
def test_a_copy_of_the_reference_is_at_least_as_good(name: str) -> None:
    metric = load(name)()
    copies = [refs[0] for refs in REFERENCES]
    mine, perfect = (
        metric.corpus(HYPOTHESES, REFERENCES, **given(metric)),
        metric.corpus(copies, REFERENCES, **given(metric)),
    )
    assert perfect > mine if metric.direction == "higher" else perfect < mine


@pytest.mark.parametrize("name", SUMMED)
def test_shards_and_threads_give_the_same_rows(name: str) -> None:
    metric = load(name)()
    whole = made(40)
    fitted = metric.prepare([whole])
    expected = fitted.rows(whole)
    parts = [fitted.rows(made(40, slice(start, start + 7))) for start in range(0, len(whole), 7)]
    assert np.array_equal(np.concatenate(parts), expected)
    assert np.array_equal(fitted.rows(made(40, jobs=4)), expected)


@pytest.mark.parametrize("name", SUMMED)
@pytest.mark.skipif(not kernels.native_available(), reason="no compiled kernels: nothing to compare with")
def test_both_backends_agree_exactly(name: str) -> None:
    metric = load(name)()
    native = metric.corpus_rows(HYPOTHESES, REFERENCES, **given(metric))
    with kernels.use("python"):
        plain = metric.corpus_rows(HYPOTHESES, REFERENCES, **given(metric))
    assert np.array_equal(native, plain)


@pytest.mark.parametrize("name", SUMMED)
def test_no_segments_give_no_rows(name: str) -> None:
    metric = load(name)()
    assert metric.corpus_rows([], []).shape == (0, len(metric.columns))


@pytest.mark.parametrize("name", SUMMED)
def test_wrong_shapes_are_refused(name: str) -> None:
    metric = load(name)()
    with pytest.raises(InputError, match="2 hypotheses but 1"):
        metric.corpus(["a", "b"], [["a", "b"]])
    with pytest.raises(InputError, match="one string"):
        metric.corpus(["a", "b"], ["a", ["b"]])
    if not {"references", "post_edits"} & set(metric.needs):
        return
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
@pytest.mark.parametrize("name", SUMMED)
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


@pytest.mark.parametrize("name", ALL)
def test_a_segment_without_a_source_is_refused_where_one_is_needed(name: str) -> None:
    metric = parse(name)
    if "source" not in metric.needs:
        pytest.skip("needs no source")
    with pytest.raises(InputError, match="segment 0 has no source; give one"):
        metric.corpus(["a", "b"], [["a"], ["b"]])
    with pytest.raises(InputError, match="item 'y' has no source"):
        metric.rows(Batch(["a", "b"], [["a"], ["b"]], ["text[a]", None], items=["x", "y"]))
