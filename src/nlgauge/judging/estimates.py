"""Each system's win rate as people see it, from few human verdicts and many of the machine.

A system's win rate is the mean of its points (1, 0.5 for a tie, 0) over items, each the mean of its matches. People
alone, prediction-powered (PPI++), and control variates stand beside each other. The items that people judged must be
a random sample of all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.judging.asking import Verdict
from nlgauge.judging.matches import SCORE, TIE
from nlgauge.stats.control_variates import ControlVariates, control_variates
from nlgauge.stats.prediction_powered import PredictionPowered, prediction_powered

# The band of ties of a difference of scores, learned from people's verdicts on folds of items, or from a rate of ties.
#
# The band is the one of most three-way accuracy. A match that people judged is decided with the band of the other
# folds, so that agreement with people is not measured on what was learned from; every other match with that of all.
# Where people named no ties, or said nothing, the band can be the one that makes a given share of the matches ties.


FOLDS = 5
LEAST = 20  # matches that people judged


@dataclass(frozen=True)
class Band:
    """The band learned, and those of the folds, which a band by a rate does not have."""

    margin: float
    folds: tuple[float, ...]
    matches: int
    ties: int | None = None  # of people's verdicts that it was learned from


def with_band(verdicts: Sequence[Verdict], *, folds: int = FOLDS, seed: int = 12345) -> tuple[list[Verdict], Band]:
    """The verdicts by a band that was learned from people."""
    judged = [verdict for verdict in verdicts if verdict.match.human and verdict.gap is not None]
    items = sorted({verdict.match.item for verdict in judged})
    if len(judged) < LEAST or len(items) < folds:
        raise InputError(
            f"a band of ties is learned from {LEAST} matches of {folds} items or more that people judged; got "
            f"{len(judged)} of {len(items)}: give a margin, or more human verdicts"
        )
    order = Random(f"{seed}/folds").sample(items, len(items))
    fold = {item: place % folds for place, item in enumerate(order)}
    apart = tuple(
        learned([verdict for verdict in judged if fold[verdict.match.item] != number]) for number in range(folds)
    )
    whole = learned(judged)
    made = [
        verdict
        if verdict.gap is None
        else verdict.within(apart[fold[verdict.match.item]] if verdict.match.human else whole)
        for verdict in verdicts
    ]
    ties = sum(said == TIE for verdict in judged for said in verdict.match.human)
    return made, Band(whole, apart, len(judged), ties)


def with_rate(verdicts: Sequence[Verdict], rate: float) -> tuple[list[Verdict], Band]:
    """The verdicts by the band with the share of ties that is nearest to `rate`, the smaller of two."""
    if not 0 <= rate < 1:
        raise InputError(f"a rate of ties must be 0 or more and less than 1; got {rate}")
    gaps = np.array([abs(verdict.gap) for verdict in verdicts if verdict.gap is not None])
    if not len(gaps):
        raise InputError("a rate of ties needs scores, as a metric gives them; this judge gave none")
    sizes, counts = np.unique(gaps, return_counts=True)
    shares = np.concatenate([[0.0], np.cumsum(counts)]) / len(gaps)
    margin = _between(sizes, -np.abs(shares - rate))
    made = [verdict if verdict.gap is None else verdict.within(margin) for verdict in verdicts]
    return made, Band(margin, (), len(gaps))


def learned(judged: Sequence[Verdict]) -> float:
    """The margin of most three-way accuracy, half-way between two differences; the smallest of several."""
    gaps = np.array([verdict.gap or 0.0 for verdict in judged])
    tied = np.array([np.mean([said == TIE for said in verdict.match.human]) for verdict in judged])
    right = np.array(
        [
            np.mean([said == ("a" if gap > 0 else "b") for said in verdict.match.human])
            for verdict, gap in zip(judged, gaps, strict=True)
        ]
    ) * (gaps != 0)
    sizes, place = np.unique(np.abs(gaps), return_inverse=True)
    # with a band that holds the k smallest sizes: the ties among these, the decisions beyond them
    ties = np.concatenate([[0.0], np.cumsum(np.bincount(place, tied, len(sizes)))])
    wins = np.concatenate([[0.0], np.cumsum(np.bincount(place, right, len(sizes)))])
    hits = ties + (wins[-1] - wins)
    return _between(sizes, hits)


def _between(sizes: Array, worth: Array) -> float:
    """The margin that holds as many of the smallest sizes as is worth most, half-way to the next."""
    least = 1 if sizes[0] == 0 else 0  # equal scores are always a tie
    best = least + int(np.argmax(worth[least:]))
    if best == 0:
        return 0.0
    return float(sizes[best - 1] if best == len(sizes) else (sizes[best - 1] + sizes[best]) / 2)


@dataclass(frozen=True)
class WinRate(Jsonable):
    """One system's, by each way of estimating it."""

    KEYS = "system, prediction_powered = powered, control_variates = controlled"

    system: str
    powered: PredictionPowered
    controlled: ControlVariates


def win_rates(verdicts: Sequence[Verdict], *, level: float = 0.95) -> tuple[WinRate, ...]:
    """Of every system with enough items that people judged, and enough others."""
    people: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    same: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    others: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for verdict in verdicts:
        match = verdict.match
        if verdict.outcome is None or match.other is not None:  # systems meet on one item
            continue
        for system, side in ((match.a, 1.0), (match.b, -1.0)):
            points = 0.5 + side * (SCORE[verdict.outcome] - 0.5)
            if match.human:
                given = float(np.mean([SCORE[said] for said in match.human]))
                people[system][match.item].append(0.5 + side * (given - 0.5))
                same[system][match.item].append(points)
            else:
                others[system][match.item].append(points)
    found = []
    for system, judged in people.items():
        known = list(judged)
        rest = [item for item in others[system] if item not in judged]
        y, f = ([float(np.mean(values[item])) for item in known] for values in (judged, same[system]))
        g = [float(np.mean(others[system][item])) for item in rest]
        try:
            powered = prediction_powered(y, f, g, level=level, name=system)
            controlled = control_variates(
                np.array([*y, *[np.nan] * len(g)]), np.array([*f, *g]), level=level, name=system
            )
        except InputError:  # too few of either
            continue
        found.append(WinRate(system, powered, controlled))
    return tuple(sorted(found, key=lambda rate: -rate.powered.estimate))
