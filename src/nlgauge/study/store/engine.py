"""The store of a study: transactions on SQLite (one file) or PostgreSQL, on connections that stay open between them.

SQLite runs with a write-ahead log and a patient lock; writing transactions take the lock at their beginning, because a
transaction that reads first and asks for it later fails under load. No verb returns before its commit is on disk, but
commits that come together share one synchronisation of the log (`GroupSync`).

A page of the judges' site takes two or three small transactions. Handing a connection out of SQLAlchemy's pool,
beginning, committing, resetting and handing it back costs some 300 µs each time. Here a connection is kept with its
SQLAlchemy object and passed from one transaction to the next.

A database over a network gets the statements of a transaction in a pipeline: the driver sends them as they come and
waits only where a row is asked for and at the end, so that a lock is not held over as many round trips as statements.
What fails is then raised by the next wait, the commit's at the latest.
"""

from __future__ import annotations

import math
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import sqlalchemy as sa

from nlgauge.errors import InputError, needing
from nlgauge.io.outputs import DATABASE
from nlgauge.study.store import migrations
from nlgauge.study.store.tables import metadata, studies


class GroupSync:
    """The synchronisation of one file, shared between threads: the write-ahead log of SQLite, for all who wait.

    With `synchronous=NORMAL` SQLite writes a commit to the log and leaves it to the operating system when that reaches
    the disk: safe against a crash of the program, not against a power cut. Synchronising each commit by itself costs
    milliseconds and allows a few hundred commits a second. Here whoever has committed asks for a synchronisation that
    begins later than the commit, and all who ask while one is under way share the next. A log that was carried over
    into the database in between is covered as well: SQLite synchronises both files before it starts the log anew.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self._changed = threading.Condition()
        self._asked = self._done = 0  # tickets handed out, and those that were dealt with
        self._busy = False
        self._faults: dict[int, OSError] = {}  # by ticket: met by another who synchronised for all

    def wait(self) -> None:
        """Return when everything that was written before this call is on disk."""
        with self._changed:
            self._asked += 1
            ticket = self._asked
            while self._done < ticket:
                if self._busy:
                    self._changed.wait()
                else:
                    self._lead()
                if ticket in self._faults:
                    raise self._faults.pop(ticket)

    def _lead(self) -> None:
        """Synchronise for all who have asked so far; the lock is held before and after, not meanwhile.

        A fault is everybody's: the system reports it once, and another attempt would succeed without what was lost.
        """
        covered, self._busy = self._asked, True
        self._changed.release()
        fault: OSError | None = None
        try:
            self._synchronise()
        except OSError as error:
            fault = error
        finally:
            self._changed.acquire()
            self._busy = False
            self._changed.notify_all()
        if fault is not None:
            self._faults |= dict.fromkeys(range(self._done + 1, covered + 1), fault)
        self._done = max(self._done, covered)

    def _synchronise(self) -> None:
        try:
            file = os.open(self.path, os.O_RDWR)  # anew each time: SQLite may have replaced the log
        except FileNotFoundError:
            return  # carried over into the database and removed
        try:
            os.fsync(file)
        finally:
            os.close(file)


FIRST = 200  # transactions after which a process first asks for another look


class Stocktaking:
    """Has the tables of a PostgreSQL database looked through; does nothing for another kind of database.

    The server looks through a table about once a minute. Until then it plans as if a new table were empty, and reads
    every row of a study where an index would find the one that is wanted: with 1,000 judges in the first minute that is
    most of the work. So it is told to look after the launch, and again whenever as much has been written as before.
    """

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


FILE = DATABASE
ELSEWHERE = "name the one that the study was launched in with --db, or launch it first: nlgauge study launch DIR"
WAIT = 30.0  # seconds that a transaction waits for another's
BUSY = "another program holds the database"
RESTED = 5.0  # seconds after which a connection over a network is tried before it is trusted


class Store:
    """A database of studies. `read()` and `write()` give a connection inside a transaction, `glance()` one without."""

    def __init__(self, url: str, *, create: bool = True, wait: float = WAIT) -> None:
        """With `create` false a database without a study is refused, and none is made: the address may be mistyped.

        `wait`: seconds that a transaction waits for another program that holds an SQLite file.
        """
        self.url, self.wait = url, wait
        self.engine = _engine(url, create=create, wait=wait)
        self._connections = Connections(self.engine)
        self.stock = Stocktaking(self._connections, metadata)
        self._begin = ("BEGIN", "BEGIN IMMEDIATE") if self.engine.dialect.name == "sqlite" else ("", "BEGIN")
        file = self.engine.url.database if self.engine.dialect.name == "sqlite" else None
        # SQLite has one writer: threads queue here, where waiting costs nothing, instead of polling the file's lock
        self._turn = threading.Lock() if file else None
        self._shut_out = -math.inf  # when another program last kept the file for longer than that
        self._sync = GroupSync(f"{file}-wal") if file and file != ":memory:" else None
        try:
            with self.read() as connection:  # as a rule nothing is to be done, and nobody need wait
                ready = migrations.up_to_date(connection)
                lacking = not ready and not create and migrations.version_of(connection) is None
            if lacking:
                raise InputError(f"the database {_shown(url)} holds no study; {ELSEWHERE}")
            if not ready:
                with self.write() as connection:
                    migrations.prepare(connection, metadata)
        except sa.exc.DBAPIError as error:
            raise InputError(f"the database {_shown(url)} cannot be used: {reason(error)}") from None

    @property
    def embedded(self) -> bool:
        """Whether the database is a file of this machine, whose readers wait for nobody."""
        return self._sync is not None

    @classmethod
    def at(cls, folder: str | Path, url: str | None = None, *, create: bool = True, wait: float = WAIT) -> Store:
        """The store of a study's folder: its SQLite file, or the database named."""
        return cls(url or f"sqlite:///{Path(folder) / FILE}", create=create, wait=wait)

    @classmethod
    def memory(cls) -> Store:
        """A store that is gone with its last connection: for simulation and tests."""
        return cls("sqlite://")

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """A transaction that only reads (on PostgreSQL each statement sees what is committed when it begins)."""
        with self._connections.transaction(self._begin[0]) as connection:
            yield connection

    @contextmanager
    def glance(self) -> Iterator[sa.Connection]:
        """No transaction: each statement sees what is committed when it begins. For one statement that is the same."""
        with self._connections.transaction("") as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """A transaction that writes: all of it or nothing; on disk when the block is left."""
        with self._in_turn(), self._connections.transaction(self._begin[1]) as connection:
            yield connection
        self.stock.written()
        if self._sync is not None:
            try:
                self._sync.wait()
            except OSError as error:  # stored perhaps, but nobody may rely on it: whoever sends it again learns
                raise sa.exc.OperationalError(None, None, error) from error

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        """Wait for the other threads; who waited behind one that was shut out is shut out with it, at once.

        Otherwise each in turn would wait for as long, while another program holds the file.
        """
        if self._turn is None:
            yield
            return
        came = time.monotonic()
        if not self._turn.acquire(timeout=2 * self.wait):
            raise sa.exc.OperationalError(None, None, TimeoutError(BUSY))
        try:
            if self._shut_out > came:
                raise sa.exc.OperationalError(None, None, TimeoutError(BUSY))
            try:
                yield
            except sa.exc.OperationalError as error:
                if getattr(error.orig, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
                    self._shut_out = time.monotonic()
                raise
        finally:
            self._turn.release()

    def holds(self, study: str) -> bool:
        """Whether a study was launched here."""
        with self.read() as connection:
            query = sa.select(studies.c.id).where(studies.c.id == study)
            return connection.execute(query).first() is not None

    def clear(self) -> None:
        """Empty a store in memory."""
        if self.engine.url.database not in (None, "", ":memory:"):
            raise InputError("only a store in memory can be emptied: judgements are never deleted")
        with self.write() as connection:
            for table in metadata.sorted_tables:
                connection.execute(table.delete())

    def close(self) -> None:
        """Let go of every connection."""
        self._connections.close()


def file_of(folder: str | Path, url: str | None) -> Path | None:
    """The file of the store that `Store.at` opens; None where it is no file."""
    if url is None:
        return Path(folder).absolute() / FILE
    with suppress(sa.exc.ArgumentError):
        address = sa.make_url(url)
        path = str(address.database or "")
        if address.get_backend_name() == "sqlite" and path not in ("", ":memory:") and not path.startswith("file:"):
            return Path(path).absolute()
    return None


def _json(value: Any) -> Any:
    """A JSON value; SQLite gives a number that stands alone as a number."""
    return orjson.loads(value) if isinstance(value, str | bytes) else value


def _engine(url: str, *, create: bool, wait: float) -> sa.Engine:
    options: dict[str, Any] = {
        "isolation_level": "AUTOCOMMIT",  # `Connections` begins and ends transactions
        "hide_parameters": True,  # an error's text goes to the log, links and platform ids do not
        "json_serializer": lambda value: orjson.dumps(value).decode(),
        "json_deserializer": _json,
    }
    try:
        address = sa.make_url(url)
    except sa.exc.ArgumentError:
        raise InputError(
            f"{url!r} is no database address; expected postgresql://user:password@host/name or sqlite:///file"
        ) from None
    if address.get_backend_name() == "postgresql":
        if "+" not in address.drivername:
            address = address.set(drivername="postgresql+psycopg")
        with needing("a study on PostgreSQL", "postgresql"):
            return sa.create_engine(address, poolclass=sa.pool.NullPool, **options)  # `Connections` keeps them
    if address.get_backend_name() != "sqlite":
        raise InputError(f"{_shown(url)}: studies are kept in SQLite or PostgreSQL, not in this kind of database")
    if address.database in (None, "", ":memory:"):
        options |= {"poolclass": sa.pool.StaticPool}
    else:
        options |= {"poolclass": sa.pool.NullPool}  # `Connections` keeps them
        path = str(address.database)
        if create:
            _make_private(path)
        elif not path.startswith("file:") and not os.path.exists(path):
            raise InputError(f"there is no database {path}; {ELSEWHERE}")
    engine = sa.create_engine(address, connect_args={"check_same_thread": False, "timeout": wait}, **options)
    sa.event.listen(engine, "connect", partial(_on_connect, wait))
    return engine


def _make_private(path: str) -> None:
    """Make a new database's file readable by its owner only: it holds links and personal answers.

    SQLite gives its log the same mode. A file that is there keeps the mode its owner gave it.
    """
    if path.startswith("file:"):
        return
    with suppress(OSError):  # there already; what else is wrong, opening it will say
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _on_connect(wait: float, connection: sqlite3.Connection, _: object) -> None:
    connection.isolation_level = None  # transactions are begun by `Connections`, not by the driver
    for pragma in (
        "journal_mode=WAL",
        "synchronous=NORMAL",  # `GroupSync` puts the log on disk after each commit, for several at once
        "foreign_keys=ON",
        f"busy_timeout={int(wait * 1000)}",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _shown(url: str) -> str:
    """An address without its password."""
    return sa.make_url(url).render_as_string(hide_password=True)


def kept_in(url: sa.URL) -> str:
    """Where the answers are kept, in words and without a password."""
    if url.get_backend_name() == "sqlite":
        return f"SQLite, {url.database or 'in memory'}"
    return f"PostgreSQL, {url.render_as_string(hide_password=True)}"


def reason(error: sa.exc.SQLAlchemyError) -> str:
    """What a database complained of, in one line."""
    told = str(error.orig if isinstance(error, sa.exc.DBAPIError) else error).strip()
    return told.splitlines()[0] if told else type(error).__name__


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
