"""Why judges agree so little: which judges, which items, which criteria, and the likeliest reason.

Amidei, Piwek and Willis (2018) list what low agreement can mean: error, guidelines read differently, or texts that are
truly ambiguous. Each leaves a trace: a careless judge does not follow the others; judges who use the scale differently
follow each other but from another level or width; ambiguous items divide judges who agree elsewhere. Each suspicion is
tested by a *what if*: Krippendorff's alpha without these judges, on ratings standardised for each judge, or without
these items. The reason named is the one whose what-if gains most; a gain says where to look, it is no proof.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from nlgauge.errors import InputError
from nlgauge.stats.aggregate import standardise
from nlgauge.stats.agreement.judges import leave_one_out, with_mean_of_others
from nlgauge.stats.agreement.krippendorff import krippendorff
from nlgauge.stats.agreement.ratings import Array, Ratings, require_pairs
from nlgauge.stats.multiple import holm

Level = Literal["ordinal", "interval"]
Reason = Literal[
    "careless judges", "different use of the scale", "ambiguous items", "none found", "agreement is fine"
]
FINE = 0.667  # Krippendorff's lowest alpha for tentative conclusions
GAIN = 0.03  # an alpha must rise by so much for a reason to be named
WEAK = 0.2  # a judge whose correlation with the others is below this is a suspect
FEWEST = 4


@dataclass(frozen=True)
class JudgeTrace:
    """One judge: correlation with the mean of the others (and p that it is not above 0), mean less theirs, ratio of
    standard deviations, how much alpha gains without the judge, and what is suspected."""

    judge: str
    ratings: int
    correlation: float
    p: float
    bias: float
    width: float
    gain: float
    suspicions: tuple[str, ...]


@dataclass(frozen=True)
class ItemTrace:
    """One item: variance of its ratings (judges' own levels removed) over the usual one, the chance of such a ratio
    (corrected), and Sarle's bimodality coefficient (above 5/9 suggests two camps)."""

    item: str
    ratings: int
    variance: float
    ratio: float
    p: float
    bimodality: float


@dataclass(frozen=True)
class Diagnosis:
    """Alpha as it is, what it would be, the reason that fits best, and the judges and items concerned."""

    alpha: float
    what_if: Mapping[str, float]
    reason: Reason
    judges: tuple[JudgeTrace, ...]
    items: tuple[ItemTrace, ...]  # only those that stand out, worst first
    n: int
    level: str

    def __str__(self) -> str:
        head = f"Krippendorff's alpha ({self.level}) is {self.alpha:.2f}"
        if self.reason == "agreement is fine":
            return f"{head}: no diagnosis is needed"
        parts = "; ".join(f"{name}: {value:.2f}" for name, value in self.what_if.items())
        suspects = [one.judge for one in self.judges if one.suspicions]
        who = f"; judges to look at: {', '.join(suspects)}" if suspects else ""
        what = f"; items to look at: {', '.join(one.item for one in self.items[:5])}" if self.items else ""
        likely = (
            "no single reason was found"
            if self.reason == "none found"
            else f"the likeliest reason is {self.reason}"
        )
        return f"{head}; {likely} ({parts}){who}{what}"

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form: what is not defined is null."""
        return {
            "alpha": self.alpha,
            "what_if": dict(self.what_if),
            "reason": self.reason,
            "judges": [_nulls(dataclasses.asdict(one)) for one in self.judges],
            "items": [_nulls(dataclasses.asdict(one)) for one in self.items],
            "n": self.n,
            "level": self.level,
        }


def diagnose(
    values: Any,
    judges: Sequence[str] | None = None,
    items: Sequence[str] | None = None,
    *,
    level: Level = "interval",
    alpha: float = 0.05,
    divided: bool = True,
) -> Diagnosis:
    """Diagnose a table of items × judges (numbers; NaN or None for gaps).

    `divided` looks for items that divide the judges, by the variances of their ratings; of answers of two or three
    kinds these are no chi-squares, and leaving out what judges disagree on would always gain.
    """
    ratings = require_pairs(Ratings.of(values))
    numbers = ratings.values()
    names = [str(k + 1) for k in range(ratings.judges)] if judges is None else [str(one) for one in judges]
    labels = [str(k + 1) for k in range(ratings.items)] if items is None else [str(one) for one in items]
    if len(names) != ratings.judges or len(labels) != ratings.items:
        raise InputError(
            f"the table has {ratings.items} items and {ratings.judges} judges; got {len(labels)} and {len(names)} names"
        )
    whole = _alpha(numbers, level)
    people = _judges(ratings, names, level, alpha)
    odd = _items(numbers, labels, alpha) if divided else ()
    what_if: dict[str, float] = {}
    careless = [k for k, one in enumerate(people) if "careless" in one.suspicions]
    if careless and ratings.judges - len(careless) >= 2:
        what_if["careless judges"] = _alpha(np.delete(numbers, careless, axis=1), level)
    what_if["different use of the scale"] = _alpha(standardise(numbers).values, level)
    if odd:
        drop = [labels.index(one.item) for one in odd]
        what_if["ambiguous items"] = _alpha(np.delete(numbers, drop, axis=0), level)
    defined = {name: value for name, value in what_if.items() if math.isfinite(value)}
    best = max(defined, key=lambda name: defined[name], default="none found")
    reason: Any = best if best in defined and defined[best] - whole >= GAIN else "none found"
    if whole >= FINE:
        reason = "agreement is fine"
    return Diagnosis(whole, defined, reason, people, odd, ratings.items, level)


def diagnose_criteria(
    tables: Mapping[str, Any], *, level: Level = "interval"
) -> tuple[tuple[str, Diagnosis], ...]:
    """A diagnosis for each criterion, the one with the least agreement first."""
    found = [(name, diagnose(table, level=level)) for name, table in tables.items()]
    return tuple(sorted(found, key=lambda pair: pair[1].alpha))


def _judges(ratings: Ratings, names: list[str], level: Level, alpha: float) -> tuple[JudgeTrace, ...]:
    reports = leave_one_out(ratings, lambda one: krippendorff(one, level), names, interchangeable=True)
    numbers = ratings.values()
    spreads = _spreads(numbers)
    raw = []
    for place, report in enumerate(reports):
        own, means = with_mean_of_others(numbers, place)
        r, p = _correlation(own, means)
        bias = float((own - means).mean()) if len(own) else math.nan
        width = float(own.std() / _typical(spreads, place)) if len(own) > 1 else math.nan
        raw.append((report, r, p, bias, width))
    biases = np.array([one[3] for one in raw])
    spread = float(np.nanmedian(np.abs(biases - np.nanmedian(biases)))) * 1.4826
    residual = _residual(numbers)
    out = []
    for report, r, p, bias, width in raw:
        suspicions = []
        if report.ratings >= FEWEST and not math.isnan(r) and r < WEAK and p > alpha:
            suspicions.append("careless")
        elif report.ratings >= FEWEST and math.isnan(r):
            suspicions.append("careless")  # one value throughout
        elif abs(bias) > max(2.5 * spread, 3 * residual / math.sqrt(max(report.ratings, 1))):
            suspicions.append("lenient" if bias > 0 else "severe")
        if "careless" not in suspicions and not math.isnan(width) and not 0.5 < width < 2:
            suspicions.append("narrow use of the scale" if width <= 0.5 else "wide use of the scale")
        out.append(
            JudgeTrace(report.judge, report.ratings, r, p, bias, width, report.change, tuple(suspicions))
        )
    return tuple(out)


def _items(numbers: Array, labels: list[str], alpha: float) -> tuple[ItemTrace, ...]:
    """Items whose ratings vary more than usual: a robust variance is the yardstick, chi-square the test."""
    from scipy.special import chdtrc

    busy = ~np.isnan(numbers).all(axis=0)
    centred = numbers[:, busy] - np.nanmean(numbers[:, busy], axis=0)  # lenience is not the item's fault
    present = ~np.isnan(centred)
    sizes = present.sum(axis=1)
    rows = np.flatnonzero(sizes >= 2)
    if len(rows) < FEWEST:
        return ()
    with np.errstate(invalid="ignore"):
        variances = np.array([np.var(centred[row][present[row]], ddof=1) for row in rows])
    degrees = sizes[rows] - 1.0
    usual = _usual(variances, degrees)
    if usual <= 0:
        return ()
    p = chdtrc(degrees, degrees * variances / usual)
    corrected = holm(np.clip(p, 0.0, 1.0))
    odd = np.flatnonzero(corrected < alpha)
    found = [
        ItemTrace(
            labels[rows[k]],
            int(sizes[rows[k]]),
            float(variances[k]),
            float(variances[k] / usual),
            float(corrected[k]),
            bimodality(centred[rows[k]][present[rows[k]]]),
        )
        for k in odd
    ]
    return tuple(sorted(found, key=lambda one: -one.ratio))


def _usual(variances: Array, degrees: Array) -> float:
    """A variance that a minority of odd items does not move: each over its chi-square median, then the median."""
    from scipy.special import chdtri

    medians = chdtri(degrees, 0.5) / degrees
    return float(np.median(variances / medians))


def bimodality(values: Array) -> float:
    """Sarle's coefficient, (skewness² + 1) / kurtosis: 1 for two points, 5/9 for a uniform, 1/3 for a normal shape.

    The plain moments are used, not those corrected for small samples, so that two points give 1 for any number of
    judges.
    """
    centred = values - values.mean()
    second = float((centred**2).mean())
    if len(values) < FEWEST or second == 0:
        return math.nan
    skew = float((centred**3).mean()) / second**1.5
    kurtosis = float((centred**4).mean()) / second**2
    return float((skew**2 + 1) / kurtosis)


def _correlation(own: Array, means: Array) -> tuple[float, float]:
    """Pearson's r and the one-sided p that it is above 0."""
    from scipy.special import stdtr

    if len(own) < 3 or own.std() == 0 or means.std() == 0:
        return math.nan, math.nan
    r = float(np.corrcoef(own, means)[0, 1])
    if abs(r) >= 1:
        return r, 0.0 if r > 0 else 1.0
    return r, float(stdtr(len(own) - 2, -r * math.sqrt((len(own) - 2) / (1 - r * r))))


def _spreads(numbers: Array) -> Array:
    """The standard deviation of each judge's ratings, NaN for fewer than two."""
    enough = np.count_nonzero(~np.isnan(numbers), axis=0) > 1
    found = np.full(numbers.shape[1], math.nan)
    found[enough] = np.nanstd(numbers[:, enough], axis=0)
    return found


def _typical(spreads: Array, place: int) -> float:
    """The median standard deviation of the other judges."""
    others = np.delete(spreads, place)
    known = others[~np.isnan(others)]
    middle = float(np.median(known)) if len(known) else math.nan
    return middle if middle > 0 else math.nan


def _residual(numbers: Array) -> float:
    """The standard deviation of ratings about their item's mean."""
    rated = numbers[~np.isnan(numbers).all(axis=1)]
    centred = rated - np.nanmean(rated, axis=1, keepdims=True)
    return float(np.nanstd(centred))


def _alpha(numbers: Array, level: Level) -> float:
    try:
        return krippendorff(numbers, level).estimate
    except InputError:
        return math.nan


def _nulls(row: dict[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in row.items()}
