"""What magnitude estimation tells for its design statement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.protocols.magnitudes.criteria import Estimated
from nlgauge.study.protocols.magnitudes.file import (
    EstimationStudy,
    MagnitudeStudy,
    RankmeStudy,
    estimation_study,
)
from nlgauge.study.protocols.outputs.statement import (
    aspect_of,
    imported_told,
    origin_of,
    practice_told,
    quality_of,
    told_by,
)
from nlgauge.study.statements.told import CriterionTold, Sheets, Told
from nlgauge.wording.numbers import in_full

SIGNIFICANCE = (
    "linear mixed model of logarithms with random judges and items, Satterthwaite's degrees of freedom; all pairs of "
    "systems with Holm's correction"
)


def told(frozen: Frozen, seen: Mapping[str, Sheets]) -> Told:
    """Everything but what every study file holds."""
    study = estimation_study(frozen.study)
    assert isinstance(study, MagnitudeStudy | RankmeStudy)
    several = isinstance(study, RankmeStudy)
    criteria = tuple(_criterion(study, one, place) for place, one in enumerate(study.questions_asked))
    if study.imported:
        kind = "magnitude estimation" + (" of several outputs of one input at a time (RankME)" if several else "")
        found = imported_told(frozen, study, seen, kind, criteria)
        return replace(found, analysis=_analysis(study), significance=SIGNIFICANCE)
    return told_by(
        frozen,
        seen,
        study,
        kind="magnitude estimation of "
        + ("several outputs of one input at a time (RankME)" if several else "one text at a time"),
        criteria=criteria,
        screen=lambda panel: _screen(study, panel),
        about="a screen" if several else "a text",
        practice=practice_told(study, "screen" if several else "text"),
        analysis=_analysis(study),
        significance=SIGNIFICANCE,
    )


def _criterion(study: EstimationStudy, one: Estimated, place: int) -> CriterionTold:
    found = study.meant(study.criteria[place]) if place < len(study.criteria) else None
    several = isinstance(study, RankmeStudy)
    return CriterionTold(
        one.id,
        one.name,
        dict(one.question),
        definition=one.definition,
        shown=bool(study.explanation(one)),
        origin="" if study.imported and not any(one.question.values()) else origin_of(one.mark, one.source),
        scale=f"any number above 0, {_relative(study)}",
        size="continuous",
        values="every number above 0",
        instrument="" if study.imported else "numerical text entry",
        elicitation="relative quality estimation by magnitudes" if several else "direct quality estimation",
        quality=quality_of(one.measures),
        aspect=aspect_of(one.measures),
        frame=found.frame
        if found is not None
        else study.criteria[place].frame or ""
        if study.imported and place < len(study.criteria)
        else "",
        relative=several,
        reverse=one.reverse,
        measures=one.measures,
    )


def _relative(study: EstimationStudy) -> str:
    standard = study.standard
    if standard is None:
        return "in proportion to the judge's own other numbers (free modulus)"
    which = (
        f"the text “{standard.text}”"
        if standard.text
        else f"a text of the same input ({standard.column}), another for each"
    )
    return f"in proportion to a standard of the value {in_full(standard.value)}: {which}"


def _screen(study: EstimationStudy, panel: str) -> str:
    beside = [str(show.what) for show in study.shown_to(panel)]
    if study.standard is not None:
        beside.append("standard and its value")
    shown = f"with the {', the '.join(beside)} beside" if beside else "nothing beside"
    if isinstance(study, RankmeStudy):
        asked = "one question" if len(study.parts) > 1 else "all questions"
        return (
            f"{study.per_screen} texts of one input, {shown} them, and {asked} with a field for each text; judges "
            "never see which system wrote a text."
        )
    return f"One text, {shown} it, and a field for each question; judges never see which system wrote it."


def _analysis(study: EstimationStudy) -> str:
    by = (
        "the geometric mean of the judge's own numbers"
        if study.divisor == "judge" or study.standard is None
        else f"the standard's value of {in_full(study.standard.value)}"
    )
    found = f"natural logarithms of the numbers divided by {by}; means are told as ratios with their limits"
    if isinstance(study, RankmeStudy):
        found += "; the order of the numbers on a screen as a ranking by Bradley and Terry's model and by TrueSkill"
    return found
