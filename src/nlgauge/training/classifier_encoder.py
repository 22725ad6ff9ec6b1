"""An encoder with a linear layer on top, fine-tuned by cross-entropy; see learned/classifier.py."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, ClassVar

import numpy as np

from nlgauge.arrays import Array, Ints
from nlgauge.io.fields import key
from nlgauge.learned.classifier import Classifier, EncoderClassifier, texts_as_pairs
from nlgauge.models.scoring import HEAD
from nlgauge.training.classifier_examples import Labelled
from nlgauge.training.classifier_figures import log_loss
from nlgauge.training.config import Work
from nlgauge.training.encoders import Checkpoints, Row, Step, batches, learn
from nlgauge.training.paired import CHECKPOINT, EncoderSettings, PairedNetwork, beginning


@dataclass(frozen=True)
class Encoder(EncoderSettings):
    """A pre-trained encoder: what comes with nlgauge (reader: English, without capitals), or any of a hub."""

    epochs: int = key("passes over the examples", default=3, least=1, most=100_000)
    rate: float = key("the highest learning rate", default=5e-5, least=1e-8, most=1.0)

    how: ClassVar[str] = ""

    def fit(self, work: Work, examples: Labelled, *, reads: str, seed: int, learnt: Ints, tuned: Ints) -> FittedEncoder:
        """Learn from some examples, watching others, from where it was interrupted."""
        source = beginning(self.encoder, work.checkpoints)
        labels = examples.labels
        network = ClassifierNetwork(source.path, self, {HEAD: len(labels)}, seed=seed)
        pairs = texts_as_pairs(*examples.texts(reads))
        rows = network.pair_rows([pairs[place] for place in learnt])
        watched = network.pair_rows([pairs[place] for place in tuned])
        classes, spared = examples.classes[learnt], examples.classes[tuned]

        def steps(epoch: int) -> Iterator[Step]:
            for batch in batches(rows, self.batch, f"{seed}/{epoch}"):
                yield network.step(rows, classes, batch)

        def logits() -> Array:
            return network.scores(watched, network.said(HEAD)).astype(np.float64).reshape(-1, len(labels))

        def measure() -> dict[str, float]:
            made = logits()
            right = made.argmax(axis=1) == spared
            return {"accuracy": float(right.mean()), "likelihood": -log_loss(made, spared)}

        measured = measure if len(tuned) else dict
        course = self.course(len(rows), self.epochs, self.rate, steps, measured, by="likelihood")
        told = sha256(repr((asdict(self), seed, source.digest, labels, learnt.tolist(), tuned.tolist())).encode())
        for pair, number in zip(pairs, examples.classes.tolist(), strict=True):
            told.update(repr((pair, number)).encode("utf-8", "surrogatepass"))
        kept = Checkpoints(work.checkpoints / CHECKPOINT, told.hexdigest(), self.every)
        learn(network, [course], kept, work.report, work.progress)
        network.round_weights(work.checkpoints)  # probabilities are scaled as they will be made
        return FittedEncoder(logits(), network, source.name, labels=labels, reads=reads, work=work)


class ClassifierNetwork(PairedNetwork):
    """The encoder, and the layer whose numbers make classes."""

    def step(self, rows: Sequence[Row], classes: Ints, batch: Sequence[int]) -> Step:
        """One step: how unlikely the classes of a batch are."""

        def losses() -> Iterator[Any]:
            with self.half():
                made = self.said(HEAD)([rows[place] for place in batch])
            wanted = self.torch.tensor(classes[list(batch)], device=self.device)
            yield self.torch.nn.functional.cross_entropy(made.float(), wanted)

        return losses


@dataclass(frozen=True, eq=False)
class FittedEncoder:
    """What was learnt."""

    logits: Array
    network: ClassifierNetwork
    encoder: str
    labels: tuple[str, ...]
    reads: str
    work: Work

    def form(self, temperature: float) -> Classifier:
        """With the temperature in the last layer."""
        by = np.float32(temperature)
        head = self.network.head_weights(lambda weight, bias: (weight / by, bias / by))
        kept = self.network.kept(self.encoder, self.work.checkpoints, head)
        return EncoderClassifier(**{**kept, "reads": self.reads}, labels=self.labels)
