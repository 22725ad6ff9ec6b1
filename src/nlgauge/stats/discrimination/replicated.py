"""Replicated judges: the chance-corrected beta-binomial model and the test for over-dispersion.

Answers of one judge go together: some people see the difference always, some never. Judge i answers correctly with
probability guess + (1 − guess) π_i, where π_i varies over people by a beta distribution with mean μ (= p_d) and
correlation γ = 1 / (a + b + 1): γ = 0 means all are alike, γ = 1 that each sees it always or never (Brockhoff 2003;
R's sensR: betabin). With `corrected=False` p_i itself is beta distributed, which lets judges guess worse than chance.

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

from nlgauge.errors import InputError
from nlgauge.stats.discrimination import checks
from nlgauge.stats.discrimination.binomial import at_least, log_likelihood, lowest_rejecting
from nlgauge.stats.discrimination.estimates import Measure
from nlgauge.stats.discrimination.limits import z_of
from nlgauge.stats.discrimination.protocols import Protocol, find
from nlgauge.stats.discrimination.wording import chance, percent, with_notes

Array = NDArray[np.float64]

_EDGE = 1e-6  # μ and γ are searched up to this distance from 0 and 1
_NEAR = 5e-5  # as close to an end as this is at the end
_FARTHEST = math.log((1 - _EDGE) / _EDGE)  # the same on the logit scale


@dataclass(frozen=True)
class Replicated:
    """A fitted beta-binomial model of judges who answered several times each."""

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
    pooled_p: float  # the exact binomial test of all answers: valid for "no one perceives anything"
    notes: tuple[str, ...] = ()

    @property
    def aic(self) -> float:
        """Akaike's criterion."""
        return 4 - 2 * self.log_likelihood

    @property
    def sentence(self) -> str:
        """What may be written in a paper."""
        differ = (
            "differ from each other"
            if self.dispersion_p <= 0.05
            else "were not shown to differ from each other"
        )
        found = (
            "perceive a difference"
            if self.difference_p <= 0.05
            else "were not shown to perceive a difference"
        )
        gamma = "" if math.isnan(self.gamma.estimate) else f"γ = {self.gamma.estimate:.3f}, "
        interval = f"{percent(self.p_d.level)} interval {percent(self.p_d.low)} to {percent(self.p_d.high)}"
        return (
            f"{self.judges:,} judges gave {self.answers:,} answers, {self.correct:,} of them correct. Judges {found} "
            f"(likelihood ratio, {chance(self.difference_p)}); an estimated {percent(self.p_d.estimate)} do "
            f"({interval}; {'chance-corrected ' if self.corrected else ''}beta-binomial). Judges {differ} "
            f"(over-dispersion {gamma}{chance(self.dispersion_p)})."
        )

    def __str__(self) -> str:
        return with_notes(self.sentence, self.notes)

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return {
            "protocol": self.protocol,
            "corrected": self.corrected,
            "judges": self.judges,
            "answers": self.answers,
            "correct": self.correct,
            **{name: getattr(self, name).short() for name in ("mu", "gamma", "p_c", "p_d", "d_prime")},
            "log_likelihood": self.log_likelihood,
            "aic": self.aic,
            "dispersion": {
                "g2": self.dispersion_g2,
                "df": 1,
                "p": self.dispersion_p,
                "p_boundary": 0.5 * self.dispersion_p if self.dispersion_g2 > 0 else 1.0,
            },
            "difference": {"g2": self.difference_g2, "df": 2, "p": self.difference_p},
            "pooled_p": self.pooled_p,
            "sentence": self.sentence,
            "warnings": list(self.notes),
        }


def beta_binomial(
    correct: Sequence[int],
    answers: Sequence[int] | int,
    *,
    protocol: str | Protocol = "triangle",
    corrected: bool = True,
    level: float = 0.95,
) -> Replicated:
    """Fit the model to the correct answers of each judge, out of `answers` (one number, or one per judge)."""
    asked = find(protocol)
    x, n = _counts(correct, answers)
    guess = asked.guess if corrected else 0.0
    table = _Table(x, n, guess)
    (mu, gamma), top = table.best()
    pooled = max(float(x.sum() / n.sum()), asked.guess if corrected else 0.0)
    alike = _binomial(x, n, pooled)
    guessing = _binomial(x, n, asked.guess)
    notes = []
    covariance = table.covariance(mu, gamma) if all(_inside(value) for value in (mu, gamma)) else None
    if gamma <= _NEAR:  # all judges alike: the binomial model itself
        mu, gamma = (asked.to_p_d(pooled) if corrected else pooled), 0.0
    if covariance is None:
        top = max(top, alike)
        notes.append("the fit lies at the end of the parameters' range, so it has no standard errors")
    undefined = not _inside(mu)  # where all perceive it, or none, nobody can differ
    mu_error, gamma_error = (
        (math.nan, math.nan)
        if covariance is None
        else (math.sqrt(covariance[0][0]), math.sqrt(covariance[1][1]))
    )
    low, high = table.limits(mu, top, checks.level(level))
    to_c = asked.from_p_d if corrected else float
    slope = float(asked.slope(asked.d_prime(to_c(mu)))) if to_c(mu) < 1 else 0.0
    scale = 1 - guess
    g2 = max(0.0, 2 * (top - alike))
    association = max(0.0, 2 * (top - guessing))
    ends = (to_c(low), to_c(high))
    error = mu_error * scale

    def measure(name: str, value: float, limits: tuple[float, float], spread: float) -> Measure:
        return Measure(value, *limits, level, "profile-likelihood limits", int(n.sum()), name, (), spread)

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
            (asked.to_p_d(ends[0]), asked.to_p_d(ends[1])),
            error / (1 - asked.guess),
        ),
        d_prime=measure(
            "d′",
            asked.d_prime(to_c(mu)),
            (asked.d_prime(ends[0]), asked.d_prime(ends[1])),
            error / slope if slope > 0 else math.nan,
        ),
        log_likelihood=top,
        covariance=covariance,
        dispersion_g2=g2,
        dispersion_p=_chi2(g2, 1),
        difference_g2=association,
        difference_p=_chi2(association, 2),
        pooled_p=float(at_least(int(x.sum()), int(n.sum()), asked.guess)),
        notes=tuple(notes),
    )


def replicated_power(
    judges: int,
    per_judge: int,
    *,
    p_d: float,
    gamma: float,
    alpha: float = 0.05,
    protocol: str | Protocol = "triangle",
) -> float:
    """Power of the pooled exact difference test when people differ by γ: exact, from the sum of beta-binomials.

    Without a difference everyone guesses and the pooled count is binomial whatever γ, so α is kept.
    """
    asked = find(protocol)
    people, each = checks.judges(judges), checks.judges(per_judge, "the number of answers per judge")
    share = checks.share(p_d)
    if not 0 <= gamma < 1:
        raise InputError(f"gamma must be at least 0 and below 1, not {gamma:g}")
    if people * each > 20_000:
        raise InputError(f"{people * each:,} answers are too many for the exact sum; plan for at most 20,000")
    total = people * each
    least = int(lowest_rejecting(total, checks.risk(alpha, "alpha"), asked.guess))
    if gamma == 0 or each == 1 or share == 1:
        return float(at_least(least, total, asked.from_p_d(share)))
    counts = np.arange(each + 1)
    one = np.exp(_Terms(counts, np.full(each + 1, each), asked.guess)(share, gamma))
    return float(_power_of(one / one.sum(), people)[least:].sum())


@dataclass(frozen=True)
class ReplicatedPlan:
    """How many judges with several answers each find p_d when people differ by γ."""

    protocol: str
    alpha: float
    beta: float
    p_d: float
    gamma: float
    per_judge: int
    judges: int  # the smallest number that suffices
    min_correct: int
    power: float
    alike: int  # judges that would suffice if all were alike

    @property
    def sentence(self) -> str:
        """The plan in words."""
        return (
            f"{self.judges:,} judges with {self.per_judge} answers each find a difference that {percent(self.p_d)} of "
            f"people perceive with probability {self.power:.3f} (α = {self.alpha:g}, β = {self.beta:g}, judges "
            f"differing by γ = {self.gamma:g}): {self.min_correct:,} or more of the "
            f"{self.judges * self.per_judge:,} answers must be correct. If all judges were alike, "
            f"{self.alike:,} would do."
        )

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return {**vars(self), "answers": self.judges * self.per_judge, "sentence": self.sentence}


def replicated_plan(
    alpha: float,
    beta: float,
    p_d: float,
    *,
    per_judge: int,
    gamma: float,
    protocol: str | Protocol = "triangle",
) -> ReplicatedPlan:
    """The smallest number of judges whose pooled exact difference test keeps both risks, given γ.

    For a difference only: repeated answers cannot show similarity.
    """
    asked = find(protocol)
    each, share = checks.judges(per_judge, "the number of answers per judge"), checks.share(p_d)
    alpha, beta = checks.risk(alpha, "alpha"), checks.risk(beta, "beta")
    if not 0 <= gamma < 1:
        raise InputError(f"gamma must be at least 0 and below 1, not {gamma:g}")
    found = [_fewest(alpha, beta, share, each, spread, asked) for spread in (gamma, 0.0)]
    people, least, power = found[0]
    return ReplicatedPlan(asked.name, alpha, beta, share, gamma, each, people, least, power, found[1][0])


def _fewest(
    alpha: float, beta: float, p_d: float, each: int, gamma: float, asked: Protocol
) -> tuple[int, int, float]:
    counts = np.arange(each + 1)
    if gamma == 0 or p_d == 1:  # all alike
        p = asked.from_p_d(p_d)
        one = np.exp(_log_choose(each, counts)) * p**counts * (1 - p) ** (each - counts)
    else:
        one = np.exp(_Terms(counts, np.full(each + 1, each), asked.guess)(p_d, gamma))
    total = np.ones(1)
    for people in range(1, 20_000 // each + 1):
        total = np.convolve(total, one / one.sum())
        least = int(lowest_rejecting(people * each, alpha, asked.guess))
        power = float(total[least:].sum())
        if power >= 1 - beta:
            return people, least, power
    raise InputError(
        "more than 20,000 answers would be needed; use a larger p_d or more judges with fewer answers"
    )


def _power_of(one: Array, times: int) -> Array:
    """The distribution of the sum of so many independent draws, by repeated squaring."""
    result, base = np.ones(1), one
    while times:
        if times & 1:
            result = np.convolve(result, base)
        base = np.convolve(base, base) if times > 1 else base
        times >>= 1
    return result


def _inside(value: float) -> bool:
    return _NEAR < value < 1 - _NEAR


class _Table:
    """The log-likelihood of (μ, γ): judges with the same counts are computed once, and what is constant too."""

    def __init__(self, x: NDArray[np.int64], n: NDArray[np.int64], guess: float) -> None:
        pairs, self.weights = np.unique(np.stack([x, n]), axis=1, return_counts=True)
        self.terms = _Terms(pairs[0], pairs[1], guess)
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
            lambda t: -self(mu, 1 / (1 + math.exp(-t))), bounds=(-_FARTHEST, _FARTHEST), method="bounded",
            options={"xatol": 1e-8},
        )  # fmt: skip
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


class _Terms:
    """log P(x of n) for each pair: of x correct answers k were perceived and x − k guessed, summed over k."""

    def __init__(self, x: NDArray[np.int64], n: NDArray[np.int64], guess: float) -> None:
        k = np.arange(int(x.max(initial=0)) + 1)[:, None]
        if guess == 0:  # nothing is guessed: k = x alone
            self.k, self.wrong, constant = x[None, :], n - x, np.zeros((1, len(x)))
        else:
            self.k, self.wrong = np.minimum(k, x), n - x
            constant = (
                _log_choose(x, self.k)
                + (x - self.k) * math.log(guess)
                + (self.wrong + self.k) * math.log1p(-guess)
            )
            constant = np.where(k <= x, constant, -np.inf)
        self.constant = constant + _log_choose(n, x)

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


def _log_choose(n: Any, k: Any) -> Array:
    from scipy.special import gammaln

    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def _binomial(x: NDArray[np.int64], n: NDArray[np.int64], p: float) -> float:
    return float(_log_choose(n, x).sum()) + log_likelihood(int(x.sum()), int(n.sum()), p)


def _chi2(value: float, freedom: int) -> float:
    from scipy.special import chdtrc

    return float(chdtrc(freedom, value))


def _counts(
    correct: Sequence[int], answers: Sequence[int] | int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    right = [checks.whole(value, "the number of correct answers of a judge") for value in correct]
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
