"""Rows of the compiled kernels beside those of their plain twins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nlgauge import kernels
from nlgauge.metrics.base import Metric

Array = NDArray[np.float64]


def rows_of_both(
    metric: Metric, hypotheses: list[str], references: list[list[str]], jobs: int = 1
) -> tuple[Array, Array]:
    """Of the compiled kernels, on so many threads, and of the plain ones."""
    with kernels.use("native"):
        compiled = metric.corpus_rows(hypotheses, references, jobs=jobs)
    with kernels.use("python"):
        return compiled, metric.corpus_rows(hypotheses, references)
