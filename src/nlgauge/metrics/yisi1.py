"""YiSi-1 (Lo 2019, "YiSi: a unified semantic MT quality evaluation and estimation metric"): n-grams of words that are
similar in meaning, weighted by rarity.

Words are as similar as the cosine of their vectors, below 0 not at all; n-grams are compared word by word, and each
n-gram of one text is as well covered as the most similar n-gram of the other covers it. Precision covers the
hypothesis, recall the reference, each with its best reference:

    YiSi-1 = P · R / (α · P + (1 − α) · R)

With word vectors (`model` names a file, or glove) it equals the author's program with `lexsim-type=w2v` and n-grams of
three words: the same word, whatever its case, is similar to degree 1, and an unknown one to no other. With a contextual
encoder words are matched, their vectors the means of their units', or the units themselves. Weights are those of
YiSi-0: log2(1 + (N + 1) / (c + 1)), where c of N references have the word. The score of a set is the mean.

With `structure`, the author's beta, that share of precision and recall is how well semantic frames are covered (see
yisi_structure). Frames are read off a dependency parse, where the author's program runs a role labeller, so scores with
structure are not that program's. Where neither text has a frame the words alone count; there structure is 0 then.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from nlgauge import models
from nlgauge.arrays import Array
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import mean_rows, option
from nlgauge.metrics.explanation import Explanation, Figure, ordinal_reference
from nlgauge.metrics.modelled import (
    dtype_option,
    either_option,
    layers_option,
    model_option,
    tok_option,
    unit_option,
)
from nlgauge.metrics.soft import Contextual, Static, Tokens, chunks
from nlgauge.metrics.yisi0 import (
    Covering,
    Rarity,
    YisiMetric,
    covered_parts,
    covering,
    joined,
    maximum_matching,
    rarity_of,
    references_of,
)
from nlgauge.models.frames import Frame, frames
from nlgauge.models.interface import Parse, Parser

# The structure of YiSi-1 (Lo 2019): how well semantic frames of one text are covered by those of the other.
#
# Predicates are paired so that their similarities add up to most, then the arguments of paired predicates likewise. A
# frame is covered by the weighted mean of its predicate and arguments, and counts by its number of words; for
# precision an argument counts only where both roles are the same. A role weighs one more than the references have of
# it, a predicate a quarter as much for each, as in the author's program.


Span = tuple[int, int]
PREDICATE = "predicate"


@dataclass(frozen=True)
class Filler:
    """A predicate or an argument: its role, and the numbers of its words among those that are matched."""

    role: str
    words: tuple[int, ...]


Placed = tuple[Filler, ...]  # a frame: its predicate, then its arguments


def placed(frames: Iterable[Frame], parse: Parse, spans: Sequence[Span]) -> list[Placed]:
    """Frames by the words that are matched: `spans` says which characters each of those has."""
    found = []
    for frame in frames:
        fillers = [Filler(PREDICATE, _within(frame.predicate, parse, spans))]
        fillers += [Filler(role, _within(words, parse, spans)) for role, words in frame.roles]
        if fillers[0].words:
            found.append(tuple(filler for filler in fillers if filler.words))
    return found


def _within(numbers: Sequence[int], parse: Parse, spans: Sequence[Span]) -> tuple[int, ...]:
    parts = [(word.start, word.start + len(word.text)) for word in (parse.words[number] for number in numbers)]
    return tuple(
        place
        for place, (start, stop) in enumerate(spans)
        if any(start < last and first < stop for first, last in parts)
    )


def role_weights(frames: Iterable[Frame]) -> dict[str, float]:
    """What roles weigh, by how often the references have them."""
    counts: Counter[str] = Counter()
    predicates = 0
    for frame in frames:
        predicates += 1
        counts.update(role for role, _ in frame.roles)
    return {PREDICATE: 1.0 + 0.25 * predicates, **{role: 1.0 + many for role, many in counts.items()}}


@dataclass(frozen=True, eq=False)
class Side:
    """One text: its frames and what its words weigh."""

    frames: list[Placed]
    weights: Array


class Structure:
    """Coverings of frames: fillers of roles are compared as texts are, by their n-grams."""

    def __init__(self, roles: dict[str, float], order: int) -> None:
        self.roles, self.order = roles, order

    def recall(self, mine: Side, theirs: Side, table: Array) -> float:
        """How well frames of the reference are covered; `table` has a row for each word of the output."""
        found = self._aligned(theirs, mine, table.T)
        return self._mean(theirs.frames, [found])

    def precision(self, mine: Side, others: Sequence[tuple[Side, Array]]) -> float:
        """How well frames of the output are covered, each part by the best of the references."""
        found = [self._aligned(mine, theirs, table, alike=True) for theirs, table in others]
        return self._mean(mine.frames, found)

    def _aligned(self, covered: Side, by: Side, table: Array, *, alike: bool = False) -> dict[tuple[int, int], float]:
        """(frame, filler) of the side that is covered -> how well; `table` has a row for each of its words."""
        predicates = [
            [self._similar(covered, table, frame[0], other[0]) for other in by.frames] for frame in covered.frames
        ]
        if not covered.frames or not by.frames:
            return {}
        found = {}
        for frame, partner in maximum_matching(predicates)[0]:
            found[frame, 0] = predicates[frame][partner]
            mine, theirs = covered.frames[frame][1:], by.frames[partner][1:]
            if not mine or not theirs:
                continue
            arguments = [[self._similar(covered, table, argument, other) for other in theirs] for argument in mine]
            for row, column in maximum_matching(arguments)[0]:
                if not alike or mine[row].role == theirs[column].role:
                    found[frame, row + 1] = arguments[row][column]
        return found

    def _similar(self, covered: Side, table: Array, filler: Filler, other: Filler) -> float:
        part = table[np.ix_(filler.words, other.words)]
        return covering(part, covered.weights[list(filler.words)], self.order).score

    def _mean(self, frames: Sequence[Placed], found: Sequence[dict[tuple[int, int], float]]) -> float:
        whole = total = 0.0
        for number, frame in enumerate(frames):
            size = sum(len(filler.words) for filler in frame)
            weights = [self.roles.get(filler.role, 1.0) for filler in frame]
            best = [max((pairs.get((number, k), 0.0) for pairs in found), default=0.0) for k in range(len(frame))]
            total += size * float(np.dot(weights, best)) / sum(weights)
            whole += size
        return total / whole if whole else 0.0


@dataclass(frozen=True)
class Yisi1(YisiMetric):
    """YiSi-1, from 0 to 1: n-grams of words that are similar in meaning, weighted by rarity.

    Scores hang on the model; those of different models cannot be compared.
    """

    model: str = either_option()
    order: int = option(2, "length of the n-grams; the author's program takes 3", low=1, high=100)
    alpha: float = option(0.8, "weight of recall against precision", low=0.0, high=1.0)
    idf: bool = option(True, "weigh words by their rarity in the references")
    layer: str = layers_option()
    unit: str = unit_option("word")
    tok: str = tok_option()
    dtype: str = dtype_option()
    structure: float = option(0.0, "share of semantic frames in the score; the author takes 0.2", low=0.0, high=1.0)
    parser: str = model_option("parser", "spacy-en", "parser whose trees frames are read off")
    roles: tuple[tuple[str, float], ...] = dataclasses.field(default=(), repr=False, compare=False)
    rarity: Rarity | None = dataclasses.field(default=None, repr=False, compare=False)

    name: ClassVar[str] = "yisi1"
    published_on: ClassVar[str] = "BERT"
    cite: ClassVar[str] = (
        "Lo (2019), YiSi: a unified semantic MT quality evaluation and estimation metric for languages with different "
        "levels of available resources. WMT."
    )
    reference: ClassVar[str] = "the author's yisi (lexsim w2v, lexweight learn)"
    at: ClassVar[str | None] = "order"
    weighs: ClassVar[str] = "YiSi-1 weighs words by all references"

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        parser = (("parser", self.parser),) if self.structure else ()
        return (*super().models, *parser)

    @property
    def model_fact(self) -> str:
        fact = super().model_fact
        return f"{fact},{self._parser().info.fact()}" if self.structure else fact

    def _parser(self) -> Parser:
        return models.parser(self.parser, purpose=self.name)

    @property
    def needs_prepare(self) -> bool:
        return self.idf or self.structure > 0

    def prepare(self, corpus: Iterable[Batch]) -> Self:
        """Count in how many references each word occurs and, for structure, how many roles of each kind there are."""
        if not self.needs_prepare:
            return self
        texts = references_of(corpus)
        rarity = rarity_of(self.source[0].split(texts)) if self.idf else None
        roles: dict[str, float] = {}
        if self.structure:
            roles = role_weights(frame for parse in self._parser().parse(texts) for frame in frames(parse))
        return dataclasses.replace(self, rarity=rarity, roles=tuple(sorted(roles.items())))

    def rows(self, batch: Batch) -> Array:
        """The score of each segment, and 1."""
        source = self.source[0]
        found = []
        for part in chunks(batch):
            texts = [text.strip() for texts in (part.hypotheses, *part.references) for text in texts]
            tokens = source.tokens(texts)
            framed = self._placed(tokens)
            for hypothesis, references in zip(part.hypotheses, part.references, strict=True):
                pair = hypothesis.strip(), [text.strip() for text in references]
                compared = [self._compared(source, tokens[pair[0]], tokens[text]) for text in pair[1]]
                scores = np.array([[side.score for side in sides] for _, *sides in compared])
                found.append(self._both(pair, [table for table, *_ in compared], scores, tokens, framed)[0])
        both = np.array(found, dtype=np.float64).reshape(-1, 2)
        return mean_rows(joined(both, self.alpha))

    def _placed(self, tokens: Mapping[str, Tokens]) -> dict[str, list[Placed]]:
        """The frames of each text, by the words that are matched; none without structure."""
        if not self.structure:
            return {}
        parses = zip(tokens, self._parser().parse(list(tokens)), strict=True)
        return {text: placed(frames(parse), parse, tokens[text].spans) for text, parse in parses}

    def _both(
        self,
        pair: tuple[str, Sequence[str]],
        tables: Sequence[Array],
        scores: Array,
        tokens: Mapping[str, Tokens],
        framed: Mapping[str, list[Placed]],
    ) -> tuple[Array, Array]:
        """Precision and recall of a segment, each of the best reference, and their parts that are of structure."""
        flat: Array = scores.max(axis=0)
        if not framed or not any(framed[text] for text in (pair[0], *pair[1])):
            return flat, np.zeros(2)
        structure = Structure(dict(self.roles), self.order)
        mine, *others = (Side(framed[text], self.weights(tokens[text].words)) for text in (pair[0], *pair[1]))
        recalls = [structure.recall(mine, theirs, table) for theirs, table in zip(others, tables, strict=True)]
        shape = np.array([structure.precision(mine, list(zip(others, tables, strict=True))), max(recalls)])
        return self.structure * shape + (1 - self.structure) * flat, shape

    def _compared(self, source: Contextual | Static, mine: Tokens, theirs: Tokens) -> tuple[Array, Covering, Covering]:
        """Similarities of the words of output and reference, and how well either is covered."""
        table = np.maximum(source.similar(mine, theirs), 0.0)
        return table, *self.covered(table, self.weights(mine.words), self.weights(theirs.words))

    def explained(self, batch: Batch) -> Explanation:
        """Which words are matched with which, and what each costs precision and recall."""
        source = self.source[0]
        texts = [text.strip() for text in (batch.hypotheses[0], *batch.references[0])]
        tokens = source.tokens(texts)
        mine, *others = (tokens[text] for text in texts)
        compared = [self._compared(source, mine, theirs) for theirs in others]
        scores = np.array([[side.score for side in found[1:]] for found in compared])
        best = int(np.argmax(joined(scores, self.alpha)))
        tables = [table for table, *_ in compared]
        highest, shape = self._both((texts[0], texts[1:]), tables, scores, tokens, self._placed(tokens))
        table, precision, recall = compared[best]
        labels = [source.labels(text, one) for text, one in zip(texts, (mine, *others), strict=True)]
        output, reference = labels[0], labels[best + 1]
        which = ordinal_reference(best, len(others))
        parts = covered_parts((output, reference), table, (precision, recall), which)
        figures = self.figures(highest, ", best reference")
        notes = [self.note()]
        if self.structure:
            figures += [
                Figure("structure, precision", float(shape[0]), f"frames; {self.structure:g} of precision"),
                Figure("structure, recall", float(shape[1]), f"frames; {self.structure:g} of recall"),
            ]
            notes.append("grid and costs are of words alone: of what precision and recall have beside structure")
        if len(others) > 1 and (scores.max(axis=0) > scores[best]).any():
            notes.append(f"precision and recall are each of the best reference; the parts above are of {which}")
        row = [float(joined(highest, self.alpha)), 1.0]
        return Explanation.of(self, batch, row, figures=figures, parts=parts, notes=notes, counted=[best + 1])
