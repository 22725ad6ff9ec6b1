"""Agreement of a panel on a criterion: every coefficient that fits the scale, and a diagnosis where it is low.

What is judged is one output; judges who did not rate it leave a gap. The advice follows the reason that the diagnosis
finds likeliest (Amidei, Piwek and Willis 2018): error, guidelines, or texts that are truly ambiguous.
"""

from __future__ import annotations

from collections.abc import Mapping

from nlgauge.agreement import Scale
from nlgauge.stats.diagnosis import SCALE
from nlgauge.study.protocols.outputs.analysis.agreeing import (
    ADVICE,
    CHANCE,
    Agreeing,
    agreeing_on,
)
from nlgauge.study.protocols.ratings.analysis.rows import Column, Criterion

ICC = ("icc1", "icc1k", "icc2", "icc2k", "icc3", "icc3k")
FITTING: Mapping[str, tuple[str, ...]] = {
    "nominal": CHANCE,
    "ordinal": (*CHANCE, "kendall-w", "spearman", "kendall", *ICC),
    "interval": ("krippendorff", *ICC, "kendall-w", "pearson", "spearman"),
}


def agreeing(column: Column) -> Agreeing:
    """The agreement of a panel on one criterion."""
    units, judges, table = column.table()
    scale, asked = scale_of(column), column.criterion
    return agreeing_on(
        units,
        judges,
        table,
        scale,
        FITTING[scale],
        name=asked.name,
        values=asked.values,
        named=column.named,
        advising={**ADVICE, SCALE: _use_of_scale(asked)},
    )


def _use_of_scale(asked: Criterion) -> str:
    """What to do where judges use the scale differently, as fits the scale."""
    if asked.measure:
        return (
            "judges follow each other, but some find more than others: say in the guidelines what counts and how much, "
            "with examples, and let judges practise on them"
        )
    follow = "judges follow each other but use other parts of the scale: report standardised means beside the others"
    if asked.ratios:
        return "judges follow each other but spread their numbers more or less: show examples next time"
    if not asked.points:
        return f"{follow}, and show texts for several places of the slider next time"
    if asked.labelled:
        return f"{follow}, and show an example of each point next time"
    return f"{follow}, and give every point a label or an example next time"


def scale_of(column: Column) -> Scale:
    """The level of measurement of a column."""
    points = column.criterion.points
    return "nominal" if points == 2 else "ordinal" if points else "interval"
