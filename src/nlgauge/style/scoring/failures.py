"""What fails: each output with the classifiers' decisions, patterns of failures, and which classifier decides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.jsonable import Jsonable
from nlgauge.learned.compliancy import AH, HH, MAIN, classifiers
from nlgauge.style.scoring.judged import Judged, Sample
from nlgauge.style.scoring.posing import GOLD, Posed

ORDER = (MAIN, HH, AH)
PATTERNS = tuple(
    tuple(name for name, fails in zip(ORDER, chosen, strict=True) if fails)
    for chosen in sorted(product((False, True), repeat=3), key=lambda chosen: (sum(chosen), chosen[::-1]))
)
"""Which classifiers an output fails: none, one alone, two, all."""


@dataclass(frozen=True)
class Failures(Jsonable):
    """A system in one direction: how many outputs fail by each pattern."""

    KEYS = "system, direction, n, failed, patterns, alone = each_alone, compliancy_without = without_each"

    system: str
    direction: str
    n: int
    counts: Mapping[tuple[str, ...], int]

    @property
    def failed(self) -> int:
        """Outputs that fail any classifier."""
        return self.n - self.counts[()]

    def alone(self, name: str) -> int:
        """Outputs that this classifier alone fails: they would comply without it."""
        return self.counts[name,]

    def without(self, name: str) -> float:
        """What compliancy would be without this classifier."""
        return (self.counts[()] + self.counts[name,]) / self.n

    @property
    def patterns(self) -> dict[str, int]:
        """How many outputs fail these together."""
        return {"+".join(pattern) or "none": count for pattern, count in self.counts.items()}

    @property
    def each_alone(self) -> dict[str, int]:
        """`alone`, of each classifier."""
        return {name: self.alone(name) for name in ORDER}

    @property
    def without_each(self) -> dict[str, float]:
        """`without`, of each classifier."""
        return {name: self.without(name) for name in ORDER}


def passed(sample: Sample, name: str) -> NDArray[np.bool_]:
    """Whether each output passes a classifier."""
    return sample.rows[name][:, 0] > 0


def failures_of(judged: Judged) -> tuple[Failures, ...]:
    """Every system, and gold, in every direction."""
    samples = {**judged.samples, **({GOLD: judged.gold} if judged.gold is not None else {})}
    found = []
    for system, sample in samples.items():
        fails = np.column_stack([~passed(sample, name) for name in ORDER])
        for place, direction in enumerate(judged.directions):
            own = fails[sample.where == place]
            counts = {
                pattern: int((own == [name in pattern for name in ORDER]).all(axis=1).sum()) for pattern in PATTERNS
            }
            found.append(Failures(system, direction, len(own), counts))
    return tuple(found)


def items_of(judged: Judged, posed: Posed, model: str) -> Iterator[dict[str, Any]]:
    """Every output with what each classifier says of it; they have read it before, so that none reads it again."""
    judges = classifiers(model)
    rows = list(posed.rows)
    outputs, headlines = ([row["hypothesis"] for row in rows], [row["source"]["headline"] for row in rows])
    articles = [row["source"]["text"] for row in rows]
    original, decided = judges.sources(headlines), judges.sources(outputs)
    hh, _ = judges.matching(HH, headlines, outputs)
    ah, _ = judges.matching(AH, articles, outputs)
    places = {
        (system, item): place for system, sample in judged.samples.items() for place, item in enumerate(sample.items)
    }
    ok = {(system, name): passed(sample, name) for system, sample in judged.samples.items() for name in ORDER}
    for number, row in enumerate(rows):
        place = places[row["system"], row["item"]]
        fails = [name for name in ORDER if not ok[row["system"], name][place]]
        now = int(decided[number].argmax())
        yield {
            "item": row["item"],
            "direction": row["direction"],
            "system": row["system"],
            "headline": row["source"]["headline"],
            "text": row["hypothesis"],
            "gold": row.get("references", [None])[0],
            "original_style": judges.labels[int(original[number].argmax())],
            "style": judges.labels[now],
            "style_probability": float(decided[number, now]),
            "main": not fails.count(MAIN),
            "hh": not fails.count(HH),
            "hh_probability": float(hh[number]),
            "ah": not fails.count(AH),
            "ah_probability": float(ah[number]),
            "compliancy": not fails,
            "fails": "+".join(fails) or "none",
        }
