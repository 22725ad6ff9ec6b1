"""Agreement in words: the table, what a value conventionally means, and what to mind.

Krippendorff's marks (.667 for tentative conclusions, .800 for reliance) are conventions, so that a verdict names them
as such, and it is about the interval, not the point.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nlgauge.wording.numbers import count, interval, listing, number, percent
from nlgauge.wording.tables import plain_table

if TYPE_CHECKING:
    from nlgauge.agreement import Agreement, Row

TENTATIVE, RELIABLE = 0.667, 0.8
PLACES = 3
SKEWED = 0.8  # share of one value above which chance agreement needs a word


def sentence(coefficient: Any, reason: str, judges: int, share: Any) -> str:
    """The headline for a paper, and how far it may be trusted; `share` is the percentage of agreement, if known."""
    if coefficient is None:
        return f"{_opened(reason)}.{_shared(share, judges)}"
    bounds = interval(coefficient.low, coefficient.high, PLACES).replace("–", " to ")
    inside = f" ({percent(coefficient.level)} interval {bounds})" if bounds else ""
    head = (
        f"{coefficient.name} is {number(coefficient.estimate, PLACES)}{inside} over {count(coefficient.n)} items and "
        f"{count(judges)} judges."
    )
    return f"{head} {_guidance(coefficient.name, coefficient.low, coefficient.high)}".rstrip()


def _shared(share: Any, judges: int) -> str:
    """What remains to be said where coefficients are undefined."""
    if share is None:
        return ""
    bounds = f", lower limit {number(share.low, PLACES)}" if math.isfinite(share.low) else ""
    return (
        f" The percentage of agreement is {percent(round(share.estimate, 4))}{bounds} ({count(share.n)} items, "
        f"{count(judges)} judges)."
    )


def _opened(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _guidance(name: str, low: float, high: float) -> str:
    if not name.startswith("Krippendorff"):
        return ""
    marks = "Krippendorff's marks are .800 for ratings to rely on and .667 for tentative conclusions"
    if not (math.isfinite(low) and math.isfinite(high)):
        return f"{marks}; without an interval the data do not say on which side of them the agreement lies."
    if low >= RELIABLE:
        place = "the whole interval lies above the higher one"
    elif low >= TENTATIVE:
        place = "the whole interval lies above the lower one"
    elif high < TENTATIVE:
        place = "the whole interval lies below both: rely on means over several judges, or on clearer instructions"
    else:
        reached = ".667 and .800" if high >= RELIABLE else ".667"
        place = f"the interval holds {reached}, so these data do not settle it"
    return f"{marks}; {place}. These are conventions, not tests."


def paradox(rows: Sequence[Row], ratings: Any) -> list[str]:
    """Words on skewed ratings, where many agree and coefficients are low all the same."""
    tally = [int((ratings.codes == code).sum()) for code in range(min(len(ratings.categories), 50))]
    total = int((ratings.codes >= 0).sum())
    if not tally or max(tally) < SKEWED * total or max(tally) == total:
        return []
    value = ratings.categories[tally.index(max(tally))]
    shown = f"{value:g}" if isinstance(value, float) else repr(value)
    return [
        f"{percent(round(max(tally) / total, 2))} of the ratings are {shown}: judges would mostly agree by chance, and "
        "kappa and alpha rest on the few other ratings; report the percentage beside them"
    ]


def cells(result: Agreement) -> tuple[list[str], list[list[str]]]:
    """Headers and rows of the table."""
    headers = ["coefficient", "value", f"{percent(result.level)} interval", "items", "interval by"]
    rows = []
    for row in result.rows:
        found = row.coefficient
        if found is None:
            rows.append([row.name, "undefined", "", "", ""])
            continue
        rows.append(
            [
                row.name,
                number(found.estimate, PLACES),
                interval(found.low, found.high, PLACES),
                count(found.n),
                found.method if found.method != "none" else "",
            ]
        )
    return headers, rows


def judge_cells(result: Agreement) -> tuple[list[str], list[list[str]]]:
    """Headers and rows of the table of judges."""
    headers = ["judge", "ratings", "mean", "sd", "agree", "with others", "alpha without", "change"]
    rows = []
    for report in result.reports:
        values = (
            report.mean,
            report.deviation,
            report.agreement,
            report.correlation,
            report.without,
            report.change,
        )
        rows.append([report.judge, count(report.ratings), *(_plain(value) for value in values)])
    return headers, rows


def _plain(value: float) -> str:
    return number(value, PLACES) if math.isfinite(value) else "–"


def footer(result: Agreement) -> list[str]:
    """What stands under the tables."""
    notes = [*result.notes, *_grouped(result.rows), *_undefined(result.rows)]
    return ["", result.sentence, *(f"note: {text}" for text in notes)]


def _undefined(rows: Sequence[Row]) -> list[str]:
    """Why coefficients have no value, each reason once with those it is about; the headline's is said already."""
    about: dict[str, list[str]] = {}
    for row in rows:
        if row.coefficient is None:
            about.setdefault(row.reason.partition(" is undefined: ")[2] or row.reason, []).append(row.name)
    headline = rows[0].reason.partition(" is undefined: ")[2] if rows else ""
    return [
        f"{listing(names)}: undefined"
        + (" for the same reason" if reason == headline else f", {reason.partition(';')[0]}")
        for reason, names in about.items()
        if names != [rows[0].name]
    ]


def _grouped(rows: Sequence[Row]) -> list[str]:
    """The coefficients' own notes, each text once with the coefficients it is about."""
    about: dict[str, list[str]] = {}
    for row in rows:
        for text in row.coefficient.notes if row.coefficient is not None else ():
            about.setdefault(text, []).append(row.name)
    return [f"{listing(names)}: {text}" if len(names) < 4 else text for text, names in about.items()]


def judge_legend(result: Agreement) -> str:
    """What the columns of the table of judges mean."""
    return (
        "agree: share of the others' ratings that are the same; with others: Spearman correlation with the mean of the "
        f"others; alpha without: {result.followed} when the judge is left out, and its change"
    )


def plain(result: Agreement) -> str:
    """The tables, the sentence and the notes as plain text."""
    headers, rows = cells(result)
    parts = [plain_table(headers, rows, right=(1, 2, 3))]
    if result.reports:
        judge_headers, judge_rows = judge_cells(result)
        parts += ["", plain_table(judge_headers, judge_rows, right=range(1, 8)), judge_legend(result)]
    return "\n".join([*parts, *footer(result)])
