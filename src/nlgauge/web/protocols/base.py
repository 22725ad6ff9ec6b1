"""What the pages of a protocol are: the page of an evaluation, the reading of its form, and what stands around it.

Nothing that is handed to a template names a slot, triad, subject, input or text id.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

from markupsafe import Markup

from nlgauge.study.file.study import Study, say
from nlgauge.study.model import Evaluation, Judgement
from nlgauge.study.service.answers import Feedback
from nlgauge.web import forms
from nlgauge.web.forms import Field, Mistake, Values
from nlgauge.web.language import Phrases
from nlgauge.web.texts import Span

if TYPE_CHECKING:
    from starlette.responses import Response

    from nlgauge.web.judges import Visit
    from nlgauge.web.site import Site


BOX = Markup('<label><input type="checkbox" name="mark" value="{}"{}><span>{}</span></label>')


@dataclass(frozen=True)
class Page:
    """A template and its values.

    Where `same` is given, it and the language decide how the page looks but for the gaps that `late` fills.
    """

    template: str
    values: Mapping[str, Any]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    same: Hashable | None = None
    late: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Screen:
    """What a judge is shown at once, and in which language; with a form, what was sent from there."""

    site: Site
    link: str
    shown: Evaluation
    phrases: Phrases
    form: Values | None = None
    can_change: bool = False  # an answer given before

    @property
    def study(self) -> Study:
        """The study it belongs to, in the wording that its judge was dealt."""
        return self.site.service.study.worded(self.shown.wording)

    @property
    def sent(self) -> Values:
        """The form; empty where none was sent."""
        return self.form or {}

    def picture(self, place: int = 0) -> str:
        """The address of a text's picture, which is the judge's own; empty where there is none."""
        if not self.shown.texts[place].image:
            return ""
        return self.site.url(f"/j/{self.link}/image/{self.shown.claim}/{place}")


class Pages(ABC):
    """The pages of a protocol."""

    count: ClassVar[str]  # the phrase that says how much there is to do, with its `total`
    slow: ClassVar[frozenset[str]] = frozenset()  # of `posts`, those that wait for somebody else's answer

    @property
    def posts(self) -> Mapping[str, Callable[[Visit], Response]]:
        """Further forms of these pages, by the last part of their address, and what is done with each."""
        return {}

    def amount(self, study: Study, total: int) -> int:
        """The same as a number: of so many evaluations, where each is one of what is counted."""
        return total

    def instructions(self, site: Site, phrases: Phrases) -> str:
        """What judges read first where the study file has no instructions."""
        return phrases.say("instructions_default")

    @abstractmethod
    def evaluation(self, screen: Screen) -> Page:
        """What is to be judged, and how; with a form, what was sent and what lacks."""

    @abstractmethod
    def change(self, screen: Screen) -> Page:
        """The same for an answer to be changed."""

    @abstractmethod
    def read(self, form: Values, study: Study) -> Any:
        """The answer in a form that has no mistakes."""

    @abstractmethod
    def mistakes(self, form: Values, study: Study, *, practice: bool) -> Iterable[Mistake]:
        """What lacks or is wrong; practice asks for no reasons."""

    def unfinished(self, form: Values) -> bool:
        """Whether the form was sent by a button that only changes the page, which then is shown again."""
        return False

    @abstractmethod
    def written(self, answer: Any, study: Study) -> Values:
        """The fields of a form with an answer that was given before."""

    @abstractmethod
    def told(self, judgement: Judgement, study: Study, phrases: Phrases) -> str:
        """An answer in a few words, for the list of those that can be changed."""

    def answers_told(
        self, own: Any, others: Sequence[Any], study: Study, phrases: Phrases
    ) -> Iterable[Mapping[str, str]]:
        """For a discussion: each question with the judge's own answer and the others'."""
        return ()

    def feedback(self, site: Site, link: str, given: Feedback, number: int, phrases: Phrases) -> Page | None:
        """The page after a practice answer; None where there is none."""
        return None

    @abstractmethod
    def fields(self, study: Study) -> Sequence[Field]:
        """The fields of the form that hold the answer."""

    def filled(self, answer: Any, study: Study) -> Mapping[str, str]:
        """The fields of a form with an answer, each with one value: what a simulated judge sends."""
        return {name: values[0] for name, values in self.written(answer, study).items() if values}


def heading(screen: Screen) -> dict[str, Any]:
    """What stands above every evaluation, and where its answer goes."""
    study, shown = screen.study, screen.shown
    return {
        "purpose": "practice" if shown.practice else "answer",
        "claim": shown.claim,
        "number": shown.number,
        "total": shown.total,
        "change": screen.can_change and not shown.practice and study.corrections == "allow",
        "instructions": say(study.instructions, screen.phrases.code),
    }


def sentences(mistakes: Iterable[Mistake], phrases: Phrases) -> dict[str, str]:
    """What lacks or is wrong, by the control where it is."""
    return {mistake.field: phrases.say(mistake.key, **mistake.values) for mistake in mistakes}


def reason_mistakes(form: Values, study: Study) -> Iterable[Mistake]:
    """What lacks in the reasons asked for."""
    return forms.reason_mistakes(form, study.reasons)


def boxes(text: str, place: int, spans: Sequence[Span], ticked: frozenset[str] = frozenset()) -> Markup:
    """A box for each part of a text that can be marked."""
    lines = []
    for start, end in spans:
        value = f"{place}-{start}-{end}"
        lines.append(BOX.format(value, Markup(" checked") if value in ticked else "", text[start:end]))
    return Markup("\n").join(lines)


unticked = lru_cache(maxsize=2_048)(boxes)  # most of a page's bytes, and the same for every judge
