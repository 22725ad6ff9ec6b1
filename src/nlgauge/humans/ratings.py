"""Ratings of an evaluation set as arrays, and what the functions on them share."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge import api
from nlgauge.arrays import Array
from nlgauge.engine import pairing
from nlgauge.errors import InputError, counted, option, suggest
from nlgauge.io.exported import REHEARSAL, simulated
from nlgauge.io.rows import refuse_unnamed
from nlgauge.stats.aggregate import judge_z
from nlgauge.stats.judged import judged_items
from nlgauge.types import EvaluationSet, Segment
from nlgauge.wording.numbers import listing

LARGEST = 1e100  # beyond this sums of squares leave the range of floats
FEW_JUDGES = 10  # below which results may depend on who judged


class Rater(NamedTuple):
    """Who gave a rating: a column of `Judgements.values`."""

    name: str  # of one who is not known: the place in the list of ratings
    known: bool
    again: int = 0  # how often the same row names them before


@dataclass(frozen=True)
class Judgements:
    """Ratings of one criterion: for each system an array (items, judges), NaN where there is none."""

    criterion: str
    items: list[str]
    judges: list[Rater]
    values: dict[str, Array]
    standardised: bool = False  # z-scores of each judge

    @property
    def named(self) -> bool:
        """Whether the data say who judged; else judgements are told apart by their place in the list."""
        return any(judge.known for judge in self.judges)

    @property
    def people(self) -> int:
        """Judges, each once: one whom a row names twice has a column for the second time."""
        return sum(not judge.again for judge in self.judges)

    @property
    def count(self) -> int:
        """Single ratings."""
        return sum(int(np.isfinite(values).sum()) for values in self.values.values())

    @property
    def places(self) -> int:
        """Decimals worth printing: two on a rating scale, three of z-scores, four of shares."""
        if self.standardised:
            return 3
        known = np.concatenate([values[np.isfinite(values)] for values in self.values.values()])
        return 2 if np.ptp(known) > 1 else 4

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits that identify the ratings."""
        total = hashlib.sha256("\0".join(self.items).encode("utf-8", "surrogatepass"))
        for system in sorted(self.values):
            total.update(system.encode("utf-8", "surrogatepass") + self.values[system].astype("<f8").tobytes())
        return total.hexdigest()[:12]


def judgements(data: EvaluationSet | Any, criterion: str, *, texts: bool = False) -> Judgements:
    """The ratings of a criterion; systems that nobody rated are left out.

    Args:
        data: an evaluation set or what `nlgauge.load` reads
        criterion: what was rated
        texts: only ratings of outputs whose text is there

    >>> rows = [{"item": i, "system": s, "hypothesis": "x", "ratings": {"q": i % 3 + k, "r": i % 4}}
    ...         for i in range(8) for k, s in enumerate("ab")]
    >>> found = judgements(rows, "q")
    >>> found.values["b"].ravel()[:3].tolist()
    [1.0, 2.0, 3.0]
    """
    data = as_set(data)
    if criterion not in data.criteria:
        known = suggest(criterion, data.criteria) if data.criteria else "the data hold no ratings at all"
        raise InputError(f"{data.origin} has no ratings of {criterion!r}; {known}")
    rated: dict[tuple[str, str], list[tuple[Rater, float]]] = {}
    for segment in data if texts else data.judged():
        if criterion in segment.ratings:
            rated[segment.system, segment.item] = by_judge(segment, criterion, data.origin)
    judges = list(dict.fromkeys(judge for given in rated.values() for judge, _ in given))
    items = list(dict.fromkeys([*data.items, *(item for _, item in rated)]))
    item_places = {item: place for place, item in enumerate(items)}
    judge_places = {judge: place for place, judge in enumerate(judges)}
    values: dict[str, Array] = {}
    for (system, item), given in rated.items():
        table = values.setdefault(system, np.full((len(items), len(judges)), np.nan))
        for judge, value in given:
            table[item_places[item], judge_places[judge]] = value
    values = {system: values[system] for system in dict.fromkeys([*data.systems, *values]) if system in values}
    values = {system: table for system, table in values.items() if np.isfinite(table).any()}
    if not values:
        raise InputError(f"{data.origin}: all ratings of {criterion!r} are missing")
    return Judgements(criterion, items, judges, values)


def standardised(rated: Judgements) -> tuple[Judgements, list[str]]:
    """Each judge's ratings as z-scores, over all systems, and what a reader must know of them."""
    if not rated.named and len(rated.judges) == 1:
        raise InputError(
            f"z-scores need the judges' own ratings: {rated.criterion!r} is one number, not one for each judge"
        )
    table = np.stack(list(rated.values.values()))
    known = np.isfinite(table)
    codes: dict[tuple[str, bool], int] = {}
    columns = np.array([str(codes.setdefault((rater.name, rater.known), len(codes))) for rater in rated.judges])
    table[known], flat = judge_z(np.broadcast_to(columns, table.shape)[known].tolist(), table[known])
    values = dict(zip(rated.values, table, strict=True))
    told = f"{rated.criterion}: z-scores of each judge (0: the judge's mean, 1: the judge's standard deviation)"
    notes = [f"{told}; {counted(len(flat), 'judge')} gave one value only and count as 0" if flat else told]
    if not rated.named:
        notes.append("judges are told apart by their place in each list: z-scores need a `raters` list if they differ")
    return replace(rated, values=values, standardised=True), notes


def textless_remark(data: EvaluationSet, criterion: str, *, count: bool = True) -> list[str]:
    """That ratings of outputs whose text is not there count all the same, or cannot."""
    lacking = Counter(segment.system for segment in data.textless if criterion in segment.ratings)
    if not lacking:
        return []
    what = "their ratings count" if count else "a metric cannot help their ratings, which are left out"
    return [f"{criterion}: {counted(lacking.total(), 'rated output')} of {listing(list(lacking))} without text; {what}"]


def by_judge(segment: Segment, criterion: str, origin: str) -> list[tuple[Rater, float]]:
    rating = segment.ratings[criterion]
    given = rating if isinstance(rating, tuple) else (rating,)
    if any(isinstance(value, str) for value in given):
        raise InputError(f"{origin}: the ratings of {criterion!r} are words ({given[0]!r}); means need numbers")
    if any(abs(value) > LARGEST for value in given if not isinstance(value, str)):
        raise InputError(f"{origin}: a rating of {criterion!r} is too large; ratings must lie within ±{LARGEST:g}")
    raters = segment.extra.get("raters")
    names = [Rater(str(place), known=False) for place in range(1, len(given) + 1)]
    if isinstance(raters, list | tuple) and len(raters) == len(given):
        refuse_unnamed(raters, given, f"{origin}, item {segment.item}, {segment.system}")
        names = [Rater(str(rater), True, list(raters[:at]).count(rater)) for at, rater in enumerate(raters)]
    return [(name, float(value)) for name, value in zip(names, given, strict=True)]


def system_pairs(rated: Judgements, baseline: str | None) -> list[tuple[str, str]]:
    systems = list(rated.values)
    if len(systems) < 2:
        raise InputError(
            f"only {systems[0]!r} has ratings of {rated.criterion!r}; a comparison needs at least two systems"
        )
    return pairing.system_pairs(systems, baseline, f" with ratings of {rated.criterion!r}")


def refuse_unshared(rated: Judgements, system: str, other: str) -> None:
    """Two systems are compared on the items that both were rated on: there must be some."""
    if not (judged_items(rated.values[system]) & judged_items(rated.values[other])).any():
        raise InputError(
            f"no item has ratings of {rated.criterion!r} for both {system!r} and {other!r}, so the two cannot be "
            f"compared; leave one out with {option('without')}"
        )


def receipt_facts(data: EvaluationSet, rated: Judgements, sizes: Sequence[int]) -> dict[str, object]:
    return {
        "n": min(sizes) if min(sizes) == max(sizes) else f"{min(sizes)}-{max(sizes)}",
        "systems": len(rated.values),
        "judges": rated.people if rated.named else f"unnamed:{len(rated.judges)}",
        "judgements": rated.count,
        **data.digests(sources=False),
        "ratings": rated.digest,
        **({"standardise": "judges"} if rated.standardised else {}),
    }


def judge_remark(rated: Judgements) -> list[str]:
    """Where judges are few, for whom the interval and the p-value speak: items are resampled, judges are not."""
    if rated.people >= FEW_JUDGES:
        return []
    who = f"these {rated.people} judges" if len(rated.judges) > 1 else "this one judge"
    if rated.people > 1 and not rated.named:
        who = f"the judges of these data ({rated.people} judgements an output at most, no names of judges)"
    return [
        f"the interval and p speak of {who} on other items; other judges may differ: where they favour systems, "
        "simulation found a difference in 9 to 30 % of sets without one"
    ]


def rehearsal_remark(data: EvaluationSet) -> list[str]:
    """That the judges were simulated, where an exported study says so."""
    return [REHEARSAL] if any(simulated(segment.extra) for segment in data.judged()) else []


def kept_labels(labels: Mapping[str, str], items: Sequence[str], kept: NDArray[np.bool_]) -> list[str]:
    return [labels[item] for item, keep in zip(items, kept.tolist(), strict=True) if keep]


def criterion_names(criteria: str | Sequence[str]) -> list[str]:
    if isinstance(criteria, str):
        return [criteria]
    chosen = list(dict.fromkeys(criteria)) if isinstance(criteria, Iterable) else [criteria]
    if not all(isinstance(item, str) for item in chosen):
        raise InputError(f"criteria are given by name, such as 'clarity', or as a list of names; got {criteria!r}")
    if not chosen:
        raise InputError("no criterion given; name at least one that was rated")
    return chosen


def as_set(data: EvaluationSet | Any) -> EvaluationSet:
    return data if isinstance(data, EvaluationSet) else api.load(data)
