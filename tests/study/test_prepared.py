"""Prepared statements give what SQLAlchemy gives for the same statement, in each kind of database."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa
from studies import Clock, launched

from nlgauge.study.store import Store, queries
from nlgauge.study.store.queries import Prepared, insert
from nlgauge.study.store.tables import events, judgements, judges, slots


def test_rows_are_those_of_sqlalchemy(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(tmp_path / "s", clock, store)
    judge, _ = service.arrivals.register("public", language="gl")
    evaluation = service.dealing.step(judge).evaluation
    assert evaluation is not None
    service.answers.answer(judge, evaluation.claim, 2, reason="perché 🌧")
    with store.read() as connection:
        for table in (judges, judgements, slots, events):
            query = sa.select(table).where(table.c.study == sa.bindparam("b_study")).order_by(table.c[0], table.c[1])
            expected = connection.execute(query, {"b_study": service.id}).all()
            found = Prepared(query).all(connection, {"b_study": service.id})
            assert [row._asdict() for row in found] == [dict(row._mapping) for row in expected]
            assert [type(value) for value in found[0]] == [type(value) for value in expected[0]]
        assert queries.judge.one(connection, {"b_study": service.id, "b_judge": "nobody"}) is None
        assert queries.judge.one(connection, {"b_study": service.id, "b_judge": judge}).answered == 1


def test_changes_and_defaults(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(tmp_path / "s", clock, store)
    row = {"study": service.id, "id": "j1", "panel": "public", "access": "open", "registered_at": 1.5}
    with store.write() as connection:
        queries.add_judge.do(connection, row)
        insert(events).do(connection, {"study": service.id, "at": 2.0, "kind": "x", "data": {"a": [1, None]}})
        nobody = {"b_study": service.id, "b_judge": "nobody", "v_language": "es"}
        queries.judge_update(("language",)).do(connection, nobody)
    found = service.people.judges()[0]
    assert (found["language"], found["practised"], found["failed"], found["finished_at"]) == ("", 0, "", None)
    assert service.events("x")[0]["data"] == {"a": [1, None]}


def test_a_statement_in_a_transaction_that_fails_is_undone(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(tmp_path / "s", clock, store)
    row = {"study": service.id, "id": "j1", "panel": "public", "access": "open", "registered_at": 1.5}
    try:
        with store.write() as connection:
            queries.add_judge.do(connection, row)
            raise KeyError("stop")
    except KeyError:
        pass
    assert service.people.judges() == []


def test_what_fails_in_a_pipeline_is_raised_and_undone(tmp_path: Path, clock: Clock, store: Store) -> None:
    """Over a network nothing is waited for until a row is asked for: the commit must still tell."""
    service = launched(tmp_path / "s", clock, store)
    row = {"study": service.id, "id": "j1", "panel": "public", "access": "open", "registered_at": 1.5}
    with pytest.raises(sa.exc.IntegrityError), store.write() as connection:
        queries.add_judge.do(connection, row)
        queries.add_judge.do(connection, row)
    assert service.people.judges() == []
    with pytest.raises(sa.exc.IntegrityError), store.write() as connection:
        queries.add_judge.do(connection, row)
        queries.add_judge.do(connection, row)
        queries.study.one(connection, {"b_study": service.id})
    with store.write() as connection:  # the connection is none the worse
        queries.add_judge.do(connection, row)
    assert [one["id"] for one in service.people.judges()] == ["j1"]


def test_replies_may_be_read_later_and_out_of_order(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(tmp_path / "s", clock, store)
    values = {"b_study": service.id, "b_panel": "public", "b_judge": "", "b_now": 0.0, "b_few": 3}
    with store.write() as connection:
        first = queries.study.ask(connection, values)
        fresh = queries.fresh_slots.ask(connection, values)
        assert connection.execute(sa.select(slots.c.id).limit(1)).scalar_one()  # SQLAlchemy's own in between
        assert [slot.number for slot in fresh.all()] == [1, 2, 3]
        assert first.one().status == "open"
