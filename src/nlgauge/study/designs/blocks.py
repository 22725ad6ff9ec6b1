"""Which systems stand together on a screen: balanced incomplete blocks, and what comes nearest to them.

A balanced incomplete block design (Yates 1936) has every system in equally many sets and every pair of systems together
in λ of them. `blocks` gives the smallest it finds: all systems at once, difference families developed over Z_v (with a
short orbit where needed) or Z_{v-1} and a fixed point (Bose 1939), complements, an exchange search, or all sets of that
size. Where none is small enough, the exchange search gives sets in which systems are equally frequent and pairs nearly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations
from math import comb, exp
from random import Random

import numpy as np

from nlgauge.arrays import Ints
from nlgauge.errors import InputError, counted
from nlgauge.study.designs.draws import Draws, Floats, deal

STEPS = 40_000
STARTS = 5


def exchange(systems: int, size: int, count: int) -> Ints:
    """`count` sets of `size` systems, nearly balanced: the best of a few starts, which have no set twice if possible.

    Two sets swap a system each, if it brings the pairs' counts together. Interchange of treatments between blocks is
    the step of Jones and Eccleston (1980); worse swaps are accepted with a chance that falls (annealing), so that the
    search leaves local optima. It starts from sets in which the systems are equally frequent, which swapping keeps, and
    ends when no pair's count differs from another's by more than one. It has no seed: the sets are a function of the
    three numbers.
    """
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
    for member, other in (pair for members in sets for pair in permutations(members, 2)):
        met[member][other] += 1
    pairs = systems * (systems - 1) // 2
    low, more = divmod(count * size * (size - 1) // 2, pairs)
    least = (pairs - more) * low**2 + more * (low + 1) ** 2
    excess = sum(met[i][j] ** 2 for i in range(systems) for j in range(i)) - least
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
        change = sum(met[into][mate] - met[out][mate] + 1 for mate in first if mate != out)
        change += sum(met[out][mate] - met[into][mate] + 1 for mate in second if mate != into)
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


def placed(sets: Ints, systems: int) -> Ints:
    """The same sets, each in an order such that systems are evenly spread over the places.

    Sets and systems are the two sides of a bipartite graph, a place is a colour of its edges. A system in r sets of k
    is split into nodes of at most k edges each; by Kőnig's theorem (1916) k colours suffice so that no two edges of a
    node have the same, hence each place holds the system ⌊r/k⌋ or ⌈r/k⌉ times. Found edge by edge with alternating
    paths.
    """
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
            now, side = side[now][place], left if side is right else right
            place = spare if place == free else free
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


MOST_SETS = 80  # an exact design with more sets is not looked for, unless so many are asked for
MOST_BASES = 30_000  # candidates of a difference family
MOST_STEPS = 3_000  # of the search for one


@dataclass(frozen=True, eq=False)
class Blocks:
    """Sets of systems; the place within a set is balanced too."""

    systems: int
    sets: Ints  # (sets, places)
    method: str

    @property
    def pairs(self) -> Ints:
        """How often each two systems meet, by pair (i < j)."""
        met = np.zeros((self.systems, self.systems), dtype=np.int64)
        for one, other in combinations(range(self.sets.shape[1]), 2):
            np.add.at(met, (self.sets[:, one], self.sets[:, other]), 1)
        found: Ints = (met + met.T)[np.triu_indices(self.systems, 1)]
        return found

    @property
    def exact(self) -> bool:
        """Whether every system is in equally many sets and every pair in equally many."""
        uses = np.bincount(self.sets.ravel(), minlength=self.systems)
        pairs = self.pairs
        return bool(uses.min() == uses.max() and (not len(pairs) or pairs.min() == pairs.max()))

    def __str__(self) -> str:
        count, size = self.sets.shape
        if size == self.systems:
            return f"all {self.systems} systems on every screen"
        if size == 1:
            return f"one of {self.systems} systems on every screen"
        pairs = self.pairs
        if self.exact:
            return (
                f"balanced incomplete blocks ({self.method}): {count} sets of {size} of the {self.systems} systems, "
                f"every two systems together in {pairs[0]}"
            )
        uses = np.bincount(self.sets.ravel(), minlength=self.systems)
        return (
            f"nearly balanced blocks ({self.method}): {count} sets of {size} of the {self.systems} systems, "
            f"each system in {_span(uses)}, every two systems together in {_span(pairs)}"
        )


def _span(counts: Ints) -> str:
    low, high = int(counts.min()), int(counts.max())
    return f"{low}" if low == high else f"{low} to {high}"


@lru_cache(maxsize=256)
def blocks(systems: int, size: int, count: int = 0) -> Blocks:
    """Sets of `size` systems: `count` of them, or as many as the smallest balanced design needs."""
    if not 1 <= size <= systems:
        raise InputError(
            f"per_screen is {size}, but there {'is' if systems == 1 else 'are'} {counted(systems, 'system')}; give a "
            f"number from 1 to {systems}"
        )
    if count > comb(systems, size):
        raise InputError(
            f"there are {comb(systems, size)} different sets of {size} of {systems} systems, not {count}; "
            f"give at most {comb(systems, size)}, or leave sets out"
        )
    if count and (count * (size - 1) < systems - 1 or count * size < systems):
        least = max(-(-(systems - 1) // max(size - 1, 1)), -(-systems // size))
        raise InputError(
            f"{count} sets of {size} cannot connect {systems} systems; give at least {least} sets, or leave sets out"
        )
    sets, method = _smallest(systems, size, count)
    return Blocks(systems, placed(sets, systems), method)


def _smallest(systems: int, size: int, count: int) -> tuple[Ints, str]:
    if size == systems:
        return np.arange(systems)[None, :], "complete"
    if size == 1 and count in (0, systems):
        return np.arange(systems)[:, None], "single"
    if 2 * size > systems and size > 2:
        others, method = _smallest(systems, systems - size, count)
        inside = np.ones((len(others), systems), dtype=bool)
        np.put_along_axis(inside, others, False, axis=1)
        return np.nonzero(inside)[1].reshape(len(others), size), f"complement, {method}"
    for wanted, meet in _sizes(systems, size, count or max(MOST_SETS, 2 * systems)):
        if count and wanted != count:
            continue
        found = _exact(systems, size, wanted, meet)
        if found is not None:
            return found
    return exchange(systems, size, count or 2 * systems), "exchange search"


def _sizes(systems: int, size: int, most: int) -> Iterator[tuple[int, int]]:
    """Numbers of sets, and how often pairs meet, that the arithmetic of a balanced design allows."""
    for meet in range(1, comb(systems - 2, size - 2) + 1 if size > 1 else 1):
        uses, rest = divmod(meet * (systems - 1), size - 1)
        wanted, rest_of_sets = divmod(systems * uses, size)
        if wanted > most:
            return
        if not rest and not rest_of_sets and wanted >= systems:  # Fisher's inequality
            yield wanted, meet


def _exact(systems: int, size: int, wanted: int, meet: int) -> tuple[Ints, str] | None:
    if wanted == comb(systems, size):
        return np.array(list(combinations(range(systems), size)), dtype=np.int64), "all sets"
    for orbits, method in (
        (_cyclic(systems, size, wanted, meet), "cyclic"),
        (_rotational(systems, size, wanted, meet), "1-rotational"),
    ):
        if orbits is not None:
            return np.array(orbits, dtype=np.int64), method
    if wanted * size <= 160:
        found = exchange(systems, size, wanted)
        if Blocks(systems, found, "").exact and len(np.unique(found, axis=0)) == wanted:
            return found, "exchange search"
    return None


def _cyclic(systems: int, size: int, wanted: int, meet: int) -> list[list[int]] | None:
    """Base sets developed over Z_v; where the size divides v perhaps with the cosets of its subgroup."""
    short = systems // size if systems % size == 0 else 0
    for cosets in (0, 1) if short else (0,):
        full, rest = divmod(wanted - cosets * short, systems)
        if rest or cosets > meet or wanted < cosets * short:
            continue
        covered = [0] * (systems // 2 + 1)
        for multiple in range(short, systems // 2 + 1, short) if short else ():
            covered[multiple] = cosets
        bases = _family([size] * full, systems, meet, covered)
        if bases is not None:
            own = [sorted((x + t) % systems for x in base) for base in bases for t in range(systems)]
            coset = [[t + short * i for i in range(size)] for t in range(short)]
            return own + coset[: cosets * short]
    return None


def _rotational(systems: int, size: int, wanted: int, meet: int) -> list[list[int]] | None:
    """Base sets developed over Z_{v-1}, some with one point that stays."""
    order = systems - 1
    bases, rest = divmod(wanted, order)
    fixed, rest_of_fixed = divmod(meet, size - 1)
    if rest or rest_of_fixed or not 0 < fixed <= bases or size < 3:
        return None
    family = _family([size - 1] * fixed + [size] * (bases - fixed), order, meet, [0] * (order // 2 + 1))
    if family is None:
        return None
    return [
        sorted((x + t) % order for x in base) + ([order] if len(base) < size else [])
        for base in family
        for t in range(order)
    ]


def _family(sizes: list[int], order: int, meet: int, covered: list[int]) -> list[list[int]] | None:
    """Base sets of Z_n whose differences are each covered `meet` times, by backtracking; None: none was found.

    Sets with the same differences are one choice, which may be made as often as there are such sets. The next choice
    always covers the first difference that lacks something; of several such choices in a row the later are not earlier
    in the list, since their order does not matter.
    """
    known: dict[int, tuple[list[Ints], Ints]] = {}
    for size in set(sizes):
        listed = _differences(size, order)
        if listed is None:
            return None
        known[size] = listed
    steps = 0

    def extend(done: list[tuple[int, int]], lacking: Ints, last: tuple[int, int, int]) -> bool:
        nonlocal steps
        steps += 1
        if steps > MOST_STEPS:
            return False
        if len(done) == len(sizes) or not lacking.any():
            return len(done) == len(sizes) and not lacking.any()
        size, first = sizes[len(done)], int(np.flatnonzero(lacking)[0])
        alike, vectors = known[size]
        fits = np.flatnonzero((vectors <= lacking).all(axis=1) & (vectors[:, first] > 0))
        for number in fits.tolist():
            if (size, first) == last[:2] and number < last[2]:
                continue
            if done.count((size, number)) == len(alike[number]):
                continue
            done.append((size, number))
            if extend(done, lacking - vectors[number], (size, first, number)):
                return True
            done.pop()
        return False

    chosen: list[tuple[int, int]] = []
    if not extend(chosen, meet - np.array(covered[1:]), (0, -1, 0)):
        return None
    return [
        known[size][0][number][chosen[:place].count((size, number))].tolist()
        for place, (size, number) in enumerate(chosen)
    ]


@lru_cache(maxsize=64)
def _differences(size: int, order: int) -> tuple[list[Ints], Ints] | None:
    """Sets of Z_n, one of each orbit of full length, by their differences; None: too many to list.

    The differences are how often each of 1 … n/2 is one.
    """
    if comb(order - 1, size - 1) > MOST_BASES:
        return None
    sets = np.array([(0, *rest) for rest in combinations(range(1, order), size - 1)], dtype=np.int64)
    power = order ** np.arange(size - 1, -1, -1)
    shifted = np.stack([np.sort((sets - sets[:, [j]]) % order, axis=1) @ power for j in range(size)])
    smallest = shifted == shifted.min(axis=0)
    sets = sets[smallest[0] & (smallest.sum(axis=0) == 1)]
    vectors = np.zeros((len(sets), order // 2 + 1), dtype=np.int64)
    for one, other in combinations(range(size), 2):
        apart = sets[:, other] - sets[:, one]
        np.add.at(vectors, (np.arange(len(sets)), np.minimum(apart, order - apart)), 1)
    if order % 2 == 0:
        vectors[:, -1] *= 2  # pairs that far apart have an orbit of half the length
    different, which = np.unique(vectors[:, 1:], axis=0, return_inverse=True)
    return [sets[which.ravel() == number] for number in range(len(different))], different
