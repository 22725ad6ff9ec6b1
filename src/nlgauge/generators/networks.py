"""Three small sequence-to-sequence networks: LSTM with attention, convolutional, Transformer.

A decoder takes the words so far, all at once in training or one by one in sampling, with a state that carries what came
before; both ways give the same numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

PAD, BEGIN, END, UNKNOWN = 0, 1, 2, 3
KERNEL = 3
HEADS = 4
State = list[Any]


class Memory(NamedTuple):
    """What was read: a vector for each word, and where there is no word."""

    vectors: Tensor
    hidden: Tensor
    words: Tensor = torch.empty(0)  # their numbers, for a network that copies


class Part(nn.Module):  # type: ignore[misc]  # PyTorch is not typed here
    """Of a network."""


class Network(Part):
    """Words in, words out; what lies between is the architecture's."""

    copies = False  # whether it may write words that only the source has

    def __init__(self, words: int, longest: int, *, width: int, dropout: float) -> None:
        super().__init__()
        self.words = nn.Embedding(words, width, padding_idx=PAD)
        self.places = nn.Embedding(longest + 1, width)
        self.drop = nn.Dropout(dropout)
        self.width = width

    def read(self, source: Tensor) -> Memory:
        """The source."""
        raise NotImplementedError

    def begin(self, memory: Memory) -> State:
        """The state before the first word."""
        raise NotImplementedError

    def write(self, target: Tensor, memory: Memory, state: State, place: int) -> tuple[Tensor, State]:
        """For each of these words, which stand at `place` and after, how likely each word is to follow."""
        raise NotImplementedError

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Training: logits after each word of the target."""
        memory = self.read(source)
        return self.write(target, memory, self.begin(memory), 0)[0]

    def embedded(self, words: Tensor, place: int = 0) -> Tensor:
        """Words at their places."""
        places = torch.arange(place, place + words.shape[1], device=words.device)
        made: Tensor = self.drop(self.words(words) + self.places(places))
        return made

    def logits(self, vectors: Tensor) -> Tensor:
        """Each word's, by the embeddings."""
        return functional.linear(self.drop(vectors), self.words.weight) * self.width**-0.5


def weights_of(query: Tensor, memory: Memory) -> Tensor:
    """How much of its look the query gives to each word that was read."""
    scores = query @ memory.vectors.transpose(1, 2) * query.shape[-1] ** -0.5
    return scores.masked_fill(memory.hidden[:, None, :], -1e4).softmax(-1)


def attended(query: Tensor, memory: Memory) -> Tensor:
    """The memory as the query sees it."""
    return weights_of(query, memory) @ memory.vectors


class Recurrent(Network):
    """An LSTM reads, another writes and attends to what was read."""

    def __init__(self, words: int, longest: int, *, width: int, dropout: float) -> None:
        super().__init__(words, longest, width=width, dropout=dropout)
        self.reader = nn.LSTM(width, width, batch_first=True)
        self.writer = nn.LSTM(width, width, batch_first=True)
        self.query, self.join = nn.Linear(width, width), nn.Linear(2 * width, width)

    def read(self, source: Tensor) -> Memory:
        words = self.embedded(source)
        return Memory(self.reader(words)[0] + words, source == PAD)

    def begin(self, memory: Memory) -> State:
        first = memory.vectors.mean(1)[None].contiguous()
        return [first, torch.zeros_like(first)]

    def write(self, target: Tensor, memory: Memory, state: State, place: int) -> tuple[Tensor, State]:
        made, last = self.writer(self.embedded(target, place), tuple(state))
        seen = attended(self.query(made), memory)
        return self.logits(torch.tanh(self.join(torch.cat([made, seen], -1)))), list(last)


class _Gated(Part):
    """A convolution over this word and those before (or around it), with a gate."""

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.conv = nn.Conv1d(width, 2 * width, KERNEL)
        self.drop = nn.Dropout(dropout)

    def forward(self, padded: Tensor) -> Tensor:
        made: Tensor = functional.glu(self.conv(self.drop(padded).transpose(1, 2)).transpose(1, 2), -1)
        return made


class Convolutional(Network):
    """Gated convolutions read and write; each layer that writes attends to what was read (Gehring et al. 2017)."""

    LAYERS = 3

    def __init__(self, words: int, longest: int, *, width: int, dropout: float) -> None:
        super().__init__(words, longest, width=width, dropout=dropout)
        self.readers = nn.ModuleList(_Gated(width, dropout) for _ in range(2))
        self.writers = nn.ModuleList(_Gated(width, dropout) for _ in range(self.LAYERS))
        self.queries = nn.ModuleList(nn.Linear(width, width) for _ in range(self.LAYERS))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(self.LAYERS))

    def read(self, source: Tensor) -> Memory:
        made = self.embedded(source)
        for layer in self.readers:
            made = made + layer(functional.pad(made, (0, 0, KERNEL // 2, KERNEL // 2)))
        return Memory(made, source == PAD)

    def begin(self, memory: Memory) -> State:
        return [memory.vectors.new_zeros(len(memory.vectors), KERNEL - 1, self.width) for _ in range(self.LAYERS)]

    def write(self, target: Tensor, memory: Memory, state: State, place: int) -> tuple[Tensor, State]:
        made, kept = self.embedded(target, place), []
        for layer, query, norm, before in zip(self.writers, self.queries, self.norms, state, strict=True):
            padded = torch.cat([before, made], 1)
            kept.append(padded[:, 1 - KERNEL :])
            found = layer(padded)
            made = norm(made + found + attended(query(found), memory))
        return self.logits(made), kept


class _Attention(Part):
    """Several heads."""

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.query, self.both, self.join = (
            nn.Linear(width, width),
            nn.Linear(width, 2 * width),
            nn.Linear(width, width),
        )
        self.drop = nn.Dropout(dropout)

    def forward(self, query: Tensor, memory: Tensor, hidden: Tensor) -> Tensor:
        def heads(vectors: Tensor) -> Tensor:
            return vectors.unflatten(-1, (HEADS, -1)).transpose(1, 2)

        keys, values = self.both(memory).chunk(2, -1)
        asked = heads(self.query(query))
        scores = asked @ heads(keys).transpose(2, 3) * asked.shape[-1] ** -0.5
        seen = scores.masked_fill(hidden, -1e4).softmax(-1) @ heads(values)
        made: Tensor = self.drop(self.join(seen.transpose(1, 2).flatten(2)))
        return made


class _Block(Part):
    """Attention to itself, to what was read (in a writer), and a layer between."""

    def __init__(self, width: int, dropout: float, *, writes: bool) -> None:
        super().__init__()
        self.own = _Attention(width, dropout)
        self.other = _Attention(width, dropout) if writes else None
        self.feed = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), nn.Dropout(dropout)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))

    def forward(self, made: Tensor, past: Tensor, unseen: Tensor, memory: Memory | None) -> Tensor:
        made = made + self.own(made, past, unseen)
        if self.other is not None and memory is not None:
            made = made + self.other(self.norms[1](made), memory.vectors, memory.hidden[:, None, None, :])
        found: Tensor = made + self.feed(self.norms[2](made))
        return found


class Transformer(Network):
    """Two layers that read and two that write (Vaswani et al. 2017), with norms before each part."""

    LAYERS = 2

    def __init__(self, words: int, longest: int, *, width: int, dropout: float) -> None:
        super().__init__(words, longest, width=width, dropout=dropout)
        self.readers = nn.ModuleList(_Block(width, dropout, writes=False) for _ in range(self.LAYERS))
        self.writers = nn.ModuleList(_Block(width, dropout, writes=True) for _ in range(self.LAYERS))
        self.last, self.end = nn.LayerNorm(width), nn.LayerNorm(width)

    def read(self, source: Tensor) -> Memory:
        made, hidden = self.embedded(source), source == PAD
        for layer in self.readers:
            normed = layer.norms[0](made)
            made = layer(made, normed, hidden[:, None, None, :], None)
        return Memory(self.last(made), hidden)

    def begin(self, memory: Memory) -> State:
        return [memory.vectors.new_zeros(len(memory.vectors), 0, self.width) for _ in range(self.LAYERS)]

    def write(self, target: Tensor, memory: Memory, state: State, place: int) -> tuple[Tensor, State]:
        made, kept = self.embedded(target, place), []
        new = target.shape[1]
        unseen = torch.ones(new, place + new, dtype=torch.bool, device=target.device).triu(place + 1)
        for layer, before in zip(self.writers, state, strict=True):
            past = torch.cat([before, layer.norms[0](made)], 1)
            kept.append(past)
            made = layer(made, past, unseen, memory)
        return self.logits(self.end(made)), kept


NETWORKS: dict[str, type[Network]] = {"lstm": Recurrent, "conv": Convolutional, "transformer": Transformer}


# An LSTM that reads in both directions, and one that may also copy the words it reads (See, Liu and Manning 2017).
#
# The pointer-generator differs from the paper's in three ways: attention is a scaled dot product of a transformed
# query (the paper adds and squashes), embeddings of words are also those of the output, and there is no coverage.


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
