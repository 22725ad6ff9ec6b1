"""nlgauge-mt as it ships: the network's own numbers, its order of easy cases, and its correlation with people."""

from __future__ import annotations

import gzip
import html
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge.kernels.batch import Batch
from nlgauge.learned.folder import open_folder
from nlgauge.learned.paired import WIDE, PairEncoder
from nlgauge.metrics.spec import parse
from nlgauge.models.resolve import tokeniser_folder
from nlgauge.models.scoring import Int8Scorer, NumpyScorer
from nlgauge.models.weights import read, unpacked

HOME = Path(nlgauge.__file__).parent
FOLDER = HOME / "learned" / "shipped" / "nlgauge-mt"
REFERENCE = "The minister resigned on Tuesday after the vote."
OUTPUTS = [
    REFERENCE,
    "After the vote, the minister stepped down on Tuesday.",
    "Minister the Tuesday resigns in voted after.",
    "The cat sleeps.",
    "",
]


def test_a_better_translation_scores_higher() -> None:
    found = parse("nlgauge-mt").scores(Batch(OUTPUTS, [[REFERENCE]] * len(OUTPUTS)))  # type: ignore[attr-defined]
    assert (np.diff(found[:4]) < 0).all() and found[4] < found[1]
    assert 0.7 < found[0] < 1.3  # z-scores of people


def shipped() -> PairEncoder:
    form = open_folder(FOLDER).form
    assert isinstance(form, PairEncoder)
    return form


def test_scores_in_8_bits_are_near_those_in_float32() -> None:
    """Within .1 of a judge's standard deviation for any pair, .02 on average; the second text's own kind is read."""
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: nothing in 8 bits")
    form = shipped()
    texts = [*OUTPUTS, "Rain is expected in the north tomorrow, with up to 20 mm in Aberdeen. " * 4]
    pairs = [(output, reference) for output in texts for reference in texts]
    wide = form.float_scorer().scores(pairs)
    assert form.eight_bits and form.model_fact == "int8" and form.remarks() == []
    narrow = form.scorer().scores(pairs)
    assert isinstance(form.scorer(), Int8Scorer) and wide.std() > 0.4
    assert np.abs(narrow - wide).max() < 0.1 and np.abs(narrow - wide).mean() < 0.02


def test_scores_in_8_bits_do_not_depend_on_what_is_read_beside() -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: nothing in 8 bits")
    pairs = [(output, REFERENCE) for output in OUTPUTS]
    scorer = shipped().scorer()
    together = scorer.scores(pairs * 3)
    alone = np.concatenate([scorer.scores([pair]) for pair in pairs])
    assert together == pytest.approx(np.tile(alone, (3, 1)), abs=1e-9)


def test_without_onnxruntime_it_computes_in_float32_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nlgauge.learned.paired.find_spec", lambda name: None)
    form = shipped()
    assert isinstance(form.scorer(), NumpyScorer) and form.model_fact == ""
    form.predict(Batch(OUTPUTS[:1], [[REFERENCE]]))
    assert form.remarks() == [WIDE] and "float32" in WIDE


def test_the_receipt_says_in_which_arithmetic() -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: nothing in 8 bits")
    assert parse("nlgauge-mt").model_fact.endswith("+int8")


def test_scores_are_those_of_transformers_with_the_weights_as_they_ship() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed: nothing to compare with")
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    settings = json.loads((FOLDER / "metric.json").read_text())["settings"]
    stored = {name: torch.from_numpy(value) for name, value in unpacked(read(FOLDER / "weights.safetensors")).items()}
    config = transformers.BertConfig(**settings["network"])
    theirs = transformers.BertModel(config, add_pooling_layer=False).eval()
    assert not theirs.load_state_dict(stored, strict=False).missing_keys
    tokeniser = transformers.BertTokenizerFast(vocab=str(tokeniser_folder() / "vocab.txt"))
    ours = shipped().float_scorer().scores([(output, REFERENCE) for output in OUTPUTS])
    for place, output in enumerate(OUTPUTS):
        fed = tokeniser(output, REFERENCE, return_tensors="pt", truncation="longest_first", max_length=160)
        with torch.inference_mode():
            vectors = theirs(**fed).last_hidden_state[0]
        wanted = stored["score.weight"] @ torch.cat([vectors[0], vectors.mean(0)]) + stored["score.bias"]
        assert ours[place] == pytest.approx(float(wanted), abs=1e-5)


def test_all_weights_that_ship_stay_small() -> None:
    weights = list(HOME.rglob("shipped/*/weights.safetensors"))
    assert len(weights) > 10
    assert sum(path.stat().st_size for path in weights) < 50e6


def judged(shared: Path, every: int) -> tuple[Any, Any, Any]:
    """Scores, ratings and language pairs of WMT17 into English, escapes undone."""
    with gzip.open(shared / "data" / "wmt17_daseg.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["dataset"].endswith("-en")][::every]
    texts = [html.unescape(row["hypothesis"]) for row in rows]
    references = [[html.unescape(text) for text in row["references"]] for row in rows]
    scores = parse("nlgauge-mt").scores(Batch(texts, references))  # type: ignore[attr-defined]
    return (
        scores,
        np.array([row["ratings"]["da_z"][0] for row in rows]),
        np.array([row["dataset"] for row in rows]),
    )


@pytest.mark.slow
def test_it_agrees_with_people_on_some_of_wmt17(shared: Path) -> None:
    scores, people, _ = judged(shared, 40)
    assert np.corrcoef(scores, people)[0, 1] == pytest.approx(0.77, abs=0.1)


@pytest.mark.long
def test_its_mean_correlation_on_wmt17_is_that_of_its_card(shared: Path) -> None:
    scores, people, pairs = judged(shared, 1)
    assert len(scores) == 7 * 560
    found = [np.corrcoef(scores[pairs == pair], people[pairs == pair])[0, 1] for pair in sorted(set(pairs))]
    assert np.mean(found) == pytest.approx(0.7774, abs=0.0005)
