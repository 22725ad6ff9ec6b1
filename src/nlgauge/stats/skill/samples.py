"""Scores of single texts from comparisons of two (Zhou and Xu 2020, §4): three ways to make a number of verdicts.

* `rate_samples`: each sample is a player that always plays the same text; 10,000 plays between samples drawn at random.
* `score_against_references`: each sample meets the same 50 samples; 3 points for a win, 1 for a tie, 0 for a loss. The
  mean of the points, which orders samples as the paper's sum does, and also where one of them is a reference itself.
* `score_by_comparisons`: each sample meets k others; 1 + 4 · (wins + ties / 2) / k, from 1 to 5. With the paper's k = 4
  and no ties this is 1 + the number of wins. The paper names no rule for ties; half a win keeps both orders alike.

Verdicts are asked for all pairs at once; a pair without one (None) is left out and counted. Who is shown first is
drawn by lot, so that a judge who leans to one side is not taken for a difference of samples. With `contexts` (one for
each sample) only samples of one context meet; ratings and scores then compare samples within their context.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array, Ints
from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.options import DEFAULT_SEED
from nlgauge.results import Result
from nlgauge.stats.limits import check_level
from nlgauge.stats.skill.games import TIE, Games
from nlgauge.stats.skill.glicko2 import zhou
from nlgauge.stats.skill.sequential import System

PLAYS, REFERENCES, COMPARISONS = 10_000, 50, 4
POINTS = {1.0: 3.0, TIE: 1.0, 0.0: 0.0}
LOWEST, HIGHEST = 1.0, 5.0

WITHIN = "samples met within their context only: ratings compare samples of one context"

Verdicts = Callable[[Sequence[tuple[int, int]]], Sequence[str | None]]


@dataclass(frozen=True)
class SampleScore(Jsonable):
    """One sample, by its number; score and limits are NaN where it was compared with nothing."""

    sample: int
    score: float
    low: float
    high: float
    games: int
    wins: int
    ties: int
    losses: int


@dataclass(frozen=True)
class SampleScores(Result):
    """The samples in their order, and the games they come from (numbers of samples are the players' names)."""

    KEYS = "samples, method, level, n, notes"
    ROWS = "samples"

    samples: tuple[SampleScore, ...]
    method: str
    level: float
    games: Games
    notes: tuple[str, ...] = ()

    @property
    def scores(self) -> Array:
        """The scores alone."""
        return np.array([sample.score for sample in self.samples])

    @property
    def n(self) -> int:
        """How many games there were."""
        return len(self.games)


def rate_samples(
    samples: int,
    verdicts: Verdicts,
    *,
    contexts: Sequence[Hashable] | None = None,
    plays: int = PLAYS,
    system: System | None = None,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
) -> SampleScores:
    """Skill ratings of samples after `plays` games; limits from the system's deviations (default: as Zhou and Xu).

    Args:
        samples: how many there are
        verdicts: from pairs of numbers of samples to a, b, tie or None for each
        contexts: a label for each sample, where only those of one context are compared
        plays: games that are played
        system: the rating system; as Zhou and Xu, where it is not given
        level: the confidence of the limits
        seed: of the random draws

    >>> from nlgauge.stats.skill import rate_samples
    >>> later = lambda pairs: ["a" if first > second else "b" for first, second in pairs]
    >>> found = rate_samples(4, later, plays=200)
    >>> [int(place) for place in found.scores.argsort()]
    [0, 1, 2, 3]
    """
    if plays < 1:
        raise InputError(f"plays must be at least 1; got {plays}")
    rivals = _Rivals(samples, contexts)
    rng = np.random.default_rng(seed)
    first = rivals.known[rng.integers(len(rivals.known), size=plays)]
    second = rivals.draw(first, rng)
    games, known = _judged(samples, first, second, verdicts)
    return _rated(games, system, level, (*((WITHIN,) if contexts is not None else ()), *_open(known)))


def rate_recorded(
    games: Games, *, plays: int = PLAYS, system: System | None = None, level: float = 0.95, seed: int = DEFAULT_SEED
) -> SampleScores:
    """The same from recorded games whose players are samples: `plays` of them, drawn at random with replacement."""
    if plays < 1:
        raise InputError(f"plays must be at least 1; got {plays}")
    drawn = np.random.default_rng(seed).integers(len(games), size=plays)
    return _rated(games.take(drawn), system, level, (WITHIN,))


def _rated(games: Games, system: System | None, level: float, notes: tuple[str, ...]) -> SampleScores:
    rater = zhou() if system is None else system
    course = rater.play(games)
    margin = _quantile(level) * course.deviation
    values = (course.rating, course.rating - margin, course.rating + margin)
    return _scores(games, values, rater.words, level, notes)


def common_references(samples: int, count: int = REFERENCES, *, seed: int = DEFAULT_SEED) -> Ints:
    """Numbers of samples that serve as references for all."""
    if not 1 <= count <= samples:
        raise InputError(f"expected 1 to {samples:,} references, as there are samples; got {count:,}")
    return np.sort(np.random.default_rng(seed).choice(samples, size=count, replace=False))


def score_against_references(
    samples: int,
    verdicts: Verdicts,
    *,
    references: Sequence[int] | Ints | None = None,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
) -> SampleScores:
    """Mean points of each sample against the same references (default: 50 samples drawn by the seed).

    Limits are Student's, over the references. A reference does not meet itself.

    Args:
        samples: how many there are
        verdicts: from pairs of numbers of samples to a, b, tie or None for each
        references: the numbers of those that all meet; 50 drawn by lot, where not given
        level: the confidence of the limits
        seed: of the random draws

    >>> from nlgauge.stats.skill import score_against_references
    >>> later = lambda pairs: ["a" if first > second else "b" for first, second in pairs]
    >>> score_against_references(4, later, references=[0, 3]).scores.tolist()
    [0.0, 1.5, 1.5, 3.0]
    """
    from nlgauge.stats.mixed.results import t_quantile

    _check(samples)
    chosen = common_references(samples, min(REFERENCES, samples), seed=seed) if references is None else references
    if len(set(map(int, chosen))) < 2 or not all(0 <= int(place) < samples for place in chosen):
        raise InputError(f"expected two or more references, numbers from 0 to {samples - 1}")
    first, second = (grid.ravel() for grid in np.meshgrid(np.arange(samples), np.asarray(chosen), indexing="ij"))
    apart = first != second
    first, second = first[apart], second[apart]
    flip = np.random.default_rng(seed).random(len(first)) < 0.5
    games, known = _judged(samples, np.where(flip, second, first), np.where(flip, first, second), verdicts)
    first, flip = first[known], flip[known]
    own = np.where(flip, 1.0 - games.score, games.score)
    points = np.array([POINTS[score] for score in own.tolist()])
    n = np.bincount(first, minlength=samples)
    met = np.maximum(n, 1)
    mean = np.bincount(first, points, minlength=samples) / met
    spread = np.bincount(first, (points - mean[first]) ** 2, minlength=samples) / np.maximum(n - 1, 1)
    margin = np.array([t_quantile((1 + level) / 2, max(k - 1, 1)) for k in n]) * np.sqrt(spread / met)
    counts = [np.bincount(first[own == score], minlength=samples) for score in (1.0, TIE, 0.0)]
    method = f"3, 1 or 0 points against {len(chosen):,} common references"
    values = (mean, np.maximum(mean - margin, 0.0), np.minimum(mean + margin, 3.0))
    return _scores(games, values, method, level, _open(known), counts=counts)


def score_by_comparisons(
    samples: int,
    verdicts: Verdicts,
    *,
    k: int = COMPARISONS,
    contexts: Sequence[Hashable] | None = None,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
) -> SampleScores:
    """A score from 1 to 5 for each sample, from comparisons with k others (all there are where they are fewer).

    Args:
        samples: how many there are
        verdicts: from pairs of numbers of samples to a, b, tie or None for each
        k: others that each sample meets
        contexts: a label for each sample, where only those of one context are compared
        level: the confidence of the limits
        seed: of the random draws

    >>> from nlgauge.stats.skill import score_by_comparisons
    >>> later = lambda pairs: ["a" if first > second else "b" for first, second in pairs]
    >>> score_by_comparisons(4, later).scores.tolist()
    [1.0, 2.333333333333333, 3.6666666666666665, 5.0]
    """
    if k < 1:
        raise InputError(f"k must be at least 1; got {k}")
    rivals = _Rivals(samples, contexts)
    rng = np.random.default_rng(seed)
    drawn = [(int(place), int(rival)) for place in rivals.known for rival in rivals.some(int(place), k, rng)]
    first, second = np.array(drawn).T
    flip = rng.random(len(first)) < 0.5
    games, known = _judged(samples, np.where(flip, second, first), np.where(flip, first, second), verdicts)
    first, flip = first[known], flip[known]
    own = np.where(flip, 1.0 - games.score, games.score)
    counts = [np.bincount(first[own == score], minlength=samples) for score in (1.0, TIE, 0.0)]
    values = five_points(counts[0], counts[1], sum(counts), level=level)
    return _scores(games, values, f"1 to 5 from {k} comparisons", level, _open(known), counts=counts)


def five_points(wins: Any, ties: Any, comparisons: Any, *, level: float = 0.95) -> tuple[Array, Array, Array]:
    """1 + 4 · (wins + ties / 2) / comparisons with Wilson's limits of the share; NaN without comparisons."""
    won, tied, n = (np.asarray(count, dtype=float) for count in (wins, ties, comparisons))
    if (won < 0).any() or (tied < 0).any() or (won + tied > n).any():
        raise InputError("expected counts of wins and ties that together are at most the comparisons")
    z = _quantile(level)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = (won + TIE * tied) / n
        centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
        margin = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    shares = share, np.maximum(centre - margin, 0.0), np.minimum(centre + margin, 1.0)
    value, low, high = (np.asarray(LOWEST + (HIGHEST - LOWEST) * part) for part in shares)
    return value, low, high


class _Rivals:
    """Whom a sample may meet: all others, or those of its context."""

    def __init__(self, samples: int, contexts: Sequence[Hashable] | None) -> None:
        _check(samples)
        if contexts is not None and len(contexts) != samples:
            raise InputError(f"expected a context for each of {samples:,} samples; got {len(contexts):,}")
        numbers: dict[Hashable, int] = {}
        keys = (
            [0] * samples if contexts is None else [numbers.setdefault(context, len(numbers)) for context in contexts]
        )
        group = np.asarray(keys, dtype=np.int64)
        self._members = np.argsort(group, kind="stable")  # the samples of a context side by side
        self._size = np.bincount(group)[group]
        self._start = np.concatenate([[0], np.cumsum(np.bincount(group))])[group]
        self._place = np.empty(samples, dtype=np.int64)
        self._place[self._members] = np.arange(samples)
        self.known = np.flatnonzero(self._size > 1)  # samples with somebody to meet
        if not self.known.size:
            raise InputError("every sample stands alone in its context: nothing can be compared")

    def draw(self, samples: Ints, rng: np.random.Generator) -> Ints:
        """One other for each."""
        start, size = self._start[samples], self._size[samples]
        step = 1 + np.floor(rng.random(len(samples)) * (size - 1)).astype(np.int64)
        return np.asarray(self._members[start + (self._place[samples] - start + step) % size])

    def some(self, sample: int, count: int, rng: np.random.Generator) -> Ints:
        """Different others, as many as there are up to `count`."""
        start, size = int(self._start[sample]), int(self._size[sample])
        steps = 1 + rng.choice(size - 1, size=min(count, size - 1), replace=False)
        return np.asarray(self._members[start + (int(self._place[sample]) - start + steps) % size])


def _judged(samples: int, first: Ints, second: Ints, verdicts: Verdicts) -> tuple[Games, NDArray[np.bool_]]:
    """The games, and which of the pairs had a verdict."""
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    said = verdicts(pairs)
    if len(said) != len(pairs):
        raise InputError(f"the judge gave {len(said):,} verdicts on {len(pairs):,} pairs; expected one for each")
    scores = {"a": 1.0, "b": 0.0, "tie": TIE}
    for pair, verdict in zip(pairs, said, strict=True):
        if verdict is not None and verdict not in scores:
            raise InputError(f"the judge said {verdict!r} of samples {pair[0]} and {pair[1]}; expected a, b or tie")
    known = np.array([verdict is not None for verdict in said])
    if not known.any():
        raise InputError("the judge gave no verdict on any pair: there is nothing to rate")
    score = np.array([scores[verdict] for verdict in said if verdict is not None])
    return Games(tuple(map(str, range(samples))), first[known], second[known], score), known


def _open(known: NDArray[np.bool_]) -> tuple[str, ...]:
    left = int(np.count_nonzero(~known))
    return (f"games left out, because the judge gave no verdict: {left:,}",) if left else ()


def _scores(
    games: Games,
    values: tuple[Array, Array, Array],
    method: str,
    level: float,
    notes: tuple[str, ...] = (),
    *,
    counts: Sequence[Ints] | None = None,
) -> SampleScores:
    """The samples by their scores and limits; `counts` are wins, ties and losses where not all of a sample's games are
    its own."""
    record = games.record() if counts is None else counts
    total = np.sum(record, axis=0)
    columns = (*(np.where(total > 0, value, math.nan) for value in values), total, *record)
    samples = tuple(SampleScore(k, *row) for k, row in enumerate(zip(*(c.tolist() for c in columns), strict=True)))
    alone = sum(1 for sample in samples if not sample.games)
    told = (f"samples without a game, and so without a score: {alone:,}",) if alone else ()
    return SampleScores(samples, method, level, games, (*notes, *told))


def _check(samples: int) -> None:
    if samples < 2:
        raise InputError(f"samples are compared with each other: expected at least two; got {samples}")


def _quantile(level: float) -> float:
    from scipy.special import ndtri

    check_level(level)
    return float(ndtri((1 + level) / 2))
