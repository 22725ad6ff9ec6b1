"""Folders that keep what long work has finished, so that the same command goes on where it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from nlgauge.errors import InputError, as_called
from nlgauge.io.write import atomic_path

PLAN, RESULT = "plan.json", "result.json"


def keep(path: Path, value: Any) -> None:
    """Write a JSON file, whole or not at all."""
    with atomic_path(path) as temporary:
        temporary.write_text(json.dumps(value), encoding="utf-8")


def read_kept(path: Path, what: str = "an experiment") -> Any:
    """A file of such a folder; `what` says of what."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise InputError(f"{path} is no file of {what} any more; delete it, and it is made again") from None


def claim(home: Path, plan: Any, what: str, other: str, *, begun: bool = True) -> None:
    """Make a folder that is of one plan, or refuse one that holds something else, or another plan that was begun."""
    path, flag = home / PLAN, as_called(" (-o)", "")
    if path.is_file() and begun:
        if read_kept(path, what) != json.loads(json.dumps(plan)):
            raise InputError(f"{home} holds {other}; name another folder{flag}")
        return
    if not path.is_file() and home.exists() and (not home.is_dir() or any(home.iterdir())):
        raise InputError(f"{home} exists and is no folder of {what}; name another{flag}")
    home.mkdir(parents=True, exist_ok=True)
    keep(path, plan)
