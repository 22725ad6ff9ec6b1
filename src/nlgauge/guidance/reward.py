"""A comparator as a reward: of decoded texts, or differentiable, of texts as distributions over the encoder's units.

Once a system is trained against a comparator, the comparator cannot judge that system: it learns what the comparator
takes for good, also where people would not. Judge it by people, or by a comparator it was not trained against.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cache
from typing import Any

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.guidance.comparing import Compares
from nlgauge.learned.comparator import TIE, A, Comparator, Written, joined, shortened
from nlgauge.models.pytorch import libraries
from nlgauge.models.scoring import HEAD, pooled
from nlgauge.models.weights import unpacked
from nlgauge.models.wordpiece import CONTEXT, shares

ONCE_TRAINED = (
    "a system trained against a comparator can no longer be judged by it, nor be stopped or selected by it: its "
    "ratings of this system will rise whether or not the texts get better; judge by people or by another comparator"
)


class TrainedAgainst(UserWarning):
    """A comparator is used as a reward."""


@cache
def _warn() -> None:
    """Once in a process."""
    warnings.warn(ONCE_TRAINED, TrainedAgainst, stacklevel=3)


def text_rewards(compares: Compares, ones: Sequence[Written], others: Sequence[Written]) -> Array:
    """Of decoded texts, for REINFORCE and its kin: the chance to be the better one, and half that of a tie."""
    _warn()
    said = compares.outcomes(ones, others)
    return said[:, A] + said[:, TIE] / 2


class SoftReward:
    """The comparator in PyTorch, differentiable in the first text; its own weights do not change.

    The first texts are probabilities of units (n, length, vocabulary): a softmax, or one-hot with a straight-through
    estimate (`torch.nn.functional.gumbel_softmax(logits, hard=True)`), over the vocabulary of the comparator's
    encoder, without delimiters. They are read after the contexts of the others.
    """

    def __init__(self, comparator: Comparator, *, device: str = "cpu") -> None:
        _warn()
        if not comparator.network:
            raise InputError(
                "a differentiable reward is for comparators over a BERT with the uncased tokeniser, and this one "
                f"reads by {comparator.encoder}; text_rewards works with it"
            )
        self._torch, transformers = libraries("a differentiable reward")
        self._comparator, self.device = comparator, device
        _, self._pieces = comparator.read_weights()
        weights = {
            name: self._torch.from_numpy(values).to(device) for name, values in unpacked(comparator.weights).items()
        }
        self._head = [(weights[f"{layer}.weight"], weights[f"{layer}.bias"]) for layer in comparator.reading.layers]
        config = transformers.BertConfig(**comparator.network)
        self._bert = transformers.BertModel(config, add_pooling_layer=False).to(device).eval()
        own = {name: values for name, values in weights.items() if not name.startswith(f"{HEAD}.")}
        lacking, _ = self._bert.load_state_dict(own, strict=False)
        if [name for name in lacking if not name.endswith(("position_ids", "token_type_ids"))]:
            raise InputError(f"the comparator lacks the weights {', '.join(lacking)}; is its folder whole?")
        self._bert.requires_grad_(False)
        self._units = self._bert.embeddings.word_embeddings.weight

    @property
    def vocabulary(self) -> int:
        """How many units there are."""
        return len(self._units)

    def __call__(self, soft: Any, others: Sequence[Written], lengths: Sequence[int] | None = None) -> Any:
        """(n,): the chance to be the better text and half that of a tie; `-reward.mean()` is a loss."""
        said = self.outcomes(soft, others, lengths)
        return said[:, A] + said[:, TIE] / 2

    def outcomes(self, soft: Any, others: Sequence[Written], lengths: Sequence[int] | None = None) -> Any:
        """Probabilities (n, 3): the first is better, the other is, neither. `lengths`: units of each that are text."""
        if soft.ndim != 3 or soft.shape[2] != self.vocabulary or len(soft) != len(others):
            raise InputError(
                f"soft texts of shape {tuple(soft.shape)} for {len(others)} others; expected "
                f"({len(others)}, length, {self.vocabulary})"
            )
        torch, words = self._torch, self._comparator.words
        ends = [soft.shape[1]] * len(soft) if lengths is None else lengths
        mine = [(text[:end] @ self._units) for text, end in zip(soft.to(self.device), ends, strict=True)]
        contexts = [self._embedded(other.context) for other in others]
        theirs = [shortened(other.text, words) for other in others]
        if self._comparator.reads == "apart":
            one = self._said(list(zip(contexts, mine, strict=True)))
            with torch.no_grad():
                other = self._said(list(zip(contexts, map(self._embedded, theirs), strict=True)))
            half = (one[:, 0] - other[:, 0]) / 2
            logits = torch.stack([half, -half, one[:, 1] + other[:, 1]], dim=1)
        else:
            firsts = [torch.cat(parts) for parts in zip(contexts, mine, strict=True)]
            seconds = [self._embedded(joined(other.context, text)) for other, text in zip(others, theirs, strict=True)]
            forth = self._said(list(zip(firsts, seconds, strict=True)))
            back = self._said(list(zip(seconds, firsts, strict=True)))
            logits = (forth + back[:, [1, 0, 2]]) / 2
        return torch.softmax(logits, dim=1)

    def _embedded(self, text: str) -> Any:
        return self._units[self._pieces.units(text)]

    def _said(self, pairs: Sequence[tuple[Any, Any]]) -> Any:
        """The head's numbers of pairs of texts as vectors, cut and delimited as the metric does."""
        torch, how = self._torch, self._comparator.reading
        opening, end = (self._units[[unit]] for unit in (self._pieces.first, self._pieces.separator))
        rows, parts = [], []
        for one, other in pairs:
            first, second = one, other
            if len(first) + len(second) > how.longest - 3:
                keep, rest = shares(len(first), len(second), how.longest - 3, cut=how.cut)
                first = first[-keep:] if how.cut == CONTEXT else first[:keep]
                second = second[:rest]
            rows.append(torch.cat([opening, first, end, second, end]))
            parts.append(torch.tensor([0] * (len(first) + 2) + [1] * (len(second) + 1), device=self.device))
        pad = torch.nn.utils.rnn.pad_sequence
        mask = pad([torch.ones_like(part) for part in parts], batch_first=True)
        vectors = self._bert(
            inputs_embeds=pad(rows, batch_first=True),
            attention_mask=mask,
            token_type_ids=pad(parts, batch_first=True),
        ).last_hidden_state
        seen = pooled(torch, vectors, mask, how.pooled)
        for weight, bias in self._head[:-1]:
            seen = torch.tanh(seen @ weight.T + bias)
        weight, bias = self._head[-1]
        return seen @ weight.T + bias
