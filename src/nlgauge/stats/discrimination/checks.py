"""What discrimination tests accept: counts, risks and proportions, each refused with one sentence."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from nlgauge.errors import InputError, suggest

GOALS = ("difference", "similarity")
MOST_JUDGES = 10**9  # beyond this the tails lose digits
SMALLEST_RISK = 1e-15  # below this 1 - 2 · risk is 1, and an interval has no level


def whole(value: Any, name: str, *, least: int = 0, most: int = MOST_JUDGES) -> int:
    """A whole number in range."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} must be a whole number, not {value!r}") from None
    if isinstance(value, bool) or not math.isfinite(number) or number != int(number):
        raise InputError(f"{name} must be a whole number, not {value}")
    if not least <= number <= most:
        raise InputError(f"{name} must be at least {least:,} and at most {most:,}, not {int(number):,}")
    return int(number)  # exact: the range ends far below 2**53


def several(values: Any, what: str) -> list[Any]:
    """A list, not a single value."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(f"{what} must be a list, not {values!r}")
    return list(values)


def judges(value: Any, name: str = "the number of judges") -> int:
    """A number of judges: at least one."""
    number = whole(value, name, least=-(10**300), most=10**300)
    if number < 1:
        raise InputError(f"{name} must be at least 1, not {number:,}: without an answer there is nothing to test")
    return whole(value, name, least=1)


def answers(correct: Any, total: Any, what: str = "correct answers", of: str = "judges") -> tuple[int, int]:
    """Correct answers among all answers."""
    n = judges(total, f"the number of {of}")
    x = whole(correct, f"the number of {what}")
    if x > n:
        raise InputError(
            f"{x:,} {what} from {n:,} {of}: there cannot be more {what} than {'answers' if of == 'judges' else of}; "
            "check which number is which"
        )
    return x, n


def risk(value: Any, name: str) -> float:
    """An error risk, strictly between 0 and 1."""
    found = number(value, name)
    if found <= 0:
        raise InputError(
            f"{name} must lie between 0 and 1, not {found:g}: no test can keep a risk of nothing; "
            "usual values run from 0.001 to 0.2"
        )
    if found >= 1:
        raise InputError(f"{name} must lie between 0 and 1, not {found:g}; usual values run from 0.001 to 0.2")
    if found < SMALLEST_RISK:
        raise InputError(
            f"{name} = {found:g} is too small to compute with; use {SMALLEST_RISK:g} or more (usual values run from "
            "0.001 to 0.2)"
        )
    return found


def share(value: Any, name: str = "p_d", *, zero: bool = False) -> float:
    """A proportion of people who perceive the difference."""
    found = number(value, name)
    if found < 0 or found > 1:
        raise InputError(
            f"{name} is a proportion of judges and must lie between 0 and 1, not {found:g}; write 30 % as 0.3"
        )
    if found == 0 and not zero:
        raise InputError(f"{name} must be above 0: an effect of nothing cannot be found or excluded")
    return found


def level(value: Any) -> float:
    """A confidence level."""
    found = number(value, "the confidence level")
    if not 0 < found < 1:
        raise InputError(f"the confidence level must lie between 0 and 1, not {found:g}; write 95 % as 0.95")
    return found


def goal(value: str) -> str:
    """What the test is to show."""
    return one_of(value, GOALS, "goal")


def one_of(value: str, known: tuple[str, ...], what: str) -> str:
    """One of the names known."""
    if value not in known:
        raise InputError(f"there is no {what} {value!r}; {suggest(str(value), known)}")
    return value


def number(value: Any, name: str) -> float:
    """A finite number."""
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} must be a number, not {value!r}") from None
    if not math.isfinite(found):
        raise InputError(f"{name} must be a finite number, not {value}")
    return found
