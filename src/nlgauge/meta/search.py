"""The numeric fields of a metric that may be fitted, and the search for their best values.

A search knows nothing of texts: `judge` gives, for each candidate, how good it is on each of several samples at once
(the training parts of the folds, or bootstrap samples of them), so that one pass over a grid serves them all.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError, SpecError, counted, option, suggest
from nlgauge.metrics.base import Metric

Values = tuple[float, ...]
Range = tuple[float, float]
Judge = Callable[[Sequence[Values]], Array]  # candidates -> (candidates, samples): more is better, NaN undefined

MOST_CANDIDATES = 50_000
TOGETHER = 16  # candidates of a grid judged at a time
PASSES = 4  # of a coordinate search, each over a narrower part of the ranges
NARROWER = 3.0
BETTER = 1e-9  # a gain below this is rounding
BEYOND = 4.0  # a field without an upper limit is searched up to so many times its default


@dataclass(frozen=True)
class Free:
    """A field that is fitted, with the range that is searched."""

    name: str
    default: float
    low: float
    high: float
    whole: bool

    def rounded(self, value: float) -> float:
        """A value as a spec writes it: four significant digits, or a whole number."""
        value = min(max(float(value), self.low), self.high)
        return float(round(value)) if self.whole else float(f"{value:.4g}")

    def points(self, low: float, high: float, steps: int) -> list[float]:
        """Values spread evenly over a part of the range."""
        low, high = max(low, self.low), min(high, self.high)
        return list(dict.fromkeys(self.rounded(value) for value in np.linspace(low, high, steps)))


def free_fields(metric: Metric, asked: Mapping[str, Range | None]) -> tuple[Free, ...]:
    """The fields asked for, or all with fractions; each with the range given, or that which the metric allows."""
    known = {
        spec.name: spec for spec in dataclasses.fields(metric) if spec.metadata and type(spec.default) in (int, float)
    }
    for name in asked:
        if name not in known:
            near = suggest(name, known) if known else "it has none at all"
            raise InputError(f"{metric.name} has no numeric field {name!r}; {near}")
    chosen = asked or {
        name: None for name, spec in known.items() if type(spec.default) is float and not spec.metadata["check"]
    }
    if not chosen:
        raise InputError(
            f"{metric} has no numeric field that is fitted unless it is named; name one of {', '.join(known)} with its "
            f"range: {option('fields')}"
            if known
            else f"{metric} has no numeric field, so there is nothing to fit"
        )
    return tuple(_free(metric, known[name], given) for name, given in chosen.items())


def _free(metric: Metric, spec: dataclasses.Field[float], given: Range | None) -> Free:
    low, high, whole = spec.metadata["low"], spec.metadata["high"], type(spec.default) is int
    default = float(getattr(metric, spec.name))
    if given is None:
        if spec.metadata["check"] or whole:
            raise InputError(
                f"{spec.name} of {metric.name} has no range of its own; say which to search: {option('fields')}"
            )
        least = low if low is not None else min(-1.0, BEYOND * default)
        given = (least, high if high is not None else max(1.0, BEYOND * default))
    if not (isinstance(given, Sequence) and len(given) == 2):
        raise InputError(f"the range of {spec.name} is a pair of numbers, such as (0, 1); got {given!r}")
    if not given[0] < given[1]:
        raise InputError(f"the range of {spec.name} must go up, such as {spec.name}=0:1; got {given[0]:g}:{given[1]:g}")
    for value in given:
        try:
            dataclasses.replace(metric, **{spec.name: int(value) if whole else value})
        except SpecError as error:
            raise InputError(f"the range of {spec.name} is too wide: {error}") from None
    return Free(spec.name, default, float(given[0]), float(given[1]), whole)


def with_values(metric: Metric, free: Sequence[Free], values: Values) -> Metric | None:
    """The metric with these values; None where it refuses them together."""
    given = {field.name: int(value) if field.whole else value for field, value in zip(free, values, strict=True)}
    try:
        return dataclasses.replace(metric, **given)
    except SpecError:
        return None


def start(free: Sequence[Free]) -> Values:
    """The default, within the ranges."""
    return tuple(field.rounded(field.default) for field in free)


def lattice(free: Sequence[Free], steps: int) -> list[Values]:
    """Every combination of evenly spread values, the default first."""
    axes = [field.points(field.low, field.high, steps) for field in free]
    size = int(np.prod([len(axis) for axis in axes]))
    if size > MOST_CANDIDATES:
        raise InputError(
            f"a grid of {counted(len(free), 'field')} with {steps} steps has {size:,} points, more than the "
            f"{MOST_CANDIDATES:,} that are tried: take fewer steps or fields, or {option('search', 'coordinate')}"
        )
    return list(dict.fromkeys([start(free), *itertools.product(*axes)]))


def grid(candidates: Sequence[Values], judge: Judge) -> list[Values]:
    """The best candidate of each sample; the first of equals, so that the default wins them."""
    found = [judge(part) for part in _parts(candidates, TOGETHER)]
    values = np.nan_to_num(np.concatenate(found), nan=-np.inf)
    return [candidates[int(place)] for place in _first_best(values)]


def _first_best(values: Array) -> NDArray[np.intp]:
    """In each column the first row within rounding of the highest."""
    found: NDArray[np.intp] = np.argmax(values >= values.max(axis=0) - BETTER, axis=0)
    return found


def _parts(candidates: Sequence[Values], size: int) -> Iterator[Sequence[Values]]:
    for begin in range(0, len(candidates), size):
        yield candidates[begin : begin + size]


def coordinate(free: Sequence[Free], steps: int, judge: Judge) -> Values:
    """The best values for one sample, field by field: over the whole range, then ever nearer to the best so far."""
    best = start(free)
    reached = float(np.nan_to_num(judge([best]), nan=-np.inf)[0, 0])
    for turn in range(PASSES):
        for place, field in enumerate(free):
            around = (field.high - field.low) / NARROWER**turn
            line = field.points(best[place] - around, best[place] + around, steps)
            tried = [(*best[:place], value, *best[place + 1 :]) for value in line]
            values = np.nan_to_num(judge(tried), nan=-np.inf)[:, 0]
            highest = int(_first_best(values[:, None])[0])
            if values[highest] > reached + BETTER:
                best, reached = tried[highest], float(values[highest])
    return best


def averaged(free: Sequence[Free], found: Sequence[Values]) -> Values:
    """The mean of the values found on several samples (bagging)."""
    means = np.mean(np.array(found), axis=0)
    return tuple(field.rounded(value) for field, value in zip(free, means, strict=True))
