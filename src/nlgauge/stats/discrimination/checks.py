"""What discrimination tests accept: counts, risks and proportions, each refused with one sentence."""

from __future__ import annotations

import math
from typing import Any

from nlgauge.errors import InputError, suggest

GOALS = ("difference", "similarity")
MOST_JUDGES = 10**9  # beyond this the tails lose digits


def whole(value: Any, name: str, *, least: int = 0, most: int = MOST_JUDGES) -> int:
    """A whole number in range."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a whole number, not {value!r}") from None
    if not math.isfinite(number) or number != int(number):
        raise InputError(f"{name} must be a whole number, not {value}")
    if not least <= number <= most:
        raise InputError(f"{name} must be at least {least:,} and at most {most:,}, not {int(number):,}")
    return int(value)


def judges(value: Any, name: str = "the number of judges") -> int:
    """A number of judges: at least one."""
    number = whole(value, name, least=-MOST_JUDGES)
    if number < 1:
        raise InputError(
            f"{name} must be at least 1, not {number:,}: without an answer there is nothing to test"
        )
    return number


def answers(correct: Any, total: Any) -> tuple[int, int]:
    """Correct answers among all answers."""
    n = judges(total)
    x = whole(correct, "the number of correct answers")
    if x > n:
        raise InputError(
            f"{x:,} correct answers from {n:,} judges: there cannot be more correct answers than answers; "
            "check which number is which"
        )
    return x, n


def risk(value: Any, name: str) -> float:
    """An error risk, strictly between 0 and 1."""
    number = _number(value, name)
    if number <= 0:
        raise InputError(
            f"{name} must lie between 0 and 1, not {number:g}: a test without any {name}-risk can never conclude; "
            "usual values run from 0.001 to 0.2"
        )
    if number >= 1:
        raise InputError(
            f"{name} must lie between 0 and 1, not {number:g}; usual values run from 0.001 to 0.2"
        )
    return number


def share(value: Any, name: str = "p_d", *, zero: bool = False) -> float:
    """A proportion of people who perceive the difference."""
    number = _number(value, name)
    if number < 0 or number > 1:
        raise InputError(
            f"{name} is a proportion of judges and must lie between 0 and 1, not {number:g}; write 30 % as 0.3"
        )
    if number == 0 and not zero:
        raise InputError(f"{name} must be above 0: an effect of nothing cannot be found or excluded")
    return number


def level(value: Any) -> float:
    """A confidence level."""
    number = _number(value, "the confidence level")
    if not 0 < number < 1:
        raise InputError(f"the confidence level must lie between 0 and 1, not {number:g}; write 95 % as 0.95")
    return number


def goal(value: str) -> str:
    """What the test is to show."""
    return one_of(value, GOALS, "goal")


def one_of(value: str, known: tuple[str, ...], what: str) -> str:
    """One of the names known."""
    if value not in known:
        raise InputError(f"there is no {what} {value!r}; {suggest(str(value), known)}")
    return value


def _number(value: Any, name: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a number, not {value!r}") from None
    if not math.isfinite(number):
        raise InputError(f"{name} must be a finite number, not {value}")
    return number
