"""Perplexity: how surprised a language model is by a text, exp(−ln p(text) / length). It reads no reference.

Length is counted in the model's own tokens, or in words (split at white space), which lets models with different
tokens be compared. Its logarithm is the mean surprise (`output=surprise`), in nats per token: of single segments,
whose perplexities have a long tail, the better feature for a trained metric. Perplexity of a set is that of all its
tokens together (the exponential of the mean over tokens, not
a mean of perplexities). The same of the references, all of them, stands beside it: outputs whose perplexity is far
below that of people's texts are bland rather than good.

* Trigrams (default) know lower-case English words; the end of a text counts as a token, punctuation does not count, a
  word outside the list counts 10⁻⁷, and a remark says how many did.
* A causal network opens a text with its token for that (or the one that ends texts) and judges every token of the text,
  not the end. A text longer than the model is read in windows that move on by half of it, each token judged once with
  the most before it; a remark says how many texts that were.
* An empty text is its end alone: one token and one word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge import models
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, option
from nlgauge.metrics.explanation import Explanation, Figure, Passage
from nlgauge.metrics.modelled import ModelMetric, dtype_option, model_option
from nlgauge.models.interface import Kind, LanguageModel, Likelihood

_OUTPUTS = ("token", "word", "reftoken", "refword", "surprise", "refsurprise")
_LIKELY, _UNLIKELY = np.log(0.1), np.log(0.001)


def judged(
    model: LanguageModel, batch: Batch, *, references: bool = True
) -> tuple[list[Likelihood], list[list[Likelihood]]]:
    """The likelihoods of a batch's outputs, and of the references of each."""
    hypotheses = [text.strip() for text in batch.hypotheses]
    several = [[text.strip() for text in texts] if references else [] for texts in batch.references]
    found = iter(model.score([*hypotheses, *(text for texts in several for text in texts)]))
    return [next(found) for _ in hypotheses], [[next(found) for _ in texts] for texts in several]


def passage(title: str, found: Likelihood) -> Passage:
    """A text with its tokens marked by their probability."""
    levels = tuple(int(value < _LIKELY) + int(value < _UNLIKELY) for value in found.logp)
    return Passage(title, found.tokens, levels, ("likely", "less than 1 in 10", "less than 1 in 1,000"))


class LanguageMetric(ModelMetric):
    """Base of the metrics that ask a language model; of the references too, which only `output=ref…` needs."""

    dtype: str
    output: str

    kind: ClassVar[Kind] = "language"
    needs: ClassVar[tuple[str, ...]] = ("outputs",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.output.startswith("ref"):
            object.__setattr__(self, "needs", ("references",))

    def loaded(self) -> LanguageModel:
        """The model, loaded once in a process."""
        return models.language(self.model, dtype=self.dtype, purpose=self.name)


@dataclass(frozen=True)
class Perplexity(LanguageMetric):
    """How surprised a language model is by the outputs, and beside that by the references; lower is less surprised.

    A low value says fluent or merely frequent, not right. Values of different models cannot be compared, except by
    word.
    """

    model: str = model_option("language", "trigram")
    dtype: str = dtype_option("a network")
    output: str = option(
        "token",
        "of the outputs by token or word, or of the references; surprise: its logarithm, by token",
        choices=_OUTPUTS,
        scoring=True,
    )

    name = "perplexity"
    direction = "lower"
    bounds = (1.0, float("inf"))
    cite = (
        "Jelinek, Mercer, Bahl and Baker (1977), Perplexity: a measure of the difficulty of speech recognition tasks. "
        "Journal of the Acoustical Society of America."
    )
    reference = "the language models' own probabilities (pocketsphinx, transformers)"
    columns: ClassVar[tuple[str, ...]] = (
        "surprise",
        "tokens",
        "words",
        "reference_surprise",
        "reference_tokens",
        "reference_words",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.output.endswith("surprise"):
            object.__setattr__(self, "bounds", (0.0, float("inf")))

    def rows(self, batch: Batch) -> Array:
        mine, theirs = judged(self.loaded(), batch)
        found = [(*_sums([value]), *_sums(several)) for value, several in zip(mine, theirs, strict=True)]
        return np.array(found, dtype=np.float64).reshape(-1, len(self.columns))

    def score(self, totals: Array) -> Array:
        totals = np.asarray(totals, dtype=np.float64)
        first = 3 if self.output.startswith("ref") else 0
        length = totals[..., first + (2 if self.output.endswith("word") else 1)]
        mean = np.divide(totals[..., first], length, out=np.zeros(length.shape), where=length > 0)
        if self.output.endswith("surprise"):
            return mean
        # beyond the largest number there is, which no mean over real texts comes near
        found: Array = np.exp(np.minimum(mean, 700.0))
        return found

    def explained(self, batch: Batch) -> Explanation:
        """Each token with how likely it was."""
        mine, theirs = judged(self.loaded(), batch)
        both = [("output", mine[0]), *((f"reference {k}", one) for k, one in enumerate(theirs[0], start=1))]
        figures = [
            Figure(f"ln p of the {what}", one.total, f"{len(one.logp)} tokens, {one.words} words") for what, one in both
        ]
        parts = [passage(f"The {what}, token by token", one) for what, one in both]
        return Explanation.of(self, batch, self.rows(batch)[0], figures=figures, parts=parts)


def _sums(found: Sequence[Likelihood]) -> tuple[float, int, int]:
    """−ln p, tokens and words of some texts; one that is empty counts as a word, its end."""
    return (
        sum(-read.total for read in found),
        sum(len(read.logp) for read in found),
        sum(max(1, read.words) for read in found),
    )
