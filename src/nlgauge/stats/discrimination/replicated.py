"""Replicated judges: the chance-corrected beta-binomial model and the test for over-dispersion.

Answers of one judge go together: some people see the difference always, some never. Judge i answers correctly with
probability guess + (1 − guess) π_i, where π_i varies over people by a beta distribution with mean μ (= p_d) and
correlation γ = 1 / (a + b + 1): γ = 0 means all are alike, γ = 1 that each sees it always or never (Brockhoff 2003;
R's sensR: betabin). μ is the mean probability of perceiving, not a share of people, unless γ = 1. With
`corrected=False` p_i itself is beta distributed, which lets judges guess worse than chance.

Against "everyone guesses" stands sensR's likelihood ratio with two degrees of freedom. In the corrected model only
answers better than guessing raise it. In the uncorrected one worse answers do so too, so there the verdict comes from
the signed likelihood root of μ against guessing, with γ free.

The limits of μ are profile-likelihood limits, carried to p_c and d′. Over-dispersion is tested by the likelihood ratio
against the binomial model: χ² with one degree of freedom as sensR does, which is conservative because γ = 0 is the
end of its range; half of that p is given beside it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.stats.discrimination import checks
from nlgauge.stats.discrimination.binomial import at_least, at_most, log_likelihood
from nlgauge.stats.discrimination.estimates import PROFILE, Measure
from nlgauge.stats.discrimination.limits import z_of
from nlgauge.stats.discrimination.protocols import Protocol, find
from nlgauge.stats.discrimination.wording import Told, chance, people, percent


class Terms:
    """log P(x of n) for each pair: of x correct answers k were perceived and x − k guessed, summed over k."""

    def __init__(self, x: NDArray[np.int64], n: NDArray[np.int64], guess: float) -> None:
        k = np.arange(int(x.max(initial=0)) + 1)[:, None]
        if guess == 0:  # nothing is guessed: k = x alone
            self.k, self.wrong, constant = x[None, :], n - x, np.zeros((1, len(x)))
        else:
            self.k, self.wrong = np.minimum(k, x), n - x
            constant = (
                log_choose(x, self.k) + (x - self.k) * math.log(guess) + (self.wrong + self.k) * math.log1p(-guess)
            )
            constant = np.where(k <= x, constant, -np.inf)
        self.constant = constant + log_choose(n, x)

    def __call__(self, mu: float, gamma: float) -> Array:
        terms = self._each(mu, gamma)
        top = terms.max(axis=0)
        return np.asarray(top + np.log(np.exp(terms - top).sum(axis=0)))

    def gradient(self, mu: float, gamma: float) -> tuple[Array, Array]:
        """The derivatives in a = μ (1/γ − 1) and b = (1 − μ)(1/γ − 1)."""
        from scipy.special import digamma

        size = 1 / gamma - 1
        a, b = mu * size, (1 - mu) * size
        terms = self._each(mu, gamma)
        shares = np.exp(terms - terms.max(axis=0))
        shares /= shares.sum(axis=0)
        total = digamma(size) - digamma(size + self.k + self.wrong)
        by_a = shares * (digamma(a + self.k) - digamma(a) + total)
        by_b = shares * (digamma(b + self.wrong) - digamma(b) + total)
        return by_a.sum(axis=0), by_b.sum(axis=0)

    def _each(self, mu: float, gamma: float) -> Array:
        from scipy.special import betaln

        size = 1 / gamma - 1
        a, b = mu * size, (1 - mu) * size
        return np.asarray(self.constant + betaln(a + self.k, b + self.wrong) - betaln(a, b))


def log_choose(n: Any, k: Any) -> Array:
    from scipy.special import gammaln

    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


_EDGE = 1e-6  # μ and γ are searched up to this distance from 0 and 1
_NEAR = 5e-5  # as close to an end as this is at the end
_FARTHEST = math.log((1 - _EDGE) / _EDGE)  # the same on the logit scale


@dataclass(frozen=True)
class Replicated(Told):
    """A fitted beta-binomial model of judges who answered several times each."""

    KEYS = (
        "protocol, corrected, judges, answers, correct, mu, gamma, p_c, p_d, d_prime, log_likelihood, aic, "
        "dispersion = _dispersion, difference = _difference, pooled_p, sentence, warnings = notes"
    )

    protocol: str
    corrected: bool
    judges: int
    answers: int
    correct: int
    mu: Measure  # the mean over people: p_d where corrected, else p_c
    gamma: Measure
    p_c: Measure
    p_d: Measure
    d_prime: Measure
    log_likelihood: float
    covariance: tuple[tuple[float, float], tuple[float, float]] | None
    dispersion_g2: float  # against all judges alike
    dispersion_p: float
    difference_g2: float  # against everyone guessing
    difference_p: float
    directed_p: float  # against guessing or worse: what the verdict rests on
    pooled_p: float  # the exact binomial test of all answers: valid for "no one perceives anything"
    notes: tuple[str, ...] = ()

    @property
    def aic(self) -> float:
        """Akaike's criterion."""
        return 4 - 2 * self.log_likelihood

    @property
    def sentence(self) -> str:
        """What may be written in a paper."""
        differ = "differ from each other" if self.dispersion_p <= 0.05 else "were not shown to differ from each other"
        gamma = "" if math.isnan(self.gamma.estimate) else f"γ = {self.gamma.estimate:.3f}, "
        interval = f"{percent(self.p_d.level)} interval {percent(self.p_d.low)} to {percent(self.p_d.high)}"
        model = f"{'chance-corrected ' if self.corrected else ''}beta-binomial"
        return (
            f"{people(self.judges)} gave {self.answers:,} answers, {self.correct:,} of them correct. {self._verdict}; "
            f"the mean probability of perceiving it is estimated as {percent(self.p_d.estimate)} "
            f"({interval}; {model}). Judges {differ} "
            f"(over-dispersion {gamma}{chance(self.dispersion_p)})."
        )

    @property
    def _verdict(self) -> str:
        shown = self.directed_p <= 0.05
        found = "perceive a difference" if shown else "were not shown to perceive a difference"
        test = "likelihood ratio" if self.corrected else "likelihood root"
        return f"Judges {found} ({test}, {chance(self.directed_p)})"

    def _dispersion(self) -> dict[str, float]:
        boundary = 0.5 * self.dispersion_p if self.dispersion_g2 > 0 else 1.0
        return {"g2": self.dispersion_g2, "df": 1, "p": self.dispersion_p, "p_boundary": boundary}

    def _difference(self) -> dict[str, float]:
        return {"g2": self.difference_g2, "df": 2, "p": self.difference_p, "directed_p": self.directed_p}


def beta_binomial(
    correct: Sequence[int],
    answers: Sequence[int] | int,
    *,
    protocol: str | Protocol = "triangle",
    corrected: bool = True,
    level: float = 0.95,
) -> Replicated:
    """Fit the model to the correct answers of each judge, out of `answers` (one number, or one per judge).

    Args:
        correct: right answers of each judge
        answers: answers of each judge, or the one number that all gave
        protocol: triangle, duo-trio, tetrad, 2-afc, 3-afc, hexad, two-out-of-five, or double-… of one of them
        corrected: whether the model is of p_d, chance taken off, or of the right answers as they are
        level: the confidence of the limits

    >>> from nlgauge.triangle import beta_binomial
    >>> fitted = beta_binomial([3, 2, 4, 1], answers=4)
    >>> round(fitted.mu.estimate, 3), round(fitted.gamma.estimate, 3)
    (0.433, 0.333)
    """
    asked = find(protocol)
    x, n = _counts(correct, answers)
    guess = asked.guess if corrected else 0.0
    table = _Table(x, n, guess)
    (mu, gamma), top = table.best()
    pooled = max(float(x.sum() / n.sum()), guess)
    alike = _binomial(x, n, pooled)
    guessing = _binomial(x, n, asked.guess)
    notes = []
    covariance = table.covariance(mu, gamma) if all(_inside(value) for value in (mu, gamma)) else None
    if gamma <= _NEAR:  # all judges alike: the binomial model itself
        mu, gamma = (asked.to_p_d(pooled) if corrected else pooled), 0.0
    if x.sum() == n.sum():
        mu, covariance = 1.0, None
    elif corrected and guessing >= top - 1e-9:  # nothing is likelier than that everyone guesses
        mu, covariance = 0.0, None
    if covariance is None:
        top = max(top, alike)
        notes.append("the fit lies at the end of the parameters' range, so it has no standard errors")
    undefined = not _inside(mu)  # where all perceive it, or none, nobody can differ
    mu_error, gamma_error = (
        (math.nan, math.nan) if covariance is None else (math.sqrt(covariance[0][0]), math.sqrt(covariance[1][1]))
    )
    low, high = table.limits(mu, top, checks.level(level))
    to_c = asked.from_p_d if corrected else float
    slope = float(asked.slope(asked.d_prime(to_c(mu)))) if to_c(mu) < 1 else 0.0
    scale = 1 - guess
    g2 = max(0.0, 2 * (top - alike))
    association = max(0.0, 2 * (top - guessing))
    ends = (to_c(low), to_c(high))
    error = mu_error * scale
    below = not corrected and mu < asked.guess
    # μ below guessing: p_d and d′ end at 0, so their limits are those of the likelihood bounded there.
    perceived = (asked.guess, table.bounded(asked.guess, level)) if below else ends
    if to_c(mu) <= asked.guess and x.sum() < n.sum() * asked.guess:
        notes.append(_worse(int(x.sum()), int(n.sum()), asked.guess))

    def measure(name: str, value: float, limits: tuple[float, float], spread: float) -> Measure:
        return Measure(value, *limits, level, PROFILE, int(n.sum()), name=name, standard_error=spread)

    return Replicated(
        protocol=asked.name,
        corrected=corrected,
        judges=len(x),
        answers=int(n.sum()),
        correct=int(x.sum()),
        mu=measure("μ", mu, (low, high), mu_error),
        gamma=measure("γ", math.nan if undefined else gamma, (math.nan, math.nan), gamma_error),
        p_c=measure("p_c", to_c(mu), ends, error),
        p_d=measure(
            "p_d",
            asked.to_p_d(to_c(mu)),
            (asked.to_p_d(perceived[0]), asked.to_p_d(perceived[1])),
            math.nan if below else error / (1 - asked.guess),
        ),
        d_prime=measure(
            "d′",
            asked.d_prime(to_c(mu)),
            (asked.d_prime(perceived[0]), asked.d_prime(perceived[1])),
            error / slope if slope > 0 and not below else math.nan,
        ),
        log_likelihood=top,
        covariance=covariance,
        dispersion_g2=g2,
        dispersion_p=_chi2(g2, 1),
        difference_g2=association,
        difference_p=_chi2(association, 2),
        directed_p=_chi2(association, 2) if corrected else table.above(asked.guess, mu, top),
        pooled_p=float(at_least(int(x.sum()), int(n.sum()), asked.guess)),
        notes=tuple(notes),
    )


def _worse(correct: int, answers: int, guess: float) -> str:
    """What to say of judges who did worse than guessing."""
    head = "fewer correct answers than guessing gives: p_d and d′ are set to 0"
    if float(at_most(correct, answers, guess)) >= 0.01:
        return head
    return f"far {head}; check how correct answers were counted"


def _inside(value: float) -> bool:
    return _NEAR < value < 1 - _NEAR


class _Table:
    """The log-likelihood of (μ, γ): judges with the same counts are computed once, and what is constant too."""

    def __init__(self, x: NDArray[np.int64], n: NDArray[np.int64], guess: float) -> None:
        pairs, self.weights = np.unique(np.stack([x, n]), axis=1, return_counts=True)
        self.terms = Terms(pairs[0], pairs[1], guess)
        self.pooled = (float(x.sum() / n.sum()) - guess) / (1 - guess)

    def __call__(self, mu: float, gamma: float) -> float:
        return float(self.weights @ self.terms(mu, gamma))

    def best(self) -> tuple[tuple[float, float], float]:
        """The maximum: a coarse grid, then a quasi-Newton search over the logits of both parameters."""
        from scipy.optimize import minimize

        grid = [0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98]
        start = max(((m, g) for m in grid for g in grid), key=lambda point: self(*point))
        # Where the likelihood falls from γ = 0 on and nothing on the grid is higher, all judges are alike.
        alike = min(max(self.pooled, _EDGE), 1 - _EDGE)
        if self(alike, _EDGE) > max(self(alike, 1e-3), self(alike, 1e-2), self(*start)):
            return (alike, _EDGE), self(alike, _EDGE)

        def falling(logits: Array) -> tuple[float, Array]:
            mu, gamma = 1 / (1 + np.exp(-logits))
            inner = np.array([mu * (1 - mu), gamma * (1 - gamma)])
            return -self(mu, gamma), -self.gradient(mu, gamma) * inner

        result = minimize(
            falling,
            [math.log(value / (1 - value)) for value in start],
            jac=True,
            method="L-BFGS-B",
            bounds=[(-_FARTHEST, _FARTHEST)] * 2,
            options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 500},
        )
        mu, gamma = (float(value) for value in 1 / (1 + np.exp(-result.x)))
        return (mu, gamma), self(mu, gamma)

    def gradient(self, mu: float, gamma: float) -> Array:
        """The derivatives of the log-likelihood in μ and γ."""
        by_a, by_b = (float(self.weights @ part) for part in self.terms.gradient(mu, gamma))
        size = 1 / gamma - 1
        return np.array([size * (by_a - by_b), -(mu * by_a + (1 - mu) * by_b) / gamma**2])

    def highest_at(self, mu: float) -> float:
        """The profile: the largest log-likelihood with this μ."""
        from scipy.optimize import minimize_scalar

        # Over logit γ: the profile is flat near both ends.
        result = minimize_scalar(
            lambda t: -self(mu, 1 / (1 + math.exp(-t))),
            bounds=(-_FARTHEST, _FARTHEST),
            method="bounded",
            options={"xatol": 1e-8},
        )
        return max(-float(result.fun), self(mu, _EDGE))

    def limits(self, mu: float, top: float, level: float) -> tuple[float, float]:
        """Where the profile has dropped by half the squared quantile."""
        from scipy.optimize import brentq

        drop = 0.5 * z_of((1 - level) / 2) ** 2
        mu = min(max(mu, _EDGE), 1 - _EDGE)

        def excess(value: float) -> float:
            return top - self.highest_at(value) - drop

        low, high = 0.0, 1.0
        if mu > _EDGE and excess(_EDGE) > 0:
            low = float(brentq(excess, _EDGE, mu, xtol=1e-9))
        if mu < 1 - _EDGE and excess(1 - _EDGE) > 0:
            high = float(brentq(excess, mu, 1 - _EDGE, xtol=1e-9))
        return low, high

    def bounded(self, least: float, level: float) -> float:
        """The upper limit of a μ that is at least `least`, where the likelihood falls from there on."""
        return self.limits(least, self.highest_at(least), level)[1]

    def above(self, guess: float, mu: float, top: float) -> float:
        """The one-sided p of μ above guessing, by the signed likelihood root; γ is free under both."""
        from scipy.special import ndtr

        root = math.sqrt(max(0.0, 2 * (top - self.highest_at(guess))))
        return float(ndtr(math.copysign(root, guess - mu)))

    def covariance(self, mu: float, gamma: float) -> tuple[tuple[float, float], tuple[float, float]] | None:
        """The inverse of the observed information: differences of the gradient, extrapolated to step 0."""
        step = 0.02 * min(mu, 1 - mu, gamma, 1 - gamma)
        rough, fine = (self._hessian(mu, gamma, h) for h in (step, step / 2))
        inverse = np.linalg.inv(-(4 * fine - rough) / 3)
        if not (inverse[0, 0] > 0 and inverse[1, 1] > 0):
            return None
        cross = float(inverse[0, 1] + inverse[1, 0]) / 2
        return ((float(inverse[0, 0]), cross), (cross, float(inverse[1, 1])))

    def _hessian(self, mu: float, gamma: float, h: float) -> Array:
        by_mu = (self.gradient(mu + h, gamma) - self.gradient(mu - h, gamma)) / (2 * h)
        by_gamma = (self.gradient(mu, gamma + h) - self.gradient(mu, gamma - h)) / (2 * h)
        return np.stack([by_mu, by_gamma])


def _binomial(x: NDArray[np.int64], n: NDArray[np.int64], p: float) -> float:
    return float(log_choose(n, x).sum()) + log_likelihood(int(x.sum()), int(n.sum()), p)


def _chi2(value: float, freedom: int) -> float:
    from scipy.special import chdtrc

    return float(chdtrc(freedom, value))


def _counts(correct: Sequence[int], answers: Sequence[int] | int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    right = [
        checks.whole(value, "the number of correct answers of a judge")
        for value in checks.several(correct, "the correct answers")
    ]
    if isinstance(answers, Sequence | np.ndarray):
        totals = [checks.judges(value, "the number of answers of a judge") for value in answers]
    else:
        totals = [checks.judges(answers, "the number of answers per judge")] * len(right)
    if len(right) != len(totals):
        raise InputError(
            f"{len(right)} judges have correct answers but {len(totals)} have numbers of answers; give one per judge"
        )
    for place, (x, n) in enumerate(zip(right, totals, strict=True), start=1):
        if x > n:
            raise InputError(f"judge {place} has {x:,} correct answers out of {n:,}: there cannot be more")
        if n > 10_000:
            raise InputError(f"judge {place} has {n:,} answers; the model takes at most 10,000 a judge")
    if len(right) < 2:
        raise InputError("the beta-binomial model compares judges, so it needs at least two")
    if max(totals) < 2:
        raise InputError(
            "the beta-binomial model needs judges with several answers each; with one each use the plain test"
        )
    return np.array(right, dtype=np.int64), np.array(totals, dtype=np.int64)
