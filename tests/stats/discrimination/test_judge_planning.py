"""Numbers of judges, power and settings: against sensR, by brute force, and at size."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.stats.discrimination import design, needed, plan, settings, smallest_p_d
from nlgauge.stats.discrimination import normal as paper
from nlgauge.stats.discrimination.planning import _kept, _sure, keeps
from nlgauge.stats.discrimination.protocols import find
from nlgauge.stats.discrimination.wording import evidence, sensitivity_label, size_of


def share(d_prime: float, protocol: str) -> float:
    asked = find(protocol)
    return asked.to_p_d(float(asked.p_correct(d_prime)))


def test_power_of_sensr(recorded: dict[str, Any]) -> None:
    value = {case["call"]: case["value"] for case in recorded["sensR_power"]}
    two = share(1.0, "2-afc")
    at = design(30, alpha=0.05, p_d=two, protocol="2-afc")
    assert at.power == pytest.approx(value["discrimPwr(pd from d'=1 twoAFC, n=30, alpha=.05, exact)"], abs=1e-12)
    p1 = find("2-afc").from_p_d(two)
    assert paper.power(30, 0.05, 0.5, p1) == pytest.approx(value["same, normal"], abs=1e-9)
    assert paper.power(30, 0.05, 0.5, p1, continuity=True) == pytest.approx(value["same, cont.normal"], abs=1e-9)
    similar = design(100, goal="similarity", beta=0.05, p_d=0.2, p_d_true=0.1)
    expected = value["discrimPwr(pdA=.1,pd0=.2,n=100,pGuess=1/3,similarity,exact)"]
    assert similar.power == pytest.approx(expected, abs=1e-12)
    double = find("double-duo-trio")
    pd = double.to_p_d(float(double.p_correct(1.06082607037307)))  # sensR's psyinv(0.35)
    assert design(100, alpha=0.05, p_d=pd, protocol=double).power == pytest.approx(value["same exact"], abs=1e-6)
    normal = value["d.primePwr(1.0608,n=100,duotrio double,normal)"]
    assert paper.power(100, 0.05, 0.25, double.from_p_d(pd)) == pytest.approx(normal, abs=1e-9)
    tetrad = design(50, alpha=0.05, p_d=share(1.0, "tetrad"), protocol="tetrad")
    assert tetrad.power == pytest.approx(value["d.primePwr(1,n=50,tetrad)"], abs=5e-7)


def test_sample_sizes_of_sensr(recorded: dict[str, Any]) -> None:
    size = {case.get("call"): case for case in recorded["sensR_sample_size"]}
    half = needed(0.05, 0.2, 0.5, protocol="2-afc")
    assert half.first == size["discrimSS(pdA=.5,target.power=.8,alpha=.05,pGuess=1/2,exact)"]["n"]
    assert half.stable == size["same, stable.exact"]["n"]
    assert needed(0.05, 0.1, share(1, "2-afc"), protocol="2-afc").first == size["d.primeSS(1,target=.9,twoAFC)"]["n"]
    assert needed(0.05, 0.1, share(1, "tetrad"), protocol="tetrad").first == size["d.primeSS(1,target=.9,tetrad)"]["n"]
    # Similarity: β = .05 at p_d = .2, passing with .8 when the truth is .1, so α = .2 at the smaller share.
    case = size["discrimSS(pdA=.1,pd0=.2,target=.8,alpha=.05,pGuess=1/2,similarity,exact)"]
    found = needed(0.2, 0.05, 0.2, protocol="duo-trio", p_d_low=0.1)
    assert (found.first, found.stable) == (case["n"], case["stable_computed_here"])
    similar = plan(0.2, 0.05, 0.2, goal="similarity", protocol="duo-trio", p_d_true=0.1)
    assert similar.power >= 0.8
    vignette = size["triangle, d'=.9, alpha=.05, target .80"]
    pd = share(0.9, "triangle")
    assert pd == pytest.approx(vignette["verified"]["pd"], abs=1e-9)
    found = needed(0.05, 0.2, pd)
    assert (found.first, found.stable) == (vignette["first_exact"], vignette["stable_exact"])
    assert next(n for n in range(298, 320) if found.suffices(n)) == vignette["next_ok"]
    for n in ("297", "300", "302", "305", "318"):
        assert design(int(n), alpha=0.05, p_d=pd).power == pytest.approx(vignette["verified"][n], abs=1e-9)


# discrimSS and d.primeSS of sensR 1.5-3, from the test data of senspy: exact, normal, normal with continuity.
@pytest.mark.parametrize(
    ("p_d", "protocol", "beta", "exact", "normal", "continuity"),
    [
        (0.3, "triangle", 0.1, 53, 50, 55),
        (0.4, "duo-trio", 0.2, 37, 36, 41),
        (0.25, "triangle", 0.1, 79, 72, 78),
        (share(1.5, "triangle"), "triangle", 0.1, 71, 67, None),
        (share(1.0, "triangle"), "triangle", 0.1, 283, 276, None),
        (share(1.0, "2-afc"), "2-afc", 0.2, 23, 21, None),
    ],
)
def test_more_sample_sizes(
    p_d: float, protocol: str, beta: float, exact: int, normal: int, continuity: int | None
) -> None:
    asked = find(protocol)
    assert needed(0.05, beta, p_d, protocol=protocol).first == exact
    # sensR rounds the normal number to the nearest; here it is the smallest that suffices.
    assert paper.judges_needed(0.05, beta, asked.guess, asked.from_p_d(p_d)) - normal in (0, 1)
    if continuity:
        found = paper.judges_needed(0.05, beta, asked.guess, asked.from_p_d(p_d), continuity=True)
        assert found - continuity in (-1, 0, 1)


@pytest.mark.parametrize("protocol", ["triangle", "2-afc", "hexad", "double-tetrad"])
def test_no_later_number_fails(protocol: str) -> None:
    """The proved bound against brute force: nothing fails from `stable` on, and everything before `first` does."""
    rng, asked = np.random.default_rng(3), find(protocol)
    for _ in range(25):
        alpha, beta = 10 ** rng.uniform(-4, -0.1, 2)
        p_d = rng.uniform(0.08, 1.0)
        found = needed(alpha, beta, p_d, protocol=protocol)
        sure = _sure(alpha, beta, asked.guess, asked.from_p_d(p_d))
        numbers = np.arange(1, 3 * sure + 50)
        good = _kept(numbers, alpha, beta, asked.guess, asked.from_p_d(p_d))
        assert found.first == numbers[good][0]
        failing = numbers[~good]
        assert found.stable == (failing[-1] + 1 if len(failing) else 1)
        assert found.dips == tuple(failing[failing > found.first])


def test_the_skipped_range_hides_nothing() -> None:
    for p_d in (0.06, 0.04):
        found = needed(0.05, 0.1, p_d)
        numbers = np.arange(1, found.stable + 200)
        good = _kept(numbers, 0.05, 0.1, 1 / 3, find("triangle").from_p_d(p_d))
        assert (found.first, found.stable) == (numbers[good][0], numbers[~good][-1] + 1)


def test_both_goals_need_the_same_numbers() -> None:
    for n in (18, 23, 24, 29, 60):
        for alpha, beta, p_d in ((0.05, 0.05, 0.5), (0.1, 0.01, 0.4), (0.2, 0.2, 0.3)):
            difference = design(n, alpha=alpha, beta=beta, p_d=p_d)
            similarity = design(n, goal="similarity", alpha=alpha, beta=beta, p_d=p_d)
            kept = keeps(n, alpha, beta, 1 / 3, find("triangle").from_p_d(p_d))
            assert (difference.power >= 1 - beta) == (similarity.power >= 1 - alpha) == kept


def test_large_plans_are_quick() -> None:
    started = time.process_time()
    found = needed(0.05, 0.05, 0.002)
    assert found.first > 1_000_000 and time.process_time() - started < 5


def test_settings_for_the_judges_at_hand() -> None:
    rows = settings(24)
    assert {"alpha": 0.05, "beta": 0.05, "p_d": 0.5}.items() - rows[0].items()  # the paper's own risks are not kept
    for row in rows:
        assert keeps(24, row["alpha"], row["beta"], 1 / 3, find("triangle").from_p_d(row["p_d"]))
        assert row["power"] >= 1 - row["beta"]
        others = [r for r in rows if r is not row]
        assert not any(all(o[k] <= row[k] for k in ("alpha", "beta", "p_d")) for o in others)
    assert (rows[0]["alpha"], rows[0]["beta"], rows[0]["p_d"]) == (0.1, 0.05, 0.5)
    assert settings(3) == []
    best = settings(98, goal="similarity")[0]
    assert max(best["alpha"], best["beta"]) <= 0.05


def test_smallest_p_d_is_the_edge() -> None:
    edge = smallest_p_d(24, 0.05, 0.05)
    assert edge is not None
    assert keeps(24, 0.05, 0.05, 1 / 3, find("triangle").from_p_d(edge + 1e-9))
    assert not keeps(24, 0.05, 0.05, 1 / 3, find("triangle").from_p_d(edge - 1e-9))
    assert smallest_p_d(6, 0.001, 0.05) is None


def test_plan_words() -> None:
    stable = plan(0.05, 0.05, 0.5)
    assert (stable.n, stable.min_correct, stable.max_correct) == (29, 15, 14)
    assert "24, 26 and 28 do not" in stable.sentence
    assert any("stop at exactly 23" in text for text in plan(0.05, 0.05, 0.5, judges=23).warnings)
    assert any("too few" in text for text in plan(0.05, 0.05, 0.5, judges=20).warnings)
    assert any("at least 18 judges" in text for text in plan(0.2, 0.2, 0.5).warnings)
    similar = plan(0.05, 0.01, 0.3, goal="similarity", judges=98)
    assert similar.keeps_risks and similar.max_correct == 40 and similar.power == pytest.approx(0.9516, abs=1e-4)
    weak = plan(0.05, 0.05, 0.2, goal="similarity", judges=36)
    assert any("worse than guessing" in text for text in weak.warnings)
    assert plan(0.05, 0.2, d_prime=0.9).first == 297
    nobody = plan(0.001, 0.05, 0.5, judges=5)
    assert nobody.min_correct is None and "no count" in nobody.sentence
    assert plan(0.05, 0.05, 1.0).first <= 4


def test_words_of_the_paper() -> None:
    words = [evidence(p) for p in (0.3, 0.2, 0.06, 0.05, 0.02, 0.01, 0.005, 0.001, 0.0009)]
    assert words == [
        "no",
        "slight",
        "slight",
        "moderate",
        "moderate",
        "strong",
        "strong",
        "strong",
        "very strong",
    ]
    assert [size_of(p) for p in (0.24, 0.25, 0.35, 0.36)] == ["low", "medium", "medium", "high"]
    assert sensitivity_label(0.001, 0.001, 0.2) == "high"
    assert sensitivity_label(0.2, 0.1, 0.4) == "low"
    assert sensitivity_label(0.05, 0.05, 0.3) == "medium"


def test_refusals() -> None:
    for bad in (0, 1, -0.1, 1.5):
        with pytest.raises(InputError, match="alpha must lie between 0 and 1"):
            plan(bad, 0.05, 0.5)
        with pytest.raises(InputError, match="beta must lie between 0 and 1"):
            plan(0.05, bad, 0.5)
    with pytest.raises(InputError, match=r"not 1\.2; write 30 % as 0\.3"):
        plan(0.05, 0.05, 1.2)
    with pytest.raises(InputError, match="above 0"):
        plan(0.05, 0.05, 0.0)
    with pytest.raises(InputError, match="either as p_d or as d_prime"):
        plan(0.05, 0.05)
    with pytest.raises(InputError, match="similarity test only"):
        plan(0.05, 0.05, 0.5, p_d_true=0.1)
    with pytest.raises(InputError, match="must lie below p_d"):
        plan(0.05, 0.05, 0.3, goal="similarity", p_d_true=0.3)
    with pytest.raises(InputError, match="larger p_d"):
        plan(0.05, 0.05, 1e-9)
