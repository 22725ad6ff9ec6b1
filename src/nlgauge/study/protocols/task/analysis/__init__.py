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

from nlgauge.errors import InputError
from nlgauge.study.launch.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.outputs.analysis import refuse_peeking
from nlgauge.study.protocols.outputs.analysis.between import Pair, pairs_of_panels
from nlgauge.study.protocols.outputs.analysis.sentences import between_panels, judges, nothing_counts
from nlgauge.study.protocols.outputs.analysis.variants import Beside, out_of
from nlgauge.study.protocols.outputs.control import rule_of
from nlgauge.study.protocols.ratings.analysis import rating_of
from nlgauge.study.protocols.ratings.analysis.judges import Judging, judging
from nlgauge.study.protocols.ratings.analysis.machines import MachineBeside, beside_people
from nlgauge.study.protocols.ratings.analysis.models import fit
from nlgauge.study.protocols.ratings.analysis.results import Rating, RatingResult, Table
from nlgauge.study.protocols.ratings.analysis.rows import Criterion
from nlgauge.study.protocols.ratings.analysis.sentences import means, warnings
from nlgauge.study.protocols.ratings.analysis.variants import beside
from nlgauge.study.protocols.ratings.analysis.variants import sentence as left_out
from nlgauge.study.protocols.task.analysis.difficulty import Difficulty, difficulty, difficulty_table
from nlgauge.study.protocols.task.analysis.pace import Pace, pace
from nlgauge.study.protocols.task.analysis.rows import SUCCESS, WHOLE, Answers, sort_out
from nlgauge.study.protocols.task.analysis.success import Corrected, corrected, sureness
from nlgauge.study.protocols.task.file import task_study
from nlgauge.study.protocols.triangle.analysis import digest

__all__ = ["analyse"]

KEY = (
    "Success is agreement with the key. Agreement between judges is whether they were right and wrong about the same "
    "questions; judges can agree with each other and be wrong."
)


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
        raise InputError("--rescale is for ratings; right answers are shares already")
    whole = sort_out(frozen, judgements)
    if not closed and panel not in whole.rated.machines:
        refuse_peeking(whole.rated)
    everybody = whole if panel is None else sort_out(frozen, judgements, panel=panel)
    out = out_of(everybody.rated.judges, excluded)
    answers = everybody.without(out) if out else everybody
    columns, full = answers.columns(), everybody.columns()
    if not columns:
        raise nothing_counts("answer", (), everybody.rated.judges, out)
    models = {key: fit(column) for key, column in columns.items()}
    machines = answers.rated.machines
    ratings = tuple(rating_of(column, models[key], plan=key[0] not in machines) for key, column in columns.items())
    present = list(dict.fromkeys(name for name, _ in columns))
    groups = tuple(
        Judging(name, (), (), {}, {}, ())  # a machine has neither times nor care
        if name in machines
        else judging(
            everybody.rated,
            name,
            [column for key, column in full.items() if key[0] == name],
            too_fast=frozen.study.too_fast,
            seed=seed,
            rule=rule_of(task_study(frozen.study)),
            excluded=out,
        )
        for name in present
    )
    panels = pairs_of_panels(columns, models)
    beside_machines = beside_people(answers.rated, task_study(frozen.study), columns, panels)
    paces = tuple(pace(answers, name, seed=seed) for name in present if name not in machines)
    formula = tuple(corrected(answers, name, seed=seed) for name in present) if answers.formula else ()
    hard = difficulty(answers)
    crews = {one.panel: one for one in groups}
    variants = tuple(
        beside(full[key], models[key], one.agreeing, crews[one.panel], out, {})
        for key, one in zip(columns, ratings, strict=True)
    )
    said = list(_sentences(ratings, groups, paces, formula, answers, hard, panels, beside_machines))
    said += [
        (f"Exclusions: {_place(one, groups)}", left_out(one, _place(one, groups))) for one in variants if one.left_out
    ]
    return RatingResult(
        protocol=frozen.study.protocol,
        title=frozen.study.called,
        study=frozen.id,
        ratings=ratings,
        judging=groups,
        panels=panels,
        criteria=(),
        aside=answers.rated.aside,
        sentences=tuple(said),
        warnings=tuple(dict.fromkeys((*remarks, *_warnings(answers, ratings, groups, hard, beside_machines)))),
        names=answers.rated.names,
        digest=digest(judgements),
        seed=seed,
        closed=closed,
        beside=variants,
        excluded=out,
        machines=beside_machines,
        tables=tuple(_tables(paces, formula, hard)),
        more={
            "time": [one.to_dict() for one in paces],
            "corrected_for_guessing": [one.to_dict() for one in formula],
            "questions": [one.to_dict() for one in hard],
            "confidence": sureness(answers),
        },
    )


def _sentences(
    ratings: Sequence[Rating],
    groups: Sequence[Judging],
    paces: Sequence[Pace],
    formula: Sequence[Corrected],
    answers: Answers,
    hard: Sequence[Difficulty],
    panels: Sequence[Pair],
    machines: Sequence[MachineBeside],
) -> Iterator[tuple[str, str]]:
    several = len(groups) > 1
    for one in ratings:
        where = f", panel {one.panel}" if several else ""
        yield f"Means: {one.criterion.name}{where}", means(one, one.criterion.name, _head(one, where))
    for one in ratings:
        if one.criterion.id == SUCCESS:
            yield "Agreement between judges", f"{KEY} {_agreement(one)}"
    for pace_ in paces:
        yield "Time", f"{pace_.panel + ': ' if several else ''}{pace_}"
    for found in formula:
        yield "Guessing", f"{found.panel + ': ' if several else ''}{found}"
    told = sureness(answers)
    if told:
        yield "Confidence", str(told["sentence"])
    yield "Questions", _hardest(hard)
    known = {frozenset((one.machine, one.people, one.criterion)) for one in machines}
    for found_beside in machines:
        yield (
            f"The machine {found_beside.machine} beside {found_beside.people}: {found_beside.criterion}",
            found_beside.sentence,
        )
    for pair in panels:
        if frozenset((pair.first, pair.second, pair.where)) not in known:
            yield f"Panels: {pair.where}", between_panels(pair)
    for group in groups:
        if group.judges or not group.named:
            yield f"Judges: {group.panel}", judges(group)


def _place(one: Beside[Criterion], groups: Sequence[Judging]) -> str:
    return f"{one.criterion.label}, panel {one.panel}" if len(groups) > 1 else one.criterion.label


def _head(one: Rating, where: str) -> str:
    who = f"{one.judges:,} {'judge' if one.judges == 1 else 'judges'}{where}"
    if one.criterion.id == SUCCESS:
        return f"{who} answered {one.n:,} questions; the shares of right answers are"
    if one.criterion.id == WHOLE:
        return f"{who} answered the questions about {one.n:,} texts; the shares of texts with every answer right are"
    return f"{who} said how sure they were, from 1 to 5, {one.n:,} times; the means are"


def _agreement(one: Rating) -> str:
    """Without a diagnosis: that judges fail at other questions is no sign of careless judges."""
    found = one.agreeing
    if found.agreement is None:
        return f"Between judges it cannot be told: {found.reason}."
    return f"On whether answers are right: {found.agreement.sentence}"


def _hardest(hard: Sequence[Difficulty]) -> str:
    first = hard[0]
    said = (
        f"{len(hard):,} questions were answered; the hardest was {first.question} about {first.item!r} ("
        f"{100 * first.share:.0f} % right)"
    )
    useless = sum(one.share in (0.0, 1.0) for one in hard)
    return f"{said}; {useless:,} were answered rightly by all or by nobody and tell systems apart in nothing."


def _warnings(
    answers: Answers,
    ratings: Sequence[Rating],
    groups: Sequence[Judging],
    hard: Sequence[Difficulty],
    machines: Sequence[MachineBeside],
) -> Iterator[str]:
    for note in warnings(answers.rated, ratings, groups, (), machines):
        if "Krippendorff's alpha" not in note:  # of right and wrong answers that is no fault of judges
            yield note
    below = [one for one in hard if one.below_chance]
    if below:
        yield (
            f"{len(below):,} questions were answered rightly less often than by guessing (for example "
            f"{below[0].question} about {below[0].item!r}): check their key"
        )
    again = answers.repeated
    if again:
        yield (
            f"{again:,} texts were read by judges who had been asked the same questions about another system's text: "
            "they may have answered from memory"
        )


def _tables(paces: Sequence[Pace], formula: Sequence[Corrected], hard: Sequence[Difficulty]) -> Iterator[Table]:
    for one in paces:
        yield one.table
    for found in formula:
        yield found.table
    yield difficulty_table(hard)
