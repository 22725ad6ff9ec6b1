"""Many threads, one SQLite file: writing transactions take turns inside the process and are committed together.

SQLite admits one writer, and each commit waits for the disk. Threads that fight for the file's lock sleep and poll;
here they queue instead, and whoever is last in the queue commits for all. Each verb is a savepoint of its own: one that
fails is undone alone. Nobody goes on before the common commit is on the disk, so that what was acknowledged is stored.
Other processes (a second worker, a command beside the server) are kept apart by the file's lock as ever.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import sqlalchemy as sa

MOST = 64  # verbs in one commit
WAIT = 1.0  # seconds after which a verb that waits for the last one looks after the commit itself


@dataclass
class _Group:
    """Verbs that are committed together."""

    connection: sa.Connection
    transaction: sa.Transaction
    size: int = 0
    done: threading.Event = field(default_factory=threading.Event)
    error: BaseException | None = None


class Writer:
    """The queue of a SQLite file's writers."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._turn = threading.Lock()
        self._counting = threading.Lock()
        self._waiting = 0
        self._group: _Group | None = None  # of whoever has the turn

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """A verb's turn; afterwards what it wrote is on the disk, or it raises."""
        group: _Group | None = None
        self._take_turn()
        try:
            group = self._group = self._group or self._begin()
            group.size += 1
            try:
                with _savepoint(group.connection):
                    yield group.connection
            finally:
                if not self._waiting or group.size >= MOST:
                    self._commit(group)
        finally:
            self._turn.release()
            # also after a refusal: it may rest on what another verb of the group has written
            if group is not None:
                self._see_committed(group)
        if group.error is not None:
            raise group.error

    def _take_turn(self) -> None:
        with self._counting:
            self._waiting += 1
        try:
            self._turn.acquire()
        finally:
            with self._counting:
                self._waiting -= 1

    def _begin(self) -> _Group:
        connection = self._engine.connect().execution_options(nlgauge_write=True)
        try:
            return _Group(connection, connection.begin())
        except BaseException:
            connection.close()
            raise

    def _commit(self, group: _Group) -> None:
        """With the turn: end the group, for better or worse."""
        self._group = None
        try:
            group.transaction.commit()
        except BaseException as error:
            group.error = error
        finally:
            group.connection.close()
            group.done.set()

    def _see_committed(self, group: _Group) -> None:
        while not group.done.wait(WAIT):  # somebody was interrupted while queueing
            with self._turn:
                if self._group is group:
                    self._commit(group)


@contextmanager
def _savepoint(connection: sa.Connection) -> Iterator[None]:
    execute = connection.connection.driver_connection.execute  # type: ignore[union-attr]
    execute("SAVEPOINT verb")
    try:
        yield
    except BaseException:
        execute("ROLLBACK TO verb")
        execute("RELEASE verb")
        raise
    execute("RELEASE verb")
