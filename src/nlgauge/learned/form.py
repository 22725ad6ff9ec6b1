"""How a trained metric turns texts into numbers: each kind of training makes a form of its own.

A form is made by a training (`nlgauge.training`), kept in a folder, and opened again where scores are wanted.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.explanation import Figure

DIGITS = 9  # of a score: how many texts are read beside it changes what comes after
Arrays = Mapping[str, NDArray[np.generic]]  # int8, float16 or float32


def sigmoid(odds: Array) -> Array:
    """1 / (1 + exp(−odds)), without overflow."""
    made: Array = 0.5 * (1.0 + np.tanh(0.5 * odds))
    return made


class Form(ABC):
    """What was learnt, ready to score."""

    kind: ClassVar[str]
    how: ClassVar[str] = ""  # what the words beside its figures mean

    @property
    @abstractmethod
    def needs(self) -> tuple[str, ...]:
        """What a segment must have, in the words of `Metric.needs`."""

    @abstractmethod
    def predict(self, batch: Batch) -> Array:
        """One number for each output."""

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """What is kept of it as words and numbers."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """What is kept of it as weights, by name."""

    @classmethod
    @abstractmethod
    def of(cls, settings: Mapping[str, Any], arrays: Arrays, folder: Path) -> Self:
        """From what was kept; a KeyError names what is missing."""

    def beside(self, folder: Path) -> None:  # noqa: B027  # most forms keep no more
        """Write what else it needs, such as a vocabulary, into the folder."""

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        """The models it runs on, as `Metric.models`."""
        return ()

    @property
    def fitted(self) -> bool:
        """Whether `prepared` must see the corpus first."""
        return False

    @property
    def model_fact(self) -> str:
        """Those models for the receipt, as `Metric.model_fact`."""
        return ""

    @property
    def lexicon_fact(self) -> str:
        """The dictionaries it reads, as `Metric.lexicon_fact`."""
        return ""

    @property
    def reads_files(self) -> tuple[str, ...]:
        """The files it reads, as `Metric.reads_files`."""
        return ()

    def remarks(self) -> list[str]:
        """What a reader must know of the texts scored since this was last asked."""
        return []

    def learnt_from(self, batch: Batch) -> dict[str, int]:
        """Rows that trained metrics within it learnt from, as `Metric.learnt_from`."""
        return {}

    def prepared(self, corpus: Iterable[Batch]) -> Self:
        """Fitted on the whole corpus."""
        return self

    def figures(self, batch: Batch) -> list[Figure]:
        """What the score of one output was made of, for `explain`."""
        return []


# What the scores of a trained metric are measured in.


def scale_words(scale: Mapping[str, Any]) -> str:
    """One sentence without its end; empty where nothing is known. `scale` stands in training.json."""
    low, high = (f"{float(scale.get(end, 0.0)):.4g}" for end in ("low", "high"))
    what = " and ".join(scale.get("criteria", ())) or "the ratings"
    said = {
        "ratings": f"scores are on the scale of {what}, {low} to {high} in what it learnt from, and may lie beyond",
        "deviations": f"scores of {what} are in standard deviations: 0 is an average output of those it learnt from",
        "range": f"scores of {what} are shares of the range it learnt from: 0 the lowest rating there, 1 the highest",
        "self": f"scores of {what} are shares of what the output would get if compared with itself",
        "probability": f"scores are the probability of {what}, 0 to 1",
        "order": "scores say which output is better; they have no unit",
    }
    return said.get(str(scale.get("unit")), "")
