"""Grammars: read from files, checked, and used to parse, mend and make texts."""

from __future__ import annotations

from os import stat
from os.path import isfile

from nlgauge.corpus.grammar.compiling import Tables
from nlgauge.corpus.grammar.reading import find, parsed, read, shipped

__all__ = ["Tables", "find", "load", "parsed", "read", "shipped"]


_KEPT: dict[str, tuple[tuple[tuple[str, int], ...], Tables]] = {}


def load(name: str) -> Tables:
    """A grammar by its path, or one that comes with nlgauge by its name, ready for use; read once while unchanged."""
    path = str(find(name))
    state, tables = _KEPT.get(path, ((), None))
    if tables is None or any(not isfile(file) or stat(file).st_mtime_ns != time for file, time in state):
        tables = Tables(read(path))
        _KEPT[path] = tuple((file, stat(file).st_mtime_ns) for file in tables.grammar.files), tables
    return tables
