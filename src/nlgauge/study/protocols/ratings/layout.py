"""Who rates what: the sheets of the study's design as slots, one text each.

A design is an endless sequence of sheets, and late judges get those that follow, so a continuation needs nothing but
the number of slots there are.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from nlgauge.study.protocols.base import Layout
from nlgauge.study.protocols.outputs.layout import lay_out
from nlgauge.study.protocols.outputs.practice import warm_up_texts
from nlgauge.study.protocols.ratings.file import RatingStudy


def laid_out(study: RatingStudy, folder: str | Path) -> Layout:
    """The study with everything that its file left open, its texts, the slots of every panel, and the practice."""
    return lay_out(
        replace(study, asked=study.questions_asked),
        folder,
        lambda own, texts: warm_up_texts(own, own.practice, texts),
    )
