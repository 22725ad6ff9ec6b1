"""The Laplace approximation of the likelihood of ordered answers with crossed random intercepts, and its gradient.

The random effects are written as σu with u standard normal. Their most likely values û given the parameters come from
Newton's method; the likelihood is then that of the answers at û, times u's density, over the square root of the
curvature's determinant (Pinheiro and Chao 2006; ordinal::clmm by Christensen does the same). The gradient is exact: it
follows û as the parameters move. The function is even in each σ, so that no bound is needed at 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.stats.mixed.blocks import Blocks, Factorised
from nlgauge.stats.mixed.design import Codes, Factor
from nlgauge.stats.mixed.links import Answers, Link, answers

NEWTON, SMALL = 60, 1e-9
LARGEST = 1e150  # a weight whose square is still a number


class Laplace:
    """Minus the log likelihood of thresholds α, effects β and deviations σ, in this order in one vector."""

    def __init__(self, categories: Codes, x: Array, factors: Sequence[Factor], link: Link, thresholds: int) -> None:
        self.categories, self.x, self.link = categories, x, link
        self.factors = tuple(factors)
        self.blocks = Blocks(factors, len(categories))
        self.thresholds, self.effects = thresholds, int(x.shape[1])
        self.start = [np.zeros(size) for size in self.blocks.sizes]

    @property
    def size(self) -> int:
        """Parameters."""
        return self.thresholds + self.effects + len(self.factors)

    def parts(self, values: Array) -> tuple[Array, Array, Array]:
        """α, β, σ (a single 0 where there is no random effect)."""
        alpha, rest = values[: self.thresholds], values[self.thresholds :]
        sigma = rest[self.effects :]
        return alpha, rest[: self.effects], sigma if len(sigma) else np.zeros(1)

    def modes(self, values: Array) -> tuple[list[Array], Array, Answers, Factorised]:
        """û, the linear predictor there, the answers' derivatives and the curvature."""
        alpha, beta, sigma = self.parts(values)
        fixed = self.x @ beta

        def predictor(u: list[Array]) -> Array:
            eta = fixed.copy()
            for k, codes in enumerate(self.blocks.codes):
                eta += sigma[k] * u[k][codes]
            return eta

        def cost(u: list[Array], found: Answers) -> float:
            return float(-found.log_chance.sum() + 0.5 * sum(float(part @ part) for part in u))

        u = [part.copy() for part in self.start]
        eta = predictor(u)
        found = answers(self.categories, eta, alpha, self.link)
        value = cost(u, found)
        for _ in range(NEWTON):
            curve = self._curvature(found.weight, sigma)
            down = [sigma[k] * self.blocks.sums(k, found.by_eta) - u[k] for k in range(len(u))]
            step = self.blocks.joined(*curve.solve(*self.blocks.split(down)))
            gain = sum(float(a @ b) for a, b in zip(down, step, strict=True))
            if gain < SMALL * SMALL:
                return u, eta, found, curve
            length = 1.0
            while True:
                tried = [place + length * move for place, move in zip(u, step, strict=True)]
                moved = predictor(tried)
                after = answers(self.categories, moved, alpha, self.link)
                if (new := cost(tried, after)) <= value + 1e-12 * abs(value) or length < 1e-6:
                    break
                length /= 2
            u, eta, found, value = tried, moved, after, new
            if gain < SMALL:
                curve = self._curvature(found.weight, sigma)
                return u, eta, found, curve
        raise InputError("the random effects' most likely values were not found; drop a group, or rescale the ratings")

    def _curvature(self, weight: Array, sigma: Array) -> Factorised:
        """Refused where weights are out of range, as at thresholds that lie on each other: no maximum is there."""
        if not np.all(np.abs(weight) < LARGEST):
            raise np.linalg.LinAlgError("the weights of the answers are out of range")
        return self.blocks.cross_product(weight).factorised(sigma)

    def value(self, values: Array) -> tuple[float, Array]:
        """Minus the approximate log likelihood, and its gradient."""
        alpha, _, sigma = self.parts(values)
        if len(alpha) > 1 and np.any(np.diff(alpha) <= 0):
            return np.inf, np.zeros(len(values))
        try:
            u, _, found, curve = self.modes(values)
        except (np.linalg.LinAlgError, ValueError):  # numbers out of range: no place for a maximum
            return np.inf, np.zeros(len(values))
        self.start = u
        total = -float(found.log_chance.sum()) + 0.5 * sum(float(part @ part) for part in u)
        total += 0.5 * curve.log_determinant
        products = curve.row_products(sigma)
        leverage = products @ sigma
        tilt = 0.5 * leverage * found.weight_eta  # how ½ log |H| moves with η
        pull = [sigma[k] * self.blocks.sums(k, tilt) for k in range(len(u))]
        answer = self.blocks.joined(*curve.solve(*self.blocks.split(pull)))
        follow = np.zeros(len(tilt))
        for k, codes in enumerate(self.blocks.codes):
            follow += sigma[k] * answer[k][codes]
        by_eta = -found.by_eta + tilt - found.weight * follow
        gradient = np.zeros(len(values))
        gradient[: self.thresholds] = self._by_thresholds(found, leverage, follow)
        gradient[self.thresholds : self.thresholds + self.effects] = self.x.T @ by_eta
        for k in range(len(self.factors)):
            codes = self.blocks.codes[k]
            own = float(u[k][codes] @ by_eta) + float(found.weight @ products[:, k])
            own += float(answer[k] @ self.blocks.sums(k, found.by_eta))
            gradient[self.thresholds + self.effects + k] = own
        return total, gradient

    def _by_thresholds(self, found: Answers, leverage: Array, follow: Array) -> Array:
        upper = -found.by_a + 0.5 * leverage * found.weight_a + follow * found.eta_a
        lower = -found.by_c + 0.5 * leverage * found.weight_c + follow * found.eta_c
        size = self.thresholds + 2
        above = np.bincount(self.categories + 1, weights=upper, minlength=size)
        below = np.bincount(self.categories, weights=lower, minlength=size)
        return np.asarray((above + below)[1:-1])
