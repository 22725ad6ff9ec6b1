"""The compiled kernels; `nlgauge.kernels.interface` says what each returns."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array, Ints
from nlgauge.kernels.interface import Buffer, MeteorLexicon, References, Texts, WordLists

TOKENIZERS: tuple[str, ...]
STEMMERS: tuple[str, ...]

class Tokens:
    def __len__(self) -> int: ...
    def numbers(self) -> list[list[list[int]]]: ...
    def sentences(self) -> list[list[list[int]]] | None: ...
    def hashes(self) -> list[list[int]]: ...

class NgramCounts:
    def __len__(self) -> int: ...
    def add(self, tokens: Tokens) -> None: ...

class DocumentFrequencies:
    @property
    def documents(self) -> int: ...
    def add(self, tokens: Tokens) -> None: ...
    def finish(self) -> None: ...
    def put(self, tokens: Tokens, counts: Sequence[int], documents: int) -> None: ...

class WordNet:
    def __init__(self, parts: Sequence[tuple[Buffer, Buffer, Sequence[tuple[str, str]], Buffer, bool]]) -> None: ...
    def synonyms(self, word: str) -> frozenset[str]: ...

def stem_english(words: Sequence[str]) -> list[str]: ...
def stem_porter(words: Sequence[str]) -> list[str]: ...
def tokenize(text: str, tok: str, lower: bool, stem: str) -> list[str]: ...
def number_words(texts: Texts, tok: str, lower: bool) -> tuple[list[str], NDArray[np.int32], Ints]: ...
def tokens(
    hypotheses: Texts, references: References, tok: str, lower: bool, stem: str, sentences: bool, jobs: int
) -> Tokens: ...
def tokens_from_lists(
    hypotheses: Sequence[Sequence[str]],
    references: Sequence[Sequence[Sequence[str]]],
    hypothesis_lines: Sequence[Sequence[int]] | None = None,
    reference_lines: Sequence[Sequence[Sequence[int]]] | None = None,
) -> Tokens: ...
def bleu_rows(tokens: Tokens, order: int, reference_length: str, jobs: int) -> Array: ...
def ngram_counts(order: int) -> NgramCounts: ...
def nist_rows(tokens: Tokens, counts: NgramCounts, order: int, multi: str, jobs: int) -> Array: ...
def rouge_n_rows(tokens: Tokens, order: int, multi: str, jackknife: bool, beta: float, jobs: int) -> Array: ...
def rouge_l_rows(tokens: Tokens, multi: str, jackknife: bool, beta: float, jobs: int) -> Array: ...
def rouge_lsum_rows(tokens: Tokens, multi: str, jackknife: bool, beta: float, jobs: int) -> Array: ...
def rouge_w_rows(tokens: Tokens, weight: float, multi: str, jackknife: bool, beta: float, jobs: int) -> Array: ...
def rouge_s_rows(
    tokens: Tokens, gap: int, unigrams: str, multi: str, jackknife: bool, beta: float, jobs: int
) -> Array: ...
def document_frequencies(order: int) -> DocumentFrequencies: ...
def cider_rows(
    tokens: Tokens, frequencies: DocumentFrequencies, order: int, sigma: float, clip: bool, jobs: int
) -> Array: ...
def chrf_rows(
    hypotheses: Texts,
    references: References,
    char_order: int,
    word_order: int,
    beta: float,
    lower: bool,
    whitespace: bool,
    eps: bool,
    jobs: int,
) -> Array: ...
def edit_rows(tokens: Tokens, jobs: int) -> Array: ...
def distance_rows(
    tokens: Tokens, substitution: float, insertion: float, deletion: float, transposition: bool, jobs: int
) -> Array: ...
def parent_rows(
    tokens: Tokens,
    references: Ints,
    chances: Array | None,
    order: int,
    weight: float,
    smooth: float,
    multi: str,
    jobs: int,
) -> Array: ...
def ter_rows(tokens: Tokens, jobs: int) -> Array: ...
def cder_rows(tokens: Tokens, jobs: int) -> Array: ...
def per_rows(tokens: Tokens, jobs: int) -> Array: ...
def iter_rows(
    words: Tokens,
    stems: Tokens,
    stem: float,
    substitution: float,
    insertion: float,
    deletion: float,
    shift: float,
    norm: str,
    jobs: int,
) -> Array: ...
def yisi0_rows(
    vocabulary: Sequence[bytes],
    width: int,
    weights: Array,
    hypotheses: Sequence[Sequence[int]],
    references: Sequence[Sequence[Sequence[int]]],
    order: int,
    jobs: int,
) -> Array: ...
def mover_distances(
    vectors: Array,
    words: NDArray[np.int32],
    masses: Array | None,
    text_start: Ints,
    pairs: Ints,
    bound: str,
    jobs: int = 1,
) -> Array: ...
def transport(costs: Array, supply: Array, demand: Array) -> tuple[float, Array]: ...
def character_rows(hypotheses: Texts, references: References, jobs: int) -> Array: ...
def eed_rows(
    hypotheses: Texts,
    references: References,
    alpha: float,
    rho: float,
    deletion: float,
    insertion: float,
    jobs: int,
) -> Array: ...
def glicko2_games(
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
) -> tuple[Array, Ints, int]: ...
def glicko2_periods(
    first: Ints,
    second: Ints,
    score: Array,
    ends: Ints,
    state: Array,
    played: Ints,
    tau: float,
    epsilon: float,
    inactivity: bool,
) -> tuple[Array, Ints]: ...
def trueskill_games(
    first: Ints,
    second: Ints,
    score: Array,
    state: Array,
    played: Ints,
    beta: float,
    tau: float,
    margin: float,
    needed: int,
) -> tuple[Array, Ints, int]: ...
def elo_games(
    first: Ints,
    second: Ints,
    score: Array,
    state: Array,
    played: Ints,
    k: float,
    slope: float,
    needed: int,
) -> tuple[Array, Ints, int]: ...
def meteor_rows(
    hypotheses: Texts | WordLists,
    references: References | Sequence[WordLists],
    tok: str | None,
    lower: bool,
    wordnet: WordNet | None,
    alpha: float,
    beta: float,
    gamma: float,
    jobs: int,
) -> Array: ...
def meteor_beam_rows(
    words: Buffer,
    text_start: Buffer,
    segment_text: Buffer,
    lexicon: MeteorLexicon,
    parameters: Sequence[float],
    weights: Sequence[float],
    beam: int,
    jobs: int,
) -> Array: ...
def deltableu_rows(
    tokens: Tokens,
    weights: Sequence[Sequence[float]],
    order: int,
    reference_length: str,
    form: str,
    jobs: int,
) -> Array: ...
def gleu_rows(tokens: Tokens, shortest: int, order: int, jobs: int) -> Array: ...
def gleu_gec_rows(tokens: Tokens, order: int, jobs: int) -> Array: ...
def sari_rows(tokens: Tokens, order: int, form: str, jobs: int) -> Array: ...
def sari_counts(tokens: Tokens, order: int, jobs: int) -> Array: ...
def ribes_rows(tokens: Tokens, form: str, jobs: int) -> Array: ...
def lepor_rows(tokens: Tokens, form: str, window: int, jobs: int) -> Array: ...
def gtm_rows(tokens: Tokens, exponent: float, jobs: int) -> Array: ...
