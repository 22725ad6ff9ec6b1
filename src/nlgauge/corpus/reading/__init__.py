"""Corpora out of files: WebNLG XML, plain and enriched, E2E's CSV, and JSON lines."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from nlgauge.corpus.entries import Corpus
from nlgauge.corpus.reading.rows import read_rows
from nlgauge.corpus.reading.webnlg import read_xml
from nlgauge.errors import InputError
from nlgauge.io.files import StrPath, suffix

SPLITS = ("train", "dev", "valid", "test")


def read(paths: Sequence[StrPath], columns: Mapping[str, str] | None = None) -> Corpus:
    """The corpus that files or folders hold together; several files are splits, named after their files.

    `columns` says which column of a table or key of JSON lines holds what ({"source": "mr"}).
    """
    parts = [_read(path, columns) for path in paths]
    if len(parts) > 1:
        named = zip(parts, _splits(paths), strict=True)
        parts = [
            Corpus(
                tuple(replace(entry, split=split) for entry in part.entries),
                tuple(replace(output, split=split) for output in part.outputs),
            )
            for part, split in named
        ]
    entries = [entry for part in parts for entry in part.entries]
    if not any(entry.triples for entry in entries):
        raise InputError(
            f"{os.fspath(paths[0])} holds no input with a triple or an attribute; expected WebNLG XML, a CSV file "
            "with the columns mr and ref, or JSON lines with triples or a source such as name[Blue Spice]"
        )
    return Corpus(tuple(entries), tuple(output for part in parts for output in part.outputs))


def _splits(paths: Sequence[StrPath]) -> list[str]:
    """Names of splits after their files: train, or else the file's name, or else its path, whichever is its own."""
    files = [Path(path).name for path in paths]
    words = [re.split(r"[^a-z]+", name.lower()) for name in files]
    known = [next((split for split in SPLITS if any(w.startswith(split) for w in own)), "") for own in words]
    if len({os.fspath(path) for path in paths}) < len(paths):
        raise InputError("the same file is named twice; several files are splits, each named once")
    return [
        split if split and known.count(split) == 1 else name if files.count(name) == 1 else os.fspath(path)
        for split, name, path in zip(known, files, paths, strict=True)
    ]


def _read(path: StrPath, columns: Mapping[str, str] | None) -> Corpus:
    if not os.path.isdir(path):
        return Corpus(tuple(read_xml(path))) if suffix(path) == ".xml" else read_rows(path, columns)
    files = sorted(Path(path).rglob("*.xml"))
    if not files:
        raise InputError(f"{os.fspath(path)} is a folder without .xml files; name a file, or a folder of WebNLG")
    entries = [
        replace(entry, split=next((s for s in SPLITS if s in file.relative_to(path).parts), ""))
        for file in files
        for entry in read_xml(file)
    ]
    return Corpus(tuple(entries))
