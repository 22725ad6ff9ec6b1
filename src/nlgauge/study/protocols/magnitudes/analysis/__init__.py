"""The analysis of magnitudes: natural logarithms, then everything that ratings have, told as ratios.

A number is divided by the standard's value, or, where judges choose their own unit, by the geometric mean of all of
that judge's numbers (Bard, Robertson and Sorace 1996). The mixed model is fitted to plain logarithms: it has each
judge's unit among its effects, so that no degrees of freedom are lost unseen; agreement, Wilcoxon's test and plain
means are of numbers so divided. A question to which a large number is a bad answer has its logarithms turned round.

implied     the ranking that the numbers on a screen imply (rankme)
rows        the same for flat rows from anywhere
reading     judgements from a study's folder or an exported file
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np

from nlgauge.errors import InputError, option
from nlgauge.io.exported import CANNOT
from nlgauge.study.analysis.notes import Note, distinct, note
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.magnitudes.analysis.implied import Implied, Rankings, Screen, implied
from nlgauge.study.protocols.magnitudes.criteria import Estimated
from nlgauge.study.protocols.magnitudes.file import EstimationStudy, RankmeStudy, estimation_study
from nlgauge.study.protocols.outputs.analysis import Options, Wanted
from nlgauge.study.protocols.outputs.analysis.rows import first_wording
from nlgauge.study.protocols.outputs.gold import CHECK
from nlgauge.study.protocols.ratings.analysis import RatingResult, analysed
from nlgauge.study.protocols.ratings.analysis.results import Rating
from nlgauge.study.protocols.ratings.analysis.rows import Column, Criterion, Rated, sort_answers

FAR = 100.0  # times above or below a judge's own geometric mean: a number that may be a slip of the hand


def analyse(frozen: Frozen, judgements: Sequence[Judgement], **options: Unpack[Wanted]) -> RatingResult:
    """Analyse a magnitude study, as `Options` say."""
    wanted = Options(**options)
    if wanted.unit:
        scales = "puts answers between the ends of their scale, and magnitudes have none"
        raise InputError(f"{option('unit', flag='rescale')} {scales}")
    study = estimation_study(frozen.study)
    rated = wanted.looked_at(
        lambda panel: sorted_out(frozen, study, judgements, panel=panel),
        lambda rated: rated if rated.screens is None else replace(rated, counted=rated.screens),
    )
    found = analysed(frozen, judgements, rated, wanted)
    rated = rated.without(found.excluded)
    people = [rating for rating in found.ratings if rating.panel not in rated.machines]
    slips = (slip for rating in people for slip in far_off(rated.column(rating.criterion, rating.panel)))
    found = replace(found, notes=(*found.notes, *slips))
    return _ranked(found, rated) if isinstance(study, RankmeStudy) else found


def criterion_of(asked: Estimated, study: EstimationStudy) -> Criterion:
    """A question as the analysis reads it."""
    own, words = study.divisor == "judge", first_wording(asked.question)
    modulus = 1.0 if own or study.standard is None else study.standard.value
    return magnitude(asked.id, asked.name, modulus=modulus, by_judge=own, reverse=asked.reverse, question=words)


def magnitude(
    name: str, label: str, *, modulus: float, by_judge: bool, reverse: bool = False, question: str = ""
) -> Criterion:
    """A criterion that is answered by any number above 0."""
    asked = Criterion(name, label, 0.0, math.inf, 0, reverse=reverse, question=question)
    return replace(asked, modulus=modulus, by_judge=by_judge)


def sorted_out(
    frozen: Frozen, study: EstimationStudy, judgements: Sequence[Judgement], *, panel: str | None = None
) -> Rated:
    """The answers that count; those to a screen of several texts one by one."""
    criteria = tuple(criterion_of(question, study) for question in study.questions_asked)
    if not isinstance(study, RankmeStudy):
        return sort_answers(frozen, study, criteria, judgements, panel=panel)
    single = [part for judgement in judgements for part in taken_apart(judgement)]
    found = sort_answers(frozen, study, criteria, single, panel=panel)
    return replace(
        found,
        screens=tuple(judgement for judgement in found.counted if judgement.id.endswith("/0")),
        aside={
            name: number if name == CHECK else number // max(1, study.per_screen)
            for name, number in found.aside.items()
        },
    )


def taken_apart(judgement: Judgement) -> Iterator[Judgement]:
    """An answer to a screen as answers to its texts; a check stays whole."""
    if judgement.role == CHECK:
        yield judgement
        return
    for place, (text, item) in enumerate(zip(judgement.texts, judgement.items, strict=True)):
        yield replace(
            judgement,
            id=f"{judgement.id}/{place}",
            replaces=f"{judgement.replaces}/{place}" if judgement.replaces else "",
            texts=(text,),
            items=(item,),
            answer={
                criterion: given if given == CANNOT else given[place] for criterion, given in judgement.answer.items()
            },
        )


def far_off(column: Column) -> Iterator[Note]:
    """Numbers so far from a judge's others that they may be slips; they are counted all the same."""
    who = np.array(column.judges, dtype=object).astype(str)
    codes = np.unique(who, return_inverse=True)[1]
    own = column.modelled - (np.bincount(codes, weights=column.modelled) / np.bincount(codes))[codes]
    far = np.flatnonzero(np.abs(own) > math.log(FAR))
    if far.size:
        place = int(far[np.abs(own[far]).argmax()])
        yield note(
            "far off",
            criterion=column.criterion.label,
            far=int(far.size),
            numbers=len(column),
            times=FAR,
            judge=column.judges[place],
            item=repr(column.items[place]),
        )


def _ranked(result: RatingResult, rated: Rated) -> RatingResult:
    """With the ranking that the numbers on each screen imply."""
    found = tuple(_implied(rating, rated, result) for rating in result.ratings)
    notes = (
        note("of ranking", where=ranking.where, text=text)
        for ranking in found
        if ranking.ratings is not None
        for text in ranking.ratings.notes
    )
    return replace(result, own=Rankings(found), notes=tuple(distinct((*result.notes, *notes))))


def _implied(one: Rating, rated: Rated, result: RatingResult) -> Implied:
    screens: dict[str, Screen] = {}
    for part in rated.of(one.panel):
        if one.criterion.id in part.answer:
            item, system = rated.subject[part.texts[0]]
            screen = screens.setdefault(part.id.rpartition("/")[0], Screen(item, part.judge, []))
            screen.values.append((system, one.criterion.score(part.answer[one.criterion.id])))
    means = {mean.system: mean.mean for mean in one.models.means}
    return implied(list(screens.values()), means, where=result.where(one), seed=result.seed)
