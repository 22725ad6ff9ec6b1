"""Sentence Mover's Similarity (Clark, Celikyilmaz and Smith 2019), for texts of several sentences.

Like Word Mover's Distance, but what travels is sentences, words (`wms`), or both (`s+wms`). A sentence is the mean of
the vectors of its words and weighs as many words as it has; a word weighs as often as it occurs. The similarity is
exp(-distance), from 0 to 1. As in the authors' program only words of letters that are no function words count (the
list is of this project, theirs is NLTK's), and sentences are those of running text (their splitter is NLTK's; see
`nlgauge.text.sentences`). Words without a vector are left out (there they get a vector of noughts). A text with no
word left scores 0; of several references the most similar counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.pool import words_of
from nlgauge.metrics.base import Array, option
from nlgauge.metrics.vectors import Texts
from nlgauge.metrics.wmd import MoverMetric
from nlgauge.text.sentences import sentences

_UNITS = ("sentences", "words", "both")


@dataclass(frozen=True)
class SentenceTexts(Texts):
    """Texts that know where their sentences start."""

    sentence_starts: tuple[tuple[int, ...], ...] = ()  # of each text: places in it, and its length


@dataclass(frozen=True)
class Sms(MoverMetric):
    """Similarity by how far sentences, words or both must travel, from 0 to 1."""

    units: str = option("sentences", "what travels: sentences, words, or both", choices=_UNITS)
    content: bool = option(True, "leave out English function words, and what is not of letters only")

    name = "sms"
    bounds = (0.0, 1.0)
    cite = (
        "Clark, Celikyilmaz and Smith (2019), Sentence Mover's Similarity: Automatic evaluation for multi-sentence "
        "texts. ACL."
    )
    reference = "the authors' sms (glove; sms, wms and s+wms)"

    def texts(self, batch: Batch) -> SentenceTexts:
        split = words_of(self.tok, self.lower)
        numbers: dict[str, int] = {}
        words, starts, cuts, known = [], [0], [], {}
        for hypothesis, references in zip(batch.hypotheses, batch.references, strict=True):
            for text in (hypothesis, *references):
                if text not in known:
                    known[text] = [split(sentence) for sentence in sentences(text)]
                lengths = [0]
                for sentence in known[text]:
                    words += [numbers.setdefault(word, len(numbers)) for word in sentence]
                    lengths.append(lengths[-1] + len(sentence))
                starts.append(len(words))
                cuts.append(tuple(lengths))
        return SentenceTexts(
            list(numbers),
            np.array(words, dtype=np.int32),
            np.array(starts, dtype=np.int64),
            np.array([len(several) for several in batch.references]),
            tuple(cuts),
        )

    def pairs(self, texts: Texts, jobs: int) -> Array:
        assert isinstance(texts, SentenceTexts)
        vectors, place = self.lookup(texts.words, self.content)
        means: list[Array] = []
        moved: list[int] = []
        masses: list[float] = []
        starts = [0]
        for number, cuts in enumerate(texts.sentence_starts):
            rows = place[texts.text(number)]
            for begin, end in pairwise(cuts):
                sentence = rows[begin:end]
                sentence = sentence[sentence >= 0]
                if not len(sentence):
                    continue
                if self.units != "sentences":
                    moved += sentence.tolist()
                    masses += [1.0] * len(sentence)
                if self.units != "words":
                    moved.append(len(vectors) + len(means))
                    masses.append(float(len(sentence)))
                    means.append(vectors[sentence].mean(axis=0))
            starts.append(len(moved))
        space = np.vstack([vectors, *means]) if means else vectors
        found = active().mover_distances(
            space,
            words=np.array(moved, dtype=np.int32),
            masses=np.array(masses, dtype=np.float64),
            text_start=np.array(starts, dtype=np.int64),
            pairs=texts.pairs,
            bound="exact",
            jobs=jobs,
        )
        return np.where(np.isnan(found), 0.0, np.exp(-np.maximum(found, 0.0)))
