"""The compiled kernels; `nlgauge.kernels.interface` says what each returns."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nlgauge.kernels.interface import Array, Buffer, Ints, MeteorLexicon, References, Texts

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

def tokenize(text: str, tok: str, lower: bool, stem: str) -> list[str]: ...
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
def rouge_n_rows(tokens: Tokens, order: int, multi: str, beta: float, jobs: int) -> Array: ...
def rouge_l_rows(tokens: Tokens, multi: str, beta: float, jobs: int) -> Array: ...
def rouge_lsum_rows(tokens: Tokens, multi: str, beta: float, jobs: int) -> Array: ...
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
def ter_rows(tokens: Tokens, jobs: int) -> Array: ...
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
    words: Buffer,
    text_start: Buffer,
    segment_text: Buffer,
    stems: Buffer,
    synonym_start: Buffer,
    synonyms: Buffer,
    alpha: float,
    beta: float,
    gamma: float,
    jobs: int,
) -> Array: ...
def meteor_leftover(
    words: Buffer, text_start: Buffer, segment_text: Buffer, stems: Buffer, forms: int
) -> NDArray[np.bool_]: ...
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
