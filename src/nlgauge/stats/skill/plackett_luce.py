"""Plackett–Luce strengths from rankings or choices out of a set: Bradley–Terry where each set has two members.

A ranking of k items is k − 1 choices of the best among those left. `plackett_luce` maximises the likelihood by
Newton's method (equal to choix.opt_rankings and opt_top1); `spectral` is the Luce spectral ranking of Maystre
and Grossglauser (2015), a consistent estimate in one step (choix.lsr_rankings, lsr_top1).

Luce's strengths from orders that are known in part: full rankings, or the best and the worst of a set.

An order is a list of groups, best first; whoever is in an earlier group was preferred to everybody in a later one, and
nothing is said within a group. Under Plackett and Luce's model texts arrive like the first ticks of clocks with rates
w = exp(strength), and a group G comes before the rest R with chance ∫ exp(−s) Π_G (1 − exp(−s·w_k / w_R)) ds, where
w_R is the sum of the rest: Luce's w / (w + w_R) for one member, else the sum over all orders within G (as for ties in
Kalbfleisch and Prentice 1973), here by the trapezoid rule in log s, which converges exponentially. So best–worst
choices are fitted as what they are, a first and a last place, without the pairs that nobody told. Newton's method; full
rankings give the estimates of `plackett_luce`, pairs those of Bradley and Terry.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nlgauge.arrays import Array, Ints
from nlgauge.errors import InputError
from nlgauge.stats.skill.graph import labels, strongly_connected

Order = Sequence[Sequence[int]]
STEPS, SMALL, LARGEST = 100, 1e-10, 25.0
NODES = np.arange(-36.0, 4.6, 0.3)  # logarithms of s; beyond them the integrand is below 1e-16 of its peak
_INFINITE = (
    "the strengths have no finite estimate: some systems were always preferred to the others, or never stood beside "
    "them; give a ridge (as 0.1), or gather more answers"
)


@dataclass(frozen=True)
class LuceOrders:
    """Log strengths that sum to 0, their covariance by the information, and each order's slope for the sandwich."""

    players: tuple[str, ...]
    strength: Array
    covariance: Array
    slopes: Array  # (orders, players)
    log_likelihood: float
    ridge: float
    n: int

    def sandwich(self, clusters: Ints) -> Array:
        """The covariance that stays right when orders of a cluster (a judge, an item) depend on each other."""
        return sandwiched(self.slopes, self.covariance, clusters)


def sandwiched(slopes: Array, bread: Array, clusters: Ints) -> Array:
    """bread · meat · bread, the meat from the clusters' summed slopes with C / (C − 1) for their number C."""
    names, cluster = np.unique(clusters, return_inverse=True)
    if len(names) < 2:
        raise InputError("a sandwich needs at least two clusters")
    sums = np.zeros((len(names), slopes.shape[1]))
    np.add.at(sums, cluster, slopes)
    return np.asarray(bread @ (sums.T @ sums) @ bread * len(names) / (len(names) - 1))


def luce_orders(players: Sequence[str], orders: Sequence[Order], *, ridge: float = 0.0) -> LuceOrders:
    """Fit; `ridge` is the precision of a normal prior, needed where someone always wins."""
    n = len(players)
    stages = _stages(n, orders)
    if not ridge and not _connected(n, orders):
        raise InputError(_INFINITE)
    theta, gauge = np.zeros(n), np.full((n, n), 1.0 / n)
    for _ in range(STEPS):
        _, slopes, information = _derivatives(theta, stages, len(orders))
        step = np.linalg.solve(information + gauge + ridge * np.eye(n), slopes.sum(axis=0) - ridge * theta)
        largest = float(np.abs(step).max())
        theta = theta + step * min(1.0, 2.0 / largest if largest else 1.0)
        if largest < SMALL:
            break
        if np.abs(theta).max() > LARGEST:
            raise InputError(_INFINITE)
    else:
        raise InputError(_INFINITE)
    value, slopes, information = _derivatives(theta, stages, len(orders))
    covariance = np.linalg.inv(information + gauge + ridge * np.eye(n))
    centre = np.eye(n) - 1.0 / n
    return LuceOrders(
        players=tuple(players),
        strength=np.asarray(theta - theta.mean()),
        covariance=np.asarray(centre @ covariance @ centre),
        slopes=slopes,
        log_likelihood=value,
        ridge=ridge,
        n=len(orders),
    )


@dataclass(frozen=True)
class _Stage:
    """Groups of one size before rests of one size: who, and of which order."""

    group: Ints  # (stages, size)
    rest: Ints
    order: Ints


def _stages(n: int, orders: Sequence[Order]) -> list[_Stage]:
    if not orders:
        raise InputError("there are no orders; expected at least one")
    rows: dict[tuple[int, int], list[tuple[list[int], list[int], int]]] = {}
    for number, order in enumerate(orders):
        members = [k for group in order for k in group]
        if len(order) < 2 or len(set(members)) != len(members) or not all(0 <= k < n for k in members):
            raise InputError(
                f"order {number + 1:,}: expected two or more groups of different players numbered 0 to {n - 1}"
            )
        left = len(members)
        start = 0
        for group in order[:-1]:
            start += len(group)
            rows.setdefault((len(group), left - start), []).append((list(group), members[start:], number))
    return [
        _Stage(*(np.array(column, dtype=np.int64) for column in zip(*found, strict=True))) for found in rows.values()
    ]


def _connected(n: int, orders: Sequence[Order]) -> bool:
    arrows = {
        (better, worse)
        for order in orders
        for place, group in enumerate(order)
        for better in group
        for later in order[place + 1 :]
        for worse in later
    }
    sources, targets = (np.array(column, dtype=np.int64) for column in zip(*arrows, strict=True))
    return strongly_connected(sources, targets, n)


def _derivatives(theta: Array, stages: Sequence[_Stage], orders: int) -> tuple[float, Array, Array]:
    """Log-likelihood, slopes of each order (orders, players), and the information."""
    n = len(theta)
    value, slopes, information = 0.0, np.zeros((orders, n)), np.zeros((n, n))
    for stage in stages:
        rest = theta[stage.rest]
        top = rest.max(axis=1, keepdims=True)
        weight = np.exp(rest - top)
        total = weight.sum(axis=1, keepdims=True)
        share = weight / total
        odds = theta[stage.group] - (top + np.log(total))  # log w_k / w_R
        found, slope, bend = _before(odds)
        value += float(found.sum())
        row = stage.order[:, None]
        np.add.at(slopes, (row, stage.group), slope)
        sum_slope = slope.sum(axis=1)
        np.add.at(slopes, (row, stage.rest), -sum_slope[:, None] * share)
        across = bend.sum(axis=2)
        whole = across.sum(axis=1)
        spread = share[:, :, None] * share[:, None, :]
        diagonal = np.einsum("ti,ij->tij", share, np.eye(share.shape[1]))
        rest_bend = whole[:, None, None] * spread - sum_slope[:, None, None] * (diagonal - spread)
        mixed = -across[:, :, None] * share[:, None, :]
        g, r = stage.group, stage.rest
        np.subtract.at(information, (g[:, :, None], g[:, None, :]), bend)
        np.subtract.at(information, (r[:, :, None], r[:, None, :]), rest_bend)
        np.subtract.at(information, (g[:, :, None], r[:, None, :]), mixed)
        np.subtract.at(information, (r[:, :, None], g[:, None, :]), np.swapaxes(mixed, 1, 2))
    return value, slopes, information


def _before(odds: Array) -> tuple[Array, Array, Array]:
    """log P(group before rest), its slopes and second derivatives by the log odds (stages, size)."""
    if odds.shape[1] == 1:
        chance = 0.5 * (1.0 - np.tanh(0.5 * odds))  # of the rest
        return -np.logaddexp(0.0, -odds)[:, 0], chance, (-chance * (1.0 - chance))[:, :, None]
    z = np.exp(odds[:, :, None] + NODES)  # (stages, size, nodes)
    small = -np.expm1(-z)
    with np.errstate(over="ignore"):
        g = np.where(z > 500, 0.0, z / np.expm1(np.minimum(z, 500)))
    height = NODES - np.exp(NODES) + np.log(small).sum(axis=1)
    top = height.max(axis=1, keepdims=True)
    weight = np.exp(height - top)
    total = weight.sum(axis=1, keepdims=True)
    value = (top + np.log(total))[:, 0] + np.log(NODES[1] - NODES[0])
    p = weight / total
    slope = np.einsum("tq,tkq->tk", p, g)
    bend = np.einsum("tq,tkq,tlq->tkl", p, g, g) - slope[:, :, None] * slope[:, None, :]
    own = np.einsum("tq,tkq->tk", p, g * (1.0 - z - g))
    return value, slope, bend + np.einsum("tk,kl->tkl", own, np.eye(odds.shape[1]))


Choice = tuple[int, Sequence[int]]  # who was chosen, and the others of the set


def choices(rankings: Sequence[Sequence[int]]) -> list[Choice]:
    """Rankings (best first) as choices of the best among those left."""
    return [(ranking[k], ranking[k + 1 :]) for ranking in rankings for k in range(len(ranking) - 1)]


def plackett_luce(n: int, chosen: Sequence[Choice], *, ridge: float = 0.0) -> Array:
    """Log strengths that sum to 0; `ridge` is the precision of a normal prior on each.

    Args:
        n: how many players there are
        chosen: the choices: who was preferred, and to whom
        ridge: precision of a normal prior on the log strengths

    >>> from nlgauge.stats.skill import plackett_luce
    >>> chosen = [(0, [1, 2]), (1, [2]), (0, [2]), (2, [0])]  # player 0 of three, then 1 of two
    >>> [round(float(strength), 3) for strength in plackett_luce(3, chosen)]
    [0.501, 0.096, -0.597]
    """
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
    winners, others = np.array([(winner, other) for winner, rest in chosen for other in rest]).T
    count, label = labels(winners, others, n, strong=True)
    if count > 1:
        groups = [[int(k) for k in np.flatnonzero(label == part)] for part in range(count)]
        raise InputError(
            f"the items fall into {count} parts with results one way only ({groups}); give a ridge, or add rankings"
        )
