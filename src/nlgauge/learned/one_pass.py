"""NUBIA's neural features by one pass of one encoder over reference and output.

The reader reads both together. Its own head tells entailment; heads over the same vectors (`learned/one_pass.py`) tell
similarity as STS-B has it, 0 to 5, and foretell how surprised the trigrams are by the output and by the reference, in
nats per word. Of several references the most similar counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.kernels.batch import Batch
from nlgauge.learned.featured import OverMetrics, feature_values, joined
from nlgauge.learned.folder import HEADS, Folder, open_folder, shipped
from nlgauge.learned.form import Arrays
from nlgauge.learned.learners import Learner, Scale, learner_of
from nlgauge.learned.paired import pairs_of
from nlgauge.metrics.base import Metric, option, ratio
from nlgauge.metrics.spec import parse
from nlgauge.models.batching import cut_pairs
from nlgauge.models.kept_pairs import KeptPairs, Pair
from nlgauge.models.reader import ENTAILMENT, NAME, Reader, reader

# Linear functions, or small networks, of what the reader makes of a reference and an output in one pass.
#
# It reads `[CLS] reference [SEP] output [SEP]`. Of the opening unit's vector o and the means r and h over the units of
# either text, o, r, h, |r − h| and r ∘ h are seen, and beside them the scores of metrics; each number is standardised.
# Of several references the best counts.


def seen(vectors: Array) -> Array:
    """(n, 5 · width) of the reader's vectors of pairs."""
    opening, one, other = np.split(vectors, 3, axis=1)
    return np.concatenate([opening, one, other, np.abs(one - other), one * other], axis=1)


@dataclass(frozen=True, eq=False)
class Read(OverMetrics):
    """learner(standardised numbers of one pass)."""

    kind: ClassVar[str] = "reading"
    scaled: ClassVar[str] = "seen"
    own_needs: ClassVar[tuple[str, ...]] = ("references", "entailment model")
    own_models: ClassVar[tuple[tuple[str, str], ...]] = (("entailment", NAME),)
    scale: Scale
    learner: Learner
    features: tuple[Metric, ...] = ()  # metrics whose scores are seen beside the vectors

    @property
    def model_fact(self) -> str:
        return joined((self._reader.info.fact(), *(metric.model_fact for metric in self.features)))

    @property
    def _reader(self) -> Reader:
        return reader(purpose="a trained metric over the reader")

    def remarks(self) -> list[str]:
        cut, self._reader.cut = self._reader.cut, 0
        told = (remark for metric in self.features if metric.models for remark in metric.remarks())
        return list(dict.fromkeys([*cut_pairs(cut), *told]))

    def predict(self, batch: Batch) -> Array:
        pairs = [[(reference, output) for output, reference in some] for some in pairs_of("reference", batch)]
        flat = [pair for some in pairs for pair in some]
        made = self._kept.find(flat, self._made, self._reader.units)[:, 0]
        starts = np.cumsum([0, *(len(some) for some in pairs)])[:-1]
        return np.maximum.reduceat(made, starts) if len(made) else np.zeros(0)

    def of_vectors(self, vectors: Array, scores: Array) -> Array:
        """What was learnt, of the reader's vectors of pairs and the scores of the metrics beside them."""
        return self.learner.predict(self.scale(np.concatenate([seen(vectors), scores], axis=1)))

    def _made(self, pairs: Sequence[Pair]) -> Array:
        alone = Batch([output for _, output in pairs], [[reference] for reference, _ in pairs])
        scores = feature_values(self.features, alone)
        return self.of_vectors(self._reader.pair_vectors(pairs)[1], scores)[:, None]

    @cached_property
    def _kept(self) -> KeptPairs:
        return KeptPairs(f"reading {self._digest()}|{self.model_fact}", 1)

    def _digest(self) -> str:
        made = sha256(repr(self.settings()).encode())
        for name, values in sorted(self.arrays().items()):
            made.update(name.encode() + np.ascontiguousarray(values).tobytes())
        return made.hexdigest()

    def settings(self) -> dict[str, Any]:
        features = [metric.full() for metric in self.features]
        return {"reader": NAME, "features": features, "learner": self.learner.kind}

    @classmethod
    def of(cls, settings: Mapping[str, Any], arrays: Arrays, folder: Path) -> Self:
        scale, whole = cls.opened(arrays)
        if settings["reader"] != NAME:
            raise InputError(f"{folder} reads by {settings['reader']!r}; expected {NAME}")
        features = tuple(parse(spec) for spec in settings["features"])
        return cls(scale, learner_of(settings["learner"], whole, str(folder)), features)


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

    models: ClassVar[tuple[tuple[str, str], ...]] = (("entailment", NAME),)

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
