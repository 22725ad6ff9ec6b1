"""The words of the triangle-test paper (González Corbelle, Alonso and Bugarín 2020, section 3).

Evidence by p-value: slight up to 0.2, moderate up to 0.05, strong up to 0.01, very strong below 0.001. (A copy of the
paper in circulation prints "from 0.01 to 0.05" for strong; the clean text has 0.01 to 0.001.) A p_d below 25 % is low,
above 35 % high.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

from nlgauge.results import Result
from nlgauge.wording.numbers import exact_p

MINIMUM = {"difference": 18, "similarity": 30}  # judges that the standard recommends, whatever the risks
LEAST = 1e-300  # a p-value below it is not written out


class Told(Result, ABC):
    """A result whose text is a sentence, and after it what the reader must know (`notes`; of a plan `warnings`)."""

    __slots__ = ()

    @property
    @abstractmethod
    def sentence(self) -> str:
        """What may be written in a paper."""

    def __str__(self) -> str:
        return with_notes(self.sentence, getattr(self, "notes", ()) or getattr(self, "warnings", ()))


def evidence(p_value: float) -> str:
    """How strong the evidence is, in one or two words.

    Args:
        p_value: of a test

    >>> from nlgauge.triangle import evidence
    >>> evidence(0.03)
    'moderate'
    """
    if p_value > 0.2:
        return "no"
    if p_value > 0.05:
        return "slight"
    if p_value > 0.01:
        return "moderate"
    return "strong" if p_value >= 0.001 else "very strong"


def size_of(p_d: float) -> str:
    """Whether a proportion of perceivers is low, medium or high.

    Args:
        p_d: the share of people who perceive a difference

    >>> from nlgauge.triangle import size_of
    >>> size_of(0.3)
    'medium'
    """
    if p_d < 0.25:
        return "low"
    return "high" if p_d > 0.35 else "medium"


def sensitivity_label(alpha: float, beta: float, p_d: float) -> str:
    """The sensitivity of a plan.

    The paper gives the ends by example: both risks below 0.01 and a low p_d make a sensitive test; α = 0.2,
    β = 0.1 and p_d = 40 % an insensitive one. Read here as: high where α, β < 0.01 and p_d < 25 %; low where
    α, β > 0.05 and p_d > 35 %; medium otherwise.

    Args:
        alpha: the risk of concluding a difference where there is none
        beta: the risk of missing the difference `p_d`
        p_d: the share of people who perceive the difference that is to be found, or ruled out

    >>> from nlgauge.triangle import sensitivity_label
    >>> sensitivity_label(0.2, 0.1, p_d=0.4)
    'low'
    """
    if alpha < 0.01 and beta < 0.01 and size_of(p_d) == "low":
        return "high"
    if alpha > 0.05 and beta > 0.05 and size_of(p_d) == "high":
        return "low"
    return "medium"


@dataclass(frozen=True)
class Kind:
    """Whether a study confirms or explores, and why."""

    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"


def study_kind(
    *, goal: str, judges: int, planned: int | None, risks_met: bool | None, minimum: int | None = None
) -> Kind:
    """Confirmatory where goal, risks and number of judges were fixed beforehand and met; exploratory otherwise.

    `planned` is the number of judges fixed beforehand (None: none was), `risks_met` whether that many judges keep
    both risks (None: not all of α, β and p_d were stated).

    Args:
        goal: difference or similarity
        judges: those who answered
        planned: those fixed beforehand
        risks_met: whether the planned number keeps both risks
        minimum: the fewest judges that count as what was planned

    >>> from nlgauge.triangle import study_kind
    >>> study_kind(goal="difference", judges=30, planned=None, risks_met=None).name
    'exploratory'
    """
    least = MINIMUM[goal] if minimum is None else minimum
    if planned is None:
        return Kind("exploratory", "the number of judges was not fixed beforehand")
    if risks_met is None:
        return Kind("exploratory", "α, β and p_d were not all fixed beforehand")
    if judges != planned:
        return Kind("exploratory", f"{people(judges)} answered where {planned:,} were planned")
    if not risks_met:
        return Kind("exploratory", f"{people(planned)} {'does' if planned == 1 else 'do'} not keep the stated risks")
    if judges < least:
        return Kind("exploratory", f"fewer than the {least} judges recommended for a {goal} test")
    return Kind("confirmatory", "goal, risks and number of judges were fixed beforehand and met")


def percent(share: float, decimals: int = 1) -> str:
    """A share as a percentage: `23.4 %`, `30 %`."""
    text = f"{100 * share:.{decimals}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} %"


def chance(p_value: float) -> str:
    """`p = 0.0284` as papers write it, and `p < .001`: below that figures say nothing more to a reader."""
    return "p < .001" if p_value < 0.001 else exact_chance(p_value)


def exact_chance(p_value: float) -> str:
    """`p = 0.0284` for tables; short where four decimals would show nothing, and never 0."""
    alone = exact_alone(p_value)
    return f"p {alone}" if p_value < LEAST else f"p = {alone}"


def exact_alone(p_value: float) -> str:
    """The same without its name: `0.0284`, `< 1e-300`."""
    if p_value < LEAST:
        return f"< {LEAST:g}"
    return f"{p_value:.1e}" if p_value < 0.00005 else exact_p(p_value)


def plain(value: float) -> str:
    """Two decimals; infinities as signs, and never −0.00."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{round(value, 2) + 0.0:.2f}"


def people(count: int, unit: str = "judge") -> str:
    """`1 judge`, `24 judges`."""
    return f"{count:,} {unit}{'' if count == 1 else 's'}"


def listed(numbers: list[int], *, most: int = 8) -> str:
    """`24, 26 and 28`; long lists are cut."""
    words = [f"{number:,}" for number in numbers]
    if len(words) > most:
        return f"{', '.join(words[:most])} and {len(words) - most} more up to {words[-1]}"
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def with_notes(sentence: str, notes: tuple[str, ...]) -> str:
    """A sentence, and after it what the reader must know."""
    return f"{sentence} Note: {'; '.join(notes)}." if notes else sentence
