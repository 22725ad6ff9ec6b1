"""A PostgreSQL server of the tests' own, where its programs are installed."""

from __future__ import annotations

import glob
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def program(name: str) -> str | None:
    found = shutil.which(name) or next(iter(sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"))), None)
    return found


def why_not() -> str:
    """Why there is no server, or nothing."""
    try:
        import psycopg  # noqa: F401
    except ModuleNotFoundError:
        return "the package psycopg is not installed"
    return (
        ""
        if program("initdb") and program("pg_ctl")
        else "PostgreSQL is not installed: sudo apt-get install postgresql"
    )


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """The address of a server that lives as long as the block; run as nobody, because root may not run one."""
    folder.chmod(0o777)
    for parent in folder.parents:  # those that pytest made
        if parent.owner() == folder.owner() and Path(tempfile.gettempdir()) in parent.parents:
            parent.chmod(parent.stat().st_mode | 0o711)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    data, log = folder / "data", folder / "log"
    prefix = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.getuid() == 0 else []
    initdb, control = program("initdb"), program("pg_ctl")
    options = (
        f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off "
        "-c max_connections=120"
    )
    subprocess.run(
        [*prefix, str(initdb), "-D", str(data), "-U", "app", "--auth=trust", "-N"],
        check=True,
        capture_output=True,
        cwd=folder,
    )
    subprocess.run(  # its output goes to the log: a pipe would stay open as long as the server
        [*prefix, str(control), "-D", str(data), "-w", "-l", str(log), "-o", options, "start"],
        check=True,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield f"postgresql://app@127.0.0.1:{port}/postgres"
    finally:
        subprocess.run(
            [*prefix, str(control), "-D", str(data), "-m", "immediate", "stop"],
            check=False,
            capture_output=True,
            cwd=folder,
        )
