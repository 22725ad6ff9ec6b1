"""What the pages of all studies of outputs share: the page, what stands beside a text, names of fields, words."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

from markupsafe import Markup

from nlgauge.io.exported import CANNOT
from nlgauge.study.criteria.catalogue import catalogue
from nlgauge.study.file.study import Study, say
from nlgauge.study.model import Text
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.outputs.gold import Known
from nlgauge.study.protocols.outputs.parts import PART
from nlgauge.study.protocols.outputs.protocol import output_protocol
from nlgauge.study.service.answers import Feedback
from nlgauge.web import forms
from nlgauge.web.forms import Field, Values
from nlgauge.web.language import Phrases
from nlgauge.web.moulds import gap
from nlgauge.web.protocols import gold
from nlgauge.web.protocols.base import Page, Pages, Screen, boxes, heading, unticked
from nlgauge.web.site import Site
from nlgauge.web.texts import rendered, split
from nlgauge.wording.languages import apart

SHORT = 9  # lines of a text that stays above its questions; a longer one stands beside them
LINE = 60  # characters of a line, roughly


def lines(text: str) -> int:
    """How many lines a text takes on screen, roughly."""
    return sum(1 + len(line) // LINE for line in text.split("\n"))


def field_name(number: int) -> str:
    """The name of a question's field."""
    return f"c{number}"


def cannot_name(name: str) -> str:
    """The id of the control that declines a question, and its name where it is a box of its own."""
    return f"{name}-cannot"


def declines(form: Values, name: str) -> bool:
    """Whether a form says that a question cannot be judged: as one of its choices, or in a box beside its fields."""
    return CANNOT in (forms.one(form, name), forms.one(form, cannot_name(name)))


def declining_field(name: str, number: int) -> Field:
    """The box for the description of the form."""
    return Field(cannot_name(name), f"that question {number} cannot be judged", required=False, options=(CANNOT,))


def sent_part(form: Values, study: OutputStudy) -> int:
    """Which part of the questions a form answers, as its page says; what is not of this study is the last part's.

    The page only says which fields to read: the engine knows what was shown, and takes no answer to another part.
    """
    sent = forms.one(form, PART)
    last = len(study.parts) - 1
    return min(int(sent), last) if sent.isascii() and sent.isdigit() and len(sent) < 4 else last


def part_field(study: OutputStudy, answer: Mapping[str, Any]) -> Values:
    """The field that says which part an answer is for; none where there is one part."""
    if len(study.parts) == 1:
        return {}
    asked = [{study.questions_asked[number].id for number in part} for part in study.parts]
    return {PART: [str(asked.index(set(answer)))]} if set(answer) in asked else {}


def part_fields(study: OutputStudy) -> list[Field]:
    """The same for the description of the form."""
    if len(study.parts) == 1:
        return []
    return [
        Field(
            PART,
            "which part of the questions is answered, from the page",
            required=False,
            options=tuple(map(str, range(len(study.parts)))),
        )
    ]


def belongs(place: str, name: str) -> bool:
    """Whether a control is one of a question's."""
    return place == name or place.startswith(f"{name}-")


def told_with(place: str, sentence: str, asked: Sequence[Mapping[str, Any]]) -> str:
    """What is wrong, after the question it belongs to, whose direction may be another."""
    question = next((control["question"] for control in asked if belongs(place, control["name"])), "")
    return f"{apart(question, always=True)} {sentence}" if question else sentence


def contexts(study: Study, phrases: Phrases) -> list[str]:
    """What stands above every evaluation of the study."""
    return [words for words in (say(study.context, phrases.code),) if words]


def around(
    screen: Screen, wrong: Mapping[str, str], asked: Sequence[Mapping[str, Any]], *, marking: bool
) -> dict[str, Any]:
    """What stands around the questions of a page: contexts, reasons with the words to be marked, and what lacks."""
    study, shown, phrases = screen.study, screen.shown, screen.phrases
    return {
        "contexts": contexts(study, phrases),
        "texts": marks(shown.texts, phrases, screen.form) if marking else [],
        "reason_words": reason_words(phrases),
        "reason": forms.one(screen.sent, "reason"),
        "asks_reason": "no" if shown.practice else study.reasons.text,
        "asks_marks": study.reasons.highlight if marking else "no",
        "mistakes": [(place, told_with(place, sentence, asked)) for place, sentence in wrong.items()],
        "wrong": wrong,
    }


class OutputPages(Pages):
    """What is judged, and a question for each criterion; how a question is answered is left to the protocol."""

    template: ClassVar[str]  # how the names of the page's templates begin
    late: ClassVar[tuple[str, ...]] = ("shown",)  # values that differ from judge to judge
    looks: ClassVar[tuple[str, ...]] = ("rating.css",)  # the style sheets of what is judged

    @abstractmethod
    def own(self, study: Study) -> Any:
        """The study, of the protocol's own kind."""

    @abstractmethod
    def values(self, screen: Screen) -> dict[str, Any]:
        """What is shown and asked, and what a form says of it."""

    @abstractmethod
    def given_for(self, given: Any, asked: Any, study: Any, phrases: Phrases) -> str:
        """What was given for a criterion, in a few words."""

    @abstractmethod
    def wanted_for(self, wanted: float, within: float, asked: Any, phrases: Phrases) -> str:
        """What is known to be right for it."""

    def compared(self, answer: Any, known: Known, screen: Screen) -> Iterator[gold.Row]:
        """Each question with what was given and what is right."""
        study, phrases = self.own(screen.study), screen.phrases
        given = output_protocol(study).given(answer)
        for criterion in study.questions_asked:
            if criterion.id in given and criterion.id in known.answer:
                yield (
                    say(criterion.question, phrases.code),
                    phrases.say("cannot_judge")
                    if given[criterion.id] == CANNOT
                    else self.given_for(given[criterion.id], criterion, study, phrases),
                    self.wanted_for(known.answer[criterion.id], known.within, criterion, phrases),
                )

    def shown_again(self, screen: Screen) -> Mapping[str, Any]:
        """What was judged, for the page after a practice answer."""
        values = self.values(screen)
        return {name: values[name] for name in ("shown", "cards") if name in values}

    def feedback(self, site: Site, link: str, given: Feedback, number: int, phrases: Phrases) -> Page | None:
        """Whether a practice answer was right, and why; nothing where it could be neither."""
        screen = gold.answered(site, link, given, number, phrases)
        rows = self.compared(given.judgement.answer, gold.known_about(screen), screen)
        return gold.page(screen, given, rows, {**self.shown_again(screen), "styles": self.looks})

    def change(self, screen: Screen) -> Page:
        """The same again, with what was answered."""
        return Page(f"{self.template}_change.html", self.values(screen))

    def evaluation(self, screen: Screen) -> Page:
        """What is judged; with a form, what was answered and what lacks."""
        head, shown = heading(screen), screen.shown
        values = {**head, **self.values(screen)}
        template = f"{self.template}_page.html"
        if screen.form:
            done = values["mistakes"] or not self.unfinished(screen.form)
            return Page(template, values, 422 if done else 200)
        late = {"claim": shown.claim, **{name: values[name] for name in self.late}}
        for part, what in (("texts", "boxes"), ("cards", "shown")):
            for text in values.get(part, ()):
                name = f"{what}-{text['place']}"
                late[name] = text[what]
                text[what] = gap(name)
        marked = tuple(text["place"] for text in values["texts"])  # a text without words has none to mark
        asked = (shown.wording, *(value["name"] for value in values["asked"]))
        same = (head["purpose"], shown.number, shown.total, head["change"], marked, values["part"], asked)
        return Page(template, values, same=same, late=late)


HEADINGS = {
    "source": "show_source",
    "reference": "show_reference",
    "table": "show_table",
    "image": "show_image",
    "history": "show_history",
    "context": "show_context",
    "question": "show_question",
    "answer": "show_answer",
}


CALLED = {("show_source", "d2t"): "show_table"}
"""Headings that are another's where the questions are about a task."""


def named(key: str, study: OutputStudy, phrases: Phrases) -> str:
    """A heading in the words of the questions: those about translations speak of the source, others of the document."""
    task = _task(tuple(worded.id for worded in study.questions_asked))
    own = CALLED.get((key, task), f"{key}_{task}")
    return phrases.say(own if own in phrases.sentences else key)


@lru_cache(maxsize=64)
def _task(criteria: tuple[str, ...]) -> str:
    """The task that the criteria of the catalogue among these are about; nothing where it is none or several."""
    known = (catalogue()[name].tasks for name in criteria if name in catalogue())
    tasks = {task for (task, *more) in known if not more}
    return tasks.pop() if len(tasks) == 1 else ""


def beside(screen: Screen, study: OutputStudy) -> Iterator[dict[str, Any]]:
    """What stands beside the texts of a screen, as the template shows it: what belongs to the first."""
    text, phrases, picture = screen.shown.texts[0], screen.phrases, screen.picture()
    for show in study.shown_to(screen.shown.panel):
        value = text.beside.get(show.what)
        if not (value or (show.what == "image" and picture)):
            continue
        found: dict[str, Any] = {"what": show.what, "rows": [], "turns": [], "texts": [], "picture": ""}
        found["own"] = show.label is not None
        found["rows"] = show.rows(value)
        found["label"] = say(show.label, phrases.code) or named(HEADINGS[show.heading(value)], study, phrases)
        if show.what == "image":
            found["picture"] = picture
        elif show.what == "history" and isinstance(value, list):
            found["turns"] = [("", turn) if isinstance(turn, str) else tuple(turn) for turn in value]
        elif not found["rows"]:
            found["texts"] = value if isinstance(value, list) else [value]
        yield found


def single(screen: Screen, study: OutputStudy, marked: str = "", last: Sequence[dict[str, Any]] = ()) -> Markup:
    """The only text of a screen and what stands beside it. Without a picture, whose address is the judge's own, the
    same for all. The words of what is `marked` (the source) can be pointed at; what comes `last` stands next to
    the text."""
    (text,) = screen.shown.texts
    values = {
        "name": named("rated_text", study, screen.phrases),
        "words": rendered(text.text, study.render),
        "rendered": study.render != "plain",
        "context": text.context,
        "caption": text.caption,
        "beside": [*beside(screen, study), *last],
        "marked": marked,
        "long": lines(text.text) > SHORT,
    }
    key = None if text.image else (text.id, screen.shown.panel)
    return screen.site.fragment("rated.html", screen.phrases, values, key)


def marks(texts: Sequence[Text], phrases: Phrases, form: Values | None) -> list[dict[str, Any]]:
    """The words of the texts of a screen, to be marked."""
    ticked = frozenset((form or {}).get("mark", ()))
    spans = split([text.text for text in texts])
    return [
        {
            "place": place,
            "mark_text": phrases.say("mark_text", number=place + 1)
            if len(texts) > 1
            else phrases.say("rating_mark_text"),
            "boxes": boxes(text.text, place, spans[place], ticked)
            if ticked
            else unticked(text.text, place, spans[place]),
            "ticked": any(mark.startswith(f"{place}-") for mark in ticked),
        }
        for place, text in enumerate(texts)
        if text.text.strip()
    ]


@lru_cache(maxsize=16)
def reason_words(phrases: Phrases) -> Mapping[str, str]:
    """How reasons are asked for."""
    say = phrases.say
    return {
        "title": say("rating_mark_title"),
        "help": say("rating_mark_help"),
        "label": say("rating_reason"),
    }
