"""The means of ratings in all variants (`outputs.analysis.variants`): with and without judges, and with weights."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from nlgauge.agreement import agree
from nlgauge.errors import InputError
from nlgauge.io.judgements import Judgements
from nlgauge.stats.judge_weights import record_weights, weighted_system_means
from nlgauge.stats.results import Estimate
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.outputs.analysis.agreeing import Agreeing
from nlgauge.study.protocols.outputs.analysis.variants import (
    ALL,
    CAREFUL,
    KEPT,
    Beside,
    Mean,
    Variant,
    out_of,
)
from nlgauge.study.protocols.ratings.analysis.agreeing import scale_of
from nlgauge.study.protocols.ratings.analysis.judges import Judging
from nlgauge.study.protocols.ratings.analysis.models import Models, fit
from nlgauge.study.protocols.ratings.analysis.rows import Column, Criterion, sort_out
from nlgauge.study.service.quality import Record

PRECISE, RECORD = "weighted by precision", "weighted by record"


def beside(
    column: Column,
    models: Models,
    agreeing: Agreeing,
    group: Judging,
    excluded: Mapping[str, str],
    records: Mapping[str, Record],
) -> Beside[Criterion]:
    """All variants of a criterion; `column` holds every judge, `models` and `agreeing` are without those left out."""
    out = out_of(column.judges, excluded)
    kept = column.without(out)
    main = _of_models(KEPT if out else ALL, kept, models, agreeing.alpha)
    found = [_of_models(ALL, column, fit(column, means_only=True), alpha_of(column)), main] if out else [main]
    failed = set(group.failed) - set(out)
    careful = group.without.get(column.criterion.id)
    if failed and careful is not None:
        rest = kept.without(group.failed)
        found.append(_of_models(CAREFUL, rest, careful, alpha_of(rest)))
    precise = group.weighted.get(column.criterion.id)
    if precise is not None:
        found.append(_of_estimates(PRECISE, kept, precise))
    weighted = _by_record(kept, records)
    if weighted is not None:
        found.append(_of_estimates(RECORD, kept, weighted))
    asked = column.criterion
    what = ("ratios" if asked.by_judge else "geometric means") if asked.ratios else "means"
    return Beside(panel=column.panel, criterion=asked, variants=tuple(found), left_out=out, what=what)


def _of_models(name: str, column: Column, models: Models, alpha: float) -> Variant:
    binary = column.criterion.points == 2
    means = {}
    for system_mean in models.means:
        low, high = (
            system_mean.exact if binary and system_mean.exact is not None else (system_mean.low, system_mean.high)
        )
        means[system_mean.system] = Mean(system_mean.raw if binary else system_mean.mean, low, high)
    return Variant(name, len(set(column.judges)), means, alpha)


def _of_estimates(name: str, column: Column, found: Mapping[str, Estimate]) -> Variant:
    within = column.criterion.within
    means = {system: Mean(*within(one.estimate, one.low, one.high)) for system, one in found.items()}
    return Variant(name, len(set(column.judges)), means)


def _by_record(column: Column, records: Mapping[str, Record]) -> dict[str, Estimate] | None:
    """Means weighted by log odds of past right answers; who has no record weighs as the middle one of the others."""
    own = {judge: records[judge] for judge in set(column.judges) if judge in records}
    if not own:
        return None
    try:
        weights = record_weights(
            {judge: one.right for judge, one in own.items()}, {judge: one.asked for judge, one in own.items()}
        )
        usual = float(np.median(list(weights.values())))
        every = {judge: weights.get(judge, usual) for judge in set(column.judges)}
        return weighted_system_means(
            ratings=column.values, systems=column.systems, items=column.items, judges=column.judges, weights=every
        )
    except InputError:
        return None


def alpha_of(column: Column) -> float:
    """Krippendorff's alpha of a column, NaN where it has no value."""
    if not len(column):
        return math.nan
    outputs, judges, table = column.table()
    cells = [[None if math.isnan(value) else value for value in row] for row in table.tolist()]
    given = Judgements(
        items=tuple(outputs),
        judges=tuple(judges),
        values=cells,
        origin="the study",
        criterion=column.criterion.name,
        unit="outputs",
    )
    try:
        found = agree(
            given,
            scale=scale_of(column),
            coefficients=("krippendorff",),
            categories=column.criterion.values or None,
        )
        return float(found["krippendorff"].estimate)
    except InputError:
        return math.nan


def plain_means(frozen: Frozen, judgements: Sequence[Judgement], excluded: Mapping[str, str]) -> str:
    """Plain means of all judges and without those left out, for the statement."""
    rated = sort_out(frozen, judgements)
    said = []
    for panel in rated.panels:
        for asked in rated.criteria:
            column = rated.column(asked, panel)
            kept = column.without(excluded)
            if len(kept) and len(kept) < len(column):
                where = f"{asked.name}, panel {panel}" if len(rated.panels) > 1 else asked.name
                said.append(
                    f"{where}: all {len(set(column.judges))} judges {_plain(column)}; without those left out "
                    f"{_plain(kept)}"
                )
    return ". ".join(said)


def _plain(column: Column) -> str:
    by_system: dict[str, list[float]] = {}
    for system, value in zip(column.systems, column.values.tolist(), strict=True):
        by_system.setdefault(system, []).append(value)
    means = {system: float(np.mean(values)) for system, values in by_system.items()}
    return ", ".join(f"{name} {mean:.2f}" for name, mean in sorted(means.items(), key=lambda one: -one[1]))
