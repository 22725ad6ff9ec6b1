"""What an encoder that reads two texts together keeps, and how it runs: for `pair` and `comparator`.

It reads `[CLS] one [SEP] other [SEP]`, and a head on the vector of the opening unit, on the mean over the units, or on
both gives numbers.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.kernels.batch import Batch
from nlgauge.learned.folder import ABOUT, ENCODER, VOCABULARY, WEIGHTS, shipped
from nlgauge.learned.form import Arrays, Form
from nlgauge.learned.turns import dialogue
from nlgauge.lexicons.digests import digest_of
from nlgauge.models import int8, runtime
from nlgauge.models.int8 import Range, Ranges
from nlgauge.models.kept_pairs import Pair
from nlgauge.models.resolve import Located, tokeniser_folder
from nlgauge.models.runtime import chosen
from nlgauge.models.scoring import (
    GpuScorer,
    How,
    Int8Scorer,
    KeptScores,
    NumpyScorer,
    Pooled,
    Scorer,
    TorchScorer,
    layers_of,
)
from nlgauge.models.weights import Tensors, read
from nlgauge.models.wordpiece import CONTEXT, WordPiece

# Encoders that come with nlgauge, over whose embeddings and lower layers others are learnt, so that these are kept
# once: the reader, and the encoder of nlgauge-mt.


READER = "reader"
BASES = (READER, "nlgauge-mt")
_ENCODER = ("embeddings.", "encoder.")  # how the names of an encoder's weights begin; others are a head's


@dataclass(frozen=True, eq=False)
class Base:
    """A shipped encoder."""

    name: str
    network: Mapping[str, Any]  # what tells its shape
    weights: Arrays  # in 8 bits
    digest: str


@lru_cache(maxsize=2)
def base(name: str) -> Base:
    """The encoder of this name."""
    if name == READER:
        folder = tokeniser_folder()
        network = Located(name, folder, "").config()
    else:
        found = shipped(name) if name in BASES else None
        if found is None:
            raise InputError(f"{name} is no encoder that others are learnt over; expected {' or '.join(BASES)}")
        folder = found
        network = json.loads((folder / ABOUT).read_text(encoding="utf-8"))["settings"]["network"]
    weights = {each: values for each, values in read(folder / WEIGHTS).items() if each.startswith(_ENCODER)}
    return Base(name, network, weights, digest_of([folder / WEIGHTS]))


WIDE = (
    "computed in float32, as onnxruntime is not installed: scores differ by about .01 from those in 8 bits; "
    'pip install "nlgauge[encoder]" for these, which are quicker'
)
_SHAPE = (
    *("model_type", "hidden_act", "hidden_size", "num_attention_heads", "num_hidden_layers"),
    *("intermediate_size", "max_position_embeddings", "layer_norm_eps", "vocab_size"),
)


@dataclass(frozen=True, eq=False)
class Paired(Form):
    """The encoder, its head, and what it reads."""

    READS: ClassVar[tuple[str, ...]]  # the ways in which texts may become pairs
    CUT_FIRST: ClassVar[tuple[str, ...]] = ()  # those in which the first text is a context, cut at its beginning
    reads: str
    pooled: Pooled
    longest: int  # units of both texts with their delimiters; longer pairs lose the end of the longer text, or the
    # beginning of the context
    encoder: str  # what training began with
    network: Mapping[str, Any]  # the shape of a BERT that runs in NumPy; empty where PyTorch runs the encoder
    weights: Arrays
    home: Path | None  # where the vocabulary or the encoder lies; None: the vocabulary of the reader
    ranges: Ranges = ()  # of what enters a product, where it may be done in 8 bits
    over: str = ""  # the shipped encoder whose embeddings and lower layers it has, which are not kept again

    @cached_property
    def eight_bits(self) -> bool:
        """Whether products are done in 8 bits: ranges were measured, and ONNX Runtime is there."""
        return bool(self.ranges) and not self.on_gpu and find_spec("onnxruntime") is not None

    @cached_property
    def on_gpu(self) -> bool:
        """Whether a BERT that NumPy could run is run by PyTorch, in half precision: there is a GPU."""
        return bool(self.network) and chosen(runtime.current().device).startswith("cuda")

    @property
    def model_fact(self) -> str:
        return "fp16" if self.on_gpu else "int8" if self.eight_bits else ""

    def remarks(self) -> list[str]:
        wide = [WIDE] if self.ranges and not (self.eight_bits or self.on_gpu) else []
        return self._scores.remarks() + wide

    def settings(self) -> dict[str, Any]:
        return {
            "encoder": self.encoder,
            "reads": self.reads,
            "pooled": self.pooled,
            "longest": self.longest,
            **({"hidden": self.hidden} if self.hidden else {}),
            "vocabulary": READER if self.home is None else VOCABULARY if self.network else ENCODER,
            "network": dict(self.network),
            **({"ranges": self.ranges} if self.ranges else {}),
            **({"over": self.over, "over_digest": base(self.over).digest} if self.over else {}),
        }

    def arrays(self) -> Arrays:
        shared = base(self.over).weights if self.over else {}
        return {
            name: values
            for name, values in self.weights.items()
            if name not in shared or not np.array_equal(values, shared[name])
        }

    def beside(self, folder: Path) -> None:
        if self.home is None:
            return
        if self.network:
            shutil.copyfile(self.home / VOCABULARY, folder / VOCABULARY)
        else:
            shutil.copytree(self.home / ENCODER, folder / ENCODER)

    @classmethod
    def of(cls, settings: Mapping[str, Any], arrays: Arrays, folder: Path) -> Self:
        if settings["reads"] not in cls.READS or settings["pooled"] not in get_args(Pooled):
            raise InputError(f"{folder} reads {settings['reads']!r} and pools {settings['pooled']!r}; is it whole?")
        over = settings.get("over", "")
        if over:
            if base(over).digest != settings["over_digest"]:
                raise InputError(f"{folder} was learnt over another {over} than is installed; train it again")
            arrays = {**base(over).weights, **arrays}
        positions = settings["network"].get("max_position_embeddings", settings["longest"])
        if not layers_of(arrays) or settings["longest"] > positions:
            raise InputError(f"{folder} has no head, or reads more units than its encoder ({positions}); is it whole?")
        return cls(
            reads=settings["reads"],
            pooled=settings["pooled"],
            longest=int(settings["longest"]),
            encoder=settings["encoder"],
            network=settings["network"],
            weights=arrays,
            home=None if settings["vocabulary"] == READER else folder,
            ranges=[[Range(*each) for each in layer] for layer in settings.get("ranges", ())],
            over=over,
        )

    @property
    def reading(self) -> How:
        """How pairs are read."""
        cut = CONTEXT if self.reads in self.CUT_FIRST else "longest_first"
        return How(self.pooled, self.longest, cut, layers_of(self.weights))

    @property
    def hidden(self) -> list[int]:
        """Units of the head's hidden layers."""
        return [len(self.weights[f"{layer}.bias"]) for layer in layers_of(self.weights)[:-1]]

    @property
    def width(self) -> int:
        """Numbers that the head gives."""
        return len(self.weights[f"{layers_of(self.weights)[-1]}.bias"])

    @cached_property
    def _scores(self) -> KeptScores:
        lost = "the beginning of their context" if self.reads in self.CUT_FIRST else "the end"
        setting = f"trained {self.kind} {self._digest()}"
        return KeptScores(self.scorer(), setting, width=self.width, lost=lost)

    def scorer(self) -> Scorer:
        """What reads the pairs."""
        if not self.network:
            assert self.home is not None
            return TorchScorer(self.home / ENCODER, dict(self.weights), self.reading)
        if self.on_gpu:
            tensors, pieces = self.read_weights()
            return GpuScorer(tensors, dict(self.network), pieces, self.reading)
        return self._eight_bit_scorer() if self.eight_bits else self.float_scorer()

    def float_scorer(self) -> NumpyScorer:
        """In single precision, whatever is installed."""
        tensors, pieces = self.read_weights()
        return NumpyScorer(tensors, dict(self.network), pieces, self.reading)

    def _eight_bit_scorer(self) -> Int8Scorer:
        tensors, pieces = self.read_weights()
        weights = int8.packed(self.weights, self.ranges)
        return Int8Scorer(tensors, weights, pieces, self.reading)

    def read_weights(self) -> tuple[Tensors, WordPiece]:
        """Of a BERT that runs in NumPy, with its vocabulary."""
        return Tensors(self._vocabulary, self.weights), WordPiece.read(self._vocabulary)

    @property
    def _vocabulary(self) -> Path:
        return (tokeniser_folder() if self.home is None else self.home) / VOCABULARY

    def _digest(self) -> str:
        """Of all that a number depends on."""
        made = hashlib.sha256(json.dumps(self.settings(), sort_keys=True).encode())
        for name in sorted(self.weights):
            made.update(name.encode())
            made.update(np.ascontiguousarray(self.weights[name]).data)
        if self.network:
            made.update(self._vocabulary.read_bytes())
        else:
            assert self.home is not None
            for path in sorted((self.home / ENCODER).rglob("*")):
                made.update(path.name.encode() + (path.read_bytes() if path.is_file() else b""))
        return made.hexdigest()


def shape_of(config: Mapping[str, Any]) -> dict[str, Any]:
    """What NumPy must know of a BERT."""
    return {name: config[name] for name in _SHAPE if name in config}


# An encoder that reads two texts together, fine-tuned on judgements (Devlin et al. 2019; Shimanaka et al. 2019).
#
# It reads `[CLS] output [SEP] reference [SEP]`, or `[CLS] context [SEP] output [SEP]`, and a head on the vector of
# the opening unit, on the mean over the units, or on both gives the score. Of several references the best counts.


Reads = Literal["reference", "context"]


@dataclass(frozen=True, eq=False)
class PairEncoder(Paired):
    """One number of an output beside its reference or context."""

    kind: ClassVar[str] = "pair"
    READS: ClassVar[tuple[str, ...]] = get_args(Reads)
    CUT_FIRST: ClassVar[tuple[str, ...]] = ("context",)

    @property
    def needs(self) -> tuple[str, ...]:
        return ("references",) if self.reads == "reference" else ("source",)

    def predict(self, batch: Batch) -> Array:
        pairs = pairs_of(self.reads, batch)
        made = self._scores.scores([pair for some in pairs for pair in some])[:, 0]
        starts = np.cumsum([0, *(len(some) for some in pairs)])[:-1]
        return np.maximum.reduceat(made, starts) if len(made) else np.zeros(0)


def pairs_of(reads: str, batch: Batch) -> list[list[Pair]]:
    """What is read for each output."""
    if reads == "reference":
        batch.require_references()
        return [
            [(output, reference) for reference in references]
            for output, references in zip(batch.hypotheses, batch.references, strict=True)
        ]
    batch.require_sources()
    assert batch.sources is not None
    talks = (
        dialogue(source, output, batch.place(place))
        for place, (source, output) in enumerate(zip(batch.sources, batch.hypotheses, strict=True))
    )
    return [[(" ".join(turn.text for turn in talk.turns), talk.reply.text)] for talk in talks]
