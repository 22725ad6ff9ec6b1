"""A few pairs of systems for each item: enough to connect them all, each system and each pair equally often.

An item's pairs begin with a path through all systems (a zigzag, Walecki's decomposition of the complete graph into
paths); the rest are the pairs used least so far among systems that the item does not have more often than others.
"""

from __future__ import annotations

import numpy as np

from nlgauge.arrays import Ints
from nlgauge.study.designs.draws import Draws
from nlgauge.study.designs.squares import zigzag

PERIOD = 600  # items after which the choice begins again


def pairings(sets: Ints, systems: int, each: int, items: int, draws: Draws) -> Ints:
    """For each item the numbers of its pairs, (items, each); `sets` are all pairs."""
    number = np.zeros((systems, systems), dtype=np.int64)
    number[sets[:, 0], sets[:, 1]] = number[sets[:, 1], sets[:, 0]] = np.arange(len(sets))
    paths = _paths(systems, number)
    used = np.zeros(len(sets))
    found = np.empty((min(items, PERIOD), each), dtype=np.int64)
    for item in range(len(found)):
        chance = draws.shares(f"pairs {item}", len(sets) + 1)
        path = paths[int(np.argmin(used[paths].sum(axis=1) + chance[: len(paths)]))]
        chosen = np.zeros(len(sets), dtype=bool)
        chosen[path] = True
        degree = np.bincount(sets[path].ravel(), minlength=systems)
        for _ in range(each - len(path)):
            too_often = np.maximum(degree[sets].max(axis=1) - degree.min() - 1, 0)
            cost = 1e6 * too_often + used + degree[sets].sum(axis=1) + chance[:-1]
            best = int(np.argmin(np.where(chosen, np.inf, cost)))
            chosen[best] = True
            degree[sets[best]] += 1
        used[chosen] += 1
        found[item] = np.flatnonzero(chosen)[draws.order(f"pair order {item}", each)]
    return found[draws.order("pairs of items", items) % len(found)]


def _paths(systems: int, number: Ints) -> Ints:
    """Paths through all systems, as numbers of pairs, which together hold each pair equally often.

    The zigzag shifted through half of the systems holds each pair once where their number is even; where it is odd,
    shifted through all of them, twice.
    """
    shifts = systems // 2 if systems % 2 == 0 else systems
    path = (zigzag(systems) + np.arange(shifts)[:, None]) % systems
    found: Ints = number[path[:, :-1], path[:, 1:]]
    return found
