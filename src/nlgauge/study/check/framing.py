"""Before launch: how many judges read each wording of the questions, and which effect of the wording they find.

Wordings differ between judges, so the spread that counts is that of judges, not of answers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from nlgauge.errors import counted
from nlgauge.stats.dealt import ALPHA, smallest
from nlgauge.study.check.findings import Finding
from nlgauge.study.check.foresight import POWER, SPREAD
from nlgauge.study.launch.frozen import Frozen
from nlgauge.study.protocols.ratings.file import RatingStudy

STRICTNESS = 0.15
"""By how much judges differ in their level, as a share of the scale (standard deviation): the median of the three
criteria of WebNLG 2017's crowd (0.11, 0.15, 0.18; 86 judges with 20 outputs or more)."""
TENTH = 0.1  # of the scale: an effect that would matter
MOST = 10_000  # judges of a wording


def wording_findings(frozen: Frozen, lines: Mapping[str, int]) -> Iterator[Finding]:
    """Of every panel of people, where judges are dealt wordings."""
    study = frozen.study
    names = study.wordings
    for panel in study.panels if names else ():
        judges = study.panels[panel].judges
        if study.panels[panel].kind != "people":
            continue
        shares = [judges // len(names) + (place < judges % len(names)) for place in range(len(names))]
        least = "" if len(set(shares)) == 1 else f"{shares[-1]} or "
        told, figures = _detected(frozen, panel, shares[0], shares[-1])
        yield Finding(
            "note" if figures else "risk",
            "wordings",
            f"panel {panel}: each of the {len(names)} wordings ({', '.join(names)}) is read by {least}"
            f"{counted(shares[0], 'judge')}; {told}",
            lines.get(f"panels.{panel}", 0),
            {"judges_each": shares, **figures},
        )


def _detected(frozen: Frozen, panel: str, first: int, second: int) -> tuple[str, dict[str, Any]]:
    """The effect that so many judges of two wordings find, in words and figures."""
    if (1 + (first == second)) / math.comb(first + second, first) > ALPHA:
        return (
            "with so few no effect of a wording, however large, can be significant; plan at least 4 judges for each",
            {},
        )
    size = _smallest(1.0, first, second)
    power = f"with power {POWER:g}"
    if not isinstance(frozen.study, RatingStudy):
        told = f"an effect of {size:.2g} standard deviations between judges is found {power}"
        return told, {"standard_deviations": round(size, 4)}
    answers = frozen.study.screens(frozen.study.panels[panel].evaluations)
    spread = math.sqrt(STRICTNESS**2 + (SPREAD.residual + SPREAD.item_system) / max(1, answers))
    asked = next(question for question in frozen.study.questions_asked if question.wordings)
    points = size * spread * (asked.scale.high - asked.scale.low)
    each = next((n for n in range(4, MOST) if _smallest(spread, n, n) <= TENTH), MOST)
    told = (
        f"if judges differ in strictness as much as in WebNLG 2017, an effect of {points:.2g} on the level "
        f"({asked.id}, {asked.scale}) is found {power}"
    )
    if size * spread > TENTH:
        told += f"; to find a tenth of the scale takes {counted(each, 'judge')} for each wording"
    return told, {
        "difference": round(points, 4),
        "share_of_scale": round(size * spread, 4),
        "judges_for_a_tenth": each,
    }


def _smallest(spread: float, first: int, second: int) -> float:
    return smallest(spread, 1 / first + 1 / second, first + second - 2)
