"""The pages of annotations: the text as in ratings, beside it what is to be done to it, then the questions.

post-edit: the output stands in a field and is edited there. What was shown comes along as a hash (`was`), so that a
form whose outcome does not fit its text is shown again with both; the engine compares with the text itself.

spans: an error runs from the first to the last word that is ticked. “Add” sends the form, and the page comes back with
the error in its list, which a hidden field (`errors`) carries as JSON; no script is needed for any of it, and nothing
that comes back in that field is believed before the engine has checked it.
"""

from __future__ import annotations

import hashlib
import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson
from markupsafe import Markup

from nlgauge.study.file.study import Study, say
from nlgauge.study.model import Judgement, Text
from nlgauge.study.protocols.annotations import spans as marks
from nlgauge.study.protocols.annotations.edits import LONGEST, OUTCOMES
from nlgauge.study.protocols.annotations.file import SpanStudy, span_study
from nlgauge.study.protocols.annotations.spans import KEYS, LONGEST_NOTE, MISSING, MOST, OUTPUT, SOURCE, source_of
from nlgauge.study.protocols.outputs.gold import Known
from nlgauge.study.protocols.ratings.pages import Ratings
from nlgauge.web import forms
from nlgauge.web.forms import Field, Mistake, Values
from nlgauge.web.language import Phrases
from nlgauge.web.protocols import gold
from nlgauge.web.protocols.base import Screen, boxes, unticked
from nlgauge.web.protocols.outputs import single
from nlgauge.web.security import Stopped
from nlgauge.web.site import Site
from nlgauge.web.texts import split

TOLD = 60  # characters of a text in the list of answers
ROWS = (4, 18)  # lines of the field, from a short text to a long one
LINE = 45  # characters of a line, roughly


class Annotations(Ratings):
    """One text to be worked on, then perhaps questions."""

    count = "annotation_count"
    styles = ("annotation.css",)

    def instructions(self, site: Site, phrases: Phrases) -> str:
        """What to do with a text."""
        edits = site.service.study.protocol == "post-edit"
        return phrases.say("edit_instructions") if edits else phrases.say("span_instructions")

    looks = ("rating.css", "annotation.css")

    def compared(self, answer: Any, known: Known, screen: Screen) -> Iterator[gold.Row]:
        """The work, then the questions."""
        if known.named != ("answer",):
            yield "", self.done(answer, screen), self.to_do(known, screen.study, screen.phrases)
        yield from super().compared(answer, known, screen)

    @abstractmethod
    def done(self, answer: Any, screen: Screen) -> str:
        """What was done to the text."""

    @abstractmethod
    def to_do(self, known: Known, study: Any, phrases: Phrases) -> str:
        """What is known to be right."""


class PostEdit(Annotations):
    """The text in a field."""

    scripts = ("draft.js",)

    def read(self, form: Values, study: Study) -> dict[str, Any]:
        """What was done, the text, and the answers."""
        told = {"active": _number(form, "active"), "keys": _number(form, "keys", int)}
        typed = {name: value for name, value in told.items() if value is not None}
        work = {"outcome": forms.one(form, "outcome"), "text": _text(form), **typed}
        return work | {"ratings": super().read(form, study)}

    def mistakes(self, form: Values, study: Study, *, practice: bool) -> Iterator[Mistake]:
        """An outcome that lacks or does not fit the text."""
        outcome, text = forms.one(form, "outcome"), _text(form)
        same = forms.one(form, "was") == fingerprint(text)
        if len(text) > LONGEST:
            yield Mistake("text", "error_long", {"most": LONGEST})
        if outcome not in OUTCOMES:
            yield Mistake("outcome-0", "error_required", {})
        elif outcome == "unchanged" and not same:
            yield Mistake("outcome-0", "error_edit_changed", {})
        elif outcome != "unchanged" and not text.strip():
            yield Mistake("text", "error_edit_empty", {})
        elif outcome != "unchanged" and same:
            yield Mistake("outcome-0", "error_edit_same", {})
        yield from super().mistakes(form, study, practice=practice)

    def written(self, answer: Any, study: Study) -> Values:
        """The text and what was done to it."""
        names = ("outcome", "text", "active", "keys")
        found: Values = {name: [str(answer[name])] for name in names if name in answer}
        return found | super().written(answer["ratings"], study)

    def told(self, judgement: Judgement, study: Study, phrases: Phrases) -> str:
        """The beginning of the text."""
        text = " ".join(judgement.answer["text"].split())
        return text if len(text) <= TOLD else f"{text[:TOLD]}…"

    def done(self, answer: Any, screen: Screen) -> str:
        """The text as it was left."""
        return screen.phrases.say("edit_unchanged") if answer["outcome"] == "unchanged" else str(answer["text"])

    def to_do(self, known: Known, study: Any, phrases: Phrases) -> str:
        """A right text, or what must be changed."""
        if known.edits:
            return known.edits[0]
        if known.errors == ():
            return phrases.say("edit_unchanged")
        wrong = ", ".join(f"“{error.words}”" for error in known.errors or ())
        return phrases.say("gold_changed", words=wrong)

    def fields(self, study: Study) -> Sequence[Field]:
        """The text and what was done to it, then a field for each question."""
        return [
            Field("text", "the text as it should be", most=LONGEST),
            Field("outcome", "what was done to it", options=OUTCOMES),
            Field("was", "which text was shown, from the page"),
            Field("active", "seconds of typing, as the browser counted them", required=False),
            Field("keys", "keys pressed, as the browser counted them", required=False),
            *super().fields(study),
        ]

    def work_asked(self, phrases: Phrases) -> Sequence[Mapping[str, str]]:
        """What was done to the text."""
        return ({"name": "outcome", "question": phrases.say("edit_outcome")},)

    def work(self, screen: Screen, text: Text, wrong: Mapping[str, str]) -> str:
        form = screen.sent
        given = _text(form) if "text" in form else text.text
        lines = sum(1 + len(line) // LINE for line in text.text.split("\n"))
        values = {
            "text": given,
            "original": text.text,
            "was": fingerprint(text.text),
            "rows": min(max(ROWS[0], lines + 1), ROWS[1]),
            **{name: forms.one(form, name) for name in ("outcome", "active", "keys")},
            "wrong": wrong,
            "say": screen.phrases.say,
        }
        return screen.site.fragment("post_edit.html", screen.phrases, values, None if form else text.id)


class Spans(Annotations):
    """The errors marked so far, one being marked, and whether that is all."""

    scripts = ("marks.js", "spans.js")

    def unfinished(self, form: Values) -> bool:
        """An error is added or taken away."""
        return "add" in form or "remove" in form

    def read(self, form: Values, study: Study) -> dict[str, Any]:
        """The errors, or that there are none, and the answers."""
        none = forms.one(form, "found") == "none"
        return {"spans": listed(form), "none": none, "ratings": super().read(form, study)}

    def mistakes(self, form: Values, study: Study, *, practice: bool) -> Iterator[Mistake]:
        """What lacks for an error to be added, or for the answer to be whole."""
        own = span_study(study)
        if self.unfinished(form):
            if "add" in form:
                yield from _adding(form, own)
            return
        found, marked = forms.one(form, "found"), listed(form)
        if form.get("mark"):
            yield Mistake("marks", "error_span_open", {})
        if found not in ("errors", "none"):
            yield Mistake("found-0", "error_required", {})
        elif found == "none" and marked:
            yield Mistake("found-0", "error_span_none", {})
        elif found == "errors" and not marked:
            yield Mistake("found-0", "error_span_nothing", {})
        yield from super().mistakes(form, study, practice=practice)

    def written(self, answer: Any, study: Study) -> Values:
        """The errors as the page carries them."""
        found = "none" if answer["none"] else "errors"
        values: Values = {"errors": [_written(answer["spans"])], "found": [found]}
        return values | super().written(answer["ratings"], study)

    def done(self, answer: Any, screen: Screen) -> str:
        """The words that were marked, with their severity."""
        study, phrases, (text,) = span_study(screen.study), screen.phrases, screen.shown.texts
        marked = [
            f"“{marks.quoted(span, text) or '…'}” ({study.severity_name(span['severity'], phrases.code)})"
            for span in answer["spans"]
        ]
        return ", ".join(marked) or phrases.say("span_no_error")

    def to_do(self, known: Known, study: Any, phrases: Phrases) -> str:
        """The errors with what is known of them."""
        found = []
        for planted in known.errors or ():
            kind = [study.category_name(planted.category, phrases.code)] if planted.category else []
            kind += [study.severity_name(planted.severity, phrases.code)] if planted.severity else []
            found.append(f"“{planted.words}”" + (f" ({', '.join(kind)})" if kind else ""))
        return phrases.say("gold_marked", words=", ".join(found)) if found else phrases.say("span_no_error")

    def told(self, judgement: Judgement, study: Study, phrases: Phrases) -> str:
        """How grave the errors were."""
        own = span_study(study)
        marked = [own.severity_name(span["severity"], phrases.code) for span in judgement.answer["spans"]]
        return ", ".join(marked) or phrases.say("span_no_error")

    def fields(self, study: Study) -> Sequence[Field]:
        """The errors, whether they are all, and a field for each question."""
        own = span_study(study)
        return [
            Field("errors", f"the errors as a JSON list of objects with {', '.join(KEYS)}", most=200_000),
            Field("found", "whether there are errors", options=("errors", "none")),
            Field("add", "shows the page again with one more error", required=False, options=("words", MISSING)),
            Field("remove", "shows the page again without an error, by its place", required=False),
            Field("category", "of the error to be added", required=False, options=tuple(own.paths)),
            Field("severity", "of the error to be added", required=False, options=tuple(own.weights)),
            Field("note", "on the error to be added", required=False, most=LONGEST_NOTE),
            Field("exactly", "whether parts of words are marked", required=False, options=("yes",)),
            Field("exact", "place, beginning and end of what was drawn over", required=False),
            *super().fields(study),
        ]

    def shown(self, screen: Screen) -> Markup:
        """The text, and the input with its words to be marked where something may be missing of it."""
        study = span_study(screen.study)
        return single(screen, study, SOURCE if study.marks_source else "")

    def work_asked(self, phrases: Phrases) -> Sequence[Mapping[str, str]]:
        """Whether everything is marked."""
        return ({"name": "found", "question": phrases.say("span_found")},)

    def work(self, screen: Screen, text: Text, wrong: Mapping[str, str]) -> str:
        study, form, phrases = span_study(screen.study), screen.sent, screen.phrases
        errors = _changed(form, adding=not wrong)
        kept = form if wrong else {}  # what was added is not offered again
        fresh = not form
        values = {
            "errors": [_told(error, text, study, phrases) for error in errors],
            "written": _written(errors),
            "focus": self.unfinished(form) and not wrong,
            "boxes": list(_boxes(text, study, phrases, frozenset(kept.get("mark", ())))),
            "kinds": [
                (path, study.category_name(path, phrases.code), say(parts[-1].definition, phrases.code))
                for path, parts in study.paths.items()
            ],
            "grades": [
                (severity.id, study.severity_name(severity.id, phrases.code), say(severity.definition, phrases.code))
                for severity in study.grades
            ],
            **{name: forms.one(kept, name) for name in ("category", "severity", "note", "exact")},
            "exactly": forms.one(form, "exactly"),
            "notes": study.note != "no",
            "longest": LONGEST_NOTE,
            "marker": study.omissions == "marker",
            "found": forms.one(form, "found"),
            "wrong": wrong,
            "say": phrases.say,
        }
        return screen.site.fragment("spans.html", phrases, values, text.id if fresh else None)


PAGES = {"post-edit": PostEdit(), "spans": Spans()}


def fingerprint(text: str) -> str:
    """A text as the form carries it."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _text(form: Values) -> str:
    """The text as it was left; browsers write ends of lines in their own way."""
    return forms.one(form, "text").replace("\r", "\n")


def _number(form: Values, name: str, kind: type[int] | type[float] = float) -> float | None:
    given = forms.one(form, name)
    try:
        found = float(given) if len(given) <= 20 else math.nan
    except ValueError:
        return None
    return kind(found) if 0 <= found < 1e9 else None


def listed(form: Values) -> list[dict[str, Any]]:
    """The errors that a form carries; refused where that is no list of errors at all."""
    given = forms.one(form, "errors")
    try:
        found = orjson.loads(given) if given else []
    except orjson.JSONDecodeError:
        raise Stopped(422, "invalid") from None
    if not isinstance(found, list) or len(found) > MOST or not all(map(_possible, found)):
        raise Stopped(422, "invalid")
    return found


def _possible(one: Any) -> bool:
    return (
        marks.possible({"spans": [one], "none": False})
        and all(isinstance(one[name], int) and 0 <= one[name] < 10**9 for name in ("start", "end"))
        and all(isinstance(one[name], str) for name in ("category", "severity", "note"))
    )


def _written(spans: Sequence[Mapping[str, Any]]) -> str:
    return orjson.dumps([dict(span) for span in spans]).decode()


def _adding(form: Values, study: SpanStudy) -> Iterator[Mistake]:
    """What lacks for an error to be added."""
    if len(listed(form)) >= MOST:
        yield Mistake("marks", "error_span_most", {"most": MOST})
    texts = {place for place, *_ in forms.marks(form)}
    if forms.one(form, "add") != MISSING and len(texts) != 1:
        yield Mistake("marks", "error_span_two" if texts else "error_span_words", {})
    if study.paths and forms.one(form, "category") not in study.paths:
        yield Mistake("category", "error_span_category", {})
    if forms.one(form, "severity") not in study.weights:
        yield Mistake("severity-0", "error_span_severity", {})
    if len(forms.one(form, "note")) > LONGEST_NOTE:
        yield Mistake("note", "error_long", {"most": LONGEST_NOTE})


def _changed(form: Values, *, adding: bool) -> list[dict[str, Any]]:
    """The errors of a form after its button was pressed."""
    found = listed(form)
    if "remove" in form:
        place = forms.one(form, "remove")
        return [one for number, one in enumerate(found) if str(number) != place]
    if "add" in form and adding:
        return [*found, _added(form)]
    return found


def _added(form: Values) -> dict[str, Any]:
    """The error that a form adds: from the first to the last word ticked, or the part of them that was drawn over."""
    ticked = [] if forms.one(form, "add") == MISSING else forms.marks(form)
    on = MISSING if not ticked else SOURCE if ticked[0][0] else OUTPUT
    start, end = (min(mark[1] for mark in ticked), max(mark[2] for mark in ticked)) if ticked else (0, 0)
    if ticked and forms.one(form, "exactly") and forms.one(form, "exact"):
        ((place, first, last),) = forms.marks({"mark": [forms.one(form, "exact")]})
        if place == ticked[0][0] and start <= first < last <= end:
            start, end = first, last
    said = (forms.one(form, name) for name in ("category", "severity"))
    return dict(zip(KEYS, (on, start, end, *said, forms.one(form, "note").strip()), strict=True))


def _told(one: Mapping[str, Any], text: Text, study: SpanStudy, phrases: Phrases) -> dict[str, Any]:
    """An error as the list shows it; what the form carries may be anything."""
    grades = [grade for grade in study.grades if grade.id == one["severity"]]
    labels = [study.category_name(one["category"], phrases.code)] if one["category"] in study.paths else []
    labels += [study.severity_name(grade.id, phrases.code) for grade in grades]
    ordered = sorted(grade.weight for grade in study.grades if grade.weight > 0)
    place = 1 + ordered.index(grades[0].weight) if grades and grades[0].weight > 0 else 0
    return {
        **{name: one[name] for name in ("on", "start", "end", "note")},
        "quoted": marks.quoted(one, text),
        "label": " · ".join(labels),
        "grade": min(place, 3),
    }


def _boxes(
    text: Text, study: SpanStudy, phrases: Phrases, ticked: frozenset[str]
) -> Iterator[tuple[str, int, Any, bool]]:
    """The words to be ticked, of the output and, where omissions are marked there, of the source."""
    texts = [text.text] + ([source_of(text)] if study.omissions == "source" else [])
    for place, (whole, spans) in enumerate(zip(texts, split(texts), strict=True)):
        own = frozenset(value for value in ticked if value.startswith(f"{place}-"))
        made = boxes(whole, place, spans, own) if own else unticked(whole, place, spans)
        if spans:
            yield phrases.say("span_source_words" if place else "rating_mark_text"), place, made, bool(own)
