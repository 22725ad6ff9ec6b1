"""A finding of `check`: something to mend, to weigh or to know, with its place and its figures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from nlgauge.jsonable import Jsonable

SEVERITIES = ("error", "risk", "note")


@dataclass(frozen=True)
class Finding(Jsonable):
    """Something to mend (error), to weigh (risk) or to know (note)."""

    KEYS = "severity, kind, line, message, figures"

    severity: str
    kind: str
    message: str
    line: int = 0  # of the study file; 0: none in particular
    figures: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        place = f" (line {self.line})" if self.line else ""
        return f"{self.severity}{place}: {self.message}"
