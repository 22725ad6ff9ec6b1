"""EED, the extended edit distance (Stanchev, Wang and Ney 2019), as the authors' program and torchmetrics have it.

CDER carried to characters: edits e, jumps j at blanks of the reference at cost α each, and a coverage penalty v for
places of the hypothesis that are visited more than once or not at all:

    EED = min(1, (e + α·j + ρ·v) / (reference length + ρ·v))

The distance of a segment is the lowest over its references; that of a corpus the mean over its segments. Texts are
prepared first, by the authors' rules for English (blanks before . ! ? , and one at either end; some abbreviations kept
together) or Japanese (NFKC). One of the English rules is looser than it was meant, and is kept so, since the
published numbers have it: after Mr, Dr, Prof and their like the blank and *any* next character become a full stop.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import ClassVar

from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.python.edit import eed, penalties, walk_costs
from nlgauge.metrics.base import Array, Direction, MeanMetric, option
from nlgauge.metrics.explanation import Explanation, Figure, Passage, ordinal_reference

_DECIMALS = re.compile(r"(\d) ([.,]) (\d)")
_TITLES = re.compile(r"(Dr|Jr|Prof|Rev|Gen|Mr|Mt|Mrs|Ms) .")
_ABBREVIATIONS = (("e . g .", "e.g."), ("i . e .", "i.e."), ("U . S .", "U.S."))


def english(text: str) -> str:
    """The authors' preparation of English: a light tokeniser, and a blank at either end."""
    text = text.rstrip()
    for mark in ".!?,":
        text = text.replace(mark, " " + mark)
    text = (" " if text[:1].isspace() else "") + " ".join(text.split())
    if " . " in text or " , " in text:  # as the patterns below need; most texts are spared the search
        text = _DECIMALS.sub(r"\1\2\3", text)
    text = _TITLES.sub(r"\1.", text)
    if " . " in text:
        for spread, joined in _ABBREVIATIONS:
            text = text.replace(spread, joined)
    return f" {text} "


def japanese(text: str) -> str:
    """The authors' preparation of Japanese: characters that look the same become the same."""
    return unicodedata.normalize("NFKC", text.rstrip())


def unchanged(text: str) -> str:
    """No preparation: the text as it stands."""
    return text


PREPARATIONS = {"en": english, "ja": japanese, "none": unchanged}


@dataclass(frozen=True)
class Eed(MeanMetric):
    """Extended edit distance over characters, from 0 (the same) to 1, with jumps between words.

    >>> round(Eed().corpus(["this is the prediction"], [["this is the reference"]]), 4)
    0.3835
    """

    lang: str = option(
        "en", "preparation of the texts: the authors' for en or ja, or none", choices=tuple(PREPARATIONS)
    )
    alpha: float = option(2.0, "cost of a jump", low=0.0)
    rho: float = option(0.3, "weight of the coverage penalty: places visited again, or never", low=0.0)
    deletion: float = option(0.2, "cost of leaving out a hypothesis character", low=0.0)
    insertion: float = option(1.0, "cost of a reference character that the hypothesis lacks", low=0.0)

    name: ClassVar[str] = "eed"
    direction: ClassVar[Direction] = "lower"
    shows_words: ClassVar[int] = 1_000
    cite: ClassVar[str] = (
        "Stanchev, Wang and Ney (2019), EED: extended edit distance measure for machine translation. WMT."
    )
    reference: ClassVar[str] = "torchmetrics 1.9, thereby the authors' program"

    def rows(self, batch: Batch) -> Array:
        """The lowest distance over the references, and 1."""
        prepare = PREPARATIONS[self.lang]
        return active().eed_rows(
            [prepare(text) for text in batch.hypotheses],
            references=[[prepare(text) for text in texts] for texts in batch.references],
            alpha=self.alpha,
            rho=self.rho,
            deletion=self.deletion,
            insertion=self.insertion,
            jobs=batch.jobs,
        )

    def explained(self, batch: Batch) -> Explanation:
        """How often the reference with the lowest distance visits each character of the output."""
        prepare = PREPARATIONS[self.lang]
        text = prepare(batch.hypotheses[0])
        references = [prepare(reference) for reference in batch.references[0]]
        scores = [eed(text, reference, self.alpha, self.rho, self.deletion, self.insertion) for reference in references]
        best = scores.index(min(scores))
        reference = references[best]
        cost, visits = walk_costs(text, reference, self.alpha, self.deletion, self.insertion)
        repeated = sum(times for times in visits if times > 0)
        never = sum(times < 0 for times in visits)
        figures = [
            Figure("edits and jumps", cost, f"the cheapest walk; a jump costs {self.alpha:g}"),
            Figure(
                "coverage",
                self.rho * penalties(visits),
                f"{self.rho:g} · ({repeated} visited again + {never} never)",
            ),
            Figure("characters", len(reference), "of the prepared reference; with the coverage, the divisor"),
        ]
        legend = ("never visited", "visited once", "visited again")
        levels = tuple(min(times + 1, 2) for times in visits[1:])  # the first place stands before the text
        which = ordinal_reference(best, len(references))
        part = Passage(f"The output as {which} visits it", tuple(text), levels, legend, "characters")
        return Explanation.of(self, batch, [scores[best], 1.0], figures=figures, parts=[part], counted=(best + 1,))
