"""Models made on the spot: a network of arithmetic that needs no library, and a BERT with random weights."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge.models.encoding import Contextual, Shape
from nlgauge.models.interface import ModelInfo

CLS, SEP = 1, 2


class Letters:
    """The units of a text are its letters, between an opening and a closing unit."""

    ids: Any
    special: Any

    def __init__(self, text: str) -> None:
        self.ids = np.array([CLS, *(10 + ord(letter) for letter in text), SEP], dtype=np.int64)
        self.special = np.array([True, *([False] * len(text)), True])
        self.tokens = ("[CLS]", *text, "[SEP]")
        self.words = np.array([-1, *range(len(text)), -1])
        self.spans = np.array([(0, 0), *((place, place + 1) for place in range(len(text))), (0, 0)])

    def __len__(self) -> int:
        return len(self.ids)


class Split:
    delimiters, pad = frozenset({CLS, SEP}), 0

    def units(self, texts: Sequence[str]) -> list[Letters]:
        return [Letters(text) for text in texts]


class Arithmetic:
    """The vector of a unit: its id, its place in what is read at once, and how much that is; times the layer."""

    resident, budget = False, 64

    def __init__(self, room: int = 10**9) -> None:
        self.room, self.batches, self.read = room, list[int](), 0

    def run(self, rows: Sequence[Any], layers: Sequence[int]) -> Any:
        if len(rows) * max(map(len, rows)) > self.room:
            raise MemoryError
        self.batches.append(len(rows))
        self.read += len(rows)
        made = [(one, place, len(row)) for row in rows for place, one in enumerate(row.tolist())]
        flat = np.array(made, dtype=np.float32)
        return np.stack([flat * (layer + 1) for layer in layers], axis=1)

    def join(self, parts: Sequence[Any]) -> Any:
        return np.concatenate(parts)

    def exhausted(self, error: BaseException) -> bool:
        return isinstance(error, MemoryError)


def arithmetic(network: Arithmetic | None = None, longest: int = 32, digest: str = "d", **more: Any) -> Contextual:
    """An encoder that needs no library."""
    made = network or Arithmetic()
    info = ModelInfo("arithmetic", "1", digest, "numpy")
    return Contextual(info, Split(), Shape((0, 1, 2), 3, longest), lambda: made, **more)  # type: ignore[arg-type]


def tiny_bert(folder: Path, *, layers: int = 3, places: int = 64, network: str = "BertModel", **more: Any) -> Path:
    """A BERT with random weights and a vocabulary of letters; `network` may have a head."""
    transformers = pytest.importorskip("transformers", reason="transformers is not installed: no tiny model")
    torch = pytest.importorskip("torch", reason="torch is not installed: no tiny model")
    torch.manual_seed(3)
    signs = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz.,"]
    vocabulary = [*signs, *(f"##{sign}" for sign in signs[5:])]
    folder.mkdir(exist_ok=True, parents=True)
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=layers,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=places,
        initializer_range=0.5,
        **more,
    )
    getattr(transformers, network)(config).save_pretrained(folder)
    given = {"do_lower_case": True, "model_max_length": places, "tokenizer_class": "BertTokenizer"}
    names = {"cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]", "unk_token": "[UNK]"}
    (folder / "tokenizer_config.json").write_text(json.dumps({**given, **names}), encoding="utf-8")
    return folder


def tiny_causal(folder: Path, words: Sequence[str]) -> Path:
    """A GPT-2 with random weights that knows these words and reads twelve tokens at once."""
    transformers = pytest.importorskip("transformers", reason="transformers is not installed: no tiny model")
    torch = pytest.importorskip("torch", reason="torch is not installed: no tiny model")
    from tokenizers import Tokenizer, pre_tokenizers
    from tokenizers.models import WordLevel

    vocabulary = {word: number for number, word in enumerate(["<end>", "<unk>", *words])}
    made = Tokenizer(WordLevel(vocabulary, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    folder.mkdir(exist_ok=True, parents=True)
    made.save(str(folder / "tokenizer.json"))
    named = {"eos_token": "<end>", "unk_token": "<unk>", "tokenizer_class": "PreTrainedTokenizerFast"}
    (folder / "tokenizer_config.json").write_text(json.dumps(named), encoding="utf-8")
    torch.manual_seed(5)
    config = transformers.GPT2Config(
        vocab_size=len(vocabulary),
        n_positions=12,
        n_embd=16,
        n_layer=2,
        n_head=2,
        initializer_range=0.7,
        bos_token_id=0,
        eos_token_id=0,
    )
    transformers.GPT2LMHeadModel(config).save_pretrained(folder)
    return folder
