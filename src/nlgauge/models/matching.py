"""Greedy matching of units by cosine, on the device that holds their vectors (Zhang et al. 2020, BERTScore).

Each unit of one text is matched with the most similar unit of the other; precision is the weighted mean over the
hypothesis's units, recall over the reference's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.models.interface import Encoded, Vectors

Pair = tuple[str, str]
_CELLS = 2**28  # numbers in one batch on a device: its vectors and their similarities


def unit_rows(flat: Vectors) -> Vectors:
    """Rows of length 1; a row of noughts stays one."""
    norms = np.sqrt(np.einsum("ij,ij->i", flat, flat))
    return np.asarray(flat / np.where(norms > 0, norms, 1)[:, None], dtype=np.float32)


def greedy(encoded: Encoded, pairs: Sequence[Pair], weights: Mapping[str, Array]) -> Array:
    """(n, 2): precision and recall of each pair of hypothesis and reference.

    `weights` has a weight for each unit of each text. A text without any weight, or without units, scores 0.
    """
    return greedy_begun(encoded, pairs, weights)()


def greedy_begun(encoded: Encoded, pairs: Sequence[Pair], weights: Mapping[str, Array]) -> Callable[[], Array]:
    """The same, begun: a function that waits for the scores. A GPU matches while the next texts are prepared."""
    if not pairs or not encoded.starts[-1]:  # no text has any unit
        return lambda: np.zeros((len(pairs), 2))
    if isinstance(encoded.flat, np.ndarray):
        found = _on_cpu(encoded, pairs, weights)
        return lambda: found
    return _on_device(encoded, pairs, weights)


def similarities(encoded: Encoded, hypothesis: str, reference: str) -> Array:
    """The cosine of each unit of one text with each of the other."""
    one, other = (_host(encoded.of(text)) for text in (hypothesis, reference))
    return np.clip((unit_rows(one) @ unit_rows(other).T).astype(np.float64), -1.0, 1.0)


def _on_cpu(encoded: Encoded, pairs: Sequence[Pair], weights: Mapping[str, Array]) -> Array:
    flat = unit_rows(encoded.flat)
    starts, places = encoded.starts, encoded.places
    shares = {text: _shares(weights[text]) for pair in pairs for text in pair}
    found = np.zeros((len(pairs), 2))
    for number, (hypothesis, reference) in enumerate(pairs):
        mine, theirs = shares[hypothesis], shares[reference]
        if mine is None or theirs is None:
            continue
        one, other = places[hypothesis], places[reference]
        cosines = flat[starts[one] : starts[one + 1]] @ flat[starts[other] : starts[other + 1]].T
        found[number] = cosines.max(axis=1) @ mine, cosines.max(axis=0) @ theirs
    return np.clip(found, -1.0, 1.0)


def _shares(weights: Array) -> Array | None:
    total = weights.sum()
    return weights / total if total > 0 else None


def _host(rows: Any) -> Vectors:
    return rows if isinstance(rows, np.ndarray) else rows.float().cpu().numpy()


def on_its_way(array: NDArray[Any], device: Any) -> Any:
    """A tensor on the device; from pinned memory, as a copy from any other waits for all that the GPU has to do."""
    import torch

    made = torch.from_numpy(array)
    return made.pin_memory().to(device, non_blocking=True) if str(device).startswith("cuda") else made.to(device)


def _on_device(encoded: Encoded, pairs: Sequence[Pair], weights: Mapping[str, Array]) -> Callable[[], Array]:
    """In padded batches of like length, nothing leaving the device but the scores."""

    starts, places = encoded.starts, encoded.places
    device = encoded.flat.device
    # vectors of half precision are matched in that of float32, so that only the encoder rounds
    wide = encoded.flat.float()
    norms = wide.norm(dim=1, keepdim=True).clamp_min_(1e-12)
    flat = wide / norms if wide is encoded.flat else wide.div_(norms)  # large: no more copies than needed
    shares = np.zeros(flat.shape[0], dtype=np.float32)
    void = set()
    for text in {text for pair in pairs for text in pair}:
        mine = _shares(weights[text])
        if mine is None:
            void.add(text)
        else:
            shares[starts[places[text]] : starts[places[text] + 1]] = mine
    weight = on_its_way(shares, device)
    lengths = np.diff(starts)
    one, other = (np.array([places[pair[side]] for pair in pairs]) for side in (0, 1))
    order = np.lexsort((lengths[other], lengths[one]))
    parts: list[tuple[NDArray[np.int64], Any]] = []
    begin = 0
    while begin < len(order):
        # the longest texts come last, so a batch is as large as its last pair allows
        size = len(order) - begin
        while size > 1:
            part = order[begin : begin + size]
            a, b = int(lengths[one[part]].max()), int(lengths[other[part]].max())
            if size * (a * b + (a + b) * flat.shape[1]) <= _CELLS:
                break
            size = -(-size // 2)
        part = order[begin : begin + size]
        rows = _rows(starts, one[part]), _rows(starts, other[part])
        parts.append((part, _batch(flat, weight, *rows)))
        begin += size

    def fetched() -> Array:
        found = np.zeros((len(pairs), 2))
        for part, scores in parts:
            found[part] = scores.cpu().numpy()
        blank = [number for number, pair in enumerate(pairs) if pair[0] in void or pair[1] in void]
        found[blank] = 0
        return np.clip(found, -1.0, 1.0)

    return fetched


def _rows(starts: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.int64]:
    """(texts, longest): the rows of each text's units; -1 after its end."""
    begins, counts = starts[places], starts[places + 1] - starts[places]
    steps = np.arange(int(counts.max(initial=1)))
    return np.asarray(np.where(steps < counts[:, None], begins[:, None] + steps, -1))


def _batch(flat: Any, weight: Any, one: NDArray[np.int64], other: NDArray[np.int64]) -> Any:
    """(pairs, 2) on the device; -1 stands for padding."""
    import torch

    with torch.inference_mode():
        left, right = (on_its_way(rows, flat.device) for rows in (one, other))
        mine, theirs = left >= 0, right >= 0
        left, right = left.clamp_min(0), right.clamp_min(0)
        cosines = torch.bmm(flat[left], flat[right].transpose(1, 2))
        cosines.masked_fill_(~(mine[:, :, None] & theirs[:, None, :]), -2.0)
        precision = (cosines.amax(dim=2) * weight[left] * mine).sum(dim=1)
        recall = (cosines.amax(dim=1) * weight[right] * theirs).sum(dim=1)
        return torch.stack([precision, recall], dim=1).double()
