"""The next study: how many judges and items, from this one's variance components."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from nlgauge.errors import InputError
from nlgauge.stats.mixed.planning import Plan, Variances, items_for, study_power
from nlgauge.study.protocols.ratings.analysis.models import Models
from nlgauge.study.protocols.ratings.analysis.rows import Column

TENTH = 0.1  # of the scale: the difference that plans are made for
QUARTER = 0.25  # of a standard deviation: the same for what was measured, which has no scale
RATIO = 1.1  # the same for magnitudes
WIDEST = math.log(1e6)  # a ratio of systems beyond which nobody looks
POWER = 0.8


@dataclass(frozen=True)
class NextStudy:
    """The difference this design finds four times in five, and designs that find a tenth of the scale."""

    least: float  # NaN where it cannot be found
    effect: float
    now: Plan
    plans: tuple[Plan, ...]
    what: str = "a tenth of the scale"
    ratio: bool = False  # of magnitudes: effects are logarithms of ratios

    @property
    def sentence(self) -> str:
        """For the section on planning."""
        if self.ratio:
            return self._ratios()
        found = (
            ""
            if math.isnan(self.least)
            else f" The design finds a difference of {self.least:.2g} with power 0.80."
        )
        options = "; ".join(
            f"{one.judges} judges with {one.items:,} items ({one.ratings_per_item} ratings of each output)"
            for one in self.plans
        )
        rest = (
            f" With these variances a difference of {self.effect:g} is found with power 0.80 by {options}."
            if options
            else f" A difference of {self.effect:g} needs more judges, however many items there are."
        )
        return (
            f"The same design again finds a difference of {self.effect:g} ({self.what}) with power "
            f"{self.now.estimate:.2f}.{found}{rest}"
        )

    def _ratios(self) -> str:
        options = "; ".join(
            f"{one.judges} judges with {one.items:,} items ({one.ratings_per_item} for each output)"
            for one in self.plans
        )
        least = (
            ""
            if math.isnan(self.least)
            else f" The design finds a ratio of {math.exp(self.least):.3g} with power 0.80."
        )
        rest = (
            f" With these variances a ratio of {math.exp(self.effect):.3g} is found with power 0.80 by {options}."
            if options
            else f" A ratio of {math.exp(self.effect):.3g} needs more judges, however many items there are."
        )
        return (
            f"The same design again finds a ratio of {math.exp(self.effect):.3g} between two systems with power "
            f"{self.now.estimate:.2f}.{least}{rest}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return {
            "effect": self.effect,
            "least_difference": None if math.isnan(self.least) else self.least,
            "same_design": self.now.to_dict(),
            "plans": [one.to_dict() for one in self.plans],
            "sentence": self.sentence,
        }


def next_study(column: Column, models: Models) -> NextStudy | None:
    """None where there is no model to plan from."""
    judges, items = len(set(column.judges)), len(set(column.items))
    if not column.named or models.linear is None or judges < 2 or items < 2 or len(models.means) < 2:
        return None
    variances = Variances.of(models.linear)
    outputs = len(set(column.outputs))
    each = min(max(1, round(len(column) / outputs)), judges)
    measured, ratios = bool(column.criterion.measure), column.criterion.ratios
    width = float(column.values.std(ddof=1)) if measured else WIDEST if ratios else column.criterion.width
    effect = math.log(RATIO) if ratios else float(f"{QUARTER * width:.2g}") if measured else TENTH * width
    if effect <= 0:
        return None
    now = study_power(variances, effect, judges=judges, items=items, ratings_per_item=each)
    plans = []
    for number in dict.fromkeys((max(2, judges // 2), judges, 2 * judges)):
        try:
            plans.append(
                items_for(variances, effect, judges=number, power=POWER, ratings_per_item=min(each, number))
            )
        except InputError:
            continue
    least = _least(variances, judges, items, each, 10 * width if measured else width)
    what = "a quarter of a standard deviation" if measured else NextStudy.what
    return NextStudy(least, effect, now, tuple(plans), what, ratios)


def _least(variances: Variances, judges: int, items: int, each: int, width: float) -> float:
    """The smallest difference found with the power wanted, by halving."""

    def power(effect: float) -> float:
        return study_power(variances, effect, judges=judges, items=items, ratings_per_item=each).estimate

    low, high = 0.0, width
    if power(high) < POWER:
        return math.nan
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if power(middle) >= POWER else (middle, high)
    return high
