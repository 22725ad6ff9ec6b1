"""Means of people helped by a machine: the formulas by hand, limits of the weight, coverage by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm, t

from nlgauge.errors import InputError
from nlgauge.stats.prediction_powered import prediction_powered

Y, F, G = (
    [1.0, 0.0, 1.0, 1.0, 0.0, 1.0],
    [1.0, 0.0, 1.0, 0.5, 0.5, 1.0],
    [1.0, 0.0, 0.0, 1.0, 0.5, 0.0, 0.5, 0.5],
)


def test_with_weight_one_it_is_the_papers_rectified_mean() -> None:
    """Angelopoulos et al. (2023): mean of the machine's others plus the mean of what it got wrong."""
    found = prediction_powered(Y, F, G, tuned=False)
    y, f, g = map(np.array, (Y, F, G))
    assert found.estimate == pytest.approx(g.mean() + (y - f).mean())
    variance = (y - f).var(ddof=1) / 6 + g.var(ddof=1) / 8
    assert found.standard_error == pytest.approx(np.sqrt(variance))
    assert found.high - found.estimate == pytest.approx(t.ppf(0.975, 5) * np.sqrt(variance))
    assert (found.weight, found.n, found.total) == (1.0, 6, 8)


def test_the_weight_is_that_of_ppi_plus_plus() -> None:
    """λ = cov(y, f) / ((1 + n/N) var(f)), var(f) over all that the machine judged."""
    found = prediction_powered(Y, F, G)
    y, f, g = map(np.array, (Y, F, G))
    spread = np.concatenate([f, g]).var(ddof=1)
    weight = np.cov(y, f)[0, 1] / ((1 + 6 / 8) * spread)
    assert found.weight == pytest.approx(min(1.0, weight))
    assert found.estimate == pytest.approx(y.mean() + found.weight * (g.mean() - f.mean()))


def test_a_machine_that_does_not_follow_people_gets_no_weight() -> None:
    backwards = [1 - value for value in Y]
    found = prediction_powered(Y, backwards, G)
    assert found.weight == 0.0 and found.estimate == found.plain and found.efficiency == 1.0
    assert (found.low, found.high) == (found.plain_low, found.plain_high)
    assert prediction_powered(Y, [0.5] * 6, [0.5] * 8).weight == 0.0


def test_verdicts_of_one_item_are_one_draw() -> None:
    twice = prediction_powered(
        np.repeat(Y, 2), np.repeat(F, 2), G, items=[k // 2 for k in range(12)], other_items=range(8)
    )
    assert twice == prediction_powered(Y, F, G)


@pytest.mark.parametrize("quality", [0.9, 0.5, 0.0])
def test_the_interval_covers_the_mean_and_a_good_machine_narrows_it(quality: float) -> None:
    """2,000 studies of 40 judged items and 400 others; the machine says what people say with chance `quality`."""
    draw, hits, widths, plain = np.random.default_rng(4), 0, [], []
    for _ in range(2000):
        truth = (draw.random(440) < 0.6).astype(float)
        machine = np.where(draw.random(440) < quality, truth, draw.random(440) < 0.35)
        found = prediction_powered(truth[:40], machine[:40], machine[40:])
        hits += found.low <= 0.6 <= found.high
        widths.append(found.high - found.low)
        plain.append(found.plain_high - found.plain_low)
    assert 0.925 <= hits / 2000 <= 0.975
    ratio = np.mean(widths) / np.mean(plain)
    assert ratio < 0.65 if quality == 0.9 else ratio < 1.01


def test_too_few_and_unequal_verdicts_are_refused() -> None:
    with pytest.raises(InputError, match="at least 5 items"):
        prediction_powered(Y[:4], F[:4], G)
    with pytest.raises(InputError, match="must have judged the same"):
        prediction_powered(Y, F[:5], G)
    with pytest.raises(InputError, match="finite"):
        prediction_powered([*Y[:5], float("nan")], F, G)


# By the authors' package ppi-python 0.2.3 (ppi_mean_pointestimate and ppi_mean_ci with alpha 0.05), run once on the
# data of `drawn`, with numba's compiler left out: estimate, low and high with lam=1, then with lam=None.
Limits = tuple[float, float, float]
BY_ITS_AUTHORS: dict[tuple[int, int, int, float, str], tuple[Limits, Limits]] = {
    (1, 10, 10, 0.8, "numbers"): (
        (-0.06649930100775209, -0.3339875120661334, 0.20098891005062924),
        (0.03138889860371502, -0.22598001168702997, 0.28875780889446),
    ),
    (2, 20, 200, 0.8, "verdicts"): (
        (0.5725, 0.4959617438402834, 0.6490382561597166),
        (0.5725, 0.4959617438402834, 0.6490382561597166),
    ),
    (3, 50, 50, 0.5, "verdicts"): (
        (0.65, 0.5295777966979498, 0.7704222033020502),
        (0.6057294564974278, 0.5081359070558377, 0.703323005939018),
    ),
    (4, 200, 1000, 0.9, "numbers"): (
        (-0.014385856033998494, -0.07563276906661749, 0.046861056998620504),
        (-0.006089844848622726, -0.06628378223917238, 0.05410409254192692),
    ),
    (5, 30, 8, 0.7, "numbers"): (
        (-0.4474809645330092, -0.7913049382987037, -0.1036569907673146),
        (-0.28360772175192783, -0.554563663558439, -0.012651779945416608),
    ),
    (6, 25, 100, -0.7, "numbers"): (
        (0.4303045992374089, -0.30427862667792344, 1.1648878251527413),
        (0.2526371736335251, -0.17727393626020432, 0.6825482835272545),
    ),
    (7, 40, 400, 1.0, "verdicts"): (
        (0.55625, 0.5131184399330286, 0.5993815600669714),
        (0.6342185050420686, 0.5810019354063245, 0.6874350746778126),
    ),
    (8, 15, 15, 0.1, "shifted"): (
        (-0.280987474890134, -2.3212316507516086, 1.7592567009713407),
        (-0.17525416631510066, -0.7605915547849551, 0.41008322215475385),
    ),
    (9, 60, 3000, 0.6, "shifted"): (
        (-0.08555529368879711, -0.43119405756910495, 0.26008347019151073),
        (-0.08999764417306322, -0.2272146083267232, 0.04721931998059675),
    ),
    (10, 5, 5, 1.0, "numbers"): (
        (0.3703754431316249, -0.06008116935771818, 0.800832055620968),
        (-0.3067808613894356, -0.6422496791515427, 0.02868795637267152),
    ),
    (11, 12, 500, 1.0, "verdicts"): (
        (0.58, 0.5417329893714102, 0.6182670106285897),
        (0.622966511575049, 0.5613234284127478, 0.6846095947373502),
    ),
}


def drawn(seed: int, n: int, total: int, follows: float, kind: str) -> tuple[NDArray[np.float64], ...]:
    """What people said of `n`, what the machine said of them, and of `total` others."""
    draw = np.random.default_rng(seed)
    truth = draw.normal(size=n + total)
    if kind == "verdicts":
        truth = draw.choice([0.0, 0.5, 1.0], size=n + total, p=[0.3, 0.2, 0.5])
    other = draw.permutation(truth)
    machine = follows * truth + (1 - abs(follows)) * other
    if kind == "shifted":
        machine = 10 + 3 * machine
    return truth[:n], machine[:n], machine[n:]


@pytest.mark.parametrize("case", BY_ITS_AUTHORS, ids=str)
def test_it_is_what_the_authors_package_finds(case: tuple[int, int, int, float, str]) -> None:
    """The package divides variances by n, not n - 1, and has normal limits; everything else is the same."""
    y, f, g = drawn(*case)
    n, total = len(y), len(g)
    plain, tuned = BY_ITS_AUTHORS[case]
    weight = (tuned[0] - y.mean()) / (g.mean() - f.mean())
    assert prediction_powered(y, f, g).weight == pytest.approx(min(1.0, weight * n / (n - 1)), abs=1e-9)
    least, most = sorted(np.sqrt(size / (size - 1)) for size in (n, total))
    for share, (estimate, low, high) in ((1.0, plain), (weight, tuned)):
        found = prediction_powered(y, share * f, share * g, tuned=False)
        assert found.estimate == pytest.approx(estimate, abs=1e-12)
        error = (high - low) / (2 * norm.ppf(0.975))
        assert least - 1e-9 <= found.standard_error / error <= most + 1e-9  # one number where n and N are the same
        assert found.high - found.low == pytest.approx(2 * t.ppf(0.975, n - 1) * found.standard_error)
