"""Cumulative link mixed models: ordered answers by systems, with judges and items as crossed random intercepts.

`ordinal_mixed` fits logit P(answer ≤ k) = α_k - (effect of the system) - (judge) - (item), or with the probit, by the
Laplace approximation that ordinal::clmm uses; without groups it is the cumulative link model of ordinal::clm. Systems'
effects are on the latent scale: a difference of systems is a log odds ratio (logit), the same at every threshold. Their
origin is arbitrary; here the systems' mean is 0. Tests are Wald's from the curvature of the approximate likelihood; the
normal distribution rejects too often with few judges, so that t and F have the degrees of freedom of the linear model
of the same ratings (Satterthwaite's). Where random effects grow without bound (quasi-separation: judges or items with
one answer only) there is no best fit, and the model says that it did not converge.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.stats.limits import check_level
from nlgauge.stats.mixed.blocks import single_threaded
from nlgauge.stats.mixed.comparisons import Systems
from nlgauge.stats.mixed.design import Codes, Design, design
from nlgauge.stats.mixed.laplace import Laplace
from nlgauge.stats.mixed.linear import LinearMixed, linear_mixed
from nlgauge.stats.mixed.links import Link, chances
from nlgauge.stats.mixed.profile import central
from nlgauge.stats.mixed.results import (
    UNFINISHED,
    Component,
    Effect,
    Mode,
    at_zero,
    effect,
    variance_component,
)

RESIDUAL = {"logit": math.pi**2 / 3, "probit": 1.0}  # the latent scale's own variance
EDGE = 1e-3  # a deviation below this is 0
WIDEST = 10.0  # a deviation above this is none: one answer of two is then all but certain
STEPS, SMALL = 300, 1e-5


@dataclass(frozen=True)
class OrdinalMixed(Systems):
    """A fitted cumulative link mixed model; `beta` holds the systems' effects about their mean, then covariates."""

    KEYS = (
        "systems = means, pairs = _pairs, n, level, notes, model, thresholds, components, test = _test, expected, "
        "log_likelihood, aic, bic, converged, separated"
    )

    link: Link = "logit"
    categories: tuple[float, ...] = ()
    thresholds: tuple[Effect, ...] = ()
    separated: tuple[str, ...] = ()  # random effects that grow without bound
    linear: LinearMixed | None = None  # whose degrees of freedom serve the tests; None: the normal distribution

    def df(self, vector: Array) -> float:
        """Those that the linear model of the same ratings has for this combination of the fixed effects."""
        return math.inf if self.linear is None else self.linear.df(vector)

    @property
    def degrees(self) -> str:
        """Whose the degrees of freedom are."""
        return "" if self.linear is None else "the linear model's degrees of freedom"

    @property
    def model(self) -> str:
        """What is fitted, with its link."""
        return f"cumulative {self.link}"

    def probabilities(self) -> Array:
        """For the average judge and item, the chance of each answer: systems × categories."""
        alpha = np.array([threshold.estimate for threshold in self.thresholds])
        eta = self.beta[: len(self.systems), None]
        bounds = np.concatenate([[-np.inf], alpha, [np.inf]])
        return chances(bounds[None, 1:] - eta, bounds[None, :-1] - eta, self.link)

    def expected(self) -> Array:
        """For the average judge and item, the mean answer of each system (categories as numbers)."""
        return np.asarray(self.probabilities() @ np.array(self.categories))

    def __str__(self) -> str:
        parts = "".join(f"; {component}" for component in self.components)
        scale = "log odds" if self.link == "logit" else "latent standard deviations"
        head = f"cumulative {self.link} mixed model (Laplace, {self.n:,} ratings of {len(self.systems)} systems)"
        return "; note: ".join([f"{head}: {self._lead()}, in {scale}{parts}", *self.notes])


@single_threaded
def ordinal_mixed(
    ratings: Sequence[float] | Array,
    systems: Sequence[Hashable],
    groups: Mapping[str, Sequence[Hashable]],
    *,
    slopes: Sequence[str] = (),
    covariates: Mapping[str, Sequence[float] | Array] | None = None,
    link: Link = "logit",
    level: float = 0.95,
    linear: LinearMixed | None = None,
) -> OrdinalMixed:
    """Fit ordered answers by systems with a random intercept for each of `groups`; see `linear_mixed`.

    `linear` is the linear model of the same ratings, for the degrees of freedom; it is fitted where it is not given.

    Args:
        ratings: one for each answer
        systems: the system of each answer
        groups: for each source of variation the member of each answer, as {"judge": …}
        slopes: the groups whose members may favour systems
        covariates: columns of numbers, one for each answer
        link: logit or probit
        level: the confidence of the limits
        linear: the linear model of the same ratings, where it is already fitted

    >>> from nlgauge.stats.mixed import ordinal_mixed
    >>> ratings = [4, 5, 3, 3, 4, 2, 5, 4, 4, 2, 4, 3]
    >>> systems = ["a", "b", "c"] * 4
    >>> groups = {"judge": [judge for judge in "wxyz" for _ in range(3)]}
    >>> fitted = ordinal_mixed(ratings, systems, groups)
    >>> round(fitted.log_likelihood, 2)
    -13.3
    """
    check_level(level)
    if link not in RESIDUAL:
        raise InputError(f"the link must be logit or probit; got {link!r}")
    data = design(ratings, systems, groups, slopes=slopes, covariates=covariates)
    names, categories = np.unique(data.y, return_inverse=True)
    if len(names) < 2:
        raise InputError(f"every answer is {names[0]:g}, so that there is nothing to model")
    if len(names) > 100:
        raise InputError(
            f"{len(names):,} different answers are too many for thresholds between them; use the linear model"
        )
    codes = np.asarray(categories, dtype=np.int64)
    _refuse_separation(codes, data, len(names))
    x = np.ascontiguousarray(data.x[:, 1:])  # systems against the first, whose effect the thresholds hold
    laplace = Laplace(codes, x, data.factors, link, len(names) - 1)
    values, converged = _maximum(laplace, codes)
    if linear is None and groups:
        with suppress(InputError):
            linear = linear_mixed(ratings, systems, groups, slopes=slopes, covariates=covariates)
    return _result(data, laplace, values=values, converged=converged, names=names, level=level, linear=linear)


def _maximum(laplace: Laplace, codes: Codes) -> tuple[Array, bool]:
    """Parameters of the greatest likelihood: first without random effects, then with them."""
    start = np.zeros(laplace.thresholds + laplace.effects)
    shares = np.cumsum(np.bincount(codes, minlength=laplace.thresholds + 1))[:-1] / len(codes)
    start[: laplace.thresholds] = np.log(shares / (1 - shares)) * (1.0 if laplace.link == "logit" else 0.6)
    simple = Laplace(codes, laplace.x, (), laplace.link, laplace.thresholds)
    found, converged = _minimise(simple, start)
    if not laplace.factors:
        return found, converged
    scale = math.sqrt(RESIDUAL[laplace.link])
    first = np.append(found, np.full(len(laplace.factors), 0.4 * scale))
    curve = _first_curve(simple, found, laplace, 0.4 * scale)
    found, converged = _minimise(laplace, first, curve)
    for k in np.flatnonzero(found[-len(laplace.factors) :] < EDGE):
        tried = found.copy()  # at 0 the slope is 0, and a search may have stuck there
        tried[k - len(laplace.factors)] = 0.1 * scale
        if laplace.value(tried)[0] < laplace.value(found)[0] - 1e-6:
            found, converged = _minimise(laplace, tried, curve)
    return found, converged


class _Search:
    """Thresholds written as a first one and logarithms of the gaps, which keeps their order; the cost per answer."""

    def __init__(self, laplace: Laplace) -> None:
        self.laplace, self.n = laplace, len(laplace.categories)  # per answer: a first step of moderate length

    def outside(self, values: Array) -> Array:
        """Thresholds as they are."""
        k = self.laplace.thresholds
        out = values.copy()
        out[1:k] = values[0] + np.cumsum(np.exp(np.clip(values[1:k], -30, 30)))
        return out

    def inside(self, values: Array) -> Array:
        """The reverse."""
        k = self.laplace.thresholds
        out = values.copy()
        out[1:k] = np.log(np.maximum(np.diff(values[:k]), 1e-6))
        return out

    def cost(self, values: Array) -> tuple[float, Array]:
        """Of values inside, with its gradient."""
        k = self.laplace.thresholds
        value, gradient = self.laplace.value(self.outside(values))
        inner = gradient.copy()
        later = np.cumsum(gradient[:k][::-1])[::-1]  # a threshold moves all after it
        inner[0] = later[0]
        inner[1:k] = later[1:] * np.exp(np.clip(values[1:k], -30, 30))
        return value / self.n, inner / self.n


def _first_curve(simple: Laplace, found: Array, laplace: Laplace, sigma: float) -> Array | None:
    """Roughly the curvature of the cost where the search begins: that of the model without random effects, and of a
    deviation what so many levels tell of it. It shortens the search; None where it is no curvature."""
    search = _Search(simple)
    at = search.inside(found)
    size = len(at)
    own = np.array(central(lambda values: search.cost(values)[1], at, range(size)))
    whole = np.zeros((size + len(laplace.factors),) * 2)
    whole[:size, :size] = 0.5 * (own + own.T)
    for k, factor in enumerate(laplace.factors):
        whole[size + k, size + k] = len(factor) / (sigma**2 * search.n)
    values = np.linalg.eigvalsh(whole)
    return whole if values[0] > 1e-10 * values[-1] else None


def _minimise(laplace: Laplace, start: Array, curve: Array | None = None) -> tuple[Array, bool]:
    """Quasi-Newton steps, in units of a rough curvature where there is one."""
    from scipy.optimize import minimize

    search = _Search(laplace)
    first = search.inside(start)
    unit = np.eye(len(first)) if curve is None else np.linalg.inv(np.linalg.cholesky(curve)).T

    def function(steps: Array) -> tuple[float, Array]:
        value, gradient = search.cost(first + unit @ steps)
        return value, unit.T @ gradient

    found = minimize(
        function,
        np.zeros(len(first)),
        jac=True,
        method="BFGS",
        options={"maxiter": STEPS, "gtol": SMALL / search.n * float(np.abs(unit).max())},
    )
    at = first + unit @ np.asarray(found.x, dtype=np.float64)
    _, gradient = search.cost(at)
    fine = bool(found.success or search.n * np.abs(gradient).max() < 1e-2)
    out = search.outside(at)
    k = laplace.thresholds + laplace.effects
    out[k:] = np.abs(out[k:])
    return out, fine


def _curvature(laplace: Laplace, values: Array, free: Codes) -> Array:
    """Second derivatives of minus the log likelihood, by central differences of the gradient."""
    out = np.array(central(lambda at: laplace.value(at)[1], values, free))[:, free]
    return 0.5 * (out + out.T)


def _result(
    data: Design,
    laplace: Laplace,
    values: Array,
    converged: bool,
    names: Array,
    level: float,
    linear: LinearMixed | None,
) -> OrdinalMixed:
    k, effects, size = laplace.thresholds, laplace.effects, len(data.systems)
    edge = [j for j in range(k + effects, len(values)) if values[j] < EDGE]
    values = values.copy()
    values[edge] = 0.0
    free = np.array([j for j in range(len(values)) if j not in edge], dtype=np.int64)
    likelihood = -laplace.value(values)[0]
    inverse = np.linalg.pinv(_curvature(laplace, values, free))
    whole = np.zeros((len(values), len(values)))
    whole[np.ix_(free, free)] = inverse
    # From effects against the first system to effects about their mean, which the thresholds take over.
    turn = np.zeros((k + size + effects - size + 1, k + effects))
    middle = np.concatenate([np.zeros(k), np.full(size - 1, 1 / size), np.zeros(effects - size + 1)])
    turn[:k] = np.eye(k, k + effects) - middle
    turn[k] = -middle
    for s in range(1, size):
        turn[k + s] = np.eye(k + effects)[k + s - 1] - middle
    for extra in range(effects - size + 1):
        turn[k + size + extra, k + size - 1 + extra] = 1.0
    at = turn @ values[: k + effects]
    covariance = turn @ whole[: k + effects, : k + effects] @ turn.T
    thresholds = tuple(
        effect(f"{low:g}|{high:g}", unit, at, covariance, math.inf, level=level, n=data.n, tested=False)
        for low, high, unit in zip(names, names[1:], np.eye(k, len(at)), strict=False)
    )
    sigma = values[k + effects :]
    deviation_errors = np.sqrt(np.maximum(np.diag(whole)[k + effects :], 0.0))
    notes = [at_zero(f.name) for f, s in zip(data.factors, sigma, strict=True) if s == 0]
    separated = tuple(f.name for f, s in zip(data.factors, sigma, strict=True) if s > WIDEST)
    if separated:
        notes.append(separation(separated))
    if not converged or separated:
        notes.append(UNFINISHED)
    return OrdinalMixed(
        systems=data.systems,
        covariates=data.covariates,
        beta=at[k:],
        covariance=covariance[k:, k:],
        n=data.n,
        level=level,
        notes=tuple(notes),
        link=laplace.link,
        categories=tuple(map(float, names)),
        thresholds=thresholds,
        components=_components(data, sigma, deviation_errors, laplace.link, level),
        log_likelihood=likelihood,
        converged=converged and not separated,
        separated=separated,
        modes=_modes(laplace, values),
        parameters=len(values),
        linear=linear,
    )


def separation(names: Sequence[str]) -> str:
    """What is wrong where random effects grow without bound, by their names."""
    return (
        f"answers are separated by {' and '.join(names)} (some of these have nothing but one answer), so that no "
        "finite variance fits best"
    )


def _components(data: Design, sigma: Array, errors: Array, link: Link, level: float) -> tuple[Component, ...]:
    total = float(sigma @ sigma) + RESIDUAL[link]
    return tuple(
        variance_component(
            factor.name, float(s * s), 2 * float(error / s) if s else 0.0, total, level=level, levels=len(factor)
        )
        for factor, s, error in zip(data.factors, sigma, errors, strict=True)
    )


def _modes(laplace: Laplace, values: Array) -> dict[str, tuple[Mode, ...]]:
    if not laplace.factors:
        return {}
    _, _, sigma = laplace.parts(values)
    u, _, _, curve = laplace.modes(values)
    variances = curve.variances()
    return {
        factor.name: tuple(
            Mode(name, float(v), float(e))
            for name, v, e in zip(factor.levels, sigma[k] * u[k], sigma[k] * np.sqrt(variances[k]), strict=True)
        )
        for k, factor in enumerate(laplace.factors)
    }


def _refuse_separation(codes: Codes, data: Design, categories: int) -> None:
    """A system with nothing but the lowest, or the highest, answers has no finite effect."""
    system = data.x[:, : len(data.systems)].argmax(axis=1)
    for k, name in enumerate(data.systems):
        own = codes[system == k]
        if len(data.systems) > 1 and (np.all(own == 0) or np.all(own == categories - 1)):
            end = "lowest" if own[0] == 0 else "highest"
            raise InputError(
                f"every rating of {name} is the {end}, so that its effect has no finite estimate on the ordinal scale; "
                "use the linear model, or leave the system out"
            )
