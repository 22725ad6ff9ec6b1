"""The profiled deviance of a linear mixed model (Bates, Mächler, Bolker and Walker 2015, section 3) and its minimum.

θ holds the random effects' standard deviations over the residual's. Given θ, the fixed effects, the random effects and
the residual variance have closed forms from penalised least squares, so that only θ is searched for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.stats.mixed.blocks import Blocks, Factorised
from nlgauge.stats.mixed.design import Codes, Design

SETTLED = 1e-10  # what another step would gain in deviance
CLOSE = 1e-4  # the same: deviances so close are one minimum's
FLAT = 1e-8  # a θ below this has no slope
EXACT = 1e-12  # of the sum of squares: what rounding leaves of nothing
STARTS = ((1.0, 0.1), (4.0, 0.01))  # in u; 0.7 is a variance as large as the noise in a level's mean
EDGE, FARTHEST = 1e-6, 23.0  # of u
STEPS, HALVINGS, LAST = 60, 30, 4  # of Newton's method: all, of one step, with the exact curvature
FAR = 3.0  # the longest step in u
RIDGE = 1e-3  # of what so many levels tell of u
STEP = 1e-4  # of central differences, relative to θ (or to 1 below it)
ZERO = 1e-3  # a θ below this is tried at 0
KEPT = 32  # θ whose solutions are remembered
Value = TypeVar("Value")
EXACTLY = (
    "the systems and groups explain every rating exactly, so that no error can be estimated; leave out a group or slope"
)


class SaturatedError(InputError):
    """The systems and groups leave nothing to estimate an error from."""


@dataclass(frozen=True)
class Solved:
    """Penalised least squares at one θ: `squares` is the penalised residual sum of squares, `root` has
    root'root = X'V⁻¹X σ² and `log_determinant` is that of ΛZ'ZΛ + I."""

    beta: Array
    squares: float
    root: Array
    log_determinant: float


def central(function: Callable[[Array], Array], at: Array, places: Iterable[int]) -> list[Array]:
    """Central differences of a function by some of its arguments."""
    found = []
    for k in places:
        h = STEP * max(1.0, abs(at[k]))
        up, down = at.copy(), at.copy()
        up[k] += h
        down[k] -= h
        found.append((function(up) - function(down)) / (2 * h))
    return found


def _keep(known: dict[bytes, Value], key: bytes, value: Value) -> None:
    """Remember it, and of the others the last few."""
    if len(known) >= KEPT:
        del known[next(iter(known))]
    known[key] = value


class Profile:
    """The deviance as a function of θ, for one set of data."""

    def __init__(self, design: Design, *, reml: bool) -> None:
        self.design, self.reml = design, reml
        self.blocks = Blocks(design.factors, design.n, design.screen)
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
        self._traces: dict[bytes, tuple[Array, list[Array]]] = {}
        self._factor: tuple[bytes, Factorised] | None = None
        self.free = design.free - self.fixed
        if self.free < 1:
            raise SaturatedError(f"{design.n} ratings cannot carry {self.fixed} fixed effects; gather more ratings")

    def solve(self, theta: Array) -> Solved:
        """Penalised least squares at θ; remembered, as searches and differences come back to the same θ."""
        key = np.abs(theta).tobytes()  # the deviance is even in θ
        if key not in self._known:
            _keep(self._known, key, self._solved(np.abs(theta)))
        return self._known[key]

    def factorised(self, theta: Array) -> Factorised:
        """ΛZ'ZΛ + I at θ; the last one alone is remembered, as it may be large."""
        key = np.abs(theta).tobytes()
        if self._factor is None or self._factor[0] != key:
            self._factor = key, self.product.factorised(np.abs(theta) if len(theta) else np.zeros(1))
        return self._factor[1]

    def _solved(self, theta: Array) -> Solved:
        factorised = self.factorised(theta)
        scaled = [float(theta[k]) * self.sums[k] for k in range(len(theta))] or [0.0 * self.sums[0]]
        first, second = factorised.halves(*self.blocks.split(scaled))
        left = self.inner - first.T @ first - second.T @ second
        p = self.fixed
        root = np.linalg.cholesky(left[:p, :p]).T
        half = np.linalg.solve(root.T, left[:p, p])
        squares = float(left[p, p] - half @ half)
        if squares <= EXACT * float(self.inner[p, p]):
            raise SaturatedError(EXACTLY)
        return Solved(np.linalg.solve(root, half), squares, np.asarray(root), factorised.log_determinant)

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
        out = np.zeros(len(theta))
        moved = np.abs(theta) > FLAT
        if moved.any():
            degrees = self.free if self.reml else self.design.n
            precision = degrees / self.solve(theta).squares if sigma is None else 1.0 / sigma**2
            traces, modes = self._traced(theta)
            squares = np.array([float(mode @ mode) for mode in modes])
            out[moved] = (2 * (traces - precision * squares) / np.where(moved, theta, 1.0))[moved]
        return out

    def _traced(self, theta: Array) -> tuple[Array, list[Array]]:
        """Of every factor: θ² times the trace of Z'PZ (or of Z'V⁻¹Z without REML), and θZ'Py."""
        key = np.abs(theta).tobytes()
        if key not in self._traces:
            solved = self.solve(theta)
            scaled = [abs(float(theta[k])) * self.sums[k] for k in range(len(theta))]
            factorised = self.factorised(theta)
            parts = self.blocks.joined(*factorised.solve(*self.blocks.split(scaled)))
            traces = np.array([len(variance) - float(variance.sum()) for variance in factorised.variances()])
            if self.reml:
                traces -= [float((np.linalg.solve(solved.root.T, part[:, :-1].T) ** 2).sum()) for part in parts]
            modes = [part[:, -1] - part[:, :-1] @ solved.beta for part in parts]
            _keep(self._traces, key, (traces, modes))
        return self._traces[key]

    def _information(self, theta: Array) -> Array:
        """About the curvature of the deviance in θ², all θ being above 0: the average of the observed and the expected
        information (Gilmour, Thompson and Cullis 1995), with the residual deviation at its best."""
        solved = self.solve(theta)
        _, modes = self._traced(theta)
        degrees = self.free if self.reml else self.design.n
        effects = [mode / at for mode, at in zip(modes, theta, strict=True)]
        rows = [self.blocks.spread(k, one) for k, one in enumerate(effects)]
        columns = np.column_stack([self.design.x, *rows])
        sums = [
            float(theta[k]) * np.column_stack([self.blocks.sums(k, column) for column in columns.T])
            for k in range(len(theta))
        ]
        first, second = self.factorised(theta).halves(*self.blocks.split(sums))
        inner = columns.T @ columns - first.T @ first - second.T @ second
        p = self.fixed
        half = np.linalg.solve(solved.root.T, inner[:p, p:])
        squares = np.array([float(effect @ effect) for effect in effects])
        scale = degrees / solved.squares
        return np.asarray(scale * (inner[p:, p:] - half.T @ half) - scale / solved.squares * np.outer(squares, squares))

    def minimum(self) -> tuple[Array, bool]:
        """θ of the least deviance, and whether it was found.

        Searched is u = log(1 + mθ²), m being the ratings of a level: in θ the slope at 0 is 0 whatever lies inside, in
        log θ it fades towards 0; in u it says which way is down, and large variances are near. Found is a minimum: no
        slope inside, curvature upwards, and every component at 0 with a deviance that rises from there.
        """
        size = len(self.design.factors)
        theta, sure = np.zeros(size), not size
        for first, second in STARTS if size else ():
            theta = self._searched(np.full(size, first), SETTLED)
            other = self._searched(np.full(size, second), CLOSE)
            if self.deviance(other) < self.deviance(theta) - CLOSE:  # two searches from far apart should agree
                theta = self._searched(np.log1p(self._each * other**2), SETTLED)
            theta, sure = self._polished(theta)
            if sure:
                break
        if not sure and np.any(np.log1p(self._each * theta**2) > FARTHEST - 1):
            raise SaturatedError(EXACTLY)
        return theta, sure

    @property
    def _each(self) -> Array:
        """Ratings of a level, on average, of every factor."""
        return np.array([self.design.n / len(factor) for factor in self.design.factors])

    @property
    def _levels(self) -> Array:
        return np.array([float(len(factor)) for factor in self.design.factors])

    def _theta(self, u: Array) -> Array:
        return np.sqrt(np.expm1(u) / self._each)

    def _slopes_in_u(self, theta: Array) -> Array:
        """Slopes of the deviance by u; a component at 0 has that of a hair's breadth beside it."""
        near = np.maximum(theta, self._theta(np.full(len(theta), EDGE)))
        return np.asarray(self.gradient(near) * (1 + self._each * near**2) / (2 * self._each * near))

    def _searched(self, u: Array, enough: float) -> Array:
        """Newton's method with the average information, within bounds, until a step would gain less than `enough`."""
        value = self.deviance(self._theta(u))
        for _ in range(STEPS):
            theta = self._theta(u)
            slopes = self._slopes_in_u(theta)
            free = ~((u <= EDGE) & (slopes > 0) | (u >= FARTHEST) & (slopes < 0))
            turn = np.exp(u) / self._each
            curve = (turn[:, None] * self._information(theta) * turn)[np.ix_(free, free)]
            curve[np.diag_indices_from(curve)] += np.maximum(slopes[free], 0) + RIDGE * self._levels[free]
            step = np.zeros(len(u))
            step[free] = -np.linalg.solve(curve, slopes[free])
            step *= min(1.0, FAR / max(np.abs(step).max(initial=0.0), FAR))
            if -float(slopes @ step) < enough:
                break
            for _ in range(HALVINGS):
                tried = np.clip(u + step, EDGE, FARTHEST)
                if (after := self.deviance(self._theta(tried))) < value:
                    break
                step /= 2
            else:
                break
            u, value = tried, after
        return self._theta(u)

    def _polished(self, theta: Array) -> tuple[Array, bool]:
        """Components at the edge set to 0, the others moved by Newton's method; and whether that is a minimum."""
        least = self.deviance(theta)
        for k in np.flatnonzero(theta < np.maximum(ZERO, self._theta(np.full(len(theta), 2 * EDGE)))):
            tried = theta.copy()
            tried[k] = 0.0
            if (value := self.deviance(tried)) <= least + 1e-9:
                theta, least = tried, value
        inside = np.flatnonzero(theta > 0)
        gain = 0.0
        for _ in range(LAST if len(inside) else 0):
            slopes = self.gradient(theta)[inside]
            curve = self._curvature(theta, inside)
            if np.linalg.eigvalsh(curve)[0] <= 0:
                return theta, False
            step = np.linalg.solve(curve, slopes)
            if (gain := float(slopes @ step)) < SETTLED:
                break
            tried = theta.copy()
            tried[inside] = np.abs(theta[inside] - step)
            if (value := self.deviance(tried)) > least + 1e-9:
                break
            theta, least = tried, value
        rises = self._slopes_in_u(theta)[theta == 0]
        return theta, gain < CLOSE and bool(np.all(rises > -CLOSE))

    def slopes(self, theta: Array, sigma: float) -> Array:
        """Slopes of the full deviance in θ and in log σ."""
        degrees = self.free if self.reml else self.design.n
        last = 2 * degrees - 2 * self.solve(theta).squares / sigma**2
        return np.append(self.gradient(theta, sigma), last)

    def _curvature(self, theta: Array, inside: Codes) -> Array:
        """Second derivatives of the deviance in some of θ, by differences of the gradient."""
        out = np.array(central(self.gradient, theta, inside))[:, inside]
        return np.asarray(0.5 * (out + out.T))
