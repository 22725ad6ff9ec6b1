"""METEOR Universal (Denkowski and Lavie 2014), as the program METEOR 1.5 computes it, without Java.

Words and phrases are aligned by equality, stem, synonym and paraphrase. Each stage has a weight, content words count
`delta` and function words 1 − `delta`; a weighted harmonic mean of precision and recall is lowered by a penalty for
fragmentation. A corpus is scored from the summed statistics of its segments, not by their mean; a segment that one
chunk covers on both sides adds no chunk to the sum. `task` and `lang` choose the weights that the program ships; single
ones can be given instead. `lang=other` is the program's -new: any language, with function words and paraphrases of the
user's own making (`nlgauge lexicon`).
"""

from __future__ import annotations

import threading
from array import array
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.errors import InputError, SpecError
from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.pool import NumberedTexts, Numbering, number_texts
from nlgauge.kernels.python.meteor import align, statistics, statistics_score
from nlgauge.lexicons import meteor as tables
from nlgauge.lexicons.digests import State, file_state
from nlgauge.lexicons.phrases import PhraseTable, phrase_table
from nlgauge.metrics.base import Array, Metric, option
from nlgauge.metrics.explanation import Explanation, Figure, Link, Links, ordinal_reference
from nlgauge.text import tokenizers
from nlgauge.text.stemmers import stem_words

_SIDES = ("content_hypothesis", "content_reference", "function_hypothesis", "function_reference")
_AS_TASK = -1.0
_numbering = threading.Lock()  # of words; stemmers, which all share, are not safe in threads either
_MOST_PAIRS = 20_000_000  # of equal words in two texts: 4,500 times the same word, or some 35,000 words of prose


def _weight(what: str, high: float = 1.0) -> Any:
    def check(value: float) -> str | None:
        fine = value == _AS_TASK or 0 <= value <= high
        return None if fine else f"from 0 to {high:g}, or -1 for that of the language and task"

    return option(_AS_TASK, f"{what}; -1 takes that of the language and task", check=check)


def _table_name(value: str) -> str | None:
    fine = value in ("meteor", "none") or Path(value).suffix in (".gz", ".txt") or "/" in value
    return None if fine else "`meteor`, `none` or the path of a paraphrase table"


def word_file_name(value: str) -> str | None:
    """What is wrong with the name of a list of words."""
    fine = value in ("meteor", "none") or bool(Path(value).suffix) or "/" in value
    return None if fine else "`meteor`, `none` or the path of a file with one word a line"


@dataclass(frozen=True)
class _Meteor(Metric):
    """What the versions with a beam search share."""

    task: str = option("rank", "what the weights were tuned for", choices=tables.TASKS)
    lang: str = option("en", "language", choices=tuple(tables.LANGUAGES))
    norm: bool = option(True, "split off punctuation and lower-case, as the program does with -norm")
    lower: bool = option(False, "lower-case first; `norm` lower-cases in the end")
    tok: str = option(
        "none",
        "tokeniser before `norm`; the COCO caption kit has ptb (with lower=yes)",
        check=tokenizers.check,
    )
    paraphrases: str = option(
        "meteor", "table: the program's (`meteor`), the path of another, or `none`", check=_table_name
    )
    function: str = option(
        "meteor",
        "function words: the program's (`meteor`), the path of a list, or `none`",
        check=word_file_name,
    )
    alpha: float = _weight("weight of recall in the harmonic mean")
    beta: float = _weight("how sharply the penalty grows with fragmentation", high=100.0)
    gamma: float = _weight("largest penalty")
    stem: float = _weight("weight of stem matches")
    synonym: float = _weight("weight of synonym matches")
    paraphrase: float = _weight("weight of paraphrase matches")
    count: str = option(
        "task",
        "what precision and recall count; `task` takes the program's: letters (its -ch) for util, else words",
        choices=("task", "words", "letters"),
    )
    beam: int = option(40, "partial alignments kept", low=1, high=100_000)
    matched: str = option(
        "mean",
        "fragmentation counts the mean of the matched words of both sides; `floor` rounds it down, as older builds did",
        choices=("mean", "floor"),
        scoring=True,
    )

    bounds = (0.0, 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if tables.parameters(self.lang, self.task) is None:
            known = [task for task in tables.TASKS if tables.parameters(self.lang, task)]
            raise SpecError(
                f"METEOR has no weights for the task {self.task} in {tables.LANGUAGES[self.lang]}; "
                f"the field task of {self.name} may be {', '.join(known)} there"
            )

    @property
    def columns(self) -> tuple[str, ...]:
        lengths = ("hypothesis_length", "reference_length", "hypothesis_function", "reference_function")
        matches = tuple(f"{module}_{side}" for module in tables.MODULES for side in _SIDES)
        return (*lengths, *matches, "chunks", "hypothesis_matches", "reference_matches")

    def _delta(self) -> float:
        raise NotImplementedError

    def weights(self) -> tuple[tuple[float, float, float, float], tuple[float, ...]]:
        """(alpha, beta, gamma, delta), and the weight of each of the four modules (0 where it is not in use)."""
        found = tables.parameters(self.lang, self.task)
        assert found is not None  # checked when the metric was made
        given, modules = found
        chosen = (self.alpha, self.beta, self.gamma, self._delta())
        values = tuple(new if new >= 0 else old for new, old in zip(chosen, given, strict=True))
        own = {"stem": self.stem, "synonym": self.synonym, "paraphrase": self.paraphrase}
        weights = [
            own[module] if module in modules and own.get(module, -1) >= 0 else modules.get(module, 0.0)
            for module in tables.MODULES
        ]
        return values, tuple(weights)  # type: ignore[return-value]

    def rows(self, batch: Batch) -> Array:
        texts, words = self.numbered(batch)
        parameters, weights = self.weights()
        return active().meteor_beam_rows(
            texts.words,
            texts.text_start,
            texts.segment_text,
            words,
            parameters=parameters,
            weights=weights,
            beam=self.beam,
            jobs=batch.jobs,
        )

    def numbered(self, batch: Batch) -> tuple[NumberedTexts, Lexicon]:
        """The texts of a batch as numbers of words, and what the aligner must know of these."""
        texts, words = self._words().number(batch, self.splitter())
        refuse_endless(batch.place, texts)
        return texts, words

    def score(self, totals: Array) -> Array:
        totals = np.asarray(totals, dtype=np.float64)
        alpha, beta, gamma, delta = self.weights()[0]
        matched = self._matched(totals)
        lengths = [
            delta * (totals[..., side] - totals[..., side + 2]) + (1 - delta) * totals[..., side + 2] for side in (0, 1)
        ]
        both = (totals[..., 21] + totals[..., 22]) / 2
        if self.matched == "floor":
            both = np.floor(both)
        whole = is_whole(totals)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision, recall = self._rates(matched[0] / lengths[0], matched[1] / lengths[1], totals)
            fmean = 1 / ((1 - alpha) / precision + alpha / recall)
            fragmentation = np.where(whole, 0.0, totals[..., 20] / both)
            scores: Array = fmean * (1 - gamma * fragmentation**beta)
        return np.where((matched[0] > 0) & (matched[1] > 0), scores, 0.0)

    def _matched(self, totals: Array) -> list[Array]:
        """The weighted words of the hypothesis and of the reference that are matched."""
        (_, _, _, delta), weights = self.weights()
        counts = totals[..., 4:20].reshape(*totals.shape[:-1], 4, 4)
        weighted = np.einsum("...ms,m->...s", counts, np.array(weights))
        return [delta * weighted[..., side] + (1 - delta) * weighted[..., side + 2] for side in (0, 1)]

    def _rates(self, precision: Array, recall: Array, totals: Array) -> tuple[Array, Array]:
        """Precision and recall that enter the score; relatives add terms here."""
        return precision, recall

    def explained(self, batch: Batch) -> Explanation:
        """Which words and phrases are matched, and by which stage, with the reference that scores best."""
        parameters, weights = self.weights()
        found = [self._aligned(batch, number) for number in range(len(batch.references[0]))]
        scores = [statistics_score(row, parameters, weights) for row, _ in found]
        best = scores.index(max(scores))
        row, part = found[best]
        figures = self._figures(row, part)
        return Explanation.of(self, batch, row, figures=figures, parts=[part], counted=(best + 1,))

    def _aligned(self, batch: Batch, number: int) -> tuple[Array, Links]:
        """The statistics of the output with one reference, and what is matched."""
        split, references = self.splitter(), batch.references[0]
        texts, words = self._words().number(Batch(batch.hypotheses, [[references[number]]]), split)
        hypothesis, (reference,) = texts.segment(0)
        matches = align(hypothesis, reference, words, self.beam)
        weights = self.weights()[1]
        links = [
            Link(
                (match.hyp, match.hyp + match.hyp_size),
                (match.ref, match.ref + match.ref_size),
                tables.MODULES[match.module],
                weights[match.module],
            )
            for match in matches
        ]
        part = Links(
            f"Words aligned with {ordinal_reference(number, len(references))}",
            tuple(split(batch.hypotheses[0])),
            tuple(split(references[number])),
            tuple(links),
        )
        return np.array(statistics(hypothesis, reference, matches, words)), part

    def _figures(self, row: Array, part: Links) -> list[Figure]:
        """The sum that leads to the score."""
        words = self._words()
        parameters, weights = self.weights()
        figures = [
            Figure(
                f"matched in the {side}",
                float(matched),
                f"of {len(text)} words, {sum(words.lexicon.function[words.numbers[word]] for word in text)} of them "
                "function words",
            )
            for side, text, matched in (
                ("output", part.hypothesis, row[21]),
                ("reference", part.reference, row[22]),
            )
        ]
        runs = "runs that the matches fall into"
        none = "none counted: one run covers both texts, or none"
        return [
            *figures,
            Figure("chunks", float(row[20]), runs if row[20] else none),
            Figure("δ", parameters[3], "weight of content words; function words have the rest"),
            *(Figure(f"weight of {name}", weight) for name, weight in zip(tables.MODULES, weights, strict=True)),
        ]

    def splitter(self) -> Callable[[str], list[str]]:
        """From a text to its words."""
        normalize = tables.normalizer(self.lang) if self.norm else str.split
        if self.tok == "none" and not self.lower:
            return normalize
        split = tokenizers.tokenizer(self.tok)
        lower = self.lower
        return lambda text: normalize(" ".join(split(text.lower() if lower else text)))

    @property
    def lexicon_fact(self) -> str:
        return tables.fact(self._table())

    @property
    def reads_files(self) -> tuple[str, ...]:
        return () if self.function in ("meteor", "none") else (self.function,)

    def _table(self) -> Path | None:
        """The paraphrases, where that stage is in use."""
        if self.paraphrases == "meteor" and "paraphrase" in tables.modules(self.lang):
            return tables.paraphrase_file(self.lang)
        if self.paraphrases in ("meteor", "none"):
            return None
        table = Path(self.paraphrases)
        if not table.is_file():
            raise InputError(f"there is no paraphrase table {table}; name a file with paraphrases=PATH")
        return table

    def _words(self) -> _Words:
        table = self._table()
        letters = self.count == "letters" or (self.count == "task" and self.task == "util")
        states = tuple(file_state(path) for path in (table, *self.reads_files) if path and Path(path).is_file())
        return _words(self.lang, table, letters, self.function, states)


@dataclass(frozen=True)
class MeteorUniversal(_Meteor):
    """METEOR Universal: weighted stages, and content words weighted against function words; 0 to 1."""

    delta: float = _weight("weight of content words; function words have the rest")

    name = "meteor-universal"
    cite = (
        "Denkowski and Lavie (2014), Meteor Universal: language specific translation evaluation for any target "
        "language. WMT."
    )
    reference = "METEOR 1.5 (the jar in pycocoevalcap)"

    def _delta(self) -> float:
        return self.delta


@dataclass(frozen=True)
class MeteorNext(_Meteor):
    """METEOR-NEXT: weighted stages with paraphrases, all words counted alike; 0 to 1.

    The weights of the program of 2010 are not part of any package; those of METEOR 1.5 are used unless others are
    given.
    """

    name = "meteor-next"
    cite = (
        "Denkowski and Lavie (2010), Extending the METEOR machine translation evaluation metric to the phrase level. "
        "NAACL."
    )
    reference = "METEOR 1.5 with delta = 0.5, which makes content and function words equal"

    def _delta(self) -> float:
        return 0.5


def refuse_endless(place: Callable[[int], str], texts: NumberedTexts) -> None:
    """Refuse texts with so many pairs of equal words that no alignment could be searched in time and memory."""
    lengths = np.diff(np.frombuffer(texts.text_start, dtype=np.int64))
    if lengths.size == 0 or int(lengths.max()) ** 2 <= _MOST_PAIRS:
        return
    for number in range(len(texts)):
        hypothesis, references = texts.segment(number)
        for reference in references:
            if len(hypothesis) * len(reference) <= _MOST_PAIRS:
                continue
            here, there = Counter(hypothesis), Counter(reference)
            if sum(count * there[word] for word, count in here.items()) > _MOST_PAIRS:
                raise InputError(
                    f"{place(number)} has texts of {len(hypothesis):,} and {len(reference):,} words with more than "
                    f"{_MOST_PAIRS:,} pairs of equal words, too many for METEOR to align; split the texts, or leave "
                    "the item out"
                )


def is_whole(rows: Array) -> Array:
    """Whether one chunk covers both texts."""
    whole: Array = (rows[..., 21] == rows[..., 0]) & (rows[..., 22] == rows[..., 1]) & (rows[..., 20] == 1)
    return whole


@dataclass(eq=False)
class Lexicon:
    """What the aligner needs to know of words (`kernels.interface.MeteorLexicon`); it never changes."""

    table: PhraseTable | None
    stems: array[int] = field(default_factory=lambda: array("i"))
    function: array[int] = field(default_factory=lambda: array("B"))
    sizes: array[int] = field(default_factory=lambda: array("i"))
    synset_start: array[int] = field(default_factory=lambda: array("q", [0]))
    synsets: array[int] = field(default_factory=lambda: array("i"))
    table_words: array[int] = field(default_factory=lambda: array("i"))


class _Words:
    """Every word met so far, numbered, with what is known of it.

    Threads share one: they number words in turn, and a kernel works on the lexicon of that moment, of which what comes
    in later makes another. (A table that grew in place could not be read meanwhile.)
    """

    def __init__(self, language: str, table: PhraseTable | None, letters: bool, function: str) -> None:
        modules = tables.modules(language)
        self.numbers = Numbering()
        self.lexicon = Lexicon(table)
        self._letters = letters
        self._stem_numbers = Numbering()
        self._stemmer = f"snowball-{tables.LANGUAGES[language]}" if "stem" in modules else "none"
        self._function_words = _function_words(language, function)
        self._synonyms = tables.synonyms() if "synonym" in modules else None

    def number(self, batch: Batch, split: Callable[[str], list[str]]) -> tuple[NumberedTexts, Lexicon]:
        """The texts of a batch as numbers of words, and what is known of these."""
        with _numbering:
            texts = number_texts(batch, self.numbers, split)
            if len(self.lexicon.stems) < len(self.numbers):
                self.lexicon = self._completed()
            return texts, self.lexicon

    def names(self) -> list[str]:
        """The words by their numbers."""
        with _numbering:
            return list(self.numbers)

    def _completed(self) -> Lexicon:
        """The lexicon with the words that came in since."""
        known = self.lexicon
        new = list(islice(self.numbers, len(known.stems), None))
        table, found = known.table, array("i")
        starts = array("q")
        for word in new:
            if self._synonyms:
                found.extend(sorted(self._synonyms.synsets(word)))
            starts.append(len(known.synsets) + len(found))
        return Lexicon(
            table=table,
            stems=known.stems + array("i", map(self._stem_numbers.__getitem__, stem_words(self._stemmer, new))),
            function=known.function + array("B", (word in self._function_words for word in new)),
            sizes=known.sizes + array("i", (len(word) if self._letters else 1 for word in new)),
            synset_start=known.synset_start + starts,
            synsets=known.synsets + found,
            table_words=known.table_words + array("i", (table.words.get(word, -1) if table else -1 for word in new)),
        )


def _function_words(language: str, function: str) -> frozenset[str]:
    if function == "none":
        return frozenset()
    if function == "meteor":
        return tables.function_words(language)
    return tables.word_file(Path(function), "function words")


@tables.remembered
def _words(language: str, table: Path | None, letters: bool, function: str, states: tuple[State, ...]) -> _Words:
    """Kept for each state of the files that are read."""
    return _Words(language, phrase_table(table) if table else None, letters, function)
