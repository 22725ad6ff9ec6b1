"""Whether a metric can be computed on this machine: its packages, dictionaries and models may be missing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from nlgauge.errors import MissingExtra, MissingResource, NlgaugeError
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Metric

Missing = MissingExtra | MissingResource
SUBSTITUTES = {"minilm": "minilm-int8"}  # the same network in 8 bits, which needs no PyTorch


@dataclass(frozen=True)
class Runnable:
    """The metrics that can run here; by spec those that run on another model, and what the others lack."""

    metrics: tuple[Metric, ...]
    exchanged: dict[str, tuple[Metric, Missing]]
    lacking: dict[str, Missing]

    def notes(self) -> list[str]:
        """What runs in the place of what, and why."""
        return [
            f"{metric} in place of {spec}, whose model is not installed ({error.how})"
            for spec, (metric, error) in self.exchanged.items()
        ]


def missing(metric: Metric) -> Missing | None:
    """What a metric lacks on this machine, as scoring would say it; None where it can run.

    It is tried on one word: what is loaded for that serves the texts too.
    """
    if not metric.additive:
        return None
    batch = Batch(["a"], [["a"]], sources=["a"], post_edits=[["a"]], reference_weights=[[1.0]])
    try:
        fitted = metric.prepare([batch]) if metric.needs_prepare else metric
        fitted.rows(batch)
    except (MissingExtra, MissingResource) as error:
        return error
    except NlgaugeError:  # of the word, which is no table or dialogue
        return None
    return None


def runnable(metrics: Iterable[Metric]) -> Runnable:
    """Which of the metrics can run here; one whose model has a substitute runs on that."""
    found = Runnable((), {}, {})
    kept: list[Metric] = []
    for metric in metrics:
        error = missing(metric)
        other = None if error is None else _substitute(metric)
        if error is None:
            kept.append(metric)
        elif other is not None:
            found.exchanged[str(metric)] = (other, error)
            kept.append(other)
        else:
            found.lacking[str(metric)] = error
    return replace(found, metrics=tuple(dict.fromkeys(kept)))


def _substitute(metric: Metric) -> Metric | None:
    """The metric on the model that serves where its own is missing; None where there is none, or it is missing too."""
    model = SUBSTITUTES.get(getattr(metric, "model", ""))
    if model is None:
        return None
    changed: dict[str, Any] = {"model": model}
    other = replace(metric, **changed)
    return other if missing(other) is None else None
