"""One loop for every encoder that is fine-tuned here: AdamW, a rise and a linear fall of the rate, gradients clipped,
half precision on a GPU, the mean of the last steps' weights (Izmailov et al. 2018), and checkpoints.

A training that was interrupted goes on from its last checkpoint as if nothing had happened: weights, optimiser, chance
and the mean so far are kept, and the steps that were done are only counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from pickle import UnpicklingError
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.errors import InputError, needing
from nlgauge.io.write import atomic_path
from nlgauge.models.pytorch import attention

Row = tuple[list[int], list[int]]  # numbers of the units, and which text each belongs to
Step = Callable[[], Iterable[Any]]  # the losses of one step, each made when the one before has been used
Steps = Callable[[int], Iterable[Step]]
Measure = Callable[[], Mapping[str, float]]
POOL = 50  # batches among which texts are sorted by length


def pytorch() -> Any:
    """PyTorch."""
    with needing("training", "train"):
        import torch
    return torch


def libraries() -> tuple[Any, Any]:
    """PyTorch and transformers, quiet."""
    torch = pytorch()
    with needing("training", "train"):
        import transformers
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    return torch, transformers


class Network:
    """An encoder with heads of linear layers."""

    def __init__(self, encoder: str | Path, heads: Mapping[str, tuple[int, ...]], *, dropout: float, seed: int) -> None:
        """`heads`: how many vectors of the encoder's width each takes, the units of its hidden layers, and how many
        numbers it gives."""
        self.torch, transformers = libraries()
        self.device = "cuda" if self.torch.cuda.is_available() else "cpu"
        self.torch.manual_seed(seed)
        try:
            self.tokeniser = transformers.AutoTokenizer.from_pretrained(str(encoder))
            try:
                self.encoder = transformers.AutoModel.from_pretrained(str(encoder), add_pooling_layer=False)
            except TypeError:  # an encoder that knows no such layer
                self.encoder = transformers.AutoModel.from_pretrained(str(encoder))
        except (OSError, ValueError, TypeError) as error:
            told = " ".join(str(error).split())[:200]
            raise InputError(f"the encoder {encoder} cannot be loaded: {told}") from None
        width = int(self.encoder.config.hidden_size)
        nn = self.torch.nn
        self.heads = nn.ModuleDict({name: self._head(times * width, *units) for name, (times, *units) in heads.items()})
        self.drop = nn.Dropout(dropout)
        for module in self.encoder.modules():
            if isinstance(module, nn.Dropout):
                module.p = dropout
        self.net = nn.ModuleDict({"encoder": self.encoder, "heads": self.heads, "drop": self.drop})
        self.net.to(self.device).float()
        self._parts = self.encoder.config.model_type == "bert" or "token_type_ids" in set(
            self.tokeniser.model_input_names
        )

    def _head(self, *sizes: int) -> Any:
        """Linear layers with the hyperbolic tangent between them."""
        nn = self.torch.nn
        layers = [part for left, right in pairwise(sizes) for part in (nn.Tanh(), nn.Linear(left, right))][1:]
        return layers[0] if len(layers) == 1 else nn.Sequential(*layers)

    @property
    def positions(self) -> int:
        """The most units that the encoder reads."""
        config = self.encoder.config
        layer = getattr(self.encoder, "embeddings", None)
        first = getattr(layer, "padding_idx", None)  # from which RoBERTa counts
        most = int(getattr(config, "max_position_embeddings", 0) or self.tokeniser.model_max_length)
        return most if first is None else most - first - 1

    def rows(self, *texts: Sequence[str], longest: int) -> list[Row]:
        """The units of texts, or of pairs of texts; what is too long is cut, of a pair the longer."""
        if not texts[0]:
            return []
        made = self.tokeniser(
            *(list(some) for some in texts),
            return_token_type_ids=True,
            truncation="longest_first" if len(texts) > 1 else True,
            max_length=longest,
        )
        return list(zip(made["input_ids"], made["token_type_ids"], strict=True))

    def hidden(self, rows: Sequence[Row]) -> tuple[Any, Any]:
        """The last layer's vectors of a batch, and its mask."""
        longest = max(len(ids) for ids, _ in rows)
        pad = self.tokeniser.pad_token_id or 0
        ids = np.full((len(rows), longest), pad, dtype=np.int64)
        parts, mask = np.zeros_like(ids), np.zeros_like(ids)
        for row, (units, part) in enumerate(rows):
            ids[row, : len(units)] = units
            parts[row, : len(units)] = part
            mask[row, : len(units)] = 1
        fed = [self.torch.from_numpy(array).to(self.device) for array in (ids, parts, mask)]
        more = {"token_type_ids": fed[1]} if self._parts else {}
        with attention(on_gpu=self.device == "cuda"):
            made = self.encoder(input_ids=fed[0], attention_mask=fed[2], **more)
        return made.last_hidden_state, fed[2]

    def half(self) -> Any:
        """Half precision where there is an accelerator."""
        return self.torch.autocast(self.device, self.torch.bfloat16, enabled=self.device == "cuda")

    def scores(self, rows: Sequence[Row], head: Callable[[Sequence[Row]], Any]) -> NDArray[np.float32]:
        """What a head says of many rows."""
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

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """The weights by name: the encoder's as its library names them, then the heads'."""
        state = {**self.encoder.state_dict(), **self.heads.state_dict()}
        return {name: value.float().cpu().numpy() for name, value in state.items() if value.is_floating_point()}

    def load(self, weights: Mapping[str, NDArray[np.float32]]) -> None:
        """Put weights in place of the network's own."""
        for part in (self.encoder, self.heads):
            names = part.state_dict().keys() & weights.keys()
            part.load_state_dict({name: self.torch.from_numpy(np.array(weights[name])) for name in names}, strict=False)

    def vocabulary(self, path: Path) -> None:
        """Write the units, one on each line."""
        units = sorted(self.tokeniser.get_vocab().items(), key=lambda unit: unit[1])
        path.write_text("".join(f"{unit}\n" for unit, _ in units), encoding="utf-8")


def batches(rows: Sequence[Row], size: int, key: str) -> Iterator[list[int]]:
    """Every row once, those of like length together, in an order of the key's own."""
    random = Random(key)
    order = list(range(len(rows)))
    random.shuffle(order)
    made = []
    for start in range(0, len(order), POOL * size):
        pool = sorted(order[start : start + POOL * size], key=lambda place: len(rows[place][0]))
        made += [pool[place : place + size] for place in range(0, len(pool), size)]
    random.shuffle(made)
    yield from made


def _chance(torch: Any) -> list[Any]:
    """The state of the random numbers: of the processor, then of each GPU."""
    return [torch.get_rng_state(), *(torch.cuda.get_rng_state_all() if torch.cuda.is_available() else ())]


def _set_chance(torch: Any, states: Sequence[Any]) -> None:
    torch.set_rng_state(states[0])
    if states[1:] and len(states[1:]) == torch.cuda.device_count():
        torch.cuda.set_rng_state_all(list(states[1:]))


class _Mean:
    """The running mean of a network's weights."""

    def __init__(self, torch: Any) -> None:
        self._torch, self.number = torch, 0
        self.values: dict[str, Any] = {}

    def add(self, state: Mapping[str, Any]) -> None:
        """One more step's weights."""
        self.number += 1
        if not self.values:
            self.values = {name: value.detach().clone() for name, value in state.items()}
            return
        numbers = [name for name, value in state.items() if value.is_floating_point()]
        self._torch._foreach_lerp_(
            [self.values[name] for name in numbers],
            [state[name].detach() for name in numbers],
            1 / self.number,
        )


class Checkpoints:
    """Where a training stands, every so many steps; `key` says of which training."""

    def __init__(self, path: Path | None, key: str = "", every: int = 500) -> None:
        self.path, self.key, self.every = path, key, every

    def load(self, torch: Any) -> dict[str, Any]:
        """What was kept of this very training; nothing where there is none."""
        if self.path is None or not self.path.is_file():
            return {}
        try:
            found = torch.load(self.path, map_location="cpu", weights_only=True)
        except (OSError, RuntimeError, EOFError, ValueError, UnpicklingError):  # damaged: begun again
            return {}
        return found if isinstance(found, dict) and found.get("key") == self.key else {}

    def save(self, torch: Any, state: Mapping[str, Any]) -> None:
        """Keep, whole or not at all."""
        if self.path is None:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(self.path, own=True) as new:
            torch.save({"key": self.key, **state}, new)


@dataclass(frozen=True, eq=False)
class Course:
    """One stage of a training."""

    epochs: int
    length: int  # steps of an epoch
    rate: float
    steps: Steps  # those of an epoch, counted from 1
    measure: Measure  # after each epoch
    warm_up: float = 0.06  # share of the steps over which the rate rises
    decay: float = 0.01  # of the weights
    average: float = 0.2  # share of the steps at the end whose weights are averaged
    by: str = ""  # the figure that chooses the best epoch; none: the last is kept
    patience: int = 0  # epochs without a better figure after which it stops; 0: none


def learn(
    network: Network,
    courses: Sequence[Course],
    kept: Checkpoints,
    report: Callable[[dict[str, float]], None],
    progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> None:
    """Go through the stages; `report` hears of each epoch."""
    torch = network.torch
    state = kept.load(torch)
    if state:
        network.net.load_state_dict(state["net"])
        _set_chance(torch, state["chance"])
    for number, course in enumerate(courses):
        if state.get("stage", 0) > number:
            for figures in state["curves"][number]:
                report(figures)
            continue
        told = state if state.get("stage") == number and "optimiser" in state else {}
        curves = list(state.get("curves", []))[:number]
        stage = _Stage(network, course, kept, progress, number=number, curves=curves)
        curve = stage.run(told, report)
        state = {"stage": number + 1, "curves": [*curves, curve]}
        chance = {"net": network.net.state_dict(), "chance": _chance(torch)}
        kept.save(torch, {**state, **chance})


class _Stage:
    """A stage as it goes on."""

    def __init__(
        self,
        network: Network,
        course: Course,
        kept: Checkpoints,
        progress: Callable[[str, int, int], None],
        *,
        number: int,
        curves: list[list[dict[str, float]]],
    ) -> None:
        torch = network.torch
        self.network, self.course, self.kept, self.progress = network, course, kept, progress
        self.number, self.curves = number, curves
        self.total = course.epochs * course.length
        self.optimiser = torch.optim.AdamW(
            network.net.parameters(),
            lr=course.rate,
            weight_decay=course.decay,
            fused=network.device == "cuda",  # a small network waits for its kernels to be launched
        )
        rise = max(1, int(course.warm_up * self.total))
        self.schedule = torch.optim.lr_scheduler.LambdaLR(
            self.optimiser,
            lambda step: min((step + 1) / rise, max(0.0, (self.total - step) / max(1, self.total - rise))),
        )
        self.mean, self.done = _Mean(torch), 0
        self.curve: list[dict[str, float]] = []
        self.best: dict[str, Any] = {}

    def run(self, told: Mapping[str, Any], report: Callable[[dict[str, float]], None]) -> list[dict[str, float]]:
        """The epochs that are left; the figures of all."""
        if told:
            self._restore(told)
        for figures in self.curve:
            report(figures)
        step, course = 0, self.course
        for epoch in range(1, course.epochs + 1):
            begun = time.perf_counter()
            self.network.net.train()
            for work in course.steps(epoch):
                step += 1
                if step > self.done:
                    self._step(work)
            if epoch <= len(self.curve):
                continue
            if epoch == course.epochs and self.mean.number:
                self.network.net.load_state_dict(self.mean.values)
            figures = {
                "epoch": epoch,
                "seconds": round(time.perf_counter() - begun, 1),
                **course.measure(),
            }
            self.curve.append(figures)
            report(figures)
            if self._enough(figures):
                break
        if self.best:
            self.network.net.load_state_dict(self.best["net"])
        return self.curve

    def _step(self, work: Step) -> None:
        network, course = self.network, self.course
        for loss in work():
            loss.backward()
        network.torch.nn.utils.clip_grad_norm_(network.net.parameters(), 1.0)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self.schedule.step()
        self.done += 1
        if self.done > self.total * (1 - course.average):
            self.mean.add(network.net.state_dict())
        if self.done % self.kept.every == 0:
            self.kept.save(network.torch, self._state())
        if self.done % 10 == 0 or self.done == self.total:
            self.progress("steps", self.done, self.total)

    def _enough(self, figures: Mapping[str, float]) -> bool:
        """Note the best epoch; whether the training has waited long enough for a better one."""
        value = figures.get(self.course.by) if self.course.by else None
        if value is None:
            return False
        if not self.best or value > self.best["value"]:
            net = {name: part.detach().clone() for name, part in self.network.net.state_dict().items()}
            self.best = {"value": value, "epoch": len(self.curve), "net": net}
        return 0 < self.course.patience <= len(self.curve) - int(self.best["epoch"])

    def _state(self) -> dict[str, Any]:
        return {
            "stage": self.number,
            "curves": [*self.curves, self.curve],
            "net": self.network.net.state_dict(),
            "chance": _chance(self.network.torch),
            "optimiser": self.optimiser.state_dict(),
            "schedule": self.schedule.state_dict(),
            "mean": [self.mean.number, self.mean.values],
            "best": self.best,
            "done": self.done,
        }

    def _restore(self, told: Mapping[str, Any]) -> None:
        self.optimiser.load_state_dict(told["optimiser"])
        self.schedule.load_state_dict(told["schedule"])
        self.mean.number, values = told["mean"]
        device = self.network.device
        self.mean.values = {name: value.to(device) for name, value in values.items()}
        self.best, self.done = told["best"], told["done"]
        self.curve = list(told["curves"][self.number])
