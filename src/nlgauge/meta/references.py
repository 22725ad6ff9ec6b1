"""The references themselves, rated as one more system, and what more of them would change.

A reference compared with a set that contains it scores perfectly, which says nothing. So each reference of an item
is left out in turn and scored against the others, and every system is scored against the same reduced sets, as
ROUGE's jackknife does (Lin 2004); all then had the same number of references. A system that scores above the references
has found what the metric likes, not what people write: metrics of similarity cannot rank texts that are as good as
their references (Belz and Reiter 2006, section 5).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge import stats
from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.meta.measures import score_texts
from nlgauge.meta.observations import Observation, Observations
from nlgauge.meta.table import arrange
from nlgauge.metrics.base import Metric
from nlgauge.options import DEFAULT_SEED
from nlgauge.stats.correlation.coefficients import kendall_b, pearson
from nlgauge.wording.numbers import ALPHA

Score = Callable[[Array], Array]
REFERENCES = "references"


@dataclass(frozen=True)
class Rated(Jsonable):
    """One system against the references under one metric (or criterion); p is adjusted by Holm's method."""

    KEYS = "metric, system, against, score, references, p_adjusted = p, outscores"

    metric: str
    system: str
    score: float
    references: float
    p: float
    direction: str = "higher"
    against: str = REFERENCES  # the references, each left out in turn, or a system that people wrote
    human: bool = False  # whether people gave the scores

    @property
    def outscores(self) -> bool:
        """Whether the system's score is on the better side of the references'."""
        return self.score > self.references if self.direction == "higher" else self.score < self.references


@dataclass(frozen=True)
class CurvePoint(Jsonable):
    """Rankings with `references` of the references of each item, over random choices of them.

    `tau` compares with the ranking by all references, `agreement` two independent choices of the same size, both by
    Kendall's tau-b; `winner` is the share of choices with the same best system as all references.
    """

    metric: str
    references: int
    tau: float
    agreement: float
    winner: float
    human: float
    choices: int


def rate_references(
    data: Observations, metrics: Sequence[Metric], *, trials: int = 1_000, seed: int = DEFAULT_SEED, jobs: int = 1
) -> tuple[list[Rated], list[str]]:
    """Systems against left-out references on every metric, with notes; items with one reference are left out."""
    several = tuple(row for row in data.rows if len(set(row.references)) > 1)
    if not several:
        return [], ["no item has two references or more, so the references cannot be rated against each other"]
    whole, notes = _on_common_items(Observations(several, data.origin)), list[str]()
    if not whole.rows:
        return [], ["the references were not rated: there is no item that all systems have"]
    if len(whole.rows) < len(data.rows):
        notes.append(
            f"the references were rated on the items with several references that all systems have: "
            f"{len(whole.rows) // len(whole.systems):,} items"
        )
    expanded, owners = _left_out(whole.rows)
    computed = score_texts(expanded, metrics, data.origin, jobs=jobs, corpus=data.rows)
    grid = arrange(whole, by_system=True)
    found: list[Rated] = []
    for metric in metrics:
        rows, score = computed[metric]
        means = _mean_rows(rows, owners, 2 * len(whole.rows))
        own, left = means[: len(whole.rows)], means[len(whole.rows) :]
        tables = {name: own[places] for name, places in zip(grid.systems, grid.columns(), strict=True)}
        human = left[grid.place[0]]  # the same for every system: each item's references do not depend on it
        found += _against(tables, human, score, (str(metric), metric.direction), trials, seed)
    return found, notes


def against_system(
    tables: Mapping[str, Array], name: str, score: Score, column: tuple[str, str, bool], trials: int, seed: int
) -> list[Rated]:
    """Systems against one that is in the data and was written by people; `column`: name, direction, whether human."""
    metric, direction, human = column
    others = {system: rows for system, rows in tables.items() if system != name}
    found = _against(others, tables[name], score, (metric, direction), trials, seed)
    return [replace(rating, against=name, human=human) for rating in found]


def _against(
    tables: Mapping[str, Array], human: Array, score: Score, column: tuple[str, str], trials: int, seed: int
) -> list[Rated]:
    rows = {**tables, REFERENCES: human}
    testable = len(human) > 1  # with one item there is nothing to permute
    different = [name for name in tables if testable and not np.array_equal(tables[name], human)]
    p_values = dict.fromkeys(tables, math.nan)
    if different:
        pairs = [(name, REFERENCES) for name in different]
        tested = stats.paired_tests(rows, dict.fromkeys(rows, score), pairs, trials=trials, seed=seed)
        adjusted = stats.holm([tested[pair].p for pair in pairs])
        p_values |= dict(zip(different, adjusted.tolist(), strict=True))
    value = float(score(human.sum(axis=0)))
    return [
        Rated(column[0], name, float(score(own.sum(axis=0))), value, p_values[name], column[1])
        for name, own in tables.items()
        if own.any()
    ]


def warnings(rated: Sequence[Rated]) -> list[str]:
    """A sentence for each metric or criterion under which a system scores above the texts that people wrote."""
    found = []
    for key in dict.fromkeys((rating.metric, rating.against, rating.human) for rating in rated):
        mine = [rating for rating in rated if (rating.metric, rating.against, rating.human) == key]
        above = [rating for rating in mine if rating.outscores]
        if not above:
            continue
        metric, against, human = key
        what = "the references themselves" if against == REFERENCES else f"the texts of {against}"
        count = f"{len(above)} of {len(mine)} systems"
        words = _how_surely(above)
        if human:
            found.append(
                f"warning: people rate {count} above {what} on {metric} ({words}); likeness to such texts is no "
                "measure of quality there"
            )
        else:
            found.append(
                f"warning: {metric} puts {count} above {what} ({words}), so its scores in that range do not tell how "
                "close systems come to human quality"
            )
    return found


def _how_surely(above: Sequence[Rated]) -> str:
    sure = [rating.system for rating in above if rating.p <= ALPHA]
    rest = [rating.system for rating in above if rating.p > ALPHA]
    open_ = [rating.system for rating in above if math.isnan(rating.p)]
    parts = [f"{', '.join(sure)} significantly"] if sure else []
    parts += [f"{', '.join(rest)} not significantly"] if rest else []
    parts += [f"{', '.join(open_)}, not tested"] if open_ else []
    return "; ".join(parts)


def _on_common_items(data: Observations) -> Observations:
    """The rows of items that all systems have."""
    grid = arrange(data, by_system=True)
    shared = {item for item, places in zip(grid.items, grid.place.T, strict=True) if (places >= 0).all()}
    return replace(data, rows=tuple(row for row in data.rows if row.item in shared))


def _left_out(rows: Sequence[Observation]) -> tuple[list[Observation], NDArray[np.int64]]:
    """Each output, and each reference of its item, against the item's other references; and which row each serves."""
    expanded, owners = [], []
    for place, row in enumerate(rows):
        distinct = list(dict.fromkeys(row.references))
        for number, text in enumerate(distinct):
            rest = tuple(distinct[:number] + distinct[number + 1 :])
            expanded += [replace(row, references=rest), replace(row, text=text, references=rest)]
            owners += [place, len(rows) + place]
    return expanded, np.array(owners)


def _mean_rows(rows: Array, owners: NDArray[np.int64], size: int) -> Array:
    total = np.zeros((size, rows.shape[1]))
    np.add.at(total, owners, rows)
    mean: Array = total / np.bincount(owners, minlength=size)[:, None]
    return mean


# -- how many references? --------------------------------------------------------------------------------------


def reference_curve(
    data: Observations,
    metrics: Sequence[Metric],
    *,
    human: Array | None = None,
    choices: int = 20,
    seed: int = DEFAULT_SEED,
    jobs: int = 1,
) -> list[CurvePoint]:
    """How stable each metric's ranking of the systems is with 1, 2, … references an item.

    `human` holds one score per system; the mean Pearson correlation with it is then given for each number.
    """
    most = max((len(row.references) for row in data.rows), default=0)
    if most < 2:
        return []
    if len(data.systems) < 3:
        raise InputError("how stable a ranking is cannot be said of fewer than three systems")
    generator = np.random.default_rng(seed)
    grid = arrange(data, by_system=True)
    points = []
    for size in _sizes(most):
        drawn = [_chosen(data.rows, size, generator) for _ in range(choices if size < most else 1)]
        computed = [score_texts(rows, metrics, data.origin, jobs=jobs) for rows in drawn]
        for metric in metrics:
            scores = np.array([_system_scores(grid.columns(), *rows[metric]) for rows in computed])
            points.append((metric, size, scores))
    whole = {metric: scores[0] for metric, size, scores in points if size == most}
    return [_point(metric, size, scores, whole[metric], human) for metric, size, scores in points]


def _sizes(most: int) -> list[int]:
    """1, 2, 3, 4, 6, 8, 12, 16, … and all: where there are many references, one more changes little."""
    few = [size for power in range(12) for size in (2**power, 3 * 2**power // 2) if 0 < size < most]
    return sorted({*few, *range(1, min(most, 5)), most})


def _chosen(rows: Sequence[Observation], size: int, generator: np.random.Generator) -> list[Observation]:
    """The same random references for all outputs of an item; an item that has fewer keeps all."""
    picked: dict[tuple[str, ...], tuple[str, ...]] = {}
    keys: dict[str, tuple[str, ...]] = {}
    found = []
    for row in rows:
        if len(row.references) <= size:
            found.append(row)
            continue
        if keys.get(row.item) != row.references:
            order = sorted(generator.choice(len(row.references), size, replace=False).tolist())
            keys[row.item] = row.references
            picked[row.item, *row.references] = tuple(row.references[k] for k in order)
        found.append(replace(row, references=picked[row.item, *row.references]))
    return found


def _system_scores(columns: Sequence[NDArray[np.int64]], rows: Array, score: Any) -> Array:
    return np.array([float(score(rows[places].sum(axis=0))) for places in columns])


def _point(metric: Metric, size: int, scores: Array, whole: Array, human: Array | None) -> CurvePoint:
    sign = 1.0 if metric.direction == "higher" else -1.0
    taus = [kendall_b(row, whole) for row in scores]
    between = [kendall_b(scores[k], scores[k + 1]) for k in range(0, len(scores) - 1, 2)]
    best = np.argmax(sign * whole)
    winner = np.mean(np.argmax(sign * scores, axis=1) == best)
    related = [pearson(row, human) for row in scores] if human is not None else [math.nan]
    agreement = float(np.mean(between)) if between else math.nan
    tau, people = float(np.mean(taus)), float(np.mean(related))
    return CurvePoint(str(metric), size, tau, agreement, float(winner), people, choices=len(scores))
