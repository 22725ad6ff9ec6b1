"""Models by name, each loaded once in a process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, TypeVar, cast

from nlgauge.errors import InputError, MissingModel
from nlgauge.models import runtime
from nlgauge.models.catalogue import has
from nlgauge.models.encoding import Contextual, Shape
from nlgauge.models.interface import (
    ContextualEncoder,
    Entailment,
    LanguageModel,
    ModelInfo,
    Parser,
    SentenceEncoder,
    StaticVectors,
)
from nlgauge.models.resolve import Located, locate, tokeniser_folder
from nlgauge.models.runtime import DTYPES
from nlgauge.models.subwords import Subwords, config_of

Loaded = TypeVar("Loaded")
MINILM_LAYERS, MINILM_DIM, MINILM_LONGEST = 6, 384, 512
NEURAL = 'pip install "nlgauge[neural]"'
ENCODER = 'pip install "nlgauge[encoder]"'
_loaded: dict[Hashable, Any] = {}
_lock = threading.RLock()


def contextual(name: str, *, dtype: str = "float32", purpose: str = "this") -> ContextualEncoder:
    """The contextual encoder of that name."""
    return _contextual(locate(name, "contextual", purpose), dtype, purpose, None)


def sentence(name: str, *, dtype: str = "float32", purpose: str = "this") -> SentenceEncoder:
    """The sentence encoder of that name."""
    from nlgauge.models.sentences import Pooled, Universal, longest_of, pooling_of

    found = locate(name, "sentence", purpose)

    def load() -> SentenceEncoder:
        if name == "use":
            return Universal(_info(found, "numpy", "float32"))
        if name == "minilm-int8":  # as the folder of its full model says
            return Pooled(_contextual(found, dtype, purpose, 256))
        folder = found.path if found.path.is_dir() else found.path.parent
        pooling, longest = pooling_of(folder), longest_of(folder)
        return Pooled(_contextual(found, dtype, purpose, longest), pooling)

    return once(("sentence", found, found.digest, dtype, _place()), load)


def static(name: str, *, purpose: str = "this") -> StaticVectors:
    """The word vectors of that name: an alias, or a text file."""
    from nlgauge.models.vectors import packaged, read

    found = locate(name, "static", purpose)
    info = _info(found, "numpy", "float32")
    if not found.entry and not found.path.is_file():
        raise InputError(f"{found.path} is no file of word vectors: expected a word and its numbers on each line")
    make = packaged if found.entry else read
    return once(("static", found, found.digest), lambda: make(info, found.path))


def language(name: str, *, dtype: str = "float32", purpose: str = "this") -> LanguageModel:
    """The language model of that name."""
    from nlgauge.models.likelihoods import Causal, Trigram

    found = locate(name, "language", purpose)

    def load() -> LanguageModel:
        if name == "trigram":
            return Trigram(_info(found, "pocketsphinx", "float64"), found.path)
        _require(purpose, found, ("torch", "transformers"), NEURAL)
        return Causal(_info(found, "torch", dtype), found.path, purpose)

    return once(("language", found, found.digest, dtype, _place()), load)


def entailment(name: str = "reader", *, dtype: str = "float32", purpose: str = "this") -> Entailment:
    """The entailment model of that name; without one, the reader that ships with nlgauge."""
    from nlgauge.models.classifying import Classifier, Kept
    from nlgauge.models.reader import Entails, is_reader, reader

    found = locate(name, "entailment", purpose)
    if is_reader(found):
        return once(("read", found, found.digest), lambda: Kept(Entails(reader(name, purpose=purpose))))
    _require(purpose, found, ("torch", "transformers"), NEURAL)
    return once(
        ("entailment", found, found.digest, dtype, _place()),
        lambda: Kept(Classifier(_info(found, "torch", dtype), found.path, purpose)),
    )


def parser(name: str, *, purpose: str = "this") -> Parser:
    """The parser of that name."""
    from nlgauge.models.parsing import Spacy

    found = locate(name, "parser", purpose)
    return once(("parser", found, found.digest), lambda: Spacy(_info(found, "spacy", "float32"), found.path, purpose))


def once(key: Hashable, load: Callable[[], Loaded]) -> Loaded:
    """What was loaded before, or is loaded now; the key has the digest, as a folder may come to hold another model."""
    with _lock:
        if key not in _loaded:
            _loaded[key] = load()
        return cast(Loaded, _loaded[key])


def _place() -> tuple[str, int]:
    """What a loaded network is tied to."""
    now = runtime.current()
    return now.device, now.threads


def _contextual(found: Located, dtype: str, purpose: str, longest: int | None) -> Contextual:
    if dtype not in DTYPES:
        raise InputError(f"the precision must be one of {', '.join(DTYPES)}; got {dtype!r}")
    graph = _onnx_file(found)

    def load() -> Contextual:
        if graph:
            return (_int8 if found.entry else _onnx)(found, graph, purpose, longest)
        return _torch(found, dtype, purpose, longest)

    return once(("contextual", found, found.digest, dtype, longest, _place()), load)


def _torch(found: Located, dtype: str, purpose: str, longest: int | None) -> Contextual:
    from nlgauge.models.pytorch import TorchNetwork, shape

    if not (found.path / "config.json").is_file():
        raise InputError(f"{found.path} holds no model: there is no config.json in it")
    _require(purpose, found, ("torch", "transformers", "tokenizers"), NEURAL)
    config = found.config()
    subwords = Subwords.read(found.path, config, purpose)
    known = shape(config, config_of(found.path), found.name)
    if longest:
        known = Shape(known.layers, known.dim, min(known.longest, longest))

    def load() -> TorchNetwork:
        # encoders that differ in the length of their windows only share the network
        return once(
            ("network", found, found.digest, dtype, _place()),
            lambda: TorchNetwork(found.path, dtype=dtype, pad=subwords.pad, purpose=purpose),
        )

    return Contextual(_info(found, "torch", dtype), subwords, known, load)


def _onnx(found: Located, graph: Path, purpose: str, longest: int | None) -> Contextual:
    from nlgauge.models.onnx import OnnxNetwork

    _require(purpose, found, ("onnxruntime", "tokenizers"), ENCODER)
    config = found.config()
    subwords = Subwords.read(graph.parent, config or {"model_type": "bert"}, purpose)
    network = once(
        ("network", found, found.digest, _place()),
        lambda: OnnxNetwork(graph, pad=subwords.pad, purpose=purpose),
    )
    takes = int(config.get("max_position_embeddings") or 512)
    known = network.shape(_layers(config, graph), min(takes, longest or takes))
    return Contextual(_info(found, "onnxruntime", "float32"), subwords, known, lambda: network)


def _int8(found: Located, graph: Path, purpose: str, longest: int | None) -> Contextual:
    """MiniLM with 8-bit weights; loaded when a text is to be encoded."""
    from nlgauge.models.int8 import Int8Network

    _require(purpose, found, ("onnxruntime", "tokenizers"), ENCODER)
    subwords = Subwords.read(tokeniser_folder(), {"model_type": "bert"}, purpose)

    def load() -> Int8Network:
        return once(("network", found, found.digest, _place()), lambda: Int8Network(graph, purpose=purpose))

    known = Shape(tuple(range(MINILM_LAYERS + 1)), MINILM_DIM, min(MINILM_LONGEST, longest or MINILM_LONGEST))
    return Contextual(_info(found, "onnxruntime", "int8"), subwords, known, load)


def _layers(config: dict[str, Any], graph: Path) -> int:
    if "num_hidden_layers" not in config:
        raise InputError(f"config.json beside {graph} must say num_hidden_layers; put the model's own file there")
    return int(config["num_hidden_layers"])


def _info(found: Located, backend: str, dtype: str) -> ModelInfo:
    return ModelInfo(found.name, found.revision, found.digest, backend, dtype, found.standing)


def _require(purpose: str, found: Located, modules: tuple[str, ...], install: str) -> None:
    lacking = [module for module in modules if not has(module)]
    if lacking:
        raise MissingModel(purpose, f"{' and '.join(lacking)} to run the model {found.name}", install)


def _onnx_file(found: Located) -> Path | None:
    """The graph, where the model is one for ONNX Runtime rather than for PyTorch."""
    if found.path.is_file():
        return found.path if found.path.suffix == ".onnx" else None
    if any((found.path / name).exists() for name in ("model.safetensors", "pytorch_model.bin")):
        return None
    return next((path for path in sorted(found.path.glob("*.onnx"))), None)
