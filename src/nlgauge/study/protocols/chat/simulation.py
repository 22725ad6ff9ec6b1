"""Simulated judges who converse with scripted systems and rate them as raters do (`ratings.simulation`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from nlgauge.study.protocols.base import Rater
from nlgauge.study.protocols.chat.bots import message, scripted
from nlgauge.study.protocols.chat.conversation import END, RECORDED, Conversation
from nlgauge.study.protocols.chat.file import ChatStudy, chat_study
from nlgauge.study.protocols.ratings.simulation import Raters

if TYPE_CHECKING:
    from nlgauge.study.model import Evaluation
    from nlgauge.study.service import Service

SAID = (
    "Hello.",
    "Tell me what you know about it.",
    "And then?",
    "What would you do?",
    "Thank you, that helps.",
)


@dataclass(frozen=True)
class Talkers(Raters):
    """What simulated judges of conversations are like."""

    seconds: float = 120.0

    def rater(self, service: Service, panel: str, random: Random) -> Rater:
        """A rater with a bias of their own, who converses first."""
        return _Talker(super().rater(service, panel, random), service, chat_study(service.study), random)


@dataclass(frozen=True)
class _Talker(Rater):
    rater: Rater
    service: Service
    study: ChatStudy
    random: Random

    def prepare(self, judge: str, shown: Evaluation) -> None:
        """Converse: as often as the study asks for at least, or some more."""
        if shown.texts[0].beside.get(RECORDED):
            return
        length = self.study.conversation
        turns = self.random.randint(length.min_turns, length.max_turns)

        def add(make: Callable[[Conversation], dict[str, Any] | None]) -> None:
            self.service.turns.add_record(judge, shown.claim, lambda record: make(Conversation.of(record, self.study)))

        for number in range(turns):
            add(message(SAID[number % len(SAID)], number))
            add(lambda said: scripted(shown.texts[0], said))
        add(lambda said: {"role": END} if said.may_end else None)

    def answer(self, look: Callable[[], Evaluation], *, hasty: bool) -> tuple[Any, int]:
        """A number for each criterion."""
        given, _ = self.rater.answer(look, hasty=hasty)
        return {"ratings": given}, 0
