"""What the questions of all studies of outputs have in common."""

from __future__ import annotations

from typing import Protocol

from nlgauge.study.fields import Words

UNKNOWN = "question wording unknown"
"""What is said wherever a result is shown whose question nobody knows."""


class Worded(Protocol):
    """What the questions of ratings and comparisons have in common."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def question(self) -> Words: ...
    @property
    def definition(self) -> str: ...
    @property
    def mark(self) -> str: ...
    @property
    def shown(self) -> tuple[str, ...]: ...
    @property
    def withheld(self) -> tuple[str, ...]: ...
