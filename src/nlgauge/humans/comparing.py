"""Mean ratings with intervals, differences with exact tests, and how many items the next study needs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from nlgauge import api, receipt, stats
from nlgauge.engine.grouping import item_labels
from nlgauge.engine.pairing import comparisons, pair_remarks, rankings, together_remarks
from nlgauge.engine.remarks import ci_fact, family_facts, label_fact, resampling_remarks, trials_remarks
from nlgauge.errors import InputError
from nlgauge.humans.ratings import (
    Judgements,
    as_set,
    criterion_names,
    judge_remark,
    judgements,
    kept_labels,
    receipt_facts,
    refuse_unshared,
    rehearsal_remark,
    standardised,
    system_pairs,
    textless_remark,
)
from nlgauge.options import DEFAULT_SEED, Interval
from nlgauge.results import Comparison, Comparisons, Result, Score, Scores
from nlgauge.stats.judged import Pairing, Unit, item_means, judged_items
from nlgauge.stats.limits import check_draws, check_interval_draws
from nlgauge.stats.multiple import trials_for
from nlgauge.stats.permutation import Method, compare_judgements
from nlgauge.stats.power import Power, items_needed, pilot
from nlgauge.stats.results import PairedTest
from nlgauge.types import EvaluationSet

Standardise = Literal["none", "judges"]


def means(
    data: EvaluationSet | Any,
    criteria: str | Sequence[str],
    *,
    ci: bool = True,
    trials: int = api.DEFAULT_TRIALS["bootstrap"],
    level: float = 0.95,
    interval: Interval = "percentile",
    cluster: str | None = None,
    standardise: Standardise = "none",
    seed: int = DEFAULT_SEED,
    lower: Collection[str] = (),
) -> Scores:
    """Each system's mean rating, with an interval over items: every item's mean over its judges counts alike.

    Args:
        data: an evaluation set or what `nlgauge.load` reads
        criteria: what was rated: a name, or several
        ci: whether there are intervals
        trials: draws of the bootstrap
        level: confidence level
        interval: limits of the bootstrap: percentile or bca
        cluster: a key of the rows; items that share its value are drawn together
        standardise: ratings as given (none), or each judge's as z-scores (judges), as WMT does
        seed: seed of all draws
        lower: the criteria of which less is better, such as a number of errors

    >>> rows = [{"item": i, "system": s, "hypothesis": "x", "ratings": {"q": [i + k, i]}}
    ...         for i in range(6) for k, s in enumerate("ab")]
    >>> [score.value for score in means(rows, "q", ci=False)]
    [2.5, 3.0]
    """
    check_draws(trials, level, seed)
    if ci:
        check_interval_draws(trials)
    data = as_set(data)
    results: list[Score] = []
    receipts, places, notes = {}, {}, rehearsal_remark(data)
    labels = item_labels(data, cluster) if cluster is not None else None
    for criterion in criterion_names(criteria):
        rated, told = _rated(data, criterion, standardise)
        notes += told
        for system, values in rated.values.items():
            kept = judged_items(values)
            averages = item_means(values[kept])
            score = Score(system, criterion, float(averages.mean()), len(averages), level=level)
            if ci:
                found = stats.bootstrap(
                    np.column_stack([averages, np.ones(len(averages))]),
                    lambda totals: totals[..., 0] / totals[..., 1],
                    trials=trials,
                    seed=seed,
                    level=level,
                    interval=interval,
                    clusters=None if labels is None else kept_labels(labels, rated.items, kept),
                )
                score = replace(score, low=found.low, high=found.high)
                notes += [f"{criterion}, {system}: {text}" for text in found.notes]
            results.append(score)
        sizes = [score.n for score in results if score.metric == criterion]
        facts: dict[str, object] = {**receipt_facts(data, rated, sizes), **_direction(criterion, lower)}
        if ci:
            facts |= {"ci": ci_fact(interval, trials), **label_fact("cluster", cluster, labels)}
            facts |= {"level": level, "seed": seed}
        receipts[criterion] = receipt.write(criterion, facts)
        places[criterion] = rated.places
        notes += textless_remark(data, criterion)
        if max(sizes) < len(rated.items):
            notes.append(f"{criterion}: rated on {_span(sizes)} of {len(rated.items):,} items")
    if ci:
        sizes = [score.n for score in results]
        notes += resampling_remarks(cluster, labels and labels.values(), sizes, interval, level)
    directions = {criterion: "lower" if criterion in lower else "higher" for criterion in receipts}
    return Scores(tuple(results), receipts, directions, tuple(dict.fromkeys(notes)), places)


def compare(
    data: EvaluationSet | Any,
    criteria: str | Sequence[str],
    *,
    baseline: str | None = None,
    unit: Unit = "items",
    pairing: Pairing = "items",
    method: Method = "auto",
    trials: int | None = None,
    level: float = 0.95,
    interval: Interval = "percentile",
    cluster: str | None = None,
    standardise: Standardise = "none",
    seed: int = DEFAULT_SEED,
    lower: Collection[str] = (),
) -> Comparisons:
    """Differences between mean ratings, tested by permutation of matched judgements; see `stats.compare_judgements`.

    Two systems are compared on the items both were rated on. p is exact where that is possible (`test` is "exact" and
    `trials` 0), else by approximate randomisation; Holm's correction runs within each criterion.

    Args:
        data: an evaluation set or what `nlgauge.load` reads
        criteria: what was rated: a name, or several
        baseline: the system that the others are compared with; all pairs without one
        unit: what is flipped together: the judgements of an item, or single ones
        pairing: what is compared: items rated for both systems, or judgements by the same judge
        method: exact, ar (randomisation), or auto: exact where that is possible
        trials: of the randomisation; without them as many as Holm's correction needs
        level: confidence level
        interval: limits of the bootstrap: percentile or bca
        cluster: a key of the rows; items that share its value are drawn and swapped together
        standardise: ratings as given (none), or each judge's as z-scores (judges)
        seed: seed of all draws
        lower: the criteria of which less is better, such as a number of errors

    >>> rows = [{"item": i, "system": s, "hypothesis": "x", "ratings": {"q": i % 3 + k}}
    ...         for i in range(8) for k, s in enumerate("ab")]
    >>> compare(rows, "q", baseline="a")["b"].delta
    1.0
    """
    check_draws(trials or 1, level, seed)
    data = as_set(data)
    labels = item_labels(data, cluster) if cluster is not None else None

    def tested(rated: Judgements, system: str, other: str, drawn: int) -> PairedTest:
        refuse_unshared(rated, system, other)
        return compare_judgements(
            rated.values[system],
            rated.values[other],
            unit=unit,
            pairing=pairing,
            blocks=None if labels is None else [labels[item] for item in rated.items],
            method=method,
            trials=drawn,
            interval=interval,
            level=level,
            seed=seed,
        )

    rows: list[Comparison] = []
    receipts, places, notes = {}, {}, rehearsal_remark(data)
    family = 0
    for criterion in criterion_names(criteria):
        rated, told = _rated(data, criterion, standardise)
        notes += told
        pairs = system_pairs(rated, baseline)
        family = max(family, len(pairs))
        drawn = trials or trials_for(len(pairs), api.DEFAULT_TRIALS["ar"])
        outcomes = [tested(rated, *pair, drawn) for pair in pairs]
        direction = "lower" if criterion in lower else "higher"
        rows += comparisons(criterion, pairs, outcomes, test="ar", direction=direction)
        notes += [
            *pair_remarks(criterion, pairs, outcomes),
            *(
                trials_remarks(drawn, len(pairs), api.DEFAULT_TRIALS["ar"] if trials is None else None)
                if any(outcome.trials for outcome in outcomes)
                else ()
            ),
            *judge_remark(rated),
            *textless_remark(data, criterion),
        ]
        kinds = dict.fromkeys(f"ar:{drawn}" if outcome.trials else "exact" for outcome in outcomes)
        facts = {
            **receipt_facts(data, rated, [outcome.n for outcome in outcomes]),
            **_direction(criterion, lower),
            "unit": unit,
            "pairing": pairing,
            "test": "+".join(kinds),
            "ci": ci_fact(interval, api.INTERVAL_TRIALS),
            **label_fact("cluster", cluster, labels),
            **family_facts(baseline, len(pairs)),
            "level": level,
            "seed": seed,
        }
        receipts[criterion], places[criterion] = receipt.write(criterion, facts), rated.places
    notes += together_remarks(rows)
    sizes = [row.n for row in rows]
    notes += resampling_remarks(cluster, labels and labels.values(), sizes, interval, level, swapped=True)
    return Comparisons(
        comparisons=tuple(rows),
        receipts=receipts,
        notes=tuple(dict.fromkeys(notes)),
        seed=seed,
        family=family,
        places=places,
        rankings=rankings(rows),
    )


def _direction(criterion: str, lower: Collection[str]) -> dict[str, str]:
    """For the receipt: said where less is better."""
    return {"direction": "lower"} if criterion in lower else {}


def _rated(data: EvaluationSet, criterion: str, standardise: Standardise) -> tuple[Judgements, list[str]]:
    """The ratings as they are, or as z-scores of each judge, with what is to be said of these."""
    if standardise not in get_args(Standardise):
        raise InputError(f"standardise must be none or judges; got {standardise!r}")
    rated = judgements(data, criterion)
    return standardised(rated) if standardise == "judges" else (rated, [])


@dataclass(frozen=True)
class Plan(Result):
    """How many items a study needs to find the difference between two systems."""

    KEYS = "criterion, system, baseline, *power"

    criterion: str
    system: str
    baseline: str
    power: Power

    def __str__(self) -> str:
        return f"{self.criterion}, {self.system} against {self.baseline}: {self.power}"


def plan(
    data: EvaluationSet | Any,
    criterion: str,
    *,
    baseline: str | None = None,
    power: float = 0.8,
    judges: int | None = None,
    effect: float | None = None,
    alpha: float = 0.05,
    simulations: int = 2000,
    seed: int = DEFAULT_SEED,
) -> list[Plan]:
    """For each pair of systems the items a study needs, with the present ratings as its pilot.

    Args:
        data: an evaluation set or what `nlgauge.load` reads
        criterion: what was rated
        baseline: the system that the others are compared with; all pairs without one
        power: the chance that the difference is found
        judges: judgements of each output, by default as many as now (rounded down)
        effect: the difference that should be found, by default the one observed, which is rarely wise
        alpha: level of the test
        simulations: simulated studies of each size
        seed: seed of all draws

    >>> rows = [{"item": i, "system": s, "hypothesis": "x", "ratings": {"q": (i * (k + 2)) % 5 + k}}
    ...         for i in range(8) for k, s in enumerate("ab")]
    >>> plan(rows, "q", effect=1.0, simulations=100)[0].system
    'b'
    """
    for name, value in (("power", power), ("effect", effect), ("alpha", alpha), ("judges", judges)):
        if value is not None and not isinstance(value, int if name == "judges" else int | float):
            raise InputError(f"{name} must be a {'whole ' if name == 'judges' else ''}number; got {value!r}")
    rated = judgements(data, criterion)
    plans = []
    for system, other in system_pairs(rated, baseline):
        a, b = rated.values[system], rated.values[other]
        refuse_unshared(rated, system, other)
        source = pilot(a, b)
        many = judges if judges is not None else max(1, source.judgements // source.n)
        found = items_needed(
            source,
            target=power,
            judges=many,
            effect=effect,
            alpha=alpha,
            simulations=simulations,
            seed=seed,
        )
        plans.append(Plan(criterion, system, other, found))
    return plans


def merged(first: Comparisons, *others: Comparisons) -> Comparisons:
    """Several tables of comparisons as one.

    Args:
        first: a table
        others: more of them, with other metrics or criteria

    >>> rows = [{"item": i, "system": s, "hypothesis": "x", "ratings": {"q": i % 3 + k, "r": i % 4}}
    ...         for i in range(8) for k, s in enumerate("ab")]
    >>> table = merged(compare(rows, "q"), compare(rows, "r"))
    >>> len(table)
    2
    """
    tables = (first, *others)
    return Comparisons(
        comparisons=tuple(row for table in tables for row in table.comparisons),
        receipts={key: line for table in tables for key, line in table.receipts.items()},
        notes=tuple(dict.fromkeys(note for table in tables for note in table.notes)),
        seed=next((table.seed for table in tables if table.seed is not None), None),
        family=max(table.family or 0 for table in tables),
        places={key: value for table in tables for key, value in table.places.items()},
        rankings=tuple(ranking for table in tables for ranking in table.rankings),
    )


def merged_scores(first: Scores, *others: Scores) -> Scores:
    """Several tables of scores as one.

    Args:
        first: a table
        others: more of them, with other metrics or criteria

    >>> rows = [{"item": i, "system": s, "hypothesis": "x", "ratings": {"q": i % 3 + k, "r": i % 4}}
    ...         for i in range(8) for k, s in enumerate("ab")]
    >>> table = merged_scores(means(rows, "q"), means(rows, "r"))
    >>> len(table)
    4
    """
    tables = (first, *others)
    return Scores(
        tuple(row for table in tables for row in table.scores),
        {key: line for table in tables for key, line in table.receipts.items()},
        {key: value for table in tables for key, value in table.directions.items()},
        tuple(dict.fromkeys(note for table in tables for note in table.notes)),
        {key: value for table in tables for key, value in table.places.items()},
        {key: value for table in tables for key, value in table.spellings.items()},
    )


def _span(sizes: Sequence[int]) -> str:
    return f"{min(sizes):,}" if min(sizes) == max(sizes) else f"{min(sizes):,} to {max(sizes):,}"
