"""Who compares what: the sheets of the study's design as slots, and comparisons to warm up with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from nlgauge.study.file.places import PlacedError
from nlgauge.study.protocols.base import Layout
from nlgauge.study.protocols.comparisons.contradictions import contradictions
from nlgauge.study.protocols.comparisons.file import ComparisonStudy
from nlgauge.study.protocols.outputs.layout import lay_out
from nlgauge.study.protocols.outputs.practice import check_beside, warm_up_screens


def laid_out(study: ComparisonStudy, folder: str | Path) -> Layout:
    """The study with everything that its file left open, its texts, the slots of every panel, and the practice."""
    found = lay_out(
        replace(study, asked=study.questions_asked),
        folder,
        lambda own, texts: warm_up_screens(own, own.practice, own.per_screen, texts),
    )
    for place, message in contradictions(_comparison(found)):  # the systems may have been unknown until now
        raise PlacedError(message, place, "systems", "data")
    check_beside(found.texts)
    return found


def _comparison(found: Layout) -> ComparisonStudy:
    assert isinstance(found.study, ComparisonStudy)
    return found.study
