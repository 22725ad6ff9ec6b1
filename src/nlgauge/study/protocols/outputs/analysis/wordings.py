"""Does the wording matter? Judges who were dealt one wording of a question beside those who were dealt another.

Wordings differ between judges, so judges are the units: each has a level and a profile of systems, whatever the number
of their answers, and the wordings are dealt to them again (`stats.dealt`). Two questions are asked of each criterion:
whether one wording moves the level, and whether it moves the differences of systems, which is what a comparison of
systems stands on. Panels are strata; machines are left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.jsonable import Jsonable, plain
from nlgauge.stats.dealt import Shift, dealings, differ, shift, swept
from nlgauge.stats.multiple import holm
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.outputs.analysis.rows import Numbers
from nlgauge.study.protocols.outputs.criteria import Worded
from nlgauge.wording.numbers import ALPHA, ratio


@dataclass(frozen=True)
class Scale:
    """Of which kind the figures of a criterion are."""

    levels: bool = True  # whether answers have a level: comparisons have none, nor magnitudes in a judge's own unit
    ratios: bool = False  # whether they are logarithms, and differences are told as ratios
    what: str = "answers"

    def plain(self, value: float) -> float | None:
        """The same as a number; none where there is no limit."""
        found = ratio(value) if self.ratios else value
        return found if math.isfinite(found) and math.isfinite(value) else None


@dataclass(frozen=True)
class SystemShift:
    """How one wording moves a system among the others, beside the first wording."""

    system: str
    wording: str
    found: Shift


@dataclass(frozen=True)
class WordingEffect(Jsonable):
    """What the wordings of one criterion do."""

    KEYS = "criterion, name, wordings, test, ratios = scale.ratios, level, systems = differences, matters"

    criterion: str
    name: str
    questions: Mapping[str, Mapping[str, str]]  # by wording and language
    judges: Mapping[str, int]
    means: Mapping[str, float]  # over the judges of each wording, each counting once
    scale: Scale
    test: str
    level_p: float | None  # None: there is no level
    shifts: Mapping[str, Shift]  # of the level, by wording, beside the first where a panel read both
    systems_p: float | None  # None: no system can be compared
    systems: tuple[SystemShift, ...]
    level_p_adjusted: float | None = None
    systems_p_adjusted: float | None = None
    tests: int = 1  # criteria that are tested, over which p-values are corrected

    @property
    def first(self) -> str:
        """The wording that the others are held against."""
        return next(iter(self.judges))

    @property
    def matters(self) -> bool:
        """Whether either test found anything, after correction."""
        return any(p is not None and p <= ALPHA for p in (self.level_p_adjusted, self.systems_p_adjusted))

    @property
    def farthest(self) -> SystemShift | None:
        """The system that moves most."""
        return max(self.systems, key=lambda one: abs(one.found.estimate), default=None)

    @property
    def wordings(self) -> list[dict[str, Any]]:
        """Each with its judges and their mean."""
        return [
            {
                "wording": name,
                "question": self.questions[name],
                "judges": number,
                "mean": self.scale.plain(self.means[name]) if self.scale.levels else None,
            }
            for name, number in self.judges.items()
        ]

    @property
    def level(self) -> dict[str, Any] | None:
        """What they do to the level, where there is one."""
        shifts = [self._shift(shift) | {"wording": name} for name, shift in self.shifts.items()]
        return self._tested(self.level_p, self.level_p_adjusted, shifts)

    @property
    def differences(self) -> dict[str, Any] | None:
        """What they do to systems."""
        shifts = [
            self._shift(moved.found) | {"wording": moved.wording, "system": moved.system} for moved in self.systems
        ]
        return self._tested(self.systems_p, self.systems_p_adjusted, shifts)

    @staticmethod
    def _tested(p: float | None, adjusted: float | None, shifts: list[dict[str, Any]]) -> dict[str, Any] | None:
        return None if p is None else {"p": p, "p_adjusted": adjusted, "shifts": shifts}

    def logged(self) -> dict[str, Any]:
        """What the design statement tells of it, for the log; `of_log` reads it again."""
        found: dict[str, Any] = plain(asdict(replace(self, questions={})))
        return found

    @classmethod
    def of_log(cls, row: Mapping[str, Any]) -> WordingEffect:
        """The same from the log, where what is not finite has no number."""

        def shift(given: Mapping[str, Any]) -> Shift:
            ends: dict[str, Any] = {"low": -math.inf, "high": math.inf, "detectable": math.inf, "p": math.nan}
            return Shift(**{key: ends[key] if value is None else value for key, value in given.items()})

        moved = tuple(SystemShift(each["system"], each["wording"], shift(each["found"])) for each in row["systems"])
        shifts = {name: shift(given) for name, given in row["shifts"].items()}
        return cls(**{**row, "scale": Scale(**row["scale"]), "shifts": shifts, "systems": moved})

    def _shift(self, one: Shift) -> dict[str, Any]:
        plain = self.scale.plain
        return {
            "against": self.first,
            "estimate": plain(one.estimate),
            "low": plain(one.low),
            "high": plain(one.high),
            "p": one.p,
            "detectable": plain(one.detectable),
        }


def effects(
    asked: Sequence[Worded],
    columns: Mapping[str, Sequence[Numbers]],
    answers: Sequence[Judgement],
    scales: Mapping[str, Scale],
    *,
    seed: int,
) -> tuple[WordingEffect, ...]:
    """The effect of the wordings of every criterion that has several; `columns` holds people's answers to each."""
    dealt = {answer.judge: answer.wording for answer in answers}
    found = [
        made
        for question in asked
        if question.wordings
        and (made := _effect(question, columns.get(question.id, ()), dealt, scales[question.id], seed=seed))
    ]
    return tuple(_adjusted(found))


def _adjusted(found: Sequence[WordingEffect]) -> Iterator[WordingEffect]:
    """With Holm's correction over the criteria, of each of the two questions."""
    levels = iter(_holm([effect.level_p for effect in found]))
    systems = iter(_holm([effect.systems_p for effect in found]))
    for effect in found:
        yield replace(effect, level_p_adjusted=next(levels), systems_p_adjusted=next(systems), tests=len(found))


def _holm(given: Sequence[float | None]) -> list[float | None]:
    known = iter(holm([p for p in given if p is not None]).tolist())
    return [None if p is None else next(known) for p in given]


def _effect(
    asked: Worded, columns: Sequence[Numbers], dealt: Mapping[str, str], scale: Scale, *, seed: int
) -> WordingEffect | None:
    """None where no panel answered more than one wording."""
    rows = [
        (float(value), judge, system, item, column.panel)
        for column in columns
        for value, judge, system, item in zip(column.values, column.judges, column.systems, column.items, strict=True)
        if dealt.get(judge) in asked.wordings
    ]
    panel = {row[1]: row[4] for row in rows}
    judges, systems = list(panel), sorted({row[2] for row in rows})
    names = [name for name in asked.wordings if any(dealt[judge] == name for judge in judges)]
    if len({(panel[judge], dealt[judge]) for judge in judges}) == len(set(panel.values())):
        return None
    levels, profile = swept(
        [row[0] for row in rows],
        _numbered(judges, [row[1] for row in rows]),
        _numbered(systems, [row[2] for row in rows]),
        _numbered(list(dict.fromkeys(row[3] for row in rows)), [row[3] for row in rows]),
    )
    codes, strata = [names.index(dealt[judge]) for judge in judges], [panel[judge] for judge in judges]
    ways = dealings(codes, strata, seed=seed)

    def against(values: NDArray[np.float64], name: str) -> Shift | None:
        """Of judges of the first wording and of another, as far as they judged it; None where those of one did not."""
        kept = [
            place
            for place, judge in enumerate(judges)
            if dealt[judge] in (names[0], name) and not math.isnan(values[place])
        ]
        second = [dealt[judges[place]] == name for place in kept]
        return shift([float(values[k]) for k in kept], second, [strata[k] for k in kept], seed=seed)

    shifts = {name: moved for name in names[1:] if scale.levels and (moved := against(levels, name)) is not None}
    level_p = differ(levels[:, None], ways, strata) if scale.levels else None
    moved_systems = tuple(
        SystemShift(system, name, moved)
        for name in names[1:]
        for place, system in enumerate(systems)
        if len(systems) > 1 and (moved := against(profile[:, place], name)) is not None
    )
    return WordingEffect(
        criterion=asked.id,
        name=asked.name,
        questions={name: asked.wordings[name] for name in names},
        judges={name: codes.count(place) for place, name in enumerate(names)},
        means={name: float(levels[np.array(codes) == place].mean()) for place, name in enumerate(names)},
        scale=scale,
        test=f"permutation of judges, {'exact, all' if ways.exact else 'a sample of'} {ways.ways:,} ways to deal the "
        "wordings",
        level_p=next(iter(shifts.values())).p if shifts and len(names) == 2 else level_p,
        shifts=shifts,
        systems_p=differ(np.nan_to_num(profile), ways, strata) if moved_systems else None,
        systems=moved_systems,
    )


def _numbered(names: Sequence[str], given: Sequence[str]) -> NDArray[np.int64]:
    place = {name: number for number, name in enumerate(names)}
    return np.array([place[name] for name in given], dtype=np.int64)
