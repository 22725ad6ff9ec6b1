"""Scoring against comparing the same texts: how far people agree among themselves in either way, and one way with the
other (Zhou and Xu 2020, §4.1, report κ = .53 for scores and .76 for comparisons).

Both ways are put into one currency, the verdict on a pair: a judge who scored both texts prefers the one with the
higher score, and ties them where the scores differ by no more than a band. Only pairs that were compared count.
Fleiss' kappa of the three outcomes is computed for either way on the same pairs; its difference has a percentile
bootstrap over items, whose pairs are drawn together. Which text of a pair is called the first alternates, so that
agreement by chance is that of coins also where one system always wins.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nlgauge.agreement import Agreement, agree, judgements
from nlgauge.errors import InputError
from nlgauge.io.exported import REHEARSAL
from nlgauge.io.games import GameRows, read_games
from nlgauge.io.judgements import Judgements
from nlgauge.jsonable import Jsonable
from nlgauge.options import DEFAULT_SEED
from nlgauge.stats import agreement as stats
from nlgauge.stats.agreement import Limits, Ratings, UndefinedAgreement
from nlgauge.stats.results import Estimate

Pair = tuple[str, str, str]  # item and two systems, in the order in which verdicts are told
SIGN = {"a": 1.0, "tie": 0.0, "b": -1.0}
FEWEST_DRAWS = 0.95  # share of draws with a defined kappa below which there is no interval


@dataclass(frozen=True)
class Linked(Jsonable):
    """Agreement on the same pairs by scores and by comparisons, between the two, and the difference of the kappas."""

    KEYS = "scores, scored, compared, between, difference, pairs, band, notes, sentence"

    scores: Agreement  # the scores as they were given
    scored: Agreement  # turned into verdicts on pairs
    compared: Agreement
    between: Agreement
    difference: Estimate  # kappa by comparing less kappa by scoring
    pairs: int
    band: float
    notes: tuple[str, ...] = ()

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """Headers and rows of the table."""
        rows = []
        for name, found, key in (
            ("scoring", self.scored, "fleiss"),
            ("comparing", self.compared, "fleiss"),
            ("scoring with comparing", self.between, "cohen"),
        ):
            kappa, share = (next(row for row in found.rows if row.key == wanted) for wanted in (key, "percent"))
            shown = (*_shown(kappa.coefficient), *_shown(share.coefficient))
            rows.append([name, str(found.judges), f"{found.items:,}", *shown])
        level = f"{100 * self.compared.level:g}% interval"
        return ["people who agree", "judges", "pairs", "kappa", level, "same verdict", level], rows

    @property
    def sentence(self) -> str:
        """Which way agrees more, and whether that is more than chance."""
        d = self.difference
        if math.isnan(d.estimate):
            return "Kappa is not defined for both ways."
        more = "more" if d.estimate > 0 else "less"
        limits = "" if math.isnan(d.low) else f" ({100 * d.level:g}% interval {d.low:.3f} to {d.high:.3f})"
        sure = "" if math.isnan(d.low) or d.low > 0 or d.high < 0 else "; the interval includes 0"
        return f"People who compare agree {more} than those who score: kappa differs by {d.estimate:.3f}{limits}{sure}."


def agree_linked(
    ratings: Any,
    pairs: Any,
    criterion: str | None = None,
    *,
    pair_criterion: str | None = None,
    band: float = 0.0,
    columns: Mapping[str, str] | None = None,
    level: float = 0.95,
    trials: int = 1000,
    seed: int = DEFAULT_SEED,
) -> Linked:
    """Agreement by ratings of single texts and by games over the same texts (`item` and system name a text).

    Scores of one judge that differ by no more than `band` are a tie. The criterion of the games is `pair_criterion`.
    """
    if not (math.isfinite(band) and band >= 0):
        raise InputError(f"the band must be a number from 0 up; got {band}")
    given = judgements(ratings, criterion, columns=columns)
    texts = _texts(given)
    games = read_games(pairs, criterion=pair_criterion)
    verdicts, judges = _verdicts(games)
    both = [pair for pair in verdicts if (pair[0], pair[1]) in texts and (pair[0], pair[2]) in texts]
    if len(both) < 2:
        raise InputError(
            f"{len(both)} of {len(verdicts):,} compared pairs have both texts among the ratings; expected texts "
            "that are named alike in both files, by item and system"
        )
    turned = [1.0 if place % 2 == 0 else -1.0 for place in range(len(both))]
    compared = np.array([[s * verdicts[p].get(j, math.nan) for j in judges] for p, s in zip(both, turned, strict=True)])
    first, second = (np.array([texts[p[0], p[k]] for p in both]) for k in (1, 2))
    scored = np.array(turned)[:, None] * _apart(first - second, band)
    for table, did in ((scored, "scored both texts of"), (compared, "compared")):
        twice = int(((~np.isnan(table)).sum(axis=1) > 1).sum())
        if twice < 2:
            raise InputError(
                f"two judges or more {did} {twice} of {len(both):,} pairs; expected 2 at least: let every judge see "
                "every text (a crossed design with items_per_judge for all of them)"
            )
    with np.errstate(invalid="ignore"):
        ways = [np.array(turned) * _apart(_means(first) - _means(second), band), np.sign(_means(compared))]
    names = [" | ".join(pair) for pair in both]
    limits: dict[str, Any] = {"level": level, "trials": trials, "seed": seed}

    def found(table: Any, people: Sequence[str], *coefficients: str) -> Agreement:
        values = [[None if math.isnan(x) else x for x in row] for row in table.tolist()]
        own = Judgements(tuple(names), tuple(people), values, unit="pairs")
        return agree(own, scale="nominal", coefficients=coefficients, categories=[-1, 0, 1], **limits)

    return Linked(
        scores=agree(given, **limits),
        scored=found(scored, given.judges, "fleiss", "percent", "krippendorff"),
        compared=found(compared, judges, "fleiss", "percent", "krippendorff"),
        between=found(np.array(ways).T, ("scored", "compared"), "cohen", "percent"),
        difference=_difference(scored, compared, [pair[0] for pair in both], level, trials, seed),
        pairs=len(both),
        band=band,
        notes=tuple(dict.fromkeys([*given.notes, *([REHEARSAL] if games.simulated else [])])),
    )


def _texts(given: Judgements) -> dict[tuple[str, str], list[float]]:
    """The scores of each text, judge by judge, NaN where there is none."""
    if given.unit != "outputs":
        raise InputError(f"{given.origin}: expected ratings of single texts, with item and system on every row")
    try:
        rows = [[math.nan if value is None else float(value) for value in row] for row in given.values]
    except (TypeError, ValueError):
        raise InputError(f"{given.origin}: the ratings are not numbers, so that none is higher than another") from None
    return {(key["item"], key["system"]): row for key, row in zip(given.keys, rows, strict=True)}


def _verdicts(rows: GameRows) -> tuple[dict[Pair, dict[str, float]], list[str]]:
    """What each judge said of each pair: 1 for the first of its systems, in the order of their names."""
    if not rows.item or not rows.judge or rows.sides:
        raise InputError(
            "the comparisons must name item, judge and both systems: texts and people are told apart by them"
        )
    found: dict[Pair, dict[str, float]] = {}
    for game, (item, judge, a, b) in enumerate(zip(rows.item, rows.judge, rows.a, rows.b, strict=True)):
        first, second = sorted((a, b))
        said = found.setdefault((item, first, second), {})
        if judge in said:
            raise InputError(f"{rows.at(game)}: {judge} compared {a} and {b} on {item} before; expected one verdict")
        said[judge] = SIGN[rows.outcome[game]] * (1.0 if a == first else -1.0)
    return dict(sorted(found.items())), list(dict.fromkeys(rows.judge))


def _apart(difference: Any, band: float) -> Any:
    return np.where(np.isnan(difference), math.nan, np.sign(difference) * (np.abs(difference) > band))


def _means(table: Any) -> Any:
    known = ~np.isnan(table)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(known, table, 0.0).sum(axis=1) / known.sum(axis=1)


def _difference(scored: Any, compared: Any, items: Sequence[str], level: float, trials: int, seed: int) -> Estimate:
    """Kappa by comparing less kappa by scoring, with a percentile bootstrap over items."""
    groups: dict[str, list[int]] = {}
    for place, item in enumerate(items):
        groups.setdefault(item, []).append(place)
    members = list(groups.values())
    rng = np.random.default_rng(seed)
    value = _kappa(compared) - _kappa(scored)
    draws = []
    for _ in range(trials):
        rows = [place for k in rng.integers(len(members), size=len(members)) for place in members[int(k)]]
        draws.append(_kappa(compared[rows]) - _kappa(scored[rows]))
    known = [draw for draw in draws if not math.isnan(draw)]
    low = high = math.nan
    if math.isfinite(value) and len(known) >= FEWEST_DRAWS * trials and len(members) > 1:
        low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2]).tolist()
    method = f"percentile bootstrap over {len(members):,} items"
    return Estimate(value, low, high, level, method, len(members), name="difference of kappa")


def _kappa(table: Any) -> float:
    try:
        return stats.fleiss(Ratings.of(table, [-1, 0, 1]), limits=Limits("none")).estimate
    except UndefinedAgreement:
        return math.nan


def _shown(found: Any) -> list[str]:
    if found is None:
        return ["undefined", ""]
    limits = "" if math.isnan(found.low) else f"{found.low:.3f} to {found.high:.3f}"
    return [f"{found.estimate:.3f}", limits]
