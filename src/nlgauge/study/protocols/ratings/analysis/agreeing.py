"""Agreement of a panel on a criterion: every coefficient that fits the scale, and a diagnosis where it is low.

What is judged is one output; judges who did not rate it leave a gap.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from nlgauge.agreement import Scale
from nlgauge.study.protocols.outputs.analysis.agreeing import (
    CHANCE,
    Agreeing,
    Answers,
    agreeing_on,
)
from nlgauge.study.protocols.ratings.analysis.rows import Column, Criterion

ICC = ("icc1", "icc1k", "icc2", "icc2k", "icc3", "icc3k")
FITTING: Mapping[str, tuple[str, ...]] = {
    "nominal": CHANCE,
    "ordinal": (*CHANCE, "kendall-w", "spearman", "kendall", *ICC),
    "interval": ("krippendorff", *ICC, "kendall-w", "pearson", "spearman"),
}


def agreeing(column: Column, keys: Sequence[str] = ()) -> Agreeing:
    """The agreement of a panel on one criterion, by the coefficients named or by all that fit."""
    units, judges, table = column.table()
    scale, asked = scale_of(column), column.criterion
    return agreeing_on(
        units=units,
        judges=judges,
        table=table,
        scale=scale,
        keys=keys or FITTING[scale],
        name=asked.name,
        values=asked.values,
        named=column.named,
        answers=_answers(asked),
    )


def alpha_of(column: Column) -> float:
    """Krippendorff's alpha of a column, NaN where it has no value."""
    return agreeing(column, ("krippendorff",)).alpha if len(column) else math.nan


def _answers(asked: Criterion) -> Answers:
    """What was answered, for the advice where judges use the scale differently."""
    if asked.measure:
        return "measured"
    if asked.ratios:
        return "ratios"
    return "slider" if not asked.points else "labelled" if asked.labelled else "points"


def scale_of(column: Column) -> Scale:
    """The level of measurement of a column."""
    points = column.criterion.points
    return "nominal" if points == 2 else "ordinal" if points else "interval"
