"""What the keys of an annotation study allow one by one, but not together; each with the place of the key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from nlgauge.errors import shortened
from nlgauge.study.protocols.annotations import edits
from nlgauge.study.protocols.annotations.file import AnnotationStudy, Severity, SpanStudy, SubCategory
from nlgauge.study.protocols.annotations.planted import places
from nlgauge.study.protocols.outputs.contradictions import LONGEST_ID, Problems
from nlgauge.study.protocols.outputs.gold import Form, Known, gold_problems
from nlgauge.study.protocols.outputs.judge import Measure
from nlgauge.study.protocols.outputs.quality import quality_problems
from nlgauge.study.protocols.ratings import contradictions as ratings


def contradictions(study: AnnotationStudy) -> Problems:
    """The place of a key and what is wrong there, for everything that is."""
    for name, panel in study.panels.items():
        if isinstance(panel.judge, Measure):
            yield (
                f"panels.{name}.judge.kind",
                f"scores of a metric are no answers of the protocol {study.protocol}; use kind: openai or command",
            )
    found = [
        (place, message)
        for place, message in ratings.contradictions(study, worked_on=True)
        if study.criteria or not (place == "criteria" and message.startswith("criteria is empty"))
    ]
    yield from found
    if not any(place.startswith(("criteria", "scale")) for place, _ in found):
        keys = ("errors", "answer", "within", *(() if isinstance(study, SpanStudy) else ("edits", "pattern")))
        form = Form(keys, partial(_known_problems, study))
        yield from quality_problems(study, form=form)
        yield from gold_problems(study, form)
    if study.scale is not None and not study.criteria:
        yield "scale", "there are no questions to be answered on a scale; add criteria, or leave scale out"
    if isinstance(study, SpanStudy):
        yield from _span_problems(study)


def _known_problems(study: AnnotationStudy, known: Known, texts: Sequence[str]) -> Problems:
    """Right answers that no text or no judge could give."""
    yield from ratings.off_scale(study, known, texts)
    for number, error in enumerate(known.errors or (), start=1):
        place = f"errors.{number}"
        times, said = len(places(error.words, texts[0])), f"the words {shortened(error.words)}"
        if not times:
            yield place, f"{said} do not stand in the text as whole words; copy them from there"
        elif times > 1:
            yield place, f"{said} stand in the text {times} times; give more words around those that are wrong"
        elif error in (known.errors or ())[: number - 1]:
            yield place, f"{said} are named twice; leave one out"
        if isinstance(study, SpanStudy):
            for name, names in (("category", list(study.paths)), ("severity", list(study.weights))):
                if (value := getattr(error, name)) and value not in names:
                    there = f"is none of {', '.join(names)}" if names else "is not asked for"
                    yield f"{place}.{name}", f"{shortened(value)} {there}; leave it out, or give another"
        elif error.category or error.severity:
            yield place, "edits have no category and no severity; give the words alone"
    if known.pattern:
        if "*" not in known.pattern:
            yield "pattern", "it has no *, which stands for anything; write one, or give the text as edits: […]"
        if known.errors is None and not known.edits:
            yield "pattern", "no text is known that fits it; add one (edits: […]), which judges are shown"
    if known.errors or known.pattern:
        shown = {"outcome": "unchanged", "text": texts[0]}
        right = "the text is right as it is shown, though something in it is to be changed; write more of it"
        for name, alone in (("edits", replace(known, pattern="")), ("pattern", replace(known, edits=()))):
            if getattr(alone, name) and edits.mended(shown, alone, texts[0]):
                yield name, right


def _span_problems(study: SpanStudy) -> Problems:
    if study.reasons.highlight != "no":
        yield "reasons.highlight", "words are marked as errors in this study; leave reasons.highlight out"
    if study.scheme == "esa" and not study.criteria:
        yield "scheme", "ESA asks for a score after the marking; add criteria: [overall-quality], or set scheme: mqm"
    elif study.scheme == "esa" and study.rating != "continuous":
        yield "rating", "the score of ESA is given on a slider from 0 to 100; set rating: continuous"
    if study.omissions == "source":
        for name in study.panels:
            if "source" not in [show.what for show in study.shown_to(name)]:
                yield (
                    "omissions",
                    f"what is missing is to be marked in the source, which panel {name} does not see; add show: "
                    "[source], or set omissions: marker",
                )
    yield from _names("severities", study.severities)
    if study.severities and not any(severity.weight > 0 for severity in study.severities):
        yield "severities", "no severity has a weight above 0, so that every text would be without fault; give weights"
    yield from _names("categories", study.categories or ())
    for number, one in enumerate(study.categories or (), start=1):
        yield from _names(f"categories.{number}.sub", one.sub)


def _names(path: str, entries: Sequence[SubCategory | Severity]) -> Problems:
    """What answers and judges must tell apart."""
    seen: set[str] = set()
    said: dict[tuple[str, str], str] = {}
    for number, one in enumerate(entries, start=1):
        name, place = one.id, f"{path}.{number}"
        if not name.strip() or not name.isprintable() or len(name) > LONGEST_ID or "/" in name:
            yield (
                f"{place}.id",
                f"an id must have 1 to {LONGEST_ID} characters that can be seen, and no /; not {shortened(name)}",
            )
        if name in seen:
            yield place, f"two of {path} are called {shortened(name)}; give each an id of its own"
        seen.add(name)
        for language, text in (one.name or {}).items():
            if said.setdefault((language, text), name) != name:
                called = f"{shortened(text)}{f' in {language}' if language else ''}"
                yield (
                    f"{place}.name",
                    f"two of {path} are called {called}, and judges could not tell them apart; call each otherwise",
                )
