"""Psychometric functions against sensR, their definitions, and simulation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import ncf

from nlgauge.errors import InputError
from nlgauge.stats.discrimination import PROTOCOLS, rescale
from nlgauge.stats.discrimination.protocols import find

D_PRIMES = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
# psyfun and psyderiv of sensR 1.5-3, as recorded in the test data of the Python port senspy (aigorahub/sensR).
SENSR_CURVES = {
    "duo-trio": (
        0.5,
        0.52234700063,
        0.58247544423,
        0.66346218939,
        0.74682024555,
        0.81958454855,
        0.87645670402,
    ),
    "triangle": (
        1 / 3,
        0.35583464965,
        0.4180466748,
        0.50645609738,
        0.60480693292,
        0.69933874302,
        0.78142759886,
    ),
    "2-afc": (0.5, 0.63816319508, 0.76024993891, 0.85557781683, 0.92135039647, 0.96145006413, 0.98305257324),
    "3-afc": (
        1 / 3,
        0.48259287089,
        0.63370205034,
        0.76581195759,
        0.86576717563,
        0.93136524126,
        0.96879547797,
    ),
    "tetrad": (
        1 / 3,
        0.37771870345,
        0.49380842769,
        0.64093656326,
        0.77766711685,
        0.87966070876,
        0.9429716191,
    ),
    "hexad": (0.1, 0.14284770628, 0.263344564, 0.43851470782, 0.6237275423, 0.78059349052, 0.889966449),
    "two-out-of-five": (
        0.1,
        0.12864530802,
        0.2085955086,
        0.32728937762,
        0.46319183106,
        0.59617600061,
        0.7124482472,
    ),
}
SENSR_SLOPES = {  # at 0.5, 1, 1.5, 2, 2.5
    "duo-trio": (0.086939295424, 0.14761791935, 0.16991182663, 0.1591337152, 0.13023981959),
    "triangle": (0.088153385965, 0.15598895956, 0.19204317425, 0.19668580226, 0.17857641496),
    "2-afc": (0.26500353234, 0.21969564473, 0.1607327673, 0.10377687436, 0.059130280612),
    "3-afc": (0.30786613479, 0.2893190843, 0.23462300681, 0.16456768842, 0.10008189273),
    "tetrad": (0.17145040976, 0.27849375828, 0.29556095804, 0.24316325629, 0.16380644853),
}
FITTED_BY_POLYNOMIALS = {"hexad", "two-out-of-five"}  # in sensR; the integrals are exact here


@pytest.mark.parametrize("name", PROTOCOLS)
def test_curves_of_sensr(name: str) -> None:
    tolerance = 1e-3 if name in FITTED_BY_POLYNOMIALS else 1e-8  # R's integrate() stops at about 5e-9
    assert find(name).p_correct(np.array(D_PRIMES)) == pytest.approx(SENSR_CURVES[name], abs=tolerance)


@pytest.mark.parametrize("name", SENSR_SLOPES)
def test_slopes_of_sensr(name: str) -> None:
    assert find(name).slope(np.array(D_PRIMES[1:6])) == pytest.approx(SENSR_SLOPES[name], abs=1e-9)


@pytest.mark.parametrize("name", [*PROTOCOLS, "double-triangle", "double-2-afc"])
def test_slope_is_the_derivative_and_the_inverse_inverts(name: str) -> None:
    asked = find(name)
    d = np.array([0.3, 0.8, 1.7, 2.9, 4.0])
    numeric = (asked.p_correct(d + 1e-5) - asked.p_correct(d - 1e-5)) / 2e-5
    assert asked.slope(d) == pytest.approx(numeric, abs=1e-8)
    for value in d:
        assert asked.d_prime(float(asked.p_correct(value))) == pytest.approx(value, abs=1e-9)
    assert float(asked.p_correct(0.0)) == pytest.approx(asked.guess, abs=1e-15)
    assert float(asked.p_correct(-1.0)) == pytest.approx(asked.guess, abs=1e-15)
    assert asked.d_prime(asked.guess) == asked.d_prime(0.0) == 0.0
    assert asked.d_prime(1.0) == math.inf
    assert np.all(np.diff(asked.p_correct(np.linspace(0, 12, 60))) >= 0)


def test_recorded_links(recorded: dict[str, Any]) -> None:
    link = recorded["sensR_triangle_link"]
    for d, p in link["dprime_to_pc"].items():
        assert float(find("triangle").p_correct(float(d))) == pytest.approx(p, abs=1e-9)
    for d, slope in link["derivative"].items():
        assert float(find("triangle").slope(float(d))) == pytest.approx(slope, abs=1e-12)
    for name, protocol in (("sensR_triangle_link", "triangle"), ("sensR_threeAFC_link", "3-afc")):
        for p, d in recorded[name]["pc_to_dprime"].items():
            if p[0] == "0":
                # sensR's inverse is a root finder with a tolerance of about 1e-4.
                assert find(protocol).d_prime(float(p)) == pytest.approx(d, abs=1e-4)
    for name, protocol in (("sensR_threeAFC_link", "3-afc"), ("sensR_tetrad_link", "tetrad")):
        for d, p in recorded[name]["dprime_to_pc"].items():
            assert float(find(protocol).p_correct(float(d))) == pytest.approx(p, abs=1e-8)
    tetrad = recorded["sensR_tetrad_link"]
    assert find("tetrad").d_prime(0.8) == pytest.approx(tetrad["psyinv(0.8)"], abs=1e-4)
    assert float(find("tetrad").slope(2.0)) == pytest.approx(tetrad["psyderiv(2)"], abs=5e-8)
    scaled = rescale(p_d=0.6, standard_error=0.2, protocol="tetrad")
    expected = tetrad["rescale(pd=.6,se=.2)"]
    assert scaled["p_c"]["estimate"] == pytest.approx(expected["pc"], abs=1e-7)
    assert scaled["p_c"]["standard_error"] == pytest.approx(expected["se_pc"], abs=1e-7)
    assert scaled["d_prime"]["estimate"] == pytest.approx(expected["d_prime"], abs=1e-4)
    assert scaled["d_prime"]["standard_error"] == pytest.approx(expected["se_d_prime"], abs=1e-4)


def test_triangle_is_the_noncentral_f() -> None:
    d = np.array([0.2, 1.0, 2.0, 3.5])
    assert find("triangle").p_correct(d) == pytest.approx(ncf.sf(3, 1, 1, d**2 * 2 / 3), abs=1e-10)


def test_double_protocol(recorded: dict[str, Any]) -> None:
    call = next(c for c in recorded["sensR_power"] if c["call"].startswith("psyinv(0.35,duotrio"))
    assert find("double-duo-trio").d_prime(0.35) == pytest.approx(call["value"], abs=1e-4)
    assert find("double-triangle").guess == pytest.approx(1 / 9)


@pytest.mark.parametrize("name", ["hexad", "two-out-of-five", "tetrad", "triangle", "3-afc", "duo-trio"])
def test_curves_by_simulated_judges(name: str) -> None:
    """The decision rules themselves, played 200,000 times; four standard errors."""
    rng, d, n = np.random.default_rng(7), 1.3, 200_000
    noise = rng.normal(size=(n, 6))
    share = np.mean(_PLAYED[name](noise, d))
    p = float(find(name).p_correct(d))
    assert share == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / n))


def _sorted_groups(noise: np.ndarray, d: float, size: int) -> np.ndarray:
    low, high = noise[:, :size], noise[:, size : 2 * size] + d
    return (low.max(1) < high.min(1)) | (high.max(1) < low.min(1))


def _triangle(noise: np.ndarray, d: float) -> np.ndarray:
    a, b, odd = noise[:, 0], noise[:, 1], noise[:, 2] + d
    return np.abs(a - b) < np.minimum(np.abs(a - odd), np.abs(b - odd))


def _duo_trio(noise: np.ndarray, d: float) -> np.ndarray:
    reference, match, other = noise[:, 0], noise[:, 1], noise[:, 2] + d
    return np.abs(reference - match) < np.abs(reference - other)


def _three_afc(noise: np.ndarray, d: float) -> np.ndarray:
    return noise[:, 0] + d > noise[:, 1:3].max(1)


def _two_of_five(noise: np.ndarray, d: float) -> np.ndarray:
    values = np.concatenate([noise[:, :2] + d, noise[:, 2:5]], axis=1)
    pair, ordered = np.argsort(values, axis=1) < 2, np.sort(values, axis=1)
    lower_gap, upper_gap = ordered[:, 2] - ordered[:, 1], ordered[:, 3] - ordered[:, 2]
    return np.where(lower_gap > upper_gap, pair[:, :2].all(1), pair[:, 3:].all(1))


_PLAYED = {
    "triangle": _triangle,
    "duo-trio": _duo_trio,
    "3-afc": _three_afc,
    "tetrad": lambda noise, d: _sorted_groups(noise, d, 2),
    "hexad": lambda noise, d: _sorted_groups(noise, d, 3),
    "two-out-of-five": _two_of_five,
}


def test_unknown_protocol_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"no protocol 'triangel'.*did you mean triangle"):
        find("triangel")
    assert find("duotrio").name == "duo-trio" and find("twoAFC").name == "2-afc"
    with pytest.raises(InputError, match="exactly one of"):
        rescale(p_c=0.5, p_d=0.2)
