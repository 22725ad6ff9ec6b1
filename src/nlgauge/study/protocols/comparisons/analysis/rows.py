"""Which comparisons count, and what they say: systems on a screen with their places, and who was preferred to whom.

Practice and warm-up screens never count; surplus answers follow the rule fixed at launch, corrections take the place of
what they correct.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from nlgauge.arrays import Array, Ints
from nlgauge.errors import InputError
from nlgauge.stats.skill.games import TIE, Games
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.comparisons.answers import SIDES, wins
from nlgauge.study.protocols.comparisons.file import PairwiseStudy, comparison_study
from nlgauge.study.protocols.outputs.abstaining import all_declined, judged
from nlgauge.study.protocols.outputs.analysis.rows import (
    Worded,
    first_wording,
    panels_of,
    planned_answers,
    subjects_of,
    told_apart,
)
from nlgauge.study.protocols.outputs.control import missed
from nlgauge.study.protocols.outputs.machines import machines_of
from nlgauge.study.protocols.outputs.protocol import output_protocol
from nlgauge.study.protocols.ratings.analysis.rows import Criterion, Rated


@dataclass(frozen=True)
class Question(Worded):
    """What was asked."""

    id: str
    name: str
    question: str


@dataclass(frozen=True)
class Screen:
    """One answer for one criterion: the systems from the first place to the last."""

    judge: str
    item: str
    systems: tuple[str, ...]
    answer: Mapping[str, Any]

    @property
    def wins(self) -> Iterator[tuple[int, int, float]]:
        """Places of two texts, the better first, and its share of the win: 1, or 0.5 for a tie."""
        return wins(self.answer, len(self.systems))

    @property
    def groups(self) -> list[list[int]]:
        """Places from the best to the worst; nothing is known, or nothing differs, within a group."""
        if "preference" in self.answer:
            side = self.answer["preference"]
            return [[0, 1]] if side not in SIDES else [[SIDES.index(side)], [1 - SIDES.index(side)]]
        if "ranks" in self.answer:
            ranks = self.answer["ranks"]
            return [[k for k, own in enumerate(ranks) if own == rank] for rank in sorted(set(ranks))]
        best, worst = self.answer["best"], self.answer["worst"]
        middle = [k for k in range(len(self.systems)) if k not in (best, worst)]
        return [[best], *([middle] if middle else []), [worst]]

    @property
    def best(self) -> int | None:
        """The place of the single best text."""
        first = self.groups[0]
        return first[0] if len(first) == 1 else None

    @property
    def degree(self) -> int:
        """A preference with its strength, above 0 for the first text."""
        size: int = self.answer.get("strength", 1)
        return {"a": size, "b": -size}.get(self.answer["preference"], 0)


@dataclass(frozen=True)
class Column:
    """The answers of one panel for one criterion."""

    protocol: str
    criterion: Question
    panel: str
    screens: tuple[Screen, ...]
    degrees: int = 0  # of preference

    def __len__(self) -> int:
        return len(self.screens)

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Those that were judged, in the order of their names."""
        return tuple(sorted({name for screen in self.screens for name in screen.systems}))

    @cached_property
    def judges(self) -> tuple[str, ...]:
        """Who answered, in the order of their first answers."""
        return tuple(dict.fromkeys(screen.judge for screen in self.screens))

    @cached_property
    def items(self) -> tuple[str, ...]:
        """What was shown."""
        return tuple(dict.fromkeys(screen.item for screen in self.screens))

    @cached_property
    def places(self) -> int:
        """Texts on a screen."""
        return max(len(screen.systems) for screen in self.screens)

    @property
    def ties(self) -> int:
        """Comparisons of two texts without a preference."""
        return int((self.games.score == TIE).sum())

    @cached_property
    def games(self) -> Games:
        """Every comparison of two texts, the text in the earlier place first."""
        number = {name: k for k, name in enumerate(self.systems)}
        judge = {name: k for k, name in enumerate(self.judges)}
        item = {name: k for k, name in enumerate(self.items)}
        rows: list[tuple[int, int, float, int, int]] = []
        for screen in self.screens:
            for better, worse, share in screen.wins:
                first, second = min(better, worse), max(better, worse)
                score = share if better == first else 1 - share
                rows.append(
                    (
                        number[screen.systems[first]],
                        number[screen.systems[second]],
                        score,
                        item[screen.item],
                        judge[screen.judge],
                    )
                )
        first_, second_, score_, item_, judge_ = (np.array(column) for column in zip(*rows, strict=True))
        return Games(
            players=self.systems,
            first=first_,
            second=second_,
            score=score_.astype(np.float64),
            item=item_,
            judge=judge_,
            judges=self.judges,
        )

    def codes(self) -> tuple[Ints, Ints]:
        """Judge and item of each screen, numbered."""
        judge = {name: k for k, name in enumerate(self.judges)}
        item = {name: k for k, name in enumerate(self.items)}
        return (
            np.array([judge[screen.judge] for screen in self.screens], dtype=np.int64),
            np.array([item[screen.item] for screen in self.screens], dtype=np.int64),
        )

    def without(self, judges: Sequence[str]) -> Column:
        """The rest."""
        kept = tuple(screen for screen in self.screens if screen.judge not in judges)
        return Column(self.protocol, self.criterion, self.panel, kept, self.degrees)

    def output_means(self) -> dict[tuple[str, str], float]:
        """The share of its comparisons that each output won, a tie as half."""
        won: dict[tuple[str, str], list[float]] = {}
        for screen in self.screens:
            for better, worse, share in screen.wins:
                won.setdefault((screen.item, screen.systems[better]), []).append(share)
                won.setdefault((screen.item, screen.systems[worse]), []).append(1 - share)
        return {output: float(np.mean(shares)) for output, shares in won.items()}

    def table(self) -> tuple[list[str], list[str], Array]:
        """Who preferred what: pairs of outputs × judges, 1 for the first named, -1 for the other, 0 for a tie.

        Which of the two is named first alternates from pair to pair, so that agreement by chance is that of coins
        however much better one system is (as in WMT's kappa). Of a judge's several answers the first counts.
        """
        told: dict[tuple[str, str, str], dict[str, float]] = {}
        for screen in self.screens:
            for better, worse, share in screen.wins:
                a, b = screen.systems[better], screen.systems[worse]
                value = 0.0 if share == TIE else 1.0
                key, sign = ((screen.item, a, b), 1.0) if a < b else ((screen.item, b, a), -1.0)
                told.setdefault(key, {}).setdefault(screen.judge, sign * value)
        units = sorted(told, key=lambda key: (key[1:], key[0]))
        table = np.full((len(units), len(self.judges)), np.nan)
        names, place = [], {judge: number for number, judge in enumerate(self.judges)}
        for row, (item, a, b) in enumerate(units):
            turned = row % 2 == 1
            names.append(f"{item} / {b} – {a}" if turned else f"{item} / {a} – {b}")
            for judge, given in told[item, a, b].items():
                table[row, place[judge]] = -given if turned else given
        return names, list(self.judges), table


@dataclass(frozen=True)
class Sorted:
    """A study's comparisons, sorted out."""

    protocol: str
    criteria: tuple[Question, ...]
    panels: tuple[str, ...]
    systems: tuple[str, ...]
    counted: tuple[Judgement, ...]  # in the order in which they were given
    aside: Mapping[str, int]
    planned: Mapping[str, int]
    degrees: int
    names: Mapping[str, str]
    subject: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # item and system of a text
    machines: frozenset[str] = frozenset()  # panels of machines
    declined: Mapping[str, frozenset[str]] = field(
        default_factory=dict
    )  # by judgement: the criteria that its judge could not judge; `counted` holds the others
    missed: Mapping[str, Sequence[bool]] = field(default_factory=dict)  # by judge: attention checks

    def of(self, panel: str) -> tuple[Judgement, ...]:
        """The answers of one panel."""
        return tuple(judgement for judgement in self.counted if judgement.panel == panel)

    def without(self, judges: Collection[str]) -> Sorted:
        """The same without some judges' answers; what is planned stays planned."""
        return replace(self, counted=tuple(judgement for judgement in self.counted if judgement.judge not in judges))

    def column(self, criterion: Question, panel: str) -> Column:
        """The answers of a panel for one criterion."""
        screens = tuple(
            Screen(
                judgement.judge,
                self.subject[judgement.texts[0]][0],
                tuple(self.subject[text][1] for text in judgement.texts),
                judgement.answer[criterion.id],
            )
            for judgement in self.of(panel)
            if criterion.id in judgement.answer
        )
        return Column(self.protocol, criterion, panel, screens, self.degrees)


def sort_out(frozen: Frozen, judgements: Sequence[Judgement], *, panel: str | None = None) -> Sorted:
    """Apply the rules to a study's answers."""
    study = comparison_study(frozen.study)
    machines = machines_of(frozen, study, judgements)
    panels = panels_of(frozen, panel, machines)
    given, extra, aside = told_apart(frozen, judgements, panels)
    counted = [judged(judgement) for judgement in given]
    subject = subjects_of(frozen)
    for judgement in counted:
        if len({subject[text][1] for text in judgement.texts}) < len(judgement.texts):
            raise InputError(f"judgement {judgement.id!r} compares a system with itself, which this study never shows")
    return Sorted(
        protocol=study.protocol,
        criteria=tuple(
            Question(compared.id, compared.name, first_wording(compared.question)) for compared in study.questions_asked
        ),
        panels=panels,
        systems=tuple(called or name for name, called in study.authors.items()),
        counted=tuple(counted),
        aside=aside,
        planned=planned_answers(frozen, panels, machines),
        degrees=len(study.strength) if isinstance(study, PairwiseStudy) else 0,
        names={name: called or name for name, called in study.authors.items()},
        subject=subject,
        machines=frozenset(machines),
        declined=all_declined(given),
        missed=missed(frozen, study, extra, output_protocol(study).agrees),
    )


def shares_won(frozen: Frozen, judgements: Sequence[Judgement]) -> Rated:
    """Each output on each screen with the share of its comparisons there that it won, a tie as half a win."""
    return won(sort_out(frozen, judgements))


def won(found: Sorted) -> Rated:
    """The same of comparisons that are sorted out."""
    criteria = tuple(
        Criterion(
            id=question.id,
            name=question.name,
            low=0.0,
            high=1.0,
            points=0,
            reverse=False,
            question=question.question,
            unit=True,
        )
        for question in found.criteria
    )
    counted = tuple(part for judgement in found.counted for part in _texts_won(judgement))
    return Rated(
        criteria,
        found.panels,
        found.systems,
        counted,
        copies=(),
        missed={},
        aside=found.aside,
        subject=found.subject,
        machines=found.machines,
        declined={
            f"{judgement.id}/{place}": found.declined[judgement.id]
            for judgement in found.counted
            if judgement.id in found.declined
            for place in range(len(judgement.texts))
        },
    )


def _texts_won(judgement: Judgement) -> Iterator[Judgement]:
    """A comparison as answers about its texts."""
    shares: list[dict[str, list[float]]] = [{} for _ in judgement.texts]
    for criterion, answer in judgement.answer.items():
        for better, worse, share in wins(answer, len(judgement.texts)):
            shares[better].setdefault(criterion, []).append(share)
            shares[worse].setdefault(criterion, []).append(1 - share)
    for place, (text, item) in enumerate(zip(judgement.texts, judgement.items, strict=True)):
        means = {criterion: float(np.mean(won)) for criterion, won in shares[place].items()}
        yield replace(judgement, id=f"{judgement.id}/{place}", texts=(text,), items=(item,), answer=means)
