"""Each judge's ratings on the judge's own scale, one rating a row: z scores, ratios to the geometric mean, min–max.

z scores are direct assessment's (Graham et al. 2013). In magnitude estimation every judge chooses the unit, so that
only ratios carry meaning: a rating over the geometric mean of all of that judge's ratings, or its logarithm (Bard,
Robertson and Sorace 1996). Judges' means are comparable only where they saw like items; `aggregate.standardise` does
the z scores of a table of items × judges.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError, first_of
from nlgauge.stats.mixed.design import Codes, factor

Scale = Literal["z", "ratio", "log-ratio", "min-max"]
SCALES: tuple[Scale, ...] = ("z", "ratio", "log-ratio", "min-max")
NEUTRAL = {"z": 0.0, "ratio": 1.0, "log-ratio": 0.0, "min-max": 0.5}  # what a judge without spread gets
MOST = 5  # names in a sentence
FEW = 5  # ratings below which a judge's own scale is barely known


@dataclass(frozen=True)
class Rescaled:
    """Rescaled ratings, row by row; `flat` are the judges with one value only, who get the scale's neutral value, and
    `few` those with fewer than five ratings, whose scale is uncertain."""

    values: Array
    scale: Scale
    flat: tuple[str, ...]
    few: tuple[str, ...]
    judges: int

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader must know."""
        out = []
        if self.flat:
            out.append(
                f"{len(self.flat)} of {self.judges} judges gave one value only and count as {NEUTRAL[self.scale]:g} "
                f"throughout ({first_of(self.flat, MOST)})"
            )
        if self.few:
            out.append(
                f"{len(self.few)} of {self.judges} judges gave fewer than {FEW} ratings, which is little to know their "
                f"scale by ({first_of(self.few, MOST)})"
            )
        return tuple(out)


def rescale(
    ratings: Sequence[float] | Array,
    judges: Sequence[Hashable],
    scale: Scale = "z",
    *,
    keep_flat: bool = True,
) -> Rescaled:
    """Put each judge's ratings on one scale; with `keep_flat=False` judges without spread become NaN."""
    values = np.asarray(ratings, dtype=np.float64)
    if scale not in SCALES:
        raise InputError(f"the scale must be one of {', '.join(SCALES)}; got {scale!r}")
    if values.ndim != 1 or not len(values) or not np.all(np.isfinite(values)):
        raise InputError("rescaling needs a flat list of finite ratings, at least one")
    who = factor("judge", judges, len(values))
    if scale.endswith("ratio") and values.min() <= 0:
        row = int(values.argmin())
        raise InputError(
            f"rating {row + 1:,} is {values[row]:g}; ratios need ratings above 0: leave it out, or shift the scale"
        )
    low = np.full(len(who), math.inf)
    high = np.full(len(who), -math.inf)
    np.minimum.at(low, who.codes, values)
    np.maximum.at(high, who.codes, values)
    flat = low == high
    count = np.bincount(who.codes, minlength=len(who))
    out = _scaled(values, who.codes, count, scale, low, high)
    out[flat[who.codes]] = NEUTRAL[scale] if keep_flat else math.nan
    named = [name for name, one in zip(who.levels, flat, strict=True) if one]
    few = [name for name, one, n in zip(who.levels, flat, count, strict=True) if n < FEW and not one]
    return Rescaled(out, scale, tuple(named), tuple(few), len(who))


def _scaled(values: Array, codes: Codes, count: Codes, scale: Scale, low: Array, high: Array) -> Array:
    if scale == "min-max":
        width = np.where(high > low, high - low, 1.0)
        return np.asarray((values - low[codes]) / width[codes])
    work = np.log(values) if scale.endswith("ratio") else values
    centred = work - (np.bincount(codes, weights=work) / count)[codes]
    if scale == "log-ratio":
        return np.asarray(centred)
    if scale == "ratio":
        return np.exp(centred)
    squares = np.bincount(codes, weights=centred**2) / np.maximum(count - 1, 1)
    spread = np.sqrt(np.where(high > low, squares, 1.0))
    return np.asarray(centred / spread[codes])
