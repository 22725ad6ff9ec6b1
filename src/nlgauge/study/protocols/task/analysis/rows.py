"""Which answers to tasks count, scored by the key: one row for each question of each judgement."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nlgauge.arrays import Array
from nlgauge.study.launch.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.outputs.gold import CHECK
from nlgauge.study.protocols.ratings.analysis.rows import Column, Criterion, Rated, sort_answers
from nlgauge.study.protocols.task.file import TaskStudy, task_study
from nlgauge.study.protocols.task.layout import posed_about
from nlgauge.study.protocols.task.protocol import scored

SUCCESS, WHOLE, CONFIDENCE, SECONDS = "success", "all right", "confidence", "seconds"
BETWEEN = " · "  # item and question, where a question takes the place of an item
ASKED = {
    SUCCESS: Criterion(SUCCESS, "success", 0, 1, 2, False, "Is the answer right by the key?", unit=True),
    WHOLE: Criterion(WHOLE, "all right", 0, 1, 2, False, "Are all answers about a text right?", unit=True),
    CONFIDENCE: Criterion(CONFIDENCE, "confidence", 1, 5, 5, False, "How sure are you of your answers?"),
}


@dataclass(frozen=True)
class Row:
    """One answer to one question."""

    judgement: str
    judge: str
    panel: str
    item: str
    question: str
    system: str
    right: bool
    chance: float  # of a right answer by guessing


@dataclass(frozen=True)
class Answers:
    """A study's answers, sorted out and scored."""

    rated: Rated  # its judgements hold the share of right answers
    rows: tuple[Row, ...]
    formula: bool  # whether success is also corrected for guessing

    def of(self, panel: str) -> list[Row]:
        """The rows of a panel."""
        return [one for one in self.rows if one.panel == panel]

    def without(self, judges: Collection[str]) -> Answers:
        """The same without some judges' answers."""
        rows = tuple(one for one in self.rows if one.judge not in judges)
        return replace(self, rated=self.rated.without(judges), rows=rows)

    def columns(self) -> dict[tuple[str, str], Column]:
        """By panel and criterion: success question by question, the rest text by text."""
        found: dict[tuple[str, str], Column] = {}
        for panel in self.rated.panels:
            own = self.of(panel)
            if own:
                found[panel, SUCCESS] = success(own, panel)
            for criterion in self.rated.criteria[1:]:
                column = self.rated.column(criterion, panel)
                if len(column):
                    found[panel, criterion.id] = column
        return found

    def seconds(self, panel: str) -> Array:
        """The time for each text, in the order of `rated.of`."""
        return np.array([max(one.seconds, 0.1) for one in self.rated.of(panel)])

    @property
    def repeated(self) -> int:
        """Texts whose judge had read another system's text of the same input before."""
        known: set[tuple[str, str]] = set()
        again = 0
        for one in self.rated.counted:
            place = (one.judge, self.rated.subject[one.texts[0]][0])
            again += place in known
            known.add(place)
        return again


def success(rows: Sequence[Row], panel: str) -> Column:
    """Right and wrong answers, each question an item."""
    return Column(
        ASKED[SUCCESS],
        panel,
        np.array([float(one.right) for one in rows]),
        tuple(one.system for one in rows),
        tuple(f"{one.item}{BETWEEN}{one.question}" for one in rows),
        tuple(one.judge for one in rows),
    )


def sort_out(frozen: Frozen, judgements: Sequence[Judgement], *, panel: str | None = None) -> Answers:
    """Apply the rules to a study's answers, and the key to what counts."""
    study = task_study(frozen.study)
    several = any(len(posed_about(text)) > 1 for text in frozen.served)
    named = [SUCCESS, *([WHOLE] if several else []), *([CONFIDENCE] if study.confidence else [])]
    criteria = tuple(ASKED[name] for name in named)
    scores = [_scored(frozen, study, one) for one in judgements]
    rated = sort_answers(frozen, study, criteria, scores, panel=panel)
    given = {one.id: one for one in judgements}
    rows = [
        Row(
            one.id,
            one.judge,
            one.panel,
            *_place(rated, one),
            question.id,
            _system(rated, one),
            right,
            question.chance,
        )
        for one in rated.counted
        for question, right in scored(given[one.id], frozen.text[one.texts[0]], study)
    ]
    return Answers(rated, tuple(rows), study.guessing == "formula")


def _place(rated: Rated, one: Judgement) -> tuple[str]:
    return (rated.subject[one.texts[0]][0],)


def _system(rated: Rated, one: Judgement) -> str:
    return rated.subject[one.texts[0]][1]


def _scored(frozen: Frozen, study: TaskStudy, one: Judgement) -> Judgement:
    """A judgement as a rating: the share of right answers, whether all are, how sure the judge was."""
    if one.role == CHECK:
        return one
    if one.texts[0] not in frozen.text:
        return replace(one, answer={})  # refused by the sorting, which says why
    right = [value for _, value in scored(one, frozen.text[one.texts[0]], study)]
    sure = {CONFIDENCE: one.answer["confidence"]} if "confidence" in one.answer else {}
    return replace(one, answer={SUCCESS: sum(right) / len(right), WHOLE: float(all(right)), **sure})


def timed(rated: Rated) -> Rated:
    """With the time that readers took as one more criterion, of which less is better."""
    measure = "seconds for a text and its questions"
    seconds = Criterion(SECONDS, SECONDS, 0.0, 1.0, 0, False, measure, measure=measure, lower=True)
    counted = tuple(replace(one, answer={**one.answer, SECONDS: one.seconds}) for one in rated.counted)
    return replace(rated, criteria=(*rated.criteria, seconds), counted=counted)
