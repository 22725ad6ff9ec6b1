"""For every model metric: long texts are windowed and told of, memory that runs out halves batches, no hub is needed,
and what is not installed is one sentence with its install line."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_models import Arithmetic, arithmetic, tiny_bert

from nlgauge import models
from nlgauge.errors import InputError, MissingModel
from nlgauge.metrics.registry import load, names
from nlgauge.models import catalogue, loading, runtime
from nlgauge.models.catalogue import ENTRIES
from nlgauge.models.sentences import Pooled

METRICS = [name for name in names() if load(name)().models]
# xmeant encodes single words; trained metrics are tried by their features, which name layers of their own
ENCODED = [
    name
    for name in METRICS
    if {"contextual", "sentence"} & {kind for kind, _ in load(name)().models}
    # trained metrics have loaded their encoders already; coherence reads sentences, not texts
    and name not in ("xmeant", "trained", "nubia", "sts", "coherence")
]
LONG = "word " * 400


def test_there_are_model_metrics() -> None:
    assert {"bertscore", "sim", "perplexity", "slor"} <= set(METRICS) and {"bertscore", "sim"} <= set(ENCODED)


@pytest.mark.parametrize("name", ENCODED)
def test_long_texts_are_windowed_told_of_and_never_cut(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands behind the model's length changes the vectors, and the remark says how many texts were long."""
    encoder = arithmetic(longest=32)
    monkeypatch.setattr(models, "contextual", lambda *a, **k: encoder)
    monkeypatch.setattr(models, "sentence", lambda *a, **k: Pooled(encoder))
    metric = load(name)()
    small: dict[str, Any] = {"layer": "2", "layers": 2}  # of the network of arithmetic
    fields = {field.name for field in dataclasses.fields(metric)} & small.keys()
    metric = dataclasses.replace(metric, **{name: small[name] for name in fields})
    given: dict[str, Any] = {"sources": ["x", "x"]} if metric.reads_sources else {}
    texts = ["a" * 100 + "bcdefgh" * 9, "a" * 50]
    rows = metric.segments(texts, [["a" * 100], ["a" * 50]], **given)
    assert np.isfinite(rows).all()
    (remark,) = (told for told in metric.remarks() if "longer than the 32 units" in told)
    assert "overlapping windows" in remark
    assert metric.remarks() == []
    assert len(encoder.encode([texts[0]], 2).of(texts[0])) == len(texts[0]) + 2


@pytest.mark.parametrize("name", ["minilm-int8", pytest.param("minilm", marks=pytest.mark.slow)])
def test_long_texts_under_the_packaged_encoders(name: str) -> None:
    sentence = models.sentence(name, purpose="the test")
    sentence.remarks()  # on what others had it read
    with runtime.use(embeddings="off"):
        rows = sentence.encode([LONG, LONG + "Rain in the north of the country."])
    (remark,) = sentence.remarks()
    assert remark.startswith(f"2 texts are longer than the 256 units that {name} reads at once")
    assert not np.allclose(rows[0], rows[1])


def test_memory_that_runs_out_once_halves_the_batch() -> None:
    network = Arithmetic()
    whole, raised = network.run, []

    def run(rows: Any, layers: Any) -> Any:
        if not raised:
            raised.append(len(rows))
            raise MemoryError
        return whole(rows, layers)

    network.run = run  # type: ignore[method-assign]
    texts = [f"text {number}" for number in range(12)]
    found = arithmetic(network).encode(texts, 1, keep=False)
    expected = arithmetic(Arithmetic()).encode(texts, 1, keep=False)
    assert raised and max(network.batches) < raised[0] and sum(network.batches) == len(texts)
    for text in texts:
        assert np.array_equal(found.of(text), expected.of(text))


@pytest.mark.parametrize(
    "entry", [entry for entry in ENTRIES if entry.alias != "reader"], ids=lambda entry: entry.alias
)
def test_a_model_that_is_not_installed_is_one_sentence(entry: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "module_folder", lambda module: None)
    getters = {kind: getattr(models, kind) for kind in entry.kinds}
    for kind, get in getters.items():
        with pytest.raises(MissingModel) as caught:
            get(entry.alias, purpose=f"the {kind} test")
        told = str(caught.value)
        assert told == f"the {kind} test needs the model {entry.alias}, which is not installed: {entry.install}"
        assert "\n" not in told


@pytest.mark.parametrize("name", METRICS)
def test_every_model_metric_says_what_to_install(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "module_folder", lambda module: None)
    monkeypatch.setattr(loading, "_loaded", {})
    metric = load(name)()
    given: dict[str, Any] = {"sources": ["x"]} if metric.reads_sources else {}
    with pytest.raises(MissingModel, match=r"pip install|nlgauge models get|install nlgauge again"):
        metric.segments(["A text. Another."], [["a text"]], **given)


@pytest.mark.slow
def test_libraries_that_are_hidden_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tiny_bert(tmp_path / "tiny")
    hidden = {"torch"}
    monkeypatch.setattr(loading, "has", lambda module: module not in hidden)
    with pytest.raises(MissingModel, match=r'torch to run the model .*: pip install "nlgauge\[neural\]"'):
        models.contextual(str(folder), purpose="the test")
    for get in (models.language, models.entailment):
        with pytest.raises((MissingModel, InputError)):
            get(str(folder), purpose="the test")


@pytest.mark.parametrize("name", [name for name in METRICS if name in ("bertscore", "sim", "perplexity", "slor")])
def test_an_empty_hub_cache_and_no_network_are_enough(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is asked of any network, though nothing says that the hub is off."""
    import socket

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("a network was asked for")

    monkeypatch.setenv("HF_HOME", str(tmp_path / "empty"))
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(loading, "_loaded", {})
    cls = load(name)
    fast = {"model": "minilm-int8"} if name in ENCODED else {}
    assert np.isfinite(cls(**fast).segments(["Rain in the north."], [["It rains."]])).all()
