"""nlgauge: evaluate natural-language-generation systems and say what may be concluded.

Importing the package loads nothing heavy; the names below are resolved on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from nlgauge import humans as humans
    from nlgauge import metrics as metrics
    from nlgauge import presets as presets
    from nlgauge import study as study
    from nlgauge import triangle as triangle
    from nlgauge.agreement import aggregate as aggregate
    from nlgauge.agreement import agree as agree
    from nlgauge.api import compare as compare
    from nlgauge.api import load as load
    from nlgauge.api import score as score
    from nlgauge.errors import InputError as InputError
    from nlgauge.errors import MissingExtra as MissingExtra
    from nlgauge.errors import MissingResource as MissingResource
    from nlgauge.errors import NlgaugeError as NlgaugeError
    from nlgauge.errors import SpecError as SpecError
    from nlgauge.explaining import explain as explain
    from nlgauge.judging.judge import judge as judge
    from nlgauge.meta.adversarial.search import attack as attack
    from nlgauge.meta.evaluate import meta_evaluate as meta_evaluate
    from nlgauge.meta.tuning import tune as tune
    from nlgauge.metrics.base import Metric as Metric
    from nlgauge.metrics.base import option as option
    from nlgauge.metrics.spec import parse as parse
    from nlgauge.skill import rate as rate
    from nlgauge.training.run import train as train
    from nlgauge.types import EvaluationSet as EvaluationSet

    metric = parse

_HOMES = {
    "aggregate": "nlgauge.agreement",
    "agree": "nlgauge.agreement",
    "compare": "nlgauge.api",
    "load": "nlgauge.api",
    "score": "nlgauge.api",
    "explain": "nlgauge.explaining",
    "humans": "nlgauge.humans",
    "judge": "nlgauge.judging.judge",
    "attack": "nlgauge.meta.adversarial.search",
    "meta_evaluate": "nlgauge.meta.evaluate",
    "presets": "nlgauge.presets",
    "rate": "nlgauge.skill",
    "EvaluationSet": "nlgauge.types",
    "InputError": "nlgauge.errors",
    "MissingExtra": "nlgauge.errors",
    "MissingResource": "nlgauge.errors",
    "NlgaugeError": "nlgauge.errors",
    "SpecError": "nlgauge.errors",
    "metric": "nlgauge.metrics.spec",
    "metrics": "nlgauge.metrics",
    "Metric": "nlgauge.metrics.base",
    "option": "nlgauge.metrics.base",
    "parse": "nlgauge.metrics.spec",
    "study": "nlgauge.study",
    "train": "nlgauge.training.run",
    "triangle": "nlgauge.triangle",
    "tune": "nlgauge.meta.tuning",
}
_CALLED = {"metric": "parse"}
__all__ = ["__version__", *_HOMES]  # noqa: PLE0604 - the keys are strings


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'nlgauge' has no attribute {name!r}")
    home = import_module(_HOMES[name])
    return home if home.__name__ == f"nlgauge.{name}" else getattr(home, _CALLED.get(name, name))


def __dir__() -> list[str]:
    return sorted(__all__)
