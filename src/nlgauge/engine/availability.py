"""Whether a metric can be computed on this machine: its packages, dictionaries and models may be missing."""

from __future__ import annotations

from collections.abc import Iterable

from nlgauge.errors import MissingExtra, MissingResource, NlgaugeError
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Metric

Missing = MissingExtra | MissingResource


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


def runnable(metrics: Iterable[Metric]) -> tuple[tuple[Metric, ...], dict[str, Missing]]:
    """The metrics that can run here, and by spec what the others lack."""
    kept: list[Metric] = []
    lacking: dict[str, Missing] = {}
    for metric in metrics:
        found = missing(metric)
        if found is None:
            kept.append(metric)
        else:
            lacking[str(metric)] = found
    return tuple(kept), lacking
