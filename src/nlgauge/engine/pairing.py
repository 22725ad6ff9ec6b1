"""Systems side by side: which are compared with which, on which items, and what each paired test comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nlgauge import stats
from nlgauge.arrays import Array
from nlgauge.errors import InputError, option, suggest
from nlgauge.metrics.base import Metric
from nlgauge.results import Comparison, Ranked, Ranking
from nlgauge.stats.multiple import BONFERRONI, MAX_T, bonferroni
from nlgauge.stats.ranking import clusters_of
from nlgauge.types import Column, EvaluationSet
from nlgauge.wording.conclusion import significant
from nlgauge.wording.numbers import ALPHA

NAMED = 3  # pairs that a remark names; of more it says how many


def system_pairs(systems: Sequence[str], baseline: str | None, having: str = "") -> list[tuple[str, str]]:
    """(system, baseline) pairs to test: every two without a baseline. `having` says what the baseline must have."""
    if baseline is None:
        return stats.all_pairs(systems)
    if baseline not in systems:
        raise InputError(f"there is no system {baseline!r}{having} to serve as baseline; {suggest(baseline, systems)}")
    return [(system, baseline) for system in systems if system != baseline]


def aligned(data: EvaluationSet, common: bool) -> list[Column]:
    """The systems' outputs for the same items; refused where some lack items, unless the `common` ones will do."""
    lacking = {name: len(data.items) - data.size(name) for name in data.systems}
    if any(lacking.values()) and not common:
        worst = max(lacking, key=lambda name: lacking[name])
        raise InputError(
            f"the systems do not have the same items ({worst!r} lacks {lacking[worst]:,} of {len(data.items):,}), so "
            f"they cannot be paired; add the missing outputs, or use {option('common')} to compare on the items "
            "all have"
        )
    columns = data.aligned()
    if len(columns[0]) < 2:
        shared = "one item" if len(columns[0]) else "none"
        raise InputError(f"a paired test needs several items, but the systems share only {shared}")
    return columns


def refuse_identical(
    rows: Mapping[str, Mapping[str, Array]], chosen: Sequence[Metric], pairs: Sequence[tuple[str, str]]
) -> None:
    """Two systems with the same statistics everywhere leave nothing to test."""
    for metric in chosen:
        key = metric.rows_key()
        for system, other in pairs:
            if np.array_equal(rows[system][key], rows[other][key]):
                raise InputError(
                    f"the systems {other!r} and {system!r} have the same {metric} statistics on every segment, so "
                    "there is nothing to test; leave one of them (or the metric) out"
                )


def comparisons(
    name: str,
    pairs: Sequence[tuple[str, str]],
    outcomes: Sequence[stats.PairedTest],
    *,
    test: str,
    direction: str = "higher",
) -> list[Comparison]:
    """The tests of one metric or criterion, with Holm's correction over its pairs."""
    adjusted = stats.holm([outcome.p for outcome in outcomes]).tolist()
    return [
        Comparison(
            metric=name,
            system=system,
            baseline=other,
            value=outcome.value,
            baseline_value=outcome.baseline_value,
            delta=outcome.delta,
            low=outcome.low,
            high=outcome.high,
            p=outcome.p,
            p_adjusted=p_adjusted,
            test=test if outcome.trials else "exact",
            trials=outcome.trials,
            n=outcome.n,
            direction=direction,
            level=outcome.level,
            **_together(outcome, len(outcomes)),
        )
        for (system, other), outcome, p_adjusted in zip(pairs, outcomes, adjusted, strict=True)
    ]


def _together(outcome: stats.PairedTest, comparisons: int) -> dict[str, Any]:
    """Limits that hold for all comparisons at once; of one comparison they are its own."""
    (low, high), method = (outcome.low, outcome.high), outcome.interval_method
    if comparisons > 1 and outcome.together is not None:
        (low, high), method = outcome.together, MAX_T
    elif comparisons > 1:
        units, level = outcome.units, outcome.level
        low, high = bonferroni(outcome.delta, outcome.error, units, comparisons=comparisons, level=level)
        method = BONFERRONI
    return {"simultaneous_low": low, "simultaneous_high": high, "simultaneous_method": method}


def together_remarks(rows: Sequence[Comparison]) -> list[str]:
    """Where a test and a simultaneous interval, which are two methods, say different things of a difference."""
    found = []
    for metric in dict.fromkeys(row.metric for row in rows):
        own = [row for row in rows if row.metric == metric and abs(row.level - (1 - ALPHA)) < 1e-9]
        if len(own) < 2:
            continue
        wide = [row for row in own if significant(row) and row.simultaneous_low <= 0 <= row.simultaneous_high]
        narrow = [row for row in own if not significant(row) and not row.simultaneous_low <= 0 <= row.simultaneous_high]
        for cases, told in (
            (wide, "significant by Holm's steps, though the simultaneous interval holds 0"),
            (narrow, "not significant by Holm's steps, though the simultaneous interval leaves 0 out"),
        ):
            if cases:
                who = [f"{row.system} against {row.baseline}" for row in cases]
                found.append(f"{metric}{_where(who, len(own))}: {told}; the test decides")
    return found


def rankings(rows: Sequence[Comparison]) -> tuple[Ranking, ...]:
    """The systems in order and in clusters, by each metric of which all pairs of three or more were compared.

    Ratings of which every pair has its own items give a system several means, and so no order: they have none.
    """
    found = []
    for metric in dict.fromkeys(row.metric for row in rows):
        own = [row for row in rows if row.metric == metric]
        known = {(row.system, row.value) for row in own} | {(row.baseline, row.baseline_value) for row in own}
        values, names = (
            dict(known),
            list(dict.fromkeys(name for row in own for name in (row.baseline, row.system))),
        )
        if len(names) < max(3, len(known)) or 2 * len(own) < len(names) * (len(names) - 1):
            continue
        sign = 1.0 if own[0].direction == "higher" else -1.0
        place = {name: number for number, name in enumerate(names)}
        # clusters_of asks for p-values below alpha; who is significantly better is one rule for all that is printed
        p = np.ones((len(names), len(names)))
        for row in own:
            if significant(row):
                a, b = place[row.system], place[row.baseline]
                p[a, b] = p[b, a] = 0.0
        ranked = clusters_of(names, [sign * values[name] for name in names], p, method="").systems
        systems = tuple(
            Ranked(
                system=system.system,
                value=values[system.system],
                cluster=system.cluster,
                rank_low=system.rank_low,
                rank_high=system.rank_high,
                better_than=system.beats,
                worse_than=tuple(other.system for other in ranked if system.system in other.beats),
            )
            for system in ranked
        )
        found.append(Ranking(metric, own[0].direction, systems))
    return tuple(found)


def pair_remarks(metric: str, pairs: Sequence[tuple[str, str]], outcomes: Sequence[stats.PairedTest]) -> list[str]:
    """Each remark on paired tests once, with the pairs it holds for where it does not hold for all."""
    found: dict[str, list[str]] = {}
    for (system, other), outcome in zip(pairs, outcomes, strict=True):
        for text in outcome.notes:
            found.setdefault(text, []).append(f"{system} against {other}")
    return [f"{metric}{_where(who, len(pairs))}: {text}" for text, who in found.items()]


def _where(who: Sequence[str], pairs: int) -> str:
    """The pairs that a remark holds for: none where it holds for all, a number where they are many."""
    if len(who) == pairs > 1:
        return ""
    return f", {', '.join(who)}" if len(who) <= NAMED else f", {len(who):,} of {pairs:,} pairs"
