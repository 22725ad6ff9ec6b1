"""A small recurrent network over word vectors, learnt by PyTorch; `nlgauge.learned.sequence` runs it without.

Ratings are learnt by the squared miss, classes (`supervise: next` or `origin`) by the cross-entropy, both classes
weighing alike. What was reached is kept after every epoch: an interrupted training goes on from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import sha256
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Ints
from nlgauge.errors import InputError
from nlgauge.io.fields import key
from nlgauge.learned.sequence import READS, Padded, Parts, Sequenced, Words, sides
from nlgauge.metrics.soft import AUTO, check_either, check_layers
from nlgauge.models.interface import Vectors
from nlgauge.text import tokenizers
from nlgauge.training.config import Patience, Training, Work
from nlgauge.training.encoders import Checkpoints, pytorch
from nlgauge.training.examples import batch_of

READ = 512  # texts whose vectors are made at once


@dataclass(frozen=True)
class SequenceTraining(Training):
    """Word vectors, and a network that reads them in order."""

    kind: ClassVar[str] = "sequence"
    network: Literal["esim", "discriminator", "leic"] = key(
        "esim (output and reference), discriminator (context and reply) or leic (image and caption)",
        default="esim",
    )
    vectors: str = key("encoder or word vectors: an alias or a path", default="glove")
    layer: str = key("layer of an encoder (auto: the best)", default=AUTO)
    unit: Literal["subword", "word"] = key("units of an encoder that have vectors", default="word")
    tok: str = key("tokeniser, where word vectors are looked up", default="13a")
    longest: int = key("words of a text that are read", default=100, least=1)
    hidden: int = key("numbers in a state", default=64, least=1, most=4096)
    dropout: float = key("share of numbers left out in learning", default=0.2, least=0.0, most=0.9)
    epochs: int = key("passes over the examples, at most", default=20, least=1, most=100_000)
    rate: float = key("learning rate", default=1e-3, least=1e-8, most=1.0)
    decay: float = key("penalty on the weights in each step", default=1e-5, least=0.0, most=10.0)
    batch: int = key("examples in a step", default=32, least=1, most=100_000)
    patience: int = key(
        "epochs without gain on what is held out, after which it ends", default=4, least=1, most=100_000
    )

    @property
    def needs(self) -> tuple[str, ...]:
        return ("source",) if self.by_source else ("references",)

    @property
    def by_source(self) -> bool:
        return self.network != "esim"

    def contradictions(self) -> Iterator[tuple[str, str]]:
        yield from super().contradictions()
        checks = {"vectors": check_either, "layer": check_layers, "tok": tokenizers.check}
        for name, check in checks.items():
            if expected := check(getattr(self, name)):
                yield name, f"{name} cannot be {getattr(self, name)!r}; expected {expected}"

    def learn(self, work: Work) -> Sequenced:
        """Vectors of every text once, then epoch after epoch; the weights that did best on what is held out."""
        targets = work.examples.targets
        if not np.isfinite(targets).all():
            raise InputError("a network over words learns ratings or classes, not preferences; name human: …")
        words = Words(self.vectors, self.layer, self.unit, self.tok, self.longest)
        parts = READS[self.network].parts(batch_of(work.examples))
        if not len(parts):
            raise InputError(f"no example has what {self.network} reads: {READS[self.network].needs[0]}")
        known = _read(words, parts, work)
        fitting = Fitting(self, parts, targets[parts.owners], work.held[parts.owners], known)
        key = self._digest(words, parts, targets, work.held)
        weights = fitting.fit(Checkpoints(work.checkpoints / f"{key}.pt", key), work)
        return Sequenced(self.network, words, weights, not self.supervise.judged)

    def _digest(self, words: Words, parts: Parts, targets: NDArray[np.float64], held: NDArray[np.bool_]) -> str:
        """What the weights depend on."""
        said = sha256(repr((asdict(self), words.source[1], parts.texts)).encode("utf-8", "surrogatepass"))
        said.update(parts.images.tobytes() + targets.tobytes() + held.tobytes())
        return said.hexdigest()[:24]


def _read(words: Words, parts: Parts, work: Work) -> dict[str, Vectors]:
    texts = list(dict.fromkeys(text.strip() for column in parts.texts for text in column))
    found: dict[str, Vectors] = {}
    for start in range(0, len(texts), READ):
        found |= words.read(texts[start : start + READ])
        work.progress(f"vectors of {words.model}", min(start + READ, len(texts)), len(texts))
    return found


class Fitting:
    """One network on its way."""

    def __init__(
        self,
        training: SequenceTraining,
        parts: Parts,
        targets: NDArray[np.float64],
        held: NDArray[np.bool_],
        vectors: Mapping[str, Vectors],
    ) -> None:
        self.torch = pytorch()
        self.training, self.parts, self.vectors = training, parts, vectors
        self.columns = [[text.strip() for text in column] for column in parts.texts]
        self.learnt, self.held = np.flatnonzero(~held), np.flatnonzero(held)
        self.judged = training.supervise.judged
        known = targets[self.learnt]
        self.centre = float(known.mean()) if self.judged else 0.0
        self.spread = float(known.std()) or 1.0 if self.judged else 1.0
        self.targets = (targets - self.centre) / self.spread
        self.good = float((known == 0).sum() / max(1, (known == 1).sum()))  # both classes weigh alike
        seen = parts.images[self.learnt]
        self.mean, self.deviation = seen.mean(axis=0), np.where(seen.std(axis=0) > 0, seen.std(axis=0), 1.0)

    def fit(self, checkpoints: Checkpoints, work: Work) -> dict[str, NDArray[np.float32]]:
        """From the checkpoint on, where there is one."""
        torch, training = self.torch, self.training
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(training.seed)
            width = next(iter(self.vectors.values())).shape[1]
            net = layers(torch, training.network, width, training.hidden, self.parts.images.shape[1])
            optimiser = torch.optim.AdamW(net.parameters(), lr=training.rate, weight_decay=training.decay)
            state: dict[str, Any] = {"epoch": 0, "kept": net.state_dict()}
            if found := checkpoints.load(torch):
                state = found
                net.load_state_dict(state["net"])
                optimiser.load_state_dict(state["optimiser"])
            patience = Patience(training.patience, *state.get("patience", ()))
            while state["epoch"] < training.epochs and not patience.over:
                epoch = state["epoch"] + 1
                torch.manual_seed(training.seed * 100_003 + epoch)
                for done, rows in self._batches(self.learnt, torch.randperm(len(self.learnt)).numpy()):
                    optimiser.zero_grad()
                    self._loss(net, rows, training.dropout).backward()
                    torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
                    optimiser.step()
                    work.progress(f"epoch {epoch}", done, len(self.learnt))
                miss = self._miss(net)
                work.report({"epoch": epoch, "held_out_loss": miss})
                own = {name: values.clone() for name, values in net.state_dict().items()}
                state = {
                    "epoch": epoch,
                    "kept": own if patience.better(miss) else state["kept"],
                    "patience": (patience.best, patience.since),
                    "net": own,
                    "optimiser": optimiser.state_dict(),
                }
                checkpoints.save(torch, state)
        return self._told({name: values.double().numpy() for name, values in state["kept"].items()})

    def _batches(self, rows: Ints, order: Ints) -> Iterator[tuple[int, Ints]]:
        for start in range(0, len(order), self.training.batch):
            yield start, rows[order[start : start + self.training.batch]]

    def _loss(self, net: Any, rows: Ints, dropout: float) -> Any:
        torch = self.torch
        texts = sides(
            [[column[row] for row in rows] for column in self.columns],
            self.vectors,
            longest=self.training.longest,
            ends=READS[self.training.network].ends,
        )
        images = torch.from_numpy((self.parts.images[rows] - self.mean) / self.deviation).float()
        made = run(torch, net, self.training.network, texts, images, dropout=dropout)
        wanted = torch.from_numpy(self.targets[rows]).to(made.dtype)
        if self.judged:
            return torch.nn.functional.mse_loss(made, wanted)
        good = torch.tensor(self.good)
        return torch.nn.functional.binary_cross_entropy_with_logits(made, wanted, pos_weight=good)

    def _miss(self, net: Any) -> float:
        watched = self.held if len(self.held) else self.learnt
        with self.torch.inference_mode():
            parts = [
                float(self._loss(net, rows, 0.0)) * len(rows)
                for _, rows in self._batches(watched, np.arange(len(watched)))
            ]
        return sum(parts) / len(watched)

    def _told(self, weights: dict[str, NDArray[np.float64]]) -> dict[str, NDArray[np.float32]]:
        """The weights for ratings and images as they are, not standardised."""
        weights["out.weight"] = weights["out.weight"] * self.spread
        weights["out.bias"] = weights["out.bias"] * self.spread + self.centre
        if "image.weight" in weights:
            weights["image.weight"] = weights["image.weight"] / self.deviation
            weights["image.bias"] = weights["image.bias"] - weights["image.weight"] @ self.mean
        return {name: values.astype(np.float32) for name, values in weights.items()}


def layers(torch: Any, network: str, width: int, hidden: int, image: int) -> Any:
    """The layers of a network, by the names that `nlgauge.learned.sequence` reads."""
    nn = torch.nn
    lstm = partial(nn.LSTM, batch_first=True)
    if network == "esim":
        parts = {
            "read": lstm(width, hidden, bidirectional=True),
            "join": nn.Linear(8 * hidden, hidden),
            "compare": lstm(hidden, hidden, bidirectional=True),
            "hidden": nn.Linear(8 * hidden, hidden),
        }
    elif network == "discriminator":
        parts = {"context": lstm(width, hidden), "reply": lstm(width, hidden)}
        parts["hidden"] = nn.Linear(4 * hidden, hidden)
    else:
        parts = {"caption": lstm(width, hidden), "image": nn.Linear(image, hidden)}
        parts["hidden"] = nn.Linear(3 * hidden, hidden)
    return nn.ModuleDict({**parts, "out": nn.Linear(hidden, 1)})


def run(torch: Any, net: Any, network: str, texts: list[Padded], images: Any, *, dropout: float = 0.0) -> Any:
    """What a network says of each row, as `nlgauge.learned.sequence` does; with `dropout`, in learning."""
    kind = next(net.parameters()).dtype
    given = [(torch.from_numpy(text.vectors).to(kind), torch.from_numpy(text.lengths)) for text in texts]
    drop = partial(torch.nn.functional.dropout, p=dropout, training=dropout > 0)
    if network == "esim":
        joined = _esim(torch, net, given, drop)
    elif network == "discriminator":
        context, reply = (
            _last(torch, net[name], *text, drop) for name, text in zip(("context", "reply"), given, strict=True)
        )
        joined = torch.cat([context, reply, context * reply, (context - reply).abs()], dim=1)
    else:
        seen, caption = (
            torch.tanh(net["image"](images.to(kind))),
            _last(torch, net["caption"], *given[0], drop),
        )
        joined = torch.cat([seen, caption, seen * caption], dim=1)
    bent = torch.relu if network == "esim" else torch.tanh
    return net["out"](drop(bent(net["hidden"](drop(joined)))))[:, 0]


def _esim(torch: Any, net: Any, given: list[tuple[Any, Any]], drop: Any) -> Any:
    states = [_states(torch, net["read"], drop(vectors), lengths) for vectors, lengths in given]
    lengths = [own for _, own in given]
    masks = [torch.arange(made.shape[1])[None, :] < own[:, None] for made, own in zip(states, lengths, strict=True)]
    pooled = []
    for own, other in ((0, 1), (1, 0)):
        products = states[own] @ states[other].transpose(1, 2)
        shares = products.masked_fill(~masks[other][:, None, :], float("-inf")).softmax(dim=2)
        soft = shares @ states[other]
        parts = torch.cat([states[own], soft, states[own] - soft, states[own] * soft], dim=2)
        compared = _states(torch, net["compare"], drop(torch.relu(net["join"](parts))), lengths[own])
        pooled.append(compared.sum(dim=1) / lengths[own][:, None])
        pooled.append(compared.masked_fill(~masks[own][:, :, None], float("-inf")).max(dim=1).values)
    return torch.cat(pooled, dim=1)


def _states(torch: Any, layer: Any, vectors: Any, lengths: Any) -> Any:
    rnn = torch.nn.utils.rnn
    packed = rnn.pack_padded_sequence(vectors, lengths, batch_first=True, enforce_sorted=False)
    return rnn.pad_packed_sequence(layer(packed)[0], batch_first=True, total_length=vectors.shape[1])[0]


def _last(torch: Any, layer: Any, vectors: Any, lengths: Any, drop: Any) -> Any:
    return _states(torch, layer, drop(vectors), lengths)[torch.arange(len(lengths)), lengths - 1]
