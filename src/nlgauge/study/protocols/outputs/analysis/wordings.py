"""Does the wording matter? Judges who were dealt one wording of a question beside those who were dealt another.

Wordings differ between judges, so judges are the units: each has a level and a profile of systems, whatever the number
of their answers, and the wordings are dealt to them again (`stats.dealt`). Two questions are asked of each criterion:
whether one wording moves the level, and whether it moves the differences of systems, which is what a comparison of
systems stands on. Panels are strata; machines are left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nlgauge.errors import counted
from nlgauge.stats.dealt import Shift, dealings, differ, shift, swept
from nlgauge.stats.multiple import holm
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.outputs.criteria import Worded
from nlgauge.wording.numbers import ALPHA, factor, listing, number, p_value, ratio, signed

HEAD = "Does the wording matter?"


class Numbers(Protocol):
    """The answers of one panel to one criterion, as they enter the analysis."""

    @property
    def panel(self) -> str:
        """Whose they are."""
        ...

    @property
    def values(self) -> NDArray[np.float64]:
        """High is good."""
        ...

    @property
    def systems(self) -> tuple[str, ...]:
        """Of each answer."""
        ...

    @property
    def items(self) -> tuple[str, ...]:
        """Of each answer."""
        ...

    @property
    def judges(self) -> tuple[str, ...]:
        """Of each answer."""
        ...


@dataclass(frozen=True)
class Scale:
    """How figures of a criterion are told."""

    levels: bool = True  # whether answers have a level: comparisons have none, nor magnitudes in a judge's own unit
    ratios: bool = False  # whether they are logarithms, and differences are told as ratios
    what: str = "answers"

    def number(self, value: float) -> str:
        """A mean."""
        return factor(value) if self.ratios else number(value, 2)

    def difference(self, value: float) -> str:
        """A difference, with its sign, or a ratio."""
        return factor(value) if self.ratios else signed(value, 2)

    def size(self, value: float) -> str:
        """A difference without its sign; a dash where there is no limit."""
        return self.difference(value).lstrip("+") if math.isfinite(value) else "-"

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
class WordingEffect:
    """What the wordings of one criterion do."""

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

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return {
            "criterion": self.criterion,
            "name": self.name,
            "wordings": [
                {
                    "wording": name,
                    "question": dict(self.questions[name]),
                    "judges": number,
                    "mean": self.scale.plain(self.means[name]) if self.scale.levels else None,
                }
                for name, number in self.judges.items()
            ],
            "test": self.test,
            "ratios": self.scale.ratios,
            "level": None
            if self.level_p is None
            else {
                "p": self.level_p,
                "p_adjusted": self.level_p_adjusted,
                "shifts": [self._shift(one) | {"wording": name} for name, one in self.shifts.items()],
            },
            "systems": None
            if self.systems_p is None
            else {
                "p": self.systems_p,
                "p_adjusted": self.systems_p_adjusted,
                "shifts": [
                    self._shift(moved.found) | {"wording": moved.wording, "system": moved.system}
                    for moved in self.systems
                ],
            },
            "matters": self.matters,
            "sentence": self.sentence,
        }

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

    # ------------------------------------------------------------------------------------------------- in words

    @property
    def sentence(self) -> str:
        """For the paper."""
        read = ", ".join(f"{counted(number, 'judge')} read “{name}”" for name, number in self.judges.items())
        said = [f"{self.name} was asked in {len(self.judges)} wordings: {read}."]
        if self.level_p is None:
            said.append("Their answers have no level that a wording could move.")
        for name, one in self.shifts.items():
            said.append(f"{self._level(name, one)}.")
        if self.level_p is not None and len(self.judges) > 2:
            said.append(f"Over all wordings the level has p {_p(self.level_p)}.")
        said += self._systems()
        over = f"; Holm's correction over {self.tests} criteria" if self.tests > 1 else ""
        said.append(f"(Test: {self.test}{over}.)")
        said += self._power()
        return " ".join(said)

    def _level(self, name: str, one: Shift) -> str:
        scale = self.scale
        p = f"p {_p(self.level_p_adjusted if len(self.judges) == 2 else one.p)}"
        return (
            f"With “{name}” {scale.what} are on average {_minus(scale.number(self.means[name]))}, with “{self.first}” "
            f"{_minus(scale.number(self.means[self.first]))}: the level differs {self._by(one)} "
            f"({self._limits(one)}; {p})"
        )

    def _by(self, one: Shift) -> str:
        return f"by {'a factor of ' if self.scale.ratios else ''}{_minus(self.scale.difference(one.estimate))}"

    def _systems(self) -> Iterator[str]:
        most = self.farthest
        if self.systems_p is None or most is None:
            return
        found = (self.systems_p_adjusted or 0.0) <= ALPHA
        what = "depend on the wording" if found else "were not found to depend on the wording"
        yield (
            f"Differences between systems {what} (p {_p(self.systems_p_adjusted)}); {most.system} moves most, with "
            f"“{most.wording}” {self._by(most.found)} beside the other systems "
            f"({self._limits(most.found)}, of this system alone; p is of all systems together)."
        )

    def _limits(self, one: Shift) -> str:
        if not math.isfinite(one.low):
            return "no 95 % limits with so few judges"
        low, high = (_minus(self.scale.difference(value)) for value in (one.low, one.high))
        return f"95 % limits {low} to {high}"

    def _power(self) -> Iterator[str]:
        known = {
            "the level": [moved.detectable for moved in self.shifts.values()],
            "a system beside the others": [moved.found.detectable for moved in self.systems],
        }
        if not any(known.values()):
            return
        told = [
            f"a {'factor' if self.scale.ratios else 'difference'} of {self.scale.size(max(sizes))} in {what}"
            for what, sizes in known.items()
            if sizes and all(map(math.isfinite, sizes))
        ]
        if not told:
            yield (
                "With so few judges for each wording no difference, however large, can be significant: nothing is said "
                "about the wording."
            )
            return
        many = counted(sum(self.judges.values()), "judge")
        yield (
            f"{many} find {' and '.join(told)} with power 0.8 (one test at 0.05); smaller effects of the wording may "
            "be there unseen."
        )


def _minus(figure: str) -> str:
    return figure.replace("-", "−")


def _p(p: float | None) -> str:
    said = p_value(math.nan if p is None else p)
    return f"< {said[1:]}" if said.startswith("<") else f"= {said}"


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


def told(effects: Sequence[WordingEffect]) -> Iterator[tuple[str, str]]:
    """The sentences for the paper, each under its heading."""
    for effect in effects:
        yield f"{HEAD} {effect.name}", effect.sentence


def unread(asked: Sequence[Worded], answers: Sequence[Judgement]) -> Iterator[str]:
    """Which wordings have no answer that counts, where others have."""
    names = next((list(question.wordings) for question in asked if question.wordings), [])
    read = {answer.wording for answer in answers}
    nobody = [f"“{name}”" for name in names if name not in read]
    if answers and nobody:
        yield (
            f"no answer that counts was given to the wording{'s' * (len(nobody) > 1)} {listing(nobody)}: what the "
            "wording does cannot be told without judges of each"
        )


def pooled(effects: Sequence[WordingEffect]) -> Iterator[str]:
    """What a reader of the main analysis must know."""
    for effect in effects:
        *read, last = (f"“{name}” ({counted(number, 'judge')})" for name, number in effect.judges.items())
        found = "makes a difference" if effect.matters else "was not found to make a difference"
        yield (
            f"{effect.name} was asked in {len(effect.judges)} wordings, {', '.join(read)} and {last}, whose answers "
            f"are pooled: the wording {found}"
        )
