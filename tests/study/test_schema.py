"""The version of the tables: newer ones are refused, older ones brought up to date, in one transaction."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa

from nlgauge.errors import InputError
from nlgauge.study.protocols.triangle.analysis.reading import material
from nlgauge.study.service import opened
from nlgauge.study.store import Store, migrations, tables
from nlgauge.study.store.queries import by_key

VERSION_0 = Path(__file__).parent / "data" / "version_0.sql"  # a study of six simulated judges, before versions


def version(store: Store) -> int | None:
    with store.read() as connection:
        return migrations.version_of(connection)


def old_study(folder: Path) -> None:
    connection = sqlite3.connect(folder / "study.sqlite")
    connection.executescript(VERSION_0.read_text(encoding="utf-8"))
    [(frozen,)] = connection.execute("SELECT frozen FROM studies").fetchall()
    connection.close()
    (folder / "frozen.json").write_text(frozen, encoding="utf-8")


def test_a_fresh_database_has_this_programs_version(store: Store) -> None:
    assert version(store) == migrations.VERSION


def test_a_database_from_before_versions_is_taken_over(tmp_path: Path) -> None:
    old_study(tmp_path)
    service = opened(tmp_path, Store.at(tmp_path))
    assert version(service.store) == migrations.VERSION
    assert len(service.judgements()) == 6
    assert service.progress.report()["panels"]["public"]["done"] == 6
    assert len(material(service).judgements) == 6
    found, made = columns(service.store), columns(Store.memory())
    assert found.keys() == made.keys()
    assert all(found[name] >= made[name] for name in made)
    again = Store.at(tmp_path)
    assert version(again) == migrations.VERSION


@pytest.mark.parametrize("answers", [[0, 1, 2]])
def test_answers_of_version_1_are_read_and_others_stored_beside_them(store: Store, answers: list[int]) -> None:
    """The column held whole numbers; now it holds any JSON value."""
    kind = sa.inspect(store.engine).dialect.name
    with store.write() as connection:
        connection.execute(migrations.versions.update().values(version=1))
        if kind == "postgresql":
            connection.execute(
                sa.text("ALTER TABLE judgements ALTER COLUMN answer TYPE INTEGER USING (answer::text)::integer")
            )
        else:  # as version 1 made it
            made = connection.execute(sa.text("SELECT sql FROM sqlite_master WHERE name = 'judgements'")).scalar_one()
            connection.execute(sa.text("DROP TABLE judgements"))
            connection.execute(sa.text(made.replace("answer JSON", "answer INTEGER")))
        for number, answer in enumerate(answers):
            put(connection, f"a{number}", str(answer))
    again = Store(store.engine.url.render_as_string(hide_password=False))
    try:
        assert version(again) == migrations.VERSION
        given = {"fluency": 4, "share": 0.25}
        with again.write() as connection:
            connection.execute(tables.judgements.insert().values(**row("a9"), answer=given))
        with again.read() as connection:
            query = sa.select(tables.judgements.c.answer).order_by(tables.judgements.c.seq)
            assert list(connection.execute(query).scalars()) == [*answers, given]
        assert [one.answer for one in by_key.all(again.engine.connect(), VALUES)] == [given]
    finally:
        again.close()


VALUES = {"b_study": "s", "b_judge": "j", "b_key": "a9"}


def row(name: str) -> dict[str, object]:
    texts = dict.fromkeys(("panel", "slot", "role", "reason", "language", "client", "replaces", "claim"), "")
    return {
        **texts,
        "study": "s",
        "id": name,
        "judge": "j",
        "key": name,
        "number": 1,
        "texts": [],
        "items": [],
        "shown_at": 0.0,
        "answered_at": 1.0,
        "practice": False,
        "surplus": False,
        "highlights": [],
        "accepts": None,
    }


def put(connection: sa.Connection, name: str, answer: str) -> None:
    """A judgement as version 1 wrote it: the answer a whole number."""
    values = row(name) | {"texts": "[]", "items": "[]", "highlights": "[]"}
    names = ", ".join(f'"{key}"' for key in values)
    bound = ", ".join(f":{key}" for key in values)
    connection.execute(sa.text(f"INSERT INTO judgements ({names}, answer) VALUES ({bound}, {answer})"), values)


def columns(store: Store) -> dict[str, set[str]]:
    with store.read() as connection:
        seen = sa.inspect(connection)
        return {name: {column["name"] for column in seen.get_columns(name)} for name in seen.get_table_names()}


def test_the_same_on_every_database(store: Store) -> None:
    with store.write() as connection:
        migrations.versions.drop(connection)
        if "begun_at" in {column["name"] for column in sa.inspect(connection).get_columns("judges")}:
            connection.execute(sa.text("ALTER TABLE judges DROP COLUMN begun_at"))
        assert migrations.version_of(connection) == 0
    again = Store(store.engine.url.render_as_string(hide_password=False))
    assert version(again) == migrations.VERSION
    assert "begun_at" in columns(again)["judges"]
    again.close()


def test_a_newer_database_is_refused_and_left_alone(store: Store) -> None:
    newer = migrations.VERSION + 1
    url = store.engine.url.render_as_string(hide_password=False)
    with store.write() as connection:
        connection.execute(migrations.versions.update().values(version=newer))
    try:
        with pytest.raises(
            InputError, match=rf"made by a newer nlgauge .*version {newer}, this program knows {newer - 1}"
        ):
            Store(url)
        assert version(store) == newer
    finally:
        with store.write() as connection:
            connection.execute(migrations.versions.update().values(version=migrations.VERSION))


def test_a_step_that_fails_leaves_everything_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old_study(tmp_path)
    before = sqlite3.connect(tmp_path / "study.sqlite").execute("SELECT sql FROM sqlite_master").fetchall()

    def breaks(connection: sa.Connection) -> None:
        connection.execute(sa.text("ALTER TABLE judges ADD COLUMN colour TEXT"))
        raise InputError("the step broke")

    last = migrations.VERSION
    monkeypatch.setattr(migrations, "VERSION", last + 1)
    monkeypatch.setattr(migrations, "STEPS", {**migrations.STEPS, last: breaks})
    with pytest.raises(InputError, match="the step broke"):
        Store.at(tmp_path)
    after = sqlite3.connect(tmp_path / "study.sqlite").execute("SELECT sql FROM sqlite_master").fetchall()
    assert after == before


def test_steps_follow_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old_study(tmp_path)

    def grows(connection: sa.Connection) -> None:
        connection.execute(sa.text("ALTER TABLE judges ADD COLUMN colour TEXT"))

    last = migrations.VERSION
    monkeypatch.setattr(migrations, "VERSION", last + 1)
    monkeypatch.setattr(migrations, "STEPS", {**migrations.STEPS, last: grows})
    store = Store.at(tmp_path)
    assert version(store) == last + 1
    with store.read() as connection:
        assert "colour" in {column["name"] for column in sa.inspect(connection).get_columns("judges")}
        assert connection.execute(sa.select(sa.func.count()).select_from(tables.judgements)).scalar_one() == 6


def test_a_frozen_study_that_knows_fewer_keys_keeps_its_hash(tmp_path: Path) -> None:
    """A later program has more keys; the hash is that of what was written then."""
    from nlgauge.study.file.study import digest
    from nlgauge.study.freeze.frozen import BODY, Frozen

    old_study(tmp_path)
    values = json.loads((tmp_path / "frozen.json").read_text(encoding="utf-8"))
    del values["study"]["too_fast"]
    values["digest"] = digest({name: values[name] for name in BODY})
    found = Frozen.from_dict(values)
    assert found.digest == values["digest"] and found.study.too_fast == 3.0
    assert Frozen.from_dict(found.to_dict()).digest == found.digest
    values["study"]["title"] = "Another"
    with pytest.raises(InputError, match="was changed after launch"):
        Frozen.from_dict(values)
