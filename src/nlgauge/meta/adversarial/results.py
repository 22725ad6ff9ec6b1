"""What an adversarial search found: the path of every output, and figures over all of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nlgauge.errors import counted
from nlgauge.jsonable import Jsonable
from nlgauge.meta.adversarial.edits import Edit
from nlgauge.results import Result
from nlgauge.stats.results import Estimate
from nlgauge.wording.numbers import interval, listing, number, percent


@dataclass(frozen=True)
class Step(Edit):
    """An edit that was taken: the scores after it, and by how much it raised the metric."""

    score: float
    guards: Mapping[str, float]
    gain: float


@dataclass(frozen=True)
class Path(Jsonable):
    """One output and the edits that raised it, which are none where no edit did; scores are of the output as given."""

    KEYS = "..., gain"

    item: str
    system: str
    text: str
    score: float
    guards: Mapping[str, float]
    references: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()

    @property
    def gain(self) -> float:
        """By how much the edits raised the metric: a fall of the score where lower is better."""
        return sum(step.gain for step in self.steps)

    @property
    def final(self) -> Path | Step:
        """The output after the last edit."""
        return self.steps[-1] if self.steps else self


@dataclass(frozen=True)
class Reached:
    """The metric after so many edits, over all outputs: one that stopped earlier keeps what it had."""

    edits: int
    edited: int  # outputs with so many edits
    score: float
    gain: Estimate
    guards: Mapping[str, float]


@dataclass(frozen=True)
class KindFigures:
    """What one kind of edit contributed: `gain` is the mean of the edits taken, `share` their part of all gains.

    `first` is the mean over outputs of the best first edit of this kind that the guards allow, 0 where there is none.
    """

    kind: str
    taken: int
    gain: float
    share: float
    first: Estimate


@dataclass(frozen=True)
class Attacks(Result):
    """Everything one search found: `guards` with their directions, `places` the decimals of each metric's scores."""

    KEYS = "..., sentence = __str__"

    ROWS = "paths"

    metric: str
    direction: str
    guards: Mapping[str, str]
    places: Mapping[str, int]
    kinds: tuple[KindFigures, ...]
    curve: tuple[Reached, ...]
    raised: Estimate
    gain: Estimate
    paths: tuple[Path, ...]
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    receipts: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def largest(self) -> list[Path]:
        """The outputs that were raised, by falling gain."""
        return sorted((path for path in self.paths if path.steps), key=lambda path: -path.gain)

    def __str__(self) -> str:
        """The sentences for a paper."""
        return " ".join(sentences(self))


def sentences(found: Attacks) -> list[str]:
    """How far, how often, and by which edits."""
    most, places = found.settings["edits"], found.places[found.metric]
    kept = f" without improving {listing(list(found.guards))}" if found.guards else ""
    n = len(found.paths)
    if not found.largest:
        return [f"No edit improves {found.metric} on any of {counted(n, 'output')}{kept}."]
    bounds = interval(found.gain.low, found.gain.high, places)
    spread = f" ({percent(found.gain.level)} interval {bounds})" if bounds else ""
    first, last = (number(reached.score, places) for reached in (found.curve[0], found.curve[-1]))
    edits = "One edit an output improves" if most == 1 else f"Up to {most} edits an output improve"
    said = [
        f"{edits} {found.metric} from {first} to {last} on average, by "
        f"{number(found.gain.estimate, places)}{spread},{kept or ' with no guard'}; "
        f"{len(found.largest):,} of {counted(n, 'output')} could be improved."
    ]
    used = sorted((kind for kind in found.kinds if kind.taken), key=lambda kind: -kind.share)
    said.append(f"Of the gain {listing([f'{kind.share:.0%} came by {kind.kind}' for kind in used])}.")
    return said
