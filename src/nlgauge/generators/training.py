"""Training of the small generators, and what their checkpoints write."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from nlgauge.errors import InputError
from nlgauge.generators.networks import ALL, BEGIN, END, PAD, UNKNOWN, Network
from nlgauge.models import weights

BATCH = 32
CLIPPED = 1.0
SPECIAL = ("<pad>", "<s>", "</s>", "<unk>")
LEAST_COUNT = 2  # a word that is rarer has no place of its own, unless asked for
ABOUT, WEIGHTS = "generator.json", "weights.safetensors"


@dataclass(frozen=True)
class Example:
    """A prompt and one good continuation."""

    prompt: str
    text: str


@dataclass(frozen=True)
class Decoding:
    """How words are drawn: at a temperature, among the likeliest `top` (0: all); 1 is greedy."""

    temperature: float = 1.0
    top: int = 0

    def __str__(self) -> str:
        return (
            "greedy"
            if self.top == 1
            else f"temperature {self.temperature:g}" + (f", top {self.top}" if self.top else "")
        )


@dataclass(frozen=True)
class Hyperparameters:
    """All that a generator is trained with."""

    network: str
    width: int
    rate: float
    dropout: float
    steps: int
    stories: int  # to learn from
    seed: int


class Vocabulary:
    """Words and their numbers."""

    def __init__(self, texts: Sequence[Example], most: int = 8000, least: int = LEAST_COUNT) -> None:
        counts: dict[str, int] = {}
        for story in texts:
            for word in f"{story.prompt} {story.text}".split():
                counts[word] = counts.get(word, 0) + 1
        known = sorted(counts, key=lambda word: (-counts[word], word))
        self._set(
            [*SPECIAL, *(word for word in known[:most] if counts[word] >= least)],
            source=max(len(story.prompt.split()) for story in texts),
            target=max(len(story.text.split()) for story in texts) + 1,
        )

    @classmethod
    def of(cls, words: Sequence[str], *, source: int, target: int) -> Vocabulary:
        """One that was made before."""
        made = cls.__new__(cls)
        made._set(list(words), source=source, target=target)
        return made

    def _set(self, words: list[str], *, source: int, target: int) -> None:
        self.words, self.source, self.target = words, source, target
        self._numbers = {word: number for number, word in enumerate(words)}

    def __len__(self) -> int:
        return len(self.words)

    def beyond(self, prompt: str) -> dict[str, int]:
        """Numbers for the words of a prompt that are not among these."""
        lacking = dict.fromkeys(word for word in prompt.split()[: self.source] if word not in self._numbers)
        return {word: len(self) + place for place, word in enumerate(lacking)}

    def numbers(
        self,
        texts: Sequence[str],
        length: int,
        *,
        whole: bool,
        beyond: Sequence[Mapping[str, int]] | None = None,
    ) -> Tensor:
        """Rows of one length; a whole text stands between a beginning and an end, and may know words beyond these."""
        made = np.full((len(texts), length + whole), PAD, dtype=np.int64)
        for row, text in enumerate(texts):
            more = beyond[row] if beyond else {}
            found = [self._numbers.get(word, more.get(word, UNKNOWN)) for word in text.split()]
            found = [BEGIN, *found[: length - 1], END] if whole else found[:length]
            made[row, : len(found)] = found
        return torch.from_numpy(made)

    def text(self, numbers: Sequence[int], beyond: Mapping[str, int] | None = None) -> str:
        """The words before the end."""
        ends = numbers.index(END) if END in numbers else len(numbers)
        words = [*self.words, *(beyond or {})]
        return " ".join(words[number] for number in numbers[:ends])


class Writer:
    """A network with its words."""

    def __init__(self, made: Hyperparameters, words: Vocabulary, device: str) -> None:
        torch.manual_seed(made.seed)
        self.made, self.words, self.device = made, words, torch.device(device)
        longest = max(words.source, words.target)
        self.net: Network = ALL[made.network](len(words), longest, width=made.width, dropout=made.dropout).to(
            self.device
        )

    def write(self, prompts: Sequence[str], decoding: Decoding, seed: int) -> list[str]:
        """A text for each prompt."""
        self.net.eval()
        chance = torch.Generator(self.device).manual_seed(seed)
        word = torch.full((len(prompts), 1), BEGIN, device=self.device)
        ended = torch.zeros(len(prompts), 1, dtype=torch.bool, device=self.device)
        made: list[Tensor] = []
        with torch.inference_mode():
            beyond = self._beyond(prompts)
            memory = self.net.read(self._numbers(prompts, beyond))
            state = self.net.begin(memory)
            for place in range(self.words.target):
                logits, state = self.net.write(word, memory, state, place)
                word = _drawn(logits[:, -1], decoding, chance)
                made.append(word)
                ended |= word == END
                if place % 8 == 7 and bool(ended.all()):  # asked seldom, as a GPU must be waited for
                    break
        rows = torch.cat(made, 1).tolist()
        if beyond is None:
            return [self.words.text(row) for row in rows]
        return [self.words.text(row, more) for row, more in zip(rows, beyond, strict=True)]

    def surprise(self, texts: Sequence[Example]) -> NDArray[np.float64]:
        """Perplexity of each text for its prompt."""
        self.net.eval()
        found = []
        for part in _parts(texts, 256):
            source, target = self._pair(part)
            with torch.inference_mode():
                logits = self.net(source, target[:, :-1])
                lost = functional.cross_entropy(
                    logits.transpose(1, 2), target[:, 1:], ignore_index=PAD, reduction="none"
                )
                found.append((lost.sum(1) / (target[:, 1:] != PAD).sum(1)).cpu().numpy())
        return np.exp(np.concatenate(found).astype(np.float64))

    def save(self, folder: Path) -> None:
        """Keep it in a folder that is there."""
        arrays = {name: values.detach().cpu().numpy() for name, values in self.net.state_dict().items()}
        weights.write(folder / WEIGHTS, arrays)
        words = {"words": self.words.words, "source": self.words.source, "target": self.words.target}
        told = json.dumps({"made": asdict(self.made), "vocabulary": words}, ensure_ascii=False)
        (folder / ABOUT).write_text(told, encoding="utf-8")

    @classmethod
    def open(cls, folder: Path, device: str) -> Writer:
        """One that was kept."""
        try:
            told = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
            held = told["vocabulary"]
            words = Vocabulary.of(held["words"], source=held["source"], target=held["target"])
            writer = Writer(Hyperparameters(**told["made"]), words, device)
            arrays = {name: torch.tensor(values) for name, values in weights.read(folder / WEIGHTS).items()}
            writer.net.load_state_dict(arrays)
        except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
            raise InputError(f"{folder} holds no whole generator ({error}); remove it and train again") from None
        return writer

    def _beyond(self, prompts: Sequence[str]) -> list[dict[str, int]] | None:
        return [self.words.beyond(prompt) for prompt in prompts] if self.net.copies else None

    def _numbers(self, prompts: Sequence[str], beyond: list[dict[str, int]] | None) -> Tensor:
        return self.words.numbers(prompts, self.words.source, whole=False, beyond=beyond).to(self.device)

    def _pair(self, texts: Sequence[Example]) -> tuple[Tensor, Tensor]:
        """Prompts and continuations in numbers."""
        prompts = [story.prompt for story in texts]
        beyond = self._beyond(prompts)
        target = [story.text for story in texts]
        numbers = self.words.numbers(target, self.words.target, whole=True, beyond=beyond)
        return self._numbers(prompts, beyond), numbers.to(self.device)


class Generator(Writer):
    """A writer in training, a stretch at a time."""

    def __init__(
        self,
        made: Hyperparameters,
        words: Vocabulary,
        learnt: Sequence[Example],
        device: str,
        *,
        batch: int = BATCH,
    ) -> None:
        super().__init__(made, words, device)
        drawn = np.random.default_rng([made.seed, 1]).permutation(len(learnt))[: made.stories]
        self._source, self._target = self._pair([learnt[place] for place in drawn])
        graphed = self.device.type == "cuda"
        self._optimiser = torch.optim.Adam(self.net.parameters(), made.rate, fused=graphed, capturable=graphed)
        self._order = np.random.default_rng(made.seed)
        self._batch = torch.zeros(batch, dtype=torch.long, device=self.device)
        self._graph: torch.cuda.CUDAGraph | None = None
        self.done = 0

    def learn(self, until: int) -> None:
        """Train on up to this step; on a GPU the step is recorded once and replayed."""
        self.net.train()
        while self.done < until:
            drawn = self._order.integers(len(self._source), size=len(self._batch))
            self._batch.copy_(torch.from_numpy(drawn))
            if self._graph is not None:
                self._graph.replay()
            else:
                self._step()
            self.done += 1
            if self.device.type == "cuda" and self._graph is None and self.done == 3:
                self._record()

    def _step(self) -> None:
        self._optimiser.zero_grad(set_to_none=True)
        target = self._target[self._batch]
        logits = self.net(self._source[self._batch], target[:, :-1])
        functional.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD).backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), CLIPPED, foreach=True)
        self._optimiser.step()

    def _record(self) -> None:
        """PyTorch wants a step on another stream before: one more than is counted."""
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            self._step()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self._step()
        self._graph = graph


def _drawn(logits: Tensor, decoding: Decoding, chance: torch.Generator) -> Tensor:
    logits[:, [PAD, BEGIN, UNKNOWN]] = -1e9
    if decoding.top == 1:
        return logits.argmax(-1, keepdim=True)
    if decoding.top:
        least = logits.topk(min(decoding.top, logits.shape[-1]), dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < least, -1e9)
    return torch.multinomial((logits / decoding.temperature).softmax(-1), 1, generator=chance)


def _parts(texts: Sequence[Example], size: int) -> Iterator[Sequence[Example]]:
    for start in range(0, len(texts), size):
        yield texts[start : start + size]
