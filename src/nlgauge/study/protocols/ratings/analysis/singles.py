"""How well one judge of a panel stands for a panel: the figures in brackets of Belz and Reiter (2006), Table 3.

Each judge's mean score of every system is correlated with a panel's mean scores, and the correlations are averaged. A
panel's own judges are part of its mean, as in the paper; that flatters small panels, so the mean without the judge is
given beside it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlgauge.jsonable import Jsonable
from nlgauge.stats.correlation import SingleJudge, single_judge
from nlgauge.study.protocols.ratings.analysis.rows import Column

FEWEST = 3  # systems, below which a correlation says nothing


@dataclass(frozen=True)
class Single(Jsonable):
    """The judges of one panel, one by one, against the mean of a panel on one criterion."""

    KEYS = (
        "criterion, panel, group, of_means = found.of_means, mean_of_single_judges = found.estimate, "
        "each_left_out = left_out, judges = found.judges, undefined = found.undefined, systems = found.n"
    )

    criterion: str
    panel: str  # whose judges are taken one by one
    group: str  # whose mean they are compared with
    found: SingleJudge
    left_out: float = math.nan  # of a panel's own judges: each against the mean of the others


def single_judges(columns: Mapping[tuple[str, str], Column]) -> tuple[Single, ...]:
    """Every panel's judges against every panel's mean on every criterion; keys are panel and criterion."""
    found: list[Single] = []
    for criterion in dict.fromkeys(key[1] for key in columns):
        own = [column for key, column in columns.items() if key[1] == criterion]
        systems = [name for name in dict.fromkeys(own[0].systems) if all(name in column.systems for column in own)]
        if len(systems) >= FEWEST:
            tables = {column.panel: _scores(column, systems) for column in own}
            found += [_single(own[0].criterion.label, a, b, tables) for a in tables for b in tables]
    # one judge against a mean of which that judge is all tells nothing
    return tuple(row for row in found if row.found.judges > (1 if row.panel == row.group else 0))


def _single(criterion: str, panel: str, group: str, tables: Mapping[str, NDArray[np.float64]]) -> Single:
    if panel != group:
        return Single(criterion, panel, group, single_judge(tables[panel], tables[group]))
    rows = tables[panel]
    others = single_judge(rows, leave_out=True).estimate if len(rows) > 1 else math.nan
    return Single(criterion=criterion, panel=panel, group=group, found=single_judge(rows), left_out=others)


def _scores(column: Column, systems: Sequence[str]) -> NDArray[np.float64]:
    """Judges × systems: each judge's mean score of each system, NaN where there is none."""
    given: dict[tuple[str, str], list[float]] = {}
    for judge, system, value in zip(column.judges, column.systems, column.values.tolist(), strict=True):
        given.setdefault((judge, system), []).append(value)
    judges = list(dict.fromkeys(column.judges))
    return np.array([[np.mean(given.get((judge, name), [np.nan])) for name in systems] for judge in judges])
