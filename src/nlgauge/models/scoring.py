"""One number of two texts that an encoder reads together: a trained head on the opening unit, on the mean, or on both.

BERT with the uncased tokeniser runs in NumPy; every other encoder by PyTorch, from a folder of the Hugging Face hub's
form. Numbers are kept by pair, so that one does not depend on what was read beside it, and is made once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from nlgauge.errors import counted
from nlgauge.models import runtime
from nlgauge.models.batching import by_length, halving
from nlgauge.models.bert import Batch
from nlgauge.models.devices import chosen
from nlgauge.models.failures import loaded_by
from nlgauge.models.interface import Vectors
from nlgauge.models.kept_pairs import KeptPairs, Pair
from nlgauge.models.pytorch import libraries
from nlgauge.models.reading import Reading, Text, averaged
from nlgauge.models.tensors import Tensors
from nlgauge.models.wordpiece import WordPiece

Pooled = Literal["opening", "mean", "both"]
HEAD = "score"  # the name of the head's weights


class Scorer(Protocol):
    """What reads pairs."""

    cut: int  # pairs that were too long, and lost the end of their longer text

    def scores(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """One number for each pair."""

    def note_long(self, pairs: Sequence[Pair]) -> object:
        """Count the pairs that would be cut, and read none."""


class NumpyScorer(Reading):
    """BERT in NumPy."""

    def __init__(
        self, tensors: Tensors, config: dict[str, Any], pieces: WordPiece, *, pooled: Pooled, longest: int
    ) -> None:
        super().__init__(tensors, config, pieces)
        self._head, self._pooled = self.head(HEAD), pooled
        self.longest = min(longest, self.bert.longest)

    def scores(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """One number for each pair."""
        return self.read(self.note_long(pairs), self._head, self._vectors)[:, 0]

    def note_long(self, pairs: Sequence[Pair]) -> list[Text]:
        """The units of each pair; those too long are cut and counted."""
        return self.pair_units(pairs, self.longest)

    def _vectors(self, batch: Batch) -> Vectors:
        if self._pooled == "opening":
            return self.bert.opening(batch)
        vectors = self.bert.vectors(batch)
        mean = averaged(vectors, batch)
        return mean if self._pooled == "mean" else np.concatenate([vectors[:, 0], mean], axis=1)


class TorchScorer:
    """Any encoder of transformers, from its folder."""

    def __init__(
        self, folder: Path, head: Mapping[str, NDArray[Any]], *, pooled: Pooled, longest: int
    ) -> None:
        self._torch, transformers = libraries("this metric")
        self.cut, self.longest, self._pooled = 0, longest, pooled
        self.device = chosen(runtime.current().device)
        with loaded_by(f"no encoder could be loaded from {folder}"):
            self._tokeniser = transformers.AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
            model = transformers.AutoModel.from_pretrained(str(folder), local_files_only=True)
        self._model = model.to(self.device).float().eval()
        self._weight, self._bias = (
            np.asarray(head[f"{HEAD}.{part}"], dtype=np.float64) for part in ("weight", "bias")
        )

    def scores(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """One number for each pair."""
        found = np.zeros(len(pairs))
        budget = runtime.current().batch_tokens or (2_048 if self.device == "cpu" else 65_536)
        lengths = [min(length, self.longest) for length in self.note_long(pairs)]
        for batch in by_length(lengths, budget):
            for part, made in halving(
                lambda places: self._run([pairs[place] for place in places]), batch, self._full
            ):
                found[part] = made
        return found

    def note_long(self, pairs: Sequence[Pair]) -> list[int]:
        """The units of each pair; those too long are counted."""
        if not pairs:
            return []
        whole = self._tokeniser([one for one, _ in pairs], [other for _, other in pairs], verbose=False)
        lengths = [len(ids) for ids in whole["input_ids"]]
        self.cut += sum(length > self.longest for length in lengths)
        return lengths

    def _run(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        fed: Any = self._tokeniser(
            [one for one, _ in pairs],
            [other for _, other in pairs],
            padding=True,
            truncation="longest_first",
            max_length=self.longest,
            return_tensors="pt",
        ).to(self.device)
        with self._torch.inference_mode():
            vectors = self._model(**fed).last_hidden_state.float()
            taken = pooled(self._torch, vectors, fed["attention_mask"], self._pooled)
        made: NDArray[np.float64] = taken.double().cpu().numpy() @ self._weight.T + self._bias
        return made[:, 0]

    def _full(self, error: BaseException) -> bool:
        return isinstance(error, self._torch.OutOfMemoryError) or "out of memory" in str(error).lower()


def pooled(torch: Any, vectors: Any, mask: Any, how: Pooled) -> Any:
    """What the head sees of a batch, in PyTorch: the opening unit's vector, the mean over units, or both."""
    if how == "opening":
        return vectors[:, 0]
    there = mask[..., None].to(vectors.dtype)
    mean = (vectors * there).sum(1) / there.sum(1)
    return mean if how == "mean" else torch.cat([vectors[:, 0], mean], dim=1)


class KeptScores:
    """A scorer with what it said before."""

    def __init__(self, scorer: Scorer, setting: str) -> None:
        self._scorer, self._kept = scorer, KeptPairs(setting, 1)

    def scores(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """One number for each pair."""
        return self._kept.find(pairs, self._made, self._scorer.note_long)[:, 0]

    def remarks(self) -> list[str]:
        """Pairs that were cut since this was last asked, whether they were read now or before."""
        cut, self._scorer.cut = self._scorer.cut, 0
        return [f"{counted(cut, 'pair')} longer than the metric reads lost the end"] if cut else []

    def _made(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        return self._scorer.scores(pairs)[:, None]
