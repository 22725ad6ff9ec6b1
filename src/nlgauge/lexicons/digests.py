"""Digests of the files that a number depends on: models, dictionaries, tables."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from pathlib import Path

from nlgauge.lexicons.phrases import cache_folder

_SHA256 = re.compile(r"[0-9a-f]{64}")


def digest_of(files: list[Path]) -> str:
    """Of names and contents. Large files take seconds to read, so the digest is kept beside sizes and times."""
    if not files:
        return ""
    stats = [(path, path.stat()) for path in files]
    seen = "\n".join(f"{path.resolve()}|{stat.st_size}|{stat.st_mtime_ns}" for path, stat in stats)
    kept = cache_folder() / "digests" / hashlib.sha256(seen.encode()).hexdigest()[:32]
    try:
        found = kept.read_text(encoding="ascii")
        if _SHA256.fullmatch(found):  # else damaged
            return found
    except (OSError, UnicodeDecodeError):
        pass
    whole = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            whole.update(f"{path.name}\0{hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    found = whole.hexdigest()
    _keep(kept, found)
    return found


def _keep(path: Path, text: str) -> None:
    """Write whole or not at all; a cache that cannot be written costs time, not the run."""
    made = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        made.write_text(text, encoding="ascii")
        os.replace(made, path)
    except OSError:
        return
