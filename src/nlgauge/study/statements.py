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

open_claim = (
    sa.select(slots, claims.c.shown_at)
    .join(claims, (claims.c.study == slots.c.study) & (claims.c.id == slots.c.claim))
    .where(slots.c.study == _study, slots.c.holder == _judge, _unanswered)
    .limit(1)
)
claim = sa.select(claims).where(claims.c.study == _study, claims.c.id == sa.bindparam("b_claim"))
slot_texts = sa.select(slots.c.texts).where(slots.c.study == _study, slots.c.id == sa.bindparam("b_slot"))
slot_locked = (
    sa.select(slots).where(slots.c.study == _study, slots.c.id == sa.bindparam("b_slot")).with_for_update()
)

available = sa.or_(
    slots.c.holder.is_(None), slots.c.holder == _judge, slots.c.expires_at < sa.bindparam("b_now")
)
"""Slots that may be dealt: kept for nobody, for this judge, or for one who was not heard of for too long."""

_of_panel = (slots.c.study == _study, slots.c.panel == sa.bindparam("b_panel"))
_seat: sa.BindParameter[int] = sa.bindparam("b_seat")
free_slots = sa.select(slots).where(*_of_panel, _unanswered, available)
next_slot = (
    free_slots.order_by((slots.c.dealt > 0).desc(), slots.c.number).limit(1).with_for_update(skip_locked=True)
)
any_slot = free_slots.with_only_columns(slots.c.id).limit(1)

panel_locked = (
    sa.select(panels.c.name)
    .where(panels.c.study == _study, panels.c.name == sa.bindparam("b_panel"))
    .with_for_update()
)
FRESH = 24  # slots among which the next is chosen: any eleven in a row hold all six triads
_free = slots.c.expires_at.is_(None)  # kept for nobody
last_begun = (
    sa.select(slots.c.seat).where(*_of_panel, slots.c.dealt > 0).order_by(slots.c.number.desc()).limit(1)
)
_choice = sa.select(slots).where(*_of_panel, _unanswered).with_for_update(skip_locked=True)
own_slots = _choice.where(slots.c.holder == _judge)
expired_slots = _choice.where(slots.c.expires_at < sa.bindparam("b_now"))
returned_slots = _choice.where(_free, slots.c.seat <= _seat)
fresh_slots = (
    _choice.where(_free, slots.c.seat > _seat)
    .order_by(slots.c.seat, slots.c.number)
    .limit(sa.bindparam("b_few"))
)
seen = sa.select(judgements.c.slot, judgements.c.triad).where(
    judgements.c.study == _study,
    judgements.c.judge == _judge,
    judgements.c.practice.is_(False),
    judgements.c.replaces == "",
)

link = sa.select(links).where(links.c.study == _study, links.c.selector == sa.bindparam("b_selector"))
link_locked = link.with_for_update()

by_key = sa.select(judgements).where(
    judgements.c.study == _study, judgements.c.judge == _judge, judgements.c.key == sa.bindparam("b_key")
)
by_claim = sa.select(judgements.c.id).where(
    judgements.c.study == _study, judgements.c.judge == _judge, judgements.c.claim == sa.bindparam("b_claim")
)

kept = slots.update().where(slots.c.study == _study, slots.c.holder == _judge, _unanswered)
keep = kept.values(expires_at=sa.bindparam("b_expires"))
free = kept.values(holder=None, claim=None, expires_at=None)
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
add_judge, add_event = judges.insert(), events.insert()


@cache
def judge_update(names: tuple[str, ...]) -> Any:
    """Set some columns of a judge's row; their values are bound as `v_` and the name."""
    values: dict[str, Any] = {name: sa.bindparam(f"v_{name}") for name in names}
    return judges.update().where(judges.c.study == _study, judges.c.id == _judge).values(values)
