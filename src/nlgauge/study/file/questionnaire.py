"""Answers to the questions put to a judge, before the first text and at the end: what fits, as one rule for all.

An answer is kept as words: of a choice the option's number from 0, of several their numbers with commas between, of a
scale the point from 1, else what was typed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from nlgauge.study.model import clean
from nlgauge.study.refusals import Refused

if TYPE_CHECKING:
    from nlgauge.study.file.study import Question

LONGEST_ANSWER = 2_000
FAULTS = {
    "required": "the question {id!r} must be answered",
    "number": "the answer to {id!r} must be a number",
    "option": "the answer to {id!r} is none of its options",
    "long": f"the answer to {{id!r}} is longer than {LONGEST_ANSWER:,} characters",
}


def fault(question: Question, given: str, *, leaving: bool = False) -> str:
    """What is wrong with an answer, a key of `FAULTS`; empty where it fits. Who is leaving must answer nothing."""
    if not given:
        return "required" if question.required and not leaving else ""
    if question.type == "number" and not _is_number(given):
        return "number"
    if question.type in ("choice", "several", "scale"):
        first, count = (1, question.points) if question.type == "scale" else (0, len(question.options))
        places = given.split(",") if question.type == "several" else [given]
        known = {str(place) for place in range(first, first + count)}
        return "" if known.issuperset(places) and len(set(places)) == len(places) else "option"
    return "long" if len(given) > LONGEST_ANSWER else ""


def checked(questions: Sequence[Question], answers: Mapping[str, str], *, leaving: bool = False) -> dict[str, str]:
    """The answers that were given, as they are kept; refused where one does not fit its question."""
    stored: dict[str, str] = {}
    for question in questions:
        given = clean(str(answers.get(question.id, ""))).strip()
        if wrong := fault(question, given, leaving=leaving):
            raise Refused("invalid", FAULTS[wrong].format(id=question.id))
        if given:
            stored[question.id] = given
    return stored


def chosen(given: str) -> list[int]:
    """The places of the options of a kept answer to `choice` or `several`."""
    return [int(place) for place in given.split(",")]


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
