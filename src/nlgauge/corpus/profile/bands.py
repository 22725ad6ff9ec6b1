"""Whether inputs of frequent predicates are rated higher than those with a rare one: the head and the tail.

An input is as frequent as its rarest predicate is in the training data. Differences are between means over items, each
item's score the mean of its judgements; whole items are drawn, so that the systems' outputs of one item stay together.
A side of fewer than ten items gets no interval.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nlgauge.arrays import Array
from nlgauge.corpus.entries import Corpus, Entry
from nlgauge.errors import InputError, suggest
from nlgauge.jsonable import Jsonable
from nlgauge.stats.resample import IntervalOptions, bootstrap
from nlgauge.stats.results import Estimate
from nlgauge.stats.sampled import Score

Key = tuple[str, str]  # of an entry: split and item
FEWEST = 10  # items of either side for an interval
HEAD = 100  # triples of a predicate from which on it is frequent
TOGETHER = "all systems"


@dataclass(frozen=True)
class Band(Jsonable):
    """Items whose rarest predicate has `least` to `most` triples in the training data (`most` None: no limit)."""

    least: int
    most: int | None
    items: int

    def __str__(self) -> str:
        if self.most is None:
            return f"{self.least:,} and more"
        return str(self.least) if self.most == self.least else f"{self.least:,} to {self.most:,}"


@dataclass(frozen=True)
class HeadAndTail(Jsonable):
    """Mean ratings of a system by band (None where a band has no item), and the head's minus the tail's.

    `alike` compares only items of the same number of triples: the mean of the differences within each size, weighted
    by the items of the size's smaller side. `middle` is the head's minus that of the band between.
    """

    system: str
    criterion: str
    means: tuple[float | None, ...]
    difference: Estimate
    alike: Estimate
    middle: Estimate


@dataclass(frozen=True)
class ByFrequency(Jsonable):
    """The bands and every system's figures, all systems together first; `split` names the items, if not all."""

    split: str
    bands: tuple[Band, ...]
    rows: tuple[HeadAndTail, ...]


def by_frequency(
    corpus: Corpus,
    frequencies: Mapping[str, int],
    criterion: str,
    *,
    without: Sequence[str] = (),
    under: int = 10,
    seed: int = 12345,
    level: float = 0.95,
) -> tuple[ByFrequency, ...]:
    """The ratings of outputs by the training frequency of their rarest predicate: all items, then each split."""
    known = sorted({name for output in corpus.outputs for name in output.ratings})
    if criterion not in known:
        told = suggest(criterion, known) if known else "the data hold no ratings of outputs"
        raise InputError(f"no output is rated for {criterion!r}; {told}")
    if not 1 < under < HEAD:
        raise InputError(f"the tail must end above 1 and before the head begins, at {HEAD}; got {under}")
    edges = (0, 1, under, HEAD)
    options: IntervalOptions = {"seed": seed, "level": level}
    found = []
    splits = list(dict.fromkeys(entry.split for entry in corpus.entries))
    for split in ("", *(splits if len(splits) > 1 else ())):
        entries = [entry for entry in corpus.entries if entry.triples and split in ("", entry.split)]
        band = {entry.key: _band(entry, frequencies, edges) for entry in entries}
        counts = [sum(place == own for own in band.values()) for place in range(len(edges))]
        bands = tuple(
            Band(least, most, count)
            for least, most, count in zip(edges, (0, under - 1, HEAD - 1, None), counts, strict=True)
        )
        scores = _scores(corpus, criterion, set(band), without)
        rows = tuple(_head_and_tail(name, criterion, entries, band, rated, options) for name, rated in scores.items())
        found.append(ByFrequency(split, bands, rows))
    return tuple(found)


def _band(entry: Entry, frequencies: Mapping[str, int], edges: Sequence[int]) -> int:
    rarest = min(frequencies.get(triple.predicate, 0) for triple in entry.triples)
    return sum(rarest >= edge for edge in edges) - 1


def _scores(corpus: Corpus, criterion: str, items: set[Key], without: Sequence[str]) -> dict[str, dict[Key, float]]:
    """Mean ratings by system and item, first those of all systems together."""
    by_system: dict[str, dict[Key, float]] = defaultdict(dict)
    together: dict[Key, list[float]] = defaultdict(list)
    for output in corpus.outputs:
        if output.system not in without and output.key in items and criterion in output.ratings:
            by_system[output.system][output.key] = output.ratings[criterion]
            together[output.key].append(output.ratings[criterion])
    means = {item: sum(values) / len(values) for item, values in together.items()}
    return {TOGETHER: means, **by_system}


def _head_and_tail(
    system: str,
    criterion: str,
    entries: Sequence[Entry],
    band: Mapping[Key, int],
    rated: Mapping[Key, float],
    options: IntervalOptions,
) -> HeadAndTail:
    sizes = sorted({len(entry.triples) for entry in entries})
    # for each size and side (tail, middle, head): sum and count of the items' scores
    rows = np.zeros((len(entries), len(sizes), 3, 2))
    for number, entry in enumerate(entries):
        if entry.key in rated:
            side = max(0, band[entry.key] - 1)
            rows[number, sizes.index(len(entry.triples)), side] = (rated[entry.key], 1)
    shape = rows.shape[1:]

    def means(sums: Array) -> Array:
        cells = sums.reshape(*sums.shape[:-1], *shape).sum(axis=-3)
        found: Array = cells[..., 0] / cells[..., 1]
        return found

    def alike(sums: Array) -> Array:
        cells = sums.reshape(*sums.shape[:-1], *shape)
        weights = np.minimum(cells[..., 0, 1], cells[..., 2, 1])
        own = np.where(cells[..., 1] > 0, cells[..., 0] / np.maximum(cells[..., 1], 1), 0.0)
        differences = own[..., 2] - own[..., 0]
        found: Array = (weights * differences).sum(axis=-1) / weights.sum(axis=-1)
        return found

    scores: dict[str, Score] = {
        "difference": lambda sums: means(sums)[..., 2] - means(sums)[..., 0],
        "alike": alike,
        "middle": lambda sums: means(sums)[..., 2] - means(sums)[..., 1],
    }
    sides = rows[..., 1].sum(axis=(0, 1))
    flat = rows.reshape(len(entries), -1)
    with np.errstate(divide="ignore", invalid="ignore"):
        estimates = {
            name: _estimate(name, flat, score, options, few=min(sides[2], sides[1 if name == "middle" else 0]) < FEWEST)
            for name, score in scores.items()
        }
    of_bands = [[score for key, score in rated.items() if band[key] == place] for place in range(4)]
    return HeadAndTail(
        system,
        criterion,
        tuple(sum(values) / len(values) if values else None for values in of_bands),
        **estimates,
    )


def _estimate(name: str, rows: Array, score: Score, options: IntervalOptions, *, few: bool) -> Estimate:
    """The score of all items; no limits where the items are `few`."""
    value = float(score(rows.sum(axis=0)))
    if few or not np.isfinite(value):
        return Estimate(value, name=name, n=len(rows))
    found = bootstrap(rows, score, **options)
    method = "bootstrap over items"
    return Estimate(
        estimate=value,
        low=found.low,
        high=found.high,
        level=found.level,
        method=method,
        n=len(rows),
        name=name,
        notes=found.notes,
    )
