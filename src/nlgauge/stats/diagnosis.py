"""Why judges agree so little: which judges, which items, which criteria, and the likeliest reason.

Amidei, Piwek and Willis (2018) list what low agreement can mean: error, guidelines read differently, or texts that are
truly ambiguous. Each leaves a trace: a judge who errs is apart from the others (`odd_judges`); judges who use the scale
differently follow each other but from another level or width; ambiguous items divide judges who agree elsewhere. Each
suspicion is tested by a *what if*: Krippendorff's alpha without these judges, on ratings standardised for each judge,
or without these items. What gains is told, and the first is what gains most; judges and items are named under it, and
nowhere else. It is called a reason only where it explains a good part of what agreement lacks (`explains`): else no
single reason does. A gain says where to look, it is no proof.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError, first_of
from nlgauge.jsonable import Jsonable
from nlgauge.stats.aggregate import standardise
from nlgauge.stats.agreement.judges import leave_one_out
from nlgauge.stats.agreement.krippendorff import krippendorff
from nlgauge.stats.agreement.ratings import Ratings, require_pairs
from nlgauge.stats.multiple import holm
from nlgauge.stats.odd_judges import Apart, apart

Level = Literal["ordinal", "interval"]
Reason = Literal[
    "judges apart from the rest",
    "different use of the scale",
    "ambiguous items",
    "none found",
    "agreement is fine",
]
JUDGES: Reason = "judges apart from the rest"
SCALE: Reason = "different use of the scale"
ITEMS: Reason = "ambiguous items"
FINE = 0.667  # Krippendorff's lowest alpha for tentative conclusions
GAIN = 0.03  # an alpha must rise by so much for anything to be told
SUBSTANTIAL = 0.1  # and by so much, and a third of what it lacks, to be called a reason, where it stays below FINE
NAMING = 0.01  # of naming an honest judge, or an item like the others, in a whole panel: to name somebody is grave
FEWEST = 4  # items, below which none can be told from the usual
MOST = 5  # names in a sentence
APART = "apart from the others"
RULE = (
    "A judge is named only where the answers lie further from the other judges' of the same items, or follow them "
    f"less, than those of the rest do (one-sided, {NAMING} after Holm's correction over all judges and both figures), "
    f"where alpha rises without the judge, and where it rises by at least {GAIN} without all who are named. An item is "
    f"named only where judges differ on it more than on the others ({NAMING} after Holm's correction over all items), "
    f"and where alpha rises by at least {GAIN} without those named"
)


@dataclass(frozen=True)
class JudgeTrace:
    """One judge: rank correlation with the mean of the others, root mean square distance from it and p that neither is
    worse than the rest's (corrected), mean less theirs, ratio of standard deviations, how much alpha gains without the
    judge, and what is suspected."""

    judge: str
    ratings: int
    correlation: float
    distance: float
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
class Diagnosis(Jsonable):
    """Alpha as it is, what it would be, the reason that fits best, and the judges and items concerned."""

    KEYS = "alpha, what_if, reason, reasons, explaining, named, judges, items, n, level"

    alpha: float
    what_if: Mapping[str, float]
    reason: Reason
    judges: tuple[JudgeTrace, ...]
    items: tuple[ItemTrace, ...]  # only those that stand out, worst first
    n: int
    level: str
    divided: bool = True  # whether items were looked at
    what: str = "ratings"  # what judges gave

    @property
    def named(self) -> tuple[str, ...]:
        """The judges to look at."""
        return tuple(judge.judge for judge in self.judges if judge.suspicions)

    @property
    def reasons(self) -> tuple[str, ...]:
        """What would raise alpha, the greatest gain first, whether or not it explains the low agreement."""
        if self.reason == "agreement is fine":
            return ()
        found = [name for name, value in self.what_if.items() if value - self.alpha >= GAIN]
        return tuple(sorted(found, key=lambda name: -self.what_if[name]))

    @property
    def explaining(self) -> tuple[str, ...]:
        """Those of them without which agreement would be fine, or much better."""
        return tuple(name for name in self.reasons if explains(self.alpha, self.what_if[name]))

    def __str__(self) -> str:
        head = f"Krippendorff's alpha ({self.level}) is {_two(self.alpha)}"
        if self.reason == "agreement is fine":
            return f"{head}: no diagnosis is needed"
        main, lacking = self.explaining, "; ".join(_lacking(self))
        found = [_TOLD[name](self) for name in main]
        rest = [_TOLD[name](self) for name in self.reasons if name not in main]
        if not main and not rest:
            return f"{head}, and no single reason was found: {lacking}"
        said = [head]
        said += [f"Likeliest reason: {'. Next reason: '.join(found)}"] if found else []
        if rest:
            said.append(
                f"{'A small part of it' if found else 'No single reason explains it. A small part'}: {'; '.join(rest)}"
            )
        return ". ".join([*said, f"Also looked at: {lacking}"] if lacking else said)


def explains(alpha: float, what_if: float) -> bool:
    """Whether what would raise alpha so far is a reason for its being low, not one of many trifles."""
    gain = what_if - alpha
    return gain >= GAIN and (what_if >= FINE or gain >= max(SUBSTANTIAL, (FINE - alpha) / 3))


def _apart_told(diagnosis: Diagnosis) -> str:
    """Error: who, by what figure, beside whose."""
    who = [trace for trace in diagnosis.judges if APART in trace.suspicions]
    rest = [t.correlation for t in diagnosis.judges if t not in who and not math.isnan(t.correlation)]
    usual = f"; the median of the other {len(rest)} is {_two(float(np.median(rest)))}" if rest else ""
    own = ", ".join(f"{trace.judge} {_two(trace.correlation)}" for trace in who)
    names = listed([trace.judge for trace in who])
    return (
        f"error by single judges, who are apart from the rest: without {names} alpha would be "
        f"{_two(diagnosis.what_if[JUDGES])} (rank correlation of their {diagnosis.what} with the mean of the other "
        f"judges' of the same items: {own}{usual})"
    )


def _scale_told(diagnosis: Diagnosis) -> str:
    """Guidelines: how the panel uses the scale, and who uses it unlike all others."""
    odd = [f"{t.judge} ({', '.join(t.suspicions)})" for t in diagnosis.judges if set(t.suspicions) - {APART}]
    who = f"; unlike all others: {listed(odd)}" if odd else ""
    return (
        f"guidelines, as judges use the scale differently: with every judge's {diagnosis.what} put on one mean and "
        f"spread, alpha would be {_two(diagnosis.what_if[SCALE])}{who}"
    )


def _items_told(diagnosis: Diagnosis) -> str:
    """Ambiguity: which items."""
    names = [trace.item for trace in diagnosis.items]
    several = "the item" if len(names) == 1 else f"the {len(names)} items"
    return (
        f"ambiguity: without {several} on which judges differ most ({listed(names)}) alpha would be "
        f"{_two(diagnosis.what_if[ITEMS])}"
    )


def _lacking(diagnosis: Diagnosis) -> list[str]:
    """What was looked for in vain."""
    said = []
    if JUDGES not in diagnosis.reasons:
        said.append("no judge was found who is apart from the rest and without whom alpha would rise")
    if SCALE not in diagnosis.reasons and SCALE in diagnosis.what_if:
        said.append(
            f"with every judge's {diagnosis.what} put on one mean and spread alpha would be "
            f"{_two(diagnosis.what_if[SCALE])}"
        )
    if ITEMS not in diagnosis.reasons and diagnosis.divided:
        said.append("no item divides the judges more than the others do")
    return said


def _two(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def listed(names: Sequence[str]) -> str:
    """Names, the first few where there are many."""
    return first_of(names, MOST)


_TOLD: Mapping[str, Callable[[Diagnosis], str]] = {JUDGES: _apart_told, SCALE: _scale_told, ITEMS: _items_told}


def diagnose(
    values: Any,
    judges: Sequence[str] | None = None,
    items: Sequence[str] | None = None,
    *,
    level: Level = "interval",
    alpha: float = NAMING,
    divided: bool = True,
    what: str = "ratings",
) -> Diagnosis:
    """Diagnose a table of items × judges (numbers; NaN or None for gaps).

    `divided` looks for items that divide the judges, by the variances of their ratings; of answers of two or three
    kinds these are no chi-squares, and leaving out what judges disagree on would always gain. `what` names the answers.
    """
    ratings = require_pairs(Ratings.of(values))
    numbers = ratings.values()
    names = [str(k + 1) for k in range(ratings.judges)] if judges is None else [str(judge) for judge in judges]
    labels = [str(k + 1) for k in range(ratings.items)] if items is None else [str(item) for item in items]
    if len(names) != ratings.judges or len(labels) != ratings.items:
        raise InputError(
            f"the table has {ratings.items} items and {ratings.judges} judges; got {len(labels)} and {len(names)} names"
        )
    whole = _alpha(numbers, level)
    reports = leave_one_out(ratings, lambda one: krippendorff(one, level), names, interchangeable=True)
    traces = apart(numbers, alpha=alpha)
    gains = [report.change for report in reports]
    out = [k for k, trace in enumerate(traces) if trace.apart and gains[k] > 0]
    # judges who are apart make items look divided
    odd = _items(np.delete(numbers, out, axis=1), labels, alpha) if divided else ()
    places = [labels.index(trace.item) for trace in odd]
    tried = {
        JUDGES: _alpha(np.delete(numbers, out, axis=1), level) if out else math.nan,
        SCALE: _alpha(standardise(numbers).values, level),
        ITEMS: _alpha(np.delete(numbers, places, axis=0), level) if odd else math.nan,
    }
    what_if = {str(name): value for name, value in tried.items() if math.isfinite(value)}
    fine = whole >= FINE
    given = [] if fine else [name for name in what_if if what_if[name] - whole >= GAIN]
    people = tuple(
        JudgeTrace(
            judge=names[k],
            ratings=reports[k].ratings,
            correlation=trace.correlation,
            distance=trace.distance,
            p=trace.p,
            bias=trace.level,
            width=trace.width,
            gain=gains[k],
            suspicions=_suspicions(trace, given, alpha, gains=gains[k] > 0),
        )
        for k, trace in enumerate(traces)
    )
    main = [name for name in given if explains(whole, what_if[name])]
    best: Any = max(main, key=lambda name: what_if[name], default="none found")
    return Diagnosis(
        alpha=whole,
        what_if=what_if,
        reason="agreement is fine" if fine else best,
        judges=people,
        items=odd if ITEMS in given else (),
        n=ratings.items,
        level=level,
        divided=divided,
        what=what,
    )


def _suspicions(trace: Apart, given: Sequence[str], alpha: float, *, gains: bool) -> tuple[str, ...]:
    """What is said of a judge: only under a reason that is given, and only where alpha gains without the judge."""
    if not gains:
        return ()
    if JUDGES in given and trace.apart:
        return (APART,)
    found = []
    if SCALE in given and trace.p_level < alpha:
        found.append("lenient" if trace.level > 0 else "severe")
    if SCALE in given and trace.p_width < alpha:
        found.append("narrow use of the scale" if trace.width < 1 else "wide use of the scale")
    return tuple(found)


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
    found = []
    for k, row in zip(odd, rows[odd], strict=True):
        variance, shape = float(variances[k]), bimodality(centred[row][present[row]])
        found.append(ItemTrace(labels[row], int(sizes[row]), variance, variance / usual, float(corrected[k]), shape))
    return tuple(sorted(found, key=lambda trace: -trace.ratio))


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


def _alpha(numbers: Array, level: Level) -> float:
    try:
        return krippendorff(numbers, level).estimate
    except InputError:
        return math.nan
