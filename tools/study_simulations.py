"""Simulations behind the tables of docs/studies/analysis.md (some minutes).

    python tools/study_simulations.py [NAME …]     all tables, or those named: level power similarity position

Texts are points in a plane, spread by `tau` whoever wrote them; the authors' centres lie `delta` apart. A judge
perceives each text with noise of standard deviation 1 and picks the one outside the closest pair, as in Thurstone's
model of the triangle test. Every cell has its own seed.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.stats import binom

from nlgauge.stats.discrimination.clustered import clustered
from nlgauge.study.model import TRIADS, Judgement, odd_position
from nlgauge.study.protocols.triangle.analysis import biases

STUDIES = 2000
ODD = np.array([odd_position(triad) for triad in TRIADS])
SUBJECT = np.array([["AB".index(letter) for letter in triad] for triad in TRIADS])


def picked(rng: np.random.Generator, places: np.ndarray) -> np.ndarray:
    """Which of the three is picked."""
    seen = places + rng.normal(size=places.shape)
    apart = [((seen[:, a] - seen[:, b]) ** 2).sum(-1) for a, b in ((1, 2), (0, 2), (0, 1))]
    return np.argmin(np.stack(apart, axis=1), axis=1)


def dealt(rng: np.random.Generator, n: int) -> np.ndarray:
    """Triads in random blocks of six."""
    return np.concatenate([rng.permutation(6) for _ in range(-(-n // 6))])[:n]


def study(
    rng: np.random.Generator, n: int, inputs: int, tau: float, delta: float
) -> tuple[np.ndarray, list[list[int]]]:
    """Correct answers, and the inputs of each: every judge is dealt three inputs at random."""
    texts = tau * rng.normal(size=(inputs, 2, 2))
    texts[:, 1, 0] += delta
    triads = dealt(rng, n)
    chosen = np.argsort(rng.random((n, inputs)), axis=1)[:, :3]
    answers = picked(rng, texts[chosen, SUBJECT[triads]])
    return answers == ODD[triads], chosen.tolist()


def fixed_trios(
    rng: np.random.Generator, n: int, trios: int, tau: float, delta: float
) -> tuple[np.ndarray, list[list[int]]]:
    """Every judge answers one of a few fixed trios, as in a questionnaire."""
    texts = tau * rng.normal(size=(trios, 3, 2))
    texts[:, 0, 0] += delta
    group = rng.permutation(np.arange(n) % trios)
    return picked(rng, texts[group]) == 0, [[3 * g, 3 * g + 1, 3 * g + 2] for g in group.tolist()]


def rates(make, n: int, units: int, tau: float, delta: float, seed: int) -> tuple[float, float]:
    """How often the plain and the clustered test conclude a difference at α = 0.05."""
    rng = np.random.default_rng(seed)
    plain = fair = 0
    for _ in range(STUDIES):
        right, inputs = make(rng, n, units, tau, delta)
        if binom.sf(right.sum() - 1, n, 1 / 3) > 0.05:
            continue  # the clustered test is never more lenient
        plain += 1
        if len({tuple(sorted(row)) for row in inputs}) > 1:
            fair += clustered(right, inputs).concluded
    return plain / STUDIES, fair / STUDIES


def level_table() -> None:
    print("| design | judges | no text effects | moderate (τ = 1) | strong (τ = 2) |\n|---|---|---|---|---|")
    designs = [(fixed_trios, "fixed trios", units) for units in (1, 4, 8, 16)]
    designs += [(study, "inputs dealt at random", units) for units in (6, 12, 24, 48)]
    for make, name, units in designs:
        for n in (36, 98):
            cells = []
            for tau in (0.0, 1.0, 2.0):
                plain, fair = rates(make, n, units, tau, 0.0, seed=1000 * units + n + int(10 * tau))
                cells.append(f"{100 * plain:.1f} / {'–' if units == 1 else f'{100 * fair:.1f}'}")
            print(f"| {units} {name} | {n} | {' | '.join(cells)} |", flush=True)


def power_table() -> None:
    print(
        "\n| inputs | 1.5 apart, no text effects | 1.5 apart, τ = 1 | 2 apart, no text effects | 2 apart, τ = 1 |"
        "\n|---|---|---|---|---|"
    )
    for units in (6, 12, 24, 48):
        cells = []
        for delta in (1.5, 2.0):
            for tau in (0.0, 1.0):
                plain, fair = rates(study, 98, units, tau, delta, seed=7 * units + int(10 * (delta + tau)))
                cells.append(f"{100 * plain:.0f} / {100 * fair:.0f}")
        print(f"| {units} | {' | '.join(cells)} |", flush=True)


def at_the_limit(rng: np.random.Generator, tau: float, p_d: float) -> float:
    """How far apart the authors are where so many people perceive a difference between texts drawn anew."""
    low, high = 0.0, 8.0
    while high - low > 0.001:
        middle = (low + high) / 2
        texts = tau * rng.normal(size=(60_000, 3, 2))
        texts[:, 0, 0] += middle
        found = float((picked(rng, texts) == 0).mean()) < 1 / 3 + 2 / 3 * p_d
        low, high = (middle, high) if found else (low, middle)
    return low


def similarity_table(studies: int = STUDIES // 2, p_d: float = 0.4) -> None:
    print("\n| inputs | judges | weak (τ = 0.5) | moderate (τ = 1) | strong (τ = 1.5) |\n|---|---|---|---|---|")
    spread = (0.5, 1.0, 1.5)
    apart = [at_the_limit(np.random.default_rng(5), tau, p_d) for tau in spread]
    for units in (12, 24, 48):
        for n in (98, 196):
            cells = []
            for tau, delta in zip(spread, apart, strict=True):
                rng = np.random.default_rng([units, n, int(10 * tau)])
                made = (study(rng, n, units, tau, delta) for _ in range(studies))
                alike = [
                    right.mean() < 1 / 3 + 2 / 3 * p_d
                    and clustered(right, inputs, goal="similarity", risk=0.05, p_d=p_d).concluded
                    for right, inputs in made
                ]
                cells.append(f"{100 * np.mean(alike):.1f}")
            print(f"| {units} | {n} | {' | '.join(cells)} |", flush=True)


def position_table() -> None:
    print("\n| judges | perceivers | preference for the first place | alarms at 0.05 |\n|---|---|---|---|")
    for n, perceivers, favourite in (
        (24, 0.0, 0.0),
        (24, 0.5, 0.0),
        (98, 0.0, 0.0),
        (98, 0.3, 0.0),
        (98, 0.3, 0.1),
        (98, 0.3, 0.2),
        (98, 0.3, 0.3),
    ):
        rng = np.random.default_rng(n + int(10 * perceivers) + int(100 * favourite))
        alarms = 0
        for _ in range(STUDIES):
            triads = dealt(rng, n)
            guess = np.where(rng.random(n) < favourite, 0, rng.integers(3, size=n))
            answer = np.where(rng.random(n) < perceivers, ODD[triads], guess)
            rows = [
                Judgement(
                    str(k),
                    "s",
                    "p",
                    str(k),
                    str(k),
                    k,
                    TRIADS[t],
                    ("a", "b", "c"),
                    ("a", "b", "c"),
                    int(a),
                    0.0,
                    1.0,
                )
                for k, (t, a) in enumerate(zip(triads, answer, strict=True))
            ]
            alarms += (biases.position(rows, rng, 499).p or 1.0) <= 0.05
        print(
            f"| {n} | {100 * perceivers:.0f} % | {100 * favourite:.0f} % | {100 * alarms / STUDIES:.1f} % |",
            flush=True,
        )


if __name__ == "__main__":
    tables = {
        "level": level_table,
        "power": power_table,
        "similarity": similarity_table,
        "position": position_table,
    }
    for name in sys.argv[1:] or tables:
        tables[name]()
