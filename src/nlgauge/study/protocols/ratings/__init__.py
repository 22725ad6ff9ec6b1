"""Single-text ratings: one output at a time, one question for each criterion, on points, on a slider, or yes and no.

file            the study file: systems, criteria, scale, what is shown, design
criteria        the questions as they are asked, from the catalogue or the file, fixed at launch
contradictions  what the keys do not allow together
texts           outputs with what stands beside them: source, reference, table, picture, history
layout          who sees what: the design's sheets as slots
check           what `study check` says of texts and design
simulation      judges with a bias of their own who see systems' true quality through noise
template        the file that `study new` writes
protocol        all of it for the engine
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nlgauge.study.protocols.base import Protocol


def of(name: str) -> Protocol:
    """likert, continuous or binary."""
    from nlgauge.study.protocols.ratings.protocol import Ratings

    return Ratings(name)
