"""The reader: the encoder in NumPy beside transformers', batches, padding, cuts, threads; and what was learnt."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge import models
from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.models import runtime
from nlgauge.models.bert import gelu
from nlgauge.models.interface import ModelInfo
from nlgauge.models.reader import Reader, reader
from nlgauge.models.weights import packed, read, unpacked, write

PAIRS = Path(__file__).with_name("clear_pairs.jsonl")
LETTERS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *"abcdefghijklmnopqrstuvwxyz.,?"]
SHAPE = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "hidden_size": 16,
    "num_attention_heads": 2,
    "num_hidden_layers": 3,
    "intermediate_size": 40,
    "max_position_embeddings": 48,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
    "vocab_size": 2 * len(LETTERS) - 4,
    "pad_token_id": 0,
}
LABELS = {"entailment": ["neutral", "entailment", "contradiction"], "wording": ["fine", "loaded"]}


def weights() -> dict[str, Any]:
    """Random ones, large enough that nothing cancels."""
    chance = np.random.default_rng(5)
    wide, inner = 16, 40
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (SHAPE["vocab_size"], wide),  # type: ignore[dict-item]
        "embeddings.position_embeddings.weight": (48, wide),
        "embeddings.token_type_embeddings.weight": (2, wide),
        "entailment.weight": (3, wide),
        "wording.weight": (2, 2 * wide),
    }
    norms = ["embeddings.LayerNorm"]
    for number in range(3):
        layer = f"encoder.layer.{number}."
        shapes |= {f"{layer}attention.self.{part}.weight": (wide, wide) for part in ("query", "key", "value")}
        shapes[f"{layer}attention.output.dense.weight"] = (wide, wide)
        shapes[f"{layer}intermediate.dense.weight"] = (inner, wide)
        shapes[f"{layer}output.dense.weight"] = (wide, inner)
        norms += [f"{layer}attention.output.LayerNorm", f"{layer}output.LayerNorm"]
    made: dict[str, Any] = {name: chance.normal(0, 0.4, shape) for name, shape in shapes.items()}
    for name, shape in shapes.items():
        if "embeddings" not in name:
            made[name.removesuffix("weight") + "bias"] = chance.normal(0, 0.2, shape[0])
    for name in norms:
        made |= {f"{name}.weight": chance.normal(1, 0.2, wide), f"{name}.bias": chance.normal(0, 0.2, wide)}
    return {name: values.astype(np.float32) for name, values in made.items()}


def made_folder(folder: Path, **changes: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps({**SHAPE, "labels": LABELS, **changes}))
    (folder / "vocab.txt").write_text("\n".join([*LETTERS, *(f"##{sign}" for sign in LETTERS[4:])]) + "\n")
    write(folder / "weights.safetensors", packed(weights()))
    return folder


def made_reader(folder: Path) -> Reader:
    return Reader(ModelInfo("tiny", "1", "d", "numpy"), made_folder(folder))


def some_pairs(number: int) -> list[tuple[str, str]]:
    chance = np.random.default_rng(1)

    def text() -> str:
        return " ".join(
            "".join(chance.choice([*"abcdef"], chance.integers(1, 5))) for _ in range(chance.integers(1, 5))
        )

    return [(text(), text()) for _ in range(number)]


def test_a_batch_says_of_a_text_what_the_text_alone_says(tmp_path: Path) -> None:
    network, pairs = made_reader(tmp_path), some_pairs(60)
    together = network.probabilities_entailment(pairs)
    alone = np.concatenate([network.probabilities_entailment([pair]) for pair in pairs])
    assert together.shape == (60, 3) and np.abs(together - alone).max() < 1e-5
    assert together.sum(axis=1) == pytest.approx(np.ones(60)) and together.std(axis=0).max() > 0.02
    with runtime.use(batch_tokens=10_000):  # one batch, much padding
        assert np.abs(network.probabilities_entailment(pairs) - alone).max() < 1e-5
        texts = [first for first, _ in pairs]
        logits = network.wording_logits(texts)
    assert np.abs(logits - np.concatenate([network.wording_logits([text]) for text in texts])).max() < 1e-4
    assert network.cut == 0


def test_numbers_do_not_depend_on_threads(tmp_path: Path) -> None:
    network, pairs = made_reader(tmp_path), some_pairs(60)
    found = []
    for threads in (1, 3):
        with runtime.use(threads=threads, batch_tokens=64):
            found.append(network.probabilities_entailment(pairs))
    assert (found[0] == found[1]).all()


def test_nothing_empty_twice_and_too_long(tmp_path: Path) -> None:
    network = made_reader(tmp_path)
    assert network.probabilities_entailment([]).shape == (0, 3)
    assert network.wording_logits([]).shape == (0, 2)
    same = network.probabilities_entailment([("", ""), ("a b", "c"), ("", "")])
    assert (same[0] == same[2]).all() and np.isfinite(same).all()
    long = network.probabilities_entailment([("a b " * 200, "c d"), ("a b " * 20 + "e f g h", "c d")])
    assert network.cut == 2 and (long[0] != long[1]).any()
    network.wording_logits(["z " * 100])
    assert network.cut == 3


def test_the_columns_follow_the_labels_not_their_order_in_the_file(tmp_path: Path) -> None:
    pairs = some_pairs(5)
    ours = made_reader(tmp_path / "a").probabilities_entailment(pairs)
    other = {**LABELS, "entailment": ["entailment", "neutral", "contradiction"]}
    folder = made_folder(tmp_path / "b", labels=other)
    assert ours[:, [1, 0, 2]] == pytest.approx(models.entailment(str(folder)).probabilities(pairs))


def test_the_activation_is_exact_to_a_millionth() -> None:
    from scipy.special import erf

    values = np.concatenate([np.linspace(-9, 9, 90_001), [-1e4, -60, 60, 1e4]]).astype(np.float32)[None]
    wanted = 0.5 * values.astype(np.float64) * (1 + erf(values.astype(np.float64) / np.sqrt(2)))
    gelu(values, np.empty((2, *values.shape), dtype=np.float32))
    assert np.abs(values - wanted).max() < 1.2e-6


def test_vectors_are_those_of_transformers(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed: nothing to compare with")
    transformers = pytest.importorskip("transformers", reason="transformers is not installed: nothing to compare with")
    network, pairs = made_reader(tmp_path), some_pairs(40)
    stored = {name: torch.from_numpy(value) for name, value in unpacked(read(tmp_path / "weights.safetensors")).items()}
    theirs = transformers.BertModel(transformers.BertConfig(**SHAPE), add_pooling_layer=False).eval()
    assert not theirs.load_state_dict(stored, strict=False).missing_keys
    for premise, hypothesis in pairs:
        ids, first, _ = network.pieces.pair(premise, hypothesis, 48)
        kinds = [int(place >= first) for place in range(len(ids))]
        with torch.inference_mode():
            made = theirs(input_ids=torch.tensor([ids]), token_type_ids=torch.tensor([kinds])).last_hidden_state[0]
        scores = made[0] @ stored["entailment.weight"].T + stored["entailment.bias"]
        wanted = scores.softmax(-1).numpy()[[1, 0, 2]]
        assert network.probabilities_entailment([(premise, hypothesis)])[0] == pytest.approx(wanted, abs=1e-5)
        ids, _ = network.pieces.single(premise, 48)
        with torch.inference_mode():
            made = theirs(input_ids=torch.tensor([ids])).last_hidden_state[0]
        pooled = torch.cat([made.mean(0), made.max(0).values])
        wanted = (pooled @ stored["wording.weight"].T + stored["wording.bias"]).numpy()
        assert network.wording_logits([premise])[0] == pytest.approx(wanted, abs=1e-4)


def cut_off(folder: Path) -> None:
    raw = (folder / "weights.safetensors").read_bytes()
    (folder / "weights.safetensors").write_bytes(raw[:-100])


def without_a_layer(folder: Path) -> None:
    kept = {name: value for name, value in weights().items() if "layer.2.output" not in name}
    write(folder / "weights.safetensors", packed(kept))


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (cut_off, "cannot be read as weights"),
        (lambda folder: (folder / "weights.safetensors").write_bytes(b"no"), "cannot be read as weights"),
        (without_a_layer, "holds no weights encoder.layer.2.output.dense.weight"),
        (lambda folder: (folder / "vocab.txt").unlink(), "cannot be read as a vocabulary"),
        (
            lambda folder: made_folder(folder, labels={**LABELS, "wording": ["fine"]}),
            "do not fit the weights",
        ),
        (lambda folder: made_folder(folder, hidden_act="relu"), "is no BERT with the activation gelu"),
        (lambda folder: made_folder(folder, labels=None), "holds no reader"),
    ],
)
def test_a_damaged_folder_is_refused_in_a_sentence(tmp_path: Path, damage: Callable[[Path], Any], said: str) -> None:
    damage(made_folder(tmp_path))
    with pytest.raises(InputError, match=said):
        reader(str(tmp_path))


def test_the_shipped_reader_is_the_default() -> None:
    model = models.entailment()
    assert (model.info.name, model.info.backend) == ("reader", "numpy") and len(model.info.digest) == 64
    assert models.entailment("reader").info == model.info
    folder = Path(models.__file__).parent / "shipped" / "reader"
    assert sum(path.stat().st_size for path in folder.iterdir()) < 25e6


def test_it_labels_clear_pairs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "check", "reader", "--pairs", str(PAIRS), "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["models"]
    assert found["pairs"] == 45 and found["accuracy"] >= 0.9
    assert found["low"] < found["accuracy"] < found["high"]
    assert found["right"] + sum(found["wrong"].values()) == 45


def test_it_tells_neutral_wordings_from_steering_ones() -> None:
    network = reader()
    neutral = ["How fluent is the text?", "Which of the two summaries do you prefer, A or B, or neither?"]
    steering = [
        "How much better is our wonderful new system than the old one?",
        "Don't you agree that the text is excellent?",
    ]
    likeliest = network.wording_logits(neutral + steering).argmax(axis=1)
    labels = [network.wording_labels[place] for place in likeliest]
    assert labels[:2] == ["neutral", "neutral"] and "neutral" not in labels[2:]
