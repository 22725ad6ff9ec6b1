"""PyTorch on a tiny BERT (windows, vectors that stay where they were made), and packaged models where installed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tiny_models import tiny_bert

from nlgauge import models
from nlgauge.errors import InputError
from nlgauge.metrics.bertscore import BertScore
from nlgauge.models import runtime
from nlgauge.models.encoding import Contextual
from nlgauge.models.interface import ModelInfo
from nlgauge.models.sentences import Pooled
from nlgauge.models.vectors import read

TEXTS = ["rain and wind", "", "a, b.", "calm " * 30, "snow"]


@pytest.mark.slow
def test_a_tiny_bert_gives_what_transformers_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tiny_bert(tmp_path / "tiny")
    transformers, torch = pytest.importorskip("transformers"), pytest.importorskip("torch")
    encoder = models.contextual(str(path))
    assert encoder.layers == (0, 1, 2, 3) and encoder.longest == 64 and encoder.info.revision == "path"
    units = encoder.units(["Rain, x"])[0]
    assert units.tokens == ("[CLS]", "r", "##a", "##i", "##n", ",", "x", "[SEP]")
    assert units.words.tolist() == [-1, 0, 0, 0, 0, 1, 2, -1] and units.spans[5].tolist() == [4, 5]
    model = transformers.AutoModel.from_pretrained(str(path)).eval()
    with torch.no_grad():
        states = model(torch.as_tensor(units.ids)[None], output_hidden_states=True).hidden_states
    for layer in encoder.layers:
        mine = encoder.encode(["Rain, x", "some other text"], layer).of("Rain, x")
        assert np.allclose(mine, states[layer][0].numpy(), atol=1e-5)
    long = encoder.encode(TEXTS, 3)
    assert long.length(TEXTS[3]) == len(encoder.units([TEXTS[3]])[0]) > 64 and long.windowed == 1
    # as on a GPU: vectors stay tensors, and are matched and pooled as such
    rows = BertScore(model=str(path), layer="3").corpus_rows(TEXTS, [[text] for text in reversed(TEXTS)])
    assert isinstance(encoder, Contextual)
    pooled = Pooled(encoder).encode(TEXTS, keep=False)
    monkeypatch.setattr(encoder.network, "resident", True)
    monkeypatch.setattr(Contextual, "resident", True)
    resident = encoder.encode(TEXTS, 3)
    assert isinstance(resident.flat, torch.Tensor) and resident.windowed == 1
    monkeypatch.setattr("nlgauge.metrics.bertscore.ON_DEVICE", 1)  # several parts, worked on side by side
    again = BertScore(model=str(path), layer="3").corpus_rows(TEXTS, [[text] for text in reversed(TEXTS)])
    assert np.allclose(again, rows, atol=1e-5)
    assert np.allclose(Pooled(encoder).encode(TEXTS, keep=False), pooled, atol=1e-5)
    with runtime.use(embeddings="on"):
        assert isinstance(encoder.encode(TEXTS, 3).flat, np.ndarray)
    failed = torch.OutOfMemoryError("CUDA out of memory") if hasattr(torch, "OutOfMemoryError") else RuntimeError
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: None)
    assert encoder.network.exhausted(failed) and not encoder.network.exhausted(ValueError("no"))


def test_a_device_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:

    monkeypatch.setattr(runtime, "cuda_available", lambda: False)
    assert runtime.chosen("auto") == "cpu"
    with pytest.raises(InputError, match="finds no CUDA device"):
        runtime.chosen("cuda:1")
    with pytest.raises(InputError, match="NLGAUGE_DEVICE must be"):
        runtime.chosen("gpu")
    monkeypatch.setenv("NLGAUGE_DEVICE", "foo")
    with pytest.raises(InputError, match=r"NLGAUGE_DEVICE must be auto, cpu, .*; got 'foo'"):
        runtime.current()  # whatever the model runs on
    monkeypatch.setattr(runtime, "cuda_available", lambda: True)
    assert runtime.chosen("auto") == "cuda" and runtime.chosen("cuda:1") == "cuda:1"


def test_word_vectors_of_a_text_file(tmp_path: Path) -> None:
    info = ModelInfo("v", "path", "", "numpy")
    path = tmp_path / "v.txt"
    path.write_text("2 3\nrain 1 2 3\nnew york 4 5 6\n")
    table = models.static(str(path))
    found, known = table.vectors(["rain", "snow", "new york"])
    assert found.tolist() == [[1, 2, 3], [0, 0, 0], [4, 5, 6]] and known.tolist() == [True, False, True]
    assert table.mean().tolist() == [2.5, 3.5, 4.5] and "rain" in table and table.dim == 3
    for bad in ("rain 1 2\nwind 1\n", "rain one two\n", ""):
        path.write_text(bad)
        with pytest.raises(InputError, match="word"):
            read(info, path)


@pytest.mark.slow
def test_glove() -> None:
    table = models.static("glove")
    (rain, wind, engine), known = table.vectors(["rain", "wind", "lawyer"])
    assert known.all() and table.dim == 50 and "qqqzzz" not in table
    assert rain @ wind > rain @ engine


@pytest.mark.slow
def test_trigrams_prefer_english_order() -> None:
    model = models.language("trigram")
    good, bad, odd = model.score(["The cat sat on the mat.", "Mat the on sat cat the.", "zzqx"])
    assert good.total > bad.total and good.tokens[-1] == "</s>" and good.words == 6
    assert odd.logp[0] == pytest.approx(-7 * np.log(10))


@pytest.mark.slow
def test_spacy_parses() -> None:
    (parsed,) = models.parser("spacy-en").parse(["A man in Paris sees two horses."])
    words = {word.text: word for word in parsed.words}
    assert words["man"].pos == "NOUN" and words["two"].dep == "nummod"
    assert parsed.words[words["two"].head].text == "horses" and any(e.label == "GPE" for e in parsed.entities)


@pytest.mark.slow
def test_the_universal_encoder_knows_a_translation() -> None:
    rows = models.sentence("use").encode(["It is raining.", "Il pleut.", "The engine needs oil."])
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    assert rows.shape == (3, 512) and unit[0] @ unit[1] > 0.5 > unit[0] @ unit[2]


@pytest.mark.slow
def test_a_causal_model_sums_to_its_loss_and_windows_long_texts(tmp_path: Path) -> None:
    path = tiny_bert(tmp_path / "tiny")  # for its vocabulary
    transformers, torch = pytest.importorskip("transformers"), pytest.importorskip("torch")
    config = transformers.GPT2Config(vocab_size=61, n_positions=32, n_embd=16, n_layer=1, n_head=2, bos_token_id=2)
    transformers.GPT2LMHeadModel(config).save_pretrained(path)
    model = models.language(str(path))
    short, long = model.score(["rain and wind", "ab " * 40])
    assert len(short.tokens) == len(short.logp) and (short.logp < 0).all()
    loaded = transformers.GPT2LMHeadModel.from_pretrained(str(path)).eval()
    tokeniser = transformers.AutoTokenizer.from_pretrained(str(path))
    ids = tokeniser("rain and wind", add_special_tokens=False)["input_ids"]
    assert len(long.logp) == len(long.tokens) >= 79 and (long.logp < 0).all()
    if len(short.logp) == len(ids) - 1:  # the tokeniser names no opening token
        with torch.no_grad():
            loss = loaded(torch.as_tensor([ids]), labels=torch.as_tensor([ids])).loss
        assert short.total == pytest.approx(-float(loss) * (len(ids) - 1), rel=1e-4)


@pytest.mark.slow
def test_no_number_is_made_with_weights_that_are_not_there(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    path = tiny_bert(tmp_path / "tiny")  # an encoder, which predicts no token
    with pytest.raises(InputError, match="is no language model: it has no weights for"):
        models.language(str(path))
    config = json.loads((path / "config.json").read_text())
    (path / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 9}))
    with pytest.raises(InputError, match="is no whole encoder"):
        models.contextual(str(path)).encode(["rain"], 9)
    (path / "model.safetensors").write_bytes(b"junk")
    with pytest.raises(InputError, match="no language model could be loaded"):
        models.language(str(path))
    (path / "tokenizer.json").write_text("[1]")
    with pytest.raises(InputError, match="is no tokeniser"):
        models.contextual(str(path))
