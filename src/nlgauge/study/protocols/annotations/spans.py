"""What an answer to error marking is.

{"spans": [{"on": "output", "start": 4, "end": 9, "category": "accuracy/addition", "severity": "major", "note": ""}, …],
"none": false, "ratings": {criterion: number}}. Places are characters (code points) of the text as shown, [start, end);
spans may overlap. `on` is output, source (what the output lacks, marked where it stands), or missing (what it lacks,
without a place: 0 to 0). Without categories `category` is empty. Where there is no error, `none` says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from nlgauge.study.model import Text, clean
from nlgauge.study.protocols.annotations.file import SpanStudy
from nlgauge.study.protocols.annotations.planted import places
from nlgauge.study.protocols.outputs.gold import Planted
from nlgauge.study.refusals import Refused

OUTPUT, SOURCE, MISSING = "output", "source", "missing"
PLACES = (OUTPUT, SOURCE, MISSING)
KEYS = ("on", "start", "end", "category", "severity", "note")
MOST = 100  # errors of a text
LONGEST_NOTE = 2_000


def source_of(text: Text) -> str:
    """The source as it is shown, where it is one text whose words can be marked."""
    found = text.beside.get(SOURCE)
    return found if isinstance(found, str) else ""


def taken(answer: Any, text: Text, study: SpanStudy) -> dict[str, Any]:
    """The answer but for its ratings, in its usual order, where it fits text and study."""
    if not isinstance(answer, Mapping) or "spans" not in answer or not set(answer) <= {"spans", "none", "ratings"}:
        raise Refused("invalid", "an answer is an object with a list of spans, and none where there is no error")
    given, none = answer["spans"], answer.get("none", False)
    if not isinstance(given, list | tuple) or not isinstance(none, bool):
        raise Refused("invalid", "spans is a list, and none is true or false")
    if len(given) > MOST:
        raise Refused("invalid", f"{len(given):,} errors are more than a text can have here ({MOST})")
    if none and given:
        raise Refused("invalid", f"the answer says that there is no error, and marks {len(given)}")
    if not none and not given:
        raise Refused("invalid", "nothing is marked; where there is no error, the answer must say so (none: true)")
    found = {tuple(_span(span, text, study).items()) for span in given}
    spans = sorted(map(dict, found), key=lambda one: (PLACES.index(one["on"]), *list(one.values())[1:]))
    return {"spans": spans, "none": none}


def _span(given: Any, text: Text, study: SpanStudy) -> dict[str, Any]:
    if not isinstance(given, Mapping) or not {"on", "severity"} <= set(given) <= set(KEYS):
        raise Refused("invalid", f"an error is an object with {', '.join(KEYS)}")
    on, category, severity = given["on"], given.get("category", ""), given["severity"]
    start, end = _place(given, on, text, study)
    if severity not in study.weights:
        raise Refused("invalid", f"the severity {severity!r} is none of {', '.join(study.weights)}")
    if study.paths and category not in study.paths:
        raise Refused("invalid", f"the category {category!r} is none of {', '.join(study.paths)}")
    if not study.paths and category:
        raise Refused("invalid", f"the study has no categories, so an error cannot have the category {category!r}")
    note = given.get("note", "")
    if not isinstance(note, str) or len(note) > LONGEST_NOTE:
        raise Refused("invalid", f"a note is a text of at most {LONGEST_NOTE:,} characters")
    if note.strip() and study.note == "no":
        raise Refused("invalid", "the study takes no notes on errors")
    return dict(zip(KEYS, (on, start, end, category, severity, clean(note).strip()), strict=True))


def _place(given: Mapping[str, Any], on: Any, text: Text, study: SpanStudy) -> tuple[int, int]:
    start, end = given.get("start", 0), given.get("end", 0)
    if on not in PLACES:
        raise Refused("invalid", f"an error is on {', '.join(PLACES)}, not on {on!r}")
    if (on == SOURCE and study.omissions != "source") or (on == MISSING and study.omissions != "marker"):
        raise Refused("invalid", f"in this study errors cannot be on {on} (omissions: {study.omissions})")
    if on == MISSING:
        if (start, end) != (0, 0):
            raise Refused("invalid", "what is missing has no place in the text")
        return 0, 0
    length = len(text.text if on == OUTPUT else source_of(text))
    whole = all(isinstance(place, int) and not isinstance(place, bool) for place in (start, end))
    if not whole or not 0 <= start < end <= length:
        raise Refused(
            "invalid",
            f"an error from {start!r} to {end!r} lies outside the {on}, which has {length:,} characters",
        )
    return start, end


def marked(given: Sequence[Mapping[str, Any]], planted: Sequence[Planted], text: str, study: SpanStudy) -> bool:
    """Whether every planted error was found; of a text without errors, whether nothing above the lightest severity was
    marked: careful judges may take offence at a trifle."""
    if not planted:
        light = min(weight for weight in study.weights.values() if weight > 0)
        return all(study.weights[span["severity"]] <= light for span in given)
    return all(
        any(_finds(span, error, at, text) for span in given for at in places(error.words, text)) for error in planted
    )


def _finds(mark: Mapping[str, Any], error: Planted, at: tuple[int, int], text: str) -> bool:
    """Whether a mark is of the error at a place: it covers half of its words or lies by half within them, is of its
    kind, and of no more than half of the text unless the error is."""
    size, length = at[1] - at[0], mark["end"] - mark["start"]
    shared = min(mark["end"], at[1]) - max(mark["start"], at[0])
    kind = mark["category"] == error.category or mark["category"].startswith(f"{error.category}/")
    return (
        mark["on"] == OUTPUT
        and 2 * shared >= min(size, length)
        and (length <= max(len(text) / 2, 2 * size))
        and (kind or not error.category)
        and error.severity in ("", mark["severity"])
    )


def luck(planted: Sequence[Planted], text: str, study: SpanStudy) -> float:
    """The chance that a mark of three words anywhere, of any kind, finds what was planted; nothing marked in a text
    without errors is right."""
    words = [(word.start(), word.end()) for word in re.finditer(r"\S+", text)] or [(0, len(text))]
    kinds = list(study.paths) or [""]
    marks = [
        dict(zip(KEYS, (OUTPUT, start, words[min(place + 2, len(words) - 1)][1], kind, grade, ""), strict=True))
        for place, (start, _) in enumerate(words)
        for kind in kinds
        for grade in study.weights
    ]
    stands = {error: places(error.words, text) for error in planted}
    return prod(
        sum(any(_finds(mark, error, at, text) for at in found) for mark in marks) / len(marks)
        for error, found in stands.items()
    )


def possible(answer: Any) -> bool:
    """Whether some study could have taken an answer."""
    if not isinstance(answer, Mapping) or not isinstance(answer.get("spans"), list | tuple):
        return False
    return isinstance(answer.get("none"), bool) and all(
        isinstance(span, Mapping) and set(span) == set(KEYS) and span["on"] in PLACES for span in answer["spans"]
    )


def penalty(spans: Sequence[Mapping[str, Any]], weights: Mapping[str, float]) -> float:
    """The penalties of some errors together."""
    return sum(weights[span["severity"]] for span in spans)


def quoted(span: Mapping[str, Any], text: Text) -> str:
    """The words that an error is about."""
    whole = text.text if span["on"] == OUTPUT else source_of(text) if span["on"] == SOURCE else ""
    return whole[span["start"] : span["end"]]
