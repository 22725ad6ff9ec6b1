"""What the keys of a comparative study allow one by one, but not together; each with the place of the key."""

from __future__ import annotations

from collections.abc import Iterator

from nlgauge.errors import InputError, counted
from nlgauge.study.protocols.comparisons.criteria import entry_problems
from nlgauge.study.protocols.comparisons.file import ComparisonStudy, PairwiseStudy
from nlgauge.study.protocols.outputs.contradictions import (
    criteria_problems,
    machine_problems,
    showing_problems,
    system_problems,
)
from nlgauge.study.protocols.outputs.gold import Form, best_problems, gold_problems
from nlgauge.study.protocols.outputs.quality import quality_problems

Problems = Iterator[tuple[str, str]]
LEAST = {"pairwise": 2, "ranking": 2, "best-worst": 3}
MOST = 12  # texts on a screen; nobody ranks more at a glance
MOST_DEGREES = 10


def contradictions(study: ComparisonStudy) -> Problems:
    """The place of a key and what is wrong there, for everything that is."""
    yield from system_problems(study)
    found = list(criteria_problems(study, lambda entry, path: entry_problems(entry, path, study.protocol)))
    yield from found
    if not found:
        yield from showing_problems(study)
        form = Form(("answer",), best_problems)
        yield from quality_problems(study, texts=study.per_screen, form=form, copies=("repeats",))
        yield from gold_problems(study, form)
    yield from _design_problems(study)
    if isinstance(study, PairwiseStudy):
        yield from _strength_problems(study)
    yield from machine_problems(study)
    practice = study.practice
    if practice.items and len(practice.items) < practice.texts:
        yield (
            "practice.items",
            f"{counted(practice.texts, 'comparison')} for practice need as many inputs, not {len(practice.items)}; "
            "name "
            "more, or lower texts",
        )
    for number, example in enumerate(practice.examples, start=1):
        size = study.per_screen or len(example.texts)
        if len(example.texts) != size or size < 2:
            yield (
                f"practice.examples.{number}",
                f"an example must have as many texts as a screen of the study, {study.per_screen or 'at least 2'}, but "
                f"practice.examples.{number} has {len(example.texts)}; add or remove texts",
            )


def _design_problems(study: ComparisonStudy) -> Problems:
    systems = len(study.authors)
    if systems == 1:
        where = "subjects" if study.subjects else "systems"
        yield where, "there is one system, so nothing can be compared; name at least two"
        return
    if 0 < systems < LEAST[study.protocol]:
        yield (
            "subjects" if study.subjects else "systems",
            f"{study.protocol} compares at least {LEAST[study.protocol]} systems, not {systems}; name more, or set "
            "protocol: pairwise",
        )
        return
    size: int = getattr(study.plan, "per_screen", 2) or systems
    least, place = LEAST[study.protocol], "design.per_screen"
    if not size:  # all systems of a set that has not been read yet
        return
    if study.protocol == "pairwise" and size != 2:
        yield place, f"pairwise shows two texts, not {size}; set per_screen: 2 in design, or design: pairs"
    elif size < least:
        yield (
            place,
            f"{study.protocol} needs at least {least} texts on a screen, not {size}; set "
            f"design: {{kind: {study.plan.kind}, per_screen: {least}}}",
        )
    elif size > MOST:
        yield (
            place,
            f"{size} texts on a screen are too many to compare; set design: "
            f"{{kind: {study.plan.kind}, per_screen: 4}}, "
            f"with {MOST} at most",
        )
    elif systems:
        try:
            study.plan.describe(1_000, systems)  # whatever the number of items
        except InputError as error:
            fits = f", as in design: {{kind: {study.plan.kind}, per_screen: {systems}}}" if size > systems else ""
            yield "design", f"design: {error}{fits}"


def _strength_problems(study: PairwiseStudy) -> Problems:
    if len(study.strength) > MOST_DEGREES:
        yield (
            "strength",
            f"strength: {len(study.strength)} degrees are too many to tell apart; give at most {MOST_DEGREES}",
        )
    for language in dict.fromkeys(name for words in study.strength for name in words):
        said = [words.get(language) or words.get("") or "" for words in study.strength]
        if all(said) and len(set(said)) < len(said):
            yield (
                "strength",
                f"strength: two degrees are called the same{f' in {language}' if language else ''}; call each "
                "otherwise",
            )
