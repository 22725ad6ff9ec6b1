"""The analysis of ratings (likert, continuous, binary), from judgements to means, models, agreement and sentences.

rows        which answers count, as flat columns; reverse-keyed questions turned round
models      system means with limits: linear and ordinal mixed models, standardised means, clusters
agreeing    coefficients of agreement, and a diagnosis where they are low
judges      times, checks of care, weights
between     panels against panels, criteria against criteria
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
from nlgauge.study.protocols.ratings.analysis.agreeing import agreeing
from nlgauge.study.protocols.ratings.analysis.between import pairs_of_criteria, pairs_of_panels
from nlgauge.study.protocols.ratings.analysis.judges import judging
from nlgauge.study.protocols.ratings.analysis.models import Models, fit
from nlgauge.study.protocols.ratings.analysis.planning import next_study
from nlgauge.study.protocols.ratings.analysis.results import Rating, RatingResult
from nlgauge.study.protocols.ratings.analysis.rows import Column, Rated, sort_out
from nlgauge.study.protocols.ratings.analysis.sentences import sentences, warnings
from nlgauge.study.protocols.ratings.analysis.singles import single_judges
from nlgauge.study.types import Judgement

__all__ = ["Rating", "RatingResult", "analyse", "analysed", "refuse_peeking"]


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
    if not closed:
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
    ratings = tuple(_rating(column, models[key]) for key, column in columns.items())
    present = list(dict.fromkeys(name for name, _ in columns))
    judges = tuple(
        judging(
            rated, name, [column for key, column in columns.items() if key[0] == name],
            too_fast=frozen.study.too_fast, seed=seed,
        )
        for name in present
    )  # fmt: skip
    panels, criteria = pairs_of_panels(columns, models), pairs_of_criteria(columns, models)
    singles = single_judges(columns)
    absent = [
        f"the panel {name} was planned and has no answers: nothing is said about it"
        for name in rated.panels
        if name not in present
    ]
    return RatingResult(
        frozen.study.protocol,
        frozen.study.called,
        frozen.id,
        ratings,
        judges,
        panels,
        criteria,
        rated.aside,
        tuple(sentences(ratings, judges, panels, criteria, singles)),
        tuple(dict.fromkeys((*remarks, *absent, *warnings(rated, ratings, judges, criteria)))),
        rated.names,
        digest(judgements),
        seed,
        closed,
        singles,
    )


def _columns(rated: Rated) -> dict[tuple[str, str], Column]:
    found = {(name, asked.id): rated.column(asked, name) for name in rated.panels for asked in rated.criteria}
    return {key: column for key, column in found.items() if len(column)}


def _rating(column: Column, models: Models) -> Rating:
    return Rating(
        column.panel,
        column.criterion,
        len(column),
        len(set(column.judges)),
        len(set(column.items)),
        len(set(column.outputs)),
        models,
        agreeing(column),
        next_study(column, models),
    )


def refuse_peeking(rated: Rated) -> None:
    """Refuse a study that is not complete."""
    for name in rated.panels:
        done, planned = len(rated.answered(name)), rated.planned[name]
        if done < planned:
            raise InputError(
                f"panel {name!r} has {done:,} of {planned:,} planned answers: a study with a fixed number may be "
                "looked at only when it is complete, because stopping or going on in view of the result multiplies the "
                "risk of a wrong conclusion; wait for the rest, or close the study for good (nlgauge study close) and "
                "analyse it as it is"
            )
