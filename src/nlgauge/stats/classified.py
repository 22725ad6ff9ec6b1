"""Answers of classes against the true ones, several judges for one output: a test of guessing, and d′ of two classes.

Judges of one output see the same, so their answers are not independent, and an output is what is drawn. Limits and
tests here take outputs as the sample and these judges as given, as those of `stats.agreement` do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.options import DEFAULT_SEED
from nlgauge.stats.discrimination.yes_no import a_not_a
from nlgauge.stats.results import Estimate

Codes = NDArray[np.int64]
TRIALS = 9_999  # permutations
DRAWS = 2_000
_PIECE = 4_000_000  # numbers that are permuted at once


def guessing_test(answers: Array, truths: Codes, *, seed: int = DEFAULT_SEED, trials: int = TRIALS) -> float:
    """p of no relation between answers and truth, one-sided: true classes are permuted over the outputs.

    `answers` counts the answers of each class about each output (outputs × classes), so that judges of one output stay
    together, whichever classes they prefer and however many outputs each class has. The level is kept exactly; p is
    (1 + permutations with as many right answers) / (1 + `trials`). NaN where all outputs are of one class.
    """
    if answers.ndim != 2 or truths.shape != (len(answers),):
        raise InputError(f"{len(truths)} true classes for a table of shape {answers.shape}; give one for each row")
    if len(np.unique(truths)) < 2:
        return math.nan
    rows = np.arange(len(truths))
    right = float(answers[rows, truths].sum())
    rng, met = np.random.default_rng(seed), 0
    for start in range(0, trials, step := max(1, _PIECE // len(truths))):
        drawn = rng.permuted(np.tile(truths, (min(step, trials - start), 1)), axis=1)
        met += int((answers[rows, drawn].sum(axis=1) >= right - 1e-9).sum())
    return (1 + met) / (1 + trials)


@dataclass(frozen=True)
class Sensitivity:
    """How well two classes are told apart, whatever the preference for one of them."""

    d_prime: Estimate
    criterion: float  # above 0: the first class is named too seldom
    hits: float  # share of outputs of the first class that are called it
    false_alarms: float  # of the others


def sensitivity(answers: Array, truths: Codes, *, level: float = 0.95, seed: int = DEFAULT_SEED) -> Sensitivity:
    """d′ = Φ⁻¹(hits) − Φ⁻¹(false alarms) and c = −(Φ⁻¹(hits) + Φ⁻¹(false alarms)) / 2; the first class is the signal.

    Where each output was judged once the limits are those of an A-not-A test (profile likelihood); else outputs are
    drawn, each with all its answers, within their true class. Refused without outputs of both classes.
    """
    from scipy.special import ndtri

    if answers.shape != (len(truths), 2) or set(truths.tolist()) != {0, 1}:
        raise InputError("d′ needs two classes, with outputs of both")
    parts = [answers[truths == place] for place in (0, 1)]
    hits, false = (float(part[:, 0].sum() / part.sum()) for part in parts)
    z_hits, z_false = float(ndtri(hits)), float(ndtri(false))
    d, criterion = z_hits - z_false, -(z_hits + z_false) / 2
    n = int(answers.sum())
    if answers.sum(axis=1).max() <= 1:
        (x1, n1), (x2, n2) = ((int(part[:, 0].sum()), int(part.sum())) for part in parts)
        found = a_not_a(x1, n1, x2, n2, level=level).d_prime
        low, high, method = found.low, found.high, found.method
        return Sensitivity(Estimate(d, low, high, level, method, n, name="d′"), criterion, hits, false)
    rng = np.random.default_rng(seed)
    rates = []
    for part in parts:
        times = rng.multinomial(len(part), [1 / len(part)] * len(part), size=DRAWS)
        rates.append((times @ part[:, 0]) / (times @ part.sum(axis=1)))
    with np.errstate(invalid="ignore"):  # draws in which all answers are the same say nothing
        drawn = ndtri(rates[0]) - ndtri(rates[1])
    tails = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(drawn[~np.isnan(drawn)], tails, method="inverted_cdf")  # may be infinite
    method = f"bootstrap of outputs within their class, {DRAWS:,} draws"
    return Sensitivity(Estimate(d, float(low), float(high), level, method, n, name="d′"), criterion, hits, false)
