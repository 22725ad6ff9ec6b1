"""Plackett–Luce strengths from rankings or choices out of a set: Bradley–Terry where each set has two members.

A ranking of k items is k − 1 choices of the best among those left. `plackett_luce` maximises the likelihood by
Newton's method (equal to choix.opt_rankings and opt_top1); `spectral` is the Luce spectral ranking of Maystre
and Grossglauser (2015), a consistent estimate in one step (choix.lsr_rankings, lsr_top1).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError

Choice = tuple[int, Sequence[int]]  # who was chosen, and the others of the set
STEPS, SMALL = 100, 1e-10


def choices(rankings: Sequence[Sequence[int]]) -> list[Choice]:
    """Rankings (best first) as choices of the best among those left."""
    return [(ranking[k], ranking[k + 1 :]) for ranking in rankings for k in range(len(ranking) - 1)]


def plackett_luce(n: int, chosen: Sequence[Choice], *, ridge: float = 0.0) -> Array:
    """Log strengths that sum to 0; `ridge` is the precision of a normal prior on each."""
    sets = _checked(n, chosen)
    if not ridge:
        _require_connected(n, chosen)
    theta = np.zeros(n)
    for _ in range(STEPS):
        slope, information = -ridge * theta, np.full((n, n), 1.0 / n) + ridge * np.eye(n)
        for winner, members in sets:
            weight = np.exp(theta[members] - theta[members].max())
            chance = weight / weight.sum()
            slope[winner] += 1.0
            slope[members] -= chance
            information[np.ix_(members, members)] += np.diag(chance) - np.outer(chance, chance)
        step = np.linalg.solve(information, slope)
        largest = np.abs(step).max()
        theta = theta + step * min(1.0, 2.0 / largest if largest else 1.0)
        if largest < SMALL:
            return np.asarray(theta if ridge else theta - theta.mean())
    raise InputError("the strengths have no finite estimate; add rankings or give a ridge")


def spectral(n: int, chosen: Sequence[Choice]) -> Array:
    """Log strengths from the stationary distribution of the chain in which losers pass weight to winners."""
    _checked(n, chosen)
    _require_connected(n, chosen)
    rate = np.zeros((n, n))
    for winner, others in chosen:
        for loser in others:
            rate[loser, winner] += 1.0 / (len(others) + 1)
    np.fill_diagonal(rate, -rate.sum(axis=1))
    system = np.vstack([rate.T, np.ones(n)])
    share = np.linalg.lstsq(system, np.append(np.zeros(n), 1.0), rcond=None)[0]
    strength = np.log(share)
    return np.asarray(strength - strength.mean())


def _checked(n: int, chosen: Sequence[Choice]) -> list[tuple[int, list[int]]]:
    if not chosen:
        raise InputError("there are no choices; expected at least one")
    sets = []
    for number, (winner, others) in enumerate(chosen, start=1):
        members = [winner, *others]
        if len(set(members)) != len(members) or len(members) < 2 or not all(0 <= m < n for m in members):
            raise InputError(f"choice {number:,}: expected two or more different items numbered 0 to {n - 1}")
        sets.append((winner, members))
    return sets


def _require_connected(n: int, chosen: Sequence[Choice]) -> None:
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    pairs = [(winner, other) for winner, others in chosen for other in others]
    rows, columns = zip(*pairs, strict=True)
    graph = coo_matrix((np.ones(len(pairs)), (rows, columns)), shape=(n, n))
    count, label = connected_components(graph, directed=True, connection="strong")
    if count > 1:
        groups = [[int(k) for k in np.flatnonzero(label == part)] for part in range(count)]
        raise InputError(
            f"the items fall into {count} parts with results one way only ({groups}); give a ridge, or add rankings"
        )
