"""The statements that every page needs, built once: building and naming them anew costs more than running them."""

from __future__ import annotations

from functools import cache
from typing import Any

import sqlalchemy as sa

from nlgauge.study.store import claims, events, judgements, judges, links, panels, slots, studies

_study: sa.BindParameter[str] = sa.bindparam("b_study")
_judge: sa.BindParameter[str] = sa.bindparam("b_judge")
_unanswered = slots.c.judgement.is_(None)

judge = sa.select(judges, studies.c.status, panels.c.evaluations).where(
    judges.c.study == _study,
    judges.c.id == _judge,
    studies.c.id == judges.c.study,
    panels.c.study == judges.c.study,
    panels.c.name == judges.c.panel,
)
judge_locked = judge.with_for_update(of=judges)
panel_locked = (
    sa.select(panels.c.name)
    .where(panels.c.study == _study, panels.c.name == sa.bindparam("b_panel"))
    .with_for_update()
)
study = sa.select(studies.c.kind, studies.c.status).where(studies.c.id == _study)
link = sa.select(links).where(links.c.study == _study, links.c.selector == sa.bindparam("b_selector"))
link_locked = link.with_for_update()

open_claim = (
    sa.select(slots, claims.c.shown_at)
    .join(claims, (claims.c.study == slots.c.study) & (claims.c.id == slots.c.claim))
    .where(slots.c.study == _study, slots.c.holder == _judge, _unanswered)
    .limit(1)
)
claim = sa.select(claims).where(claims.c.study == _study, claims.c.id == sa.bindparam("b_claim"))
slot_texts = sa.select(slots.c.texts).where(slots.c.study == _study, slots.c.id == sa.bindparam("b_slot"))
claimed = (
    sa.select(claims.c.judge.label("shown_to"), claims.c.shown_at, claims.c.dealt.label("times"), slots)
    .join_from(claims, slots, (slots.c.study == claims.c.study) & (slots.c.id == claims.c.slot))
    .where(claims.c.study == _study, claims.c.id == sa.bindparam("b_claim"))
    .with_for_update(of=slots)
)
"""What was shown under a claim, to whom and when, with the slot as it is now, locked; nothing for a practice triad."""

available = sa.or_(
    slots.c.holder.is_(None), slots.c.holder == _judge, slots.c.expires_at < sa.bindparam("b_now")
)
"""Slots that may be dealt: kept for nobody, for this judge, or for one who was not heard of for too long."""

free_slots = (
    sa.select(slots)
    .where(slots.c.study == _study, slots.c.panel == sa.bindparam("b_panel"), _unanswered, available)
    .order_by((slots.c.dealt > 0).desc(), slots.c.number)
)
_one = free_slots.order_by(None).limit(1).with_for_update(skip_locked=True)
# "+ 0": the few that were dealt are found by that and then sorted; an index in order of number would be walked whole
returned_slot = _one.where(slots.c.dealt > 0).order_by(slots.c.number + 0)
next_slot = _one.where(slots.c.dealt == 0).order_by(slots.c.number)

_begun = sa.select(slots.c.seat).where(
    slots.c.study == _study, slots.c.panel == sa.bindparam("b_panel"), slots.c.dealt > 0
)
_places = (slots.c.number, slots.c.triad)
own_slots = sa.select(*_places).where(slots.c.study == _study, slots.c.holder == _judge, _unanswered)
left_slots = free_slots.with_only_columns(*_places).order_by(None).where(slots.c.seat.in_(_begun))
fresh_slots = (
    free_slots.with_only_columns(sa.func.min(slots.c.number).label("number"), slots.c.triad)
    .order_by(None)
    .where(slots.c.dealt == 0, slots.c.seat.not_in(_begun))
    .group_by(slots.c.triad)
)
"""The first of each triad on sheets that nobody has seen."""
sheet_slots = (
    free_slots.where(slots.c.number.between(sa.bindparam("b_first"), sa.bindparam("b_last")))
    .order_by(None)
    .order_by(slots.c.number)
    .with_for_update(skip_locked=True)
)
any_slot = free_slots.with_only_columns(slots.c.id).order_by(None).limit(1)

_mine = sa.select(judgements).where(judgements.c.study == _study, judgements.c.judge == _judge)
by_key = _mine.where(judgements.c.key == sa.bindparam("b_key"))
by_claim = _mine.with_only_columns(judgements.c.id).where(judgements.c.claim == sa.bindparam("b_claim"))
seen = _mine.with_only_columns(judgements.c.slot, judgements.c.triad).where(
    judgements.c.practice.is_(False), judgements.c.replaces == ""
)

kept = slots.update().where(slots.c.study == _study, slots.c.holder == _judge, _unanswered)
keep = kept.values(expires_at=sa.bindparam("b_expires"))
free = kept.values(holder=None, claim=None, expires_at=None)
hold = (
    slots.update()
    .where(slots.c.study == _study, slots.c.id.in_(sa.bindparam("b_slots", expanding=True)))
    .values(holder=sa.bindparam("b_holder"), claim=None, expires_at=sa.bindparam("b_expires"))
)
slot_update = slots.update().where(slots.c.study == _study, slots.c.id == sa.bindparam("b_slot"))
deal = slot_update.values(
    holder=sa.bindparam("b_holder"),
    claim=sa.bindparam("b_claim"),
    dealt=sa.bindparam("b_dealt"),
    expires_at=sa.bindparam("b_expires"),
)
fill = slot_update.values(
    judgement=sa.bindparam("b_judgement"), holder=sa.bindparam("b_holder"), claim=sa.bindparam("b_claim")
)

add_claim, add_judgement = claims.insert(), judgements.insert()
add_judge, add_event, add_link = judges.insert(), events.insert(), links.insert()


@cache
def judge_update(names: tuple[str, ...]) -> Any:
    """Set some columns of a judge's row; their values are bound as `v_` and the name."""
    values: dict[str, Any] = {name: sa.bindparam(f"v_{name}") for name in names}
    return judges.update().where(judges.c.study == _study, judges.c.id == _judge).values(values)
