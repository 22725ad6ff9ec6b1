"""How numbers are written: two decimals on 0-100 scales, four on 0-1 scales, p-values that are never zero."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal

ALPHA = 0.05  # the level at which differences are called significant, after Holm's correction
LEAST_P = 0.0001  # below it a p-value is not written out
MISSING = "n/a"
LARGEST = math.log(1e307)  # of a ratio
_SIGN = re.compile(r"(?<![\w.])-(?=\.?\d)")


def decimals(values: Iterable[float]) -> int:
    """How many decimals a column gets where its metric does not say: two for large values, else four."""
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    return 2 if largest > 20 else 4


def percent(share: float) -> str:
    """A share as it was given: 95%, 99.9%."""
    return f"{round(100 * share, 10):g}%"


def number(value: float | None, places: int) -> str:
    """A fixed number of decimals; never `-0.00`, and `n/a` for what is not a number."""
    if value is None or not math.isfinite(value):
        return MISSING
    text = f"{value:.{places}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text


def signed(value: float | None, places: int) -> str:
    """A difference, with its sign."""
    text = number(value, places)
    return f"+{text}" if text != MISSING and not text.startswith("-") and text.strip("0.") else text


def ratio(logarithm: float) -> float:
    """What a difference of logarithms stands for; infinite beyond the largest number there is.

    >>> ratio(0.0), ratio(1400.0)
    (1.0, inf)
    """
    return math.exp(logarithm) if logarithm <= LARGEST else math.inf


def factor(logarithm: float) -> str:
    """A ratio in words: two decimals, and no row of digits where it is huge.

    >>> factor(0.5), factor(20.0), factor(1400.0)
    ('1.65', '4.85e+08', 'over 1e+307')
    """
    value = ratio(logarithm)
    return "over 1e+307" if math.isinf(value) else number(value, 2) if value < 1e6 else f"{value:.3g}"


def limited(
    show: Callable[[float], str], value: float, low: float | None, high: float | None, between: str = ", "
) -> str:
    """A number with its limits in brackets, each as `show` has it; the number alone where it has none.

    >>> limited("{:.2f}".format, 0.5, 0.25, 0.75), limited("{:.0%}".format, 0.5, None, None)
    ('0.50 [0.25, 0.75]', '50%')
    """
    if low is None or high is None or not math.isfinite(low):
        return show(value)
    return f"{show(value)} [{show(low)}{between}{show(high)}]"


def gained(value: float, low: float, high: float, places: int, *, sign: bool = False) -> str:
    """A difference with its sign, and its limits in brackets.

    >>> gained(0.5, 0.25, 0.75, 2), gained(0.5, math.nan, math.nan, 2)
    ('+0.50 [0.25–0.75]', '+0.50')
    """
    limits = interval(low, high, places, sign=sign)
    return signed(value, places) + (f" [{limits}]" if limits else "")


def interval(low: float | None, high: float | None, places: int, *, sign: bool = False, words: bool = False) -> str:
    """`a to b` where a bound is negative or signed and in running text, else `a–b`; empty without an interval."""
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return ""
    if sign:
        return f"{signed(low, places)} to {signed(high, places)}"
    lower, upper = number(low, places), number(high, places)
    return f"{lower} to {upper}" if words or low < 0 else f"{lower}–{upper}"


def p_value(p: float) -> str:
    """Four decimals, `<0.0001` below that, more where rounding would hide on which side of 0.05 it lies."""
    if not math.isfinite(p):
        return MISSING
    if p < LEAST_P:
        return f"<{LEAST_P}"
    for places in range(4, 17):
        text = f"{p:.{places}f}"
        if p == ALPHA or float(text) != ALPHA:
            return text
    return text


def p_digits(p: float) -> str:
    """For `p ≤ …` and `p ≥ …`: as the table has it, so that sentence and table name one number."""
    return f"{LEAST_P}" if p < LEAST_P else p_value(p)


def p_words(p: float) -> str:
    """`p = 0.0123`, or `p < 0.0001`: far tails of an approximation are not to be quoted.

    >>> p_words(0.01234), p_words(0.00001)
    ('p = 0.0123', 'p < 0.0001')
    """
    return f"p {p_sign(p)} {p_digits(p)}"


def p_sign(p: float) -> str:
    """How a p-value stands to its digits."""
    return "<" if p < LEAST_P else "="


def exact_p(p: float) -> str:
    """A p-value with four decimals, or as many as its first digit needs: it is never shown as 0.

    >>> exact_p(0.0312), exact_p(0.0000026), exact_p(1.0)
    ('0.0312', '0.000003', '1')
    """
    if p >= 1:
        return "1"
    places = max(4, math.ceil(-math.log10(1.9 * p)))  # 1.9, not 2: half of the last digit must round up
    return f"{p:.{places}f}"


def count(value: int) -> str:
    """Thousands separated: `10,000`."""
    return f"{value:,}"


def counts(*values: int) -> list[str]:
    """Cells of a table.

    >>> counts(12, 10_000)
    ['12', '10,000']
    """
    return list(map(count, values))


def figure(value: float, places: int = 3) -> str:
    """A cell of a table; `n/a` where nothing is known."""
    return MISSING if math.isnan(value) else f"{value:.{places}f}"


def figures(*values: float, places: int = 3) -> list[str]:
    """Cells of a table.

    >>> figures(0.5, math.nan), figures(1.0, places=1)
    (['0.500', 'n/a'], ['1.0'])
    """
    return [figure(value, places) for value in values]


def at_most_seconds(value: float) -> str:
    """A median time: what half of the answers took at most.

    >>> at_most_seconds(39.2), at_most_seconds(0.2), at_most_seconds(1.1)
    ('39 seconds or less', 'less than a second', '1 second or less')
    """
    rounded = round(value)
    return f"{rounded} second{'s' * (rounded != 1)} or less" if rounded else "less than a second"


def listing(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""


def capitalised(text: str) -> str:
    """The text with a capital in front; all other letters as they are.

    >>> capitalised("the gain of BLEU")
    'The gain of BLEU'
    """
    return text[:1].upper() + text[1:]


def in_full(value: float) -> str:
    """A number of a scale or field: without needless zeros, groups of digits or powers of ten, as it could be typed.

    >>> in_full(100.0), in_full(12.5), in_full(1.5e12)
    ('100', '12.5', '1500000000000')
    """
    return format(Decimal(f"{value:.10g}"), "f")


def signs(text: str) -> str:
    """True minus signs before numbers in running text; hyphens in words and between numbers stay.

    >>> signs("mean-of-two -0.2 (-.3 to 1.0), ranks 1-3, 2e-5")
    'mean-of-two −0.2 (−.3 to 1.0), ranks 1-3, 2e-5'
    """
    return _SIGN.sub("−", text)
