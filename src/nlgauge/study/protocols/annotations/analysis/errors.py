"""Errors by category, severity and system, and how far judges agree on spans, their categories and severities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from nlgauge.errors import InputError
from nlgauge.stats.agreement import character_alpha, f1_agreement, krippendorff, matched, positions
from nlgauge.stats.agreement.intervals import Limits
from nlgauge.stats.results import Estimate
from nlgauge.stats.shares import ratio
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.annotations.analysis.results import Example, Mark, Marked
from nlgauge.study.protocols.annotations.file import SpanStudy, span_study
from nlgauge.study.protocols.annotations.spans import OUTPUT

EXAMPLES = 2  # outputs of each system
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
    given: dict[str, list[Judgement]] = {}
    for judgement in counted:
        given.setdefault(judgement.texts[0], []).append(judgement)
    texts = {name: rows for name, rows in given.items() if len({row.judge for row in rows}) > 1}
    if not texts:
        return {}, ["no output was marked by two judges"]
    marks = {name: [_on_output(row.answer["spans"]) for row in rows] for name, rows in texts.items()}
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
    keep(
        "F1 of spans",
        lambda: ratio([p[1] for p in pairs], [p[2] for p in pairs], [p[0] for p in pairs], most=1.0),
    )
    same = [(group, one, other) for group, _, _, both in pairs for one, other in both]
    for key in ("category", "severity") if study.paths else ("severity",):
        keep(
            f"same {key} of matched spans",
            lambda key=key: ratio(
                [float(a[key] == b[key]) for _, a, b in same],
                [1.0] * len(same),
                [s[0] for s in same],
                most=1.0,
            ),
        )
        order = list(study.weights) if key == "severity" else None
        scale: Any = "ordinal" if key == "severity" and len(study.weights) > 2 else "nominal"
        keep(
            f"alpha of {key}, matched spans",
            lambda key=key, order=order, scale=scale: krippendorff(
                [[a[key], b[key]] if order is None else [order.index(a[key]), order.index(b[key])] for _, a, b in same],
                scale,
                limits=Limits("none"),
            ),
        )
    return found, notes


def _on_output(spans: Spans) -> list[Mapping[str, Any]]:
    return [span for span in spans if span["on"] == OUTPUT]


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
    given: dict[str, list[Judgement]] = {}
    for judgement in counted:
        given.setdefault(judgement.texts[0], []).append(judgement)
    found = []
    for subject in study.subjects:
        own = [name for name in given if frozen.text[name].subject == subject]
        own.sort(
            key=lambda name: (-sum(len(judgement.answer["spans"]) for judgement in given[name]), frozen.text[name].item)
        )
        for name in own[:EXAMPLES]:
            if not any(judgement.answer["spans"] for judgement in given[name]):
                continue  # among the outputs with most errors none without any
            text = frozen.text[name]
            placed: list[Mark] = []
            lacking: list[Mark] = []
            for judgement in given[name]:
                for span in judgement.answer["spans"]:
                    mark = Mark(
                        start=span["start"],
                        end=span["end"],
                        severity=study.severity_name(span["severity"]),
                        category=study.category_name(span["category"]) if span["category"] else "",
                        judge=judgement.judge,
                        note=span["note"],
                    )
                    (placed if span["on"] == OUTPUT else lacking).append(mark)
            called = study.authors.get(subject) or subject
            found.append(
                Example(item=text.item, system=called, text=text.text, marks=tuple(placed), missing=tuple(lacking))
            )
    return found
