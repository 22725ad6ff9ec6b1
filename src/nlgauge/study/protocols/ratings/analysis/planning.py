"""The next study: the power of this design, and larger designs, from this one's variance components.

Two ways to more power are told: more items with as many ratings of each output, and more ratings of each output of the
same items. Both keep what one judge does, so that judges become more as ratings do, and which items systems share: the
power of the same design is that of the model's own standard error.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from nlgauge.jsonable import Jsonable
from nlgauge.stats.mixed.planning import Pilot, Plan
from nlgauge.study.protocols.ratings.analysis.models import Models
from nlgauge.study.protocols.ratings.analysis.rows import Column

TENTH = 0.1  # of the scale: the difference that plans are made for
QUARTER = 0.25  # of a standard deviation: the same for what was measured, which has no scale
RATIO = 1.1  # the same for magnitudes
WIDEST = math.log(1e6)  # a ratio of systems beyond which nobody looks
POWER = 0.8
MOST_ITEMS, MOST_RATINGS = 5000, 50  # beyond which nobody plans


@dataclass(frozen=True)
class NextStudy(Jsonable):
    """The difference this design finds four times in five, and designs that find a tenth of the scale."""

    KEYS = (
        "effect, least_difference = least, texts_of_a_judge = each, same_design = now, more_items, more_ratings, plans"
    )

    name: str  # of the criterion
    least: float  # NaN where it cannot be found
    effect: float
    now: Plan
    each: int  # texts of one judge
    more_items: Plan | None  # None: no number within reason
    more_ratings: Plan | None
    what: str = "a tenth of the scale"
    ratio: bool = False  # of magnitudes: effects are logarithms of ratios
    told: bool = True  # whether items' variance could be told from noise, as where an item was rated more than once

    @property
    def enough(self) -> bool:
        """Whether the design as it is has the power."""
        return self.now.estimate >= POWER

    @property
    def plans(self) -> tuple[Plan, ...]:
        """The designs with the power wanted."""
        return () if self.enough else tuple(plan for plan in (self.more_items, self.more_ratings) if plan is not None)


def next_study(column: Column, models: Models) -> NextStudy | None:
    """None where there is no model to plan from."""
    judges, items, systems = len(set(column.judges)), len(set(column.items)), len(models.means)
    if not column.named or models.linear is None or judges < 2 or items < 2 or systems < 2:
        return None
    pilot = Pilot.of(models.linear, column.systems, column.judges, column.items)
    ratings = pilot.rounded
    each = max(1, round(len(column) / judges))
    outputs = len(set(column.outputs))
    measured, ratios = bool(column.criterion.measure), column.criterion.ratios
    width = float(column.values.std(ddof=1)) if measured else WIDEST if ratios else column.criterion.width
    effect = math.log(RATIO) if ratios else float(f"{QUARTER * width:.2g}") if measured else TENTH * width
    if effect <= 0:
        return None

    def at(items: int, ratings: int) -> Plan:
        """Judges who do as much as these did, and enough of them to rate an output so often."""
        needed = max(judges, ratings, math.ceil(items * outputs * ratings / (pilot.items * each)))
        if judges % systems == 0:  # whole Latin squares stay whole
            needed = systems * math.ceil(needed / systems)
        return pilot.power(effect, judges=needed, items=items, ratings_per_item=ratings)

    # systems that share no items get as many new ones each
    step = systems if pilot.apart[1] == systems else 1
    told = any(component.name == "item" for component in models.linear.components)
    return NextStudy(
        name=column.criterion.label,
        least=_least(pilot, 10 * width if measured else width),
        effect=effect,
        now=pilot.power(effect),
        each=each,
        more_items=_smallest(lambda number: at(number * step, ratings), items // step, MOST_ITEMS // step),
        more_ratings=_smallest(lambda number: at(items, number), ratings, MOST_RATINGS) if told else None,
        what="a quarter of a standard deviation" if measured else NextStudy.what,
        ratio=ratios,
        told=told,
    )


def _smallest(plan: Callable[[int], Plan], low: int, most: int) -> Plan | None:
    """The plan with the smallest number above `low` that has the power, None where not even the largest has it."""
    if low >= most or plan(most).estimate < POWER:
        return None
    high = most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if plan(middle).estimate >= POWER else (middle, high)
    return plan(high)


def _least(pilot: Pilot, width: float) -> float:
    """The smallest difference found with the power wanted, by halving."""
    low, high = 0.0, width
    if pilot.power(high).estimate < POWER:
        return math.nan
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if pilot.power(middle).estimate >= POWER else (middle, high)
    return high
