"""What is said of the analysis of a study, made last: sentences for a paper, warnings, diagnoses, and the JSON form."""

from __future__ import annotations

from typing import Any

from nlgauge.report.study import comparisons_words, notes, own, triangle_words
from nlgauge.report.study.advice import advice
from nlgauge.report.study.ratings_words import machine, plan
from nlgauge.report.study.sentences import Sentence, could_not_judge, place
from nlgauge.study.analysis.notes import Note
from nlgauge.study.protocols.comparisons.analysis.results import ComparisonResult
from nlgauge.study.protocols.outputs.analysis.results import OutputResult
from nlgauge.study.protocols.ratings.analysis.results import RatingResult
from nlgauge.study.protocols.task.analysis import Task
from nlgauge.study.protocols.triangle.analysis.results import StudyResult
from nlgauge.study.statements.wording_effects import of_wording

LATE = ("far off", "of ranking")  # notes on single numbers and on rankings, which come last


def sentences(result: OutputResult | StudyResult) -> tuple[Sentence, ...]:
    """Headings and texts for the paper."""
    if isinstance(result, RatingResult):
        return tuple(own.all_sentences(result))
    if isinstance(result, ComparisonResult):
        return tuple(comparisons_words.sentences(result))
    assert isinstance(result, StudyResult)
    return triangle_words.sentences(result)


def warnings(result: OutputResult | StudyResult) -> tuple[str, ...]:
    """What must be known before the figures are believed."""
    if isinstance(result, StudyResult):
        return triangle_words.warnings(result)
    early, late = ([note for note in result.notes if (note.kind in LATE) == after] for after in (False, True))
    merging = isinstance(result, RatingResult) and not result.keyed
    said = notes.merged(early) if merging else list(map(notes.words, early))
    said += [could_not_judge(row, place(row, several=result.several_panels)) for row in result.declined]
    return tuple(dict.fromkeys([*said, *map(notes.words, late)]))


def diagnoses(result: OutputResult) -> list[str]:
    """Why judges agree little and what to do, for whoever runs the next study."""
    return [
        f"{result.where(part)}: {part.agreeing.diagnosis}. What to do: {advice(part.agreeing)}"
        for part in result.parts
        if part.agreeing.diagnosis is not None and not result.keyed
    ]


def sentence(result: OutputResult | StudyResult) -> str:
    """The findings in words."""
    if isinstance(result, StudyResult):
        return triangle_words.sentence(result)
    head = "Strengths" if isinstance(result, ComparisonResult) else "Means"
    if isinstance(result, RatingResult) and (found := own.conclusions(result)):
        return " ".join(found)
    return " ".join(text for heading, text in sentences(result) if heading.startswith(head))


def in_json(result: OutputResult | StudyResult) -> dict[str, Any]:
    """The stable JSON form of `study analyse`: figures, and what is said of them."""
    if isinstance(result, StudyResult):
        return triangle_words.in_json(result)
    found = _with(result.to_dict(), "result", sentence=sentence(result), warnings=list(warnings(result)))
    said = [{"about": heading, "text": text} for heading, text in sentences(result)]
    found = _with(found, "between_criteria", sentences=said)
    found = _with(found, "wordings", diagnoses=diagnoses(result))
    found["criteria"] = [
        _with(row, "diagnosis", advice=advice(part.agreeing) or None)
        for part, row in zip(result.parts, found["criteria"], strict=True)
    ]
    for effect, row in zip(result.wordings, found["wordings"], strict=True):
        row["sentence"] = of_wording(effect)
    if isinstance(result, RatingResult):
        _of_ratings(result, found)
    if isinstance(result, ComparisonResult):
        comparisons_words.in_json(result, found)
    told: dict[str, Any] = _worded(found)
    return told


def _of_ratings(result: RatingResult, found: dict[str, Any]) -> None:
    for rating, row in zip(result.ratings, found["criteria"], strict=True):
        if rating.planning is not None:
            row["next_study"]["sentence"] = plan(rating.planning)
    for beside, row in zip(result.machines, found["machines"], strict=True):
        row["sentence"] = machine(beside)
    if isinstance(result.own, Task) and result.own.confidence:
        found["confidence"]["sentence"] = own.sureness(result.own)


def _with(found: dict[str, Any], after: str, **more: Any) -> dict[str, Any]:
    """With further entries after one of them."""
    entries = list(found.items())
    place = list(found).index(after) + 1
    return dict([*entries[:place], *more.items(), *entries[place:]])


def _worded(found: Any) -> Any:
    """With all notes in words."""
    if isinstance(found, dict):
        if "note" in found and "values" in found:
            return "".join(notes.parts(Note(found["note"], values=found["values"])))
        return {key: _worded(value) for key, value in found.items()}
    return [_worded(value) for value in found] if isinstance(found, list) else found
