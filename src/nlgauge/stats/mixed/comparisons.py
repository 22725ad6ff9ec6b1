"""What the linear and the ordinal model share: systems' means, coefficients in a coding, and differences of pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError, suggest
from nlgauge.results import Result
from nlgauge.stats.mixed.results import Adjust, Component, Effect, Joint, Mode, adjusted, effect
from nlgauge.wording.numbers import p_words

Coding = Literal["treatment", "sum"]


@dataclass(frozen=True)
class Systems(Result):
    """Fixed effects: the systems' means, in the order of the data, then the covariates' slopes."""

    ROWS = "systems"

    systems: tuple[str, ...]
    covariates: tuple[str, ...]
    beta: Array
    covariance: Array
    n: int
    level: float
    notes: tuple[str, ...]
    components: tuple[Component, ...] = ()
    log_likelihood: float = math.nan
    converged: bool = True
    modes: Mapping[str, tuple[Mode, ...]] = field(default_factory=dict)
    parameters: int = 0

    @property
    def deviance(self) -> float:
        """-2 log likelihood (restricted where fitted by REML)."""
        return -2 * self.log_likelihood

    @property
    def aic(self) -> float:
        """Akaike's criterion."""
        return self.deviance + 2 * self.parameters

    @property
    def bic(self) -> float:
        """Schwarz's criterion."""
        return self.deviance + math.log(self.n) * self.parameters

    @property
    def zero(self) -> tuple[str, ...]:
        """Variance components estimated as 0, which count as known."""
        return tuple(component.name for component in self.components if component.estimate == 0)

    def df(self, vector: Array) -> float:
        """Degrees of freedom of a combination of the fixed effects; infinite for a normal approximation."""
        del vector
        return math.inf

    @property
    def degrees(self) -> str:
        """Whose the degrees of freedom are, where they are finite."""
        return ""

    def test(self) -> Joint:
        """Whether the systems differ at all: Wald's F with Fai and Cornelius's (1996) degrees of freedom, or Wald's
        chi-square where they are infinite."""
        from scipy.special import chdtrc, fdtrc

        size = len(self.systems)
        if size < 2:
            raise InputError("there is one system only, so that there is nothing to compare it with")
        contrasts = np.zeros((size - 1, len(self.beta)))
        contrasts[:, 0] = -1.0
        contrasts[np.arange(size - 1), np.arange(1, size)] = 1.0
        values, vectors = np.linalg.eigh(contrasts @ self.covariance @ contrasts.T)
        turned = vectors.T @ contrasts
        total = float(((turned @ self.beta) ** 2 / values).sum())
        degrees = [self.df(row) for row in turned]
        if not self.degrees:
            return Joint(total, (float(size - 1),), float(chdtrc(size - 1, total)), "Wald")
        expected = sum(v / (v - 2) for v in degrees if 2 < v < math.inf) + sum(map(math.isinf, degrees))
        second = degrees[0] if size == 2 else 2 * expected / (expected - size + 1)
        if expected <= size - 1 and size > 2:
            # infinite degrees of freedom, or too few to have an expectation
            second = math.inf if all(map(math.isinf, degrees)) else 2.0
        statistic = total / (size - 1)
        p = float(fdtrc(size - 1, min(second, 1e10), statistic))
        return Joint(statistic, (float(size - 1), second), p, f"Wald, {self.degrees}")

    def contrast(self, vector: Array, name: str = "", *, tested: bool = True) -> Effect:
        """Any linear combination of the fixed effects."""
        given = np.asarray(vector, dtype=np.float64)
        if given.shape != self.beta.shape:
            raise InputError(f"a combination needs {len(self.beta)} weights, one a fixed effect; got {given.size}")
        level, n, df = self.level, self.n, self.df(given)
        return effect(
            name, given, self.beta, self.covariance, df, level=level, n=n, tested=tested, degrees=self.degrees
        )

    def means(self) -> tuple[Effect, ...]:
        """The systems' estimated marginal means: for the average judge and item, at the covariates' means."""
        rows = np.eye(len(self.beta))[: len(self.systems)]
        return tuple(self.contrast(row, name, tested=False) for row, name in zip(rows, self.systems, strict=True))

    def coefficients(self, coding: Coding = "treatment", baseline: str | None = None) -> tuple[Effect, ...]:
        """An intercept and the systems' effects: against `baseline` (the first), or against the mean of all."""
        if coding not in ("treatment", "sum"):
            raise InputError(f"the coding must be treatment or sum; got {coding!r}")
        size = len(self.systems)
        base = self._place(self.systems[0] if baseline is None else baseline)
        unit = np.eye(len(self.beta))
        middle = unit[:size].mean(axis=0)
        origin = unit[base] if coding == "treatment" else middle
        rows = [("intercept", origin)]
        rows += [(name, unit[k] - origin) for k, name in enumerate(self.systems) if coding == "sum" or k != base]
        rows += [(name, unit[size + k]) for k, name in enumerate(self.covariates)]
        return tuple(self.contrast(row, name) for name, row in rows)

    def pairs(self, adjust: Adjust = "holm") -> tuple[Effect, ...]:
        """The differences of all pairs of systems, first minus second."""
        size = len(self.systems)
        unit = np.eye(len(self.beta))
        found = [
            self.contrast(unit[a] - unit[b], f"{self.systems[a]} - {self.systems[b]}")
            for a in range(size)
            for b in range(a + 1, size)
        ]
        return adjusted(found, adjust, size)

    def p_table(self, adjust: Adjust = "holm") -> Array:
        """Adjusted p-values of all pairs, systems × systems, NaN on the diagonal."""
        size = len(self.systems)
        table = np.full((size, size), math.nan)
        above = np.triu_indices(size, 1)
        found = [pair.p if adjust == "none" else pair.p_adjusted for pair in self.pairs(adjust)]
        table[above] = found
        table.T[above] = found
        return table

    def _place(self, name: str) -> int:
        if name not in self.systems:
            raise InputError(f"no system {name!r}; {suggest(name, list(self.systems))}")
        return self.systems.index(name)

    def _lead(self) -> str:
        """Which system is best, and which of the others it is told from."""
        if len(self.systems) < 2:
            return str(self.means()[0])
        order = np.argsort(-self.beta[: len(self.systems)], kind="stable")
        best, second = self.systems[order[0]], self.systems[order[1]]
        table = self.p_table()
        p = float(table[order[0], order[1]])
        difference = self.beta[order[0]] - self.beta[order[1]]
        sure = "" if p < 1 - self.level else "not significantly "
        return (
            f"{best} is rated highest, {sure}higher than {second} (difference {difference:.3g}, "
            f"{p_words(p)} after Holm's correction)"
        )

    def _pairs(self) -> tuple[Effect, ...]:
        return tuple(self.pairs()) if len(self.systems) > 1 else ()

    def _test(self) -> Joint | None:
        return self.test() if len(self.systems) > 1 else None
