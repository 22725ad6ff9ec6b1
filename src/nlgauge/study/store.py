"""The tables of a study and their transactions, on SQLite (one file) or PostgreSQL.

Append-only: `judgements`, `claims`, `events`. Apart from them, so that they can be erased: `personal` (answers to
questions about the judge), `platform_ids`, `links`. `judges` and `slots` also hold the present state that follows from
the events (how far a judge is, who holds a slot), so that a page needs one or two reads; it is written in the same
transaction as the event. Two rules are kept by the database itself, whatever the program does: one slot
has at most one accepted judgement (`accepts`), and one judge's submission is stored once (`key`).

SQLite runs with a write-ahead log and a patient lock; writing transactions take the lock at their beginning, because a
transaction that reads first and asks for it later fails under load. No verb returns before its commit is on disk, but
commits that come together share one synchronisation of the log (`groupsync`).
`schema` keeps the version of these tables.
"""

from __future__ import annotations

import math
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import sqlalchemy as sa

from nlgauge.errors import InputError, MissingExtra
from nlgauge.io.outputs import DATABASE
from nlgauge.study import schema
from nlgauge.study.connections import Connections
from nlgauge.study.groupsync import GroupSync
from nlgauge.study.stocktaking import Stocktaking

FILE = DATABASE
ELSEWHERE = "name the one that the study was launched in with --db, or launch it first: nlgauge study launch DIR"
WAIT = 30.0  # seconds that a transaction waits for another's
BUSY = "another program holds the database"

metadata = sa.MetaData()


def _id() -> sa.Column[str]:
    return sa.Column("study", sa.String(64), nullable=False)


studies = sa.Table(
    "studies",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("status", sa.String(16), nullable=False),  # open, paused, closed
    sa.Column("kind", sa.String(16), nullable=False),  # live, simulated
    sa.Column("launched_at", sa.Double, nullable=False),
    sa.Column("frozen", sa.JSON, nullable=False),
)

panels = sa.Table(
    "panels",
    metadata,
    _id(),
    sa.Column("name", sa.String(64), nullable=False),
    sa.Column("evaluations", sa.Integer, nullable=False),
    sa.PrimaryKeyConstraint("study", "name"),
)

judges = sa.Table(
    "judges",
    metadata,
    _id(),
    sa.Column("id", sa.String(64), nullable=False),
    sa.Column("panel", sa.String(64), nullable=False),
    sa.Column("access", sa.String(16), nullable=False),  # link, open, platform, machine, simulated, import
    sa.Column("language", sa.String(16), nullable=False, default=""),
    sa.Column("registered_at", sa.Double, nullable=False),
    sa.Column("consented_at", sa.Double),
    sa.Column("questions_at", sa.Double),
    sa.Column("closing_at", sa.Double),  # answered the questions at the end
    sa.Column("begun_at", sa.Double),  # went on from the page before the first text
    sa.Column("practised", sa.Integer, nullable=False, default=0),
    sa.Column("practice_correct", sa.Integer, nullable=False, default=0),
    sa.Column("answered", sa.Integer, nullable=False, default=0),
    sa.Column("finished_at", sa.Double),
    sa.Column("failed", sa.String(32), nullable=False, default=""),
    sa.Column("wording", sa.String(32), nullable=False, default="", server_default=""),  # of the questions, as dealt
    sa.Column("withdrawn_at", sa.Double),
    sa.Column("forgotten_at", sa.Double),
    sa.PrimaryKeyConstraint("study", "id"),
)

links = sa.Table(
    "links",
    metadata,
    _id(),
    sa.Column("selector", sa.String(16), nullable=False),  # found by this, compared by the secret
    sa.Column("secret", sa.String(64), nullable=False),
    sa.Column("panel", sa.String(64), nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),  # personal, open, platform
    sa.Column("judge", sa.String(64)),
    sa.Column("created_at", sa.Double, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.PrimaryKeyConstraint("study", "selector"),
    sa.Index("links_by_judge", "study", "judge"),
)

platform_ids = sa.Table(
    "platform_ids",
    metadata,
    _id(),
    sa.Column("platform", sa.String(32), nullable=False),
    sa.Column("person", sa.String(256), nullable=False),
    sa.Column("judge", sa.String(64), nullable=False),
    sa.Column("data", sa.JSON, nullable=False),
    sa.PrimaryKeyConstraint("study", "platform", "person"),
)

personal = sa.Table(
    "personal",
    metadata,
    _id(),
    sa.Column("judge", sa.String(64), nullable=False),
    sa.Column("question", sa.String(64), nullable=False),
    sa.Column("answer", sa.Text, nullable=False),
    sa.Column("at", sa.Double, nullable=False),
    sa.PrimaryKeyConstraint("study", "judge", "question"),
)

slots = sa.Table(
    "slots",
    metadata,
    _id(),
    sa.Column("id", sa.String(64), nullable=False),
    sa.Column("panel", sa.String(64), nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("block", sa.Integer, nullable=False),
    sa.Column("seat", sa.Integer, nullable=False),
    sa.Column("triad", sa.String(8), nullable=False),
    sa.Column("texts", sa.JSON, nullable=False),
    sa.Column("holder", sa.String(64)),  # the judge for whom it is kept
    sa.Column("claim", sa.String(64)),  # the claim under which it was last shown
    sa.Column("expires_at", sa.Double),
    sa.Column("dealt", sa.Integer, nullable=False, default=0),  # how often
    sa.Column("judgement", sa.String(64)),  # the accepted one
    sa.PrimaryKeyConstraint("study", "id"),
    sa.UniqueConstraint("study", "panel", "number"),
    sa.Index("slots_by_holder", "study", "holder"),
    sa.Index("slots_to_deal", "study", "panel", "judgement", "dealt", "number"),
    sa.Index("slots_by_expiry", "study", "panel", "judgement", "expires_at", "seat"),
)

claims = sa.Table(
    "claims",
    metadata,
    _id(),
    sa.Column("id", sa.String(64), nullable=False),
    sa.Column("slot", sa.String(64), nullable=False),
    sa.Column("judge", sa.String(64), nullable=False),
    sa.Column("dealt", sa.Integer, nullable=False),
    sa.Column("shown_at", sa.Double, nullable=False),
    sa.PrimaryKeyConstraint("study", "id"),
    sa.UniqueConstraint("study", "slot", "dealt"),  # one slot is dealt to one judge at a time
)

judgements = sa.Table(
    "judgements",
    metadata,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
    _id(),
    sa.Column("id", sa.String(64), nullable=False),
    sa.Column("panel", sa.String(64), nullable=False),
    sa.Column("judge", sa.String(64), nullable=False),
    sa.Column("slot", sa.String(64), nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("triad", sa.String(8), nullable=False),
    sa.Column("texts", sa.JSON, nullable=False),
    sa.Column("items", sa.JSON, nullable=False),
    sa.Column("answer", sa.JSON, nullable=False),  # in SQLite a number is stored as one
    sa.Column("shown_at", sa.Double, nullable=False),
    sa.Column("answered_at", sa.Double, nullable=False),
    sa.Column("practice", sa.Boolean, nullable=False),
    sa.Column("surplus", sa.Boolean, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("highlights", sa.JSON, nullable=False),
    sa.Column("language", sa.String(16), nullable=False),
    sa.Column("client", sa.Text, nullable=False),
    sa.Column("replaces", sa.String(64), nullable=False),
    sa.Column("wording", sa.String(32), nullable=False, default="", server_default=""),  # that the judge read
    sa.Column("claim", sa.String(64), nullable=False),
    sa.Column("key", sa.String(128), nullable=False),
    sa.Column("accepts", sa.String(64)),  # the slot, where this judgement fills it
    sa.UniqueConstraint("study", "id"),
    sa.UniqueConstraint("study", "judge", "key"),
    sa.UniqueConstraint("study", "accepts"),
)

events = sa.Table(
    "events",
    metadata,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
    _id(),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("kind", sa.String(32), nullable=False),
    sa.Column("judge", sa.String(64)),
    sa.Column("data", sa.JSON, nullable=False),
    sa.Index("events_by_kind", "study", "kind"),
)


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
                ready = schema.up_to_date(connection)
                lacking = not ready and not create and schema.version_of(connection) is None
            if lacking:
                raise InputError(f"the database {_shown(url)} holds no study; {ELSEWHERE}")
            if not ready:
                with self.write() as connection:
                    schema.prepare(connection, metadata)
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
        try:
            return sa.create_engine(address, poolclass=sa.pool.NullPool, **options)  # `Connections` keeps them
        except ModuleNotFoundError as error:
            raise MissingExtra("a study on PostgreSQL", error.name or "psycopg", "postgresql") from None
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


def reason(error: sa.exc.SQLAlchemyError) -> str:
    """What a database complained of, in one line."""
    told = str(error.orig if isinstance(error, sa.exc.DBAPIError) else error).strip()
    return told.splitlines()[0] if told else type(error).__name__
