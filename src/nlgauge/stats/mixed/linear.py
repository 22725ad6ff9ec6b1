"""Linear mixed models of ratings: systems as fixed effects, judges and items as crossed random intercepts.

`linear_mixed` fits by REML or maximum likelihood as lme4 does. Tests and limits are Wald's with Satterthwaite's degrees
of freedom, computed as lmerTest does (Kuznetsova, Brockhoff and Christensen 2017): from the curvature of the deviance
and the slopes of the fixed effects' covariance in the variance parameters. In balanced designs they equal those of
the analysis of variance. A component estimated as 0 leaves the formula, as if it were known to be 0.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.stats.limits import check_level
from nlgauge.stats.mixed.blocks import single_threaded
from nlgauge.stats.mixed.comparisons import Systems
from nlgauge.stats.mixed.design import Design, design, within
from nlgauge.stats.mixed.profile import Profile, Solved, central
from nlgauge.stats.mixed.results import (
    SATTERTHWAITE,
    UNFINISHED,
    Component,
    Joint,
    Mode,
    at_zero,
    variance_component,
)
from nlgauge.stats.results import Estimate

Method = Literal["REML", "ML"]
FEW = 5  # levels, below which a variance is hardly known


@dataclass(frozen=True)
class LinearMixed(Systems):
    """A fitted linear mixed model; `means()`, `pairs()` and `coefficients()` give the systems' effects."""

    KEYS = (
        "systems = means, pairs = _pairs, n, level, notes, model, method, components, test = _test, log_likelihood, "
        "aic, bic, converged"
    )
    model: ClassVar[str] = "linear"

    theta: tuple[float, ...] = ()
    sigma: float = math.nan
    method: str = "REML"
    _slopes: Array = field(default_factory=lambda: np.zeros((0, 0, 0)), repr=False)
    _spread: Array = field(default_factory=lambda: np.zeros((0, 0)), repr=False)

    @property
    def degrees(self) -> str:
        """Whose the degrees of freedom are."""
        return SATTERTHWAITE

    @property
    def few(self) -> dict[str, int]:
        """Groups with few levels for estimating a variance, and how many they have."""
        return {name: len(modes) for name, modes in self.modes.items() if len(modes) < FEW}

    def df(self, vector: Array) -> float:
        """Satterthwaite's degrees of freedom of a linear combination of the fixed effects."""
        variance = float(vector @ self.covariance @ vector)
        gradient = np.einsum("i,kij,j->k", vector, self._slopes, vector)
        below = float(gradient @ self._spread @ gradient)
        return 2 * variance**2 / below if below > 0 else math.inf

    def parts(self, vector: Array) -> dict[str, float]:
        """The variance of a linear combination of the fixed effects, by component; the parts add up to it.

        The variance is homogeneous of first degree in the components, so that a part is a component times the slope in
        it (Euler), and the slopes are those of Satterthwaite's formula. A component estimated as 0 has no part.
        """
        whole = float(vector @ self.covariance @ vector)
        slopes = np.einsum("i,kij,j->k", vector, self._slopes, vector)
        found = [max(0.0, 0.5 * root * float(slope)) for root, slope in zip(self.theta, slopes, strict=False)]
        # the residual is the last component, and has what is left
        names = [component.name for component in self.components]
        return dict(zip(names, [*found, max(0.0, whole - sum(found))], strict=True))

    def __getitem__(self, name: str) -> Component:
        for component in self.components:
            if component.name == name:
                return component
        raise InputError(f"no variance component {name!r}; there are {', '.join(c.name for c in self.components)}")

    def icc(self, group: str = "item", others: Sequence[str] | None = None) -> Estimate:
        """The share of `group` in the variance of one rating: how alike two ratings of one item are.

        All components count (absolute agreement); `others` names those that do, for instance ("residual",) for
        consistency, where judges' lenience is not held against them.
        """
        counted = [component for component in self.components if component.name != group]
        if others is not None:
            counted = [self[name] for name in others]
        own = self[group].estimate
        total = own + sum(component.estimate for component in counted)
        return Estimate(
            own / total if total else math.nan,
            n=self.n,
            name=f"ICC of {group}",
            method="variance components",
            notes=(f"against {', '.join(factor.name for factor in counted)}",),
        )

    def __str__(self) -> str:
        parts = "; ".join(map(str, self.components))
        head = f"linear mixed model ({self.method}, {self.n:,} ratings of {len(self.systems)} systems)"
        return "; note: ".join([f"{head}: {self._lead()}; {parts}", *self.notes])


@single_threaded
def linear_mixed(
    ratings: Sequence[float] | Array,
    systems: Sequence[Hashable],
    groups: Mapping[str, Sequence[Hashable]],
    *,
    slopes: Sequence[str] = (),
    covariates: Mapping[str, Sequence[float] | Array] | None = None,
    method: Method = "REML",
    level: float = 0.95,
) -> LinearMixed:
    """Fit ratings by systems with a random intercept for each of `groups` (as {"judge": ..., "item": ...}).

    `slopes` names groups whose members may favour systems (a variance for judge × system); `covariates` are columns
    of numbers, centred, held constant in the systems' means.

    Args:
        ratings: one for each answer
        systems: the system of each answer
        groups: for each source of variation the member of each answer, as {"judge": …}
        slopes: the groups whose members may favour systems
        covariates: columns of numbers, one for each answer
        method: REML or ML
        level: the confidence of the limits

    >>> from nlgauge.stats.mixed import linear_mixed
    >>> ratings = [4, 5, 3, 3, 4, 2, 5, 4, 4, 2, 4, 3]
    >>> systems = ["a", "b", "c"] * 4
    >>> groups = {"judge": [judge for judge in "wxyz" for _ in range(3)]}
    >>> fitted = linear_mixed(ratings, systems, groups)
    >>> [round(mean.estimate, 2) for mean in fitted.means()]
    [3.5, 4.25, 3.0]
    """
    check_level(level)
    if method not in ("REML", "ML"):
        raise InputError(f"the method must be REML or ML; got {method!r}")
    data = design(ratings, systems, groups, slopes=slopes, covariates=covariates)
    if np.all(data.y == data.y[0]):
        raise InputError(f"every rating is {data.y[0]:g}, so that there is nothing to model")
    return _fitted(data, np.eye(data.x.shape[1]), method, level)


@single_threaded
def linear_within(
    scores: Sequence[float] | Array,
    systems: Sequence[Hashable],
    screens: Sequence[Hashable],
    groups: Mapping[str, Sequence[Hashable]],
    *,
    level: float = 0.95,
) -> LinearMixed:
    """Fit scores of texts that were compared on screens: only differences within a screen count.

    The levels of `groups` (judges, items) may favour systems. The systems' effects sum to 0.
    """
    check_level(level)
    data, basis = within(scores, systems, screens, groups)
    return _fitted(data, basis, "REML", level)


def _fitted(data: Design, basis: Array, method: Method, level: float) -> LinearMixed:
    """The model; `basis` takes the fixed effects to those that are told."""
    profile = Profile(data, reml=method == "REML")
    theta, converged = profile.minimum()
    solved = profile.solve(theta)
    degrees = profile.free if profile.reml else data.n
    sigma = math.sqrt(solved.squares / degrees)
    beta = basis @ solved.beta
    beta[: len(data.systems)] += profile.shift
    slopes_, spread = _satterthwaite(profile, theta, sigma)
    return LinearMixed(
        systems=data.systems,
        covariates=data.covariates,
        beta=beta,
        covariance=basis @ _covariance(solved, sigma) @ basis.T,
        n=data.n,
        level=level,
        notes=_notes(data, theta, converged),
        components=_components(data, theta, sigma, spread, level),
        theta=tuple(map(float, theta)),
        sigma=sigma,
        log_likelihood=-0.5 * profile.full(solved, sigma),
        method=method,
        converged=converged,
        modes=_modes(profile, solved, theta, sigma),
        parameters=profile.fixed + len(theta) + 1,
        _slopes=basis @ slopes_ @ basis.T,
        _spread=spread,
    )


def _covariance(solved: Solved, sigma: float) -> Array:
    inverse = np.linalg.inv(solved.root)
    return np.asarray(sigma**2 * inverse @ inverse.T)


def _satterthwaite(profile: Profile, theta: Array, sigma: float) -> tuple[Array, Array]:
    """Slopes of the covariance in (θ, log σ), and the parameters' covariance; θ at 0 has neither."""
    inside = np.flatnonzero(theta > 0)
    places = np.append(inside, len(theta))
    point = np.append(theta, math.log(sigma))

    def slopes_at(at: Array) -> Array:
        return profile.slopes(at[:-1], math.exp(at[-1]))

    curve = np.array(central(slopes_at, point, places))[:, places]
    slopes = central(lambda at: _covariance(profile.solve(at[:-1]), math.exp(at[-1])), point, places)
    values, vectors = np.linalg.eigh(0.5 * (curve + curve.T))
    kept = values > 1e-8 * max(values.max(), 1.0)
    spread = 2 * (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
    whole = np.zeros((len(theta) + 1, len(theta) + 1))
    whole[np.ix_(places, places)] = spread
    p = profile.fixed
    full = np.zeros((len(theta) + 1, p, p))
    full[places] = slopes
    return full, whole


def _components(data: Design, theta: Array, sigma: float, spread: Array, level: float) -> tuple[Component, ...]:
    variances = [*(theta**2 * sigma**2), sigma**2]
    total = sum(variances)
    names = [*(factor.name for factor in data.factors), "residual"]
    sizes = [*map(len, data.factors), data.n]
    out = []
    for k, (name, variance, size) in enumerate(zip(names, variances, sizes, strict=True)):
        direction = np.zeros(len(theta) + 1)
        direction[-1] = 2.0  # log variance = 2 log θ + 2 log σ
        if k < len(theta) and variance > 0:
            direction[k] = 2.0 / theta[k]
        error = math.sqrt(max(float(direction @ spread @ direction), 0.0))
        out.append(variance_component(name, float(variance), error, float(total), level=level, levels=size))
    return tuple(out)


def _modes(profile: Profile, solved: Solved, theta: Array, sigma: float) -> dict[str, tuple[Mode, ...]]:
    """Predicted effects of the levels, with their errors given the fixed effects."""
    data = profile.design
    if not data.factors:
        return {}
    residual = profile.columns[:, -1] - data.x @ solved.beta
    right = [float(theta[k]) * profile.blocks.sums(k, residual) for k in range(len(theta))]
    factorised = profile.factorised(theta)
    spherical = profile.blocks.joined(*factorised.solve(*profile.blocks.split(right)))
    variances = factorised.variances()
    out = {}
    for k, one in enumerate(data.factors):
        values = float(theta[k]) * spherical[k]
        errors = float(theta[k]) * sigma * np.sqrt(np.maximum(variances[k], 0.0))
        out[one.name] = tuple(
            Mode(name, float(v), float(e)) for name, v, e in zip(one.levels, values, errors, strict=True)
        )
    return out


def _notes(data: Design, theta: Array, converged: bool) -> tuple[str, ...]:
    notes = [at_zero(factor.name) for factor, value in zip(data.factors, theta, strict=True) if value == 0]
    few = [f"{len(factor)} levels of {factor.name}" for factor in data.factors if len(factor) < FEW]
    if few:
        notes.append(f"{' and '.join(few)} are few for estimating a variance")
    if not converged:
        notes.append(UNFINISHED)
    return tuple(notes)


def likelihood_ratio(smaller: LinearMixed, larger: LinearMixed) -> Joint:
    """Whether the larger of two nested models fits better.

    Fits by maximum likelihood may differ in fixed effects or components; fits by REML only in components. Where one
    component alone is added, it is 0 under the hypothesis, at the edge of what is possible, and the chi-square is
    halved with a point mass at 0 (Self and Liang 1987; Stram and Lee 1994).

    Args:
        smaller: the model with fewer parameters
        larger: the model with more

    >>> from nlgauge.stats.mixed import likelihood_ratio, linear_mixed
    >>> ratings = [4, 5, 3, 3, 4, 2, 5, 4, 4, 2, 4, 3]
    >>> systems = ["a", "b", "c"] * 4
    >>> groups = {"judge": [judge for judge in "wxyz" for _ in range(3)]}
    >>> smaller = linear_mixed(ratings, systems, groups)
    >>> larger = linear_mixed(ratings, systems, groups | {"item": [1, 2, 3, 2, 3, 1, 3, 1, 2, 1, 2, 3]})
    >>> round(likelihood_ratio(smaller, larger).p, 3)
    0.194
    """
    from scipy.special import chdtrc

    if smaller.method != larger.method or smaller.n != larger.n:
        raise InputError("a likelihood-ratio test needs two models of the same ratings, fitted by the same method")
    fixed = len(larger.beta) - len(smaller.beta)
    extra = len(larger.theta) - len(smaller.theta)
    if fixed < 0 or extra < 0 or fixed + extra == 0:
        raise InputError("the second model must have more parameters than the first")
    if fixed and larger.method == "REML":
        raise InputError("models with different fixed effects must be fitted by maximum likelihood (ML)")
    statistic = max(0.0, 2 * (larger.log_likelihood - smaller.log_likelihood))
    p = float(chdtrc(fixed + extra, statistic))
    if extra == 1 and not fixed:
        p = 0.5 * p if statistic > 0 else 1.0
        return Joint(statistic, (1.0,), p, "likelihood ratio, half of chi-square (a variance of 0 is at the edge)")
    return Joint(statistic, (float(fixed + extra),), p, "likelihood ratio")
