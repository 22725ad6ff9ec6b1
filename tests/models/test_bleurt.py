"""BLEURT from checkpoints in the layout its authors publish, made on the spot."""

from __future__ import annotations

import json
import shutil
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_checkpoints import bundle, needed, tiny_bleurt, tiny_variables, vocabulary

from nlgauge import receipt
from nlgauge.cli import main
from nlgauge.errors import InputError, MissingModel, SpecError
from nlgauge.metrics.bleurt import Bleurt
from nlgauge.metrics.spec import parse
from nlgauge.models import bleurt, catalogue, runtime

PAIRS = [
    ("rain in the north", "some rain, in the north."),
    ("", "wind"),
    ("wind", ""),
    ("x" * 50, "abc " * 20),
    ("abc " * 20, "x" * 50),
    ("abc " * 20, "de " * 20),
    ("[SEP] a", "Überall [CLS] Regen"),
]
# Of the same variables under Google's own code: BertModel, FullTokenizer (bert-tensorflow 1.0.4, TensorFlow 2.21) and
# the head of bleurt/model.py; by the number of layers of the head.
RECORDED = {
    1: [-0.7361618, -0.8542542, -0.8963516, -0.6591123, -0.6710657, -0.698707, -0.7199457],
    3: [-0.7188657, -0.6859656, -0.6985761, -0.7289907, -0.7267113, -0.7259817, -0.7249412],
}
OUTPUTS, REFERENCES = [output for _, output in PAIRS], [[reference] for reference, _ in PAIRS]


@pytest.mark.parametrize("heads", list(RECORDED))
def test_scores_are_those_of_the_original_code(tmp_path: Path, heads: int) -> None:
    needed("torch", "transformers", "tokenizers")
    metric = Bleurt(model=str(tiny_bleurt(tmp_path / "tiny", heads=heads)))
    with runtime.use(embeddings="off"):
        found = metric.segments(OUTPUTS, REFERENCES)
    assert found == pytest.approx(RECORDED[heads], abs=2e-6)
    assert metric.remarks() == ["4 pairs longer than the metric reads lost the end"]
    assert metric.remarks() == []


def test_the_graph_says_which_gelu(tmp_path: Path) -> None:
    needed("torch", "transformers", "tokenizers")
    tanh, exact = (
        Bleurt(model=str(tiny_bleurt(tmp_path / name, exact=name == "exact"))).segments(OUTPUTS, REFERENCES)
        for name in ("tanh", "exact")
    )
    assert 1e-5 < np.abs(tanh - exact).max() < 1e-2


class Pieces:
    """In place of SentencePiece: letters."""

    def __init__(self, model_file: str) -> None:
        self.names = Path(model_file).read_text().split("\n")

    def encode(self, text: str) -> list[int]:
        return [self.piece_to_id(sign) for sign in text if sign != " "]

    def piece_to_id(self, piece: str) -> int:
        return self.names.index(piece) if piece in self.names else 1


@pytest.fixture
def rembert(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkpoint as BLEURT-20 is: RemBERT, whose embeddings are narrower than its layers, and SentencePiece."""
    needed("torch", "transformers")
    folder = tiny_bleurt(tmp_path / "rembert", wide=6)
    about = json.loads((folder / "bleurt_config.json").read_text())
    about |= {"vocab_file": None, "do_lower_case": None, "sp_model": "sent_piece"}
    (folder / "bleurt_config.json").write_text(json.dumps(about))
    (folder / "vocab.txt").rename(folder / "sent_piece.model")
    library = types.ModuleType("sentencepiece")
    library.SentencePieceProcessor = Pieces  # type: ignore[attr-defined]
    library.__spec__ = types.SimpleNamespace()  # type: ignore[assignment]
    monkeypatch.setitem(sys.modules, "sentencepiece", library)
    return folder


def by_hand(first: list[int], second: list[int]) -> float:
    """The score of a pair's units by transformers' RemBertModel, variable by variable."""
    torch, transformers = needed("torch"), needed("transformers")
    values = {name: torch.from_numpy(array) for name, array in tiny_variables(wide=6).items()}
    model = transformers.RemBertModel(
        transformers.RemBertConfig(
            vocab_size=len(vocabulary()),
            hidden_size=16,
            input_embedding_size=6,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=32,
            max_position_embeddings=40,
            type_vocab_size=2,
            hidden_act="gelu_new",
        )
    ).eval()

    def fill(module: Any, name: str) -> None:
        if isinstance(module, torch.nn.Embedding):
            module.weight.data = values[name]
        elif isinstance(module, torch.nn.Linear):
            module.weight.data, module.bias.data = values[f"{name}/kernel"].T, values[f"{name}/bias"]
        else:
            module.weight.data, module.bias.data = values[f"{name}/gamma"], values[f"{name}/beta"]

    for kind in ("word", "token_type", "position"):
        fill(getattr(model.embeddings, f"{kind}_embeddings"), f"bert/embeddings/{kind}_embeddings")
    fill(model.embeddings.LayerNorm, "bert/embeddings/LayerNorm")
    fill(model.encoder.embedding_hidden_mapping_in, "bert/encoder/embedding_hidden_mapping_in")
    for number, layer in enumerate(model.encoder.layer):
        root = f"bert/encoder/layer_{number}"
        inner = layer.attention.self
        for part in ("query", "key", "value"):
            fill(getattr(inner, part), f"{root}/attention/self/{part}")
        fill(layer.attention.output.dense, f"{root}/attention/output/dense")
        fill(layer.attention.output.LayerNorm, f"{root}/attention/output/LayerNorm")
        fill(layer.intermediate.dense, f"{root}/intermediate/dense")
        fill(layer.output.dense, f"{root}/output/dense")
        fill(layer.output.LayerNorm, f"{root}/output/LayerNorm")
    fill(model.pooler.dense, "bert/pooler/dense")
    ids = torch.tensor([[2, *first, 3, *second, 3]])
    types = torch.tensor([[0] * (len(first) + 2) + [1] * (len(second) + 1)])
    with torch.no_grad():
        pooled = model(ids, token_type_ids=types).pooler_output
        return float(pooled @ values["dense/kernel"] + values["dense/bias"])


SHORT = [("rain", "wind and rain"), ("a", "b"), ("some snow", "rain")]


def test_rembert_is_read_as_bert_is(rembert: Path) -> None:
    metric, pieces = Bleurt(model=str(rembert)), Pieces(str(rembert / "sent_piece.model"))
    found = metric.segments([output for _, output in SHORT], [[reference] for reference, _ in SHORT])
    assert found == pytest.approx([by_hand(*map(pieces.encode, pair)) for pair in SHORT], abs=2e-6)
    assert np.ptp(found) > 0.01


def test_units_are_those_of_sentencepiece(rembert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    library = pytest.importorskip("sentencepiece", reason="sentencepiece is not installed: no units to compare")
    texts, model = rembert / "texts.txt", rembert / "sent_piece.model"
    texts.write_text("\n".join(["rain and some wind in the north", "a b snow", *"abcdefghijklmnopqrstuvwxyz"]))
    library.SentencePieceTrainer.train(
        input=str(texts),
        model_prefix=str(rembert / "sent_piece"),
        vocab_size=45,
        control_symbols="[CLS],[SEP]",
        hard_vocab_limit=False,
        minloglevel=2,
    )
    pieces = library.SentencePieceProcessor(model_file=str(model))
    assert pieces.piece_to_id("[CLS]") == 3 and pieces.piece_to_id("[SEP]") == 4
    network = bleurt.bleurt(str(rembert))
    assert [ids for ids, _ in network._read(SHORT)] == [
        [3, *pieces.encode(reference), 4, *pieces.encode(output), 4] for reference, output in SHORT
    ]


@pytest.mark.parametrize("name", ["bleurt", "bert"])
def test_conversions_for_pytorch_give_the_same(tmp_path: Path, name: str) -> None:
    safetensors = needed("safetensors.numpy", "torch", "transformers", "tokenizers")
    folder = tiny_bleurt(tmp_path / "tiny", exact=True)
    expected = Bleurt(model=str(folder)).segments(OUTPUTS, REFERENCES)
    weights = {
        (f"{name}.{key}" if "head" not in key else key.replace("head.0", "classifier")): np.ascontiguousarray(value)
        for key, value in bleurt._from_tensorflow(folder).items()
    }
    other = tmp_path / "converted"
    other.mkdir()
    safetensors.save_file(weights, other / "model.safetensors")
    shutil.copy(folder / "vocab.txt", other)
    shape = json.loads((folder / "bert_config.json").read_text())
    shape |= {"model_type": name, "max_position_embeddings": 32}
    (other / "config.json").write_text(json.dumps(shape))
    assert Bleurt(model=str(other)).segments(OUTPUTS, REFERENCES) == pytest.approx(expected, abs=1e-6)
    (other / "config.json").write_text(json.dumps({**shape, "model_type": "gpt2"}))
    with pytest.raises(InputError, match="says model_type 'gpt2', not bleurt"):
        Bleurt(model=str(other)).segments(OUTPUTS, REFERENCES)


def test_of_several_references_the_best_counts_and_batches_change_nothing(tmp_path: Path) -> None:
    needed("torch", "transformers", "tokenizers")
    metric = Bleurt(model=str(tiny_bleurt(tmp_path / "tiny")))
    several = [[reference for reference, _ in PAIRS[:4]]] * 3
    alone = [max(metric.segments([output], [[reference]])[0] for reference in several[0]) for output in OUTPUTS[:3]]
    assert list(metric.segments(OUTPUTS[:3], several)) == alone
    with runtime.use(embeddings="off", batch_tokens=1):
        one_by_one = metric.segments(OUTPUTS, REFERENCES)
    assert one_by_one == pytest.approx(RECORDED[1], abs=2e-6)


def test_the_receipt_has_the_digest_of_the_weights(tmp_path: Path) -> None:
    needed("torch", "transformers", "tokenizers")
    one, other = tiny_bleurt(tmp_path / "one"), tiny_bleurt(tmp_path / "other", heads=3)
    facts = [receipt.read_by([Bleurt(model=str(folder))])["model"] for folder in (one, other)]
    assert [fact.partition("@")[0] for fact in facts] == [str(one), str(other)]
    assert facts[0].split(":")[1] != facts[1].split(":")[1] and facts[0].endswith("unknown")


def test_the_command_scores_and_refuses_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    needed("torch", "transformers", "tokenizers")
    folder = tiny_bleurt(tmp_path / "tiny")
    data = tmp_path / "set.jsonl"
    row = {
        "item": "1",
        "system": "a",
        "references": ["rain in the north"],
        "hypothesis": "some rain, in the north.",
    }
    data.write_text(json.dumps(row) + "\n")
    assert main(["score", str(data), "-m", f"bleurt(model={folder})", "--json"]) == 0
    assert "-0.736" in capsys.readouterr().out
    assert main(["score", str(data), "-m", "bleurt"]) == 2
    said = capsys.readouterr().err
    assert "bleurt needs a checkpoint, which is not installed" in said and "bleurt(model=FOLDER)" in said


@pytest.mark.parametrize(
    ("lacking", "said"),
    [
        ("vocab.txt", "is no whole checkpoint of BLEURT: it lacks vocab.txt\n"),
        ("bert_config.json", "is no whole checkpoint of BLEURT: it lacks bert_config.json\n"),
        ("bleurt_config.json", "is no checkpoint of BLEURT: there is no bleurt_config.json or config.json"),
    ],
)
def test_a_folder_without_one_of_its_files_is_refused_at_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lacking: str, said: str
) -> None:
    folder, data = tiny_bleurt(tmp_path / "tiny"), tmp_path / "set.jsonl"
    (folder / lacking).unlink()
    data.write_text('{"item": "1", "system": "a", "hypothesis": "rain", "references": ["rain"]}\n')
    assert main(["score", str(data), "-m", f"bleurt(model={folder})"]) == 2
    told = capsys.readouterr()
    assert told.out == "" and said in told.err and told.err.count("\n") == 1


def test_what_is_no_checkpoint_is_refused_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SpecError, match="must be the folder of a checkpoint"):
        parse("bleurt(model=no-such-folder)")
    with pytest.raises(MissingModel, match="the checkpoint owner/name, which is not installed"):
        bleurt.bleurt("owner/name")
    file, empty = tmp_path / "file", tmp_path / "empty"
    file.write_text("")
    empty.mkdir()
    with pytest.raises(InputError, match="is a file; bleurt needs the folder"):
        bleurt.bleurt(str(file))
    with pytest.raises(InputError, match=r"there is no bleurt_config.json or config.json in it"):
        bleurt.bleurt(str(empty))
    needed("torch", "transformers", "tokenizers")
    folder = tiny_bleurt(tmp_path / "tiny")
    (folder / "variables" / "variables.index").rename(tmp_path / "index")
    with pytest.raises(InputError, match=r"it lacks variables/variables\.index"):
        bleurt.bleurt(str(folder))
    (tmp_path / "index").rename(folder / "variables" / "variables.index")
    bare = {name: value for name, value in tiny_variables().items() if not name.startswith("dense")}
    bundle(tiny_bleurt(tmp_path / "bare") / "variables" / "variables", bare)
    with pytest.raises(InputError, match="holds no head that makes a score"):
        bleurt.bleurt(str(tmp_path / "bare"))
    bundle(tmp_path / "bare" / "variables" / "variables", {"dense/bias": bare["bert/pooler/dense/bias"]})
    with pytest.raises(InputError, match="does not hold the weights of BLEURT"):
        bleurt.bleurt(str(tmp_path / "bare"))
    kept = (folder / "bert_config.json").read_text()
    (folder / "bert_config.json").write_text('{"num_attention_heads": 3}')
    with pytest.raises(InputError, match="has weights that do not fit its configuration"):
        bleurt.bleurt(str(folder))
    (folder / "bert_config.json").write_text("{")
    with pytest.raises(InputError, match=r"bert_config\.json cannot be read as a JSON object"):
        bleurt.bleurt(str(folder))
    (folder / "bert_config.json").write_text(kept)
    monkeypatch.setattr(catalogue.util, "find_spec", lambda name: None)
    with pytest.raises(MissingModel, match=r'needs torch and .*pip install "nlgauge\[checkpoints\]"'):
        bleurt.bleurt(str(folder))
