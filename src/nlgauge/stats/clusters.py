"""Sums of rows by cluster: the unit that is drawn, swapped or left out where segments belong together.

Sentences of one document, or questions about one table, succeed and fail together; an interval that draws them one by
one is too narrow. Because a score is a function of summed rows, drawing whole clusters is the ordinary bootstrap over
the clusters' sums (Davison and Hinkley 1997, section 3.8; Field and Welsh 2007), and swapping whole clusters is the
ordinary randomisation test over them: `resample` does both once `cluster_sums` has been applied.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError


def cluster_codes(labels: Sequence[Hashable], n: int) -> NDArray[np.intp]:
    """For each segment the number of its cluster; clusters are numbered by first appearance."""
    if len(labels) != n:
        raise InputError(f"one cluster label per segment is needed: got {len(labels):,} labels for {n:,} segments")
    numbers: dict[Hashable, int] = {}
    for place, label in enumerate(labels):
        if label is None or (isinstance(label, float) and math.isnan(label)):  # unknown is not a cluster
            raise InputError(f"segment {place} has no cluster label; give one to every segment, or leave it out")
        numbers.setdefault(label, len(numbers))
    if len(numbers) < 2:
        raise InputError(
            f"all {n:,} segments belong to one cluster ({labels[0]!r}), so there is nothing to draw; "
            "choose labels that tell at least two clusters apart"
        )
    return np.fromiter((numbers[label] for label in labels), dtype=np.intp, count=n)


def cluster_sums(rows: Array, labels: Sequence[Hashable]) -> Array:
    """The rows summed within each cluster: (clusters, k), in the order of first appearance."""
    values = np.asarray(rows, dtype=np.float64)
    if values.ndim != 2:
        raise InputError(f"rows must have two dimensions, (segments, statistics); got {values.ndim}")
    codes = cluster_codes(labels, len(values))
    sums = np.zeros((int(codes.max()) + 1, values.shape[1]))
    np.add.at(sums, codes, values)
    return sums
