"""The version of a database's tables: what is newer is refused, what is older is brought up to date step by step.

One row in `schema_version`, on SQLite and PostgreSQL alike. A database without that table but with studies is of
version 0, as the program made them before it counted. Everything happens in one transaction: a step that fails leaves
the database as it was.

To change the tables: change them in `tables`, raise `VERSION`, and add to `STEPS` what makes the old ones into the new.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import sqlalchemy as sa

from nlgauge.errors import InputError

VERSION = 5
_LOCK = 0x6E6C6761  # any number, the same in every worker

_own = sa.MetaData()
versions = sa.Table("schema_version", _own, sa.Column("version", sa.Integer, nullable=False))

Step = Callable[[sa.Connection], None]


def _columns(connection: sa.Connection, table: str = "judges") -> set[str]:
    """Those of a table."""
    return {column["name"] for column in sa.inspect(connection).get_columns(table)}


def _count(connection: sa.Connection) -> None:
    """From 0 to 1: the version is written down; when a judge began is noted, for those who had begun by guess."""
    _own.create_all(connection)
    connection.execute(versions.insert().values(version=0))
    if "begun_at" not in _columns(connection):
        connection.execute(sa.text("ALTER TABLE judges ADD COLUMN begun_at DOUBLE PRECISION"))
        connection.execute(sa.text("UPDATE judges SET begun_at = registered_at WHERE practised > 0 OR answered > 0"))
    for index in (
        "slots_by_expiry ON slots (study, panel, judgement, expires_at, seat)",
        "slots_begun ON slots (study, panel, number) WHERE dealt > 0",
    ):
        connection.execute(sa.text(f"CREATE INDEX IF NOT EXISTS {index}"))


def _any_answer(connection: sa.Connection) -> None:
    """From 1 to 2: an answer is any JSON value, no longer a whole number only.

    SQLite keeps a text in a column of whole numbers as it is and reads a number as the JSON it is: nothing to do.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text("ALTER TABLE judgements ALTER COLUMN answer TYPE JSON USING to_json(answer)"))


def _closing(connection: sa.Connection) -> None:
    """From 2 to 3: when a judge answered the questions at the end."""
    if "closing_at" not in _columns(connection):
        connection.execute(sa.text("ALTER TABLE judges ADD COLUMN closing_at DOUBLE PRECISION"))


def _wordings(connection: sa.Connection) -> None:
    """From 3 to 4: which wording of the questions a judge was dealt, and which an answer was given to."""
    for table in ("judges", "judgements"):
        if "wording" not in _columns(connection, table):
            connection.execute(sa.text(f"ALTER TABLE {table} ADD COLUMN wording VARCHAR(32) NOT NULL DEFAULT ''"))


def _roles(connection: sa.Connection) -> None:
    """From 4 to 5: what a screen is for is called its role; of a triangle test that is the triad."""
    for table in ("slots", "judgements"):
        if "triad" in _columns(connection, table):
            connection.execute(sa.text(f"ALTER TABLE {table} RENAME COLUMN triad TO role"))


STEPS: Mapping[int, Step] = {0: _count, 1: _any_answer, 2: _closing, 3: _wordings, 4: _roles}
"""What leads from a version to the next."""


def up_to_date(connection: sa.Connection) -> bool:
    """Whether the tables are there in this program's version; refuses those of a newer one."""
    found = version_of(connection)
    if found is not None and found > VERSION:
        raise InputError(
            f"the database was made by a newer nlgauge (its tables have version {found}, this program knows {VERSION}"
            "); install the newer version"
        )
    return found == VERSION


def version_of(connection: sa.Connection) -> int | None:
    """The version of the tables; None where there are none yet."""
    present = sa.inspect(connection)
    if not present.has_table("studies"):
        return None
    if not present.has_table(versions.name):
        return 0
    return int(connection.execute(sa.select(versions.c.version)).scalar_one())


def prepare(connection: sa.Connection, tables: sa.MetaData) -> None:
    """Make the tables, or bring those of an older version up to date, in the transaction given."""
    if connection.dialect.name == "postgresql":  # several workers may start at once
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
    if up_to_date(connection):
        return
    found = version_of(connection)
    if found is None:
        tables.create_all(connection)
        _own.create_all(connection)
        connection.execute(versions.delete())  # left by tables that were dropped one by one
        connection.execute(versions.insert().values(version=VERSION))
        return
    for version in range(found, VERSION):
        STEPS[version](connection)
        connection.execute(versions.update().values(version=version + 1))
