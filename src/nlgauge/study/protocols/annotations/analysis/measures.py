"""Each answer as numbers: what was measured on it, beside what its judge was asked.

post-edit   hter, characters (both per hundred of the post-edit), time (log2 of the seconds for each word of the output:
            times are skewed, and a unit is twice the time), unchanged (yes or no)
spans       penalty (of a text, or for a hundred words of it, as the study says), errors (their number)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement, Text
from nlgauge.study.protocols.annotations import edits, spans
from nlgauge.study.protocols.annotations.file import AnnotationStudy, SpanStudy, annotation_study
from nlgauge.study.protocols.outputs.gold import CHECK
from nlgauge.study.protocols.outputs.machines import machines_of
from nlgauge.study.protocols.ratings.analysis.rows import Criterion

Numbers = dict[str, float]


def measured(frozen: Frozen, judgements: Sequence[Judgement]) -> tuple[list[Judgement], tuple[Criterion, ...]]:
    """The same judgements with numbers for answers, and what the numbers are."""
    study = annotation_study(frozen.study)
    machines = machines_of(frozen, study, judgements)
    found = []
    for judgement in judgements:
        if judgement.role == CHECK:  # judged by what was done, not by numbers
            found.append(judgement)
            continue
        text = frozen.text.get(judgement.texts[0])
        own = {} if text is None else numbers(judgement, text, study)
        if judgement.panel in machines:
            own.pop("time", None)  # how fast a machine answers says nothing of the work
        found.append(replace(judgement, answer={**own, **judgement.answer["ratings"]}))
    return found, tuple(_criterion(name, told, found) for name, told in _known(study).items())


def numbers(one: Judgement, text: Text, study: AnnotationStudy) -> Numbers:
    """What is measured on one answer."""
    if isinstance(study, SpanStudy):
        given = one.answer["spans"]
        return {"penalty": penalty(given, text, study), "errors": float(len(given))}
    edited = edits.edits_of(text.text, one.answer["text"], study.words)
    return {
        "hter": edited.hter,
        "characters": edited.changed,
        "time": edits.doublings(edits.per_word(one.seconds, edited)),
        "unchanged": float(one.answer["outcome"] == "unchanged"),
    }


def penalty(given: Sequence[Mapping[str, object]], text: Text, study: SpanStudy) -> float:
    """The penalties of a text's errors, by segment or by a hundred words."""
    total = spans.penalty(given, study.weights)
    return total if study.per == "segment" else 100 * total / max(1, len(text.text.split()))


def _known(study: AnnotationStudy) -> dict[str, tuple[str, str]]:
    """Name and meaning; low is good of all but `unchanged`."""
    if isinstance(study, SpanStudy):
        weights = ", ".join(f"{severity.id} {severity.weight:g}" for severity in study.grades)
        per = "text" if study.per == "segment" else "100 words of the text"
        return {
            "penalty": ("Penalty", f"penalties of the errors marked, per {per}: {weights}"),
            "errors": ("Errors", "errors marked in a text"),
        }
    return {
        "hter": ("HTER", "edits per 100 words of the post-edit: TER of the output against its post-edit"),
        "characters": ("Characters changed", "characters inserted, deleted or replaced per 100 of the post-edit"),
        "time": ("Time", "log2 of the seconds for each word of the output; 1 more is twice the time"),
        "unchanged": ("No change needed", "share of texts that need no change"),
    }


def _criterion(name: str, told: tuple[str, str], found: Sequence[Judgement]) -> Criterion:
    """On the scale that the numbers fill, which serves only to compare judges with each other."""
    called, meaning = told
    said: dict[str, Any] = {"reverse": False, "question": meaning, "measure": meaning}
    if name == "unchanged":
        return Criterion(name, called, 0.0, 1.0, 2, **said, unit=True)
    values = [0.0, *(row.answer[name] for row in found if row.role != CHECK and name in row.answer)]
    low, high = min(values), max(values)
    ends = (-math.inf if name == "time" else 0.0, math.inf)  # of times the logarithms are taken
    return Criterion(name, called, low, high if high > low else low + 1.0, 0, **said, lower=True, ends=ends)
