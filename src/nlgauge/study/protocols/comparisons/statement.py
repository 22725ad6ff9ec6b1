"""What comparisons tell for their design statement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.languages import LANGUAGES, content
from nlgauge.study.protocols.comparisons.criteria import Compared
from nlgauge.study.protocols.comparisons.file import (
    ComparisonStudy,
    PairwiseStudy,
    RankingStudy,
    comparison_study,
)
from nlgauge.study.protocols.outputs.statement import (
    aspect_of,
    beside_told,
    origin_of,
    practice_told,
    quality_of,
    told_by,
)
from nlgauge.study.statements.told import CriterionTold, Sheets, Told

KINDS = {
    "pairwise": "preference between two texts beside each other",
    "ranking": "ranking of several texts beside each other",
    "best-worst": "choice of the best and the worst of several texts (best–worst scaling)",
}
ANALYSES = {
    "pairwise": "Strengths of the systems by Bradley and Terry's model; ties by Rao and Kupper's",
    "ranking": "Strengths of the systems by Plackett and Luce's model; where texts share ranks, by Bradley and Terry's "
    "model with Rao and Kupper's ties of the pairs that rankings tell",
    "best-worst": "Strengths of the systems by Luce's model of a first and a last place; (best − worst) / shown beside",
}
SIGNIFICANCE = (
    "F test of a linear mixed model of scores in which judges and items may favour systems, Satterthwaite's degrees of "
    "freedom; then Wald tests of all differences of strengths, widened by that model, Holm's correction"
)


def told(frozen: Frozen, seen: Mapping[str, Sheets]) -> Told:
    """Everything but what every study file holds."""
    study = comparison_study(frozen.study)
    found = told_by(
        frozen,
        seen,
        study,
        kind=KINDS[study.protocol],
        criteria=tuple(_criterion(study, one, number) for number, one in enumerate(study.questions_asked)),
        screen=lambda panel: _screen(study, panel),
        about="the texts",
        practice=practice_told(study, "comparison"),
    )
    return replace(
        found,
        sample=f"{found.sample}, {study.per_screen} on a screen",
        analysis=f"{ANALYSES[study.protocol]}; log odds that sum to 0.",
        significance=SIGNIFICANCE,
    )


def _screen(study: ComparisonStudy, panel: str) -> str:
    number = {2: "Two", 3: "Three", 4: "Four"}.get(study.per_screen, str(study.per_screen))
    shown = beside_told(study, panel, "above them")
    return (
        f"{number} texts of one input beside each other{shown}, and all questions about them; judges never see which "
        "system wrote what."
    )


def _criterion(study: ComparisonStudy, one: Compared, place: int) -> CriterionTold:
    found = study.meant(study.criteria[place]) if place < len(study.criteria) else None
    scale, size, values, instrument = _answers(study)
    return CriterionTold(
        one.id,
        one.name,
        dict(one.question),
        definition=one.definition,
        shown=bool(study.explanation(one)),
        origin=origin_of(one.mark, one.source),
        scale=scale,
        size=size,
        values=values,
        labels=_labels(study),
        instrument=instrument,
        elicitation="relative quality estimation (including ranking)",
        quality=quality_of(one.measures),
        aspect=aspect_of(one.measures),
        frame=found.frame if found is not None else "",
        relative=True,
        measures=one.measures,
    )


def _answers(study: ComparisonStudy) -> tuple[str, str, str, str]:
    """The answers in words, how many there are, which, and how they are given."""
    number = study.per_screen
    if isinstance(study, PairwiseStudy):
        degrees = len(study.strength)
        tie = "a tie is offered" if study.ties else "no tie"
        strength = f"{degrees} degrees of preference" if degrees else "no degrees of preference"
        size = 2 * max(degrees, 1) + int(study.ties)
        each = f", each in {degrees} degrees" if degrees else ""
        values = f"first text, second text{each}{'; tie' if study.ties else ''}"
        return f"one of two texts is preferred; {tie}; {strength}", str(size), values, "multiple choice"
    if isinstance(study, RankingStudy):
        shared = "texts may share a rank" if study.ties else "no two texts share a rank"
        return (
            f"every text has a rank from 1 (the best) to {number}; {shared}",
            str(number),
            f"ranks 1 to {number}",
            "ranking: a list of ranks for each text",
        )
    return (
        f"the best and the worst of {number} texts are chosen; two different texts",
        str(number * (number - 1)),
        "a text as the best and another as the worst",
        "multiple choice: a column for the best, one for the worst",
    )


def _labels(study: ComparisonStudy) -> tuple[tuple[str, Mapping[str, str]], ...]:
    """What stands beside answers, in the languages of the pages."""

    def said(name: str) -> Mapping[str, str]:
        return {code: content(code, "pages")[name] for code in study.spoken if code in LANGUAGES}

    if isinstance(study, PairwiseStudy):
        degrees = [(f"degree {place}", dict(words)) for place, words in enumerate(study.strength, start=1)]
        return (*degrees, *([("tie", said("preference_tie"))] if study.ties else []))
    if isinstance(study, RankingStudy):
        return (("the ranks", said("ranking_help_ties" if study.ties else "ranking_help")),)
    return (("best", said("best")), ("worst", said("worst")))
