"""ROUGE-N, ROUGE-L and ROUGE-Lsum (Lin 2004). Equal to rouge_score 0.1.2.

The score of a set is the mean of its segments' scores. With several references, `multi` says how they are
joined: `best` takes the reference with the highest F (rouge_score), `average` the mean of precision, recall
and F, `pooled` sums matches and counts over the references (ROUGE-1.5.5 -f A), and `coco` takes the highest
precision and the highest recall, each from its own reference (coco-caption, with beta=1.2 and tok=none), and
`recall` the reference with the highest recall (ROUGE-1.5.5 -f B). `jackknife` leaves out each reference in turn
and takes the mean, so that scores with M and with M - 1 references can be compared (Lin 2004, section 2.1).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.interface import Tokens
from nlgauge.kernels.python.rouge import Overlap, Rule, lcs_positions, union_levels
from nlgauge.metrics.base import Array, Metric, option, ratio
from nlgauge.metrics.explanation import Edits, Explanation, Figure, Part, Passage, ordinal_reference
from nlgauge.metrics.matching import (
    common_subsequence,
    compared,
    matches_in,
    ngrams,
    order_title,
    segment_sentences,
    segment_words,
)
from nlgauge.text import stemmers, tokenizers

_WORD = re.compile(r"\S+")
_OUTPUTS = ("p", "r", "f1")
_JOINED = {
    "average": "the mean of precision, recall and F",
    "pooled": "matches and sizes are summed",
    "coco": "the highest precision and the highest recall",
    "best": "the highest F",
    "recall": "the highest recall",
}
_IN_UNION = ("not in a common subsequence", "counted", "the output has no more of it")
MULTI = ("best", "average", "pooled", "coco", "recall")


@dataclass(frozen=True)
class RougeBase(Metric):
    """What the ROUGE metrics share: options, rows of precision, recall, F and 1, and their mean."""

    tok: str = option("rouge", "tokeniser; `words` keeps the letters of all scripts", check=tokenizers.check)
    stem: str = option("none", "stemmer; `porter` is rouge_score's use_stemmer", check=stemmers.check)
    multi: str = option("best", "how several references are joined", choices=MULTI)
    jackknife: bool = option(False, "leave out each reference in turn and take the mean")
    beta: float = option(1.0, "how many times recall counts more than precision in F", low=0)
    limit: int = option(0, "words kept of each text, split at white space (ROUGE-1.5.5 -l); 0 keeps all", low=0)
    output: str = option("f1", "which of precision, recall and F is the score", choices=_OUTPUTS, scoring=True)

    bounds = (0.0, 1.0)
    cite = "Lin (2004), ROUGE: a package for automatic evaluation of summaries. Text Summarization Branches Out."
    reference = "rouge_score 0.1.2"
    columns = ("precision", "recall", "f", "segments")

    def score(self, totals: Array) -> Array:
        return ratio(totals[..., _OUTPUTS.index(self.output)], totals[..., 3])

    def _told(self, batch: Batch, rule: Rule, found: Sequence[tuple[Overlap, Part | Sequence[Part]]]) -> Explanation:
        """From the overlap with each reference and what shows it, the explanation with those that count."""
        overlaps = [overlap for overlap, _ in found]
        chosen = rule.chosen(overlaps)
        figures = []
        parts: list[Part] = []
        for k in chosen:
            overlap, shown = found[k]
            precision, recall, f = rule.score(overlap)
            which = "" if len(found) == 1 else f", reference {k + 1}"
            power = "" if rule.root == 1 else f", to the power {rule.root:.4g}"
            figures += [
                Figure(
                    f"precision{which}",
                    precision,
                    f"{overlap.matched:.6g} of {overlap.hypothesis:.6g}{power}",
                ),
                Figure(f"recall{which}", recall, f"{overlap.matched:.6g} of {overlap.reference:.6g}{power}"),
                Figure(f"F{which}", f, f"beta = {self.beta:g}"),
            ]
            parts += shown if isinstance(shown, Sequence) else [shown]
        notes = []
        if len(chosen) > 1:
            how = _JOINED[self.multi] + (", leaving out each reference in turn" if self.jackknife else "")
            notes.append(f"several references: {how}")
        return Explanation.of(
            self,
            batch,
            [*rule(overlaps), 1.0],
            figures=figures,
            parts=parts,
            notes=notes,
            counted=[k + 1 for k in chosen] if len(chosen) < len(found) else (),
        )

    def _tokens(self, batch: Batch, *, sentences: bool = False) -> Tokens:
        return self._limited(batch).tokens(self.tok, stem=self.stem, sentences=sentences)

    def _limited(self, batch: Batch) -> Batch:
        if self.limit == 0:
            return batch
        return replace(
            batch,
            hypotheses=[_first_words(text, self.limit) for text in batch.hypotheses],
            references=[[_first_words(text, self.limit) for text in texts] for texts in batch.references],
            _tokens={},
        )


@dataclass(frozen=True)
class Rouge(RougeBase):
    """Overlap of word n-grams: `rouge@1` is ROUGE-1, `rouge@2` ROUGE-2.

    >>> round(Rouge(order=2).corpus(["the cat sat"], [["the cat sat down"]]), 2)
    0.8
    """

    order: int = option(1, "length of the n-grams", low=1, high=255)

    name = "rouge"
    at = "order"
    always_at = True

    def rows(self, batch: Batch) -> Array:
        return active().rouge_n_rows(self._tokens(batch), self.order, self.multi, self.jackknife, self.beta, batch.jobs)

    def explained(self, batch: Batch) -> Explanation:
        """The n-grams of the output beside those of each reference that counts."""
        words, references = segment_words(self._limited(batch), self.tok, stem=self.stem)
        found = []
        for k, reference in enumerate(references):
            title = f"{order_title(self.order)}, {ordinal_reference(k, len(references))}"
            part = compared(title, ngrams(words, self.order), ngrams(reference, self.order))
            found.append((Overlap(part.matched, part.hypothesis, part.reference), part))
        return self._told(batch, Rule(self.multi, self.jackknife, self.beta, rounded=True), found)


@dataclass(frozen=True)
class RougeL(RougeBase):
    """Longest common subsequence of the two texts, line breaks ignored."""

    name = "rougeL"

    def rows(self, batch: Batch) -> Array:
        return active().rouge_l_rows(self._tokens(batch), self.multi, self.jackknife, self.beta, batch.jobs)

    def explained(self, batch: Batch) -> Explanation:
        """A longest common subsequence with each reference that counts."""
        words, references = segment_words(self._limited(batch), self.tok, stem=self.stem)
        found = []
        for k, reference in enumerate(references):
            pairs = common_subsequence(words, reference)
            title = f"Longest common subsequence with {ordinal_reference(k, len(references))}"
            overlap = Overlap(matches_in(pairs), len(words), len(reference))
            found.append((overlap, Edits.of(title, words, reference, pairs)))
        return self._told(batch, Rule(self.multi, self.jackknife, self.beta), found)


@dataclass(frozen=True)
class RougeLsum(RougeBase):
    """Union longest common subsequence of texts with one sentence a line (Lin 2004, section 3.2)."""

    name = "rougeLsum"

    def rows(self, batch: Batch) -> Array:
        return active().rouge_lsum_rows(
            self._tokens(batch, sentences=True), self.multi, self.jackknife, self.beta, batch.jobs
        )

    def explained(self, batch: Batch) -> Explanation:
        """Which words of each reference are in the union of the common subsequences."""
        sentences, references = segment_sentences(self._limited(batch), self.tok, stem=self.stem)
        size = sum(map(len, sentences))
        found = []
        for k, reference in enumerate(references):
            levels = union_levels(sentences, reference, lcs_positions)
            matched = sum(level == 1 for line in levels for level in line)
            overlap = Overlap(matched, size, sum(map(len, reference)))
            found.append((overlap, in_union(ordinal_reference(k, len(references)), reference, levels)))
        return self._told(batch, Rule(self.multi, self.jackknife, self.beta), found)


def in_union(which: str, sentences: Sequence[Sequence[str]], levels: Sequence[Sequence[int]]) -> list[Passage]:
    """The sentences of a reference with the words of the union marked."""
    several = len(sentences) > 1
    return [
        Passage(
            f"{which[0].upper()}{which[1:]}" + (f", sentence {number}" if several else ""),
            tuple(words),
            tuple(marks),
            _IN_UNION,
        )
        for number, (words, marks) in enumerate(zip(sentences, levels, strict=True), start=1)
    ]


def _first_words(text: str, limit: int) -> str:
    """The text up to its `limit`-th word, line breaks kept."""
    for number, word in enumerate(_WORD.finditer(text), start=1):
        if number == limit:
            return text[: word.end()]
    return text
