"""The statements that every page needs, written and compiled once; values are bound as `b_` and a name.

A page needs half a dozen small statements. SQLAlchemy takes some 100 µs around each, SQLite 10 µs inside; the pages of
many judges at once would spend most of their time there. A prepared statement is an ordinary SQLAlchemy statement whose
SQL, values and columns were worked out at its first use; it runs on the connection and in the transaction it is given.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import sqlalchemy as sa

from nlgauge.study.store.tables import claims, events, judgements, judges, links, panels, personal, slots, studies

Values = Mapping[str, Any]


class _Compiled:
    """A statement for one kind of database."""

    def __init__(self, statement: Any, dialect: sa.Dialect) -> None:
        made = statement.compile(dialect=dialect)
        self.dialect, self.sql = dialect, str(made)
        self.order: tuple[str, ...] | None = tuple(made.positiontup) if made.positiontup else None
        bound = {name: parameter for parameter, name in made.bind_names.items()}
        self.fixed = {name: value.effective_value for name, value in bound.items() if not value.required}
        ways = {name: value.type.dialect_impl(dialect).bind_processor(dialect) for name, value in bound.items()}
        self.into = [(name, way) for name, way in ways.items() if way is not None]
        self.columns = tuple(statement.selected_columns) if isinstance(statement, sa.Select) else ()
        self.row: Any = namedtuple("Row", [column.key for column in self.columns])  # type: ignore[misc]
        self.out: list[tuple[int, Callable[[Any], Any]]] | None = None  # known with the first answer

    def bound(self, values: Values) -> Any:
        """The values as the driver wants them."""
        given = {**self.fixed, **values}
        for name, way in self.into:
            given[name] = way(given[name])
        return given if self.order is None else [given[name] for name in self.order]

    def read(self, cursor: Any, rows: list[Any]) -> list[Any]:
        """Rows as the statement's columns say."""
        if self.out is None:
            kinds = [column.type.dialect_impl(self.dialect) for column in self.columns]
            ways = [
                kind.result_processor(self.dialect, told[1])
                for kind, told in zip(kinds, cursor.description, strict=True)
            ]
            self.out = [(place, way) for place, way in enumerate(ways) if way is not None]
        for number, row in enumerate(rows if self.out else ()):
            values = list(row)
            for place, way in self.out:
                values[place] = way(values[place])
            rows[number] = values
        return [self.row._make(row) for row in rows]


class Reply:
    """What a statement answers, once it is asked for."""

    __slots__ = ("cursor", "made")

    def __init__(self, made: _Compiled, cursor: Any) -> None:
        self.made, self.cursor = made, cursor

    def all(self) -> list[Any]:
        """Every row."""
        try:
            return self.made.read(self.cursor, self.cursor.fetchall())
        finally:
            self.cursor.close()

    def one(self) -> Any:
        """The first row, or None."""
        try:
            row = self.cursor.fetchone()
            return None if row is None else self.made.read(self.cursor, [row])[0]
        finally:
            self.cursor.close()


class Prepared:
    """A statement to be run often; rows have the names of its columns."""

    def __init__(self, statement: Any) -> None:
        self.statement = statement
        self._made: dict[str, _Compiled] = {}

    def all(self, connection: sa.Connection, values: Values) -> list[Any]:
        """Every row."""
        return self.ask(connection, values).all()

    def one(self, connection: sa.Connection, values: Values) -> Any:
        """The first row, or None."""
        return self.ask(connection, values).one()

    def do(self, connection: sa.Connection, values: Values) -> None:
        """Insert or change."""
        self.ask(connection, values).cursor.close()

    def ask(self, connection: sa.Connection, values: Values) -> Reply:
        """Send a query; over a network others may be sent before its answer is read, which is always to be done."""
        dialect = connection.dialect
        made = self._made.get(dialect.name)
        if made is None:
            made = self._made[dialect.name] = _Compiled(self.statement, dialect)
        driver: Any = connection.connection.driver_connection
        cursor = driver.cursor()
        cursor.execute(made.sql, made.bound(values))
        return Reply(made, cursor)


def insert(table: sa.Table) -> Prepared:
    """One row into a table; columns that are not given get their default, a serial number is left to the database."""
    values: dict[str, Any] = {}
    for column in table.c:
        if column.name != "seq":
            default = column.default.arg if isinstance(column.default, sa.ColumnDefault) else None
            values[column.name] = sa.bindparam(column.name, default, type_=column.type)
    return Prepared(table.insert().inline().values(values))


_study: sa.BindParameter[str] = sa.bindparam("b_study")
_judge: sa.BindParameter[str] = sa.bindparam("b_judge")
_unanswered = slots.c.judgement.is_(None)

# pausing and closing concern people: a machine takes nothing from them and may answer before, meanwhile or after
_status = sa.case((judges.c.access == "machine", "open"), else_=studies.c.status).label("status")
_judge_row = sa.select(judges, _status, panels.c.evaluations).where(
    judges.c.study == _study,
    judges.c.id == _judge,
    studies.c.id == judges.c.study,
    panels.c.study == judges.c.study,
    panels.c.name == judges.c.panel,
)
judge, judge_locked = Prepared(_judge_row), Prepared(_judge_row.with_for_update(of=judges))
panel_locked = Prepared(
    sa.select(panels.c.name).where(panels.c.study == _study, panels.c.name == sa.bindparam("b_panel")).with_for_update()
)
_study_row = sa.select(studies.c.kind, studies.c.status).where(studies.c.id == _study)
study, study_locked = Prepared(_study_row), Prepared(_study_row.with_for_update())
_link = sa.select(links).where(links.c.study == _study, links.c.selector == sa.bindparam("b_selector"))
link, link_locked = Prepared(_link), Prepared(_link.with_for_update())

open_claim = Prepared(
    sa.select(slots, claims.c.shown_at)
    .join(claims, (claims.c.study == slots.c.study) & (claims.c.id == slots.c.claim))
    .where(slots.c.study == _study, slots.c.holder == _judge, _unanswered)
    .limit(1)
)
_held = {name: slots.c[name].label(f"held_{name}") for name in ("id", "claim", "texts", "expires_at")}
standing = Prepared(
    _judge_row.add_columns(*_held.values(), claims.c.shown_at.label("held_shown_at"))
    .select_from(
        judges.outerjoin(
            slots,
            (slots.c.study == judges.c.study)
            & (slots.c.holder == judges.c.id)
            & _unanswered
            & slots.c.claim.is_not(None),
        ).outerjoin(claims, (claims.c.study == slots.c.study) & (claims.c.id == slots.c.claim))
    )
    .limit(1)
)
"""A judge's row with what they have open on screen, if anything: most pages need nothing else."""
claim = Prepared(sa.select(claims).where(claims.c.study == _study, claims.c.id == sa.bindparam("b_claim")))
slot_texts = Prepared(sa.select(slots.c.texts).where(slots.c.study == _study, slots.c.id == sa.bindparam("b_slot")))
slot_locked = Prepared(
    sa.select(slots).where(slots.c.study == _study, slots.c.id == sa.bindparam("b_slot")).with_for_update()
)
claimed = Prepared(
    sa.select(claims.c.judge.label("shown_to"), claims.c.shown_at, slots)
    .join_from(claims, slots, (slots.c.study == claims.c.study) & (slots.c.id == claims.c.slot))
    .where(claims.c.study == _study, claims.c.id == sa.bindparam("b_claim"))
    .with_for_update(of=slots)
)
"""What was shown under a claim, to whom and when, with the slot as it is now, locked; nothing for a practice triad."""

_of_panel = (slots.c.study == _study, slots.c.panel == sa.bindparam("b_panel"))
_now: sa.BindParameter[float] = sa.bindparam("b_now")
_free = slots.c.expires_at.is_(None)  # kept for nobody

# slots that may be dealt: kept for nobody, for this judge, or for one who was not heard of for too long
_available = sa.or_(slots.c.holder.is_(None), slots.c.holder == _judge, slots.c.expires_at < _now)
_free_slots = sa.select(slots).where(*_of_panel, _unanswered, _available)
any_slot = Prepared(_free_slots.with_only_columns(slots.c.id).limit(1))
_one = _free_slots.limit(1).with_for_update(skip_locked=True)
# "+ 0": the few that were dealt are found by that and then sorted; an index in order of number would be walked whole
returned_slot = Prepared(_one.where(slots.c.dealt > 0).order_by(slots.c.number + 0))
next_slot = Prepared(_one.where(slots.c.dealt == 0).order_by(slots.c.number))

FRESH = 24  # slots among which the next is chosen: any eleven in a row hold all six triads
_others = slots.alias("others")
_last_begun = sa.func.coalesce(
    sa.select(_others.c.seat)
    .where(_others.c.study == _study, _others.c.panel == sa.bindparam("b_panel"), _others.c.dealt > 0)
    .order_by(_others.c.number.desc())
    .limit(1)
    .scalar_subquery(),
    -1,
)
_choice = sa.select(slots).where(*_of_panel, _unanswered)
_safe_choice = _choice.with_for_update(skip_locked=True)
own_slots = Prepared(_safe_choice.where(slots.c.holder == _judge))
expired_slots = Prepared(_safe_choice.where(slots.c.expires_at < _now))
_few = sa.bindparam("b_few", type_=sa.Integer)
free_slots = Prepared(_choice.where(_free).order_by(slots.c.seat).limit(_few))
returned_slots = Prepared(_safe_choice.where(_free, slots.c.seat <= _last_begun))
fresh_slots = Prepared(
    _choice.where(_free, slots.c.seat > _last_begun).order_by(slots.c.seat, slots.c.number).limit(_few)
)

_mine = sa.select(judgements).where(judgements.c.study == _study, judgements.c.judge == _judge)
by_key = Prepared(_mine.where(judgements.c.key == sa.bindparam("b_key")))
by_key_or_claim = Prepared(
    _mine.where((judgements.c.key == sa.bindparam("b_key")) | (judgements.c.claim == sa.bindparam("b_claim")))
)
practised = Prepared(_mine.where(judgements.c.practice.is_(True)))
seen = Prepared(
    _mine.with_only_columns(judgements.c.slot, judgements.c.role).where(
        judgements.c.practice.is_(False), judgements.c.replaces == ""
    )
)

tested = Prepared(
    sa.select(events.c.kind).where(
        events.c.study == _study,
        events.c.judge == _judge,
        sa.or_(events.c.kind == "comprehension", events.c.kind == "understood"),
    )
)
"""A judge's attempts at the comprehension test, and whether one was passed."""

_kept = slots.update().where(slots.c.study == _study, slots.c.holder == _judge, _unanswered)
keep = Prepared(_kept.values(expires_at=sa.bindparam("b_expires")))
free = Prepared(_kept.values(holder=None, claim=None, expires_at=None))
_slot = slots.update().where(slots.c.study == _study, slots.c.id == sa.bindparam("b_slot"))
_holder: sa.BindParameter[str] = sa.bindparam("b_holder")
_claim: sa.BindParameter[str] = sa.bindparam("b_claim")
_expires: sa.BindParameter[float] = sa.bindparam("b_expires")
hold = Prepared(_slot.values(holder=_holder, claim=None, expires_at=_expires))
hold_sheet = Prepared(
    slots.update()
    .where(*_of_panel, slots.c.number.between(sa.bindparam("b_first"), sa.bindparam("b_last")))
    .values(holder=_holder, claim=None, expires_at=_expires)
)
deal = Prepared(_slot.values(holder=_holder, claim=_claim, dealt=sa.bindparam("b_dealt"), expires_at=_expires))
fill = Prepared(_slot.values(judgement=sa.bindparam("b_judgement"), holder=_holder, claim=_claim))

add_claim, add_judgement, add_judge = insert(claims), insert(judgements), insert(judges)
add_event, add_link, add_personal = insert(events), insert(links), insert(personal)


@cache
def judge_update(names: tuple[str, ...]) -> Prepared:
    """Set some columns of a judge's row; their values are bound as `v_` and the name."""
    values: dict[str, Any] = {name: sa.bindparam(f"v_{name}") for name in names}
    return Prepared(judges.update().where(judges.c.study == _study, judges.c.id == _judge).values(values))
