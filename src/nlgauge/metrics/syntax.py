"""syntax: overlap of grammatical relations, as metrics over dependency parses count them.

Words are lower-cased and punctuation is left out. With `items` for the formulas, a feature counts

    relations         a word, its head and the relation between them (the triples of Owczarzak et al. 2007)
    heads             a word and its head
    ruled             a word and its relation to its head (DP-Or-* of Giménez and Màrquez 2007)
    levels            a word and its depth in the tree (DP-Ol-*)
    parts             a word and its part of speech (DP-Oc-*)
    chains            words with head, head of the head and so on, of 1 to 4 words (HWCM, Liu and Gildea 2005)
    chains-parts      the same chains, of parts of speech (DP-HWCMc-4)
    chains-relations  the same chains, of relations (DP-HWCMr-4)

HWCM proper is `syntax(feature=chains,output=p)`. The authors parse with Minipar or Collins's parser; here it is spaCy.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nlgauge import models
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, option, ratio
from nlgauge.metrics.explanation import Explanation, Figure
from nlgauge.metrics.matching import Gram, compared
from nlgauge.metrics.modelled import ModelMetric, model_option
from nlgauge.models.interface import Kind, Parse, Parser, Word

# Overlap of what a parser finds in two texts: the counting that `syntax` and `semantics` share.
#
# A feature names a kind of item, such as a word with its head; a text has each item some number of times. With m the
# items that output and reference have in common, each as often as both have it,
#
#     p = m / items of the output      r = m / items of the reference      f1 = 2 m / (items of both)
#     overlap = m / (items of both − m)
#
# which is the overlap of Giménez and Màrquez (2007). Items of several lengths (chains) are counted for each length,
# and the score is the mean over the lengths that either text has. Where neither text has any item, nothing is missing:
# 1. Of several references each feature takes the one with the best f1. The score of a set is made from the sums of all
# counts.


Items = Counter[Gram]
Found = Mapping[str, Sequence[Items]]  # feature -> its items, those of each length by themselves
OUTPUTS = {"f1": "F1", "p": "precision", "r": "recall", "overlap": "overlap"}
_COUNTS = ("hypothesis", "reference", "matched")


def output_option() -> Any:
    """The field that says how counts become a score."""
    told = "F1, precision, recall, or matches by items of either text (overlap)"
    return option("f1", told, choices=tuple(OUTPUTS), scoring=True)


class ItemMetric(ModelMetric):
    """Base of the metrics of overlapping items."""

    kind: ClassVar[Kind] = "parser"
    needs: ClassVar[tuple[str, ...]] = ("references", "parser")
    lengths: ClassVar[Mapping[str, int]]  # feature -> how many lengths its items have
    plurals: ClassVar[Mapping[str, str]]  # feature -> what its items are called

    feature: str
    output: str

    @staticmethod
    @abstractmethod
    def items(parse: Parse) -> Found:
        """The items of a text, of every feature."""

    def loaded(self) -> Parser:
        """The parser, loaded once in a process."""
        return models.parser(self.model, purpose=self.name)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(
            f"{feature}{number or ''}_{count}"
            for feature, many in self.lengths.items()
            for number in (range(1, many + 1) if many > 1 else (0,))
            for count in _COUNTS
        )

    def rows(self, batch: Batch) -> Array:
        found = self._found(batch)
        rows = np.zeros((len(batch), len(self.columns)))
        for number, (text, texts) in enumerate(zip(batch.hypotheses, batch.references, strict=True)):
            rows[number] = self._row([_counts(found[text], found[other]) for other in dict.fromkeys(texts)])
        return rows

    def _found(self, batch: Batch) -> dict[str, Found]:
        """The items of each distinct text."""
        texts = list(dict.fromkeys([*batch.hypotheses, *(text for some in batch.references for text in some)]))
        parses = self.loaded().parse(texts)
        return {text: self.items(parse) for text, parse in zip(texts, parses, strict=True)}

    def _row(self, pairs: Sequence[Array]) -> Array:
        """Of the counts with each reference, those of the best for each feature."""
        if len(pairs) == 1:
            return pairs[0]
        row, start = np.zeros(len(self.columns)), 0
        for many in self.lengths.values():
            part = slice(start, start + 3 * many)
            row[part] = max((pair[part] for pair in pairs), key=lambda counts: float(_score(counts, "f1")))
            start += 3 * many
        return row

    def score(self, totals: Array) -> Array:
        return _score(np.asarray(totals, dtype=np.float64)[..., self._part(self.feature)], self.output)

    def void(self, totals: Array) -> str:
        if totals[self._part(self.feature)].any():
            return ""
        return f"neither outputs nor references have {self.plurals[self.feature]}, so there is nothing to score"

    def _part(self, feature: str) -> slice:
        """The columns of a feature."""
        names = list(self.lengths)
        start = 3 * sum(self.lengths[name] for name in names[: names.index(feature)])
        return slice(start, start + 3 * self.lengths[feature])

    def explained(self, batch: Batch) -> Explanation:
        """The items of both texts, those that count, and the other features."""
        found = self._found(batch)
        mine, texts = found[batch.hypotheses[0]], batch.references[0]
        pairs = [_counts(mine, found[text]) for text in texts]
        part = self._part(self.feature)
        best = max(range(len(pairs)), key=lambda number: float(_score(pairs[number][part], "f1")))
        row = self._row(pairs)
        title = f"{self.plurals[self.feature][0].upper()}{self.plurals[self.feature][1:]}"
        several = self.lengths[self.feature] > 1
        sides = zip(mine[self.feature], found[texts[best]][self.feature], strict=True)
        shown = [
            compared(f"{title}, length {number}" if several else title, *both)
            for number, both in enumerate(sides, start=1)
        ]
        row[part] = [count for grams in shown for count in (grams.hypothesis, grams.reference, grams.matched)]
        figures = [
            Figure(f"{OUTPUTS[self.output]} of {said}", float(_score(row[self._part(feature)], self.output)))
            for feature, said in self.plurals.items()
            if row[self._part(feature)].any()
        ]
        counted = (best + 1,) if len(texts) > 1 else ()
        return Explanation.of(self, batch, row, figures=figures, parts=shown, counted=counted)


def _counts(mine: Found, theirs: Found) -> Array:
    """Of every feature and length: items of the output, of the reference, of both."""
    return np.array(
        [
            count
            for feature, lengths in mine.items()
            for items, others in zip(lengths, theirs[feature], strict=True)
            for count in (
                items.total(),
                others.total(),
                sum(min(many, others[item]) for item, many in items.items()),
            )
        ],
        dtype=np.float64,
    )


def _score(counts: Array, output: str) -> Array:
    """From the counts (..., 3 × lengths) of one feature to its score."""
    mine, theirs, matched = counts[..., 0::3], counts[..., 1::3], counts[..., 2::3]
    parts, wholes = {
        "f1": (2 * matched, mine + theirs),
        "p": (matched, mine),
        "r": (matched, theirs),
        "overlap": (matched, mine + theirs - matched),
    }[output]
    there = mine + theirs > 0
    lengths = there.sum(axis=-1)
    mean = ratio(np.where(there, ratio(parts, wholes), 0.0).sum(axis=-1), lengths)
    return np.where(lengths > 0, mean, 1.0)


_LONGEST = 4  # words of a chain
_CHAINS = ("chains", "chains-parts", "chains-relations")
PLURALS = {
    "relations": "words with head and relation",
    "heads": "words with their heads",
    "ruled": "words with their relations",
    "levels": "words by level of the tree",
    "parts": "words by part of speech",
    "chains": "chains of head words",
    "chains-parts": "chains of parts of speech",
    "chains-relations": "chains of relations",
}


@dataclass(frozen=True)
class Syntax(ItemMetric):
    """Overlap of grammatical relations, from dependency parses of output and reference; 0 to 1.

    `feature` says what is counted: words with head and relation by default, or chains of heads (HWCM), words by
    relation, level or part of speech.
    """

    model: str = model_option("parser", "spacy-en")
    feature: str = option("relations", "what is counted", choices=tuple(PLURALS), scoring=True)
    output: str = output_option()

    name = "syntax"
    cite = (
        "Giménez and Màrquez (2007), Linguistic features for automatic evaluation of heterogenous MT systems. WMT; "
        "Liu and Gildea (2005), Syntactic features for evaluation of machine translation. ACL workshop; "
        "Owczarzak, van Genabith and Way (2007), Dependency-based automatic evaluation for machine translation. SSST."
    )
    reference = "the papers' formulas, over the trees of another parser"
    plurals = PLURALS
    lengths = {feature: _LONGEST if feature in _CHAINS else 1 for feature in PLURALS}

    @staticmethod
    def items(parse: Parse) -> Found:
        return relations(parse)


def relations(parse: Parse) -> Found:
    """The items of every feature."""
    words = parse.words
    kept = [number for number, word in enumerate(words) if word.pos not in ("PUNCT", "SPACE")]
    paths = {number: _path(parse, number) for number in kept}
    single: dict[str, Items] = {name: Counter() for name in PLURALS if name not in _CHAINS}
    for number in kept:
        word = words[number]
        text, path = word.text.lower(), paths[number]
        head = words[path[1]].text.lower() if len(path) > 1 else ""
        single["relations"][text, word.dep, head] += 1
        single["heads"][text, head] += 1
        single["ruled"][text, word.dep] += 1
        single["levels"][text, str(len(path))] += 1
        single["parts"][text, word.pos] += 1
    tells: tuple[Callable[[Word], str], ...] = (_text, _part, _relation)
    chains = {
        name: [
            Counter(
                tuple(tell(words[place]) for place in path[:length]) for path in paths.values() if len(path) >= length
            )
            for length in range(1, _LONGEST + 1)
        ]
        for name, tell in zip(_CHAINS, tells, strict=True)
    }
    return {**{name: [items] for name, items in single.items()}, **chains}


def _path(parse: Parse, number: int) -> list[int]:
    """A word, its head and so on to the root."""
    path = [number]
    while (head := parse.words[path[-1]].head) != path[-1] and len(path) <= len(parse.words):
        path.append(head)
    return path


def _text(word: Word) -> str:
    return word.text.lower()


def _part(word: Word) -> str:
    return word.pos


def _relation(word: Word) -> str:
    return word.dep
