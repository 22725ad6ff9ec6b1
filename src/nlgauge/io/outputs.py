"""What an output may never replace: a file that the command reads, a database, a file of a study.

Every file of ours is written by `write.atomic_path`, which asks `refuse_harm` first; the command line asks before it
begins to work. Links, hard links, relative names and case are seen through, as files are compared, not names.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import orjson

from nlgauge.errors import InputError

# The files that studies make for themselves; texts are those that the study file names, pictures all there are.
STUDY, FROZEN, DATABASE = "study.yaml", "frozen.json", "study.sqlite"
SCHEMA, SITE_KEY, LOCK = "study.schema.json", "site.key", "serving.lock"
PASSWORD, SETUP = "dashboard.password", "dashboard.setup"
EARLIER = "earlier-"  # and a number, before the names of an earlier launch
PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif")
BESIDE = ("-wal", "-shm", "-journal")  # what SQLite keeps beside a database


def _any(*names: str) -> str:
    return f"({'|'.join(map(re.escape, names))})"


OWN = re.compile(
    rf"({EARLIER}\d+-)?({_any(STUDY, FROZEN)}|{re.escape(DATABASE)}{_any(*BESIDE)}?)"
    f"|{_any(SCHEMA, SITE_KEY, LOCK, PASSWORD, SETUP)}"
)
SQLITE = b"SQLite format 3\0"

_read: ContextVar[tuple[Path, ...]] = ContextVar("read", default=())


@contextmanager
def reading(paths: Iterable[str | os.PathLike[str]]) -> Iterator[None]:
    """In this block no output replaces one of these files either, nor what lies in one of these folders."""
    token = _read.set((*_read.get(), *(Path(path) for path in paths)))
    try:
        yield
    finally:
        _read.reset(token)


def refuse_harm(path: str | os.PathLike[str]) -> None:
    """Refuse to write a file that must not be replaced."""
    target = Path(os.path.realpath(path))
    for read in _read.get():
        if _is(target, read) or any(_is(target, file) for file in _texts(read)):
            raise InputError(f"{path} is read by this command, so it cannot be written to; choose another name")
        if target.is_file() and not _is_study(read) and target.is_relative_to(os.path.realpath(read)):
            raise InputError(
                f"{path} lies in {read}, which this command reads, so it is not replaced; choose another name"
            )
    if is_database(target):
        raise InputError(f"{path} belongs to a database, so it cannot be written to; choose another name")
    for folder in filter(_is_study, target.parents):
        if _is_own(target, folder):
            raise InputError(
                f"{path} is a file of the study in {folder}, so it cannot be written to; choose another name"
            )


def is_database(path: Path) -> bool:
    """Whether a file is an SQLite database, or one of those that SQLite keeps beside it."""
    ending = next((ending for ending in BESIDE if path.name.endswith(ending)), "")
    if path.name in ("", ending):
        return False
    main = path.with_name(path.name.removesuffix(ending))
    if not main.is_file():
        return False
    with main.open("rb") as file:
        return file.read(len(SQLITE)) == SQLITE


def _is_study(folder: Path) -> bool:
    return any((folder / name).is_file() for name in (STUDY, FROZEN, DATABASE))


def _is_own(target: Path, folder: Path) -> bool:
    if target.parent == folder and OWN.fullmatch(target.name.casefold()):
        return True
    if not target.is_file():
        return False
    return target.suffix.lower() in PICTURES or any(_is(target, text) for text in _texts(folder))


def _texts(folder: Path) -> list[Path]:
    """The files that the study of a folder reads: every file that its study file names, now or at launch."""
    if not folder.is_dir():
        return []
    named: set[str] = set()
    if (folder / STUDY).is_file():
        named |= _strings(_yaml((folder / STUDY).read_bytes()))
    if (folder / FROZEN).is_file():
        try:
            launched = orjson.loads((folder / FROZEN).read_bytes())
        except orjson.JSONDecodeError:
            launched = None
        named |= _strings(launched.get("study")) if isinstance(launched, dict) else set()
    return [folder / name for name in named if 0 < len(name) < 4096 and "\0" not in name]


def _yaml(content: bytes) -> Any:
    with suppress(ImportError):  # part of the extra for studies
        import yaml

        with suppress(yaml.YAMLError, UnicodeDecodeError, ValueError):
            return yaml.safe_load(content)
    # a file that is being edited, or no reader of it: whatever stands after a key may be a name
    lines = content.decode("utf-8", "replace").splitlines()
    return [line.partition(":")[2].strip(" \"'") for line in lines]


def _strings(value: Any) -> set[str]:
    if isinstance(value, str):
        return {value}
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {text for part in parts for text in _strings(part)}


def _is(target: Path, other: Path) -> bool:
    """Whether two names are one file, whether it is there or not."""
    try:
        if target.exists() and other.exists():
            return os.path.samefile(target, other)
        return str(target).casefold() == os.path.realpath(other).casefold()
    except OSError:  # a name too long, links that lead in a circle
        return False
