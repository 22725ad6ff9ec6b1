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
    from nlgauge.study.criteria.catalogue import criteria, defaults_for, find, scale
    from nlgauge.study.criteria.comparing import anchors, compare, namesakes
    from nlgauge.study.criteria.entries import CriterionEntry, from_mapping
    from nlgauge.study.criteria.showing import conflicts, in_order
    from nlgauge.study.criteria.types import Criterion, Scale, Wording, rescore

__all__ = ["Criterion", "CriterionEntry", "Scale", "Wording", "anchors", "compare", "conflicts", "criteria"]
__all__ += ["defaults_for", "find", "from_mapping", "in_order", "namesakes", "rescore", "scale"]
_HOME = {
    "catalogue": ("criteria", "defaults_for", "find", "scale"),
    "comparing": ("anchors", "compare", "namesakes"),
    "entries": ("CriterionEntry", "from_mapping"),
    "showing": ("conflicts", "in_order"),
    "types": ("Criterion", "Scale", "Wording", "rescore"),
}


def __getattr__(name: str) -> Any:
    home = next((module for module, names in _HOME.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)
