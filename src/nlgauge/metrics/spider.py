"""SPIDEr (Liu, Zhu, Ye, Guadarrama and Murphy 2017): the mean of SPICE and CIDEr-D.

SPICE asks whether a caption says what the references say, CIDEr whether it says it in their words. As in the paper and
the caption kits the plain mean is taken, although CIDEr-D reaches 10 and SPICE 1, so that SPIDEr lies between 0 and
5.5 and mostly follows CIDEr-D.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np

from nlgauge.errors import InputError
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, Metric, option
from nlgauge.metrics.cider import CiderD
from nlgauge.metrics.explanation import Explanation, Figure, Ngrams, Part
from nlgauge.metrics.modelled import model_option
from nlgauge.metrics.spice import Spice
from nlgauge.text import tokenizers


@dataclass(frozen=True)
class Spider(Metric):
    """The mean of CIDEr-D (0 to 10) and SPICE (0 to 1).

    Document frequencies are those of the whole set; resampling draws segments and keeps them.
    """

    model: str = model_option("parser", "spacy-en")
    synonyms: bool = option(True, "match words that share a WordNet synset")
    tok: str = option("ptb", "tokeniser of CIDEr-D; `ptb` is the caption kit's", check=tokenizers.check)
    df: str = option("corpus", "document frequencies of CIDEr-D: of the corpus's references, or a file")
    cider: CiderD | None = dataclasses.field(default=None, repr=False, compare=False)

    name = "spider"
    bounds = (0.0, 5.5)
    needs = ("references", "parser")
    cite = (
        "Liu, Zhu, Ye, Guadarrama and Murphy (2017), Improved image captioning via policy gradient optimization of "
        "SPIDEr. ICCV."
    )
    reference = "CIDEr-D as pycocoevalcap's, SPICE close to the Java program"
    columns = ("ciderD", "spice", "segments")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._fresh()  # which checks `df`

    def _fresh(self) -> CiderD:
        return CiderD(tok=self.tok, df=self.df)

    @property
    def spice(self) -> Spice:
        """Its one half."""
        return Spice(model=self.model, synonyms=self.synonyms)

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        return (("parser", self.model),)

    @property
    def model_fact(self) -> str:
        return self.spice.model_fact

    @property
    def lexicon_fact(self) -> str:
        return self.spice.lexicon_fact

    @property
    def reads_files(self) -> tuple[str, ...]:
        return self._fresh().reads_files

    def prepare(self, corpus: Iterable[Batch]) -> Self:
        return dataclasses.replace(self, cider=self._fresh().prepare(corpus))

    def rows(self, batch: Batch) -> Array:
        cider, spice = self._prepared().rows(batch), self.spice.rows(batch)
        return np.column_stack([cider[:, 0], spice[:, 0], np.ones(len(batch))])

    def _prepared(self) -> CiderD:
        if self.cider is None:
            raise InputError(
                "SPIDEr weighs n-grams by all references of the corpus; call prepare(corpus) and take the rows of the "
                "metric it returns"
            )
        return self.cider

    def score(self, totals: Array) -> Array:
        totals = np.asarray(totals, dtype=np.float64)
        halves = (totals[..., 0] + totals[..., 1]) / 2
        mean: Array = halves / np.maximum(totals[..., 2], 1)
        return mean

    def explained(self, batch: Batch) -> Explanation:
        """Both halves, each with its parts."""
        words, scenes = self._prepared().explained(batch), self.spice.explained(batch)
        figures = [
            Figure("CIDEr-D", words.score, "from 0 to 10"),
            Figure("SPICE", scenes.score, "from 0 to 1"),
            *words.figures,
            *scenes.figures,
        ]
        row = [words.score, scenes.score, 1.0]
        return Explanation.of(
            self,
            batch,
            row,
            figures=figures,
            parts=[*scenes.parts, *map(_unshared, words.parts)],
            notes=words.notes,
        )


def _unshared(part: Part) -> Part:
    """N-grams without their part of the score, which is CIDEr-D's and not SPIDEr's."""
    if not isinstance(part, Ngrams):
        return part
    return dataclasses.replace(part, rows=tuple(dataclasses.replace(row, share=None) for row in part.rows))
