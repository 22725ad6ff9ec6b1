"""Connections that stay open between transactions, and transactions that the driver begins and ends itself.

A page of the judges' site takes two or three small transactions. Handing a connection out of SQLAlchemy's pool,
beginning, committing, resetting and handing it back costs some 300 µs each time. Here a connection is kept with its
SQLAlchemy object and passed from one transaction to the next.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import sqlalchemy as sa

RESTED = 5.0  # seconds after which a connection over a network is tried before it is trusted


class Connections:
    """The connections of an engine in autocommit mode; as many as are in use at once."""

    def __init__(self, engine: sa.Engine) -> None:
        self.engine = engine
        self.remote = engine.dialect.name != "sqlite"
        self.faults = (
            sa.exc.DBAPIError,
            engine.dialect.loaded_dbapi.Error,
        )  # SQLAlchemy's and the driver's own
        self._idle: list[tuple[sa.Connection, float]] = []  # used from its end only, which is atomic

    @contextmanager
    def transaction(self, begin: str) -> Iterator[sa.Connection]:
        """A transaction, begun by this statement; without one each statement stands for itself."""
        connection = self._take()
        driver: Any = connection.connection.driver_connection
        try:
            if begin:
                driver.execute(begin)
            yield connection
            # either way the driver commits; SQLAlchemy's object must hear of it where it ran a statement
            if connection.in_transaction():
                connection.commit()
            elif begin:
                driver.commit()
        except BaseException as error:
            self._undo(connection, driver, broken=self._of_the_database(error))
            base = self.faults[1]
            if isinstance(error, base):  # prepared statements and `BEGIN` are run by the driver itself
                told = sa.exc.DBAPIError.instance(None, None, error, base, dialect=self.engine.dialect)
                raise told from error
            raise
        self._idle.append((connection, time.monotonic()))

    def close(self) -> None:
        """Let go of every connection that is not in use."""
        while self._idle:
            self._idle.pop()[0].close()
        self.engine.dispose()

    def _take(self) -> sa.Connection:
        while True:
            try:
                connection, since = self._idle.pop()
            except IndexError:
                return self.engine.connect()
            if not self.remote or time.monotonic() - since < RESTED:
                return connection
            driver: Any = connection.connection.driver_connection
            try:
                driver.execute("SELECT 1")
                return connection
            except self.faults:  # the server went away meanwhile: so may the others have
                self._drop(connection)

    def _of_the_database(self, error: BaseException) -> bool:
        """Whether the database itself failed; what a verb refuses is no fault of the connection's.

        A database in memory is its connection: it is never let go of.
        """
        if isinstance(self.engine.pool, sa.pool.StaticPool):
            return False
        return isinstance(error, self.faults)

    def _undo(self, connection: sa.Connection, driver: Any, *, broken: bool) -> None:
        """Roll back; a connection on which the database failed is not used again."""
        try:
            (connection if connection.in_transaction() else driver).rollback()
        except self.faults:
            broken = True
        if broken:
            self._drop(connection)
        else:
            self._idle.append((connection, time.monotonic()))

    def _drop(self, connection: sa.Connection) -> None:
        with suppress(*self.faults):
            connection.invalidate()
        with suppress(*self.faults):
            connection.close()
