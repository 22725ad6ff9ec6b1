"""The matrix ΛZ'WZΛ + I of penalised least squares (Bates et al. 2015) with crossed random intercepts.

Each factor's own block is diagonal: the largest factor is eliminated by division, and only the Schur complement of the
others is factorised densely. With 1,000 items and 200 judges that is a 200 × 200 matrix. `cross` holds how often a
level of the largest factor meets a level of another (sparse where it is large). Rows that are known up to a constant
of their screen have the screens in the place of the largest factor, with a variance without bound.

One thread for the small matrices of a mixed model.

A fit factorises matrices of a few hundred rows some hundred times; handing these to several threads of the linear
algebra library takes longer than the arithmetic (2.5 times on two free cores, far more on busy ones).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.stats.mixed.design import Codes, Factor, centred

P = ParamSpec("P")
R = TypeVar("R")


@cache
def _controller() -> Any:
    import scipy.linalg  # noqa: F401 - brings its own copy of the library, which must be loaded to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def single_threaded(function: Callable[P, R]) -> Callable[P, R]:
    """The function, with linear algebra on one thread while it runs."""

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        with _controller().limit(limits=1, user_api="blas"):
            return function(*args, **kwargs)

    return run


DENSE = 250_000  # cells of the cross block up to which plain arrays are quicker than sparse ones
MOST_LEVELS = 6000  # levels of all factors but the largest: a dense matrix of this size is factorised


class Blocks:
    """The pattern of Z, from which weighted cross products are made; factors keep the order they were given in."""

    def __init__(self, factors: Sequence[Factor], n: int, screen: Factor | None = None) -> None:
        from scipy.sparse import csr_matrix

        self.n, self.screen = n, screen
        every = [*factors, *([screen] if screen is not None else [])]
        self.codes: list[Codes] = [factor.codes for factor in every] or [np.zeros(n, dtype=np.int64)]
        self.sizes = [len(factor) for factor in every] or [1]
        self.big = int(np.argmax(self.sizes)) if screen is None else len(factors)
        self.rest = [k for k in range(len(self.sizes)) if k != self.big]
        self.small = sum(self.sizes[k] for k in self.rest)
        if self.small > MOST_LEVELS:
            raise InputError(
                f"the random effects have {self.small:,} levels beside those of the largest; at most {MOST_LEVELS:,} "
                "can be fitted: leave out a slope, or a group"
            )
        starts = np.cumsum([0, *(self.sizes[k] for k in self.rest)])
        self.starts = {k: int(start) for k, start in zip(self.rest, starts, strict=False)}
        self._cells = [self.codes[self.big] * self.small + self.codes[k] + self.starts[k] for k in self.rest]
        self.shape = (self.sizes[self.big], self.small)
        self.sparse = self.shape[0] * self.shape[1] > DENSE
        if self.sparse:
            keys, self._place = np.unique(np.concatenate(self._cells), return_inverse=True)
            pointer = np.searchsorted(keys, np.arange(self.shape[0] + 1) * self.small)
            self._pattern = csr_matrix((np.ones(len(keys)), keys % self.small, pointer), shape=self.shape)

    def _cross(self, weights: Array) -> Any:
        """How much weight the largest factor's levels share with those of the others."""
        every = np.tile(weights, len(self.rest))
        if self.sparse:
            cross = self._pattern.copy()
            cross.data = np.bincount(self._place, weights=every, minlength=cross.nnz)
            return cross
        if not self.rest:
            return np.zeros(self.shape)
        size = self.shape[0] * self.shape[1]
        return np.bincount(np.concatenate(self._cells), weights=every, minlength=size).reshape(self.shape)

    def sums(self, k: int, values: Array) -> Array:
        """Z_k'v."""
        return np.bincount(self.codes[k], weights=values, minlength=self.sizes[k]).astype(np.float64)

    def spread(self, k: int, effects: Array) -> Array:
        """Z_k u: the effect of every row."""
        rows = np.asarray(effects[self.codes[k]])
        return rows if self.screen is None else centred(rows, self.screen)

    def cross_product(self, weights: Array) -> CrossProduct:
        """Z'WZ in blocks."""
        diagonal = self.sums(self.big, weights)
        dense = np.zeros((self.small, self.small))
        for k in self.rest:
            for m in self.rest:
                at, of = self.starts[k], self.starts[m]
                if k == m:
                    place = np.arange(at, at + self.sizes[k])
                    dense[place, place] = self.sums(k, weights)
                elif at < of:
                    key = self.codes[k] * self.sizes[m] + self.codes[m]
                    table = np.bincount(key, weights=weights, minlength=self.sizes[k] * self.sizes[m])
                    block = table.reshape(self.sizes[k], self.sizes[m])
                    dense[at : at + self.sizes[k], of : of + self.sizes[m]] = block
                    dense[of : of + self.sizes[m], at : at + self.sizes[k]] = block.T
        return CrossProduct(self, diagonal, self._cross(weights), dense)

    def split(self, parts: Sequence[Array]) -> tuple[Array, Array]:
        """One array a factor, as the largest factor's and the rest's."""
        rest = [parts[k] for k in self.rest]
        width = parts[0].shape[1:]
        big = parts[self.big] if self.screen is None else np.zeros((self.sizes[self.big], *width))
        return big, np.concatenate(rest) if rest else np.zeros((0, *width))

    def joined(self, big: Array, rest: Array) -> list[Array]:
        """The reverse of `split`."""
        parts: list[Array] = [big] * len(self.sizes)
        for k in self.rest:
            parts[k] = rest[self.starts[k] : self.starts[k] + self.sizes[k]]
        return parts if self.screen is None else parts[:-1]


@dataclass(frozen=True)
class CrossProduct:
    """Z'WZ: the largest factor's diagonal, its cross block with the others and theirs."""

    blocks: Blocks
    diagonal: Array
    cross: Any
    dense: Array

    def factorised(self, scale: Sequence[float] | Array) -> Factorised:
        """ΛZ'WZΛ + I, factorised, where `scale` holds Λ's value for each factor."""
        from scipy.linalg import cholesky

        blocks = self.blocks
        own = float(scale[blocks.big]) if blocks.screen is None else 1.0
        others = np.repeat([float(scale[k]) for k in blocks.rest], [blocks.sizes[k] for k in blocks.rest])
        diagonal = 1.0 + own * own * self.diagonal if blocks.screen is None else self.diagonal
        schur = others[:, None] * self.dense * others[None, :]
        if blocks.sparse:
            coupling, scaled = self.cross.copy(), self.cross.copy()
            coupling.data = own * coupling.data * others[coupling.indices]
            scaled.data = coupling.data / np.repeat(diagonal, np.diff(coupling.indptr))
            schur = schur - (coupling.T @ scaled).toarray()
        else:
            coupling = own * self.cross * others
            schur = schur - coupling.T @ (coupling / diagonal[:, None])
        schur[np.diag_indices_from(schur)] += 1.0
        lower = cholesky(schur, lower=True, check_finite=False) if blocks.small else schur
        return Factorised(blocks, diagonal, coupling, np.asarray(lower))


@dataclass(frozen=True)
class Factorised:
    """A factorisation that solves, and knows its determinant and the entries of its inverse that are needed."""

    blocks: Blocks
    diagonal: Array
    coupling: Any
    lower: Array

    @property
    def log_determinant(self) -> float:
        """log |ΛZ'WZΛ + I|."""
        return float(np.log(self.diagonal).sum() + 2.0 * np.log(np.diag(self.lower)).sum())

    def halves(self, big: Array, rest: Array) -> tuple[Array, Array]:
        """L⁻¹b for a matrix b: the inner products of its columns are those of b with the inverse between them."""
        from scipy.linalg import solve_triangular

        first = big / np.sqrt(self.diagonal)[:, None]
        if not self.blocks.small:
            return first, rest
        remaining = rest - self.coupling.T @ (big / self.diagonal[:, None])
        return first, np.asarray(solve_triangular(self.lower, remaining, lower=True, check_finite=False))

    def solve(self, big: Array, rest: Array) -> tuple[Array, Array]:
        """The solution for one right-hand side, or for the columns of several."""
        from scipy.linalg import cho_solve

        diagonal = self.diagonal if big.ndim == 1 else self.diagonal[:, None]
        if not self.blocks.small:
            return big / diagonal, rest
        remaining = rest - self.coupling.T @ (big / diagonal)
        found = np.asarray(cho_solve((self.lower, True), remaining, check_finite=False))
        return (big - self.coupling @ found) / diagonal, found

    def inverse(self) -> tuple[Array, Array, Array]:
        """Of the inverse: the largest factor's diagonal, its block with the others, the others' block."""
        from scipy.linalg.lapack import dpotri

        if not self.blocks.small:
            return 1.0 / self.diagonal, np.zeros((len(self.diagonal), 0)), self.lower
        half, _ = dpotri(self.lower, lower=1)  # a third of the work of solving for the identity
        rest = np.tril(half) + np.tril(half, -1).T
        cross = -np.asarray(self.coupling @ rest) / self.diagonal[:, None]
        joint = self.coupling.multiply(cross) if self.blocks.sparse else self.coupling * cross
        own = np.asarray(joint.sum(axis=1)).ravel()
        return 1.0 / self.diagonal - own / self.diagonal, cross, rest

    def variances(self) -> list[Array]:
        """The diagonal of the inverse, factor by factor."""
        own, _, rest = self.inverse()
        return self.blocks.joined(own, np.diag(rest).copy())

    def row_products(self, scale: Sequence[float] | Array) -> Array:
        """For each rating i and factor k: Σ_m λ_m · inverse[level of i in m, level of i in k], (n, factors)."""
        own, cross, rest = self.inverse()
        blocks = self.blocks
        out = np.zeros((blocks.n, len(blocks.sizes)))
        place = {k: blocks.codes[k] + blocks.starts[k] for k in blocks.rest}
        big = blocks.codes[blocks.big]
        out[:, blocks.big] += float(scale[blocks.big]) * own[big]
        for k in blocks.rest:
            between = cross[big, place[k]]
            out[:, k] += float(scale[blocks.big]) * between
            out[:, blocks.big] += float(scale[k]) * between
            for m in blocks.rest:
                out[:, k] += float(scale[m]) * rest[place[m], place[k]]
        return out
