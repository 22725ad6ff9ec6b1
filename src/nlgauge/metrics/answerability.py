"""Answerability and the Q-metrics (Nema and Khapra 2018): whether a generated question asks what the reference asks.

Words are of four classes: question words (what, which, who, when, where, why, how), function words, named entities, and
relevant content words, which are the rest. For each class i the words c_i that output and reference share are divided
by the words of the output and of the reference, and the classes are weighted:

    P = Σ w_i · c_i / |output_i|        R = Σ w_i · c_i / |reference_i|        Answerability = 2·P·R / (P + R)
    Q-Metric = δ · Answerability + (1 − δ) · Metric          with BLEU, NIST, METEOR or ROUGE-L as the metric

Where the paper is silent: words are compared without case; whom and whose are question words; each word is of the first
class it fits, in the order above; a class that neither question has is left out, and the weights of the others are
scaled to add up to 1; of several references the one with the most words in common counts (F of all words, without
weights). Sums of counts give the score of a set, as in BLEU; the authors' script takes the mean over questions, and the
weighted mean of each class's own F in place of the formula above, which is the paper's.

The weights (entities .6, question words .2, content .1, function words .1; δ = .7) are those of the authors' script in
its example for SQuAD (github.com/PrekshaNema25/Answerability-Metric). The paper fits them to judgements of each data
set, and so does `nlgauge tune`.

Named entities are words with a capital, as in that script, or what a parser finds (`ner=spacy-en`). A metric without an
upper bound (NIST) is divided by its score of the first reference itself, and counts 1 at most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from nlgauge import models
from nlgauge.errors import SpecError
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, Metric, option, ratio, unprepared
from nlgauge.metrics.explanation import Explanation, Figure
from nlgauge.metrics.spec import parse
from nlgauge.models.catalogue import of_kind
from nlgauge.models.interface import Parse, Parser
from nlgauge.models.resolve import check as check_model
from nlgauge.text import tokenizers
from nlgauge.text.categories import encodable
from nlgauge.text.sentences import FUNCTION_WORDS

QUESTION_WORDS = frozenset(["what", "which", "who", "whom", "whose", "when", "where", "why", "how"])
CLASSES = ("content", "entity", "question", "function")
CAPITALS = "capitals"
_WIDTH = 3 * len(CLASSES)

Words = tuple[Counter[str], ...]  # of each class


def _check_ner(value: str) -> str | None:
    if value == CAPITALS:
        return None
    expected = check_model("parser", value)
    return expected and f"{CAPITALS}, or {expected}"


def _check_base(value: str) -> str | None:
    try:
        metric = parse(value)
    except SpecError as error:
        return f"a metric's spec ({error})"
    fits = metric.additive and metric.direction == "higher" and metric.needs == ("references",)
    if fits and np.isfinite(metric.bounds[0]):
        return None
    return "a metric of which more is better, that has a lowest score and needs references alone, such as bleu"


def _weight(default: float, what: str) -> float:
    weight: float = option(default, f"weight of {what}", low=0.0, high=1.0, scoring=True)
    return weight


@dataclass(frozen=True)
class Answerability(Metric):
    """Weighted overlap of a question's content words, named entities, question words and function words; 0 to 1.

    >>> round(Answerability().corpus(["who directed Titanic ?"], [["who directed the film Titanic ?"]]), 3)
    0.874
    """

    content: float = _weight(0.1, "relevant content words")
    entity: float = _weight(0.6, "named entities")
    question: float = _weight(0.2, "question words")
    function: float = _weight(0.1, "function words")
    ner: str = option(
        CAPITALS,
        "what named entities are: words with a capital, or what this parser finds (an alias, or a folder)",
        check=_check_ner,
        models=of_kind("parser"),
    )
    tok: str = option("words", "tokeniser; `words` drops punctuation", check=tokenizers.check)

    name = "answerability"
    cite = "Nema and Khapra (2018), Towards a better metric for evaluating question generation systems. EMNLP."
    reference = "the paper's formula"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not any(self.weights):
            raise SpecError(f"the fields {', '.join(CLASSES)} of {self.name} are all 0; at least one must count")

    @property
    def weights(self) -> tuple[float, ...]:
        """Of the classes, in their order."""
        return (self.content, self.entity, self.question, self.function)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(f"{side}_{kind}" for kind in CLASSES for side in ("match", "hypothesis", "reference"))

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        return () if self.ner == CAPITALS else (("parser", self.ner),)

    @property
    def model_fact(self) -> str:
        return "" if self.ner == CAPITALS else self._parser().info.fact()

    def _parser(self) -> Parser:
        return models.parser(self.ner, purpose=self.name)

    def rows(self, batch: Batch) -> Array:
        """For each class the words in common, of the output, and of the reference."""
        known = self._classed([*batch.hypotheses, *(text for texts in batch.references for text in texts)])
        found = [
            _closest(known[text], [known[reference] for reference in references])[1]
            for text, references in zip(batch.hypotheses, batch.references, strict=True)
        ]
        return np.array(found, dtype=np.float64).reshape(-1, _WIDTH)

    def score(self, totals: Array) -> Array:
        return self._f(np.asarray(totals, dtype=np.float64))

    def _f(self, totals: Array) -> Array:
        matched, mine, theirs = totals[..., 0::3], totals[..., 1::3], totals[..., 2::3]
        weights = np.where(mine + theirs > 0, self.weights, 0.0)
        whole = weights.sum(axis=-1)
        precision = ratio((weights * ratio(matched, mine)).sum(axis=-1), whole)
        recall = ratio((weights * ratio(matched, theirs)).sum(axis=-1), whole)
        return ratio(2 * precision * recall, precision + recall)

    def _classed(self, texts: Iterable[str]) -> dict[str, Words]:
        """The words of each text by class."""
        kept = list(dict.fromkeys(texts))
        parses = [None] * len(kept) if self.ner == CAPITALS else self._parser().parse(kept)
        return {text: self._classes(text, parse) for text, parse in zip(kept, parses, strict=True)}

    def _classes(self, text: str, parse: Parse | None) -> Words:
        split = tokenizers.tokenizer(self.tok)
        named = None if parse is None else {word for part in _entities(text, parse) for word in split(part)}
        found: Words = tuple(Counter() for _ in CLASSES)
        for word in split(text):
            plain = word.lower()
            if plain in QUESTION_WORDS:
                kind = "question"
            elif plain in FUNCTION_WORDS:
                kind = "function"
            else:
                entity = word[0].isupper() if named is None else word in named
                kind = "entity" if entity else "content"
            found[CLASSES.index(kind)][plain] += 1
        return found

    def explained(self, batch: Batch) -> Explanation:
        """Precision and recall of each class, against the reference with the most words in common."""
        mine, *theirs = self._classed_in_order([batch.hypotheses[0], *batch.references[0]])
        best, row = _closest(mine, theirs)
        return Explanation.of(self, batch, row, figures=self._figures(row), counted=(best + 1,))

    def _classed_in_order(self, texts: Sequence[str]) -> list[Words]:
        known = self._classed(texts)
        return [known[text] for text in texts]

    def _figures(self, row: Sequence[int]) -> list[Figure]:
        """Words of each class in common, and the score of all."""
        counts = zip(CLASSES, self.weights, row[0::3], row[1::3], row[2::3], strict=True)
        figures = [
            Figure(
                f"{kind} words",
                shared,
                f"of {mine} in the output, {theirs} in the reference; weight {weight:g}",
            )
            for kind, weight, shared, mine, theirs in counts
            if mine or theirs
        ]
        total = float(self._f(np.array(row, dtype=np.float64)))
        return [*figures, Figure("answerability", total, "F of the weighted precision and recall")]


def _entities(text: str, parse: Parse) -> list[str]:
    """The named entities of a text, as they are written."""
    read = encodable(text)  # as the parser did
    found = []
    for entity in parse.entities:
        last = parse.words[entity.last - 1]
        found.append(read[parse.words[entity.first].start : last.start + len(last.text)])
    return found


def _closest(mine: Words, references: Sequence[Words]) -> tuple[int, list[int]]:
    """The reference with the most words in common with a question, the first of equals, and the row against it."""
    rows = [_counts(mine, theirs) for theirs in references]
    shares = [2 * sum(row[0::3]) / max(sum(row[1::3]) + sum(row[2::3]), 1) for row in rows]
    best = shares.index(max(shares))
    return best, rows[best]


def _counts(mine: Words, theirs: Words) -> list[int]:
    row: list[int] = []
    for own, other in zip(mine, theirs, strict=True):
        row += [(own & other).total(), own.total(), other.total()]
    return row


@dataclass(frozen=True)
class QMetric(Answerability):
    """A share of answerability and the rest another metric: `qbleu` (1 to 3), `qnist`, `qmeteor`, `qrouge`; 0 to 1.

    >>> metric = QMetric()
    >>> round(metric.corpus(["who directed Titanic ?"], [["who directed the film Titanic ?"]]), 3)
    0.694
    """

    delta: float = option(0.7, "share of answerability; the base has the rest", low=0.0, high=1.0, scoring=True)
    base: str = option(
        "bleu(lower=yes,effective=yes)",
        "the other metric, by its spec, on a scale of 0 to 1",
        check=_check_base,
    )
    fitted: Metric | None = field(default=None, repr=False, compare=False)

    name = "qmetric"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "base", str(parse(self.base)))  # one spelling for one meaning

    @property
    def other(self) -> Metric:
        """The base: fitted on the corpus, where it needs that and `prepare` was called."""
        return parse(self.base) if self.fitted is None else self.fitted

    @property
    def _bounded(self) -> bool:
        return bool(np.isfinite(self.other.bounds[1]))

    @property
    def columns(self) -> tuple[str, ...]:
        base = self.other.columns
        more = () if self._bounded else tuple(f"reference's_{name}" for name in base)
        return (*super().columns, *base, *more)

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        return (*super().models, *self.other.models)

    @property
    def model_fact(self) -> str:
        return "+".join(fact for fact in (super().model_fact, self.other.model_fact) if fact)

    @property
    def lexicon_fact(self) -> str:
        return self.other.lexicon_fact

    @property
    def reads_files(self) -> tuple[str, ...]:
        return self.other.reads_files

    def remarks(self) -> list[str]:
        return self.other.remarks()

    @property
    def needs_prepare(self) -> bool:
        return parse(self.base).needs_prepare

    def prepare(self, corpus: Iterable[Batch]) -> Self:
        return replace(self, fitted=parse(self.base).prepare(corpus)) if self.needs_prepare else self

    def rows(self, batch: Batch) -> Array:
        """The rows of answerability beside those of the base, and the base's of the references where it needs these."""
        if self.needs_prepare and self.fitted is None:
            raise unprepared(f"{self.base} weighs words by all references")
        parts = [super().rows(batch), self.other.rows(batch)]
        if not self._bounded:
            copies = Batch([texts[0] for texts in batch.references], batch.references, jobs=batch.jobs)
            parts.append(self.other.rows(copies))
        return np.concatenate(parts, axis=1)

    def score(self, totals: Array) -> Array:
        totals = np.asarray(totals, dtype=np.float64)
        scores: Array = self.delta * self._f(totals[..., :_WIDTH]) + (1 - self.delta) * self._base(totals)
        return scores

    def _base(self, totals: Array) -> Array:
        """The base's score, from 0 to 1."""
        other = self.other
        width = len(other.columns)
        score = other.score(totals[..., _WIDTH : _WIDTH + width])
        if self._bounded:
            low, high = other.bounds
            scaled: Array = (score - low) / (high - low)
            return scaled
        return np.minimum(ratio(score, other.score(totals[..., _WIDTH + width :])), 1.0)

    def explained(self, batch: Batch) -> Explanation:
        """Both halves, the base with what it shows by itself."""
        mine, *theirs = self._classed_in_order([batch.hypotheses[0], *batch.references[0]])
        row = self.rows(batch)[0]
        shown = self.other.explained(batch)
        half = Figure(f"{self.base}, from 0 to 1", float(self._base(row)), f"weight {1 - self.delta:g}")
        figures = [*self._figures(_closest(mine, theirs)[1]), half, *shown.figures]
        return Explanation.of(self, batch, row, figures=figures, parts=shown.parts, notes=shown.notes)
