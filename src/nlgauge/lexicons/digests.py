"""Digests of the files that a number depends on: models, dictionaries, tables."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import time
from collections.abc import Iterable
from pathlib import Path

# Files of the user's machine: by what a change of one is noticed, and where work on them is kept.


State = tuple[int, int, int, int, int]


def file_state(path: str | os.PathLike[str]) -> State:
    """What changes with every change of a file: a program can set the time of modification back, that of the inode
    (`st_ctime`) it cannot, and a file put in the place of another has another inode."""
    found = os.stat(path)
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def cache_folder() -> Path:
    """Where indices are kept: NLGAUGE_CACHE, or `nlgauge` in the user's cache folder."""
    if os.environ.get("NLGAUGE_CACHE"):
        return Path(os.environ["NLGAUGE_CACHE"])
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "nlgauge"


SETTLED = 2.0  # seconds since a change after which the next one is sure to have another time
_SHA256 = re.compile(r"[0-9a-f]{64}")


def digest_of(files: list[Path]) -> str:
    """Of names and contents. Large files take seconds to read, so the digest is kept beside the files' states; not that
    of a file changed so lately that the clock of the disk might not tell the next change from it."""
    if not files:
        return ""
    states = {path: file_state(path) for path in files}
    seen = "\n".join(f"{path.resolve()}|{state}" for path, state in states.items())
    kept = cache_folder() / "digests" / hashlib.sha256(seen.encode()).hexdigest()[:32]
    try:
        found = kept.read_text(encoding="ascii")
        if _SHA256.fullmatch(found):  # else damaged
            return found
    except (OSError, UnicodeDecodeError):
        pass
    found = joined((path.name, file_digest(path)) for path in files)
    if time.time() - max(state[-1] for state in states.values()) / 1e9 > SETTLED:
        _keep(kept, found)
    return found


def file_digest(path: Path) -> str:
    """SHA-256 of one file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def joined(digests: Iterable[tuple[str, str]]) -> str:
    """One digest of files from their names and digests."""
    return hashlib.sha256("".join(f"{name}\0{digest}\n" for name, digest in digests).encode()).hexdigest()


def _keep(path: Path, text: str) -> None:
    """Write whole or not at all; a cache that cannot be written costs time, not the run."""
    made = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        made.write_text(text, encoding="ascii")
        os.replace(made, path)
    except OSError:
        return
