"""Magnitude estimation: any number above 0, in proportion to a standard or to the judge's own first number.

magnitude is asked about one output at a time (Bard, Robertson and Sorace 1996); rankme about several outputs of one
input on a screen, for one criterion at a time, so that numbers give a ranking too (Novikova, Dušek and Rieser 2018).

file            the study files: systems, criteria, the standard, what is shown, design
criteria        the questions as they are asked, fixed at launch
answers         numbers as they are typed and stored
contradictions  what the keys do not allow together
layout          who sees what: the design's sheets as slots
check           what `study check` says of texts and design
simulation      judges with a unit of their own who see systems' true ratios through noise
template        the files that `study new` writes
protocol        all of it for the engine
statement       what they tell for the design statement
analysis        logarithms, then as ratings; the ranking that the numbers imply
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nlgauge.study.protocols.base import Protocol


def of(name: str) -> Protocol:
    """magnitude or rankme."""
    from nlgauge.study.protocols.magnitudes.protocol import FAMILY

    return FAMILY[name](name)
