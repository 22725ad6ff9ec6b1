"""Intervals and paired tests for scores of a whole set of texts, which are not functions of summed rows.

How many different words a system uses, or how alike its outputs are, depends on which texts stand beside each other.
Such a score is recomputed for every choice of texts: `SetScore` takes choices, one a row, and gives their scores.

*Intervals* leave texts out, they never repeat any. A bootstrap sample holds only 63 % of the texts, each as often as
it was drawn: its distinct n-grams are too few, its self-BLEU far too high, and the percentile interval then often does
not contain the estimate. The jackknife leaves out each text (item, cluster) once. Its variance is that of the score
at the size of the set, and errs upwards if at all (Efron and Stein 1981). Where there are more units than `groups`,
the units are dealt at random into so many groups, which are left out in turn. Limits are Student's t.

*Tests* are approximate randomisation: two systems swap the outputs of an item by the toss of a coin, and the score is
recomputed for both. No text is doubled or lost. The coins are those of `resample` for the same seed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array, Bools
from nlgauge.errors import InputError
from nlgauge.options import DEFAULT_SEED
from nlgauge.stats import limits
from nlgauge.stats.draws import cluster_codes
from nlgauge.stats.resample import METHODS, Labels, Ties, verdict
from nlgauge.stats.results import Jackknife, PairedTest
from nlgauge.stats.sampled import defined, jackknifed

Codes = NDArray[np.intp]

LANES = 64  # choices scored at a time: a set metric may hold one bit for each in a machine word
GROUPS = 1000


class SetScore(Protocol):
    """The score of any of `size` texts."""

    @property
    def size(self) -> int:
        """How many texts there are to choose from."""

    def scores(self, chosen: Bools) -> Array:
        """The score of each choice: (t, size) -> (t,), for t up to `LANES`; NaN where it is undefined."""

    def left_out(self, codes: Codes, groups: int) -> Array:
        """The score without each group of texts: (groups,). `codes` holds the group of each text."""


def score_of_all(score: SetScore) -> float:
    """The score of all texts."""
    return float(score.scores(np.ones((1, score.size), dtype=np.bool_))[0])


def leave_out(score: SetScore, codes: Codes, groups: int) -> Array:
    """`left_out` by choosing all the other texts: what suits every score that does not depend on their order."""
    numbers = np.arange(groups)
    parts = [score.scores(codes != numbers[start : start + LANES, None]) for start in range(0, groups, LANES)]
    return np.concatenate(parts)


def deal(n: int, groups: int, seed: int, clusters: Labels | None = None) -> tuple[Codes, int]:
    """The group of each text, and the number of groups: units one by one if there are few, else dealt at random."""
    units = np.arange(n, dtype=np.intp) if clusters is None else cluster_codes(clusters, n)
    number = int(units.max()) + 1 if n else 0
    if number < 2:
        raise InputError(f"leaving items out needs at least 2 items; got {number}")
    if number <= groups:
        return units, number
    hands = np.empty(number, dtype=np.intp)
    hands[np.random.default_rng(seed).permutation(number)] = np.arange(number) % groups
    return hands[units], groups


def set_interval(
    score: SetScore,
    *,
    level: float = 0.95,
    groups: int = GROUPS,
    seed: int = DEFAULT_SEED,
    clusters: Labels | None = None,
    bounds: tuple[float, float] = (-math.inf, math.inf),
    name: str = "the system",
) -> Jackknife:
    """The score of all texts with its jackknife interval, cut at `bounds`."""
    limits.check_level(level)
    codes, number = deal(score.size, groups, seed, clusters)
    value = defined(score_of_all(score), name)
    left_out, method = score.left_out(codes, number), _units(score.size, number, clusters)
    return _jackknife(value, left_out, level, score.size, method, name, bounds=bounds)


def set_test(
    pool: SetScore,
    system: SetScore,
    baseline: SetScore,
    *,
    trials: int = 10_000,
    seed: int = DEFAULT_SEED,
    level: float = 0.95,
    groups: int = GROUPS,
    ties: Ties = "count",
    clusters: Labels | None = None,
    name: str = "the system",
    same: bool = False,
) -> PairedTest:
    """Approximate randomisation of two systems on the same items, with the jackknife interval of the difference.

    `pool` scores any of the system's texts followed by the baseline's, in the same order of items; `same` says that
    the two wrote the same texts.
    """
    limits.check_level(level)
    if trials < 1:
        raise InputError(f"resampling needs at least 1 trial; got {trials}")
    n = system.size
    if baseline.size != n or pool.size != 2 * n:
        raise InputError(
            f"the two have {n} and {baseline.size} texts, the pool {pool.size}: all must have the same items"
        )
    codes, number = deal(n, groups, seed, clusters)
    value, other = defined(score_of_all(system), name), defined(score_of_all(baseline), name)
    units = None if clusters is None else cluster_codes(clusters, n)
    sizes = []
    for coins in tosses(n, trials, seed, units):
        mine = np.concatenate([coins, ~coins], axis=1)
        sizes.append(np.abs(pool.scores(mine) - pool.scores(~mine)))
    found = verdict(np.concatenate(sizes), value, other, ties, same=same)
    left_out = system.left_out(codes, number) - baseline.left_out(codes, number)
    spread = _jackknife(value - other, left_out, level, n, _units(n, number, clusters), name)
    return PairedTest(
        value=value,
        baseline_value=other,
        delta=value - other,
        low=spread.low,
        high=spread.high,
        level=level,
        p=found.p,
        method=METHODS["ar"] + ("" if units is None else f" over {int(units.max()) + 1:,} clusters"),
        n=n,
        trials=trials,
        interval_trials=number,
        seed=seed,
        ties=found.ties,
        undefined=found.undefined,
        notes=found.notes,
        interval_method=spread.method,
        error=spread.standard_error,
        units=number,
    )


def tosses(n: int, trials: int, seed: int, units: Codes | None = None) -> Iterator[Bools]:
    """Coins (t, n), `LANES` trials at a time: the booleans numpy draws for `size=(trials, n)` with this seed.

    With `units`, the cluster of each text, one coin falls for each cluster.
    """
    coins = n if units is None else int(units.max()) + 1
    source = np.random.default_rng(seed).bit_generator
    for start in range(0, trials, LANES):
        # numpy takes its booleans from the raw 64-bit words, lowest bit first; 64 trials use up whole words.
        words = np.asarray(source.random_raw(coins), dtype="<u8")
        bits = np.unpackbits(words.view(np.uint8), bitorder="little").reshape(LANES, coins)
        part = bits[: trials - start].astype(np.bool_)
        yield part if units is None else part[:, units]


def _jackknife(
    value: float,
    left_out: Array,
    level: float,
    n: int,
    method: str,
    name: str,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> Jackknife:
    from scipy.special import stdtrit

    if not np.all(np.isfinite(left_out)):
        raise InputError(f"the score of {name} is undefined when some items are left out, so no interval can be given")
    quantile = float(stdtrit(len(left_out) - 1, 0.5 + level / 2))
    return jackknifed(value, left_out, quantile, level=level, method=method, n=n, bounds=bounds)


def _units(n: int, groups: int, clusters: Labels | None) -> str:
    number = n if clusters is None else len(set(clusters))
    unit = "items" if clusters is None else "clusters"
    return f"jackknife over {groups:,} {unit if groups == number else f'groups of {unit}'}"
