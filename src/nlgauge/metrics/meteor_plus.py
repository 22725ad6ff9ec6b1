"""METEOR++ (Guo, Ruan and Hu 2018) and METEOR++ 2.0 (Guo and Hu 2019), on top of METEOR Universal.

No program of the authors is at hand; these are definitions of ours after what the papers' abstracts and the survey of
Sai et al. (2022) say.

From these: METEOR++ treats *copy words* apart, words that every paraphrase of a sentence keeps (names, numbers,
words without synonyms): an output that lacks one of the reference's is incomplete, one that has another is
inconsistent. METEOR++ 2.0 adds a stage that matches *syntactic* paraphrases, patterns that need not be contiguous.

Our reading: precision and recall of the copy words enter METEOR's precision and recall with a weight of their own,

    P = (1 − κ) · P_meteor + κ · (copy words of the output that the reference has) / (copy words of the output)

and R likewise with the reference's; a side without copy words keeps METEOR's. A pattern of the table matches where one
of the pair is found in the output, the other in the reference, and METEOR's alignment links a word of each gap with a
word of the same gap; its words that are not matched yet then count as matched. It is left out where it would lower the
score.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice, pairwise
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np

from nlgauge.errors import InputError, MissingResource
from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.interface import MeteorLexicon
from nlgauge.kernels.pool import NumberedTexts
from nlgauge.kernels.python.meteor import COLUMNS, Match, align, statistics
from nlgauge.lexicons import meteor as tables
from nlgauge.lexicons.digests import file_state
from nlgauge.lexicons.phrases import (
    Occurrence,
    Pattern,
    Patterns,
    gaps_of,
    occurrences,
    pieces,
    stored_patterns,
)
from nlgauge.metrics.base import Array, best_reference, option
from nlgauge.metrics.explanation import Explanation, Figure, Ngram, Ngrams, Part, Passage
from nlgauge.metrics.meteor_universal import MeteorUniversal, is_whole, refuse_endless

_COPY = ("hypothesis_copy_words", "reference_copy_words", "copy_matches")
_SYNTACTIC = tuple(
    f"syntactic_{kind}_{side}" for kind in ("content", "function") for side in ("hypothesis", "reference")
)
_SENTENCE_END = re.compile(r"[.!?:…][\"'”’)\]]*$")
_LONGEST = 1_000  # words of a text that is searched for patterns: the search is in plain Python
_TRIED = 200  # places of a pattern looked at in one text: a bound for texts that repeat its words


def _copy_name(value: str) -> str | None:
    fine = value in ("shape", "none") or bool(Path(value).suffix) or "/" in value
    return None if fine else "`shape`, `none` or the path of a file with one word a line"


def _patterns_name(value: str) -> str | None:
    fine = value in ("user", "none") or bool(Path(value).suffix) or "/" in value
    return None if fine else "`user`, `none` or the path of a file with pairs of patterns"


class _Read(NamedTuple):
    """Outputs with one reference each: as numbers of words, what is known of these, and how they are spelt."""

    pairs: Batch
    texts: NumberedTexts
    lexicon: MeteorLexicon
    names: list[str]


@dataclass(frozen=True)
class MeteorPlus(MeteorUniversal):
    """METEOR++: METEOR Universal with a term of its own for words that must be copied; 0 to 1.

    Copy words are, by default, those written with a digit or a capital (at the start of a sentence: a second capital)
    in output or reference, function words excepted. A list of one's own can be named (`nlgauge lexicon copy-words`
    makes one), and words rare in the references can be added. How the term is joined and its weight are ours: of the
    paper only the abstract was at hand.
    """

    copy: str = option(
        "shape",
        "copy words: by their `shape` (capitals, digits), the path of a list, or `none`",
        check=_copy_name,
    )
    rare: int = option(0, "words up to this frequency in all references are copy words too", low=0)
    kappa: float = option(0.25, "weight of copy words in precision and recall", low=0, high=1)
    scarce: frozenset[str] | None = dataclasses.field(default=None, repr=False, compare=False)

    name = "meteor++"
    cite = "Guo, Ruan and Hu (2018), Meteor++: incorporating copy knowledge into machine translation evaluation. WMT."
    reference = (
        "a definition of ours after the paper's abstract and the survey, no program being at hand; METEOR Universal "
        "where there are no copy words"
    )

    @property
    def columns(self) -> tuple[str, ...]:
        return (*super().columns, *_COPY)

    @property
    def reads_files(self) -> tuple[str, ...]:
        return (*super().reads_files, *([] if self.copy in ("shape", "none") else [self.copy]))

    @property
    def needs_prepare(self) -> bool:
        return self.rare > 0

    def prepare(self, corpus: Iterable[Batch]) -> Self:
        split = self.splitter()
        counts = Counter(
            word for batch in corpus for texts in batch.references for text in texts for word in split(text)
        )
        return dataclasses.replace(self, scarce=frozenset(word for word, count in counts.items() if count <= self.rare))

    def rows(self, batch: Batch) -> Array:
        if self.rare and self.scarce is None:
            raise InputError(
                f"{self.name} with rare={self.rare} counts words in all references of the corpus; call "
                "prepare(corpus) and take the rows of the metric it returns"
            )
        pairs = [(h, text) for h, texts in zip(batch.hypotheses, batch.references, strict=True) for text in texts]
        owner = np.repeat(np.arange(len(batch), dtype=np.float64), [len(texts) for texts in batch.references])
        flat = Batch([h for h, _ in pairs], [[text] for _, text in pairs], jobs=batch.jobs)
        read = self._read(flat)
        refuse_endless(lambda pair: batch.place(int(owner[pair])), read.texts)
        parameters, weights = self.weights()
        parts = (read.texts.words, read.texts.text_start, read.texts.segment_text)
        base = active().meteor_beam_rows(*parts, read.lexicon, parameters, weights, self.beam, batch.jobs)
        rows = self._extended(base, read)
        rows = rows[best_reference(owner, self.score(rows))]
        rows[is_whole(rows), 20] = 0  # patterns may have joined the last chunks
        return rows

    def explained(self, batch: Batch) -> Explanation:
        """METEOR's alignment with the reference that scores best, and the copy words of both texts."""
        one_by_one = [Batch(batch.hypotheses, [[text]]) for text in batch.references[0]]
        rows = np.concatenate([self.rows(part) for part in one_by_one])
        best = int(np.argmax(self.score(rows)))
        _, part = self._aligned(batch, best)
        parts: list[Part] = [part, *self._shown(self._read(one_by_one[best]), rows[best])]
        figures = [*self._figures(rows[best], part), *self._own_figures(rows[best])]
        return Explanation.of(self, batch, rows[best], figures=figures, parts=parts, counted=(best + 1,))

    def _read(self, pairs: Batch) -> _Read:
        """Outputs with one reference each, as the aligner sees them."""
        texts, lexicon = self._words().number(pairs, self.splitter())
        return _Read(pairs, texts, lexicon, self._words().names())

    def _shown(self, read: _Read, row: Array) -> list[Part]:
        """What this metric adds to METEOR's alignment, for an output with one reference."""
        here, there = self._copy_words(read, 0, {})
        rows = [
            Ngram((read.names[word],), here[word], there[word], min(here[word], there[word]))
            for word in dict.fromkeys([*here, *there])
        ]
        return [Ngrams("Copy words", tuple(rows))] if rows else []

    def _own_figures(self, row: Array) -> list[Figure]:
        here, there, shared = row[COLUMNS : COLUMNS + 3].tolist()
        how = f"the output has {here:g} copy words, the reference {there:g}; weight {self.kappa:g}"
        return [Figure("copy words shared", shared, how)]

    def _extended(self, base: Array, read: _Read) -> Array:
        """The rows of METEOR, and copy words of each hypothesis and its reference, and how many they share."""
        counts = np.zeros((len(read.texts), 3))
        shaped: dict[str, frozenset[str]] = {}
        for number in range(len(read.texts)):
            here, there = self._copy_words(read, number, shaped)
            counts[number] = here.total(), there.total(), (here & there).total()
        return np.concatenate([base, counts], axis=1)

    def _copy_words(self, read: _Read, number: int, shaped: dict[str, frozenset[str]]) -> list[Counter[int]]:
        """How often each copy word stands in a hypothesis, and in its reference; `shaped` remembers texts."""
        if self.copy == "none" and not self.rare:
            return [Counter(), Counter()]
        own = self._listed
        if self.copy == "shape":
            for text in (read.pairs.hypotheses[number], read.pairs.references[number][0]):
                if text not in shaped:
                    shaped[text] = self._shaped(text)
                own |= shaped[text]
        hyp, (ref,) = read.texts.segment(number)
        names, function = read.names, read.lexicon.function
        return [Counter(w for w in text if names[w] in own and not function[w]) for text in (hyp, ref)]

    @cached_property
    def _listed(self) -> frozenset[str]:
        scarce = self.scarce or frozenset()
        scarce = frozenset(word for word in scarce if any(sign.isalnum() for sign in word))
        if self.copy in ("shape", "none"):
            return scarce
        split = self.splitter()
        return scarce | {part for word in tables.word_file(Path(self.copy), "copy words") for part in split(word)}

    def _shaped(self, text: str) -> frozenset[str]:
        """The words, as METEOR sees them, that are written with a digit or a capital."""
        split = self.splitter()
        found: set[str] = set()
        starts = True
        for token in text.split():
            for part in token.split("-"):
                letters = [sign for sign in part if sign.isalnum()]
                if any(map(str.isdigit, letters)) or any(map(str.isupper, letters[1 if starts else 0 :])):
                    found.update(word for word in split(part) if any(map(str.isalnum, word)))
                starts = starts and not letters
            starts = starts or bool(_SENTENCE_END.search(token))
        return frozenset(found)

    def _rates(self, precision: Array, recall: Array, totals: Array) -> tuple[Array, Array]:
        shared = totals[..., COLUMNS + 2]

        def joined(rate: Array, copied: Array) -> Array:
            term = (1 - self.kappa) * rate + self.kappa * shared / copied
            return np.where(copied > 0, term, rate)

        return joined(precision, totals[..., COLUMNS]), joined(recall, totals[..., COLUMNS + 1])


@dataclass(frozen=True)
class MeteorPlus2(MeteorPlus):
    """METEOR++ 2.0: METEOR++ with a further stage for syntactic paraphrases; 0 to 1.

    The table of patterns is the user's (`patterns=FILE`, or the environment variable NLGAUGE_PATTERNS): a pair a line,
    separated by a tab, with gaps [1], [2] … in both. The authors took theirs from PPDB. When a pattern counts, the
    weight of the stage and the length of gaps are ours: of the paper only the abstract was at hand. `copy=none` gives
    the metric with syntax only. Texts of more than 1,000 words are not searched for patterns.
    """

    patterns: str = option(
        "user",
        "syntactic paraphrases: the file NLGAUGE_PATTERNS names (`user`), the path of another, or `none`",
        check=_patterns_name,
    )
    syntactic: float = option(0.6, "weight of syntactic matches", low=0, high=1)
    gap: int = option(8, "most words in a gap", low=1, high=100)

    name = "meteor++2"
    cite = (
        "Guo and Hu (2019), Meteor++ 2.0: adopt syntactic level paraphrase knowledge into machine translation "
        "evaluation. WMT."
    )
    reference = (
        "a definition of ours after the paper's abstract and the survey, no program being at hand; METEOR++ where no "
        "pattern matches"
    )

    @property
    def columns(self) -> tuple[str, ...]:
        return (*super().columns, *_SYNTACTIC)

    @property
    def reads_files(self) -> tuple[str, ...]:
        return (*super().reads_files, *([] if self.patterns == "none" else [str(self._pattern_file())]))

    def _matched(self, totals: Array) -> list[Array]:
        delta = self.weights()[0][3]
        new = totals[..., COLUMNS + 3 :]
        return [
            matched + self.syntactic * (delta * new[..., side] + (1 - delta) * new[..., side + 2])
            for side, matched in enumerate(super()._matched(totals))
        ]

    def _extended(self, base: Array, read: _Read) -> Array:
        rows = super()._extended(base, read)
        rows = np.concatenate([rows, np.zeros((len(rows), 4))], axis=1)
        table = self._patterns()
        if table is None:
            return rows
        for number in range(len(read.texts)):
            if stage := self._stage(table, read, number, rows[number]):
                rows[number] = stage.row()
        return rows

    def _stage(self, table: Patterns, read: _Read, number: int, row: Array) -> _Stage | None:
        """METEOR's alignment grown by the patterns; None where no pattern of the table is in these texts."""
        hyp, (ref,) = read.texts.segment(number)
        if max(len(hyp), len(ref)) > _LONGEST:
            return None
        words = [read.names[w] for w in hyp], [read.names[w] for w in ref]
        candidates = table.between(*words)
        if not candidates:
            return None
        links = align(hyp, ref, read.lexicon, self.beam)
        stage = _Stage((hyp, ref), links, read.lexicon, row[COLUMNS : COLUMNS + 3])
        for patterns in candidates:
            self._apply(stage, patterns, words)
        return stage

    def _shown(self, read: _Read, row: Array) -> list[Part]:
        """The copy words, and the words that patterns match."""
        parts = super()._shown(read, row)
        table = self._patterns()
        stage = table and self._stage(table, read, 0, row)
        if stage and any(row[COLUMNS + 3 :]):
            legend = ("not matched", "matched by METEOR", "matched by a pattern")
            for side, (title, text) in enumerate(zip(("The output", "The reference"), stage.texts, strict=True)):
                shown = tuple(read.names[word] for word in text)
                parts.append(Passage(f"{title} with its patterns", shown, stage.levels(side), legend))
        return parts

    def _own_figures(self, row: Array) -> list[Figure]:
        new = row[COLUMNS + 3 :].tolist()
        how = f"words of the output; the reference has {new[1] + new[3]:g}; weight {self.syntactic:g}"
        return [*super()._own_figures(row), Figure("matched by patterns", new[0] + new[2], how)]

    def _patterns(self) -> Patterns | None:
        if self.patterns == "none":
            return None
        path = self._pattern_file()
        return stored_patterns(path, file_state(path))

    def _pattern_file(self) -> Path:
        path = self.patterns if self.patterns != "user" else os.environ.get("NLGAUGE_PATTERNS", "")
        if not path:
            raise MissingResource(
                "METEOR++ 2.0",
                "a table of syntactic paraphrases",
                "name a file with one pair of patterns a line (not only [1] but also [2], a tab, both [1] and [2]) "
                "with patterns=PATH or NLGAUGE_PATTERNS, or leave the stage out with patterns=none",
            )
        if not Path(path).is_file():
            raise InputError(f"there is no table of syntactic paraphrases {path}")
        return Path(path)

    def _apply(
        self, stage: _Stage, patterns: tuple[Pattern, Pattern], words: tuple[Sequence[str], Sequence[str]]
    ) -> None:
        """Match a pair of patterns wherever it does not lower the score."""
        found = (islice(occurrences(*side, self.gap), _TRIED) for side in zip(patterns, words, strict=True))
        here, theirs = map(list, found)
        for mine in here:
            for its in theirs:
                if not stage.fits(mine, its):
                    continue
                before = stage.state()
                score = float(self.score(stage.row()))
                stage.take((mine, its), patterns)
                if float(self.score(stage.row())) < score:
                    stage.restore(before)


class _Stage:
    """An alignment of one pair of texts that grows by patterns."""

    def __init__(
        self, texts: tuple[Sequence[int], Sequence[int]], links: list[Match], lexicon: MeteorLexicon, copied: Array
    ) -> None:
        self.texts = texts
        self._lexicon = lexicon
        self._links = links
        self._partner = {m.hyp: m.ref for m in links}
        self._base = np.array([*statistics(*texts, links, lexicon), *copied, 0, 0, 0, 0])
        linked_hyp = {i for m in links for i in range(m.hyp, m.hyp + m.hyp_size)}
        linked_ref = {j for m in links for j in range(m.ref, m.ref + m.ref_size)}
        self._linked = (frozenset(linked_hyp), frozenset(linked_ref))
        self._new: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())
        self._runs: tuple[Match, ...] = ()  # pieces of patterns that stand for each other

    def state(self) -> tuple[tuple[frozenset[int], frozenset[int]], tuple[Match, ...]]:
        return self._new, self._runs

    def restore(self, state: tuple[tuple[frozenset[int], frozenset[int]], tuple[Match, ...]]) -> None:
        self._new, self._runs = state

    def levels(self, side: int) -> tuple[int, ...]:
        """Of each word of a text: 0 not matched, 1 by METEOR's stages, 2 by a pattern."""
        linked, new = self._linked[side], self._new[side]
        return tuple(2 if place in new else int(place in linked) for place in range(len(self.texts[side])))

    def fits(self, mine: Occurrence, its: Occurrence) -> bool:
        """Whether there is a word to gain and each gap has a link into the same gap of the other text.

        A word serves in one pattern only.
        """
        if not (self._new[0].isdisjoint(mine.words) and self._new[1].isdisjoint(its.words)):
            return False
        if self._linked[0].issuperset(mine.words) and self._linked[1].issuperset(its.words):
            return False
        return all(
            any(low <= self._partner.get(place, -1) < high for place in range(*mine.gaps[gap]))
            for gap, (low, high) in its.gaps.items()
        )

    def take(self, places: tuple[Occurrence, Occurrence], patterns: tuple[Pattern, Pattern]) -> None:
        """Count the free words of both patterns as matched; free pieces in the same place go together."""
        (mine, its), (pattern, other) = places, patterns
        free = (frozenset(mine.words) - self._linked[0], frozenset(its.words) - self._linked[1])
        if gaps_of(pattern) == gaps_of(other):
            for one, two in zip(pieces(pattern), pieces(other), strict=True):
                here, there = [mine.words[k] for k in one], [its.words[k] for k in two]
                if here and there and free[0].issuperset(here) and free[1].issuperset(there):
                    self._runs += (Match(there[0], len(here), here[0], 0, len(there)),)
        self._new = (self._new[0] | free[0], self._new[1] | free[1])

    def row(self) -> Array:
        """METEOR's statistics with the new matches."""
        row = self._base.copy()
        for side, (text, places) in enumerate(zip(self.texts, self._new, strict=True)):
            for place in places:
                word = text[place]
                row[COLUMNS + 3 + side + 2 * self._lexicon.function[word]] += self._lexicon.sizes[word]
            row[21 + side] += len(places)
        row[20] = self._chunks()
        return row

    def _chunks(self) -> int:
        """Runs of matches that are neighbours in both texts; new words without a partner do not part neighbours."""
        matches = sorted((*self._links, *self._runs), key=lambda m: m.ref)
        paired = (
            {i for m in self._runs for i in range(m.hyp, m.hyp + m.hyp_size)},
            {j for m in self._runs for j in range(m.ref, m.ref + m.ref_size)},
        )
        rank: list[list[int]] = []
        for side in (0, 1):
            skipped = self._new[side] - paired[side]
            steps = [place not in skipped for place in range(len(self.texts[side]))]
            rank.append([0, *accumulate(steps)])
        joined = sum(
            rank[0][a.hyp + a.hyp_size] == rank[0][b.hyp] and rank[1][a.ref + a.ref_size] == rank[1][b.ref]
            for a, b in pairwise(matches)
        )
        return len(matches) - joined
