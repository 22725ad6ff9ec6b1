"""The same test for other texts: answers that share texts count for less than their number.

With the texts at hand, judges who are assigned at random answer independently, and the binomial test is right *for
these texts*. Whether the conclusion holds for other texts of the same kinds is another question: then texts are a
sample too, and two answers that share a text rise and fall together. The variance of the share of correct answers is

    (p (1 − p) n + Σ_k N_k c_k) / n²

with N_k the ordered pairs of answers that share k units (texts, or the inputs they were written for) and c_k their
covariance, estimated without bias by the mean of y_i y_j over such pairs minus its mean over pairs that share
nothing. Its ratio to the binomial variance (never taken below 1) is the design effect. Test and limits are Korn and
Graubard's (1998, Survey Methodology 24): the exact binomial with n divided by the design effect and shrunk by the
squared ratio of Student quantiles, here with min(units, distinct sets of units) − 1 degrees of freedom. With
unrelated answers and many units this is the exact test; it never is more lenient than that.

Where the chance of success does not depend on who else is shown, answers share one unit each and this is the ordinary
cluster correction; here each answer belongs to three units at once, and sets of units overlap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.results import Result
from nlgauge.stats.discrimination import checks
from nlgauge.stats.discrimination.binomial import reached, within
from nlgauge.stats.discrimination.estimates import Measure, scales
from nlgauge.stats.discrimination.protocols import Protocol, find

METHOD = "exact binomial with the effective number of answers (Korn-Graubard)"
_CELLS = 4_000_000  # pairs of answers looked at in one piece


@dataclass(frozen=True)
class Clustered(Result):
    """A discrimination test with texts as clusters: what may be said of other texts of the same kinds."""

    KEYS = (
        "goal, correct, n, units, sets, degrees, design_effect, effective, p_value, concluded, method, covariances, "
        "p_d, d_prime"
    )

    goal: str
    protocol: str
    correct: int
    n: int
    units: int  # texts, or inputs, that answers share
    sets: int  # distinct sets of units shown together
    degrees: int
    design_effect: float
    effective: float  # the number of independent answers that would know as much
    covariances: tuple[float, ...]  # of answers that share one, two, … units
    p_value: float
    concluded: bool
    risk: float
    p_d_limit: float
    p_d: Measure
    d_prime: Measure
    method: str = METHOD

    @property
    def estimate(self) -> float:
        """The share that perceives the difference, under the name all results share."""
        return self.p_d.estimate


def clustered(
    correct: ArrayLike,
    units: Sequence[Sequence[Any]],
    *,
    goal: str = "difference",
    risk: float = 0.05,
    p_d: float = 0.0,
    judges: Sequence[Any] | None = None,
    protocol: str | Protocol = "triangle",
) -> Clustered:
    """The test with `units[i]`, the texts or inputs that answer i was about, as clusters.

    `risk` is α for a difference, β for similarity, which also needs the limit `p_d`. Pairs of answers by one judge
    (`judges`, where some answered several times) are left out of the covariances: they share more than texts.
    Refused where every two answers share a unit, for then nothing can be said of other texts.
    """
    asked = find(protocol)
    right = np.asarray(correct, dtype=np.float64)
    if right.ndim != 1 or not np.isin(right, (0.0, 1.0)).all():
        raise InputError("answers must be a flat list of correct (1) and wrong (0)")
    if len(units) != len(right) or (judges is not None and len(judges) != len(right)):
        raise InputError(f"{len(right):,} answers need as many sets of units (and judges)")
    x, n = checks.answers(int(right.sum()), len(right))
    bound = checks.risk(risk, "alpha" if checks.goal(goal) == "difference" else "beta")
    limit = 0.0 if goal == "difference" else checks.share(p_d)
    members = _codes(units)
    known, sets = int(members.max()) + 1, len({frozenset(row.tolist()) for row in members})
    numbers, covariances = _shared(right, members, None if judges is None else _code(judges))
    share = x / n
    binomial = share * (1 - share) * n
    effect = max(1.0, 1 + float(numbers @ covariances) / binomial) if binomial > 0 else 1.0
    degrees = min(known, sets) - 1
    effective = n / effect * _shrink(n, degrees, bound)
    null = asked.from_p_d(limit)
    p_value, low, high = _tails(share, effective, null, goal, bound)
    p_value = max(p_value, reached(goal, x, n, null))
    found = scales(x, n, (low, high), asked, level=max(1e-12, 1 - 2 * bound), method="exact")
    return Clustered(
        goal=goal,
        protocol=asked.name,
        correct=x,
        n=n,
        units=known,
        sets=sets,
        degrees=degrees,
        design_effect=effect,
        effective=effective,
        covariances=tuple(float(c) for c in covariances),
        p_value=p_value,
        concluded=bool(within(p_value, bound)),
        risk=bound,
        p_d_limit=limit,
        p_d=_renamed(found.p_d),
        d_prime=_renamed(found.d_prime),
    )


def _renamed(measure: Measure) -> Measure:
    return replace(measure, method="Korn-Graubard limits", standard_error=math.nan)


def _code(labels: Sequence[Any]) -> NDArray[np.int64]:
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)


def _codes(units: Sequence[Sequence[Any]]) -> NDArray[np.int64]:
    sizes = {len(row) for row in units}
    if len(sizes) != 1 or 0 in sizes:
        raise InputError("every answer must name the same number of units, at least one")
    flat = _code([unit for row in units for unit in row])
    return flat.reshape(len(units), sizes.pop())


def _shared(right: Array, members: NDArray[np.int64], judges: NDArray[np.int64] | None) -> tuple[Array, Array]:
    """How many ordered pairs share 1, 2, … units, and the covariance of their answers."""
    n, size = members.shape
    table = np.zeros((n, int(members.max()) + 1), dtype=np.float32)
    np.add.at(table, (np.arange(n)[:, None], members), 1)
    table = np.minimum(table, 1)
    numbers, looked, both = np.zeros(size + 1), np.zeros(size + 1), np.zeros(size + 1)
    step = max(1, _CELLS // n)
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        common = np.rint(table[rows] @ table.T).astype(np.int64)
        common[np.arange(common.shape[0]), np.arange(rows.start, rows.stop)] = size + 1  # with itself: no pair
        flat = common.ravel()
        numbers += np.bincount(flat, minlength=size + 2)[: size + 1]
        if judges is not None:
            common[judges[rows, None] == judges[None, :]] = size + 1
            flat = common.ravel()
        looked += np.bincount(flat, minlength=size + 2)[: size + 1]
        correct = common[np.ix_(right[rows] > 0, right > 0)]
        both += np.bincount(correct.ravel(), minlength=size + 2)[: size + 1]
    if looked[0] == 0:
        raise InputError(
            "every two answers share a text, so nothing can be said of other texts; show more texts, in trios that do "
            "not overlap"
        )
    base = both[0] / looked[0]
    covariances = np.where(looked > 0, both / np.maximum(looked, 1) - base, 0.0)
    return numbers[1:], covariances[1:]


def _shrink(n: int, degrees: int, risk: float) -> float:
    """The squared ratio of Student quantiles: an estimated design effect is worth fewer answers than a known one."""
    from scipy.special import stdtrit

    if risk >= 0.5 or n < 2:
        return 1.0
    return min(1.0, float(stdtrit(n - 1, 1 - risk) / stdtrit(max(degrees, 1), 1 - risk)) ** 2)


def _tails(share: float, n: float, null: float, goal: str, risk: float) -> tuple[float, float, float]:
    """p, and the limits of p_c, of the binomial continued to counts that are not whole."""
    from scipy.special import betainc, betaincc, betainccinv, betaincinv

    x = share * n
    low = 0.0 if x == 0 else float(betaincinv(x, n - x + 1, risk))
    high = 1.0 if share == 1 else float(betainccinv(x + 1, n - x, risk))
    if goal == "difference":
        p = 1.0 if x == 0 else float(betainc(x, n - x + 1, null))
    else:
        p = 1.0 if share == 1 else float(betaincc(x + 1, n - x, null)) if null < 1 else 0.0
    return p, low, high
