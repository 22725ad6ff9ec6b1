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

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from nlgauge.kernels import active, backend
from nlgauge.kernels.batch import Batch, knows
from nlgauge.kernels.interface import Synonyms
from nlgauge.kernels.python.meteor import count_chunks, greedy_links, links_score, splitter
from nlgauge.metrics.base import Array, Metric, option
from nlgauge.metrics.explanation import Explanation, Figure, Link, Links, ordinal_reference
from nlgauge.text import tokenizers

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
    columns = (*_STAGES, "chunks", "hypothesis_length", "reference_length", "score", "segments")

    def rows(self, batch: Batch) -> Array:
        hypotheses: Any = batch.hypotheses
        references: Any = batch.references
        tok: str | None = self.tok
        if not knows(self.tok, "none"):
            split = cache(tokenizers.tokenizer(self.tok))
            hypotheses = [split(text) for text in hypotheses]
            references = [[split(text) for text in texts] for texts in references]
            tok = None
        weights = (self.alpha, self.beta, self.gamma)
        return active().meteor_rows(hypotheses, references, tok, self.lower, self._synonyms(), *weights, batch.jobs)

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
        split = splitter(self.tok, self.lower)
        hypothesis, *references = map(split, (batch.hypotheses[0], *batch.references[0]))
        synonyms = self._synonyms()
        found = [greedy_links(hypothesis, reference, synonyms) for reference in references]
        weights = (self.alpha, self.beta, self.gamma)
        scores = [
            links_score(links, len(hypothesis), len(reference), *weights)
            for links, reference in zip(found, references, strict=True)
        ]
        best = scores.index(max(scores))
        links = found[best]
        part = Links(
            f"Words aligned with {ordinal_reference(best, len(references))}",
            tuple(hypothesis),
            tuple(references[best]),
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

    @property
    def lexicon_fact(self) -> str:
        if self.synonyms == "none":
            return ""
        from nlgauge.lexicons.wordnet import wordnet

        return wordnet().fact

    def _synonyms(self) -> Synonyms | None:
        """The dictionary for the kernels in use."""
        if self.synonyms == "none":
            return None
        from nlgauge.lexicons.wordnet import wordnet

        return wordnet().compiled if backend() == "native" else wordnet()
