"""The profiled deviance of a linear mixed model (Bates, Mächler, Bolker and Walker 2015, section 3) and its minimum.

θ holds the random effects' standard deviations over the residual's. Given θ, the fixed effects, the random effects and
the residual variance have closed forms from penalised least squares, so that only θ is searched for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nlgauge.errors import InputError
from nlgauge.stats.mixed.blocks import Blocks, Factorised
from nlgauge.stats.mixed.design import Array, Codes, Design

SETTLED = 1e-7
FLAT = 1e-8  # a θ below this has no slope
EXACT = 1e-12  # of the sum of squares: what rounding leaves of nothing
STARTS = 3
STEP = 1e-4  # of central differences, relative to θ (or to 1 below it)
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
        if squares <= EXACT * float(self.inner[p, p]):
            raise InputError(
                "the systems and groups explain every rating exactly, so that no error can be estimated; leave out a "
                "group or slope"
            )
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

    def gradient(self, theta: Array, sigma: float | None = None) -> Array:
        """Slopes in θ of the deviance, with the residual deviation at its best or held at `sigma`.

        With C = A⁻¹ΛZ'[X y] for A = ΛZ'ZΛ + I, all three parts are sums of squares over a factor's own rows: ΛZ'V⁻¹
        maps X and y to C, so that neither V nor the residuals are needed.
        """
        if not len(theta):
            return np.zeros(0)
        solved = self.solve(theta)
        scaled = [abs(float(theta[k])) * self.sums[k] for k in range(len(theta))]
        parts = self.blocks.joined(*solved.factorised.solve(*self.blocks.split(scaled)))
        variances = solved.factorised.variances()
        degrees = self.free if self.reml else self.design.n
        precision = degrees / solved.squares if sigma is None else 1.0 / sigma**2
        out = np.zeros(len(theta))
        for k in np.flatnonzero(np.abs(theta) > FLAT):
            fixed, y = parts[k][:, :-1], parts[k][:, -1]
            mode = y - fixed @ solved.beta
            total = len(y) - float(variances[k].sum()) - precision * float(mode @ mode)
            if self.reml:
                total -= float((np.linalg.solve(solved.root.T, fixed.T) ** 2).sum())
            out[k] = 2 * total / theta[k]
        return out

    def minimum(self) -> tuple[Array, bool]:
        """θ of the least deviance, and whether the search ended in order."""
        theta = np.ones(len(self.design.factors))
        converged = True
        for _ in range(STARTS if len(theta) else 0):
            theta, converged = self._searched(theta)
            inward = self._inward(theta)
            if inward is None:
                break
            theta = inward
        return theta, converged

    def _searched(self, start: Array) -> tuple[Array, bool]:
        from scipy.optimize import minimize

        found = minimize(
            self.deviance,
            start,
            jac=self.gradient,
            method="L-BFGS-B",
            bounds=[(0.0, None)] * len(start),
            options={"maxiter": 200, "ftol": 1e-13, "gtol": 1e-6},
        )
        theta = self._polished(np.asarray(found.x, dtype=np.float64))
        return theta, bool(found.success or np.abs(self.gradient(theta)).max(initial=0.0) < 1e-2)

    def _inward(self, theta: Array) -> Array | None:
        """A better point off the edge, if there is one: at 0 every slope is 0, and a search may have stuck there."""
        least = self.deviance(theta)
        for k in np.flatnonzero(theta == 0):
            tried = theta.copy()
            tried[k] = 0.05
            if self.deviance(tried) < least - 1e-9:
                tried[k] = 0.3
                return tried
        return None

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
            curve = self._curvature(theta, inside)
            if np.linalg.eigvalsh(curve)[0] <= 0:
                break
            step = np.linalg.solve(curve, self.gradient(theta)[inside])
            tried = theta.copy()
            tried[inside] = np.abs(theta[inside] - step)
            value = self.deviance(tried)
            if value > least:
                break
            theta, least = tried, value
            if np.abs(step).max() < SETTLED:
                break
        return theta

    def slopes(self, theta: Array, sigma: float) -> Array:
        """Slopes of the full deviance in θ and in log σ."""
        degrees = self.free if self.reml else self.design.n
        last = 2 * degrees - 2 * self.solve(theta).squares / sigma**2
        return np.append(self.gradient(theta, sigma), last)

    def _curvature(self, theta: Array, inside: Codes) -> Array:
        """Second derivatives of the deviance in some of θ, by differences of the gradient."""
        out = np.empty((len(inside), len(inside)))
        for row, k in enumerate(inside):
            h = STEP * max(1.0, theta[k])
            up, down = theta.copy(), theta.copy()
            up[k] += h
            down[k] -= h
            out[row] = (self.gradient(up) - self.gradient(down))[inside] / (2 * h)
        return np.asarray(0.5 * (out + out.T))
