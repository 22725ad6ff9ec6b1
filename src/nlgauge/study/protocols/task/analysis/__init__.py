"""The analysis of tasks: success by a key, time, efficiency, difficulty of questions.

rows         which answers count, scored question by question
success      shares right with limits, the logistic mixed model, correction for guessing
pace         log seconds by a mixed model, right answers per minute
difficulty   each question by itself
reading      judgements from a study's folder or an exported file

The machinery is that of yes-or-no ratings (`ratings.analysis`), where an answer to a question takes the place of a
rating: right is 1, wrong is 0, the question takes the place of the item. Success is agreement with the key; agreement
between judges is another thing, and is told apart from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from nlgauge.errors import InputError, option
from nlgauge.jsonable import Jsonable
from nlgauge.study.analysis.notes import Note, distinct, note
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.outputs.analysis import Options, Wanted
from nlgauge.study.protocols.outputs.analysis.between import pairs_of_panels
from nlgauge.study.protocols.outputs.analysis.notes import nothing_counts
from nlgauge.study.protocols.outputs.analysis.variants import out_of
from nlgauge.study.protocols.ratings.analysis import rating_of
from nlgauge.study.protocols.ratings.analysis.judges import Judging, judged_by
from nlgauge.study.protocols.ratings.analysis.machines import MachineBeside, beside_people
from nlgauge.study.protocols.ratings.analysis.models import fit
from nlgauge.study.protocols.ratings.analysis.notes import notes
from nlgauge.study.protocols.ratings.analysis.results import Rating, RatingResult
from nlgauge.study.protocols.ratings.analysis.variants import beside
from nlgauge.study.protocols.task.analysis.difficulty import Difficulty, difficulty
from nlgauge.study.protocols.task.analysis.pace import Pace, pace
from nlgauge.study.protocols.task.analysis.rows import Answers, sort_out
from nlgauge.study.protocols.task.analysis.success import Corrected, corrected, sureness
from nlgauge.study.protocols.task.file import task_study

OF_ANSWERS = ("agree little", "unsettled")  # of right and wrong answers low agreement is no fault of judges


@dataclass(frozen=True)
class Task(Jsonable):
    """What is found of tasks beyond shares and agreement."""

    KEYS = "time = paces, corrected_for_guessing = corrected, questions, confidence"

    paces: tuple[Pace, ...]  # of each panel of people
    corrected: tuple[Corrected, ...]
    questions: tuple[Difficulty, ...]
    confidence: Mapping[str, Any]  # how sure judges were; empty where they were not asked


def analyse(frozen: Frozen, judgements: Sequence[Judgement], **options: Unpack[Wanted]) -> RatingResult:
    """Analyse a task, as `Options` say."""
    wanted, study = Options(**options), task_study(frozen.study)
    if wanted.unit:
        raise InputError(f"{option('unit', flag='rescale')} is for ratings; right answers are shares already")
    everybody = wanted.looked_at(lambda panel: sort_out(frozen, judgements, panel=panel), lambda answers: answers.rated)
    out = out_of(everybody.rated.judges, wanted.excluded)
    answers = everybody.without(out) if out else everybody
    columns, full, rated, seed = answers.columns(), everybody.columns(), answers.rated, wanted.seed
    if not columns:
        raise nothing_counts("answer", (), everybody.rated.judges, out)
    models = {key: fit(column) for key, column in columns.items()}
    ratings = tuple(
        rating_of(column, models[key], plan=key[0] not in rated.machines) for key, column in columns.items()
    )
    present = list(dict.fromkeys(name for name, _ in columns))
    groups = judged_by(everybody.rated, present, full, study, seed=seed, excluded=out)
    panels = pairs_of_panels(columns, models)
    machines = beside_people(rated, study, columns, panels)
    people = [name for name in present if name not in rated.machines]
    hard, crews = difficulty(answers), {group.panel: group for group in groups}
    said = (
        *(note("remark", text=remark) for remark in wanted.remarks),
        *_notes(answers=answers, ratings=ratings, groups=groups, hard=hard, machines=machines),
    )
    return RatingResult(
        **wanted.heading(frozen, judgements),
        ratings=ratings,
        judging=groups,
        panels=panels,
        criteria=(),
        aside=rated.aside,
        notes=tuple(distinct(said)),
        names=rated.names,
        beside=tuple(
            beside(full[key], rating, crews[key[0]], out, {}) for key, rating in zip(columns, ratings, strict=True)
        ),
        excluded=out,
        machines=machines,
        own=Task(
            tuple(pace(answers, name, seed=seed) for name in people),
            tuple(corrected(answers, name, seed=seed) for name in present) if answers.formula else (),
            hard,
            sureness(answers),
        ),
    )


def _notes(
    answers: Answers,
    ratings: Sequence[Rating],
    groups: Sequence[Judging],
    hard: Sequence[Difficulty],
    machines: Sequence[MachineBeside],
) -> Iterator[Note]:
    for told in notes(rated=answers.rated, ratings=ratings, judging=groups, criteria=(), machines=machines):
        if told.kind not in OF_ANSWERS:
            yield told
    below = [question for question in hard if question.below_chance]
    if below:
        yield note("below chance", questions=len(below), question=below[0].question, item=repr(below[0].item))
    if answers.repeated:
        yield note("asked before", texts=answers.repeated)
