"""BERT with the uncased tokeniser on a GPU, in half precision: pairs in, numbers of a head out.

Units go to the GPU as one row of numbers, of which it makes batches itself, and what the head says stays there until
all pairs are on their way: while some are read, the next are split into units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Ints
from nlgauge.models import runtime
from nlgauge.models.batching import by_length, halving
from nlgauge.models.devices import chosen
from nlgauge.models.kept_pairs import Pair
from nlgauge.models.pytorch import attention, libraries
from nlgauge.models.scoring import How, pooled
from nlgauge.models.tensors import Tensors
from nlgauge.models.wordpiece import CONTEXT, WordPiece, shares

BUDGET = 2**18  # units in a batch
TOGETHER = 2**13  # pairs that are split into units before the GPU is given work


@dataclass(frozen=True, eq=False)
class _Units:
    """The units of pairs: all of the texts in one row, where each text of a pair begins in it, and how many count."""

    row: Ints
    starts: Ints  # (2, n)
    sizes: Ints  # (2, n)


class GpuScorer:
    """A trained head over a BERT."""

    def __init__(self, tensors: Tensors, config: dict[str, Any], pieces: WordPiece, how: How) -> None:
        self._torch, transformers = libraries("this metric")
        self.cut, self._how, self._pieces = 0, how, pieces
        self.device = chosen(runtime.current().device)
        self.arithmetic = f"torch fp16 {self.device}"
        model = transformers.BertModel(transformers.BertConfig(**config), add_pooling_layer=False)
        own = {
            name: self._torch.from_numpy(tensors.whole(name))
            for name, values in model.state_dict().items()
            if values.is_floating_point()
        }
        model.load_state_dict(own, strict=False)
        self._model = model.to(self.device, self._torch.float16).eval()
        *self._hidden, self._head = (
            tuple(
                self._torch.from_numpy(tensors.whole(f"{layer}.{part}")).to(self.device, self._torch.float64)
                for part in ("weight", "bias")
            )
            for layer in how.layers
        )

    def scores(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """The head's numbers for each pair, (n, k)."""
        if not pairs:
            return np.zeros((0, len(self._head[1])))
        made: list[Any] = []
        order: list[int] = []
        for start in range(0, len(pairs), TOGETHER):
            for places, said in self._said(pairs[start : start + TOGETHER]):
                made.append(said)
                order += [start + place for place in places]
        scores = np.empty((len(pairs), len(self._head[1])))
        scores[order] = self._torch.cat(made).cpu().numpy()
        return scores

    def note_long(self, pairs: Sequence[Pair]) -> None:
        """Count the pairs that would be cut."""
        if pairs:
            self._units(pairs)

    def _said(self, pairs: Sequence[Pair]) -> Any:
        """What the head says of some pairs, batch after batch."""
        units = self._units(pairs)
        on_gpu = [
            self._torch.from_numpy(array).to(self.device, non_blocking=True)
            for array in (units.row, units.starts, units.sizes)
        ]
        lengths = units.sizes.sum(axis=0) + 3
        budget = runtime.current().batch_tokens or BUDGET
        for batch in by_length(lengths.tolist(), budget):
            yield from halving(lambda places: self._run(places, int(lengths[places].max()), *on_gpu), batch, self._full)

    def _units(self, pairs: Sequence[Pair]) -> _Units:
        known = {text: place for place, text in enumerate(dict.fromkeys(chain.from_iterable(pairs)))}
        row, lengths = self._pieces.row(known)
        sides = np.array([[known[text] for text in side] for side in zip(*pairs, strict=True)])
        starts, sizes = (np.cumsum(lengths) - lengths)[sides], lengths[sides]
        room = self._how.longest - 3
        for place in np.flatnonzero(sizes.sum(axis=0) > room):
            kept = shares(int(sizes[0, place]), int(sizes[1, place]), room, cut=self._how.cut)
            if self._how.cut == CONTEXT:
                starts[0, place] += sizes[0, place] - kept[0]
            sizes[:, place] = kept
            self.cut += 1
        return _Units(row, starts, sizes)

    def _run(self, places: list[int], width: int, row: Any, starts: Any, sizes: Any) -> Any:
        """What the head says of a batch: `[CLS] one [SEP] other [SEP]`. Nothing here waits for the GPU."""
        torch, pieces = self._torch, self._pieces
        one, other = sizes[:, places, None]
        place = torch.arange(width, device=self.device)[None]
        second = place - one - 2  # the place in the second text
        mask = second <= other
        ids = torch.full(mask.shape, pieces.pad, device=self.device)
        ids[:, 0] = pieces.first
        ids = ids.masked_fill((place == one + 1) | (second == other), pieces.separator)
        for text, at, size in ((0, place - 1, one), (1, second, other)):
            inside = (at >= 0) & (at < size)
            where = (starts[text, places, None] + at).clamp(0, max(0, len(row) - 1))
            ids = torch.where(inside, row[where], ids) if len(row) else ids
        with torch.inference_mode(), attention(on_gpu=self.device != "cpu"):
            vectors = self._model(
                input_ids=ids, token_type_ids=(mask & (second >= 0)).long(), attention_mask=mask.long()
            ).last_hidden_state
            seen = pooled(torch, vectors.float(), mask, self._how.pooled).double()
            for weight, bias in self._hidden:
                seen = torch.tanh(seen @ weight.T + bias)
            weight, bias = self._head
            return seen @ weight.T + bias

    def _full(self, error: BaseException) -> bool:
        return isinstance(error, self._torch.OutOfMemoryError) or "out of memory" in str(error).lower()
