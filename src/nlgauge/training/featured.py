"""Features and a learner. Features are computed once and kept part by part: an interrupted training goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError, SpecError, counted
from nlgauge.io.fields import key
from nlgauge.io.write import atomic_path
from nlgauge.learned.featured import Featured, bounded
from nlgauge.learned.learners import Learner, Scale
from nlgauge.learned.one_pass import Read, seen
from nlgauge.learned.trained import Trained
from nlgauge.meta.measures import score_texts
from nlgauge.meta.observations import Observation
from nlgauge.metrics.base import Metric
from nlgauge.metrics.sets import SetMetric
from nlgauge.metrics.spec import parse
from nlgauge.models.reader import Reader, reader
from nlgauge.training.config import Progress, Training, Work
from nlgauge.training.examples import Examples, batch_of
from nlgauge.training.learners import LEARNERS, Fits, Net, Rank, Ridge, Table

PART = 1_000  # examples whose features are lost at most by an interruption


@dataclass(frozen=True)
class FeatureTraining(Training):
    """Metrics as features, and what learns from them."""

    kind: ClassVar[str] = "features"
    keeps_features: ClassVar[bool] = True
    features: tuple[str, ...] = key("metrics, by spec, whose scores are the features", default=())
    learner: Annotated[Fits, LEARNERS] = field(
        default_factory=Ridge, metadata={"about": "what learns: linear, network, support or ranking"}
    )

    @property
    def ordered(self) -> bool:
        return isinstance(self.learner, Rank)

    @property
    def needs(self) -> tuple[str, ...]:
        metrics = [parse(spec) for spec in self.features]
        references = any("references" in metric.needs for metric in metrics)
        sources = any(metric.reads_sources for metric in metrics)
        return (*(("references",) if references else ()), *(("source",) if sources else ()))

    @property
    def watches(self) -> bool:
        return isinstance(self.learner, Net)

    def contradictions(self) -> Iterator[tuple[str, str]]:
        yield from (*super().contradictions(), *unknown(self.features))
        if not self.features:
            yield "features", "features is empty; name at least one metric"

    def learn(self, work: Work) -> Featured:
        """The features of every example, then the learner."""
        check(self.learner, work)
        metrics = tuple(parse(spec) for spec in self.features)
        for metric in metrics:
            if isinstance(metric, Trained) and work.target.resolve().is_relative_to(metric.folder.path.resolve()):
                raise InputError(
                    f"the feature {metric} is the folder that is to be written, or around it; give another folder to "
                    "write"
                )
        work.notes += learnt_twice(metrics, work.examples)
        values = table(work.examples, metrics, work.features, work.progress)
        scale = Scale.of(values[~work.held])
        if not scale.deviation.any():
            raise InputError("no feature varies over the examples, so nothing can be learnt from them; choose others")
        work.notes += [
            f"the feature {metric} is the same for every example and has no weight"
            for metric, deviation in zip(metrics, scale.deviation, strict=True)
            if deviation == 0
        ]
        work.notes += [
            f"the feature {metric} is fitted to all texts of the data, without ratings, and to those at hand in scoring"
            for metric in metrics
            if metric.needs_prepare
        ]
        learner = fitted(self.learner, work, bounded(scale(values)), seed=self.seed)
        return Featured(metrics, scale, learner)


def learnt_twice(metrics: Sequence[Metric], examples: Examples) -> list[str]:
    """A warning for each trained metric among the features that learnt from the same rows."""
    batch = batch_of(examples)
    found = {name: rows for metric in metrics for name, rows in metric.learnt_from(batch).items() if rows}
    return [
        f"the feature {name} learnt from {rows:,} of these {len(examples):,} rows itself: it fits them better than it "
        "fits new texts, and so gets too much weight; train it on other rows"
        for name, rows in found.items()
    ]


def check(learner: Fits, work: Work) -> None:
    """Refuse what it cannot learn, before anything is computed."""
    learner.check(_part_of(work, np.zeros((len(work.examples), 0)), ~work.held))


def fitted(learner: Fits, work: Work, values: Array, *, seed: int) -> Learner:
    """What was learnt from standardised features."""
    learnt, held = (_part_of(work, values, side) for side in (~work.held, work.held))
    if isinstance(learner, Rank):
        work.notes.append(f"{counted(len(learner.pairs(learnt, seed=seed)), 'pair')} of outputs were learnt from")
    return learner.fit(learnt, held, seed=seed, report=work.report)


def _part_of(work: Work, values: Array, side: NDArray[np.bool_]) -> Table:
    some = work.examples.only(np.flatnonzero(side))
    return Table(values[side], some.targets, some.items, some.pairs)


def unknown(features: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The specs that name no metric, or one that no single output has a score by."""
    for number, spec in enumerate(features, start=1):
        try:
            metric = parse(spec)
        except (SpecError, InputError) as error:
            wrong = str(error)
        else:
            wrong = metric.refusal("has no score of a single one") if isinstance(metric, SetMetric) else ""
        if wrong:
            yield f"features.{number}", wrong


def table(examples: Examples, metrics: Sequence[Metric], kept: Path, progress: Progress) -> Array:
    """(n, k): the features of every example. What `kept` holds, or two features share, is made once."""
    made: dict[str, Array] = {}
    columns = []
    for metric in metrics:
        rows_key = metric.rows_key()
        if rows_key not in made:
            parts = []
            for start in range(0, len(examples), PART):
                parts.append(_part(examples, metric, start, kept))
                progress(str(metric), min(start + PART, len(examples)), len(examples))
            made[rows_key] = np.concatenate(parts)
        scores = np.asarray(metric.score(made[rows_key]), dtype=np.float64)
        _refuse(scores, metric, examples.rows)
        columns.append(scores)
    return np.column_stack(columns)


def _part(examples: Examples, metric: Metric, start: int, kept: Path) -> Array:
    """The statistics of some examples."""
    rows = examples.rows[start : start + PART]
    corpus = examples.rows if metric.needs_prepare else rows
    path = kept / f"{_digest(metric, rows, corpus)}.npy"
    return once(
        path,
        (len(rows), len(metric.columns)),
        lambda: score_texts(rows, [metric], "the examples", corpus=corpus)[metric][0],
    )


def once(path: Path, shape: tuple[int, ...], make: Callable[[], Array]) -> Array:
    """What a file keeps, made and kept where it is not there, or damaged: a digest follows the numbers."""
    with suppress(OSError, ValueError, EOFError):
        raw = path.read_bytes()
        content = BytesIO(raw)
        known: Array = np.load(content, allow_pickle=False)
        digest = content.read()
        intact = not digest or digest == sha256(raw[: -len(digest)]).digest()  # none: kept by earlier versions
        if intact and known.shape == shape:
            return known
    content = BytesIO()
    found = make()
    np.save(content, found)
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(path, own=True) as new:
        new.write_bytes(content.getvalue() + sha256(content.getvalue()).digest())
    return found


def _refuse(scores: Array, metric: Metric, rows: Sequence[Observation]) -> None:
    bad = np.flatnonzero(~np.isfinite(scores))
    if len(bad):
        row = rows[int(bad[0])]
        more = f", and for {len(bad) - 1} more" if len(bad) > 1 else ""
        raise InputError(
            f"the feature {metric} gives no number for item {row.item} of {row.system} ({(row.text or '')[:60]!r})"
            f"{more}; leave the feature or such rows out"
        )


def _digest(metric: Metric, rows: Sequence[Observation], corpus: Sequence[Observation]) -> str:
    """What the statistics of some examples depend on."""
    said = [metric.rows_key(), metric.model_fact, metric.lexicon_fact]
    for row in (*rows, *(corpus if corpus is not rows else ())):
        said.append(repr((row.text, row.references, row.source, row.post_edits)))
    return sha256("\n".join(said).encode("utf-8", "surrogatepass")).hexdigest()[:24]


# A learner over what the reader makes of reference and output in one pass; the reader itself stays as it is.


FREE = 30.0  # how much more a metric counts than a number of a vector, so that the penalty hardly touches it


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

    def contradictions(self) -> Iterator[tuple[str, str]]:
        yield from (*super().contradictions(), *unknown(self.features))

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
        found.append(_read_part(model, work.examples, start, work.features))
        work.progress("pairs read", min(start + PART, len(work.examples)), len(work.examples))
    return np.concatenate(found)


def _read_part(model: Reader, examples: Examples, start: int, kept: Path) -> Array:
    rows = examples.rows[start : start + PART]
    bare = next((row for row in rows if not row.references), None)
    if bare is not None:
        raise InputError(f"item {bare.item} of {bare.system} has no reference to be read with")
    pairs = [(row.references[0], row.text or "") for row in rows]
    said = repr((model.info.digest, pairs))
    path = kept / f"{sha256(said.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}.npy"
    shape = (len(pairs), 3 * model.bert.width)
    return once(path, shape, lambda: model.pair_vectors(pairs)[1].astype(np.float32)).astype(np.float64)
