"""The tables of a study, in SQLite and PostgreSQL alike.

Append-only: `judgements`, `claims`, `events`. Apart from them, so that they can be erased: `personal` (answers to
questions about the judge), `platform_ids`, `links`. `judges` and `slots` also hold the present state that follows from
the events (how far a judge is, who holds a slot), so that a page needs one or two reads; it is written in the same
transaction as the event. Two rules are kept by the database itself, whatever the program does: one slot
has at most one accepted judgement (`accepts`), and one judge's submission is stored once (`key`).

`migrations` keeps the version of these tables.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.schema import SchemaItem

metadata = sa.MetaData()
_KINDS: dict[str, Any] = {"real": sa.Double, "int": sa.Integer, "text": sa.Text, "json": sa.JSON, "bool": sa.Boolean}


def _table(name: str, columns: str, *more: SchemaItem, key: str) -> sa.Table:
    """A table with this primary key, its columns written `name:kind`; a number as the kind is the length of a text.

    A `?` after the kind says that a cell may be empty, `=` what it holds else, `==` that the database knows this too.
    """
    made = []
    for column in columns.split():
        called, _, told = column.partition(":")
        kind, given, usual = told.partition("=")
        default: Any = int(usual) if kind == "int" and given else usual.removeprefix("=")
        values = {"default": default} | ({"server_default": default} if usual.startswith("=") else {})
        held = kind.removesuffix("?")
        of = sa.String(int(held)) if held.isdigit() else _KINDS[held]
        made.append(sa.Column(called, of, nullable=kind.endswith("?"), **(values if given else {})))
    return sa.Table(name, metadata, *made, sa.PrimaryKeyConstraint(*key.split()), *more)


# status: open, paused, closed; kind: live, simulated
studies = _table("studies", "id:64 digest:64 title:text status:16 kind:16 launched_at:real frozen:json", key="id")

panels = _table("panels", "study:64 name:64 evaluations:int", key="study name")

# access: link, open, platform, machine, simulated, import; closing_at: answered the questions at the end; begun_at:
# went on from the page before the first text; wording: of the questions, as dealt
judges = _table(
    "judges",
    "study:64 id:64 panel:64 access:16 language:16= registered_at:real consented_at:real? questions_at:real? "
    "closing_at:real? begun_at:real? practised:int=0 practice_correct:int=0 answered:int=0 finished_at:real? "
    "failed:32= wording:32== withdrawn_at:real? forgotten_at:real?",
    key="study id",
)

# found by the selector, compared by the secret; kind: personal, open, platform
links = _table(
    "links",
    "study:64 selector:16 secret:64 panel:64 kind:16 judge:64? created_at:real number:int",
    sa.Index("links_by_judge", "study", "judge"),
    key="study selector",
)

platform_ids = _table("platform_ids", "study:64 platform:32 person:256 judge:64 data:json", key="study platform person")

personal = _table("personal", "study:64 judge:64 question:64 answer:text at:real", key="study judge question")

# holder: the judge for whom it is kept; claim: under which it was last shown; dealt: how often; judgement: the accepted
slots = _table(
    "slots",
    "study:64 id:64 panel:64 number:int block:int seat:int role:8 texts:json holder:64? claim:64? expires_at:real? "
    "dealt:int=0 judgement:64?",
    sa.UniqueConstraint("study", "panel", "number"),
    sa.Index("slots_by_holder", "study", "holder"),
    sa.Index("slots_to_deal", "study", "panel", "judgement", "dealt", "number"),
    sa.Index("slots_by_expiry", "study", "panel", "judgement", "expires_at", "seat"),
    key="study id",
)

claims = _table(
    "claims",
    "study:64 id:64 slot:64 judge:64 dealt:int shown_at:real",
    sa.UniqueConstraint("study", "slot", "dealt"),  # one slot is dealt to one judge at a time
    key="study id",
)

# in SQLite an answer that is a number is stored as one; wording: that the judge read; accepts: the slot, where this
# judgement fills it
judgements = _table(
    "judgements",
    "seq:int study:64 id:64 panel:64 judge:64 slot:64 number:int role:8 texts:json items:json answer:json "
    "shown_at:real answered_at:real practice:bool surplus:bool reason:text highlights:json language:16 client:text "
    "replaces:64 wording:32== claim:64 key:128 accepts:64?",
    sa.UniqueConstraint("study", "id"),
    sa.UniqueConstraint("study", "judge", "key"),
    sa.UniqueConstraint("study", "accepts"),
    key="seq",
)

events = _table(
    "events",
    "seq:int study:64 at:real kind:32 judge:64? data:json",
    sa.Index("events_by_kind", "study", "kind"),
    key="seq",
)
