"""Which panels of a study of outputs are machines': planned ones, and those set beside people after launch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nlgauge.study.launch.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.triangle.analysis.machines import machine_panels

EPSILON = {"expert": 0.2}
ELSE = 0.1  # Calderon, Reichart and Dror advise it for crowd workers; who the people are is not known
NOT_PEOPLE = "a machine's answers are not answers of people: its panel is shown apart and never pooled with theirs"


def machines_of(frozen: Frozen, study: OutputStudy, judgements: Sequence[Judgement]) -> dict[str, int]:
    """The panels of machines with the number of screens that each is to judge; those that came later only where they
    have answers."""
    planned = {name: 0 for name, panel in study.panels.items() if panel.kind == "machine"}
    for slot in frozen.slots:
        if slot.panel in planned:
            planned[slot.panel] += 1
    return planned | {one.name: one.answers for one in machine_panels(frozen, judgements)}


def measured_panels(judgements: Sequence[Judgement]) -> frozenset[str]:
    """The panels whose numbers are on a scale of the machine's own."""
    return frozenset(one.panel for one in judgements if one.measured)


def epsilon(study: OutputStudy, panel: str) -> float:
    """What a machine's lower cost is worth in the alternative annotator test, by who the people are."""
    found = study.panels.get(panel)
    return EPSILON.get(str(found.who), ELSE) if found is not None else ELSE


def machine_warnings(
    panel: str, answers: Sequence[Judgement], planned: int, *, measured: bool = False
) -> Iterator[str]:
    """What a reader of a machine's figures must know."""
    yield f"panel {panel}: {NOT_PEOPLE}"
    judges = len({one.judge for one in answers})
    if judges > 1:
        yield f"panel {panel}: its {judges} judges are one machine asked {judges} times; limits over judges say no more"
    if measured:
        yield f"panel {panel}: its numbers are the machine's own, on no scale of the study"
    if len(answers) < planned:
        yield (
            f"panel {panel} left {planned - len(answers):,} of {planned:,} screens open: if they are harder or easier "
            "than the others, its figures are not those of all"
        )
