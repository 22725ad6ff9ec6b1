"""Who gives numbers for what: the sheets of the study's design as slots, and texts or screens to warm up with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from nlgauge.study.file.places import PlacedError
from nlgauge.study.protocols.base import Layout
from nlgauge.study.protocols.magnitudes.contradictions import contradictions
from nlgauge.study.protocols.magnitudes.file import EstimationStudy, MagnitudeStudy, estimation_study
from nlgauge.study.protocols.outputs.layout import lay_out
from nlgauge.study.protocols.outputs.parts import plain_texts
from nlgauge.study.protocols.outputs.practice import check_beside, warm_up_screens, warm_up_texts


def laid_out(study: EstimationStudy, folder: str | Path) -> Layout:
    """The study with everything that its file left open, its texts, the slots of every panel, and the practice."""
    fixed = replace(study, asked=study.questions_asked)
    if isinstance(study, MagnitudeStudy):
        return lay_out(fixed, folder, lambda own, texts: warm_up_texts(own, own.practice, texts))
    found = lay_out(fixed, folder, lambda own, texts: warm_up_screens(own, own.practice, own.per_screen, texts))
    for place, message in contradictions(estimation_study(found.study)):  # systems may have been unknown
        raise PlacedError(message, place, "systems", "data")
    check_beside(plain_texts(found.texts))
    return found
