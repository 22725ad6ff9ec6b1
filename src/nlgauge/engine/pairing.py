"""Systems side by side: which are compared with which, on which items, and what each paired test comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from nlgauge import stats
from nlgauge.errors import InputError, suggest
from nlgauge.metrics.base import Metric
from nlgauge.results import Comparison
from nlgauge.types import Column, EvaluationSet

Array = NDArray[np.float64]


def system_pairs(systems: Sequence[str], baseline: str | None, having: str = "") -> list[tuple[str, str]]:
    """(system, baseline) pairs to test: every two without a baseline. `having` says what the baseline must have."""
    if baseline is None:
        return stats.all_pairs(systems)
    if baseline not in systems:
        raise InputError(
            f"there is no system {baseline!r}{having} to serve as baseline; {suggest(baseline, systems)}"
        )
    return [(system, baseline) for system in systems if system != baseline]


def aligned(data: EvaluationSet, common: bool) -> list[Column]:
    """The systems' outputs for the same items; refused where some lack items, unless the `common` ones will do."""
    lacking = {name: len(data.items) - data.size(name) for name in data.systems}
    if any(lacking.values()) and not common:
        worst = max(lacking, key=lambda name: lacking[name])
        raise InputError(
            f"the systems do not have the same items ({worst!r} lacks {lacking[worst]:,} of {len(data.items):,}), so "
            "they cannot be paired; add the missing outputs, or use --common to compare on the items all have"
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
            name,
            system,
            other,
            outcome.value,
            outcome.baseline_value,
            outcome.delta,
            outcome.low,
            outcome.high,
            outcome.p,
            p_adjusted,
            test if outcome.trials else "exact",
            outcome.trials,
            outcome.n,
            direction,
            outcome.level,
        )
        for (system, other), outcome, p_adjusted in zip(pairs, outcomes, adjusted, strict=True)
    ]


def pair_remarks(
    metric: str, pairs: Sequence[tuple[str, str]], outcomes: Sequence[stats.PairedTest]
) -> list[str]:
    """Each remark on paired tests once, with the pairs it holds for where it does not hold for all."""
    found: dict[str, list[str]] = {}
    for (system, other), outcome in zip(pairs, outcomes, strict=True):
        for text in outcome.notes:
            found.setdefault(text, []).append(f"{system} against {other}")
    return [
        f"{metric}: {text}" if len(who) == len(pairs) > 1 else f"{metric}, {', '.join(who)}: {text}"
        for text, who in found.items()
    ]
