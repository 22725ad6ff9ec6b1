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
from typing import Any

from nlgauge.errors import InputError, option
from nlgauge.jsonable import Jsonable
from nlgauge.study.analysis.notes import Note, distinct, note
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.outputs.analysis import refuse_peeking
from nlgauge.study.protocols.outputs.analysis.between import pairs_of_panels
from nlgauge.study.protocols.outputs.analysis.notes import nothing_counts
from nlgauge.study.protocols.outputs.analysis.variants import out_of
from nlgauge.study.protocols.outputs.control import rule_of
from nlgauge.study.protocols.ratings.analysis import rating_of
from nlgauge.study.protocols.ratings.analysis.judges import Judging, judging
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
from nlgauge.study.protocols.triangle.analysis import digest

OF_ANSWERS = ("agree little", "unsettled")  # of right and wrong answers low agreement is no fault of judges


@dataclass(frozen=True)
class Task(Jsonable):
    """What is found of tasks beyond shares and agreement."""

    KEYS = "time = paces, corrected_for_guessing = corrected, questions, confidence"

    paces: tuple[Pace, ...]  # of each panel of people
    corrected: tuple[Corrected, ...]
    questions: tuple[Difficulty, ...]
    confidence: Mapping[str, Any]  # how sure judges were; empty where they were not asked


def analyse(
    frozen: Frozen,
    judgements: Sequence[Judgement],
    *,
    closed: bool = False,
    unit: bool = False,
    panel: str | None = None,
    seed: int = 12345,
    remarks: Sequence[str] = (),
    excluded: Mapping[str, str] | None = None,
) -> RatingResult:
    """Analyse a task; refused before the planned answers are there, unless the study was closed.

    Judges in `excluded` (with reasons) are left out of everything but the checks, and the shares with them stand
    beside.
    """
    if unit:
        raise InputError(f"{option('unit', flag='rescale')} is for ratings; right answers are shares already")
    study, whole = task_study(frozen.study), sort_out(frozen, judgements)
    if not closed and panel not in whole.rated.machines:
        refuse_peeking(whole.rated)
    everybody = whole if panel is None else sort_out(frozen, judgements, panel=panel)
    out = out_of(everybody.rated.judges, excluded)
    answers = everybody.without(out)
    columns, full = answers.columns(), everybody.columns()
    if not columns:
        raise nothing_counts("answer", (), everybody.rated.judges, out)
    models = {key: fit(column) for key, column in columns.items()}
    machines = answers.rated.machines
    ratings = tuple(rating_of(column, models[key], plan=key[0] not in machines) for key, column in columns.items())
    present = list(dict.fromkeys(name for name, _ in columns))
    groups = tuple(
        Judging(name, (), (), {}, {}, seconds=())  # a machine has neither times nor care
        if name in machines
        else judging(
            everybody.rated,
            name,
            [column for key, column in full.items() if key[0] == name],
            too_fast=study.too_fast,
            seed=seed,
            rule=rule_of(study),
            excluded=out,
        )
        for name in present
    )
    panels = pairs_of_panels(columns, models)
    beside_machines = beside_people(answers.rated, study, columns, panels)
    paces = tuple(pace(answers, name, seed=seed) for name in present if name not in machines)
    formula = tuple(corrected(answers, name, seed=seed) for name in present) if answers.formula else ()
    hard = difficulty(answers)
    crews = {group.panel: group for group in groups}
    variants = tuple(
        beside(full[key], models[key], one.agreeing, crews[one.panel], out, records={})
        for key, one in zip(columns, ratings, strict=True)
    )
    said = (
        *(note("remark", text=remark) for remark in remarks),
        *_notes(answers=answers, ratings=ratings, groups=groups, hard=hard, machines=beside_machines),
    )
    return RatingResult(
        protocol=study.protocol,
        title=study.called,
        study=frozen.id,
        ratings=ratings,
        judging=groups,
        panels=panels,
        criteria=(),
        aside=answers.rated.aside,
        notes=tuple(distinct(said)),
        names=answers.rated.names,
        digest=digest(judgements),
        seed=seed,
        closed=closed,
        beside=variants,
        excluded=out,
        machines=beside_machines,
        own=Task(paces, formula, hard, sureness(answers)),
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
