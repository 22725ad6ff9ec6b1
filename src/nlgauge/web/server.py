"""`nlgauge study serve`: the site under uvicorn, with one worker or many."""

from __future__ import annotations

import gc
import os
import socket
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from nlgauge.errors import InputError, option
from nlgauge.study.freeze import frozen
from nlgauge.study.service import Service, opened
from nlgauge.study.store import Store

resource: Any
try:
    import resource
except ImportError:  # pragma: no cover - not on this system
    resource = None

SPARE = 128  # files that are no connections: databases, texts, libraries
VARIABLE = "NLGAUGE_SERVE"  # how a worker learns what to serve
BACKLOG = 2_048  # connections that may wait to be taken
WAIT = 2.0  # seconds that a judge waits for another program that holds the database, before a page says so
FILES = 65_536  # open files wanted: every connection is one


@dataclass(frozen=True)
class Settings:
    """What is served, and where."""

    folder: str
    db: str | None = None
    host: str = "127.0.0.1"
    port: int = 8000
    base: str = ""
    workers: int = 1
    dashboard: bool = True
    rehearsal: bool = False  # every judge counts as simulated
    connections: int = 1_000  # from one address to one worker at a time; 0: any number

    @property
    def address(self) -> str:
        """What stands before a link that is sent to a judge: as stated, else where the site listens."""
        name = socket.gethostname() if self.host in ("", "0.0.0.0", "::") else self.host
        return self.base or f"http://{f'[{name}]' if ':' in name else name}:{self.port}"

    def open(self) -> Service:
        """The launched study; refused before a database is made where it was not launched."""
        if not (Path(self.folder) / frozen.FILE).exists():
            frozen.read(self.folder)  # says why not
        return opened(self.folder, Store.at(self.folder, self.db, create=False, wait=WAIT), simulated=self.rehearsal)


def worker_app() -> Any:
    """The application of one worker, by what the environment says."""
    settings = Settings(**orjson.loads(os.environ[VARIABLE]))
    bound_connections(settings)
    app = app_of(settings, settings.open())
    gc.collect()
    gc.freeze()  # study and modules stay for good: no need to look through them again and again
    return app


def app_of(settings: Settings, service: Service) -> Any:
    """The application of a study that is open."""
    from nlgauge.web.app import create_app

    return create_app(
        service,
        folder=Path(settings.folder),
        base=settings.base,
        address=settings.address,
        dashboard=settings.dashboard,
    )


def bound_connections(settings: Settings) -> None:
    """Say how many connections a process takes: all together fewer than it may have open files."""
    from nlgauge.web.connections import Bounded

    Bounded.most, Bounded.most_each = max(SPARE, raise_limit() - SPARE), settings.connections


def raise_limit() -> int:
    """Raise the number of files that this process may have open; often 1,024 where ten times as many are allowed."""
    if resource is None:
        return FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return FILES if soft == resource.RLIM_INFINITY else soft


def listen(host: str, port: int) -> socket.socket:
    """A socket bound to an address; refused in one sentence where that does not work."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
        bound.listen(BACKLOG)
    except OSError as error:
        bound.close()
        if isinstance(error, PermissionError):
            raise InputError(f"port {port} needs special rights; choose one above 1023 with {option('port')}") from None
        if isinstance(error, socket.gaierror):
            raise InputError(
                f"there is no address {host!r} on this machine; use {option('host', '127.0.0.1')}"
            ) from None
        raise InputError(
            f"port {port} of {host} cannot be used ({error.strerror}); choose another with {option('port')}"
        ) from None
    return bound


def serve(settings: Settings, bound: socket.socket, app: Any = "nlgauge.web.server:worker_app") -> None:
    """Run until interrupted; `app` is the application, or the name of what makes one in each worker."""
    import uvicorn

    os.environ[VARIABLE] = orjson.dumps(asdict(settings)).decode()
    bound_connections(settings)
    config = uvicorn.Config(
        app,
        factory=isinstance(app, str),
        workers=settings.workers,
        http="nlgauge.web.connections:Bounded",
        ws="none",
        log_level="warning",
        access_log=False,  # an address is a judge's credential
        server_header=False,
        backlog=BACKLOG,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=10,
    )
    with suppress(KeyboardInterrupt):  # uvicorn raises it again after it has ended in good order
        if settings.workers > 1:
            from nlgauge.web.connections import supervisor

            supervisor(config, bound).run()
        else:
            uvicorn.Server(config).run(sockets=[bound])
