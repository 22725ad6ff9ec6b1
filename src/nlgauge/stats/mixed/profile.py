"""The profiled deviance of a linear mixed model (Bates, Mächler, Bolker and Walker 2015, section 3) and its minimum.

θ holds the random effects' standard deviations over the residual's. Given θ, the fixed effects, the random effects and
the residual variance have closed forms from penalised least squares, so that only θ is searched for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nlgauge.errors import InputError
from nlgauge.stats.mixed.blocks import Blocks, Factorised
from nlgauge.stats.mixed.design import Array, Design

SETTLED = 1e-7
COARSE = 1e-4
STEP = 1e-3  # of the central differences, relative to θ (or to 1 below it)
REMEMBERED = 8  # solutions: one holds a dense factor
ZERO = 1e-3  # a θ below this is tried at 0


@dataclass(frozen=True)
class Solved:
    """Penalised least squares at one θ: `squares` is the penalised residual sum of squares, `root` has
    root'root = X'V⁻¹X σ² and `log_determinant` is that of ΛZ'ZΛ + I."""

    beta: Array
    squares: float
    root: Array
    log_determinant: float
    factorised: Factorised


class Profile:
    """The deviance as a function of θ, for one set of data."""

    def __init__(self, design: Design, *, reml: bool) -> None:
        self.design, self.reml = design, reml
        self.blocks = Blocks(design.factors, design.n)
        self.shift = float(design.y.mean())  # large means would cost digits in the sums of squares
        self.columns = np.column_stack([design.x, design.y - self.shift])
        self.product = self.blocks.cross_product(np.ones(design.n))
        self.inner = self.columns.T @ self.columns
        self.sums = [
            np.column_stack([self.blocks.sums(k, column) for column in self.columns.T])
            for k in range(len(self.blocks.sizes))
        ]
        self.fixed = design.x.shape[1]
        self._known: dict[bytes, Solved] = {}
        self.free = design.n - self.fixed
        if self.free < 1:
            raise InputError(
                f"{design.n} ratings cannot carry {self.fixed} fixed effects; gather more ratings"
            )

    def solve(self, theta: Array) -> Solved:
        """Penalised least squares at θ; remembered, as differences in σ alone come back to the same θ."""
        key = np.abs(theta).tobytes()
        if key not in self._known:
            if len(self._known) >= REMEMBERED:
                self._known.pop(next(iter(self._known)))
            self._known[key] = self._solved(np.abs(theta))  # the deviance is even in θ
        return self._known[key]

    def _solved(self, theta: Array) -> Solved:
        factorised = self.product.factorised(theta if len(theta) else np.zeros(1))
        scaled = [float(theta[k]) * self.sums[k] for k in range(len(theta))] or [0.0 * self.sums[0]]
        first, second = factorised.halves(*self.blocks.split(scaled))
        left = self.inner - first.T @ first - second.T @ second
        p = self.fixed
        root = np.linalg.cholesky(left[:p, :p]).T
        half = np.linalg.solve(root.T, left[:p, p])
        squares = float(left[p, p] - half @ half)
        return Solved(
            np.linalg.solve(root, half), squares, np.asarray(root), factorised.log_determinant, factorised
        )

    def deviance(self, theta: Array) -> float:
        """-2 log likelihood (restricted for REML), with the residual variance at its best."""
        solved = self.solve(theta)
        degrees = self.free if self.reml else self.design.n
        return self.full(solved, math.sqrt(max(solved.squares, 1e-300) / degrees))

    def full(self, solved: Solved, sigma: float) -> float:
        """The same at any residual standard deviation."""
        degrees = self.free if self.reml else self.design.n
        value = solved.log_determinant + degrees * math.log(2 * math.pi * sigma * sigma)
        value += solved.squares / sigma**2
        return value + (2.0 * float(np.log(np.diag(solved.root)).sum()) if self.reml else 0.0)

    def minimum(self) -> tuple[Array, bool]:
        """θ of the least deviance, and whether the search ended in order."""
        size = len(self.design.factors)
        if not size:
            return np.zeros(0), True
        from scipy.optimize import minimize

        def gradient(theta: Array) -> Array:
            return slope(self.deviance, theta, fine=False)

        found = minimize(
            self.deviance,
            np.ones(size),
            jac=gradient,
            method="L-BFGS-B",
            bounds=[(0.0, None)] * size,
            options={"maxiter": 200, "ftol": 1e-13, "gtol": 1e-6},
        )
        theta = np.asarray(found.x, dtype=np.float64)
        theta = self._polished(theta)
        return theta, bool(found.success or np.abs(gradient(theta))[theta > 0].max(initial=0.0) < 1e-2)

    def _polished(self, theta: Array) -> Array:
        """Components at the edge set to 0, the others moved by Newton's method."""
        least = self.deviance(theta)
        for k in np.flatnonzero(theta < ZERO):
            tried = theta.copy()
            tried[k] = 0.0
            if (value := self.deviance(tried)) <= least + 1e-9:
                theta, least = tried, value
        inside = np.flatnonzero(theta > 0)
        for _ in range(3 if len(inside) else 0):

            def within(part: Array, theta: Array = theta) -> float:
                whole = theta.copy()
                whole[inside] = part
                return self.deviance(whole)

            curve = hessian(within, theta[inside])
            if np.linalg.eigvalsh(curve)[0] <= 0:
                break
            step = np.linalg.solve(curve, slope(within, theta[inside]))
            tried = theta.copy()
            tried[inside] = np.abs(theta[inside] - step)
            value = self.deviance(tried)
            if value > least:
                break
            theta, least = tried, value
            if np.abs(step).max() < SETTLED:
                break
        return theta


def slope(function: Callable[[Array], float], at: Array, *, fine: bool = True) -> Array:
    """The gradient by central differences: of the fourth order, or of the second at half the cost."""
    out = np.empty(len(at))
    for k in range(len(at)):
        if not fine:
            up, down = at.copy(), at.copy()
            up[k] += COARSE
            down[k] -= COARSE
            out[k] = (function(up) - function(down)) / (2 * COARSE)
            continue
        h = STEP * max(1.0, abs(at[k]))
        values = []
        for times in (-2, -1, 1, 2):
            moved = at.copy()
            moved[k] += times * h
            values.append(function(moved))
        out[k] = (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * h)
    return out


def hessian(function: Callable[[Array], float], at: Array) -> Array:
    """Second derivatives by central differences of the fourth order (second for mixed ones, extrapolated)."""
    size = len(at)
    h = STEP * np.maximum(1.0, np.abs(at))
    middle = function(at)

    def moved(*steps: tuple[int, int]) -> float:
        point = at.copy()
        for k, times in steps:
            point[k] += times * h[k]
        return function(point)

    out = np.empty((size, size))
    for k in range(size):
        one = moved((k, 1)) + moved((k, -1))
        two = moved((k, 2)) + moved((k, -2))
        out[k, k] = (16 * one - two - 30 * middle) / (12 * h[k] ** 2)
        for m in range(k):
            values = []
            for times in (1, 2):
                same = moved((k, times), (m, times)) + moved((k, -times), (m, -times))
                across = moved((k, times), (m, -times)) + moved((k, -times), (m, times))
                values.append((same - across) / (4 * times**2 * h[k] * h[m]))
            out[k, m] = out[m, k] = (4 * values[0] - values[1]) / 3
    return out
