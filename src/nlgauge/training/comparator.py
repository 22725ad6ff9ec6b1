"""A comparator, learnt from games without people's judgements first, then from those of people (Zhou and Xu 2020).

Every part of the paper can be left out, as in its Table 5: `strong`, `weak`, `human`, `ties`, `pretrained`, and
`comparison`, without which a discriminator tells texts of people from those of systems, one text at a time. At the end
the outcomes are calibrated on what was held out: one temperature, and one number added to ties.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from pathlib import Path
from random import Random
from shlex import quote
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array, Ints
from nlgauge.errors import InputError, counted
from nlgauge.io.fields import key
from nlgauge.learned.comparator import (
    TIE,
    WORDS,
    A,
    B,
    Comparator,
    Written,
    context_of,
    shortened,
    softmax,
)
from nlgauge.learned.comparator import joined as in_context
from nlgauge.learned.form import Form
from nlgauge.models.scoring import HEAD
from nlgauge.training.config import Work
from nlgauge.training.encoders import POOL, Checkpoints, Course, Row, Step, learn
from nlgauge.training.examples import Examples
from nlgauge.training.figures import HeldOut, calibrated, calibration_error, intervals, quality
from nlgauge.training.games import (
    CONTEXT,
    DAMAGE,
    HUMAN,
    ORIGINS,
    PEOPLE,
    STRONG,
    WEAK,
    Played,
    draw_games,
    gather_games,
    made_worse,
)
from nlgauge.training.paired import CHECKPOINT, EncoderTraining, PairedNetwork, beginning
from nlgauge.training.split import held_out, refuse_few

NEVER = -30.0  # what a tie is worth that cannot be said
LEAST = 20  # games below which nothing can be learnt
_TURNED = np.array([B, A, TIE])


@dataclass(frozen=True)
class ComparatorTraining(EncoderTraining):
    """An encoder that says which of two texts is better, or that neither is."""

    kind: ClassVar[str] = "comparator"
    by_source: ClassVar[bool] = True
    reads: Literal["together", "apart"] = key(
        "both texts at once, in both orders (together), or each by itself (apart)", default="apart"
    )
    words: int = key("of a text that are read; it is cut at the nearest sentence", default=WORDS, least=1)
    strong: bool = key("learn that people write better than systems", default=True)
    weak: bool = key("learn that a system writes better after more training", default=True)
    contexts: bool = key("learn that a text fits its own context better than an altered one", default=False)
    damaged: bool = key("learn that a text is better than a damaged copy of it", default=False)
    human: bool = key("learn what people preferred or rated higher", default=True)
    ties: bool = key("whether a comparison may end in a tie", default=True)
    comparison: bool = key("compare; otherwise tell people's texts from systems' one by one", default=True)
    pretrained: bool = key("begin with the encoder's weights, not by chance", default=True)
    tie: float = key("ratings of a judge that differ by no more are a tie", default=0.0, least=0.0)
    run: str = key("the key of a row that says of which system it is a checkpoint", default="run")
    step: str = key("the key of a row that says how long its system had been trained", default="step")
    margin: float = key(
        "share of the training that lies between checkpoints at least", default=0.1, least=0.0, most=1.0
    )
    converged: float = key(
        "share of the training after which two checkpoints are not compared", default=0.8, least=0.0, most=1.0
    )
    curriculum: bool = key("checkpoints far apart first, then nearer ones", default=True)
    games: int = key(
        "strong games to draw, and weak ones, altered contexts and damaged texts", default=20_000, least=LEAST
    )
    mixed: bool = key("learn from people's games among the others, not after them", default=False)
    first_epochs: int = key("passes over the games without people, where these come first", default=1, least=1)
    epochs: int = key("passes over people's games", default=3, least=1)
    rate: float = key("the highest learning rate", default=5e-5, least=1e-8, most=1.0)

    @property
    def wanted(self) -> tuple[bool, ...]:
        """Which origins of games, in the order of `ORIGINS`."""
        return self.strong, self.weak, self.human, self.contexts, self.damaged

    @property
    def cuts_first(self) -> bool:
        return self.how == "apart"

    @property
    def how(self) -> str:
        return self.reads if self.comparison else "apart"

    def contradictions(self) -> Iterator[tuple[str, str]]:
        yield from super().contradictions()
        if not any(self.wanted):
            yield "strong", "strong, weak, contexts, damaged and human are all off; there is nothing to learn from"
        usual = {column.name: column.default for column in fields(self)}
        for name in ("target", "alike", "scaled", "normalised", "clipped"):
            if getattr(self, name) != usual[name]:
                yield name, f"{name} is about the scale of ratings, and a comparator learns who wins; leave it out"
        if not self.supervise.judged:
            kind = self.supervise.kind
            message = f"supervise: {kind} is not for comparators; strong, weak and human say what is learnt"
            yield "supervise", message
        if not self.comparison and not self.strong:
            message = "without comparison, texts of people are told from those of systems: strong must be on"
            yield "comparison", message
        for name in ("contexts", "damaged"):
            if not self.comparison and getattr(self, name):
                yield name, f"{name}: a text is compared with itself made worse; without comparison leave it off"

    def prepared(self, beside: Path) -> tuple[Played, NDArray[np.bool_]]:
        examples = gather_games(self, beside)
        held = held_out(examples, self.split, self.seed)
        examples = draw_games(examples, held, self)
        for origin, wanted in ((CONTEXT, self.contexts), (DAMAGE, self.damaged)):
            if wanted:
                examples, held = made_worse(examples, held, self, origin)
        missing = [
            f"no {name} game could be made, which takes {what}"
            for origin, (wanted, (name, what)) in enumerate(zip(self.wanted, ORIGINS.items(), strict=True))
            if wanted and not examples.of(origin).any()
        ]
        if len(examples.games) < LEAST:
            raise InputError(
                f"{counted(len(examples.games), 'game')} can be made of the data, and {LEAST} are needed; "
                f"{'; '.join(missing) or 'give more items'}"
            )
        learnt = examples.only(np.flatnonzero(~held)).games
        refuse_few(len(learnt), len(examples.games), "game", "split")
        if (examples.games[:, 2] == TIE).all():
            raise InputError(
                f"all {len(examples.games):,} games are ties, so there is nothing to learn; are all ratings the same, "
                f"or nearer to each other than tie ({self.tie:g})?"
            )
        notes = (*examples.notes, *missing)
        return Played(**{**vars(examples), "notes": notes}), held

    def learn(self, work: Work) -> Comparator:
        """Games without people's judgements, then those with them."""
        examples = work.examples
        assert isinstance(examples, Played)
        source = beginning(self.encoder, work.checkpoints)
        width = 3 if self.how == "together" else 2
        network = ComparatorNetwork(source.path, self, {HEAD: width}, seed=self.seed)
        if not self.pretrained:
            network.forget(self.seed)
        table = _Table(self, network, examples, work.held)
        courses = [
            self._course(network, table, origins, epochs)
            for origins, epochs in self._stages
            if len(table.learnt(*origins)) and (self.comparison or STRONG in origins)
        ]
        told = [repr(asdict(self)), source.digest, repr(table.texts), repr(examples.games.tolist())]
        name = sha256("\0".join(told).encode("utf-8", "surrogatepass")).hexdigest()
        kept = Checkpoints(work.checkpoints / CHECKPOINT, name, self.every)
        learn(network, courses, kept, work.report, work.progress)
        network.round_weights(work.checkpoints)
        spared = table.held(HUMAN)  # people say what a tie is worth, where they were asked
        temperature, lift = calibrated(table.logits(spared), table.outcomes(spared)) if len(spared) else (1.0, 0.0)
        if not self.ties or not self.comparison:
            lift = NEVER
        return Comparator(
            **network.kept(source.name, work.checkpoints, network.rescaled(temperature, lift)),
            words=self.words,
        )

    def figures(self, form: Form, examples: Examples) -> HeldOut:
        assert isinstance(form, Comparator) and isinstance(examples, Played)
        if not len(examples.games):
            return HeldOut()
        texts = [Written(row.text or "", context_of(row.source)) for row in examples.rows]
        ones, others = ([texts[place] for place in side] for side in examples.games[:, :2].T)
        logits, outcomes = form.logits(ones, others), examples.games[:, 2]
        contexts = [examples.items[place] for place in examples.games[:, 0]]
        found = quality(logits, outcomes)
        limits = intervals(logits, outcomes, contexts, seed=self.seed)
        scaled = examples.of(HUMAN) if examples.of(HUMAN).any() else np.ones(len(outcomes), dtype=bool)
        found["calibration_error"] = calibration_error(logits[scaled], outcomes[scaled])
        for origin, name in enumerate(ORIGINS):
            some = np.flatnonzero(examples.of(origin))
            if 0 < len(some) < len(examples.games):
                own = [contexts[place] for place in some]
                found[f"accuracy_{name}"] = quality(logits[some], outcomes[some])["accuracy"]
                if ends := intervals(logits[some], outcomes[some], own, seed=self.seed).get("accuracy"):
                    limits[f"accuracy_{name}"] = ends
        orders = [softmax(form.in_order(*sides)) for sides in ((ones, others), (others, ones))]
        found["first_favoured"] = float(np.mean([said[:, A] - said[:, B] for said in orders]))
        return HeldOut(found, limits)

    def command(self, folder: str) -> str:
        return f"nlgauge judge DATA --judge comparator --model {quote(folder)}"

    @property
    def _stages(self) -> list[tuple[tuple[int, ...], int]]:
        """Origins of games that are learnt from at once, and passes over them."""
        alone = (STRONG, WEAK, CONTEXT, DAMAGE)
        if self.mixed:
            return [((*alone, HUMAN), self.epochs)]
        return [(alone, self.first_epochs), ((HUMAN,), self.epochs)]

    def _course(self, network: ComparatorNetwork, table: _Table, origins: tuple[int, ...], epochs: int) -> Course:
        places = table.learnt(*origins)
        spared = table.held(*origins)

        def steps(epoch: int) -> Iterator[Step]:
            random = Random(f"{self.seed}/{origins}/{epoch}")
            for batch in table.batches(self._ordered(table, places, random), self.batch, random):
                yield network.step(table, batch, random)

        def measure() -> dict[str, float]:
            return quality(table.logits(spared), table.outcomes(spared)) if len(spared) else {}

        return self.course(len(places), epochs, self.rate, steps, measure, by="likelihood")

    def _ordered(self, table: _Table, places: Ints, random: Random) -> Ints:
        """By chance; weak games among the others from large margins to small, in a curriculum."""
        order = np.array(places)
        order = order[np.array(random.sample(range(len(order)), len(order)), dtype=np.int64)]
        weak = table.examples.games[order, 3] == WEAK
        if self.curriculum and weak.any():
            some = order[weak]
            order[weak] = some[np.argsort(-table.examples.margins[some], kind="stable")]
        return order


class ComparatorNetwork(PairedNetwork):
    """The encoder, and the head whose numbers make outcomes."""

    training: ComparatorTraining

    def forget(self, seed: int) -> None:
        """Begin by chance."""
        self.torch.manual_seed(seed)
        model = type(self.encoder)
        fresh = model(self.encoder.config)
        names = self.encoder.state_dict().keys()
        self.encoder.load_state_dict({name: value for name, value in fresh.state_dict().items() if name in names})

    def step(self, table: _Table, batch: Sequence[int], random: Random) -> Step:
        """One step: how unlikely the outcomes of a batch are; or whether people wrote a text."""

        def losses() -> Iterator[Any]:
            nn = self.torch.nn.functional
            if not self.training.comparison:
                places = sorted({int(place) for game in batch for place in table.examples.games[game, :2]})
                with self.half():
                    made = self.said(HEAD)([table.rows[place] for place in places])[:, 0]
                wanted = self.torch.tensor([float(table.by_people[place]) for place in places], device=self.device)
                yield nn.binary_cross_entropy_with_logits(made.float(), wanted)
                return
            turned = np.array([random.random() < 0.5 for _ in batch])
            games = table.examples.games[list(batch)]
            sides = np.where(turned[:, None], games[:, 1::-1], games[:, :2])
            outcomes = np.where(turned, _TURNED[games[:, 2]], games[:, 2])
            with self.half():
                made = self.outcomes(table, sides)
            yield nn.cross_entropy(made.float(), self.torch.tensor(outcomes, device=self.device))

        return losses

    def outcomes(self, table: _Table, sides: Ints) -> Any:
        """What the outcomes of games are made of, (n, 3), in the order of the sides."""
        head = self.said(HEAD)
        if self.training.how == "together":
            made = head(table.together(sides))
            return made if self.training.ties else self._without_ties(made)
        places, where = np.unique(sides, return_inverse=True)
        made = head([table.rows[place] for place in places])
        one, other = made[where.reshape(sides.shape)].unbind(1)
        half = (one[:, 0] - other[:, 0]) / 2
        found = self.torch.stack([half, -half, one[:, 1] + other[:, 1]], dim=1)
        return found if self.training.ties else self._without_ties(found)

    def _without_ties(self, made: Any) -> Any:
        return self.torch.cat([made[:, :2], self.torch.full_like(made[:, 2:], NEVER)], dim=1)

    def rescaled(self, temperature: float, lift: float) -> dict[str, NDArray[np.float32]]:
        """The head with the calibration in it."""
        column, shares = (2, 1.0) if self.training.how == "together" else (1, 0.5)

        def last(
            weight: NDArray[np.float32], bias: NDArray[np.float32]
        ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
            weight, bias = weight / np.float32(temperature), bias / np.float32(temperature)
            if lift == NEVER:
                weight[column], bias[column] = 0.0, 0.0
            bias[column] += np.float32(lift * shares)
            return weight, bias

        return self.head_weights(last)


class _Table:
    """The texts as units, and the games between them."""

    def __init__(
        self,
        training: ComparatorTraining,
        network: ComparatorNetwork,
        examples: Played,
        held: NDArray[np.bool_],
    ) -> None:
        self.training, self.network, self.examples = training, network, examples
        self._held = held[examples.games[:, 0]] if len(examples.games) else np.zeros(0, dtype=bool)
        self.texts = [(context_of(row.source), shortened(row.text or "", training.words)) for row in examples.rows]
        self.by_people = [row.system == PEOPLE for row in examples.rows]
        self.rows: list[Row] = network.pair_rows(self.texts) if training.how == "apart" else []
        self._lengths = np.array([len(context) + len(text) for context, text in self.texts])

    def learnt(self, *origins: int) -> Ints:
        """The games to learn."""
        return np.flatnonzero(~self._held & self.examples.of(*origins))

    def held(self, *origins: int) -> Ints:
        """The games held out, of these origins if there are any, else of all."""
        some = np.flatnonzero(self._held & self.examples.of(*origins))
        return some if len(some) else np.flatnonzero(self._held)

    def outcomes(self, places: Ints) -> Ints:
        """Of games."""
        found: Ints = self.examples.games[places, 2]
        return found

    def together(self, sides: Ints) -> list[Row]:
        """The units of both texts of each game, each after its context."""
        return self.network.pair_rows(
            [(in_context(*self.texts[one]), in_context(*self.texts[other])) for one, other in sides.tolist()]
        )

    def batches(self, order: Ints, size: int, random: Random) -> Iterator[list[int]]:
        """The games in this order but for those near each other, which are sorted by length."""
        lengths = self._lengths[self.examples.games[:, :2]].max(axis=1)
        for start in range(0, len(order), POOL * size):
            pool = order[start : start + POOL * size]
            pool = pool[np.argsort(lengths[pool], kind="stable")]
            parts = [pool[place : place + size].tolist() for place in range(0, len(pool), size)]
            random.shuffle(parts)
            yield from parts

    def logits(self, places: Ints) -> Array:
        """As the metric makes them, turned round and averaged over both orders."""
        sides = self.examples.games[places, :2]
        if self.training.how == "apart":
            used, where = np.unique(sides, return_inverse=True)
            made = self.network.scores([self.rows[place] for place in used], self.network.said(HEAD))
            one, other = made[where.reshape(sides.shape)].astype(np.float64).transpose(1, 0, 2)
            half = (one[:, 0] - other[:, 0]) / 2
            return np.stack([half, -half, one[:, 1] + other[:, 1]], axis=1)
        forth, back = (
            self.network.scores(self.together(order), self.network.said(HEAD)).astype(np.float64)
            for order in (sides, sides[:, ::-1])
        )
        return (forth + back[:, _TURNED]) / 2
