"""Files of the user's machine: by what a change of one is noticed, and where work on them is kept."""

from __future__ import annotations

import os
from pathlib import Path

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
