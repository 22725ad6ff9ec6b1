"""The analysis of ratings (likert, continuous, binary), from judgements to means, models, agreement and sentences.

rows        which answers count, as flat columns; reverse-keyed questions turned round
cautions    systems whose means are in doubt: one judge gave most ratings, or model and plain mean differ
spread      how the ratings of each system are distributed
models      system means with limits: linear and ordinal mixed models, standardised means, clusters
agreeing    coefficients of agreement, and a diagnosis where they are low
judges      times, checks of care, weights
between     panels against panels, criteria against criteria
machines    machines beside people: correlations, agreement, the ceiling that people set
variants    means with and without judges, and with weights, side by side
rounds      before and after a discussion; recheck: a sample judged again by experts
planning    the next study from this one's variance components
notes       what must be known before figures are believed; results: everything as one value
reading     judgements from a study's folder or an exported file

It knows no store and no web: a frozen study and judgements come in, a `RatingResult` goes out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from nlgauge.study.analysis.notes import Note, distinct, note
from nlgauge.study.file.study import Study
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.outputs.analysis import refuse_peeking
from nlgauge.study.protocols.outputs.analysis.abstaining import declined_in
from nlgauge.study.protocols.outputs.analysis.between import pairs_of_criteria, pairs_of_panels
from nlgauge.study.protocols.outputs.analysis.notes import absent, nothing_counts, pooled, unread
from nlgauge.study.protocols.outputs.analysis.positions import positions_in
from nlgauge.study.protocols.outputs.analysis.wordings import Scale, effects
from nlgauge.study.protocols.outputs.control import rule_of
from nlgauge.study.protocols.outputs.file import output_study
from nlgauge.study.protocols.ratings.analysis.agreeing import agreeing
from nlgauge.study.protocols.ratings.analysis.cautions import cautions_of, doubts, empty_texts
from nlgauge.study.protocols.ratings.analysis.judges import Judging, judging
from nlgauge.study.protocols.ratings.analysis.machines import beside_people
from nlgauge.study.protocols.ratings.analysis.models import Models, fit
from nlgauge.study.protocols.ratings.analysis.notes import notes
from nlgauge.study.protocols.ratings.analysis.planning import next_study
from nlgauge.study.protocols.ratings.analysis.reading import logged as logged
from nlgauge.study.protocols.ratings.analysis.recheck import rechecked
from nlgauge.study.protocols.ratings.analysis.results import Rating, RatingResult
from nlgauge.study.protocols.ratings.analysis.rounds import Opened, discussed
from nlgauge.study.protocols.ratings.analysis.rows import Column, Criterion, Rated, sort_out
from nlgauge.study.protocols.ratings.analysis.singles import single_judges
from nlgauge.study.protocols.ratings.analysis.spread import distribution
from nlgauge.study.protocols.ratings.analysis.variants import beside
from nlgauge.study.protocols.triangle.analysis import digest
from nlgauge.study.service.quality import Record

__all__ = ["Rating", "RatingResult", "analyse", "analysed", "rating_of"]


def analyse(
    frozen: Frozen,
    judgements: Sequence[Judgement],
    *,
    closed: bool = False,
    unit: bool = False,
    panel: str | None = None,
    seed: int = 12345,
    remarks: Sequence[str] = (),
    first: Sequence[Note] = (),
    measures: Sequence[Criterion] = (),
    asked_first: bool = False,
    excluded: Mapping[str, str] | None = None,
    records: Mapping[str, Record] | None = None,
    rounds: Sequence[Opened] = (),
    experts: Rated | None = None,
) -> RatingResult:
    """Analyse a rating study.

    Refused before the planned answers are there, unless the study was closed: looking and going on in view of the
    result multiplies the risk of a wrong conclusion. `unit` puts every answer on 0 to 1, as Belz and Reiter report
    theirs; `panel` names one panel to be analysed alone; `seed` serves the permutations of the checks of judges.
    Judges in `excluded` (with reasons) are left out of everything but the checks, and the means with them stand
    beside; `records` weight judges by their past, `rounds` are the discussions, `experts` judged a sample again. With
    `measures` the answers hold numbers that were measured as well, by their ids: post-edits and marked errors; what was
    asked comes after them, or as the main outcome before them (`asked_first`).
    """
    whole = sort_out(frozen, judgements, unit=unit, measures=measures, asked_first=asked_first)
    if not closed and panel not in whole.machines:  # of a machine nothing of people's answers is looked at
        refuse_peeking(whole)
    rated = (
        whole
        if panel is None
        else sort_out(frozen, judgements, unit=unit, panel=panel, measures=measures, asked_first=asked_first)
    )
    return analysed(
        frozen,
        judgements,
        rated,
        closed=closed,
        seed=seed,
        unit=unit,
        remarks=remarks,
        first=first,
        excluded=excluded,
        records=records,
        rounds=rounds,
        experts=experts,
    )


def analysed(
    frozen: Frozen,
    judgements: Sequence[Judgement],
    rated: Rated,
    *,
    closed: bool,
    seed: int,
    unit: bool = False,
    remarks: Sequence[str] = (),
    first: Sequence[Note] = (),
    excluded: Mapping[str, str] | None = None,
    records: Mapping[str, Record] | None = None,
    rounds: Sequence[Opened] = (),
    experts: Rated | None = None,
) -> RatingResult:
    """The analysis of answers that are sorted out: numbers of whatever kind, one for an output and criterion."""
    out = {judge: reason for judge, reason in (excluded or {}).items() if judge in rated.judges}
    full = _columns(rated)
    kept = rated.without(out)
    columns = _columns(kept)
    study = output_study(frozen.study)
    declined = declined_in(kept, study.abstainable, seed=seed, screens=kept.screens)
    if not columns:
        raise nothing_counts("rating", declined, rated.judges, out)
    models = {key: fit(column) for key, column in columns.items()}
    empty = empty_texts(frozen, kept)
    ratings = tuple(
        replace(
            rating_of(column, models[key], plan=key[0] not in rated.machines),
            cautions=cautions_of(column, models[key]),
            empty=empty,
        )
        for key, column in columns.items()
    )
    present = list(dict.fromkeys(name for name, _ in columns))
    judges = tuple(
        Judging(
            panel=name, judges=(), checks=(), without={}, weighted={}, seconds=()
        )  # a machine has neither times nor care
        if name in rated.machines
        else judging(
            rated,
            name,
            [column for key, column in full.items() if key[0] == name],
            too_fast=frozen.study.too_fast,
            seed=seed,
            rule=rule_of(study),
            excluded=out,
        )
        for name in present
    )
    groups = {group.panel: group for group in judges}
    ratings = tuple(
        replace(rating, agreeing=rating.agreeing.beside(groups[rating.panel].failed, out)) for rating in ratings
    )
    panels, criteria = pairs_of_panels(columns, models), pairs_of_criteria(columns, models, rated.measured)
    people = {key: one for key, one in columns.items() if one.named and key[0] not in rated.machines}
    wordings = effects(
        study.questions_asked,
        {asked.id: [one for key, one in people.items() if key[1] == asked.id] for asked in rated.criteria},
        kept.counted,
        {asked.id: Scale(not asked.by_judge, asked.ratios, "ratings") for asked in rated.criteria},
        seed=seed,
    )
    singles = single_judges(people)  # of judges who are not named nothing is known one by one
    machines = beside_people(kept, study, columns, panels)
    known = (*_elsewhere(frozen.study, rated), *absent(rated.panels, present))
    said = (
        *doubts(ratings, several=len(judges) > 1),
        *(note("remark", text=remark) for remark in remarks),
        *first,
        *known,
        *unread(
            output_study(frozen.study).questions_asked,
            [judgement for judgement in kept.counted if judgement.panel not in rated.machines],
        ),
        *pooled(wordings),
        *notes(rated=rated, ratings=ratings, judging=judges, criteria=criteria, machines=machines),
    )
    variants = tuple(
        beside(
            column=full[rating.panel, rating.criterion.id],
            models=rating.models,
            agreeing=rating.agreeing,
            group=groups[rating.panel],
            excluded=out,
            records=records or {},
        )
        for rating in ratings
    )
    talks = discussed(frozen, judgements, rounds, kept, unit=unit)
    checked = () if experts is None else rechecked(columns, models, _columns(experts))
    return RatingResult(
        protocol=frozen.study.protocol,
        title=frozen.study.called,
        study=frozen.id,
        ratings=ratings,
        judging=judges,
        panels=panels,
        criteria=criteria,
        aside=rated.aside,
        notes=tuple(distinct(said)),
        names=rated.names,
        digest=digest(judgements),
        seed=seed,
        closed=closed,
        singles=singles,
        machines=machines,
        beside=variants,
        discussed=talks,
        rechecked=checked,
        excluded=out,
        declined=declined,
        positions=positions_in(study, kept.counted, rated.criteria, rated.machines),
        wordings=wordings,
    )


def _elsewhere(study: Study, rated: Rated) -> Sequence[Note]:
    """What a reader must know of a study that was run elsewhere."""
    if not study.imported:
        return ()
    kinds = ("elsewhere",) if rated.named else ("elsewhere", "judges not named")
    return tuple(map(note, kinds))


def _columns(rated: Rated) -> dict[tuple[str, str], Column]:
    found = {(name, asked.id): rated.column(asked, name) for name in rated.panels for asked in rated.criteria}
    return {key: column for key, column in found.items() if len(column)}


def rating_of(column: Column, models: Models, *, plan: bool = True) -> Rating:
    """Everything about one criterion in one panel."""
    return Rating(
        panel=column.panel,
        criterion=column.criterion,
        n=len(column),
        judges=len(set(column.judges)),
        items=len(set(column.items)),
        outputs=len(set(column.outputs)),
        models=models,
        agreeing=agreeing(column),
        planning=next_study(column, models) if plan else None,
        named=column.named,
        distribution=distribution(column, [mean.system for mean in models.means]),
    )
