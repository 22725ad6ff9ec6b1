"""Which players the games connect. Where a group never meets the rest, or never loses to it, no data say how
far apart they are (Ford 1957): such graphs are refused with their parts named, unless a prior ties the parts
together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nlgauge.errors import InputError
from nlgauge.stats.skill.games import TIE, Games

SHOWN = 8  # names of a part that a message lists
REMEDY = "add games between them, rate the parts by themselves, or give a prior"


def parts(games: Games) -> list[list[str]]:
    """Groups of players that no game connects, the largest first; one group if all is well."""
    return _components(games, strong=False)


def dominance(games: Games) -> list[list[str]]:
    """Groups within which everybody can be reached from everybody over wins and ties, the largest first.

    More than one: some group has only ever beaten, or only ever lost to, the players outside it.
    """
    return _components(games, strong=True)


def _components(games: Games, *, strong: bool) -> list[list[str]]:
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    n = len(games.players)
    forward, backward = games.score >= TIE, games.score <= TIE
    rows = np.concatenate([games.first[forward], games.second[backward]])
    columns = np.concatenate([games.second[forward], games.first[backward]])
    graph = coo_matrix((np.ones(len(rows)), (rows, columns)), shape=(n, n))
    count, label = connected_components(graph, directed=strong, connection="strong" if strong else "weak")
    groups = [[games.players[k] for k in np.flatnonzero(label == part)] for part in range(count)]
    return sorted(groups, key=lambda group: (-len(group), group))


def require_connected(games: Games) -> None:
    """Refuse games that fall into parts which never meet, and a single player."""
    if len(games.players) < 2:
        raise InputError("there is one player only; expected at least two")
    groups = parts(games)
    if len(groups) > 1:
        raise InputError(
            f"the players fall into {len(groups)} parts that never meet: {_listed(groups)}; ratings of different "
            f"parts cannot be compared: {REMEDY}"
        )


def require_strongly_connected(games: Games) -> None:
    """Refuse also games in which one group has only beaten, or only lost to, the rest."""
    require_connected(games)
    groups = dominance(games)
    if len(groups) > 1:
        raise InputError(
            f"the players fall into {len(groups)} parts, and each pair of parts has results one way only: "
            f"{_listed(groups)}; the distance between the parts has no finite estimate: {REMEDY}"
        )


def _listed(groups: Sequence[Sequence[str]]) -> str:
    shown = [
        "{"
        + ", ".join(group[:SHOWN])
        + (f" and {len(group) - SHOWN} more" if len(group) > SHOWN else "")
        + "}"
        for group in groups[:SHOWN]
    ]
    return ", ".join(shown) + (f" and {len(groups) - SHOWN} more parts" if len(groups) > SHOWN else "")
