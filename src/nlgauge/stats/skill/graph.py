"""Which players the games connect. Where a group never meets the rest, or never loses to it, no data say how
far apart they are (Ford 1957): such graphs are refused with their parts named, unless a prior ties the parts
together.

Circular triads (Kendall and Babington Smith 1940): a preferred to b, b to c, and c to a.

Whoever tosses a coin is circular in one triad of four; a judge with one scale in mind never is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array, Ints
from nlgauge.errors import InputError, option
from nlgauge.jsonable import Jsonable
from nlgauge.stats.discrimination.binomial import at_most
from nlgauge.stats.skill.games import TIE, Games

DENSE = 1 << 20  # cells of a table of arrows that is filled directly
SHOWN = 8  # names of a part that a message lists


def parts(games: Games) -> list[list[str]]:
    """Groups of players that no game connects, the largest first; one group if all is well.

    Args:
        games: the games, as `Games.of` makes them

    >>> from nlgauge.stats.skill import Games, parts
    >>> games = Games.of(a=["x", "y", "x", "z", "x"], b=["y", "z", "z", "x", "y"], outcome=["a", "a", "tie", "b", "b"])
    >>> parts(games)
    [['x', 'y', 'z']]
    """
    return _components(games, strong=False)


def dominance(games: Games) -> list[list[str]]:
    """Groups within which everybody can be reached from everybody over wins and ties, the largest first.

    More than one: some group has only ever beaten, or only ever lost to, the players outside it.

    Args:
        games: the games, as `Games.of` makes them

    >>> from nlgauge.stats.skill import Games, dominance
    >>> games = Games.of(a=["x", "y", "x", "z", "x"], b=["y", "z", "z", "x", "y"], outcome=["a", "a", "tie", "b", "b"])
    >>> dominance(games)
    [['x', 'y', 'z']]
    """
    return _components(games, strong=True)


def _arrows(games: Games) -> tuple[Ints, Ints]:
    """From the winner to the loser of each game; a tie points both ways."""
    forward, backward = games.score >= TIE, games.score <= TIE
    return (
        np.concatenate([games.first[forward], games.second[backward]]),
        np.concatenate([games.second[forward], games.first[backward]]),
    )


def strongly_connected(sources: Ints, targets: Ints, n: int) -> bool:
    """Whether arrows lead from everybody to everybody: all are reached from the first, along and against them."""
    if n * n > DENSE:
        return labels(sources, targets, n, strong=True)[0] == 1
    follows = np.zeros((n, n), dtype=bool)
    follows[sources, targets] = True
    return _reaches_all(follows) and _reaches_all(follows.T)


def _reaches_all(follows: NDArray[np.bool_]) -> bool:
    reached = np.zeros(len(follows), dtype=bool)
    reached[0] = True
    while True:
        grown = reached | follows[reached].any(axis=0)
        if (grown == reached).all():
            return bool(reached.all())
        reached = grown


def labels(sources: Ints, targets: Ints, n: int, *, strong: bool) -> tuple[int, Ints]:
    """How many parts arrows connect, and the part of each player."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    graph = coo_matrix((np.ones(len(sources)), (sources, targets)), shape=(n, n))
    count, label = connected_components(graph, directed=strong, connection="strong" if strong else "weak")
    return int(count), label


def _components(games: Games, *, strong: bool) -> list[list[str]]:
    count, label = labels(*_arrows(games), len(games.players), strong=strong)
    groups = [[games.players[k] for k in np.flatnonzero(label == part)] for part in range(count)]
    return sorted(groups, key=lambda group: (-len(group), group))


def never_meet(games: Games) -> str:
    """Which parts of the players never meet, in words; empty where all are connected. One player is refused."""
    if len(games.players) < 2:
        raise InputError("there is one player only; expected at least two")
    groups = parts(games)
    return f"the players fall into {len(groups)} parts that never meet: {_listed(groups)}" if len(groups) > 1 else ""


def incomparable(told: str, otherwise: str) -> str:
    """The refusal of parts that never meet; `otherwise` is what rates them nevertheless."""
    return f"{told}; ratings of different parts cannot be compared: {_remedy(otherwise)}"


def _remedy(otherwise: str) -> str:
    return f"add games between them, rate the parts by themselves, or {otherwise}"


def require_connected(games: Games) -> None:
    """Refuse games that fall into parts which never meet, and a single player."""
    told = never_meet(games)
    if told:
        raise InputError(incomparable(told, f"give a prior ({option('ridge')})"))


def require_strongly_connected(games: Games) -> None:
    """Refuse also games in which one group has only beaten, or only lost to, the rest."""
    if len(games.players) < 2 or not strongly_connected(*_arrows(games), len(games.players)):
        require_connected(games)
        groups = dominance(games)
        raise InputError(
            f"the players fall into {len(groups)} parts, and each pair of parts has results one way only: "
            f"{_listed(groups)}; the distance between the parts has no finite estimate: "
            f"{_remedy('give a prior (' + option('ridge') + ')')}"
        )


def _listed(groups: Sequence[Sequence[str]]) -> str:
    shown = [
        "{" + ", ".join(group[:SHOWN]) + (f" and {len(group) - SHOWN} more" if len(group) > SHOWN else "") + "}"
        for group in groups[:SHOWN]
    ]
    return ", ".join(shown) + (f" and {len(groups) - SHOWN} more parts" if len(groups) > SHOWN else "")


CHANCE = 0.25


@dataclass(frozen=True)
class Triads(Jsonable):
    """How many of the triads that were judged in full, without ties, are circular."""

    KEYS = "..., p"

    circular: int
    complete: int

    @property
    def p(self) -> float:
        """The chance that coins give as few; triads are taken as independent."""
        return float(at_most(self.circular, self.complete, CHANCE)) if self.complete else float("nan")

    def __add__(self, other: Triads) -> Triads:
        return Triads(self.circular + other.circular, self.complete + other.complete)

    def __str__(self) -> str:
        if not self.complete:
            return "no triad was judged in full"
        return f"{self.circular:,} of {self.complete:,} triads are circular (coins: 25 %)"


def triads(preferred: Iterable[tuple[str, str]]) -> Triads:
    """The triads of one judge and item: pairs (better, worse), each pair once; a pair told both ways is none."""
    wins = set(preferred)
    clear = {pair for pair in wins if pair[::-1] not in wins}
    names = sorted({name for pair in clear for name in pair})
    found = Triads(0, 0)
    for three in combinations(names, 3):
        won = [sum((player, other) in clear for other in three) for player in three]
        if sum(won) == 3:
            found += Triads(int(won == [1, 1, 1]), 1)
    return found


def majority_triads(points: Array) -> Triads:
    """The triads of systems by who won more than half of the points against whom (NaN where two never met)."""
    n = len(points)
    names = [str(k) for k in range(n)]
    return triads((names[i], names[j]) for i in range(n) for j in range(n) if np.nan_to_num(points[i, j], nan=0) > 0.5)
