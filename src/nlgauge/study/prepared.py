"""Statements that are compiled once for each kind of database and then run by the driver itself.

A page needs half a dozen small statements. SQLAlchemy takes some 100 µs around each, SQLite 10 µs inside; the pages of
many judges at once would spend most of their time there. A prepared statement is an ordinary SQLAlchemy statement whose
SQL, values and columns were worked out at its first use; it runs on the connection and in the transaction it is given.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping
from typing import Any

import sqlalchemy as sa

Values = Mapping[str, Any]


class _Compiled:
    """A statement for one kind of database."""

    def __init__(self, statement: Any, dialect: sa.Dialect) -> None:
        made = statement.compile(dialect=dialect)
        self.dialect, self.sql = dialect, str(made)
        self.order: tuple[str, ...] | None = tuple(made.positiontup) if made.positiontup else None
        bound = {name: parameter for parameter, name in made.bind_names.items()}
        self.fixed = {name: one.effective_value for name, one in bound.items() if not one.required}
        ways = {name: one.type.dialect_impl(dialect).bind_processor(dialect) for name, one in bound.items()}
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
