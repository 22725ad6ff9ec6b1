"""What both kernel backends offer. Rows are float64, one per segment; `jobs` is the number of threads.

`hypotheses` is a list of n strings and `references` a list of n lists of strings (at least one each). The multi-
reference rules (`multi`) are `best`, `average`, `pooled`, `coco` and `recall`; see the metrics that use them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
Texts = Sequence[str]
References = Sequence[Sequence[str]]
WordLists = Sequence[Sequence[str]]
Buffer = Any  # a one-dimensional array of numbers: numpy's, or array.array


class Tokens(Protocol):
    """A tokenised batch; opaque to callers but for its length."""

    def __len__(self) -> int: ...


class NgramCounts(Protocol):
    """How often each n-gram occurs in all references (for NIST); filled batch by batch."""

    def add(self, tokens: Tokens) -> None: ...


class Synonyms(Protocol):
    """A dictionary of synonyms: lexicons.wordnet's, or its compiled twin."""

    def synonyms(self, word: str) -> frozenset[str]: ...


class MeteorLexicon(Protocol):
    """What METEOR's aligner knows of each word w of a numbering."""

    stems: Buffer  # int32: equal for words of one stem
    function: Buffer  # uint8: 1 for a function word
    sizes: Buffer  # int32: what w counts: 1, or its letters
    synset_start: Buffer  # int64: the synsets of w lie in [synset_start[w], synset_start[w + 1])
    synsets: Buffer  # int32, in order within a word
    table_words: Buffer  # int32: the number of w in the paraphrase table, or -1
    table: Any  # a lexicons.phrases.PhraseTable, or None


class DocumentFrequencies(Protocol):
    """In how many documents (all references of a segment) each n-gram occurs (for CIDEr).

    Filled batch by batch with `add` and then finished, or from counts with `put`: the first reference of each segment
    is then one n-gram.
    """

    @property
    def documents(self) -> int: ...

    def add(self, tokens: Tokens) -> None: ...

    def finish(self) -> None: ...

    def put(self, tokens: Tokens, counts: Sequence[int], documents: int) -> None: ...


class Kernels(Protocol):
    """The functions of `nlgauge._native` and of `nlgauge.kernels.python`."""

    def tokenize(self, text: str, tok: str, lower: bool, stem: str) -> list[str]:
        """The tokens of one text."""

    def number_words(self, texts: Texts, tok: str, lower: bool) -> tuple[list[str], NDArray[np.int32], Ints]:
        """The distinct words of all texts in order of first appearance, the number of each word of each text, and
        where each text starts (and the last ends)."""

    def tokens(
        self,
        hypotheses: Texts,
        references: References,
        tok: str,
        lower: bool,
        stem: str,
        sentences: bool,
        jobs: int,
    ) -> Tokens:
        """Tokenise a batch. `sentences`: remember where the lines of each text start (ROUGE-Lsum).

        Each text is then cut at line feeds, empty lines are dropped and each line is tokenised by itself.
        The compiled kernels name what they know in `TOKENIZERS` and `STEMMERS`; `Batch` splits in Python for
        the rest.
        """

    def tokens_from_lists(
        self,
        hypotheses: Sequence[Sequence[str]],
        references: Sequence[Sequence[Sequence[str]]],
        hypothesis_lines: Sequence[Sequence[int]] | None = None,
        reference_lines: Sequence[Sequence[Sequence[int]]] | None = None,
    ) -> Tokens:
        """A batch that some other tokeniser has split already.

        `*_lines`, both or none, are given for `sentences`: the number of tokens in each line of each text.
        """

    def bleu_rows(self, tokens: Tokens, order: int, reference_length: str, jobs: int) -> Array:
        """hypothesis length, reference length, correct 1..order, total 1..order.

        `reference_length` is `closest` (ties to the shorter), `shortest` or `average`.
        """

    def ngram_counts(self, order: int) -> NgramCounts:
        """An empty table of n-gram counts up to `order`."""

    def nist_rows(self, tokens: Tokens, counts: NgramCounts, order: int, multi: str, jobs: int) -> Array:
        """hypothesis length, mean reference length, matched information 1..order, total 1..order.

        `multi` is `pooled` or `best` (for each order by itself, as NLTK has it).
        """

    def rouge_n_rows(
        self, tokens: Tokens, order: int, multi: str, jackknife: bool, beta: float, jobs: int
    ) -> Array:
        """precision, recall, F and 1.

        `jackknife`: the mean over the sets of references that lack one.
        """

    def rouge_l_rows(self, tokens: Tokens, multi: str, jackknife: bool, beta: float, jobs: int) -> Array:
        """precision, recall, F and 1 of the longest common subsequence."""

    def rouge_lsum_rows(self, tokens: Tokens, multi: str, jackknife: bool, beta: float, jobs: int) -> Array:
        """precision, recall, F and 1 of the union longest common subsequence; needs `sentences`."""

    def rouge_w_rows(
        self, tokens: Tokens, weight: float, multi: str, jackknife: bool, beta: float, jobs: int
    ) -> Array:
        """precision, recall, F and 1 of the weighted longest common subsequence; needs `sentences`."""

    def rouge_s_rows(
        self, tokens: Tokens, gap: int, unigrams: str, multi: str, jackknife: bool, beta: float, jobs: int
    ) -> Array:
        """precision, recall, F and 1 of pairs of words in their order.

        `gap`: the most words between the two; negative: any number. `unigrams` is `none`, `but-last` or `all`.
        """

    def document_frequencies(self, order: int) -> DocumentFrequencies:
        """An empty table for n-grams up to `order`."""

    def cider_rows(
        self,
        tokens: Tokens,
        frequencies: DocumentFrequencies,
        order: int,
        sigma: float,
        clip: bool,
        jobs: int,
    ) -> Array:
        """score and 1; `sigma` above 0 lowers the score of texts of other lengths, `clip` is that of CIDEr-D."""

    def chrf_rows(
        self,
        hypotheses: Texts,
        references: References,
        char_order: int,
        word_order: int,
        beta: float,
        lower: bool,
        whitespace: bool,
        eps: bool,
        jobs: int,
    ) -> Array:
        """Per order (characters, then words): hypothesis total, reference total, matches; of the best reference."""

    def edit_rows(self, tokens: Tokens, jobs: int) -> Array:
        """hits, substitutions, deletions, insertions against the reference with the lowest error rate."""

    def distance_rows(
        self,
        tokens: Tokens,
        substitution: float,
        insertion: float,
        deletion: float,
        transposition: bool,
        jobs: int,
    ) -> Array:
        """segment, weighted edit distance, hypothesis length, reference length: a row for each reference."""

    def ter_rows(self, tokens: Tokens, jobs: int) -> Array:
        """edits (fewest over the references) and mean reference length, with tercom's shift search."""

    def meteor_rows(
        self,
        hypotheses: Texts | WordLists,
        references: References | Sequence[WordLists],
        tok: str | None,
        lower: bool,
        wordnet: Synonyms | None,
        alpha: float,
        beta: float,
        gamma: float,
        jobs: int,
    ) -> Array:
        """exact, stem and synonym matches, chunks, lengths and score of the best reference, and 1.

        Without `tok` the texts are lists of words; words are lower-cased one by one. The compiled kernel takes a
        compiled `wordnet`.
        """

    def meteor_beam_rows(
        self,
        words: Buffer,
        text_start: Buffer,
        segment_text: Buffer,
        lexicon: MeteorLexicon,
        parameters: Sequence[float],
        weights: Sequence[float],
        beam: int,
        jobs: int,
    ) -> Array:
        """METEOR's 23 statistics for the best reference, under (alpha, beta, gamma, delta) and a weight a module."""

    def cder_rows(self, tokens: Tokens, jobs: int) -> Array:
        """errors with long jumps and reference length, of the reference with the lowest rate."""

    def per_rows(self, tokens: Tokens, jobs: int) -> Array:
        """position-independent errors and reference length, of the reference with the lowest rate."""

    def iter_rows(
        self,
        words: Tokens,
        stems: Tokens,
        stem: float,
        substitution: float,
        insertion: float,
        deletion: float,
        shift: float,
        norm: str,
        jobs: int,
    ) -> Array:
        """ITER (lowest over the references) and 1; `words` and `stems` are the same tokens, as they are and stemmed."""

    def yisi0_rows(
        self,
        vocabulary: Sequence[bytes],
        width: int,
        weights: Array,
        hypotheses: Sequence[Sequence[int]],
        references: Sequence[Sequence[Sequence[int]]],
        order: int,
        jobs: int,
    ) -> Array:
        """YiSi-0's precision and recall; texts are places in `vocabulary`, words of units of `width` bytes."""

    def mover_distances(
        self,
        vectors: Array,
        words: NDArray[np.int32],
        masses: Array | None,
        text_start: Ints,
        pairs: Ints,
        bound: str,
        jobs: int,
    ) -> Array:
        """How far the words of the one text of each pair must travel to become those of the other.

        Words are rows of `vectors` (padded to a multiple of 8 numbers), or -1 for one that has none and is left out;
        each weighs 1 or its mass. `bound` is `exact`, or a lower bound: `relaxed` or `centroid`. Not a number where a
        text has no word left.
        """

    def transport(self, costs: Array, supply: Array, demand: Array) -> tuple[float, Array]:
        """The cost of the cheapest flow from rows to columns, and what each row sends to each column."""

    def character_rows(self, hypotheses: Texts, references: References, jobs: int) -> Array:
        """CharacTER (lowest over the references) and 1; words are what stands between white space."""

    def eed_rows(
        self,
        hypotheses: Texts,
        references: References,
        alpha: float,
        rho: float,
        deletion: float,
        insertion: float,
        jobs: int,
    ) -> Array:
        """The extended edit distance (lowest over the references) of prepared texts, and 1."""

    def deltableu_rows(
        self,
        tokens: Tokens,
        weights: Sequence[Sequence[float]],
        order: int,
        reference_length: str,
        form: str,
        jobs: int,
    ) -> Array:
        """hypothesis length, reference length, weighted matches 1..order, weighted totals 1..order.

        `weights` has a number for each reference. `form` is `code` (an n-gram's best weight times its count clipped by
        the largest in any reference) or `paper` (the best product of weight and count clipped by the same reference).
        """

    def gleu_rows(self, tokens: Tokens, shortest: int, order: int, jobs: int) -> Array:
        """n-grams in common and the larger number of n-grams, of the reference with the best ratio (the first)."""

    def gleu_gec_rows(self, tokens: Tokens, order: int, jobs: int) -> Array:
        """segment, both lengths, matches 1..order, totals 1..order: a row for each reference but the first, the source.

        Matches are those with the reference, less n-grams of the source that the reference does not have.
        """

    def sari_rows(self, tokens: Tokens, order: int, form: str, jobs: int) -> Array:
        """SARI of added, kept and deleted n-grams, and 1; the first reference is the source.

        `form` is `evaluate` (undefined counts 1) or `original` (undefined counts 0, n-grams to be kept weigh alike).
        """

    def sari_counts(self, tokens: Tokens, order: int, jobs: int) -> Array:
        """For add, keep, delete, and each order: n-grams right, of the output, of the references."""

    def ribes_rows(self, tokens: Tokens, form: str, jobs: int) -> Array:
        """segment, words placed, pairs of them in order, both lengths: a row for each reference.

        `form` is `nltk`, `nltk3.9` (counts pairs within runs only) or `ntt`.
        """

    def lepor_rows(self, tokens: Tokens, form: str, window: int, jobs: int) -> Array:
        """segment, words aligned, sum of differences of position, both lengths: a row for each reference.

        `form` is `paper`, `nltk` or `hlepor` (as that package), `window` how many neighbours of a word are looked at.
        """

    def gtm_rows(self, tokens: Tokens, exponent: float, jobs: int) -> Array:
        """segment, sum of length ** exponent of a greedy matching's runs, both lengths: a row for each reference."""

    def parent_rows(
        self,
        tokens: Tokens,
        references: Ints,
        chances: Array | None,
        order: int,
        weight: float,
        smooth: float,
        multi: str,
        jobs: int,
    ) -> Array:
        """precision, recall, F and 1 of PARENT, against references and table.

        The values of each segment's table stand behind its references in `tokens`; `references` says how many of
        the texts are references. `chances`: how likely the table entails each token of the hypothesis and of the
        references, segment after segment; None: whether it stands in a value. A `weight` below 0 is chosen for each
        reference; `multi` is `best` or `highest`.
        """

    def count_draws(self, generator: np.random.Generator, n: int, trials: int, single: bool) -> Any:
        """How often each of n segments is drawn in each trial of n draws: (trials, n); float32 if `single`.

        The draws are those of `generator.choice(n, size=(trials, n))`; the generator then stands where it would
        after that call.
        """

    def sum_chosen(self, words: NDArray[np.uint64], first: int, rows: Array, trials: int) -> Array:
        """Per trial the sum of the rows whose bit is set: (trials, k).

        The bits run through the words lowest first, start at bit `first` and are n (as many as rows) a trial.
        """

    def lane_counts(self, words: NDArray[np.uint64], places: Ints, starts: Ints) -> NDArray[np.int32]:
        """In how many words of each group each of the 64 bits is set: (groups, 64).

        Group g are the words at `places[starts[g] : starts[g + 1]]`; a group may be empty.
        """

    def glicko2_games(
        self,
        first: Ints,
        second: Ints,
        score: Array,
        state: Array,
        played: Ints,
        tau: float,
        epsilon: float,
        draw_ratio: float,
        as_package: bool,
        needed: int,
    ) -> tuple[Array, Ints, int]:
        """Glicko-2 game by game: new state, games of each player since the order last changed, games used.

        `first` and `second` number the players, `score` is that of the first (1, 0.5, 0); `state` has a row
        (rating, deviation, volatility) for each player. A `draw_ratio` below 0 counts a draw as half a win; from 0 up
        the lower player gains that part of what a win would bring and the higher loses that part of what a loss would
        cost. `needed` stops once the order has stood for so many games of every player (0: never). `as_package` repeats
        the volatility step of the PyPI package glicko2.
        """

    def glicko2_periods(
        self,
        first: Ints,
        second: Ints,
        score: Array,
        ends: Ints,
        state: Array,
        played: Ints,
        tau: float,
        epsilon: float,
        inactivity: bool,
    ) -> tuple[Array, Ints]:
        """Glicko-2 by rating periods, each ending after `ends` games; `inactivity`: who rests becomes less certain."""

    def trueskill_games(
        self,
        first: Ints,
        second: Ints,
        score: Array,
        state: Array,
        played: Ints,
        beta: float,
        tau: float,
        margin: float,
        needed: int,
    ) -> tuple[Array, Ints, int]:
        """TrueSkill game by game, as `glicko2_games`; `state` has rows (mu, sigma), `margin` is that of a draw."""

    def elo_games(
        self,
        first: Ints,
        second: Ints,
        score: Array,
        state: Array,
        played: Ints,
        k: float,
        slope: float,
        needed: int,
    ) -> tuple[Array, Ints, int]:
        """Elo game by game, as `glicko2_games`; `state` has one column, `slope` is log(base) / scale."""
