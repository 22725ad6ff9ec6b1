"""An encoder that reads two texts together, fine-tuned on judgements, in stages; see learned/pair.py.

Each example is learnt with each of its references. Targets are standardised for the training, and the head is scaled
back at the end, so that scores are on the scale of the judgements.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from nlgauge.errors import InputError
from nlgauge.learned.form import Array
from nlgauge.learned.pair import PairEncoder, pairs_of
from nlgauge.learned.paired import ENCODER, VOCABULARY, shape_of
from nlgauge.models.kept_pairs import Pair
from nlgauge.models.resolve import locate
from nlgauge.models.scoring import HEAD, layers_of, paired_units, pooled
from nlgauge.models.weights import packed
from nlgauge.models.wordpiece import CONTEXT, WordPiece
from nlgauge.study.fields import Problem, key
from nlgauge.training.config import Training, Work, set_name
from nlgauge.training.encoders import Checkpoints, Course, Network, Row, Step, batches, learn
from nlgauge.training.examples import batch_of
from nlgauge.training.synthetic import Made, Synthetic

SIGNALS = "signals"
CHECKPOINT = "encoder.pt"
_PROBE = "Ünï TED 'states', 中文 ﬁne²."  # a text that tokenisers with other rules split otherwise


@dataclass(frozen=True)
class Stage:
    """Some of the data sets, learnt one after the other stage."""

    sets: tuple[str, ...] = key("data sets of this stage, by name; none: all", default=())
    epochs: int = key("passes over them", default=3, least=1)
    rate: float = key("the highest learning rate", default=2e-5, least=0.0, most=1.0)


@dataclass(frozen=True)
class PairTraining(Training):
    """An encoder that reads pairs."""

    kind: ClassVar[str] = "pair"
    encoder: str = key("what to begin with: alias, hub id or path", default="minilm")
    reads: Literal["reference", "context"] = key(
        "output and reference (reference), or context and output (context)", default="reference"
    )
    pooled: Literal["opening", "mean", "both"] = key(
        "what the head sees: the opening unit, the mean over units, or both", default="both"
    )
    hidden: tuple[int, ...] = key(
        "units of the head's hidden layers; none: it is linear", default=(), least=1, most=4096
    )
    stages: tuple[Stage, ...] = key("what is learnt when; one stage of everything unless given", default=())
    synthetic: Synthetic | None = field(
        default=None, metadata={"about": "a stage before the others: worsened sentences, metrics as targets"}
    )
    longest: int = key(
        "units of both texts; longer pairs lose the end of the longer, or the beginning of the context",
        default=160,
        least=8,
    )
    batch: int = key("pairs in a step", default=32, least=1)
    dropout: float = key("in the encoder and before the head", default=0.1, least=0.0, most=0.9)
    decay: float = key("of the weights", default=0.01, least=0.0)
    warm_up: float = key("share of the steps over which the rate rises", default=0.06, least=0.0, most=1.0)
    average: float = key(
        "share of the steps at the end whose weights are averaged", default=0.2, least=0.0, most=1.0
    )
    patience: int = key(
        "epochs without a better figure after which a stage ends; 0: none", default=2, least=0
    )
    every: int = key("steps between two checkpoints", default=500, least=1)
    packed: bool = key("keep weights in eight bits, where NumPy runs the encoder", default=True)

    @property
    def needs(self) -> tuple[str, ...]:
        return ("source",) if self.by_source else ("references",)

    @property
    def by_source(self) -> bool:
        return self.reads == "context"

    @property
    def keeps_features(self) -> bool:
        return self.synthetic is not None

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
        source = locate(self.encoder, "contextual", "training")
        signals = len(self.synthetic.signals) if self.synthetic else 0
        network = PairNetwork(source.path, self, signals)
        if self.longest > network.positions:
            raise InputError(
                f"longest is {self.longest:,}, and {self.encoder} reads {network.positions:,} units at most; set "
                "longest to that or less"
            )
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


class PairNetwork(Network):
    """The encoder, the head that scores, and that of the synthetic stage."""

    def __init__(self, encoder: Path, training: PairTraining, signals: int) -> None:
        self.training = training
        times = 2 if training.pooled == "both" else 1
        heads = {HEAD: (times, *training.hidden, 1)} | ({SIGNALS: (times, signals)} if signals else {})
        super().__init__(encoder, heads, dropout=training.dropout, seed=training.seed)

    def pair_rows(self, pairs: Sequence[Pair]) -> list[Row]:
        """The units of pairs of texts, cut as they are cut where the metric scores."""
        cut = CONTEXT if self.training.reads == "context" else "longest_first"
        return paired_units(self.tokeniser, pairs, self.training.longest, cut=cut)

    def said(self, head: str) -> Callable[[Sequence[Row]], Any]:
        """What a head makes of a batch."""

        def made(rows: Sequence[Row]) -> Any:
            vectors, mask = self.hidden(rows)
            return self.heads[head](self.drop(pooled(self.torch, vectors, mask, self.training.pooled)))

        return made

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
        training, weights = self.training, self.weights()
        head = {name: weights[name] for name in weights if name.startswith(f"{HEAD}.")}
        last = layers_of(head)[-1]
        head[f"{last}.weight"] = head[f"{last}.weight"] * np.float32(texts.deviation)
        head[f"{last}.bias"] = head[f"{last}.bias"] * np.float32(texts.deviation) + np.float32(texts.mean)
        own = {name: values for name, values in weights.items() if name in self.encoder.state_dict()}
        kept.mkdir(parents=True, exist_ok=True)
        plain = self._in_numpy(kept)
        arrays: Mapping[str, NDArray[np.generic]] = {}
        if plain:
            arrays = packed(own) if training.packed else own
        else:
            self.encoder.save_pretrained(kept / ENCODER)
            self.tokeniser.save_pretrained(kept / ENCODER)
        return PairEncoder(
            reads=training.reads,
            pooled=training.pooled,
            longest=training.longest,
            encoder=encoder,
            network=shape_of(self.encoder.config.to_dict()) if plain else {},
            weights={**arrays, **head},
            home=kept,
        )

    def _in_numpy(self, kept: Path) -> bool:
        """Whether NumPy runs this encoder: a BERT with the activation gelu and the uncased tokeniser."""
        config = self.encoder.config
        if config.model_type != "bert" or config.hidden_act != "gelu":
            return False
        self.vocabulary(kept / VOCABULARY)
        try:
            ours, _ = WordPiece.read(kept / VOCABULARY).single(_PROBE, 512)
        except InputError:
            return False
        same: bool = ours == self.tokeniser(_PROBE)["input_ids"]
        return same


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
