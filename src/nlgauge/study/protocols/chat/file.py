"""The study file of conversations: systems behind addresses, goals for the judges, lengths, criteria and design.

A key of an address is never in the file: `key_env` names the environment variable that holds it where the site runs.
"""

# ruff: noqa: RUF009 - `key` is `dataclasses.field` with words

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Literal

from nlgauge.errors import InputError
from nlgauge.io.fields import key
from nlgauge.study.criteria.entries import CriterionEntry
from nlgauge.study.criteria.scale_entries import ScaleEntry, scale_of
from nlgauge.study.criteria.types import Criterion
from nlgauge.study.file.study import Study
from nlgauge.study.protocols.outputs.file import Show
from nlgauge.study.protocols.ratings.criteria import Asked, asked_of, criterion_of
from nlgauge.study.protocols.ratings.file import RatingStudy

HELD = (Show("history"), Show("context"))
"""What a judge of a conversation knows besides the last reply."""


@dataclass(frozen=True)
class Bot:
    """A system that judges talk with."""

    url: str = key("where it is reached, OpenAI-compatible, for example http://127.0.0.1:8080/v1")
    model: str = key("the model to be asked for")
    key_env: str = key("the environment variable that holds the key of the address; never the key itself", default="")
    system_prompt: str = key(
        "what it is told before the conversation; {goal}, {role} and {persona} stand for those of the goal",
        default="",
    )
    temperature: float | None = key("its temperature; by default the address's own", default=None, least=0, most=2)
    max_tokens: int = key("the longest reply in tokens", default=512, least=1, most=8_192)
    timeout: float = key("seconds that one request may take", default=60.0, least=1, most=300)
    retries: int = key("how often a request that failed is made again at once", default=1, least=0, most=5)
    name: str = key("what the report calls it; judges never see it", default="")


@dataclass(frozen=True)
class Goal:
    """What a conversation is to be about."""

    SHORT: ClassVar[str] = "goal"
    goal: str = key("what the judge is to find out or do, as the judge reads it")
    id: str = key("a short name; by default its number", default="")
    role: str = key("whom the judge plays", default="")
    persona: str = key("whom the system is to be; judges read it, and a system prompt may hold {persona}", default="")
    opening: str = key("what the system says first, the same for all systems", default="")


@dataclass(frozen=True)
class Length:
    """How long a conversation and what is said in it may be."""

    min_turns: int = key("replies before a judge may end it", default=3, least=1, most=100)
    max_turns: int = key("messages of the judge after which it ends", default=10, least=1, most=100)
    longest_message: int = key("characters of a judge's message", default=2_000, least=10, most=20_000)
    longest_reply: int = key("characters of a reply that are shown and kept", default=8_000, least=10, most=100_000)


@dataclass(frozen=True, kw_only=True)
class ChatStudy(RatingStudy):
    """Conversations with systems, rated by those who had them."""

    protocol: Literal["chat"] = key("a conversation with a system, which is then rated")
    bots: Mapping[str, Bot] = key("the systems by name; judges never see these names")
    goals: tuple[Goal, ...] = key("what conversations are about; each judge has one for each conversation")
    conversation: Length = key("how long a conversation may be", default=Length())

    @property
    def authors(self) -> Mapping[str, str]:
        """The systems."""
        return {name: bot.name for name, bot in self.bots.items()}

    @property
    def every_show(self) -> tuple[Show, ...]:
        """Nothing stands beside a goal but what belongs to it."""
        return ()

    def shown_to(self, panel: str) -> tuple[Show, ...]:
        """Judges have read the whole conversation, and know what it was about."""
        return HELD

    def asked_as(self, entry: CriterionEntry) -> str:
        """On a slider where the scale is one, else on points; yes and no are two of them."""
        return answered_on(entry.scale or self.scale)

    @cached_property
    def questions_asked(self) -> tuple[Asked, ...]:
        """The questions, as fixed at launch or as the file means them."""
        found = self.asked or (asked_of(for_users(entry), self.asked_as(entry), self.scale) for entry in self.criteria)
        return tuple(asked for asked in found if asked is not None)

    def meant(self, entry: CriterionEntry) -> Criterion | None:
        """The criterion with a question about a conversation."""
        return criterion_of(for_users(entry), self.asked_as(entry), self.scale)


def answered_on(scale: ScaleEntry | None) -> str:
    """How a question with such a scale is answered; one of the catalogue may be a slider too."""
    if scale is None:
        return "likert"
    return "continuous" if scale_of(scale, "").points is None else "likert"


def for_users(entry: CriterionEntry) -> CriterionEntry:
    """A criterion of one's own, which those judge who had the conversation unless the file says otherwise."""
    own = entry.question is not None and not entry.judges
    return replace(entry, judges=("end_user", "monolingual")) if own else entry


def chat_study(study: Study) -> ChatStudy:
    """The same study, where judges converse in it; refused where not."""
    if isinstance(study, ChatStudy):
        return study
    raise InputError(f"this is a study of the protocol {study.protocol}; only a chat study can do this")
