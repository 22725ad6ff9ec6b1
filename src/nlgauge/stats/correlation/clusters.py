"""Groups of metrics that are not significantly different, as WMT ranks them, and as letters.

Metrics are taken from the best to the worst. One opens a new group as soon as some member of the current
group is significantly better than it; so no member of a group is significantly worse than another member of
the same group. This is mt-metrics-eval's rule. Groups depend on the order: a metric may be indistinguishable
from one of the group above it, which `beaten_by` shows. Letters show it too: metrics that share one do not differ.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass

from nlgauge.stats.correlation.significance import MetricComparison


@dataclass(frozen=True)
class Ranked:
    """A metric's place: its group (`rank`, from 1), and the metrics significantly better than it."""

    metric: str
    value: float
    rank: int
    beaten_by: tuple[str, ...]


def clusters(comparisons: Sequence[MetricComparison], *, alpha: float = 0.05) -> tuple[Ranked, ...]:
    """The metrics of all-pairs comparisons from best to worst, with the rank of their group."""
    values: dict[str, float] = {}
    better: dict[str, set[str]] = {}
    for comparison in comparisons:
        values[comparison.metric], values[comparison.other] = comparison.value, comparison.other_value
        if comparison.significant(alpha):
            winner, loser = (
                (comparison.metric, comparison.other)
                if comparison.estimate > 0
                else (comparison.other, comparison.metric)
            )
            better.setdefault(loser, set()).add(winner)
    order = sorted(values, key=lambda name: -values[name])
    ranked: list[Ranked] = []
    rank, group = 1, set[str]()
    for name in order:
        if better.get(name, set()) & group:
            rank, group = rank + 1, set()
        group.add(name)
        beaten = tuple(other for other in order if other in better.get(name, set()))
        ranked.append(Ranked(name, values[name], rank, beaten))
    return tuple(ranked)


def letters(comparisons: Sequence[MetricComparison], *, alpha: float = 0.05) -> dict[str, str]:
    """Compact letters (Piepho 2004): two metrics share one exactly if they do not differ significantly."""
    ranked = [entry.metric for entry in clusters(comparisons, alpha=alpha)]
    groups = [frozenset(ranked)]
    for comparison in comparisons:
        if comparison.significant(alpha):
            pair = {comparison.metric, comparison.other}
            split = [group - {name} if pair <= group else group for group in groups for name in pair]
            groups = [group for group in dict.fromkeys(split) if not any(group < other for other in split)]
    place = {name: number for number, name in enumerate(ranked)}
    ordered = sorted(groups, key=lambda group: sorted(place[name] for name in group))
    return {name: "".join(_letter(number) for number, group in enumerate(ordered) if name in group) for name in ranked}


def _letter(number: int) -> str:
    """a to z, A to Z, and from then on Greek."""
    known = string.ascii_letters
    return known[number] if number < len(known) else chr(ord("α") + number - len(known))
