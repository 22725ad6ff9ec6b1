"""Discrimination protocols: how often a judge of sensitivity d′ answers correctly, and back.

Each protocol is one psychometric function p_c(d′) with its slope and inverse (Thurstone's model: every sample is
perceived with unit normal noise, samples of the second product d′ higher). The functions are those of R's sensR
(psyfun, psyderiv, psyinv), but written in closed form with Owen's T where one exists:

    triangle   1 − 4 T(d′/√6, √3)                 (= 1 − F(3; 1, 1, 2d′²/3), non-central F)
    tetrad     1 − 8 T(d′/√2, 1/√3)               (unspecified: which pair is which product is not asked)
    3-AFC      Φ(d′/√2) − 2 T(d′/√2, 1/√3)
    2-AFC      Φ(d′/√2)
    duo-trio   ab + (1 − a)(1 − b),  a = Φ(d′/√2), b = Φ(d′/√6)

Hexad (three and three, unspecified) and two-out-of-five are integrals, taken here by Gauss-Legendre quadrature to
about 1e-13; sensR replaces them by polynomials fitted to simulations, which differ by up to 0.001 in p_c. In the
two-out-of-five test the judge is taken to separate the two lowest or the two highest of the five perceived values,
whichever stands off by the wider gap (Ennis 2013; it reproduces sensR's curve to that 0.001).

p_d, the proportion of people who really perceive the difference, is (p_c − guess) / (1 − guess).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from nlgauge.arrays import Array
from nlgauge.errors import InputError, suggest

Curve = Callable[[Array], Array]

_ROOT2, _ROOT3, _ROOT6 = math.sqrt(2), math.sqrt(3), math.sqrt(6)
_FARTHEST = 40.0  # no p_c of a double differs from 1 beyond this d′


@dataclass(frozen=True)
class Protocol:
    """One way to ask, with its psychometric function."""

    name: str
    title: str
    guess: float
    task: str
    wrong: Curve  # 1 − p_c as a function of d′: keeps its digits where p_c is close to 1
    rise: Curve  # the slope of p_c
    doubled: bool = False

    def p_correct(self, d_prime: ArrayLike) -> Array:
        """The chance of a correct answer at sensitivity d′; below 0 it is that of guessing."""
        return 1.0 - self._wrong(d_prime)

    def slope(self, d_prime: ArrayLike) -> Array:
        """The derivative of `p_correct`: 0 at d′ = 0 for protocols that do not name the attribute."""
        d = np.asarray(d_prime, dtype=np.float64)
        inside = np.clip(d, 0.0, _FARTHEST)
        slope = self.rise(inside)
        if self.doubled:
            slope = 2.0 * (1.0 - self.wrong(inside)) * slope
        return np.asarray(np.where((d < 0) | (d > _FARTHEST), 0.0, slope))

    def d_prime(self, p_correct: float) -> float:
        """The sensitivity that gives this chance of a correct answer: 0 at or below guessing, infinite at 1."""
        from scipy.optimize import brentq

        if p_correct <= self.guess:
            return 0.0
        if p_correct >= 1:
            return math.inf
        wrong = 1.0 - p_correct

        def excess(d: float) -> float:
            return float(self._wrong(d)) - wrong

        if excess(_FARTHEST) > 0 or excess(0.0) < 0:  # rounding at either end
            return math.inf if excess(_FARTHEST) > 0 else 0.0
        return float(brentq(excess, 0.0, _FARTHEST, xtol=1e-13, rtol=1e-14))

    def from_p_d(self, p_d: float) -> float:
        """p_c of a population of which the share p_d perceives the difference and the rest guesses."""
        return self.guess + (1.0 - self.guess) * p_d

    def to_p_d(self, p_correct: float) -> float:
        """The share that perceives the difference: never below 0."""
        return max(0.0, (p_correct - self.guess) / (1.0 - self.guess))

    def double(self) -> Protocol:
        """The protocol asked twice of each judge, an answer being correct when both are (sensR: double=TRUE)."""
        return replace(
            self,
            name=f"double-{self.name}",
            title=f"double {self.title}",
            guess=self.guess**2,
            task=f"{self.task}, twice; correct when both answers are",
            doubled=True,
        )

    def _wrong(self, d_prime: ArrayLike) -> Array:
        d = np.asarray(d_prime, dtype=np.float64)
        wrong = self.wrong(np.clip(d, 0.0, _FARTHEST))
        if self.doubled:
            wrong = wrong * (2.0 - wrong)
        return np.asarray(np.where(d <= 0, 1.0 - self.guess, wrong))


def find(name: str | Protocol) -> Protocol:
    """The protocol of this name; `double-…` asks it twice.

    Args:
        name: its name or a protocol, which is returned as it is

    >>> from nlgauge.triangle import protocol
    >>> protocol("tetrad").guess
    0.3333333333333333
    """
    if isinstance(name, Protocol):
        return name
    spelt = str(name).strip().lower().replace("_", "-")
    base = spelt.removeprefix("double-")
    base = ALIASES.get(base, base)
    if base not in PROTOCOLS:
        raise InputError(f"there is no protocol {name!r}; {suggest(base, PROTOCOLS)}, each also as double-…")
    found = PROTOCOLS[base]
    return found.double() if spelt.startswith("double-") else found


def _phi(z: Array) -> Array:
    return np.asarray(np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi))


def _ndtr(z: Array) -> Array:
    from scipy.special import ndtr

    return np.asarray(ndtr(z))


@lru_cache(maxsize=8)
def _nodes(count: int) -> tuple[Array, Array]:
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return nodes, weights


def _owens_t(h: Array, a: float) -> Array:
    from scipy.special import owens_t

    return np.asarray(owens_t(h, a))


def _triangle_wrong(d: Array) -> Array:
    return 4.0 * _owens_t(d / _ROOT6, _ROOT3)


def _triangle_rise(d: Array) -> Array:
    return 4.0 / _ROOT6 * _phi(d / _ROOT6) * (_ndtr(d / _ROOT2) - 0.5)


def _tetrad_wrong(d: Array) -> Array:
    return 8.0 * _owens_t(d / _ROOT2, 1.0 / _ROOT3)


def _tetrad_rise(d: Array) -> Array:
    return 4.0 * _ROOT2 * _phi(d / _ROOT2) * (_ndtr(d / _ROOT6) - 0.5)


def _three_afc_wrong(d: Array) -> Array:
    return _ndtr(-d / _ROOT2) + 2.0 * _owens_t(d / _ROOT2, 1.0 / _ROOT3)


def _three_afc_rise(d: Array) -> Array:
    return _ROOT2 * _phi(d / _ROOT2) * _ndtr(d / _ROOT6)


def _two_afc_wrong(d: Array) -> Array:
    return _ndtr(-d / _ROOT2)


def _two_afc_rise(d: Array) -> Array:
    return _phi(d / _ROOT2) / _ROOT2


def _duo_trio_wrong(d: Array) -> Array:
    a, b = _ndtr(-d / _ROOT2), _ndtr(-d / _ROOT6)
    return a * (1.0 - b) + b * (1.0 - a)


def _duo_trio_rise(d: Array) -> Array:
    a, b = _ndtr(d / _ROOT2), _ndtr(d / _ROOT6)
    return _phi(d / _ROOT2) / _ROOT2 * (2.0 * b - 1.0) + _phi(d / _ROOT6) / _ROOT6 * (2.0 * a - 1.0)


def _hexad_side(d: Array, *, slope: bool) -> Array:
    """All three samples of the first product lie below all three of the second (or its derivative in d′)."""
    nodes, weights = _nodes(200)
    z = 9.0 * nodes
    low = 3.0 * _phi(z) * _ndtr(z) ** 2 * (9.0 * weights)
    room = np.asarray(d)[..., None] - z
    high = 3.0 * _ndtr(room) ** 2 * _phi(room) if slope else _ndtr(room) ** 3
    return np.asarray(high @ low)


def _hexad_wrong(d: Array) -> Array:
    return 1.0 - _hexad_side(d, slope=False) - _hexad_side(-d, slope=False)


def _hexad_rise(d: Array) -> Array:
    return _hexad_side(d, slope=True) - _hexad_side(-d, slope=True)


def _five_side(d: Array, *, slope: bool) -> Array:
    """The pair lies above the three, and farther from their highest than their second highest does."""
    nodes, weights = _nodes(80)
    top = 8.5 * nodes[:, None]  # the highest of the three
    gap = 6.0 * (nodes + 1.0)[None, :]  # from it down to the second highest
    second = top - gap
    three = 6.0 * _phi(top) * _phi(second) * _ndtr(second) * (8.5 * weights[:, None]) * (6.0 * weights[None, :])
    room = -(top + gap)

    def one(distance: float) -> float:
        above = _ndtr(room + distance)
        value = 2.0 * above * _phi(room + distance) if slope else above**2
        return float(np.sum(three * value))

    return np.asarray(np.vectorize(one, otypes=[np.float64])(d))


def _five_wrong(d: Array) -> Array:
    return 1.0 - _five_side(d, slope=False) - _five_side(-d, slope=False)


def _five_rise(d: Array) -> Array:
    return _five_side(d, slope=True) - _five_side(-d, slope=True)


_ALL = (
    ("triangle", "triangle test", 3, "pick the odd one of three", _triangle_wrong, _triangle_rise),
    ("duo-trio", "duo-trio test", 2, "which of two matches the given one", _duo_trio_wrong, _duo_trio_rise),
    ("tetrad", "tetrad test", 3, "sort four into two pairs", _tetrad_wrong, _tetrad_rise),
    ("2-afc", "2-AFC test", 2, "which of two has more of a named trait", _two_afc_wrong, _two_afc_rise),
    ("3-afc", "3-AFC test", 3, "which of three has most of it", _three_afc_wrong, _three_afc_rise),
    ("hexad", "hexad test", 10, "sort six into two groups of three", _hexad_wrong, _hexad_rise),
    ("two-out-of-five", "two-out-of-five test", 10, "pick the two unlike the rest", _five_wrong, _five_rise),
)
PROTOCOLS = {name: Protocol(name, title, 1 / ways, task, wrong, rise) for name, title, ways, task, wrong, rise in _ALL}
ALIASES = {
    "twoafc": "2-afc",
    "2afc": "2-afc",
    "threeafc": "3-afc",
    "3afc": "3-afc",
    "duotrio": "duo-trio",
    "twofive": "two-out-of-five",
    "2-out-of-5": "two-out-of-five",
}
