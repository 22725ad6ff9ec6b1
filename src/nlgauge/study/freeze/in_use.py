"""A mark on a study's folder while it is served, so that nobody sets its files aside under a running server.

The mark is an advisory lock of the operating system on a small file: it goes with the process, however that ends. Where
the system has none (Windows), nothing is marked and nothing refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from nlgauge.errors import InputError
from nlgauge.io.outputs import LOCK
from nlgauge.study.file import study

FILE = LOCK

fcntl: Any
try:
    import fcntl
except ImportError:  # pragma: no cover - not on this system
    fcntl = None


@contextmanager
def served(folder: str | Path) -> Iterator[None]:
    """Mark a folder; several servers may do so at once."""
    with _opened(folder) as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_SH)
        yield


@contextmanager
def alone(folder: str | Path) -> Iterator[None]:
    """Refused while a server has the folder; while this goes on none begins."""
    with _opened(folder) as file:
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(f"{folder} is being served; stop the server first, so that no answer is lost") from None
        yield


def is_served(folder: str | Path) -> bool:
    """Whether a server has the folder now; leaves nothing behind."""
    path = Path(folder) / FILE
    if fcntl is None or not path.exists():
        return False
    try:
        with path.open(encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    return False


@contextmanager
def launching(folder: str | Path) -> Iterator[None]:
    """Launches of one folder take turns: one that fails removes what it made, and nothing of another's."""
    with (Path(folder) / study.FILE).open(encoding="utf-8") as file:  # may be locked though it is only read
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _opened(folder: str | Path) -> IO[str]:
    path = Path(folder) / FILE
    try:
        return path.open("a", encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
