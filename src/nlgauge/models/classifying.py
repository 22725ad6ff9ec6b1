"""Entailment: a network that reads premise and hypothesis together and gives three probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nlgauge.errors import InputError
from nlgauge.models import runtime
from nlgauge.models.batching import cut_pairs, in_batches
from nlgauge.models.failures import loaded_by
from nlgauge.models.interface import ModelInfo
from nlgauge.models.kept_pairs import KeptPairs, Pair
from nlgauge.models.pytorch import budget_of, lengths_of, libraries, out_of_memory, refuse_guesses
from nlgauge.models.runtime import chosen, torch_dtype

LABELS = ("entailment", "neutral", "contradiction")


class Classifier:
    """A sequence classifier whose config names the three labels.

    A pair longer than the model takes loses the end of its premise, and is counted in `cut`.
    """

    def __init__(self, info: ModelInfo, path: Path, purpose: str) -> None:
        self._torch, transformers = libraries(purpose)
        self.info, self.cut = info, 0
        self.device = chosen(runtime.current().device)
        with loaded_by(f"no classifier could be loaded from {path}"):
            self._tokeniser = transformers.AutoTokenizer.from_pretrained(str(path), local_files_only=True)
            model, told = transformers.AutoModelForSequenceClassification.from_pretrained(
                str(path), local_files_only=True, output_loading_info=True
            )
        named = {str(name).lower(): int(number) for number, name in model.config.id2label.items()}
        if set(named) != set(LABELS):
            raise InputError(
                f"the labels of {path} are {', '.join(sorted(named))}; expected {', '.join(LABELS)} (id2label)"
            )
        refuse_guesses(told, path, "classifier")
        self._columns = [named[label] for label in LABELS]
        self._model = model.to(device=self.device, dtype=torch_dtype(info.dtype)).eval()
        self.longest = int(getattr(model.config, "max_position_embeddings", 512))

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """(n, 3): entailment, neutral, contradiction."""
        found = np.zeros((len(pairs), 3))
        lengths = [min(length, self.longest) for length in self.note_long(pairs)]

        def run(places: list[int]) -> NDArray[np.float64]:
            return self._run([pairs[place] for place in places])

        for part, made in in_batches(lengths, run, out_of_memory(self.device), budget=budget_of(self.device)):
            found[part] = made
        return found

    def note_long(self, pairs: Sequence[tuple[str, str]]) -> list[int]:
        """The units of each pair; those that are too long are counted."""
        lengths = lengths_of(self._tokeniser, pairs)
        self.cut += sum(length > self.longest for length in lengths)
        return lengths

    def remarks(self) -> list[str]:
        """How many pairs lost the end of their premise since this was last asked."""
        cut, self.cut = self.cut, 0
        return cut_pairs(cut)

    def _run(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        fed: Any = self._tokeniser(
            [a for a, _ in pairs],
            [b for _, b in pairs],
            padding=True,
            truncation="only_first",
            max_length=self.longest,
            return_tensors="pt",
        ).to(self.device)
        with self._torch.inference_mode():
            logits = self._model(**fed).logits.float()
        made: NDArray[np.float64] = logits[:, self._columns].softmax(dim=-1).double().cpu().numpy()
        return made


# An entailment model whose probabilities are kept by pair.


class Reads(Protocol):
    """What reads pairs."""

    @property
    def info(self) -> ModelInfo:
        """For the receipt."""

    def probabilities(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """(n, 3): entailment, neutral, contradiction; pairs that are cut are noted."""

    def note_long(self, pairs: Sequence[Pair]) -> object:
        """Note the pairs that would be cut, and read none."""

    def remarks(self) -> list[str]:
        """Pairs that were cut."""


@dataclass(frozen=True, eq=False)
class Kept:
    """A model with what it said before."""

    model: Reads

    @property
    def info(self) -> ModelInfo:
        """For the receipt."""
        return self.model.info

    def remarks(self) -> list[str]:
        """Pairs that were cut since this was last asked, whether they were read now or before."""
        return self.model.remarks()

    def probabilities(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """(n, 3): entailment, neutral, contradiction."""
        return self._kept.find(pairs, self.model.probabilities, self.model.note_long)

    @cached_property
    def _kept(self) -> KeptPairs:
        info = self.info
        return KeptPairs(f"{info.name} {info.digest}|{info.dtype}|{info.backend}|entailment", 3)
