"""The means of ratings in all variants (`outputs.analysis.variants`): with and without judges, and with weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from nlgauge.errors import InputError
from nlgauge.stats.judge_weights import record_weights, weighted_system_means
from nlgauge.stats.results import Estimate
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.outputs.analysis.results import OfCriterion
from nlgauge.study.protocols.outputs.analysis.variants import (
    ALL,
    CAREFUL,
    KEPT,
    Beside,
    Mean,
    Variant,
    out_of,
)
from nlgauge.study.protocols.ratings.analysis.agreeing import alpha_of
from nlgauge.study.protocols.ratings.analysis.judges import Judging
from nlgauge.study.protocols.ratings.analysis.models import Models, fit
from nlgauge.study.protocols.ratings.analysis.rows import Column, Criterion, sort_out
from nlgauge.study.service.quality import Record

PRECISE, RECORD = "weighted by precision", "weighted by record"


def beside(
    column: Column, found: OfCriterion, group: Judging, excluded: Mapping[str, str], records: Mapping[str, Record]
) -> Beside[Criterion]:
    """All variants of a criterion; `column` holds every judge, `found` is without those left out."""
    out, asked = out_of(column.judges, excluded), column.criterion
    kept = column.without(out)
    variants = [_of_models(KEPT if out else ALL, kept, found.models, found.agreeing.alpha)]
    if out:
        variants.insert(0, _of_models(ALL, column, fit(column, means_only=True), alpha_of(column)))
    if set(group.failed) - set(out) and asked.id in group.without:
        rest = kept.without(group.failed)
        variants.append(_of_models(CAREFUL, rest, group.without[asked.id], alpha_of(rest)))
    for name, weighted in ((PRECISE, group.weighted.get(asked.id)), (RECORD, _by_record(kept, records))):
        if weighted is not None:
            means = {system: Mean(*asked.within(one.estimate, one.low, one.high)) for system, one in weighted.items()}
            variants.append(Variant(name, len(set(kept.judges)), means))
    what = ("ratios" if asked.by_judge else "geometric means") if asked.ratios else "means"
    return Beside(panel=column.panel, criterion=asked, variants=tuple(variants), left_out=out, what=what)


def _of_models(name: str, column: Column, models: Models, alpha: float) -> Variant:
    means = {
        of.system: Mean(of.mean, of.low, of.high) if of.exact is None else Mean(of.raw, *of.exact)
        for of in models.means
    }
    return Variant(name, len(set(column.judges)), means, alpha)


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
    return ", ".join(f"{name} {mean:.2f}" for name, mean in sorted(column.means().items(), key=lambda one: -one[1]))
