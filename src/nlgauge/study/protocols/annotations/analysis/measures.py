"""Each answer as numbers: what was measured on it, beside what its judge was asked.

post-edit   hter, characters (both per hundred of the post-edit), time (log2 of the seconds for each word of the output:
            times are skewed, and a unit is twice the time), unchanged (yes or no)
spans       penalty (of a text, or for a hundred words of it, as the study says), errors (their number)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement, Text
from nlgauge.study.protocols.annotations import edits, spans
from nlgauge.study.protocols.annotations.file import PostEditStudy, SpanStudy, annotation_study
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


def numbers(one: Judgement, text: Text, study: PostEditStudy | SpanStudy | object) -> Numbers:
    """What is measured on one answer."""
    if isinstance(study, SpanStudy):
        given = one.answer["spans"]
        return {"penalty": penalty(given, text, study), "errors": float(len(given))}
    assert isinstance(study, PostEditStudy)
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
    return total if study.per == "segment" else 100 * total / words_of(text)


def words_of(text: Text) -> int:
    """Words of an output, 1 where there are none."""
    return max(1, len(text.text.split()))


def _known(study: object) -> dict[str, tuple[str, str, bool]]:
    """Name, meaning, and whether low is good."""
    if isinstance(study, SpanStudy):
        weights = ", ".join(f"{severity.id} {severity.weight:g}" for severity in study.grades)
        per = "text" if study.per == "segment" else "100 words of the text"
        return {
            "penalty": ("Penalty", f"penalties of the errors marked, per {per}: {weights}", True),
            "errors": ("Errors", "errors marked in a text", True),
        }
    return {
        "hter": (
            "HTER",
            "edits per 100 words of the post-edit: TER of the output against its post-edit",
            True,
        ),
        "characters": (
            "Characters changed",
            "characters inserted, deleted or replaced per 100 of the post-edit",
            True,
        ),
        "time": ("Time", "log2 of the seconds for each word of the output; 1 more is twice the time", True),
        "unchanged": ("No change needed", "share of texts that need no change", False),
    }


def _criterion(name: str, told: tuple[str, str, bool], found: Sequence[Judgement]) -> Criterion:
    """On the scale that the numbers fill, which serves only to compare judges with each other."""
    called, meaning, lower = told
    if name == "unchanged":
        return Criterion(
            id=name,
            name=called,
            low=0.0,
            high=1.0,
            points=2,
            reverse=False,
            question=meaning,
            unit=True,
            measure=meaning,
            lower=lower,
        )
    values = [row.answer[name] for row in found if row.role != CHECK and name in row.answer]
    low, high = min([0.0, *values]), max([0.0, *values])
    return Criterion(
        id=name,
        name=called,
        low=low,
        high=high if high > low else low + 1.0,
        points=0,
        reverse=False,
        question=meaning,
        unit=False,
        measure=meaning,
        lower=lower,
        ends=(-math.inf if name == "time" else 0.0, math.inf),  # of times the logarithms are taken
    )
