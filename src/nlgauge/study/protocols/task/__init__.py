"""Extrinsic evaluation: can a reader of this output answer questions about it, and how quickly?

file            the study file: outputs, questions with their key, whether the text is hidden meanwhile
questions       questions as they are asked, and which answers are right
contradictions  what the keys do not allow together
layout          outputs with the questions of their input
check           what `study check` says of questions and design
simulation      readers of known ability, questions of known difficulty
analysis        success, time, efficiency, difficulty of questions
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nlgauge.study.protocols.base import Protocol


def of(name: str) -> Protocol:
    """The protocol."""
    from nlgauge.study.protocols.task.protocol import Tasks

    return Tasks(name)
