"""Which comparisons count, and what they say: systems on a screen with their places, and who was preferred to whom.

Practice and warm-up screens never count; surplus answers follow the rule fixed at launch, corrections take the place of
what they correct.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from nlgauge.arrays import Array, Ints
from nlgauge.errors import InputError
from nlgauge.stats.skill.games import TIE, Games
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.comparisons.answers import SIDES, best_of, wins
from nlgauge.study.protocols.comparisons.file import PairwiseStudy, comparison_study
from nlgauge.study.protocols.outputs.analysis.rows import Worded, first_wording
from nlgauge.study.protocols.ratings.analysis.rows import Criterion, Rated, sort_answers


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
        return best_of(self.answer)

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
        number = self.numbers
        rows = [
            (
                *(number[screen.systems[place]] for place in sorted((better, worse))),
                share if better < worse else 1 - share,
                judge,
                item,
            )
            for screen, judge, item in zip(self.screens, *self.codes(), strict=True)
            for better, worse, share in screen.wins
        ]
        first, second, scores, judges, items = (np.array(column) for column in zip(*rows, strict=True))
        score = scores.astype(np.float64)
        return Games(self.systems, first, second, score, item=items, judge=judges, judges=self.judges)

    @property
    def numbers(self) -> dict[str, int]:
        """The place of each system among them."""
        return {name: k for k, name in enumerate(self.systems)}

    def codes(self) -> tuple[Ints, Ints]:
        """Judge and item of each screen, numbered."""
        judge, item = ({name: k for k, name in enumerate(names)} for names in (self.judges, self.items))
        return (
            np.array([judge[screen.judge] for screen in self.screens], dtype=np.int64),
            np.array([item[screen.item] for screen in self.screens], dtype=np.int64),
        )

    def without(self, judges: Sequence[str]) -> Column:
        """The rest."""
        return replace(self, screens=tuple(screen for screen in self.screens if screen.judge not in judges))

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
    degrees: int
    rated: Rated  # its judgements hold comparisons, told as the share that a text wins

    @property
    def counted(self) -> tuple[Judgement, ...]:
        """What counts, in the order in which it was given."""
        return self.rated.counted

    def without(self, judges: Collection[str]) -> Sorted:
        """The same without some judges' answers; what is planned stays planned."""
        return replace(self, rated=self.rated.without(judges))

    def column(self, criterion: Question, panel: str) -> Column:
        """The answers of a panel for one criterion."""
        subject = self.rated.subject
        screens = tuple(
            Screen(
                judgement.judge,
                subject[judgement.texts[0]][0],
                tuple(subject[text][1] for text in judgement.texts),
                judgement.answer[criterion.id],
            )
            for judgement in self.rated.of(panel)
            if criterion.id in judgement.answer
        )
        return Column(self.protocol, criterion, panel, screens, self.degrees)


def sort_out(frozen: Frozen, judgements: Sequence[Judgement], *, panel: str | None = None) -> Sorted:
    """Apply the rules to a study's answers."""
    study = comparison_study(frozen.study)
    asked = tuple(
        Question(compared.id, compared.name, first_wording(compared.question)) for compared in study.questions_asked
    )
    shares = tuple(
        Criterion(question.id, question.name, 0.0, 1.0, 0, reverse=False, question=question.question, unit=True)
        for question in asked
    )
    rated = sort_answers(frozen, study, shares, judgements, panel=panel)
    for judgement in rated.counted:
        if len({rated.subject[text][1] for text in judgement.texts}) < len(judgement.texts):
            raise InputError(f"judgement {judgement.id!r} compares a system with itself, which this study never shows")
    return Sorted(study.protocol, asked, len(study.strength) if isinstance(study, PairwiseStudy) else 0, rated)


def won(found: Sorted) -> Rated:
    """Each output on each screen with the share of its comparisons there that it won, a tie as half a win."""
    declined = {
        f"{judgement.id}/{place}": found.rated.declined[judgement.id]
        for judgement in found.counted
        if judgement.id in found.rated.declined
        for place in range(len(judgement.texts))
    }
    counted = tuple(part for judgement in found.counted for part in _texts_won(judgement))
    return replace(found.rated, counted=counted, declined=declined, measured=frozenset())


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
