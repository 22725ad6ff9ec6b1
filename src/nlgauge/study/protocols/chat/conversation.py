"""A record as a conversation: whose turn it is, whether it may end, what failed.

An entry of the record has a `role`: judge or system (with what was said), failure (no reply came, and why), end. The
judge's messages are numbered by how many came before, so that a form sent twice is stored once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nlgauge.study.model import Text
from nlgauge.study.protocols.chat.file import ChatStudy, Length

JUDGE, SYSTEM, FAILURE, END = "judge", "system", "failure", "end"
GIVE_UP = 3  # requests for one reply that failed, after which a judge may end the conversation without it
MOST_FAILURES = 12  # requests of one conversation that may fail; after that no more are made
Entry = Mapping[str, Any]
RECORDED = "recorded"
"""What a text's `beside` calls a conversation that was held before the study, turn by turn, the user's first."""


@dataclass(frozen=True)
class Conversation:
    """What was said so far."""

    record: tuple[Entry, ...]
    length: Length
    recorded: bool = False  # somebody else held it: it is read and rated, as an attention check or in practice

    @classmethod
    def of(cls, record: Sequence[Entry], study: ChatStudy, text: Text | None = None) -> Conversation:
        """The conversation of a record; about a text with a recorded one it is that, whatever the record says."""
        said = text.beside.get(RECORDED) if text is not None else None
        if not said:
            return cls(tuple(record), study.conversation)
        turns = [{"role": JUDGE if place % 2 == 0 else SYSTEM, "text": words} for place, words in enumerate(said)]
        return cls((*turns, {"role": END}), study.conversation, recorded=True)

    @property
    def turns(self) -> tuple[Entry, ...]:
        """What both sides said."""
        return tuple(turn for turn in self.record if turn["role"] in (JUDGE, SYSTEM))

    @property
    def sent(self) -> int:
        """Messages of the judge."""
        return sum(turn["role"] == JUDGE for turn in self.record)

    @property
    def replies(self) -> int:
        """Replies of the system."""
        return sum(turn["role"] == SYSTEM for turn in self.record)

    @property
    def failures(self) -> int:
        """Requests without a reply."""
        return sum(turn["role"] == FAILURE for turn in self.record)

    @property
    def failing(self) -> int:
        """Requests for the reply that is still missing; none where it came."""
        if not self.waiting:
            return 0
        last = max((place for place, one in enumerate(self.record) if one["role"] == JUDGE), default=0)
        return sum(turn["role"] == FAILURE for turn in self.record[last:])

    @property
    def waiting(self) -> bool:
        """Whether the judge's last message has no reply yet."""
        return bool(self.turns) and self.turns[-1]["role"] == JUDGE

    @property
    def exhausted(self) -> bool:
        """Whether no more requests are made, because too many failed."""
        return self.failures >= MOST_FAILURES

    @property
    def ended(self) -> bool:
        """Whether nothing more can be said."""
        full = self.replies >= self.length.max_turns and not self.waiting
        return full or any(turn["role"] == END for turn in self.record)

    @property
    def may_end(self) -> bool:
        """Whether the judge may end it."""
        given_up = self.waiting and (self.failing >= GIVE_UP or self.exhausted)
        return not self.ended and (self.replies >= self.length.min_turns or given_up)

    @property
    def may_say(self) -> bool:
        """Whether it is the judge's turn."""
        return not self.ended and not self.waiting and self.sent < self.length.max_turns

    @property
    def may_ask(self) -> bool:
        """Whether the system may be asked for the reply that is missing."""
        return not self.ended and self.waiting and not self.exhausted

    @property
    def broken(self) -> bool:
        """Whether it ended before there was enough to be rated."""
        return self.ended and self.replies < self.length.min_turns and not self.recorded

    def words(self, role: str) -> int:
        """How many words one side said."""
        return sum(len(str(turn["text"]).split()) for turn in self.turns if turn["role"] == role)

    def messages(self, prompt: str, opening: str) -> list[dict[str, str]]:
        """The conversation as an address of the kind of OpenAI's takes it."""
        found = [{"role": "system", "content": prompt}] if prompt else []
        found += [{"role": "assistant", "content": opening}] if opening else []
        roles = {JUDGE: "user", SYSTEM: "assistant"}
        return found + [{"role": roles[turn["role"]], "content": str(turn["text"])} for turn in self.turns]
