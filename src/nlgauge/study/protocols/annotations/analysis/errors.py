"""Errors by category, severity and system, and how far judges agree on spans, their categories and severities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

from nlgauge.errors import InputError
from nlgauge.stats.agreement import character_alpha, f1_agreement, krippendorff, matched, positions
from nlgauge.stats.agreement.intervals import Limits
from nlgauge.stats.results import Estimate
from nlgauge.stats.shares import ratio
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.annotations.analysis.results import Example, Mark, Marked, by_output, most_of
from nlgauge.study.protocols.annotations.file import SpanStudy, span_study
from nlgauge.study.protocols.annotations.spans import OUTPUT

ALL = "all"
Spans = Sequence[Mapping[str, Any]]


def marked(frozen: Frozen, counted: Sequence[Judgement]) -> Marked:
    """Rates of errors, agreement on them, and examples."""
    study = span_study(frozen.study)
    agreement, why = agreeing(frozen, counted, study)
    return Marked(
        weights=study.weights,
        per=study.per,
        names={path: study.category_name(path) for path in study.paths},
        severities={name: study.severity_name(name) for name in study.weights},
        errors=tuple(_rates(frozen, counted, study)),
        agreement=agreement,
        why=tuple(why),
        examples=tuple(_examples(frozen, counted, study)),
    )


def _rates(frozen: Frozen, counted: Sequence[Judgement], study: SpanStudy) -> Iterator[dict[str, Any]]:
    """Errors for each text, by system, category (the main one and the kind in it) and severity; `all` sums up."""
    names = {text.id: study.authors.get(text.subject) or text.subject for text in frozen.texts}
    for system in dict.fromkeys(called or name for name, called in study.authors.items()):
        own = [judgement for judgement in counted if names[judgement.texts[0]] == system]
        if not own:
            continue
        items = [judgement.items[0] for judgement in own]
        for category in (ALL, *study.paths):
            for severity in (ALL, *study.weights):
                numbers = [_count(judgement.answer["spans"], category, severity) for judgement in own]
                if sum(numbers) or category == severity == ALL:
                    rate = ratio(numbers, [1.0] * len(own), items)
                    yield {
                        "system": system,
                        "category": category,
                        "severity": severity,
                        "count": sum(numbers),
                        "texts": len(own),
                        "rate": rate,
                    }


def _count(spans: Spans, category: str, severity: str) -> int:
    return sum(
        (category in (ALL, span["category"]) or span["category"].startswith(f"{category}/"))
        and severity in (ALL, span["severity"])
        for span in spans
    )


# ------------------------------------------------------------------------------------------------------ agreement


def agreeing(frozen: Frozen, counted: Sequence[Judgement], study: SpanStudy) -> tuple[dict[str, Estimate], list[str]]:
    """What can be told of the outputs that several judges marked, and why the rest cannot."""
    texts = {name: rows for name, rows in by_output(counted).items() if len({row.judge for row in rows}) > 1}
    if not texts:
        return {}, ["no output was marked by two judges"]
    marks = {
        name: [[span for span in row.answer["spans"] if span["on"] == OUTPUT] for row in rows]
        for name, rows in texts.items()
    }
    found: dict[str, Estimate] = {}
    notes: list[str] = []

    def keep(name: str, make: Any) -> None:
        try:
            found[name] = make()
        except InputError as error:
            notes.append(f"{name}: {error}")

    places = [[positions([(m["start"], m["end"]) for m in own]) for own in rows] for rows in marks.values()]
    keep("F1 of characters", lambda: f1_agreement(places))
    for name, label in (("marked", lambda m: "x"), ("severity", lambda m: m["severity"])):
        labels = [
            [_labels(own, len(frozen.text[text].text), study, label) for own in rows] for text, rows in marks.items()
        ]
        keep(f"alpha of characters ({name})", lambda labels=labels: character_alpha(labels))
    pairs = list(_pairs(marks, frozen))
    keep("F1 of spans", lambda: ratio([p[1] for p in pairs], [p[2] for p in pairs], [p[0] for p in pairs], most=1.0))
    matches = [(item, one, other) for item, _, _, both in pairs for one, other in both]
    items = [item for item, _, _ in matches]
    order = {name: place for place, name in enumerate(study.weights)}
    for key in ("category", "severity") if study.paths else ("severity",):
        values = [[order[side[key]] if key == "severity" else side[key] for side in sides] for _, *sides in matches]
        same = [float(a == b) for a, b in values]
        scale: Any = "ordinal" if key == "severity" and len(order) > 2 else "nominal"
        keep(f"same {key} of matched spans", partial(ratio, same, [1.0] * len(same), items, most=1.0))
        keep(f"alpha of {key}, matched spans", partial(krippendorff, values, scale, limits=Limits("none")))
    return found, notes


def _labels(spans: Spans, length: int, study: SpanStudy, label: Any) -> list[str]:
    """What a judge says of each character; of several errors on it, the gravest."""
    found = [""] * length
    for span in sorted(spans, key=lambda span: study.weights[span["severity"]]):
        found[span["start"] : span["end"]] = [label(span)] * (span["end"] - span["start"])
    return found


def _pairs(
    marks: Mapping[str, Sequence[Spans]], frozen: Frozen
) -> Iterator[tuple[str, float, float, list[tuple[Mapping[str, Any], Mapping[str, Any]]]]]:
    """For every two judges of a text: its input, twice the spans that match, all their spans, and the matches."""
    for text, rows in marks.items():
        for first, second in combinations(rows, 2):
            places = [[(span["start"], span["end"]) for span in side] for side in (first, second)]
            both = [(first[a], second[b]) for a, b in matched(*places)]
            yield frozen.text[text].item, 2.0 * len(both), float(len(first) + len(second)), both


def _examples(frozen: Frozen, counted: Sequence[Judgement], study: SpanStudy) -> list[Example]:
    """The outputs of each system in which most was marked."""

    def errors(given: Sequence[Judgement]) -> int:
        return sum(len(judgement.answer["spans"]) for judgement in given)

    found = []
    for text, called, given in most_of(frozen, counted, errors):
        marks: dict[bool, list[Mark]] = {True: [], False: []}
        for judgement in given:
            for span in judgement.answer["spans"]:
                mark = Mark(
                    start=span["start"],
                    end=span["end"],
                    severity=study.severity_name(span["severity"]),
                    category=study.category_name(span["category"]) if span["category"] else "",
                    judge=judgement.judge,
                    note=span["note"],
                )
                marks[span["on"] == OUTPUT].append(mark)
        if errors(given):  # among the outputs with most errors none without any
            found.append(Example(text.item, called, text.text, tuple(marks[True]), tuple(marks[False])))
    return found
