"""What the keys of a comparative study allow one by one, but not together; each with the place of the key."""

from __future__ import annotations

from nlgauge.study.protocols.comparisons.criteria import entry_problems
from nlgauge.study.protocols.comparisons.file import ComparisonStudy, PairwiseStudy
from nlgauge.study.protocols.outputs.contradictions import (
    Problems,
    criteria_problems,
    example_problems,
    machine_problems,
    practice_problems,
    screen_problems,
    showing_problems,
    system_problems,
)
from nlgauge.study.protocols.outputs.gold import Form, best_problems, gold_problems
from nlgauge.study.protocols.outputs.quality import quality_problems

LEAST = {"pairwise": 2, "ranking": 2, "best-worst": 3}  # systems, and texts on a screen
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
    yield from practice_problems(study, "comparison")
    yield from example_problems(study, study.per_screen, least=2)


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
    size = study.per_screen
    if study.protocol == "pairwise" and size not in (0, 2):
        yield (
            "design.per_screen",
            f"pairwise shows two texts, not {size}; set per_screen: 2 in design, or design: pairs",
        )
    elif size:  # 0: all systems of a set that has not been read yet
        yield from screen_problems(study, size, LEAST[study.protocol])


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
