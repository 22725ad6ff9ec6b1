"""Checkpoints of BLEURT and COMET made on the spot, in the layouts they are published in, with weights of a seed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_models import tiny_bert

LETTERS = "abcdefghijklmnopqrstuvwxyz.,"
TEXTS = ["rain in the north", "some rain, in the north.", "", "a <pad> b", "wind", "x" * 90, "Überall Regen"]


def needed(*modules: str) -> Any:
    """The first of these modules; all must be there."""
    found = [pytest.importorskip(name, reason=f"{name} is not installed: no tiny model") for name in modules]
    return found[0]


def tiny_encoder(folder: Path, kind: str) -> Path:
    """Configuration and tokeniser of an encoder, no weights."""
    if kind == "BERT":
        tiny_bert(folder, places=40)
        (folder / "model.safetensors").unlink()
        return folder
    transformers, tokenizers = needed("transformers"), needed("tokenizers")
    pieces = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    pieces += [(sign, -3.0 - number / 10) for number, sign in enumerate(("▁", *LETTERS, "▁r", "in", "▁north"))]
    made = tokenizers.Tokenizer(tokenizers.models.Unigram(pieces, unk_id=3))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    names = {"bos_token": "<s>", "cls_token": "<s>", "sep_token": "</s>", "eos_token": "</s>"}
    names |= {"pad_token": "<pad>", "unk_token": "<unk>"}
    transformers.PreTrainedTokenizerFast(tokenizer_object=made, **names).save_pretrained(folder)
    told = folder / "tokenizer_config.json"
    given = {**json.loads(told.read_text()), "tokenizer_class": "XLMRobertaTokenizer"}
    told.write_text(json.dumps(given))
    transformers.XLMRobertaConfig(
        vocab_size=len(pieces),
        hidden_size=16,
        num_hidden_layers=3,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=44,
        type_vocab_size=1,
        pad_token_id=1,
    ).save_pretrained(folder)
    return folder


def tiny_comet(folder: Path, *, kind: str = "XLM-RoBERTa", **settings: Any) -> Path:
    """A checkpoint of COMET whose encoder lies beside it."""
    yaml, torch, transformers = (
        needed("yaml", "torch", "transformers"),
        needed("torch"),
        needed("transformers"),
    )
    base = tiny_encoder(folder / "encoder", kind)
    given: dict[str, Any] = {
        **{"class_identifier": "regression_metric", "encoder_model": kind, "pretrained_model": str(base)},
        **{"pool": "avg", "layer": "mix", "layer_transformation": "sparsemax", "layer_norm": True},
        **{"hidden_sizes": [12, 5], "activations": "Tanh", "final_activation": None, "dropout": 0.1},
        **{"keep_embeddings_frozen": True, "nr_frozen_epochs": 0.3, "validation_data": [], "train_data": []},
        **settings,
    }
    rng = np.random.default_rng(5)

    def drawn(*shape: int, scale: float = 0.5) -> Any:
        return torch.from_numpy(rng.normal(0.0, scale, shape).astype(np.float32))

    config = transformers.AutoConfig.from_pretrained(str(base))
    model = transformers.AutoModel.from_config(config, add_pooling_layer=False)
    own = {name: value.shape for name, value in model.named_parameters()}
    weights = {f"encoder.model.{name}": drawn(*own[name]) for name in sorted(own)}
    if given["layer"] == "mix":
        for layer in range(config.num_hidden_layers + 1):
            weights[f"layerwise_attention.scalar_parameters.{layer}"] = drawn(1, scale=0.4)
        weights["layerwise_attention.gamma"] = torch.tensor([1.3])
    wide = 16 * (6 if given["class_identifier"] == "regression_metric" else 4)
    sizes = [wide, *given["hidden_sizes"], 1]
    for number, (before, after) in enumerate(pairwise(sizes)):
        weights[f"estimator.ff.{3 * number}.weight"] = drawn(after, before, scale=0.3)
        weights[f"estimator.ff.{3 * number}.bias"] = drawn(after)
    (folder / "checkpoints").mkdir()
    (folder / "hparams.yaml").write_text(yaml.safe_dump(given))
    stored = {key: value for key, value in given.items() if key != "class_identifier"}
    whole = {"state_dict": weights, "hyper_parameters": stored, "pytorch-lightning_version": "1.8.3"}
    torch.save(whole, folder / "checkpoints" / "model.ckpt")
    return folder


def tiny_variables(*, wide: int | None = None, heads: int = 1) -> dict[str, np.ndarray[Any, Any]]:
    """Variables under BLEURT's names; `wide`: of RemBERT's embeddings, narrower than its layers."""
    rng = np.random.default_rng(7)
    size, inner, made = 16, 32, dict[str, np.ndarray[Any, Any]]()

    def add(name: str, *shape: int) -> None:
        made[name] = rng.normal(0.0, 0.4, shape).astype(np.float32)

    def dense(name: str, before: int, after: int) -> None:
        add(f"{name}/kernel", before, after)
        add(f"{name}/bias", after)

    def norm(name: str, width: int) -> None:
        add(f"{name}/gamma", width)
        add(f"{name}/beta", width)

    for name, rows in (("word", len(vocabulary())), ("token_type", 2), ("position", 40)):
        add(f"bert/embeddings/{name}_embeddings", rows, wide or size)
    norm("bert/embeddings/LayerNorm", wide or size)
    if wide:
        dense("bert/encoder/embedding_hidden_mapping_in", wide, size)
    for layer in range(2):
        root = f"bert/encoder/layer_{layer}"
        for part in ("query", "key", "value"):
            dense(f"{root}/attention/self/{part}", size, size)
        dense(f"{root}/attention/output/dense", size, size)
        norm(f"{root}/attention/output/LayerNorm", size)
        dense(f"{root}/intermediate/dense", size, inner)
        dense(f"{root}/output/dense", inner, size)
        norm(f"{root}/output/LayerNorm", size)
    dense("bert/pooler/dense", size, size)
    for number in range(heads):
        last = number == heads - 1
        dense("dense" if not number else f"dense_{number}", 16 if not number else 8, 1 if last else 8)
    made["global_step"] = np.array(20_000, dtype=np.int64)
    return made


def vocabulary() -> list[str]:
    """Of the tiny BERT: letters."""
    signs = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *LETTERS]
    return [*signs, *(f"##{sign}" for sign in LETTERS)]


def bundle(prefix: Path, variables: Mapping[str, np.ndarray[Any, Any]]) -> None:
    """The files of a TensorFlow checkpoint, two variables to a block, keys shortened as TensorFlow does."""
    types = {"float32": 1, "float64": 2, "int32": 3, "int64": 9, "float16": 19}
    data, entries = b"", [("", b"\x08\x01\x1a\x02\x08\x01")]  # one file of numbers, version 1
    for name in sorted(variables):
        array = variables[name]
        shape = b"".join(field(2, field(1, size)) for size in array.shape)
        raw = array.tobytes()
        placed = field(4, len(data)) + field(5, len(raw))
        entries.append((name, field(1, types[array.dtype.name]) + field(2, shape) + placed))
        data += raw
    table, listed = b"", []
    for start in range(0, len(entries), 2):
        block, before = b"", ""
        for name, value in entries[start : start + 2]:
            shared = next((n for n in range(len(before)) if before[: n + 1] != name[: n + 1]), len(before))
            rest = name[shared:].encode()
            block += varint(shared) + varint(len(rest)) + varint(len(value)) + rest + value
            before = name
        block += bytes(4) + (1).to_bytes(4, "little")
        listed.append((before, varint(len(table)) + varint(len(block))))
        table += block + bytes(5)  # not compressed; the checksum is not looked at
    index = b"".join(
        varint(0) + varint(len(name)) + varint(len(value)) + name.encode() + value for name, value in listed
    )
    index += bytes(4) + (1).to_bytes(4, "little")
    footer = varint(0) + varint(0) + varint(len(table)) + varint(len(index))
    whole = table + index + bytes(5) + footer.ljust(40, b"\0") + (0xDB4775248B80FB57).to_bytes(8, "little")
    prefix.parent.mkdir(parents=True, exist_ok=True)
    prefix.with_name(f"{prefix.name}.index").write_bytes(whole)
    prefix.with_name(f"{prefix.name}.data-00000-of-00001").write_bytes(data)


def varint(value: int) -> bytes:
    """A whole number of variable length."""
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


def field(number: int, value: int | bytes) -> bytes:
    """A field of Protocol Buffers."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def tiny_bleurt(folder: Path, *, exact: bool = False, **settings: Any) -> Path:
    """A checkpoint of BLEURT as its authors publish them."""
    bundle(folder / "variables" / "variables", tiny_variables(**settings))
    (folder / "vocab.txt").write_text("\n".join(vocabulary()), encoding="utf-8")
    about = {"name": "tiny", "vocab_file": "vocab.txt", "bert_config_file": "bert_config.json"}
    (folder / "bleurt_config.json").write_text(json.dumps({**about, "do_lower_case": True, "max_seq_length": 32}))
    shape = {"hidden_size": 16, "hidden_act": "gelu", "num_attention_heads": 2, "num_hidden_layers": 2}
    (folder / "bert_config.json").write_text(json.dumps(shape))
    (folder / "saved_model.pb").write_bytes(b"\x0a\x01x\x12\x03Erf" if exact else b"\x0a\x01x\x12\x04Tanh")
    return folder
