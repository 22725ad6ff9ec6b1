"""What a machine is shown, and what it answers.

A machine sees what stands on a person's screen and nothing else: no subject, no id of a text or input, no triad.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from nlgauge.study.types import Text


@dataclass(frozen=True)
class Shown:
    """One of the three texts as shown."""

    text: str
    caption: str = ""
    context: str = ""


@dataclass(frozen=True)
class Sheet:
    """Three texts in screen order."""

    texts: tuple[Shown, ...]

    @classmethod
    def of(cls, texts: Sequence[Text]) -> Sheet:
        """What of these texts may be shown to a machine. Pictures are not sent."""
        return cls(tuple(Shown(one.text, one.caption, one.context) for one in texts))


@dataclass(frozen=True)
class Choice:
    """A machine's answer: the position chosen, or None and why there is none."""

    answer: int | None
    client: str  # which machine, kept with the judgement
    reason: str = ""
    tied: bool = False  # several texts were as good, and one of them was drawn
    why_not: str = ""  # refused, unreadable
    replies: tuple[Mapping[str, Any], ...] = ()  # as they came, for the log


class Judge(Protocol):
    """A machine that can take part in a study."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """What makes it this judge: a panel is answered with one set of settings from beginning to end."""

    @property
    def circumstances(self) -> Mapping[str, Any]:
        """What else is worth keeping of a run: addresses, versions, the prompt in full."""

    @property
    def side_by_side(self) -> int:
        """How many sheets it can be asked about at the same time."""

    def prepare(self, texts: Sequence[str]) -> None:
        """All distinct texts of the panel, before the first sheet."""

    def decide(self, sheet: Sheet) -> Choice:
        """The text that was written by the other author."""
