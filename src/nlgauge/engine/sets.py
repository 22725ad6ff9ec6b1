"""Set metrics over the systems of an evaluation set: texts numbered once, scorers made when asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.kernels.pool import Pool, Vocabulary, pooled
from nlgauge.metrics.base import Metric
from nlgauge.metrics.sets import SET, SetMetric, SetScorer
from nlgauge.stats.resample import Labels, Ties
from nlgauge.stats.results import Jackknife, PairedTest
from nlgauge.stats.sets import score_of_all, set_interval, set_test
from nlgauge.types import Column

M = TypeVar("M", bound=Metric)
UNLIKE = 0.1  # systems whose numbers of words differ by more are remarked on


def split(metrics: Sequence[Metric]) -> tuple[list[Metric], list[SetMetric]]:
    """Metrics whose rows add up, and set metrics."""
    sets = [metric for metric in metrics if isinstance(metric, SetMetric)]
    return [metric for metric in metrics if not isinstance(metric, SetMetric)], sets


class SetTexts:
    """The outputs of all systems as numbered words, by tokeniser, and what set metrics make of them."""

    def __init__(self, columns: Sequence[Column], metrics: Sequence[SetMetric]) -> None:
        self.metrics = list(metrics)
        self._columns = {column.system: column for column in columns}
        self._vocabularies: dict[tuple[str, bool], Vocabulary] = {}
        self._pools: dict[tuple[str, bool, str], Pool] = {}
        self._known: dict[SetMetric, Pool | None] = {}
        self._scorers: dict[tuple[SetMetric, str], SetScorer] = {}
        for metric in metrics:
            for column in columns:
                metric.check_size(len(column), column.system)

    def pool(self, metric: SetMetric, system: str) -> Pool:
        """One system's outputs under the metric's tokeniser."""
        key = (metric.tok, metric.lower)
        vocabulary = self._vocabularies.setdefault(key, Vocabulary(metric.tok, lower=metric.lower))
        found = self._pools.get((*key, system))
        if found is None:
            found = self._pools[*key, system] = vocabulary.pool(self._columns[system].hypotheses)
        return found

    def scorer(self, metric: SetMetric, system: str) -> SetScorer:
        """The scorer of one system's outputs."""
        key = (metric, system)
        if key not in self._scorers:
            self._scorers[key] = metric.scorer(self.pool(metric, system), self._known_to(metric))
        return self._scorers[key]

    def value(self, metric: SetMetric, system: str) -> float:
        """The score of all outputs of a system; refused where there is none."""
        value = score_of_all(self.scorer(metric, system))
        if not np.isfinite(value):
            raise InputError(f"{metric} has no value for {system}: {metric.undefined}")
        return value

    def segments(self, system: str) -> dict[str, Array]:
        """metric -> the scores of a system's outputs."""
        for metric in self.metrics:
            metric.check_segments()
        return {str(metric): self.scorer(metric, system).segments() for metric in self.metrics}

    def interval(
        self, metric: SetMetric, system: str, *, level: float, groups: int, seed: int, clusters: Labels | None
    ) -> Jackknife:
        """The jackknife interval of a system's score."""
        self.value(metric, system)
        return set_interval(
            self.scorer(metric, system),
            level=level,
            groups=groups,
            seed=seed,
            clusters=clusters,
            bounds=metric.span,
            name=f"{system} ({metric})",
        )

    def test(
        self,
        metric: SetMetric,
        system: str,
        other: str,
        *,
        trials: int,
        seed: int,
        level: float,
        groups: int,
        ties: Ties,
        clusters: Labels | None,
    ) -> PairedTest:
        """Approximate randomisation of two systems with the same items."""
        mine, theirs = self.pool(metric, system), self.pool(metric, other)
        if mine.same(theirs):
            raise InputError(
                f"the systems {other!r} and {system!r} have the same texts as {metric} reads them, so there is "
                "nothing to test; leave one of them (or the metric) out"
            )
        for name in (system, other):
            self.value(metric, name)
        return set_test(
            metric.scorer(pooled([mine, theirs]), self._known_to(metric)),
            self.scorer(metric, system),
            self.scorer(metric, other),
            trials=trials,
            seed=seed,
            level=level,
            groups=groups,
            ties=ties,
            clusters=clusters,
            name=f"{system} ({metric})",
        )

    def remarks(self, *, tested: bool = False) -> list[str]:
        """What a reader must know about the set metrics of a table of scores, or of tests."""
        if not self.metrics:
            return []
        names = ", ".join(map(str, self.metrics))
        told = [f"{names}: {SET}; recomputed whenever items are left out (intervals) or swapped (tests)"]
        if tested:
            told.append(
                f"{names}: p asks whether two systems' outputs could be exchanged, which systems with different words "
                "may fail though equally varied; whether one is more varied is for the interval to say"
            )
        sensitive = [metric for metric in self.metrics if metric.size_matters]
        lengths = {system: len(self.pool(metric, system).words) for metric in sensitive[:1] for system in self._columns}
        if lengths and min(lengths.values()) < (1 - UNLIKE) * max(lengths.values()):
            few, many = min(lengths, key=lengths.__getitem__), max(lengths, key=lengths.__getitem__)
            changes = _changes(sensitive)
            told.append(
                f"{changes} as texts grow, and the systems differ in length ({few} {lengths[few]:,} words, {many} "
                f"{lengths[many]:,}): part of a difference may be that of the lengths"
            )
        return told

    def _known_to(self, metric: SetMetric) -> Pool | None:
        if metric not in self._known:
            items: dict[str, Sequence[str]] = {}
            if "references" in metric.needs:
                for column in self._columns.values():
                    items.update(zip(column.items, column.references, strict=True))
            texts = metric.known(items.values())
            key = (metric.tok, metric.lower)
            vocabulary = self._vocabularies.setdefault(key, Vocabulary(metric.tok, lower=metric.lower))
            self._known[metric] = None if texts is None else vocabulary.pool(texts)
        return self._known[metric]


def _changes(metrics: Sequence[SetMetric]) -> str:
    ways: Mapping[str, list[str]] = {
        way: [str(metric) for metric in metrics if metric.size_matters == way] for way in ("falls", "rises")
    }
    return " and ".join(
        f"{', '.join(names)} {way if len(names) == 1 else way.removesuffix('s')}"
        for way, names in ways.items()
        if names
    )
