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

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Unpack

from nlgauge.study.analysis.notes import Note, distinct, note
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.outputs.analysis import Options, Wanted
from nlgauge.study.protocols.outputs.analysis.abstaining import declined_in
from nlgauge.study.protocols.outputs.analysis.between import pairs_of_criteria, pairs_of_panels
from nlgauge.study.protocols.outputs.analysis.notes import absent, nothing_counts, pooled, unread
from nlgauge.study.protocols.outputs.analysis.positions import positions_in
from nlgauge.study.protocols.outputs.analysis.variants import out_of
from nlgauge.study.protocols.outputs.analysis.wordings import Scale, effects
from nlgauge.study.protocols.outputs.file import OutputStudy, output_study
from nlgauge.study.protocols.ratings.analysis.agreeing import agreeing
from nlgauge.study.protocols.ratings.analysis.cautions import cautions_of, doubts, empty_texts
from nlgauge.study.protocols.ratings.analysis.judges import judged_by
from nlgauge.study.protocols.ratings.analysis.machines import beside_people
from nlgauge.study.protocols.ratings.analysis.models import Models, fit
from nlgauge.study.protocols.ratings.analysis.notes import notes
from nlgauge.study.protocols.ratings.analysis.planning import next_study
from nlgauge.study.protocols.ratings.analysis.reading import logged as logged
from nlgauge.study.protocols.ratings.analysis.recheck import rechecked
from nlgauge.study.protocols.ratings.analysis.results import Rating, RatingResult
from nlgauge.study.protocols.ratings.analysis.rounds import discussed
from nlgauge.study.protocols.ratings.analysis.rows import Column, Criterion, Rated, sort_out
from nlgauge.study.protocols.ratings.analysis.singles import single_judges
from nlgauge.study.protocols.ratings.analysis.spread import distribution
from nlgauge.study.protocols.ratings.analysis.variants import beside

__all__ = ["Rating", "RatingResult", "analyse", "analysed", "rating_of"]


def analyse(
    frozen: Frozen,
    judgements: Sequence[Judgement],
    *,
    first: Sequence[Note] = (),
    measures: Sequence[Criterion] = (),
    asked_first: bool = False,
    **options: Unpack[Wanted],
) -> RatingResult:
    """Analyse a rating study, as `Options` say.

    With `measures` the answers hold numbers that were measured as well, by their ids: post-edits and marked errors;
    what was asked comes after them, or as the main outcome before them (`asked_first`). `first` are the protocol's own
    notes.
    """
    wanted = Options(**options)
    sorting = partial(sort_out, frozen, judgements, unit=wanted.unit, measures=measures, asked_first=asked_first)
    rated = wanted.looked_at(lambda panel: sorting(panel=panel), lambda rated: rated)
    return analysed(frozen, judgements, rated, wanted, first=first)


def analysed(
    frozen: Frozen, judgements: Sequence[Judgement], rated: Rated, wanted: Options, *, first: Sequence[Note] = ()
) -> RatingResult:
    """The analysis of answers that are sorted out: numbers of whatever kind, one for an output and criterion."""
    seed, study, out = wanted.seed, output_study(frozen.study), out_of(rated.judges, wanted.excluded)
    full, kept = _columns(rated), rated.without(out)
    columns = _columns(kept)
    declined = declined_in(kept, study.abstainable, seed=seed, screens=kept.screens)
    if not columns:
        raise nothing_counts("rating", declined, rated.judges, out)
    models = {key: fit(column) for key, column in columns.items()}
    present = list(dict.fromkeys(name for name, _ in columns))
    judges = judged_by(rated, present, full, study, seed=seed, excluded=out)
    groups, empty = {group.panel: group for group in judges}, empty_texts(frozen, kept)
    ratings = tuple(
        replace(
            found,
            cautions=cautions_of(column, models[key]),
            empty=empty,
            agreeing=found.agreeing.beside(groups[key[0]].failed, out),
        )
        for key, column in columns.items()
        for found in [rating_of(column, models[key], plan=key[0] not in rated.machines)]
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
    machines = beside_people(kept, study, columns, panels)
    said = (
        *doubts(ratings, several=len(judges) > 1),
        *(note("remark", text=remark) for remark in wanted.remarks),
        *first,
        *_elsewhere(study, rated),
        *absent(rated.panels, present),
        *unread(study.questions_asked, [given for given in kept.counted if given.panel not in rated.machines]),
        *pooled(wordings),
        *notes(rated=rated, ratings=ratings, judging=judges, criteria=criteria, machines=machines),
    )
    return RatingResult(
        **wanted.heading(frozen, judgements),
        ratings=ratings,
        judging=judges,
        panels=panels,
        criteria=criteria,
        aside=rated.aside,
        notes=tuple(distinct(said)),
        names=rated.names,
        singles=single_judges(people),  # of judges who are not named nothing is known one by one
        machines=machines,
        beside=tuple(
            beside(full[key], rating, groups[key[0]], out, wanted.records or {})
            for key, rating in zip(columns, ratings, strict=True)
        ),
        discussed=discussed(frozen, judgements, wanted.rounds, kept, unit=wanted.unit),
        rechecked=() if wanted.experts is None else rechecked(columns, models, _columns(wanted.experts)),
        excluded=out,
        declined=declined,
        positions=positions_in(study, kept.counted, rated.criteria, rated.machines),
        wordings=wordings,
    )


def _elsewhere(study: OutputStudy, rated: Rated) -> Sequence[Note]:
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
