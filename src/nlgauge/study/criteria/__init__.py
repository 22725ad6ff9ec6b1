"""What judges are asked about: a catalogue of criteria as data, with definitions, questions, scales and who may judge.

types       Scale, Wording, Criterion: small frozen values
catalogue   the criteria of the survey's section 3.2 (data/*.json): find one, all of a task, the defaults of a task
comparing   two criteria compared by definition, not by name; neighbours that anchor one another
showing     what judges must see, must not see, or must not see yet; the order that follows
entries     one's own criteria, and changes to the catalogue's, from a study file

The catalogue follows Sai, Mohankumar and Khapra (2022), section 3.2, and Belz and Reiter (2006), section 3; that
criteria must be compared by definition is the advice of Schoch, Yang and Ji (2020), section 4. Names are resolved on
first use: `entries` needs the extra `study`, the rest nothing beyond the standard library.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nlgauge.study.criteria.catalogue import criteria as criteria
    from nlgauge.study.criteria.catalogue import defaults_for as defaults_for
    from nlgauge.study.criteria.catalogue import find as find
    from nlgauge.study.criteria.catalogue import scale as scale
    from nlgauge.study.criteria.comparing import anchors as anchors
    from nlgauge.study.criteria.comparing import compare as compare
    from nlgauge.study.criteria.comparing import namesakes as namesakes
    from nlgauge.study.criteria.entries import CriterionEntry as CriterionEntry
    from nlgauge.study.criteria.entries import from_mapping as from_mapping
    from nlgauge.study.criteria.showing import conflicts as conflicts
    from nlgauge.study.criteria.showing import in_order as in_order
    from nlgauge.study.criteria.types import Criterion as Criterion
    from nlgauge.study.criteria.types import Scale as Scale
    from nlgauge.study.criteria.types import Wording as Wording
    from nlgauge.study.criteria.types import rescore as rescore

_HOME = {
    "criteria": "catalogue",
    "defaults_for": "catalogue",
    "find": "catalogue",
    "scale": "catalogue",
    "anchors": "comparing",
    "compare": "comparing",
    "namesakes": "comparing",
    "CriterionEntry": "entries",
    "from_mapping": "entries",
    "conflicts": "showing",
    "in_order": "showing",
    "Criterion": "types",
    "Scale": "types",
    "Wording": "types",
    "rescore": "types",
}
__all__ = sorted(_HOME)  # noqa: PLE0605 - the names above


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
