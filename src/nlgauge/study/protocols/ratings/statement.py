"""What single-text ratings tell for their design statement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from nlgauge.study.designs.imported import Imported
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.protocols.outputs.statement import (
    aspect_of,
    beside_told,
    imported_told,
    origin_of,
    practice_told,
    quality_of,
    told_by,
)
from nlgauge.study.protocols.ratings.criteria import Asked, AskedScale
from nlgauge.study.protocols.ratings.file import RatingStudy, rating_study
from nlgauge.study.statements.told import CriterionTold, Sheets, Told
from nlgauge.wording.numbers import in_full

KINDS = {
    "likert": "rating of one text at a time on points",
    "continuous": "rating of one text at a time on a slider",
    "binary": "yes or no about one text at a time",
}

POINTS = 11  # up to which the analysis has an ordinal model
EFFECTS = {
    True: "judges and items as random effects, and their interactions with systems where the answers tell them",
    False: "items as random effects, and their interaction with systems where the answers tell it (judges are not "
    "named, so that what they differ by is noise)",
}
WALD = "Wald tests of all pairs of systems"
RANKS = "Wilcoxon's signed-rank tests of outputs' means"


def told(frozen: Frozen, seen: Mapping[str, Sheets], *, with_it: str = "and all questions about it") -> Told:
    """Everything but what every study file holds; `with_it` is what a judge sees with each text. Of a study that was
    run elsewhere what its answers tell, and what its file says: nothing that our pages do."""
    study = rating_study(frozen.study)
    asked = tuple(_criterion(study, one, number) for number, one in enumerate(study.questions_asked))
    turned = any(question.reverse for question in study.questions_asked)
    first = "Answers to questions whose high end is bad are turned round. " if turned else ""
    analysis, significance = f"{first}{by_criterion(study, _scores)}", by_criterion(study, _tests)
    if study.imported:
        found = imported_told(frozen, study, seen, FOUND_KINDS[study.answered], asked)
        return replace(found, analysis=analysis, significance=significance)
    return told_by(
        frozen,
        seen,
        study,
        kind=KINDS[study.answered],
        criteria=asked,
        screen=lambda panel: (
            f"One text{beside_told(study, panel, 'beside it')}, {with_it}; judges never see which system wrote it."
        ),
        about="a text",
        practice=practice_told(study, "text"),
        analysis=analysis,
        significance=significance,
    )


def by_criterion(study: RatingStudy, told: Callable[[AskedScale, bool], str]) -> str:
    """What is done of all criteria, once; of each kind of scale where they differ, with the criteria's names."""
    said: dict[str, list[str]] = {}
    for criterion in study.questions_asked:
        said.setdefault(told(criterion.scale, _named(study)), []).append(criterion.name)
    if len(said) == 1:
        return f"{next(iter(said))}."
    return " ".join(f"{', '.join(names)}: {text}." for text, names in said.items())


def _named(study: RatingStudy) -> bool:
    """Whether judges are people, or places in the lists of an imported file."""
    return not (isinstance(study.plan, Imported) and study.plan.judges == "places")


def _scores(scale: AskedScale, named: bool) -> str:
    if scale.points == 2:
        return "Shares of yes of each system with Clopper and Pearson's limits, which take ratings as independent"
    beside = " and means of each judge's z scores" if named else ""
    return f"Means of each system by a linear mixed model (REML) with {EFFECTS[named]}; plain means{beside} beside it"


def _tests(scale: AskedScale, named: bool) -> str:
    if scale.points == 2:
        return (
            f"{WALD} by a logistic mixed model (Laplace approximation, the linear model's degrees of freedom) with "
            f"{EFFECTS[named]}, Holm's correction; differences of shares by a linear mixed model, and {RANKS} beside it"
        )
    ordinal = "an ordinal mixed model and " if 2 < scale.points <= POINTS else ""
    ranks = RANKS if scale.points or not named else f"{RANKS}, of z scores"
    return f"{WALD} by that model (Satterthwaite's degrees of freedom), Holm's correction; {ordinal}{ranks} beside it"


FOUND_KINDS = {
    "likert": "rating on points",
    "continuous": "rating by a number",
    "binary": "yes or no",
}


def _criterion(study: RatingStudy, one: Asked, place: int) -> CriterionTold:
    entry = study.criteria[place] if place < len(study.criteria) else None
    found = None if entry is None or study.imported else study.meant(entry)
    scale = one.scale
    ends = (in_full(scale.low), in_full(scale.high))
    values = [in_full(value) for value in scale.values] or list(ends)
    labels = tuple((in_full(value), dict(words)) for value, words in scale.marks)
    return CriterionTold(
        one.id,
        one.name,
        dict(one.question),
        definition=one.definition,
        shown=bool(study.explanation(one)),
        origin=_origin(study, one),
        scale=_shown_scale(study, scale),
        size=str(scale.points or ("continuous" if study.imported else scale.steps + 1)),
        values=", ".join(values) if scale.points else f"{ends[0]} to {ends[1]}",
        labels=labels,
        instrument="" if study.imported else "multiple choice" if scale.points else "slider",
        elicitation="output classification or labelling: yes or no"
        if scale.points == 2
        else "direct quality estimation",
        quality=quality_of(one.measures),
        aspect=aspect_of(one.measures),
        frame=found.frame if found is not None else (entry.frame or "") if entry is not None else "",
        reverse=one.reverse,
        measures=one.measures,
    )


def _origin(study: RatingStudy, one: Asked) -> str:
    """Where the wording comes from; nothing where there is no wording to come from anywhere."""
    if study.imported and not any(one.question.values()):
        return ""
    return origin_of(one.mark, one.source)


def _shown_scale(study: RatingStudy, scale: AskedScale) -> str:
    if study.imported:
        kind = f"{scale.points} points" if scale.points else "numbers"
        return f"{kind}, {in_full(scale.low)} to {in_full(scale.high)}"
    return str(scale) + ("" if scale.points else f" in steps of {in_full(scale.step)}")
