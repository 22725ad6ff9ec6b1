"""The metrics: one file each, found by name through `nlgauge.metrics.registry`; their classes can be had from here.

>>> from nlgauge.metrics import Bleu
>>> str(Bleu(tok="intl"))
'bleu(tok=intl)'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nlgauge.metrics.base import Metric


def __getattr__(name: str) -> type[Metric]:
    from nlgauge.metrics.registry import classes, load

    known = classes()
    if name not in known:
        raise AttributeError(f"there is no class {name!r} in nlgauge.metrics; nlgauge list shows all metrics")
    return load(known[name])


def __dir__() -> list[str]:
    from nlgauge.metrics.registry import classes

    return sorted(classes())
