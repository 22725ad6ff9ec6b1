"""Agreement in words: the table, what a value conventionally means, and what to mind.

Krippendorff's marks (.667 for tentative conclusions, .800 for reliance) are conventions, so that a verdict names them
as such, and it is about the interval, not the point.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nlgauge.errors import as_called
from nlgauge.wording.numbers import capitalised, count, interval, listing, number, percent
from nlgauge.wording.tables import plain_table

if TYPE_CHECKING:
    from nlgauge.agreement import Agreement, Row
    from nlgauge.stats.agreement import JudgeReport

TENTATIVE, RELIABLE = 0.667, 0.8
PLACES = 3
SKEWED = 0.8  # share of one value above which chance agreement needs a word
MOST_JUDGES = 10  # lines of the table of judges
ALPHAS = frozenset({"krippendorff", "krippendorff-masi"})
BY_CHANCE = ALPHAS | {"fleiss", "cohen", "scott", "conger"}  # what skewed ratings push down
SHORT = {
    "linearised variance over items, t": "linearised",
    "Wilson score interval": "Wilson",
    "delta method, t": "delta",
}


@dataclass(frozen=True)
class Skew:
    """A value that nearly all ratings are, and their share."""

    value: str
    share: float


def skew(ratings: Any) -> Skew | None:
    """The value that dominates the ratings, if one does."""
    tally = [int((ratings.codes == code).sum()) for code in range(min(len(ratings.categories), 50))]
    total = int((ratings.codes >= 0).sum())
    if not tally or max(tally) < SKEWED * total or max(tally) == total:
        return None
    value = ratings.categories[tally.index(max(tally))]
    return Skew(f"{value:g}" if isinstance(value, float) else repr(value), max(tally) / total)


def _unreliable(row: Row, skewed: Skew | None) -> bool:
    """Whether a low value may come from skewed ratings rather than from judges who disagree."""
    if skewed is None or row.coefficient is None:
        return False
    return row.key in BY_CHANCE and not row.coefficient.low >= RELIABLE


def sentence(row: Row, judges: int, share: Any, *, unit: str = "items", skew: Skew | None = None) -> str:
    """The headline for a paper, and how far it may be trusted; `share` is the percentage of agreement, if known."""
    coefficient = row.coefficient
    if coefficient is None:
        return f"{capitalised(str(row.undefined))}.{_shared(share, judges, unit)}"
    bounds = interval(coefficient.low, coefficient.high, PLACES, words=True)
    inside = f" ({percent(coefficient.level)} interval {bounds})" if bounds else ""
    head = (
        f"{coefficient.name} is {number(coefficient.estimate, PLACES)}{inside} over {count(coefficient.n)} {unit} and "
        f"{count(judges)} judges."
    )
    if skew is not None and _unreliable(row, skew):
        return f"{head} {_skewed(skew, share)}"
    return f"{head} {_guidance(coefficient.low, coefficient.high)}" if row.key in ALPHAS else head


def _skewed(skew: Skew, share: Any) -> str:
    """Why a low value proves little here, and what to report."""
    agreeing = f", though {_share(share.estimate)} of the pairs of ratings are the same" if share else ""
    return (
        f"It is not reliable here{agreeing}: {_share(skew.share)} of the ratings are {skew.value}, so that "
        "judges would mostly agree by chance, and the value rests on the few other ratings. Report the percentage "
        "of agreement and Gwet's coefficient beside it, and collect more of the rare cases before blaming the judges."
    )


def _share(value: float) -> str:
    return percent(round(value, 3))


def _shared(share: Any, judges: int, unit: str) -> str:
    """What remains to be said where coefficients are undefined."""
    if share is None:
        return ""
    bounds = f", lower limit {number(share.low, PLACES)}" if math.isfinite(share.low) else ""
    return (
        f" The percentage of agreement is {percent(round(share.estimate, 4))}{bounds} ({count(share.n)} {unit}, "
        f"{count(judges)} judges)."
    )


def _guidance(low: float, high: float) -> str:
    marks = "Krippendorff's marks are .800 for ratings to rely on and .667 for tentative conclusions"
    if not (math.isfinite(low) and math.isfinite(high)):
        return f"{marks}; without an interval the data do not say on which side of them the agreement lies."
    if low >= RELIABLE:
        place = "the whole interval lies above .800"
    elif low >= TENTATIVE:
        place = "the whole interval lies above .667, not above .800"
    elif high < TENTATIVE:
        place = "the whole interval lies below .667: rely on means over several judges, or on clearer instructions"
    else:
        reached = ".667 and .800" if high >= RELIABLE else ".667"
        place = f"the interval holds {reached}, so these data do not settle it"
    return f"{marks}; {place}. These are conventions, not tests."


def paradox(row: Row, skewed: Skew | None) -> list[str]:
    """Words on skewed ratings, unless the sentence on the headline's coefficient says them."""
    if skewed is None or _unreliable(row, skewed):
        return []
    return [
        f"{_share(skewed.share)} of the ratings are {skewed.value}: judges would mostly agree by chance, and kappa and "
        "alpha rest on the few other ratings; report the percentage beside them"
    ]


def cells(result: Agreement) -> tuple[list[str], list[list[str]]]:
    """Headers and rows of the table."""
    headers = ["coefficient", "value", f"{percent(result.level)} interval", result.unit]
    named = _one_method(result) is None
    rows = []
    for row in result.rows:
        found = row.coefficient
        if found is None:
            rows.append([row.name, "undefined", "", "", *([""] if named else [])])
            continue
        rows.append(
            [
                row.name,
                number(found.estimate, PLACES),
                interval(found.low, found.high, PLACES),
                count(found.n),
                *([_brief(found.method)] if named else []),
            ]
        )
    return [*headers, *(["interval by"] if named else [])], rows


def _brief(method: str) -> str:
    """A method in a word for the table; JSON has it in full."""
    if method == "none":
        return ""
    return "jackknife" if method.startswith("jackknife") else SHORT.get(method, method)


def _one_method(result: Agreement) -> str | None:
    """How all intervals were found, if in one way; then it is said under the table."""
    methods = {row.coefficient.method for row in result.rows if row.coefficient is not None} - {"none"}
    return next(iter(methods), "") if len(methods) < 2 else None


def judge_cells(result: Agreement) -> tuple[list[str], list[list[str]]]:
    """Headers and rows of the table of judges."""
    headers = ["judge", "ratings", "mean", "sd", "agree", "with others", "alpha without", "change"]
    rows = []
    for report in _extreme(result):
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


def _extreme(result: Agreement) -> Sequence[JudgeReport]:
    """All judges, or of very many those without whom agreement changes most, the largest effect first."""
    if len(result.reports) <= MOST_JUDGES:
        return result.reports
    known = [report for report in result.reports if math.isfinite(report.change)]
    return sorted(known, key=lambda report: -abs(report.change))[:MOST_JUDGES] or result.reports[:MOST_JUDGES]


def _plain(value: float) -> str:
    return number(value, PLACES) if math.isfinite(value) else "–"


def footer(result: Agreement) -> list[str]:
    """What stands under the tables."""
    notes = [*result.notes, *_grouped(result.rows), *_undefined(result.rows)]
    method = _one_method(result)
    above = [f"intervals: {method}"] if method else []
    receipt = ["", result.receipt] if result.receipt else []
    return [*above, "", result.sentence, *(f"note: {text}" for text in notes), *receipt]


def _undefined(rows: Sequence[Row]) -> list[str]:
    """Why coefficients have no value, each reason once with those it is about; the headline's is said already."""
    about: dict[str, list[str]] = {}
    for row in rows:
        if row.undefined is not None:
            about.setdefault(row.undefined.why, []).append(row.name)
    headline = rows[0].undefined.why if rows and rows[0].undefined else ""
    return [
        f"{listing(names)}: undefined{' for the same reason' if why == headline else f', {why}'}"
        for why, names in about.items()
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
    shown = ""
    if len(result.reports) > MOST_JUDGES:
        shown = (
            f"{MOST_JUDGES} of {count(len(result.reports))} judges, those who change the agreement most "
            f"({as_called('--json', 'to_dict()')} has all); "
        )
    return shown + (
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
