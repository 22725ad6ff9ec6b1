"""Which answers count, as flat columns: one number a row, with its system, item, judge and panel.

Practice, warm-up screens and attention checks never count; damaged copies and repeats are kept for the checks of judges
and count in no mean. Surplus answers follow the rule fixed at launch, corrections take the place of what they correct.
An answer to a reverse-keyed question is turned round here, so that everything after this reads high as good.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Self, TypeVar

import numpy as np

from nlgauge.arrays import Array
from nlgauge.study.designs.imported import Imported
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.outputs.analysis.rows import Given, Numbers, Worded, first_wording, sorted_out
from nlgauge.study.protocols.outputs.control import Pair, pairs
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.outputs.machines import measured_panels
from nlgauge.study.protocols.ratings.criteria import Asked
from nlgauge.study.protocols.ratings.file import RatingStudy, rating_study
from nlgauge.study.protocols.ratings.scoring import score
from nlgauge.wording.numbers import ratio

Key = TypeVar("Key")


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
    measure: str = ""  # what was measured on the answers rather than asked, in words
    lower: bool = False  # of measures: low is good
    modulus: float = 0.0  # magnitudes: what numbers are divided by before their natural logarithms; 0: no magnitudes
    by_judge: bool = False  # magnitudes: logarithms less each judge's own mean
    ends: tuple[float, float] | None = None  # between which a mean can lie, where not on the scale
    labelled: bool = False  # whether every point has words

    @property
    def bounds(self) -> tuple[float, float]:
        """Between which a mean of the analysis can lie."""
        if self.ends is not None:
            return self.ends
        if self.ratios:
            return -math.inf, math.inf
        return (0.0, 1.0) if self.unit else (self.low, self.high)

    def within(self, *values: float) -> tuple[float, ...]:
        """A mean and its limits, which end where the scale does: what lies beyond is no mean that could be."""
        least, most = self.bounds
        return tuple(value if math.isnan(value) else min(max(value, least), most) for value in values)

    @property
    def ratios(self) -> bool:
        """Whether answers are magnitudes, which enter as logarithms and are told as ratios."""
        return self.modulus > 0

    @property
    def amount(self) -> bool:
        """Whether answers are amounts from 0 up without an end: penalties, numbers of errors, edits."""
        return self.ends is not None and self.ends == (0.0, math.inf)

    @property
    def width(self) -> float:
        """From the lowest to the highest value of the analysis; infinite for magnitudes."""
        return 1.0 if self.unit else self.high - self.low

    @property
    def places(self) -> int | None:
        """Decimals of a mean: two, or three where the scale is one wide; one on a scale of a hundred; none are fixed of
        a ratio."""
        if self.ratios:
            return None
        return 3 if self.width <= 1.5 else 1 if self.width >= 50 else 2

    def told(self, value: float) -> float:
        """A value of the analysis as it is told: of a logarithm the number, of a difference of two the ratio."""
        return ratio(value) if self.ratios else value

    def share(self, value: float, *, scored: bool) -> float:
        """An answer as a share of the scale, as given or turned round where high is bad; a magnitude as a logarithm."""
        if self.ratios:
            return self.score(value) if scored or not self.reverse else -self.score(value)
        turned = self.high - value if scored and (self.reverse or self.lower) else value - self.low
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
        every = 0 < scale.points == len(scale.labels)
        return cls(
            id=asked.id,
            name=asked.name,
            low=scale.low,
            high=scale.high,
            points=scale.points,
            reverse=asked.reverse,
            question=words,
            unit=unit,
            labelled=every,
        )

    def measured(self, values: Sequence[float]) -> Criterion:
        """The same where a machine gives numbers of its own: as wide as they reach, and what is better is higher."""
        low, high = (min(values), max(values)) if values else (0.0, 1.0)
        return replace(
            self,
            low=low,
            high=high if high > low else low + 1,
            points=0,
            reverse=False,
            unit=False,
            ends=(-math.inf, math.inf),
        )


@dataclass(frozen=True)
class Column(Numbers):
    """The ratings of one criterion by one panel."""

    criterion: Criterion
    named: bool = True  # whether `judges` are people, or places in the lists of an imported file
    plain: Array | None = None  # magnitudes: before each judge's own mean was taken away

    def __len__(self) -> int:
        return len(self.values)

    @property
    def outputs(self) -> tuple[tuple[str, str], ...]:
        """The output that each rating is about: its item and system."""
        return tuple(zip(self.items, self.systems, strict=True))

    def only(self, outputs: Iterable[tuple[str, str]]) -> Column:
        """The same of some outputs, each named by item and system."""
        wanted = set(outputs)
        return self._places([place for place, one in enumerate(self.outputs) if one in wanted])

    @property
    def modelled(self) -> Array:
        """What the mixed model is fitted to: it has judges' units among its effects and needs no mean taken away."""
        return self.values if self.plain is None else self.plain

    def without(self, judges: Iterable[str]) -> Column:
        """The same without some judges."""
        out = set(judges)
        return self._places([place for place, judge in enumerate(self.judges) if judge not in out])

    def _places(self, kept: Sequence[int]) -> Column:
        systems, items, judges = (
            tuple(column[place] for place in kept) for column in (self.systems, self.items, self.judges)
        )
        values, plain = self.values[list(kept)], None if self.plain is None else self.plain[list(kept)]
        return replace(self, values=values, systems=systems, items=items, judges=judges, plain=plain)

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
        return {output: float(np.mean(own)) for output, own in _by(self.outputs, self.values).items()}

    def means(self) -> dict[str, float]:
        """The mean rating of each system."""
        return {system: sum(own) / len(own) for system, own in _by(self.systems, self.values).items()}


def _by(of: Sequence[Key], values: Array) -> dict[Key, list[float]]:
    found: dict[Key, list[float]] = {}
    for key, value in zip(of, values.tolist(), strict=True):
        found.setdefault(key, []).append(value)
    return found


@dataclass(frozen=True)
class Rated(Given):
    """A study's answers, sorted out."""

    criteria: tuple[Criterion, ...]
    copies: tuple[Pair, ...] = ()  # damaged copies and repeats beside their originals
    measured: frozenset[str] = frozenset()  # panels of machines whose numbers are on no scale of the study
    named: bool = True  # whether judges are people
    screens: tuple[Judgement, ...] | None = None  # what was answered at once, where that is more than one text

    def without(self, judges: Collection[str]) -> Self:
        """The same without some judges' answers; what is planned stays planned."""
        kept = super().without(judges)
        if self.screens is None:
            return kept
        return replace(kept, screens=tuple(screen for screen in self.screens if screen.judge not in judges))

    def answered(self, panel: str) -> tuple[Judgement, ...]:
        """The screens that one panel answered."""
        if self.screens is None:
            return self.of(panel)
        return tuple(judgement for judgement in self.screens if judgement.panel == panel)

    def column(self, criterion: Criterion, panel: str) -> Column:
        """The ratings of a criterion by a panel."""
        own = [judgement for judgement in self.of(panel) if criterion.id in judgement.answer]
        if panel in self.measured:
            criterion = criterion.measured([judgement.answer[criterion.id] for judgement in own])
        places = [self.subject[judgement.texts[0]] for judgement in own]
        return column_of(
            criterion=criterion,
            panel=panel,
            answers=[judgement.answer[criterion.id] for judgement in own],
            systems=[system for _, system in places],
            items=[item for item, _ in places],
            judges=[judgement.judge for judgement in own],
            named=self.named,
        )


def column_of(
    criterion: Criterion,
    panel: str,
    answers: Sequence[float],
    systems: Sequence[str],
    items: Sequence[str],
    judges: Sequence[str],
    *,
    named: bool = True,
) -> Column:
    """Answers as they enter the analysis."""
    values = np.array([criterion.score(answer) for answer in answers], dtype=np.float64)
    names = tuple(systems), tuple(items), tuple(judges)
    if not criterion.by_judge or not len(values):
        return Column(criterion, panel, values, *names, named)
    codes = np.unique(np.array(judges, dtype=object).astype(str), return_inverse=True)[1]
    means = np.bincount(codes, weights=values) / np.bincount(codes)
    return Column(criterion, panel, values - means[codes], *names, named, plain=values)


def sort_out(
    frozen: Frozen,
    judgements: Sequence[Judgement],
    *,
    unit: bool = False,
    panel: str | None = None,
    measures: Sequence[Criterion] = (),
    asked_first: bool = False,
) -> Rated:
    """Apply the rules to a study's answers; `measures` are numbers that were measured on them, beside the questions.

    They come before what was asked, which is the main outcome where `asked_first`.
    """
    study = rating_study(frozen.study)
    # of two answers one is yes: their mean is a share
    asked = (Criterion.of(question, unit=unit or question.scale.points == 2) for question in study.questions_asked)
    criteria = (*asked, *measures) if asked_first else (*measures, *asked)
    return sort_answers(frozen, study, criteria, judgements, panel=panel)


def sort_answers(
    frozen: Frozen,
    study: OutputStudy,
    criteria: tuple[Criterion, ...],
    judgements: Sequence[Judgement],
    *,
    panel: str | None = None,
) -> Rated:
    """The same rules for any study whose answers hold a number of one output for each criterion."""
    found, extra = sorted_out(frozen, study, criteria, judgements, panel)
    given = [*found.counted, *extra]
    return Rated(
        **vars(found),
        copies=tuple(pairs(frozen, given, partial(score, study))) if isinstance(study, RatingStudy) else (),
        measured=measured_panels(judgements),
        named=not isinstance(study.plan, Imported) or study.plan.judges == "people",
    )
