"""What a set metric is: a score of a system's outputs as a set, which is not a sum over them.

A set metric makes a *scorer* from texts; the scorer gives the score of any choice of these texts (`stats.sets`
resamples with it). It has no rows: what would add up does not exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Unpack

import numpy as np

from nlgauge.arrays import Bools
from nlgauge.errors import InputError, as_called
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.pool import Pool, Vocabulary
from nlgauge.metrics.base import Array, Metric, option
from nlgauge.metrics.scored import Beside, CorpusScore, Made, SegmentScores
from nlgauge.stats.sets import LANES, Codes, leave_out, score_of_all
from nlgauge.text import tokenizers
from nlgauge.types import References, per_segment

SET = "set metric, not additive"


class SetScorer:
    """The score of any of the texts of a pool; order does not matter to it unless it says so."""

    def __init__(self, size: int) -> None:
        self._size = size

    @property
    def size(self) -> int:
        """How many texts there are."""
        return self._size

    def scores(self, chosen: Bools) -> Array:
        """The score of each choice: (t, size) -> (t,), t up to 64; NaN where there is none."""
        raise NotImplementedError

    def left_out(self, codes: Codes, groups: int) -> Array:
        """The score without each group of texts."""
        return leave_out(self, codes, groups)

    def segments(self) -> Array:
        """The score of each text: by default that of a set of this text alone."""
        parts = [
            self.scores(np.arange(start, min(start + LANES, self.size))[:, None] == np.arange(self.size))
            for start in range(0, self.size, LANES)
        ]
        return np.nan_to_num(np.concatenate(parts)) if parts else np.zeros(0)


@dataclass(frozen=True)
class SetMetric(Metric):
    """Base of all metrics that describe a system's outputs as a set."""

    tok: str = option("13a", "tokeniser", check=tokenizers.check)
    lower: bool = option(False, "lower-case before tokenising")

    additive: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ("outputs",)
    per_segment: ClassVar[str] = "the score of the text alone"  # what --segments writes; empty: nothing to write
    least: ClassVar[int] = 1  # outputs a set needs
    undefined: ClassVar[str] = "there is nothing to count"  # why a score may be NaN
    size_matters: ClassVar[Literal["falls", "rises", ""]] = ""  # how the score changes as a set grows

    @property
    def columns(self) -> tuple[str, ...]:
        return ()

    @property
    def span(self) -> tuple[float, float]:
        """Between which values all scores of this spec lie; intervals end there."""
        return self.bounds

    def scorer(self, texts: Pool, known: Pool | None = None) -> SetScorer:
        """The scorer of these texts; `known` holds the texts they are compared with, where the metric has such."""
        raise NotImplementedError

    def known(self, references: Iterable[Sequence[str]]) -> Iterable[str] | None:
        """The texts that outputs are compared with, given the references of all items; None: with nothing."""
        return None

    def rows(self, batch: Batch) -> Array:
        raise InputError(self.refusal("has no statistics that add up over segments"))

    def score(self, totals: Array) -> Array:
        raise InputError(self.refusal("is not a function of sums over segments"))

    def refusal(self, why: str) -> str:
        """A sentence for what cannot be done with a set metric."""
        return (
            f"{self} describes a system's outputs as a set and {why}; it works in score and compare, and in meta by "
            "the scores of single outputs"
        )

    def on(self, hypotheses: Sequence[str], references: References | None = None) -> SetScorer:
        """The scorer of one system's outputs."""
        vocabulary = Vocabulary(self.tok, lower=self.lower)
        if references is None and "references" in self.needs:
            raise InputError(f"{self} needs references: give a list for each output, [[text], [text], …]")
        known = self.known(per_segment(references or ()))
        texts = vocabulary.pool(hypotheses)
        self.check_size(len(texts))
        return self.scorer(texts, None if known is None else vocabulary.pool(known))

    def check_size(self, n: int, system: str = "") -> None:
        """Refuse a set too small to be scored."""
        if n < self.least:
            who = f"{system} has" if system else "there are"
            raise InputError(f"{self} needs at least {self.least} outputs to compare with each other; {who} {n}")

    def corpus_rows(
        self, hypotheses: Sequence[str], references: References | None = None, **given: Unpack[Beside]
    ) -> Array:
        raise InputError(self.refusal("has no statistics that add up over segments"))

    def corpus(
        self, hypotheses: Sequence[str], references: References | None = None, **given: Unpack[Beside]
    ) -> CorpusScore:
        """The score of the set."""
        return CorpusScore(score_of_all(self.on(hypotheses, references)), self._made(hypotheses, references, given))

    def segments(
        self, hypotheses: Sequence[str], references: References | None = None, **given: Unpack[Beside]
    ) -> SegmentScores:
        """One score per output, where the metric has such."""
        self.check_segments()
        scores = self.on(hypotheses, references).segments()
        return SegmentScores.of(scores, self._made(hypotheses, references, given))

    def _made(self, hypotheses: Sequence[str], references: References | None, given: Mapping[str, Any]) -> Made:
        return Made(self, hypotheses, per_segment(references or [()] * len(hypotheses)), given)

    def check_segments(self) -> None:
        """Refuse scores of segments where they mean nothing."""
        if not self.per_segment:
            raise InputError(
                f"{self} describes a system's outputs as a set and has no scores of segments; leave "
                f"{as_called('--segments', 'segments=…')} "
                "out, or the metric"
            )
