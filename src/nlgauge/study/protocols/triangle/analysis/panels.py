"""Panels beside each other: how far they differ, and what they show together.

Difference of p_d = 1.5 · difference of p_c, with Newcombe's (1998, method 10) hybrid score interval; p by Fisher's
exact test, or, where judges answered several times, by dealing whole judges anew to the panels (Monte-Carlo exact).
That one panel shows a difference and another does not is no difference between panels (Gelman and Stern 2006): only
the comparison itself is.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.stats.discrimination.limits import z_of
from nlgauge.stats.discrimination.panels import Combined, combine
from nlgauge.stats.discrimination.protocols import find
from nlgauge.stats.multiple import holm
from nlgauge.stats.shares import fisher
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.triangle.analysis.biases import DRAWS
from nlgauge.study.protocols.triangle.analysis.plan import Plan


@dataclass(frozen=True)
class Difference(Jsonable):
    """Two panels: p_d of the first minus p_d of the second."""

    first: str
    second: str
    estimate: float
    low: float
    high: float
    level: float
    p: float
    p_adjusted: float
    method: str


@dataclass(frozen=True)
class Panels(Jsonable):
    """All pairs of panels, and the panels of people together (None: only one of them, or a rule of stopping)."""

    KEYS = "differences, p_adjusted = _by_panel, together"

    differences: tuple[Difference, ...]
    p_adjusted: tuple[tuple[str, float], ...]  # each panel's test of a difference, by Holm over the panels
    together: Combined | None
    stopping: bool = False  # each followed a rule of stopping

    @property
    def _by_panel(self) -> dict[str, float]:
        return dict(self.p_adjusted)


def compare_panels(
    plan: Plan, answers: Sequence[Judgement], *, level: float = 0.95, seed: int = 12345, draws: int = DRAWS
) -> Panels | None:
    """None where fewer than two panels answered."""
    groups: dict[str, list[Judgement]] = defaultdict(list)
    for judgement in answers:
        groups[judgement.panel].append(judgement)
    names = [panel.name for panel in plan.panels if groups[panel.name]]
    if len(names) < 2:
        return None
    rng = np.random.default_rng(seed)
    raw = [_compared(groups, pair, level, rng, draws) for pair in combinations(names, 2)]
    adjusted = holm([difference.p for difference in raw])
    differences = tuple(replace(found, p_adjusted=float(p)) for found, p in zip(raw, adjusted, strict=True))
    if plan.stopping.kind != "fixed":  # counts that were stopped when extreme cannot be pooled
        return Panels(differences, (), None, stopping=True)
    people = {
        panel.name: (sum(answer.correct for answer in group), len(group))
        for panel in plan.people
        if (group := groups[panel.name])
    }
    if len(people) < 2:
        return Panels(differences, (), None)
    together = combine(people, goal=plan.goal, alpha=plan.alpha, beta=plan.beta, p_d=plan.p_d)
    each: tuple[tuple[str, float], ...] = ()
    if plan.goal == "difference":  # that of similarity must hold in every panel: no correction
        each = tuple(zip(people, holm(together.p_values).tolist(), strict=True))
    return Panels(differences, each, together)


def difference_of_studies(
    first: tuple[int, int],
    second: tuple[int, int],
    *,
    names: tuple[str, str] = ("first", "second"),
    level: float = 0.95,
) -> Difference:
    """Two separate studies by their (correct, judges): the same figures; texts and times differ as well as judges."""
    for x, n in (first, second):
        if not 0 <= x <= n or n < 1:
            raise InputError(f"{x} correct answers of {n} judges cannot be")
    ends = _newcombe(first, second, level)
    p = fisher(*first, *second)
    value = 1.5 * (first[0] / first[1] - second[0] / second[1])
    return Difference(*names, value, *ends, level, p, p, "Fisher's exact test; Newcombe's interval")


def _compared(
    groups: Mapping[str, Sequence[Judgement]], pair: tuple[str, str], level: float, rng: np.random.Generator, draws: int
) -> Difference:
    a, b = (groups[name] for name in pair)
    one, two = _by_judge(a), _by_judge(b)
    first, second = ((int(correct), int(n)) for correct, n in (one.sum(axis=0), two.sum(axis=0)))
    found = difference_of_studies(first, second, names=pair, level=level)
    if len(one) == len(a) and len(two) == len(b):
        return found
    everyone = np.concatenate([one, two])
    observed = abs(found.estimate)
    extreme = 0
    for _ in range(draws):
        order = rng.permutation(len(everyone))
        left, right = everyone[order[: len(one)]].sum(axis=0), everyone[order[len(one) :]].sum(axis=0)
        extreme += bool(1.5 * abs(left[0] / left[1] - right[0] / right[1]) >= observed - 1e-12)
    p = (extreme + 1) / (draws + 1)
    method = f"judges dealt anew, Monte-Carlo exact, {draws:,} draws; no interval: answers of one judge go together"
    return replace(found, low=math.nan, high=math.nan, p=p, method=method)


def _by_judge(answers: Sequence[Judgement]) -> np.ndarray[Any, Any]:
    tally: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for judgement in answers:
        tally[judgement.judge][0] += judgement.correct
        tally[judgement.judge][1] += 1
    return np.array(list(tally.values()))


def _newcombe(first: tuple[int, int], second: tuple[int, int], level: float) -> tuple[float, float]:
    z = z_of((1 - level) / 2)
    shares = [x / n for x, n in (first, second)]
    (low1, high1), (low2, high2) = (_wilson(x, n, z) for x, n in (first, second))
    gap = shares[0] - shares[1]
    low = gap - math.hypot(shares[0] - low1, high2 - shares[1])
    high = gap + math.hypot(high1 - shares[0], shares[1] - low2)
    scale = 1 / (1 - find("triangle").guess)
    return scale * low, scale * high


def _wilson(x: int, n: int, z: float) -> tuple[float, float]:
    share, spread = x / n, z * math.sqrt(x / n * (1 - x / n) / n + z * z / (4 * n * n))
    centre = share + z * z / (2 * n)
    return (centre - spread) / (1 + z * z / n), (centre + spread) / (1 + z * z / n)
