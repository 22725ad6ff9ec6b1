"""An encoder that reads two texts together, fine-tuned on judgements, in stages; see learned/pair.py.

Each example is learnt with each of its references. Targets are standardised for the training, and the head is scaled
back at the end, so that scores are on the scale of the judgements.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.io.fields import Problem, key
from nlgauge.learned.pair import PairEncoder, pairs_of
from nlgauge.models.kept_pairs import Pair
from nlgauge.models.scoring import HEAD
from nlgauge.training.beginnings import beginning
from nlgauge.training.config import Work, set_name
from nlgauge.training.encoders import Checkpoints, Course, Row, Step, batches, learn
from nlgauge.training.examples import batch_of
from nlgauge.training.paired import CHECKPOINT, EncoderTraining, PairedNetwork
from nlgauge.training.synthetic import Made, Synthetic

SIGNALS = "signals"


@dataclass(frozen=True)
class Stage:
    """Some of the data sets, learnt one after the other stage."""

    sets: tuple[str, ...] = key("data sets of this stage, by name; none: all", default=())
    epochs: int = key("passes over them", default=3, least=1, most=100_000)
    rate: float = key("the highest learning rate", default=2e-5, least=1e-8, most=1.0)


@dataclass(frozen=True)
class PairTraining(EncoderTraining):
    """An encoder that reads pairs."""

    kind: ClassVar[str] = "pair"
    reads: Literal["reference", "context"] = key(
        "output and reference (reference), or context and output (context)", default="reference"
    )
    stages: tuple[Stage, ...] = key("what is learnt when; one stage of everything unless given", default=())
    synthetic: Synthetic | None = field(
        default=None, metadata={"about": "a stage before the others: worsened sentences, metrics as targets"}
    )

    @property
    def needs(self) -> tuple[str, ...]:
        return ("source",) if self.by_source else ("references",)

    @property
    def by_source(self) -> bool:
        return self.reads == "context"

    @property
    def keeps_features(self) -> bool:
        return self.synthetic is not None

    @property
    def cuts_first(self) -> bool:
        return self.reads == "context"

    @property
    def how(self) -> str:
        return self.reads

    def contradictions(self, lines: Mapping[str, int]) -> list[Problem]:
        found = super().contradictions(lines)
        names = [set_name(data) for data in self.data]
        for number, stage in enumerate(self.stages, start=1):
            for name in stage.sets:
                if name not in names:
                    message = f"stages names {name!r}, which is none of the data sets ({', '.join(names)})"
                    found.append(Problem(lines.get(f"stages.{number}", 0), "stages", message))
        for number, data in enumerate(self.data, start=1):
            if self.supervise.judged and not data.human:
                message = f"{set_name(data)} has no criterion; kind pair learns from ratings: add human: …"
                found.append(Problem(lines.get(f"data.{number}", 0), "data", message))
        if self.synthetic is not None:
            found += self.synthetic.contradictions(lines)
        return found

    def learn(self, work: Work) -> PairEncoder:
        """Stage after stage, from where it was interrupted."""
        source = beginning(self.encoder, work.checkpoints)
        signals = len(self.synthetic.signals) if self.synthetic else 0
        network = PairNetwork(source.path, self, {HEAD: 1} | ({SIGNALS: signals} if signals else {}), seed=self.seed)
        texts = _Texts(self, network, work)
        told = [asdict(self), source.digest, texts.pairs, texts.targets.tolist(), texts.held.tolist()]
        courses = []
        if self.synthetic is not None:
            made = self.synthetic.made(work, seed=self.seed)
            told += [made.pairs, made.signals.tolist()]
            courses.append(self._synthetic(self.synthetic, network, made))
        courses += [self._course(network, texts, stage) for stage in self.stages or (Stage(),)]
        name = sha256(repr(told).encode("utf-8", "surrogatepass")).hexdigest()
        kept = Checkpoints(work.checkpoints / CHECKPOINT, name, self.every)
        learn(network, courses, kept, work.report, work.progress)
        return network.form(source.name, texts, work.checkpoints)

    def _course(self, network: PairNetwork, texts: _Texts, stage: Stage) -> Course:
        chosen = texts.of_sets(stage.sets)
        places = np.flatnonzero(chosen & ~texts.held)
        if not len(places):
            raise InputError(f"nothing is left to learn from in {', '.join(stage.sets) or 'the data'}")
        spared = np.flatnonzero((chosen & texts.held) if (chosen & texts.held).any() else texts.held)
        rows, targets = texts.rows(places)

        def steps(epoch: int) -> Iterator[Step]:
            for batch in batches(rows, self.batch, f"{self.seed}/{'+'.join(stage.sets)}/{epoch}"):
                yield network.step(rows, targets[:, None], batch, HEAD)

        return Course(
            epochs=stage.epochs,
            length=math.ceil(len(rows) / self.batch),
            rate=stage.rate,
            steps=steps,
            measure=lambda: texts.figures(spared),
            warm_up=self.warm_up,
            decay=self.decay,
            average=self.average,
            by="pearson" if self.patience else "",
            patience=self.patience,
        )

    def _synthetic(self, synthetic: Synthetic, network: PairNetwork, made: Made) -> Course:
        rows = network.pair_rows(made.pairs)

        def steps(epoch: int) -> Iterator[Step]:
            for batch in batches(rows, self.batch, f"{self.seed}/synthetic/{epoch}"):
                yield network.step(rows, made.signals, batch, SIGNALS)

        return Course(
            epochs=synthetic.epochs,
            length=math.ceil(len(rows) / self.batch),
            rate=synthetic.rate,
            steps=steps,
            measure=dict,
            warm_up=self.warm_up,
            decay=self.decay,
            average=0.0,
        )


class PairNetwork(PairedNetwork):
    """The encoder, the head that scores, and that of the synthetic stage."""

    def step(self, rows: Sequence[Row], targets: Array, batch: Sequence[int], head: str) -> Step:
        """One step: the mean squared error of a batch."""

        def losses() -> Iterator[Any]:
            with self.half():
                made = self.said(head)([rows[place] for place in batch])
            wanted = self.torch.tensor(targets[list(batch)], dtype=self.torch.float32, device=self.device)
            yield ((made.float() - wanted) ** 2).mean()

        return losses

    def form(self, encoder: str, texts: _Texts, kept: Path) -> PairEncoder:
        """What was learnt, on the scale of the judgements; vocabulary or encoder are written to `kept`."""
        scale = np.float32(texts.deviation)
        head = self.head_weights(lambda weight, bias: (weight * scale, bias * scale + np.float32(texts.mean)))
        return PairEncoder(**self.kept(encoder, kept, head))


class _Texts:
    """The examples as pairs of texts, each with its example's target."""

    def __init__(self, training: PairTraining, network: PairNetwork, work: Work) -> None:
        examples, self.held = work.examples, work.held
        self.network = network
        self.pairs: list[list[Pair]] = pairs_of(training.reads, batch_of(examples))
        self.sets = np.array(examples.sets)
        self.targets = examples.targets
        known = examples.targets[~work.held]
        self.mean, self.deviation = float(known.mean()), float(known.std())

    def of_sets(self, names: Sequence[str]) -> NDArray[np.bool_]:
        """The examples of some data sets."""
        return np.isin(self.sets, names) if names else np.ones(len(self.sets), dtype=bool)

    def rows(self, places: NDArray[np.int64]) -> tuple[list[Row], Array]:
        """The units of the pairs of some examples, and the standardised target of each pair."""
        pairs = [pair for place in places for pair in self.pairs[place]]
        numbers = np.repeat(self.targets[places], [len(self.pairs[place]) for place in places])
        return self.network.pair_rows(pairs), (numbers - self.mean) / self.deviation

    def figures(self, places: NDArray[np.int64]) -> dict[str, float]:
        """How well the targets of some examples are foretold."""
        if len(places) < 3:
            return {}
        rows, _ = self.rows(places)
        made = self.network.scores(rows, self.network.said(HEAD))[:, 0]
        starts = np.cumsum([0, *(len(self.pairs[place]) for place in places)])[:-1]
        best = np.maximum.reduceat(made, starts).astype(np.float64) * self.deviation + self.mean
        targets = self.targets[places]
        found = {"error": float(np.sqrt(np.mean((best - targets) ** 2)))}
        if best.std() > 0 and targets.std() > 0:
            found["pearson"] = float(np.corrcoef(best, targets)[0, 1])
        return found
