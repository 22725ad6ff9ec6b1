"""The reader: one small encoder that learns two tasks together, entailment and the review of wordings.

Both sentences of a pair go through the encoder together, as in BERT (Devlin et al. 2019), and the first unit's vector
is classified. A wording goes through alone; the mean and the maximum over its units are classified, into neutral and
the kinds of bias. Batches of the two tasks alternate, so that the wordings, of which there are few, are learnt by an
encoder that must also understand sentences. Settings are chosen by pairs and wordings held out; test files are looked
at with the weights as they are shipped, in eight bits.
"""

from __future__ import annotations

import json
import math
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.errors import InputError, MissingExtra
from nlgauge.models.weights import packed, unpacked, write
from nlgauge.training.snli import LABELS, Pair, read_pairs, split
from nlgauge.training.wordings import KINDS, Wording, read_wordings

WEIGHTS = "weights.safetensors"
Row = tuple[list[int], list[int]]  # numbers of the units, and which sentence each belongs to
Report = Callable[[Mapping[str, Any]], None]


@dataclass(frozen=True)
class Recipe:
    """What a training depends on, beside the data and the encoder."""

    epochs: int = 4  # passes over the pairs
    wording_epochs: int = 5  # passes over the wordings in the same time
    learning_rate: float = 1e-4
    batch: int = 64
    wording_batch: int = 32
    warm_up: float = 0.06  # share of the steps over which the learning rate rises
    decay: float = 0.01  # of the weights
    smoothing: float = 0.05  # of the labels
    dropout: float = 0.1  # before the classifiers
    tokens: int = 96  # of both sentences together; longer pairs are cut at the longer sentence
    wording_tokens: int = 192
    held: int = 4_000  # pairs of the training file to choose by
    average: float = 0.2  # share of the steps at the end whose weights are averaged (Izmailov et al. 2018)
    seed: int = 7


def _libraries() -> tuple[Any, Any]:
    try:
        import torch
        import transformers
    except ModuleNotFoundError as error:
        raise MissingExtra("training", error.name or "torch", "neural") from None
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    return torch, transformers


class Training:
    """One training: the encoder and its two classifiers as they are after each step."""

    def __init__(self, encoder: str | Path, recipe: Recipe) -> None:
        self.torch, transformers = _libraries()
        self.recipe, self.source = recipe, Path(encoder)
        self.device = "cuda" if self.torch.cuda.is_available() else "cpu"
        self.torch.manual_seed(recipe.seed)
        try:
            self.tokeniser = transformers.AutoTokenizer.from_pretrained(str(encoder))
            self.encoder = transformers.AutoModel.from_pretrained(str(encoder), add_pooling_layer=False)
        except (OSError, ValueError, TypeError) as error:
            raise InputError(f"the encoder {encoder} cannot be loaded: {error}") from None
        width = int(self.encoder.config.hidden_size)
        nn = self.torch.nn
        self.heads = nn.ModuleDict(
            {"entailment": nn.Linear(width, len(LABELS)), "wording": nn.Linear(2 * width, len(KINDS))}
        )
        self.drop = nn.Dropout(recipe.dropout)
        self.net = nn.ModuleDict({"encoder": self.encoder, "heads": self.heads, "drop": self.drop})
        self.net.to(self.device).float()

    def pair_rows(self, pairs: Sequence[Pair]) -> list[Row]:
        """The units of each pair."""
        return self._rows(
            [pair.premise for pair in pairs],
            [pair.hypothesis for pair in pairs],
            truncation="longest_first",
            max_length=self.recipe.tokens,
        )

    def wording_rows(self, texts: Sequence[str]) -> list[Row]:
        """The units of each wording."""
        return self._rows(list(texts), truncation=True, max_length=self.recipe.wording_tokens)

    def _rows(self, *texts: list[str], **options: Any) -> list[Row]:
        made = self.tokeniser(*texts, return_token_type_ids=True, **options)
        return list(zip(made["input_ids"], made["token_type_ids"], strict=True))

    def hidden(self, rows: Sequence[Row]) -> tuple[Any, Any]:
        """The last layer's vectors of a batch, and its mask."""
        longest = max(len(ids) for ids, _ in rows)
        ids, kinds, mask = (np.zeros((len(rows), longest), dtype=np.int64) for _ in range(3))
        for row, (units, sentence) in enumerate(rows):
            ids[row, : len(units)] = units
            kinds[row, : len(units)] = sentence
            mask[row, : len(units)] = 1
        fed = [self.torch.from_numpy(array).to(self.device) for array in (ids, kinds, mask)]
        made = self.encoder(input_ids=fed[0], token_type_ids=fed[1], attention_mask=fed[2])
        return made.last_hidden_state, fed[2]

    def entailment(self, rows: Sequence[Row]) -> Any:
        """Scores of the labels for a batch of pairs."""
        vectors, _ = self.hidden(rows)
        return self.heads["entailment"](self.drop(vectors[:, 0]))

    def wording(self, rows: Sequence[Row]) -> Any:
        """Scores of the kinds for a batch of wordings."""
        vectors, mask = self.hidden(rows)
        there = mask[..., None].to(vectors.dtype)
        mean = (vectors * there).sum(1) / there.sum(1)
        largest = vectors.masked_fill(mask[..., None] == 0, -1e4).amax(1)
        return self.heads["wording"](self.drop(self.torch.cat([mean, largest], dim=1)))

    def half(self) -> Any:
        """Half precision where there is an accelerator."""
        return self.torch.autocast(self.device, self.torch.bfloat16, enabled=self.device == "cuda")

    def run(
        self,
        pairs: Sequence[Pair],
        wordings: Sequence[Wording],
        held: Sequence[Pair],
        held_wordings: Sequence[Wording],
        report: Report,
    ) -> None:
        """Learn; `report` hears of each epoch."""
        recipe, torch = self.recipe, self.torch
        pair_rows, labels = self.pair_rows(pairs), [pair.label for pair in pairs]
        wording_rows, kinds = (
            self.wording_rows([wording.text for wording in wordings]),
            [wording.kind for wording in wordings],
        )
        steps = recipe.epochs * math.ceil(len(pairs) / recipe.batch)
        batches = recipe.wording_epochs * math.ceil(len(wordings) / recipe.wording_batch)
        optimiser = torch.optim.AdamW(
            self.net.parameters(), lr=recipe.learning_rate, weight_decay=recipe.decay
        )
        rise = max(1, int(recipe.warm_up * steps))
        schedule = torch.optim.lr_scheduler.LambdaLR(
            optimiser, lambda step: min((step + 1) / rise, max(0.0, (steps - step) / max(1, steps - rise)))
        )
        endless = self._endless(wording_rows)
        mean, step, owed = _Mean(), 0, 0.0
        for epoch in range(1, recipe.epochs + 1):
            begun = time.perf_counter()
            self.net.train()
            for batch in self._batches(pair_rows, recipe.batch, f"pairs/{epoch}"):
                loss = self._pair_loss(
                    [pair_rows[place] for place in batch], [labels[place] for place in batch]
                )
                loss.backward()
                owed += batches / steps
                while owed >= 1:
                    owed -= 1
                    chosen = next(endless)
                    self._wording_loss(
                        [wording_rows[place] for place in chosen], [kinds[place] for place in chosen]
                    ).backward()
                torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
                optimiser.step()
                optimiser.zero_grad(set_to_none=True)
                schedule.step()
                step += 1
                if step > steps * (1 - recipe.average):
                    mean.add(self.net.state_dict())
            if epoch == recipe.epochs and mean.number:
                self.net.load_state_dict(mean.values)
            figures = {"epoch": epoch, "seconds": round(time.perf_counter() - begun, 1)}
            report(figures | self.figures(held, held_wordings))

    def _pair_loss(self, rows: Sequence[Row], wanted: Sequence[int]) -> Any:
        with self.half():
            scores = self.entailment(rows)
        target = self.torch.tensor(wanted, device=self.device)
        return self.torch.nn.functional.cross_entropy(
            scores.float(), target, label_smoothing=self.recipe.smoothing
        )

    def _wording_loss(self, rows: Sequence[Row], wanted: Sequence[int]) -> Any:
        """Of the kind, and of whether there is any: that is what a finding hangs on."""
        functional = self.torch.nn.functional
        with self.half():
            scores = self.wording(rows)
        scores, smooth = scores.float(), self.recipe.smoothing
        target = self.torch.tensor(wanted, device=self.device)
        odds = self.torch.logsumexp(scores[:, 1:], dim=1) - scores[:, 0]
        biased = (target > 0).float() * (1 - 2 * smooth) + smooth
        return functional.cross_entropy(
            scores, target, label_smoothing=smooth
        ) + functional.binary_cross_entropy_with_logits(odds, biased)

    def _batches(self, rows: Sequence[Row], size: int, key: str) -> Iterator[list[int]]:
        """Every row once, those of like length together, in an order of the key's own."""
        random = Random(f"{self.recipe.seed}/{key}")
        order = list(range(len(rows)))
        random.shuffle(order)
        batches = []
        for start in range(0, len(order), 50 * size):
            pool = sorted(order[start : start + 50 * size], key=lambda place: len(rows[place][0]))
            batches += [pool[place : place + size] for place in range(0, len(pool), size)]
        random.shuffle(batches)
        yield from batches

    def _endless(self, rows: Sequence[Row]) -> Iterator[list[int]]:
        epoch = 0
        while True:
            epoch += 1
            yield from self._batches(rows, self.recipe.wording_batch, f"wordings/{epoch}")

    def scores(self, rows: Sequence[Row], head: Callable[[Sequence[Row]], Any]) -> NDArray[np.float32]:
        """What a classifier says of many rows."""
        order = sorted(range(len(rows)), key=lambda place: len(rows[place][0]))
        found: list[Any] = [None] * len(rows)
        self.net.eval()
        with self.torch.inference_mode():
            for start in range(0, len(order), 256):
                batch = order[start : start + 256]
                made = head([rows[place] for place in batch]).float().cpu().numpy()
                for place, row in zip(batch, made, strict=True):
                    found[place] = row
        return np.array(found, dtype=np.float32)

    def accuracy(self, pairs: Sequence[Pair]) -> float:
        """Share of pairs whose label has the highest score."""
        chosen = self.scores(self.pair_rows(pairs), self.entailment).argmax(axis=1)
        return float(np.mean(chosen == np.array([pair.label for pair in pairs])))

    def odds(self, wordings: Sequence[Wording]) -> NDArray[np.float32]:
        """The logarithm of the odds that each wording is biased."""
        return log_odds(self.scores(self.wording_rows([wording.text for wording in wordings]), self.wording))

    def figures(self, held: Sequence[Pair], wordings: Sequence[Wording]) -> dict[str, float]:
        """What is looked at after each epoch and at the end."""
        found = {"accuracy": self.accuracy(held)} if held else {}
        if wordings:
            odds, biased = self.odds(wordings), np.array([wording.kind > 0 for wording in wordings])
            found |= {
                "found": float(np.mean(odds[biased] > 0)) if biased.any() else 0.0,
                "false": float(np.mean(odds[~biased] > 0)) if (~biased).any() else 0.0,
            }
        return {name: round(value, 4) for name, value in found.items()}

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """The weights by name: the encoder's as its library names them, then the classifiers'."""
        state = {**self.encoder.state_dict(), **self.heads.state_dict()}
        return {
            name: value.float().cpu().numpy() for name, value in state.items() if value.is_floating_point()
        }

    def load(self, weights: Mapping[str, NDArray[np.float32]]) -> None:
        """Put weights in place of the network's own."""
        for part in (self.encoder, self.heads):
            names = part.state_dict().keys() & weights.keys()
            part.load_state_dict(
                {name: self.torch.from_numpy(np.array(weights[name])) for name in names}, strict=False
            )

    def save(self, folder: Path) -> None:
        """Weights in eight bits, the settings of the network and the list of its units."""
        folder.mkdir(parents=True, exist_ok=True)
        labels = {"entailment": list(LABELS), "wording": list(KINDS)}
        settings = self.encoder.config.to_dict() | {"labels": labels}
        settings.pop("_name_or_path", None)  # where the encoder lay on the machine that trained it
        (folder / "config.json").write_text(json.dumps(settings, indent=1, sort_keys=True), encoding="utf-8")
        units = sorted(self.tokeniser.get_vocab().items(), key=lambda one: one[1])
        (folder / "vocab.txt").write_text("".join(f"{unit}\n" for unit, _ in units), encoding="utf-8")
        write(folder / WEIGHTS, packed(self.weights()))


class _Mean:
    """The running mean of a network's weights."""

    def __init__(self) -> None:
        self.number = 0
        self.values: dict[str, Any] = {}

    def add(self, state: Mapping[str, Any]) -> None:
        """One more step's weights."""
        self.number += 1
        for name, value in state.items():
            if name not in self.values or not value.is_floating_point():
                self.values[name] = value.detach().clone()
            else:
                self.values[name].lerp_(value.detach(), 1 / self.number)


def log_odds(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """ln(p / (1 − p)) of being biased, from the scores of neutral and the kinds."""
    largest = scores[:, 1:].max(axis=1)
    rest = np.log(np.exp(scores[:, 1:] - largest[:, None]).sum(axis=1)) + largest
    return np.asarray(rest - scores[:, 0], dtype=np.float32)


def train(
    encoder: str | Path,
    snli_train: str | Path,
    snli_test: str | Path | None,
    wordings: Sequence[str | Path],
    recipe: Recipe,
    out: str | Path,
    report: Report,
    held_wordings: Sequence[str | Path] = (),
) -> dict[str, Any]:
    """Train, pack, write to a folder, and measure what was written."""
    folder = Path(out)
    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"{folder} is not empty; give a new folder for the reader")
    pairs, held = split(read_pairs(snli_train), recipe.held, recipe.seed)
    tested = read_pairs(snli_test) if snli_test else []
    learn, spared = read_wordings(wordings), read_wordings(held_wordings) if held_wordings else []
    training = Training(encoder, recipe)
    training.run(pairs, learn, held, spared, report)
    whole = training.figures(held, spared)
    training.load(unpacked(packed(training.weights())))
    figures = {
        "recipe": asdict(recipe),
        "encoder": Path(encoder).name,
        "pairs": {"train": len(pairs), "held": len(held), "test": len(tested)},
        "wordings": {"train": len(learn), "held": len(spared)},
        "held": whole,
        "held_packed": training.figures(held, spared),
        "test_accuracy_packed": training.accuracy(tested) if tested else None,
    }
    temporary = folder.with_name(folder.name + ".part")
    shutil.rmtree(temporary, ignore_errors=True)
    training.save(temporary)
    (temporary / "training.json").write_text(json.dumps(figures, indent=1), encoding="utf-8")
    folder.parent.mkdir(parents=True, exist_ok=True)
    if folder.exists():
        folder.rmdir()
    temporary.rename(folder)
    return figures
