"""Places on the screen, and turns: each system as often in each place as its number of sets allows, and again soon.

Sets and systems are the two sides of a bipartite graph, a place is a colour of its edges. A system in r sets of k is
split into nodes of at most k edges each; by Kőnig's theorem (1916) k colours suffice so that no two edges of a node
have the same, hence each place holds the system ⌊r/k⌋ or ⌈r/k⌉ times. Found edge by edge with alternating paths.
"""

from __future__ import annotations

import numpy as np

from nlgauge.arrays import Ints
from nlgauge.study.designs.draws import Floats


def placed(sets: Ints, systems: int) -> Ints:
    """The same sets, each in an order such that systems are evenly spread over the places."""
    count, size = sets.shape
    if count == 1 or size == 1:
        return sets
    uses = [0] * systems
    nodes: dict[tuple[int, int], int] = {}
    colour = [[-1] * size for _ in range(count)]  # of a set: the node at each place
    at: list[list[int]] = []  # of a node: the set at each place
    owner: list[int] = []
    for number, members in enumerate(sets.tolist()):
        for system in members:
            name = (system, uses[system] // size)
            uses[system] += 1
            if name not in nodes:
                nodes[name] = len(at)
                at.append([-1] * size)
                owner.append(system)
            _colour(colour, at, number, nodes[name])
    return np.array([[owner[node] for node in row] for row in colour], dtype=np.int64)


def _colour(left: list[list[int]], right: list[list[int]], number: int, node: int) -> None:
    """Give the edge (set, node) a place, moving others along an alternating path if need be."""
    free, spare = left[number].index(-1), right[node].index(-1)
    if right[node][free] != -1:
        # follow free, spare, free, … from the node, then exchange the two colours along the path
        path, side, place, now = [], right, free, node
        while side[now][place] != -1:
            path.append((side, now, place))
            now, side, place = (
                side[now][place],
                (left if side is right else right),
                (spare if place == free else free),
            )
        edges = [(now, place, where[now][place], where is right) for where, now, place in path]
        for start, place, end, from_right in edges:
            one, other = (end, start) if from_right else (start, end)
            left[one][place] = right[other][place] = -1
        for start, place, end, from_right in edges:
            one, other = (end, start) if from_right else (start, end)
            changed = spare if place == free else free
            left[one][changed], right[other][changed] = other, one
    left[number][free], right[node][free] = node, number


def turns(sets: Ints, systems: int, chance: Floats) -> Ints:
    """An order of the sets in which every system comes again as soon as the others: the next set is always one whose
    systems have come least, most of all the one that has come most; `chance` decides between equals."""
    come = np.zeros(systems)
    cost = chance.copy()  # below 1, while the counts are whole
    found = np.empty(len(sets), dtype=np.int64)
    for turn in range(len(sets)):
        counts = come[sets]
        best = int(np.argmin(sets.shape[1] * 4 * counts.max(axis=1) + counts.sum(axis=1) + cost))
        found[turn] = best
        cost[best] = np.inf
        come[sets[best]] += 1
    return found
