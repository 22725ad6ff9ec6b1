"""The analysis of ratings (likert, continuous, binary), from judgements to means, models, agreement and sentences.

rows        which answers count, as flat columns; reverse-keyed questions turned round
models      system means with limits: linear and ordinal mixed models, standardised means, clusters
agreeing    coefficients of agreement, and a diagnosis where they are low
judges      times, checks of care, weights
between     panels against panels, criteria against criteria
machines    machines beside people: correlations, agreement, the ceiling that people set
planning    the next study from this one's variance components
sentences   words for the paper, and warnings; results: everything as one value
reading     judgements from a study's folder or an exported file

It knows no store and no web: a frozen study and judgements come in, a `RatingResult` goes out.
"""

from __future__ import annotations

from collections.abc import Sequence

from nlgauge.errors import InputError
from nlgauge.study.analysis import digest
from nlgauge.study.frozen import Frozen
from nlgauge.study.protocols.outputs.analysis import absent, refuse_peeking
from nlgauge.study.protocols.outputs.analysis.between import pairs_of_criteria, pairs_of_panels
from nlgauge.study.protocols.outputs.file import output_study
from nlgauge.study.protocols.ratings.analysis.agreeing import agreeing
from nlgauge.study.protocols.ratings.analysis.judges import Judging, judging
from nlgauge.study.protocols.ratings.analysis.machines import beside_people
from nlgauge.study.protocols.ratings.analysis.models import Models, fit
from nlgauge.study.protocols.ratings.analysis.planning import next_study
from nlgauge.study.protocols.ratings.analysis.results import Rating, RatingResult
from nlgauge.study.protocols.ratings.analysis.rows import Column, Rated, sort_out
from nlgauge.study.protocols.ratings.analysis.sentences import sentences, warnings
from nlgauge.study.protocols.ratings.analysis.singles import single_judges
from nlgauge.study.types import Judgement

__all__ = ["Rating", "RatingResult", "analyse", "analysed"]


def analyse(
    frozen: Frozen,
    judgements: Sequence[Judgement],
    *,
    closed: bool = False,
    unit: bool = False,
    panel: str | None = None,
    seed: int = 12345,
    remarks: Sequence[str] = (),
) -> RatingResult:
    """Analyse a rating study.

    Refused before the planned answers are there, unless the study was closed: looking and going on in view of the
    result multiplies the risk of a wrong conclusion. `unit` puts every answer on 0 to 1, as Belz and Reiter report
    theirs; `panel` names one panel to be analysed alone; `seed` serves the permutations of the checks of judges.
    """
    whole = sort_out(frozen, judgements, unit=unit)
    if not closed and panel not in whole.machines:  # of a machine nothing of people's answers is looked at
        refuse_peeking(whole)
    rated = whole if panel is None else sort_out(frozen, judgements, unit=unit, panel=panel)
    return analysed(frozen, judgements, rated, closed=closed, seed=seed, remarks=remarks)


def analysed(
    frozen: Frozen,
    judgements: Sequence[Judgement],
    rated: Rated,
    *,
    closed: bool,
    seed: int,
    remarks: Sequence[str] = (),
) -> RatingResult:
    """The analysis of answers that are sorted out: numbers of whatever kind, one for an output and criterion."""
    columns = _columns(rated)
    if not columns:
        raise InputError(
            "no rating counts: there are no answers yet, or all are practice, warm-up or surplus"
        )
    models = {key: fit(column) for key, column in columns.items()}
    ratings = tuple(
        _rating(column, models[key], plan=key[0] not in rated.machines) for key, column in columns.items()
    )
    present = list(dict.fromkeys(name for name, _ in columns))
    judges = tuple(
        Judging(name, (), (), {}, {}, ())  # a machine has neither times nor care
        if name in rated.machines
        else judging(
            rated, name, [column for key, column in columns.items() if key[0] == name],
            too_fast=frozen.study.too_fast, seed=seed,
        )
        for name in present
    )  # fmt: skip
    panels, criteria = pairs_of_panels(columns, models), pairs_of_criteria(columns, models, rated.measured)
    singles = single_judges({key: one for key, one in columns.items() if key[0] not in rated.machines})
    machines = beside_people(rated, output_study(frozen.study), columns, panels)
    said = (*remarks, *absent(rated.panels, present), *warnings(rated, ratings, judges, criteria, machines))
    return RatingResult(
        protocol=frozen.study.protocol,
        title=frozen.study.called,
        study=frozen.id,
        ratings=ratings,
        judging=judges,
        panels=panels,
        criteria=criteria,
        aside=rated.aside,
        sentences=tuple(sentences(ratings, judges, panels, criteria, singles, machines)),
        warnings=tuple(dict.fromkeys(said)),
        names=rated.names,
        digest=digest(judgements),
        seed=seed,
        closed=closed,
        singles=singles,
        machines=machines,
    )


def _columns(rated: Rated) -> dict[tuple[str, str], Column]:
    found = {(name, asked.id): rated.column(asked, name) for name in rated.panels for asked in rated.criteria}
    return {key: column for key, column in found.items() if len(column)}


def _rating(column: Column, models: Models, *, plan: bool) -> Rating:
    return Rating(
        column.panel,
        column.criterion,
        len(column),
        len(set(column.judges)),
        len(set(column.items)),
        len(set(column.outputs)),
        models,
        agreeing(column),
        next_study(column, models) if plan else None,
    )
