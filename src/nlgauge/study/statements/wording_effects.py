"""Does the wording matter? What the wordings of a question do, in words: for the statement, and for the analysis."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from nlgauge.errors import counted
from nlgauge.stats.dealt import Shift
from nlgauge.study.protocols.outputs.analysis.wordings import Scale, WordingEffect
from nlgauge.wording.numbers import ALPHA, factor, number, p_value, signed

HEAD = "Does the wording matter?"


def of_wording(effect: WordingEffect) -> str:
    """What the wordings of a criterion do, for the paper."""
    read = ", ".join(f"{counted(number, 'judge')} read “{name}”" for name, number in effect.judges.items())
    said = [f"{effect.name} was asked in {len(effect.judges)} wordings: {read}."]
    if effect.level_p is None:
        said.append("Their answers have no level that a wording could move.")
    for name, shift in effect.shifts.items():
        said.append(f"{_level(effect, name, shift)}.")
    if effect.level_p is not None and len(effect.judges) > 2:
        said.append(f"Over all wordings the level has p {_p(effect.level_p)}.")
    said += _systems(effect)
    over = f"; Holm's correction over {effect.tests} criteria" if effect.tests > 1 else ""
    said.append(f"(Test: {effect.test}{over}.)")
    said += _power(effect)
    return " ".join(said)


def _level(effect: WordingEffect, name: str, shift: Shift) -> str:
    scale = effect.scale
    p = f"p {_p(effect.level_p_adjusted if len(effect.judges) == 2 else shift.p)}"
    return (
        f"With “{name}” {scale.what} are on average {_minus(scale_mean(scale, effect.means[name]))}, with "
        f"“{effect.first}” {_minus(scale_mean(scale, effect.means[effect.first]))}: the level differs "
        f"{_by(effect, shift)} ({_limits(effect, shift)}; {p})"
    )


def _by(effect: WordingEffect, shift: Shift) -> str:
    return f"by {'a factor of ' if effect.scale.ratios else ''}{_minus(scale_difference(effect.scale, shift.estimate))}"


def _systems(effect: WordingEffect) -> Iterator[str]:
    most = effect.farthest
    if effect.systems_p is None or most is None:
        return
    found = (effect.systems_p_adjusted or 0.0) <= ALPHA
    what = "depend on the wording" if found else "were not found to depend on the wording"
    yield (
        f"Differences between systems {what} (p {_p(effect.systems_p_adjusted)}); {most.system} moves most, with "
        f"“{most.wording}” {_by(effect, most.found)} beside the other systems "
        f"({_limits(effect, most.found)}, of this system alone; p is of all systems together)."
    )


def _limits(effect: WordingEffect, shift: Shift) -> str:
    if not math.isfinite(shift.low):
        return "no 95 % limits with so few judges"
    low, high = (_minus(scale_difference(effect.scale, value)) for value in (shift.low, shift.high))
    return f"95 % limits {low} to {high}"


def _power(effect: WordingEffect) -> Iterator[str]:
    known = {
        "the level": [moved.detectable for moved in effect.shifts.values()],
        "a system beside the others": [moved.found.detectable for moved in effect.systems],
    }
    if not any(known.values()):
        return
    told = [
        f"a {'factor' if effect.scale.ratios else 'difference'} of {scale_size(effect.scale, max(sizes))} in {what}"
        for what, sizes in known.items()
        if sizes and all(map(math.isfinite, sizes))
    ]
    if not told:
        yield (
            "With so few judges for each wording no difference, however large, can be significant: nothing is said "
            "about the wording."
        )
        return
    many = counted(sum(effect.judges.values()), "judge")
    yield (
        f"{many} find {' and '.join(told)} with power 0.8 (one test at 0.05); smaller effects of the wording may "
        "be there unseen."
    )


def _minus(figure: str) -> str:
    return figure.replace("-", "−")


def _p(p: float | None) -> str:
    said = p_value(math.nan if p is None else p)
    return f"< {said[1:]}" if said.startswith("<") else f"= {said}"


def of_wordings(effects: Sequence[WordingEffect]) -> Iterator[tuple[str, str]]:
    """The sentences for the paper, each under its heading."""
    for effect in effects:
        yield f"{HEAD} {effect.name}", of_wording(effect)


def scale_mean(scale: Scale, value: float) -> str:
    """A mean on the scale of a criterion."""
    return factor(value) if scale.ratios else number(value, 2)


def scale_difference(scale: Scale, value: float) -> str:
    """A difference, with its sign, or a ratio."""
    return factor(value) if scale.ratios else signed(value, 2)


def scale_size(scale: Scale, value: float) -> str:
    """A difference without its sign; a dash where there is no limit."""
    return scale_difference(scale, value).lstrip("+") if math.isfinite(value) else "-"
