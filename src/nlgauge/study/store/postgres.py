"""What PostgreSQL knows of a study's tables while they fill.

The server looks through a table about once a minute. Until then it plans as if a new table were empty, and reads every
row of a study where an index would find the one that is wanted: with 1,000 judges in the first minute that is most of
the work. So it is told to look after the launch, and again whenever as much has been written as before.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

if TYPE_CHECKING:
    from nlgauge.study.store.engine import Connections

FIRST = 200  # transactions after which a process first asks for another look


class Stocktaking:
    """Has the tables of a PostgreSQL database looked through; does nothing for another kind of database."""

    def __init__(self, connections: Connections, metadata: sa.MetaData) -> None:
        self.connections = connections
        self.names = ", ".join(sorted(metadata.tables))
        self.active = connections.engine.dialect.name == "postgresql"
        self._written, self._due = 0, FIRST

    def written(self) -> None:
        """A transaction was committed. Threads may miscount each other, which only shifts the next look."""
        self._written += 1
        if self.active and self._written >= self._due:
            self._due = 2 * self._written
            threading.Thread(target=self.take, name="stocktaking", daemon=True).start()

    def take(self) -> None:
        """Look now; what another process looks at meanwhile is left to it."""
        if not self.active:
            return
        with (
            suppress(sa.exc.DBAPIError),
            self.connections.transaction("") as connection,
        ):  # only speed is at stake
            driver: Any = connection.connection.driver_connection
            driver.execute(f"ANALYZE (SKIP_LOCKED) {self.names}")
