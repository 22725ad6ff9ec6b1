"""Judgements as arrays (items, judges), NaN where a judge did not see the item: what several modules need of them."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError

Pairing = Literal["items", "judges"]
Unit = Literal["items", "judgements"]


def judged_items(values: Array) -> NDArray[np.bool_]:
    """Which items have at least one judgement."""
    return np.asarray(np.isfinite(values).any(axis=1))


def item_means(values: Array) -> Array:
    """Each item's mean over whoever judged it, NaN for items nobody judged."""
    seen = np.isfinite(values)
    counts = seen.sum(axis=1)
    sums = np.where(seen, values, 0.0).sum(axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def matched_sides(system: Array, baseline: Array, pairing: Pairing, unit: Unit) -> tuple[Array, Array]:
    """Both sides as (items, judges); judgements without a partner become NaN where pairs of them are asked for."""
    if pairing not in ("items", "judges"):
        raise InputError(f"the pairing must be items or judges; got {pairing!r}")
    if unit not in ("items", "judgements"):
        raise InputError(f"the unit must be items or judgements; got {unit!r}")
    a, b = (
        values[:, None] if values.ndim == 1 else values
        for values in (np.asarray(side, dtype=np.float64) for side in (system, baseline))
    )
    if a.ndim != 2 or b.ndim != 2 or len(a) != len(b):
        raise InputError(
            "the ratings of two systems must be arrays (items, judges) over the same items, in one order; got "
            f"shapes {np.shape(system)} and {np.shape(baseline)}"
        )
    if np.isinf(a).any() or np.isinf(b).any():
        raise InputError("a rating is infinite; ratings must be finite numbers, NaN where there is none")
    if pairing == "judges" or unit == "judgements":
        if a.shape != b.shape:
            raise InputError(
                "pairs of judgements need the same judges in the same columns; got "
                f"{a.shape[1]} and {b.shape[1]} columns"
            )
        both = np.isfinite(a) & np.isfinite(b)
        a, b = np.where(both, a, np.nan), np.where(both, b, np.nan)
    return a, b
