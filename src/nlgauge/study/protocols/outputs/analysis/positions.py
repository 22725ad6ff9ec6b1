"""Answers by the place of their question on the page, where the order of the criteria is random: a description only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nlgauge.jsonable import Jsonable
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.outputs.file import OutputStudy


@dataclass(frozen=True)
class Position(Jsonable):
    """The answers to one criterion of one panel that were given at one place."""

    KEYS = "panel, criterion = criterion.id, position = place, n, mean = told"

    panel: str
    criterion: Any
    place: int  # from 1
    n: int
    mean: float  # of answers as the analysis reads them

    @property
    def told(self) -> float:
        """The mean as the answers are told."""
        return float(self.criterion.told(self.mean))


def positions_in(
    study: OutputStudy, counted: Sequence[Judgement], criteria: Sequence[Any], machines: frozenset[str]
) -> tuple[Position, ...]:
    """The mean answer to each criterion at each place; nothing where the order is as listed."""
    if study.criteria_order == "listed" or len(criteria) < 2:
        return ()
    given: dict[tuple[str, str, int], list[float]] = defaultdict(list)
    for judgement in counted:
        if judgement.panel not in machines:
            places, answer = study.positions(judgement.judge, judgement.slot), judgement.answer
            for asked in criteria:
                if asked.id in answer and asked.id in places:
                    given[judgement.panel, asked.id, places[asked.id]].append(asked.score(answer[asked.id]))
    by_id = {asked.id: asked for asked in criteria}
    order = {name: number for number, name in enumerate(by_id)}
    return tuple(
        Position(panel=panel, criterion=by_id[name], place=place, n=len(values), mean=sum(values) / len(values))
        for (panel, name, place), values in sorted(
            given.items(), key=lambda row: (row[0][0], order[row[0][1]], row[0][2])
        )
    )
