"""Corpora out of files: WebNLG XML, plain and enriched, E2E's CSV, and JSON lines."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from nlgauge.corpus.entries import Corpus, Entry
from nlgauge.corpus.reading.rows import read_rows
from nlgauge.corpus.reading.webnlg import read_xml
from nlgauge.errors import InputError
from nlgauge.io.files import StrPath, suffix

SPLITS = ("train", "dev", "valid", "test")


def read(paths: Sequence[StrPath], columns: Mapping[str, str] | None = None) -> Corpus:
    """The corpus that files or folders hold together; several files are splits, named after their files.

    `columns` says which column of a table or key of JSON lines holds what ({"source": "mr"}).
    """
    parts = [(path, _read(path, columns)) for path in paths]
    names = [_split(path) for path in paths]
    entries: list[Entry] = []
    for (path, part), name in zip(parts, names, strict=True):
        split = name if names.count(name) == 1 else Path(path).name
        entries += [replace(entry, split=split) if len(parts) > 1 else entry for entry in part.entries]
    if not any(entry.triples for entry in entries):
        raise InputError(
            f"{os.fspath(paths[0])} holds no input with a triple or an attribute; expected WebNLG XML, a CSV file "
            "with the columns mr and ref, or JSON lines with triples or a source such as name[Blue Spice]"
        )
    return Corpus(tuple(entries), tuple(output for _, part in parts for output in part.outputs))


def _split(path: StrPath) -> str:
    words = re.split(r"[^a-z]+", Path(path).name.lower())
    return next((split for split in SPLITS if any(word.startswith(split) for word in words)), Path(path).name)


def _read(path: StrPath, columns: Mapping[str, str] | None) -> Corpus:
    if not os.path.isdir(path):
        return Corpus(tuple(read_xml(path))) if suffix(path) == ".xml" else read_rows(path, columns)
    files = sorted(Path(path).rglob("*.xml"))
    if not files:
        raise InputError(
            f"{os.fspath(path)} is a folder without .xml files; name a file, or a folder of WebNLG"
        )
    entries = [
        replace(entry, split=next((s for s in SPLITS if s in file.relative_to(path).parts), ""))
        for file in files
        for entry in read_xml(file)
    ]
    return Corpus(tuple(entries))
