"""Two regressions with limits.

The least-squares line through points, with the band in which the true line lies.

Logistic regression without an intercept, with limits that allow for clusters (sandwich of their scores).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from nlgauge.arrays import Array
from nlgauge.stats.draws import cluster_codes
from nlgauge.stats.limits import check_level
from nlgauge.stats.results import Estimate


@dataclass(frozen=True)
class Line:
    """y = `middle` + `slope` (x - `centre`); the band is for each x alone, and points are taken as independent."""

    slope: float
    centre: float
    middle: float
    n: int
    spread: float  # sum of squares of x about the centre
    error: float  # standard deviation of points about the line
    level: float

    def at(self, x: float) -> tuple[float, float, float]:
        """The lower limit, the line and the upper limit."""
        from scipy.special import stdtrit

        value = self.middle + self.slope * (x - self.centre)
        reach = float(stdtrit(self.n - 2, 0.5 + self.level / 2)) * self.error
        reach *= math.sqrt(1 / self.n + (x - self.centre) ** 2 / self.spread)
        return value - reach, value, value + reach


def least_squares(x: Sequence[float], y: Sequence[float], *, level: float = 0.95) -> Line | None:
    """The line, from the points that have both numbers; none through fewer than three, or where all x are the same."""
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    known = np.isfinite(a) & np.isfinite(b)
    a, b = a[known], b[known]
    n = len(a)
    if n < 3 or np.ptp(a) <= 1e-12 * np.abs(a).max():
        return None
    across, upwards = a - a.mean(), b - b.mean()
    spread = float(across @ across)
    slope = float(across @ upwards) / spread
    error = math.sqrt(float(np.sum((upwards - slope * across) ** 2)) / (n - 2))
    return Line(
        slope=slope, centre=float(a.mean()), middle=float(b.mean()), n=n, spread=spread, error=error, level=level
    )


STEPS = 50
FAR = 12.0  # log odds beyond which the outcomes are taken to be separated


def logistic(
    outcomes: Array,
    columns: Array,
    clusters: Sequence[Hashable],
    *,
    names: Sequence[str],
    level: float = 0.95,
) -> tuple[Estimate, ...] | None:
    """Log odds by column, P(outcome 1) = 1 / (1 + exp(−x β)); None where the outcomes do not determine them.

    Limits are those of Student's t over clusters, with the usual factor m / (m − 1).
    """
    from scipy.stats import t

    check_level(level)
    y, x = np.asarray(outcomes, dtype=np.float64), np.asarray(columns, dtype=np.float64)
    if not len(y) or np.linalg.matrix_rank(x) < x.shape[1]:
        return None
    found = np.zeros(x.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-x @ found))
        curvature = (x * (chance * (1 - chance))[:, None]).T @ x
        try:
            step = np.linalg.solve(curvature, x.T @ (y - chance))
        except np.linalg.LinAlgError:
            return None
        found = found + step
        if not np.isfinite(found).all() or np.abs(found).max() > FAR:
            return None
        if np.abs(step).max() < 1e-10:
            break
    chance = 1 / (1 + np.exp(-x @ found))
    codes = cluster_codes(clusters, len(y))
    size = int(codes.max()) + 1
    if size < 2:
        return None
    sums = np.zeros((size, x.shape[1]))
    np.add.at(sums, codes, x * (y - chance)[:, None])
    bread = np.linalg.inv((x * (chance * (1 - chance))[:, None]).T @ x)
    errors = np.sqrt(np.diag(bread @ (sums.T @ sums) @ bread) * size / (size - 1))
    reach = float(t.ppf((1 + level) / 2, size - 1))
    method = f"logistic regression, sandwich over {size:,} clusters, Student's t"
    return tuple(
        Estimate(float(b), float(b - reach * e), float(b + reach * e), level, method, len(y), name=name)
        for b, e, name in zip(found, errors, names, strict=True)
        if math.isfinite(e)
    )
