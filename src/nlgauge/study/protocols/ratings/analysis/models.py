"""System means of one criterion: the mixed models, and what stands beside them.

The linear model has judges and items as crossed random effects, so that its limits hold for other judges and items. A
variance for item × system is added wherever outputs were rated more than once (ratings of one text are no ratings of
several), and one for judge × system where judges rated each system more than once (judges may favour systems; Barr et
al. 2013). What a study cannot tell leaves the model, and a note says so. The ordinal model takes points as an order;
of yes and no it is the logistic mixed model by the Laplace approximation, and leads unless answers are separated. Of
amounts (penalties, errors, edits) the linear model of square roots leads the tests, whatever unit they are counted in.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.stats.discrimination.limits import limits
from nlgauge.stats.mixed import LinearMixed, OrdinalMixed, linear_mixed, ordinal_mixed
from nlgauge.stats.mixed.ordinal import separation
from nlgauge.stats.mixed.results import UNFINISHED, Effect
from nlgauge.stats.ranking import TESTS, Clusters, Test, cluster_systems, clusters_of
from nlgauge.stats.rescale import FEW, NEUTRAL, rescale
from nlgauge.study.analysis.notes import Note, distinct, note
from nlgauge.study.protocols.ratings.analysis.by_items import ByItems, by_items
from nlgauge.study.protocols.ratings.analysis.rows import Column

POINTS = 11  # points up to which a scale has thresholds worth estimating
MANY = 600  # pairs of a judge and a system up to which favouring has a variance of its own
CUT = "; means and limits end where the scale does"
CLUSTERED = {
    "linear": "linear mixed model",
    "ordinal": "logistic mixed model",
    "roots": "linear mixed model of square roots",
}
ALPHA = 0.05
TWICE = 2  # ratings of a system by a judge from which favouring can be told from noise


@dataclass(frozen=True)
class SystemMean(Jsonable):
    """One system: the plain mean, the mean of each judge's z scores, and the linear model's mean with its limits."""

    KEYS = "..., not cut"

    system: str
    n: int
    raw: float
    deviation: float
    standardised: float
    mean: float
    low: float
    high: float
    level: float
    method: str
    exact: tuple[float, float] | None = None  # yes or no: Clopper and Pearson's limits of the share
    cut: bool = False  # whether the mean or a limit lay beyond the end of the scale


@dataclass(frozen=True)
class Models(Jsonable):
    """Everything about the systems' means on one criterion."""

    KEYS = "systems = means, pairs, leading, linear, ordinal, roots, clusters, wilcoxon, by_items, notes"

    means: tuple[SystemMean, ...]  # from best to worst
    linear: LinearMixed | None
    ordinal: OrdinalMixed | None = None
    clusters: Clusters | None = None  # by the model that leads
    wilcoxon: Clusters | None = None
    pairs: tuple[Effect, ...] = ()  # differences by the linear model, p-values corrected by Holm
    leading: str = "linear"  # the model whose tests are reported first: linear, ordinal or roots
    slopes: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    by_items: ByItems | None = None  # amounts: permutation within items, bootstrap over items
    roots: LinearMixed | None = None  # amounts: the linear model of square roots
    ranks: Test = "signed-rank"  # the test by ranks

    @property
    def leader(self) -> LinearMixed | OrdinalMixed | None:
        """The model whose tests are reported first."""
        models = {"ordinal": self.ordinal, "roots": self.roots, "linear": self.linear}
        return models[self.leading]

    @property
    def ranked_p(self) -> Mapping[frozenset[str], float]:
        """Corrected p-values of the test by ranks, for every pair that it knows."""
        if self.wilcoxon is None:
            return {}
        found = _by_pair([ranked.system for ranked in self.wilcoxon.systems], self.wilcoxon.p)
        return {pair: p for pair, p in found.items() if not math.isnan(p)}

    def neighbours(self) -> Iterator[tuple[str, str, Mapping[str, float]]]:
        """Systems next to each other by their means, with the corrected p-value of each test of the two."""
        if len(self.means) < 2:
            return
        other = "logistic model" if any(mean.exact for mean in self.means) else "ordinal model"
        models = {"linear model": self.linear, other: self.ordinal, "model of square roots": self.roots}
        tests: dict[str, Mapping[frozenset[str], float]] = {
            name: {} if model is None else _by_pair(model.systems, model.p_table()) for name, model in models.items()
        }
        tests[TESTS[self.ranks]] = self.ranked_p if self._ranks_can_tell() else {}
        tests["permutation"] = {} if self.by_items is None else self.by_items.p
        for one, two in pairwise(mean.system for mean in self.means):
            pair = frozenset((one, two))
            yield one, two, {name: found[pair] for name, found in tests.items() if pair in found}

    @property
    def split(self) -> tuple[tuple[str, str, Mapping[str, float]], ...]:
        """Neighbours of which one test says that they differ and another does not, with the p-value of each test."""
        return tuple(row for row in self.neighbours() if len({p < ALPHA for p in row[2].values()}) > 1)

    def _ranks_can_tell(self) -> bool:
        """Whether the items are enough for a signed-rank test to find anything, whatever the ratings; else it is no
        witness against the models.
        """
        if self.wilcoxon is None or self.ranks != "signed-rank":
            return self.wilcoxon is not None
        systems = self.wilcoxon.systems
        smallest = 2.0 ** (1 - min(system.n for system in systems)) * math.comb(len(systems), 2)
        return smallest < self.wilcoxon.alpha


def _by_pair(names: Sequence[str], table: Array) -> dict[frozenset[str], float]:
    """A symmetric table of p-values by the two systems."""
    return {frozenset((names[k], names[j])): float(table[k, j]) for k, j in combinations(range(len(names)), 2)}


def fit(column: Column, *, level: float = 0.95, means_only: bool = False) -> Models:
    """Fit what the ratings allow; never refuses: what cannot be had is a note. `means_only`: no tests beside."""
    notes: list[Note] = []
    linear, slopes = _linear(column, level, notes)
    if means_only:
        return Models(_means(column, linear, level, notes), linear, slopes=slopes, notes=tuple(distinct(notes)))
    ordinal = _ordinal(column=column, linear=linear, slopes=slopes, level=level, notes=notes)
    binary = column.criterion.points == 2
    means = _means(column, linear, level, notes)
    several = len(means) > 1
    roots = _roots(column, slopes, level) if several and column.criterion.amount else None
    leading = "roots" if roots is not None else "ordinal" if binary and ordinal is not None else "linear"
    leader = roots or (ordinal if leading == "ordinal" else linear)
    clusters = _clusters(means, leader, leading, column) if several and leader is not None else None
    if roots is not None:
        notes.append(note("skewed"))
        notes.extend(_turned(means, clusters))
    ranked, ranks = _wilcoxon(column, notes) if several else (None, "signed-rank")
    return Models(
        means=means,
        linear=linear,
        ordinal=ordinal,
        clusters=clusters,
        wilcoxon=ranked,
        pairs=linear.pairs() if several and linear is not None else (),
        leading=leading,
        slopes=slopes,
        notes=tuple(distinct(notes)),
        by_items=by_items(column, level=level),
        roots=roots,
        ranks=ranks,
    )


def _roots(column: Column, slopes: tuple[str, ...], level: float) -> LinearMixed | None:
    """The linear model of the square roots of amounts; None where it cannot be had."""
    found, own = _linear(replace(column, values=np.sqrt(column.values)), level, [])
    return found if found is not None and found.converged and own == slopes else None


def _turned(means: tuple[SystemMean, ...], clusters: Clusters | None) -> Iterator[Note]:
    """Systems that the roots tell apart, the other way round than the means do."""
    place = {one.system: number for number, one in enumerate(means)}
    pairs = [
        f"{ranked_system.system} before {name}"
        for ranked_system in (clusters.systems if clusters else ())
        for name in ranked_system.beats
        if place[name] < place[ranked_system.system]
    ]
    if pairs:
        yield note("turned", pairs=tuple(pairs))


def _linear(column: Column, level: float, notes: list[Note]) -> tuple[LinearMixed | None, tuple[str, ...]]:
    """The largest model that the design can tell; smaller ones where that cannot be fitted."""
    groups, wanted = _structure(column, notes)
    tries = [wanted] if not wanted else [wanted, *((name,) for name in wanted if len(wanted) > 1), ()]
    refusal, unfinished = "", None
    for slopes in tries:
        try:
            found = linear_mixed(column.modelled, column.systems, groups, slopes=slopes, level=level)
        except InputError as error:
            refusal = refusal or str(error)
            continue
        if not found.converged:
            refusal, unfinished = refusal or UNFINISHED, unfinished or (found, slopes)
            continue
        if slopes != wanted:
            notes.append(note("smaller model", reason=refusal))
        if found.few:  # variances of 0 are in the sentence about the model
            notes.append(note("few levels", levels=tuple(found.few.items())))
        return found, slopes
    if unfinished is not None:
        notes.append(note("unfinished"))
        return unfinished
    notes.append(note("no mixed model", reason=refusal))
    return None, ()


def _structure(column: Column, notes: list[Note]) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]]:
    """Random effects that the design can tell apart, and those of them that may differ by system."""
    groups = {}
    people = (("judge", column.judges),) if column.named else ()
    for name, labels in (*people, ("item", column.items)):
        number = len(set(labels))
        if number < 2:
            notes.append(note(f"one {name}"))
        elif number < len(column):
            groups[name] = labels
        else:
            notes.append(note("in the noise", name=name))
    if len(set(column.systems)) < 2:
        return groups, ()
    slopes = []
    if "item" in groups and max(Counter(column.outputs).values()) > 1:
        slopes.append("item")
    if "judge" in groups:
        times = Counter(zip(column.judges, column.systems, strict=True))
        if np.median(list(times.values())) >= TWICE:
            if len(times) <= MANY:
                slopes.append("judge")
            else:
                notes.append(note("favouring", pairs=len(times)))
    return groups, tuple(slopes)


def _ordinal(
    column: Column, linear: LinearMixed | None, slopes: tuple[str, ...], level: float, notes: list[Note]
) -> OrdinalMixed | None:
    """Of scales with few points; the random effects and the degrees of freedom are the linear model's."""
    if not 2 <= column.criterion.points <= POINTS:
        return None
    groups, _ = _structure(column, [])
    refusal = ""
    for tried in dict.fromkeys((slopes, ())):
        try:
            known = linear if tried == slopes else None
            found = ordinal_mixed(column.values, column.systems, groups, slopes=tried, level=level, linear=known)
        except InputError as error:
            refusal = refusal or str(error)
            continue
        if found.converged:
            return found
        refusal = refusal or (separation(found.separated) if found.separated else UNFINISHED)
    name = "logistic" if column.criterion.points == 2 else "ordinal"
    notes.append(note("no ordinal model", model=name, reason=refusal))
    return None


def _means(column: Column, linear: LinearMixed | None, level: float, notes: list[Note]) -> tuple[SystemMean, ...]:
    scaled = rescale(column.values, column.judges)
    for kind, names, more in (
        ("one value", scaled.flat, {"neutral": NEUTRAL[scaled.scale]}),
        ("few ratings", scaled.few, {"least": FEW}),
    ):
        if names:
            notes.append(note(kind, number=len(names), names=tuple(names), judges=scaled.judges, **more))
    by_model = {} if linear is None else {mean.name: mean for mean in _model_means(column, linear)}
    systems = np.array(column.systems, dtype=object)
    binary = column.criterion.points == 2
    found = []
    for name in dict.fromkeys(column.systems):
        own = column.values[systems == name]
        raw, n = float(own.mean()), len(own)
        model = by_model.get(name)
        told = (raw, math.nan, math.nan) if model is None else (model.estimate, model.low, model.high)
        mean, low, high = column.criterion.within(*told)
        cut = model is not None and (mean, low, high) != told
        found.append(
            SystemMean(
                system=name,
                n=n,
                raw=raw,
                deviation=float(own.std(ddof=1)) if n > 1 else math.nan,
                standardised=float(scaled.values[systems == name].mean()),
                mean=mean,
                low=low,
                high=high,
                level=level,
                method="plain mean, no limits" if model is None else f"{model.method}{CUT if cut else ''}",
                exact=limits(round(float(own.sum())), n, tail=(1 - level) / 2) if binary else None,
                cut=cut,
            )
        )
    sign = 1 if column.criterion.lower else -1
    return tuple(sorted(found, key=lambda one: (sign * one.mean, one.system)))


def _model_means(column: Column, linear: LinearMixed) -> tuple[Effect, ...]:
    """Means of the model; in judges' own units nothing is known but how far a system lies from the mean of all."""
    if not column.criterion.by_judge or len(linear.systems) < 2:
        return linear.means()
    return tuple(effect for effect in linear.coefficients("sum") if effect.name in linear.systems)


def _clusters(
    means: tuple[SystemMean, ...], model: LinearMixed | OrdinalMixed, leading: str, column: Column
) -> Clusters:
    by_name = {mean.system: mean for mean in means}
    # a model on a scale of its own orders systems as it estimates them; their means are shown as shares or amounts
    shown = [by_name[name].mean for name in model.systems] if leading == "linear" else model.beta[: len(model.systems)]
    sign = -1 if column.criterion.lower else 1
    found = clusters_of(
        model.systems,
        sign * np.asarray(shown, dtype=np.float64),
        model.p_table(),
        method=f"{CLUSTERED[leading]}, Wald tests of all pairs, Holm's correction",
        sizes={mean.system: mean.n for mean in means},
    )
    return _signed(found, sign)


def _signed(clusters: Clusters, sign: int) -> Clusters:
    """Where low is good, clusters are found by what the means lack, and show the means themselves."""
    return replace(clusters, systems=tuple(replace(system, mean=sign * system.mean) for system in clusters.systems))


def _wilcoxon(column: Column, notes: list[Note]) -> tuple[Clusters | None, Test]:
    """Of outputs' means, matched by item: plain answers on points, z scores on a slider, as direct assessment, and
    logarithms of magnitudes."""
    slider = not column.criterion.points and not column.criterion.ratios
    values = rescale(column.values, column.judges).values if slider else column.values
    sign = -1 if column.criterion.lower else 1
    of = replace(column, values=sign * values).output_means()
    items = list(dict.fromkeys(column.items))
    scores = {
        name: np.array([of.get((item, name), math.nan) for item in items]) for name in dict.fromkeys(column.systems)
    }
    try:
        return _signed(cluster_systems(scores), sign), "signed-rank"
    except InputError:
        notes.append(note("no shared items"))
    try:
        known = {name: row[~np.isnan(row)] for name, row in scores.items()}
        return _signed(cluster_systems(known, test="rank-sum"), sign), "rank-sum"
    except InputError as error:
        notes.append(note("no test by ranks", reason=str(error)))
        return None, "rank-sum"
