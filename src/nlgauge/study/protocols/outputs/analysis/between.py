"""Panels against each other, and criteria against each other: correlations of systems' means and of outputs' means."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Protocol

from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable, rows
from nlgauge.stats.correlation import correlate
from nlgauge.stats.correlation.bootstrap import fisher_interval
from nlgauge.stats.correlation.levels import Correlation
from nlgauge.stats.mixed.results import t_p
from nlgauge.study.protocols.outputs.analysis.rows import Worded

ALIKE = 0.95  # a correlation of two criteria's outputs from which they may be one


class Judged(Protocol):
    """What one panel said for one criterion."""

    @property
    def criterion(self) -> Worded:
        """What was asked."""
        ...

    def output_means(self) -> Mapping[tuple[str, str], float]:
        """A figure for each output, by item and system."""
        ...


class Fitted(Protocol):
    """What a model says of the systems."""

    @property
    def means(self) -> Sequence[Any]:
        """Of each system its mean or strength."""
        ...


Columns = Mapping[tuple[str, str], Judged]
"""By panel and criterion."""
Fits = Mapping[tuple[str, str], Fitted]
Side = tuple[str, Judged, Fitted]
"""What is compared, as it is called, with its model."""


@dataclass(frozen=True)
class Related(Jsonable):
    """Pearson's and Spearman's correlation of the same things, with Fisher's limits and a test of 0 for Pearson's."""

    KEYS = (
        "what, n, pearson = pearson.estimate, low = pearson.low, high = pearson.high, "
        "method = pearson.method, spearman = spearman.estimate, p"
    )

    what: str  # systems or outputs
    n: int
    pearson: Correlation
    spearman: Correlation
    p: float


@dataclass(frozen=True)
class Pair(Jsonable):
    """Two panels on one criterion, or two criteria in one panel."""

    KEYS = "first, second, where, systems, outputs, means = _means, difference"

    first: str
    second: str
    where: str  # the criterion, or the panel
    systems: Related
    outputs: Related
    means: tuple[tuple[str, float, float], ...]  # system, mean of the first, mean of the second
    difference: float = math.nan  # of panels: the first's mean of all systems less the second's
    ratio: bool = False  # of magnitudes: the difference is one of logarithms

    @property
    def _means(self) -> list[dict[str, Any]]:
        return rows(self.means, "system first second")


def pairs_of_panels(columns: Columns, models: Fits, *, level: bool = True) -> tuple[Pair, ...]:
    """Every two panels on every criterion; `level`: whether figures of two panels have a common origin. Of panels that
    do not share a scale, because one is a metric's, the means are not subtracted."""
    panels, criteria = (list(dict.fromkeys(key[place] for key in columns)) for place in (0, 1))
    return tuple(
        pair_of((a, columns[a, criterion], models[a, criterion]), (b, other, models[b, criterion]), level=level)
        for criterion in criteria
        for a, b in combinations(panels, 2)
        if (a, criterion) in columns and (other := columns.get((b, criterion))) is not None
    )


def pairs_of_criteria(columns: Columns, models: Fits, measured: Collection[str] = ()) -> tuple[Pair, ...]:
    """Every two criteria in every panel but those of metrics, which say the same of all."""
    sides = {key: (column.criterion.label, column, models[key]) for key, column in columns.items()}
    return tuple(
        pair_of(sides[a], sides[b], where=a[0], level=False)
        for a, b in combinations(columns, 2)
        if a[0] == b[0] and a[0] not in measured
    )


def pair_of(first: Side, second: Side, *, where: str = "", level: bool) -> Pair:
    """Two columns of ratings with their models, compared by systems and by outputs; `where` both are, by default on the
    criterion of the first."""
    columns = first[1], second[1]
    means = [{figured.system: figured.mean for figured in fitted.means} for _, _, fitted in (first, second)]
    common = [name for name in means[0] if name in means[1]]
    outputs = [column.output_means() for column in columns]
    both = [output for output in outputs[0] if output in outputs[1]]
    shown = tuple((name, means[0][name], means[1][name]) for name in common)
    free = any(getattr(column.criterion, "by_judge", False) for column in columns)  # each judge in a unit of their own
    scales = {tuple(getattr(column.criterion, name, None) for name in ("low", "high", "points")) for column in columns}
    comparable = level and shown and len(scales) == 1 and not free
    return Pair(
        first=first[0],
        second=second[0],
        where=where or columns[0].criterion.label,
        systems=related("systems", *([own[name] for name in common] for own in means)),
        outputs=related("outputs", *([own[output] for output in both] for own in outputs)),
        means=shown,
        difference=sum(a - b for _, a, b in shown) / len(shown) if comparable else math.nan,
        ratio=getattr(columns[0].criterion, "ratios", False),
    )


def related(what: str, first: Sequence[float], second: Sequence[float]) -> Related:
    """How two lists go together; undefined for fewer than three or a constant side."""
    n = len(first)
    if n < 3:
        none = Correlation(math.nan, n, "pearson")
        return Related(what=what, n=n, pearson=none, spearman=none, p=math.nan)
    pearson, spearman = (correlate(first, second, statistic=name) for name in ("pearson", "spearman"))
    r, p = pearson.estimate, math.nan
    if abs(r) < 1:
        p = t_p(r * math.sqrt((n - 2) / (1 - r * r)), n - 2.0)
    with suppress(InputError):  # of fewer than five points there are no limits
        pearson = fisher_interval(pearson)
    return Related(what=what, n=n, pearson=pearson, spearman=spearman, p=p)
