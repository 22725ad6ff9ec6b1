"""Comparisons: several outputs of one input beside each other, and for each criterion which is better.

file            the study files: systems, criteria, ties, degrees of preference, what is shown, design
criteria        the questions as they are asked, fixed at launch
answers         preferences, ranks, best and worst: what an answer is, and the wins that it stands for
contradictions  what the keys do not allow together
layout          who sees what: the design's sheets as slots, warm-up screens
machines        machines beside people: equal preferences, the ceiling, places
check           what `study check` says of texts and design
simulation      judges who choose as Luce and Bradley and Terry say, between systems of known strength
template        the file that `study new` writes
analysis        strengths, biases, agreement, sentences
statement       what the design statement tells
protocol        all of it for the engine
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nlgauge.study.protocols.base import Protocol


def of(name: str) -> Protocol:
    """pairwise, ranking or best-worst."""
    from nlgauge.study.protocols.comparisons.protocol import FAMILY

    return FAMILY[name](name)
