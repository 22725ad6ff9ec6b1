"""A classifier: of what class a text is, or whether two texts belong together; see learned/classifier.py.

Half of what is held out says when to stop and scales the probabilities (one temperature, Guo et al. 2017, with the
targets of Platt 1999); the figures are of the other half, which nothing was chosen by.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array, Ints
from nlgauge.io.fields import Kinds, key
from nlgauge.learned.classifier import Classifier
from nlgauge.learned.form import Form
from nlgauge.training.classifier_encoder import Encoder
from nlgauge.training.classifier_examples import SYSTEM, Labelled, gather, halves, refuse_few, with_drawn
from nlgauge.training.classifier_figures import LIMITS, figures, temperature
from nlgauge.training.classifier_linear import Linear
from nlgauge.training.config import Training, Work
from nlgauge.training.examples import Examples
from nlgauge.training.figures import HeldOut
from nlgauge.training.split import held_out

FEW = 20  # examples below which probabilities are not scaled


class Fitted(Protocol):
    """What was learnt, before its probabilities are scaled."""

    @property
    def logits(self) -> Array:
        """Of the examples to tune by."""

    def form(self, temperature: float) -> Classifier:
        """With the logits divided by a temperature."""


class Body(Protocol):
    """What learns: a part of the configuration."""

    def fit(self, work: Work, examples: Labelled, *, reads: str, seed: int, learnt: Ints, tuned: Ints) -> Fitted:
        """Learn from some examples, watching others."""


BODIES = Kinds({"linear": Linear, "encoder": Encoder})


def body_told(body: Any) -> dict[str, Any]:
    """A body as it stands in a file."""
    (kind,) = (name for name, part in BODIES.known.items() if isinstance(body, part))
    return {"kind": kind, **asdict(body)}


@dataclass(frozen=True)
class ClassifierTraining(Training):
    """A classifier and what it learns from."""

    kind: ClassVar[str] = "classifier"
    watches: ClassVar[bool] = False
    reads: Literal["alone", "pair"] = key("a text alone, or the source and the text together (pair)", default="alone")
    label: str = key(f"the key of the rows that holds their class, or {SYSTEM}", default="")
    negatives: Literal["none", "random", "hard"] = key(
        "instead of label, where all pairs match: draw one that does not for each, at random or among the most similar",
        default="none",
    )
    body: Annotated[Body, BODIES] = field(
        default_factory=Linear, metadata={"about": "what learns: linear (over hashed n-grams) or encoder"}
    )

    @property
    def needs(self) -> tuple[str, ...]:
        return ("source",) if self.reads == "pair" else ()

    @property
    def by_source(self) -> bool:
        return self.reads == "pair"

    @property
    def learns(self) -> str:
        return self.label or "whether two texts match"

    @property
    def intervals_of(self) -> str:
        return f"Intervals are {LIMITS}."

    def contradictions(self) -> Iterator[tuple[str, str]]:
        yield from super().contradictions()
        if self.label and self.negatives != "none":
            yield "negatives", "label and negatives exclude each other: rows have their classes, or all of them match"
        if not self.label and self.negatives == "none":
            told = "name the key that holds the class of a row, such as label: system"
            yield "label", f"label is missing: {told}"
        if self.negatives != "none" and self.reads == "alone":
            yield "negatives", "negatives are of pairs; write reads: pair"
        for name in ("target", "alike", "scaled", "normalised", "clipped"):
            if getattr(self, name) != getattr(Training, name, None):
                yield name, f"{name} is about the scale of ratings, and a classifier learns classes; leave it out"
        if not self.supervise.judged:
            yield "supervise", f"supervise: {self.supervise.kind} is not for classifiers; label says what is learnt"
        for number, data in enumerate(self.data, start=1):
            if data.human:
                yield f"data.{number}.human", "human names ratings; a classifier learns label"

    def prepared(self, beside: Path) -> tuple[Labelled, NDArray[np.bool_]]:
        examples = gather(self, beside)
        held = held_out(examples, self.split, self.seed)
        if self.negatives != "none":
            examples, held = with_drawn(examples, held, self)
        refuse_few(examples, held)
        return examples, held

    def learn(self, work: Work) -> Classifier:
        """The body, then the temperature of its probabilities."""
        examples = work.examples
        assert isinstance(examples, Labelled)
        spared = np.flatnonzero(work.held)
        tuned = spared[halves(examples.only(spared))[0]]
        fitted = self.body.fit(
            work,
            examples,
            reads=self.reads,
            seed=self.seed,
            learnt=np.flatnonzero(~work.held),
            tuned=tuned,
        )
        if len(tuned) < FEW:
            work.notes.append(
                f"probabilities are not calibrated: {len(tuned)} examples were held out to scale them by, and {FEW} "
                "are needed"
            )
            return fitted.form(1.0)
        return fitted.form(temperature(fitted.logits, examples.classes[tuned]))

    def figures(self, form: Form, examples: Examples) -> HeldOut:
        assert isinstance(form, Classifier) and isinstance(examples, Labelled)
        return figures(form, examples.only(halves(examples)[1]))

    def evaluated(self, form: Classifier, beside: Path) -> HeldOut:
        """How well a classifier does on the rows of `data`, all of them, with pairs drawn where these are drawn."""
        examples = gather(self, beside)
        if self.negatives != "none":
            examples, _ = with_drawn(examples, np.zeros(len(examples), dtype=bool), self)
        return figures(form, examples.with_labels(form.labels))

    def scale(self, examples: Examples, held: NDArray[np.bool_]) -> dict[str, Any]:
        assert isinstance(examples, Labelled)
        return {"unit": "probability", "criteria": [examples.labels[0]], "low": 0.0, "high": 1.0}
