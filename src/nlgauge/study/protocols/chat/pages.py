"""The pages of conversations: talk with a system, message by message, then rate the conversation.

Each message is a form that is sent and answered by a redirect to the same page, so nothing needs a script; with one the
page is exchanged in place (`chat.js`). What is on the page is what is stored: a message before the system is asked, a
reply before it is shown. The page says nothing of the system but what it said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup
from starlette.responses import Response

from nlgauge.study.file.study import Study
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.chat.bots import Bots, message
from nlgauge.study.protocols.chat.conversation import END, JUDGE, RECORDED, Conversation
from nlgauge.study.protocols.chat.file import chat_study
from nlgauge.study.protocols.ratings.pages import Ratings
from nlgauge.web import forms
from nlgauge.web.forms import Mistake, Values
from nlgauge.web.judges import Visit
from nlgauge.web.language import Phrases
from nlgauge.web.protocols.base import Page, Screen, heading, sentences
from nlgauge.web.protocols.outputs import contexts
from nlgauge.web.security import Stopped
from nlgauge.web.site import Site
from nlgauge.web.texts import rendered

MOST_DIGITS = 4


class Chat(Ratings):
    """A conversation, and a question for each criterion."""

    count = "chat_count"
    slow = frozenset(("turn",))
    looks = ("rating.css", "chat.css")

    @property
    def posts(self) -> Mapping[str, Callable[[Visit], Response]]:
        """A message, asking again, the end."""
        return {"turn": self.turn}

    def instructions(self, site: Site, phrases: Phrases) -> str:
        """What to do."""
        return phrases.say("chat_instructions")

    # ---------------------------------------------------------------------------------------------- the rating

    def read(self, form: Values, study: Study) -> dict[str, Any]:
        """The number given for each criterion; none where the conversation broke off."""
        return {"ratings": {} if "broken" in form else super().read(form, study)}

    def mistakes(self, form: Values, study: Study, *, practice: bool) -> Iterator[Mistake]:
        """Questions without an answer; a conversation that broke off is asked nothing about."""
        if "broken" not in form:
            yield from super().mistakes(form, study, practice=practice)

    def written(self, answer: Any, study: Study) -> Values:
        """The numbers, each in its field."""
        return super().written(answer["ratings"], study)

    def told(self, judgement: Judgement, study: Study, phrases: Phrases) -> str:
        """The numbers in the order of the questions."""
        return ", ".join(repr(value) for value in judgement.answer["ratings"].values()) or "–"

    def shown(self, screen: Screen) -> Markup:
        """The goal and everything that was said."""
        return _fragment(screen, _said(screen))

    def evaluation(self, screen: Screen) -> Page:
        """The conversation while it lasts, then its rating."""
        said = _said(screen)
        if not said.ended:
            return self._talking(screen, said)
        values = {**heading(screen), **self.values(screen), "broken": said.broken}
        return Page("chat_rating.html", values, 422 if values["mistakes"] else 200)

    def change(self, screen: Screen) -> Page:
        """The conversation again, with what was answered."""
        page = super().change(screen)
        return Page("chat_change.html", {**page.values, "broken": _said(screen).broken})

    # --------------------------------------------------------------------------------------------- conversation

    def turn(self, visit: Visit) -> Response:
        """Say something, ask for a reply that did not come, or end the conversation."""
        site, service = visit.site, visit.site.service
        study, claim = chat_study(service.study), forms.name(visit.form, "claim")
        act = forms.one(visit.form, "act")
        shown = service.answers.shown(visit.judge, claim)
        if shown.texts[0].beside.get(RECORDED):  # nothing can be said in it
            return visit.back()
        if act == "end":
            service.turns.add_record(
                visit.judge,
                claim,
                lambda record: {"role": END} if Conversation.of(record, study).may_end else None,
            )
            return visit.back()
        if act == "say":
            wrong = list(_message_mistakes(visit.form, study.conversation.longest_message))
            if wrong:
                screen = Screen(site, visit.token, shown, visit.phrases, visit.form)
                said = _said(screen)
                page = self._talking(screen, said, wrong)
                return visit.back() if said.ended or said.waiting else visit.show(page)
            new = message(forms.one(visit.form, "message"), _number(visit.form))
            service.turns.add_record(visit.judge, claim, lambda record: new(Conversation.of(record, study)))
        elif act != "retry":
            raise Stopped(422, "invalid")
        bots_of(site).ask(visit.judge, claim)
        return visit.back()

    def _talking(self, screen: Screen, said: Conversation, wrong: Sequence[Mistake] = ()) -> Page:
        length = said.length
        mistakes = list(sentences(wrong, screen.phrases).items())
        values = {
            **heading(screen),
            "change": False,
            "contexts": contexts(screen.study, screen.phrases),
            "said": _fragment(screen, said),
            "sent": said.sent,
            "may_say": said.may_say,
            "may_ask": said.may_ask,
            "may_end": said.may_end,
            "failing": said.failing,
            "waiting": said.waiting,
            "least": length.min_turns,
            "left": length.max_turns - said.sent,
            "longest": length.longest_message,
            "message": forms.one(screen.sent, "message"),
            "mistakes": mistakes,
            "wrong": dict(mistakes),
        }
        return Page("chat_page.html", values, 422 if wrong else 200)


def bots_of(site: Site) -> Bots:
    """The systems of a site's study."""
    found: Bots = site.kept.setdefault("bots", Bots(site.service))
    return found


def _said(screen: Screen) -> Conversation:
    record = screen.site.service.turns.record_of(screen.shown.claim)
    return Conversation.of(record, chat_study(screen.study), screen.shown.texts[0])


def _fragment(screen: Screen, said: Conversation) -> Markup:
    """The goal, and what was said."""
    (text,), phrases, how = screen.shown.texts, screen.phrases, chat_study(screen.study).render
    opening = [("system", text.beside["opening"])] if text.beside.get("opening") else []
    turns = [(turn["role"], turn["text"]) for turn in said.turns]
    you = phrases.say("chat_user") if said.recorded else phrases.say("chat_you")
    system = phrases.say("chat_system")
    headings = {"role": phrases.say("chat_role"), "persona": phrases.say("chat_persona")}
    values = {
        "goal": text.text,
        "beside": [(label, text.beside[name]) for name, label in headings.items() if text.beside.get(name)],
        "turns": [
            (role, you, words) if role == JUDGE else (role, system, rendered(words, how))
            for role, words in (*opening, *turns)
        ],
        "rendered": how != "plain",
        "recorded": said.recorded,
    }
    return screen.site.fragment("chat_said.html", phrases, values)


def _message_mistakes(form: Values, longest: int) -> Iterator[Mistake]:
    words = forms.one(form, "message").strip()
    if not words:
        yield Mistake("message", "error_message", {})
    elif len(words) > longest:
        yield Mistake("message", "error_long", {"most": longest})


def _number(form: Values) -> int:
    """How many messages had come when the page was made."""
    given = forms.one(form, "number")
    if not (given.isascii() and given.isdigit() and len(given) <= MOST_DIGITS):
        raise Stopped(422, "invalid")
    return int(given)


PAGES = Chat()
