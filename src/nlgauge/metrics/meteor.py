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
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

import numpy as np

from nlgauge.kernels import active, backend
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.python.meteor import count_chunks, greedy_links, links_score
from nlgauge.kernels.words import NumberedTexts, Numbering, number_texts
from nlgauge.metrics.base import Array, Metric, option
from nlgauge.metrics.explanation import Explanation, Figure, Link, Links, ordinal_reference
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
            words.look_up(np.flatnonzero(kernels.meteor_leftover(*parts, len(words.forms))).tolist())
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

    def explained(self, batch: Batch) -> Explanation:
        """Which words are matched, and by which stage, with the reference that scores best."""
        words = _words(self.synonyms)
        texts = self._numbered(batch, words)
        words.complete_stems()
        hypothesis, references = texts.segment(0)
        if self.synonyms != "none":
            words.look_up([words.stems[word] for word in hypothesis])
        starts, synonyms = words.related()
        found = [
            greedy_links(
                hypothesis, reference, words.stems, lambda word: synonyms[starts[word] : starts[word + 1]]
            )
            for reference in references
        ]
        weights = (self.alpha, self.beta, self.gamma)
        scores = [
            links_score(links, len(hypothesis), len(reference), *weights)
            for links, reference in zip(found, references, strict=True)
        ]
        best = scores.index(max(scores))
        links, split = found[best], self._split()
        part = Links(
            f"Words aligned with {ordinal_reference(best, len(references))}",
            tuple(split(batch.hypotheses[0])),
            tuple(split(batch.references[0][best])),
            tuple(Link((i, i + 1), (j, j + 1), _STAGES[stage]) for i, j, stage in links),
        )
        sizes = (len(part.hypothesis), len(part.reference))
        counts = [sum(link.stage == stage for link in part.links) for stage in _STAGES]
        chunks = count_chunks(links) if links else 0
        row = [*counts, chunks, *sizes, scores[best], 1.0]
        matched = len(links)
        figures = [
            Figure("precision", matched / max(sizes[0], 1), f"{matched} of {sizes[0]} words of the output"),
            Figure("recall", matched / max(sizes[1], 1), f"{matched} of {sizes[1]} words of the reference"),
            Figure("chunks", chunks, f"runs that the {matched} matches fall into"),
            Figure(
                "penalty",
                self.gamma * (chunks / max(matched, 1)) ** self.beta,
                "by chunks per match",
            ),
        ]
        return Explanation.of(self, batch, row, figures=figures, parts=[part], counted=(best + 1,))

    def _split(self) -> Callable[[str], list[str]]:
        split = tokenizers.tokenizer(self.tok)
        if not self.lower:
            return split
        if self.tok == "none":
            return lambda text: text.lower().split()
        # Word by word, as NLTK does it: some tokenisers split by case.
        return lambda text: [word.lower() for word in split(text)]

    def _numbered(self, batch: Batch, words: _Words) -> NumberedTexts:
        return number_texts(batch, words.numbers, self._split(), remember=self.tok != "none")


class _Words:
    """Every word met so far with its stem, and of stems, once looked up, the synonyms; both as numbers of forms."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.numbers = Numbering()
        self.forms = Numbering()
        self.stems = array("i")
        self._looked_up: set[int] = set()
        self._synonyms: dict[int, array[int]] = {}
        self._related: tuple[Any, Any] | None = None

    def complete_stems(self) -> None:
        """Stems of the words that came in since."""
        new = list(islice(self.numbers, len(self.stems), None))
        if new:
            self.stems.extend(self.forms[stem] for stem in _stems(new))

    def look_up(self, forms: Iterable[int]) -> None:
        """Find the synonyms of these forms, unless they are known."""
        missing = [form for form in forms if form not in self._looked_up]
        if not missing:
            return
        from nlgauge.lexicons.wordnet import wordnet

        self._looked_up.update(missing)
        words, number = list(self.forms), self.forms.__getitem__
        synonyms = wordnet().synonyms_of([words[form] for form in missing], backend() == "native")
        for form, found in zip(missing, synonyms, strict=True):
            if found:
                self._synonyms[form] = array("i", map(number, found))
        self._related = None

    def related(self) -> tuple[Any, Any]:
        """Offsets into, and, the synonyms of each form."""
        if self._related is None or len(self._related[0]) != len(self.forms) + 1:
            sizes = np.zeros(len(self.forms) + 1, dtype=np.int64)
            joined = array("i")
            for form in sorted(self._synonyms):
                sizes[form + 1] = len(self._synonyms[form])
                joined.extend(self._synonyms[form])
            self._related = (np.cumsum(sizes), joined)
        return self._related


def _stems(words: list[str]) -> list[str]:
    """NLTK's Porter stems, of words of any length."""
    if backend() != "native":
        return [porter.extended(word) for word in words]
    from nlgauge._native import stem_porter

    stems = stem_porter([word.lower() for word in words])
    # NLTK leaves one or two letters alone, counted before they are lower-cased, which may make three of them.
    return [
        porter.extended(word) if len(word) < 3 and not word.isascii() else stem
        for word, stem in zip(words, stems, strict=True)
    ]


@cache
def _words(source: str) -> _Words:
    return _Words(source)
