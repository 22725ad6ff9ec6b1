"""What the trainings of encoders that read two texts together share: their keys, the network, what is kept of it."""

from __future__ import annotations

import json
import math
import shutil
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nlgauge.errors import InputError
from nlgauge.io.fields import key
from nlgauge.learned.folder import ENCODER, VOCABULARY
from nlgauge.learned.paired import BASES, base, shape_of
from nlgauge.models.kept_pairs import Pair
from nlgauge.models.resolve import Located, locate, tokeniser_folder
from nlgauge.models.scoring import HEAD, layers_of, paired_units, pooled
from nlgauge.models.weights import packed, unpacked
from nlgauge.models.wordpiece import CONTEXT, WordPiece
from nlgauge.training.config import Training
from nlgauge.training.encoders import Course, Measure, Network, Row, Steps

# What the training of an encoder begins with: a model as others have it, or the encoder of a metric that ships.


_TOKENISER = {"tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": 512}


def beginning(encoder: str, room: Path) -> Located:
    """Where it lies; a shipped one is written to the room as the Hugging Face hub has encoders."""
    if encoder not in BASES:
        found = locate(encoder, "contextual", "training")
        if found.path.is_dir() and not (found.path / "config.json").is_file():
            raise InputError(
                f"the encoder {encoder} has weights in 8 bits, which can be run but not trained; take the model it was "
                "made of, such as minilm"
            )
        return found
    from safetensors.numpy import save_file

    folder = room / encoder
    folder.mkdir(parents=True, exist_ok=True)
    shipped = base(encoder)
    config = {"architectures": ["BertModel"], **shape_of(shipped.network)}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps(_TOKENISER), encoding="utf-8")
    shutil.copyfile(tokeniser_folder() / VOCABULARY, folder / VOCABULARY)
    save_file(unpacked(shipped.weights), folder / "model.safetensors", metadata={"format": "pt"})
    return Located(encoder, folder, shipped.digest)


CHECKPOINT = "encoder.pt"
_PROBE = "Ünï TED 'states', 中文 ﬁne²."  # a text that tokenisers with other rules split otherwise
Weights = NDArray[np.float32]


@dataclass(frozen=True)
class EncoderSettings:
    """How an encoder that reads pairs of texts is fine-tuned."""

    encoder: str = key(
        "what to begin with: alias, hub id or path; reader or nlgauge-mt: that which ships", default="minilm"
    )
    pooled: Literal["opening", "mean", "both"] = key(
        "what the head sees: the opening unit, the mean over units, or both", default="both"
    )
    hidden: tuple[int, ...] = key(
        "units of the head's hidden layers; none: it is linear", default=(), least=1, most=4096
    )
    longest: int = key(
        "units of both texts; longer pairs lose the end of the longer, or the beginning of the context",
        default=160,
        least=8,
    )
    batch: int = key("pairs in a step", default=32, least=1)
    dropout: float = key("in the encoder and before the head", default=0.1, least=0.0, most=0.9)
    decay: float = key("of the weights", default=0.01, least=0.0)
    warm_up: float = key("share of the steps over which the rate rises", default=0.06, least=0.0, most=1.0)
    average: float = key("share of the steps at the end whose weights are averaged", default=0.2, least=0.0, most=1.0)
    patience: int = key("epochs without a better figure after which a stage ends; 0: none", default=2, least=0)
    every: int = key("steps between two checkpoints", default=500, least=1)
    packed: bool = key("keep weights in eight bits, where NumPy runs the encoder", default=True)
    layers: int = key("upper layers that learn; 0: all, and the embeddings", default=0, least=0)

    @property
    def cuts_first(self) -> bool:
        """Whether the first text of a pair is a context, which loses its beginning."""
        return False

    @property
    @abstractmethod
    def how(self) -> str:
        """How texts become pairs."""

    def course(
        self, number: int, epochs: int, rate: float, steps: Steps, measure: Measure = dict, *, by: str = ""
    ) -> Course:
        """A stage over so many pairs; with `by`, the figure that chooses the best epoch where patience has an end."""
        return Course(
            epochs=epochs,
            length=math.ceil(number / self.batch),
            rate=rate,
            steps=steps,
            measure=measure,
            warm_up=self.warm_up,
            decay=self.decay,
            average=self.average,
            by=by if self.patience else "",
            patience=self.patience,
        )


@dataclass(frozen=True)
class EncoderTraining(EncoderSettings, Training):
    """The training of a metric that is nothing but such an encoder."""


class PairedNetwork(Network):
    """The encoder with heads on what is pooled of a pair."""

    def __init__(self, encoder: Path, training: EncoderSettings, heads: Mapping[str, int], *, seed: int) -> None:
        """`heads`: how many numbers each gives; that of the metric has the hidden layers."""
        self.training = training
        times = 2 if training.pooled == "both" else 1
        sizes = {name: (times, *(training.hidden if name == HEAD else ()), numbers) for name, numbers in heads.items()}
        super().__init__(encoder, sizes, dropout=training.dropout, seed=seed)
        if training.longest > self.positions:
            raise InputError(
                f"longest is {training.longest:,}, and {training.encoder} reads {self.positions:,} units at most; set "
                "longest to that or less"
            )
        if training.layers:
            self._freeze(training.layers)

    def _freeze(self, layers: int) -> None:
        """Let only the uppermost layers of the encoder learn."""
        stack = getattr(getattr(self.encoder, "encoder", None), "layer", None)
        if stack is None or len(stack) < layers:
            has = "none that are known" if stack is None else str(len(stack))
            raise InputError(f"layers is {layers}, and {self.training.encoder} has {has}; leave layers out")
        self.encoder.requires_grad_(False)
        for layer in stack[len(stack) - layers :]:
            layer.requires_grad_(True)

    def pair_rows(self, pairs: Sequence[Pair]) -> list[Row]:
        """The units of pairs of texts, cut as they are cut where the metric scores."""
        cut = CONTEXT if self.training.cuts_first else "longest_first"
        return paired_units(self.tokeniser, pairs, self.training.longest, cut=cut)

    def said(self, head: str) -> Callable[[Sequence[Row]], Any]:
        """What a head makes of a batch."""

        def made(rows: Sequence[Row]) -> Any:
            vectors, mask = self.hidden(rows)
            return self.heads[head](self.drop(pooled(self.torch, vectors, mask, self.training.pooled)))

        return made

    def head_weights(self, last: Callable[[Weights, Weights], tuple[Weights, Weights]]) -> dict[str, Weights]:
        """The head of the metric, its last layer changed to the scale that is wanted."""
        weights = self.weights()
        head = {name: weights[name] for name in weights if name.startswith(f"{HEAD}.")}
        names = [f"{layers_of(head)[-1]}.{part}" for part in ("weight", "bias")]
        head.update(zip(names, last(*(head[name] for name in names)), strict=True))
        return head

    def kept(self, encoder: str, folder: Path, head: Mapping[str, Weights]) -> dict[str, Any]:
        """What a form is made of; vocabulary or encoder are written to the folder."""
        training = self.training
        plain, over, arrays = self._stored(folder)
        if not plain:
            self.encoder.save_pretrained(folder / ENCODER)
            self.tokeniser.save_pretrained(folder / ENCODER)
        return {
            "reads": training.how,
            "pooled": training.pooled,
            "longest": training.longest,
            "encoder": encoder,
            "network": shape_of(self.encoder.config.to_dict()) if plain else {},
            "weights": {**arrays, **head},
            "home": None if over else folder,
            "over": over,
        }

    def round_weights(self, folder: Path) -> None:
        """Give the encoder the weights that will be kept, often in eight bits: what is fitted then fits the metric."""
        _, _, arrays = self._stored(folder)
        self.load(unpacked(arrays))

    def _stored(self, folder: Path) -> tuple[bool, str, Mapping[str, NDArray[np.generic]]]:
        """Whether NumPy runs the encoder, over which shipped one, and its weights as they are kept for NumPy."""
        training, weights = self.training, self.weights()
        own = {name: values for name, values in weights.items() if name in self.encoder.state_dict()}
        folder.mkdir(parents=True, exist_ok=True)
        if not self._in_numpy(folder):
            return False, "", {}
        if not (training.layers and training.encoder in BASES):
            return True, "", packed(own) if training.packed else own
        learnt = {name for name, values in self.encoder.named_parameters() if values.requires_grad}
        learnt_here = packed({name: own[name] for name in sorted(learnt)})
        return True, training.encoder, {**base(training.encoder).weights, **learnt_here}

    def _in_numpy(self, kept: Path) -> bool:
        """Whether NumPy runs this encoder: a BERT with the activation gelu and the uncased tokeniser."""
        config = self.encoder.config
        if config.model_type != "bert" or config.hidden_act != "gelu":
            return False
        self.vocabulary(kept / VOCABULARY)
        try:
            ours, _ = WordPiece.read(kept / VOCABULARY).single(_PROBE, 512)
        except InputError:
            return False
        same: bool = ours == self.tokeniser(_PROBE)["input_ids"]
        return same
