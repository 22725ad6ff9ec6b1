"""A learner over what the reader makes of reference and output in one pass; the reader itself stays as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.io.fields import Problem, key
from nlgauge.learned.learners import Scale
from nlgauge.learned.reading import Read, seen
from nlgauge.metrics.spec import parse
from nlgauge.models.reader import Reader, reader
from nlgauge.training.config import Training, Work
from nlgauge.training.examples import Examples
from nlgauge.training.featured import check, fitted, learnt_twice, once, table, unknown
from nlgauge.training.learners import LEARNERS, Fits, Net, Rank, Ridge

FREE = 30.0  # how much more a metric counts than a number of a vector, so that the penalty hardly touches it
PART = 1_000  # pairs whose vectors are lost at most by an interruption


@dataclass(frozen=True)
class ReadingTraining(Training):
    """The reader's vectors of a pair, and what learns from them."""

    kind: ClassVar[str] = "reading"
    features: tuple[str, ...] = key("metrics, by spec, whose scores are seen beside the vectors", default=())
    learner: Annotated[Fits, LEARNERS] = field(
        default_factory=lambda: Ridge(penalty=0.1),
        metadata={"about": "what learns: linear, network, support or ranking"},
    )

    @property
    def ordered(self) -> bool:
        return isinstance(self.learner, Rank)

    @property
    def watches(self) -> bool:
        return isinstance(self.learner, Net)

    def contradictions(self, lines: Mapping[str, int]) -> list[Problem]:
        return [*super().contradictions(lines), *unknown(self.features, lines)]

    def learn(self, work: Work) -> Read:
        """The vectors of every example, then the learner."""
        check(self.learner, work)
        metrics = tuple(parse(spec) for spec in self.features)
        work.notes += learnt_twice(metrics, work.examples)
        values = seen(vectors_of(work))
        if metrics:
            values = np.column_stack([values, table(work.examples, metrics, work.features, work.progress)])
        scale = Scale.of(values[~work.held])
        scale.deviation[len(scale.deviation) - len(metrics) :] /= FREE
        return Read(scale, fitted(self.learner, work, scale(values), seed=self.seed), metrics)


def vectors_of(work: Work) -> Array:
    """(n, 3 · width): of each output with the first of its references, kept part by part."""
    found, model = [], reader(purpose="training over the reader")
    for start in range(0, len(work.examples), PART):
        found.append(_part(model, work.examples, start, work.features))
        work.progress("pairs read", min(start + PART, len(work.examples)), len(work.examples))
    return np.concatenate(found)


def _part(model: Reader, examples: Examples, start: int, kept: Path) -> Array:
    rows = examples.rows[start : start + PART]
    bare = next((row for row in rows if not row.references), None)
    if bare is not None:
        raise InputError(f"item {bare.item} of {bare.system} has no reference to be read with")
    pairs = [(row.references[0], row.text or "") for row in rows]
    said = repr((model.info.digest, pairs))
    path = kept / f"{sha256(said.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}.npy"
    shape = (len(pairs), 3 * model.bert.width)
    return once(path, shape, lambda: model.pair_vectors(pairs)[1].astype(np.float32)).astype(np.float64)
