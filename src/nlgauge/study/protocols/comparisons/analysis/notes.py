"""What must be known before the figures of comparisons are believed, as notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nlgauge.study.analysis.notes import Note, note
from nlgauge.study.protocols.comparisons.analysis.judges import Judging
from nlgauge.study.protocols.comparisons.analysis.results import Comparison
from nlgauge.study.protocols.outputs.analysis.between import Pair
from nlgauge.study.protocols.outputs.analysis.notes import alike, low_agreement, of_machine, of_panel, questions_unknown
from nlgauge.study.protocols.ratings.analysis.rows import Rated

BIASED = 0.05


def notes(
    told: Rated, found: Sequence[Comparison], judging: Sequence[Judging], criteria: Sequence[Pair]
) -> Iterator[Note]:
    """Of questions, panels, machines, models and agreement, in this order."""
    yield from questions_unknown(told.criteria)
    for group in judging:
        planned = told.planned.get(group.panel, 0)
        if group.panel in told.machines:
            yield from of_machine(group.panel, told.of(group.panel), planned)
            continue
        items = next(comparison.items for comparison in found if comparison.panel == group.panel)
        yield from of_panel(group, planned, items, "strengths")
    for comparison in found:
        panel = comparison.panel if len(judging) > 1 else ""
        yield from (said.at(comparison.criterion, panel) for said in _of_models(comparison, list(told.names.values())))
        if comparison.panel not in told.machines:
            yield from low_agreement(comparison, panel)
    yield from alike(criteria)


def _of_models(comparison: Comparison, systems: Sequence[str]) -> Iterator[Note]:
    """Systems that no answer tells of, models without strengths, places that matter, models with another order."""
    models, best = comparison.models, comparison.best.system
    missing = tuple(name for name in systems if name not in {mean.system for mean in models.means})
    if missing:
        yield note("never compared", systems=missing)
    if models.reason:
        yield note("no strengths", reason=models.reason)
    yield from (note("remark", text=text) for text in models.notes)
    if comparison.places.p < BIASED:
        yield note("places matter", places=str(comparison.places), p=comparison.places.p)
    for name, by in models.beside.items():
        strongest = max(by, key=lambda system: by[system].estimate)
        if strongest != best:
            yield note("other order", model=name, first=strongest, best=best)
