"""The text farthest from the other two: what an encoder can say about a triad.

Each text is given the sum of its cosine distances to the other two; the largest sum is chosen. As the three sums add
the same three distances, leaving out one each, this is the text that is not in the closest pair. Equal sums are settled
by a draw that follows from the seed and the texts, so that it is the same whenever it is made again, and counted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.study.machine_judges.base import Choice, Sheet
from nlgauge.study.machine_judges.encoders import Encoder, Vectors, versions

EQUAL = 1e-9  # sums of distances that differ by less are equal


def sums_of_distances(vectors: Vectors) -> NDArray[np.float64]:
    """For each of three rows the sum of cosine distances to the other two, from 0 to 4.

    Equal rows have distance 0; a row of noughts has distance 1 to every other.
    """
    rows = np.asarray(vectors, dtype=np.float64)
    norms = np.linalg.norm(rows, axis=1)
    unit = rows / np.where(norms > 0, norms, 1)[:, None]
    distances = 1 - unit @ unit.T
    for number in range(len(rows)):
        for other in range(len(rows)):
            if number == other or np.array_equal(rows[number], rows[other]):
                distances[number, other] = 0.0
    return np.asarray(distances.sum(axis=1))


class Farthest:
    """A judge by an encoder."""

    side_by_side = 1

    def __init__(self, encoder: Encoder, *, seed: int = 12345) -> None:
        self.encoder, self.seed = encoder, seed
        self._rows: dict[str, int] = {}
        self._vectors: Vectors = np.empty((0, 0), dtype=np.float32)

    @property
    def settings(self) -> Mapping[str, Any]:
        """The encoder, and the seed of the draws between equals."""
        return {"judge": "farthest", **self.encoder.settings, "seed": self.seed}

    @property
    def circumstances(self) -> Mapping[str, Any]:
        """Versions of what computes the vectors."""
        return {"versions": versions("numpy", "onnxruntime", "tokenizers", "torch", "transformers")}

    def prepare(self, sheets: Sequence[Sheet]) -> None:
        """Encode each distinct text once."""
        distinct = list(dict.fromkeys(shown.text for sheet in sheets for shown in sheet.texts))
        self._rows = {text: row for row, text in enumerate(distinct)}
        self._vectors = self.encoder.encode(distinct)

    def decide(self, sheet: Sheet) -> Choice:
        """The text not in the closest pair."""
        texts = [shown.text for shown in sheet.texts]
        sums = sums_of_distances(self._vectors[[self._rows[text] for text in texts]])
        best = np.flatnonzero(sums >= sums.max() - EQUAL).tolist()
        answer = best[0]
        if len(best) > 1:
            # by what is written, not by where it stands: a draw between the same texts chooses the same text
            order = sorted(best, key=lambda place: (texts[place], place))
            digest = hashlib.sha256("\0".join(sorted(texts)).encode("utf-8", "surrogatepass")).hexdigest()
            answer = Random(f"{self.seed}/{digest}").choice(order)
        said = " ".join(f"{value:.4f}" for value in sums)
        tie = f"; {len(best)} equal, drawn" if len(best) > 1 else ""
        return Choice(int(answer), f"{self.encoder.name}; sums of distances {said}{tie}", tied=len(best) > 1)
