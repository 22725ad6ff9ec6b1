"""METEOR (Banerjee and Lavie 2005, Lavie and Agarwal 2007), equal to NLTK's meteor_score.

Words are aligned one to one: equal words first, then words of equal stem, then synonyms. A weighted harmonic mean of
precision and recall is lowered by a penalty that grows with the number of chunks the matches fall into.

NLTK gives each word of the hypothesis, from its end, the last free word of the reference that fits, which is not
always the alignment with fewest chunks, and looks for synonyms among the stems of what is left ("arrest" for
"arrested"); the score of 2007's own program can differ. The best of several references
counts, and a corpus has the mean of its segments (`average=macro`), as users of NLTK and Hugging Face report it;
`average=micro` sums the counts, as METEOR itself does.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.python.meteor import greedy_links
from nlgauge.kernels.words import NumberedTexts, Numbering, number_texts
from nlgauge.metrics.base import Array, Metric, option
from nlgauge.text import porter, tokenizers

_STAGES = ("exact", "stem", "synonym")


@dataclass(frozen=True)
class Meteor(Metric):
    """METEOR of 2007 with Porter's stems and WordNet's synonyms; 0 to 1.

    >>> round(Meteor(synonyms="none").corpus(["the cat sat on the mat"], [["on the mat sat the cat"]]), 4)
    0.5
    """

    alpha: float = option(0.9, "weight of recall in the harmonic mean; precision has the rest", low=0, high=1)
    beta: float = option(3.0, "how sharply the penalty grows with the number of chunks", low=0)
    gamma: float = option(0.5, "largest penalty", low=0, high=1)
    tok: str = option("none", "tokeniser; NLTK leaves this to the user", check=tokenizers.check)
    lower: bool = option(True, "lower-case the words")
    synonyms: str = option("wordnet", "where synonyms come from", choices=("wordnet", "none"))
    average: str = option(
        "macro",
        "corpus score: mean of the segments (macro) or from summed counts (micro)",
        choices=("macro", "micro"),
        scoring=True,
    )

    name = "meteor"
    cite = (
        "Banerjee and Lavie (2005), METEOR: an automatic metric for MT evaluation with improved correlation with "
        "human judgments. ACL workshop; Lavie and Agarwal (2007), METEOR: an automatic metric for MT evaluation "
        "with high levels of correlation with human judgments. WMT."
    )
    reference = "NLTK 3.9's meteor_score"

    @property
    def columns(self) -> tuple[str, ...]:
        return (*_STAGES, "chunks", "hypothesis_length", "reference_length", "score", "segments")

    def rows(self, batch: Batch) -> Array:
        words = _words(self.synonyms)
        texts = self._numbered(batch, words)
        kernels = active()
        words.complete_stems()
        parts = (texts.words, texts.text_start, texts.segment_text, words.stems)
        if self.synonyms != "none":
            words.look_up(np.flatnonzero(kernels.meteor_leftover(*parts)))
            words.complete_stems()
        starts, synonyms = words.related()
        return kernels.meteor_rows(*parts, starts, synonyms, self.alpha, self.beta, self.gamma, batch.jobs)

    def score(self, totals: Array) -> Array:
        totals = np.asarray(totals, dtype=np.float64)
        if self.average == "macro":
            mean: Array = totals[..., 6] / np.maximum(totals[..., 7], 1)
            return mean
        matches, chunks = totals[..., :3].sum(axis=-1), totals[..., 3]
        with np.errstate(divide="ignore", invalid="ignore"):
            precision, recall = matches / totals[..., 4], matches / totals[..., 5]
            fmean = precision * recall / (self.alpha * precision + (1 - self.alpha) * recall)
            scores: Array = (1 - self.gamma * (chunks / matches) ** self.beta) * fmean
        return np.where(matches > 0, np.nan_to_num(scores), 0.0)

    def explain(self, hypothesis: str, reference: str) -> dict[str, Any]:
        """The words of both texts and which of them are matched, by position and stage."""
        words = _words(self.synonyms)
        batch = Batch([hypothesis], [[reference]])
        texts = self._numbered(batch, words)
        words.complete_stems()
        hyp, (ref,) = texts.segment(0)
        if self.synonyms != "none":
            words.look_up([words.stems[word] for word in hyp])
            words.complete_stems()
        starts, synonyms = words.related()
        links = greedy_links(hyp, ref, words.stems, lambda word: synonyms[starts[word] : starts[word + 1]])
        split = self._split()
        return {
            "hypothesis": split(hypothesis),
            "reference": split(reference),
            "matches": [
                {"hypothesis": [i, i + 1], "reference": [j, j + 1], "stage": _STAGES[stage]}
                for i, j, stage in links
            ],
        }

    def _split(self) -> Any:
        split = tokenizers.tokenizer(self.tok)
        # Word by word, as NLTK does it: the lower case of a text is not always that of its words.
        return (lambda text: [word.lower() for word in split(text)]) if self.lower else split

    def _numbered(self, batch: Batch, words: _Words) -> NumberedTexts:
        return number_texts(batch, words.numbers, self._split())


class _Words:
    """Every word met so far, with its stem and, once looked up, its synonyms; all as numbers of one table."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.numbers = Numbering()
        self.stems = array("i")
        self._synonyms: dict[int, array[int]] = {}
        self._related: tuple[Any, Any] | None = None

    def complete_stems(self) -> None:
        """Stems of the words that came in since; a stem is a word of the table itself."""
        forms = list(self.numbers)
        while len(self.stems) < len(self.numbers):
            if len(forms) <= len(self.stems):
                forms = list(self.numbers)
            self.stems.append(self.numbers[porter.extended(forms[len(self.stems)])])

    def look_up(self, words: Any) -> None:
        """Find the synonyms of these words, unless they are known."""
        from nlgauge.lexicons.wordnet import wordnet

        missing = [int(word) for word in words if int(word) not in self._synonyms]
        if not missing:
            return
        forms, synonyms = list(self.numbers), wordnet().synonyms
        for word in missing:
            related = synonyms(forms[word])
            self._synonyms[word] = array("i", [word, *(self.numbers[form] for form in related)])
        self._related = None

    def related(self) -> tuple[Any, Any]:
        """Offsets into, and, the synonyms of each word of the table."""
        if self._related is None or len(self._related[0]) != len(self.stems) + 1:
            sizes = np.zeros(len(self.stems) + 1, dtype=np.int64)
            known = sorted(self._synonyms)
            for word in known:
                sizes[word + 1] = len(self._synonyms[word])
            joined = array("i")
            for word in known:
                joined.extend(self._synonyms[word])
            self._related = (np.cumsum(sizes), joined)
        return self._related


@cache
def _words(source: str) -> _Words:
    return _Words(source)
