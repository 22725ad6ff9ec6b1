"""A study beside the experts who judged a sample of its outputs again: panels, systems, and each judge."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.stats.agreement.concordance import pearson
from nlgauge.study.protocols.outputs.analysis.between import Pair, pair_of
from nlgauge.study.protocols.ratings.analysis.models import Models, fit
from nlgauge.study.protocols.ratings.analysis.rows import Column

FEW = 3  # outputs from which on a correlation is told


@dataclass(frozen=True)
class Against(Jsonable):
    """One judge against the experts' means of the same outputs, in shares of the scale."""

    judge: str
    n: int
    difference: float  # the judge's less the experts', on average
    apart: float  # mean absolute
    r: float


@dataclass(frozen=True)
class Rechecked(Jsonable):
    """One criterion of one panel against the experts."""

    KEYS = "*pair, rechecked = outputs, judges"

    pair: Pair
    outputs: int
    judges: tuple[Against, ...]  # the farthest first


def rechecked(
    columns: Mapping[tuple[str, str], Column],
    models: Mapping[tuple[str, str], Models],
    experts: Mapping[tuple[str, str], Column],
) -> tuple[Rechecked, ...]:
    """Every panel on every criterion that the experts judged too."""
    found = []
    for (panel, criterion), column in columns.items():
        for (name, other), expert in experts.items():
            if other != criterion:
                continue
            shared = set(column.outputs) & set(expert.outputs)
            if not shared:
                continue
            called = name if name != panel else f"{name} (recheck)"
            pair = pair_of((panel, column, models[panel, criterion]), (called, expert, fit(expert)), level=True)
            found.append(Rechecked(pair, len(shared), _judges(column, expert)))
    if columns and not found:
        raise InputError(
            "the recheck shares no criterion and output with the study; name the folder that study recheck made"
        )
    return tuple(found)


def _judges(column: Column, expert: Column) -> tuple[Against, ...]:
    truth, width = expert.output_means(), column.criterion.width
    own: dict[str, list[tuple[float, float]]] = {}
    for output, judge, value in zip(column.outputs, column.judges, column.values.tolist(), strict=True):
        if output in truth:
            own.setdefault(judge, []).append((value / width, truth[output] / width))
    rows = []
    for judge, values in own.items():
        a, b = np.array(values).T
        varied = len(a) >= FEW and np.ptp(a) > 0 and np.ptp(b) > 0
        r = float(pearson(a, b)) if varied else math.nan
        rows.append(
            Against(judge=judge, n=len(a), difference=float((a - b).mean()), apart=float(np.abs(a - b).mean()), r=r)
        )
    return tuple(sorted(rows, key=lambda one: (-one.apart, one.judge)))
