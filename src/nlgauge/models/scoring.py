"""Numbers of two texts that an encoder reads together: a trained head on the opening unit, on the mean, or on both.

A head is a linear layer, or several with the hyperbolic tangent between them.

BERT with the uncased tokeniser runs in NumPy, or in 8 bits on ONNX Runtime; every other encoder by PyTorch, from a
folder of the Hugging Face hub's form. Numbers are kept by pair, so that one does not depend on what was read beside it,
and is made once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Ints
from nlgauge.errors import counted
from nlgauge.models import runtime
from nlgauge.models.batching import in_batches
from nlgauge.models.bert import Batch, Reading, Text, Units, averaged
from nlgauge.models.failures import loaded_by
from nlgauge.models.int8 import Int8Network, Weights
from nlgauge.models.interface import Vectors
from nlgauge.models.kept_pairs import KeptPairs, Pair
from nlgauge.models.pytorch import attention, budget_of, lengths_of, libraries, out_of_memory
from nlgauge.models.runtime import chosen
from nlgauge.models.weights import Tensors
from nlgauge.models.wordpiece import CONTEXT, WordPiece, shares

Pooled = Literal["opening", "mean", "both"]
HEAD = "score"  # the name of the head's weights
EIGHT_BIT_BUDGET = 2**16  # units in a batch, of which the network makes smaller ones


class Scorer(Protocol):
    """What reads pairs."""

    cut: int  # pairs that were too long
    arithmetic: str  # on which the last digits depend

    def scores(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """The head's numbers for each pair, (n, k)."""

    def note_long(self, pairs: Sequence[Pair]) -> object:
        """Count the pairs that would be cut, and read none."""


@dataclass(frozen=True)
class How:
    """How pairs are read, and what the head sees and is made of."""

    pooled: Pooled
    longest: int  # units of both texts
    cut: str = "longest_first"  # what too long a pair loses: the end of its longer text, or the beginning of a context
    layers: tuple[str, ...] = (HEAD,)  # of the head, by the names of their weights; the last gives the score


def layers_of(names: Iterable[str]) -> tuple[str, ...]:
    """The layers of a head among the names of weights: score, or score.0, score.2, … in their order."""
    found = [name.removesuffix(".bias") for name in names if name.startswith(f"{HEAD}.") and name.endswith(".bias")]
    return tuple(sorted(found, key=lambda name: int(name.partition(".")[2] or 0)))


def hidden(seen: Any, layers: Sequence[tuple[Any, Any]]) -> Any:
    """What the hidden layers of a head make of what it sees."""
    for weight, bias in layers:
        seen = np.tanh(seen @ weight + bias)
    return seen


class NumpyScorer(Reading):
    """BERT in NumPy."""

    arithmetic = "float32"

    def __init__(self, tensors: Tensors, config: dict[str, Any], pieces: WordPiece, how: How) -> None:
        super().__init__(tensors, config, pieces)
        *self._hidden, self._head = map(self.head, how.layers)
        self._how = how

    def scores(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """The head's numbers for each pair, (n, k)."""
        return self.read(self.note_long(pairs), self._head, self._seen)

    def note_long(self, pairs: Sequence[Pair]) -> list[Text]:
        """The units of each pair; those too long are cut and counted."""
        return self.pair_units(pairs, self._how.longest, cut=self._how.cut)

    def _seen(self, batch: Batch) -> Vectors:
        made: Vectors = hidden(self._vectors(batch), self._hidden)
        return made

    def _vectors(self, batch: Batch) -> Vectors:
        if self._how.pooled == "opening":
            return self.bert.opening(batch)
        vectors = self.bert.vectors(batch)
        mean = averaged(vectors, batch)
        return mean if self._how.pooled == "mean" else np.concatenate([vectors[:, 0], mean], axis=1)


class Int8Scorer(Units):
    """BERT in 8-bit arithmetic on ONNX Runtime; the head in double precision."""

    arithmetic = "int8"

    def __init__(self, tensors: Tensors, weights: Weights, pieces: WordPiece, how: How) -> None:
        super().__init__(tensors, pieces)
        self._network = Int8Network(tensors.path, purpose="this metric", weights=weights)
        self._how, self._layers = how, [weights.layers]
        *self._hidden, self._head = (
            (weight.astype(np.float64), bias.astype(np.float64)) for weight, bias in map(self.head, how.layers)
        )

    def scores(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """The head's numbers for each pair, (n, k)."""
        texts = self.note_long(pairs)
        found = np.zeros((len(texts), len(self._head[1])))

        def run(places: list[int]) -> NDArray[np.float64]:
            return self._run([texts[place] for place in places])

        lengths = [len(ids) for ids, _ in texts]
        for part, made in in_batches(lengths, run, self._network.exhausted, budget=EIGHT_BIT_BUDGET):
            found[part] = made
        return found

    def note_long(self, pairs: Sequence[Pair]) -> list[Text]:
        """The units of each pair; those too long are cut and counted."""
        return self.pair_units(pairs, self._how.longest, cut=self._how.cut)

    def _run(self, texts: Sequence[Text]) -> NDArray[np.float64]:
        rows = [np.array(ids) for ids, _ in texts]
        lengths = np.array([len(row) for row in rows])
        starts = np.cumsum(lengths) - lengths
        vectors = self._network.run(rows, self._layers, [first for _, first in texts])[:, 0]
        opening = vectors[starts].astype(np.float64)
        mean = np.add.reduceat(vectors, starts, axis=0, dtype=np.float64) / lengths[:, None]
        taken = {"opening": [opening], "mean": [mean], "both": [opening, mean]}[self._how.pooled]
        weight, bias = self._head
        made: NDArray[np.float64] = hidden(np.concatenate(taken, axis=1), self._hidden) @ weight + bias
        return made


class TorchScorer:
    """Any encoder of transformers, from its folder."""

    def __init__(self, folder: Path, head: Mapping[str, NDArray[Any]], how: How) -> None:
        self._torch, transformers = libraries("this metric")
        self.cut, self._how = 0, how
        self.device = chosen(runtime.current().device)
        self.arithmetic = f"torch {self.device}"
        with loaded_by(f"no encoder could be loaded from {folder}"):
            self._tokeniser = transformers.AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
            model = transformers.AutoModel.from_pretrained(str(folder), local_files_only=True)
        self._model = model.to(self.device).float().eval()
        *self._hidden, self._head = (
            (np.asarray(head[f"{layer}.weight"], np.float64).T, np.asarray(head[f"{layer}.bias"], np.float64))
            for layer in how.layers
        )

    def scores(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """The head's numbers for each pair, (n, k)."""
        found = np.zeros((len(pairs), len(self._head[1])))
        lengths = [min(length, self._how.longest) for length in self.note_long(pairs)]

        def run(places: list[int]) -> NDArray[np.float64]:
            return self._run([pairs[place] for place in places])

        for part, made in in_batches(lengths, run, out_of_memory(self.device), budget=budget_of(self.device)):
            found[part] = made
        return found

    def note_long(self, pairs: Sequence[Pair]) -> list[int]:
        """The units of each pair; those too long are counted."""
        lengths = lengths_of(self._tokeniser, pairs)
        self.cut += sum(length > self._how.longest for length in lengths)
        return lengths

    def _run(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        units = paired_units(self._tokeniser, pairs, self._how.longest, cut=self._how.cut)
        known = {"input_ids": [ids for ids, _ in units]}
        if "token_type_ids" in self._tokeniser.model_input_names:
            known["token_type_ids"] = [parts for _, parts in units]
        fed: Any = self._tokeniser.pad(known, return_tensors="pt").to(self.device)
        with self._torch.inference_mode():
            vectors = self._model(**fed).last_hidden_state.float()
            taken = pooled(self._torch, vectors, fed["attention_mask"], self._how.pooled)
        weight, bias = self._head
        made: NDArray[np.float64] = hidden(taken.double().cpu().numpy(), self._hidden) @ weight + bias
        return made


def paired_units(tokeniser: Any, pairs: Sequence[Pair], longest: int, *, cut: str) -> list[tuple[list[int], list[int]]]:
    """The units of pairs by a tokeniser of transformers, and which text each belongs to; too long a pair is cut."""
    if not pairs:
        return []
    if cut != CONTEXT:
        made = tokeniser(
            [first for first, _ in pairs],
            [other for _, other in pairs],
            return_token_type_ids=True,
            truncation=cut,
            max_length=longest,
        )
        return list(zip(made["input_ids"], made["token_type_ids"], strict=True))
    backend = tokeniser.backend_tokenizer
    backend.no_truncation()
    backend.no_padding()
    room = longest - backend.num_special_tokens_to_add(True)
    found = []
    for pair in pairs:
        first, second = backend.encode_batch_fast(list(pair), add_special_tokens=False)
        if len(first) + len(second) > room:
            keep, rest = shares(len(first), len(second), room, cut=cut)
            first.truncate(keep, direction="left")
            second.truncate(rest)
        whole = backend.post_process(first, second)
        found.append((whole.ids, whole.type_ids))
    return found


def pooled(torch: Any, vectors: Any, mask: Any, how: Pooled) -> Any:
    """What the head sees of a batch, in PyTorch: the opening unit's vector, the mean over units, or both."""
    if how == "opening":
        return vectors[:, 0]
    there = mask[..., None].to(vectors.dtype)
    mean = (vectors * there).sum(1) / there.sum(1)
    return mean if how == "mean" else torch.cat([vectors[:, 0], mean], dim=1)


class KeptScores:
    """A scorer with what it said before."""

    def __init__(self, scorer: Scorer, setting: str, *, width: int = 1, lost: str = "the end") -> None:
        self._scorer, self._lost = scorer, lost
        self._kept = KeptPairs(f"{setting} {scorer.arithmetic}", width, on_gpu="cuda" in scorer.arithmetic)

    def scores(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """The head's numbers for each pair, (n, k)."""
        return self._kept.find(pairs, self._scorer.scores, self._scorer.note_long)

    def remarks(self) -> list[str]:
        """Pairs that were cut since this was last asked, whether they were read now or before."""
        cut, self._scorer.cut = self._scorer.cut, 0
        return [f"{counted(cut, 'pair')} longer than the metric reads lost {self._lost}"] if cut else []


# BERT with the uncased tokeniser on a GPU, in half precision: pairs in, numbers of a head out.
#
# Units go to the GPU as one row of numbers, of which it makes batches itself, and what the head says stays there until
# all pairs are on their way: while some are read, the next are split into units.


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

        def run(places: list[int]) -> Any:
            return self._run(places, int(lengths[places].max()), *on_gpu)

        return in_batches(lengths.tolist(), run, out_of_memory(self.device), budget=BUDGET)

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
