"""NUBIA's neural features by one pass of one encoder over reference and output.

The reader reads both together. Its own head tells entailment; heads over the same vectors (`learned/reading.py`) tell
similarity as STS-B has it, 0 to 5, and foretell how surprised the trigrams are by the output and by the reference, in
nats per word. Of several references the most similar counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from nlgauge.kernels.batch import Batch
from nlgauge.learned.folder import Folder, open_folder
from nlgauge.learned.reading import Read
from nlgauge.learned.shipped import HEADS, shipped
from nlgauge.metrics.base import Array, Metric, option, ratio
from nlgauge.models.batching import cut_pairs
from nlgauge.models.kept_pairs import KeptPairs, Pair
from nlgauge.models.reader import ENTAILMENT, NAME, Reader, reader

FIGURES = (*ENTAILMENT, *HEADS)
SIMILARITY = FIGURES.index("similarity")
_INFINITE = float("inf")
BOUNDS = {"similarity": (0.0, 5.0)} | {name: (0.0, _INFINITE) for name in HEADS if name != "similarity"}


@cache
def heads() -> tuple[Folder, ...]:
    """The folders of the heads, in the order of their names."""
    found = [shipped(f"reading-{name}") for name in HEADS]
    return tuple(open_folder(path) for path in found if path is not None)


@dataclass(frozen=True)
class Reading(Metric):
    """What the reader tells of reference and output in one pass: similarity, entailment, surprise."""

    output: str = option("similarity", "which figure", choices=FIGURES, scoring=True)

    name: ClassVar[str] = "reading"
    needs: ClassVar[tuple[str, ...]] = ("references", "entailment model")
    bounds: ClassVar[tuple[float, float]] = (float("-inf"), float("inf"))
    cite: ClassVar[str] = "Kane, Kocyigit, Abdalla, Ajanoh and Coulibali (2020), NUBIA. Workshop on EvalNLGEval."
    reference: ClassVar[str] = "the formula of this page"
    columns: ClassVar[tuple[str, ...]] = (*FIGURES, "segments")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "bounds", BOUNDS.get(self.output, (0.0, 1.0)))
        if self.output.endswith("surprise") or self.output in ("neutral", "contradiction"):
            object.__setattr__(self, "direction", "lower")

    def loaded(self) -> Reader:
        """The reader, loaded once in a process."""
        return reader(purpose=self.name)

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        return (("entailment", NAME),)

    @property
    def model_fact(self) -> str:
        return "+".join([self.loaded().info.fact(), *(folder.digest[:12] for folder in heads())])

    def remarks(self) -> list[str]:
        cut, self.loaded().cut = self.loaded().cut, 0
        return cut_pairs(cut)

    def rows(self, batch: Batch) -> Array:
        pairs = [
            (reference, output)
            for output, several in zip(batch.hypotheses, batch.references, strict=True)
            for reference in several
        ]
        found = _kept(self.model_fact).find(pairs, self._made, self.loaded().units)
        rows = np.ones((len(batch), len(self.columns)))
        start = 0
        for place, several in enumerate(batch.references):
            own = found[start : start + len(several)]
            rows[place, :-1] = own[own[:, SIMILARITY].argmax()]
            start += len(several)
        for name, bounds in BOUNDS.items():  # heads are linear and know no scale
            rows[:, FIGURES.index(name)] = rows[:, FIGURES.index(name)].clip(*bounds)
        return rows

    def score(self, totals: Array) -> Array:
        totals = np.asarray(totals, dtype=np.float64)
        return ratio(totals[..., FIGURES.index(self.output)], totals[..., -1])

    def _made(self, pairs: Sequence[Pair]) -> Array:
        shares, vectors = self.loaded().pair_vectors(pairs)
        told = [shares]
        for folder in heads():
            assert isinstance(folder.form, Read)
            told.append(folder.form.of_vectors(vectors, np.zeros((len(pairs), 0)))[:, None])
        return np.concatenate(told, axis=1)


@cache
def _kept(setting: str) -> KeptPairs:
    return KeptPairs(f"one pass {setting}", len(FIGURES))
