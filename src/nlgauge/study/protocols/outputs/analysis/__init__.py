"""What analyses of ratings and comparisons share.

rows        which answers count
agreeing    coefficients of agreement, and a diagnosis where they are low
between     panels against panels, criteria against criteria
variants    figures with and without judges, side by side
results     everything as one value
wordings    whether one wording of a question gets other answers than another
notes       what must be known before figures are believed
reading     judgements from a folder or an exported file
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from nlgauge.errors import InputError
from nlgauge.study.model import Judgement


class Planned(Protocol):
    """Answers beside how many were planned."""

    @property
    def panels(self) -> tuple[str, ...]:
        """The panels."""
        ...

    @property
    def planned(self) -> Mapping[str, int]:
        """Answers planned of each panel."""
        ...

    @property
    def machines(self) -> frozenset[str]:
        """The panels of machines, which wait for nobody."""
        ...

    def of(self, panel: str) -> tuple[Judgement, ...]:
        """The answers of one panel."""
        ...


def refuse_peeking(rated: Planned) -> None:
    """Refuse an analysis before the planned answers are there."""
    waiting = next((name for name in rated.panels if name in rated.machines and rated.of(name)), "")
    hint = f"; a machine may be looked at meanwhile: --panel {waiting}" if waiting else ""
    for name in rated.panels:
        if name in rated.machines:
            continue
        done, planned = len(rated.of(name)), rated.planned[name]
        if done < planned:
            raise InputError(
                f"panel {name!r} has {done:,} of {planned:,} planned answers: a study with a fixed number may be "
                "looked at only when it is complete, because stopping or going on in view of the result multiplies the "
                "risk of a wrong conclusion; wait for the rest, or close the study for good (nlgauge study close) and "
                f"analyse it as it is{hint}"
            )
