"""One row per segment with its scores: what `--segments` writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.metrics.base import Metric
from nlgauge.types import Column

Array = NDArray[np.float64]


def segment_rows(column: Column, rows: Mapping[str, Array], metrics: Sequence[Metric]) -> Iterator[dict[str, Any]]:
    """Item, system and each metric's score of the segment."""
    scores = {str(metric): metric.score(rows[metric.rows_key()]).tolist() for metric in metrics}
    for number, item in enumerate(column.items):
        yield {"item": item, "system": column.system, **{name: values[number] for name, values in scores.items()}}
