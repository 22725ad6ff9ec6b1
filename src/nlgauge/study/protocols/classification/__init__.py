"""Classification: which of several classes does this output belong to? One answer for each text.

file        the study file: classes, the true class of each output, and what the keys do not allow together
layout      the outputs with their true class, and who sees which
protocol    all of it for the engine; answers are those of ratings, a number for the place of the class
check       what `study check` says of truth and of the number of answers
simulation  judges of known accuracy who share what they see in a text
template    the file that `study new` writes; phrases: its wordings
analysis    accuracy against chance, confusion, d′ of two classes, agreement on the class
statement   what the design statement tells
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nlgauge.study.protocols.base import Protocol


def of(name: str) -> Protocol:
    """The protocol."""
    from nlgauge.study.protocols.classification.protocol import Classification

    return Classification(name)
