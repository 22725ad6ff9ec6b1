"""Features and a learner: each feature is a metric, and what was learnt says how they count.

A feature may be a trained metric itself. Its folder is copied into that of the whole, `within/PLACE`, so that one
folder can be moved and uploaded.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import comb
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError, SpecError, counted
from nlgauge.kernels.batch import Batch
from nlgauge.learned.folder import shipped
from nlgauge.learned.form import Arrays, Form
from nlgauge.learned.learners import Learner, Scale, learner_of
from nlgauge.learned.trained import Trained
from nlgauge.metrics.base import Metric
from nlgauge.metrics.explanation import Figure
from nlgauge.metrics.registry import load
from nlgauge.metrics.spec import parse

EXACT = 10  # features up to which every subset is looked at
ORDERS = 256  # of more features, seeded
FAR = 5.0  # standard deviations from the training texts' mean beyond which a feature counts no more
_WITHIN = "within"


def feature_values(features: Iterable[Metric], batch: Batch) -> Array:
    """(n, k): each feature's score of each segment; refuses what is no number, with the row."""
    made: dict[str, Array] = {}
    columns = []
    for metric in features:
        key = metric.rows_key()
        if key not in made:
            made[key] = metric.rows(batch)
        scores = np.asarray(metric.score(made[key]), dtype=np.float64)
        bad = np.flatnonzero(~np.isfinite(scores))
        if len(bad):
            place = int(bad[0])
            raise InputError(
                f"the feature {metric} gives no number for {batch.place(place)} "
                f"({batch.hypotheses[place][:60]!r}); leave the feature or the row out"
            )
        columns.append(scores)
    return np.column_stack(columns) if columns else np.zeros((len(batch), 0))


def bounded(standardised: Array) -> Array:
    """Standardised features, none further than `FAR` from the mean: beyond, what was learnt says nothing."""
    return np.clip(standardised, -FAR, FAR)


class OverMetrics(Form):
    """Base of those that learn from the scores of metrics, perhaps beside other numbers."""

    features: tuple[Metric, ...]
    scale: Scale
    learner: Learner

    scaled: ClassVar[str]  # what the names of the scale's arrays begin with
    own_needs: ClassVar[tuple[str, ...]] = ()
    own_models: ClassVar[tuple[tuple[str, str], ...]] = ()

    @property
    def needs(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.own_needs, *(need for metric in self.features for need in metric.needs))))

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        return tuple(dict.fromkeys((*self.own_models, *(model for metric in self.features for model in metric.models))))

    def learnt_from(self, batch: Batch) -> dict[str, int]:
        return {name: rows for metric in self.features for name, rows in metric.learnt_from(batch).items()}

    def arrays(self) -> Arrays:
        scale = {f"{self.scaled}.mean": self.scale.mean, f"{self.scaled}.deviation": self.scale.deviation}
        return {name: single(values, name) for name, values in {**scale, **self.learner.arrays()}.items()}

    @classmethod
    def opened(cls, arrays: Arrays) -> tuple[Scale, dict[str, Array]]:
        """The scale, and what is left for the learner."""
        whole = {name: np.asarray(values, dtype=np.float64) for name, values in arrays.items()}
        return Scale(whole.pop(f"{cls.scaled}.mean"), whole.pop(f"{cls.scaled}.deviation")), whole


@dataclass(frozen=True, eq=False)
class Featured(OverMetrics):
    """learner(standardised features)."""

    kind: ClassVar[str] = "features"
    scaled: ClassVar[str] = "features"
    how: ClassVar[str] = (
        "in training: the feature's mean; adds: its share (Shapley's) of the prediction's distance from that of an "
        "average training text"
    )
    features: tuple[Metric, ...]
    scale: Scale
    learner: Learner
    far: dict[str, set[str]] = field(default_factory=dict, repr=False)  # texts too far out, by feature

    @property
    def model_fact(self) -> str:
        return joined(metric.model_fact for metric in self.features)

    @property
    def lexicon_fact(self) -> str:
        return joined(metric.lexicon_fact for metric in self.features)

    @property
    def reads_files(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(path for metric in self.features for path in metric.reads_files))

    @property
    def fitted(self) -> bool:
        return any(metric.needs_prepare for metric in self.features)

    def remarks(self) -> list[str]:
        """What models say of the texts; what a plain feature says of itself as a metric does not matter here."""
        told = [remark for metric in self.features if metric.models for remark in metric.remarks()]
        if self.far:
            texts = counted(len(set.union(*self.far.values())), "output is", "outputs are")
            names = ", ".join(self.far)
            told.append(
                f"{texts} unlike all that was learnt from in {names}: more than {FAR:g} standard deviations "
                "away, and counted as if that far; such scores mean little"
            )
            self.far.clear()
        return list(dict.fromkeys(told))

    def prepared(self, corpus: Iterable[Batch]) -> Self:
        batches = list(corpus)
        ready = (metric.prepare(batches) if metric.needs_prepare else metric for metric in self.features)
        return replace(self, features=tuple(ready))

    def predict(self, batch: Batch) -> Array:
        values = feature_values(self.features, batch)
        for row, column in np.argwhere(np.abs(self.scale(values)) > FAR):
            self.far.setdefault(_called(self.features[column]), set()).add(batch.hypotheses[row])
        return self.of_values(values)

    def of_values(self, values: Array) -> Array:
        """What was learnt, of features as they are."""
        return self.learner.predict(bounded(self.scale(values)))

    def settings(self) -> dict[str, Any]:
        told = [metric.full() for metric in self.features]
        within = {}
        for place, metric in self._trained.items():
            told[place] = f"{metric.name}(model={_WITHIN}/{place})"
            within[str(place)] = {"metric": metric.name, "digest": metric.folder.digest}
        return {"features": told, "learner": self.learner.kind, **({_WITHIN: within} if within else {})}

    @property
    def _trained(self) -> dict[int, Trained]:
        """The features that are folders of trained metrics, by their places."""
        return {
            place: metric
            for place, metric in enumerate(self.features)
            if isinstance(metric, Trained) and shipped(metric.model) is None
        }

    def beside(self, folder: Path) -> None:
        for place, metric in self._trained.items():
            shutil.copytree(metric.folder.path, folder / _WITHIN / str(place), symlinks=True)

    @classmethod
    def of(cls, settings: Mapping[str, Any], arrays: Arrays, folder: Path) -> Self:
        scale, whole = cls.opened(arrays)
        if not isinstance(settings["features"], list):
            raise InputError(f"{folder} names its features by {settings['features']!r}; expected a list of specs")
        within = {int(place): told for place, told in settings.get(_WITHIN, {}).items()}
        features = tuple(
            _within(folder / _WITHIN / str(place), **within[place]) if place in within else parse(spec)
            for place, spec in enumerate(settings["features"])
        )
        if len(scale.mean) != len(features):
            raise InputError(f"{folder} names {len(features)} features and scales {len(scale.mean)}; is it whole?")
        return cls(features, scale, learner_of(settings["learner"], whole, str(folder)))

    def figures(self, batch: Batch) -> list[Figure]:
        """Each feature with its share (Shapley's) of the way from an average text's prediction to this one's."""
        values = feature_values(self.features, batch)[0]
        shares = shapley(self.of_values, values, self.scale.mean)
        average = float(self.of_values(self.scale.mean[None])[0])
        told = zip(self.features, values, self.scale.mean, shares, strict=True)
        return [
            Figure("an average text", average, "predicted with all features at their training means"),
            *(
                Figure(_called(metric), float(value), f"in training {mean:.4g}; adds {share:+.4f}")
                for metric, value, mean, share in told
            ),
        ]


def _within(folder: Path, *, metric: str, digest: str) -> Metric:
    """A feature that is a trained metric, from its folder in that of the whole."""
    if folder.parent.parent.resolve().is_relative_to(folder.resolve()):
        raise InputError(f"{folder} holds itself: it is a link to a folder around it; train it again")
    try:
        found = load(metric)(model=str(folder))  # type: ignore[call-arg]  # a Trained
    except SpecError:
        raise InputError(f"{folder} is missing, or no trained metric; is the folder around it whole?") from None
    if not isinstance(found, Trained) or found.folder.digest != digest:
        raise InputError(f"{folder} is not the metric that was trained with; is the folder around it whole?")
    return found


def _called(metric: Metric) -> str:
    """A feature by its spec; a trained metric, whose spec is a place on the disk, by its name."""
    return metric.folder.about.name if isinstance(metric, Trained) else str(metric)


def shapley(predict: Callable[[Array], Array], values: Array, average: Array) -> Array:
    """What each feature adds on the way from `average` to `values`, over all orders, or `ORDERS` of many features.

    The shares sum up to the difference of the two predictions (Shapley 1953; Lundberg and Lee 2017).
    """
    size = len(values)
    if size > EXACT:
        random = np.random.default_rng(0)
        orders = random.permuted(np.tile(np.arange(size), (ORDERS, 1)), axis=1)
        places = orders.argsort(axis=1)  # when each feature's turn comes
        known = places[:, None, :] < np.arange(size + 1)[None, :, None]  # order, step, feature
        made = predict(np.where(known, values, average).reshape(-1, size)).reshape(ORDERS, size + 1)
        mean: Array = np.take_along_axis(np.diff(made, axis=1), places, axis=1).mean(axis=0)
        return mean
    subsets = (np.arange(2**size)[:, None] >> np.arange(size)) & 1 == 1
    made = predict(np.where(subsets, values, average))
    shares = np.zeros(size)
    for place in range(size):
        without = np.flatnonzero(~subsets[:, place])
        taken = subsets[without].sum(axis=1)
        weight = np.array([1 / (size * comb(size - 1, int(number))) for number in taken])
        shares[place] = weight @ (made[without + 2**place] - made[without])
    return shares


def single(values: Array, name: str) -> NDArray[np.float32]:
    """In single precision; refuses numbers that this cannot hold."""
    with np.errstate(over="ignore", under="ignore"):
        made = values.astype(np.float32)
    if not np.isfinite(made).all() or ((made == 0) & (values != 0)).any():
        raise InputError(
            f"{name} is too large or too small to be kept in single precision; learn ratings of another size (scaled: "
            "true, alike: true)"
        )
    return made


def joined(facts: Iterable[str]) -> str:
    return "+".join(dict.fromkeys(fact for fact in facts if fact))
