"""Connections that stay open between transactions, and transactions that the driver begins and ends itself.

A page of the judges' site takes two or three small transactions. Handing a connection out of SQLAlchemy's pool,
beginning, committing, resetting and handing it back costs some 300 µs each time. Here a connection is kept with its
SQLAlchemy object and passed from one transaction to the next.

A database over a network gets the statements of a transaction in a pipeline: the driver sends them as they come and
waits only where a row is asked for and at the end, so that a lock is not held over as many round trips as statements.
What fails is then raised by the next wait, the commit's at the latest.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
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
        if self.remote:
            sa.event.listen(engine, "do_execute", _at_once)

    @contextmanager
    def transaction(self, begin: str) -> Iterator[sa.Connection]:
        """A transaction, begun by this statement; without one each statement stands for itself."""
        connection = self._take()
        driver: Any = connection.connection.driver_connection
        try:
            with driver.pipeline() if begin and self.remote else nullcontext() as pipeline:
                if begin:
                    driver.execute(begin)
                yield connection
                if pipeline is not None:
                    driver.execute("COMMIT")  # `commit` would wait, and then leaving the pipeline once more
            if connection.in_transaction():  # SQLAlchemy's object must hear of it where it ran a statement
                connection.commit()
            elif begin and pipeline is None:
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


def _at_once(cursor: Any, statement: str, parameters: Any, _: object) -> bool:
    """Run a statement of SQLAlchemy's, which looks at the result straight away, also inside a pipeline."""
    cursor.execute(statement, parameters)
    if cursor.connection.info.pipeline_status:  # public: 0 outside of a pipeline
        with cursor.connection.pipeline():
            pass  # entering and leaving a nested one waits for every result
    return True
