"""The least-squares line through points, with the band in which the true line lies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


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
