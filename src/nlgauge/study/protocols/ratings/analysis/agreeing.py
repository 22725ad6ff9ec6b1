"""Agreement of a panel on a criterion: every coefficient that fits the scale, and a diagnosis where it is low.

What is judged is one output; judges who did not rate it leave a gap. The advice follows the reason that the diagnosis
finds likeliest (Amidei, Piwek and Willis 2018): error, guidelines, or texts that are truly ambiguous.
"""

from __future__ import annotations

from collections.abc import Mapping

from nlgauge.agreement import Scale
from nlgauge.study.protocols.outputs.analysis.agreeing import (
    CHANCE,
    Agreeing,
    agreeing_on,
)
from nlgauge.study.protocols.ratings.analysis.rows import Column

ICC = ("icc1", "icc1k", "icc2", "icc2k", "icc3", "icc3k")
FITTING: Mapping[str, tuple[str, ...]] = {
    "nominal": CHANCE,
    "ordinal": (*CHANCE, "kendall-w", "spearman", "kendall", *ICC),
    "interval": ("krippendorff", *ICC, "kendall-w", "pearson", "spearman"),
}


def agreeing(column: Column) -> Agreeing:
    """The agreement of a panel on one criterion."""
    units, judges, table = column.table()
    scale, asked = _scale(column), column.criterion
    return agreeing_on(units, judges, table, scale, FITTING[scale], name=asked.name, values=asked.values)


def _scale(column: Column) -> Scale:
    points = column.criterion.points
    return "nominal" if points == 2 else "ordinal" if points else "interval"
