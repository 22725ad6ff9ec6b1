"""SLOR (Pauls and Klein 2012; Kann, Rothe and Filippova 2018): fluency without references.

(ln p(text) − ln p_u(text)) / length: how much likelier a language model finds the text than its words taken one by one,
p_u being the product of their unigram probabilities. Rare words, which lower p as they lower perplexity, lower p_u as
well and cost nothing. The score of a set is the mean of its texts' scores.

Where the unigrams are from (`unigrams`):

* `trigram` (default): those of the trigram model. With the model `trigram` every token has one, the end of the text
  included. A causal network has tokens of its own: p_u is then of the words that the trigrams see (lower case, no
  punctuation, no end), and length is their number. A word outside the list counts 10⁻⁷ in both.
* a text file, one text a line: tokens are counted as the language model splits them, and a token that occurs c times
  among N tokens of V kinds has (c + 1) / (N + V + 1), one that does not occur 1 / (N + V + 1). Length is in tokens.

A text without any such token (punctuation only, under a causal network with unigrams of words) scores 0.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from nlgauge import models
from nlgauge.errors import InputError
from nlgauge.io.files import text_lines
from nlgauge.kernels.batch import Batch
from nlgauge.lexicons.digests import State, file_state
from nlgauge.metrics.base import Array, option, ratio
from nlgauge.metrics.explanation import Explanation, Figure
from nlgauge.metrics.modelled import dtype_option, model_option
from nlgauge.metrics.perplexity import LanguageMetric, judged, passage
from nlgauge.models.interface import Likelihood
from nlgauge.models.likelihoods import Trigram

_TRIGRAM = "trigram"
_OUTPUTS = ("hyp", "ref")
LINES = 8192
Unigrams = Callable[[Sequence[str], Sequence[Likelihood]], tuple[Array, Array]]  # ln p_u and length of each text


def _check_unigrams(value: str) -> str | None:
    data = {".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet"} & set(Path(value).suffixes)
    if value == _TRIGRAM or (any(sign in value for sign in "./\\") and not data):
        return None
    return "trigram, or the name of a text file with its ending, one text a line, such as news.txt"


@dataclass(frozen=True)
class Slor(LanguageMetric):
    """How much likelier a text is than its words one by one, per word: fluency that does not punish rare words."""

    model: str = model_option("language", _TRIGRAM)
    unigrams: str = option(
        _TRIGRAM,
        "unigrams of the trigram model, or of a text file, one text a line",
        check=_check_unigrams,
    )
    dtype: str = dtype_option("a network")
    output: str = option("hyp", "of the outputs, or of the references", choices=_OUTPUTS, scoring=True)

    name = "slor"
    bounds = (-math.inf, math.inf)
    cite = (
        "Kann, Rothe and Filippova (2018), Sentence-level fluency evaluation: References help, but can be spared! "
        "CoNLL."
    )
    reference = "the formula of the paper over the models' own probabilities"
    columns = ("slor", "texts", "reference_slor", "references")

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        both = (self.model, *([_TRIGRAM] if self.unigrams == _TRIGRAM else []))
        return tuple(("language", name) for name in dict.fromkeys(both))

    @property
    def model_fact(self) -> str:
        facts = [models.language(name, dtype=self.dtype, purpose=self.name).info.fact() for _, name in self.models]
        return "+".join(facts)

    @property
    def reads_files(self) -> tuple[str, ...]:
        return () if self.unigrams == _TRIGRAM else (self.unigrams,)

    def rows(self, batch: Batch) -> Array:
        mine, theirs = judged(self.loaded(), batch)
        flat = [tokens for several in theirs for tokens in several]
        texts = [text.strip() for text in batch.hypotheses]
        others = [text.strip() for several in batch.references for text in several]
        hypotheses, references = self._slor(texts, mine), self._slor(others, flat)
        owner = np.repeat(np.arange(len(mine)), [len(several) for several in theirs])
        count = np.bincount(owner, minlength=len(mine)).astype(np.float64)
        sums = np.bincount(owner, weights=references, minlength=len(mine))
        return np.column_stack([hypotheses, np.ones(len(mine)), sums, count]).reshape(-1, len(self.columns))

    def _slor(self, texts: Sequence[str], found: Sequence[Likelihood]) -> Array:
        alone, lengths = self._unigrams()(texts, found)
        total = np.array([read.total for read in found], dtype=np.float64)
        apart: Array = np.divide(total - alone, lengths, out=np.zeros(len(lengths)), where=lengths > 0)
        return apart

    def _unigrams(self) -> Unigrams:
        if self.unigrams != _TRIGRAM:
            state = _state(self.unigrams)
            return _of_tokens(_counted(self.unigrams, state, self.model, self.dtype))
        trigram = models.language(_TRIGRAM, purpose=self.name)
        assert isinstance(trigram, Trigram)
        if self.model == _TRIGRAM:
            return _of_tokens(trigram.unigram)

        def of_words(texts: Sequence[str], found: Sequence[Likelihood]) -> tuple[Array, Array]:
            words = [tokens[:-1] for tokens in trigram.tokens(texts)]  # the network is not asked for the end
            return _summed(words, trigram.unigram)

        return of_words

    def score(self, totals: Array) -> Array:
        totals = np.asarray(totals, dtype=np.float64)
        first = 2 * _OUTPUTS.index(self.output)
        return ratio(totals[..., first], totals[..., first + 1])

    def explained(self, batch: Batch) -> Explanation:
        """Both logarithms, and each token with how likely it was."""
        mine, _ = judged(self.loaded(), batch, references=False)
        alone, lengths = self._unigrams()([batch.hypotheses[0].strip()], mine)
        figures = [
            Figure("ln p", mine[0].total, "by the language model"),
            Figure("ln p_u", float(alone[0]), "by unigrams, one by one"),
            Figure("length", float(lengths[0])),
        ]
        parts = [passage("The output, token by token", mine[0])]
        return Explanation.of(self, batch, self.rows(batch)[0], figures=figures, parts=parts)


def _of_tokens(unigram: Callable[[str], float]) -> Unigrams:
    """Unigrams of the tokens that the language model judged."""
    return lambda texts, found: _summed([read.tokens for read in found], unigram)


def _summed(tokens: Sequence[Sequence[str]], unigram: Callable[[str], float]) -> tuple[Array, Array]:
    sums = [sum(unigram(token) for token in some) for some in tokens]
    return np.array(sums, dtype=np.float64), np.array([len(some) for some in tokens], dtype=np.float64)


def _state(path: str) -> State:
    try:
        return file_state(path)
    except OSError:
        raise InputError(f"{path} cannot be read; expected texts to count unigrams in, one a line") from None


@lru_cache(maxsize=4)
def _counted(path: str, state: State, model: str, dtype: str) -> Callable[[str], float]:
    """ln of (c + 1) / (N + V + 1) for each token."""
    language = models.language(model, dtype=dtype, purpose=Slor.name)
    counts = Counter[str]()
    for _, lines in text_lines(path, LINES):
        for tokens in language.tokens([line.strip() for line in lines if line.strip()]):
            counts.update(tokens)
    if not counts:
        raise InputError(f"{path} has no text; expected texts to count unigrams in, one a line")
    whole = math.log(counts.total() + len(counts) + 1)
    return lambda token: math.log(counts[token] + 1) - whole
