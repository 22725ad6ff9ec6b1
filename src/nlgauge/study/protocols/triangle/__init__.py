"""The triangle test (González Corbelle, Alonso and Bugarín 2020): three texts, of which one has another author.

file            the study file
contradictions  what its keys do not allow together
practice        triads before the first that counts
check           what `study check` says of texts and design
simulation      judges who perceive the difference or guess
protocol        all of it for the engine

Assignment, plan, give-aways and analysis are older than this folder: `study.assign`, `study.check_plan`,
`study.giveaways`, `study.wordings`, `study.template` and `study.analysis` belong to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nlgauge.study.protocols.base import Protocol


def of(name: str) -> Protocol:
    """The protocol."""
    from nlgauge.study.protocols.triangle.protocol import Triangle

    return Triangle(name)
