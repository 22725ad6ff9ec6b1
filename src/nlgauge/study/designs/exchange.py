"""Nearly balanced sets by exchange: two sets swap a system each, if it brings the pairs' counts together.

Interchange of treatments between blocks is the step of Jones and Eccleston (1980); worse swaps are accepted with a
chance that falls (annealing), so that the search leaves local optima. It starts from sets in which the systems are
equally frequent, which swapping keeps, and ends when no pair's count differs from another's by more than one. It has
no seed: the sets are a function of the three numbers.
"""

from __future__ import annotations

from math import exp
from random import Random

import numpy as np

from nlgauge.arrays import Ints
from nlgauge.study.designs.draws import Draws
from nlgauge.study.designs.stream import deal

STEPS = 40_000
STARTS = 5


def exchange(systems: int, size: int, count: int) -> Ints:
    """`count` sets of `size` systems: the best of a few starts, which have no set twice if possible."""
    best: tuple[int, int] | None = None
    found = np.zeros((0, size), dtype=np.int64)
    for start in range(STARTS):
        drawn, _, _ = deal([np.arange(systems)], 1, size, count, Draws(start, f"{systems}/{size}/{count}"))
        sets: list[list[int]] = drawn.tolist()
        excess = 0
        if size < systems and count > 1 and size > 1:
            excess = _anneal(sets, systems, Random(f"{systems}/{count}/{size}/{start}"))
        made = np.sort(np.array(sets, dtype=np.int64), axis=1)
        fault = (count - len(np.unique(made, axis=0)), excess)
        if best is None or fault < best:
            best, found = fault, made
        if not any(fault):
            break
    return found


def _anneal(sets: list[list[int]], systems: int, random: Random) -> int:
    """Exchange in place; the excess of the squared pair counts over the smallest there could be."""
    chance = random.random
    count, size = len(sets), len(sets[0])
    met = [[0] * systems for _ in range(systems)]
    for members in sets:
        for one in members:
            for other in members:
                if one != other:
                    met[one][other] += 1
    pairs = systems * (systems - 1) // 2
    total = count * size * (size - 1) // 2
    low, more = divmod(total, pairs)
    excess = sum(met[i][j] ** 2 for i in range(systems) for j in range(i)) - (
        (pairs - more) * low**2 + more * (low + 1) ** 2
    )
    heat, best, kept = 1.0, excess, [list(members) for members in sets]
    for _ in range(STEPS):
        if excess == 0:
            return 0
        heat = max(heat * 0.9999, 0.15)
        first, second = sets[int(chance() * count)], sets[int(chance() * count)]
        here, there = int(chance() * size), int(chance() * size)
        out, into = first[here], second[there]
        if into in first or out in second:
            continue
        # `into` comes to the rest of the first set, `out` to the rest of the second
        change = 0
        for mate in first:
            if mate != out:
                change += met[into][mate] - met[out][mate] + 1
        for mate in second:
            if mate != into:
                change += met[out][mate] - met[into][mate] + 1
        shared = sum(1 for mate in first if mate != out and mate in second)
        change = 2 * (change - 2 * shared)
        if change <= 0 or chance() < exp(-change / 2 / heat):
            _swap(met, first, second, here, there)
            excess += change
            if excess < best:
                best, kept = excess, [list(members) for members in sets]
    sets[:] = kept
    return best


def _swap(met: list[list[int]], first: list[int], second: list[int], here: int, there: int) -> None:
    out, into = first[here], second[there]
    for members, gone, come in ((first, out, into), (second, into, out)):
        for mate in members:
            if mate != gone:
                met[gone][mate] -= 1
                met[mate][gone] -= 1
                met[come][mate] += 1
                met[mate][come] += 1
    first[here], second[there] = into, out
