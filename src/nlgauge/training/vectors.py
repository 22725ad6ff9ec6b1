"""Vectors of frozen encoders and a head over them. What encoders made is kept by them: texts are encoded once."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from hashlib import sha256
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.io.fields import key
from nlgauge.kernels.batch import Batch
from nlgauge.learned.form import Form, sigmoid
from nlgauge.learned.heads import Read
from nlgauge.learned.vectors import Encoder, Joined, Projection, Sight, VectorForm, encoded
from nlgauge.metrics.vectors import units
from nlgauge.training.config import Patience, Training, Work
from nlgauge.training.encoders import Checkpoints, pytorch
from nlgauge.training.examples import Examples, batch_of
from nlgauge.training.heads import PLANS, Cmade, Joining, Plan, Ruse, Simile, entropy

# Noisy ratings, as CMADE (Liang, Zou and Yu 2020) treats them: averaged over neighbours, and sifted by their value.


def smoothed(targets: Array, vectors: Array, neighbours: int) -> Array:
    """Each example's target averaged over it and the next ones in the space of the vectors."""
    nearest = _nearest(vectors, vectors)[:, : min(neighbours, len(targets))]
    return np.asarray(targets[nearest].mean(axis=1))


def values(vectors: Array, good: NDArray[np.bool_], others: Array, known: NDArray[np.bool_], neighbours: int) -> Array:
    """What each example is worth to a classifier by nearest neighbours that predicts `known` of `others`: its Shapley
    value, by the recursion of Jia et al. (2019), averaged over the others.

    s of the farthest is [y = y_other] / n, and s_i = s_(i+1) + ([y_i = y] − [y_(i+1) = y]) / K · min(K, i) / i.
    """
    count = len(good)
    order = _nearest(others, vectors)
    match = (good[order] == known[:, None]).astype(np.float64)
    ranks = np.arange(1, count)
    steps = (match[:, :-1] - match[:, 1:]) / neighbours * np.minimum(neighbours, ranks) / ranks
    last = match[:, -1:] / count
    worth = np.concatenate([last + np.cumsum(steps[:, ::-1], axis=1)[:, ::-1], last], axis=1)
    found = np.zeros(count)
    np.add.at(found, order.ravel(), worth.ravel())
    return found / len(others)


def _nearest(points: Array, among: Array) -> NDArray[np.int64]:
    """(n, m): the places of `among` by their distance from each point; ties by place."""
    apart = (points**2).sum(axis=1)[:, None] + (among**2).sum(axis=1) - 2.0 * points @ among.T
    return np.argsort(np.round(apart, 9), axis=1, kind="stable")


Places = NDArray[np.int64]
EVERY = 20  # epochs between two checkpoints


@dataclass(frozen=True, eq=False)
class Part:
    """Vectors with their targets; `groups` are learnt in one step, such as a true reply with its bad ones."""

    read: Read
    targets: Array
    pairs: Places
    groups: Places

    def __len__(self) -> int:
        return len(self.targets)

    def only(self, places: Places) -> Part:
        """Some of them, and the pairs between these."""
        new = np.full(len(self), -1)
        new[places] = np.arange(len(places))
        pairs = new[self.pairs]
        kept = pairs[(pairs >= 0).all(axis=1)]
        return Part(_each(self.read, lambda values: values[places]), self.targets[places], kept, self.groups[places])

    def steps(self, batch: int, random: np.random.Generator | None = None) -> Iterator[Places]:
        """The places of so many groups at a time, by chance or in order."""
        names, of = np.unique(self.groups, return_inverse=True)
        turn = random.permutation(len(names))[of] if random else of  # when each example's group comes
        order = np.argsort(turn, kind="stable")
        starts = np.searchsorted(turn[order], np.arange(0, len(names), batch))
        return map(np.sort, np.split(order, starts[1:]))


@dataclass(frozen=True)
class VectorTraining(Training):
    """Encoders, and what learns from their vectors."""

    kind: ClassVar[str] = "vectors"
    head: Annotated[Plan, PLANS] = field(
        default_factory=Ruse,
        metadata={"about": "what learns: ruse, adem, ruber, ssrem, maude, cmade or simile"},
    )
    encoders: tuple[str, ...] = key(
        "models, each perhaps with how words are pooled: minilm, use, glove, glove:extremes, minilm:max",
        default=("minilm-int8",),
    )
    turns: int = key("turns of the context that are read, from the last", default=3, least=1)
    reduce: int = key("principal components that vectors are reduced to; 0: none", default=0, least=0, most=4096)
    epochs: int = key("passes over the examples, at most", default=200, least=1, most=100_000)
    rate: float = key("learning rate", default=3e-3, least=1e-8, most=1.0)
    batch: int = key(
        "examples in a step, a true reply with its bad ones, or all texts of an item, as one",
        default=64,
        least=2,
        most=100_000,
    )
    patience: int = key(
        "epochs without gain on what is held out, after which it ends", default=15, least=1, most=100_000
    )
    decay: float = key("weight of the sum of squares of the weights in the loss", default=1e-4, least=0.0, most=10.0)

    def contradictions(self) -> Iterator[tuple[str, str]]:
        yield from super().contradictions()
        name, learns = self.head.head.kind, self.head.learns
        if self.supervise.kind not in learns:
            message = f"{name} learns by supervise: {' or '.join(learns)}, not by {self.supervise.kind}"
            yield "supervise head", message
        if not self.encoders:
            yield "encoders", "encoders is empty; name at least one"
        if self.reduce and isinstance(self.head, Simile):
            yield "reduce", "simile compares vectors as encoders make them, by a matrix of its own; leave reduce out"

    @property
    def ordered(self) -> bool:
        return isinstance(self.head, Simile)

    @property
    def needs(self) -> tuple[str, ...]:
        return self.head.head.needs

    @property
    def by_source(self) -> bool:
        return "source" in self.needs

    @property
    def figures_of(self) -> str:
        joined = isinstance(self.head, Joining) and self.head.join != "none"
        said = "They are of the unreferenced score alone: bad replies have no reference of their own."
        return said if joined else super().figures_of

    def learnt(self, form: Form, batch: Batch) -> Array:
        """What the head says, without the referenced score: bad replies have none."""
        assert isinstance(form, VectorForm)
        return form.unjoined(batch)

    def learn(self, work: Work) -> VectorForm:
        """Vectors of every text, a projection, then the head."""
        examples, head = work.examples, self.head.made()
        if not np.isfinite(examples.targets).all():
            raise InputError(f"{head.kind} learns from ratings, and the data hold preferences; name human: …")
        sight = Sight(tuple(map(Encoder.of, self.encoders)), self.turns)
        work.progress("vectors", 0, len(examples))
        read, owner = sight.read(head, batch_of(examples))
        work.progress("vectors", len(examples), len(examples))
        side = work.held[owner]
        if isinstance(self.head, Simile):
            size = read.reply.shape[1]
            project, groups = Projection(np.zeros(size), np.ones(size)), _items(examples)
        else:
            project = _projection(_each(read, lambda values: values[~side]), self.reduce)
            groups = _groups(examples)
        whole = Part(project(read), examples.targets[owner], examples.pairs, groups[owner])
        learnt, held = whole.only(np.flatnonzero(~side)), whole.only(np.flatnonzero(side))
        fixed: dict[str, Array] = {}
        if isinstance(self.head, Simile):  # bad texts are found in each step; those drawn are to report on
            fixed["alpha"] = np.array([self.head.alpha])
            learnt, held = (part.only(np.flatnonzero(part.targets == 1)) for part in (learnt, held))
            if len(np.unique(held.groups)) == 1:
                raise InputError("what is held out is one item, beside no other; hold out more (split)")
        if self.head.paired and len(held) and not len(held.pairs):
            raise InputError("what is held out holds no pair of replies to look at; hold out more (split)")
        random = np.random.default_rng(self.seed)
        weights = head.first(learnt.read.reply.shape[1], random)
        if self.head.scaled:
            fixed = _scaled(np.asarray(head.score(np, weights, learnt.read)), learnt.targets)
        with _one_thread():
            if isinstance(self.head, Cmade):
                weights = self._pretrained(self.head, weights, learnt, random, work)
                learnt = self._cleaned(self.head, weights, learnt, random, work)
            weights = self._fitted(weights, fixed, learnt, held, random, work)
        if isinstance(self.head, Cmade):
            fixed = _scaled(np.asarray(head.score(np, weights, learnt.read)), learnt.targets)
        form = VectorForm(head, sight, project, {**weights, **fixed})
        return self._joined(form, examples, work.held, learnt)

    def _fitted(
        self,
        weights: Mapping[str, Array],
        fixed: Mapping[str, Array],
        learnt: Part,
        held: Part,
        random: np.random.Generator,
        work: Work,
    ) -> dict[str, Array]:
        """By Adam (Kingma and Ba 2015); the weights that did best on what is held out are kept."""
        torch = pytorch()
        head, plan = self.head.made(), self.head
        moving = {name: torch.tensor(value, dtype=torch.double, requires_grad=True) for name, value in weights.items()}
        constant = {name: torch.tensor(value, dtype=torch.double) for name, value in fixed.items()}
        adam = torch.optim.Adam(moving.values(), lr=self.rate)

        def miss(part: Part) -> Any:
            read = _each(part.read, torch.tensor)
            if isinstance(plan, Simile):
                return plan.nearest(torch, moving, read, torch.tensor(part.groups))
            scores = head.score(torch, {**moving, **constant}, read)
            return plan.miss(torch, scores, torch.tensor(part.targets), torch.tensor(part.pairs))

        def missed(part: Part) -> float:
            if not isinstance(plan, Simile):
                return float(miss(part))
            parts = [part.only(some) for some in part.steps(self.batch)]  # as hard as in learning
            return sum(len(some) * float(miss(some)) for some in parts) / len(part)

        def weights_now() -> dict[str, Any]:
            return {name: value.detach().clone() for name, value in moving.items()}

        key = self._key(learnt, held)
        checkpoints = Checkpoints(work.checkpoints / f"{key[:24]}.pt", key, EVERY)
        watched = held if len(held) else learnt
        state = checkpoints.load(torch)
        if state:
            adam.load_state_dict(state["optimiser"])
            random.bit_generator.state = json.loads(state["chance"])
            for name, value in moving.items():
                value.data.copy_(state["net"][name])
        curve: list[dict[str, float]] = list(state.get("curve", []))
        best, since = state.get("patience", (math.inf, 0))
        patience = Patience(self.patience, best, since, least=1e-6)
        kept = state.get("kept", weights_now())
        for figures in curve:
            work.report(figures)
        for epoch in range(len(curve) + 1, self.epochs + 1):
            if patience.over:
                break
            for some in learnt.steps(self.batch, random):
                adam.zero_grad()
                loss = miss(learnt.only(some))
                loss = loss + self.decay * sum((value**2).sum() for value in moving.values() if value.ndim > 1)
                loss.backward()
                adam.step()
            with torch.no_grad():
                now = missed(watched)
            if not math.isfinite(now):
                raise InputError("the weights grew beyond all numbers; lower the rate")
            curve.append({"epoch": epoch, "held_out_loss": now})
            work.report(curve[-1])
            kept = weights_now() if patience.better(now) else kept
            if epoch % EVERY == 0:
                told = {
                    "curve": curve,
                    "patience": (patience.best, patience.since),
                    "kept": kept,
                    "net": weights_now(),
                }
                chance = json.dumps(random.bit_generator.state)
                checkpoints.save(torch, {**told, "optimiser": adam.state_dict(), "chance": chance})
        return {name: value.numpy() for name, value in kept.items()}

    def _key(self, learnt: Part, held: Part) -> str:
        """What the course of the weights depends on."""
        said = sha256(repr(self).encode("utf-8", "surrogatepass"))
        for part in (learnt, held):
            arrays = [getattr(part.read, column.name) for column in fields(Read)]
            for array in (*arrays, part.targets, part.pairs, part.groups):
                said.update(b"" if array is None else np.ascontiguousarray(array).tobytes())
        return said.hexdigest()

    def _pretrained(
        self, plan: Cmade, weights: Mapping[str, Array], learnt: Part, random: np.random.Generator, work: Work
    ) -> dict[str, Array]:
        """Which reply stands at its place and which was taken from another example, before any rating is seen."""
        if not plan.pretrain:
            return dict(weights)
        order = swapped_replies(learnt.read, random)
        first = replace(self, head=_Order(hidden=plan.hidden), epochs=plan.pretrain, patience=plan.pretrain)
        return first._fitted(weights, {}, order, order.only(np.zeros(0, dtype=np.int64)), random, work)

    def _cleaned(
        self, plan: Cmade, weights: Mapping[str, Array], learnt: Part, random: np.random.Generator, work: Work
    ) -> Part:
        """Ratings smoothed over neighbours, and examples of the least value left out.

        Neighbours are found in the first hidden layer of what was learnt of the order of replies. The value is what an
        example adds to predicting, by its neighbours, whether the other half of the examples lie above the middle.
        """
        c, r = learnt.read.context, learnt.read.reply
        seen = np.concatenate([c, r, c * r, abs(c - r)], axis=1)
        space = np.tanh(seen @ weights["weight.0"] + weights["bias.0"]) if plan.hidden else seen
        targets = smoothed(learnt.targets, space, plan.neighbours)
        if plan.dropped:
            good = learnt.targets > np.median(learnt.targets)
            half = random.permutation(len(learnt)) < len(learnt) // 2
            worth = np.zeros(len(learnt))
            for some in (half, ~half):
                worth[some] = values(space[some], good[some], space[~some], good[~some], plan.neighbours)
            count = int(plan.dropped * len(learnt))
            kept = np.sort(np.argsort(worth, kind="stable")[count:])
            work.notes.append(f"{count} of {len(learnt)} examples were left out, those of the least Shapley value")
        else:
            kept = np.arange(len(learnt))
        return replace(learnt, targets=targets).only(kept)

    def _joined(self, form: VectorForm, examples: Examples, held: NDArray[np.bool_], learnt: Part) -> VectorForm:
        """With the referenced score, and the ranges of both on what was learnt from."""
        if not isinstance(self.head, Joining) or self.head.join == "none":
            return form
        own = sigmoid(np.asarray(form.head.score(np, form.weights, learnt.read)))
        encoder = Encoder.of(self.head.referenced)
        texts = form.sight.texts(form.head, batch_of(examples))[0]
        pairs = examples.pairs[~held[examples.pairs[:, 0]]]
        better, worse = (units(encoded([encoder], [texts[place] for place in places])) for places in pairs.T)
        least = float(np.einsum("ij,ij->i", better, worse).min())
        ranges = np.array([[own.min(), own.max()], [least, 1.0]])
        return replace(form, joined=Joined(self.head.join, encoder, ranges))


@contextmanager
def _one_thread() -> Iterator[None]:
    """For matrices so small that several threads would wait for each other."""
    torch = pytorch()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@dataclass(frozen=True)
class _Order(Cmade):
    """CMADE's network while it learns the order of replies."""

    def miss(self, torch: Any, s: Any, y: Any, pairs: Any) -> Any:
        return entropy(torch, s, y, pairs)


def swapped_replies(read: Read, random: np.random.Generator) -> Part:
    """Every reply at its place as 1, and another's as 0; none that is the same, or of the same context."""
    turn = random.permutation(len(read.reply))
    other = np.empty_like(turn)
    other[turn] = np.roll(turn, 1)
    apart = [(values[other] != values).any(axis=1) for values in (read.reply, read.context)]
    bad = np.flatnonzero(apart[0] & apart[1])
    both = Read(
        np.concatenate([read.reply, read.reply[other[bad]]]),
        context=np.concatenate([read.context, read.context[bad]]),
    )
    targets = np.concatenate([np.ones(len(turn)), np.zeros(len(bad))])
    groups = np.concatenate([np.arange(len(turn)), bad])
    return Part(both, targets, np.zeros((0, 2), dtype=np.int64), groups)


def _each(read: Read, made: Callable[[Array], Any]) -> Read:
    """What is made of every column that there is."""
    columns = (getattr(read, part.name) for part in fields(Read))
    return Read(*(None if values is None else made(values) for values in columns))


def _groups(examples: Examples) -> Places:
    """A number for each example; that of a bad reply is its true one's."""
    found = np.arange(len(examples))
    found[examples.pairs[:, 1]] = examples.pairs[:, 0]
    return found


def _items(examples: Examples) -> Places:
    """A number for each example, that of its item."""
    return np.unique(examples.items, return_inverse=True)[1].astype(np.int64)


def _projection(read: Read, reduce: int) -> Projection:
    """Standardised, or principal components whose mean variance is 1, by the vectors that are learnt from."""
    vectors = np.concatenate([part for part in (read.reply, read.reference, read.context) if part is not None])
    mean = vectors.mean(axis=0)
    if not reduce:
        deviation = vectors.std(axis=0)
        return Projection(mean, np.divide(1.0, deviation, out=np.zeros(len(mean)), where=deviation > 1e-9))
    spread, axes = np.linalg.eigh(np.cov(vectors - mean, rowvar=False))
    chosen = np.argsort(spread)[::-1][:reduce]
    chosen = chosen[spread[chosen] > 1e-9 * spread.max()]
    axes = axes[:, chosen] * np.sign(axes[np.abs(axes[:, chosen]).argmax(axis=0), chosen])
    return Projection(mean, axes / np.sqrt(spread[chosen].mean()))


def _scaled(scores: Array, targets: Array) -> dict[str, Array]:
    """α and β by which (s − α) / β misses the targets least."""
    slope = float(np.cov(scores, targets)[0, 1] / max(scores.var(ddof=1), 1e-12))
    beta = 1.0 / max(slope, 1e-3)
    return {"beta": np.array([beta]), "alpha": np.array([scores.mean() - beta * targets.mean()])}
