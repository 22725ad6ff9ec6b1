"""Worsened sentences with metrics as targets: what an encoder reads before it sees ratings (Sellam et al. 2020).

A sentence loses words, has neighbours swapped, has words filled in anew by a masked language model, or comes back from
another language; the encoder learns to foretell what metrics say of the result beside the sentence, all of them at once
(mean squared error of standardised signals). Where the paper is silent: drops are up to a third of the words, one to
three swaps, each way that is available is taken equally often, and a mask is filled with its likeliest other word
rather than by beam search.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError, SpecError
from nlgauge.io.fields import Problem, key
from nlgauge.io.files import text_lines
from nlgauge.learned.learners import Scale
from nlgauge.meta.observations import Observation
from nlgauge.metrics.spec import parse
from nlgauge.models.kept_pairs import Pair
from nlgauge.models.resolve import locate
from nlgauge.training.config import Work
from nlgauge.training.encoders import libraries
from nlgauge.training.examples import Examples
from nlgauge.training.featured import table

SOME = 32  # texts in a batch of a model that fills or translates
BLOCK = 10_000  # lines read at once
LONGEST = 512  # units of a text that such a model reads or writes, unless it knows less
_MASKED = "AutoModelForMaskedLM"
Worsen = Callable[[Sequence[str], Random], list[str]]


@dataclass(frozen=True, eq=False)
class Made:
    """Worsened and original sentences, with standardised signals (n, k)."""

    pairs: list[Pair]
    signals: Array


@dataclass(frozen=True)
class Synthetic:
    """How sentences are worsened, and what is foretold of them."""

    sentences: str = key("file with a sentence on each line; none: the references of the data", default="")
    pairs: int = key("worsened sentences to make", default=10_000, least=20)
    signals: tuple[str, ...] = key(
        "metrics, by spec, that the encoder learns to foretell", default=("sentbleu", "rougeL", "entailment")
    )
    epochs: int = key("passes over them", default=1, least=1, most=100_000)
    rate: float = key("the highest learning rate", default=2e-5, least=1e-8, most=1.0)
    fill: str = key("masked language model that fills words in: hub id or path; none: not done", default="")
    there: str = key("translation model into another language: hub id or path; none: not done", default="")
    back: str = key("translation model from there", default="")

    def contradictions(self, lines: Mapping[str, int]) -> list[Problem]:
        """What does not fit together, with its line."""
        found = []
        for number, spec in enumerate(self.signals, start=1):
            try:
                parse(spec)
            except (SpecError, InputError) as error:
                found.append(Problem(lines.get(f"synthetic.signals.{number}", 0), "synthetic", str(error)))
        if not self.signals:
            message = "synthetic.signals is empty; name at least one metric"
            found.append(Problem(lines.get("synthetic.signals", 0), "synthetic", message))
        if bool(self.there) != bool(self.back):
            message = "back-translation takes two models, synthetic.there and synthetic.back; one is missing"
            found.append(Problem(lines.get("synthetic", 0), "synthetic", message))
        return found

    def made(self, work: Work, *, seed: int) -> Made:
        """The pairs with their signals; these are computed once and kept, as features are."""
        pairs = self._pairs(work, Random(f"{seed}/synthetic"))
        rows = tuple(
            Observation(f"s{number}", "worsened", worse, (sentence,), None, {}, {})
            for number, (worse, sentence) in enumerate(pairs)
        )
        examples = Examples(rows, np.zeros(len(rows)), ("synthetic",) * len(rows))
        metrics = [parse(spec) for spec in self.signals]
        values = table(examples, metrics, work.features, work.progress)
        return Made(pairs, Scale.of(values)(values))

    def _pairs(self, work: Work, random: Random) -> list[Pair]:
        sentences = self._sentences(work)
        ways: list[Worsen] = [_each(dropped), _each(swapped)]
        if self.fill:
            ways.append(_Filling(self.fill))
        if self.there:
            ways.append(_Returning(self.there, self.back))
        chosen = [sentences[number % len(sentences)] for number in range(self.pairs)]
        random.shuffle(chosen)
        found: list[Pair] = []
        for number, way in enumerate(ways):
            some = chosen[number :: len(ways)]
            found += zip(way(some, random), some, strict=True)
        return found

    def _sentences(self, work: Work) -> list[str]:
        if self.sentences:
            blocks = text_lines(work.beside / self.sentences, BLOCK)
            found = [line.strip() for _, lines in blocks for line in lines]
        else:
            rows = (row for row, held in zip(work.examples.rows, work.held, strict=True) if not held)
            found = [text for row in rows for text in row.references]
        found = [text for text in dict.fromkeys(found) if len(text.split()) > 2]
        if not found:
            raise InputError("there is no sentence of three words or more to make synthetic pairs of")
        return found


def dropped(text: str, random: Random) -> str:
    """Without some of its words, up to a third."""
    words = text.split()
    lost = set(random.sample(range(len(words)), random.randint(1, max(1, len(words) // 3))))
    return " ".join(word for place, word in enumerate(words) if place not in lost)


def swapped(text: str, random: Random) -> str:
    """With one to three pairs of neighbours in the wrong order."""
    words = text.split()
    for _ in range(random.randint(1, 3)):
        place = random.randrange(len(words) - 1)
        words[place], words[place + 1] = words[place + 1], words[place]
    return " ".join(words)


def _each(worsen: Callable[[str, Random], str]) -> Worsen:
    return lambda texts, random: [worsen(text, random) for text in texts]


class _Model:
    """A model that writes texts, with its tokeniser."""

    def __init__(self, name: str, loader: str) -> None:
        self.torch, transformers = libraries()
        folder = str(locate(name, "language", "synthetic pairs").path)
        self.device = "cuda" if self.torch.cuda.is_available() else "cpu"
        try:
            self.tokeniser: Any = transformers.AutoTokenizer.from_pretrained(folder)
            loaded: Any = getattr(transformers, loader).from_pretrained(folder)
        except (OSError, ValueError, TypeError, KeyError, ImportError) as error:
            what = "masked language" if loader == _MASKED else "translation"
            raise InputError(
                f"{name} is no {what} model that can be loaded: {' '.join(str(error).split())[:200]}"
            ) from None
        self.net: Any = loaded.to(self.device).eval()
        positions = getattr(self.net.config, "max_position_embeddings", None)
        self.longest = min(LONGEST, int(positions or LONGEST), int(self.tokeniser.model_max_length))

    def fed(self, texts: Sequence[str], **more: Any) -> Any:
        """The units of texts, cut at what the model can read."""
        return self.tokeniser(
            list(texts), padding=True, truncation=True, max_length=self.longest, return_tensors="pt", **more
        )


class _Filling:
    """One word in seven is masked, and filled with the likeliest other unit."""

    def __init__(self, name: str) -> None:
        self._model = _Model(name, _MASKED)
        if self._model.tokeniser.mask_token_id is None:
            raise InputError(f"{name} has no mask to fill in; synthetic.fill takes a masked language model")

    def __call__(self, texts: Sequence[str], random: Random) -> list[str]:
        model, found = self._model, list[str]()
        torch, tokeniser = model.torch, model.tokeniser
        for start in range(0, len(texts), SOME):
            fed = model.fed(texts[start : start + SOME], return_special_tokens_mask=True)
            special, ids = fed.pop("special_tokens_mask").bool(), fed["input_ids"]
            chance = torch.tensor([[random.random() for _ in row] for row in ids.tolist()])
            masked = (chance < 1 / 7) & ~special
            inputs = {**fed, "input_ids": ids.masked_fill(masked, tokeniser.mask_token_id)}
            with torch.inference_mode():
                fed_there = {name: part.to(model.device) for name, part in inputs.items()}
                scores = model.net(**fed_there).logits.float().cpu()
                scores.scatter_(2, ids[..., None], -1e9)  # not the word that stood there
            made = torch.where(masked, scores.argmax(-1), ids)
            found += tokeniser.batch_decode(made, skip_special_tokens=True)
        return found


class _Returning:
    """Into another language and back."""

    def __init__(self, there: str, back: str) -> None:
        self._ways = [_Model(name, "AutoModelForSeq2SeqLM") for name in (there, back)]

    def __call__(self, texts: Sequence[str], random: Random) -> list[str]:
        found = list(texts)
        for model in self._ways:
            made: list[str] = []
            for start in range(0, len(found), SOME):
                fed = model.fed(found[start : start + SOME])
                units = {name: fed[name].to(model.device) for name in ("input_ids", "attention_mask")}
                with model.torch.inference_mode():
                    ids = model.net.generate(**units, max_new_tokens=model.longest - 1, do_sample=False)
                made += model.tokeniser.batch_decode(ids, skip_special_tokens=True)
            found = made
        return found
