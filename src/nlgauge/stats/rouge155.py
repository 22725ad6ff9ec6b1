"""The confidence intervals that ROUGE-1.5.5 prints, to the digit.

The program draws as many documents as there are, with replacement, 1,000 times, and seeds its generator with the
number of the draw. It prints the mean of these means (not the mean of the documents) and the ends of their middle
95 %. The generator is the 48-bit linear congruential one of drand48, which Perl has used on every platform since
version 5.20. For intervals of other metrics, and for comparisons, use `nlgauge.stats.resample`: seeds that follow one
another make draws that resemble one another, which a few documents show.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nlgauge.errors import InputError
from nlgauge.stats import limits
from nlgauge.stats.results import Interval

_FACTOR, _STEP, _BITS = 0x5DEECE66D, 0xB, 48


def bootstrap(scores: ArrayLike, *, level: float = 0.95, samples: int = 1000) -> Interval:
    """The average and interval of the documents' scores, given in the order of the program's list of files.

    The program rounds each document's score to five decimals first; round them for the same last digit.
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise InputError("the bootstrap of ROUGE-1.5.5 takes a list of scores, one for each document, at least one")
    if not np.isfinite(values).all():
        raise InputError("the bootstrap of ROUGE-1.5.5 takes finite scores; one of those given is not")
    limits.check_level(level)
    limits.check_interval_draws(samples)
    means = np.sort(_means(values[_as_text(len(values))], samples))
    outside = samples * (1 - level) / 2
    upper, lower = int(samples - outside - 1), int(outside)
    part = samples - outside - 1 - upper
    mean = float(np.cumsum(means)[-1] / samples)  # added one by one, as the program does
    return Interval(
        estimate=mean,
        low=_between(means, lower, part),
        high=_between(means, upper, part),
        level=level,
        method="bootstrap of ROUGE-1.5.5",
        n=len(values),
        trials=samples,
        seed=0,
        mean=mean,
    )


def _as_text(n: int) -> NDArray[np.int64]:
    """The program sorts documents by their numbers as text: 1, 10, 11, 2."""
    return np.array(sorted(range(n), key=lambda place: f"{place + 1}."), dtype=np.int64)


def _means(values: NDArray[np.float64], samples: int) -> NDArray[np.float64]:
    """The mean of each sample; sample i is drawn by Perl's generator seeded with i."""
    mask = np.uint64((1 << _BITS) - 1)
    state = (np.arange(samples, dtype=np.uint64) << np.uint64(16)) + np.uint64(0x330E)
    total = np.zeros(samples)
    for _ in range(len(values)):
        state = (state * np.uint64(_FACTOR) + np.uint64(_STEP)) & mask
        total += values[(state / 2.0**_BITS * len(values)).astype(np.int64)]
    return total / len(values)


def _between(means: NDArray[np.float64], place: int, part: float) -> float:
    above = means[min(place + 1, len(means) - 1)]
    return float(means[place] + (above - means[place]) * part)
