"""From games to ratings with intervals and ranks, by each method.

Intervals of ratings by resampling: items (all games on an item together) or, where items are not named,
games.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from nlgauge.arrays import Array, Ints
from nlgauge.errors import InputError, option
from nlgauge.options import DEFAULT_SEED
from nlgauge.stats.limits import check_level, one_sided
from nlgauge.stats.results import Estimate
from nlgauge.stats.skill import bradley_terry as bt
from nlgauge.stats.skill.bradley_terry import BradleyTerry, refit
from nlgauge.stats.skill.games import Games
from nlgauge.stats.skill.glicko2 import zhou
from nlgauge.stats.skill.graph import incomparable, never_meet
from nlgauge.stats.skill.ranks import (
    confidence,
    rank_limits,
    rank_limits_from_draws,
    ranks,
    who_beats_whom,
)
from nlgauge.stats.skill.results import Rating, Ratings
from nlgauge.stats.skill.schedule import MANY, MOST_GAMES, most_informative, replay
from nlgauge.stats.skill.scores import fit_scores
from nlgauge.stats.skill.sequential import SETTLED, Course, System
from nlgauge.stats.skill.tie_models import Ties
from nlgauge.stats.skill.two_way import crossed, two_way
from nlgauge.wording.numbers import percent

Scale = Literal["log", "elo"]
ELO_UNIT, ELO_ORIGIN = 400 / math.log(10), 1000.0
FEW_ITEMS = 20  # below this sandwich and bootstrap are known to be too narrow
INTERVALS = ("sandwich", "two-way", "information", "bootstrap")
NAMES = {
    "davidson": "Davidson's ties",
    "rao-kupper": "Rao and Kupper's ties",
    "half": "ties as half wins",
    "drop": "ties dropped",
}


def _both_orders(games: Games) -> bool:
    """Whether any two players met with the one shown first and with the other."""
    n = len(games.players)
    there, back = games.first * n + games.second, games.second * n + games.first
    return bool(np.isin(there, back).any())


def rate_bradley_terry(
    games: Games,
    *,
    ties: Ties = "davidson",
    order: bt.Order = "none",
    covariates: bool = False,
    ridge: float = 0.0,
    firth: bool = False,
    interval: str = "sandwich",
    level: float = 0.95,
    trials: int = 1000,
    seed: int = DEFAULT_SEED,
    scale: Scale = "log",
) -> Ratings:
    """Bradley–Terry strengths that sum to 0 (log odds), or on Elo's scale about 1000.

    `interval` is "sandwich" (items as clusters where they are named, else games), "two-way" (judges and
    items, see `two_way`), "information" (the model's own) or "bootstrap" (over the same clusters as
    "sandwich"). See `bradley_terry.fit` for the rest.

    Args:
        games: the games, as `Games.of` makes them
        ties: how ties are modelled: davidson, rao-kupper, half or drop
        order: the advantage of being shown first: none, common, or judge for one of each judge
        covariates: whether those of the games are used
        ridge: precision of a normal prior on the strengths
        firth: whether the first-order bias is removed
        interval: how the limits are found: sandwich, two-way, information or bootstrap
        level: the confidence of the limits
        trials: random draws of the bootstrap
        seed: of the random draws
        scale: log or elo

    >>> from nlgauge.stats.skill import Games, rate_bradley_terry
    >>> games = Games.of(a=["x", "y", "x", "z", "x"], b=["y", "z", "z", "x", "y"], outcome=["a", "a", "tie", "b", "b"])
    >>> [(row.player, round(row.rating, 2)) for row in rate_bradley_terry(games)]
    [('y', 0.95), ('x', 0.57), ('z', -1.52)]
    """
    check_level(level)
    if interval not in INTERVALS:
        raise InputError(f"the interval of bradley-terry must be one of {', '.join(INTERVALS)}; got {interval!r}")
    if scale not in ("log", "elo"):
        raise InputError(f"the scale must be log or elo; got {scale!r}")
    model = bt.fit(games, ties=ties, order=order, covariates=covariates, ridge=ridge, firth=firth)
    n = len(model.players)
    kept = games.take(np.flatnonzero(games.score != 0.5)) if ties == "drop" else games
    cluster, unit = kept.clusters
    notes = list(model.notes)
    count = len(np.unique(cluster))
    if interval in ("sandwich", "bootstrap") and count < FEW_ITEMS:
        notes.append(f"{count} {unit} are few for a {interval} interval, which is then too narrow")
    if order != "none" and not _both_orders(games):
        notes.append(
            "no pair of players was shown in both orders: the effect of order is told from the players' strengths by "
            "the model alone"
        )
    theta = np.concatenate([model.strength, model.effect, [math.log(model.tie)] if model.modelled else []])
    if interval == "bootstrap":
        draws, undefined = bootstrap_strengths(model, games, trials, seed)
        if undefined:
            notes.append(f"{undefined:,} of {trials:,} draws without finite strengths were left out")
        low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0)
        notes += _one_sided(games.players, model.strength, low, high)
        covariance = np.cov(draws, rowvar=False)
        spans = rank_limits_from_draws(model.strength, draws[:, :n], level)
        words = f"percentile bootstrap over {count:,} {unit}, {trials:,} draws"
    elif interval == "two-way":
        covariance, margin, words = _two_way(model, kept, len(theta), level)
        low, high = theta - margin, theta + margin
        spans = rank_limits(model.strength, covariance[:n, :n], level)
    else:
        covariance = model.covariance if interval == "information" else model.sandwich(cluster)
        margin = _quantile(level) * np.sqrt(np.maximum(np.diag(covariance), 0.0))
        low, high = theta - margin, theta + margin
        spans = rank_limits(model.strength, covariance[:n, :n], level)
        source = "observed information" if interval == "information" else f"sandwich over {count:,} {unit}"
        words = f"{percent(level)} intervals from the {source}"
    size, origin = (1.0, 0.0) if scale == "log" else (ELO_UNIT, ELO_ORIGIN)
    rating, low_rating, high_rating = (origin + size * row for row in (model.strength, low[:n], high[:n]))
    error = size * np.sqrt(np.maximum(np.diag(covariance)[:n], 0.0))
    table = _table(games, rating, low_rating, high_rating, error, spans)
    best = [games.players.index(r.player) for r in table]
    return Ratings(
        ratings=table,
        method="bradley-terry",
        model=f"Bradley–Terry, {NAMES[model.ties] if (games.score == 0.5).any() else 'no ties'}"
        + (", log odds" if scale == "log" else ", Elo's scale"),
        interval=words,
        level=level,
        n=len(games),
        converged=True,
        matrix=who_beats_whom(games, best, model.chances(), confidence(model.strength, covariance[:n, :n])),
        games_used=model.n,
        most_telling=_telling(model.outcome_chances, model.strength, covariance[:n, :n], best),
        parameters=_parameters(model, theta, low, high, level, words),
        notes=tuple(notes),
        played=games,
        again=partial(_fitted, size, origin, ties=ties, order=order, covariates=covariates, ridge=ridge, firth=firth),
    )


def _fitted(size: float, origin: float, games: Games, **options: Any) -> Array:
    return np.asarray(origin + size * bt.fit(games, **options).strength)


def _reached(system: System, games: Games) -> Array:
    return system.play(games).rating


def _two_way(model: bt.BradleyTerry, games: Games, size: int, level: float) -> tuple[Array, Array, str]:
    """Limits for other judges and other items, as the analysis of a study has them: covariance, margins, words.

    Ranks and chances need one covariance: that whose differences have the margins of pairs. Effects and ties have the
    sandwich over both.
    """
    if games.judge is None or games.item is None:
        raise InputError(f"{option('interval', 'two-way')} needs games that name their judge and their item")
    n = len(model.players)
    rest = two_way(model.sandwich, model.covariance, size, games.judge, games.item)
    try:
        found = crossed(model.sandwich, fit_scores(games), n, games.judge, games.item)
    except InputError:
        found = rest
    margin = np.array([(found if k < n else rest).margin(level, k) for k in range(size)])
    gap = np.array([[found.margin(level, i, j) if i != j else 0.0 for j in range(n)] for i in range(n)])
    centre = np.eye(n) - 1 / n
    return -0.5 * centre @ (gap / _quantile(level)) ** 2 @ centre, margin, f"{percent(level)} {found.method}"


def _parameters(
    model: bt.BradleyTerry, theta: Array, low: Array, high: Array, level: float, method: str
) -> dict[str, Estimate]:
    n, k = len(model.players), len(model.effect)
    out = {
        name: Estimate(float(theta[n + c]), float(low[n + c]), float(high[n + c]), level, method, model.n, name=name)
        for c, name in enumerate(model.effects)
    }
    if model.modelled:
        name = "ν" if model.ties == "davidson" else "θ"
        value, below, above = (math.exp(float(x[n + k])) for x in (theta, low, high))
        out[name] = Estimate(value, below, above, level, method, model.n, name=name)
    return out


def rate_sequential(
    games: Games,
    system: System,
    method: str,
    *,
    interval: str = "deviation",
    level: float = 0.95,
    trials: int = 1000,
    seed: int = DEFAULT_SEED,
    shuffle: bool = False,
    allow_parts: bool = False,
) -> Ratings:
    """Ratings after the games in their order (or, with `shuffle`, in random order).

    `interval` is "deviation" (the system's own) or "bootstrap". Groups of players that never meet are refused,
    unless `allow_parts`: their ratings then rest on the common start alone.

    Args:
        games: the games, as `Games.of` makes them
        system: the rating system with its constants
        method: its name, as results bear it
        interval: how the limits are found: deviation or bootstrap
        level: the confidence of the limits
        trials: random draws of the bootstrap
        seed: of the random draws
        shuffle: whether the games are taken in random order
        allow_parts: whether groups of players that never meet are rated

    >>> from nlgauge.stats.skill import Games, game_by_game, rate_sequential
    >>> games = Games.of(a=["x", "y", "x", "z", "x"], b=["y", "z", "z", "x", "y"], outcome=["a", "a", "tie", "b", "b"])
    >>> [(row.player, round(row.rating)) for row in rate_sequential(games, game_by_game(), "glicko2")]
    [('y', 1651), ('x', 1507), ('z', 1296)]
    """
    check_level(level)
    notes = _parts_note(games, allow_parts)
    if shuffle:
        games = games.take(np.random.default_rng(seed).permutation(len(games)))
    course = system.play(games)
    notes.append("the ratings depend on the order of the games; those of bradley-terry do not")
    return _sequential(games, course, system, method, _Limits(interval, level, trials, seed), notes=notes)


def rate_zhou(
    games: Games,
    *,
    ratio: float = 0.1,
    needed: int = SETTLED,
    max_games: int = MOST_GAMES,
    level: float = 0.95,
    interval: str = "deviation",
    trials: int = 1000,
    seed: int = DEFAULT_SEED,
    allow_parts: bool = False,
) -> Ratings:
    """Glicko-2 as Zhou and Xu (2020, §3.2) use it: games drawn at random from those recorded, until the order
    stands.

    Args:
        games: the games, as `Games.of` makes them
        ratio: the draw ratio
        needed: the draws of every player during which the order must stand
        max_games: the draws after which it ends in any case
        level: the confidence of the limits
        interval: how the limits are found: deviation or bootstrap
        trials: random draws of the bootstrap
        seed: of the random draws
        allow_parts: whether groups of players that never meet are rated

    >>> from nlgauge.stats.skill import Games, rate_zhou
    >>> games = Games.of(a=["x", "y", "x", "z", "x"], b=["y", "z", "z", "x", "y"], outcome=["a", "a", "tie", "b", "b"])
    >>> [row.player for row in rate_zhou(games)]
    ['y', 'x', 'z']
    """
    check_level(level)
    notes = _parts_note(games, allow_parts)
    system = zhou(ratio)
    course = replay(games, system, needed=needed, max_games=max_games, seed=seed)
    notes.append(f"games were drawn at random, and may be drawn again, with seed {seed}")
    if not course.converged:
        notes.append("the cap on games was reached before the order settled")

    def again(drawn: Games) -> Array:
        return replay(drawn, system, needed=needed, max_games=max_games, seed=seed).rating

    asked = _Limits(interval, level, trials, seed)
    return _sequential(games, course, system, "glicko2-zhou", asked, notes=notes, again=again)


@dataclass(frozen=True)
class _Limits:
    """How limits of sequential ratings are found."""

    interval: str
    level: float
    trials: int
    seed: int


def _sequential(
    games: Games,
    course: Course,
    system: System,
    method: str,
    asked: _Limits,
    *,
    notes: list[str],
    again: Callable[[Games], Array] | None = None,
) -> Ratings:
    interval, level, trials = asked.interval, asked.level, asked.trials
    rating, deviation = course.rating, course.deviation
    if interval == "bootstrap":
        draws = bootstrap_ratings(again or (lambda drawn: system.play(drawn).rating), games, trials, asked.seed)
        low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0)
        notes += _one_sided(games.players, rating, low, high)
        covariance = np.cov(draws, rowvar=False)
        spans = rank_limits_from_draws(rating, draws, level)
        unit = games.clusters[1]
        words = f"percentile bootstrap over {unit}, {trials:,} draws"
    elif interval == "deviation":
        if np.isnan(deviation).any():
            raise InputError(f"{system.words} has no deviations of its own; use the bootstrap interval")
        margin = _quantile(level) * deviation
        low, high, covariance = rating - margin, rating + margin, np.diag(deviation**2)
        spans = rank_limits(rating, covariance, level)
        words = f"{percent(level)} intervals from the deviations"
    else:
        raise InputError(f"the interval of {method} must be deviation or bootstrap; got {interval!r}")
    played = games if course.picked is None else games.take(course.picked)
    table = _table(played, rating, low, high, np.sqrt(np.diag(covariance)), spans)
    best = [games.players.index(r.player) for r in table]
    chance = system.chances(rating[:, None] - rating[None, :])
    return Ratings(
        ratings=table,
        method=method,
        model=system.words,
        interval=words,
        level=level,
        n=len(played),
        converged=course.converged,
        matrix=who_beats_whom(played, best, chance[..., 0] + 0.5 * chance[..., 1], confidence(rating, covariance)),
        games_used=course.used,
        recorded=None if course.picked is None else len(games),
        most_telling=_telling(system.chances, rating, covariance, best),
        parameters={},
        notes=tuple(notes),
        played=played,
        again=partial(_reached, system),
    )


def _telling(
    chances: Callable[[Array], Array], rating: Array, covariance: Array, best: Sequence[int]
) -> tuple[tuple[int, int, float], ...]:
    """The pairs by what a game would tell, numbered as in the table; left out where there are very many."""
    if len(best) > MANY:
        return ()
    return tuple(most_informative(chances, rating[best], covariance[np.ix_(best, best)]))


def _table(
    games: Games, rating: Array, low: Array, high: Array, error: Array, spans: tuple[Ints, Ints]
) -> tuple[Rating, ...]:
    wins, ties, losses = games.record()
    told = (rating, low, high, wins + ties + losses, wins, ties, losses, ranks(rating), *spans, error)
    rows = [Rating(*row) for row in zip(games.players, *(column.tolist() for column in told), strict=True)]
    return tuple(sorted(rows, key=lambda row: (row.rank, row.player)))


def _parts_note(games: Games, allow_parts: bool) -> list[str]:
    told = never_meet(games)
    if told and not allow_parts:
        raise InputError(incomparable(told, f"use {option('allow_parts')}"))
    return [f"{told}; only the common starting rating ties them together"] if told else []


def _one_sided(players: Sequence[str], strength: Array, low: Array, high: Array) -> list[str]:
    """Players whose bootstrap interval leaves their own rating out."""
    return [
        f"{player}: {text}"
        for player, *limits in zip(players, strength.tolist(), low.tolist(), high.tolist(), strict=False)
        for text in one_sided(*limits)
    ]


def _quantile(level: float) -> float:
    from scipy.special import ndtri

    return float(ndtri((1 + level) / 2))


MOST_TRIALS = 100_000  # each trial fits the model again
MOST_UNDEFINED = 0.05  # share of draws without a finite estimate beyond which an interval would mislead


def bootstrap_strengths(model: BradleyTerry, games: Games, trials: int, seed: int) -> tuple[Array, int]:
    """Refitted parameters (draws, parameters) and how many draws had no finite estimate and were left out."""
    from scipy.sparse import coo_matrix

    if model.ties == "drop":
        games = games.take(np.flatnonzero(games.score != 0.5))
    cluster = _clusters(games)
    clusters = int(cluster.max()) + 1
    cells = model.cells
    size = 3 * len(cells.counts)
    counts = coo_matrix(
        (np.ones(len(cluster)), (cluster, 3 * cells.of_game + cells.outcome)), shape=(clusters, size)
    ).tocsr()
    drawn = []
    undefined = 0
    for weights in _weights(clusters, trials, seed):
        theta = refit(model, np.asarray(counts.T @ weights).reshape(-1, 3))
        if theta is None:
            undefined += 1
            continue
        theta[: len(model.players)] -= theta[: len(model.players)].mean()
        drawn.append(theta)
    if undefined > MOST_UNDEFINED * trials:
        raise InputError(
            f"{undefined:,} of {trials:,} bootstrap draws have no finite strengths: there are too few games for a "
            f"bootstrap interval; use {option('interval', 'sandwich')}, or give a prior ({option('ridge')} or "
            f"{option('firth')})"
        )
    return np.array(drawn), undefined


def bootstrap_ratings(rate: Callable[[Games], Array], games: Games, trials: int, seed: int) -> Array:
    """Ratings (draws, players) after resampled games, which keep their order: the limits are given that order."""
    cluster = _clusters(games)
    clusters = int(cluster.max()) + 1
    drawn = (weights[cluster].astype(np.int64) for weights in _weights(clusters, trials, seed))
    return np.array([rate(games.take(np.repeat(np.arange(len(games)), times))) for times in drawn])


def _clusters(games: Games) -> Ints:
    label, unit = games.clusters
    names, number = np.unique(label, return_inverse=True)
    if len(names) < 2:
        raise InputError(f"a bootstrap over {unit} needs at least two of them; all games are on one item")
    return np.asarray(number, dtype=np.int64)


def _weights(clusters: int, trials: int, seed: int) -> Iterator[Array]:
    """How often each cluster is drawn, trial by trial."""
    if not isinstance(trials, int) or isinstance(trials, bool):
        raise InputError(f"trials must be a whole number; got {trials!r}")
    if trials < 2:
        raise InputError(f"a bootstrap needs at least two trials; got {trials}")
    if trials > MOST_TRIALS:
        raise InputError(f"a bootstrap of ratings takes at most {MOST_TRIALS:,} trials; got {trials:,}")
    rng = np.random.default_rng(seed)
    for _ in range(trials):
        yield np.bincount(rng.integers(clusters, size=clusters), minlength=clusters).astype(float)
