"""Moving words: the exact transportation problem, and Word Mover's Distance with its bounds (Kusner et al. 2015).

The solver is a network simplex on a tree over rows, which send, and columns, which receive. Each row sends a trifle
more, all of which goes to the last column, so that no two ways of leaving the tree tie and no pivot stands still;
costs and flows are those of the true amounts. Sums are taken in the order of native/transport.cpp.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array, Ints

TRIFLE = 1e-9  # of what a row has on the average
TOLERANCE = 1e-11  # of the largest cost
BLOCK = 4  # rows priced before the best entry found is taken
LANES = 8  # sums kept apart in a distance

Words = NDArray[np.int32]


@dataclass
class Transport:
    """The cheapest flow from `supply` to `demand`, which add up to the same."""

    costs: list[list[float]]
    supply: list[float]
    demand: list[float]
    price: list[float] = field(init=False)
    total: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self.rows, self.columns = len(self.supply), len(self.demand)
        nodes = self.rows + self.columns
        self.price = [0.0] * nodes
        if not self.rows or not self.columns:
            return
        self.carried = [0.0] * nodes
        self.above, self.depth = [-1] * nodes, [0] * nodes
        self.children: list[list[int]] = [[] for _ in range(nodes)]  # the last one hung comes first
        self._hang(self._first_flow())
        self._at = 0
        left = 1000 * nodes
        while (entering := self._entering()) is not None:
            if left == 0:
                raise RuntimeError("a transportation problem did not come to an end")
            left -= 1
            self._pivot(*entering)
        for amount, price in zip([*self.supply, *self.demand], self.price, strict=True):
            self.total += amount * price

    def _first_flow(self) -> list[tuple[int, int, float]]:
        """Each row to its cheapest columns that still want something; rows with most to lose by waiting go first."""
        whole = 0.0
        for amount in self.supply:
            whole += amount
        trifle = TRIFLE * whole / self.rows
        left = [amount + trifle for amount in self.supply]
        wanted = list(self.demand)
        wanted[-1] += self.rows * trifle
        cheapest = [min(row[j] for row in self.costs) for j in range(self.columns)]
        self.largest = max(0.0, *(max(row) for row in self.costs))
        dearer = []
        for row in self.costs:
            more = sorted(cost - low for cost, low in zip(row, cheapest, strict=True))
            dearer.append(more[1] - more[0] if len(more) > 1 else 0.0)
        open_, edges = list(range(self.columns)), []
        for i in sorted(range(self.rows), key=lambda row: -dearer[row]):
            while True:
                best = min(range(len(open_)), key=lambda k: self.costs[i][open_[k]] - cheapest[open_[k]])
                j = open_[best]
                if len(open_) == 1 or wanted[j] >= left[i]:
                    edges.append((i, j, left[i]))
                    wanted[j] -= left[i]
                    break
                edges.append((i, j, wanted[j]))
                left[i] -= wanted[j]
                open_[best] = open_[-1]
                open_.pop()
        return edges

    def _cost(self, a: int, b: int) -> float:
        return self.costs[a][b - self.rows] if a < self.rows else self.costs[b][a - self.rows]

    def _hang(self, edges: Sequence[tuple[int, int, float]]) -> None:
        """The tree of the first flow on row 0, and prices: those of an edge's ends add up to its cost."""
        beside: list[list[tuple[int, float]]] = [[] for _ in self.price]
        for row, column, amount in edges:
            beside[row].append((self.rows + column, amount))
            beside[self.rows + column].append((row, amount))
        stack = [0]
        while stack:
            node = stack.pop()
            for other, amount in reversed(beside[node]):
                if other == self.above[node]:
                    continue
                self._link(other, node)
                self.depth[other] = self.depth[node] + 1
                self.carried[other] = amount
                self.price[other] = self._cost(node, other) - self.price[node]
                stack.append(other)

    def _link(self, node: int, below: int) -> None:
        self.above[node] = below
        self.children[below].insert(0, node)

    def _entering(self) -> tuple[int, int] | None:
        """An entry that costs less than its prices; None where there is none, and the flow is the cheapest."""
        prices = self.price[self.rows :]
        least, found, block = -TOLERANCE * self.largest, None, 0
        for _ in range(self.rows):
            row = self._at
            reduced = [cost - price for cost, price in zip(self.costs[row], prices, strict=True)]
            low = min(reduced)
            if low - self.price[row] < least:
                least = low - self.price[row]
                found = (row, reduced.index(low))
            self._at = 0 if row + 1 == self.rows else row + 1
            block += 1
            if block >= BLOCK:
                if found is not None:
                    return found
                block = 0
        return found

    def _pivot(self, row: int, entering_column: int) -> None:
        """Sends along the new edge, and back around the cycle it closes, as much as an edge there lets go of.

        Going up from the new edge's row, rows send less and columns get more; from its column the reverse.
        """
        column = self.rows + entering_column
        amount, leaving, below_row = math.inf, -1, False
        a, b = row, column
        while a != b:
            if self.depth[a] >= self.depth[b]:
                if a < self.rows and self.carried[a] < amount:
                    amount, leaving, below_row = self.carried[a], a, True
                a = self.above[a]
            else:
                if b >= self.rows and self.carried[b] < amount:
                    amount, leaving, below_row = self.carried[b], b, False
                b = self.above[b]
        for start, less in ((row, True), (column, False)):
            node = start
            while node != a:
                self.carried[node] += -amount if (node < self.rows) == less else amount
                node = self.above[node]
        node, below = (row, column) if below_row else (column, row)
        shift = self._cost(node, below) - self.price[below] - self.price[node]
        self._move(node, below, leaving, amount)
        stack = [node]
        while stack:
            next_ = stack.pop()
            self.price[next_] += shift if (next_ < self.rows) == (node < self.rows) else -shift
            self.depth[next_] = self.depth[self.above[next_]] + 1
            stack += self.children[next_]

    def _move(self, node: int, below: int, last: int, amount: float) -> None:
        """Hangs `node` below another, and what was above it, up to `last`, upside down below it."""
        while True:
            above, carried = self.above[node], self.carried[node]
            self.children[above].remove(node)
            self._link(node, below)
            self.carried[node] = amount
            if node == last:
                return
            below, node, amount = node, above, carried

    def flows(self) -> Array:
        """What each row sends to each column: the tree tells where, and how much follows from the leaves up."""
        out = np.zeros((self.rows, self.columns))
        if not self.rows or not self.columns:
            return out
        balance = [*self.supply, *(-amount for amount in self.demand)]
        down = [0]
        for node in down:
            down += self.children[node]
        for node in reversed(down[1:]):
            above = self.above[node]
            balance[above] += balance[node]
            if node < self.rows:
                out[node, above - self.rows] = max(0.0, balance[node])
            else:
                out[above, node - self.rows] = max(0.0, -balance[node])
        return out


def transport(costs: Array, supply: Array, demand: Array) -> tuple[float, Array]:
    """The cost of the cheapest flow from rows to columns, and what each row sends to each column."""
    table = np.asarray(costs, dtype=np.float64)
    if table.shape != (len(supply), len(demand)):
        raise ValueError("costs must have a row for each supply and a column for each demand")
    solved = Transport(table.tolist(), [float(x) for x in supply], [float(x) for x in demand])
    return solved.total, solved.flows()


def distances(vectors: Array, left: Sequence[int], right: Sequence[int]) -> Array:
    """The distance of each word of one list from each of the other."""
    apart = vectors[list(left)][:, None, :] - vectors[list(right)][None, :, :]
    squares = (apart * apart).reshape(len(left), len(right), -1, LANES)
    sums = np.zeros((len(left), len(right), LANES))
    for part in range(squares.shape[2]):
        sums = sums + squares[:, :, part]
    pairs = sums[..., 0::2] + sums[..., 1::2]
    fours = pairs[..., 0::2] + pairs[..., 1::2]
    return np.asarray(np.sqrt(fours[..., 0] + fours[..., 1]), dtype=np.float64)


def mover_distances(
    vectors: Array,
    words: Words,
    masses: Array | None,
    text_start: Ints,
    pairs: Ints,
    bound: str,
    jobs: int = 1,
) -> Array:
    """How far the words of the one text of each pair must travel to become those of the other.

    Words are rows of `vectors` (padded to a multiple of 8 numbers), or -1 for one that has none and is left out;
    each weighs 1 or its mass. `bound` is `exact`, or a lower bound: `relaxed` or `centroid`. Not a number where a
    text has no word left.
    """
    measure = {"exact": _exact, "relaxed": _relaxed, "centroid": _centroid}[bound]

    def bag(text: int) -> dict[int, float]:
        part = slice(text_start[text], text_start[text + 1])
        found: dict[int, float] = {}
        weights = [1.0] * len(words[part]) if masses is None else masses[part].tolist()
        for word, mass in zip(words[part].tolist(), weights, strict=True):
            if word >= 0:
                found[word] = found.get(word, 0.0) + mass
        return found

    out = []
    for a, b in np.asarray(pairs).tolist():
        left, right = bag(a), bag(b)
        out.append(measure(vectors, left, right) if left and right else math.nan)
    return np.array(out, dtype=np.float64)


def _exact(vectors: Array, left: dict[int, float], right: dict[int, float]) -> float:
    """Mass of a word that both texts have stays where it is: by the triangle inequality moving it gains nothing.

    Amounts are scaled by the other text's whole, so that those of word counts are whole numbers.
    """
    mine, theirs = sum(left.values()), sum(right.values())
    supply = {word: mass * theirs for word, mass in left.items()}
    demand = {word: mass * mine for word, mass in right.items()}
    for word in supply.keys() & demand.keys():
        stays = min(supply[word], demand[word])
        supply[word] -= stays
        demand[word] -= stays
    supply = {word: amount for word, amount in supply.items() if amount > 0}
    demand = {word: amount for word, amount in demand.items() if amount > 0}
    if not supply or not demand:
        return 0.0
    costs = distances(vectors, list(supply), list(demand)).tolist()
    return Transport(costs, list(supply.values()), list(demand.values())).total / (mine * theirs)


def _relaxed(vectors: Array, left: dict[int, float], right: dict[int, float]) -> float:
    """Every word to the nearest of the other text, both ways; the larger is the tighter bound."""
    far = distances(vectors, list(left), list(right))
    forth = _weighted(left.values(), far.min(axis=1).tolist()) / sum(left.values())
    back = _weighted(right.values(), far.min(axis=0).tolist()) / sum(right.values())
    return max(forth, back)


def _weighted(masses: Iterable[float], lengths: Sequence[float]) -> float:
    total = 0.0
    for mass, length in zip(masses, lengths, strict=True):
        total += mass * length
    return total


def _centroid(vectors: Array, left: dict[int, float], right: dict[int, float]) -> float:
    """The distance of the mean vectors."""
    means = np.zeros((2, vectors.shape[1]))
    for place, text in enumerate((left, right)):
        for word, mass in text.items():
            means[place] += mass * vectors[word]
        means[place] /= sum(text.values())
    return float(distances(means, [0], [1])[0, 0])
