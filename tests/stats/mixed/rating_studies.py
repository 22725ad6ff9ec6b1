"""Simulated studies with known effects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Study:
    """One rating a row."""

    y: Array
    system: NDArray[np.int64]
    judge: NDArray[np.int64]
    item: NDArray[np.int64]

    @property
    def groups(self) -> dict[str, NDArray[np.int64]]:
        return {"judge": self.judge, "item": self.item}


def study(
    seed: int,
    systems: int,
    judges: int,
    items: int,
    *,
    rows: int | None = None,
    judge: float = 0.5,
    item: float = 0.7,
    noise: float = 1.0,
    favour: float = 0.0,
    output: float = 0.0,
    step: float = 0.2,
    logistic: bool = False,
) -> Study:
    """A complete design, or `rows` ratings drawn at random; system s has mean 3 + step · s."""
    rng = np.random.default_rng(seed)
    if rows is None:
        s, j, i = (a.ravel() for a in np.indices((systems, judges, items)))
    else:
        s, j, i = (rng.integers(size, size=rows) for size in (systems, judges, items))
    y = 3 + step * s + judge * rng.normal(size=judges)[j] + item * rng.normal(size=items)[i]
    y = y + favour * rng.normal(size=(systems, judges))[s, j]
    if output:
        y = y + output * rng.normal(size=(systems, items))[s, i]
    y = y + noise * (rng.logistic(size=len(s)) if logistic else rng.normal(size=len(s)))
    return Study(y, s, j, i)
