"""Which answers to tasks count, scored by the key: one row for each question of each judgement."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nlgauge.arrays import Array
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.outputs.gold import CHECK
from nlgauge.study.protocols.ratings.analysis.rows import Column, Criterion, Rated, sort_answers
from nlgauge.study.protocols.task.file import TaskStudy, task_study
from nlgauge.study.protocols.task.layout import posed_about
from nlgauge.study.protocols.task.protocol import scored

SUCCESS, WHOLE, CONFIDENCE, SECONDS = "success", "all right", "confidence", "seconds"
BETWEEN = " · "  # item and question, where a question takes the place of an item
QUESTIONS = {
    SUCCESS: "Is the answer right by the key?",
    WHOLE: "Are all answers about a text right?",
    CONFIDENCE: "How sure are you of your answers?",
}
ASKED = {
    name: Criterion(name, name, low, high, points, reverse=False, question=QUESTIONS[name], unit=name != CONFIDENCE)
    for name, low, high, points in ((SUCCESS, 0, 1, 2), (WHOLE, 0, 1, 2), (CONFIDENCE, 1, 5, 5))
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
        return [row for row in self.rows if row.panel == panel]

    def without(self, judges: Collection[str]) -> Answers:
        """The same without some judges' answers."""
        rows = tuple(row for row in self.rows if row.judge not in judges)
        return replace(self, rated=self.rated.without(judges), rows=rows)

    def columns(self) -> dict[tuple[str, str], Column]:
        """By panel and criterion: success question by question, the rest text by text."""
        found: dict[tuple[str, str], Column] = {}
        for panel in self.rated.panels:
            found[panel, SUCCESS] = success(self.of(panel), panel)
            for criterion in self.rated.criteria[1:]:
                found[panel, criterion.id] = self.rated.column(criterion, panel)
        return {key: column for key, column in found.items() if len(column)}

    def seconds(self, panel: str) -> Array:
        """The time for each text, in the order of `rated.of`."""
        return np.array([max(judgement.seconds, 0.1) for judgement in self.rated.of(panel)])

    @property
    def repeated(self) -> int:
        """Texts whose judge had read another system's text of the same input before."""
        read = [(judgement.judge, self.rated.subject[judgement.texts[0]][0]) for judgement in self.rated.counted]
        return len(read) - len(set(read))


def success(rows: Sequence[Row], panel: str) -> Column:
    """Right and wrong answers, each question an item."""
    return Column(
        criterion=ASKED[SUCCESS],
        panel=panel,
        values=np.array([float(row.right) for row in rows]),
        systems=tuple(row.system for row in rows),
        items=tuple(f"{row.item}{BETWEEN}{row.question}" for row in rows),
        judges=tuple(row.judge for row in rows),
    )


def sort_out(frozen: Frozen, judgements: Sequence[Judgement], *, panel: str | None = None) -> Answers:
    """Apply the rules to a study's answers, and the key to what counts."""
    study = task_study(frozen.study)
    several = any(len(posed_about(text)) > 1 for text in frozen.served)
    named = [SUCCESS, *([WHOLE] if several else []), *([CONFIDENCE] if study.confidence else [])]
    criteria = tuple(ASKED[name] for name in named)
    scores = [_scored(frozen, study, judgement) for judgement in judgements]
    rated = sort_answers(frozen, study, criteria, scores, panel=panel)
    given = {judgement.id: judgement for judgement in judgements}
    rows = [
        Row(
            judgement=judgement.id,
            judge=judgement.judge,
            panel=judgement.panel,
            item=item,
            question=question.id,
            system=system,
            right=right,
            chance=question.chance,
        )
        for judgement in rated.counted
        for item, system in [rated.subject[judgement.texts[0]]]
        for question, right in scored(given[judgement.id], frozen.text[judgement.texts[0]], study)
    ]
    return Answers(rated, tuple(rows), study.guessing == "formula")


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
    what = "seconds for a text and its questions"
    seconds = Criterion(SECONDS, SECONDS, 0.0, 1.0, 0, reverse=False, question=what, measure=what, lower=True)
    counted = tuple(
        replace(judgement, answer={**judgement.answer, SECONDS: judgement.seconds}) for judgement in rated.counted
    )
    return replace(rated, criteria=(*rated.criteria, seconds), counted=counted)
