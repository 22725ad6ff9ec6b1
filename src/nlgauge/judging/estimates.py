"""Each system's win rate as people see it, from few human verdicts and many of the machine.

A system's win rate is the mean of its points (1, 0.5 for a tie, 0) over items, each the mean of its matches. People
alone, prediction-powered (PPI++), and control variates stand beside each other. The items that people judged must be
a random sample of all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nlgauge.errors import InputError
from nlgauge.judging.asking import Verdict
from nlgauge.judging.matches import SCORE
from nlgauge.stats.control_variates import ControlVariates, control_variates
from nlgauge.stats.prediction_powered import PredictionPowered, prediction_powered


@dataclass(frozen=True)
class WinRate:
    """One system's, by each way of estimating it."""

    system: str
    powered: PredictionPowered
    controlled: ControlVariates

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return {
            "system": self.system,
            "prediction_powered": self.powered.to_dict(),
            "control_variates": self.controlled.to_dict(),
        }


def win_rates(verdicts: Sequence[Verdict], *, level: float = 0.95) -> tuple[WinRate, ...]:
    """Of every system with enough items that people judged, and enough others."""
    people: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    same: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    others: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for verdict in verdicts:
        match = verdict.match
        if verdict.outcome is None or match.other is not None:  # systems meet on one item
            continue
        for system, side in ((match.a, 1.0), (match.b, -1.0)):
            points = 0.5 + side * (SCORE[verdict.outcome] - 0.5)
            if match.human:
                given = float(np.mean([SCORE[said] for said in match.human]))
                people[system][match.item].append(0.5 + side * (given - 0.5))
                same[system][match.item].append(points)
            else:
                others[system][match.item].append(points)
    found = []
    for system, judged in people.items():
        known = list(judged)
        rest = [item for item in others[system] if item not in judged]
        y, f = ([float(np.mean(values[item])) for item in known] for values in (judged, same[system]))
        g = [float(np.mean(others[system][item])) for item in rest]
        try:
            powered = prediction_powered(y, f, g, level=level, name=system)
            controlled = control_variates(
                np.array([*y, *[np.nan] * len(g)]), np.array([*f, *g]), level=level, name=system
            )
        except InputError:  # too few of either
            continue
        found.append(WinRate(system, powered, controlled))
    return tuple(sorted(found, key=lambda rate: -rate.powered.estimate))
