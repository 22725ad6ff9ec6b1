"""Which panels of a study of outputs are machines': planned ones, and those set beside people after launch."""

from __future__ import annotations

from collections.abc import Sequence

from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.triangle.analysis.machines import machine_panels

EPSILON = {"expert": 0.2}
ELSE = 0.1  # Calderon, Reichart and Dror advise it for crowd workers; who the people are is not known


def machines_of(frozen: Frozen, study: OutputStudy, judgements: Sequence[Judgement]) -> dict[str, int]:
    """The panels of machines with the number of screens that each is to judge; those that came later only where they
    have answers."""
    planned = {name: 0 for name, panel in study.panels.items() if panel.kind == "machine"}
    for slot in frozen.slots:
        if slot.panel in planned:
            planned[slot.panel] += 1
    return planned | {panel_plan.name: panel_plan.answers for panel_plan in machine_panels(frozen, judgements)}


def measured_panels(judgements: Sequence[Judgement]) -> frozenset[str]:
    """The panels whose numbers are on a scale of the machine's own."""
    return frozenset(judgement.panel for judgement in judgements if judgement.measured)


def epsilon(study: OutputStudy, panel: str) -> float:
    """What a machine's lower cost is worth in the alternative annotator test, by who the people are."""
    found = study.panels.get(panel)
    return EPSILON.get(str(found.who), ELSE) if found is not None else ELSE
