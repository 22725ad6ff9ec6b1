"""The tables of a study, in SQLite and PostgreSQL alike.

Append-only: `judgements`, `claims`, `events`. Apart from them, so that they can be erased: `personal` (answers to
questions about the judge), `platform_ids`, `links`. `judges` and `slots` also hold the present state that follows from
the events (how far a judge is, who holds a slot), so that a page needs one or two reads; it is written in the same
transaction as the event. Two rules are kept by the database itself, whatever the program does: one slot
has at most one accepted judgement (`accepts`), and one judge's submission is stored once (`key`).

`migrations` keeps the version of these tables.
"""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData()


def _id() -> sa.Column[str]:
    return sa.Column("study", sa.String(64), nullable=False)


studies = sa.Table(
    "studies",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("status", sa.String(16), nullable=False),  # open, paused, closed
    sa.Column("kind", sa.String(16), nullable=False),  # live, simulated
    sa.Column("launched_at", sa.Double, nullable=False),
    sa.Column("frozen", sa.JSON, nullable=False),
)

panels = sa.Table(
    "panels",
    metadata,
    _id(),
    sa.Column("name", sa.String(64), nullable=False),
    sa.Column("evaluations", sa.Integer, nullable=False),
    sa.PrimaryKeyConstraint("study", "name"),
)

judges = sa.Table(
    "judges",
    metadata,
    _id(),
    sa.Column("id", sa.String(64), nullable=False),
    sa.Column("panel", sa.String(64), nullable=False),
    sa.Column("access", sa.String(16), nullable=False),  # link, open, platform, machine, simulated, import
    sa.Column("language", sa.String(16), nullable=False, default=""),
    sa.Column("registered_at", sa.Double, nullable=False),
    sa.Column("consented_at", sa.Double),
    sa.Column("questions_at", sa.Double),
    sa.Column("closing_at", sa.Double),  # answered the questions at the end
    sa.Column("begun_at", sa.Double),  # went on from the page before the first text
    sa.Column("practised", sa.Integer, nullable=False, default=0),
    sa.Column("practice_correct", sa.Integer, nullable=False, default=0),
    sa.Column("answered", sa.Integer, nullable=False, default=0),
    sa.Column("finished_at", sa.Double),
    sa.Column("failed", sa.String(32), nullable=False, default=""),
    sa.Column("wording", sa.String(32), nullable=False, default="", server_default=""),  # of the questions, as dealt
    sa.Column("withdrawn_at", sa.Double),
    sa.Column("forgotten_at", sa.Double),
    sa.PrimaryKeyConstraint("study", "id"),
)

links = sa.Table(
    "links",
    metadata,
    _id(),
    sa.Column("selector", sa.String(16), nullable=False),  # found by this, compared by the secret
    sa.Column("secret", sa.String(64), nullable=False),
    sa.Column("panel", sa.String(64), nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),  # personal, open, platform
    sa.Column("judge", sa.String(64)),
    sa.Column("created_at", sa.Double, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.PrimaryKeyConstraint("study", "selector"),
    sa.Index("links_by_judge", "study", "judge"),
)

platform_ids = sa.Table(
    "platform_ids",
    metadata,
    _id(),
    sa.Column("platform", sa.String(32), nullable=False),
    sa.Column("person", sa.String(256), nullable=False),
    sa.Column("judge", sa.String(64), nullable=False),
    sa.Column("data", sa.JSON, nullable=False),
    sa.PrimaryKeyConstraint("study", "platform", "person"),
)

personal = sa.Table(
    "personal",
    metadata,
    _id(),
    sa.Column("judge", sa.String(64), nullable=False),
    sa.Column("question", sa.String(64), nullable=False),
    sa.Column("answer", sa.Text, nullable=False),
    sa.Column("at", sa.Double, nullable=False),
    sa.PrimaryKeyConstraint("study", "judge", "question"),
)

slots = sa.Table(
    "slots",
    metadata,
    _id(),
    sa.Column("id", sa.String(64), nullable=False),
    sa.Column("panel", sa.String(64), nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("block", sa.Integer, nullable=False),
    sa.Column("seat", sa.Integer, nullable=False),
    sa.Column("role", sa.String(8), nullable=False),
    sa.Column("texts", sa.JSON, nullable=False),
    sa.Column("holder", sa.String(64)),  # the judge for whom it is kept
    sa.Column("claim", sa.String(64)),  # the claim under which it was last shown
    sa.Column("expires_at", sa.Double),
    sa.Column("dealt", sa.Integer, nullable=False, default=0),  # how often
    sa.Column("judgement", sa.String(64)),  # the accepted one
    sa.PrimaryKeyConstraint("study", "id"),
    sa.UniqueConstraint("study", "panel", "number"),
    sa.Index("slots_by_holder", "study", "holder"),
    sa.Index("slots_to_deal", "study", "panel", "judgement", "dealt", "number"),
    sa.Index("slots_by_expiry", "study", "panel", "judgement", "expires_at", "seat"),
)

claims = sa.Table(
    "claims",
    metadata,
    _id(),
    sa.Column("id", sa.String(64), nullable=False),
    sa.Column("slot", sa.String(64), nullable=False),
    sa.Column("judge", sa.String(64), nullable=False),
    sa.Column("dealt", sa.Integer, nullable=False),
    sa.Column("shown_at", sa.Double, nullable=False),
    sa.PrimaryKeyConstraint("study", "id"),
    sa.UniqueConstraint("study", "slot", "dealt"),  # one slot is dealt to one judge at a time
)

judgements = sa.Table(
    "judgements",
    metadata,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
    _id(),
    sa.Column("id", sa.String(64), nullable=False),
    sa.Column("panel", sa.String(64), nullable=False),
    sa.Column("judge", sa.String(64), nullable=False),
    sa.Column("slot", sa.String(64), nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("role", sa.String(8), nullable=False),
    sa.Column("texts", sa.JSON, nullable=False),
    sa.Column("items", sa.JSON, nullable=False),
    sa.Column("answer", sa.JSON, nullable=False),  # in SQLite a number is stored as one
    sa.Column("shown_at", sa.Double, nullable=False),
    sa.Column("answered_at", sa.Double, nullable=False),
    sa.Column("practice", sa.Boolean, nullable=False),
    sa.Column("surplus", sa.Boolean, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("highlights", sa.JSON, nullable=False),
    sa.Column("language", sa.String(16), nullable=False),
    sa.Column("client", sa.Text, nullable=False),
    sa.Column("replaces", sa.String(64), nullable=False),
    sa.Column("wording", sa.String(32), nullable=False, default="", server_default=""),  # that the judge read
    sa.Column("claim", sa.String(64), nullable=False),
    sa.Column("key", sa.String(128), nullable=False),
    sa.Column("accepts", sa.String(64)),  # the slot, where this judgement fills it
    sa.UniqueConstraint("study", "id"),
    sa.UniqueConstraint("study", "judge", "key"),
    sa.UniqueConstraint("study", "accepts"),
)

events = sa.Table(
    "events",
    metadata,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
    _id(),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("kind", sa.String(32), nullable=False),
    sa.Column("judge", sa.String(64)),
    sa.Column("data", sa.JSON, nullable=False),
    sa.Index("events_by_kind", "study", "kind"),
)
