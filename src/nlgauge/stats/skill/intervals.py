"""Intervals of ratings by resampling: items (all games on an item together) or, where items are not named,
games."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from nlgauge.arrays import Array, Ints
from nlgauge.errors import InputError, option
from nlgauge.stats.skill.bradley_terry import BradleyTerry, refit
from nlgauge.stats.skill.games import Games

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
    out = []
    for weights in _weights(clusters, trials, seed):
        drawn = np.repeat(np.arange(len(games)), weights[cluster].astype(np.int64))
        out.append(rate(games.take(drawn)))
    return np.array(out)


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
