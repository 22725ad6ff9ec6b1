"""Conversations: a judge talks with a system behind an address, blind to which, and then rates the conversation.

A chat study is a rating study whose text comes about on the spot: criteria, scales, designs and the analysis are those
of `ratings`. What is its own:

file            the systems (address, model, prompt), the goals, and how long a conversation may be
contradictions  what the keys do not allow together
conversation    a record as a conversation: whose turn it is, whether it may end, what failed
bots            the systems as the server calls them, and scripted ones for rehearsals
layout          goals × systems as slots
simulation      judges who converse with scripted systems and rate them
analysis        that of ratings, with lengths of conversations beside it
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nlgauge.study.protocols.base import Protocol


def of(name: str) -> Protocol:
    """The protocol."""
    from nlgauge.study.protocols.chat.protocol import Chat

    return Chat(name)
