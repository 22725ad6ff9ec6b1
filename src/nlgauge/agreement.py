"""Do the judges agree? `agree` for the coefficients that suit the data, `aggregate` for one value an item."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from nlgauge import receipt
from nlgauge.errors import InputError, option, suggest
from nlgauge.io.judgements import Judgements, Repeats, read_judgements
from nlgauge.jsonable import Jsonable
from nlgauge.options import DEFAULT_SEED
from nlgauge.results import Result, Rows
from nlgauge.stats import aggregate as combine
from nlgauge.stats import agreement as stats
from nlgauge.stats.agreement import Coefficient, JudgeReport, Limits, Ratings, UndefinedAgreement
from nlgauge.types import EvaluationSet
from nlgauge.wording import agreement as wording
from nlgauge.wording.paper import Paper, of_agreement

Scale = Literal["nominal", "ordinal", "interval", "ratio", "sets"]
SCALES: tuple[Scale, ...] = get_args(Scale)
Combination = Literal["mean", "z", "weighted", "majority", "dawid-skene"]
COMBINATIONS: tuple[Combination, ...] = get_args(Combination)
FEW_LEVELS = 11  # whole numbers of so many values are taken for an ordinal scale: 1 to 5, 0 to 10
CROWD = 30  # judges beyond which correlations of all pairs are not shown unasked


@dataclass(frozen=True)
class Row(Jsonable):
    """One coefficient, or why it has no value."""

    KEYS = (
        "name, value = found.estimate, low = found.low, high = found.high, n = found.n, key, *others, "
        "undefined = reason or null"
    )

    key: str
    name: str
    coefficient: Coefficient | None = None
    undefined: UndefinedAgreement | None = None

    @property
    def found(self) -> Coefficient:
        """The coefficient, or an empty one."""
        return self.coefficient or Coefficient(math.nan, name=self.name, method="none")

    @property
    def others(self) -> dict[str, Any]:
        """What belongs to this coefficient alone."""
        common = ("name", "estimate", "low", "high", "n")
        return {key: value for key, value in self.found.to_dict().items() if key not in common}

    @property
    def reason(self) -> str:
        """Why it has no value."""
        return str(self.undefined or "")


@dataclass(frozen=True)
class Agreement(Result, Rows[Row]):
    """What the judges agree on: coefficients with intervals, the scale they assume, and a sentence for the paper."""

    KEYS = (
        "coefficients, scale, scale_guessed = guessed, criterion or null, items, unit, judges, ratings, gaps, level, "
        "judge_reports = reports, sentence, notes, receipt"
    )

    rows: tuple[Row, ...]
    scale: Scale
    guessed: bool
    items: int
    judges: int
    ratings: int
    gaps: int
    level: float
    criterion: str = ""
    reports: tuple[JudgeReport, ...] = ()
    followed: str = ""  # the coefficient that the reports on judges follow
    notes: tuple[str, ...] = ()
    unit: str = "items"  # what was judged
    skew: wording.Skew | None = None  # a value that nearly all ratings are
    receipt: str = ""

    ROWS, NAMED = "rows", ("key",)

    def paper(self) -> Paper:
        """The table of coefficients."""
        return of_agreement([self])

    def __getitem__(self, key: Any) -> Any:
        """A coefficient by its name; a row by its place."""
        if not isinstance(key, str):
            return super().__getitem__(key)
        for row in self.rows:
            if row.key == key:
                if row.undefined is not None:
                    raise row.undefined
                return row.coefficient
        raise InputError(f"no coefficient {key!r} was computed; {suggest(key, [row.key for row in self.rows])}")

    @property
    def sentence(self) -> str:
        """The headline and how far it may be trusted."""
        shown = _headline(self.rows)
        percent = next((row.coefficient for row in self.rows if row.key == "percent"), None)
        return wording.sentence(shown, self.judges, percent, unit=self.unit, skew=self.skew)

    def __str__(self) -> str:
        return wording.plain(self)

    @property
    def coefficients(self) -> list[dict[str, Any]]:
        """The rows with what was judged."""
        return [row.to_dict() | {"criterion": self.criterion or None} for row in self.rows]


def _headline(rows: Sequence[Row]) -> Row:
    return next((row for row in rows if row.key in wording.ALPHAS), rows[0])


def judgements(
    data: Any, criterion: str | None = None, *, repeats: Repeats = "refuse", columns: Mapping[str, str] | None = None
) -> Judgements:
    """Judgements from a file, an evaluation set, rows (dictionaries), or a table of items × judges.

    `columns` says which column of a file or of rows holds a key: {"judge": "worker_id"}.
    """
    if isinstance(data, Judgements):
        return data
    if isinstance(data, str | os.PathLike):
        return read_judgements(data, criterion, repeats=repeats, columns=columns)
    if isinstance(data, EvaluationSet):
        return read_judgements((segment.to_dict() for segment in data.judged()), criterion, repeats=repeats)
    if not isinstance(data, np.ndarray) and isinstance(data, Iterable):
        rows = [data] if isinstance(data, Mapping) else list(data)
        if any(isinstance(row, Mapping) for row in rows):
            return read_judgements(rows, criterion, repeats=repeats, columns=columns)
        data = rows
    table = Ratings.of(data).table()
    items, judges = (tuple(str(place + 1) for place in range(size)) for size in table.shape)
    return Judgements(items, judges, table.tolist())


def agree(
    data: Any,
    criterion: str | None = None,
    *,
    scale: Scale | None = None,
    coefficients: Sequence[str] | None = None,
    categories: Sequence[Any] | None = None,
    interval: stats.Method = "analytic",
    level: float = 0.95,
    trials: int = 1000,
    seed: int = DEFAULT_SEED,
    judges: bool = False,
    repeats: Repeats = "refuse",
) -> Agreement:
    """Coefficients of agreement that suit the scale of the ratings, or those named.

    Args:
        data: a file, rows, an evaluation set whose ratings hold one number for each judge, or a table of judgements
        criterion: what was rated, where the data hold several criteria
        scale: nominal, ordinal, interval, ratio or sets; guessed from the values where it is not given
        coefficients: names of coefficients, such as "krippendorff" or "fleiss"
        categories: all values of the scale, in order, where some were never given
        interval: how limits are found: analytic, jackknife, bootstrap or none
        level: confidence level of the limits
        trials: draws of the bootstrap
        seed: seed of all draws
        judges: add a report on every judge
        repeats: what a repeated (item, system) is: refused, or an item of its own (number)

    >>> rows = [{"item": i, "ratings": {"good": [i % 3, i % 3, i % 2]}} for i in range(12)]
    >>> found = agree([row | {"system": "s", "hypothesis": "x"} for row in rows], "good", scale="nominal")
    >>> round(found["krippendorff"].estimate, 3)
    0.333
    """
    if scale is not None and scale not in SCALES:
        raise InputError(f"there is no scale {scale!r}; {suggest(scale, SCALES)}")
    if coefficients is not None and (isinstance(coefficients, str) or not isinstance(coefficients, Iterable)):
        raise InputError(f"coefficients must be a list of names, not {coefficients!r}")
    if coefficients is not None and not list(coefficients):
        raise InputError("the list of coefficients is empty; name some, or leave it out")
    limits = Limits(interval, level, trials, seed)
    given = judgements(data, criterion, repeats=repeats).in_order()
    values = given.values if given.coded is None or categories is not None else given.coded
    ratings = Ratings.of(values, categories) if values else Ratings.of(np.empty((0, 0)))
    stats.require_pairs(ratings)
    ratings = ratings.rated()
    chosen = scale or _guess(ratings)
    _check_scale(chosen, ratings)
    asked = _asked(coefficients, chosen, ratings, given.by_position)
    rows, left_out = _rows(asked, chosen, ratings, limits, unasked=coefficients is None or "all" in coefficients)
    follow = "krippendorff-masi" if chosen == "sets" else "krippendorff"
    reports: tuple[JudgeReport, ...] = ()
    if judges:
        quick = Limits("none", level)
        reports = stats.leave_one_out(
            ratings,
            lambda some: _BY_KEY[follow](some, chosen, quick),
            given.judges,
            interchangeable=True,  # alpha does not ask who rated
        )
    found = int(np.count_nonzero(ratings.codes >= 0))
    skew = wording.skew(ratings)
    facts = {
        "human": given.criterion or "value",
        "agree": "+".join(row.key for row in rows),
        "scale": chosen,
        **({"categories": ",".join(map(str, categories))} if categories is not None else {}),
        "n": ratings.items,
        "judges": ratings.judges,
        "judgements": found,
        "ratings": given.digest,
        "ci": f"bootstrap:{trials}" if interval == "bootstrap" else interval,
        "level": f"{level:g}",
        "seed": seed,  # of the bootstrap, and of the groups of the jackknife
    }
    return Agreement(
        rows=rows,
        scale=chosen,
        guessed=scale is None,
        items=ratings.items,
        judges=ratings.judges,
        ratings=found,
        gaps=ratings.codes.size - found,
        level=level,
        criterion=given.criterion,
        reports=reports,
        followed=_name(follow, chosen) if judges else "",
        notes=(*_remarks(given, ratings, chosen, scale is None), *left_out, *wording.paradox(_headline(rows), skew)),
        unit=given.unit,
        skew=skew,
        receipt=receipt.line(facts),
    )


def aggregate(
    data: Any, method: Combination = "mean", criterion: str | None = None, *, repeats: Repeats = "refuse"
) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """One row for each item or output (`item`, `system` where there is one, `value`, `ratings`, and what the method
    adds), and notes.

    Args:
        data: as in `agree`
        method: mean, z (mean of each judge's standardised ratings), weighted (by each judge's agreement with the
            others), majority, or dawid-skene
        criterion: what was rated, where the data hold several criteria
        repeats: what a repeated (item, system) is: refused, or an item of its own (number)

    >>> rows = [{"item": i, "system": "s", "hypothesis": "x", "ratings": {"good": [1, 1, i]}} for i in range(2)]
    >>> aggregate(rows, "majority", "good")[0][0]["value"]
    1.0
    """
    if method not in COMBINATIONS:
        raise InputError(f"there is no way to combine called {method!r}; {suggest(method, COMBINATIONS)}")
    given = judgements(data, criterion, repeats=repeats)
    ratings = Ratings.of(given.values)
    sizes = np.count_nonzero(ratings.codes >= 0, axis=1).tolist()
    values, extra, notes = _combined(ratings, method)
    values = [_listed(value) if isinstance(value, frozenset) else value for value in values]
    keys = given.keys or [{"item": item} for item in given.items]
    rows = [
        {**names, "value": value, "ratings": size} | more
        for names, value, size, more in zip(keys, values, sizes, extra, strict=True)
    ]
    return rows, notes


def _combined(ratings: Ratings, method: Combination) -> tuple[list[Any], list[dict[str, Any]], tuple[str, ...]]:
    nothing: list[dict[str, Any]] = [{} for _ in range(ratings.items)]
    if method == "majority":
        found = combine.majority(ratings)
        shares = [{"share": _or_none(share)} for share in found.shares.tolist()]
        notes = (f"{len(found.ties):,} items without a majority (ties) have no value",) if found.ties else ()
        return list(found.values), shares, notes
    if method == "dawid-skene":
        fit = combine.dawid_skene(ratings)
        top = [{"probability": float(row.max())} for row in fit.posteriors]
        return list(fit.labels), top, (str(fit),)
    if method == "weighted":
        weighed = combine.agreement_weights(ratings)
        return [_or_none(value) for value in weighed.values.tolist()], nothing, weighed.notes
    numbers = ratings.values()
    notes = ()
    if method == "z":
        standard = combine.standardise(ratings)
        numbers = standard.values
        if standard.flat:
            notes = (f"{len(standard.flat)} judges gave one value only and count as 0 throughout",)
    means = combine.weighted_means(numbers, np.ones(ratings.judges))
    return [_or_none(value) for value in means.values.tolist()], nothing, notes


def _listed(value: frozenset[Any]) -> list[Any]:
    """A set as it is written to files: a list in a fixed order, spans as lists."""
    return [list(member) if isinstance(member, tuple) else member for member in sorted(value, key=repr)]


def _or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _guess(ratings: Ratings) -> Scale:
    """Labels and two values: nominal; few whole numbers: ordinal; other numbers: interval. Never ratio."""
    if ratings.numbers is None:
        sets = ratings.categories and isinstance(ratings.categories[0], frozenset)
        return "sets" if sets else "ordinal" if ratings.declared else "nominal"
    if len(ratings.numbers) <= 2 and not ratings.declared:
        return "nominal"
    whole = bool(np.all(ratings.numbers == np.rint(ratings.numbers)))
    return "ordinal" if whole and len(ratings.numbers) <= FEW_LEVELS else "interval"


def _check_scale(scale: Scale, ratings: Ratings) -> None:
    """Refuse a scale that the values cannot have."""
    sets = any(isinstance(category, frozenset) for category in ratings.categories[:1])
    if scale == "sets" and not sets:
        raise InputError("the ratings are single values; the scale sets needs a list of marks for each rating")
    if scale in ("interval", "ratio") and ratings.numbers is None:
        raise InputError(
            f"the ratings are {'lists' if sets else 'labels'}; the scale {scale} needs numbers: leave the scale "
            "out, or code them"
        )


_Compute = Callable[[Ratings, Scale, Limits], Coefficient]
WEIGHTS = {"nominal": "identity", "ordinal": "ordinal", "interval": "quadratic", "ratio": "ratio"}


def _cohen(ratings: Ratings, scale: Scale, limits: Limits) -> Coefficient:
    weights = "identity" if scale == "nominal" else "quadratic"
    return stats.cohen(ratings, weights=weights, limits=limits)


def _sets(ratings: Ratings) -> list[list[Any]]:
    found: list[list[Any]] = ratings.table().tolist()
    return found


_BY_KEY: dict[str, _Compute] = {
    "percent": lambda ratings, scale, limits: stats.percent_agreement(ratings, limits=limits),
    "krippendorff": lambda ratings, scale, limits: stats.krippendorff(ratings, scale, limits=limits),
    "fleiss": lambda ratings, scale, limits: stats.fleiss(ratings, limits=limits),
    "cohen": _cohen,
    "scott": lambda ratings, scale, limits: stats.scott(ratings, limits=limits),
    "conger": lambda ratings, scale, limits: stats.conger(ratings, weights=WEIGHTS[scale], limits=limits),
    "brennan-prediger": lambda ratings, scale, limits: stats.brennan_prediger(
        ratings, weights=WEIGHTS[scale], limits=limits
    ),
    "gwet": lambda ratings, scale, limits: stats.gwet(ratings, weights=WEIGHTS[scale], limits=limits),
    "icc1": lambda ratings, scale, limits: stats.icc(ratings, "1,1", limits=limits),
    "icc1k": lambda ratings, scale, limits: stats.icc(ratings, "1,k", limits=limits),
    "icc2": lambda ratings, scale, limits: stats.icc(ratings, "2,1", limits=limits),
    "icc2k": lambda ratings, scale, limits: stats.icc(ratings, "2,k", limits=limits),
    "icc3": lambda ratings, scale, limits: stats.icc(ratings, "3,1", limits=limits),
    "icc3k": lambda ratings, scale, limits: stats.icc(ratings, "3,k", limits=limits),
    "kendall-w": lambda ratings, scale, limits: stats.kendall_w(ratings, limits=limits),
    "pearson": lambda ratings, scale, limits: stats.pairwise_correlation(ratings, "pearson", limits=limits),
    "spearman": lambda ratings, scale, limits: stats.pairwise_correlation(ratings, "spearman", limits=limits),
    "kendall": lambda ratings, scale, limits: stats.pairwise_correlation(ratings, "kendall", limits=limits),
    "jaccard": lambda ratings, scale, limits: stats.jaccard_agreement(_sets(ratings), limits=limits),
    "f1": lambda ratings, scale, limits: stats.f1_agreement(_sets(ratings), limits=limits),
    "krippendorff-masi": lambda ratings, scale, limits: stats.krippendorff(ratings, stats.masi_distance, limits=limits),
}
KEYS = tuple(_BY_KEY)
FOR_SETS = ("jaccard", "f1", "krippendorff-masi")
DEFAULTS: dict[Scale, tuple[str, ...]] = {
    "nominal": ("krippendorff", "percent", "fleiss", "gwet"),
    "ordinal": ("krippendorff", "percent", "gwet", "kendall-w", "spearman", "kendall"),
    "interval": ("krippendorff", "icc2", "icc2k", "pearson", "spearman"),
    "ratio": ("krippendorff", "icc2", "icc2k", "pearson", "spearman"),
    "sets": FOR_SETS,
}
PAIR = {"nominal": ("cohen", "scott"), "ordinal": ("cohen",)}


def _asked(coefficients: Sequence[str] | None, scale: Scale, ratings: Ratings, by_position: bool) -> tuple[str, ...]:
    possible = FOR_SETS if scale == "sets" else tuple(key for key in KEYS if key not in FOR_SETS)
    if coefficients is not None:
        for key in coefficients:
            if key not in possible and key != "all":
                raise InputError(
                    f"there is no coefficient {key!r} for these ratings; {suggest(key, (*possible, 'all'))}"
                )
        return possible if "all" in coefficients else tuple(dict.fromkeys(coefficients))
    keys = [*DEFAULTS[scale], *(PAIR.get(scale, ()) if ratings.judges == 2 else ())]
    if scale == "nominal" and ratings.numbers is not None and len(ratings.numbers) == 2:
        keys.append("spearman")  # of two values: the phi coefficient
    if ratings.judges > CROWD:
        keys = [key for key in keys if key not in ("pearson", "spearman", "kendall")]
    complete = np.count_nonzero((ratings.codes >= 0).all(axis=1))
    if by_position or complete < 2:  # the judges of an item are some judges, not always the same: one-way
        keys = [{"icc2": "icc1", "icc2k": "icc1k"}.get(key, key) for key in keys]
    return tuple(keys)


def _rows(
    keys: Sequence[str], scale: Scale, ratings: Ratings, limits: Limits, *, unasked: bool
) -> tuple[tuple[Row, ...], list[str]]:
    """The coefficients; one that nobody asked for and that cannot be had is left out with a note."""
    rows, notes = [], []
    for key in keys:
        name = _name(key, scale)
        try:
            found = _BY_KEY[key](ratings, scale, limits)
            found = replace(found, name=found.name + _weights(key, scale))
            rows.append(Row(key, found.name, found))
        except UndefinedAgreement as error:
            rows.append(Row(key, name + _weights(key, scale), undefined=error))
        except InputError as error:
            if not unasked:
                raise
            notes.append(f"{name} left out: {error}")
    if not rows:
        raise InputError("no coefficient can be computed for these ratings", "; ".join(notes))
    return tuple(rows), notes


_NAMES = {
    "percent": "percent agreement",
    "fleiss": "Fleiss' kappa",
    "cohen": "Cohen's kappa",
    "scott": "Scott's pi",
    "conger": "Conger's kappa",
    "brennan-prediger": "Brennan-Prediger coefficient",
    "kendall-w": "Kendall's W",
    "pearson": "mean pairwise Pearson",
    "spearman": "mean pairwise Spearman",
    "kendall": "mean pairwise Kendall tau-b",
    "jaccard": "Jaccard index",
    "f1": "F1",
    "krippendorff-masi": "Krippendorff's alpha (MASI)",
}


def _name(key: str, scale: Scale) -> str:
    if key == "krippendorff":
        return f"Krippendorff's alpha ({scale})"
    if key == "gwet":
        return "Gwet's AC1" if scale == "nominal" else "Gwet's AC2"
    if key.startswith("icc"):
        return f"ICC({key[3]},{'k' if key.endswith('k') else '1'})"
    return _NAMES[key]


def _weights(key: str, scale: Scale) -> str:
    """The weights that a coefficient's name does not tell, where the scale leaves a choice."""
    if scale in ("nominal", "sets"):
        return ""
    if key in ("fleiss", "scott"):
        return " (unweighted)"
    return f" ({WEIGHTS[scale]} weights)" if key in ("conger", "brennan-prediger", "gwet") else ""


def _remarks(given: Judgements, ratings: Ratings, scale: Scale, guessed: bool) -> list[str]:
    remarks = list(given.notes)
    if given.coded is not None and ratings.numbers is not None:
        remarks.append(
            "preferences are taken in their order, 1, 0 (a tie) and -1, as study analyse takes them; "
            f"{option('scale', 'nominal')} takes them as three labels"
        )
    elif guessed:
        remarks.append(f"the ratings are taken as {scale}{_why(ratings, scale)}; {option('scale')} says otherwise")
    if given.by_position:
        remarks.append(
            "judges are told apart by their place in each list: if place 1 is not always the same person, give a "
            "`raters` list"
        )
    dropped = len(given.items) - ratings.items
    if dropped:
        remarks.append(f"{dropped:,} {given.unit} without any rating left out")
    single = int(np.count_nonzero(np.count_nonzero(ratings.codes >= 0, axis=1) == 1))
    if single:
        remarks.append(f"{single:,} of {ratings.items:,} {given.unit} have one rating only and cannot be used")
    return remarks


def _why(ratings: Ratings, scale: Scale) -> str:
    size = len(ratings.categories)
    many = "" if size == 1 else "s"
    reasons = {
        "nominal": " (labels)" if ratings.numbers is None else f" ({size} different value{many})",
        "ordinal": f" ({size} ordered value{many})",
        "interval": f" ({size:,} different number{many})",
        "sets": " (lists)",
    }
    return reasons.get(scale, "")
