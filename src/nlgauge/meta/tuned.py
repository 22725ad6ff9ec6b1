"""What a fit of a metric's fields returns, and what may be said of it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from nlgauge.meta.results import PLACES
from nlgauge.results import Result
from nlgauge.stats.correlation.statistic import STATISTICS
from nlgauge.wording.numbers import interval, number, percent, signed
from nlgauge.wording.tables import plain_table

FINE = PLACES + 1  # decimals of a gain, which is small beside what it is a gain of


@dataclass(frozen=True)
class TunedField:
    """One field: its default, what was found on all data and in each fold, and the range that was searched."""

    name: str
    default: float
    value: float
    low: float
    high: float
    folds: tuple[float, ...]

    @property
    def at_edge(self) -> bool:
        """Whether the value lies at an end of the range, so that a better one may lie beyond."""
        return self.value != self.default and self.value in (self.low, self.high)


@dataclass(frozen=True)
class Tuning(Result):
    """A metric fitted to judgements. Correlations have their signs turned where less of the metric is better.

    `default`, `tuned` and `gain` are means over the folds, of outputs that the fit of the fold had not seen; `low` and
    `high` are the gain's interval, a paired bootstrap over items, widened since folds share what they were fitted on.
    `all_default` and `all_tuned` are of all data, which the fit has seen.
    """

    KEYS = "..., established, sentence"

    ROWS = "fields"

    metric: str
    spec: str
    criterion: str
    statistic: str
    n: int
    items: int
    fields: tuple[TunedField, ...]
    default: float
    tuned: float
    gain: float
    low: float
    high: float
    all_default: float
    all_tuned: float
    folds: int
    draws: int
    confidence: float
    search: str
    candidates: int
    seed: int
    notes: tuple[str, ...] = ()
    receipt: str = ""

    @property
    def established(self) -> bool:
        """Whether the whole interval of the gain lies above 0."""
        return self.low > 0

    @property
    def sentence(self) -> str:
        """What may be concluded."""
        name = STATISTICS[self.statistic].words
        figures = (
            f"on items held out, {name} with {self.criterion} is {number(self.tuned, PLACES)} tuned and "
            f"{number(self.default, PLACES)} by default"
        )
        if all(value == field.default for field in self.fields for value in (field.value, *field.folds)):
            return f"The search found nothing better than {self.metric}."
        if math.isnan(self.low):
            return f"Whether {self.spec} is better than {self.metric} is not tested: {figures}."
        gain = (
            f"gain {signed(self.gain, FINE)}, {percent(self.confidence)} interval "
            f"{interval(self.low, self.high, FINE, sign=True)}"
        )
        if self.established:
            return f"{self.spec} follows {self.criterion} better than {self.metric}: {figures} ({gain})."
        if self.high < 0:
            return f"Tuning makes {self.metric} worse: {figures} ({gain}); keep the default."
        more = "keep the default, or have more items judged"
        return f"No gain over {self.metric} is established: {figures} ({gain}); {more}."

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Headers and rows: the fields with their values."""
        rows = [
            [
                field.name,
                f"{field.default:g}",
                f"{field.value:g}",
                f"{min(field.folds):g} to {max(field.folds):g}",
                f"{field.low:g} to {field.high:g}",
            ]
            for field in self.fields
        ]
        return ["field", "default", "tuned", "in the folds", "searched"], rows

    def lines(self) -> list[str]:
        """What stands under the table."""
        seen = (
            f"{self.n:,} outputs of {self.items:,} items, {self.folds} folds by the text of the items; {self.search}, "
            f"{self.candidates:,} settings tried. On all data, which the fit has seen: "
            f"{number(self.all_tuned, PLACES)} tuned, {number(self.all_default, PLACES)} by default."
        )
        notes = [f"note: {note}" for note in self.notes]
        return [f"tuned: {self.spec}", "", self.sentence, seen, *notes, "", self.receipt]

    def __str__(self) -> str:
        headers, rows = self.table()
        return "\n".join([plain_table(headers, rows, right=range(1, len(headers))), "", *self.lines()])
