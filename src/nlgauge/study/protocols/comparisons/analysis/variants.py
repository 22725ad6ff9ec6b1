"""Strengths with and without the judges who are left out, side by side."""

from __future__ import annotations

from collections.abc import Mapping

from nlgauge.study.protocols.comparisons.analysis.biases import agreeing_of
from nlgauge.study.protocols.comparisons.analysis.results import Comparison
from nlgauge.study.protocols.comparisons.analysis.rows import Column, Question
from nlgauge.study.protocols.comparisons.analysis.strengths import Models, fit_column
from nlgauge.study.protocols.outputs.analysis.variants import (
    ALL,
    KEPT,
    Beside,
    Mean,
    Variant,
    out_of,
)


def beside(one: Comparison, full: Column, excluded: Mapping[str, str]) -> Beside[Question] | None:
    """Both variants of a criterion, `full` with every judge; None where nobody of the panel is left out."""
    out = out_of(full.judges, excluded)
    if not out:
        return None
    every = fit_column(full)
    shares = bool(every.reason or one.models.reason)  # what has no strengths has shares of comparisons won
    variants = (
        Variant(ALL, len(full.judges), _means(every, shares), agreeing_of(full).alpha),
        Variant(KEPT, one.judges, _means(one.models, shares), one.agreeing.alpha),
    )
    return Beside(one.panel, one.criterion, variants, out, "shares of comparisons won" if shares else "strengths")


def _means(models: Models, shares: bool) -> dict[str, Mean]:
    return {one.system: Mean(one.share) if shares else Mean(one.mean, one.low, one.high) for one in models.means}
