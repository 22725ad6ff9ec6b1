"""An LSTM that reads in both directions, and one that may also copy the words it reads (See, Liu and Manning 2017).

The pointer-generator differs from the paper's in three ways: attention is a scaled dot product of a transformed query
(the paper adds and squashes), embeddings of words are also those of the output, and there is no coverage.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from nlgauge.generators.networks import NETWORKS, PAD, UNKNOWN, Memory, Network, Recurrent, State, weights_of

LEAST = 1e-30  # of a probability whose logarithm is taken


class Bidirectional(Recurrent):
    """Two LSTMs read, one from the first word on and one from the last; a third writes and attends to what was read."""

    def __init__(self, words: int, longest: int, *, width: int, dropout: float) -> None:
        super().__init__(words, longest, width=width, dropout=dropout)
        self.reader = nn.LSTM(width, width // 2, batch_first=True)
        self.back = nn.LSTM(width, width - width // 2, batch_first=True)

    def read(self, source: Tensor) -> Memory:
        words = self.embedded(source)
        turned = _turned(source)
        gathered = turned[:, :, None].expand(-1, -1, self.width)
        back = self.back(words.gather(1, gathered))[0]
        back = back.gather(1, turned[:, :, None].expand(-1, -1, back.shape[2]))
        return Memory(torch.cat([self.reader(words)[0], back], -1) + words, source == PAD, source)

    def begin(self, memory: Memory) -> State:
        shown = ~memory.hidden[:, :, None]
        first = ((memory.vectors * shown).sum(1) / shown.sum(1).clamp_min(1))[None].contiguous()
        return [first, torch.zeros_like(first)]


class Pointing(Bidirectional):
    """Each word is drawn from the vocabulary, or copied from where the network looks in the source.

    Words beyond the vocabulary have numbers from its size on, each source its own; as many can be written as the source
    has places. What comes out are logarithms of probabilities.
    """

    copies = True

    def __init__(self, words: int, longest: int, *, width: int, dropout: float) -> None:
        super().__init__(words, longest, width=width, dropout=dropout)
        self.switch = nn.Linear(3 * width, 1)

    def embedded(self, words: Tensor, place: int = 0) -> Tensor:
        return super().embedded(words.where(words < self.words.num_embeddings, UNKNOWN), place)

    def write(self, target: Tensor, memory: Memory, state: State, place: int) -> tuple[Tensor, State]:
        given = self.embedded(target, place)
        made, last = self.writer(given, tuple(state))
        looked = weights_of(self.query(made), memory)
        seen = looked @ memory.vectors
        drawn = self.logits(torch.tanh(self.join(torch.cat([made, seen], -1)))).softmax(-1)
        vocabulary = self.switch(torch.cat([seen, made, given], -1)).sigmoid()
        both = functional.pad(vocabulary * drawn, (0, looked.shape[-1]))
        source = memory.words[:, None, :].expand_as(looked)
        return both.scatter_add(-1, source, (1 - vocabulary) * looked).clamp_min(LEAST).log(), list(last)


def _turned(source: Tensor) -> Tensor:
    """Where to find each word when the words of a row are read from the last on; what is empty stays behind them."""
    places = torch.arange(source.shape[1], device=source.device)[None]
    lengths = (source != PAD).sum(1, keepdim=True)
    return (lengths - 1 - places).where(places < lengths, places)


ALL: dict[str, type[Network]] = {**NETWORKS, "bilstm": Bidirectional, "pointer": Pointing}
