"""Which answers count, as flat columns: one number a row, with its system, item, judge and panel.

Practice, warm-up screens and attention checks never count; damaged copies and repeats are kept for the checks of judges
and count in no mean. Surplus answers follow the rule fixed at launch, corrections take the place of what they correct.
An answer to a reverse-keyed question is turned round here, so that everything after this reads high as good.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from nlgauge.study.design import Study
from nlgauge.study.frozen import Frozen
from nlgauge.study.protocols.outputs.analysis.rows import (
    Worded,
    first_wording,
    panels_of,
    planned_answers,
    subjects_of,
    told_apart,
)
from nlgauge.study.protocols.outputs.file import output_study
from nlgauge.study.protocols.outputs.machines import machines_of, measured_panels
from nlgauge.study.protocols.ratings.criteria import Asked
from nlgauge.study.protocols.ratings.file import rating_study
from nlgauge.study.types import Judgement

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Criterion(Worded):
    """What was asked, on which scale, as the analysis reads it."""

    id: str
    name: str
    low: float
    high: float
    points: int  # 0: a slider
    reverse: bool
    question: str
    unit: bool = False  # answers are shares of the scale
    modulus: float = (
        0.0  # magnitudes: what numbers are divided by before their natural logarithms; 0: no magnitudes
    )
    by_judge: bool = False  # magnitudes: logarithms less each judge's own mean

    @property
    def ratios(self) -> bool:
        """Whether answers are magnitudes, which enter as logarithms and are told as ratios."""
        return self.modulus > 0

    @property
    def width(self) -> float:
        """From the lowest to the highest value of the analysis; infinite for magnitudes."""
        return 1.0 if self.unit else self.high - self.low

    def told(self, value: float) -> float:
        """A value of the analysis as it is told: of a logarithm the number, of a difference of two the ratio."""
        return math.exp(value) if self.ratios else value

    def share(self, value: float, *, scored: bool) -> float:
        """An answer as a share of the scale, as given or turned round where high is bad; a magnitude as a logarithm."""
        if self.ratios:
            return self.score(value) if scored or not self.reverse else -self.score(value)
        turned = self.high - value if scored and self.reverse else value - self.low
        return turned / (self.high - self.low)

    @property
    def values(self) -> tuple[float, ...]:
        """The answers there are, from the worst; empty for a slider."""
        if not self.points:
            return ()
        low, step = (0.0 if self.unit else self.low), self.width / (self.points - 1)
        return tuple(round(low + step * k, 9) for k in range(self.points))

    def score(self, value: float) -> float:
        """An answer as it enters the analysis."""
        if self.ratios:
            found = math.log(value / self.modulus)
            return -found if self.reverse else found
        turned = self.low + self.high - value if self.reverse else value
        return (turned - self.low) / (self.high - self.low) if self.unit else turned

    @classmethod
    def of(cls, asked: Asked, *, unit: bool = False) -> Criterion:
        """From the frozen study. Of a binary question yes is 1 and no is 0, whatever the scale calls them."""
        scale, words = asked.scale, first_wording(asked.question)
        return cls(asked.id, asked.name, scale.low, scale.high, scale.points, asked.reverse, words, unit)

    def measured(self, values: Sequence[float]) -> Criterion:
        """The same where a machine gives numbers of its own: as wide as they reach, and what is better is higher."""
        low, high = (min(values), max(values)) if values else (0.0, 1.0)
        return replace(
            self, low=low, high=high if high > low else low + 1, points=0, reverse=False, unit=False
        )


@dataclass(frozen=True)
class Column:
    """The ratings of one criterion by one panel."""

    criterion: Criterion
    panel: str
    values: Array
    systems: tuple[str, ...]
    items: tuple[str, ...]
    judges: tuple[str, ...]
    plain: Array | None = None  # magnitudes: before each judge's own mean was taken away

    def __len__(self) -> int:
        return len(self.values)

    @property
    def outputs(self) -> tuple[tuple[str, str], ...]:
        """The output that each rating is about: its item and system."""
        return tuple(zip(self.items, self.systems, strict=True))

    @property
    def modelled(self) -> Array:
        """What the mixed model is fitted to: it has judges' units among its effects and needs no mean taken away."""
        return self.values if self.plain is None else self.plain

    def without(self, judges: Iterable[str]) -> Column:
        """The same without some judges."""
        out = set(judges)
        kept = [place for place, judge in enumerate(self.judges) if judge not in out]
        systems, items, names = (
            tuple(column[place] for place in kept) for column in (self.systems, self.items, self.judges)
        )
        plain = None if self.plain is None else self.plain[kept]
        return Column(self.criterion, self.panel, self.values[kept], systems, items, names, plain)

    def table(self) -> tuple[list[str], list[str], Array]:
        """Outputs × judges, NaN for gaps; of several ratings by one judge the first counts."""
        names, judges = list(dict.fromkeys(self.outputs)), list(dict.fromkeys(self.judges))
        row = {name: place for place, name in enumerate(names)}
        place = {name: number for number, name in enumerate(judges)}
        table = np.full((len(names), len(judges)), np.nan)
        for output, judge, value in zip(self.outputs, self.judges, self.values.tolist(), strict=True):
            if np.isnan(table[row[output], place[judge]]):
                table[row[output], place[judge]] = value
        return [f"{item} / {system}" for item, system in names], judges, table

    def output_means(self) -> dict[tuple[str, str], float]:
        """The mean rating of each output."""
        total: dict[tuple[str, str], list[float]] = {}
        for output, value in zip(self.outputs, self.values.tolist(), strict=True):
            total.setdefault(output, []).append(value)
        return {output: float(np.mean(values)) for output, values in total.items()}


@dataclass(frozen=True)
class Copy:
    """A damaged copy or a repeat beside its original, both by one judge."""

    judge: str
    criterion: str
    original: float
    again: float
    degraded: bool


@dataclass(frozen=True)
class Rated:
    """A study's answers, sorted out."""

    criteria: tuple[Criterion, ...]
    panels: tuple[str, ...]
    systems: tuple[str, ...]
    counted: tuple[Judgement, ...]  # in the order in which they were given
    copies: tuple[Copy, ...]
    aside: Mapping[str, int]
    planned: Mapping[str, int] = field(default_factory=dict)  # answers that count, by panel
    outputs: int = 0  # texts that can be rated
    names: Mapping[str, str] = field(default_factory=dict)  # of systems
    subject: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # item and system of a text
    machines: frozenset[str] = frozenset()  # panels of machines
    measured: frozenset[str] = frozenset()  # those whose numbers are on no scale of the study
    screens: tuple[Judgement, ...] | None = (
        None  # what was answered at once, where that is more than one text
    )

    def of(self, panel: str) -> tuple[Judgement, ...]:
        """The answers of one panel."""
        return tuple(one for one in self.counted if one.panel == panel)

    def answered(self, panel: str) -> tuple[Judgement, ...]:
        """The screens that one panel answered."""
        if self.screens is None:
            return self.of(panel)
        return tuple(one for one in self.screens if one.panel == panel)

    def column(self, criterion: Criterion, panel: str) -> Column:
        """The ratings of a criterion by a panel."""
        own = [one for one in self.of(panel) if criterion.id in one.answer]
        if panel in self.measured:
            criterion = criterion.measured([one.answer[criterion.id] for one in own])
        places = [self.subject[one.texts[0]] for one in own]
        return column_of(
            criterion,
            panel,
            [one.answer[criterion.id] for one in own],
            [system for _, system in places],
            [item for item, _ in places],
            [one.judge for one in own],
        )


def column_of(
    criterion: Criterion,
    panel: str,
    answers: Sequence[float],
    systems: Sequence[str],
    items: Sequence[str],
    judges: Sequence[str],
) -> Column:
    """Answers as they enter the analysis."""
    values = np.array([criterion.score(one) for one in answers], dtype=np.float64)
    names = tuple(systems), tuple(items), tuple(judges)
    if not criterion.by_judge or not len(values):
        return Column(criterion, panel, values, *names)
    codes = np.unique(np.array(judges, dtype=object).astype(str), return_inverse=True)[1]
    means = np.bincount(codes, weights=values) / np.bincount(codes)
    return Column(criterion, panel, values - means[codes], *names, plain=values)


def criteria_of(study: Study, *, unit: bool = False) -> tuple[Criterion, ...]:
    """What a rating study asked."""
    own = rating_study(study)
    return tuple(Criterion.of(one, unit=unit or own.protocol == "binary") for one in own.questions_asked)


def sort_out(
    frozen: Frozen,
    judgements: Sequence[Judgement],
    *,
    unit: bool = False,
    panel: str | None = None,
    criteria: tuple[Criterion, ...] | None = None,
) -> Rated:
    """Apply the rules to a study's answers; `criteria` where they are not those of a rating study."""
    study = output_study(frozen.study)
    criteria = criteria_of(study, unit=unit) if criteria is None else criteria
    machines = machines_of(frozen, study, judgements)
    panels = panels_of(frozen, panel, machines)
    counted, extra, aside = told_apart(frozen, judgements, panels)
    return Rated(
        criteria,
        panels,
        tuple(study.authors),
        tuple(counted),
        tuple(_copies(criteria, counted, extra)),
        aside,
        planned_answers(frozen, panels, machines),
        len(
            {
                (frozen.text[text].item, frozen.text[text].subject)
                for slot in frozen.slots
                if not slot.triad
                for text in slot.texts
            }
        ),
        {name: called or name for name, called in study.authors.items()},
        subjects_of(frozen),
        frozenset(machines),
        measured_panels(judgements),
    )


def _copies(
    criteria: Sequence[Criterion], counted: Sequence[Judgement], extra: Sequence[Judgement]
) -> Iterable[Copy]:
    first: dict[tuple[str, str], Judgement] = {}
    for one in counted:
        first.setdefault((one.judge, one.texts[0]), one)
    for one in extra:
        original = first.get((one.judge, one.texts[0]))
        if one.triad not in ("degraded", "repeat") or original is None:
            continue
        for criterion in criteria:
            if criterion.id in one.answer and criterion.id in original.answer:
                yield Copy(
                    one.judge,
                    criterion.id,
                    criterion.score(original.answer[criterion.id]),
                    criterion.score(one.answer[criterion.id]),
                    one.triad == "degraded",
                )
