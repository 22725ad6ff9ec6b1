"""XMEANT (Lo, Beloucif, Saers and Wu 2014): MEANT against the source, without any reference.

Frames of the output and of the source are compared as MEANT compares those of output and reference; words of the two
languages are compared by the cosine of their vectors in one space. The authors took probabilities of a translation
lexicon and aligned phrases by a bracketing grammar; here a multilingual sentence encoder embeds each word by itself
(`encoder`), or a file has vectors of both languages (`vectors`), and phrases are compared as in MEANT.

The source needs a parser of its language (`source`: the folder of a spaCy model); labels are those of Universal
Dependencies or of spaCy's English models. Without one (`source=none`) source and output are compared as one phrase
each, which the explanation says. All roles weigh the same.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np

from nlgauge import models
from nlgauge.errors import InputError
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, MeanMetric, mean_rows, option
from nlgauge.metrics.explanation import Explanation, Figure
from nlgauge.metrics.meant import Analysis, Phrases, Vectors, f_score, structural, told_frames
from nlgauge.metrics.modelled import model_option
from nlgauge.models.frames import Labeller, frames
from nlgauge.models.interface import Kind, SentenceEncoder, StaticVectors
from nlgauge.models.resolve import check
from nlgauge.text import tokenizers

_NONE = "none"
_KEPT: dict[str, dict[str, Array]] = defaultdict(dict)  # by digest of the encoder: a word is encoded once
_WEIGHTS = defaultdict[str, float](lambda: 1.0)


def _none_or(kind: Kind) -> Callable[[str], str | None]:
    return lambda value: None if value == _NONE else check(kind, value)


@dataclass(frozen=True)
class Xmeant(MeanMetric):
    """MEANT against the source: semantic frames of two languages, compared by vectors that both share."""

    model: str = model_option("parser", "spacy-en", "parser of the output: an alias, or the folder of a spaCy model")
    source: str = option(_NONE, "parser of the source: the folder of a spaCy model", check=_none_or("parser"))
    encoder: str = option(
        "use",
        "multilingual sentence encoder of single words",
        check=partial(check, "sentence"),
        models=("use",),  # the others know one language
    )
    vectors: str = option(_NONE, "a file of word vectors of both languages instead", check=_none_or("static"))
    structure: float = option(0.1, "share of the frames; the rest is the whole text as a phrase", low=0.0, high=1.0)
    labeller: Labeller = dataclasses.field(default=frames, repr=False, compare=False)

    name = "xmeant"
    needs = ("source text", "parser", "sentence encoder")
    cite = (
        "Lo, Beloucif, Saers and Wu (2014), XMEANT: Better semantic MT evaluation without reference translations. ACL."
    )
    reference = "the paper's formulas; frames from dependency parses, words compared by vectors"

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        second = (("parser", self.source),) if self.source != _NONE else ()
        words = ("sentence", self.encoder) if self.vectors == _NONE else ("static", self.vectors)
        return (("parser", self.model), *second, words)

    @property
    def model_fact(self) -> str:
        parsers = [self.model, *([self.source] if self.source != _NONE else [])]
        facts = [models.parser(name, purpose=self.name).info.fact() for name in parsers]
        return "+".join([*facts, self._words().info.fact()])

    def remarks(self) -> list[str]:
        return self._words().remarks()

    def _words(self) -> SentenceEncoder | StaticVectors:
        if self.vectors != _NONE:
            return models.static(self.vectors, purpose=self.name)
        return models.sentence(self.encoder, purpose=self.name)

    def labelled(self, labeller: Labeller) -> Self:
        """The metric with another labeller of semantic frames: a function from a parse to its frames."""
        return dataclasses.replace(self, labeller=labeller)

    def _analyses(self, texts: Sequence[str], parser: str) -> list[Analysis]:
        if parser == _NONE:
            split = tokenizers.tokenizer("words")
            return [Analysis(tuple(word.lower() for word in split(text)), ()) for text in texts]
        parses = models.parser(parser, purpose=self.name).parse(texts)
        return [Analysis.of(parse, self.labeller(parse)) for parse in parses]

    def _compared(self, batch: Batch) -> list[tuple[Analysis, Analysis, Phrases]]:
        """Output, source and how their phrases compare, for each segment."""
        sources = _sources(batch)
        mine, theirs = self._analyses(batch.hypotheses, self.model), self._analyses(sources, self.source)
        vectors = self._vectors([*mine, *theirs])
        found = []
        for a, b in zip(mine, theirs, strict=True):
            flat = np.ones(len(a.words)), np.ones(len(b.words))
            found.append((a, b, Phrases(vectors.similarity(a.words, b.words), *flat, 1, 0.5)))
        return found

    def _vectors(self, texts: Iterable[Analysis]) -> Vectors:
        table = self._words()
        words = list(dict.fromkeys(word for text in texts for word in text.words))
        if self.vectors != _NONE:
            return Vectors.of(models.static(self.vectors, purpose=self.name), texts)
        encoder = models.sentence(self.encoder, purpose=self.name)
        kept = _KEPT[table.info.digest]
        missing = [word for word in words if word not in kept]
        if missing:
            kept.update(zip(missing, encoder.encode(missing).astype(np.float64), strict=True))
        return Vectors.from_rows(words, np.stack([kept[word] for word in words]) if words else np.zeros((0, 1)))

    def _sides(self, mine: Analysis, theirs: Analysis, phrases: Phrases) -> tuple[float, float]:
        shared = self.structure if mine.frames and theirs.frames else 0.0
        whole = np.array(phrases.both(range(len(mine.words)), range(len(theirs.words))))
        framed = np.array(structural(mine, theirs, phrases, _WEIGHTS)) if shared else np.zeros(2)
        precision, recall = shared * framed + (1 - shared) * whole
        return float(precision), float(recall)

    def rows(self, batch: Batch) -> Array:
        scores = [f_score(*self._sides(*pair)) for pair in self._compared(batch)]
        return mean_rows(scores)

    def explained(self, batch: Batch) -> Explanation:
        """Precision and recall, and the frames of both texts."""
        ((mine, theirs, phrases),) = self._compared(batch)
        precision, recall = self._sides(mine, theirs, phrases)
        both = bool(mine.frames and theirs.frames)
        notes = [] if both else ["output or source has no frame: both are compared as one phrase"]
        parts = told_frames(mine, theirs, phrases, "the source")
        figures = [Figure("precision", precision), Figure("recall", recall)]
        row = [f_score(precision, recall), 1.0]
        return Explanation.of(self, batch, row, figures=figures, parts=parts, notes=notes)


def _sources(batch: Batch) -> list[str]:
    batch.require_sources()
    sources = list(batch.sources or ())
    for number, source in enumerate(sources):
        if not isinstance(source, str):
            raise InputError(
                f"{batch.place(number)} has a {type(source).__name__} as its source, where xmeant needs a text"
            )
    return sources
