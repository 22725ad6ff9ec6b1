"""The features of BEER (Stanojević and Sima'an 2014, 2015): what a trained metric weighs, each a metric by itself.

Adequacy: precision, recall and F1 of words that METEOR's aligner matches (equal, of one stem, or synonyms), of content
words and of function words by themselves, and of character n-grams of lengths 1 to 6.

Order: the matched words of the output in the order of the reference are a permutation, and its trees
(`kernels.permutation_trees`) say how far the order differs. A tree over n words has at most n − 1 nodes:

    monotone, inverted, four, larger = nodes of the kind / (n − 1)
    trees = trees of the permutation / trees of n words in order

`larger` are nodes of more than four blocks. Beside them stand pairs of words that keep their order (skip-bigrams), as a
share of the pairs of the output, of the reference, or of the matched words (kendall: (1 + Kendall's τ) / 2).

The papers do not say what few matches mean: here a single matched word is in order, and none has no order at all (0).
Character n-grams do not run over blanks, and case is ignored. Of several references all features take the one with the
highest mean F1 of character n-grams. The score of a set is made from the sums of all counts, and `trees` is a mean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.python.meteor import Match, all_matches, resolved
from nlgauge.lexicons import meteor as tables
from nlgauge.metrics.base import Array, Metric, best_reference, option, ratio
from nlgauge.metrics.explanation import Explanation, Figure, Link, Links, ordinal_reference
from nlgauge.metrics.meteor_universal import Lexicon, MeteorUniversal, word_file_name

# Permutation trees (Zhang, Gildea and Chiang 2008; Stanojević and Sima'an 2014): how an order of words was changed.
#
# Every permutation divides into blocks of neighbours that stay neighbours, these into blocks again, down to single
# places. A node says how its blocks are ordered: two blocks as they were (monotone) or the other way round (inverted),
# or four and more that no two neighbours of can be joined, such as 2 4 1 3. A permutation has several trees where runs
# of monotone or inverted blocks can be bracketed in several ways, but all of them have the same numbers of nodes.


_LEAF, _MONOTONE, _INVERTED, _OTHER = range(4)


@dataclass(frozen=True)
class Nodes:
    """The nodes of the trees of a permutation, by kind, and how many trees it has."""

    monotone: int
    inverted: int
    four: int  # nodes with four blocks
    larger: int  # nodes with more
    trees: float  # as a share of the trees that the order itself would have


def permutation_nodes(permutation: Sequence[int]) -> Nodes:
    """Count the nodes of a permutation of any distinct numbers, by shifting and reducing: O(n²) at worst."""
    rank = {value: place for place, value in enumerate(sorted(permutation))}
    counts = [0, 0, 0, 0]
    larger = 0
    logarithm = 0.0
    stack: list[tuple[int, int, int, int]] = []  # least and greatest value, kind, blocks of the run it ends
    for value in permutation:
        top = (rank[value], rank[value], _LEAF, 1)
        while found := _reducible(stack, top):
            size, low, high = found
            kind = _OTHER if size > 2 else _MONOTONE if stack[-1][0] < top[0] else _INVERTED
            before = stack[-1]
            del stack[len(stack) - size + 1 :]
            counts[kind] += 1
            larger += size > 4
            run = 1
            if kind != _OTHER:
                # reduced from the left, a run grows at its right end: one more block, C(k) for C(k - 1) bracketings
                run = before[3] + 1 if before[2] == kind else 2
                logarithm += _log_catalan(run - 1) - _log_catalan(run - 2)
            top = (low, high, kind, run)
        stack.append(top)
    most = _log_catalan(len(permutation) - 1)
    return Nodes(counts[_MONOTONE], counts[_INVERTED], counts[_OTHER] - larger, larger, math.exp(logarithm - most))


def _reducible(
    stack: Sequence[tuple[int, int, int, int]], top: tuple[int, int, int, int]
) -> tuple[int, int, int] | None:
    """The fewest blocks, `top` the last of them, whose values follow one another: how many, least, greatest."""
    low, high = top[:2]
    covered = high - low + 1
    for size, (least, greatest, _, _) in enumerate(reversed(stack), start=2):
        low, high, covered = min(low, least), max(high, greatest), covered + greatest - least + 1
        if high - low + 1 == covered:
            return size, low, high
    return None


def _log_catalan(number: int) -> float:
    """The logarithm of the Catalan number: of the ways to bracket number + 1 blocks by two."""
    return math.lgamma(2 * number + 1) - math.lgamma(number + 2) - math.lgamma(number + 1) if number > 0 else 0.0


_LONGEST = 6  # character n-grams
_BEAM = 10  # partial alignments kept: nineteen of twenty alignments are those of METEOR's 40, in a third of the time
_SIDES = ("hypothesis", "reference", "hypothesis_matched", "reference_matched")
_NODES = ("monotone", "inverted", "four", "larger")
_COUNTED: Final = ("words", "content", "function", *(f"char{n}" for n in range(1, _LONGEST + 1)), "skip")
FEATURES = (
    *(f"{counted}-{output}" for counted in _COUNTED for output in ("f1", "p", "r")),
    *_NODES,
    "trees",
    "kendall",
)
_LESS_IS_BETTER = ("inverted", "four", "larger")


@dataclass(frozen=True)
class BeerFeatures(Metric):
    """One feature of BEER: matched words or character n-grams, or how far the order of matched words differs.

    >>> round(BeerFeatures(feature="words-p").corpus(["the cats slept"], [["the cat was asleep"]]), 4)
    0.6667
    """

    feature: str = option("words-f1", "the figure that is the score", choices=FEATURES, scoring=True)
    lang: str = option("en", "language of METEOR's stems and function words", choices=tuple(tables.LANGUAGES))
    function: str = option("meteor", "function words: METEOR's, the path of a list, or `none`", check=word_file_name)

    name = "beer-features"
    cite = (
        "Stanojević and Sima'an (2014), Fitting sentence level translation evaluation with many dense features. EMNLP; "
        "Stanojević and Sima'an (2015), BEER 1.1: ILLC UvA submission to metrics and tuning task. WMT."
    )
    reference = "the papers' formulas; permutation trees checked against all factorisations"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.feature in _LESS_IS_BETTER:
            object.__setattr__(self, "direction", "lower")

    @property
    def columns(self) -> tuple[str, ...]:
        return (
            *(f"char{n}_{side}" for n in range(1, _LONGEST + 1) for side in _SIDES[:3]),
            *(f"{kind}_{side}" for kind in ("content", "function") for side in _SIDES),
            *("hypothesis_pairs", "reference_pairs", "ordered_pairs", "matched_pairs", "turned_pairs"),
            *("nodes", *_NODES, "trees", "segments"),
        )

    def rows(self, batch: Batch) -> Array:
        pairs, chars = self._best(batch)
        texts, words = self._meteor().numbered(pairs)
        counts = []
        for number in range(len(texts)):
            mine, (theirs,) = texts.segment(number)
            links = [(match.hyp, match.ref) for match in _matched(mine, theirs, words)]
            counts.append(_counts(_flags(words, mine), _flags(words, theirs), links))
        return np.hstack([chars, np.array(counts, dtype=np.float64).reshape(len(chars), -1)])

    def _best(self, batch: Batch) -> tuple[Batch, Array]:
        """Each output with its best reference, and their character n-grams."""
        segment = np.repeat(np.arange(len(batch), dtype=np.float64), [len(texts) for texts in batch.references])
        hypotheses = [batch.hypotheses[int(number)] for number in segment]
        references = [[text] for texts in batch.references for text in texts]
        chars = (
            active()
            .chrf_rows(
                hypotheses,
                references=references,
                char_order=_LONGEST,
                word_order=0,
                beta=1.0,
                lower=True,
                whitespace=False,
                eps=False,
                jobs=batch.jobs,
            )
            .reshape(-1, 3 * _LONGEST)
        )
        best = best_reference(segment, _f1(chars[:, 2::3], chars[:, 0::3], chars[:, 1::3]).mean(axis=1))
        pairs = Batch([hypotheses[pair] for pair in best], [references[pair] for pair in best], items=batch.items)
        return pairs, chars[best]

    def score(self, totals: Array) -> Array:
        totals = np.asarray(totals, dtype=np.float64)
        column = dict(zip(self.columns, np.moveaxis(totals, -1, 0), strict=True))
        if self.feature == "trees":
            return ratio(column["trees"], column["segments"])
        if self.feature == "kendall":
            return ratio(column["matched_pairs"] - column["turned_pairs"], column["matched_pairs"])
        if self.feature in _NODES:
            return ratio(column[self.feature], column["nodes"])
        counted, _, output = self.feature.rpartition("-")
        if counted == "skip":
            found = [column[f"{side}_pairs"] for side in ("hypothesis", "reference", "ordered", "ordered")]
        elif counted.startswith("char"):
            found = [column[f"{counted}_{side}"] for side in (*_SIDES[:3], _SIDES[2])]
        else:
            kinds = ("content", "function") if counted == "words" else (counted,)
            found = [sum((column[f"{kind}_{side}"] for kind in kinds), np.zeros(())) for side in _SIDES]
        precision, recall = ratio(found[2], found[0]), ratio(found[3], found[1])
        if output != "f1":
            return precision if output == "p" else recall
        return ratio(2 * precision * recall, precision + recall)

    def explained(self, batch: Batch) -> Explanation:
        """Which words are matched, and every feature."""
        pairs, chars = self._best(batch)
        meteor = self._meteor()
        texts, words = meteor.numbered(pairs)
        mine, (theirs,) = texts.segment(0)
        best = list(batch.references[0]).index(pairs.references[0][0])
        split = meteor.splitter()
        part = Links(
            f"Words aligned with {ordinal_reference(best, len(batch.references[0]))}",
            tuple(split(pairs.hypotheses[0])),
            tuple(split(pairs.references[0][0])),
            tuple(
                Link((match.hyp, match.hyp + 1), (match.ref, match.ref + 1), tables.MODULES[match.module])
                for match in _matched(mine, theirs, words)
            ),
        )
        links = [(link.hypothesis[0], link.reference[0]) for link in part.links]
        row = np.array([*chars[0], *_counts(_flags(words, mine), _flags(words, theirs), links)])
        figures = [Figure(name, float(replace(self, feature=name).score(row))) for name in FEATURES]
        return Explanation.of(self, batch, row, figures=figures, parts=[part], counted=(best + 1,))

    @property
    def lexicon_fact(self) -> str:
        return self._meteor().lexicon_fact

    @property
    def reads_files(self) -> tuple[str, ...]:
        return self._meteor().reads_files

    def _meteor(self) -> MeteorUniversal:
        """Whose aligner matches words; phrases have no place in a permutation."""
        return MeteorUniversal(lang=self.lang, task="li", paraphrases="none", function=self.function, beam=_BEAM)


def _matched(mine: Sequence[int], theirs: Sequence[int], words: Lexicon) -> list[Match]:
    """METEOR's alignment of single words; words that are both synonyms and of one stem are no rivals of themselves."""
    known: dict[tuple[int, int], Match] = {}
    for match in all_matches(mine, theirs, words):
        known.setdefault((match.hyp, match.ref), match)
    return resolved(list(known.values()), len(mine), len(theirs), _BEAM)


def _flags(words: Lexicon, text: Sequence[int]) -> list[int]:
    """Which words of a text are function words."""
    return [words.function[word] for word in text]


def _counts(mine: Sequence[int], theirs: Sequence[int], links: Sequence[tuple[int, int]]) -> tuple[float, ...]:
    """Of an output and a reference, given as flags: words of both kinds, pairs in order, nodes of permutation trees."""
    sides = (mine, theirs, [mine[place] for place, _ in links], [theirs[place] for _, place in links])
    function = [sum(side) for side in sides]
    content = [len(side) - many for side, many in zip(sides, function, strict=True)]
    places = [place for _, place in sorted(links)]
    single = len(places) == 1  # in order by itself, as if it were a pair
    pairs = [len(side) * (len(side) - 1) // 2 for side in (mine, theirs, places)]
    ordered = sum(first < second for place, first in enumerate(places) for second in places[place + 1 :])
    nodes = permutation_nodes(places)
    return (
        *content,
        *function,
        *(*pairs[:2], ordered, pairs[2] + single, pairs[2] - ordered),
        *(
            max(len(places) - 1, 0) + single,
            nodes.monotone + single,
            nodes.inverted,
            nodes.four,
            nodes.larger,
        ),
        *(nodes.trees if places else 0.0, 1.0),
    )


def _f1(matched: Array, mine: Array, theirs: Array) -> Array:
    return ratio(2 * matched, mine + theirs)
